"""Which encoding a text file is in: UTF-8, UTF-16 as Windows writes it, or Big5 as Taiwan's open data has it."""

import codecs
import re

import numpy as np

from PETWorks.errors import InputError, Phrase

UTF8 = "utf-8"
BIG5 = "cp950"

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_INSIDE_A_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[A-Za-z])")
_LAST_COMMON_LEAD_BYTE = 0xC6


# The one of four bytes begins with the one of two.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_MOST_ASCII = 0.7
_WIDE_LINE_ENDS = {"\n".encode(code): code for code in ("utf-16-le", "utf-16-be")}


def unicode_encoding(start: bytes) -> str | None:
    """UTF-16 or UTF-32 if a text that starts so is in one of them; None if it seems to be in another encoding.

    Without a byte-order mark, the first line end tells: as two bytes, it is no character in any other encoding. But
    where most pairs of bytes are two ASCII characters, a NUL byte is rather a sign of damage.

    >>> unicode_encoding("a;b\\n".encode("utf-16-be")), unicode_encoding(b"a;b\\n")
    ('utf-16-be', None)
    """
    marked = next((encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), None)
    if marked is not None or b"\0" not in start:
        return marked
    octets = np.frombuffer(start[: len(start) // 2 * 2], np.uint8)
    is_ascii = ((octets > 0) & (octets < 0x7F)).reshape(-1, 2).all(axis=1)
    if np.count_nonzero(is_ascii) > _MOST_ASCII * (len(octets) // 2):
        return None
    pairs = octets.view(np.uint16)
    ends = {code: np.flatnonzero(pairs == np.frombuffer(end, np.uint16)[0]) for end, code in _WIDE_LINE_ENDS.items()}
    seen = [(int(places[0]), code) for code, places in ends.items() if len(places)]
    return min(seen)[1] if seen else None


class Big5Evidence:
    """Whether text that decodes as Big5 was meant as such.

    Most bytes of a Western encoding also decode as Big5, but to rare characters in the middle of Latin words: Big5
    keeps the common characters under the lead bytes up to C6, and accented Latin letters stand above.
    """

    def __init__(self) -> None:
        self._western = self._all = 0

    def add(self, text: str) -> None:
        """Look at more text."""
        self._all += len(_NOT_ASCII.findall(text))
        inside = "".join(_INSIDE_A_WORD.findall(text)).encode(BIG5)
        self._western += int(np.count_nonzero(np.frombuffer(inside, np.uint8)[::2] > _LAST_COMMON_LEAD_BYTE))

    @property
    def plausible(self) -> bool:
        """Whether most of what was seen is not Western."""
        return self._western * 2 <= self._all


def undecodable(name: str, line: int, advice: Phrase) -> InputError:
    """The error for bytes that fit no encoding we try."""
    return InputError(
        "{name}, line {line}: the bytes are neither UTF-8 nor Big5 (CP950); {advice}",
        name=name,
        line=line,
        advice=advice,
    )


def decode(raw: bytes, name: str) -> str:
    """The text of a small file."""
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
        failure = undecodable(name, raw.count(b"\n", 0, error.start) + 1, Phrase("save it as UTF-8"))
    try:
        text = raw.decode(BIG5)
    except UnicodeDecodeError:
        raise failure from None
    evidence = Big5Evidence()
    evidence.add(text)
    if not evidence.plausible:
        raise failure
    return text
