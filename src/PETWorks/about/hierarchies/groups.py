"""Hierarchies of listed values: neighbours in an order, named groups, and rare values as one group."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from PETWorks.about.hierarchies.scheme import MAX_LEVELS_DECLARED, AnyText, as_list, describe_given, whole_numbers
from PETWorks.errors import HierarchyError, Phrase
from PETWorks.tables.cells import SUPPRESSED

OTHER = "other"
OTHERS = {OTHER: ("other values", "all other values"), "其他": ("其餘", "其餘各類")}  # where a value has that label


@dataclass(frozen=True)
class Groups:
    """Listed values with their labels."""

    paths: Mapping[str, tuple[str, ...]]
    expects: str = Phrase("values that the declaration lists")
    takes_any_text: bool = False

    @cached_property
    def listed(self) -> Sequence[str]:
        """All values of the declaration."""
        return list(self.paths)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {value: place for place, value in enumerate(self.paths)}

    def path(self, value: str) -> tuple[str, ...] | None:
        """The groups that contain a value."""
        return self.paths.get(value)

    def below(self, _label: str) -> Iterable[str] | None:
        """None: the values of every label are listed."""
        return None

    def order(self, value: str) -> Any:
        """Sort as listed."""
        return self._places[value]


def label_of_rare(values: Iterable[str], label: str = OTHER) -> str:
    """A label for rare values that is not the text of a value, whatever its case."""
    taken = {value.casefold() for value in values}
    labels: tuple[str, ...] = (
        label,
        *OTHERS.get(label, ()),
        *(f"{label} ({number})" for number in range(2, len(taken) + 3)),
    )
    return next(known for known in labels if known.casefold() not in taken)


@dataclass(frozen=True)
class Rare(AnyText):
    """Any values; those with few records share one label."""

    counts: Mapping[str, int]
    limits: Sequence[int]
    label: str

    def path(self, value: str) -> tuple[str, ...] | None:
        """The value itself on levels where enough records have it, else the common label."""
        count = self.counts.get(value, 0)
        return tuple(self.label if count < limit else value for limit in self.limits)

    def below(self, _label: str) -> Iterable[str] | None:
        """None: a value with the text of the label is treated as one of the rare values."""
        return None


def parse_order(words: Mapping[str, Any]) -> Groups:
    """Parse `order: [none, primary, secondary, tertiary]` with `sizes: [2]`: neighbours become `none..primary`."""
    values = _texts("order", words["order"])
    if "sizes" not in words:
        raise HierarchyError("order: the key 'sizes' is missing: how many neighbours make a group on each level")
    sizes = whole_numbers("sizes", words["sizes"], ascending=True, divisible=True)
    labels = []
    for size in sizes:
        firsts = range(0, len(values), size)
        ends = [(values[first], values[min(first + size, len(values)) - 1]) for first in firsts]
        labels.append([low if low == high else f"{low}..{high}" for low, high in ends])
    return Groups(
        {
            value: tuple(level[place // size] for level, size in zip(labels, sizes, strict=True))
            for place, value in enumerate(values)
        }
    )


def parse_groups(words: Mapping[str, Any]) -> Groups:
    """Parse `groups: {North: [Taipei, Hsinchu], South: [Tainan]}`; a group may contain groups instead of values."""
    if not isinstance(words["groups"], Mapping) or not words["groups"]:
        raise HierarchyError(
            "groups: expected a mapping from a group to its values, got {given}", given=describe_given(words["groups"])
        )
    paths: dict[str, tuple[str, ...]] = {}
    for value, groups in _members(words["groups"], ()):
        if value in paths:
            raise HierarchyError("groups: a value is in two groups")
        paths[value] = groups
    depth = max(map(len, paths.values()))
    # Groups at a smaller depth repeat on the lower levels.
    return Groups({value: (groups[:1] * (depth - len(groups))) + groups for value, groups in paths.items()})


def _members(groups: Mapping[Any, Any], above: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each value with the groups that contain it, the smallest first."""
    if len(above) >= MAX_LEVELS_DECLARED:
        raise HierarchyError("groups: more than {most} levels", most=MAX_LEVELS_DECLARED)
    for name, members in groups.items():
        label = str(name).strip()
        if label in ("", SUPPRESSED):
            raise HierarchyError("groups: a group has no name, or is called '*'")
        if isinstance(members, Mapping) and members:
            yield from _members(members, (label, *above))
        else:
            yield from ((value, (label, *above)) for value in _texts("groups", members))


def _texts(key: str, values: Any) -> list[str]:
    """Parse a list of distinct values."""
    items = as_list(values)
    if any(isinstance(item, Mapping | list | tuple | bool) or item is None for item in items):
        raise HierarchyError("{key}: expected a list of values", key=key)
    texts = [str(item).strip() for item in items]
    if not texts or "" in texts or SUPPRESSED in texts:
        raise HierarchyError("{key}: expected a list of values, none of them empty or '*'", key=key)
    if len(set(texts)) < len(texts):
        raise HierarchyError("{key}: a value is listed twice", key=key)
    return texts


def rare_limits(words: Mapping[str, Any]) -> tuple[list[int], str | None]:
    """Parse `rare: {fewer_than: 20}`, optionally with another `label` than `other`; None if it has none."""
    settings = words["rare"]
    if not isinstance(settings, Mapping) or "fewer_than" not in settings or set(settings) - {"fewer_than", "label"}:
        raise HierarchyError("rare: expected the key 'fewer_than', and perhaps 'label'")
    label = str(settings["label"]).strip() if "label" in settings else None
    if label in ("", SUPPRESSED):
        raise HierarchyError("rare: the label is empty or '*'")
    return whole_numbers("fewer_than", settings["fewer_than"], ascending=True), label
