"""Which encoding a text file is in: UTF-8, or Big5 as Taiwan's open data has it."""

import re

import numpy as np

from PETWorks.errors import InputError, Phrase

UTF8 = "utf-8"
BIG5 = "cp950"

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_INSIDE_A_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[A-Za-z])")
_LAST_COMMON_LEAD_BYTE = 0xC6


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
