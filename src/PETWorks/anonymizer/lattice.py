"""The lattice: one level for each quasi-identifier, between bounds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.errors import ParameterError, Phrase, unknown

MOST_NODES = 20_000_000
ANY_LEVEL = 999_999  # higher than that of any hierarchy

Node = tuple[int, ...]
Bounds = Mapping[str, Any]


@dataclass(frozen=True)
class Lattice:
    """All nodes: the columns, and the lowest and highest level that each may have."""

    columns: tuple[str, ...]
    low: Node
    high: Node

    @classmethod
    def of(cls, columns: Sequence[str], hierarchies: Mapping[str, Hierarchy], levels: Bounds | None) -> "Lattice":
        """The lattice of hierarchies; `levels` fixes the level of a column, or gives the lowest and the highest."""
        given = dict(levels or {})
        for name in given:
            if name not in columns:
                raise unknown("quasi-identifier", str(name), columns, what="levels")
        bounds = [_bounds(name, given.get(name), hierarchies[name].height) for name in columns]
        return cls(tuple(columns), tuple(low for low, _ in bounds), tuple(high for _, high in bounds))

    @property
    def is_large(self) -> bool:
        """Whether there are too many nodes to keep something of each."""
        return self.nodes > MOST_NODES

    def check_size(self, purpose: Phrase) -> None:
        """An error if something that looks at each node is asked for, and there are too many."""
        if self.is_large:
            widest = max(range(len(self.columns)), key=lambda place: self.high[place])
            raise ParameterError(
                "the lattice has {nodes:,} nodes, at most {most:,} can be searched "
                "{purpose}; give fewer quasi-identifiers, hierarchies with fewer levels, or bounds "
                "on levels, such as {column!r}: at least {level}",
                nodes=self.nodes,
                most=MOST_NODES,
                purpose=purpose,
                column=self.columns[widest],
                level=self.high[widest] // 2,
                what="levels",
            )

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many levels each column may have."""
        return tuple(high - low + 1 for low, high in zip(self.low, self.high, strict=True))

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return math.prod(self.shape)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """How far apart two nodes are in the flattened lattice that differ by one level of a column."""
        return tuple(math.prod(self.shape[place + 1 :]) for place in range(len(self.shape)))

    def node(self, place: int) -> Node:
        """The node at a place of the flattened lattice."""
        levels = []
        for stride, low in zip(self.strides, self.low, strict=True):
            above, place = divmod(place, stride)
            levels.append(above + low)
        return tuple(levels)

    def place(self, node: Node) -> int:
        """Where a node is in the flattened lattice."""
        each = zip(node, self.low, self.strides, strict=True)
        return sum((level - low) * stride for level, low, stride in each)

    def finer(self, node: Node) -> tuple[slice, ...]:
        """The nodes that are nowhere coarser, this one included."""
        return tuple(slice(0, level - low + 1) for level, low in zip(node, self.low, strict=True))

    def coarser(self, node: Node) -> tuple[slice, ...]:
        """The nodes that are nowhere finer, this one included."""
        return tuple(slice(level - low, None) for level, low in zip(node, self.low, strict=True))

    def levels(self, node: Node) -> dict[str, int]:
        """The level of each column."""
        return dict(zip(self.columns, node, strict=True))


def check_levels(levels: Bounds, columns: Sequence[str] | None) -> None:
    """An error for what cannot be levels, however many a column has; `columns`: the quasi-identifiers, if known."""
    for name, given in levels.items():
        if columns is not None and name not in columns:
            raise unknown("quasi-identifier", str(name), columns, what="levels")
        _bounds(name, given, None)


def _bounds(column: str, given: Any, height: int | None) -> tuple[int, int]:
    """The lowest and the highest level of a column; it may have any number of levels if its height is not known."""
    most = ANY_LEVEL if height is None else height
    if given is None:
        return 0, most
    if isinstance(given, Mapping):
        strange = [key for key in given if key not in ("at_least", "at_most")]
        if strange:
            raise unknown(
                Phrase("bound of the levels of {column!r}", column=column),
                str(strange[0]),
                ("at_least", "at_most"),
                what="levels",
            )
        low, high = given.get("at_least", 0), given.get("at_most", most)
    elif isinstance(given, list | tuple) and len(given) == 2:
        low, high = given
    elif isinstance(given, str) and "-" in given:
        low, _, high = given.partition("-")
    else:
        low = high = given
    low, high = _number(low), _number(high)
    if not all(type(level) is int and 0 <= level <= most for level in (low, high)) or low > high:
        if height is None:
            raise ParameterError(
                "expected a level of column {column!r}, or the lowest and the highest as 1-2, [1, 2] or "
                "{{at_least: 1, at_most: 2}}, got {given!r}",
                column=column,
                given=given,
                what="levels",
            )
        raise ParameterError(
            "column {column!r} has the levels 0 to {height}; expected one of them, or the "
            "lowest and the highest as 1-2, [1, 2] or {{at_least: 1, at_most: 2}}, got "
            "{given!r}",
            column=column,
            height=height,
            given=given,
            what="levels",
        )
    return low, high


def _number(level: Any) -> Any:
    """A level that is written as text, as all scalars of a policy are, as a number; anything else as it is."""
    return int(level) if isinstance(level, str) and level.strip().isdecimal() and len(level) < 7 else level
