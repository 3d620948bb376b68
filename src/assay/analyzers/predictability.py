"""Predictability: how well other columns predict the values of a column."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import check_choice, check_positive
from assay.analyzers.analyzer import COLUMN, COLUMNS, Analyzer
from assay.analyzers.custom import Opaque
from assay.analyzers.frequencies import Grouping, GroupKey
from assay.analyzers.hashing import hashed, key_of, label_of
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.model_features import has_words
from assay.analyzers.naive_bayes import NaiveBayes
from assay.analyzers.prediction_scores import SCORES
from assay.analyzers.schema import GROUPABLE, Column, Schema
from assay.errors import InvalidValueError, NotComputableError

__all__ = ["Fit", "ModelAnalyzer", "Predictability", "PredictabilityWith", "Task"]

_TOO_FEW = Undefined("there are too few rows to train and to evaluate a classifier")


@dataclass(frozen=True)
class Task:
    """A prediction task. The first key is the hash of the target, the others are input texts.

    `words` says which of the inputs have words.
    """

    grouping: Grouping
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
    """A prediction task for a classifier that the user supplies; `label` is SQL for the target."""

    label: str = ""
    classifier: Any = field(default=None, hash=False, repr=False)

    def __str__(self) -> str:
        return f"{super().__str__()}, by {type(self.classifier).__name__}"


@dataclass(frozen=True)
class ModelAnalyzer(Analyzer):
    """The base class of analyzers that score how well a model predicts one column from others.

    Rows without a target do not count. A missing input is a value of its own.
    """

    abstract: ClassVar[bool] = True

    target: str = field(metadata=COLUMN)
    inputs: Sequence[str] | str = field(metadata=COLUMNS)

    @abstractmethod
    def task(self, schema: Schema) -> Task:
        """Return the prediction task; equal tasks are done once."""

    def check(self, schema: Schema) -> None:
        """Raise an error if the analyzer cannot be measured on a table of this schema."""
        self.task(schema)

    def _columns(self, schema: Schema) -> tuple[Column, tuple[Column, ...]]:
        name = type(self).__name__
        target = schema.column(self.target).require(GROUPABLE, name)
        inputs = {column.sql: column for column in map(schema.column, self.inputs)}
        if not inputs:
            raise InvalidValueError.unexpected(
                f"invalid inputs of {name}", "at least one column besides the target", self.inputs
            )
        for column in inputs.values():
            column.require(GROUPABLE, name)
            if f"{target.sql}.".startswith(f"{column.sql}."):
                raise NotComputableError.predicts_itself(target.name, column.name)
        return target, tuple(inputs.values())

    def _grouping(self, schema: Schema) -> tuple[Grouping, tuple[bool, ...]]:
        target, inputs = self._columns(schema)
        label = GroupKey(target.name, hashed(target), "{}", target.root)
        keys = (GroupKey(column.name, _text(column), "{}", column.root) for column in inputs)
        where = self.on(schema).where
        return Grouping((label, *keys), where), tuple(map(has_words, inputs))


@dataclass(frozen=True)
class Predictability(ModelAnalyzer):
    """Measure how well naive Bayes predicts one column from others.

    Parameters
    ----------
    target
        Name of the column to predict.
    inputs
        Names of the columns to predict it from.
    score
        ``"f1"``, ``"precision"`` or ``"recall"``, weighted by how often each value occurs. Recall
        is the share of rows that are predicted correctly.
    sample
        The largest number of distinct rows that are predicted. With fewer distinct rows, the score
        is exact. Otherwise it is estimated from those with the smallest hashes.
    buckets
        The number of buckets that features are hashed into. Fewer buckets make a smaller state with
        more collisions.

    Notes
    -----
    Each row is predicted by a multinomial naive Bayes model of all *other* rows (deequ-vldb18,
    sections 3.1, 3.2 and 4). Features are the hashed values and words of the inputs;
    `assay.analyzers.leave_one_out` has the formula. Rows without a target do not count, and an
    input without a value is a value. A target that occurs once cannot be predicted and counts as
    wrong. Undefined without values.

    Examples
    --------
    >>> Predictability("country", ["city"]).key
    'Predictability(country, city)'
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
        """Return the task of counting and sampling."""
        grouping, words = self._grouping(schema)
        return Task(grouping, words, self.buckets, self.sample)

    def metric(self, state: NaiveBayes) -> Value | Undefined:
        """Return the score."""
        return state.score(self.score)


@dataclass(frozen=True)
class PredictabilityWith(ModelAnalyzer):
    """Measure how well a classifier of your own predicts one column from others.

    Parameters
    ----------
    target
        Name of the column to predict.
    inputs
        Names of the columns to predict it from.
    name
        The name of the classifier in stores.
    score
        ``"f1"``, ``"precision"`` or ``"recall"``, weighted by how often each value occurs.
    rows
        The largest number of rows that a classifier outside Spark gets: those with the smallest
        hashes.
    buckets
        The length of the vector that features are hashed into.
    classifier
        An estimator of Spark ML, or an object with ``fit(X, y)`` and ``predict(X)`` as in
        scikit-learn. Spark ML gets all rows, in the columns *features* and *label*, and the
        features as texts in *names*.

    Notes
    -----
    The classifier learns from about four fifths of the rows and predicts the others; a hash of the
    whole row decides (deequ-vldb18, section 4). States cannot be merged, and segments are not
    supported. Undefined if there are too few rows.
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
        """Return the task of training and evaluating."""
        if not hasattr(self.classifier, "fit"):
            raise InvalidValueError.unexpected(
                f"invalid classifier of {self.key}", "an object with a method fit", self.classifier
            )
        grouping, words = self._grouping(schema)
        target, _ = self._columns(schema)
        label = label_of(key_of(target), target)
        return Fit(grouping, words, self.buckets, self.rows, label, self.classifier)

    def metric(self, state: Opaque) -> Value | Undefined:
        """Return the score."""
        scores = state.value
        return _TOO_FEW if scores is None else float(scores[self.score])


def _text(column: Column) -> str:
    """Return SQL for a value as text; values that are equal in SQL mostly have equal texts."""
    return column.plain if column.family == "string" else label_of(key_of(column), column)
