"""Which part of a report tells what of a check: rows for its tables, bounded in number."""

from collections.abc import Mapping
from typing import Any

from PETWorks.measures.catalogue import Metric, find

MOST_COLUMNS = 100
MOST_RISKY = 30
MOST_RULES = 50
MOST_STEPS = 30
MOST_ATTRIBUTES = 8

SECTIONS = (
    ("context", "Context and assumptions"),
    ("columns", "Columns"),
    ("identity", "Identity risk: can a person be found?"),
    ("drivers", "What drives it"),
    ("attributes", "Attribute disclosure: can something be learnt of a person?"),
    ("presence", "Presence: can somebody tell who is in the table?"),
    ("profit", "Profitability: is an attack worth its cost?"),
    ("utility", "Utility: what is it still worth?"),
    ("steps", "Residual risk and next steps"),
    ("method", "Method and sources"),
    ("glossary", "Glossary"),
)
ROLES = {
    None: "no role",
    "privacy_unit": "privacy unit",
    "identifier": "direct identifier",
    "quasi_identifier": "quasi-identifier",
    "sensitive_attribute": "sensitive attribute",
    "insensitive_attribute": "insensitive attribute",
}
WHO = {
    "prosecutor-risk": "somebody who is known to be in the table",
    "journalist-risk": "somebody of the population, by a register",
    "marketer-risk": "as many as possible",
}
_FIRST = ("fail", "waived", "pass")
UTILITY_KEYS = {
    "precision": "precision",
    "granularity": "granularity",
    "non_uniform_entropy": "non-uniform entropy",
    "total_variation": "total variation",
}


def section_of(entry: Metric) -> str:
    """The part of the report that a measure belongs to."""
    if "profit" in entry.name or "payout" in entry.name:
        return "profit"
    if entry.family == "utility":
        return "utility"
    if "a sensitive attribute" in entry.needs:
        return "attributes"
    return "presence" if entry.family == "privacy" and "the original table" in entry.needs else "identity"


def by_section(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The results of each part."""
    found: dict[str, list[Any]] = {name: [] for name, _ in SECTIONS}
    for result in document["results"]:
        found[section_of(find(result["measure"]))].append(result)
    return found


def view(document: Mapping[str, Any]) -> dict[str, Any]:
    """Rows of the tables."""
    results = {result["measure"]: result for result in document["results"]}
    columns = document["columns"][:MOST_COLUMNS]
    kept = [row for row in columns if any(key in row for key in UTILITY_KEYS)]
    keys = utility_keys(document)
    return {
        "rules": sorted(document["rules"], key=lambda rule: _FIRST.index(rule["verdict"]))[:MOST_RULES]
        if len(document["rules"]) > MOST_RULES
        else document["rules"],
        "columns": [_with_unit(row, document["table"]["treatment"]["privacy_unit"]) for row in columns],
        "counted": "records" if document["table"]["treatment"]["privacy_unit"] is None else "people",
        "roles": ROLES,
        "histogram": _histogram(document, results),
        "scenarios": _scenarios(results),
        "risky": [] if document["subsets"] is None else document["subsets"]["minimal_risky"][:MOST_RISKY],
        "attributes": document["table"]["sensitive_attributes"][:MOST_ATTRIBUTES],
        "by_attribute": _by_attribute(document),
        "utility_columns": kept,
        "utility_keys": keys,
        "utility_heads": [f">{UTILITY_KEYS[key]}" for key in keys],
        "before": any("distinct_before" in row for row in kept),
        "sources": [{"measure": name, "source": source(name)} for name in results if source(name)],
    }


def _with_unit(row: Mapping[str, Any], unit: str | None) -> Mapping[str, Any]:
    """A column; the one that names the person has that as its role."""
    return {**row, "role": "privacy_unit"} if row["column"] == unit else row


def utility_keys(document: Mapping[str, Any]) -> list[str]:
    """What is told of the columns' utility; the first is drawn as bars."""
    return [key for key in UTILITY_KEYS if any(key in row for row in document["columns"][:MOST_COLUMNS])]


def _histogram(document: Mapping[str, Any], results: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = results.get("prosecutor-risk", {}).get("details", {}).get("class_sizes", {})
    cell_size = document["policy"]["cell_size"]
    return [
        {"size": size, **row, "small": int(size.split("-")[0].rstrip("+")) < cell_size} for size, row in rows.items()
    ]


def _scenarios(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = []
    for measure, who in WHO.items():
        if measure not in results:
            continue
        details, value = results[measure]["details"], results[measure]["value"]
        marketer = measure == "marketer-risk"
        highest = None if marketer else value
        average = value if marketer else details.get("average")
        if measure == "journalist-risk" and details.get("linked_with") == "the release itself":
            who = "without a register: as the prosecutor"
        found.append({"measure": measure, "who": who, "highest": highest, "average": average})
    return found


def _by_attribute(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What each measure found of each sensitive attribute: the first number it tells, and both of an attack."""
    names = document["table"]["sensitive_attributes"][:MOST_ATTRIBUTES]
    rows = []
    for result in document["results"]:
        attributes = result["details"].get("attributes")
        if not attributes or any(name not in attributes for name in names):
            continue
        keys: tuple[str, ...] = (next(iter(attributes[names[0]])),) if len(names) > 1 else ()  # one has its value above
        if result["measure"] == "attribute-inference":
            keys = ("prior", "posterior")
        if "distance" in attributes[names[0]]:
            keys += ("distance",)
        for key in keys:
            label = {"prior": " (before)", "posterior": " (after)", "distance": " (distance)"}.get(key)
            found = [attributes[name][key] for name in names]
            rows.append({"measure": result["measure"], "key": label, "found": found, "words": key == "distance"})
    return rows


def source(measure: str) -> str:
    """The papers that a measure's docstring names."""
    paragraphs = (part.strip() for part in (find(measure).function.__doc__ or "").split("\n\n"))
    cited = [" ".join(part.split()) for part in paragraphs if "(19" in part or "(20" in part]
    return cited[-1].replace("*", "") if cited else ""
