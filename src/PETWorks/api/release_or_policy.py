"""The first argument of the functions for Python users, a release or a policy, and warnings for the caller's line."""

import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError

if TYPE_CHECKING:
    from types import FrameType

    from PETWorks.gate.policy.policy import Policy

POLICY_SUFFIXES = (".yaml", ".yml")
PACKAGE = str(Path(__file__).parent.parent)


def is_release_or_policy(given: Any) -> bool:
    """Whether this is a release, a policy or the path of a policy file."""
    return isinstance(given, Release) or is_policy(given)


def is_policy(given: Any) -> "TypeGuard[Policy | str | os.PathLike[str]]":
    """Whether this is a policy or the path of a policy file."""
    if isinstance(given, str | os.PathLike):
        return str(given).lower().endswith(POLICY_SUFFIXES)
    if given is None or isinstance(given, Release):
        return False
    from PETWorks.gate.policy.policy import Policy

    return isinstance(given, Policy)


def open_policy(given: "Policy | str | os.PathLike[str]") -> "Policy":
    """The policy, read if its path is given."""
    from PETWorks.gate.policy.policy import read_policy

    return read_policy(Path(given)) if isinstance(given, str | os.PathLike) else given


def open_release(given: "Release | Policy | str | os.PathLike[str]") -> Release:
    """The release that is given, or the table of the policy."""
    if isinstance(given, Release):
        return given
    if not is_policy(given):
        raise not_a_release(given)
    return open_policy(given).release()


def not_a_release(given: Any) -> ParameterError:
    """The error for an argument that is neither a release nor a policy."""
    return ParameterError(
        "expected a Release(data, roles) or the path of a policy file, got {type}", type=type(given).__name__
    )


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warn of something; the warning points at the line outside of this package that called it."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
