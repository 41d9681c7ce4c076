"""Hidden differences between records: equal values, or lines, that are written in several ways."""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from PETWorks.tables.arrays import (
    Integers,
    is_text,
    numpy_integers,
    numpy_reals,
    strings,
    texts,
    unreadable_column,
)
from PETWorks.tables.cells import count_unusual
from PETWorks.tables.files import arrow_reader
from PETWorks.tables.formats.csv import (
    CSV,
    UTF8,
    converting_os_errors,
    dictionary_array,
    has_regular_lines,
    packed_flags,
    running_parities,
)
from PETWorks.tables.formats.json_lines import JSONLines, find_spelling_differences
from PETWorks.tables.normalised_cells import has_invisible, normalise_texts, without_invisible
from PETWorks.tables.opening import Files
from PETWorks.tables.source import Source

BLOCK = 1 << 23  # bytes that are examined together
SLOW_ROWS = 1 << 14
QUOTE, LINE_FEED, RETURN = b'"\n\r'
BLANKS = bytes([*range(9, 14), *range(28, 33)])
WIDE_BLANK = rb"(?:\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)"
EMPTY_LINES = "empty"
MASKS = 1, 2, 3  # for separators, line feeds and returns in quotes
NEEDS_QUOTES = r'["\x01-\x03]'

# The styles in which a cell can be written.
PLAIN, NEEDED_QUOTES, NEEDLESS_QUOTES, EMPTY, EMPTY_QUOTES, NULL, OTHER = (1 << place for place in range(7))


@dataclass(frozen=True)
class HiddenDifferences:
    """Differences between records of a table that are not differences of values.

    columns     for each column that writes a value in several ways, the number of records with an unusual spelling
    line_ends   the number of lines with an unusual end, and of empty lines between records
    layout      of JSON lines, the number of records with their keys in another order or with other blanks between them
    """

    columns: Mapping[str, int]
    line_ends: int = 0
    layout: int = 0


def hidden_differences(source: Source, exact: Collection[str] = ()) -> HiddenDifferences:
    """Find the differences between cells that measures ignore or readers cannot see.

    exact   columns in which invisible characters distinguish values: quasi-identifiers, which are counted as they are
    """
    parts: list[Any] = list(source.parts) if isinstance(source, Files) else [source]
    if isinstance(parts[0], JSONLines):
        columns, layout, line_ends = find_spelling_differences(parts, exact)
        return HiddenDifferences(columns, count_unusual(line_ends), layout)
    styles = dict.fromkeys(source.names, 0)
    ends: Counter[str] = Counter()
    irregular: list[Any] = []
    for part in parts:
        try:
            own_styles, own_ends = _find_styles(part, exact, is_regular=True)
        except _IrregularError:
            irregular.append(part)
            own_styles, own_ends = _find_styles(part, exact, is_regular=False)
        styles = {name: own | own_styles[name] for name, own in styles.items()}
        ends += own_ends
    suspects = [name for name, own in styles.items() if _may_differ(own)]
    ways = _count_spellings(parts, suspects, exact, irregular) if suspects else {}
    differing = {name: sum(map(count_unusual, own.values())) for name, own in ways.items()}
    return HiddenDifferences({name: number for name, number in differing.items() if number}, count_unusual(ends))


def _find_styles(source: Any, exact: Collection[str], *, is_regular: bool) -> tuple[dict[str, int], Counter[str]]:
    """The styles of writing in each column, as flags, and the number of lines by line end."""
    bare_ends = _line_ends_without_quotes(source) if isinstance(source, CSV) else None
    if bare_ends is not None:
        return dict.fromkeys(source.names, PLAIN | EMPTY), bare_ends
    styles, ends = dict.fromkeys(source.names, 0), Counter[str]()
    for piece in _read_pieces(source, source.names, ends, is_regular=is_regular):
        for name in source.names:
            judge = partial(_read_as_judged, source=source, is_exact=name in exact, is_masked=is_regular)
            styles[name] |= _styles(piece[name], name, source, judge)
    return styles, ends


def _may_differ(styles: int) -> bool:
    """Whether a column with cells in these styles may write one value in several ways."""
    pairs = ((PLAIN, NEEDLESS_QUOTES), (EMPTY, EMPTY_QUOTES), (EMPTY, NULL))
    return bool(styles & OTHER) or any(styles & first and styles & second for first, second in pairs)


def _count_spellings(
    parts: Sequence[Any], columns: Sequence[str], exact: Collection[str], irregular: Sequence[Any]
) -> dict[str, dict[str | None, Counter[str | None]]]:
    """For each column and each of its values, the number of cells by spelling."""
    found: dict[str, dict[str | None, Counter[str | None]]] = {name: {} for name in columns}
    for part in parts:
        is_regular = part not in irregular
        for piece in _read_pieces(part, columns, Counter(), is_regular=is_regular):
            for name in columns:
                if pa.types.is_floating(piece[name].type):
                    for number, ways in ways_of_numbers(piece[name]).items():
                        found[name].setdefault(number, Counter()).update(ways)
                    continue
                raw, counts = distinct_cells(piece[name])
                values = _read_as_judged(raw, part, is_exact=name in exact, is_masked=is_regular).to_pylist()
                for value, cell, count in zip(values, raw.to_pylist(), counts.tolist(), strict=True):
                    if count:
                        found[name].setdefault(value, Counter())[cell] += count
    return found


def _styles(column: pa.ChunkedArray, name: str, source: Source, judge: Callable[[pa.Array], pa.Array]) -> int:
    """The styles in which the cells of a column are written, as flags.

    judge   returns cells as measures and readers see them
    """
    from pyarrow import compute as pc

    kind = column.type
    if pa.types.is_floating(kind):
        written = [way for own in ways_of_numbers(column).values() for way in own]
        return PLAIN | (NULL * (None in written)) | (EMPTY * ("nan" in written)) | (OTHER * ("-0.0" in written))
    if not is_text(kind):
        return PLAIN
    try:
        raw, counts = distinct_cells(column)
        judged = judge(raw)
    except (pa.ArrowException, UnicodeDecodeError):
        raise unreadable_column(source.name, name, kind) from None
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
        held = pc.and_kleene(cells, cells.is_valid()).cast(pa.uint8())  # NumPy takes booleans by way of pandas
        flags = numpy_integers(held).astype(np.bool_) & (counts > 0)
        known |= flags
        styles |= way if flags.any() else 0
    return styles if (known | (counts == 0)).all() else styles | OTHER


def ways_of_numbers(column: pa.ChunkedArray) -> dict[str | None, Counter[str | None]]:
    """Count the spellings of the two numbers that have several: missing (null or NaN), and zero (0.0 or -0.0)."""
    found: dict[str | None, Counter[str | None]] = {None: Counter(), "0.0": Counter()}
    for chunk in column.chunks:
        numbers = numpy_reals(chunk)
        zeros = numbers == 0
        negative = int(np.count_nonzero(np.signbit(numbers[zeros])))
        found[None].update({None: chunk.null_count, "nan": int(np.count_nonzero(np.isnan(numbers)))})
        found["0.0"].update({"0.0": int(np.count_nonzero(zeros)) - negative, "-0.0": negative})
    return {value: +ways for value, ways in found.items() if +ways}


def distinct_cells(column: pa.ChunkedArray) -> tuple[pa.Array, Integers]:
    """The distinct cells of a column as texts, including null, and the number of each."""
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


def _read_as_judged(raw: pa.Array, source: Source, *, is_exact: bool, is_masked: bool) -> pa.Array:
    """Raw cells as measures and readers see them.

    is_exact    whether measures distinguish values by invisible characters
    is_masked   whether separators and line ends inside quotes of a CSV file are masked
    """
    from pyarrow import compute as pc

    if not isinstance(source, CSV):
        return normalise_texts(raw if is_exact else without_invisible(raw), source.separator is not None)
    inside = pc.replace_substring(pc.utf8_slice_codeunits(raw, 1, -1), '""', '"')
    cells = pc.if_else(pc.starts_with(raw, '"'), inside, raw)
    cells = cells if is_exact else without_invisible(cells, masked=is_masked)
    is_spaced = pc.any(pc.not_equal(pc.utf8_ltrim_whitespace(cells), cells)).as_py()
    return normalise_texts(cells, bool(is_spaced))


def _read_pieces(source: Any, columns: Sequence[str], ends: Counter[str], *, is_regular: bool) -> Iterator[pa.Table]:
    """Read raw cells, those of a CSV file with their quotes, and add its line ends to `ends`."""
    if isinstance(source, CSV):
        yield from (_read_raw_fields if is_regular else _read_raw_fields_by_regex)(source, columns, ends)
        return
    for piece in source.read(tuple(columns), in_pieces=True):
        yield piece.rename_columns(list(columns))


class _IrregularError(Exception):
    """The quotes of a CSV file have to be parsed one by one."""


def _read_raw_fields(source: CSV, columns: Sequence[str], ends: Counter[str]) -> Iterator[pa.Table]:
    """Read the fields of a CSV file with their quotes; separators and line ends inside quotes are masked."""
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
    empty = _EmptyLines()
    for block in _read_masked_lines(source):
        lines = block
        if is_first:
            lines = empty.skip_header(block)
            is_first = False
        ends.update(_count_line_ends(lines))
        ends[EMPTY_LINES] += empty.count_more(lines) if len(places) > 1 else 0
        if not lines:
            continue
        read = arrow_csv.ReadOptions(column_names=places, block_size=len(lines) + 1)
        try:
            table = arrow_csv.read_csv(arrow_reader(lines), read, parse, convert)
        except pa.ArrowInvalid:
            raise _IrregularError from None
        yield table.rename_columns(list(columns))


def _count_line_ends(lines: bytes) -> Counter[str]:
    """The number of lines by line end."""
    both, feeds, returns = lines.count(b"\r\n"), lines.count(b"\n"), lines.count(b"\r")
    return +Counter({"CRLF": both, "LF": feeds - both, "CR": returns - both})


class _EmptyLines:
    """Counts the empty lines before records; those at the end of a file mean nothing."""

    def __init__(self) -> None:
        self._last_ends = b"\n"

    def skip_header(self, block: bytes) -> bytes:
        """The first block of the file without the first line, whose line end may be cut in two."""
        lines = re.sub(rb"^[^\r\n]*(?:\r\n|\n|\r)?", b"", block, count=1)
        header = block[: len(block) - len(lines)]
        self._last_ends = header[len(header.rstrip(b"\r\n")) :]
        return lines

    def count_more(self, lines: bytes) -> int:
        """Count those in a part of the file, which may begin and end anywhere."""
        inside = lines.strip(b"\r\n")
        if not inside:
            self._last_ends += lines
            return 0
        first = len(lines) - len(lines.lstrip(b"\r\n"))
        runs = [self._last_ends + lines[:first]]
        if any(ends in inside for ends in (b"\n\n", b"\n\r", b"\r\r")):
            runs += re.findall(rb"[\r\n]{2,}", inside)
        self._last_ends = lines[first + len(inside) :]
        return sum(max(_count_line_ends(run).total() - 1, 0) for run in runs)


def _read_masked_lines(source: CSV) -> Iterator[bytes]:
    """Read a file in UTF-8, whole lines at a time; separators and line ends inside quotes are masked."""
    assert source.separator is not None
    separator = source.separator.encode()
    rest = b""
    for block, is_last in _read_blocks(source):
        text = rest + block
        signs = np.frombuffer(text, np.uint8)
        parities = running_parities(packed_flags(signs == QUOTE), odd=False).astype("<u8", copy=False)
        inside = np.unpackbits(parities.view(np.uint8), count=len(signs), bitorder="little").view(np.bool_)
        line_ends = np.flatnonzero(((signs == LINE_FEED) | (signs == RETURN)) & ~inside)
        if not is_last and len(line_ends) and text.endswith(b"\r") and line_ends[-1] == len(text) - 1:
            line_ends = line_ends[:-1]  # a line feed may follow
        cut = len(text) if is_last else int(line_ends[-1]) + 1 if len(line_ends) else 0
        if cut and not has_regular_lines(text[:cut], separator):
            raise _IrregularError
        masked, hidden = signs[:cut].copy(), inside[:cut]
        if any(chr(mask).encode() in text for mask in MASKS):
            raise _IrregularError
        for sign, mask in zip((separator[0], LINE_FEED, RETURN), MASKS, strict=True):
            masked[hidden & (masked == sign)] = mask
        if cut:
            yield masked.tobytes()
        rest = text[cut:]


def _read_blocks(source: CSV) -> Iterator[tuple[bytes, bool]]:
    """Read a file in UTF-8 without its byte-order mark, block by block, each with whether it is the last."""
    decoder = codecs.getincrementaldecoder(source.encoding or UTF8)()
    with converting_os_errors(source.content.path), source.content.open() as file:
        block, place = file.read(BLOCK), 0
        while block:
            after = file.read(BLOCK)
            text = block if source.encoding == UTF8 else decoder.decode(block).encode()
            yield text if place else text.removeprefix(codecs.BOM_UTF8), not after
            block, place = after, place + 1


def _read_raw_fields_by_regex(source: CSV, columns: Sequence[str], ends: Counter[str]) -> Iterator[pa.Table]:
    """Read the fields of a CSV file whose quotes are ambiguous, with a regular expression, which is slow."""
    assert source.separator is not None
    sign = re.escape(source.separator)
    field = re.compile(rf'("[^"]*+(?:""[^"]*+)*+"|[^"{sign}\r\n][^{sign}\r\n]*+|)({sign}|\r\n|\n|\r|\Z)')
    text = b"".join(block for block, _ in _read_blocks(source)).decode()
    wanted = [source.names.index(name) for name in columns]
    rows: list[list[str]] = []
    row: list[str] = []
    is_header = True
    empty = 0
    for match in field.finditer(text):
        row.append(match[1])
        if match[2] == source.separator:
            continue
        if row == [""] and len(source.names) > 1 and not is_header:
            empty += 1
        is_record = len(row) == len(source.names) and (row != [""] or (len(source.names) == 1 and match[2]))
        if is_record and not is_header:
            rows.append(row)
            ends[EMPTY_LINES] += empty
            empty = 0
            if match[2]:
                ends[{"\r\n": "CRLF", "\n": "LF", "\r": "CR"}[match[2]]] += 1
        is_header = is_header and not is_record
        row = []
        if len(rows) == SLOW_ROWS:
            yield _make_table(rows, columns, wanted)
            rows = []
    if rows:
        yield _make_table(rows, columns, wanted)


def _make_table(rows: list[list[str]], columns: Sequence[str], places: Sequence[int]) -> pa.Table:
    cells = [dictionary_array([row[place] for row in rows]) for place in places]
    return pa.Table.from_arrays(cells, list(columns))


def _line_ends_without_quotes(source: CSV) -> Counter[str] | None:
    """The line ends of a file without quotes, outer blanks and invisible characters; None if it may have any."""
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
    empty = _EmptyLines()
    before = b""
    for place, (block, is_last) in enumerate(_read_blocks(source)):
        text = before + block + (b"\n" if is_last else b"")
        signs = np.frombuffer(text, np.uint8)
        blank, edge = is_blank[signs], is_edge[signs]
        if np.any(blank[1:] & edge[:-1]) or np.any(blank[:-1] & edge[1:]):
            return None
        if has_invisible(text) or (not text.isascii() and wide.search(text)):
            return None
        body = empty.skip_header(block) if place == 0 else block
        ends += _count_line_ends(body)
        ends[EMPTY_LINES] += empty.count_more(body) if len(source.names) > 1 else 0
        if before.endswith(b"\r") and block.startswith(b"\n"):
            ends = +(ends + Counter(CRLF=1) - Counter(CR=1) - Counter(LF=1))
        before = block[-4:]
    return ends
