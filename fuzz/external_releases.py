"""A search for counts that outsiders can compute from the external edition of a check with an earlier release.

Like `external_search`, for pairs of releases in which nearly all people are alike. There are too many pairs to try all
of them, so a count that is pinned among those tried is checked against random other pairs, too.
"""

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from fuzz.external_search import Table, Twin, exactly
from PETWorks import read_policy
from PETWorks.gate.document import CheckDocument, RuleResult
from PETWorks.gate.external.protected import protect_statistics
from PETWorks.gate.policy.policy_rules import ALL_RELEASES
from PETWorks.releases.disclosure_facts import (
    ReleaseOfSet,
    ReleasesFacts,
    SetAttack,
    SetConfidence,
    SetIntersection,
    SetShare,
    SetStep,
)

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

    The number of people by class of the one, class of the other (the last: not in it), and value of the sensitive
    attribute, which is the same in both.
    """

    cells: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def records(self) -> int:
        """Number of people in the release that is checked."""
        return sum(count for row in self.cells for cell in row for count in cell)

    @property
    def focal(self) -> Table:
        """The release that is checked, alone."""
        rows = (tuple(map(sum, zip(*row, strict=True))) for row in self.cells)
        return Table(tuple(row for row in rows if sum(row)))

    @property
    def earlier(self) -> list[tuple[int, ...]]:
        """Number of people with each value, for each class of the earlier release and for those not in it."""
        return [tuple(map(sum, zip(*column, strict=True))) for column in zip(*self.cells, strict=True)]

    @property
    def disclosed(self) -> int:
        """Number of people of the earlier release for whom one value is left."""
        earlier = [[count > 0 for count in values] for values in self.earlier]
        disclosed_people = 0
        for row in self.cells:
            offered = [sum(values) > 0 for values in zip(*row, strict=True)]
            for column, cell in list(enumerate(row))[:-1]:
                both = sum(first and second for first, second in zip(offered, earlier[column], strict=True))
                disclosed_people += sum(cell) if both == 1 else 0
        return disclosed_people

    @property
    def in_common(self) -> int:
        """Number of people who are in both releases."""
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
        """Write both tables, with a key."""
        present, earlier = ["id;a;s"], ["id;b;s"]
        for row, columns in enumerate(self.cells):
            for column, values in enumerate(columns):
                for value, count in enumerate(values):
                    for _ in range(count):
                        present.append(f"p{len(present)};a{row};v{value}")
                        if column < len(columns) - 1:
                            earlier.append(f"p{len(present) - 1};b{column};v{value}")
        (folder / "now.csv").write_text("\n".join(present) + "\n")
        (folder / "then.csv").write_text("\n".join(earlier) + "\n")


def split_classes(records: int) -> Iterator[Pair]:
    """Pairs with this number of people in at most two classes; the earlier release splits each in three, two small."""
    for first in (*range(7), records // 2):
        for first_parts, second_parts in product(_thirds(first), _thirds(records - first)):
            rows = tuple(tuple((count,) for count in row) for row in (first_parts, second_parts))
            yield Pair(rows)


def _thirds(number: int) -> list[tuple[int, ...]]:
    parts = product(range(min(number, 6) + 1), repeat=2)
    return [(number - second - third, second, third) for second, third in parts if second + third <= number]


def few_others(records: int, most: int) -> Iterator[Pair]:
    """Pairs in which nearly all people are alike: at most `most` are in each of the other cells."""
    for counts in product(range(most + 1), repeat=7):
        rest = records - sum(counts)
        cells = ((rest, counts[0]), (counts[1], counts[2])), ((counts[3], counts[4]), (counts[5], counts[6]))
        none = ((0, 0),)
        yield Pair(tuple((*row, *none) for row in cells))


class PairTwin:
    """A literal implementation of the counts of a check for such pairs."""

    def __init__(self, folder: Path, limits: dict[str, float]) -> None:
        (folder / "now.csv").write_text("a;s\nx;y\n")
        path = folder / "twin.yaml"
        path.write_text(POLICY)
        self.twin, self.limits = Twin(read_policy(path)), limits

    def document(self, pair: Pair) -> CheckDocument:
        """The internal edition, as far as the protected statistics need it."""
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
        found = self._measured(pair)
        rules = tuple(
            self._rule(document.rules[0], name, at_most, found[name]) for name, at_most in self.limits.items()
        )
        return replace(document, releases=facts, rules=(*document.rules, *rules))

    @staticmethod
    def _measured(pair: Pair) -> dict[str, Fraction]:
        joined = [cell for row in pair.cells for cell in row if sum(cell)]
        people = pair.records
        return {
            "re-identification": Fraction(len(joined), people),
            "alone": Fraction([sum(cell) for cell in joined].count(1), people),
            "inference": Fraction(_guesses(joined), people),
            "disclosed": Fraction(pair.disclosed, pair.in_common or 1),
        }

    @staticmethod
    def _rule(like: RuleResult, name: str, at_most: float, value: Fraction) -> RuleResult:
        holds = value <= exactly(at_most)
        return replace(
            like,
            name=f"{ALL_RELEASES}: {name}",
            measure=ALL_RELEASES,
            parameters={name: at_most},
            verdict="pass" if holds else "fail",
            satisfied=holds,
        )


def also_possible(twin: PairTwin, pair: Pair, count: str, tries: int = 4000) -> bool:
    """Whether another pair with a different count gives outsiders the same statistics."""
    rng = random.Random(1)
    shown, own_count = protect_statistics(twin.document(pair)), pair.counts(5)[count]
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
        if (
            changed[largest] > 0
            and other.counts(5)[count] != own_count
            and protect_statistics(twin.document(other)) == shown
        ):
            return True
    return False


def _step(number: int, sizes: Sequence[int], people: int) -> SetStep:
    return SetStep(number, len(sizes) / people, sizes.count(1) / people)


def _guesses(classes: Sequence[Sequence[int]]) -> int:
    return sum(map(max, classes))


def _attack(name: str, steps: Sequence[SetStep], hits: Sequence[int], people: int) -> SetAttack:
    """An attack with the hits by guessing, with the earlier release, with this one, and with both."""
    guessing, earlier, present, both = hits
    shares: list[Any] = [
        SetShare(
            1,
            float(Fraction(earlier - guessing + both - present, 2 * people)),
            None,
            present / people,
            (both - present) / people,
        ),
        SetShare(2, float(Fraction(present - guessing + both - earlier, 2 * people))),
    ]
    return SetAttack(name, guessing / people, present / people, both / people, None, None, tuple(steps), tuple(shares))
