"""Hierarchies of addresses in Taiwan: from the door number to the district, the county and the region.

`台` is read as `臺`: `台北市大安區和平東路一段1號` becomes `臺北市大安區`, `臺北市`, `北部`.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.about.hierarchies.scheme import OwnValues, as_list, describe_given
from PETWorks.errors import HierarchyError, Phrase

DISTRICT, COUNTY, REGION = LEVELS = ("district", "county", "region")
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
    """Addresses that name a county, with larger areas on each level."""

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
    if not levels or levels != [level for level in LEVELS if level in levels]:
        raise HierarchyError(
            "address: expected some of 'district', 'county' and 'region' in this order, got {given}",
            given=describe_given(words["address"]),
        )
    return Addresses(levels)
