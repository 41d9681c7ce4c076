"""What is done with a part of the cells of a table, perhaps in another process: functions of what they are given."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.codes import Column, Domain, narrowest
from PETWorks.counting.counts import ClassPairs, Grouping, Integers, PairCounts
from PETWorks.counting.keys import Field
from PETWorks.counting.packed_words import Words, class_starts, scrambled
from PETWorks.counting.subset_families import CountsBySubset, Family, Worths, merged_counts
from PETWorks.counting.weighted_rows import WeightedRows, aside
from PETWorks.errors import InputError

Summary = TypeVar("Summary")
ALL_BITS = (1 << 64) - 1


class Part(NamedTuple):
    """Some of the cells, in order: their words, and for each cell how many rows (or people) there are."""

    words: list[Integers]
    numbers: list[Integers]


def rows_of(words: Words, domains: Mapping[str, Domain], part: Part) -> WeightedRows:
    """A part of the cells as rows in memory."""
    columns = {
        name: Column(domains[name].labels, words.code(name, part.words).astype(narrowest(len(domains[name].labels))))
        for name in words.places
    }
    weights, *people = part.numbers
    return WeightedRows(columns, None, weights, people[0] if people else None, whole=False)


def answers_of(
    words: Words, domains: Mapping[str, Domain], questions: Sequence[Callable[[WeightedRows, None], Any]], part: Part
) -> list[Any]:
    """What a part of the table answers to each question."""
    rows = rows_of(words, domains, part)
    return [question(rows, None) for question in questions]


def pairs_in(
    words: Words, domains: Mapping[str, Domain], pairs: Sequence[tuple[str, str]], part: Part
) -> list[PairCounts]:
    """How often pairs of columns have which values together in a part."""
    return rows_of(words, domains, part).pair_counts(pairs)


def classes_in(masks: Sequence[int], part: Part) -> int:
    """How many classes there are; the masks say which bits make them."""
    return len(class_starts(part.words, masks))


def packed_in(words: Words, placed: Mapping[str, NDArray[np.uint64]], part: Part) -> list[NDArray[np.uint64]]:
    """Cells as keys that carry their numbers: for each column, what each code adds to a key."""
    keys = part.numbers[0].astype(np.uint64)
    for name, own in placed.items():
        keys += own[words.code(name, part.words)]
    return [keys]


def recoded_in(words: Words, new_codes: Mapping[str, Integers], part: Part) -> list[list[Any]]:
    """Cells as new codes of some columns, and their numbers behind them."""
    recoded = (own.astype(np.uint32)[words.code(name, part.words)] for name, own in new_codes.items())
    return [[*recoded, part.numbers[0]]]


def merged_answers(merges: Sequence[Callable[[Any, Any], Any]], one: list[Any], other: list[Any]) -> list[Any]:
    """The answers of two parts, merged question by question."""
    return [merge(mine, more) for merge, mine, more in zip(merges, one, other, strict=True)]


def families_in(
    words: Words,
    bits: Mapping[str, int],
    families: Sequence[Family],
    sensitive: Sequence[str],
    sizes: Sequence[int],
    worths: Worths,
    part: Part,
) -> CountsBySubset:
    """The counts of families of subsets in the rows of a part, which are in the order of the lead."""
    from PETWorks.counting.small_subsets import count_small, is_small
    from PETWorks.counting.subset_counts import chunks, count_family
    from PETWorks.counting.subset_keys import Rows

    if part.numbers[0].max() >= 1 << 32:
        raise InputError("more than four billion records are equal in all columns, too many to count their subsets")
    fields = {
        name: Field(words.code(name, part.words).astype(narrowest(1 << bits[name])), bits[name])
        for name in words.places
    }
    rows = Rows(fields, part.numbers[0].astype(np.uint32))
    subsets = [subset for family in families for subset in family.subsets(sizes)]
    if is_small(int(part.numbers[0].sum()), len(subsets)):
        return count_small(rows, subsets, sensitive, worths)
    counted: CountsBySubset = {}
    for family in families:
        total = None
        for chunk in chunks(rows, next(iter(words.places))):
            total = merged_counts(total, count_family(chunk, family, sensitive, sizes, worths))
        counted |= total or {}
    return counted


def cells_checksum(part: Part) -> int:
    """A checksum of the cells, in whatever order they are."""
    sums = part.numbers[0].astype(np.uint64)
    for word in part.words:
        sums = scrambled(sums ^ word.astype(np.uint64))
    return int(sums.sum(dtype=np.uint64))


def total(part: Part) -> int:
    """Everything that was counted."""
    return int(part.numbers[0].sum())


def counts_in(words: Words, column: str, size: int, part: Part) -> Integers:
    """How often each code of a column was counted."""
    counts = np.zeros(size, np.int64)
    np.add.at(counts, words.code(column, part.words), part.numbers[0])
    return counts


def paired(
    words: Words,
    domains: Mapping[str, Domain],
    grouping: Grouping,
    kernel: Callable[[ClassPairs], Summary],
    part: Part,
) -> Summary:
    """Classes of two tables, without those that stand aside: of the background only incomplete ones do."""
    known = [words.code(name, part.words) for name in grouping.known]
    counts = []
    for numbers, suppressed_apart in zip(part.numbers, (grouping.suppressed_apart, False), strict=True):
        own = Grouping(grouping.columns, grouping.known, suppressed_apart, grouping.incomplete_apart)
        out = aside(own, domains, lambda: known)
        counts.append(numbers if out is None else np.where(out, 0, numbers))
    there = (counts[0] > 0) | (counts[1] > 0)
    return kernel(ClassPairs(counts[0][there], counts[1][there]))
