"""Calls of version 0.1: arguments of the table instead of a `Release`. They warn, and the next version drops them."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from PETWorks.about.treatment import CAREFUL
from PETWorks.anonymizer.problem import ALL, complete_hierarchies
from PETWorks.api.opening import is_release_or_policy, not_a_release, warn_caller
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError
from PETWorks.gate.suggest.starter import SUPPRESSION

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

TABLE = ("data", "roles", "hierarchies")
# Keywords of the functions that became keywords of `Release`.
MOVED = (
    *("original", "population", "protect", "role_reasons", "no_privacy_unit", "privacy_unit"),
    *("suppressed", "missing", "several_sensitive", "sensitive_values"),
    *("engine", "memory_limit", "temp_folder"),
)


def accepts_earlier_call(
    *positional: str,
) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """A decorator that lets a function also take the arguments of version 0.1, of which these were positional.

    Such a call gives the same result as in that version: no hierarchy is proposed, and nothing is suppressed by
    default.
    """

    def wrap(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        @functools.wraps(function)
        def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
            if "release" in kwargs or (args and is_release_or_policy(args[0])) or not (args or "data" in kwargs):
                for name in (name for name in (*TABLE, *MOVED) if name in kwargs):
                    raise ParameterError("give {name} to Release(...)", name=name, what=name)
                return function(*args, **kwargs)
            given = _by_name(function.__name__, positional, args, kwargs)
            roles = given.get("roles")
            if isinstance(roles, Mapping) and any(isinstance(role, Mapping) for role in roles.values()):
                raise not_a_release(given["data"])  # these are rules: the call is a new one
            warn_caller(_advice(function.__name__, given), DeprecationWarning)
            table = {name: given.pop(name) for name in (*TABLE, *MOVED) if name in given}
            for name, choice in CAREFUL.items():
                table[name] = table.get(name) or choice
            release = Release(table.pop("data"), **table)
            if "levels" in positional:
                chosen = given.get("levels")
                levels = chosen if isinstance(chosen, Mapping) else {}
                complete_hierarchies(release, [name for name in release.quasi_identifiers if levels.get(name, 0) != 0])
            else:
                complete_hierarchies(release, release.quasi_identifiers)
                given.setdefault("suppression", 0.0)
                given.setdefault("may_lose", ALL)
            untyped: Any = function
            result: Returned = untyped(release, **given)
            return result

        return call

    return wrap


def _by_name(
    function: str, positional: tuple[str, ...], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments by name; raise as Python does if there are too many, or one twice."""
    if len(args) > len(positional):
        raise TypeError(f"{function}() takes at most {len(positional)} positional arguments, got {len(args)}")
    given = dict(zip(positional, args, strict=False))
    for name in kwargs:
        if name in given:
            raise TypeError(f"{function}() got multiple values for argument {name!r}")
    return {**given, **kwargs}


def _advice(function: str, given: Mapping[str, Any]) -> str:
    """The advice to write the call with a `Release`."""
    moved = [f"{name}=..." for name in MOVED if name in given]
    table = ", ".join([*(name for name in TABLE if name in given), *moved])
    others = ["levels"] * ("levels" in given and function == "apply_levels") + ["rules"] * ("rules" in given)
    options = ["..."] if set(given) - {*TABLE, *MOVED, *others} else []
    now = ", ".join([f"Release({table})", *others, *options])
    advice = f"{function}() takes a Release, and the next version will take nothing else: write {function}({now})"
    if function == "apply_levels" or "suppression" in given:
        return advice
    return f"{advice}; without suppression=..., it may then suppress {SUPPRESSION:.0%} of the records"
