"""Review policies: the decisions of a person about held batches in a backtest."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from assay.errors import CheckError, nearest
from assay.gate.verdict import Verdict
from assay.store.verdict import Decision

__all__ = ["Review", "ReviewPolicy", "review_of"]

#: returns whether a person would accept a held batch after all
Review = Callable[[Verdict], bool]


class ReviewPolicy(StrEnum):
    """The way in which a person decides about every held batch.

    *none* leaves them held. *release* accepts all of them. *reject-errors* accepts those without a
    failed check of level error. Later batches are judged with the accepted ones.
    """

    NONE = "none"
    RELEASE = "release"
    REJECT_ERRORS = "reject-errors"


def review_of(review: Review | str | None) -> Review:
    """Return the function of a policy.

    Raises
    ------
    CheckError
        If the policy is unknown.

    Examples
    --------
    >>> review_of("relase")
    Traceback (most recent call last):
    ...
    assay.errors.CheckError: unknown review 'relase': expected none, ...
    """
    if callable(review):
        return review
    name = ReviewPolicy.NONE if review is None else review
    if name not in tuple(ReviewPolicy):
        guess = nearest(str(name), list(ReviewPolicy))
        hint = f" Did you mean {str(guess)!r}?" if guess else ""
        raise CheckError(f"unknown review {name!r}: expected none, release or reject-errors.{hint}")
    return _REVIEWS[ReviewPolicy(name)]


def _breaks_no_check(verdict: Verdict) -> bool:
    return not any(
        finding.judge == "checks" and finding.level is Decision.HOLD for finding in verdict.alarms
    )


_REVIEWS: dict[ReviewPolicy, Review] = {
    ReviewPolicy.NONE: lambda _: False,
    ReviewPolicy.RELEASE: lambda _: True,
    ReviewPolicy.REJECT_ERRORS: _breaks_no_check,
}
