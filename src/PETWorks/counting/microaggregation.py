"""Optimal univariate microaggregation: numbers in groups of at least k records, each as the mean of its group.

Where people have several records, groups have at least k people. The groups have the least sum of squared errors of all
partitions in which equal values stay together (Hansen and Mukherjee 2003, *A Polynomial Algorithm for Optimal
Univariate Microaggregation*). Such groups are intervals, and none can be divided into two of at least k records, or
people, so each has few candidates. Of equally good partitions, the first groups are the smallest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.protection import GroupMeans, format_scaled, parse_amount
from PETWorks.counting.counts import Integers, Reals
from PETWorks.errors import InputError
from PETWorks.tables.arrays import strings

Numbers = NDArray[Any]  # whole numbers: of 64 bits, or of Python where these are too short

MAX_DIGITS = 9  # significant digits of a mean, if the values have more
PLAIN_STEPS = 300_000  # a search with more steps is compiled
ROUNDING = 1e-13  # sums of squared errors that differ by less, relatively, are equal
PLAIN_NUMBER = r"^[+-]?[0-9]{1,17}(\.[0-9]{1,9})?$"
LONGEST_PLAIN = 18  # digits of a number that 64 bits can represent
SAFE_SUM = 2**62


@dataclass(frozen=True, eq=False)
class PersonValues:
    """The records of each person with each value: pairs in ascending order of values.

    values    the index of the value
    persons   the code of the person
    times     the number of records
    """

    values: Integers
    persons: Integers
    times: Integers

    @property
    def people(self) -> int:
        """The number of people."""
        return len(np.unique(self.persons))

    def earlier(self) -> Integers:
        """For each pair the index of the value that the same person has before it, or -1."""
        order = np.lexsort((self.values, self.persons))
        persons, values = self.persons[order], self.values[order]
        before = np.full(len(order), -1, np.int64)
        is_same = persons[1:] == persons[:-1]
        before[1:][is_same] = values[:-1][is_same]
        found = np.empty(len(order), np.int64)
        found[order] = before
        return found


def find_groups(values: Reals, counts: Integers, size: int, people: PersonValues | None = None) -> Integers:
    """The index of the first value of each group.

    values   the distinct values, ascending
    counts   the number of records with each; at least `size` in all
    people   who has them, if a group needs `size` people
    """
    new, parts, earlier = counts, np.zeros(len(values) + 1, np.int64), np.zeros(0, np.int64)
    if people is not None:
        before = people.earlier()
        new = np.bincount(people.values[before < 0], minlength=len(values))
        again = before >= 0
        earlier = before[again]
        parts[1:] = np.cumsum(np.bincount(people.values[again], minlength=len(values)))
    following, least = np.zeros(len(values), np.int64), np.full(len(values) + 1, np.inf)
    find: Any = _find_groups
    if (len(values) + len(earlier)) * size > PLAIN_STEPS:
        from PETWorks.counting.subsets.kernels import compile_lazily  # loads a compiler

        find = compile_lazily(_find_groups)
    find(values, counts, size, new, parts, earlier, following, least)
    starts = [0]
    while following[starts[-1]] < len(values):
        starts.append(int(following[starts[-1]]))
    return np.array(starts, np.int64)


def _find_groups(
    values: Reals,
    counts: Integers,
    size: int,
    new: Integers,
    starts: Integers,
    earlier: Integers,
    following: Integers,
    least: Reals,
) -> int:
    """Fill in, for a group that begins with each value, the index of the next group and the least error from there.

    new              the number of people with each value and no smaller one, or of records
    starts, earlier  for each value the part of `earlier` with its other people: the value that each has before it
    """
    last = len(values)
    least[last] = 0.0
    for first in range(last - 1, -1, -1):
        records, people, beyond, cut = 0, 0, 0, last
        mean, error = 0.0, 0.0
        best = np.inf
        for end in range(first, last):
            people_here, people_beyond = new[end], new[end]
            for index in range(starts[end], starts[end + 1]):
                if earlier[index] < first:
                    people_here += 1
                if earlier[index] < cut:
                    people_beyond += 1
            if people >= size:
                beyond += people_beyond
                if beyond >= size:  # two groups have no larger error
                    break
            total = records + counts[end]
            distance = values[end] - mean
            mean += distance * counts[end] / total
            error += distance * distance * records * counts[end] / total
            records = total
            if people < size <= people + people_here:
                cut = end + 1
            people += people_here
            if people >= size and least[end + 1] < np.inf:
                sum_of_errors = error + least[end + 1]
                if sum_of_errors < best - ROUNDING * sum_of_errors:
                    best = sum_of_errors
                    following[first] = end + 1
        least[first] = best
    return 0


@dataclass(frozen=True, eq=False)
class FittedGroups:
    """Groups fitted to the values of a column.

    labels    the label of each value, and of each label itself
    numbers, times, means   each distinct number, its number of records, and the mean of its group
    """

    protection: GroupMeans
    labels: Mapping[str, str]
    numbers: Reals
    times: Integers
    means: Reals
    is_whole: bool
    keeps_numbers: bool

    @property
    def words(self) -> Mapping[str, Any]:
        """The declaration."""
        return self.protection.words

    @property
    def expects(self) -> str:
        """A description of valid values."""
        return self.protection.expects

    def value(self, text: str) -> str | None:
        """The mean of the value's group; None if the column had no such value."""
        return self.labels.get(text)

    def position(self, text: str) -> float | None:
        """The number."""
        return self.protection.position(text)

    @cached_property
    def sums(self) -> tuple[float, float, float]:
        """The sum of the numbers, relative to the first, and of its squares, and the sum of squared errors."""
        distances = self.numbers - self.numbers[0]
        squares, errors = (distances**2, (self.numbers - self.means) ** 2)
        return tuple(float(self.times @ values) for values in (distances, squares, errors))  # type: ignore[return-value]


def fit_groups(
    protection: GroupMeans, counts: Mapping[str, int], column: str = "", people: PersonValues | None = None
) -> FittedGroups | None:
    """The groups for the values of a column, given with their number of records; None if some are no numbers.

    Numbers with and without a unit, or with several ones, are not comparable, and so no numbers here.

    people   who has the values, by their index in `counts`, if groups are of people
    """
    texts = list(counts)
    read = _read_plain(texts) or _read_amounts(texts)
    if read is None:
        return None
    scaled, decimals, before, after = read
    distinct, index_of = np.unique(scaled, return_inverse=True)
    times = np.bincount(index_of, weights=list(counts.values()), minlength=len(distinct)).astype(np.int64)
    records = int(times.sum())
    if records < protection.size:
        raise InputError(
            "column {column!r} cannot be protected: groups of {size} records need at least {size} values, and it has "
            "{present}; leave the column out, or declare another protection",
            column=column,
            size=protection.size,
            present=records,
            what=f"protect.{column}",
        )
    if people is not None:
        people = _by_number(people, index_of)
        if people.people < protection.size:
            raise InputError(
                "column {column!r} cannot be protected: groups of {size} people need at least {size} people with a "
                "value, and there are {present}; leave the column out, or declare another protection",
                column=column,
                size=protection.size,
                present=people.people,
                what=f"protect.{column}",
            )
    largest = max(abs(int(distinct[0])), abs(int(distinct[-1])))
    exact: Numbers = distinct if largest * records < SAFE_SUM else distinct.astype(object)
    starts = find_groups((exact - exact[0]).astype(np.float64), times, protection.size, people)
    dropped = _digits_to_drop(largest, decimals)
    means = _rounded_means(exact, times, starts, 10**dropped, people)
    labels = [f"{before}{format_scaled(int(mean), decimals - dropped)}{after}" for mean in means.tolist()]
    group = np.repeat(np.arange(len(starts)), np.diff([*starts, len(distinct)]))
    label_of = dict(zip(texts, map(labels.__getitem__, group[index_of].tolist()), strict=True))
    for label in labels:
        label_of.setdefault(label, label)
    scale = float(10**decimals)
    return FittedGroups(
        protection,
        label_of,
        distinct.astype(np.float64) / scale,
        times,
        (means.astype(np.float64) * 10.0**dropped / scale)[group],
        decimals == dropped,
        not before and not after,
    )


def _by_number(people: PersonValues, index_of: Integers) -> PersonValues:
    """The records of each person with each number, for the number of each text."""
    many = int(people.persons.max(initial=0)) + 1
    keys, index = np.unique(index_of[people.values] * many + people.persons, return_inverse=True)
    times = np.bincount(index, weights=people.times, minlength=len(keys)).astype(np.int64)
    return PersonValues(keys // many, keys % many, times)


def _read_plain(texts: Sequence[str]) -> tuple[Numbers, int, str, str] | None:
    """Plain numbers, scaled to whole ones, and their decimals; None if some are not plain."""
    import pyarrow as pa
    from pyarrow import compute as pc

    cells = strings(texts)
    if not pc.all(pc.match_substring_regex(cells, PLAIN_NUMBER)).as_py():
        return None
    points = pc.find_substring(cells, ".")
    lengths = pc.utf8_length(cells)
    after = pc.if_else(pc.less(points, 0), 0, pc.subtract(pc.subtract(lengths, points), 1))
    decimals = int(pc.max(after).as_py())
    if int(pc.max(pc.subtract(lengths, after)).as_py()) + decimals > LONGEST_PLAIN:
        return None
    fixed = pc.cast(pc.replace_substring_regex(cells, r"^\+", ""), pa.decimal128(38, decimals))
    words = np.frombuffer(fixed.buffers()[1], np.int64, 2 * len(texts), fixed.offset * 16)
    return words[::2].copy(), decimals, "", ""


def _read_amounts(texts: Sequence[str]) -> tuple[Numbers, int, str, str] | None:
    """Numbers with one currency or unit, scaled to whole ones; None if they are not comparable."""
    amounts = [parse_amount(text) for text in texts]
    if not amounts or None in amounts:
        return None
    units = {(amount.before, amount.after) for amount in amounts if amount is not None}
    if len(units) != 1:
        return None
    numbers = [amount.number for amount in amounts if amount is not None]
    exponents = [number.as_tuple().exponent for number in numbers]
    decimals = max(0, *(-exponent for exponent in exponents if isinstance(exponent, int)))
    scaled = [int(number.scaleb(decimals)) for number in numbers]
    fits = max(map(abs, scaled)) < 10**LONGEST_PLAIN
    return np.array(scaled, np.int64 if fits else object), decimals, *units.pop()


def _digits_to_drop(largest: int, decimals: int) -> int:
    """The number of decimals that a mean does not need."""
    return min(decimals, max(0, len(str(largest)) - MAX_DIGITS))


def _rounded_means(
    values: Numbers, times: Integers, starts: Integers, unit: int, people: PersonValues | None = None
) -> Numbers:
    """The mean of each group as a multiple of a unit, rounded half to even.

    A record whose number is more than half of the sum of its group (of absolute numbers) counts as the sum of the
    others, so that the mean does not reveal it. With people, so do all records of a person in the group; they count as
    no more records than the others are, or the mean would be none of the group.
    """
    ends = np.append(starts[1:], len(values)) - 1
    weighted = values * times
    sums, sizes = np.add.reduceat(weighted, starts), np.add.reduceat(times, starts).astype(values.dtype)
    magnitudes = np.add.reduceat(abs(weighted), starts)
    if people is not None:
        excess, surplus = _excess_of_people(values, starts, magnitudes, sizes, people)
        return divide(sums - excess, sizes - surplus, unit)
    for extreme in (starts, ends):
        number = values[extreme]
        others = magnitudes - abs(number)
        dominates = abs(number) > others  # and so no other record has it
        capped = np.where(number < 0, -others, others)
        sums = np.where(dominates, sums - number + capped, sums)
    return divide(sums, sizes, unit)


def _excess_of_people(
    values: Numbers, starts: Integers, magnitudes: Numbers, sizes: Numbers, people: PersonValues
) -> tuple[Numbers, Numbers]:
    """By how much the numbers, and the records, of one person exceed all others in each group.

    Only if the numbers exceed the sum of the others (of absolute numbers).
    """
    group = np.searchsorted(starts, people.values, side="right") - 1
    order = np.lexsort((people.persons, group))
    group, persons = group[order], people.persons[order]
    numbers = values[people.values[order]] * people.times[order]
    firsts = np.flatnonzero(np.append(True, (group[1:] != group[:-1]) | (persons[1:] != persons[:-1])))
    own, own_magnitudes = np.add.reduceat(numbers, firsts), np.add.reduceat(abs(numbers), firsts)
    others = magnitudes[group[firsts]] - own_magnitudes
    dominates = abs(own) > others
    excess, surplus = np.zeros(len(starts), values.dtype), np.zeros(len(starts), sizes.dtype)
    sign = np.where(own < 0, -1, 1)
    excess[group[firsts][dominates]] = (own - sign * others)[dominates]
    records = np.add.reduceat(people.times[order], firsts).astype(sizes.dtype)
    more = np.maximum(2 * records - sizes[group[firsts]], 0)
    surplus[group[firsts][dominates]] = more[dominates]
    return excess, surplus


def divide(sums: Numbers, sizes: Numbers, unit: int) -> Numbers:
    """The means for sums of whole numbers, as multiples of a unit, rounded half to even."""
    size = sizes * unit
    quotient = sums // size
    rest = 2 * (sums - quotient * size)
    up = (rest > size) | ((rest == size) & (quotient % 2 == 1))
    return np.asarray(quotient + up)
