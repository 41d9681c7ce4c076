"""Checks of the sizes of subsets to attack with, and of the limits on the risk of such attacks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import comb
from numbers import Integral
from typing import Any

import numpy as np

from PETWorks.counting.release import Release
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.errors import Hint, InputError, NotApplicable, ParameterError, Phrase, RoleError, quoted
from PETWorks.measures.parameters import Number

MAX_WORK = 1 << 41  # records times subsets: a few hours on two cores
MAX_COLUMNS = 60  # a subset is stored as the bits of an integer
MAX_SUBSETS = (1 << 20) - 1

Sizes = str | int | Iterable[int]


def known_columns(release: Release | View) -> tuple[str, ...]:
    """The quasi-identifiers whose subsets are to be counted; raise if there are none, or there is a privacy unit."""
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    if release.privacy_unit is not None:
        raise ParameterError(
            "subsets of the quasi-identifiers are counted in records; omit the privacy unit", what="privacy_unit"
        )
    return release.quasi_identifiers


def parse_sizes(sizes: Sizes, most: int) -> tuple[int, ...]:
    """Parse sizes of subsets, given as 'all', a number, a text like '1-3,5' or several numbers; ascending."""
    if isinstance(sizes, str):
        wanted = set(range(1, most + 1)) if sizes.strip() == "all" else _parse_sizes(sizes)
    else:
        items = sizes if isinstance(sizes, Iterable) else [sizes]
        wanted = {int(size) if isinstance(size, Integral) and not isinstance(size, bool) else 0 for size in items}
    if not wanted or not all(1 <= size <= most for size in wanted):
        raise ParameterError(
            "expected sizes of subsets as 'all', '2', '1-3' or '1,3', within 1-{most}; got {sizes!r}",
            most=most,
            sizes=sizes,
            what="sizes",
        )
    return tuple(sorted(wanted))


def _parse_sizes(text: str) -> set[int]:
    """The sizes in a text like '1-3,5'; 0 stands for any part that is malformed."""
    wanted: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})\s*(?:-\s*(\d{1,3})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        wanted |= set(range(first, last + 1)) or {0}
    return wanted


def count_feasible_subsets(sizes: Sequence[int], columns: int, records: int) -> int:
    """The number of subsets of these sizes; raise if they are too many to count."""
    if columns > MAX_COLUMNS:
        raise InputError(
            "{columns} quasi-identifiers are too many to count their subsets; at most {most} are allowed",
            columns=columns,
            most=MAX_COLUMNS,
        )
    total = sum(comb(columns, size) for size in sizes)
    if total > MAX_SUBSETS or total * records > MAX_WORK:
        most = min(MAX_SUBSETS, MAX_WORK // records)
        totals = np.cumsum([comb(columns, size) for size in range(1, columns + 1)], dtype=object)
        upto = sum(number <= most for number in totals)
        instead = Phrase("ask for fewer quasi-identifiers")
        if upto:
            instead = Phrase("ask for fewer, as 1-{size}: {subsets:,} subsets", size=upto, subsets=totals[upto - 1])
        raise InputError(
            "{columns} quasi-identifiers have {total:,} subsets of these sizes, more than "
            "can be counted in {records:,} records (at most {most:,}); {instead}",
            columns=columns,
            total=total,
            records=records,
            most=most,
            instead=instead,
        )
    return total


LIMITS = ("highest-risk", "average-risk", "uniques", "inference")


def check_limits(limits: Mapping[str, Any], sensitive: Iterable[str], worth: Iterable[str] = ()) -> dict[str, float]:
    """Check limits and return them as numbers; inference needs a sensitive attribute, gain a worth."""
    columns, worths = list(sensitive), list(worth)
    share, gain = Number(at_least=0, at_most=1), Number(at_least=0)
    rules = dict.fromkeys([*LIMITS, *(f"inference:{column}" for column in columns)], share)
    rules |= dict.fromkeys(["gain", *(f"gain:{column}" for column in worths)] if worths else [], gain)
    checked: dict[str, float] = {}
    for limit, value in limits.items():
        if limit.partition(":")[0] == "gain" and not worths:
            raise NotApplicable("the limit 'gain' needs a worth of sensitive values", Hint.WORTH, what=limit)
        if limit not in rules:
            raise ParameterError(
                "no limit is called {limit!r}; known: {known}", limit=limit, known=quoted(rules), what=limit
            )
        if limit == "inference" and not columns:
            raise NotApplicable(
                "the limit 'inference' needs a sensitive attribute", Hint.SENSITIVE_ATTRIBUTES, what=limit
            )
        checked[limit] = rules[limit].check(Phrase("a limit"), limit, value)
    return checked
