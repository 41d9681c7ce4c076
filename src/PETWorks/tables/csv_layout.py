"""One look at the whole of a CSV file: its encoding, and how its lines are laid out."""

import codecs
from dataclasses import dataclass

from PETWorks.errors import InputError, ParameterError, Phrase, quoted
from PETWorks.tables.encoding import BIG5, UTF8, Big5Evidence, undecodable, unicode_encoding
from PETWorks.tables.line_ends import LineEnds
from PETWorks.tables.packed import Content

LONGEST_LINE = 1 << 22
SCAN_BLOCK = 1 << 18  # stays in the cache of a core


@dataclass(frozen=True)
class Layout:
    """Lines of a file, blank ones in all and at its end, whether a cell may contain a line end, and any quotes."""

    lines: int
    blank_lines: int
    blank_end: int
    line_ends_in_cells: bool
    has_quotes: bool


def find_encoding(content: Content, encoding: str | None) -> tuple[str, Layout]:
    """The encoding that fits the whole file, and how the file is laid out."""
    if encoding is not None:
        encoding = encoding_called(encoding)
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
        failure = undecodable(content.path.name, error.line, Phrase("name its encoding"))
    try:
        return BIG5, _scan(content, BIG5)
    except _UndecodableError:
        raise failure from None


# Python has codecs that are for names of hosts and for sources of programs, not for files.
NOT_OF_FILES = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")


def encoding_called(name: str) -> str:
    """What Python calls an encoding; an error if there is none of that name, or if no text file is in it."""
    try:
        "a".encode(name)
        called = codecs.lookup(name).name
    except (LookupError, ValueError):
        raise ParameterError(
            "no encoding is called {encoding}; expected one like 'utf-8' or 'big5'",
            encoding=quoted([name]),
            what="encoding",
        ) from None
    if called.replace("_", "-") in NOT_OF_FILES:
        raise ParameterError(
            "no text file is in the encoding {encoding}; expected one like 'utf-8' or 'big5'",
            encoding=quoted([name]),
            what="encoding",
        )
    return called


class _UndecodableError(Exception):
    def __init__(self, line: int) -> None:
        self.line = line


def _scan(content: Content, encoding: str) -> Layout:
    """Look at the whole file once: how it is laid out, or what is wrong with it."""
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
    return Layout(lines, line_ends.blank_lines, max(blank_end - 1, 0), line_ends.in_cells, line_ends.has_quotes)
