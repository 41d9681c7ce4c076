"""The order in which a release has its records: random, unless that is not wanted or not possible."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.anonymizer.rules import MeasureRule, Rule
from PETWorks.counting.counts import Integers
from PETWorks.counting.release import ORDERS, Release
from PETWorks.counting.shuffling import shuffled_places
from PETWorks.errors import ParameterError, quoted

ORIGINAL, SHUFFLED = ORDERS
MOST_CELLS = 50_000_000  # of a table that is shuffled without being asked to: all of them are in memory then
MOST_DIGITS = 100  # of a seed
SEED_BITS = 128  # nobody can try all seeds until the records are in a likely order


@dataclass(frozen=True)
class RecordOrder:
    """How records are ordered.

    shuffled   whether they are in random order
    seed       of the random order
    why_not    why they keep their order: 'asked', 'database', 'engine', 'rule' or 'large'
    values     what the text about that names
    """

    shuffled: bool = False
    seed: int | None = None
    why_not: str | None = None
    values: tuple[tuple[str, str], ...] = ()

    def places(self, records: int) -> Integers | None:
        """Which record comes where; None if they stay where they are."""
        return None if self.seed is None else shuffled_places(self.seed, records)


IN_ORDER = RecordOrder()


def choose_order(
    release: Release, rules: Sequence[Rule], shuffle: bool | None = None, seed: int | None = None
) -> RecordOrder:
    """The order that is asked for; without that, a random one where it is possible.

    shuffle   whether a random one is asked for; None if nobody said
    seed      of an earlier release, for the same random order
    """
    order = _kept(release, rules, shuffle)
    if order is not None and seed is not None:
        raise ParameterError("a seed is for records in random order, and these keep theirs", what="seed")
    return order or RecordOrder(True, secrets.randbits(SEED_BITS) if seed is None else seed)


def order_given(order: Any, seed: Any) -> tuple[bool | None, int | None]:
    """Whether a random order is asked for, and its seed, as Python is given them; an error if they are malformed."""
    if order is not None and order not in ORDERS:
        raise ParameterError(
            "expected the order {orders}, got {order!r}", orders=quoted(ORDERS), order=str(order)[:40], what="order"
        )
    if seed is not None and (isinstance(seed, bool) or seed_given(str(seed)) is None):
        raise ParameterError("expected a seed that is a whole number, got {seed!r}", seed=str(seed)[:40], what="seed")
    return None if order is None else order == SHUFFLED, None if seed is None else int(seed)


def seed_given(text: str) -> int | None:
    """The number of a seed; None if the text is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None


def _kept(release: Release, rules: Sequence[Rule], shuffle: bool | None) -> RecordOrder | None:
    """The order of the original, if it is asked for or needed; an error if it is needed and a random one asked for."""
    if shuffle is False:
        return RecordOrder(why_not="asked")
    against = _against(release, rules)
    if shuffle and against is not None:
        raise against[1]
    if against is not None:
        return against[0]
    if shuffle is None and release.records * len(release.columns) > MOST_CELLS:
        return RecordOrder(why_not="large")
    return None


def _against(release: Release, rules: Sequence[Rule]) -> tuple[RecordOrder, ParameterError] | None:
    """What speaks against a random order, and the error if it was asked for."""
    engine = release.engine.name
    if not release.source.ordered:
        return RecordOrder(why_not="database"), ParameterError(
            "records in random order need a file; save the table as a CSV or Parquet file first, or keep the order",
            what="order",
        )
    if engine != "memory":
        return RecordOrder(why_not="engine", values=(("engine", engine),)), ParameterError(
            "a random order needs all records in memory; the engine {engine!r} writes them piece by piece: keep the "
            "order, or use the engine 'memory'",
            engine=engine,
            what="order",
        )
    comparing = [rule.name for rule in rules if isinstance(rule, MeasureRule) and _compares_records(rule)]
    if comparing:
        return RecordOrder(why_not="rule", values=(("rules", str(quoted(comparing))),)), ParameterError(
            "the records cannot be shuffled: {rules} compares them one by one with the original; keep the order, or "
            "leave out the rule",
            rules=quoted(comparing),
            what="order",
        )
    return None


def _compares_records(rule: MeasureRule) -> bool:
    return "records in the order of the original" in rule.metric.needs
