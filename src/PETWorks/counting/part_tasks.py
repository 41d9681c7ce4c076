"""What is done with a part of the cells of a table, perhaps in another process: functions of what they are given."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from PETWorks.counting.codes import Column, Domain, narrowest
from PETWorks.counting.counts import ClassPairs, Grouping, Integers
from PETWorks.counting.keys import Field
from PETWorks.counting.memory import MemoryTable, aside
from PETWorks.counting.packed_words import Words
from PETWorks.errors import InputError

Summary = TypeVar("Summary")
ALL_BITS = (1 << 64) - 1


class Part(NamedTuple):
    """Some of the cells, in order: their words, and for each cell how many rows (or people) there are."""

    words: list[Integers]
    numbers: list[Integers]


def table_of(words: Words, domains: Mapping[str, Domain], part: Part) -> MemoryTable:
    """A part of the cells as a table in memory."""
    columns = {
        name: Column(domains[name].labels, codes.astype(narrowest(len(domains[name].labels))))
        for name, codes in words.codes(part.words).items()
    }
    weights, *people = part.numbers
    return MemoryTable(columns, int(weights.sum()), weights=weights, persons=people[0] if people else None)


def asked(
    words: Words, domains: Mapping[str, Domain], question: Callable[[MemoryTable], Summary], part: Part
) -> Summary:
    """What a part of the table answers."""
    return question(table_of(words, domains, part))


def families_in(
    words: Words,
    bits: Mapping[str, int],
    families: Sequence[Any],
    sensitive: Sequence[str],
    sizes: Sequence[int],
    part: Part,
) -> dict[frozenset[str], tuple[int, ...]]:
    """The counts of families of subsets in the rows of a part, which are in the order of the lead."""
    from PETWorks.counting.subset_counts import Rows, added, chunks, count_family

    if part.numbers[0].max() >= 1 << 32:
        raise InputError("more than four billion records are equal in all columns, too many to count their subsets")
    codes = words.codes(part.words)
    fields = {name: Field(own.astype(narrowest(1 << bits[name])), bits[name]) for name, own in codes.items()}
    rows = Rows(fields, part.numbers[0].astype(np.uint32))
    found: dict[frozenset[str], tuple[int, ...]] = {}
    for family in families:
        total = None
        for chunk in chunks(rows, next(iter(words.places))):
            total = added(total, count_family(chunk, family, sensitive, sizes))
        found |= total or {}
    return found


def mixed(part: Part) -> int:
    """A number of the cells, in whatever order they are."""
    mixed = part.numbers[0].astype(np.uint64)
    for word in part.words:
        mixed = (mixed ^ word.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return int(mixed.sum(dtype=np.uint64))


def total(part: Part) -> int:
    """Everything that was counted."""
    return int(part.numbers[0].sum())


def counts_in(words: Words, column: str, size: int, part: Part) -> Integers:
    """How often each code of a column was counted."""
    counts = np.zeros(size, np.int64)
    np.add.at(counts, words.codes(part.words)[column], part.numbers[0])
    return counts


def paired(
    words: Words,
    domains: Mapping[str, Domain],
    grouping: Grouping,
    kernel: Callable[[ClassPairs], Summary],
    part: Part,
) -> Summary:
    """Classes of two tables, without those that stand aside: of the background only incomplete ones do."""
    codes = words.codes(part.words)
    known = [codes[name] for name in grouping.known]
    counts = []
    for numbers, suppressed_apart in zip(part.numbers, (grouping.suppressed_apart, False), strict=True):
        own = Grouping(grouping.columns, grouping.known, suppressed_apart, grouping.incomplete_apart)
        out = aside(own, domains, lambda: known)
        counts.append(numbers if out is None else np.where(out, 0, numbers))
    there = (counts[0] > 0) | (counts[1] > 0)
    return kernel(ClassPairs(counts[0][there], counts[1][there]))
