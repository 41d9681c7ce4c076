"""JSON lines: an object per line, whose keys are the columns. Numbers stay as they are written, digit by digit."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from PETWorks.errors import InputError, Phrase, literal
from PETWorks.tables.csv_layout import LONGEST_LINE
from PETWorks.tables.csvfile import dictionary_array, reading
from PETWorks.tables.encoding import UTF8, unicode_encoding
from PETWorks.tables.packed import Content

SUFFIXES = (".jsonl", ".ndjson")
ROWS = 1 << 16  # of a piece
MOST_COLUMNS = 10_000
SCALARS = {str, bool, type(None)}  # numbers are kept as texts

Record = dict[str, Any]


class JSONLines:
    """A file of JSON lines, packed or not. A key that a line lacks is a missing cell."""

    engine: str | None = None
    ordered = True
    encoding: str | None = None
    separator: str | None = None

    def __init__(self, content: Content) -> None:
        self.content = content
        self.path: Path | None = content.path
        self.name = content.path.name
        with reading(content.path), content.open() as file:
            self._encoding = unicode_encoding(file.read(1 << 16)) or "utf-8-sig"
        keys: dict[str, None] = {}
        rows = 0
        for record in self._records():
            rows += 1
            if not keys.keys() >= record.keys():
                keys.update(dict.fromkeys(record))
                if len(keys) > MOST_COLUMNS:
                    raise InputError(
                        "{file}: the lines have more than {most:,} different keys", file=self.name, most=MOST_COLUMNS
                    )
        self.rows: int | None = rows
        self._keys = list(keys)
        self.names = tuple(key.strip() for key in keys)
        if not keys:
            raise InputError("{table}: the file has no records with keys", table=self.name)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:  # noqa: ARG002
        """The named columns in that order, so many rows at a time."""
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
            with reading(self.content.path), self.content.text(self._encoding) as file:
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
