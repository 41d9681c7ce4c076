"""Where the fields of a CSV file begin and end, in its own bytes, so that they can be copied as they stand.

The grammar is that of the reader (`csvfile.py`): a field that begins with a quote ends with the next quote that is not
one of two in a row; any other quote is a character like others; `\\n`, `\\r\\n` and `\\r` end a line.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from PETWorks.errors import InputError
from PETWorks.tables.csvfile import CSV, reading
from PETWorks.tables.encoding import BIG5, UTF8
from PETWorks.tables.line_ends import LINE_FEED, QUOTE, RETURN, packed_flags, running_parities
from PETWorks.tables.quotes import regular_lines

BLOCK = 1 << 20  # bytes that are looked at together; stays in the cache of a core
MARK = "\ufeff".encode()

# Whose characters are a byte below 80, or one above and another one from 40 on.
DOUBLE_BYTE = (BIG5, "big5", "big5hkscs")
MASK, FIRST_LOW_TRAIL_BYTE = 0x80, 0x40

Positions = NDArray[np.int64]


@dataclass(frozen=True)
class Records:
    """Some records in their bytes.

    before         what precedes them: a byte-order mark, or blank lines
    starts, ends   of each field, by record and column
    line_ends      where the line end behind a record ends
    nexts          where the next record begins: blank lines may stand before it
    """

    before: bytes
    octets: bytes
    starts: Positions
    ends: Positions
    line_ends: Positions
    nexts: Positions

    def __len__(self) -> int:
        return len(self.starts)

    def pieces(self, rows: int) -> Iterator["Records"]:
        """So many of them at a time."""
        for first in range(0, max(len(self), 1), rows):
            part = slice(first, first + rows)
            fields = self.starts[part], self.ends[part], self.line_ends[part], self.nexts[part]
            yield Records(b"" if first else self.before, self.octets, *fields)

    def divided(self) -> tuple["Records", "Records"]:
        """The first of them, and the others; blank lines between them precede the others."""
        end = self.line_ends[:1]
        blank_lines = self.octets[end[0] : self.nexts[0]]
        return (
            Records(self.before, self.octets, self.starts[:1], self.ends[:1], end, end),
            Records(blank_lines, self.octets, self.starts[1:], self.ends[1:], self.line_ends[1:], self.nexts[1:]),
        )


def copied_encoding(encoding: str) -> bool:
    """Whether the bytes of a file in this encoding are copied; those of others become UTF-8 on the way, and back."""
    return encoding in (UTF8, "utf-8-sig", *DOUBLE_BYTE)


def written_encoding(source: CSV) -> str:
    """The encoding of a file, in which a byte-order mark is a character like others."""
    encoding = source.encoding or UTF8
    if encoding in ("utf-16", "utf-32"):
        with reading(source.content.path), source.content.open() as file:
            start = file.read(4)
        big_endian = start.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE))
        return f"{encoding}-{'be' if big_endian else 'le'}"
    return UTF8 if encoding == "utf-8-sig" else encoding


def records_of(source: CSV) -> Iterator[Records]:
    """The records of a file, the header with them, block by block; in UTF-8 if they cannot be copied."""
    blocks = _blocks(source)
    mark, rest = _mark_and_text(next(blocks, b""), source)
    more = True
    while more:
        # A carriage return at the end of a block may have a line feed behind it.
        records = _complete_records(source, mark, rest, rest.removesuffix(b"\r"))
        if records is not None:
            yield records
            mark, rest = b"", rest[len(records.octets) :]
        # Twice as much if no record ended in what was seen: a record may be long.
        block = b"".join(islice(blocks, 1 + len(rest) // BLOCK))
        more = bool(block) or records is not None
        rest += block
    # The last line may have no line end; or a carriage return alone, to which this adds nothing.
    records = _complete_records(source, mark, rest, rest + b"\n") if rest else None
    if records is not None:
        yield records
        rest = rest[len(records.octets) :]
    if rest:
        raise changed_meanwhile(source)


def _complete_records(source: CSV, mark: bytes, octets: bytes, text: bytes) -> Records | None:
    """The records that are complete in a text, which is how the bytes are looked at; None if there is none."""
    assert source.separator is not None
    separator = source.separator.encode()
    if source.encoding in DOUBLE_BYTE and separator[0] >= FIRST_LOW_TRAIL_BYTE:
        text = _without_trail_bytes(text)
    ends, nexts = _fields(text, separator)
    is_line_end = np.frombuffer(text, np.uint8)[ends] != separator[0]
    if not is_line_end.any():
        return None
    used = len(ends) - int(np.argmax(is_line_end[::-1]))
    cut = min(int(nexts[used - 1]), len(octets))
    return _grouped(source, mark, octets[:cut], ends[:used], np.minimum(nexts[:used], cut), is_line_end[:used])


def _blocks(source: CSV) -> Iterator[bytes]:
    """The bytes of a file; in UTF-8 if they cannot be copied."""
    encoding = written_encoding(source)
    with reading(source.content.path), source.content.open() as file:
        if copied_encoding(encoding):
            while block := file.read(BLOCK):
                yield block
            return
        decoder = codecs.getincrementaldecoder(encoding)("strict")
        try:
            while block := file.read(BLOCK):
                if text := decoder.decode(block):  # it may be half a character
                    yield text.encode()
            decoder.decode(b"", final=True)
        except UnicodeError:
            raise changed_meanwhile(source) from None


def _mark_and_text(start: bytes, source: CSV) -> tuple[bytes, bytes]:
    """The byte-order mark at the start of a file, if it has one, and what follows it."""
    if start.startswith(MARK) and source.encoding not in DOUBLE_BYTE:
        return MARK, start.removeprefix(MARK)
    return b"", start


def changed_meanwhile(source: CSV) -> InputError:
    """The error for a file that is not what it was; or that of the reader, if it has one."""
    for _ in source.read(source.names[:1]):
        pass
    return InputError("{table}: the file has changed since it was opened", table=source.name)


def _grouped(
    source: CSV, mark: bytes, octets: bytes, ends: Positions, nexts: Positions, is_line_end: NDArray[np.bool_]
) -> Records:
    """Fields as records; blank lines are none, unless the table has one column."""
    width = len(source.names)
    starts = np.concatenate([[0], nexts[:-1]])
    if width > 1:
        blank = is_line_end & (starts == ends) & np.concatenate([[True], is_line_end[:-1]])
        if blank.any():
            starts, ends, nexts, is_line_end = (kept[~blank] for kept in (starts, ends, nexts, is_line_end))
    if len(ends) % width or not np.array_equal(np.flatnonzero(is_line_end), np.arange(width - 1, len(ends), width)):
        raise changed_meanwhile(source)
    return Records(
        mark + octets[: starts[0] if len(starts) else len(octets)],
        octets,
        starts.reshape(-1, width),
        ends.reshape(-1, width),
        nexts[width - 1 :: width],
        np.append(starts[width::width], [len(octets)] * (len(starts) > 0)).astype(np.int64),
    )


def _fields(text: bytes, separator: bytes) -> tuple[Positions, Positions]:
    """Where fields end, and where the next ones begin; the last ones may belong to a record that is not complete."""
    at_once = _fields_at_once(text, separator)
    return _fields_one_by_one(text, separator) if at_once is None else at_once


def _fields_at_once(text: bytes, separator: bytes) -> tuple[Positions, Positions] | None:
    """All fields up to the last line end outside quotes; None if the quotes must be looked at one by one."""
    signs = np.frombuffer(text, np.uint8)
    has_returns = b"\r" in text
    line_ends = signs == LINE_FEED
    if has_returns:
        line_ends |= signs == RETURN
    ending = line_ends | (signs == separator[0])
    if b'"' in text:
        outside = ~running_parities(packed_flags(signs == QUOTE), odd=False)
        last = np.flatnonzero(_unpacked(packed_flags(line_ends) & outside, len(signs)))[-1:]
        cut = int(last[0]) + 1 if len(last) else 0
        if cut == 0 or not regular_lines(text[:cut], separator):
            return None
        ending = _unpacked(packed_flags(ending) & outside, len(signs))[:cut]
    ends = np.flatnonzero(ending)
    nexts = ends + 1
    if has_returns:
        second = (signs[ends] == LINE_FEED) & (ends > 0) & (signs[ends - 1] == RETURN)
        nexts[np.flatnonzero(second) - 1] += 1
        ends, nexts = ends[~second], nexts[~second]
    return ends, nexts


def _unpacked(words: NDArray[np.uint64], size: int) -> NDArray[np.bool_]:
    octets = words.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, count=size, bitorder="little").view(np.bool_)


def _fields_one_by_one(text: bytes, separator: bytes) -> tuple[Positions, Positions]:
    """All fields up to the first that does not end."""
    sign = re.escape(separator)
    field = re.compile(rb'(?:"[^"]*+(?:""[^"]*+)*+"|[^"%b\r\n][^%b\r\n]*+|)(%b|\r\n|\n|\r)' % (sign, sign, sign))
    ends, nexts, start = [], [], 0
    for match in field.finditer(text):
        begin, end = match.span()
        if begin != start:
            break
        ends.append(match.start(1))
        nexts.append(end)
        start = end
    return np.array(ends, np.int64), np.array(nexts, np.int64)


def _without_trail_bytes(text: bytes) -> bytes:
    """The text with the second bytes of characters masked where they could pass for a separator."""
    signs = np.frombuffer(text, np.uint8)
    high = np.concatenate([[False], signs >= MASK, [False]])
    edges = np.flatnonzero(high[1:] != high[:-1])
    begins, ends = edges[::2], edges[1::2]  # of runs of high bytes
    halved = ends[(ends - begins) % 2 == 1]  # the last character of such a run has its second byte behind it
    masked = signs.copy()
    masked[halved[halved < len(signs)]] = MASK
    return masked.tobytes()
