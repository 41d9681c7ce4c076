"""The order in which a release has its records: random, unless that is not wanted or not possible."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.cli.arguments import note, shown_path
from PETWorks.counting.counts import Integers
from PETWorks.counting.release import ORDERS, Release
from PETWorks.counting.shuffling import shuffled_places
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

    shuffled   whether they are in random order
    seed       of the random order
    why_not    the text that says why they keep their order
    values     what is filled into it
    """

    shuffled: bool
    seed: int | None = None
    why_not: str | None = None
    values: tuple[tuple[str, str], ...] = ()

    def places(self, records: int) -> Integers | None:
        """Which record comes where; None if they stay where they are."""
        return None if self.seed is None else shuffled_places(self.seed, records)

    def tell(self, policy: Path) -> None:
        """Say which order it is, to those who make the release; its policy has the seed."""
        if self.shuffled:
            note("cli.shuffled", path=shown_path(policy))
        elif self.why_not is not None:
            note("cli.in-order", why=said(language(), self.why_not, **dict(self.values)))


def record_order(
    release: Release, rules: Sequence[Rule], policy: Policy | None, options: dict[str, Any]
) -> RecordOrder:
    """The order that options and policy ask for; without that, a random one where it is possible."""
    asked = options["shuffle"]
    if asked is None and policy is not None and "order" in policy.anonymize:
        asked = policy.anonymize["order"] == SHUFFLED
    order = _kept(release, rules, asked)
    if order is not None and options["seed"] is not None:
        raise ParameterError("--seed is for records in random order, and these keep theirs")
    if order is not None:
        return order
    seed = secrets.randbits(SEED_BITS) if options["seed"] is None else _seed(options["seed"])
    return RecordOrder(True, seed)


def _kept(release: Release, rules: Sequence[Rule], asked: bool | None) -> RecordOrder | None:
    """The order of the original, if it is asked for or needed; an error if it is needed and a random one asked for."""
    if asked is False:
        return RecordOrder(False, why_not="cli.in-order.asked")
    against = _against(release, rules)
    if asked and against is not None:
        raise against[1]
    if against is not None:
        return RecordOrder(False, why_not=against[0], values=against[2])
    if asked is None and release.records * len(release.columns) > MOST_CELLS:
        return RecordOrder(False, why_not="cli.in-order.large")
    return None


def check_seed(options: dict[str, Any]) -> None:
    """An error if a seed is given that is none, or for nothing."""
    given = options["seed"]
    if given is not None and options["shuffle"] is False:
        raise ParameterError("--seed is for records in random order, so it cannot be combined with --keep-order")
    if given is not None and _seed(given) is None:
        raise ParameterError("--seed expects a whole number, got {given!r}", given=given[:40])


def _against(release: Release, rules: Sequence[Rule]) -> tuple[str, ParameterError, tuple[tuple[str, str], ...]] | None:
    """What speaks against a random order: the text that says so, and the error if it was asked for."""
    engine = release.engine.name
    if not release.source.ordered:
        error = ParameterError("--shuffle needs a file; save the table as a CSV or Parquet file first, or leave it out")
        return "cli.in-order.database", error, ()
    if engine != "memory":
        error = ParameterError(
            "--shuffle needs all records in memory; the engine {engine!r} writes them piece "
            "by piece: leave it out, or use --engine memory",
            engine=engine,
        )
        return "cli.in-order.engine", error, (("engine", engine),)
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
