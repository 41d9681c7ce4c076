"""Several releases, and the register of releases, as tables for a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import printable
from PETWorks.gate.document.check_document import Entry
from PETWorks.locale import LANGUAGES
from PETWorks.measures.numbers import count, format_value
from PETWorks.releases.composition import Composition, Contribution
from PETWorks.releases.linked import Exposure
from PETWorks.releases.unlinked import CONFIDENCES, Confidence
from PETWorks.render.language.language import attack_name, list_text, message_text
from PETWorks.render.language.language import policy_text as shown_text
from PETWorks.render.language.language import shorten_name as shown_name
from PETWorks.render.language.messages import translated
from PETWorks.render.text.check_text import verdict_word
from PETWorks.render.text.measures_text import new_table, render, subsets_parts, verdict_text


def composition_text(
    composition: Composition, subsets: Mapping[str, Any] | None = None, *, lang: str, colour: bool, width: int
) -> str:
    """Both adversaries, the contribution of each release, m-invariance, limits, and attacks by subsets of columns."""
    number, people = len(composition.releases), composition.together.people
    head = message_text(lang, "compose.targets", n=number, people=people, focal=composition.focal)
    parts: list[Any] = [Text(head, "bold"), _releases(composition, lang)]
    parts += [_title("linked", lang), _linked_table(composition, lang)]
    parts += [_title("curve", lang), _curve(composition, lang)]
    parts += [_title("added", lang), _contributions_table(composition.contributions, lang)]
    if composition.unlinked:
        parts += [_title("unlinked", lang), _unlinked_table(composition, lang), *map(Text, _changes(composition, lang))]
    if composition.invariance:
        parts += [_title("invariance", lang), _invariance(composition, lang)]
    if composition.limits:
        parts += [_title("limits", lang), _limits(composition.limits, lang)]
    if subsets is not None:
        parts += subsets_parts(subsets, lang)
    return render(parts, colour=colour, width=width)


def _title(title: str, lang: str) -> Text:
    return Text("\n" + message_text(lang, f"compose.{title}"), "bold")


def _table(heads: Sequence[str], lang: str, *more: str) -> Table:
    return new_table(*(message_text(lang, head) for head in heads), *more)


def _releases(composition: Composition, lang: str) -> Table:
    """Each release alone: its own people, attacked by its own quasi-identifiers."""
    heads = ("compose.release-alone", "head.people", "compose.among-them", "attack.head.known")
    table = _table((*heads, "attack.re-identification", "compose.alone"), lang)
    for part in composition.releases:
        numbers = (count(part.people), count(part.in_common), ", ".join(part.quasi_identifiers))
        alone = (format_value(part.alone.posterior), format_value(part.alone.alone_share))
        table.add_row(*_cells(part.name, *numbers, *alone))
    return table


def _linked_table(composition: Composition, lang: str) -> Table:
    focal = next(part.alone for part in composition.releases if part.name == composition.focal)
    heads = ("guessing", "focal-alone", "all-releases", "certain-focal", "certain-all")
    table = _table(("attack.head.attack", *(f"compose.{head}" for head in heads)), lang)
    together = composition.together
    rows = zip(_attacks(focal, together, lang), _attacks(together, together, lang), strict=True)
    for (name, prior, alone, sure_alone), (_, _, with_all, sure) in rows:
        table.add_row(*_cells(name, prior, alone, with_all, sure_alone, sure))
    return table


def _inference(attribute: str, lang: str) -> str:
    return message_text(lang, "write.attack", attack=message_text(lang, "compose.inference"), column=attribute)


def _attacks(exposure: Exposure, listed: Exposure, lang: str) -> list[tuple[str, str, str, str]]:
    """Name, prior, posterior and share of certain people for re-identification and each inference of `listed`."""
    rows = [
        (message_text(lang, "attack.re-identification"), 1 / exposure.people, exposure.posterior, exposure.alone_share)
    ]
    texts = [(name, *map(format_value, numbers)) for name, *numbers in rows]
    for name in listed.inference:
        inference = exposure.inference[name]
        numbers = (inference.commonest / inference.people, inference.posterior, inference.one_value_share)
        texts.append((_inference(name, lang), *map(format_value, numbers)))
        if inference.gain is not None:
            gain = message_text(lang, "compose.gain", column=[name])
            texts.append((gain, format_value(inference.gain.prior), format_value(inference.gain.posterior), ""))
    return [(name, prior, posterior, certain) for name, prior, posterior, certain in texts]


def _curve(composition: Composition, lang: str) -> Table:
    inferred, crossed = list(composition.together.inference), composition.unlinked
    attributes = [_inference(name, lang) for name in inferred]
    attributes += [message_text(lang, "compose.disclosed", column=[name]) for name in crossed]
    table = _table(("head.up-to", "attack.re-identification", "compose.alone"), lang, *attributes)
    for place, (part, exposure) in enumerate(zip(composition.releases, composition.curve, strict=True)):
        steps = [intersection.curve[place] for intersection in crossed.values()]
        chances = [exposure.posterior, exposure.alone_share, *(exposure.inference[name].posterior for name in inferred)]
        table.add_row(
            *_cells(
                part.name,
                *map(format_value, chances),
                *("-" if confidence is None else format_value(confidence.share()) for confidence in steps),
            )
        )
    return table


def _contributions_table(contributions: Sequence[Contribution], lang: str) -> Table:
    """The releases for each attack, by descending contribution."""
    table = _table(("attack.head.attack", "head.release", "compose.adds", "head.without", "head.saves"), lang)
    attacks = list(dict.fromkeys(contribution.attack for contribution in contributions))
    for attack in attacks:
        of_attack = [contribution for contribution in contributions if contribution.attack == attack]
        for place, added in enumerate(
            sorted(of_attack, key=lambda contribution: (-(contribution.shapley or 0), -(contribution.saves or 0)))
        ):
            share = None if added.shapley is None else float(added.shapley)
            name = attack_name(attack, lang) if place == 0 else ""
            table.add_row(
                *_cells(
                    name, added.release, format_value(share), format_value(added.without), format_value(added.saves)
                )
            )
    return table


def _unlinked_table(composition: Composition, lang: str) -> Table:
    sure = (message_text(lang, "compose.confidence", level=str(level)) for level in CONFIDENCES[:-1])
    table = _table(("head.attribute", "head.with", "head.people", "head.disclosed"), lang, *sure)
    for attribute, intersection in composition.unlinked.items():
        rows: dict[str, Confidence] = {
            message_text(lang, "releases.only", name=name): alone for name, alone in intersection.alone.items()
        }
        for place, (name, confidence) in enumerate(
            (rows | {message_text(lang, "releases.all"): intersection.together}).items()
        ):
            shares = [format_value(confidence.share(level)) for level in (CONFIDENCES[-1], *CONFIDENCES[:-1])]
            table.add_row(*_cells("" if place else attribute, name, count(confidence.people), *shares))
    return table


def _changes(composition: Composition, lang: str) -> list[str]:
    """People for whom the attack is wrong: it assumes that values are the same in all releases."""
    return [
        message_text(
            lang,
            "compose.changed",
            column=[name],
            people=intersection.together.people,
            **{key: getattr(intersection, key) for key in ("changed", "contradictory", "mistaken")},
        )
        for name, intersection in composition.unlinked.items()
    ]


def _invariance(composition: Composition, lang: str) -> Table:
    table = _table(("head.attribute", "head.largest-m", "compose.why-none"), lang)
    for name, invariance in composition.invariance.items():
        reasons = LANGUAGES[lang].writing.clauses.join(translated(reason, lang) for reason in invariance.reasons)
        table.add_row(*_cells(name, format_value(invariance.m), reasons))
    return table


def _limits(limits: Iterable[Mapping[str, Any]], lang: str) -> Table:
    table = _table(("head.limit", "head.value", "head.verdict"), lang)
    for limit in limits:
        sign, number = ("<=", limit["at_most"]) if "at_most" in limit else (">=", limit["at_least"])
        table.add_row(
            *_cells(f"{limit['limit']} {sign} {format_value(number)}", format_value(limit["value"])),
            verdict_text(limit["satisfied"], lang),
        )
    return table


def _cells(*texts: str) -> list[Text]:
    return [Text(printable(text)) for text in texts]


def register_text(entries: Sequence[Entry], *, lang: str, colour: bool, width: int) -> str:
    """The releases with their recipients, and the columns that may link them with others."""
    table = new_table(*(message_text(lang, head) for head in HEADS))
    for entry in entries:
        columns = [list_text([shown_name(column) for column in entry.with_role(role)], lang) for role in ROLES]
        recipients = "" if entry.recipients is None else shown_text(entry.recipients, lang)
        cells = (entry.date, shown_text(entry.title, lang), recipients, shown_name(entry.key or "-"), *columns)
        verdict = verdict_word(entry.verdict, lang)
        table.add_row(*map(Text, cells), verdict, Text((entry.sha256 or "-")[:12]))
    return render([table], colour=colour, width=width)


ROLES = (QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE)
HEADS = (
    *("head.date", "head.release", "head.recipients", "register.key", "register.known", "register.sensitive"),
    *("head.verdict", "register.digest"),
)
