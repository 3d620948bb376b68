"""Names for authors of extensions, in one place. ``docs/extending.md`` shows how to use them.

Names are imported at their first use, so that an extension loads only the part that it extends.

>>> from assay.extending import FileHead
>>> FileHead(b"Obj\\x01").content
b'Obj\\x01'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.analyzers.aggregate_expr import count_of, rows
    from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
    from assay.analyzers.counting import Ratio
    from assay.analyzers.state import Invertible, State
    from assay.checks.assertions.expectation import Expectation, NotEnough, Point
    from assay.checks.codegen.constraint_call import ConstraintCall
    from assay.gate.context import BatchContext
    from assay.gate.finding import Finding
    from assay.gate.judges.registry import Judge, register_judge
    from assay.gate.measured_batch import MeasuredBatch
    from assay.html.markup import element
    from assay.io.file_format import FileDescription, FileFormat, FileHead, ReadOptions
    from assay.io.load_request import LoadRequest
    from assay.learn.fingerprint.metrics import BatchMetric, register, unregister
    from assay.learn.suggest.suggestion import Suggestion
    from assay.report.notify.notice import Notice
    from assay.store.protocol import Store
    from assay.store.verdict import Decision

__all__ = [
    "COLUMN",
    "BatchContext",
    "BatchMetric",
    "ConstraintCall",
    "Decision",
    "Expectation",
    "FileDescription",
    "FileFormat",
    "FileHead",
    "Finding",
    "Invertible",
    "Judge",
    "LoadRequest",
    "MeasuredBatch",
    "NotEnough",
    "Notice",
    "Point",
    "Ratio",
    "ReadOptions",
    "ScanAnalyzer",
    "State",
    "Store",
    "Suggestion",
    "count_of",
    "element",
    "register",
    "register_judge",
    "rows",
    "unregister",
]

_HOMES = {
    "assay.analyzers.aggregate_expr": "count_of rows",
    "assay.analyzers.analyzer": "COLUMN ScanAnalyzer",
    "assay.analyzers.counting": "Ratio",
    "assay.analyzers.state": "Invertible State",
    "assay.checks.assertions.expectation": "Expectation NotEnough Point",
    "assay.checks.codegen.constraint_call": "ConstraintCall",
    "assay.gate.context": "BatchContext",
    "assay.gate.finding": "Finding",
    "assay.gate.judges.registry": "Judge register_judge",
    "assay.gate.measured_batch": "MeasuredBatch",
    "assay.io.file_format": "FileDescription FileFormat FileHead ReadOptions",
    "assay.io.load_request": "LoadRequest",
    "assay.learn.fingerprint.metrics": "BatchMetric register unregister",
    "assay.learn.suggest.suggestion": "Suggestion",
    "assay.html.markup": "element",
    "assay.report.notify.notice": "Notice",
    "assay.store.protocol": "Store",
    "assay.store.verdict": "Decision",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
