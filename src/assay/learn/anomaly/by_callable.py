"""Use a Python function as an anomaly detector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime

from assay.checks.assertions.expectation import Expectation, NotEnough, Point
from assay.checks.formatting import one_line
from assay.errors import CheckError, InvalidValueError

__all__ = ["ByCallable"]

Answer = Expectation | NotEnough | tuple[float, float]


@dataclass(frozen=True)
class ByCallable:
    """Call a function with the history and the time, and expect the range that it returns.

    The function returns ``(low, high)``, an `Expectation` or `NotEnough`. A pair gets the
    `confidence` of this detector.
    """

    function: Callable[[Sequence[Point], datetime], Answer]
    _: KW_ONLY
    confidence: float = 1.0

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidValueError.unexpected("invalid function", "a function", self.function)
        if not 0 <= self.confidence <= 1:
            raise InvalidValueError.unexpected(
                "invalid confidence", "a number from 0 to 1", self.confidence
            )

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """Return the function's range. Raise `CheckError` if the function fails."""
        try:
            answer = self.function(history, time)
            if isinstance(answer, Expectation | NotEnough):
                return answer
            low, high = answer
            return Expectation(float(low), float(high), self.confidence, f"as {self._name} says")
        except Exception as error:
            error_text = one_line(f"{type(error).__name__}: {error}").rstrip(".")
            raise CheckError(
                f"the detector {self._name} gave no range for {time:%Y-%m-%d %H:%M}: {error_text}."
            ) from error

    @property
    def _name(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return "function" if name == "<lambda>" else name
