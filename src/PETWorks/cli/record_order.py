"""The order in which a release has its records: random, unless that is not wanted or not possible."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.cli.arguments import note
from PETWorks.counting.counts import Integers
from PETWorks.counting.release import ORDERS, Release
from PETWorks.errors import ParameterError, quoted
from PETWorks.gate.policy import Policy
from PETWorks.render.language import said
from PETWorks.render.spoken import language

ORIGINAL, SHUFFLED = ORDERS
MOST_CELLS = 50_000_000  # of a table that is shuffled without being asked to: all of them are in memory then
MOST_DIGITS = 100  # of a seed
SEED_BITS = 128  # nobody can try all seeds until the records are in a likely order


@dataclass(frozen=True)
class RecordOrder:
    """How records are ordered.

    shuffled   whether they are in random order; None if the table itself has no fixed order
    seed       of the random order
    why_not    the text that says why they keep their order
    values     what is filled into it
    """

    shuffled: bool | None
    seed: int | None = None
    why_not: str | None = None
    values: tuple[tuple[str, str], ...] = ()

    def places(self, records: int) -> Integers | None:
        """Which record comes where; None if they stay where they are."""
        if not self.shuffled:
            return None
        import numpy as np

        return np.random.default_rng(self.seed).permutation(records)

    def tell(self) -> None:
        """Say which order it is, to those who make the release."""
        if self.shuffled:
            note("cli.shuffled", seed=str(self.seed))
        elif self.why_not is not None:
            note("cli.in-order", why=said(language(), self.why_not, **dict(self.values)))


def record_order(
    release: Release, rules: Sequence[Rule], policy: Policy | None, options: dict[str, Any]
) -> RecordOrder:
    """The order that options and policy ask for; without that, a random one where it is possible."""
    asked = options["shuffle"]
    if asked is None and policy is not None and "order" in policy.anonymize:
        asked = policy.anonymize["order"] == SHUFFLED
    if asked is False:
        return RecordOrder(False, why_not="cli.in-order.asked") if release.source.ordered else RecordOrder(None)
    against = _against(release, rules, policy)
    if asked and against is not None:
        raise against[1]
    if against is not None:
        why, _, values = against
        return RecordOrder(False, why_not=why, values=values) if release.source.ordered else RecordOrder(None)
    if asked is None and release.records * len(release.columns) > MOST_CELLS:
        return RecordOrder(False, why_not="cli.in-order.large")
    seed = secrets.randbits(SEED_BITS) if options["seed"] is None else _seed(options["seed"])
    return RecordOrder(True, seed)


def check_seed(options: dict[str, Any]) -> None:
    """An error if a seed is given that is none, or for nothing."""
    given = options["seed"]
    if given is not None and options["shuffle"] is False:
        raise ParameterError("--seed is for records in random order, so it cannot be combined with --keep-order")
    if given is not None and _seed(given) is None:
        raise ParameterError("--seed expects a whole number, got {given!r}", given=given[:40])


def _against(
    release: Release, rules: Sequence[Rule], policy: Policy | None
) -> tuple[str, ParameterError, tuple[tuple[str, str], ...]] | None:
    """What speaks against a random order: the text that says so, and the error if it was asked for."""
    engine = release.engine.name
    if engine != "memory":
        error = ParameterError(
            "--shuffle needs all records in memory; the engine {engine!r} writes them piece "
            "by piece: leave it out, or use --engine memory",
            engine=engine,
        )
        return "cli.in-order.engine", error, (("engine", engine),)
    if policy is not None and policy.releases.measured:
        error = ParameterError(
            "--shuffle changes the order of the records, by which people are found in other releases; leave it "
            "out, or 'releases' in the policy"
        )
        return "cli.in-order.releases", error, ()
    comparing = [rule.name for rule in rules if isinstance(rule, MeasureRule) and _compares_records(rule)]
    if comparing:
        error = ParameterError(
            "--shuffle changes the order of the records, but {rules} compares them one by one with the original; leave "
            "it out, or the rule",
            rules=quoted(comparing),
        )
        return "cli.in-order.rule", error, (("rules", str(quoted(comparing))),)
    return None


def _compares_records(rule: MeasureRule) -> bool:
    return "records in the order of the original" in rule.metric.needs


def _seed(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None
