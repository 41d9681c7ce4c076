"""Where the lines of a text file end, seen block by block."""

import numpy as np
from numpy.typing import NDArray

LINE_FEED, RETURN, QUOTE = b"\n"[0], b"\r"[0], b'"'[0]

LAST_BIT = np.uint64(63)

Words = NDArray[np.uint64]


class LineEnds:
    """Counts the lines of a file, and sees whether a quoted cell may contain the end of one.

    It may where a line ends after an odd number of quotes, or where there is a carriage return without a line feed.

    open_line   length of the line that has not ended yet
    """

    def __init__(self) -> None:
        self.lines = 0
        self.blank_lines = 0
        self.open_line = 0
        self.in_cells = False
        self.has_quotes = False
        self._in_quotes = False
        self._ends_in_return = False

    def add(self, block: bytes) -> None:
        """Look at the next part of the file; an empty one is its end."""
        if not block:
            self._lone_returns(int(self._ends_in_return))
            return
        octets = np.frombuffer(block, np.uint8)
        ends = packed_flags(octets == LINE_FEED)
        has_returns = b"\r" in block
        self.lines += int(np.bitwise_count(ends).sum())
        self._add_blank_lines(block, ends, has_returns=has_returns)
        last = block.rfind(b"\n")
        self.open_line = len(block) - last - 1 if last >= 0 else self.open_line + len(block)
        if b'"' in block:
            self.has_quotes = True
            inside = running_parities(packed_flags(octets == QUOTE), odd=self._in_quotes)
            self.in_cells |= bool(np.any(inside & ends))
            self._in_quotes = bool(inside[-1] >> LAST_BIT)
        else:
            self.in_cells |= self._in_quotes and last >= 0
        self._add_returns(block, has_returns=has_returns)

    def _add_blank_lines(self, block: bytes, ends: Words, *, has_returns: bool) -> None:
        """Count lines with nothing before their line feed, or only a carriage return."""
        first = block.find(b"\n")
        if first < 0:
            return
        after_return = block[first - 1] == RETURN if first else self._ends_in_return
        self.blank_lines += first + self.open_line == int(after_return)
        blank = ends & _moved(ends)
        if has_returns:
            returns = packed_flags(np.frombuffer(block, np.uint8) == RETURN)
            blank |= ends & _moved(returns & _moved(ends))
        self.blank_lines += int(np.bitwise_count(blank).sum())

    def _add_returns(self, block: bytes, *, has_returns: bool) -> None:
        """Count carriage returns without a line feed as ends of lines."""
        if self._ends_in_return and not block.startswith(b"\n"):
            self._lone_returns(1)
        self._ends_in_return = block.endswith(b"\r")
        if has_returns:
            self._lone_returns(block.count(b"\r") - block.count(b"\r\n") - self._ends_in_return)

    def _lone_returns(self, number: int) -> None:
        self.lines += number
        self.in_cells |= number > 0


def packed_flags(flags: NDArray[np.bool_]) -> Words:
    """Flags as bits of words, the first as the lowest bit."""
    packed = np.packbits(flags, bitorder="little")
    words = np.zeros(-(-len(packed) // 8), "<u8")
    words.view(np.uint8)[: len(packed)] = packed
    return words.astype(np.uint64, copy=False)


def _moved(bits: Words) -> Words:
    """The bits, each one place later."""
    moved = bits << np.uint64(1)
    moved[1:] |= bits[:-1] >> LAST_BIT
    return moved


def running_parities(bits: Words, *, odd: bool) -> Words:
    """For each bit, whether the number of bits set up to it is odd; `odd`: whether it was before the first.

    >>> [bin(word) for word in running_parities(np.array([0b1001000], np.uint64), odd=False).tolist()]
    ['0b111000']
    """
    parities = bits.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        parities ^= parities << np.uint64(shift)
    before = np.empty_like(bits)  # of each word
    before[0] = odd
    before[1:] = parities[:-1] >> LAST_BIT
    np.bitwise_xor.accumulate(before, out=before)
    parities ^= np.uint64(0) - before
    return parities
