"""What a report says about other releases: its sentences, and the rows of its tables."""

from collections.abc import Sequence
from typing import Any

from PETWorks.gate.document.check_document import (
    INTERNAL,
    Bound,
    CheckDocument,
    ReleaseOfSet,
    ReleasesFacts,
    SetAttack,
    SetIntersection,
)
from PETWorks.render.language.language import name, own, percent, put, said

MOST_RELEASES = 60
MOST_ATTACKS = 4
ATTRIBUTE_ATTACK = "attribute-inference of "
# The assumption that is replaced by what was measured, as policies used to state it.
STATED = ("no other table about the same people is released", "同一群人沒有其他資料表已釋出")

Rows = list[list[str]]


def assumptions(document: CheckDocument, lang: str) -> list[str]:
    """What was measured together, and what is assumed of the rest."""
    facts = document.releases
    measured, left = (0, 0) if facts is None else (facts.measured, facts.not_measured)
    sentences = []
    if measured:
        sentences.append(said(lang, "context.together-partly" if left else "context.together", n=measured))
    if left:
        sentences.append(said(lang, "context.not-together", n=left))
    return sentences or [said(lang, "context.no-other-table")]


def is_replaced(text: str) -> bool:
    """Whether a text of the policy is the assumption that the report states in its own words."""
    return text.strip().rstrip(".。").casefold() in STATED


def outcome(document: CheckDocument, lang: str) -> list[str]:
    """What the releases disclose together, in sentences; none if nothing is known of other releases."""
    facts = document.releases
    if facts is None:
        return []
    sentences = []
    if facts.attacks and not _is_withheld(facts.attacks[0]):
        first = facts.attacks[0]
        chances = {"n": facts.measured + 1, "together": percent(first.together, lang)}
        if first.alone is None:
            sentences.append(said(lang, "releases.identity-outside", **chances))
        else:
            sentences.append(said(lang, "releases.identity", **chances, alone=percent(first.alone, lang)))
            certain = {"certain": percent(first.certain, lang), "alone": percent(first.certain_alone, lang)}
            sentences.append(said(lang, "releases.alone", **certain))
    sentences += [_inference(one, lang) for one in facts.attacks[1:MOST_ATTACKS] if one.alone is not None]
    sentences += [_disclosed(facts, one, lang) for one in facts.unlinked[:MOST_ATTACKS] if one.disclosed is not None]
    if facts.not_measured:
        sentences.append(said(lang, "releases.not-measured", n=facts.not_measured))
    if facts.registered is not None:
        number = len(facts.registered)
        sentences.append(said(lang, "releases.registered" if number else "releases.none-registered", n=number))
    return sentences


def _is_withheld(attack: SetAttack) -> bool:
    return isinstance(attack.together, Bound) and attack.together.withheld is not None


def _inference(attack: SetAttack, lang: str) -> str:
    column = attack.attack.removeprefix(ATTRIBUTE_ATTACK)
    chances = {"together": percent(attack.together, lang), "alone": percent(attack.alone, lang)}
    return said(lang, "releases.attribute", column=[column], **chances)


def _disclosed(facts: ReleasesFacts, found: SetIntersection, lang: str) -> str:
    this = next(one.number for one in facts.releases if one.this)
    alone = next(one.disclosed for one in found.alone if one.release == this)
    shares = {"share": percent(found.disclosed, lang), "alone": percent(alone, lang)}
    return said(lang, "releases.disclosed", column=[found.attribute], people=found.people, **shares)


def is_shown(document: CheckDocument) -> bool:
    """Whether a report has a section about other releases."""
    facts = document.releases
    return facts is not None and bool(facts.releases or facts.registered is not None)


def called(facts: ReleasesFacts, number: int, lang: str) -> str:
    """What a report calls a release."""
    return _called(next(one for one in facts.releases if one.number == number), lang)


def _called(release: ReleaseOfSet, lang: str) -> str:
    if release.name is not None:
        text = own(release.name, lang)
    else:
        text = said(lang, "releases.unnamed", n=release.number) if release.file is None else name(release.file)
    return said(lang, "releases.this", name=text) if release.this else text


def list_heads(document: CheckDocument) -> list[str]:
    """The heads of the list of releases."""
    if document.edition != INTERNAL:
        return [">head.number", "head.release", "head.measured"]
    return [
        ">head.number",
        "head.release",
        "head.knows",
        ">head.people",
        ">head.in-common",
        ">head.chance",
        ">head.alone",
    ]


def list_rows(document: CheckDocument, lang: str) -> Rows:
    """The releases; inside also each of them alone."""
    facts = document.releases
    shown = [] if facts is None else facts.releases[:MOST_RELEASES]
    if document.edition != INTERNAL:
        return [[str(one.number), _called(one, lang), put(one.measured, lang)] for one in shown]
    return [
        [
            str(one.number),
            _called(one, lang),
            put(one.quasi_identifiers, lang) if one.measured else said(lang, "releases.unmeasured"),
            *(put(count, lang) if one.measured else "" for count in (one.people, one.in_common)),
            *(percent(share, lang) for share in (one.chance, one.alone)),
        ]
        for one in shown
    ]


def handed_out(document: CheckDocument, lang: str) -> list[str]:
    """For each release when it was handed out, and to whom; nothing outside."""
    facts = document.releases
    return [
        said(lang, "write.clauses").join(
            [*([one.date] if one.date else []), *([own(one.recipients, lang)] if one.recipients else [])]
        )
        for one in (() if facts is None else facts.releases[:MOST_RELEASES])
    ]


def curve_rows(facts: ReleasesFacts, attack: SetAttack, lang: str) -> Rows:
    """The numbers of a curve: number, release, chance, certain, and disclosed if that was measured."""
    crossed = intersection_of(facts, attack)
    disclosed = {} if crossed is None else {one.release: one.disclosed for one in crossed.curve}
    return [
        [
            str(step.release),
            called(facts, step.release, lang),
            percent(step.chance, lang),
            percent(step.certain, lang),
            *([percent(disclosed.get(step.release), lang)] if disclosed else []),
        ]
        for step in attack.curve[:MOST_RELEASES]
    ]


def curve_heads(facts: ReleasesFacts, attack: SetAttack) -> list[str]:
    """The heads of the numbers of a curve."""
    crossed = intersection_of(facts, attack)
    more = [">head.disclosed"] if crossed is not None and crossed.curve else []
    return [">head.number", "head.up-to", ">head.chance", ">head.certain", *more]


def intersection_of(facts: ReleasesFacts, attack: SetAttack) -> SetIntersection | None:
    """The attack without joined records on the attribute of an attack with joined ones."""
    column = attack.attack.removeprefix(ATTRIBUTE_ATTACK)
    return next((one for one in facts.unlinked if one.attribute == column and column != attack.attack), None)


def share_rows(facts: ReleasesFacts, attack: SetAttack, lang: str) -> Rows:
    """What each release adds: number, release, adds, without, saves."""
    return [
        [
            str(one.release),
            called(facts, one.release, lang),
            percent(one.adds, lang),
            percent(one.without, lang),
            percent(one.saves, lang),
        ]
        for one in attack.shares[:MOST_RELEASES]
    ]


def unlinked_rows(facts: ReleasesFacts, lang: str) -> Rows:
    """The intersection attack, with each release alone and with all: attribute, with, people, and two shares."""
    rows: Rows = []
    for found in facts.unlinked:
        if found.disclosed is None:
            continue
        for one in found.alone[:MOST_RELEASES]:
            with_it = said(lang, "releases.only", name=called(facts, one.release, lang))
            shares = percent(one.disclosed, lang), percent(one.half_sure, lang)
            rows.append([name(found.attribute), with_it, put(one.people, lang), *shares])
        shares = percent(found.disclosed, lang), percent(found.half_sure, lang)
        rows.append([name(found.attribute), said(lang, "releases.all"), put(found.people, lang), *shares])
    return rows


def unlinked_notes(facts: ReleasesFacts, lang: str) -> list[str]:
    """Of how many people the value changed, and what a guess gains."""
    notes = []
    for found in facts.unlinked:
        if found.changed is not None:
            numbers = {key: getattr(found, key) for key in ("changed", "contradictory", "mistaken")}
            notes.append(said(lang, "releases.changed", column=[found.attribute], **numbers))
    for attack in facts.attacks:
        if attack.gain is not None:
            gains = dict(zip(("prior", "alone", "together"), attack.gain, strict=True))
            column = attack.attack.removeprefix(ATTRIBUTE_ATTACK)
            notes.append(said(lang, "releases.gain", column=[column], **gains))
    return notes


def invariance_rows(facts: ReleasesFacts, lang: str) -> Rows:
    """m-invariance of each sensitive attribute, or why there is none."""
    return [
        [
            name(one.attribute),
            put(one.m, lang)
            if one.m is not None
            else said(lang, "releases.no-m", repeated=one.repeated, changing=one.changing),
        ]
        for one in facts.m_invariance
    ]


def register_rows(facts: ReleasesFacts, lang: str) -> Rows:
    """The releases of the register that share something with this one."""
    return [
        [
            own(one.title, lang),
            one.date,
            "" if one.recipients is None else own(one.recipients, lang),
            put(one.shared_keys, lang),
            put(one.shared_quasi_identifiers, lang),
            put(one.shared_sensitive_attributes, lang),
            put(one.measured, lang),
        ]
        for one in (facts.registered or ())[:MOST_RELEASES]
    ]


REGISTER_HEADS = (
    *("head.release", "head.date", "head.recipients", "head.shared-keys", "head.shared-known"),
    *("head.shared-sensitive", "head.measured"),
)
SHARE_HEADS = (">head.number", "head.release", ">head.adds", "", ">head.without", ">head.saves")


def short_tables(document: CheckDocument, lang: str) -> list[tuple[Sequence[str], Any]]:
    """The tables of the short formats: the curve of re-identification, and the register; heads and rows."""
    facts = document.releases
    if facts is None:
        return []
    tables: list[tuple[Sequence[str], Any]] = []
    if facts.attacks:
        first = facts.attacks[0]
        heads = [said(lang, head.lstrip(">")) for head in curve_heads(facts, first)]
        tables.append((heads, curve_rows(facts, first, lang)))
    if facts.registered:
        tables.append(([said(lang, head) for head in REGISTER_HEADS], register_rows(facts, lang)))
    return tables
