"""Several releases, and the register of releases, as tables for a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import printable
from PETWorks.gate.document import Entry
from PETWorks.locale import LANGUAGES
from PETWorks.measures.numbers import count, format_value
from PETWorks.releases.composition import Composition, Contribution
from PETWorks.releases.linked import Exposure
from PETWorks.releases.unlinked import CONFIDENCES, Confidence
from PETWorks.render.language.language import attack_name, list_text, message_text, policy_text, shorten_name
from PETWorks.render.language.messages import translated
from PETWorks.render.text.check_text import verdict_word
from PETWorks.render.text.measures_text import new_table, render, subsets_parts, verdict_text

LINKING_ROLES = (QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE)
REGISTER_HEADS = (
    *("head.date", "head.release", "head.recipients", "register.key", "register.known", "register.sensitive"),
    *("head.verdict", "register.digest"),
)


def composition_text(
    composition: Composition, subsets: Mapping[str, Any] | None = None, *, lang: str, colour: bool, width: int
) -> str:
    """Both adversaries, the contribution of each release, m-invariance, limits, and attacks by subsets of columns."""
    number, people = len(composition.releases), composition.together.people
    head = message_text(lang, "compose.targets", n=number, people=people, focal=composition.focal)
    parts: list[Any] = [Text(head, "bold"), _releases_table(composition, lang)]
    parts += [_title("linked", lang), _linked_table(composition, lang)]
    parts += [_title("curve", lang), _curve_table(composition, lang)]
    parts += [_title("added", lang), _contributions_table(composition.contributions, lang)]
    if composition.unlinked:
        parts += [
            _title("unlinked", lang),
            _unlinked_table(composition, lang),
            *map(Text, _wrong_intersections(composition, lang)),
        ]
    if composition.invariance:
        parts += [_title("invariance", lang), _invariance_table(composition, lang)]
    if composition.limits:
        parts += [_title("limits", lang), _limits_table(composition.limits, lang)]
    if subsets is not None:
        parts += subsets_parts(subsets, lang)
    return render(parts, colour=colour, width=width)


def _title(title: str, lang: str) -> Text:
    return Text("\n" + message_text(lang, f"compose.{title}"), "bold")


def _table(heads: Sequence[str], lang: str, *more: str) -> Table:
    return new_table(*(message_text(lang, head) for head in heads), *more)


def _releases_table(composition: Composition, lang: str) -> Table:
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


def _inference_name(attribute: str, lang: str) -> str:
    return message_text(lang, "write.attack", attack=message_text(lang, "compose.inference"), column=attribute)


def _attacks(exposure: Exposure, listed: Exposure, lang: str) -> list[tuple[str, str, str, str]]:
    """Name, prior, posterior and share of certain people for re-identification and each inference of `listed`."""
    rows: list[tuple[str, float, float, float | None]] = [
        (message_text(lang, "attack.re-identification"), 1 / exposure.people, exposure.posterior, exposure.alone_share)
    ]
    for name in listed.inference:
        inference = exposure.inference[name]
        chances = (inference.prior, inference.posterior, inference.one_value_share)
        rows.append((_inference_name(name, lang), *chances))
        if inference.gain is not None:
            gain = message_text(lang, "compose.gain", column=[name])
            rows.append((gain, inference.gain.prior, inference.gain.posterior, None))
    return [
        (name, format_value(prior), format_value(posterior), "" if certain is None else format_value(certain))
        for name, prior, posterior, certain in rows
    ]


def _curve_table(composition: Composition, lang: str) -> Table:
    inferred, crossed = list(composition.together.inference), composition.unlinked
    attributes = [_inference_name(name, lang) for name in inferred]
    attributes += [message_text(lang, "compose.disclosed", column=[name]) for name in crossed]
    table = _table(("head.up-to", "attack.re-identification", "compose.alone"), lang, *attributes)
    for index, (part, exposure) in enumerate(zip(composition.releases, composition.curve, strict=True)):
        steps = [intersection.curve[index] for intersection in crossed.values()]
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
        ranked = sorted(
            (contribution for contribution in contributions if contribution.attack == attack),
            key=lambda contribution: (-(contribution.shapley or 0), -(contribution.saves or 0)),
        )
        name = attack_name(attack, lang)
        for contribution in ranked:
            share = None if contribution.shapley is None else float(contribution.shapley)
            numbers = (format_value(share), format_value(contribution.without), format_value(contribution.saves))
            table.add_row(*_cells(name, contribution.release, *numbers))
            name = ""  # once for each attack
    return table


def _unlinked_table(composition: Composition, lang: str) -> Table:
    sure = (message_text(lang, "compose.confidence", level=str(level)) for level in CONFIDENCES[:-1])
    table = _table(("head.attribute", "head.with", "head.people", "head.disclosed"), lang, *sure)
    for attribute, intersection in composition.unlinked.items():
        rows: dict[str, Confidence] = {
            message_text(lang, "releases.only", name=name): alone for name, alone in intersection.alone.items()
        }
        rows[message_text(lang, "releases.all")] = intersection.together
        for index, (name, confidence) in enumerate(rows.items()):
            shares = [format_value(confidence.share(level)) for level in (CONFIDENCES[-1], *CONFIDENCES[:-1])]
            table.add_row(*_cells("" if index else attribute, name, count(confidence.people), *shares))
    return table


def _wrong_intersections(composition: Composition, lang: str) -> list[str]:
    """Sentences about people for whom the attack is wrong: it assumes that values are the same in all releases."""
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


def _invariance_table(composition: Composition, lang: str) -> Table:
    table = _table(("head.attribute", "head.largest-m", "compose.why-none"), lang)
    for name, invariance in composition.invariance.items():
        reasons = LANGUAGES[lang].writing.clauses.join(translated(reason, lang) for reason in invariance.reasons)
        table.add_row(*_cells(name, format_value(invariance.m), reasons))
    return table


def _limits_table(limits: Iterable[Mapping[str, Any]], lang: str) -> Table:
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
    table = new_table(*(message_text(lang, head) for head in REGISTER_HEADS))
    for entry in entries:
        columns = [
            list_text([shorten_name(column) for column in entry.with_role(role)], lang) for role in LINKING_ROLES
        ]
        recipients = "" if entry.recipients is None else policy_text(entry.recipients, lang)
        cells = (entry.date, policy_text(entry.title, lang), recipients, shorten_name(entry.key or "-"), *columns)
        verdict = verdict_word(entry.verdict, lang)
        table.add_row(*map(Text, cells), verdict, Text((entry.sha256 or "-")[:12]))
    return render([table], colour=colour, width=width)
