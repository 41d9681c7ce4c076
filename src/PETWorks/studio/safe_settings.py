"""How a release is to be made: the section `anonymize` of a policy, as the fields of a form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from PETWorks.about.protection import protect_as_text, protect_from_text, protections_of
from PETWorks.anonymizer.column_objectives import AGGREGATES
from PETWorks.anonymizer.objectives import OBJECTIVES
from PETWorks.anonymizer.problem import SUPPRESSED_RECORDS
from PETWorks.errors import InputError, Phrase, printable
from PETWorks.gate.anonymising import seconds_given
from PETWorks.measures.parameters import number_given
from PETWorks.studio.page import Form
from PETWorks.studio.policy_file import Change

METHODS = ("global", "local")
AGGREGATED = tuple(AGGREGATES)
WRITTEN_IN = ("shuffled", "original")  # the order of the records
MOST_COLUMNS = 100
SECTION = "anonymize"
FIELDS = {
    "suppression": Phrase("suppression"),
    "minutes": Phrase("minutes"),
    "weight": Phrase("weight"),
    "low": Phrase("low"),
    "high": Phrase("high"),
    "method": Phrase("method"),
    "objective": Phrase("objective"),
    "aggregate": Phrase("aggregate"),
    "order": Phrase("order"),
    "suppressed_records": Phrase("suppressed records"),
}  # what errors call the fields of the form


TYPED = ("suppression", "suppressed_records", "method", "objective", "aggregate", "order", "minutes", "protect")


@dataclass(frozen=True)
class ColumnSetting:
    """The importance of a column, and the levels that it may have; empty texts where nothing is said."""

    column: str
    height: int | None
    weight: str
    low: str
    high: str


@dataclass(frozen=True)
class Settings:
    """What the form shows."""

    suppression: str  # per cent
    suppressed_records: str
    method: str
    objective: str
    aggregate: str
    order: str
    minutes: str
    protect: str  # columns with coarser values, separated by semicolons
    columns: tuple[ColumnSetting, ...]

    def typed(self, form: Form) -> "Settings":
        """The same with what the user has typed, which has a mistake."""
        columns = (
            replace(one, weight=form.text(f"weight-{at}"), low=form.text(f"low-{at}"), high=form.text(f"high-{at}"))
            for at, one in enumerate(self.columns)
        )
        given = {name: form.text(name) for name in TYPED}
        return Settings(**given, columns=tuple(columns))

    @property
    def is_bounded(self) -> bool:
        """Whether anything is said about single columns."""
        return any(one.weight or one.low or one.high for one in self.columns)


def settings_of(section: Mapping[str, Any], columns: Sequence[str], heights: Mapping[str, int]) -> Settings:
    """The settings that a policy has."""
    share, seconds = number_given(section.get("suppression", 0)), seconds_given(section.get("time", ""))
    weights, levels = section.get("weights", {}), section.get("levels", {})
    return Settings(
        suppression=_written(Decimal(str(share or 0)) * 100),
        suppressed_records=str(section.get("suppressed_records", SUPPRESSED_RECORDS[0])),
        method=str(section.get("method", METHODS[0])),
        objective=str(section.get("objective", OBJECTIVES[0])),
        aggregate=str(section.get("aggregate", AGGREGATED[0])),
        order=str(section.get("order", WRITTEN_IN[0])),
        minutes="" if seconds is None else _written(Decimal(str(seconds)) / 60),
        protect="; ".join(protect_as_text(section.get("protect") or {})),
        columns=tuple(
            ColumnSetting(column, heights.get(column), str(weights.get(column, "")), *_bounds(levels.get(column)))
            for column in columns[:MOST_COLUMNS]
        ),
    )


def _bounds(given: Any) -> tuple[str, str]:
    """The lowest and the highest level, as the policy says them."""
    if given is None:
        return "", ""
    if isinstance(given, Mapping):
        return str(given.get("at_least", "")), str(given.get("at_most", ""))
    if isinstance(given, str) and "-" in given:
        low, _, high = given.partition("-")
        return low.strip(), high.strip()
    low, high = given if isinstance(given, list | tuple) else (given, given)
    return str(low), str(high)


def settings_change(form: Form, columns: Sequence[str], heights: Mapping[str, int], seen: Mapping[str, Any]) -> Change:
    """What a form changes in a policy: only what is not said there already; what is usual is left out."""
    old = settings_of(seen, columns, heights)
    shown = {one.column: one for one in old.columns}
    share, minutes = _number(form, "suppression", 0, 100), _number(form, "minutes", 0, 60 * 24 * 365)
    method, objective = _choice(form, "method", METHODS), _choice(form, "objective", OBJECTIVES)
    aggregate = _choice(form, "aggregate", AGGREGATED) if objective == "granularity" else AGGREGATED[0]
    order, kept = _choice(form, "order", WRITTEN_IN), _choice(form, "suppressed_records", SUPPRESSED_RECORDS)
    values: dict[str, Any] = {
        "suppression": None if not share else float(share / 100),
        "suppressed_records": None if kept == SUPPRESSED_RECORDS[0] else kept,
        "method": None if method == METHODS[0] else method,
        "objective": None if objective == OBJECTIVES[0] else objective,
        "aggregate": None if aggregate == AGGREGATED[0] else aggregate,
        "order": None if order == WRITTEN_IN[0] else order,
        "time": f"{_written(minutes)}m" if minutes else None,
        "protect": _protect(form.text("protect")) or None,
    }
    same = {
        "suppression": _written(share or Decimal(0)) == old.suppression,
        "suppressed_records": kept == old.suppressed_records,
        "method": method == old.method,
        "objective": objective == old.objective,
        "aggregate": aggregate == old.aggregate,
        "order": order == old.order,
        "time": _written(minutes or Decimal(0)) == (old.minutes or "0"),
        "protect": "protect" not in form.fields or form.text("protect") == old.protect,
    }
    weights, levels = dict[str, Any](), dict[str, Any]()
    for place, (column, one) in enumerate(shown.items()):
        weight = _number(form, f"weight-{place}", 0, None)
        low, high = (_number(form, f"{end}-{place}", 0, one.height) for end in ("low", "high"))
        if low is not None and high is not None and low > high:
            raise InputError("column {column!r}: the lowest level is above the highest one", column=printable(column))
        if ("" if weight is None else _written(weight)) != one.weight:
            weights[column] = None if weight is None else _plain(weight)
        if ("" if low is None else _written(low), "" if high is None else _written(high)) != (one.low, one.high):
            levels[column] = _level(low, high)

    def change(document: Any) -> None:
        section = document.get(SECTION)
        if not isinstance(section, dict):
            section = {}
        for key, value in values.items():
            if not same[key]:
                _set(section, key, value)
        for key, changed in (("weights", weights), ("levels", levels)):
            inner = section.get(key)
            inner = inner if isinstance(inner, dict) else {}
            for column, value in changed.items():
                _set(inner, column, value)
            _set(section, key, inner or None)
        if section and document.get(SECTION) is not section:
            document[SECTION] = section
        elif not section:
            document.pop(SECTION, None)

    return change


def _protect(text: str) -> dict[str, Any]:
    """Columns with coarser values; an error if one of them cannot be understood."""
    declared = protect_from_text(filter(None, (part.strip() for part in text.split(";"))))
    protections_of(declared)
    return declared


def _level(low: Decimal | None, high: Decimal | None) -> Any:
    """Levels as a policy says them."""
    if low is not None and low == high:
        return int(low)
    bounds = {"at_least": None if low is None else int(low), "at_most": None if high is None else int(high)}
    return {name: level for name, level in bounds.items() if level is not None} or None


def _set(section: Any, key: str, value: Any) -> None:
    """Set a key, or remove it; one that stays as it is keeps its comment."""
    if value is None:
        section.pop(key, None)
    elif section.get(key) is not value:
        section[key] = value


def _number(form: Form, field: str, lowest: int, highest: int | None) -> Decimal | None:
    """A number of a field; None if it is empty."""
    text = form.text(field)
    if not text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    whole = not field.startswith(("low", "high")) or (number.is_finite() and number == number.to_integral_value())
    if not number.is_finite() or not whole or number < lowest or (highest is not None and number > highest):
        kind, given = FIELDS[field.partition("-")[0]], printable(text)[:40]
        if highest is None:
            raise InputError(
                "{field}: expected a number at least {lowest}, got {given!r}", field=kind, lowest=lowest, given=given
            )
        raise InputError(
            "{field}: expected a number from {lowest} to {highest}, got {given!r}",
            field=kind,
            lowest=lowest,
            highest=highest,
            given=given,
        )
    return number


def _choice(form: Form, field: str, known: Sequence[str]) -> str:
    value = form.text(field) or known[0]
    if value not in known:
        raise InputError("{field} is one of {known}", field=FIELDS[field], known=", ".join(known))
    return value


def _written(number: Decimal) -> str:
    """A number without needless zeros."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)
