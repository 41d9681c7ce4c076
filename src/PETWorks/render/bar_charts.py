"""The coordinates of horizontal bars and of squares in charts."""

from collections.abc import Sequence
from typing import Any

from PETWorks.render.language import percent

WIDTH = 640
LABELS = 180  # the room for names at the left
BAR, GAP = 18, 10
PAIR = 13  # the height of each of two bars beside each other
STRONGEST, WEAKEST = 0.6, 0.06  # opacity of squares; text stays readable on both
BROAD = "MW@%"  # letters that are nearly as wide as Chinese characters
LONGEST = 22  # characters of a name, wide ones counting twice


def bars(
    groups: Sequence[tuple[str, Sequence[tuple[str, float]]]], legend: Sequence[tuple[str, str]], lang: str
) -> dict[str, Any]:
    """Groups of bars below each other.

    groups   a name, and for each bar its kind (the style) and its share
    legend   kinds and what they are called, if there are several
    """
    most = max((share for _, shares in groups for _, share in shares), default=0.0) or 1.0
    room = WIDTH - LABELS - 80
    top = 26 if legend else 6
    drawn = []
    for name, shares in groups:
        height = BAR if len(shares) == 1 else PAIR
        drawn.append({"name": shortened(name), "full": name, "middle": round(top + height * len(shares) / 2 + 4, 1)})
        drawn[-1]["bars"] = [
            {
                "kind": kind,
                "y": top + height * place,
                "height": height - (2 if len(shares) > 1 else 0),
                "width": round(max(room * share / most, 1.0), 1) if share > 0 else 0,
                "text_y": round(top + height * place + height / 2 + 3.5, 1),
                "label": percent(share, lang),
            }
            for place, (kind, share) in enumerate(shares)
        ]
        top += height * len(shares) + GAP
    return {"rows": drawn, "left": LABELS, "height": top, "legend": list(legend)}


def squares(names: Sequence[str], shares: Sequence[Sequence[float | None]], lang: str) -> dict[str, Any]:
    """A square for each pair of names, the stronger the higher its share; none where there is no share."""
    most = max((share for row in shares for share in row if share is not None), default=0.0) or 1.0
    side = min((WIDTH - LABELS) / max(len(names), 1), 70)
    height = min(side, 34)
    cells = [
        {
            "x": round(LABELS + side * x, 1),
            "y": round(height * y, 1),
            "opacity": round(WEAKEST + (STRONGEST - WEAKEST) * share / most, 3),
            "label": percent(share, lang) if side >= 44 else "",
            "full": f"{', '.join(dict.fromkeys((names[y], names[x])))}: {percent(share, lang)}",
        }
        for y, row in enumerate(shares)
        for x, share in enumerate(row)
        if share is not None
    ]
    below = round(height * len(names), 1)
    return {
        "left": LABELS,
        "side": round(side, 1),
        "row": round(height, 1),
        "cells": cells,
        "names": [
            {
                "name": shortened(name),
                "y": round(height * (place + 0.5) + 4, 1),
                "x": round(LABELS + side * (place + 0.5), 1),
            }
            for place, name in enumerate(names)
        ],
        "below": below,
        "height": round(below + 24 + 4.4 * max((width_of(shortened(name)) for name in names), default=0)),
    }


def shortened(text: str, longest: int = LONGEST) -> str:
    """A text that fits the room of a name: wide characters count twice.

    >>> shortened("marital-status"), shortened("x" * 40)
    ('marital-status', 'xxxxxxxxxxxxxxxxxxxxx…')
    """
    return text if width_of(text) <= longest else cut_at(text, longest - 1) + "…"


def cut_at(text: str, longest: int) -> str:
    """The beginning of a text that is no wider than so many characters."""
    for end in range(len(text), 0, -1):
        if width_of(text[:end]) <= longest:
            return text[:end]
    return ""


def width_of(text: str) -> int:
    """How wide a text is, in narrow characters."""
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(one) in "WF" or one in BROAD else 1 for one in text)
