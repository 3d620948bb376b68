"""HTML reports: one file without scripts that loads nothing else.

- `load_report` reads from a store what a report shows; `report` holds it and creates the page.
- `result_page` is the page of a result of `verify`.
- `sections` is the registry of sections; `findings`, `schema_changes`, `column_cards` and
  `limits_table` are its content, `sparkline` and `distribution` the pictures.
- `markup` escapes text, `page` lays the document out, `size_budget` keeps it small, and `privacy`
  withholds values of private columns.
"""

from assay.report.html.load_report import report_of
from assay.report.html.report import Report
from assay.report.html.result_page import result_html

__all__ = ["Report", "report_of", "result_html"]
