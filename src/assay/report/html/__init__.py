"""HTML reports: one file that loads nothing else, and is readable without scripts.

- `load_report` reads from a store what a report shows; `report` holds it and creates the page.
- `sections` is the registry of sections. `overview` is the table of all columns, `problems` has a
  card for each problem, and `column_details`, `schema_changes` and `limits_table` are folded.
- `distribution` compares a column now and before, and `privacy` withholds values of private
  columns. The package `assay.html` has the markup, the page and the charts.
"""

from assay.checks.result_page import result_html
from assay.report.html.load_report import report_of
from assay.report.html.report import Report

__all__ = ["Report", "report_of", "result_html"]
