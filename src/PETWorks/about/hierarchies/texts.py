"""Hierarchies of texts: first or masked last characters, ICD-10 codes, addresses in Taiwan, British postcodes."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.about.hierarchies.scheme import AnyText, OwnValues, as_list, describe_given, whole_numbers
from PETWorks.errors import HierarchyError, Phrase, quoted

_DIAGNOSIS = re.compile(r"[A-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?", re.ASCII)
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
        if _DIAGNOSIS.fullmatch(code) is None:
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


DISTRICT, COUNTY, REGION = AREAS = ("district", "county", "region")
# The regions of the National Development Council; counties that have become cities keep their old names, too.
REGIONS = {
    "北部": "臺北市 新北市 臺北縣 基隆市 新竹市 新竹縣 桃園市 桃園縣 宜蘭縣",
    "中部": "臺中市 臺中縣 苗栗縣 彰化縣 南投縣 雲林縣",
    "南部": "高雄市 高雄縣 臺南市 臺南縣 嘉義市 嘉義縣 屏東縣 澎湖縣",
    "東部": "花蓮縣 臺東縣",
    "金馬": "金門縣 連江縣",
}
REGION_OF = {county: region for region, counties in REGIONS.items() for county in counties.split()}
_ADDRESS = re.compile(
    r"(?:\d{3,6})? ?(?:中華民國)?(?:臺灣省|福建省|臺灣)? ?"
    rf"(?P<county>{'|'.join(REGION_OF)}) ?(?P<district>.{{1,3}}?[鄉鎮市區])?(?P<rest>.*)",
    re.ASCII | re.DOTALL,
)
_WITHOUT_DISTRICTS = ("前鎮", "左鎮", "平鎮", "新市")  # the beginning of a name that ends in 區


@dataclass(frozen=True)
class Addresses(OwnValues):
    """Addresses that name a county, with larger areas on each level: the district, the county and the region.

    `台` is read as `臺`: `台北市大安區和平東路一段1號` becomes `臺北市大安區`, `臺北市`, `北部`.
    """

    levels: Sequence[str]
    expects: str = Phrase("addresses in Taiwan that begin with a county or city")

    def path(self, value: str) -> tuple[str, ...] | None:
        """The areas of an address; one that names no district has its county on that level, too."""
        areas = read_address(value)
        return None if areas is None else tuple(areas[level] for level in self.levels)

    def below(self, label: str) -> Iterable[str] | None:
        """The addresses of a region are unknown; a district or a county is an address itself."""
        return [] if label in REGIONS and REGION in self.levels else None

    def order(self, value: str) -> Any:
        """Sort by region, county and district, from north to south."""
        areas = read_address(value) or {}
        county = areas.get(COUNTY, "")
        return list(REGION_OF).index(county) if county else 0, areas.get(DISTRICT, ""), value


def read_address(text: str) -> Mapping[str, str] | None:
    """The district, the county and the region of an address; None if it names no county.

    >>> read_address("100台北市中正區重慶南路一段122號")
    {'district': '臺北市中正區', 'county': '臺北市', 'region': '北部'}
    """
    match = _ADDRESS.fullmatch(unicodedata.normalize("NFKC", text[:200]).strip().replace("台", "臺"))
    if match is None:
        return None
    county, district = match["county"], match["district"] or ""
    if district in _WITHOUT_DISTRICTS and match["rest"].startswith("區"):
        district += "區"
    return {DISTRICT: county + district, COUNTY: county, REGION: REGION_OF[county]}


def parse_addresses(words: Mapping[str, Any]) -> Addresses:
    """Parse `address: [district, county, region]`."""
    levels = [str(level).strip() for level in as_list(words["address"])]
    if not levels or levels != [level for level in AREAS if level in levels]:
        raise HierarchyError(
            "address: expected some of 'district', 'county' and 'region' in this order, got {given}",
            given=describe_given(words["address"]),
        )
    return Addresses(levels)


UNIT, SECTOR, AREA = "unit", "sector", "area"
POSTCODE_LEVELS = (UNIT, SECTOR, DISTRICT, AREA)
_POSTCODE = re.compile(
    r"(?P<district>(?P<area>[A-Z]{1,2})[0-9][A-Z0-9]?|GIR)"
    r"(?: *(?P<sector>[0-9])(?P<unit>[A-Z]{2})| +(?P<alone>[0-9]))?",
    re.ASCII,
)


@dataclass(frozen=True)
class BritishPostcodes(OwnValues):
    """British postcodes, with larger areas on each level: `ls12ab` becomes `LS1 2AB`, `LS1 2`, `LS1`, `LS`.

    Sectors and districts are values as well, and have themselves on the levels below.
    """

    levels: Sequence[str]
    expects: str = Phrase("British postcodes such as LS1 2AB, or their districts such as LS1")

    def path(self, value: str) -> tuple[str, ...] | None:
        """The areas of a postcode, whatever its case and blanks."""
        parts = read_british_postcode(value)
        return None if parts is None else tuple(parts[level] for level in self.levels)

    def below(self, label: str) -> Iterable[str] | None:
        """The postcodes of an area are unknown; a sector or a district is a value itself."""
        is_area = AREA in self.levels and re.fullmatch("[A-Z]{1,2}", label, re.ASCII) is not None
        return [] if is_area else None

    def order(self, value: str) -> Any:
        """Sort by area, then the number of the district, then by text."""
        parts = read_british_postcode(value) or {}
        district, area = parts.get(DISTRICT, ""), parts.get(AREA, "")
        digits = re.match(r"[0-9]*", district[len(area) :])
        return area, int(digits[0] or 0) if digits else 0, district, value


def read_british_postcode(text: str) -> Mapping[str, str] | None:
    """The unit, the sector, the district and the area of a postcode or of a part of it; None if it is none.

    >>> read_british_postcode("ls1  2ab")
    {'unit': 'LS1 2AB', 'sector': 'LS1 2', 'district': 'LS1', 'area': 'LS'}
    """
    match = _POSTCODE.fullmatch(text[:60].strip().upper())
    if match is None:
        return None
    district, number = match["district"], match["sector"] or match["alone"]
    sector = district if number is None else f"{district} {number}"
    return {UNIT: sector + (match["unit"] or ""), SECTOR: sector, DISTRICT: district, AREA: match["area"] or district}


def parse_british_postcodes(words: Mapping[str, Any]) -> BritishPostcodes:
    """Parse `uk_postcode: [sector, district, area]`."""
    levels = [str(level).strip() for level in as_list(words["uk_postcode"])]
    if not levels or levels != [level for level in POSTCODE_LEVELS if level in levels]:
        raise HierarchyError(
            "uk_postcode: expected some of {levels} in this order, got {given}",
            levels=quoted(POSTCODE_LEVELS),
            given=describe_given(words["uk_postcode"]),
        )
    return BritishPostcodes(levels)
