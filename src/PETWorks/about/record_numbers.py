"""Numbers of records as a short text: `3,17-20` for the third record and the seventeenth to the twentieth."""

import re

import numpy as np
from numpy.typing import NDArray

PATTERN = r"^([0-9]{1,18}(-[0-9]{1,18})?(,[0-9]{1,18}(-[0-9]{1,18})?)*)?$"


def numbers_text(places: NDArray[np.int64]) -> str:
    """Ascending places, counted from 0, as numbers that are counted from 1.

    >>> numbers_text(np.array([2, 16, 17, 18, 19]))
    '3,17-20'
    """
    if not len(places):
        return ""
    starts = np.flatnonzero(np.diff(places, prepend=places[0] - 2) != 1)
    ends = np.append(starts[1:], len(places)) - 1
    runs = zip((places[starts] + 1).tolist(), (places[ends] + 1).tolist(), strict=True)
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def places_in(text: str, records: int) -> NDArray[np.int64] | None:
    """The places of such a text; None if they are not ascending, or not places among so many records.

    >>> places_in("3,17-20", 20).tolist()
    [2, 16, 17, 18, 19]
    >>> places_in("3,17-20", 19)
    """
    if not re.fullmatch(PATTERN, text):
        return None
    pairs = [part.partition("-") for part in text.split(",") if part]
    runs = [(int(first) - 1, int(last or first)) for first, _, last in pairs]
    ends = [0, *(last for _, last in runs)]
    ascending = all(before <= first < last for before, (first, last) in zip(ends, runs, strict=False))
    if not ascending or ends[-1] > records:
        return None
    return np.concatenate([np.arange(0), *(np.arange(first, last) for first, last in runs)]).astype(np.int64)
