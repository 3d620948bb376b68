"""What was wrong, or other than before, in batches of the recurring data sets, as their rows show.

Beyond what their READMEs list: found because a gate held the batch, and then looked up in the file
itself and in those around it. An *error* is in the data; a *change* is how the source has been
from then on, of which somebody has to know.
"""

from __future__ import annotations

from typing import Literal

__all__ = ["Held", "evidence_of", "kind_of"]

Held = Literal["error", "change", "false"]

_KNOWN: dict[str, dict[str, tuple[Held, str]]] = {
    "nycflights13_daily": {
        "2013-07-27": ("error", "flight US 1632 goes from EWR to LGA, 17 miles, at 1:06 at night"),
    },
    "online_retail_by_day": {
        "2011-08-12": ("error", "two 'Adjust bad debt' of -11,062.06 each among the sales"),
    },
    "jhu_us_daily": {
        "2020-06-03": (
            "error",
            "Northern Mariana Islands: 16 deaths of 24 cases, before and after 2",
        ),
        "2021-03-14": ("error", "Puerto Rico: 0 tests, 407,299 on the days before and after"),
    },
    "jhu_global_daily": {
        "2020-03-10": ("change", "US counties are gone, and states are there instead"),
        "2020-04-12": ("change", "Active is 0 in 92 % of the rows before, and worked out since"),
        "2020-05-14": ("change", "Germany, Italy, Spain are 56 provinces and no longer a row each"),
        "2020-05-20": ("change", "Brazil, Mexico and others are 80 provinces more"),
        "2020-06-19": ("error", "Unassigned, Louisiana: 112 deaths of 3 cases, 3,733 %"),
        "2020-10-25": ("change", "the batch before is of 2020-07-15: the data set has a gap"),
        "2020-11-02": ("error", "Unknown, Colombia: -302,844 cases"),
    },
    "covid_tracking_states": {
        "2020-07-20": ("error", "California: 1,965,071,079 have recovered, of 391,538 cases"),
        "2020-08-12": ("error", "all 56 grades of data quality are empty"),
        "2020-08-18": ("error", "still the text 'Redirecting to …' in the place of a table"),
        "2020-08-26": ("error", "Wisconsin: 0 cases, 76,306 the day before"),
        "2021-01-28": ("change", "negative is withdrawn for California, Alaska and others"),
    },
    "hhs_hospital_utilization": {
        "2020-08-15T2331": ("error", "Iowa: adult_icu_bed_utilization 58.5, before and after .7"),
        "2020-10-19T2334": ("error", "Indiana: 74 beds used, 1,402 before and 1,094 after"),
        "2021-01-22T2105": ("error", "Texas: hospital_onset_covid 33,214, 226 the day before"),
        "2021-04-13": ("error", "Texas: 33,122 children in hospitals, before and after 97"),
        "2021-05-21": ("error", "geocoded_state is empty in all 53 rows"),
        "2021-07-26": ("error", "the rows of the day before, in another order"),
        "2021-09-08": ("error", "Hawaii: 1,681 of 231 intensive beds are taken, before 204"),
        "2022-04-28": ("change", "18 columns more, and geocoded_state is filled again"),
        "2022-12-16": ("change", "suspected cases of unknown age: 406 in Pennsylvania, 17 before"),
        "2022-12-19": ("error", "ten states have admitted fewer than no patients, Delaware -18"),
        "2023-02-01": ("error", "the rows of the day before, in another order"),
    },
    "ca_fires": {
        "2021-04-23": ("error", "Wolves Fire: longitude -1191414610, without its point"),
        "2021-06-20": ("error", "Cow Fire and Inyo Creek Fire: latitude and longitude are swapped"),
        "2022-03-27": ("error", "72 Fire: the name of a fire department in the place of a link"),
        "2024-05-25": ("error", "Holiday Fire: latitude 0 and longitude 0"),
    },
}


def kind_of(data_set: str, key: str) -> Held:
    """What it was that a batch was held for."""
    return _of(data_set, key)[0]


def evidence_of(data_set: str, key: str) -> str:
    """What its rows show."""
    return _of(data_set, key)[1]


def _of(data_set: str, key: str) -> tuple[Held, str]:
    found = (each for day, each in _KNOWN.get(data_set, {}).items() if key.startswith(day))
    return next(found, ("false", "nothing is known to be wrong"))
