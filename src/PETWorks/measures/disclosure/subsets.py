"""Lookups by adversaries who know any subset of the quasi-identifiers."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import factorial, fsum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import ClassValues, Integers, run_starts
from PETWorks.counting.engines.engine import memory_limit_in_bytes
from PETWorks.counting.release import Release, check_levels
from PETWorks.counting.subsets.subset_counts import CountsBySubset, Subset
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.errors import Hint, NotApplicable, ParameterError, Phrase, RoleError, quoted
from PETWorks.json_types import Count, JSONObject, Names, Number, described
from PETWorks.measures import parameters
from PETWorks.measures.attacks.subsets import (
    Checkpoint,
    Driver,
    RiskySubset,
    Sizes,
    SubsetLimit,
    SubsetTable,
    attack_column,
    count_feasible_subsets,
    masks_of_sizes,
    parse_sizes,
    subset_of,
)
from PETWorks.measures.catalogue import find_measure
from PETWorks.measures.disclosure.compared import (
    CONTROL,
    EVERYONE,
    ORIGINAL,
    RELEASED,
    ComparedTables,
    by_table,
    compared_tables,
    view_of,
)
from PETWorks.measures.disclosure.excess import controls_needed, excess_interval
from PETWorks.measures.disclosure.lookups import (
    COUNTED,
    FEWEST_CONTROLS,
    Lookups,
    LookupShares,
    check_values,
    kind_of_products,
    look_up,
    lookups_question,
    shares_of,
    why_unjudged,
)
from PETWorks.measures.result import at_most
from PETWorks.tables.arrays import arrow_integers, arrow_reals

ABOUT_PEOPLE = ("found", "replicated-uniques")
ABOUT_VALUES = ("certain", "certain-in-both", "proportional", "best-guess")
WITHOUT_CONTROL = ("replicated-uniques", "certain-in-both")
# The places of what each measure counts, of the original and of control people, among the numbers of a subset.
PLACES: Mapping[str, slice] = {
    "found": slice(0, 2),
    "replicated-uniques": slice(2, 3),
    "certain": slice(3, 5),
    "certain-in-both": slice(5, 6),
    "proportional": slice(6, 8),
    "best-guess": slice(8, 10),
}
LARGEST_SIZE = 1 << 14  # of classes whose products are added up by size in an array


class LookupScore:
    """Lookups in classes of one target, while the subsets of the quasi-identifiers are counted."""

    def __init__(self, tables: ComparedTables, target: str | None) -> None:
        values = 1 if target is None else len(tables.counts[target])
        self._modes = np.zeros(values, np.uint8)
        if target is not None:
            self._modes[tables.modes(target)] = 1
        self._kind = kind_of_products(tables)

    def of_classes(self, classes: ClassValues) -> Lookups:
        """The lookups in classes."""
        return look_up(np.flatnonzero(self._modes), self._kind, classes)

    def of_keys(self, keys: Codes, weights: Codes, value_bits: int) -> Lookups:
        """The lookups in classes of sorted, distinct keys."""
        from PETWorks.counting.subsets import kernels  # loads the compiler

        if self._kind is not np.int64:
            starts = run_starts(keys >> keys.dtype.type(value_bits))
            values = (keys & keys.dtype.type((1 << value_bits) - 1)).astype(np.int64)
            counts = weights.astype(np.int64)
            return self.of_classes(ClassValues(np.add.reduceat(counts, starts), starts, values, counts))
        records = int(weights.sum(dtype=np.int64))
        numbers = np.zeros(6, np.int64)
        by_size = np.zeros((min(records, LARGEST_SIZE) + 1, 2), np.int64)
        by_ties = np.zeros((len(self._modes) + 1, 2), np.int64)
        large = np.zeros((records // LARGEST_SIZE + 1, 3), np.int64)
        modes = int(np.count_nonzero(self._modes))
        rows = kernels.look_up(keys, weights, value_bits, self._modes, modes, numbers, by_size, by_ties, large)
        found, found_control, replicated, certain, certain_control, in_both = numbers.tolist()
        first, third = _by_index(by_size)
        for size, product, of_control in large[:rows].tolist():
            first[size] = first.get(size, 0) + product
            third[size] = third.get(size, 0) + of_control
        return Lookups(
            (found, found_control),
            replicated,
            (certain, certain_control),
            in_both,
            (first, third),
            _by_index(by_ties),
        )


def _by_index(sums: NDArray[np.int64]) -> tuple[dict[int, int], dict[int, int]]:
    """The positive sums of both columns, by row."""
    first, third = ({row: int(column[row]) for row in np.flatnonzero(column).tolist()} for column in sums.T)
    return first, third


LevelsOfColumns = Annotated[Mapping[str, int], described("levels on which columns are compared, if there are several")]


class LookupCase(JSONObject, frozen=True):
    """Lookups by an adversary who knows these attributes, on the levels on which most is told."""

    attributes: Names
    share: Number
    control: Number = None
    excess: Number = None
    interval: tuple[float, float] | None = None
    compared_at: LevelsOfColumns | None = None


class KnownForLookups(JSONObject, frozen=True):
    """Lookups by adversaries who know this many attributes: the subsets with the lowest, median and highest excess.

    Without control people, they are ordered by the share.
    """

    known: int
    attack: str
    subsets: int
    lowest: LookupCase
    median: LookupCase
    highest: LookupCase


class LookupLimit(SubsetLimit, frozen=True):
    """A limit that every subset must keep, and the worst value.

    control_needed   the number of control people that would suffice if they are guessed right as often
    """

    compared_at: LevelsOfColumns | None = None
    control_needed: int | None = None


class RiskyForLookups(RiskySubset, frozen=True):
    """A subset beyond a limit of which no smaller part is beyond it, on the levels on which most is told."""

    compared_at: LevelsOfColumns | None = None


class LookupAnswers(JSONObject, frozen=True):
    """Lookups by every subset of the quasi-identifiers."""

    records: Count
    control_records: Count
    number: int
    if_they_know: tuple[KnownForLookups, ...]
    limits: tuple[LookupLimit, ...]
    minimal_risky: tuple[RiskyForLookups, ...]
    drivers: tuple[Driver, ...] | None


class Found(NamedTuple):
    """The results of one measure with each subset; the last are those of an adversary who knows nothing.

    control, excess, low and high are None without control people.

    level   the place of the levels on which columns are compared, from 1 on
    """

    share: NDArray[np.float64]
    level: Integers
    control: NDArray[np.float64] | None = None
    excess: NDArray[np.float64] | None = None
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None

    @property
    def order(self) -> NDArray[np.float64]:
        """The numbers by which subsets are compared: the excess, or without control people the share."""
        return self.share if self.excess is None else self.excess

    @property
    def compared(self) -> NDArray[np.float64]:
        """The numbers that are compared with limits: the upper ends of the intervals, or without them the shares."""
        return self.share if self.high is None else self.high


def _worst(found: Sequence[Found]) -> Found:
    """For each subset what is found where most is told."""
    if len(found) == 1:
        return found[0]
    place = np.argmax([each.compared for each in found], axis=0)[np.newaxis]
    fields: list[Any] = [
        None if own[0] is None else np.take_along_axis(np.array(own), place, 0)[0] for own in zip(*found, strict=True)
    ]
    return Found(*fields)


@dataclass(frozen=True)
class LookupsOnLevels:
    """Lookups with columns compared on the levels of a view.

    numbers   for each target those of each subset, and without any attribute; without targets for `""`
    """

    view: View
    numbers: Mapping[str, NDArray[np.float64]]

    def found(self, attack: str, place: int) -> Found:
        """What a measure finds with each subset, and without any attribute."""
        name, _, target = attack.partition(" of ")
        numbers = self.numbers[target] if target else next(iter(self.numbers.values()))
        people, _, controls = compared_tables(self.view).records
        share, *by_chance = numbers[:, PLACES[name]].T
        share, level = share / people, np.full(len(share), place)
        if not by_chance or not controls:
            return Found(share, level)
        control = by_chance[0] / controls
        left = 1 - control
        excess = np.divide(share - control, left, out=np.zeros_like(share), where=left > 0)
        ends = [
            excess_interval(one, people, other, controls)
            for one, other in zip(share.tolist(), control.tolist(), strict=True)
        ]
        low, high = np.array(ends).T
        return Found(share, level, control, excess, low, high)

    def shares(self, attack: str, known: Sequence[str]) -> LookupShares:
        """The exact shares of a measure for those who know these attributes."""
        name, _, target = attack.partition(" of ")
        view = view_of(self.view, tuple(known), self.view.compare_at)
        lookups: Lookups = view.answer(lookups_question(view, target or None))
        return shares_of(name, compared_tables(view), lookups, target or None)


class LookupCheckpoint(Checkpoint):
    """The numbers of finished subsets, kept in a file, on each level."""

    def _line(self, subset: tuple[int, Subset], counts: Sequence[Sequence[float]]) -> dict[str, Any]:
        return {"attributes": self._names(subset[1]), "level": subset[0], "lookups": counts}

    def _counts(self, line: Mapping[str, Any], sizes: Sequence[int], records: Any) -> tuple[Any, Any]:
        subset, level, counts = self._subset(line["attributes"], sizes), line["level"], line["lookups"]
        people, _, controls = records
        most = np.array([people, controls, people, people, controls, people, people, controls, people, controls])
        numbers = np.array(counts, np.float64)
        whole = level in range(1, len(self.about["table"]) + 1) and numbers.shape == (max(len(self.sensitive), 1), 10)
        if not whole or not ((numbers >= 0) & (numbers <= most)).all():
            raise ValueError
        return (level, subset), counts


def _numbers(lookups: Lookups) -> list[float]:
    """The numbers of a subset, in the order of `PLACES`."""
    counted = [getattr(lookups, COUNTED[name]) for name in PLACES]
    parts = [part for own in counted for part in (own if isinstance(own, tuple) else (own,))]
    return [
        part if isinstance(part, int) else fsum(numerator / denominator for denominator, numerator in part.items())
        for part in parts
    ]


def look_up_subsets(
    release: Release | View,
    sizes: Sizes = "all",
    *,
    levels: Sequence[Mapping[str, int | str]] = (),
    memory: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> "LookupSubsets":
    """Look people up with every subset of the quasi-identifiers, or with those of the given sizes.

    The release is compared with its original, and with control people if there are any. Records are counted, not
    people. The arguments are those of `every_subset`, and:

    levels   the levels on which columns are compared, one after another; by default those of the release

    >>> release = Release("data/people_synthetic.csv", original="data/people.csv", kind="synthetic")
    >>> look_up_subsets(release).row({"age"})["certain_share of illness"]
    0.5
    """
    view = release.view if isinstance(release, Release) else release
    columns, targets = view.quasi_identifiers, view.sensitive_attributes
    views = _views_on_levels(view, levels)
    wanted = parse_sizes(sizes, len(columns))
    masks = masks_of_sizes(wanted, len(columns))
    subsets = [subset_of(mask, columns) for mask in masks]
    if memory is None:
        memory = release.memory_limit if isinstance(release, Release) else memory_limit_in_bytes(None)
    stacked = [compared_tables(own) for own in views]
    for own, tables in zip(views, stacked, strict=True):
        for target in targets:
            check_values(tables, own, target)
    counted = [by_table(target) for target in targets] or [EVERYONE]
    number = count_feasible_subsets(wanted, len(columns), stacked[0].table.rows)
    total = len(views) * number
    finished: dict[tuple[int, Subset], Sequence[Sequence[float]]] = {}
    kept = None
    if checkpoint is not None:
        fingerprints = [tables.table.fingerprint((*columns, *counted)) for tables in stacked]
        about = {"sizes": list(wanted), "records": list(stacked[0].records), "table": fingerprints}
        kept = LookupCheckpoint(Path(checkpoint), columns, targets, about, resume=resume)
        finished |= kept.finished
    if progress:
        progress(len(finished), total)
    on_levels = []
    for place, (own, tables) in enumerate(zip(views, stacked, strict=True), 1):
        scores = {name: [LookupScore(tables, target)] for name, target in zip(counted, targets or (None,), strict=True)}
        here = {subset for level, subset in finished if level == place}
        families: Iterable[CountsBySubset] = ()
        if len(here) < number:
            families = tables.table.count_subsets(columns, counted, wanted, memory, here.__contains__, scores)
        for family in families:
            new = {
                (place, subset): [_numbers(lookups) for lookups in counts.gains]
                for subset, counts in family.items()
                if subset not in here
            }
            if kept is not None:
                kept.add(new)
            finished |= new
            if progress:
                progress(len(finished), total)
        nothing = [_numbers(score.of_classes(_one_class(tables, name))) for name, (score,) in scores.items()]
        rows = [*(finished[place, subset] for subset in subsets), nothing]
        numbers = np.array(rows, np.float64).swapaxes(0, 1)
        on_levels.append(LookupsOnLevels(own, dict(zip(targets or ("",), numbers, strict=True))))
    return LookupSubsets(np.array(masks, np.int64), tuple(on_levels), partial(why_unjudged, view))


def _views_on_levels(view: View, levels: Sequence[Mapping[str, int | str]]) -> list[View]:
    """The view on each of these levels, by default on its own; raise if it cannot be compared with its original."""
    if not view.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    missing = find_measure("found").lacks(view)
    if missing:
        missing.measure = None
        raise missing
    columns = [*view.quasi_identifiers, *view.sensitive_attributes]
    checked = [check_levels(each, columns, view.hierarchies) for each in levels or (view.compare_at,)]
    return [view_of(view, view.quasi_identifiers, compare_at) for compare_at in checked]


def _one_class(tables: ComparedTables, column: str) -> ClassValues:
    """Everybody in one class."""
    counts = tables.table.marginal(column).counts
    values = np.flatnonzero(counts)
    return ClassValues(counts.sum(keepdims=True), np.zeros(1, np.int64), values, counts[values])


@dataclass(frozen=True, eq=False)
class LookupSubsets(SubsetTable):
    """Lookups by adversaries who know some of the quasi-identifiers, on the levels on which most is told.

    masks       bit i is set if the i-th quasi-identifier is in the subset; by size, then in the order of the columns
    on_levels   the lookups on each of the levels on which columns are compared
    unjudged    why an excess cannot be judged, if it cannot
    """

    masks: Integers
    on_levels: tuple[LookupsOnLevels, ...]
    unjudged: Callable[[], str | None]

    def __repr__(self) -> str:
        return f"<{len(self)} subsets of {quoted(self.known)}, looked up in {self._tables.records[RELEASED]} records>"

    @property
    def _tables(self) -> ComparedTables:
        """The tables on the first levels; on others they have the same columns and records."""
        return compared_tables(self.on_levels[0].view)

    @property
    def known(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self._tables.keys

    @property
    def attacks(self) -> tuple[str, ...]:
        """The measures, and the target of each that has one: `certain of illness`."""
        values = [f"{name} of {target}" for name in ABOUT_VALUES for target in self._tables.targets]
        return (*ABOUT_PEOPLE, *values)

    @cached_property
    def _found(self) -> dict[str, Found]:
        return {}

    def found(self, attack: str) -> Found:
        """The results of one of `attacks` with each subset, and without any attribute."""
        if attack not in self._found:
            self._found[attack] = _worst([own.found(attack, place) for place, own in enumerate(self.on_levels, 1)])
        return self._found[attack]

    def _compared_at(self, level: int) -> Mapping[str, int] | None:
        """The levels on which columns are compared, if there are several."""
        return None if len(self.on_levels) == 1 else self.on_levels[level - 1].view.compare_at

    def shares(self, attack: str, subset: Iterable[str]) -> LookupShares:
        """The exact shares of one of `attacks` with the subset of these attributes."""
        index = self.index(subset)
        worst = self.on_levels[int(self.found(attack).level[index]) - 1]
        return worst.shares(attack, self.attributes(int(self.masks[index])))

    def _fields(self, attack: str) -> Iterator[tuple[str, NDArray[Any]]]:
        """The columns of an attack and their numbers."""
        for field, numbers in self.found(attack)._asdict().items():
            if numbers is not None and (field != "level" or len(self.on_levels) > 1):
                yield attack_column(attack, field), numbers

    def _row(self, index: int) -> dict[str, Any]:
        row: dict[str, Any] = {
            "size": int(self.sizes[index]),
            "attributes": self.attributes(int(self.masks[index])),
        }
        for attack in self.attacks:
            row |= {column: numbers[index].item() for column, numbers in self._fields(attack)}
        return row

    def to_arrow(self) -> Any:
        """A PyArrow table with a row for each subset: its attributes, and the results of each measure."""
        import pyarrow as pa

        columns = self._columns_of_subsets()
        for attack in self.attacks:
            for column, numbers in self._fields(attack):
                columns[column] = (arrow_integers if numbers.dtype == np.int64 else arrow_reals)(numbers[:-1])
        return pa.Table.from_arrays(list(columns.values()), list(columns))

    def known_attributes(self) -> tuple[KnownForLookups, ...]:
        """The subsets with the lowest, median and highest excess, for each number of known attributes and each measure.

        Ties go to the first in the order of the columns; of two medians the lower is taken.
        """
        answers = []
        for size in sorted(set(self.sizes.tolist())):
            indices = np.flatnonzero(self.sizes == size)
            for attack in self.attacks:
                compared = self.found(attack).order[indices]
                order = indices[np.argsort(compared, kind="stable")]
                places = (order[0], order[(len(order) - 1) // 2], indices[np.argmax(compared)])
                cases = [self._case(attack, int(index)) for index in places]
                answers.append(KnownForLookups(size, attack, len(indices), *cases))
        return tuple(answers)

    def _case(self, attack: str, index: int) -> LookupCase:
        found, attributes = self.found(attack), tuple(self.attributes(int(self.masks[index])))
        share, compared_at = float(found.share[index]), self._compared_at(int(found.level[index]))
        if found.control is None or found.excess is None or found.low is None or found.high is None:
            return LookupCase(attributes, share, compared_at=compared_at)
        interval = float(found.low[index]), float(found.high[index])
        control, excess = float(found.control[index]), float(found.excess[index])
        return LookupCase(attributes, share, control, excess, interval, compared_at)

    def facts(self, limits: Mapping[str, Any]) -> LookupAnswers:
        """The conclusions from all subsets, for documents.

        limits   for found, certain, proportional and best-guess on the upper end of the interval of the excess, for
                 replicated-uniques and certain-in-both on the share; of all sensitive attributes, or `certain:NAME`
        """
        checked = self.check_limits(limits)
        return LookupAnswers(
            self._tables.records[ORIGINAL],
            self._tables.records[CONTROL],
            len(self),
            self.known_attributes(),
            tuple(self._limits(checked)),
            tuple(self._minimal_risky(checked)),
            tuple(self._contributions()) if self.is_complete else None,
        )

    def by_size(self) -> list[dict[str, Any]]:
        """The answers of `known_attributes()`, ready for JSON."""
        return [answer.to_dict() for answer in self.known_attributes()]

    def limits(self, limits: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Each limit with the highest number of all subsets, and whether that is within the limit; see `facts`."""
        return [limit.to_dict() for limit in self._limits(self.check_limits(limits))]

    def minimal_risky(self, limits: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The minimal subsets that exceed a limit (no smaller subset of them does), by size, the worst first."""
        return [subset.to_dict() for subset in self._minimal_risky(self.check_limits(limits))]

    def answers(self, limits: Mapping[str, Any]) -> dict[str, Any]:
        """The conclusions from all subsets, ready for JSON; with limits, also the verdict."""
        facts = self.facts(limits)
        satisfied = all(limit.satisfied for limit in facts.limits)
        return {**({"satisfied": satisfied} if limits else {}), "subsets": facts.to_dict()}

    def check_limits(self, limits: Mapping[str, Any]) -> dict[str, float]:
        """Check limits and return them as numbers; raise if there are no control people to judge one by."""
        share = parameters.Number(at_least=0, at_most=1)
        targets = self._tables.targets
        by_target = [f"{name}:{target}" for name in ABOUT_VALUES for target in targets]
        known = [*ABOUT_PEOPLE, *(ABOUT_VALUES if targets else ()), *by_target]
        checked: dict[str, float] = {}
        for limit, value in limits.items():
            if limit not in known:
                raise ParameterError(
                    "no limit is called {limit!r}; known: {known}", limit=limit, known=quoted(known), what=limit
                )
            checked[limit] = share.check(Phrase("a limit"), limit, value)
            if limit.partition(":")[0] not in WITHOUT_CONTROL:
                self._check_control(limit)
        return checked

    def _check_control(self, limit: str) -> None:
        reason = self.unjudged()
        if reason is not None:
            raise NotApplicable(
                "the limit {limit!r} cannot be judged: {reason}", Hint.CONTROL, limit=limit, reason=reason, what=limit
            )

    def _limits(self, checked: Mapping[str, float]) -> Iterator[LookupLimit]:
        for name, limit in checked.items():
            found = self._judged_by(name)
            place = int(np.argmax(found.compared))
            worst, compared_at = float(found.compared[place]), self._compared_at(int(found.level[place]))
            needed = self._control_needed(found, limit)
            yield LookupLimit(name, limit, worst, bool(at_most(worst, limit)), compared_at, needed)

    def _control_needed(self, found: Found, limit: float) -> int | None:
        """How many control people bring each subset to a limit; None if all keep it, or if no number does."""
        beyond = ~at_most(found.compared, limit)
        if found.control is None or found.excess is None or not beyond.any() or (found.excess[beyond] > limit).any():
            return None
        people = self._tables.records[ORIGINAL]
        shares = zip(found.share[beyond].tolist(), found.control[beyond].tolist(), strict=True)
        needed = [controls_needed(share, people, control, limit) for share, control in shares]
        return None if None in needed else max(FEWEST_CONTROLS, *(number for number in needed if number is not None))

    def _minimal_risky(self, checked: Mapping[str, float]) -> Iterator[RiskyForLookups]:
        for name, limit in checked.items():
            found = self._judged_by(name)
            level = dict(zip([*self.masks.tolist(), 0], found.level.tolist(), strict=True))
            nothing = float(found.compared[-1])
            beyond = [(0, nothing)] if not at_most(nothing, limit) else self.minimal_beyond(found.compared[:-1], limit)
            for mask, value in beyond:
                attributes, compared_at = tuple(self.attributes(mask)), self._compared_at(level[mask])
                yield RiskyForLookups(name, limit, attributes, value, compared_at)

    def _judged_by(self, limit: str) -> Found:
        """What is compared with a limit: the worst that its measure finds, about any of its sensitive attributes."""
        name, _, target = limit.partition(":")
        kinds = {attack: attack.partition(" of ") for attack in self.attacks}
        return _worst(
            [self.found(attack) for attack, (kind, _, of) in kinds.items() if kind == name and target in ("", of)]
        )

    def drivers(self) -> list[dict[str, Any]]:
        """The contribution of each quasi-identifier, ready for JSON."""
        if not self.is_complete:
            raise NotApplicable("what drives the risk is known only once all subsets are counted", Hint.ALL_SUBSETS)
        return [driver.to_dict() for driver in self._contributions()]

    def _contributions(self) -> Iterator[Driver]:
        """The contribution of each quasi-identifier to the excess, or without control people to the share.

        shapley    its share of the number with all quasi-identifiers less that without any; the shares add up to it
        without    the number without this quasi-identifier
        """
        players = len(self.known)
        by_mask = np.argsort(self.masks)
        for attack in self.attacks:
            compared = self.found(attack).order
            numbers = np.concatenate([compared[-1:], compared[:-1][by_mask]])
            for player, name in enumerate(self.known):
                without = float(numbers[(1 << players) - 1 - (1 << player)])
                yield Driver(
                    attribute=name, attack=attack, shapley=mean_contribution(numbers, players, player), without=without
                )


def mean_contribution(numbers: NDArray[np.float64], players: int, player: int) -> float:
    """The average gain by a player over all orders of joining; `numbers` are those of coalitions by bit mask."""
    masks = np.arange(1 << players)
    before = masks[masks >> player & 1 == 0]
    gains = numbers[before | 1 << player] - numbers[before]
    sizes = np.bitwise_count(before)
    orders = np.array([factorial(size) * factorial(players - size - 1) / factorial(players) for size in range(players)])
    return fsum((gains * orders[sizes]).tolist())
