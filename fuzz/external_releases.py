"""A search for what outsiders can compute from the external edition of a check with an earlier release.

Like `external_search`, for pairs of releases in which nearly all people are alike. There are too many of them to try
all. So a count that is pinned among those that were tried is looked for among others, too.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from fuzz.external_search import Table, Twin, exactly
from PETWorks import read_policy
from PETWorks.gate.document.check_document import (
    CheckDocument,
    ReleaseOfSet,
    ReleasesFacts,
    RuleResult,
    SetAttack,
    SetConfidence,
    SetIntersection,
    SetShare,
    SetStep,
)
from PETWorks.gate.external.protected import protected
from PETWorks.gate.policy.policy_rules import TOGETHER

POLICY = """petworks_policy: 1
data: now.csv
cell_size: 5
roles: {quasi_identifiers: [a], sensitive_attributes: [s], identifiers: [id]}
rules: [{measure: k-anonymity, k: 5}]
no_rule: {s: a test}
"""
EARLIER = """releases:
  key: id
  earlier: [{data: then.csv, recipients: somebody, roles: {quasi_identifiers: [b], sensitive_attributes: [s]}}]
"""


class Pair(NamedTuple):
    """Two releases about the same people.

    How many are in each class of the one, each class of the other (the last: not in it), with each value of the
    sensitive attribute, which is the same in both.
    """

    cells: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def records(self) -> int:
        """The number of people in the release that is checked."""
        return sum(count for row in self.cells for cell in row for count in cell)

    @property
    def focal(self) -> Table:
        """The release that is checked, alone."""
        rows = (tuple(map(sum, zip(*row, strict=True))) for row in self.cells)
        return Table(tuple(row for row in rows if sum(row)))

    @property
    def earlier(self) -> list[tuple[int, ...]]:
        """For each class of the earlier release, and for those who are not in it, how many have each value."""
        return [tuple(map(sum, zip(*column, strict=True))) for column in zip(*self.cells, strict=True)]

    @property
    def disclosed(self) -> int:
        """People of the earlier release for whom one value is left."""
        left = 0
        for row in self.cells:
            offered = [sum(values) > 0 for values in zip(*row, strict=True)]
            for column, cell in list(enumerate(row))[:-1]:
                there = [count > 0 for count in self.earlier[column]]
                both = sum(one and other for one, other in zip(offered, there, strict=True))
                left += sum(cell) if both == 1 else 0
        return left

    @property
    def in_common(self) -> int:
        """People who are in both releases."""
        return sum(map(sum, self.earlier[:-1]))

    def counts(self, _cell_size: int) -> dict[str, int]:
        """Numbers of people that an outsider must not learn if they are small."""
        joined = [sum(cell) for row in self.cells for cell in row]
        earlier = [sum(column) for column in self.earlier]
        return {
            "alone in both": joined.count(1),
            "alone in this one": self.focal.sizes.count(1),
            "alone in the earlier one": earlier.count(1),
            "in common": self.in_common,
            "not in common": self.records - self.in_common,
            "disclosed": self.disclosed,
        }

    def write(self, folder: Path) -> None:
        """Both tables, with a key."""
        now, then = ["id;a;s"], ["id;b;s"]
        for row, columns in enumerate(self.cells):
            for column, values in enumerate(columns):
                for value, count in enumerate(values):
                    for _ in range(count):
                        now.append(f"p{len(now)};a{row};v{value}")
                        if column < len(columns) - 1:
                            then.append(f"p{len(now) - 1};b{column};v{value}")
        (folder / "now.csv").write_text("\n".join(now) + "\n")
        (folder / "then.csv").write_text("\n".join(then) + "\n")


def split_classes(records: int) -> Iterator[Pair]:
    """Pairs with so many people in at most two classes; the earlier release splits each in three, two of them small."""
    for first in (*range(7), records // 2):
        for one, other in product(_thirds(first), _thirds(records - first)):
            rows = tuple(tuple((count,) for count in row) for row in (one, other))
            yield Pair(rows)


def _thirds(number: int) -> list[tuple[int, ...]]:
    parts = product(range(min(number, 6) + 1), repeat=2)
    return [(number - one - other, one, other) for one, other in parts if one + other <= number]


def few_others(records: int, most: int) -> Iterator[Pair]:
    """Pairs in which nearly all people are alike: up to so many are in each of the other cells."""
    for counts in product(range(most + 1), repeat=7):
        rest = records - sum(counts)
        cells = ((rest, counts[0]), (counts[1], counts[2])), ((counts[3], counts[4]), (counts[5], counts[6]))
        none = ((0, 0),)
        yield Pair(tuple((*row, *none) for row in cells))


class PairTwin:
    """What a check counts of such pairs, literally."""

    def __init__(self, folder: Path, limits: dict[str, float]) -> None:
        (folder / "now.csv").write_text("a;s\nx;y\n")
        path = folder / "twin.yaml"
        path.write_text(POLICY)
        self.twin, self.limits = Twin(read_policy(path)), limits

    def document(self, pair: Pair) -> CheckDocument:
        """The internal edition, as far as the protected statistics are made from it."""
        document, people = self.twin.document(pair.focal), pair.records
        joined = [sum(cell) for row in pair.cells for cell in row if sum(cell)]
        earlier = [sum(column) for column in pair.earlier if sum(column)]
        focal = pair.focal.sizes
        steps = [_step(1, earlier, people), _step(2, joined, people)]
        values = [
            _guesses([column for column in pair.earlier if sum(column)]),
            _guesses([cell for row in pair.cells for cell in row if sum(cell)]),
            _guesses([row for row in pair.focal.classes if sum(row)]),
        ]
        commonest = max(sum(row[value] for row in pair.focal.classes) for value in range(len(pair.focal.classes[0])))
        common = pair.in_common
        known = SetConfidence(1, pair.disclosed / max(common, 1), 1.0, common)
        facts = ReleasesFacts(
            measured=1,
            not_measured=0,
            releases=(ReleaseOfSet(number=1, name=None, this=False, measured=True),),
            attacks=(
                _attack("re-identification", steps, [1, len(earlier), len(focal), len(joined)], people),
                _attack(
                    "attribute-inference of s",
                    [SetStep(1, values[0] / people, 0.0), SetStep(2, values[1] / people, 0.0)],
                    [commonest, values[0], values[2], values[1]],
                    people,
                ),
            ),
            unlinked=() if not common else (SetIntersection("s", common, known.disclosed, 1.0, (known,), (known,)),),
        )
        rules = tuple(self._rule(document.rules[0], name, at_most, pair) for name, at_most in self.limits.items())
        return replace(document, releases=facts, rules=(*document.rules, *rules))

    def _rule(self, like: RuleResult, name: str, at_most: float, pair: Pair) -> RuleResult:
        joined = [cell for row in pair.cells for cell in row if sum(cell)]
        people = pair.records
        value = {
            "re-identification": Fraction(len(joined), people),
            "alone": Fraction([sum(cell) for cell in joined].count(1), people),
            "inference": Fraction(_guesses(joined), people),
            "disclosed": Fraction(pair.disclosed, pair.in_common or 1),
        }[name]
        holds = value <= exactly(at_most)
        return replace(
            like,
            name=f"{TOGETHER}: {name}",
            measure=TOGETHER,
            parameters={name: at_most},
            verdict="pass" if holds else "fail",
            satisfied=holds,
        )


def also_possible(twin: PairTwin, pair: Pair, count: str, tries: int = 4000) -> bool:
    """Whether another pair, in which the count is different, gives outsiders the same statistics."""
    rng = random.Random(1)
    shown, own = protected(twin.document(pair)), pair.counts(5)[count]
    values = len(pair.cells[0][0])
    wide = [[*row[:-1], *[(0,) * values] * 2, row[-1]] for row in pair.cells]  # room for more classes in both
    wide += [[(0,) * values] * len(wide[0]) for _ in range(4)]
    places = list(product(range(len(wide)), range(len(wide[0])), range(values)))
    largest = max(places, key=lambda place: wide[place[0]][place[1]][place[2]])
    for _ in range(tries):
        changed = {place: wide[place[0]][place[1]][place[2]] for place in places}
        for place in rng.sample(places, rng.randint(1, 4)):
            if place != largest:
                new = max(changed[place] + rng.choice((-3, -2, -1, 1, 2, 3, 5)), 0)
                changed[largest] += changed[place] - new
                changed[place] = new
        other = Pair(
            tuple(
                tuple(tuple(changed[row, column, value] for value in range(values)) for column in range(len(wide[0])))
                for row in range(len(wide))
            )
        )
        if changed[largest] > 0 and other.counts(5)[count] != own and protected(twin.document(other)) == shown:
            return True
    return False


def _step(number: int, sizes: Sequence[int], people: int) -> SetStep:
    return SetStep(number, len(sizes) / people, sizes.count(1) / people)


def _guesses(classes: Sequence[Sequence[int]]) -> int:
    return sum(map(max, classes))


def _attack(name: str, steps: Sequence[SetStep], hits: Sequence[int], people: int) -> SetAttack:
    """An attack with the hits by guessing, with the earlier release, with this one, and with both."""
    nothing, then, now, both = hits
    shares: list[Any] = [
        SetShare(
            1, float(Fraction(then - nothing + both - now, 2 * people)), None, now / people, (both - now) / people
        ),
        SetShare(2, float(Fraction(now - nothing + both - then, 2 * people))),
    ]
    return SetAttack(name, nothing / people, now / people, both / people, None, None, tuple(steps), tuple(shares))
