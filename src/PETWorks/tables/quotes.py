"""Whether the quotes of a CSV file can be read in one way only.

A cell that begins with a quote ends with the next quote that is not one of two in a row; a separator, the end of the
line or the end of the file must follow. Any other quote is a character like others. Python's strict reader reads just
that; PyArrow also takes text behind a quoted cell, and a quoted cell that does not end.
"""

import numpy as np

from PETWorks.tables.encoding import UTF8
from PETWorks.tables.packed import Content

BLOCK = 1 << 20  # characters
QUOTE, LINE_ENDS, BLANKS = b'"', b"\r\n", b" \t\v\f"


def are_regular(content: Content, encoding: str, separator: str) -> bool:
    """Whether every reader reads the quotes alike; False also where it only seems not so.

    No cell of the file has a line end, so that every line has an even number of quotes.
    """
    rest = b""
    with content.text("utf-8-sig" if encoding == UTF8 else encoding) as file:
        while text := file.read(BLOCK):
            block = rest + text.encode()
            end = block.rfind(b"\n") + 1
            if not regular_lines(block[:end], separator.encode()):
                return False
            rest = block[end:]
    return regular_lines(rest, separator.encode())


def regular_lines(block: bytes, separator: bytes) -> bool:
    """Whether each pair of quotes encloses a cell, or a part of one between two quotes in a row.

    `a; "b"`: a blank before a quote makes it a character like others. This does not matter if the pair has no
    separator and no line end in it, because pairs stay pairs then.
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
