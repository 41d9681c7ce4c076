"""Differences between cells that measures take for the same: blanks, quotes, null beside empty; and line ends.

A value tells records apart that no measure sees as different if it is written in more than one way. Quotes that follow
from the value (it has a separator, it is a text and not a number) or that a whole column has tell nothing.
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.tables.arrays import numpy_integers, numpy_reals, strings, texts
from PETWorks.tables.column_errors import is_text, unreadable
from PETWorks.tables.csvfile import CSV, dictionary_array, reading
from PETWorks.tables.encoding import UTF8
from PETWorks.tables.globs import Files
from PETWorks.tables.json_layout import written as written_lines
from PETWorks.tables.jsonlines import JSONLines
from PETWorks.tables.judged_cells import normalised
from PETWorks.tables.line_ends import packed_flags, running_parities
from PETWorks.tables.quotes import regular_lines
from PETWorks.tables.source import Source

BLOCK = 1 << 23  # bytes that are looked at together
SLOW_ROWS = 1 << 14
QUOTE, LINE_FEED, RETURN = b'"\n\r'
BLANKS = bytes([*range(9, 14), *range(28, 33)])
WIDE_BLANK = rb"(?:\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)"
MASKS = 1, 2, 3  # for separators, line feeds and returns in quotes
NEEDS_QUOTES = r'["\x01-\x03]'

# How a cell is written.
PLAIN, NEEDED_QUOTES, NEEDLESS_QUOTES, EMPTY, EMPTY_QUOTES, NULL, OTHER = (1 << place for place in range(7))

Integers = NDArray[np.int64]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class HiddenDifferences:
    """What a table tells besides its values.

    columns     the columns with a value that is written in several ways, and how many records have another than the
                most common one
    line_ends   how many lines end otherwise than most do
    layout      of JSON lines, how many records have their keys in another order, or other blanks between them
    """

    columns: Mapping[str, int]
    line_ends: int = 0
    layout: int = 0


def hidden_differences(source: Source) -> HiddenDifferences:
    """The differences between the cells of a table that no measure sees."""
    parts: list[Any] = list(source.parts) if isinstance(source, Files) else [source]
    if isinstance(parts[0], JSONLines):
        columns, layout, line_ends = written_lines(parts)
        return HiddenDifferences(columns, line_ends.total() - max(line_ends.values(), default=0), layout)
    styles = dict.fromkeys(source.names, 0)
    ends: Counter[str] = Counter()
    irregular: list[Any] = []
    for part in parts:
        try:
            own_styles, own_ends = _looked_at(part, is_regular=True)
        except _IrregularError:
            irregular.append(part)
            own_styles, own_ends = _looked_at(part, is_regular=False)
        styles = {name: own | own_styles[name] for name, own in styles.items()}
        ends += own_ends
    suspects = [name for name, own in styles.items() if _may_differ(own)]
    ways = _counted(parts, suspects, irregular) if suspects else {}
    differing = {name: _in_other_ways(own) for name, own in ways.items()}
    return HiddenDifferences(
        {name: number for name, number in differing.items() if number}, ends.total() - max(ends.values(), default=0)
    )


def _looked_at(source: Any, *, is_regular: bool) -> tuple[dict[str, int], Counter[str]]:
    """In which ways the cells of each column are written, and the lines end."""
    bare_ends = _line_ends_of_bare(source) if isinstance(source, CSV) else None
    if bare_ends is not None:
        return dict.fromkeys(source.names, PLAIN | EMPTY), bare_ends
    styles, ends = dict.fromkeys(source.names, 0), Counter[str]()
    for piece in _pieces(source, source.names, ends, is_regular=is_regular):
        for name in source.names:
            styles[name] |= _styles(piece[name], name, source)
    return styles, ends


def _may_differ(styles: int) -> bool:
    """Whether a value can have been written in several ways, if cells of a column are written in these."""
    both = ((PLAIN, NEEDLESS_QUOTES), (EMPTY, EMPTY_QUOTES), (EMPTY, NULL))
    return bool(styles & OTHER) or any(styles & one and styles & other for one, other in both)


def _in_other_ways(ways: Mapping[str | None, Counter[str | None]]) -> int:
    """How many cells are written otherwise than most cells with the same value."""
    return sum(own.total() - max(own.values()) for own in ways.values())


def _counted(
    parts: Sequence[Any], columns: Sequence[str], irregular: Sequence[Any]
) -> dict[str, dict[str | None, Counter[str | None]]]:
    """For each column and each of its values, how often it is written in which way."""
    found: dict[str, dict[str | None, Counter[str | None]]] = {name: {} for name in columns}
    for part in parts:
        for piece in _pieces(part, columns, Counter(), is_regular=part not in irregular):
            for name in columns:
                if pa.types.is_floating(piece[name].type):
                    for number, ways in ways_of_numbers(piece[name]).items():
                        found[name].setdefault(number, Counter()).update(ways)
                    continue
                raw, counts = distinct_cells(piece[name])
                values = _judged(raw, part).to_pylist()
                for value, cell, count in zip(values, raw.to_pylist(), counts.tolist(), strict=True):
                    if count:
                        found[name].setdefault(value, Counter())[cell] += count
    return found


def _styles(column: pa.ChunkedArray, name: str, source: Source) -> int:
    """In which ways the cells of a column are written."""
    from pyarrow import compute as pc

    kind = column.type
    if pa.types.is_floating(kind):
        written = [way for own in ways_of_numbers(column).values() for way in own]
        return PLAIN | (NULL * (None in written)) | (EMPTY * ("nan" in written)) | (OTHER * ("-0.0" in written))
    if not is_text(kind):
        return PLAIN
    try:
        raw, counts = distinct_cells(column)
        judged = _judged(raw, source)
    except (pa.ArrowException, UnicodeDecodeError):
        raise unreadable(source.name, name, kind) from None
    quote, nothing, empty_quotes = strings(['"', "", '""'])
    ways = {PLAIN: pc.equal(raw, judged), EMPTY: pc.equal(raw, nothing), NULL: raw.is_null()}
    if isinstance(source, CSV):
        quoted = pc.binary_join_element_wise(quote, pc.replace_substring(judged, '"', '""'), quote, nothing)
        is_quoted, is_needed = pc.equal(raw, quoted), pc.match_substring_regex(judged, NEEDS_QUOTES)
        ways |= {
            NEEDED_QUOTES: pc.and_(is_quoted, is_needed),
            NEEDLESS_QUOTES: pc.and_(is_quoted, pc.invert(is_needed)),
            EMPTY_QUOTES: pc.equal(raw, empty_quotes),
        }
    styles, known = 0, np.zeros(len(raw), np.bool_)
    for way, cells in ways.items():
        flags = np.asarray(pc.fill_null(cells, False)).astype(np.bool_) & (counts > 0)
        known |= flags
        styles |= way if flags.any() else 0
    return styles if (known | (counts == 0)).all() else styles | OTHER


def ways_of_numbers(column: pa.ChunkedArray) -> dict[str | None, Counter[str | None]]:
    """How often the numbers that can be written in two ways are written in which: missing ones, and zero."""
    found: dict[str | None, Counter[str | None]] = {None: Counter(), "0.0": Counter()}
    for chunk in column.chunks:
        numbers = numpy_reals(chunk)
        zeros = numbers == 0
        negative = int(np.count_nonzero(np.signbit(numbers[zeros])))
        found[None].update({None: chunk.null_count, "nan": int(np.count_nonzero(np.isnan(numbers)))})
        found["0.0"].update({"0.0": int(np.count_nonzero(zeros)) - negative, "-0.0": negative})
    return {value: +ways for value, ways in found.items() if +ways}


def distinct_cells(column: pa.ChunkedArray) -> tuple[pa.Array, Integers]:
    """The distinct cells of a column as texts, null with them, and how often each occurs."""
    cells: list[pa.Array] = []
    counts: list[Integers] = []
    for chunk in column.chunks:
        piece = chunk if pa.types.is_dictionary(chunk.type) else texts(chunk).dictionary_encode()
        used = numpy_integers(piece.indices.drop_null())
        cells += [texts(piece.dictionary), pa.nulls(1, pa.large_string())]
        counts += [np.bincount(used, minlength=len(piece.dictionary)), np.array([piece.indices.null_count])]
    if not cells:
        return strings([]), np.zeros(0, np.int64)
    return pa.concat_arrays(cells), np.concatenate(counts).astype(np.int64)


def _judged(raw: pa.Array, source: Source) -> pa.Array:
    """What measures see of cells as they are written."""
    from pyarrow import compute as pc

    if not isinstance(source, CSV):
        return normalised(raw, source.separator is not None)
    inside = pc.replace_substring(pc.utf8_slice_codeunits(raw, 1, -1), '""', '"')
    cells = pc.if_else(pc.starts_with(raw, '"'), inside, raw)
    is_spaced = pc.any(pc.not_equal(pc.utf8_ltrim_whitespace(cells), cells)).as_py()
    return normalised(cells, bool(is_spaced))


def _pieces(source: Any, columns: Sequence[str], ends: Counter[str], *, is_regular: bool) -> Iterator[pa.Table]:
    """Cells as they are written; of a CSV file with their quotes. Its line ends are counted."""
    if isinstance(source, CSV):
        yield from (_raw_fields if is_regular else _raw_fields_one_by_one)(source, columns, ends)
        return
    for piece in source.read(tuple(columns), in_pieces=True):
        yield piece.rename_columns(list(columns))


class _IrregularError(Exception):
    """Quotes of a CSV file must be looked at one by one."""


def _raw_fields(source: CSV, columns: Sequence[str], ends: Counter[str]) -> Iterator[pa.Table]:
    """The fields of a CSV file with the quotes around them; separators and line ends inside are masked."""
    from pyarrow import csv as arrow_csv

    assert source.separator is not None
    places = [str(place) for place in range(len(source.names))]
    wanted = [places[source.names.index(name)] for name in columns]
    convert = arrow_csv.ConvertOptions(
        column_types={place: pa.dictionary(pa.int32(), pa.string()) for place in wanted},
        include_columns=wanted,
        strings_can_be_null=False,
    )
    parse = arrow_csv.ParseOptions(
        delimiter=source.separator, quote_char=False, ignore_empty_lines=len(source.names) > 1
    )
    is_first = True
    for block in _masked_lines(source):
        lines = block
        if is_first:
            lines = re.sub(rb"^[^\r\n]*(?:\r\n|\n|\r)?", b"", block, count=1)
            is_first = False
        ends.update(_line_ends(lines))
        if not lines:
            continue
        read = arrow_csv.ReadOptions(column_names=places, block_size=len(lines) + 1)
        try:
            table = arrow_csv.read_csv(pa.BufferReader(lines), read, parse, convert)
        except pa.ArrowInvalid:
            raise _IrregularError from None
        yield table.rename_columns(list(columns))


def _line_ends(lines: bytes) -> Counter[str]:
    """How many lines end in which way."""
    both, feeds, returns = lines.count(b"\r\n"), lines.count(b"\n"), lines.count(b"\r")
    return +Counter({"CRLF": both, "LF": feeds - both, "CR": returns - both})


def _masked_lines(source: CSV) -> Iterator[bytes]:
    """The bytes of a file in UTF-8, whole lines at a time, with signs in quotes masked that would end a field."""
    assert source.separator is not None
    separator = source.separator.encode()
    rest = b""
    for block, is_last in _blocks(source):
        text = rest + block
        signs = np.frombuffer(text, np.uint8)
        parities = running_parities(packed_flags(signs == QUOTE), odd=False).astype("<u8", copy=False)
        inside = np.unpackbits(parities.view(np.uint8), count=len(signs), bitorder="little").view(np.bool_)
        line_ends = np.flatnonzero(((signs == LINE_FEED) | (signs == RETURN)) & ~inside)
        if not is_last and len(line_ends) and text.endswith(b"\r") and line_ends[-1] == len(text) - 1:
            line_ends = line_ends[:-1]  # a line feed may follow
        cut = len(text) if is_last else int(line_ends[-1]) + 1 if len(line_ends) else 0
        if cut and not regular_lines(text[:cut], separator):
            raise _IrregularError
        masked, hidden = signs[:cut].copy(), inside[:cut]
        for sign, mask in zip((separator[0], LINE_FEED, RETURN), MASKS, strict=True):
            masked[hidden & (masked == sign)] = mask
        if cut:
            yield masked.tobytes()
        rest = text[cut:]


def _blocks(source: CSV) -> Iterator[tuple[bytes, bool]]:
    """The bytes of a file in UTF-8, without a byte-order mark; and whether they are the last."""
    decoder = codecs.getincrementaldecoder(source.encoding or UTF8)()
    with reading(source.content.path), source.content.open() as file:
        block, place = file.read(BLOCK), 0
        while block:
            after = file.read(BLOCK)
            text = block if source.encoding == UTF8 else decoder.decode(block).encode()
            yield text if place else text.removeprefix(codecs.BOM_UTF8), not after
            block, place = after, place + 1


def _raw_fields_one_by_one(source: CSV, columns: Sequence[str], ends: Counter[str]) -> Iterator[pa.Table]:
    """The fields of a CSV file whose quotes can be read in more than one way."""
    assert source.separator is not None
    sign = re.escape(source.separator)
    field = re.compile(rf'("[^"]*+(?:""[^"]*+)*+"|[^"{sign}\r\n][^{sign}\r\n]*+|)({sign}|\r\n|\n|\r|\Z)')
    text = b"".join(block for block, _ in _blocks(source)).decode()
    wanted = [source.names.index(name) for name in columns]
    rows: list[list[str]] = []
    row: list[str] = []
    is_header = True
    for match in field.finditer(text):
        row.append(match[1])
        if match[2] == source.separator:
            continue
        is_record = len(row) == len(source.names) and (row != [""] or (len(source.names) == 1 and match[2]))
        if is_record and not is_header:
            rows.append(row)
            if match[2]:
                ends[{"\r\n": "CRLF", "\n": "LF", "\r": "CR"}[match[2]]] += 1
        is_header = is_header and not is_record
        row = []
        if len(rows) == SLOW_ROWS:
            yield _as_table(rows, columns, wanted)
            rows = []
    if rows:
        yield _as_table(rows, columns, wanted)


def _as_table(rows: list[list[str]], columns: Sequence[str], places: Sequence[int]) -> pa.Table:
    cells = [dictionary_array([row[place] for row in rows]) for place in places]
    return pa.Table.from_arrays(cells, list(columns))


def _line_ends_of_bare(source: CSV) -> Counter[str] | None:
    """The line ends of a file without quotes and without blanks around cells; None if it may have any."""
    assert source.separator is not None
    if source.has_quotes:
        return None
    edges = source.separator.encode() + b"\r\n"
    is_blank, is_edge = np.zeros(256, np.bool_), np.zeros(256, np.bool_)
    is_blank[list(BLANKS)] = True
    is_edge[list(edges)] = True
    is_blank &= ~is_edge
    wide = re.compile(rb"[%b]%b|%b[%b]" % (re.escape(edges), WIDE_BLANK, WIDE_BLANK, re.escape(edges)))
    ends: Counter[str] = Counter()
    before = b""
    for place, (block, is_last) in enumerate(_blocks(source)):
        text = before + block + (b"\n" if is_last else b"")
        signs = np.frombuffer(text, np.uint8)
        blank, edge = is_blank[signs], is_edge[signs]
        if np.any(blank[1:] & edge[:-1]) or np.any(blank[:-1] & edge[1:]):
            return None
        if not text.isascii() and wide.search(text):
            return None
        body = re.sub(rb"^[^\r\n]*(?:\r\n|\n|\r)?", b"", block, count=1) if place == 0 else block
        ends += _line_ends(body)
        if before.endswith(b"\r") and block.startswith(b"\n"):
            ends = +(ends + Counter(CRLF=1) - Counter(CR=1) - Counter(LF=1))
        before = block[-4:]
    return ends
