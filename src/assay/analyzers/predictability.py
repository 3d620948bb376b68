"""Predictability: how well a column's values follow from those of other columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import check_choice, check_positive
from assay.analyzers.analyzer import COLUMN, COLUMNS, Analyzer
from assay.analyzers.custom import Opaque
from assay.analyzers.features import has_words
from assay.analyzers.frequencies import Grouping, GroupKey
from assay.analyzers.hashing import hashed, key_of, label_of
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.naive_bayes import NaiveBayes
from assay.analyzers.schema import GROUPABLE, Column, Schema
from assay.analyzers.scores import SCORES
from assay.errors import NotComputableError

__all__ = ["Fit", "ModelAnalyzer", "Predictability", "PredictabilityWith", "Task"]

_TOO_FEW = Undefined("there are too few rows to learn from some and predict others")


@dataclass(frozen=True)
class Task:
    """What is to be predicted from what; the keys are the hash of the target, and texts."""

    grouping: Grouping
    #: which of the inputs have words
    words: tuple[bool, ...]
    buckets: int
    sample: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The top-level columns that are read."""
        return self.grouping.columns

    def __str__(self) -> str:
        target, *inputs = (key.name for key in self.grouping.keys)
        where = f" where {self.grouping.where}" if self.grouping.where else ""
        return f"{target} from {', '.join(inputs)}{where}"


@dataclass(frozen=True)
class Fit(Task):
    """The same by a classifier of the user's; `label` is the target as text."""

    label: str = ""
    classifier: Any = field(default=None, hash=False, repr=False)

    def __str__(self) -> str:
        return f"{super().__str__()}, by {type(self.classifier).__name__}"


@dataclass(frozen=True)
class ModelAnalyzer(Analyzer):
    """An analyzer that asks how well a model predicts one column from others.

    Rows without a value of the target do not count. An input without a value is a value of its own.
    """

    abstract: ClassVar[bool] = True

    target: str = field(metadata=COLUMN)
    inputs: Sequence[str] | str = field(metadata=COLUMNS)

    @abstractmethod
    def task(self, schema: Schema) -> Task:
        """What the model has to do; equal tasks are done once."""

    def check(self, schema: Schema) -> None:
        """Raise the reason why this cannot be measured on such a table, if there is one."""
        self.task(schema)

    def _columns(self, schema: Schema) -> tuple[Column, tuple[Column, ...]]:
        asked = type(self).__name__
        target = schema.column(self.target).require(GROUPABLE, asked)
        inputs = {column.sql: column for column in map(schema.column, self.inputs)}
        if not inputs:
            raise ValueError(f"{asked} needs at least one column to predict {self.target!r} from")
        for column in inputs.values():
            column.require(GROUPABLE, asked)
            if f"{target.sql}.".startswith(f"{column.sql}."):
                raise NotComputableError.predicts_itself(target.name, column.name)
        return target, tuple(inputs.values())

    def _grouping(self, schema: Schema) -> tuple[Grouping, tuple[bool, ...]]:
        target, inputs = self._columns(schema)
        label = GroupKey(target.name, hashed(target), "{}", target.root)
        keys = (GroupKey(each.name, _text(each), "{}", each.root) for each in inputs)
        where = self.on(schema).where
        return Grouping((label, *keys), where), tuple(map(has_words, inputs))


@dataclass(frozen=True)
class Predictability(ModelAnalyzer):
    """How well naive Bayes predicts a column from others (deequ-vldb18, 3.1, 3.2 and 4).

    Each row is predicted by a multinomial naive Bayes model of all *other* rows, trained on the
    hashed values and words of the inputs (`assay.analyzers.leave_one_out` has the formula). The
    metric is one `score` of these predictions, weighted by how often each value occurs: *f1*,
    *precision* or *recall* (which is the share of rows that are predicted rightly). A value that
    only one row has cannot be predicted, and counts as wrong; a constant is predicted perfectly.

    All rows are learnt from. Up to `sample` different combinations of values are predicted, with
    all rows that have them, so that the score of few combinations is exact; of more, it is
    estimated from those with the least hashes. Features fall into `buckets`: fewer make a smaller
    state, in which more of them are taken for each other.
    """

    exposes_values: ClassVar[bool] = False

    score: str = "f1"
    sample: int = 4096
    buckets: int = 2**18

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("score", self.score, SCORES)
        check_positive("sample", self.sample)
        check_positive("buckets", self.buckets)

    def task(self, schema: Schema) -> Task:
        """The counts and the sample."""
        grouping, words = self._grouping(schema)
        return Task(grouping, words, self.buckets, self.sample)

    def metric(self, state: NaiveBayes) -> Value | Undefined:
        """The score."""
        return state.score(self.score)


@dataclass(frozen=True)
class PredictabilityWith(ModelAnalyzer):
    """How well a classifier of your own predicts a column from others (deequ-vldb18, section 4).

    `classifier` is an estimator of Spark ML, or one of scikit-learn's kind (``fit(X, y)``,
    ``predict(X)``); `name` is what it is called in stores. It learns from about four fifths of the
    rows and predicts the others; a hash of the whole row decides. Its features are the values and
    words of the inputs, hashed into a vector of so many `buckets`. Spark ML sees all rows, in the
    columns *features* and *label* (and *names*, the features as texts). What is of scikit-learn's
    kind sees `rows` at most, those with the least hashes, brought to the driver as a matrix.

    It is not incremental: what was learnt from two parts does not make one, and there are no
    segments.
    """

    exposes_values: ClassVar[bool] = False
    incremental: ClassVar[bool] = False

    name: str = "classifier"
    score: str = "f1"
    rows: int = 10_000
    buckets: int = 2048
    classifier: Any = field(default=None, repr=False, hash=False, metadata={"callable": True})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("score", self.score, SCORES)
        check_positive("rows", self.rows)
        check_positive("buckets", self.buckets)

    def task(self, schema: Schema) -> Fit:
        """The fit."""
        if not hasattr(self.classifier, "fit"):
            raise ValueError(f"{self.key} has no classifier to fit, but {self.classifier!r}")
        grouping, words = self._grouping(schema)
        target, _ = self._columns(schema)
        label = label_of(key_of(target), target)
        return Fit(grouping, words, self.buckets, self.rows, label, self.classifier)

    def metric(self, state: Opaque) -> Value | Undefined:
        """The score."""
        found = state.value
        return _TOO_FEW if found is None else float(found[self.score])


def _text(column: Column) -> str:
    """A value as text, in which what is equal to SQL is mostly equal."""
    return column.plain if column.family == "string" else label_of(key_of(column), column)
