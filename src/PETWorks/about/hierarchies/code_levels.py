"""Hierarchies of codes: their first characters, masked last characters, or categories and chapters of ICD-10."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.about.hierarchies.scheme import AnyText, OwnValues, as_list, describe_given, whole_numbers
from PETWorks.errors import HierarchyError, Phrase

_CODE = re.compile(r"[A-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?", re.ASCII)
# First and last category of each chapter; the last ones also cover national modifications.
CHAPTERS = (
    *("A00-B99", "C00-D49", "D50-D89", "E00-E90", "F00-F99", "G00-G99", "H00-H59", "H60-H95", "I00-I99", "J00-J99"),
    *("K00-K95", "L00-L99", "M00-M99", "N00-N99", "O00-O9A", "P00-P96", "Q00-Q99", "R00-R99", "S00-T98", "U00-U99"),
    *("V00-Y99", "Z00-Z99"),
)
_FIRST_CATEGORIES = [chapter[:3] for chapter in CHAPTERS]


@dataclass(frozen=True)
class Prefixes(AnyText):
    """Texts, and their first characters followed by `*`."""

    lengths: Sequence[int]

    def path(self, value: str) -> tuple[str, ...] | None:
        """`10048` becomes `100*`, then `1*`."""
        return tuple(f"{value[:length]}*" for length in self.lengths)

    def below(self, label: str) -> Iterable[str] | None:
        """The texts with this prefix are unknown."""
        return [] if label.find("*") == len(label) - 1 and len(label) - 1 in self.lengths else None


@dataclass(frozen=True)
class Masks(AnyText):
    """Texts, and the same texts with `*` for each of their last characters."""

    lengths: Sequence[int]

    def path(self, value: str) -> tuple[str, ...] | None:
        """`10048` becomes `100**`."""
        return tuple(value[: max(len(value) - length, 0)] + "*" * min(length, len(value)) for length in self.lengths)

    def below(self, label: str) -> Iterable[str] | None:
        """The masked texts are unknown."""
        return [] if len(label) - len(label.rstrip("*")) in self.lengths else None


@dataclass(frozen=True)
class Diagnoses(OwnValues):
    """ICD-10 codes, with or without a dot; their category is the first three characters."""

    levels: Sequence[str]
    expects: str = Phrase("ICD-10 codes such as I21.4")

    def path(self, value: str) -> tuple[str, ...] | None:
        """`I21.4` becomes `I21`, then `I00-I99`."""
        code = value.upper()
        if _CODE.fullmatch(code) is None:
            return None
        category = code[:3]
        chapter = CHAPTERS[bisect_right(_FIRST_CATEGORIES, category) - 1]
        return tuple(category if level == "category" else chapter for level in self.levels)

    def below(self, label: str) -> Iterable[str] | None:
        """The codes of a chapter are unknown; a category is a code itself."""
        return [] if label in CHAPTERS and "chapter" in self.levels else None

    def order(self, value: str) -> Any:
        """Sort by code."""
        return value.upper(), value


def parse_prefixes(words: Mapping[str, Any]) -> Prefixes:
    """Parse `prefix: [3, 1]`."""
    return Prefixes(whole_numbers("prefix", words["prefix"], ascending=False))


def parse_masks(words: Mapping[str, Any]) -> Masks:
    """Parse `mask: [1, 2]`."""
    return Masks(whole_numbers("mask", words["mask"], ascending=True))


def parse_diagnoses(words: Mapping[str, Any]) -> Diagnoses:
    """Parse `icd10: [category, chapter]`."""
    levels = [str(level).strip() for level in as_list(words["icd10"])]
    if levels not in (["category", "chapter"], ["category"], ["chapter"]):
        raise HierarchyError(
            "icd10: expected 'category', 'chapter' or both in this order, got {given}",
            given=describe_given(words["icd10"]),
        )
    return Diagnoses(levels)
