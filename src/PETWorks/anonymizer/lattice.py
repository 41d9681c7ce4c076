"""The lattice of nodes: one level for each quasi-identifier, within bounds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.errors import ParameterError, Phrase, unknown

MAX_NODES = 20_000_000  # that data can be held about
MANY_NODES = 2_000_000  # from here on, testing all of them may take much longer than a minute
MOST_AXES = 60  # quasi-identifiers that arrays with an axis for each can have
ANY_LEVEL = 999_999  # higher than that of any hierarchy

Node = tuple[int, ...]
Bounds = Mapping[str, Any]


@dataclass(frozen=True)
class Lattice:
    """All nodes: the columns, and the lowest and highest allowed level of each."""

    columns: tuple[str, ...]
    low: Node
    high: Node

    @classmethod
    def of(cls, columns: Sequence[str], hierarchies: Mapping[str, Hierarchy], levels: Bounds | None) -> "Lattice":
        """The lattice of hierarchies; `levels` fixes the level of a column, or gives its lowest and highest."""
        allowed = dict(levels or {})
        for name in allowed:
            if name not in columns:
                raise unknown("quasi-identifier", str(name), columns, what="levels")
        bounds = [_bounds(name, allowed.get(name), hierarchies[name].height) for name in columns]
        return cls(tuple(columns), tuple(low for low, _ in bounds), tuple(high for _, high in bounds))

    @property
    def is_large(self) -> bool:
        """Whether there are too many nodes to hold data about each."""
        return self.nodes > MAX_NODES

    @property
    def has_many_nodes(self) -> bool:
        """Whether a complete search may take much longer than a minute, or needs arrays with too many axes."""
        return self.nodes > MANY_NODES or len(self.columns) > MOST_AXES

    def check_size(self, purpose: Phrase) -> None:
        """Raise if there are too many nodes, or columns, for something that needs data about each."""
        if len(self.columns) > MOST_AXES:
            raise ParameterError(
                "{given} quasi-identifiers; at most {most} can be searched {purpose}",
                given=len(self.columns),
                most=MOST_AXES,
                purpose=purpose,
                what="roles",
            )
        if self.is_large:
            widest = max(range(len(self.columns)), key=lambda index: self.high[index])
            raise ParameterError(
                "the lattice has {nodes:,} nodes, at most {most:,} can be searched "
                "{purpose}; give fewer quasi-identifiers, hierarchies with fewer levels, or bounds "
                "on levels, such as {column!r}: at least {level}",
                nodes=self.nodes,
                most=MAX_NODES,
                purpose=purpose,
                column=self.columns[widest],
                level=self.high[widest] // 2,
                what="levels",
            )

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of each column."""
        return tuple(high - low + 1 for low, high in zip(self.low, self.high, strict=True))

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return math.prod(self.shape)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """The distance in the flattened lattice between nodes that differ by one level of a column."""
        return tuple(math.prod(self.shape[index + 1 :]) for index in range(len(self.shape)))

    def node_at(self, index: int) -> Node:
        """The node at an index of the flattened lattice."""
        levels = []
        for stride, low in zip(self.strides, self.low, strict=True):
            above, index = divmod(index, stride)
            levels.append(above + low)
        return tuple(levels)

    def index_of(self, node: Node) -> int:
        """The index of a node in the flattened lattice."""
        each = zip(node, self.low, self.strides, strict=True)
        return sum((level - low) * stride for level, low, stride in each)

    def finer(self, node: Node) -> tuple[slice, ...]:
        """The nodes that are coarser in no column, including this one."""
        return tuple(slice(0, level - low + 1) for level, low in zip(node, self.low, strict=True))

    def coarser(self, node: Node) -> tuple[slice, ...]:
        """The nodes that are finer in no column, including this one."""
        return tuple(slice(level - low, None) for level, low in zip(node, self.low, strict=True))

    def levels(self, node: Node) -> dict[str, int]:
        """The level of each column."""
        return dict(zip(self.columns, node, strict=True))


def check_levels(levels: Bounds, columns: Sequence[str] | None) -> None:
    """Raise for values that cannot be levels of any hierarchy; `columns`: the quasi-identifiers, if known."""
    for name, bounds in levels.items():
        if columns is not None and name not in columns:
            raise unknown("quasi-identifier", str(name), columns, what="levels")
        _bounds(name, bounds, None)


def _bounds(column: str, levels: Any, height: int | None) -> tuple[int, int]:
    """The lowest and highest level of a column; any number of levels is possible if its height is unknown."""
    most = ANY_LEVEL if height is None else height
    if levels is None:
        return 0, most
    if isinstance(levels, Mapping):
        unknown_keys = [key for key in levels if key not in ("at_least", "at_most")]
        if unknown_keys:
            raise unknown(
                Phrase("bound of the levels of {column!r}", column=column),
                str(unknown_keys[0]),
                ("at_least", "at_most"),
                what="levels",
            )
        low, high = levels.get("at_least", 0), levels.get("at_most", most)
    elif isinstance(levels, list | tuple) and len(levels) == 2:
        low, high = levels
    elif isinstance(levels, str) and "-" in levels:
        low, _, high = levels.partition("-")
    else:
        low = high = levels
    low, high = _number(low), _number(high)
    if not all(type(level) is int and 0 <= level <= most for level in (low, high)) or low > high:
        if height is None:
            raise ParameterError(
                "expected a level of column {column!r}, or the lowest and the highest as 1-2, [1, 2] or "
                "{{at_least: 1, at_most: 2}}, got {given!r}",
                column=column,
                given=levels,
                what="levels",
            )
        raise ParameterError(
            "column {column!r} has the levels 0 to {height}; expected one of them, or the "
            "lowest and the highest as 1-2, [1, 2] or {{at_least: 1, at_most: 2}}, got "
            "{given!r}",
            column=column,
            height=height,
            given=levels,
            what="levels",
        )
    return low, high


def _number(level: Any) -> Any:
    """A level given as text, like all scalars of a policy, as a number; anything else unchanged."""
    return int(level) if isinstance(level, str) and level.strip().isdecimal() and len(level) < 7 else level
