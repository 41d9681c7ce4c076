"""Numbers of a check: exact in the internal edition, often a bound in the external one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from PETWorks.gate.typed_json import JSONObject, keywords

Withheld = Literal["small class", "few records", "tells counts"]  # why a number is not published


@dataclass(frozen=True)
class Bound(JSONObject):
    """What the external edition says instead of a number: one of these limits, or why it says nothing."""

    SCHEMA: ClassVar[Mapping[str, Any]] = {"minProperties": 1, "maxProperties": 1}

    below: float | None = None
    above: float | None = None
    at_most: float | None = None
    at_least: float | None = None
    about: float | None = None
    withheld: Withheld | None = None


FEW_RECORDS = Bound(withheld="few records")
TELLS_COUNTS = Bound(withheld="tells counts")

Number = float | Bound | None
Count = Annotated[int, keywords(minimum=0)] | Bound | None
