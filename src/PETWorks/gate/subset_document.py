"""What the document of a check says about attacks with subsets of the quasi-identifiers."""

from dataclasses import dataclass

from PETWorks.gate.bounds import Bound, Number
from PETWorks.gate.typed_json import JSONObject

Names = tuple[str, ...]


@dataclass(frozen=True)
class SubsetCase(JSONObject):
    """An attack by an adversary who knows these attributes."""

    attributes: Names
    unique_share: Number
    prior: Number
    posterior: Number
    multiplicative_leakage: float | Bound | None = None
    additive_leakage: float | Bound | None = None


@dataclass(frozen=True)
class KnownAttributes(JSONObject):
    """An attack by adversaries who know so many attributes: the subsets with lowest, median and highest risk."""

    known: int
    attack: str
    subsets: int
    lowest: SubsetCase
    median: SubsetCase
    highest: SubsetCase


@dataclass(frozen=True)
class SubsetLimit(JSONObject):
    """A limit that every subset must keep, and the worst value."""

    limit: str
    at_most: float
    worst: Number
    satisfied: bool


@dataclass(frozen=True)
class RiskySubset(JSONObject):
    """A subset beyond a limit of which no smaller part is beyond it."""

    limit: str
    at_most: float
    attributes: Names
    value: Number


@dataclass(frozen=True, kw_only=True)
class Driver(JSONObject):
    """What a quasi-identifier adds to the risk of an attack."""

    attribute: str
    attack: str
    shapley: Number
    shapley_exact: str | None = None
    without: Number
