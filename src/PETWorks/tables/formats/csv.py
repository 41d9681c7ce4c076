"""CSV files: encoding, line ends, quotes and separator are detected; every cell stays text, no row is lost.

Texts are quoted only where necessary when they are written, and all lines have the same line end: the parts of records
are in Arrow arrays of bytes, and one call takes the parts of many records in the order in which they are written.
"""

import codecs
import csv
import io
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from PETWorks.errors import Counted, Hint, InputError, ParameterError, Phrase, quoted, system_reason
from PETWorks.tables.arrays import (
    Integers,
    arrow_integers,
    byte_strings,
    numpy_integers,
    strings,
    texts,
    unreadable_column,
)
from PETWorks.tables.files import HeldFile, no_such_file
from PETWorks.tables.formats.packed import Content
from PETWorks.tables.headers import repeated_names

UTF8 = "utf-8"
BIG5 = "cp950"

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_INSIDE_A_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[A-Za-z])")
_LAST_COMMON_LEAD_BYTE = 0xC6


# UTF-32 first: its mark begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_MAX_ASCII = 0.7
_WIDE_LINE_ENDS = {"\n".encode(code): code for code in ("utf-16-le", "utf-16-be")}


def unicode_encoding(start: bytes) -> str | None:
    """UTF-16 or UTF-32 if a text with this start is in one of them; None if it seems to be in another encoding.

    Without a byte-order mark, the first line end decides: as two bytes, it is no character in any other encoding. But
    where most pairs of bytes are two ASCII characters, a NUL byte more likely indicates damage.

    >>> unicode_encoding("a;b\\n".encode("utf-16-be")), unicode_encoding(b"a;b\\n")
    ('utf-16-be', None)
    """
    marked = next((encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), None)
    if marked is not None or b"\0" not in start:
        return marked
    octets = np.frombuffer(start[: len(start) // 2 * 2], np.uint8)
    is_ascii = ((octets > 0) & (octets < 0x7F)).reshape(-1, 2).all(axis=1)
    if np.count_nonzero(is_ascii) > _MAX_ASCII * (len(octets) // 2):
        return None
    pairs = octets.view(np.uint16)
    ends = {code: np.flatnonzero(pairs == np.frombuffer(end, np.uint16)[0]) for end, code in _WIDE_LINE_ENDS.items()}
    first_ends = [(int(indices[0]), code) for code, indices in ends.items() if len(indices)]
    return min(first_ends)[1] if first_ends else None


class Big5Evidence:
    """Evidence whether text that decodes as Big5 is really Big5.

    Most bytes of a Western encoding also decode as Big5, but to rare characters in the middle of Latin words: in Big5,
    common characters have lead bytes up to C6, and accented Latin letters are above that.
    """

    def __init__(self) -> None:
        self._western = self._all = 0

    def add(self, text: str) -> None:
        """Examine more text."""
        self._all += len(_NOT_ASCII.findall(text))
        inside = "".join(_INSIDE_A_WORD.findall(text)).encode(BIG5)
        self._western += int(np.count_nonzero(np.frombuffer(inside, np.uint8)[::2] > _LAST_COMMON_LEAD_BYTE))

    @property
    def plausible(self) -> bool:
        """Whether most of the text so far is not Western."""
        return self._western * 2 <= self._all


def undecodable_error(name: str, line: int, advice: Phrase) -> InputError:
    """The error for bytes that fit none of the encodings tried."""
    return InputError(
        "{name}, line {line}: the bytes are neither UTF-8 nor Big5 (CP950); {advice}",
        name=name,
        line=line,
        advice=advice,
    )


def decode(raw: bytes, name: str) -> str:
    """The text of a small file, in the encoding that fits."""
    wide = unicode_encoding(raw)
    if wide is not None:
        try:
            return raw.decode(wide).removeprefix("\ufeff")
        except UnicodeDecodeError:
            raise InputError(
                "{file}: the bytes are not {encoding}; save it as UTF-8", file=name, encoding=wide
            ) from None
    try:
        return raw.decode(UTF8).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        failure = undecodable_error(name, raw.count(b"\n", 0, error.start) + 1, Phrase("save it as UTF-8"))
    try:
        text = raw.decode(BIG5)
    except UnicodeDecodeError:
        raise failure from None
    evidence = Big5Evidence()
    evidence.add(text)
    if not evidence.plausible:
        raise failure
    return text


LINE_FEED, RETURN, QUOTE_BYTE = b"\n"[0], b"\r"[0], b'"'[0]

LAST_BIT = np.uint64(63)

Words = NDArray[np.uint64]


class LineEnds:
    """Counts the lines of a file, and detects whether quoted cells may contain line ends.

    They may if a line ends after an odd number of quotes, or if there is a carriage return without a line feed.

    open_line   length of the line that is not complete yet
    """

    def __init__(self) -> None:
        self.lines = 0
        self.blank_lines = 0
        self.open_line = 0
        self.in_cells = False
        self.has_quotes = False
        self._in_quotes = False
        self._ends_in_return = False

    def add(self, block: bytes) -> None:
        """Examine the next part of the file; an empty part marks its end."""
        if not block:
            self._lone_returns(int(self._ends_in_return))
            return
        octets = np.frombuffer(block, np.uint8)
        ends = packed_flags(octets == LINE_FEED)
        has_returns = b"\r" in block
        self.lines += int(np.bitwise_count(ends).sum())
        self._add_blank_lines(block, ends, has_returns=has_returns)
        last = block.rfind(b"\n")
        self.open_line = len(block) - last - 1 if last >= 0 else self.open_line + len(block)
        if b'"' in block:
            self.has_quotes = True
            inside = running_parities(packed_flags(octets == QUOTE_BYTE), odd=self._in_quotes)
            self.in_cells |= bool(np.any(inside & ends))
            self._in_quotes = bool(inside[-1] >> LAST_BIT)
        else:
            self.in_cells |= self._in_quotes and last >= 0
        self._add_returns(block, has_returns=has_returns)

    def _add_blank_lines(self, block: bytes, ends: Words, *, has_returns: bool) -> None:
        """Count lines with nothing before their line feed, or only a carriage return."""
        first = block.find(b"\n")
        if first < 0:
            return
        after_return = block[first - 1] == RETURN if first else self._ends_in_return
        self.blank_lines += first + self.open_line == int(after_return)
        blank = ends & _shift_by_one(ends)
        if has_returns:
            returns = packed_flags(np.frombuffer(block, np.uint8) == RETURN)
            blank |= ends & _shift_by_one(returns & _shift_by_one(ends))
        self.blank_lines += int(np.bitwise_count(blank).sum())

    def _add_returns(self, block: bytes, *, has_returns: bool) -> None:
        """Count carriage returns without a line feed as line ends."""
        if self._ends_in_return and not block.startswith(b"\n"):
            self._lone_returns(1)
        self._ends_in_return = block.endswith(b"\r")
        if has_returns:
            self._lone_returns(block.count(b"\r") - block.count(b"\r\n") - self._ends_in_return)

    def _lone_returns(self, number: int) -> None:
        self.lines += number
        self.in_cells |= number > 0


def packed_flags(flags: NDArray[np.bool_]) -> Words:
    """Flags as bits of words, starting with the lowest bit."""
    packed = np.packbits(flags, bitorder="little")
    words = np.zeros(-(-len(packed) // 8), "<u8")
    words.view(np.uint8)[: len(packed)] = packed
    return words.astype(np.uint64, copy=False)


def _shift_by_one(bits: Words) -> Words:
    """The bits, each moved one position later."""
    moved = bits << np.uint64(1)
    moved[1:] |= bits[:-1] >> LAST_BIT
    return moved


def running_parities(bits: Words, *, odd: bool) -> Words:
    """For each bit, whether the number of bits set up to it is odd; `odd` is the parity before the first.

    >>> [bin(word) for word in running_parities(np.array([0b1001000], np.uint64), odd=False).tolist()]
    ['0b111000']
    """
    parities = bits.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        parities ^= parities << np.uint64(shift)
    before = np.empty_like(bits)  # of each word
    before[0] = odd
    before[1:] = parities[:-1] >> LAST_BIT
    np.bitwise_xor.accumulate(before, out=before)
    parities ^= np.uint64(0) - before
    return parities


BLOCK = 1 << 20  # characters
QUOTE, LINE_ENDS, BLANKS = b'"', b"\r\n", b" \t\v\f"


def has_regular_quotes(content: Content, encoding: str, separator: str) -> bool:
    """Whether all readers interpret the quotes in the same way; may be False by mistake.

    Assumes that no cell contains a line end, so that every line has an even number of quotes.
    """
    rest = b""
    with content.text("utf-8-sig" if encoding == UTF8 else encoding) as file:
        while text := file.read(BLOCK):
            block = rest + text.encode()
            end = block.rfind(b"\n") + 1
            if not has_regular_lines(block[:end], separator.encode()):
                return False
            rest = block[end:]
    return has_regular_lines(rest, separator.encode())


def has_regular_lines(block: bytes, separator: bytes) -> bool:
    """Whether each pair of quotes encloses a cell, or a part of one between doubled quotes.

    `a; "b"`: a blank before a quote makes it an ordinary character. This does not matter if the pair encloses no
    separator and no line end, because the pairing stays the same.
    """
    if QUOTE not in block:
        return True
    octets = np.frombuffer(b"\n" + block + b"\n", np.uint8)
    quotes = np.flatnonzero(octets == QUOTE[0])
    if len(quotes) % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    before, after = octets[opening - 1], octets[closing + 1]
    bounds = np.frombuffer(QUOTE + LINE_ENDS + separator, np.uint8)
    spaced = np.isin(before, np.frombuffer(BLANKS.replace(separator, b""), np.uint8))
    if not (np.isin(after, bounds).all() and (spaced | np.isin(before, bounds)).all()):
        return False
    if not spaced.any():
        return True
    ends = np.cumsum(np.isin(octets, np.frombuffer(LINE_ENDS + separator, np.uint8)))
    unsafe = spaced | (before == QUOTE[0])
    return not np.any((ends[closing] > ends[opening]) & unsafe)


LONGEST_LINE = 1 << 22
SCAN_BLOCK = 1 << 18  # bytes; fits into the cache of a core


@dataclass(frozen=True)
class FileLayout:
    """Lines of a file, blank lines in total and at its end, whether cells may contain line ends, and quotes."""

    lines: int
    blank_lines: int
    blank_end: int
    line_ends_in_cells: bool
    has_quotes: bool


def find_encoding(content: Content, encoding: str | None) -> tuple[str, FileLayout]:
    """The encoding that fits the whole file, and the layout of the file."""
    if encoding is not None:
        encoding = codec_name(encoding)
        try:
            return encoding, _scan(content, encoding)
        except _UndecodableError as error:
            raise InputError(
                "{file}, line {line}: the bytes are not {encoding}",
                file=content.path.name,
                line=error.line,
                encoding=encoding,
            ) from None
    with content.open() as file:
        wide = unicode_encoding(file.read(LONGEST_LINE))
    if wide is not None:
        return find_encoding(content, wide)
    try:
        return UTF8, _scan(content, UTF8)
    except _UndecodableError as error:
        failure = undecodable_error(
            content.path.name, error.line, Phrase("name its encoding, in Western Europe mostly Windows-1252")
        )
    try:
        return BIG5, _scan(content, BIG5)
    except _UndecodableError:
        raise failure from None


# Codecs of Python for host names and source code, not for files.
NON_FILE_CODECS = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")


def codec_name(name: str) -> str:
    """Python's name of an encoding; raise if it does not exist, or is not for text files."""
    try:
        "a".encode(name)
        called = codecs.lookup(name).name
    except (LookupError, ValueError):
        raise ParameterError(
            "no encoding is called {encoding}; expected one like 'utf-8' or 'big5'",
            encoding=quoted([name]),
            what="encoding",
        ) from None
    if called.replace("_", "-") in NON_FILE_CODECS:
        raise ParameterError(
            "no text file is in the encoding {encoding}; expected one like 'utf-8' or 'big5'",
            encoding=quoted([name]),
            what="encoding",
        )
    return called


class _UndecodableError(Exception):
    def __init__(self, line: int) -> None:
        self.line = line


def _scan(content: Content, encoding: str) -> FileLayout:
    """Scan the whole file once for its layout; raise if it cannot be decoded or is damaged."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    ascii_is_itself = encoding in (UTF8, BIG5)
    evidence, line_ends = Big5Evidence(), LineEnds()
    blank_end, more = 0, True
    with content.open() as file:
        while more:
            block = file.read(SCAN_BLOCK)
            more = bool(block)
            if not (ascii_is_itself and more and block.isascii() and not decoder.getstate()[0]):
                try:
                    text = decoder.decode(block, final=not more)
                    recoded = block if ascii_is_itself else text.encode()
                except UnicodeError as error:
                    start = getattr(error, "start", 0)
                    raise _UndecodableError(line_ends.lines + block.count(b"\n", 0, start) + 1) from None
                if encoding == BIG5:
                    evidence.add(text)
                block = recoded
            if b"\0" in block:
                line = line_ends.lines + block.count(b"\n", 0, block.index(b"\0")) + 1
                raise InputError(
                    "{file}, line {line}: contains a NUL byte; the file is damaged or not CSV",
                    file=content.path.name,
                    line=line,
                )
            line_ends.add(block)
            if line_ends.open_line > LONGEST_LINE:
                raise InputError(
                    "{file}, line {line}: the line is longer than {most} MiB",
                    file=content.path.name,
                    line=line_ends.lines + 1,
                    most=LONGEST_LINE >> 20,
                )
            if block:
                blank_end = block[len(block.rstrip(b"\r\n")) :].count(b"\n")
    if not evidence.plausible:
        raise _UndecodableError(1)
    lines = line_ends.lines + (line_ends.open_line > 0)
    return FileLayout(lines, line_ends.blank_lines, max(blank_end - 1, 0), line_ends.in_cells, line_ends.has_quotes)


SEPARATORS = (";", ",", "\t", "|")
LARGE_BLOCK = 1 << 23
SHORT_SAMPLE = 1 << 16  # characters; usually enough lines to detect the separator
SAMPLED_ROWS = 1000
SLOW_ROWS = 1 << 16  # rows per piece of a table that Python's reader parses
PIECE_BYTES = 1 << 25  # per piece of a file that is read in pieces

_SPACED_QUOTES = re.compile(r'\s+"((?:[^"]|"")*)"\s*', re.DOTALL)


class CSV:
    """A CSV file with a header, packed or not; pass it instead of a path to set its separator or encoding.

    >>> CSV("data/delta.csv", separator=";").names
    ('zip', 'age', 'nationality', 'salary-class')
    """

    kind = "CSV"
    engine: str | None = None
    ordered = True

    def __init__(self, path: str | os.PathLike[str], separator: str | None = None, encoding: str | None = None) -> None:
        self._file = Path(path)
        self.path: Path | None = self._file
        self.name = self._file.name
        check_separator(separator)
        with converting_os_errors(self._file):
            self.content = Content(path if isinstance(path, HeldFile) else self._file)
            with self.content.open() as file:
                head = file.read(LONGEST_LINE)
            if not head.strip(b"\r\n\t ;,|\xef\xbb\xbf"):
                raise InputError("{table}: the file is empty", table=self.name)
            self._encoding, self._layout = find_encoding(self.content, encoding)
        self.encoding: str | None = self._encoding
        sample = codecs.getincrementaldecoder(self._encoding)("ignore").decode(head).removeprefix("\ufeff")
        with _long_cells():
            self._separator = separator or _find_separator(sample)
            self.names, self._header_lines = _header(sample, self._separator, self.name)
            self.repeated_names = repeated_names(self.names, _sample_records(sample, self._separator))
        self.separator: str | None = self._separator
        # In a table with one column an empty line is a missing cell, also at the end.
        self._lines = self._layout.lines - (self._layout.blank_end if len(self.names) > 1 else 0)
        if self._lines <= self._header_lines:
            raise InputError("{table}: the file has a header but no records", table=self.name)
        self.rows: int | None = self._lines - self._header_lines
        self.line_ends_in_cells = self._layout.line_ends_in_cells
        self.has_quotes = self._layout.has_quotes
        # Then every line is a record.
        self.is_plain = self._header_lines == 1 and not self.line_ends_in_cells
        self.is_plain &= self._layout.blank_lines == self._layout.blank_end

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The columns, dictionary-encoded, with cells as in the file; at once, or a number of rows at a time."""
        with converting_os_errors(self._file):
            is_plain = self.is_plain and (
                not self._layout.has_quotes or has_regular_quotes(self.content, self._encoding, self._separator)
            )
        if in_pieces and is_plain:
            yield from self._stream(columns)
            return
        table = self._parse(columns) if is_plain and not in_pieces else None
        if table is not None and table.num_rows == self.rows:
            yield table
        else:
            with converting_os_errors(self._file):
                yield from self._parse_slowly(columns)

    def beginning(self, rows: int) -> list[list[str]]:
        """The cells of the first records, without reading further; fewer if quotes prevent that."""
        with converting_os_errors(self._file), self.content.open() as file:
            head = file.read(LONGEST_LINE)
        sample = codecs.getincrementaldecoder(self._encoding)("ignore").decode(head).removeprefix("\ufeff")
        try:
            with _long_cells():
                return [row for row, _ in _first_rows(sample, self._separator, rows + 1)][1:]
        except csv.Error:
            return []

    def _parse(self, columns: tuple[str, ...]) -> pa.Table | None:
        """The table as read by PyArrow; None if it rejects the rows."""
        from pyarrow import csv as arrow_csv

        try:
            return arrow_csv.read_csv(self.content.for_arrow(), *self._options(columns, self._block_bytes))
        except (pa.ArrowInvalid, UnicodeError, OSError):
            # PyArrow's message quotes the row; and it treats any file named .gz as packed.
            return None

    @property
    def _block_bytes(self) -> int:
        """The bytes that PyArrow parses at a time: more for a large file, which still has blocks for every core."""
        return LARGE_BLOCK if self.content.size > 16 * LARGE_BLOCK else LONGEST_LINE

    def _stream(self, columns: tuple[str, ...]) -> Iterator[pa.Table]:
        """The table as read by PyArrow, piece by piece."""
        from pyarrow import csv as arrow_csv

        rows = 0
        try:
            with arrow_csv.open_csv(self.content.for_arrow(), *self._options(columns, PIECE_BYTES)) as reader:
                for batch in reader:
                    rows += batch.num_rows
                    yield pa.Table.from_batches([batch])
        except (pa.ArrowInvalid, UnicodeError, OSError):
            rows = -1
        if rows != self.rows:
            with converting_os_errors(self._file):
                for _ in self._parse_slowly(columns):
                    pass  # raises at the faulty line
            raise InputError(
                "{table}: the file cannot be read in pieces; use the engine 'memory'",
                Hint.ENGINE_IN_MEMORY,
                table=self.name,
            )

    def _options(self, columns: tuple[str, ...], block_size: int) -> tuple[Any, Any, Any]:
        """The options for PyArrow to read the file."""
        from pyarrow import csv as arrow_csv

        positions = [str(position) for position in range(len(self.names))]
        wanted = [positions[index] for index in self._places(columns)]
        return (
            arrow_csv.ReadOptions(
                column_names=positions, skip_rows_after_names=1, block_size=block_size, encoding=self._encoding
            ),
            arrow_csv.ParseOptions(delimiter=self._separator, ignore_empty_lines=len(self.names) > 1),
            arrow_csv.ConvertOptions(
                column_types={position: pa.dictionary(pa.int32(), pa.string()) for position in wanted},
                include_columns=wanted,
                strings_can_be_null=False,
            ),
        )

    def _parse_slowly(self, columns: tuple[str, ...]) -> Iterator[pa.Table]:
        """The table as read by Python; raise an error that names the first faulty line."""
        wanted = self._places(columns)
        rows = self._rows()
        next(rows)
        while piece := list(islice(rows, SLOW_ROWS)):
            yield pa.Table.from_arrays([dictionary_array([row[at] for row in piece]) for at in wanted], list(columns))

    def _places(self, columns: tuple[str, ...]) -> list[int]:
        indices = {name: index for index, name in enumerate(self.names)}
        return [indices[name] for name in columns]

    def _rows(self) -> Iterator[list[str]]:
        width, line = len(self.names), 1
        encoding = "utf-8-sig" if self._encoding == UTF8 else self._encoding
        with _long_cells(), self.content.text(encoding) as file:
            reader = csv.reader(file, delimiter=self._separator, strict=True)
            try:
                for row in reader:
                    if row and len(row) != width:
                        cells = Counted("1 cell", "{n} cells", n=len(row))
                        raise InputError(
                            "{table}, line {line}: {cells}, but the header has {width}",
                            table=self.name,
                            line=line,
                            cells=cells,
                            width=width,
                        )
                    if row or width == 1:
                        yield row or [""]
                    line = reader.line_num + 1
            except csv.Error as error:
                # The only way to distinguish them; the message contains no cell and is not shown.
                if "expected after" in str(error):
                    raise InputError(
                        "{table}, line {line}: text follows a closing quote", table=self.name, line=line
                    ) from None
                raise InputError("{table}, line {line}: a quote is not closed", table=self.name, line=line) from None


@contextmanager
def converting_os_errors(path: Path) -> Iterator[None]:
    """Convert system errors about a file."""
    try:
        yield
    except FileNotFoundError:
        raise no_such_file(path) from None
    except OSError as error:
        raise InputError("cannot read {path!r}: {reason}", path=str(path), reason=system_reason(error)) from None


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let Python's CSV reader accept cells as long as a line may be."""
    usual = csv.field_size_limit(LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def check_separator(separator: str | None) -> None:
    """Raise for text that cannot separate cells."""
    if separator is not None and (len(separator) != 1 or not separator.isascii() or separator in '"\r\n'):
        raise ParameterError(
            "expected a separator of one ASCII character other than a quote or a line end, got {separator!r}",
            separator=separator,
            what="separator",
        )


def _find_separator(sample: str) -> str:
    """The separator that divides the first lines into the most columns, the same number in each."""
    best, best_score = SEPARATORS[0], (False, 1)
    for separator in SEPARATORS:
        try:
            rows = [row for row, _ in _first_rows(sample, separator, 20) if row]
        except csv.Error:
            continue
        width = len(rows[0]) if rows else 1
        if width > 1:
            score = (all(len(row) == width for row in rows), width)
            if score > best_score:
                best, best_score = separator, score
    return best


def _header(sample: str, separator: str, name: str) -> tuple[tuple[str, ...], int]:
    """Column names, and the number of lines they take."""
    try:
        [(cells, lines)] = _first_rows(sample, separator, 1)
    except (csv.Error, ValueError):
        raise InputError("{name}, line 1: expected a header of column names", name=name) from None
    if not cells:
        raise InputError("{name}, line 1: expected the column names, got an empty line", name=name)
    # Readers do not recognise a quote after a blank.
    spaced = [_SPACED_QUOTES.fullmatch(cell) for cell in cells]
    names = [match[1].replace('""', '"') if match else cell for cell, match in zip(cells, spaced, strict=True)]
    return tuple(name.strip() for name in names), lines


def _first_rows(sample: str, separator: str, number: int) -> list[tuple[list[str], int]]:
    """The first rows, each with the number of lines up to its end; a short part of the sample is tried first."""
    for text in (sample[:SHORT_SAMPLE], sample):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        rows = [(row, reader.line_num) for row in islice(reader, number + 1)]
        if len(rows) > number:  # the last one may be incomplete
            break
    return rows[:number]


def _sample_records(sample: str, separator: str) -> list[list[str]]:
    """Some records, if the quotes before them allow reading them."""
    try:
        return [row for row, _ in _first_rows(sample[:SHORT_SAMPLE], separator, SAMPLED_ROWS)][1:]
    except csv.Error:
        return []


def dictionary_array(cells: Sequence[Any], text: Callable[[Any], str] = str) -> pa.DictionaryArray:
    """Cells as an Arrow array of texts, made from buffers, because PyArrow imports pandas to convert lists.

    text   converts a cell to text; equal cells must have equal texts
    """
    codes: defaultdict[Any, int] = defaultdict()
    codes.default_factory = codes.__len__  # the next code
    indices = np.fromiter(map(codes.__getitem__, cells), np.int32, len(cells))
    texts = dict.fromkeys(map(text, codes))
    if len(texts) < len(codes):  # different cells have the same text
        codes_of = {label: index for index, label in enumerate(texts)}
        indices = np.array([codes_of[text(cell)] for cell in codes], np.int32)[indices]
    labels = byte_strings([label.encode() for label in texts]).view(pa.large_string())
    return pa.DictionaryArray.from_arrays(
        pa.Array.from_buffers(pa.int32(), len(cells), [None, pa.py_buffer(indices)]), labels
    )


ROWS = 1 << 16  # most rows written at a time
WRITTEN_BYTES = 1 << 26  # written at a time: a few long texts may occur in many rows

# Encodings of files that begin with a byte-order mark, and the encodings for the rest.
UNMARKED = {"utf-8-sig": UTF8, "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
MARK = "\ufeff"

Column: TypeAlias = "pa.Array | pa.ChunkedArray"
Write = Callable[[BinaryIO], None]


@dataclass(frozen=True)
class Dialect:
    """The dialect of a CSV file; `marked`: it begins with a byte-order mark."""

    separator: str
    encoding: str = UTF8
    marked: bool = False
    line_end: str = "\n"

    @classmethod
    def of(cls, source: CSV) -> "Dialect":
        """The dialect of a file: its separator, encoding, byte-order mark if any, and first line end."""
        assert source.separator is not None
        with converting_os_errors(source.content.path), source.content.open() as file:
            start = file.read(LONGEST_LINE)
        encoding = source.encoding or UTF8
        if encoding in ("utf-16", "utf-32"):
            big_endian = start.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE))
            encoding = f"{encoding}-{'be' if big_endian else 'le'}"
        encoding = UNMARKED.get(encoding, encoding)
        text = codecs.getincrementaldecoder(encoding)("ignore").decode(start)
        is_marked = encoding.startswith("utf") and text.startswith(MARK)
        return cls(source.separator, encoding, is_marked, "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n")


@dataclass(frozen=True, eq=False)
class WrittenColumn:
    """A column as written: record i has the bytes `labels[codes[i]]`."""

    labels: pa.Array
    codes: Integers

    @cached_property
    def longest(self) -> int:
        """Length of the longest text."""
        return longest_text(self.labels)


def rows_at_a_time(longest: Iterable[int], most: int) -> int:
    """The number of rows to write at a time, for texts of at most these lengths."""
    return max(min(most, WRITTEN_BYTES // (sum(longest) + 1)), 1)


def longest_text(labels: pa.Array) -> int:
    """Length of the longest text, in bytes."""
    from pyarrow import compute as pc

    return pc.max(pc.binary_length(labels)).as_py() or 0


def new_csv(table: pa.Table, name: str, dialect: Dialect, order: Integers | None = None) -> Write:
    """A function that writes a table as a CSV file; `name` is its name in messages.

    order   indices of the records to write, in this order; None for all in their order
    """
    if order is not None:
        check_order(order, table.num_rows, name)
    lines = _Lines(table.column_names, name, dialect)
    columns = lines.columns(table)
    if order is not None:
        columns = [WrittenColumn(cells.labels, cells.codes[order]) for cells in columns]

    def write(file: BinaryIO) -> None:
        file.write(lines.header())
        for octets in lines.blocks(columns):
            file.write(octets)

    return write


def new_csv_of_pieces(pieces: Callable[[], Iterator[pa.Table]], names: list[str], name: str, dialect: Dialect) -> Write:
    """A function that writes a table that comes in pieces as a CSV file."""
    lines = _Lines(names, name, dialect)

    def write(file: BinaryIO) -> None:
        file.write(lines.header())
        for piece in pieces():
            for octets in lines.blocks(lines.columns(piece)):
                file.write(octets)

    return write


def check_order(order: Integers, rows: int, name: str) -> None:
    """Raise unless the order names records of the table, each at most once."""
    if not len(order) or order.min() < 0 or order.max() >= rows or np.bincount(order).max() > 1:
        raise InputError(
            "{name}: the order of the records must name each of {rows} records at most once", name=name, rows=rows
        )


class _Lines:
    """The lines of a CSV file with these columns; `table` is its name in messages."""

    def __init__(self, names: list[str], table: str, dialect: Dialect) -> None:
        self._names, self._table, self._dialect = names, table, dialect
        # Readers detect the separator in the header or, if there is only one column, in any line.
        self._only = len(names) == 1

    def header(self) -> bytes | memoryview:
        """The line with the column names, after the byte-order mark if any."""
        written = _quote(strings(self._names), (*SEPARATORS, self._dialect.separator), quotes_empty=self._only)
        mark = MARK if self._dialect.marked else ""
        line = mark + self._dialect.separator.join(written.to_pylist()) + self._dialect.line_end
        return self._encode(memoryview(line.encode()), Phrase("the header has"))

    def columns(self, table: pa.Table) -> list[WrittenColumn]:
        """The columns of a table as written, in UTF-8, including separators and line ends."""
        last = table.num_columns - 1
        return [
            self._cells(
                column,
                table.column_names[index],
                before=self._dialect.separator if index else "",
                after=self._dialect.line_end if index == last else "",
            )
            for index, column in enumerate(table.columns)
        ]

    def blocks(self, columns: list[WrittenColumn]) -> Iterator[bytes | memoryview]:
        """The bytes of many lines at a time."""
        step = rows_at_a_time((cells.longest for cells in columns), ROWS)
        for first in range(0, len(columns[0].codes), step):
            pool = [byte_strings([])]
            cells_of_step = [WrittenColumn(cells.labels, cells.codes[first : first + step]) for cells in columns]
            indices = np.stack([_add_to_pool(cells, pool) for cells in cells_of_step], axis=1)
            yield self._encode(
                _all_bytes(pa.concat_arrays(pool).take(arrow_integers(indices.ravel()))), Phrase("it has cells")
            )

    def _cells(self, column: Column, name: str, *, before: str, after: str) -> WrittenColumn:
        """A column as written, with the text before and after each."""
        from pyarrow import compute as pc

        labels, codes = labels_and_codes(column, name, self._table)
        if pc.any(pc.match_substring(labels, "\0")).as_py():
            raise InputError(
                "{table}: column {column!r} has cells with a NUL character, which CSV cannot have",
                table=self._table,
                column=name,
            )
        separators = SEPARATORS if self._only else (self._dialect.separator,)
        around = strings([before, after, ""])
        written = pc.binary_join_element_wise(
            around[0], _quote(labels, separators, quotes_empty=self._only), around[1], around[2]
        )
        octets = written.cast(pa.large_binary())
        self._encode(_all_bytes(octets), Phrase("column {column!r} has cells", column=name))
        return WrittenColumn(octets, codes)

    def _encode(self, octets: bytes | memoryview, what: Phrase) -> bytes | memoryview:
        """Bytes converted to the encoding of the file; raise if it lacks a character."""
        if self._dialect.encoding == UTF8:
            return octets
        try:
            return str(octets, UTF8).encode(self._dialect.encoding)
        except UnicodeEncodeError:
            raise InputError(
                "{table}: {cells} with characters that its encoding {encoding} does not have; "
                "save the table as UTF-8, or write Parquet",
                table=self._table,
                cells=what,
                encoding=self._dialect.encoding,
            ) from None


def _quote(labels: pa.Array, separators: Iterable[str], *, quotes_empty: bool) -> pa.Array:
    """Texts as fields: quoted if they have a separator, a quote, a line end, or surrounding blanks.

    For many readers, an empty line is not a record, so a single empty cell is quoted.
    """
    from pyarrow import compute as pc

    blank = r"[\s\v\p{Z}\x{feff}]"
    signs = "".join(rf"\x{{{ord(sign):x}}}" for sign in separators)
    needed = pc.match_substring_regex(labels, rf'["\r\n{signs}]|^{blank}|{blank}$' + ("|^$" if quotes_empty else ""))
    quote = strings(['"', ""])
    doubled = pc.replace_substring(labels, '"', '""')
    return pc.if_else(needed, pc.binary_join_element_wise(quote[0], doubled, quote[0], quote[1]), labels)


def labels_and_codes(column: Column, name: str, table: str) -> tuple[pa.Array, Integers]:
    """The texts of a column, and the index of the text of each row; the last text is for null cells."""
    dictionaries: list[pa.Array] = []
    codes: list[Integers] = []
    size = 0
    try:
        for piece in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            dictionary, indices = _dictionary(piece)
            if not dictionaries or not dictionary.equals(dictionaries[-1]) or pa.types.is_floating(dictionary.type):
                size += len(dictionary)
                dictionaries.append(dictionary)
            codes.append(np.where(indices < 0, -1, indices + (size - len(dictionary))))
        labels = pa.concat_arrays([*(texts(dictionary) for dictionary in dictionaries), strings([""])])
    except (pa.ArrowException, UnicodeDecodeError):
        raise unreadable_column(table, name, column.type) from None
    every_code = np.concatenate([np.empty(0, np.int64), *codes])
    every_code[every_code < 0] = size
    return _without_nulls(labels), every_code


def _dictionary(piece: pa.Array) -> tuple[pa.Array, Integers]:
    """The distinct cells of a piece, and the index of each row's cell; -1 for nulls."""
    from pyarrow import compute as pc

    if pa.types.is_string_view(piece.type):
        piece = piece.cast(pa.large_string())
    if not pa.types.is_dictionary(piece.type):
        piece = piece.dictionary_encode()
    indices = piece.indices.cast(pa.int64())
    return piece.dictionary, numpy_integers(pc.fill_null(indices, arrow_integers(np.array([-1]))[0])).astype(np.int64)


def _without_nulls(labels: pa.Array) -> pa.Array:
    """Labels with nulls replaced by empty texts."""
    from pyarrow import compute as pc

    return pc.fill_null(labels, strings([""])[0]) if labels.null_count else labels


def _add_to_pool(cells: WrittenColumn, pool: list[pa.Array]) -> Integers:
    """Add cells to the pool; return their indices there."""
    before, codes = sum(map(len, pool)), cells.codes
    if len(cells.labels) <= len(codes):
        pool.append(cells.labels)
        return codes + before
    pool.append(cells.labels.take(arrow_integers(codes)))
    return np.arange(before, before + len(codes))


def _all_bytes(array: pa.Array) -> memoryview:
    """The concatenated bytes of an array that was just made."""
    _, offsets, data = array.buffers()
    end = int(np.frombuffer(offsets, np.int64)[len(array)]) if len(array) else 0
    return memoryview(data)[:end] if end else memoryview(b"")
