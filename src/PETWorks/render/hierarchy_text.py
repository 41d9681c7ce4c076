"""A hierarchy as a table for a terminal, and as JSON: the groups of each level with their values and records."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rich.text import Text

from PETWorks.about.hierarchy import Hierarchy
from PETWorks.errors import printable
from PETWorks.render.language import said
from PETWorks.render.text import new_table, rendered

MOST_GROUPS = 40  # of a level, on a terminal


def hierarchy_groups(hierarchy: Hierarchy, counts: Mapping[str | None, int]) -> list[dict[str, Any]]:
    """For each level its groups: the label, how many values it stands for, and how many records have one of them."""
    levels = []
    records = [counts.get(leaf, 0) for leaf in hierarchy.leaves]
    for level, labels in enumerate(hierarchy.levels):
        of_label: Counter[str] = Counter()
        for label, count in zip(labels, records, strict=True):
            of_label[label] += count
        values = Counter(labels)
        groups = [{"label": label, "values": values[label], "records": of_label[label]} for label in values]
        levels.append({"level": level, "groups": groups})
    return levels


def hierarchy_text(levels: list[dict[str, Any]], *, lang: str, colour: bool, width: int) -> str:
    """The groups of each level above the values themselves."""
    table = new_table(*(said(lang, f"head.{head}") for head in ("level", "group", "values", "records")))
    for level in levels[1:]:
        groups = level["groups"]
        for group in groups[:MOST_GROUPS]:
            numbers = (f"{group['values']:,}", f"{group['records']:,}")
            table.add_row(*map(Text, (str(level["level"]), printable(group["label"]), *numbers)))
        if len(groups) > MOST_GROUPS:
            table.add_row(str(level["level"]), said(lang, "hierarchy.more", n=len(groups) - MOST_GROUPS))
    return rendered([table], colour=colour, width=width)
