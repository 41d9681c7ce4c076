"""JSON files that were written by this program, and perhaps edited since."""

import json
import math
from pathlib import Path
from typing import Any

from PETWorks.errors import Hint, InputError, Phrase
from PETWorks.tables.small_files import read_small

LARGEST_FILE = 1 << 26


def read_json(path: Path, expected: Phrase, hint: Hint, largest: int = LARGEST_FILE) -> Any:
    """The content of a JSON file; an error that says what was expected if it is something else."""
    try:
        text = read_small(path, largest).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("{file}: not JSON in UTF-8", file=path.name) from None
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        raise InputError("{file}: not JSON; expected {expected}", hint, file=path.name, expected=expected) from None


def _finite(text: str) -> float:
    """A number; NaN and infinity are errors."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number
