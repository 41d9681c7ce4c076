"""How the records of JSON lines are written: what tells them apart beside the values that measures see.

That is the order of keys, blanks between them, blank lines and line ends; and, of each column, cells that are one value
and are written in several ways: `1` and `"1"`, escaped signs, null beside an empty text or a key that is not there.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import NamedTuple

from PETWorks.tables.jsonlines import JSONLines

BLANK = r"[ \t\n\r]*"
TEXT = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
MEMBER = re.compile(rf'({TEXT})({BLANK}:{BLANK})({TEXT}|[^\s,}}"]+)({BLANK}[,}}]{BLANK})')
FIRST = re.compile(rf"\s*\{{{BLANK}")
NULL, ABSENT = "null", ""  # how a missing value is written, beside blank texts
PLAIN, NUMBER, OTHER = 1, 2, 4  # how other values are written

Gap = tuple[str, str]
Ways = dict[str, Counter[str]]


class Written(NamedTuple):
    """What is written in several ways, and in how many records otherwise than in most.

    columns     by column
    layout      records whose keys, or the blanks around them, are written otherwise
    line_ends   lines by the way in which they end
    """

    columns: Mapping[str, int]
    layout: int
    line_ends: Counter[str]


class _Line(NamedTuple):
    """A record: where it stands in the file, its keys and cells as they are written, and what is between these."""

    keys: tuple[str, ...]
    cells: list[str]
    texts: list[str | None]
    gaps: list[tuple[Gap, str]]
    end: str


@dataclass
class _Seen:
    """What occurs in the lines, each with the number of records."""

    records: int = 0
    orders: Counter[tuple[str, ...]] = field(default_factory=Counter)
    gaps: dict[Gap, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    kinds: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    missing: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    line_ends: Counter[str] = field(default_factory=Counter)


def written(parts: Sequence[JSONLines]) -> Written:
    """What files of one table tell besides its values."""
    seen = _Seen()
    for part in parts:
        for line in _lines(part):
            _look(line, seen)
    usual = {gap: _most_common(texts) for gap, texts in seen.gaps.items()}
    disordered = _disordered(seen.orders)
    suspects = {key for key, kinds in seen.kinds.items() if kinds & OTHER or kinds == PLAIN | NUMBER}
    layout, ways = 0, dict[str, dict[str, Counter[str]]]()
    if suspects or disordered or any(len(texts) > 1 for texts in seen.gaps.values()):
        layout, ways = _counted(parts, usual, disordered, suspects)
    columns: Counter[str] = Counter()
    for key in _keys(seen.orders):
        absent = seen.records - sum(number for keys, number in seen.orders.items() if key in keys)
        missing = seen.missing[key] + Counter({ABSENT: absent})
        columns[key.strip()] += sum(map(_others, (missing, *ways.get(key, {}).values())))
    return Written({name: number for name, number in columns.items() if number}, layout, +seen.line_ends)


def _keys(orders: Mapping[tuple[str, ...], int]) -> list[str]:
    return list(dict.fromkeys(key for keys in orders for key in keys))


def _most_common(texts: Counter[str]) -> str:
    return max(texts, key=texts.__getitem__)


def _others(texts: Counter[str]) -> int:
    """How many are written otherwise than most."""
    return texts.total() - max(texts.values(), default=0)


def _lines(source: JSONLines) -> Iterator[_Line]:
    """The records of a file as they are written."""
    blank_lines: str | None = None  # before the first record they tell nothing
    for text, record in source.lines():
        if record is None:
            blank_lines = None if blank_lines is None else blank_lines + text
            continue
        body = text.rstrip()
        end = text[len(text.rstrip("\r\n")) :]
        first = FIRST.match(text)
        assert first is not None
        keys = tuple(record)
        gaps: list[tuple[Gap, str]] = [
            (("first", ""), first[0]),
            (("last", ""), text[len(body) : len(text) - len(end)]),
        ]
        if blank_lines is not None:
            gaps.append((("line", ""), blank_lines))
        cells = []
        for key, (name, colon, cell, behind) in zip(keys, MEMBER.findall(body, first.end()), strict=True):
            gaps += ((("key", key), name + colon), (("end", "") if behind[-1] == "}" else ("comma", key), behind))
            cells.append(cell)
        yield _Line(keys, cells, list(record.values()), gaps, end)
        blank_lines = ""


def _look(line: _Line, seen: _Seen) -> None:
    """Note what occurs in a line."""
    seen.records += 1
    seen.orders[line.keys] += 1
    if line.end:
        seen.line_ends[{"\r\n": "CRLF", "\n": "LF"}.get(line.end, "CR")] += 1
    for gap, text in line.gaps:
        seen.gaps[gap][text] += 1
    for key, cell, text in zip(line.keys, line.cells, line.texts, strict=True):
        if not cell.startswith('"'):
            if cell == NULL:
                seen.missing[key][cell] += 1
            else:
                seen.kinds[key] |= NUMBER
            continue
        value = str(text).strip()
        if not value:
            seen.missing[key][cell] += 1
        else:
            seen.kinds[key] |= OTHER if "\\" in cell or len(value) + 2 != len(cell) else PLAIN


def _disordered(orders: Counter[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """The orders of keys that contradict more common ones; a key that is not there contradicts nothing."""
    before: dict[str, set[str]] = {}
    place: dict[str, int] = {}
    out = set()
    for keys, _ in sorted(orders.items(), key=lambda one: (-one[1], one[0])):
        grown = {key: set(own) for key, own in before.items()}
        for key in keys:
            grown.setdefault(key, set())
        for one, other in pairwise(keys):
            grown[other].add(one)
        known = [place.get(key, -1) for key in keys]
        if -1 in known or any(one > other for one, other in pairwise(known)):
            try:
                place = {key: number for number, key in enumerate(TopologicalSorter(grown).static_order())}
            except CycleError:
                out.add(keys)
                continue
        before = grown
    return out


def _counted(
    parts: Sequence[JSONLines], usual: Mapping[Gap, str], disordered: set[tuple[str, ...]], suspects: set[str]
) -> tuple[int, dict[str, dict[str, Counter[str]]]]:
    """The records that are laid out otherwise; and of some columns, how often a value is written in which way."""
    layout = 0
    ways: dict[str, dict[str, Counter[str]]] = {key: defaultdict(Counter) for key in suspects}
    for part in parts:
        for line in _lines(part):
            layout += line.keys in disordered or any(usual[gap] != text for gap, text in line.gaps)
            for key, cell, text in zip(line.keys, line.cells, line.texts, strict=True):
                if key in suspects and cell != NULL:
                    value = _value(text)
                    if value:
                        ways[key][value][cell] += 1
    return layout, ways


def _value(cell: object) -> str:
    """What measures see of a cell."""
    return cell.strip() if isinstance(cell, str) else "true" if cell else "false"
