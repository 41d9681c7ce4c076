"""JSON lines: an object per line, whose keys are the columns; and how the lines differ besides their cells."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from PETWorks.errors import InputError, Phrase, literal
from PETWorks.tables.cells import INVISIBLE, count_unusual
from PETWorks.tables.formats.csv import LONGEST_LINE, UTF8, converting_os_errors, dictionary_array, unicode_encoding
from PETWorks.tables.formats.packed import Content

SUFFIXES = (".jsonl", ".ndjson")
ROWS = 1 << 16  # of a piece
MAX_COLUMNS = 10_000
_INVISIBLE = re.compile(INVISIBLE)
SCALARS = {str, bool, type(None)}  # numbers are kept as texts

Record = dict[str, Any]


class JSONLines:
    """A file of JSON lines, packed or not. A key that a line lacks is a missing cell."""

    kind = "JSON lines"
    engine: str | None = None
    ordered = True
    encoding: str | None = None
    separator: str | None = None

    def __init__(self, content: Content) -> None:
        self.content = content
        self.path: Path | None = content.path
        self.name = content.path.name
        with converting_os_errors(content.path), content.open() as file:
            self._encoding = unicode_encoding(file.read(1 << 16)) or "utf-8-sig"
        keys: dict[str, None] = {}
        rows = 0
        for record in self._records():
            rows += 1
            if not keys.keys() >= record.keys():
                keys.update(dict.fromkeys(record))
                if len(keys) > MAX_COLUMNS:
                    raise InputError(
                        "{file}: the lines have more than {most:,} different keys", file=self.name, most=MAX_COLUMNS
                    )
        self.rows: int | None = rows
        self._keys = list(keys)
        self.names = tuple(key.strip() for key in keys)
        if not keys:
            raise InputError("{table}: the file has no records with keys", table=self.name)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:  # noqa: ARG002
        """The named columns in that order, in pieces of limited size."""
        wanted = [self._keys[self.names.index(name)] for name in columns]
        records = self._records()
        rows = 0
        while piece := list(islice(records, ROWS)):
            rows += len(piece)
            arrays = [self._cells(key, [record.get(key) for record in piece]) for key in wanted]
            yield pa.Table.from_arrays(arrays, list(columns))
        if rows != self.rows:
            raise InputError("{table}: the file has changed since it was opened", table=self.name)

    def _cells(self, key: str, cells: list[Any]) -> pa.DictionaryArray:
        try:
            return dictionary_array(cells, _text)
        except UnicodeEncodeError:
            raise InputError(
                "{table}: column {column!r} has cells that are not valid Unicode", table=self.name, column=key.strip()
            ) from None

    def _records(self) -> Iterator[Record]:
        """The records, one for each line that is not blank."""
        return (record for _, record in self.lines() if record is not None)

    def lines(self) -> Iterator[tuple[str, Record | None]]:
        """The lines as they are written, with their records; a blank line has none."""
        decode = json.JSONDecoder(
            object_pairs_hook=_record, parse_int=str, parse_float=str, parse_constant=_no_constant
        ).decode
        line = 0
        try:
            with converting_os_errors(self.content.path), self.content.text(self._encoding) as file:
                while text := file.readline(LONGEST_LINE + 1):
                    line += 1
                    if len(text) > LONGEST_LINE:
                        raise InputError(
                            "{file}, line {line}: the line is longer than {most} MiB",
                            file=self.name,
                            line=line,
                            most=LONGEST_LINE >> 20,
                        )
                    if text.isspace():
                        yield text, None
                        continue
                    record = decode(text.strip())
                    if not isinstance(record, dict):
                        raise _MistakeError(
                            literal('expected an object with the columns as keys, such as {"zip": 471}')
                        )
                    if not SCALARS.issuperset(map(type, record.values())):
                        nested = next(key for key, cell in record.items() if type(cell) not in SCALARS)
                        raise _MistakeError(
                            Phrase("column {column!r} has a list or an object as its cell", column=nested.strip())
                        )
                    yield text, record
        except UnicodeDecodeError:  # somewhere behind this line
            raise InputError("{file}: the bytes are not {encoding}", file=self.name, encoding=UTF8) from None
        except _MistakeError as error:
            raise self._error(line, error.text) from None
        except (json.JSONDecodeError, RecursionError):
            raise self._error(line, Phrase("not JSON: each line must be an object")) from None

    def _error(self, line: int, problem: Phrase) -> InputError:
        return InputError("{file}, line {line}: {problem}", file=self.name, line=line, problem=problem)


class _MistakeError(Exception):
    """A line that is no record."""

    def __init__(self, text: Phrase) -> None:
        self.text = text


def _record(pairs: list[tuple[str, Any]]) -> Record:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise _MistakeError(Phrase("an object has a key twice"))
    return record


def _no_constant(_: str) -> None:
    raise _MistakeError(Phrase("NaN and Infinity are not JSON; write null for a missing cell"))


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else "true" if cell else "false"


BLANK = r"[ \t\n\r]*"
TEXT = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
MEMBER = re.compile(rf'({TEXT})({BLANK}:{BLANK})({TEXT}|[^\s,}}"]+)({BLANK}[,}}]{BLANK})')
FIRST = re.compile(rf"\s*\{{{BLANK}")
NULL, ABSENT = "null", ""  # ways to write a missing value, besides blank texts
PLAIN, NUMBER, OTHER = 1, 2, 4  # ways to write other values
LAYOUTS = 1 << 12  # that are kept in memory

Gap = tuple[str, str]


class SpellingDifferences(NamedTuple):
    """Differences in writing between the records of JSON lines, each with the number of records that are unusual.

    columns     by column
    layout      the number of records with unusual keys, or unusual blanks around them
    line_ends   the number of lines by line end
    """

    columns: Mapping[str, int]
    layout: int
    line_ends: Counter[str]


class _Layout(NamedTuple):
    """The text of a line around its cells, and before it."""

    keys: tuple[str, ...]
    names: tuple[str, ...]  # the keys as they are written
    colons: tuple[str, ...]
    ends: tuple[str, ...]  # behind each cell
    first: str
    last: str
    blank_lines: str | None  # None before the first record, where they mean nothing

    @property
    def gaps(self) -> Iterator[tuple[Gap, str]]:
        """The parts that should be the same wherever they are."""
        yield ("first", ""), self.first
        yield ("last", ""), self.last
        if self.blank_lines is not None:
            yield ("line", ""), self.blank_lines
        for key, name, colon, end in zip(self.keys, self.names, self.colons, self.ends, strict=True):
            yield ("name", key), name
            yield ("colon", key), colon
            yield (("end", "") if end[-1] == "}" else ("comma", key)), end


class _Line(NamedTuple):
    """A record as it stands in the file."""

    layout: _Layout
    cells: tuple[str, ...]
    texts: Collection[str | None]
    end: str


@dataclass
class _LineCounts:
    """The ways of writing that occur in the lines, each with the number of records."""

    records: int = 0
    layouts: Counter[_Layout] = field(default_factory=Counter)
    orders: Counter[tuple[str, ...]] = field(default_factory=Counter)
    gaps: dict[Gap, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    kinds: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    missing: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    line_ends: Counter[str] = field(default_factory=Counter)

    def gather(self) -> None:
        """Split the layouts into orders of keys and gaps, so that they need not be kept in memory."""
        for layout, number in self.layouts.items():
            self.orders[layout.keys] += number
            for gap, text in layout.gaps:
                self.gaps[gap][text] += number
        self.layouts.clear()


def find_spelling_differences(parts: Sequence[JSONLines], exact: Collection[str] = ()) -> SpellingDifferences:
    """Find differences between the records of a table that are not differences of values.

    exact   the columns whose invisible characters are a part of the value
    """
    counts = _LineCounts()
    for part in parts:
        for line in _lines(part):
            _count_line(line, counts, exact)
    counts.gather()
    del counts.line_ends[""]  # of a last line
    usual = {gap: _most_common(texts) for gap, texts in counts.gaps.items()}
    disordered = _find_disordered(counts.orders)
    suspects = {key for key, kinds in counts.kinds.items() if kinds & OTHER or kinds == PLAIN | NUMBER}
    layout, ways = 0, dict[str, dict[str, Counter[str]]]()
    if suspects or disordered or any(len(texts) > 1 for texts in counts.gaps.values()):
        layout, ways = _count_spellings(parts, usual, disordered, suspects, exact)
    columns: Counter[str] = Counter()
    for key in _keys(counts.orders):
        absent = counts.records - sum(number for keys, number in counts.orders.items() if key in keys)
        missing = counts.missing[key] + Counter({ABSENT: absent})
        columns[key.strip()] += sum(map(count_unusual, (missing, *ways.get(key, {}).values())))
    return SpellingDifferences({name: number for name, number in columns.items() if number}, layout, counts.line_ends)


def _keys(orders: Mapping[tuple[str, ...], int]) -> list[str]:
    return list(dict.fromkeys(key for keys in orders for key in keys))


def _most_common(texts: Counter[str]) -> str:
    return max(texts, key=texts.__getitem__)


def _lines(source: JSONLines) -> Iterator[_Line]:
    """Read the records of a file as they stand there."""
    blank_lines: str | None = None  # before the first record they mean nothing
    for text, record in source.lines():
        if record is None:
            blank_lines = None if blank_lines is None else blank_lines + text
            continue
        body = text.rstrip()
        end = text[len(text.rstrip("\r\n")) :]
        first = FIRST.match(text)
        assert first is not None
        found = MEMBER.findall(body, first.end())
        names, colons, cells, ends = zip(*found, strict=True) if found else ((), (), (), ())
        last = text[len(body) : len(text) - len(end)]
        layout = _Layout(tuple(record), names, colons, ends, first[0], last, blank_lines)
        yield _Line(layout, cells, record.values(), end)
        blank_lines = ""


def _count_line(line: _Line, counts: _LineCounts, exact: Collection[str]) -> None:
    """Add the ways in which a line is written to the counts."""
    counts.records += 1
    counts.layouts[line.layout] += 1
    if len(counts.layouts) == LAYOUTS:
        counts.gather()
    counts.line_ends[line.end] += 1
    for key, cell, text in zip(line.layout.keys, line.cells, line.texts, strict=True):
        if cell[0] != '"':
            if cell == NULL:
                counts.missing[key][cell] += 1
            else:
                counts.kinds[key] |= NUMBER
            continue
        value = _value(text, is_exact=key.strip() in exact)
        if not value:
            counts.missing[key][cell] += 1
        else:
            counts.kinds[key] |= OTHER if "\\" in cell or len(value) + 2 != len(cell) else PLAIN


def _find_disordered(orders: Counter[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """The orders of keys that contradict more common ones; a key that is not there contradicts nothing."""
    before: dict[str, set[str]] = {}
    index: dict[str, int] = {}
    out = set()
    for keys, _ in sorted(orders.items(), key=lambda pair: (-pair[1], pair[0])):
        grown = {key: set(own) for key, own in before.items()}
        for key in keys:
            grown.setdefault(key, set())
        for key, following in pairwise(keys):
            grown[following].add(key)
        known = [index.get(key, -1) for key in keys]
        if -1 in known or any(place > following for place, following in pairwise(known)):
            try:
                index = {key: number for number, key in enumerate(TopologicalSorter(grown).static_order())}
            except CycleError:
                out.add(keys)
                continue
        before = grown
    return out


def _count_spellings(
    parts: Sequence[JSONLines],
    usual: Mapping[Gap, str],
    disordered: set[tuple[str, ...]],
    suspects: set[str],
    exact: Collection[str],
) -> tuple[int, dict[str, dict[str, Counter[str]]]]:
    """The number of records with an unusual layout; and for some columns, the number of cells by value and spelling."""
    layout = 0
    ways: dict[str, dict[str, Counter[str]]] = {key: defaultdict(Counter) for key in suspects}
    for part in parts:
        for line in _lines(part):
            own = line.layout
            layout += own.keys in disordered or any(usual[gap] != text for gap, text in own.gaps)
            for key, cell, text in zip(own.keys, line.cells, line.texts, strict=True):
                if key in suspects and cell != NULL:
                    value = _value(text, is_exact=key.strip() in exact)
                    if value:
                        ways[key][value][cell] += 1
    return layout, ways


def _value(cell: object, *, is_exact: bool) -> str:
    """A cell as measures and readers see it."""
    if isinstance(cell, str):
        return cell.strip() if is_exact else _INVISIBLE.sub("", cell).strip()
    return "true" if cell else "false"
