"""The linked adversary, who knows a person's quasi-identifiers in every release and can join the records."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting import questions
from PETWorks.counting.codes import narrowest_type
from PETWorks.counting.counts import Grouping, Integers, run_starts
from PETWorks.counting.keys import count_keys, pack, rank_keys
from PETWorks.counting.people import JoinedPeople
from PETWorks.counting.questions import Question, fold_batches
from PETWorks.measures.attacks.inference import Worth
from PETWorks.measures.attacks.reidentification import vulnerability
from PETWorks.measures.attacks.subsets import RE_IDENTIFICATION


class Classes(NamedTuple):
    """The class number of each row, counted from 0, and the number of classes."""

    codes: NDArray[np.int32]
    number: int

    @classmethod
    def of(cls, keys: NDArray[np.integer]) -> "Classes":
        """Put rows with equal keys into the same class."""
        codes, number = rank_keys(keys)
        return cls(codes.astype(np.int32), number)


class Cells(NamedTuple):
    """The distinct values of each class, by class and then by value, with the number of people who have each."""

    classes: Integers
    values: Integers
    counts: Integers

    @property
    def starts(self) -> Integers:
        """The index of the first cell of each class."""
        return run_starts(self.classes)


def refine(first: Classes, second: Classes) -> Classes:
    """Intersect two partitions: rows share a class if they share one in both."""
    if first.number == len(first.codes) or second.number == 1:
        return first
    return Classes.of(np.multiply(first.codes, second.number, dtype=np.int64) + second.codes)


def count_cells(classes: Classes, values: Integers, number_of_values: int, weights: Integers | None = None) -> Cells:
    """The values that occur in each class; the weight of a row is the number of people it stands for, 1 by default."""
    span = np.uint64(number_of_values)
    keys = classes.codes.astype(np.uint64) * span + values.astype(np.uint64)
    counted = count_keys(keys, (classes.number * number_of_values - 1).bit_length(), weights)
    codes, value_codes = np.divmod(counted.keys, span)
    return Cells(codes.astype(np.int64), value_codes.astype(np.int64), counted.counts)


MAX_RELEASES_IN_ALL_SETS = 10  # all sets of releases are counted up to this many releases
HITS_OF_PEOPLE = 2  # number of classes, and of people alone in their class
HITS_PER_ATTRIBUTE = 3  # number of right guesses, of people in classes with one value, and the gain

Hits = Integers  # HITS_OF_PEOPLE numbers, then HITS_PER_ATTRIBUTE numbers for each attribute
HitsBySet = dict[int, Hits]


@dataclass(frozen=True)
class TargetAttribute:
    """A sensitive attribute under attack: its number of values, and what they are worth if that was given.

    missing   the code of the missing value, if it does not count as a value
    """

    name: str
    values: int
    worth: Worth | None
    missing: int | None = None


def hits_by_set(people: JoinedPeople, attacked: Sequence[TargetAttribute]) -> HitsBySet:
    """The hits of all sets of releases; with many releases, only of the first n and of all but one."""
    hits: HitsBySet = {}
    for indices in _leads(people.in_common):
        lead, *later = (people.groups[index] for index in indices)
        question = Question(
            ("hits", id(people), indices),
            people.targets,
            Grouping(lead, lead),
            partial(_hits_of_part, people.groups, attacked, indices),
            add_hits,
            others=(*(name for group in later for name in group), *(attribute.name for attribute in attacked)),
            once=True,
        )
        hits |= people.targets.ask([question])[0]
    return hits


def _leads(in_common: Sequence[int]) -> list[tuple[int, ...]]:
    """Lists of release indices: the first of each leads, the rest can join it in the sets counted with that lead."""
    every = range(len(in_common))
    if len(in_common) > MAX_RELEASES_IN_ALL_SETS:
        return [tuple(every), tuple(every)[1:]]
    order = sorted(every, key=lambda index: -in_common[index])
    return [tuple(order[first:]) for first in every]


def add_hits(first: HitsBySet, second: HitsBySet) -> HitsBySet:
    """Add the hits of two disjoint groups of people."""
    return {chosen: hits + second[chosen] for chosen, hits in first.items()}


def all_but(index: int, releases: int) -> int:
    """The bit set of all releases except the one at `index`."""
    return (1 << releases) - 1 - (1 << index)


def first_releases(number: int) -> int:
    """The bit set of the first `number` releases."""
    return (1 << number) - 1


def _hits_of_part(
    groups: Sequence[tuple[str, ...]],
    attacked: Sequence[TargetAttribute],
    indices: Sequence[int],
    rows: Any,
    _people: Any,
) -> HitsBySet:
    """The hits of sets that contain the lead, `indices[0]`, in a part that holds whole classes of the lead."""
    known = [Classes.of(pack([rows.columns[name] for name in groups[index]]).keys) for index in indices]
    values = [rows.columns[attribute.name].codes for attribute in attacked]
    whole = _Part(known, values, rows.weights, attacked)
    return fold_batches(partial(_hits_of_sets, len(groups), indices), add_hits, whole.pieces(), len(known[0].codes))


def _hits_of_sets(releases: int, indices: Sequence[int], part: "_Part") -> HitsBySet:
    if releases <= MAX_RELEASES_IN_ALL_SETS:
        return part.every_set(indices)
    if indices[0] == 1:
        return {all_but(0, releases): part.hits(list(accumulate(part.known, refine))[-1])}
    return part.first_and_all_but_one()


class _Part:
    """Some of the people: their class in each release, their value of each attribute, and their weights."""

    def __init__(
        self,
        known: Sequence[Classes],
        values: Sequence[Integers],
        weights: Integers | None,
        attacked: Sequence[TargetAttribute],
    ) -> None:
        self.known, self._values, self._weights, self._attacked = known, values, weights, attacked

    def pieces(self) -> Iterator["_Part"]:
        """Split the people into pieces that hold whole classes of the first release and fit into the CPU cache."""
        lead, number = self.known[0]
        if len(lead) <= questions.CELLS_PER_BATCH:
            yield self
            return
        sizes = np.bincount(lead, minlength=number)
        of_class = (np.cumsum(sizes) - sizes) // questions.CELLS_PER_BATCH  # the piece of each class
        piece = of_class.astype(narrowest_type(int(of_class[-1]) + 1))[lead]
        order = np.argsort(piece, kind="stable")  # small numbers are sorted by counting
        ends = np.cumsum(np.bincount(piece))
        for first, last in pairwise((0, *ends.tolist())):
            if last > first:
                rows = order[first:last]
                known = [Classes.of(classes.codes[rows]) for classes in self.known]
                weights = None if self._weights is None else self._weights[rows]
                yield _Part(known, [values[rows] for values in self._values], weights, self._attacked)

    def every_set(self, indices: Sequence[int]) -> HitsBySet:
        """The hits of all sets that contain the first release; `indices` are the indices of the releases.

        A class of a single row stays one when the adversary learns more, so its hits are counted once and the row is
        left out from then on.
        """
        answers: HitsBySet = {}
        nothing = np.zeros(HITS_OF_PEOPLE + HITS_PER_ATTRIBUTE * len(self._attacked), np.int64)

        def visit(chosen: int, first: int, rows: Integers | None, classes: Classes, settled: Hits) -> None:
            answers[chosen] = settled + self.hits(classes, rows)
            if first == len(self.known):
                return
            single = np.bincount(classes.codes, minlength=classes.number) == 1
            is_single = single[classes.codes]
            everyone = np.arange(len(classes.codes), dtype=np.int32) if rows is None else rows
            settled = settled + self._hits_of_single_rows(everyone[is_single])
            rows, left = everyone[~is_single], classes.number - int(np.count_nonzero(single))
            codes = (np.cumsum(~single, dtype=np.int32) - 1)[classes.codes[~is_single]]
            for index in range(first, len(self.known)):
                more = Classes(self.known[index].codes[rows], self.known[index].number)
                visit(chosen | 1 << indices[index], index + 1, rows, refine(Classes(codes, left), more), settled)

        visit(1 << indices[0], 1, None, self.known[0], nothing)
        return answers

    def first_and_all_but_one(self) -> HitsBySet:
        """The hits of the first release, of the first two, and so on; and of all but the second, all but the third …"""
        number = len(self.known)
        before = list(accumulate(self.known, refine))
        behind = [*accumulate(self.known[:0:-1], refine)][::-1]  # behind[i]: releases from i + 1 on
        answers = {first_releases(index + 1): self.hits(classes) for index, classes in enumerate(before)}
        for index in range(1, number):
            remaining = refine(before[index - 1], behind[index]) if index < number - 1 else before[index - 1]
            answers[all_but(index, number)] = self.hits(remaining)
        return answers

    def hits(self, classes: Classes, rows: Integers | None = None) -> Hits:
        """The hits of a partition of all rows, or of the given rows."""
        weights = self._weights if self._weights is None or rows is None else self._weights[rows]
        sizes = _totals(classes, weights)
        numbers = [classes.number, int(np.count_nonzero(sizes == 1))]
        for values, attribute in zip(self._values, self._attacked, strict=True):
            cells = count_cells(classes, values if rows is None else values[rows], attribute.values, weights)
            numbers += count_hits(cells.counts, cells.values, cells.classes, attribute.worth, attribute.missing)
        return np.array(numbers, np.int64)

    def _hits_of_single_rows(self, rows: Integers) -> Hits:
        """The hits of classes of one row each."""
        weights = np.ones(len(rows), np.int64) if self._weights is None else self._weights[rows]
        numbers = [len(rows), int(np.count_nonzero(weights == 1))]
        for values, attribute in zip(self._values, self._attacked, strict=True):
            counted = weights if attribute.missing is None else np.where(values[rows] == attribute.missing, 0, weights)
            gain = 0 if attribute.worth is None else int((counted * attribute.worth.units[values[rows]]).sum())
            numbers += [int(counted.sum()), int(counted.sum()), gain]
        return np.array(numbers, np.int64)


def count_hits(
    counts: Integers, values: Integers, classes: Integers, worth: Worth | None, missing: int | None = None
) -> list[int]:
    """Right guesses, people in classes with one value, and the gain; the cells are ordered by class.

    missing   the code of a value that does not count
    """
    if missing is not None:
        counted = values != missing
        counts, values, classes = counts[counted], values[counted], classes[counted]
    if not len(counts):
        return [0, 0, 0]
    starts = run_starts(classes)
    has_one_value = np.diff(starts, append=len(counts)) == 1
    gain = 0 if worth is None else int(np.maximum.reduceat(counts * worth.units[values], starts).sum())
    return [int(np.maximum.reduceat(counts, starts).sum()), int(counts[starts[has_one_value]].sum()), gain]


def _totals(classes: Classes, weights: Integers | None) -> Integers:
    if weights is None:
        return np.bincount(classes.codes, minlength=classes.number)
    return np.bincount(classes.codes, weights, classes.number).astype(np.int64)  # floats, exact up to 2**53 people


def attribute_hits(hits: Hits, index: int) -> Mapping[str, int]:
    """The hits of the attribute at `index`, by name."""
    first = HITS_OF_PEOPLE + HITS_PER_ATTRIBUTE * index
    right, one_value, gain = hits[first : first + HITS_PER_ATTRIBUTE].tolist()
    return {"right": right, "one_value": one_value, "gain": gain}


@dataclass(frozen=True)
class Gain:
    """The average gain of an adversary's best guess, before and after learning the quasi-identifiers."""

    prior: float
    posterior: float

    def to_dict(self) -> dict[str, float]:
        """Both gains, ready for JSON."""
        return {"prior": self.prior, "posterior": self.posterior}


@dataclass(frozen=True)
class Inference:
    """Number of people whose sensitive value is guessed.

    people      people who have a value
    commonest   people who have the commonest value of the release
    right       people who have the commonest value of their class
    one_value   people in classes with one value
    gain        None unless values have a worth
    """

    people: int
    commonest: int
    right: int
    one_value: int
    gain: Gain | None = None

    @property
    def prior(self) -> float:
        """The chance of a right guess, without the class."""
        return self.commonest / max(self.people, 1)

    @property
    def posterior(self) -> float:
        """The chance of a right guess, given the class."""
        return self.right / max(self.people, 1)

    @property
    def one_value_share(self) -> float:
        """The share of people in classes with one value."""
        return self.one_value / max(self.people, 1)

    def to_dict(self) -> dict[str, Any]:
        """The chances before and after, ready for JSON."""
        gain = {} if self.gain is None else {"gain": self.gain.to_dict()}
        return {
            **vulnerability(self.commonest, self.right, self.people),
            "people_in_classes_with_one_value": self.one_value,
            "share_in_classes_with_one_value": self.one_value_share,
            **gain,
        }


@dataclass(frozen=True)
class Exposure:
    """Success of an adversary who knows everyone's class at finding records and at guessing sensitive values.

    alone   people who are alone in their class
    """

    people: int
    classes: int
    alone: int
    inference: Mapping[str, Inference]

    @property
    def posterior(self) -> float:
        """The chance of picking the record of a random person."""
        return self.classes / self.people

    @property
    def alone_share(self) -> float:
        """The share of people who are alone in their class."""
        return self.alone / self.people

    def chances(self, column: str | None) -> tuple[float, float]:
        """The chance to find a person, or to guess a sensitive attribute, and the share for whom it is certain."""
        if column is None:
            return self.posterior, self.alone_share
        return self.inference[column].posterior, self.inference[column].one_value_share

    def to_dict(self) -> dict[str, Any]:
        """Both attacks, ready for JSON."""
        return {
            "re_identification": {
                **vulnerability(1, self.classes, self.people),
                "classes": self.classes,
                "people_alone": self.alone,
                "share_alone": self.alone_share,
            },
            "attribute_inference": {name: inference.to_dict() for name, inference in self.inference.items()},
        }


def compute_exposure(
    people: int, hits: Hits, attacked: Sequence[TargetAttribute], counts: Mapping[str, Integers]
) -> Exposure:
    """The exposure of people by these hits.

    counts   for each attribute the number of people with each value
    """
    inference = {}
    for index, attribute in enumerate(attacked):
        hit, with_value = attribute_hits(hits, index), value_counts(attribute, counts[attribute.name])
        gain, number = None, int(with_value.sum())
        if attribute.worth is not None:
            prior = attribute.worth.gain(attribute.worth.prior(with_value), max(number, 1))
            gain = Gain(prior, attribute.worth.gain(hit["gain"], max(number, 1)))
        inference[attribute.name] = Inference(number, int(with_value.max()), hit["right"], hit["one_value"], gain)
    return Exposure(people, int(hits[0]), int(hits[1]), inference)


def value_counts(attacked: TargetAttribute, counts: Integers) -> Integers:
    """Number of people with each value; 0 for the missing value if it does not count."""
    return counts if attacked.missing is None else np.where(np.arange(len(counts)) == attacked.missing, 0, counts)


def columns_by_attack(exposed: Exposure) -> dict[str, str | None]:
    """The attacks, each with the sensitive attribute that is guessed; None for re-identification."""
    return {RE_IDENTIFICATION: None, **{f"attribute-inference of {name}": name for name in exposed.inference}}


def successes_by_attack(exposures: Sequence[Exposure]) -> dict[str, list[int]]:
    """The number of successes of each attack, one per exposure."""
    return {
        attack: [exposure.classes if column is None else exposure.inference[column].right for exposure in exposures]
        for attack, column in columns_by_attack(exposures[0]).items()
    }
