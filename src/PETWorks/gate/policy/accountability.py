"""Accountability for a release: sign-off, earlier recipients, and the regimes that require them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import as_file, files
from typing import Any

from PETWorks.errors import quoted, unknown
from PETWorks.gate.document import EarlierRelease, Regime, RegimeItem
from PETWorks.gate.policy.mistakes import Mistakes
from PETWorks.json_types import MultilingualText
from PETWorks.locale import LANGUAGES
from PETWorks.tables.yaml_files import Key, read_yaml

APPROVER_ITEM = "approver"  # of a checklist


def chinese_note(note: str) -> str:
    """The note on a preset or a regime for the published field `chinese`; reports in any language translate `note`."""
    return LANGUAGES["zh-TW"].text(note)


@cache
def regimes() -> dict[str, Regime]:
    """All regimes by name, with every item of their checklists still open."""
    with as_file(files("PETWorks.gate") / "regimes.yaml") as path:
        content = read_yaml(path).content
    return {
        name: Regime(name=name, chinese=chinese_note(entry["note"]), **{**entry, "items": _checklist(entry["items"])})
        for name, entry in content.items()
    }


def regimes_asking_for(item: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names of those regimes that ask for an item."""
    known = regimes()
    return tuple(name for name in names if name in known and item in (entry.item for entry in known[name].items))


def _checklist(items: Mapping[str, str]) -> tuple[RegimeItem, ...]:
    return tuple(RegimeItem(item, where, given=False) for item, where in items.items())


def chosen_regimes(mistakes: Mistakes) -> Iterator[Regime]:
    """The regimes that a policy file names."""
    known = regimes()
    for place, name in enumerate(mistakes.file.content.get("regimes", ())):
        if name in known:
            yield known[name]
        else:
            mistakes.add(("regimes", place), unknown("regime", name, known).message)


@dataclass(frozen=True)
class Accountability:
    """The statements that standards ask of a data holder; None where the policy makes none."""

    purpose: MultilingualText | None
    role_reasons: Mapping[str, MultilingualText]
    earlier_releases: tuple[EarlierRelease, ...] | None
    approver: MultilingualText | None
    role: MultilingualText | None
    review_by: date | None
    incident_contact: MultilingualText | None
    regimes: tuple[Regime, ...]


def accountability_of(mistakes: Mistakes) -> Accountability:
    """The statements of a policy file about accountability."""
    content: Mapping[str, Any] = mistakes.file.content
    context, signed = content.get("context", {}), content.get("sign_off", {})
    earlier = context.get("earlier_releases")
    review = signed.get("review_by")
    return Accountability(
        purpose=context.get("purpose"),
        role_reasons={column.strip(): reason for column, reason in content.get("role_reasons", {}).items()},
        earlier_releases=None
        if earlier is None
        else tuple(_earlier_release(mistakes, place, release) for place, release in enumerate(earlier)),
        approver=signed.get("approver"),
        role=signed.get("role"),
        review_by=None if review is None else parse_day(mistakes, ("sign_off", "review_by"), review),
        incident_contact=signed.get("incident_contact"),
        regimes=tuple(chosen_regimes(mistakes)),
    )


def _earlier_release(mistakes: Mistakes, place: int, release: Mapping[str, Any]) -> EarlierRelease:
    parse_day(mistakes, ("context", "earlier_releases", place, "date"), release["date"])
    return EarlierRelease(release["what"], release["date"], release["recipients"])


def parse_day(mistakes: Mistakes, key: Key, text: str) -> date | None:
    """The date that a policy gives; None and a mistake if it is invalid."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        mistakes.add(key, "no such day: {day}", day=quoted([text]))
        return None
