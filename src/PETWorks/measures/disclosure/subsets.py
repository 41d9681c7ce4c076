"""Lookups by adversaries who know any subset of the quasi-identifiers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from math import factorial, fsum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.codes import Codes
from PETWorks.counting.counts import ClassValues, Integers, run_starts
from PETWorks.counting.engines.engine import memory_limit_in_bytes
from PETWorks.counting.release import Release
from PETWorks.counting.subsets.subset_counts import CountsBySubset
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.errors import Hint, NotApplicable, ParameterError, Phrase, RoleError, quoted
from PETWorks.json_types import Count, JSONObject, Names, Number
from PETWorks.measures import parameters
from PETWorks.measures.attacks.subsets import (
    Driver,
    RiskySubset,
    Sizes,
    SubsetLimit,
    SubsetTable,
    attack_column,
    count_feasible_subsets,
    parse_sizes,
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
)
from PETWorks.measures.disclosure.intervals import excess_interval
from PETWorks.measures.disclosure.lookups import (
    COUNTED,
    Lookups,
    Shares,
    Sums,
    check_values,
    kind_of_products,
    look_up,
    shares_of,
    why_unjudged,
)
from PETWorks.measures.result import at_most
from PETWorks.tables.arrays import arrow_reals

ABOUT_PEOPLE = ("found", "replicated-uniques")
ABOUT_VALUES = ("certain", "certain-in-both", "proportional", "best-guess")
WITHOUT_CONTROL = ("replicated-uniques", "certain-in-both")
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


class LookupCase(JSONObject, frozen=True):
    """Lookups by an adversary who knows these attributes."""

    attributes: Names
    share: Number
    control: Number = None
    excess: Number = None
    interval: tuple[float, float] | None = None


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


class LookupAnswers(JSONObject, frozen=True):
    """Lookups by every subset of the quasi-identifiers."""

    records: Count
    control_records: Count
    number: int
    if_they_know: tuple[KnownForLookups, ...]
    limits: tuple[SubsetLimit, ...]
    minimal_risky: tuple[RiskySubset, ...]
    drivers: tuple[Driver, ...] | None


class Found(NamedTuple):
    """The results of one measure with each subset; the last are those of an adversary who knows nothing.

    control, excess, low and high are None without control people.
    """

    share: NDArray[np.float64]
    control: NDArray[np.float64] | None = None
    excess: NDArray[np.float64] | None = None
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None

    @property
    def order(self) -> NDArray[np.float64]:
        """The numbers by which subsets are compared: the excess, or without control people the share."""
        return self.share if self.excess is None else self.excess


def look_up_subsets(
    release: Release | View,
    sizes: Sizes = "all",
    *,
    memory: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> "LookupSubsets":
    """Look people up with every subset of the quasi-identifiers, or with those of the given sizes.

    The release is compared with its original, and with control people if there are any. Records are counted, not
    people. The arguments are those of `every_subset`.

    >>> release = Release("data/people_synthetic.csv", original="data/people.csv", kind="synthetic")
    >>> look_up_subsets(release).row({"age"})["certain_share of illness"]
    0.5
    """
    view = release.view if isinstance(release, Release) else release
    columns, targets = view.quasi_identifiers, view.sensitive_attributes
    if not columns:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    missing = find_measure("found").lacks(view)
    if missing:
        missing.measure = None
        raise missing
    tables = compared_tables(view)
    for target in targets:
        check_values(tables, view, target)
    wanted = parse_sizes(sizes, len(columns))
    total = count_feasible_subsets(wanted, len(columns), tables.table.rows)
    scores = {by_table(target): [LookupScore(tables, target)] for target in targets}
    scores = scores or {EVERYONE: [LookupScore(tables, None)]}
    if memory is None:
        memory = release.memory_limit if isinstance(release, Release) else memory_limit_in_bytes(None)
    counted: CountsBySubset = {}
    if progress:
        progress(0, total)
    for family in tables.table.count_subsets(columns, list(scores), wanted, memory, counted.__contains__, scores):
        counted |= family
        if progress:
            progress(len(counted), total)
    masks = [
        sum(1 << index for index in chosen) for size in wanted for chosen in combinations(range(len(columns)), size)
    ]
    subsets = [frozenset(name for index, name in enumerate(columns) if mask >> index & 1) for mask in masks]
    nothing = {name: own[0].of_classes(_one_class(tables, name)) for name, own in scores.items()}
    lookups = {
        target: (*(counted[subset].gains[place] for subset in subsets), nothing[name])
        for place, (target, name) in enumerate(zip(targets or ("",), scores, strict=True))
    }
    return LookupSubsets(tables, np.array(masks, np.int64), lookups, partial(why_unjudged, view))


def _one_class(tables: ComparedTables, column: str) -> ClassValues:
    """Everybody in one class."""
    counts = tables.table.marginal(column).counts
    values = np.flatnonzero(counts)
    return ClassValues(counts.sum(keepdims=True), np.zeros(1, np.int64), values, counts[values])


@dataclass(frozen=True, eq=False)
class LookupSubsets(SubsetTable):
    """Lookups by adversaries who know some of the quasi-identifiers.

    tables      the tables that are compared
    masks       bit i is set if the i-th quasi-identifier is in the subset; by size, then in the order of the columns
    lookups     for each target those with each subset, and without any attribute; without targets for `""`
    unjudged    why an excess cannot be judged, if it cannot
    """

    tables: ComparedTables
    masks: Integers
    lookups: Mapping[str, Sequence[Lookups]]
    unjudged: Callable[[], str | None]

    def __repr__(self) -> str:
        return f"<{len(self)} subsets of {quoted(self.known)}, looked up in {self.tables.records[RELEASED]} records>"

    @property
    def known(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.tables.keys

    @property
    def attacks(self) -> tuple[str, ...]:
        """The measures, and the target of each that has one: `certain of illness`."""
        values = [f"{name} of {target}" for name in ABOUT_VALUES for target in self.tables.targets]
        return (*ABOUT_PEOPLE, *values)

    @cached_property
    def _found(self) -> dict[str, Found]:
        return {}

    def found(self, attack: str) -> Found:
        """The results of one of `attacks` with each subset, and without any attribute."""
        if attack not in self._found:
            self._found[attack] = self._find(attack)
        return self._found[attack]

    def _find(self, attack: str) -> Found:
        name, _, target = attack.partition(" of ")
        lookups = self.lookups[target] if target else next(iter(self.lookups.values()))
        people, controls = self.tables.records[ORIGINAL], self.tables.records[CONTROL]
        counted = [getattr(each, COUNTED[name]) for each in lookups]
        if isinstance(counted[0], int):
            return Found(np.array(counted) / people)
        share, control = (np.array([_number(each[which]) for each in counted]) for which in (0, 1))
        share /= people
        if not controls:
            return Found(share)
        control /= controls
        left = 1 - control
        excess = np.divide(share - control, left, out=np.zeros_like(share), where=left > 0)
        ends = [
            excess_interval(one, people, other, controls)
            for one, other in zip(share.tolist(), control.tolist(), strict=True)
        ]
        low, high = np.array(ends).T
        return Found(share, control, excess, low, high)

    def shares(self, attack: str, subset: Iterable[str]) -> Shares:
        """The exact shares of one of `attacks` with the subset of these attributes."""
        name, _, target = attack.partition(" of ")
        lookups = self.lookups[target] if target else next(iter(self.lookups.values()))
        return shares_of(name, self.tables, lookups[self.index(subset)], target or None)

    def _row(self, index: int) -> dict[str, Any]:
        row: dict[str, Any] = {
            "size": int(self.sizes[index]),
            "attributes": self.attributes(int(self.masks[index])),
        }
        for attack in self.attacks:
            for field, numbers in self.found(attack)._asdict().items():
                if numbers is not None:
                    row[attack_column(attack, field)] = float(numbers[index])
        return row

    def to_arrow(self) -> Any:
        """A PyArrow table with a row for each subset: its attributes, and the results of each measure."""
        import pyarrow as pa

        columns = self._columns_of_subsets()
        for attack in self.attacks:
            for field, numbers in self.found(attack)._asdict().items():
                if numbers is not None:
                    columns[attack_column(attack, field)] = arrow_reals(numbers[:-1])
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
        share = float(found.share[index])
        if found.control is None or found.excess is None or found.low is None or found.high is None:
            return LookupCase(attributes, share)
        interval = float(found.low[index]), float(found.high[index])
        return LookupCase(attributes, share, float(found.control[index]), float(found.excess[index]), interval)

    def facts(self, limits: Mapping[str, Any]) -> LookupAnswers:
        """The conclusions from all subsets, for documents.

        limits   for found, certain, proportional and best-guess on the upper end of the interval of the excess, for
                 replicated-uniques and certain-in-both on the share; of all sensitive attributes, or `certain:NAME`
        """
        checked = self.check_limits(limits)
        return LookupAnswers(
            self.tables.records[ORIGINAL],
            self.tables.records[CONTROL],
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
        targets = self.tables.targets
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

    def _limits(self, checked: Mapping[str, float]) -> Iterator[SubsetLimit]:
        for name, limit in checked.items():
            worst = float(self._risks(name).max())
            yield SubsetLimit(name, limit, worst, bool(at_most(worst, limit)))

    def _minimal_risky(self, checked: Mapping[str, float]) -> Iterator[RiskySubset]:
        for name, limit in checked.items():
            risks = self._risks(name)
            nothing = float(risks[-1])
            beyond = [(0, nothing)] if not at_most(nothing, limit) else self.minimal_beyond(risks[:-1], limit)
            for mask, value in beyond:
                yield RiskySubset(name, limit, tuple(self.attributes(mask)), value)

    def _risks(self, limit: str) -> NDArray[np.float64]:
        """The numbers to compare with a limit: those of each subset, and that of an adversary who knows nothing."""
        name, _, target = limit.partition(":")
        attacks = [attack for attack in self.attacks if attack in (name, f"{name} of {target}")]
        if not target:
            attacks = [attack for attack in self.attacks if attack.partition(" of ")[0] == name]
        found = [self.found(attack) for attack in attacks]
        return np.asarray(np.max([each.share if each.high is None else each.high for each in found], axis=0))

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


def _number(counted: int | Sums) -> float:
    """A number, or the sum of fractions."""
    if isinstance(counted, int):
        return float(counted)
    return fsum(numerator / denominator for denominator, numerator in counted.items())
