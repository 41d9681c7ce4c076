"""A release measured together with the earlier ones that its policy names, as a part of the document."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from PETWorks.about.sidecar import read_sidecar
from PETWorks.about.treatment import CAREFUL
from PETWorks.attributetypes import IDENTIFIER
from PETWorks.counting.release import Release
from PETWorks.errors import PETWorksError, Phrase, RoleError, quoted
from PETWorks.gate.check.inputs import shown_table, table_digest
from PETWorks.gate.document.check_document import (
    Registered,
    ReleaseOfSet,
    ReleasesFacts,
    SetAttack,
    SetConfidence,
    SetIntersection,
    SetInvariance,
    SetShare,
    SetStep,
)
from PETWorks.gate.policy.earlier_releases import THIS, EarlierTable
from PETWorks.gate.policy.mistakes import Mistakes, located_error
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.sources import removed_places
from PETWorks.measures.attacks.subsets import RE_IDENTIFICATION
from PETWorks.releases.composition import Composition, Contribution
from PETWorks.releases.linked import Exposure
from PETWorks.releases.several import Releases
from PETWorks.releases.unlinked import CONFIDENCES, Confidence, Intersection
from PETWorks.tables.headers import columns_of
from PETWorks.tables.opening import open_source, open_table
from PETWorks.tables.source import Source


def composed(release: Release, policy: Policy, **counted: Any) -> Composition | None:
    """What the release discloses together with the earlier ones; None if the policy has none to measure."""
    given = policy.releases
    if not given.measured:
        return None
    mistakes = Mistakes(policy.file)
    tables = {one.label: _opened(mistakes, one, counted) for one in given.measured}
    mistakes.report()
    keys = {one.label: one.key or "" for one in given.measured} | {THIS: given.key or ""}
    releases = {label: table for label, table in tables.items() if table is not None} | {THIS: release}
    try:
        together = Releases(releases, keys, focal=THIS, worth=given.worth)
        return together.compose(given.limits)
    except PETWorksError as error:
        if error.where is not None:
            raise
        what = error.what
        limit = next((name for name in given.limits if what in (name, name.partition(":")[0])), None)
        within = ("limits", limit) if limit is not None else (what,) if what in ("key", "worth") else ()
        raise located_error(policy.file, ("releases", *within), error) from None


def _opened(mistakes: Mistakes, given: EarlierTable, counted: dict[str, Any]) -> Release | None:
    """An earlier release; None if something is wrong, which is remembered."""
    with mistakes.at(*given.key_of_policy):
        if given.sha256 is not None and isinstance(given.data, Path) and table_digest(given.data) != given.sha256:
            mistakes.add(
                (*given.key_of_policy, "sha256"),
                "{file} has another SHA-256: it is not the table that was released",
                file=quoted([given.data.name]),
            )
            return None
        source = _source(given.data, given, Phrase("the table of {release}", release=quoted([given.label])))
        original = None if given.original is None else _source(given.original, given, Phrase("the original table"))
        roles = dict(_roles(source, given))
        if original is not None:  # whatever was left out of the release
            roles |= {column: IDENTIFIER for column in original.names if column not in source.names}
        if given.key not in source.names and (original is None or given.key not in original.names):
            raise RoleError(
                "no column {key!r}, which is to name the people; it has {columns}",
                key=given.key,
                columns=columns_of(source),
            )
        removed = None if given.plan is None else removed_places(given.plan)
        return Release(
            source,
            roles,
            {},
            original,
            order=given.order,
            seed=given.seed,
            removed=None if removed is None else removed[0],
            **CAREFUL,
            **counted,
        )
    return None


def _source(table: Any, given: EarlierTable, what: str) -> Source:
    return open_source(open_table(table, **given.reading), what)


def _roles(source: Source, given: EarlierTable) -> dict[str, str]:
    if given.roles is not None:
        return dict(given.roles)
    return {} if source.path is None else dict(read_sidecar(source.path).roles)


def releases_facts(
    policy: Policy, composition: Composition | None, data: Any, registered: tuple[Registered, ...] | None
) -> ReleasesFacts | None:
    """What the document says about other releases; None if nothing is known of any.

    data         the table that was checked
    registered   the releases of the register that share something with it; None without a register
    """
    given, stated = policy.releases, policy.accountability.earlier_releases or ()
    names = [one.name for one in given.earlier]
    unmeasured = [one for one in given.earlier if one.data is None]
    digests = {one.sha256 for one in given.earlier}
    # Tables that share quasi-identifiers only may be about other people.
    others = sum(bool(one.shared_keys) and not one.measured and one.sha256 not in digests for one in registered or ())
    not_measured = len(unmeasured) + sum(one.what not in names for one in stated) + others
    if given.key is None and not given.earlier and not not_measured and registered is None:
        return None
    facts = ReleasesFacts(
        measured=len(given.measured),
        not_measured=not_measured,
        key=given.key,
        releases=tuple(_listed(policy, composition, data)) if given.earlier else (),
        registered=registered,
    )
    return facts if composition is None else _with_numbers(facts, composition)


def composition_facts(composition: Composition) -> ReleasesFacts:
    """The numbers of a composition, without what only a policy says about the releases."""
    facts = ReleasesFacts(measured=len(composition.releases) - 1, not_measured=0, key=composition.key)
    return _with_numbers(facts, composition)


def _listed(policy: Policy, composition: Composition | None, data: Any) -> Iterator[ReleaseOfSet]:
    """The releases: those that were measured in the order of the composition, then the others."""
    given = policy.releases
    in_order = [*given.measured, None, *(one for one in given.earlier if one.data is None)]
    parts = {} if composition is None else {part.name: part for part in composition.releases}
    for number, one in enumerate(in_order, 1):
        part = parts.get(THIS if one is None else one.label)
        numbers: dict[str, Any] = {}
        if part is not None:
            numbers = {
                "people": part.people,
                "in_common": part.in_common,
                "quasi_identifiers": tuple(part.quasi_identifiers),
                "sensitive_attributes": tuple(part.sensitive_attributes),
                "chance": part.alone.posterior,
                "alone": part.alone.alone_share,
            }
        if one is None:
            said: dict[str, Any] = {"name": policy.title, "file": shown_table(data), "recipients": policy.recipients}
        else:
            said = {"name": one.name, "recipients": one.recipients, "date": one.date, "sha256": _digest(one)}
            said |= {"file": None if one.data is None else shown_table(one.data)}
        yield ReleaseOfSet(number=number, this=one is None, measured=part is not None, **said, **numbers)


def _digest(given: EarlierTable) -> str | None:
    """The digest of an earlier release: as stated, which was compared with its table, or of its table."""
    if given.sha256 is not None or given.data is None or isinstance(given.data, str):
        return given.sha256
    return table_digest(given.data)


def _with_numbers(facts: ReleasesFacts, composition: Composition) -> ReleasesFacts:
    numbers = {part.name: number for number, part in enumerate(composition.releases, 1)}
    return replace(
        facts,
        people=composition.together.people,
        attacks=tuple(_attacks(composition, numbers)),
        unlinked=tuple(_intersection(name, one, numbers) for name, one in composition.unlinked.items()),
        m_invariance=tuple(
            SetInvariance(name, one.m, one.smallest_class, sum(one.repeated.values()), one.changing)
            for name, one in composition.invariance.items()
        ),
        warnings=tuple(composition.warnings),
    )


def _attacks(composition: Composition, numbers: dict[str, int]) -> Iterator[SetAttack]:
    """The attacks of the linked adversary: re-identification, then inference of each sensitive attribute."""
    alone = next(part.alone for part in composition.releases if part.name == composition.focal)
    for attack, column in (
        (RE_IDENTIFICATION, None),
        *((f"attribute-inference of {name}", name) for name in composition.together.inference),
    ):
        chances = [_chances(one, column) for one in (alone, composition.together)]
        together = composition.together
        gain = None
        if column is not None:
            gains = alone.inference[column].gain, together.inference[column].gain
            if gains[0] is not None and gains[1] is not None:
                gain = (gains[1].prior, gains[0].posterior, gains[1].posterior)
        commonest = 1 if column is None else together.inference[column].commonest
        yield SetAttack(
            attack=attack,
            prior=commonest / together.people,
            alone=chances[0][0],
            together=chances[1][0],
            certain_alone=chances[0][1],
            certain=chances[1][1],
            curve=tuple(SetStep(number, *_chances(one, column)) for number, one in enumerate(composition.curve, 1)),
            shares=tuple(_share(one, numbers) for one in composition.contributions if one.attack == attack),
            gain=gain,
        )


def _chances(exposed: Exposure, column: str | None) -> tuple[float, float]:
    """The chance of success, and the share of people about whom it is certain."""
    if column is None:
        return exposed.posterior, exposed.alone_share
    return exposed.inference[column].posterior, exposed.inference[column].one_value_share


def _share(given: Contribution, numbers: dict[str, int]) -> SetShare:
    adds, exact = (None, None) if given.shapley is None else (float(given.shapley), str(given.shapley))
    return SetShare(numbers[given.release], adds, exact, given.without, given.saves)


def _intersection(attribute: str, found: Intersection, numbers: dict[str, int]) -> SetIntersection:
    curve = ((number, one) for number, one in enumerate(found.curve, 1) if one is not None)
    return SetIntersection(
        attribute=attribute,
        people=found.together.people,
        disclosed=found.together.share(),
        half_sure=found.together.share(CONFIDENCES[0]),
        alone=tuple(_confidence(numbers[name], one) for name, one in found.alone.items()),
        curve=tuple(_confidence(number, one) for number, one in curve),
        changed=found.changed,
        contradictory=found.contradictory,
        mistaken=found.mistaken,
    )


def _confidence(number: int, found: Confidence) -> SetConfidence:
    return SetConfidence(number, found.share(), found.share(CONFIDENCES[0]), found.people)
