"""Explanations of held batches that the READMEs of the recurring data sets do not mention.

The gate held these batches, and then the rows of the batch and of those around it showed why:

- *error*: the data of this batch are wrong.
- *change*: the source has changed for good, and someone must know about it.

A held batch without an entry counts as a *false* hold.
"""

from __future__ import annotations

from typing import Literal

__all__ = ["HoldKind", "evidence_of", "kind_of"]

HoldKind = Literal["error", "change", "false"]

#: for each data set, the kind of a hold and its evidence by the beginning of the batch key
_EXPLANATIONS: dict[str, dict[str, tuple[HoldKind, str]]] = {
    "nycflights13_daily": {
        "2013-07-27": ("error", "flight US 1632 from EWR to LGA, 17 miles, at 1:06 at night"),
    },
    "online_retail_by_day": {
        "2011-01-18": ("error", "an order of 74,215 pieces, and its cancellation"),
        "2011-06-10": (
            "error",
            "a cancellation of 38,970 for one piece; other prices are up to 650",
        ),
        "2011-08-12": ("error", "two 'Adjust bad debt' of -11,062.06 each among the sales"),
        "2011-12-09": ("error", "an order of 80,995 pieces, and its cancellation"),
    },
    "jhu_us_daily": {
        "2020-06-03": (
            "error",
            "Northern Mariana Islands: 16 deaths of 24 cases, 2 deaths before and after",
        ),
        "2021-03-14": ("error", "Puerto Rico: 0 tests, 407,299 the day before and after"),
    },
    "jhu_global_daily": {
        "2020-03-10": ("change", "US states replace US counties"),
        "2020-04-12": ("change", "Active is computed; it was 0 in 92 % of the rows before"),
        "2020-05-14": ("change", "56 provinces replace the rows of Germany, Italy and Spain"),
        "2020-05-20": ("change", "80 provinces replace the rows of Brazil, Mexico and others"),
        "2020-06-19": ("error", "Unassigned, Louisiana: 112 deaths of 3 cases (3,733 %)"),
        "2020-10-25": ("change", "the previous batch is of 2020-07-15: the data set has a gap"),
        "2020-11-02": ("error", "Unknown, Colombia: -302,844 cases"),
    },
    "covid_tracking_states": {
        "2020-07-20": ("error", "California: 1,965,071,079 recovered of 391,538 cases"),
        "2020-08-12": ("error", "all 56 grades of data quality are empty"),
        "2020-08-18": ("error", "still the text 'Redirecting to …' instead of a table"),
        "2020-08-26": ("error", "Wisconsin: 0 cases, 76,306 the day before"),
        "2020-09-14": ("error", "the rows of 2020-09-13 again, 2 of 56 states corrected"),
        "2020-09-23": ("error", "the rows of 2020-09-22 again, 1 of 56 states corrected"),
        "2020-09-29": ("error", "the rows of 2020-09-28 again, 1 of 56 states corrected"),
        "2020-10-07": ("error", "the rows of 2020-10-06 again, 1 of 56 states corrected"),
        "2020-10-14": ("error", "the rows of 2020-10-13 again, 1 of 56 states corrected"),
        "2021-01-21": ("error", "the rows of 2021-01-20 again, 1 of 56 states corrected"),
        "2021-04-09": ("error", "the rows of 2021-04-05 again, 1 of 56 states corrected"),
        "2021-01-28": ("change", "negative is null for California, Alaska and others"),
    },
    "hhs_hospital_utilization": {
        "2020-08-15T2331": ("error", "Iowa: adult_icu_bed_utilization 58.5, 0.7 before and after"),
        "2020-10-19T2334": ("error", "Indiana: 74 beds used, 1,402 before, 1,094 after"),
        "2021-01-22T2105": ("error", "Texas: hospital_onset_covid 33,214, 226 the day before"),
        "2021-04-13": ("error", "Texas: 33,122 children in hospitals, 97 before and after"),
        "2021-05-21": ("error", "geocoded_state is empty in all 53 rows"),
        "2021-07-26": ("error", "the rows of the previous day in another order"),
        "2021-09-08": ("error", "Hawaii: 1,681 of 231 intensive care beds used, 204 before"),
        "2022-04-28": ("change", "18 new columns, and geocoded_state has values again"),
        "2022-12-16": ("change", "Pennsylvania: 406 suspected cases of unknown age, 17 before"),
        "2022-12-19": ("error", "ten states have negative admissions, Delaware -18"),
        "2023-02-01": ("error", "the rows of the previous day in another order"),
    },
    "ca_fires": {
        "2021-01-19": ("error", "China Grade Fire is listed twice, with two identifiers"),
        "2021-04-23": ("error", "Wolves Fire: longitude -1191414610, its decimal point is lost"),
        "2021-06-20": ("error", "Cow Fire and Inyo Creek Fire: latitude and longitude are swapped"),
        "2022-03-27": ("error", "72 Fire: the name of a fire department instead of a link"),
        "2023-06-29": ("change", "the new feed lists 3 active fires, and not those of the year"),
        "2024-05-05": ("error", "the location of all fires is 'Unknown / TBD'"),
        "2024-05-25": ("error", "Holiday Fire: latitude 0 and longitude 0"),
        "2024-05-31": ("error", "Red Fire: latitude 0 and longitude 0"),
    },
}


def kind_of(dataset: str, key: str) -> HoldKind:
    """Return why a batch was held."""
    return _explain(dataset, key)[0]


def evidence_of(dataset: str, key: str) -> str:
    """Return what the rows of a held batch show."""
    return _explain(dataset, key)[1]


def _explain(dataset: str, key: str) -> tuple[HoldKind, str]:
    for day, explanation in _EXPLANATIONS.get(dataset, {}).items():
        if key.startswith(day):
            return explanation
    return "false", "no error is known"
