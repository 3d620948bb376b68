"""The report that people open: one file of HTML, without scripts, that needs nothing else.

`gathered` reads from a store what a `report` shows, `result` does with what a verification came to.
`markup` makes elements, `page` the document in its `styles`; `findings`, `schema`, `cards` and
`rules` are its sections, `sparkline` and `distribution` the pictures. `room` keeps it small,
`privacy` keeps values of private columns out.
"""

from assay.report.html.load_report import report_of
from assay.report.html.report import Report
from assay.report.html.result import result_html

__all__ = ["Report", "report_of", "result_html"]
