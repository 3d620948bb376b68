"""Show results and verdicts to people: terminal, HTML pages, JUnit files, notifications.

Names are imported at their first use, since the HTML report needs numpy and the others do not.
`assay.report.notify` sends messages.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.report.html import Report, report_of, result_html
    from assay.report.junit import to_junit, verdict_junit

__all__ = [
    "Report",
    "report_of",
    "result_html",
    "to_junit",
    "verdict_junit",
]

_HOMES = {
    "assay.report.html": "Report report_of result_html",
    "assay.report.junit": "to_junit verdict_junit",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
