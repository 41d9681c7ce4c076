"""What several releases disclose together, as tables for a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from PETWorks.errors import printable
from PETWorks.measures.numbers import count, shown
from PETWorks.releases.composition import Composition
from PETWorks.releases.contributions import Contribution
from PETWorks.releases.linked import Exposure
from PETWorks.releases.unlinked import CONFIDENCES, Confidence
from PETWorks.render.text import new_table, rendered, subsets_parts, verdict_text


def composition_text(
    composition: Composition, subsets: Mapping[str, Any] | None = None, *, colour: bool, width: int
) -> str:
    """Both adversaries, what each release adds, m-invariance and the limits; and adversaries who know some columns."""
    people = count(composition.together.people)
    head = f"{len(composition.releases)} releases; the targets are the {people} people of {composition.focal}"
    parts: list[Any] = [Text(printable(head), "bold"), _releases(composition)]
    parts += [_title("An adversary who can join the records of a person"), _linked(composition)]
    parts += [_title("With one release after the other"), _curve(composition)]
    parts += [_title("What each release adds, and what withdrawing it would save"), _added(composition.contributions)]
    if composition.unlinked:
        parts += [_title("An adversary who cannot join records, but intersects the values they offer")]
        parts += [_unlinked(composition), *map(Text, _changes(composition))]
    if composition.invariance:
        parts += [_title("m-invariance"), _invariance(composition)]
    if composition.limits:
        parts += [_title("Limits"), _limits(composition.limits)]
    if subsets is not None:
        parts += subsets_parts(subsets)
    return rendered(parts, colour=colour, width=width)


def _title(text: str) -> Text:
    return Text(f"\n{text}", "bold")


def _releases(composition: Composition) -> Table:
    """Each release alone: its own people, attacked by its own quasi-identifiers."""
    table = new_table("release alone", "people", "targets among them", "they know", "re-identification", "alone")
    for part in composition.releases:
        numbers = (count(part.people), count(part.in_common), ", ".join(part.quasi_identifiers))
        alone = (shown(part.alone.posterior), shown(part.alone.alone_share))
        table.add_row(*_cells(part.name, *numbers, *alone))
    return table


def _linked(composition: Composition) -> Table:
    focal = next(part.alone for part in composition.releases if part.name == composition.focal)
    table = new_table(
        "attack", "guessing", "focal release alone", "all releases", "certain: focal alone", "certain: all"
    )
    rows = zip(_attacks(focal, composition.together), _attacks(composition.together, composition.together), strict=True)
    for (name, prior, alone, sure_alone), (_, _, together, sure) in rows:
        table.add_row(*_cells(name, prior, alone, together, sure_alone, sure))
    return table


def _attacks(exposure: Exposure, listed: Exposure) -> list[tuple[str, str, str, str]]:
    """Name, prior, posterior and share of people about whom it is certain, of each attack that the other one lists."""
    rows = [("re-identification", 1 / exposure.people, exposure.posterior, exposure.alone_share)]
    texts = [(name, *map(shown, numbers)) for name, *numbers in rows]
    for name in listed.inference:
        one = exposure.inference[name]
        numbers = (one.commonest / one.people, one.posterior, one.one_value_share)
        texts.append((f"inference of {name}", *map(shown, numbers)))
        if one.gain is not None:
            texts.append((f"gain by guessing {name}", shown(one.gain.prior), shown(one.gain.posterior), ""))
    return [(name, prior, posterior, certain) for name, prior, posterior, certain in texts]


def _curve(composition: Composition) -> Table:
    inferred, crossed = list(composition.together.inference), composition.unlinked
    table = new_table(
        "up to release",
        "re-identification",
        "alone",
        *(printable(f"inference of {name}") for name in inferred),
        *(printable(f"{name} disclosed") for name in crossed),
    )
    for place, (part, exposure) in enumerate(zip(composition.releases, composition.curve, strict=True)):
        steps = [one.curve[place] for one in crossed.values()]
        chances = [exposure.posterior, exposure.alone_share, *(exposure.inference[name].posterior for name in inferred)]
        table.add_row(
            *_cells(part.name, *map(shown, chances), *("-" if one is None else shown(one.share()) for one in steps))
        )
    return table


def _added(contributions: Sequence[Contribution]) -> Table:
    """For each attack the releases, the one that adds most first."""
    table = new_table("attack", "release", "adds, on average", "chance without it", "saves")
    attacks = list(dict.fromkeys(one.attack for one in contributions))
    for attack in attacks:
        own = [one for one in contributions if one.attack == attack]
        for place, one in enumerate(sorted(own, key=lambda one: (-(one.shapley or 0), -(one.saves or 0)))):
            share = None if one.shapley is None else float(one.shapley)
            name = attack if place == 0 else ""
            table.add_row(*_cells(name, one.release, shown(share), shown(one.without), shown(one.saves)))
    return table


def _unlinked(composition: Composition) -> Table:
    sure = (f"confidence >= {one}" for one in CONFIDENCES[:-1])
    table = new_table("attribute", "with", "people", "disclosed", *sure)
    for attribute, one in composition.unlinked.items():
        rows: dict[str, Confidence] = {f"{name} alone": alone for name, alone in one.alone.items()}
        for place, (name, own) in enumerate((rows | {"all of them": one.together}).items()):
            shares = [shown(own.share(level)) for level in (CONFIDENCES[-1], *CONFIDENCES[:-1])]
            table.add_row(*_cells("" if place else attribute, name, count(own.people), *shares))
    return table


def _changes(composition: Composition) -> list[str]:
    """For whom the attack is wrong: it takes values for the same in all releases."""
    return [
        printable(
            f"{name}: the value of {count(one.changed)} of {count(one.together.people)} people changed between "
            f"releases; of {count(one.contradictory)} no value is left, of {count(one.mistaken)} only a wrong one"
        )
        for name, one in composition.unlinked.items()
    ]


def _invariance(composition: Composition) -> Table:
    table = new_table("attribute", "largest m", "why none holds")
    for name, one in composition.invariance.items():
        table.add_row(*_cells(name, shown(one.m), "; ".join(one.reasons)))
    return table


def _limits(limits: Iterable[Mapping[str, Any]]) -> Table:
    table = new_table("limit", "value", "verdict")
    for limit in limits:
        sign, number = ("<=", limit["at_most"]) if "at_most" in limit else (">=", limit["at_least"])
        table.add_row(
            *_cells(f"{limit['limit']} {sign} {shown(number)}", shown(limit["value"])), verdict_text(limit["satisfied"])
        )
    return table


def _cells(*texts: str) -> list[Text]:
    return [Text(printable(text)) for text in texts]
