"""Codes of several columns in words of 63 bits, for engines that store signed integers.

Columns fill a word from its highest bit; one that has no room begins the next word. So the first columns of a longer
list lie where they lie in a shorter one, and words that are in order have complete classes of the first columns
next to each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.counts import Integers, run_starts

WORD_BITS = 63


@dataclass(frozen=True)
class Place:
    """Where the code of a column lies: which word, how far from its lowest bit, and how many bits."""

    word: int
    shift: int
    bits: int

    @property
    def mask(self) -> int:
        """The bits of a code."""
        return (1 << self.bits) - 1


@dataclass(frozen=True)
class Words:
    """How the codes of columns lie in words."""

    places: Mapping[str, Place]

    @classmethod
    def of(cls, bits: Mapping[str, int]) -> "Words":
        """The columns, which need so many bits, in this order."""
        places: dict[str, Place] = {}
        word, left = 0, WORD_BITS
        for name, needed in bits.items():
            if needed > left:
                word, left = word + 1, WORD_BITS
            left -= needed
            places[name] = Place(word, left, needed)
        return cls(places)

    @property
    def number(self) -> int:
        """How many words there are."""
        return max((place.word for place in self.places.values()), default=0) + 1

    def packed(self, codes: Mapping[str, NDArray[np.integer]], rows: int) -> list[Integers]:
        """The words of rows."""
        words = [np.zeros(rows, np.int64) for _ in range(self.number)]
        for name, place in self.places.items():
            words[place.word] |= codes[name].astype(np.int64) << place.shift
        return words

    def code(self, column: str, words: Sequence[Integers]) -> Integers:
        """The codes of a column."""
        place = self.places[column]
        codes: Integers = words[place.word] >> place.shift & place.mask
        return codes

    def codes(self, words: Sequence[Integers]) -> dict[str, Integers]:
        """The codes of each column."""
        return {name: self.code(name, words) for name in self.places}

    def expressions(self, coarser: "Words") -> list[str]:
        """For each word of some of these columns, how SQL makes it of the words `k0`, `k1`… of all."""
        terms: list[list[str]] = [[] for _ in range(coarser.number)]
        for name, to in coarser.places.items():
            place = self.places[name]
            if to.bits:
                shifted = f"(k{place.word} >> {place.shift}) & {place.mask}"
                terms[to.word].append(f"({shifted}) * CAST({1 << to.shift} AS BIGINT)")
        return [" + ".join(term) or "CAST(0 AS BIGINT)" for term in terms]

    def masks(self, columns: int) -> list[int]:
        """For each word that the first columns reach, the bits of them that are in it."""
        masks: dict[int, int] = {}
        for place in list(self.places.values())[:columns]:
            masks[place.word] = masks.get(place.word, 0) | place.mask << place.shift
        return list(masks.values()) or [0]


def scrambled(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each number with its bits mixed, so that sums and remainders of similar numbers differ."""
    product = numbers * np.uint64(0x9E3779B97F4A7C15)
    return product ^ product >> np.uint64(29)


def class_starts(words: Sequence[Integers], masks: Sequence[int]) -> Integers:
    """Where in ordered words another class begins; the masks say which bits make the classes."""
    starts = [run_starts(word & mask) for word, mask in zip(words, masks, strict=False)]
    return starts[0] if len(starts) == 1 else np.unique(np.concatenate(starts))
