"""Load extensions that other packages declare as entry points.

A package adds an extension, such as a judge, a detector or a file format, with one line in its
``pyproject.toml``. The line stands under a group, such as
``[project.entry-points."assay.judges"]``. `GROUPS` lists the groups.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from assay.errors import AssayError

__all__ = ["GROUPS", "PluginError", "load_plugins"]

#: Each group of entry points, and the object that an entry point must name.
GROUPS = {
    "assay.analyzers": "a subclass of assay.analyzers.analyzer.Analyzer",
    "assay.detectors": "a subclass of assay.checks.assertions.expectation.Detector",
    "assay.formats": "an instance of assay.io.file_format.FileFormat",
    "assay.judges": "an instance of assay.gate.judges.registry.Judge",
    "assay.metrics": "an assay.learn.fingerprint.metrics.BatchMetric, or a sequence of them",
    "assay.notifiers": "a subclass of assay.report.notify.Notifier",
    "assay.report_sections": "a function from an assay.report.html.Report to HTML",
    "assay.stores": "a function from a URL to a store",
    "assay.suggestion_rules": "a function from a profile to suggested constraints",
}


class PluginError(AssayError):
    """An extension of another package cannot be imported."""

    code = "plugin_failed"


@cache
def load_plugins(group: str) -> tuple[tuple[str, Any], ...]:
    """Import the extensions of a group once.

    Parameters
    ----------
    group
        One of `GROUPS`.

    Returns
    -------
    tuple of (str, object)
        The name and the object of each entry point, sorted by name.

    Raises
    ------
    PluginError
        If an entry point cannot be imported.

    Examples
    --------
    >>> load_plugins("assay.judges")
    ()
    """
    loaded = []
    for entry_point in sorted(entry_points(group=group), key=lambda entry: entry.name):
        try:
            loaded.append((entry_point.name, entry_point.load()))
        except Exception as error:  # importing another package's code can raise anything
            raise PluginError(
                f"the extension {entry_point.name!r} ({entry_point.value}) cannot be imported:"
                f" {type(error).__name__}: {error}. Fix or uninstall its package."
            ) from error
    return tuple(loaded)
