"""Lines of a terminal: characters may be two cells wide, and a line of Chinese may end after any of them."""

import re
from unicodedata import east_asian_width

# Where a line may end: after a blank, and around a wide character unless punctuation belongs to its other side.
PIECES = re.compile(
    r"\s+|[（「『\[]*[^\x00-\u2e7f（「『][\u3001-\u3003\u3009\u300b\u3011\u3015，。；：、！？）」』\]]*|[^\s\u2e80-\uffff]+[，。；：、！？）」』\]]*|."
)


def cells(text: str) -> int:
    """How many cells of a terminal a text takes.

    >>> cells("k-匿名性"), cells("abc")
    (8, 3)
    """
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def lines_of(text: str, width: int) -> list[str]:
    """The lines of a paragraph, each of at most so many cells unless a single word has more.

    >>> lines_of("等價類中的資料列，無法以準識別符區分。", 16)
    ['等價類中的資料', '列，無法以準識別', '符區分。']
    """
    lines = [""]
    for piece in PIECES.findall(" ".join(text.split())):
        if cells(lines[-1] + piece.rstrip()) <= width:
            lines[-1] += piece
        else:
            lines = [*lines[:-1], lines[-1].rstrip(), piece.lstrip()]
    return [line.rstrip() for line in lines]
