"""The linked adversary: knows a person's quasi-identifiers in every release, and can join the records."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting import questions
from PETWorks.counting.codes import narrowest
from PETWorks.counting.counts import Grouping, Integers, run_starts
from PETWorks.counting.keys import count, numbered, pack
from PETWorks.counting.people import JoinedPeople
from PETWorks.counting.questions import Question, folded
from PETWorks.measures.attacks.inference import Worth
from PETWorks.measures.attacks.reidentification import vulnerability


class Classes(NamedTuple):
    """For each row the number of the class, from 0 on; and how many classes there are."""

    codes: NDArray[np.int32]
    number: int

    @classmethod
    def of(cls, keys: NDArray[np.integer]) -> "Classes":
        """Rows are in one class if their keys are equal."""
        codes, number = numbered(keys)
        return cls(codes.astype(np.int32), number)


class Cells(NamedTuple):
    """The different values in each class: ordered by class, then by value, with the number of people who have each."""

    classes: Integers
    values: Integers
    counts: Integers

    @property
    def starts(self) -> Integers:
        """Where the cells of each class begin."""
        return run_starts(self.classes)


def refined(one: Classes, other: Classes) -> Classes:
    """The classes of those who are in one class in both."""
    if one.number == len(one.codes) or other.number == 1:
        return one
    return Classes.of(np.multiply(one.codes, other.number, dtype=np.int64) + other.codes)


def cells_of(classes: Classes, values: Integers, number_of_values: int, weights: Integers | None = None) -> Cells:
    """The values that occur in each class; a row stands for so many people as its weight says, or one."""
    span = np.uint64(number_of_values)
    keys = classes.codes.astype(np.uint64) * span + values.astype(np.uint64)
    counted = count(keys, (classes.number * number_of_values - 1).bit_length(), weights)
    codes, own = np.divmod(counted.keys, span)
    return Cells(codes.astype(np.int64), own.astype(np.int64), counted.counts)


MOST_PLAYERS = 10  # up to so many releases, all sets of them are counted
OF_PEOPLE, OF_ATTRIBUTE = 2, 3  # numbers: classes, people alone; right guesses, people in classes with one value, gain

Hits = Integers  # those of people, then those of each attribute
BySet = dict[int, Hits]


@dataclass(frozen=True)
class Attacked:
    """A sensitive attribute: how many values it has, and what they are worth, if that is asked for.

    missing   the code of the missing value, if that does not count
    """

    name: str
    values: int
    worth: Worth | None
    missing: int | None = None


def hits_by_set(people: JoinedPeople, attacked: Sequence[Attacked]) -> BySet:
    """The hits of all sets of releases; of the first ones and of all but one, if there are many releases."""
    hits: BySet = {}
    for places in _leads(people.in_common):
        own, *later = (people.groups[place] for place in places)
        question = Question(
            ("hits", id(people), places),
            people.targets,
            Grouping(own, own),
            partial(_hits_of_part, people.groups, attacked, places),
            added,
            others=(*(name for group in later for name in group), *(one.name for one in attacked)),
            once=True,
        )
        hits |= people.targets.ask([question])[0]
    return hits


def _leads(in_common: Sequence[int]) -> list[tuple[int, ...]]:
    """The places of releases: each time a lead, and behind it the others in the sets that are counted by it."""
    every = range(len(in_common))
    if len(in_common) > MOST_PLAYERS:
        return [tuple(every), tuple(every)[1:]]
    order = sorted(every, key=lambda place: -in_common[place])
    return [tuple(order[first:]) for first in every]


def added(one: BySet, other: BySet) -> BySet:
    """The hits of two parts together."""
    return {chosen: hits + other[chosen] for chosen, hits in one.items()}


def all_but(place: int, releases: int) -> int:
    """The set of all releases but one."""
    return (1 << releases) - 1 - (1 << place)


def first_ones(number: int) -> int:
    """The set of so many first releases."""
    return (1 << number) - 1


def _hits_of_part(
    groups: Sequence[tuple[str, ...]], attacked: Sequence[Attacked], places: Sequence[int], rows: Any, _people: Any
) -> BySet:
    """The hits of sets that have the first of these releases, the lead, in a part with complete classes of the lead."""
    known = [Classes.of(pack([rows.columns[name] for name in groups[place]]).keys) for place in places]
    values = [rows.columns[one.name].codes for one in attacked]
    whole = _Part(known, values, rows.weights, attacked)
    return folded(partial(_hits_of_sets, len(groups), places), added, whole.pieces(), len(known[0].codes))


def _hits_of_sets(releases: int, places: Sequence[int], part: "_Part") -> BySet:
    if releases <= MOST_PLAYERS:
        return part.every_set(places)
    if places[0] == 1:
        return {all_but(0, releases): part.hits(list(accumulate(part.known, refined))[-1])}
    return part.first_ones_and_all_but_one()


class _Part:
    """Some of the people: for each release their classes, for each attribute their values, and how many they are."""

    def __init__(
        self,
        known: Sequence[Classes],
        values: Sequence[Integers],
        weights: Integers | None,
        attacked: Sequence[Attacked],
    ) -> None:
        self.known, self._values, self._weights, self._attacked = known, values, weights, attacked

    def pieces(self) -> Iterator["_Part"]:
        """The same people in pieces that have complete classes of the first release, and fit into the cache."""
        lead, number = self.known[0]
        if len(lead) <= questions.CELLS_PER_BATCH:
            yield self
            return
        sizes = np.bincount(lead, minlength=number)
        of_class = (np.cumsum(sizes) - sizes) // questions.CELLS_PER_BATCH  # which piece a class is in
        piece = of_class.astype(narrowest(int(of_class[-1]) + 1))[lead]
        order = np.argsort(piece, kind="stable")  # small numbers are sorted by counting
        ends = np.cumsum(np.bincount(piece))
        for first, last in pairwise((0, *ends.tolist())):
            if last > first:
                rows = order[first:last]
                known = [Classes.of(one.codes[rows]) for one in self.known]
                weights = None if self._weights is None else self._weights[rows]
                yield _Part(known, [own[rows] for own in self._values], weights, self._attacked)

    def every_set(self, places: Sequence[int]) -> BySet:
        """The hits of all sets that have the first release; the places say which releases these are.

        Whoever is alone in a class, or all in it are alike in everything, stays so when more is known: they are counted
        once, and left out from there on.
        """
        answers: BySet = {}
        nothing = np.zeros(OF_PEOPLE + OF_ATTRIBUTE * len(self._attacked), np.int64)

        def visit(chosen: int, first: int, rows: Integers | None, classes: Classes, settled: Hits) -> None:
            answers[chosen] = settled + self.hits(classes, rows)
            if first == len(self.known):
                return
            single = np.bincount(classes.codes, minlength=classes.number) == 1
            is_single = single[classes.codes]
            everyone = np.arange(len(classes.codes), dtype=np.int32) if rows is None else rows
            settled = settled + self._of_single_rows(everyone[is_single])
            rows, left = everyone[~is_single], classes.number - int(np.count_nonzero(single))
            codes = (np.cumsum(~single, dtype=np.int32) - 1)[classes.codes[~is_single]]
            for place in range(first, len(self.known)):
                more = Classes(self.known[place].codes[rows], self.known[place].number)
                visit(chosen | 1 << places[place], place + 1, rows, refined(Classes(codes, left), more), settled)

        visit(1 << places[0], 1, None, self.known[0], nothing)
        return answers

    def first_ones_and_all_but_one(self) -> BySet:
        """The hits of the first release, the first two, and so on; and of all but the second, the third, and so on."""
        number = len(self.known)
        before = list(accumulate(self.known, refined))
        behind = [*accumulate(self.known[:0:-1], refined)][::-1]  # behind[i]: releases from i + 1 on
        answers = {first_ones(place + 1): self.hits(classes) for place, classes in enumerate(before)}
        for place in range(1, number):
            others = refined(before[place - 1], behind[place]) if place < number - 1 else before[place - 1]
            answers[all_but(place, number)] = self.hits(others)
        return answers

    def hits(self, classes: Classes, rows: Integers | None = None) -> Hits:
        """The hits of these classes, which some of the rows are in."""
        weights = self._weights if self._weights is None or rows is None else self._weights[rows]
        sizes = _totals(classes, weights)
        numbers = [classes.number, int(np.count_nonzero(sizes == 1))]
        for values, one in zip(self._values, self._attacked, strict=True):
            cells = cells_of(classes, values if rows is None else values[rows], one.values, weights)
            numbers += hits_in(cells.counts, cells.values, cells.classes, one.worth, one.missing)
        return np.array(numbers, np.int64)

    def _of_single_rows(self, rows: Integers) -> Hits:
        """The hits of classes that have one row each."""
        weights = np.ones(len(rows), np.int64) if self._weights is None else self._weights[rows]
        numbers = [len(rows), int(np.count_nonzero(weights == 1))]
        for values, one in zip(self._values, self._attacked, strict=True):
            told = weights if one.missing is None else np.where(values[rows] == one.missing, 0, weights)
            gain = 0 if one.worth is None else int((told * one.worth.units[values[rows]]).sum())
            numbers += [int(told.sum()), int(told.sum()), gain]
        return np.array(numbers, np.int64)


def hits_in(
    counts: Integers, values: Integers, classes: Integers, worth: Worth | None, missing: int | None = None
) -> list[int]:
    """Right guesses, people in classes with one value, and the gain: of cells in the order of their classes.

    missing   a value that does not count
    """
    if missing is not None:
        told = values != missing
        counts, values, classes = counts[told], values[told], classes[told]
    if not len(counts):
        return [0, 0, 0]
    starts = run_starts(classes)
    alone = np.diff(starts, append=len(counts)) == 1
    gain = 0 if worth is None else int(np.maximum.reduceat(counts * worth.units[values], starts).sum())
    return [int(np.maximum.reduceat(counts, starts).sum()), int(counts[starts[alone]].sum()), gain]


def _totals(classes: Classes, weights: Integers | None) -> Integers:
    if weights is None:
        return np.bincount(classes.codes, minlength=classes.number)
    return np.bincount(classes.codes, weights, classes.number).astype(np.int64)  # floats, exact up to 2**53 people


def of_attribute(hits: Hits, place: int) -> Mapping[str, int]:
    """The numbers of an attribute."""
    first = OF_PEOPLE + OF_ATTRIBUTE * place
    right, one_value, gain = hits[first : first + OF_ATTRIBUTE].tolist()
    return {"right": right, "one_value": one_value, "gain": gain}


@dataclass(frozen=True)
class Gain:
    """What an adversary gains by the best guess, on average: before and after learning the quasi-identifiers."""

    prior: float
    posterior: float

    def to_dict(self) -> dict[str, float]:
        """Both, ready for JSON."""
        return {"prior": self.prior, "posterior": self.posterior}


@dataclass(frozen=True)
class Inference:
    """How many people's sensitive value is guessed.

    people      those who have one
    commonest   people who have the commonest value of all
    right       people who have the commonest value of their class
    one_value   people in classes with one value
    gain        if values have a worth
    """

    people: int
    commonest: int
    right: int
    one_value: int
    gain: Gain | None = None

    @property
    def posterior(self) -> float:
        """The chance of a right guess."""
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
    """What an adversary who knows the classes of people can do: find their record, guess their sensitive values.

    alone   people who are alone in their class
    """

    people: int
    classes: int
    alone: int
    inference: Mapping[str, Inference]

    @property
    def posterior(self) -> float:
        """The chance to pick the record of a random person."""
        return self.classes / self.people

    @property
    def alone_share(self) -> float:
        """The share of people who are alone in their class."""
        return self.alone / self.people

    def to_dict(self) -> dict[str, Any]:
        """Both attacks, ready for JSON."""
        return {
            "re_identification": {
                **vulnerability(1, self.classes, self.people),
                "classes": self.classes,
                "people_alone": self.alone,
                "share_alone": self.alone_share,
            },
            "attribute_inference": {name: one.to_dict() for name, one in self.inference.items()},
        }


def exposure(people: int, hits: Hits, attacked: Sequence[Attacked], counts: Mapping[str, Integers]) -> Exposure:
    """What is exposed of so many people, as far as they are hit; counts are those of the values of each attribute."""
    inference = {}
    for place, one in enumerate(attacked):
        own, having = of_attribute(hits, place), told_counts(one, counts[one.name])
        gain, told = None, int(having.sum())
        if one.worth is not None:
            prior = one.worth.gain(one.worth.prior(having), max(told, 1))
            gain = Gain(prior, one.worth.gain(own["gain"], max(told, 1)))
        inference[one.name] = Inference(told, int(having.max()), own["right"], own["one_value"], gain)
    return Exposure(people, int(hits[0]), int(hits[1]), inference)


def told_counts(attacked: Attacked, counts: Integers) -> Integers:
    """How many people have each value, the missing one left out if it does not count."""
    return counts if attacked.missing is None else np.where(np.arange(len(counts)) == attacked.missing, 0, counts)


def attacks_of(exposures: Sequence[Exposure]) -> dict[str, list[int]]:
    """For each attack the number of successes with each exposure."""
    names = exposures[0].inference
    return {
        "re-identification": [one.classes for one in exposures],
        **{f"attribute-inference of {name}": [one.inference[name].right for one in exposures] for name in names},
    }
