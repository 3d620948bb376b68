"""The causes that are the right reason for each incident of the recurring data sets.

They follow from the text of the README of each data set, not from what the gate printed. Each
incident has the codes of all causes that agree with that text (`assay.gate.causes.cause`). If the
README names the columns, a cause must also be about one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.gate.causes.cause import CauseCode
from assay.gate.problem import Problem

__all__ = ["EXPECTED_CAUSES", "ExpectedCause", "expected_cause"]


@dataclass(frozen=True)
class ExpectedCause:
    """The codes that are right for an incident, and the columns that the README names."""

    codes: frozenset[str]
    columns: frozenset[str] = frozenset()

    def agrees_with(self, problem: Problem) -> bool:
        """Return whether a problem has one of the codes, and one of the columns."""
        names_column = not self.columns or bool(self.columns & set(problem.columns))
        return problem.cause_code in self.codes and names_column


def _expect(codes: str, columns: str = "") -> ExpectedCause:
    names = frozenset(CauseCode(code).value for code in codes.split())
    return ExpectedCause(names, frozenset(filter(None, columns.split(","))))


_NEW_COLUMNS = _expect("column_new")
_RENAMED = _expect("column_renamed")
_CHANGED_COLUMNS = _expect("column_new column_gone column_renamed")
_DIALECT = _expect("dialect_changed")
#: a byte-order mark that comes or goes, on a day with new columns
_DIALECT_OR_NEW_COLUMNS = _expect("dialect_changed column_new")
_DATE_FORMAT = _expect("format_changed type_changed pattern_broken", "Last Update,Last_Update")
_NOT_A_TABLE = _expect("unreadable other_table")
_EMPTY_FILE = _expect("unreadable no_rows")

#: for each data set, the expected cause by the beginning of the batch key
EXPECTED_CAUSES: Mapping[str, Mapping[str, ExpectedCause]] = {
    "ourairports_regions": {
        # `keywords` goes from 88 % to 1 % empty: filled with "Airports in X"
        "2022-06-24": _expect("nulls_fell values_new", "keywords"),
        # header only, no rows
        "2025-01-31": _expect("no_rows"),
    },
    "jhu_us_daily": {
        # go from 36 % to 100 % null
        "2020-08-28": _expect(
            "nulls_rose nulls_together", "People_Hospitalized,Hospitalization_Rate"
        ),
        "2020-11-09": _RENAMED,
        # go to 100 % null
        "2021-03-07": _expect("nulls_rose nulls_together", "Recovered,Active"),
    },
    "jhu_global_daily": {
        "2020-03-01": _NEW_COLUMNS,
        # renamed and new columns, 300 rows become 3,400, and another format of dates
        "2020-03-22": _expect("column_renamed column_new row_count format_changed"),
        "2020-05-29": _NEW_COLUMNS,
        "2020-11-09": _RENAMED,
        **dict.fromkeys(
            (
                *("2020-01-23", "2020-01-31", "2020-02-02", "2020-03-23", "2020-03-28"),
                *("2020-03-31", "2020-04-02", "2020-04-04", "2020-04-06"),
            ),
            _DATE_FORMAT,
        ),
    },
    "covid_tracking_states": {
        # the body is the text "Redirecting to …"
        "2020-08-17": _NOT_A_TABLE,
        **dict.fromkeys(
            (
                *("2020-03-11", "2020-03-12", "2020-03-20", "2020-03-21", "2020-03-26"),
                *("2020-03-27", "2020-03-30", "2020-04-02", "2020-04-24", "2020-06-10"),
                *("2020-07-08", "2020-08-14", "2020-08-25", "2020-09-18", "2020-10-05"),
                *("2020-10-16", "2021-02-15", "2021-02-23"),
            ),
            _CHANGED_COLUMNS,
        ),
        # the order of the columns too
        "2020-06-02": _expect("column_new column_gone column_renamed column_order"),
        # the values are frozen
        "2021-03-16": _expect("redelivered dates_stale"),
    },
    "hhs_hospital_utilization": {
        # a page "Site Currently Unavailable" instead of a table
        "2022-11-19": _NOT_A_TABLE,
        "2022-12-10": _NOT_A_TABLE,
        # separated by tabs instead of commas; the byte-order mark goes as well
        "2020-08-02T2335": _DIALECT,
        # 6 columns "deprecated_*" instead of 60
        "2020-11-22T1834": _expect("column_gone column_new other_table"),
        **dict.fromkeys(("2020-07-20T2009", "2020-07-31", "2020-08-01", "2020-08-03"), _DIALECT),
        **dict.fromkeys(
            ("2020-07-30T0129", "2020-07-30T2341", "2021-04-03"), _DIALECT_OR_NEW_COLUMNS
        ),
    },
    "ca_fires": {
        # one field added
        "2021-09-02": _NEW_COLUMNS,
        "2023-07-12": _NEW_COLUMNS,
        "2023-03-04": _EMPTY_FILE,
        "2024-07-28": _EMPTY_FILE,
        # a different schema under a new name
        "2023-06-28": _expect("other_table column_gone column_new column_renamed"),
    },
}


def expected_cause(dataset: str, key: str) -> ExpectedCause | None:
    """Return the right reason for a batch; None if the README lists no incident for it."""
    for beginning, cause in EXPECTED_CAUSES.get(dataset, {}).items():
        if key.startswith(beginning):
            return cause
    return None
