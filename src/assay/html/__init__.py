"""The parts of HTML pages: escaped markup, the page, charts, and a table of columns.

Pages are one file that loads nothing else, and they are readable without scripts. `HtmlPage` is a
page as a value: `html` is the document, and `fragment` is the same content for a notebook.
`HasPage` gives a value that has a page its `to_html`.
"""

from assay.html.column_table import ColumnRow, column_table
from assay.html.has_page import HasPage
from assay.html.markup import Html, element, join
from assay.html.page import HtmlPage, Section, headline_strip

__all__ = [
    "ColumnRow",
    "HasPage",
    "Html",
    "HtmlPage",
    "Section",
    "column_table",
    "element",
    "headline_strip",
    "join",
]
