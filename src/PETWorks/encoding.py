"""Which encoding a text file is in: UTF-8, or Big5 as Taiwan's open data has it."""

import re

import numpy as np

from PETWorks.errors import InputError

UTF8 = "utf-8"
BIG5 = "cp950"

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_LAST_COMMON_LEAD_BYTE = 0xC6


def plausible_big5(text: str) -> bool:
    """Whether text decoded as Big5 was meant as such.

    Most bytes of a Western encoding also decode as Big5, but to characters nobody uses: Big5 keeps the
    common characters under the lead bytes up to C6, and accented Latin letters stand above.
    """
    found = "".join(_NOT_ASCII.findall(text))
    leads = np.frombuffer(found.encode(BIG5), np.uint8)[::2]
    return len(leads) == 0 or float(np.mean(leads <= _LAST_COMMON_LEAD_BYTE)) >= 0.5


def undecodable(name: str, line: int, advice: str) -> InputError:
    """The error for bytes that fit no encoding we try."""
    return InputError(f"{name}, line {line}: bytes that are neither UTF-8 nor Big5 (CP950); {advice}")


def decode(raw: bytes, name: str) -> str:
    """The text of a small file."""
    try:
        return raw.decode(UTF8).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        failure = undecodable(name, raw.count(b"\n", 0, error.start) + 1, "save it as UTF-8")
    try:
        text = raw.decode(BIG5)
    except UnicodeDecodeError:
        raise failure from None
    if not plausible_big5(text):
        raise failure
    return text
