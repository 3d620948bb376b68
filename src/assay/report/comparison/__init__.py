"""Compare tables without a store: `compare` and its result, in words, as JSON and as HTML."""

from assay.report.comparison.compare import compare
from assay.report.comparison.table_comparison import TableComparison

__all__ = ["TableComparison", "compare"]
