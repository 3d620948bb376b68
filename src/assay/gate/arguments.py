"""Check the arguments of a gate, and refuse wrong ones in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from typing import Any

from assay.checks.check import Check
from assay.dataset.batch_keys import names_of
from assay.deprecation import warn_renamed
from assay.errors import CheckError
from assay.gate.spec import GateSpec
from assay.gate.verdict import Verdict
from assay.learn.patterns.index import PatternIndex
from assay.store.batch import Batch
from assay.store.protocol import Store
from assay.suite.settings import GateSettings
from assay.suite.suite import Suite

__all__ = ["OPTIONS", "batch_of", "spec_of"]

#: arguments of a gate that overrule the settings of its suite
OPTIONS = (
    "budget", "on_error", "closed", "season", "private", "patterns", "detector",
    "owner", "tags", "description",
)  # fmt: skip


def spec_of(
    dataset: str,
    store: Store,
    suite: object,
    options: Mapping[str, object],
    notify: Callable[[Verdict], None] | None = None,
) -> GateSpec:
    """Return the parts of a gate. Options that are not None replace the settings."""
    _require_dataset(dataset)
    _require_store(store)
    if isinstance(suite, Suite):
        checks, settings = suite.checks, suite.gate
    else:
        checks, settings = _checks_of(suite), GateSettings()
    chosen = {name: value for name, value in options.items() if value is not None}
    if "closed" in chosen:
        warn_renamed("Gate(closed=…)", "on_error=", stacklevel=5)
        chosen["on_error"] = "hold" if chosen.pop("closed") else "warn"
    for name in {"private", "tags"} & chosen.keys():
        chosen[name] = names_of(chosen[name])
    patterns = chosen.pop("patterns", None)
    if not isinstance(patterns, PatternIndex) and patterns is not None:
        chosen["patterns"] = str(patterns) if isinstance(patterns, PathLike) else patterns
    changes: dict[str, Any] = chosen
    return GateSpec(
        dataset=dataset,
        store=store,
        checks=checks,
        settings=replace(settings, **changes),
        index=patterns if isinstance(patterns, PatternIndex) else None,
        notify=notify,
    )


def _require_dataset(dataset: object) -> None:
    if not isinstance(dataset, str) or not dataset:
        raise CheckError(f"the name of a dataset must be text, such as 'orders', got {dataset!r}.")


def _require_store(store: object) -> None:
    if isinstance(store, str | PathLike):
        raise CheckError(
            f"a gate needs an open store, got the path {str(store)!r}."
            f" Write EmbeddedStore({str(store)!r})."
        )
    if not hasattr(store, "verdicts"):
        raise CheckError(f"a gate needs a store, such as MemoryStore(), got {store!r}.")


def _checks_of(suite: object) -> tuple[Check, ...]:
    if suite is None:
        return ()
    values = tuple(suite) if isinstance(suite, Iterable) else (suite,)
    checks = tuple(check for check in values if isinstance(check, Check))
    if len(checks) < len(values):
        raise CheckError(
            f"a gate takes a Suite or Checks, got {suite!r}. Suite.read(…) reads one from a file."
        )
    return checks


def batch_of(
    dataset: str,
    batch: str | Batch,
    time: datetime | None = None,
    tags: Mapping[str, str] | None = None,
) -> Batch:
    """Return the batch that is submitted. A `Batch` as its key is deprecated."""
    if not isinstance(batch, Batch):
        return Batch(dataset, batch, datetime.now(UTC) if time is None else time, tags=tags or {})
    warn_renamed("Gate.submit(df, Batch(…))", "Gate.submit(df, key, time=…, tags=…)", stacklevel=5)
    if batch.dataset != dataset:
        raise CheckError(
            f"batch {batch.key!r} belongs to dataset {batch.dataset!r}, but the gate is of"
            f" {dataset!r}."
        )
    return batch if time is None else replace(batch, time=time)
