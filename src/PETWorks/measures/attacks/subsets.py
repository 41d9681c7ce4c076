"""Re-identification and attribute inference by adversaries who know any subset of the quasi-identifiers.

A checkpoint is a file with the finished part of a long run: one JSON object per line, first the table and options, then
a line for each finished subset. Lines are only appended, so a run that is stopped in any way loses at most the line it
was writing.
"""

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, factorial
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.kinds import GENERALISED
from PETWorks.counting.counts import Integers, Marginal
from PETWorks.counting.engines.engine import memory_limit_in_bytes
from PETWorks.counting.release import Release
from PETWorks.counting.subsets.subset_counts import CountsBySubset, GainScore, Subset, SubsetCounts
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.displayable import Displayable
from PETWorks.errors import (
    Hint,
    InputError,
    Joined,
    NotApplicable,
    ParameterError,
    Phrase,
    RoleError,
    quoted,
    system_reason,
)
from PETWorks.json_types import Bound, Count, JSONObject, Names, Number, Real
from PETWorks.measures import parameters
from PETWorks.measures.attacks.inference import Worth, WorthByValue, check_worth
from PETWorks.measures.attacks.reidentification import vulnerability
from PETWorks.measures.result import at_most
from PETWorks.tables.arrays import arrow_integers, arrow_reals, lists, strings
from PETWorks.tables.frames import Rows
from PETWorks.tables.output import write_whole

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
    share, gain = parameters.Number(at_least=0, at_most=1), parameters.Number(at_least=0)
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


FORMAT = 1
MAX_BYTES = 1 << 32


FIELD_NAMES = {
    "quasi_identifiers": Phrase("quasi identifiers"),
    "sensitive_attributes": Phrase("sensitive attributes"),
    "sizes": Phrase("sizes"),
    "records": Phrase("records"),
    "table": Phrase("table"),
    "worth": Phrase("worth"),
}  # names of the fields in error messages


class Checkpoint:
    """The counts of finished subsets of columns, kept in a file.

    about      the table and the options; a file with different ones is refused
    finished   the subsets in the file when it was opened
    """

    def __init__(
        self, path: Path, columns: Sequence[str], sensitive: Sequence[str], about: Mapping[str, Any], *, resume: bool
    ) -> None:
        self.path = path
        self.columns, self.sensitive, self.about = columns, sensitive, about
        self.gains = len(about.get("worth", ()))
        self.finished: dict[Any, Any] = {}
        head = {"petworks_subsets": FORMAT, "quasi_identifiers": list(columns)}
        head |= {"sensitive_attributes": list(sensitive), **about}
        try:
            if path.is_symlink() or (path.exists() and not path.is_file()):
                raise InputError(
                    "{file}: expected a regular file for the finished subsets, not a link or a folder", file=path.name
                )
            if not path.exists():
                write_whole({path: (json.dumps(head, ensure_ascii=False) + "\n").encode()})
            elif resume:
                self._read(head)
            else:
                raise InputError(
                    "{file}: the file of an unfinished run; remove it to start over, or resume the run",
                    Hint.RESUME,
                    file=path.name,
                )
        except OSError as error:
            raise InputError("cannot write {path!r}: {reason}", path=str(path), reason=system_reason(error)) from None

    def add(self, finished: Mapping[Any, Any]) -> None:
        """Add finished subsets to the file."""
        lines = [self._line(subset, counts) for subset, counts in finished.items()]
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        except OSError as error:
            raise InputError(
                "cannot write {path!r}: {reason}", path=str(self.path), reason=system_reason(error)
            ) from None

    def _read(self, head: Mapping[str, Any]) -> None:
        """Read the finished subsets; a last line that was cut off is removed from the file."""
        name = self.path.name
        if self.path.stat().st_size > MAX_BYTES:
            raise InputError("{file}: the file is too large for finished subsets", file=name)
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        try:
            first, *lines = [json.loads(line) for line in whole.split(b"\n")[:-1]]
            other = [key for key in head if first.get(key) != head[key]]
            self.finished = {} if other else dict(self._counts(line, head["sizes"], head["records"]) for line in lines)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(
                "{file}: not a file of finished subsets, or damaged; remove it to start over", file=name
            ) from None
        if other:
            raise InputError(
                "{file}: the file of another run, with different {other}; give the same table "
                "and options, or remove the file to start over",
                file=name,
                other=Joined(", ", [FIELD_NAMES.get(key, key.replace("_", " ")) for key in other]),
            )
        if len(whole) < len(content):
            os.truncate(self.path, len(whole))

    def _line(self, subset: Any, counts: Any) -> dict[str, Any]:
        """A finished subset and its counts, for the file."""
        return {
            "attributes": self._names(subset),
            **{name: number for name, number in counts._asdict().items() if name != "gains" or self.gains},
            "right_guesses": dict(zip(self.sensitive, counts.right_guesses, strict=True)),
        }

    def _names(self, subset: Subset) -> list[str]:
        return [name for name in self.columns if name in subset]

    def _subset(self, names: Sequence[str], sizes: Sequence[int]) -> Subset:
        """The subset of these columns; raise if it is none that is counted."""
        subset = frozenset(names)
        if not (subset <= set(self.columns) and len(subset) == len(names) and len(subset) in sizes):
            raise ValueError
        return subset

    def _counts(self, line: Mapping[str, Any], sizes: Sequence[int], records: int) -> tuple[Any, Any]:
        """A finished subset and its counts; raise if the counts are impossible."""
        subset = self._subset(line["attributes"], sizes)
        guesses = tuple(line["right_guesses"][name] for name in self.sensitive)
        gains = tuple(line["gains"]) if self.gains else ()
        counts = SubsetCounts(line["classes"], line["uniques"], line["smallest_class"], guesses, gains)
        whole = all(type(number) is int for number in (*counts[:3], *guesses, *gains)) and len(gains) == self.gains
        if not whole or not 0 <= counts.uniques <= counts.classes:
            raise ValueError
        if not 1 <= counts.smallest_class * counts.classes <= records:
            raise ValueError
        if not all(counts.classes <= guess <= records for guess in guesses) or any(gain < 0 for gain in gains):
            raise ValueError
        return subset, counts


class SubsetCase(JSONObject, frozen=True):
    """An attack by an adversary who knows these attributes."""

    attributes: Names
    unique_share: Number
    prior: Number
    posterior: Number
    multiplicative_leakage: Real | Bound | None = None
    additive_leakage: Real | Bound | None = None


class KnownAttributes(JSONObject, frozen=True):
    """An attack by adversaries who know this many attributes: the subsets with lowest, median and highest risk."""

    known: int
    attack: str
    subsets: int
    lowest: SubsetCase
    median: SubsetCase
    highest: SubsetCase


class SubsetLimit(JSONObject, frozen=True):
    """A limit that every subset must keep, and the worst value."""

    limit: str
    at_most: Real
    worst: Number
    satisfied: bool


class RiskySubset(JSONObject, frozen=True):
    """A subset beyond a limit, without a smaller subset in it that is also beyond."""

    limit: str
    at_most: Real
    attributes: Names
    value: Number


class Driver(JSONObject, frozen=True, kw_only=True):
    """Contribution of a quasi-identifier to the risk of an attack."""

    attribute: str
    attack: str
    shapley: Number
    shapley_exact: str | None = None
    without: Number


class SubsetAnswers(JSONObject, frozen=True):
    """Attacks with every subset of the quasi-identifiers."""

    records: Count
    number: int
    if_they_know: tuple[KnownAttributes, ...]
    limits: tuple[SubsetLimit, ...]
    minimal_risky: tuple[RiskySubset, ...]
    drivers: tuple[Driver, ...] | None


class Attack(NamedTuple):
    """Successes of an attack without and with each subset, and the number to divide by to get a chance or a gain."""

    prior: int
    hits: Integers
    of: int


def attack_column(attack: str, field: str) -> str:
    """The name of a column: `re_identification_posterior`, `attribute_inference_posterior of Disease`.

    >>> attack_column("attribute-inference of zip-code", "prior")
    'attribute_inference_prior of zip-code'
    """
    name, of, column = attack.partition(" of ")
    return f"{name.replace('-', '_')}_{field}{of}{column}"


def shapley_share(values: Integers, players: int, player: int) -> Fraction:
    """The Shapley value of a player: the average gain over all orders of joining.

    values   the value of each coalition, indexed by its bit mask
    """
    masks = np.arange(1 << players)
    before = masks[masks >> player & 1 == 0]
    gains = values[before | 1 << player] - values[before]
    sizes = np.bitwise_count(before)
    share = Fraction(0)
    for size in range(players):
        orders = factorial(size) * factorial(players - size - 1)
        share += Fraction(int(gains[sizes == size].sum()) * orders, factorial(players))
    return share


RE_IDENTIFICATION = "re-identification"


def every_subset(
    release: Release | View,
    sizes: Sizes = "all",
    *,
    worth: WorthByValue | None = None,
    memory: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> "Subsets":
    """Attack a table with every subset of its quasi-identifiers, or with those of the given sizes.

    sizes        "all", 3, "1-3", "1,3" or [1, 3]
    worth        what it is worth to an adversary to guess a value, 1 by default: {"grade": {"A": 10}}
    memory       bytes to work in, beside the table; by default the limit of the release
    checkpoint   a file for finished subsets; with `resume` the run continues from it. It is not removed: the caller
                 removes it when the result is saved
    progress     called with the number of finished subsets and the number of all

    >>> subsets = every_subset(Release("data/patient_anonymized.csv"))
    >>> subsets.row({"Age"})["classes"], subsets.row({"Age", "ZIPCode"})["classes"]
    (2, 3)
    """
    columns, sensitive = known_columns(release), release.sensitive_attributes
    view = release.view if isinstance(release, Release) else release
    if view.kind != GENERALISED:
        raise NotApplicable("classes of a table that is not generalised hide nobody; use attack, which looks people up")
    wanted = parse_sizes(sizes, len(columns))
    total = count_feasible_subsets(wanted, len(columns), release.records)
    marginals = {column: release.marginal(column) for column in sensitive}
    missing = {
        column: marginals[column].values.index(None) for column in sensitive if view.required_column(column) is not None
    }
    counted = {column: each.without_missing() if column in missing else each for column, each in marginals.items()}
    priors = {column: int(marginal.counts.max(initial=0)) for column, marginal in counted.items()}
    values = {column: marginal.values for column, marginal in counted.items()}
    worths = check_worth(worth, values, release.records, folds=view.folds_values)
    units = _units(marginals, missing, worths)
    scores = {column: [GainScore(row) for row in rows] for column, rows in units.items()}
    finished: CountsBySubset = {}
    kept = None
    if checkpoint is not None:
        fingerprint = release.table.fingerprint((*columns, *sensitive))
        about = {"sizes": list(wanted), "records": release.records, "table": fingerprint}
        about |= _units_by_name(units, missing, worths)
        kept = Checkpoint(Path(checkpoint), columns, sensitive, about, resume=resume)
        finished |= kept.finished
    if progress:
        progress(len(finished), total)
    if len(finished) < total:
        if memory is None:
            memory = release.memory_limit if isinstance(release, Release) else memory_limit_in_bytes(None)
        for family in release.table.count_subsets(columns, sensitive, wanted, memory, finished.__contains__, scores):
            if kept is not None:
                kept.add({subset: counts for subset, counts in family.items() if subset not in finished})
            finished |= family
            if progress:
                progress(len(finished), total)
    masks = masks_of_sizes(wanted, len(columns))
    counts = [finished[subset_of(mask, columns)] for mask in masks]
    right_guesses, gained = _guesses_and_gains(counts, sensitive, units, missing, worths)
    prior_gains = {column: (own_worth, own_worth.prior(counted[column].counts)) for column, own_worth in worths.items()}
    return Subsets(
        columns,
        release.records,
        priors,
        np.array(masks, np.int64),
        np.array([found.classes for found in counts], np.int64),
        np.array([found.uniques for found in counts], np.int64),
        np.array([found.smallest_class for found in counts], np.int64),
        right_guesses,
        prior_gains,
        gained,
        {column: counted[column].records for column in missing},
    )


def _units_by_name(
    units: Mapping[str, Integers], missing: Collection[str], worths: Mapping[str, Worth]
) -> dict[str, Any]:
    """What the gains are counted in, for the first line of a checkpoint; nothing if no gains are counted."""
    if missing:
        return {"worth": [row.tolist() for rows in units.values() for row in rows]}
    return {"worth": {column: worth.units.tolist() for column, worth in worths.items()}} if worths else {}


def _guesses_and_gains(
    counts: Sequence[SubsetCounts],
    sensitive: Sequence[str],
    units: Mapping[str, Any],
    missing: Collection[str],
    worths: Collection[str],
) -> tuple[dict[str, Integers], dict[str, Integers]]:
    """The right guesses of each sensitive attribute with each subset, and the gains where values have a worth.

    missing   attributes whose missing value does not count: their right guesses were counted as gains
    """
    guesses = np.array([found.right_guesses for found in counts], np.int64).reshape(len(counts), len(sensitive))
    right_guesses = dict(zip(sensitive, guesses.T, strict=True))
    gained: dict[str, Integers] = {}
    gains = iter(np.array([found.gains for found in counts], np.int64).T)
    for column in units:  # in the order in which they were counted
        right_guesses |= {column: next(gains)} if column in missing else {}
        gained |= {column: next(gains)} if column in worths else {}
    return right_guesses, gained


def masks_of_sizes(sizes: Iterable[int], columns: int) -> list[int]:
    """The subsets of these sizes as bit masks, by size, then in the order of the columns."""
    return [sum(1 << index for index in chosen) for size in sizes for chosen in combinations(range(columns), size)]


def subset_of(mask: int, columns: Sequence[str]) -> frozenset[str]:
    """The subset of the columns that a bit mask stands for."""
    return frozenset(name for index, name in enumerate(columns) if mask >> index & 1)


def _units(
    marginals: Mapping[str, Marginal], missing: Mapping[str, int], worths: Mapping[str, Worth]
) -> dict[str, NDArray[np.int64]]:
    """The units that a right guess scores, by code: 1, but 0 for a missing value left out; then the worth, if any.

    Attributes whose values all score 1 are not listed, because their right guesses are counted anyway.
    """
    units: dict[str, NDArray[np.int64]] = {}
    for column, marginal in marginals.items():
        worth, index = worths[column].units if column in worths else None, missing.get(column)
        counted = [np.ones(len(marginal.values) - (index is not None), np.int64)] if index is not None else []
        counted += [] if worth is None else [worth]
        if counted:
            units[column] = np.array(counted if index is None else [np.insert(scores, index, 0) for scores in counted])
    return units


class SubsetTable(Rows, Displayable):
    """A table with a row for each subset of the quasi-identifiers.

    masks   bit i is set if the i-th quasi-identifier is in the subset; by size, then in the order of the columns
    """

    @property
    def known(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        raise NotImplementedError

    masks: Integers

    def __len__(self) -> int:
        return len(self.masks)

    @cached_property
    def sizes(self) -> Integers:
        """The number of attributes of each subset."""
        return np.bitwise_count(self.masks).astype(np.int64)

    @property
    def is_complete(self) -> bool:
        """Whether subsets of all sizes were counted."""
        return len(self) == (1 << len(self.known)) - 1

    def attributes(self, mask: int) -> list[str]:
        """The names of the quasi-identifiers in a subset."""
        return [name for index, name in enumerate(self.known) if mask >> index & 1]

    def row(self, subset: Iterable[str]) -> dict[str, Any]:
        """The counts and risks of the subset with these attributes."""
        return self._row(self.index(subset))

    def index(self, subset: Iterable[str]) -> int:
        """The place of the subset with these attributes; raise if it was not counted."""
        names = {subset} if isinstance(subset, str) else set(subset)
        if not names <= set(self.known):
            raise ParameterError(
                "expected some of the quasi-identifiers {quasi_identifiers}, got {names}",
                quasi_identifiers=quoted(self.known),
                names=quoted(sorted(names)),
            )
        found = np.flatnonzero(self.masks == sum(1 << self.known.index(name) for name in names))
        if len(found) == 0:
            raise ParameterError("subsets of {number} attributes were not counted", number=len(names))
        return int(found[0])

    def _row(self, index: int) -> dict[str, Any]:
        raise NotImplementedError

    def to_dicts(self) -> list[dict[str, Any]]:
        """All rows, ready for JSON."""
        return [self._row(index) for index in range(len(self))]

    def minimal_beyond(self, risks: NDArray[np.float64], limit: float) -> list[tuple[int, float]]:
        """The minimal subsets whose number is beyond a limit, with that number: by size, the worst first."""
        beyond = ~at_most(risks, limit)
        masks, values = self.masks[beyond], risks[beyond]
        minimal = []
        while len(masks):
            # Subsets are ordered by size, so the first contains none of the others.
            minimal.append((int(masks[0]), float(values[0])))
            rest = masks & masks[0] != masks[0]
            masks, values = masks[rest], values[rest]
        return sorted(minimal, key=lambda pair: (pair[0].bit_count(), -pair[1]))

    def _columns_of_subsets(self) -> dict[str, Any]:
        """The size and the attributes of each subset, as Arrow arrays."""
        names = [self.attributes(mask) for mask in self.masks.tolist()]
        return {
            "size": arrow_integers(self.sizes),
            "attributes": lists(self.sizes.tolist(), strings([name for subset in names for name in subset])),
        }


@dataclass(frozen=True, eq=False)
class Subsets(SubsetTable):
    """Attacks by adversaries who know some of the quasi-identifiers; each array has a number for each subset of them.

    priors           for each sensitive attribute, the number of records with its most frequent value
    masks            bit i is set if the i-th quasi-identifier is in the subset; by size, then in the order of the
                     columns
    uniques          classes with one record
    smallest_class   the size of the smallest class
    right_guesses    for each sensitive attribute, the number of records with the most frequent value of their class
    worths           for each attribute with a worth, that worth, and the units that one guess for all records gains
    gains            for each attribute with a worth, the units that the best guesses gain
    with_a_value     for each attribute whose missing values are left out, the number of records that have a value
    """

    quasi_identifiers: tuple[str, ...]
    records: int
    priors: Mapping[str, int]
    masks: Integers
    classes: Integers
    uniques: Integers
    smallest_class: Integers
    right_guesses: Mapping[str, Integers]
    worths: Mapping[str, tuple[Worth, int]] = field(default_factory=dict)
    gains: Mapping[str, Integers] = field(default_factory=dict)
    with_a_value: Mapping[str, int] = field(default_factory=dict)

    @property
    def known(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.quasi_identifiers

    def __repr__(self) -> str:
        return f"<{len(self)} subsets of {quoted(self.quasi_identifiers)} in {self.records} records>"

    @property
    def counts(self) -> list[SubsetCounts]:
        """The counts of each subset."""
        guesses = [tuple(row) for row in np.array([*self.right_guesses.values()], np.int64).T.tolist()]
        numbers = (self.classes.tolist(), self.uniques.tolist(), self.smallest_class.tolist())
        gains = [tuple(row) for row in np.array([*self.gains.values()], np.int64).T.tolist()]
        nothing: list[tuple[int, ...]] = [()] * len(self)
        return [SubsetCounts(*counts) for counts in zip(*numbers, guesses or nothing, gains or nothing, strict=True)]

    @property
    def attacks(self) -> dict[str, Attack]:
        """The successes of each attack, without and with each subset; for gains, in units of worth."""
        inference = {
            f"attribute-inference of {column}": Attack(prior, self.right_guesses[column], self._people(column))
            for column, prior in self.priors.items()
        }
        gains = {
            f"gain of {column}": Attack(prior, self.gains[column], self._people(column) * worth.scale)
            for column, (worth, prior) in self.worths.items()
        }
        return {RE_IDENTIFICATION: Attack(1, self.classes, self.records), **inference, **gains}

    def _people(self, column: str) -> int:
        """The number of records with a value that can be guessed; at least 1, because it is divided by."""
        return max(self.with_a_value.get(column, self.records), 1)

    def _row(self, index: int) -> dict[str, Any]:
        row = {
            "size": int(self.sizes[index]),
            "attributes": self.attributes(int(self.masks[index])),
            "classes": int(self.classes[index]),
            "uniques": int(self.uniques[index]),
            "smallest_class": int(self.smallest_class[index]),
        }
        for attack, (prior, hits, of) in self.attacks.items():
            risks = vulnerability(prior, int(hits[index]), of)
            row |= {attack_column(attack, name): value for name, value in risks.items()}
        return row

    def to_arrow(self) -> Any:
        """A PyArrow table with a row for each subset: its attributes, its counts, and each attack."""
        import pyarrow as pa

        columns = self._columns_of_subsets()
        for name in ("classes", "uniques", "smallest_class"):
            columns[name] = arrow_integers(getattr(self, name))
        for attack, (prior, hits, of) in self.attacks.items():
            for name, values in vulnerability(prior, hits, of).items():
                columns[attack_column(attack, name)] = arrow_reals(np.broadcast_to(values, hits.shape))
        return pa.Table.from_arrays(list(columns.values()), list(columns))

    def by_size(self) -> list[dict[str, Any]]:
        """The answers of `known_attributes()`, ready for JSON."""
        return [answer.to_dict() for answer in self.known_attributes()]

    def known_attributes(self) -> tuple[KnownAttributes, ...]:
        """The subsets with lowest, median and highest risk, for each number of known attributes and each attack.

        Ties go to the first in the order of the columns; of two medians the lower is taken.
        """
        answers = []
        for size in sorted(set(self.sizes.tolist())):
            indices = np.flatnonzero(self.sizes == size)
            for attack, (prior, hits, of) in self.attacks.items():
                order = indices[np.argsort(hits[indices], kind="stable")]
                highest = indices[np.argmax(hits[indices])]
                cases = [
                    SubsetCase(
                        tuple(self.attributes(int(self.masks[index]))),
                        int(self.uniques[index]) / self.records,
                        **vulnerability(prior, int(hits[index]), of),
                    )
                    for index in (order[0], order[(len(order) - 1) // 2], highest)
                ]
                answers.append(KnownAttributes(size, attack, len(indices), *cases))
        return tuple(answers)

    def minimal_risky(self, limits: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The minimal subsets that exceed a limit (no smaller subset of them does), by size, the worst first.

        If an adversary who knows nothing exceeds it already, that is the only answer, without attributes.

        limits   highest-risk: 1/(size of the smallest class); average-risk: the posterior of re-identification;
                 uniques: share of unique records; inference: the posterior of any sensitive attribute, or
                 inference:NAME of one; gain: what guesses gain on average, or gain:NAME of one attribute with a worth
        """
        return [subset.to_dict() for subset in self._minimal_risky(limits)]

    def _minimal_risky(self, limits: Mapping[str, Any]) -> Iterator[RiskySubset]:
        for name, limit in check_limits(limits, self.priors, self.worths).items():
            risks, guessing = self._risks(name)
            risky = self.minimal_beyond(risks, limit) if at_most(guessing, limit) else [(0, guessing)]
            for mask, value in risky:
                yield RiskySubset(name, limit, tuple(self.attributes(mask)), value)

    def limits(self, limits: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Each limit with the highest value of all subsets, and whether that is within the limit."""
        return [limit.to_dict() for limit in self._limits(limits)]

    def _limits(self, limits: Mapping[str, Any]) -> Iterator[SubsetLimit]:
        for name, limit in check_limits(limits, self.priors, self.worths).items():
            worst = max(float(self._risks(name)[0].max()), self._risks(name)[1])
            yield SubsetLimit(name, limit, worst, bool(at_most(worst, limit)))

    def _risks(self, limit: str) -> tuple[NDArray[np.float64], float]:
        """The values to compare with a limit: that of each subset, and that of an adversary who knows nothing."""
        name, colon, column = limit.partition(":")
        if name == "highest-risk":
            return np.asarray(1 / self.smallest_class), 1 / self.records
        if name == "inference":
            chosen = [known for known in self.priors if not colon or column == known]
            guesses = [self.right_guesses[known] / self._people(known) for known in chosen]
            return np.max(guesses, axis=0), max(self.priors[known] / self._people(known) for known in chosen)
        if name == "gain":
            attacks = [self.attacks[f"gain of {known}"] for known in self.worths if not colon or column == known]
            return np.max([attack.hits / attack.of for attack in attacks], axis=0), max(
                attack.prior / attack.of for attack in attacks
            )
        if name == "uniques":
            return np.asarray(self.uniques / self.records), float(self.records == 1)
        return np.asarray(self.classes / self.records), 1 / self.records

    def answers(self, limits: Mapping[str, Any]) -> dict[str, Any]:
        """The conclusions from all subsets, ready for JSON; with limits, also the verdict."""
        facts = self.facts(limits)
        return {**({"satisfied": not facts.minimal_risky} if limits else {}), "subsets": facts.to_dict()}

    def facts(self, limits: Mapping[str, Any]) -> SubsetAnswers:
        """The conclusions from all subsets, for documents."""
        return SubsetAnswers(
            self.records,
            len(self),
            self.known_attributes(),
            tuple(self._limits(limits)),
            tuple(self._minimal_risky(limits)),
            self.contributions() if self.is_complete else None,
        )

    def drivers(self) -> list[dict[str, Any]]:
        """The answers of `contributions()`, ready for JSON."""
        return [driver.to_dict() for driver in self.contributions()]

    def contributions(self) -> tuple[Driver, ...]:
        """The contribution of each quasi-identifier to the risk of each attack.

        shapley    its exact share of posterior - prior with all quasi-identifiers; the shares add up to it
        without    the posterior without this quasi-identifier
        """
        if not self.is_complete:
            raise NotApplicable("what drives the risk is known only once all subsets are counted", Hint.ALL_SUBSETS)
        n = len(self.quasi_identifiers)
        by_mask = np.argsort(self.masks)
        drivers = []
        for attack, (prior, hits, of) in self.attacks.items():
            successes = np.concatenate([[prior], hits[by_mask]])
            for index, name in enumerate(self.quasi_identifiers):
                share = shapley_share(successes, n, index) / of
                without = int(successes[(1 << n) - 1 - (1 << index)]) / of
                drivers.append(
                    Driver(
                        attribute=name,
                        attack=attack,
                        shapley=float(share),
                        shapley_exact=str(share),
                        without=without,
                    )
                )
        return tuple(drivers)
