"""The part of a report about other releases: its sentences, and the rows of its tables."""

from collections.abc import Sequence
from typing import Any

from PETWorks.gate.document import INTERNAL, CheckDocument
from PETWorks.json_types import Bound
from PETWorks.locale import LANGUAGES
from PETWorks.releases.disclosure_facts import ReleaseOfSet, ReleasesFacts, SetAttack, SetIntersection
from PETWorks.render.language.language import message_text, percent, policy_text, shorten_name, value_text

MAX_RELEASES = 60
MAX_ATTACKS = 4
ATTRIBUTE_ATTACK = "attribute-inference of "
# An assumption stated in older policies, which the report replaces by its own sentence.
STATED = ("no other table about the same people is released", "同一群人沒有其他資料表已釋出")

Rows = list[list[str]]


def assumptions(document: CheckDocument, lang: str) -> list[str]:
    """The number of releases measured together, and the assumption about the rest."""
    facts = document.releases
    measured, left = (0, 0) if facts is None else (facts.measured, facts.not_measured)
    sentences = []
    if measured:
        sentences.append(message_text(lang, "context.together-partly" if left else "context.together", n=measured))
    if left:
        sentences.append(message_text(lang, "context.not-together", n=left))
    if sentences:
        return sentences
    unsaid = document.sign_off is not None and document.sign_off.earlier_releases is None
    unsaid &= not any(is_replaced(policy_text(text, lang)) for text in document.policy.assumptions)
    return [message_text(lang, "context.no-other-table-unsaid" if unsaid else "context.no-other-table")]


def is_replaced(text: str) -> bool:
    """Whether a text of the policy is an assumption that the report states in its own words."""
    return text.strip().rstrip(".。").casefold() in STATED


def outcome(document: CheckDocument, lang: str) -> list[str]:
    """Sentences about the disclosure by all releases together; empty if no other release is known."""
    facts = document.releases
    if facts is None:
        return []
    sentences = []
    if facts.attacks and not _is_withheld(facts.attacks[0]):
        first = facts.attacks[0]
        chances = {"n": facts.measured + 1, "together": percent(first.together, lang)}
        if first.alone is None:
            sentences.append(message_text(lang, "releases.identity-outside", **chances))
        else:
            sentences.append(message_text(lang, "releases.identity", **chances, alone=percent(first.alone, lang)))
            certain = {"certain": percent(first.certain, lang), "alone": percent(first.certain_alone, lang)}
            sentences.append(message_text(lang, "releases.alone", **certain))
    sentences += [_inference(attack, lang) for attack in facts.attacks[1:MAX_ATTACKS] if attack.alone is not None]
    sentences += [
        _disclosed(facts, intersection, lang)
        for intersection in facts.unlinked[:MAX_ATTACKS]
        if intersection.disclosed is not None
    ]
    if facts.not_measured:
        sentences.append(message_text(lang, "releases.not-measured", n=facts.not_measured))
    if facts.registered is not None:
        number = len(facts.registered)
        sentences.append(message_text(lang, "releases.registered" if number else "releases.none-registered", n=number))
    return sentences


def _is_withheld(attack: SetAttack) -> bool:
    return isinstance(attack.together, Bound) and attack.together.withheld is not None


def _inference(attack: SetAttack, lang: str) -> str:
    column = attack.attack.removeprefix(ATTRIBUTE_ATTACK)
    chances = {"together": percent(attack.together, lang), "alone": percent(attack.alone, lang)}
    return message_text(lang, "releases.attribute", column=[column], **chances)


def _disclosed(facts: ReleasesFacts, intersection: SetIntersection, lang: str) -> str:
    this = next(release.number for release in facts.releases if release.this)
    alone = next(confidence.disclosed for confidence in intersection.alone if confidence.release == this)
    shares = {"share": percent(intersection.disclosed, lang), "alone": percent(alone, lang)}
    return message_text(
        lang, "releases.disclosed", column=[intersection.attribute], people=intersection.people, **shares
    )


def is_shown(document: CheckDocument) -> bool:
    """Whether a report has a section about other releases."""
    facts = document.releases
    return facts is not None and bool(facts.releases or facts.registered is not None)


def release_name(facts: ReleasesFacts, number: int, lang: str) -> str:
    """The name of a release in a report."""
    return _name_of(next(release for release in facts.releases if release.number == number), lang)


def _name_of(release: ReleaseOfSet, lang: str) -> str:
    if release.name is not None:
        text = policy_text(release.name, lang)
    else:
        text = (
            message_text(lang, "releases.unnamed", n=release.number)
            if release.file is None
            else shorten_name(release.file)
        )
    return message_text(lang, "releases.this", name=text) if release.this else text


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
    """The releases; in the internal edition with the numbers of each of them alone."""
    facts = document.releases
    shown = [] if facts is None else facts.releases[:MAX_RELEASES]
    if document.edition != INTERNAL:
        return [[str(release.number), _name_of(release, lang), value_text(release.measured, lang)] for release in shown]
    return [
        [
            str(release.number),
            _name_of(release, lang),
            value_text(release.quasi_identifiers, lang)
            if release.measured
            else message_text(lang, "releases.unmeasured"),
            *(value_text(count, lang) if release.measured else "" for count in (release.people, release.in_common)),
            *(percent(share, lang) for share in (release.chance, release.alone)),
        ]
        for release in shown
    ]


def handed_out(document: CheckDocument, lang: str) -> list[str]:
    """The date and the recipients of each release; empty texts in the external edition."""
    facts = document.releases
    return [
        LANGUAGES[lang].writing.clauses.join(
            [
                *([release.date] if release.date else []),
                *([policy_text(release.recipients, lang)] if release.recipients else []),
            ]
        )
        for release in (() if facts is None else facts.releases[:MAX_RELEASES])
    ]


def curve_rows(facts: ReleasesFacts, attack: SetAttack, lang: str) -> Rows:
    """The rows of a curve: number, release, chance, certain, and disclosed if that was measured."""
    intersection = intersection_of(facts, attack)
    disclosed = {} if intersection is None else {step.release: step.disclosed for step in intersection.curve}
    return [
        [
            str(step.release),
            release_name(facts, step.release, lang),
            percent(step.chance, lang),
            percent(step.certain, lang),
            *([percent(disclosed.get(step.release), lang)] if disclosed else []),
        ]
        for step in attack.curve[:MAX_RELEASES]
    ]


def curve_heads(facts: ReleasesFacts, attack: SetAttack) -> list[str]:
    """The heads of the table of a curve."""
    intersection = intersection_of(facts, attack)
    more = [">head.disclosed"] if intersection is not None and intersection.curve else []
    return [">head.number", "head.up-to", ">head.chance", ">head.certain", *more]


def intersection_of(facts: ReleasesFacts, attack: SetAttack) -> SetIntersection | None:
    """The attack by intersection on the attribute of an attack by joined records."""
    column = attack.attack.removeprefix(ATTRIBUTE_ATTACK)
    return next(
        (
            intersection
            for intersection in facts.unlinked
            if intersection.attribute == column and column != attack.attack
        ),
        None,
    )


def share_rows(facts: ReleasesFacts, attack: SetAttack, lang: str) -> Rows:
    """The contribution of each release: number, release, adds, without, saves."""
    return [
        [
            str(share.release),
            release_name(facts, share.release, lang),
            percent(share.adds, lang),
            percent(share.without, lang),
            percent(share.saves, lang),
        ]
        for share in attack.shares[:MAX_RELEASES]
    ]


def unlinked_rows(facts: ReleasesFacts, lang: str) -> Rows:
    """The intersection attack by each release alone and by all: attribute, releases, people, and two shares."""
    rows: Rows = []
    for intersection in facts.unlinked:
        if intersection.disclosed is None:
            continue
        for confidence in intersection.alone[:MAX_RELEASES]:
            with_it = message_text(lang, "releases.only", name=release_name(facts, confidence.release, lang))
            shares = percent(confidence.disclosed, lang), percent(confidence.half_sure, lang)
            rows.append([shorten_name(intersection.attribute), with_it, value_text(confidence.people, lang), *shares])
        shares = percent(intersection.disclosed, lang), percent(intersection.half_sure, lang)
        rows.append(
            [
                shorten_name(intersection.attribute),
                message_text(lang, "releases.all"),
                value_text(intersection.people, lang),
                *shares,
            ]
        )
    return rows


def unlinked_notes(facts: ReleasesFacts, lang: str) -> list[str]:
    """The number of people whose value changed, and the gain of a guess."""
    notes = []
    for intersection in facts.unlinked:
        if intersection.changed is not None:
            numbers = {key: getattr(intersection, key) for key in ("changed", "contradictory", "mistaken")}
            notes.append(message_text(lang, "releases.changed", column=[intersection.attribute], **numbers))
    for attack in facts.attacks:
        if attack.gain is not None:
            gains = dict(zip(("prior", "alone", "together"), attack.gain, strict=True))
            column = attack.attack.removeprefix(ATTRIBUTE_ATTACK)
            notes.append(message_text(lang, "releases.gain", column=[column], **gains))
    return notes


def invariance_rows(facts: ReleasesFacts, lang: str) -> Rows:
    """The m-invariance of each sensitive attribute, or why there is none."""
    return [
        [
            shorten_name(invariance.attribute),
            value_text(invariance.m, lang)
            if invariance.m is not None
            else message_text(lang, "releases.no-m", repeated=invariance.repeated, changing=invariance.changing),
        ]
        for invariance in facts.m_invariance
    ]


def register_rows(facts: ReleasesFacts, lang: str) -> Rows:
    """The releases of the register that share columns with this one."""
    return [
        [
            policy_text(entry.title, lang),
            entry.date,
            "" if entry.recipients is None else policy_text(entry.recipients, lang),
            value_text(entry.shared_keys, lang),
            value_text(entry.shared_quasi_identifiers, lang),
            value_text(entry.shared_sensitive_attributes, lang),
            value_text(entry.measured, lang),
        ]
        for entry in (facts.registered or ())[:MAX_RELEASES]
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
        heads = [message_text(lang, head.lstrip(">")) for head in curve_heads(facts, first)]
        tables.append((heads, curve_rows(facts, first, lang)))
    if facts.registered:
        tables.append(([message_text(lang, head) for head in REGISTER_HEADS], register_rows(facts, lang)))
    return tables
