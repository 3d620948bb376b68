"""Check the arguments of a gate, and refuse wrong ones in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from os import PathLike
from typing import Any, Literal

from assay.checks.check import Check
from assay.dataset.batch_keys import names_of
from assay.deprecation import warn_renamed
from assay.errors import CheckError, nearest, require_name
from assay.gate.judges.registry import all_judges
from assay.gate.spec import GateSpec
from assay.gate.verdict import Verdict
from assay.learn.fingerprint import metrics
from assay.learn.patterns.index import PatternIndex
from assay.store.batch import Batch
from assay.store.protocol import Store
from assay.suite.settings import LISTS, DetectorSettings, GateSettings, budget_text
from assay.suite.suite import Suite

__all__ = ["GateArguments", "batch_of", "spec_of"]


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class GateArguments:
    """The arguments of a gate that overrule the settings of its suite."""

    budget: str | None = None
    share_false: float | None = None
    on_error: Literal["hold", "warn"] | None = None
    season: int | None = None
    private: str | Iterable[str] | None = None
    judges: str | Iterable[str] | None = None
    columns: str | Iterable[str] | None = None
    exclude: str | Iterable[str] | None = None
    metrics: str | Iterable[str] | None = None
    by: str | None = None
    patterns: PatternIndex | str | PathLike[str] | None = None
    detector: str | DetectorSettings | None = None
    owner: str | None = None
    tags: str | Iterable[str] | None = None
    description: str | None = None
    closed: bool | None = None

    @property
    def options(self) -> dict[str, object]:
        """The arguments by name."""
        return {field.name: getattr(self, field.name) for field in fields(GateArguments)}


def spec_of(
    dataset: str,
    store: Store,
    suite: object,
    options: Mapping[str, object],
    notify: Callable[[Verdict], None] | None = None,
) -> GateSpec:
    """Return the parts of a gate. Options that are not None replace the settings."""
    require_name(dataset, "dataset")
    _require_store(store)
    if isinstance(suite, Suite):
        checks, settings = suite.checks, suite.gate
    else:
        checks, settings = _checks_of(suite), GateSettings()
    chosen = {name: value for name, value in options.items() if value is not None}
    if "closed" in chosen:
        warn_renamed("Gate(closed=…)", "on_error=", stacklevel=5)
        chosen["on_error"] = "hold" if chosen.pop("closed") else "warn"
    if "budget" in chosen:
        chosen["budget"] = budget_text(chosen["budget"], stacklevel=6)
    for name in set(LISTS) & chosen.keys():
        chosen[name] = names_of(chosen[name])
    patterns = chosen.pop("patterns", None)
    if not isinstance(patterns, PatternIndex) and patterns is not None:
        chosen["patterns"] = str(patterns) if isinstance(patterns, PathLike) else patterns
    changes: dict[str, Any] = chosen
    settings = replace(settings, **changes)
    _require_known_names(settings)
    return GateSpec(
        dataset=dataset,
        store=store,
        checks=checks,
        settings=settings,
        index=patterns if isinstance(patterns, PatternIndex) else None,
        notify=notify,
    )


def _require_store(store: object) -> None:
    if not hasattr(store, "verdicts"):
        is_path = isinstance(store, str | PathLike)
        remedy = f"Write EmbeddedStore({str(store)!r})." if is_path else ""
        expected = "an open store, such as MemoryStore()"
        raise CheckError.unexpected("invalid store of a gate", expected, store, remedy)


def _require_known_names(settings: GateSettings) -> None:
    names = [judge.name for judge in all_judges()]
    for name in settings.judges:
        if name not in names:
            likely = nearest(name, names)
            hint = f"Did you mean {likely!r}?" if likely else f"The judges are: {', '.join(names)}."
            raise CheckError(f"unknown judge {name!r}. {hint}")
    for name in settings.metrics:
        metrics.get(name)


def _checks_of(suite: object) -> tuple[Check, ...]:
    if suite is None:
        return ()
    values = tuple(suite) if isinstance(suite, Iterable) else (suite,)
    checks = tuple(check for check in values if isinstance(check, Check))
    if len(checks) < len(values):
        remedy = "Suite.read(…) reads one from a file."
        raise CheckError.unexpected("invalid suite of a gate", "a Suite or Checks", suite, remedy)
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
