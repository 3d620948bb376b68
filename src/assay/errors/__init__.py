"""All exceptions that Assay raises.

Every exception derives from `AssayError`. Its `code` is stable and meant for programs. Its message
is meant for people and may change: it says what is wrong, what was expected and what to do.
"""

from assay.errors.base import AssayError, describe_value, did_you_mean, nearest
from assay.errors.checks import (
    ArgumentError,
    CheckError,
    InvalidValueError,
    SuiteError,
    UnknownMethodError,
    VerificationError,
    require_instance,
    require_name,
)
from assay.errors.columns import (
    AmbiguousColumnError,
    UnknownColumnError,
    UnknownTableError,
    WrongTypeError,
)
from assay.errors.environment import JavaNotFoundError, MissingDependencyError, SessionConflictError
from assay.errors.sources import LakeError, PatternIndexError, SourceError
from assay.errors.states import (
    KeySyntaxError,
    NotComputableError,
    StateError,
    StoreError,
    WatchError,
)

__all__ = [
    "AmbiguousColumnError",
    "ArgumentError",
    "AssayError",
    "CheckError",
    "InvalidValueError",
    "JavaNotFoundError",
    "KeySyntaxError",
    "LakeError",
    "MissingDependencyError",
    "NotComputableError",
    "PatternIndexError",
    "SessionConflictError",
    "SourceError",
    "StateError",
    "StoreError",
    "SuiteError",
    "UnknownColumnError",
    "UnknownMethodError",
    "UnknownTableError",
    "VerificationError",
    "WatchError",
    "WrongTypeError",
    "describe_value",
    "did_you_mean",
    "nearest",
    "require_instance",
    "require_name",
]

# tracebacks name the module that users import the errors from
for _error in list(globals().values()):
    if isinstance(_error, type) and issubclass(_error, AssayError):
        _error.__module__ = __name__
