"""Tests that every equivalence class must pass for a rule to hold: by them a search knows what to suppress."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import Integers

Mask = NDArray[np.bool_]


class Monotone(Enum):
    """What is known of the coarser table, once classes were tested on a finer one."""

    ALWAYS = "a record whose class fails is in a failing class on every finer level, whatever was suppressed"
    UNSUPPRESSED = "where no class fails, none fails on any coarser level"
    NEVER = "nothing"


@dataclass(frozen=True)
class ClassTest:
    """Which classes break a rule.

    fails        called with the sizes of classes; with `ClassValues` if it is about a sensitive attribute; with
                 `ClassPairs` if it is about another table
    sensitive    the attribute
    background   the other table: "population" or "original"
    all_present  whether every class of the other table must be in the release
    compares     whether a class is compared with the values of the whole table
    lasting      called with the same as `fails`: of each class, how many records at least are in failing classes on
                 every finer level; without it, all of a failing class (ALWAYS), one (UNSUPPRESSED) or none (NEVER)
    """

    fails: Callable[[Any], Mask]
    monotone: Monotone
    sensitive: str | None = None
    background: str | None = None
    all_present: bool = False
    compares: bool = False
    lasting: Callable[[Any], Integers] | None = None


def at_least(records: NDArray[np.float64]) -> Integers:
    """How many whole records are at least meant by a bound that was rounded.

    >>> at_least(np.array([-3.0, 0.0, 1.2, 2.0000000001]))
    array([0, 0, 2, 2])
    """
    return np.ceil(np.maximum(records, 0) * (1 - 1e-9) - 1e-9).astype(np.int64)


Suppressing = Callable[[Integers], Mask]
"""For ascending class sizes: whether a rule holds after none, one, two… of the smallest were suppressed."""


def left(sizes: Integers) -> tuple[Integers, Integers]:
    """How many classes, and records in them, are left after none, one, two… of the smallest were suppressed.

    >>> left(np.array([1, 2, 5]))
    (array([3, 2, 1, 0]), array([8, 7, 5, 0]))
    """
    classes = np.arange(len(sizes), -1, -1)
    return classes, int(sizes.sum()) - np.concatenate([[0], np.cumsum(sizes)])
