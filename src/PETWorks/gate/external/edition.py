"""The external edition of a check, made of protected statistics and the content of the policy."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from PETWorks.about.kinds import GENERALISED
from PETWorks.gate.document import (
    EXTERNAL,
    FAIL,
    PASS,
    TELLS_COUNTS,
    WAIVED,
    WITHHELD,
    AdversaryFacts,
    CheckDocument,
    ColumnFacts,
    Commitments,
    MeasureResult,
    RuleResult,
    RuleVerdicts,
    SmallClasses,
    TableFacts,
    Value,
    Verdict,
    combine_verdicts,
)
from PETWorks.gate.external.protected import (
    ProtectedStatistics,
    Range,
    complement,
    intersections,
    protect_statistics,
    range_of,
    share_of,
    shown_answers,
    shown_attacks,
    shown_drivers,
    subset_cases,
    two_figures,
)
from PETWorks.gate.policy.policy_rules import ALL_RELEASES, NO_UNIQUE, NOT_ALONE, SUBSETS
from PETWorks.json_types import Bound, Count
from PETWorks.measures.attacks.subsets import RE_IDENTIFICATION, Driver, KnownAttributes, SubsetAnswers, SubsetCase
from PETWorks.measures.catalogue import Metric, catalogue, find_measure
from PETWorks.measures.parameters import Text, WorthOfValues
from PETWorks.releases.disclosure_facts import (
    ReleaseOfSet,
    ReleasesFacts,
    SetAttack,
    SetIntersection,
    SetShare,
    SetStep,
)


def external_releases(
    document: CheckDocument,
    known: ProtectedStatistics,
    share: Callable[[Range], Bound],
    about: Callable[[Range], Bound],
) -> ReleasesFacts | None:
    """Other releases as outsiders may see them; `share` and `about` turn a range into a bound."""
    facts = document.releases
    if facts is None:
        return None

    def chance(attack: str, count: Range) -> Bound:
        return share(count) if attack == RE_IDENTIFICATION else complement(share(count))

    attacks = []
    for set_attack, (steps, shares) in zip(shown_attacks(document), known.releases, strict=True):
        is_re_identification = set_attack.attack == RE_IDENTIFICATION
        curve = tuple(
            SetStep(step.release, chance(set_attack.attack, count), share(certain) if is_re_identification else None)
            for step, (count, certain) in zip(set_attack.curve, steps, strict=True)
        )
        added = tuple(
            SetShare(
                contribution.release,
                None if adds is None else share(adds),
                without=None if without is None else chance(set_attack.attack, without),
            )
            for contribution, (adds, without) in zip(set_attack.shares, shares, strict=True)
        )
        together = curve[-1]
        attacks.append(SetAttack(set_attack.attack, None, None, together.chance, None, together.certain, curve, added))
    return ReleasesFacts(
        measured=facts.measured,
        not_measured=facts.not_measured,
        people=about(known.people),
        releases=tuple(_external_release(release) for release in facts.releases),
        attacks=tuple(attacks),
        unlinked=tuple(
            SetIntersection(intersection.attribute, None if people is None else about(people))
            for intersection, people in zip(intersections(document), known.attacked, strict=True)
        ),
    )


def _external_release(release: ReleaseOfSet) -> ReleaseOfSet:
    """The number of a release, and its name in the policy."""
    return ReleaseOfSet(number=release.number, name=release.name, this=release.this, measured=release.measured)


# Steps that depend on the policy and the column names only.
PUBLIC_STEPS = (
    "rule-for-values",
    "fitting-rules",
    "remove-identifiers",
    "unlink",
    "count-people",
    "give-roles",
    "try-subsets",
)
SMALL_CLASS = Bound(withheld="small class")


def external_edition(document: CheckDocument) -> CheckDocument:
    """The external edition of a check; the document must be the internal edition."""
    if document.policy.kind != GENERALISED:
        return _edition_of_comparison(document)
    return _EditionBuilder(document, protect_statistics(document)).build()


def _edition_of_comparison(document: CheckDocument) -> CheckDocument:
    """The external edition of a release that is not generalised: the verdict, and no number.

    All numbers are about people of the original and would disclose something about them. Ganev and De Cristofaro
    (2023), *On the Inadequacy of Similarity-based Privacy Metrics*.
    """
    table = document.table
    records = table.records if isinstance(table.records, int) else 0
    rules = tuple(_rule_without_numbers(rule, shows_verdict=document.verdict != FAIL) for rule in document.rules)
    return CheckDocument(
        **_public_parts(document),
        verdict=document.verdict,
        rule_verdicts=_rule_verdicts(tuple(rule.verdict for rule in rules)),
        table=TableFacts(
            records=_approximate_bound(range_of(records, document.policy.cell_size)),
            treatment=table.treatment,
            population=None,
            quasi_identifiers=table.quasi_identifiers,
            sensitive_attributes=table.sensitive_attributes,
            hierarchies=table.hierarchies,
            kind=table.kind,
            compared_at=table.compared_at,
            identifiers_in_the_release=table.identifiers_in_the_release,
            columns_without_a_role=table.columns_without_a_role,
        ),
        columns=tuple(ColumnFacts(column.column, column.role, column.released) for column in document.columns),
        rules=rules,
        small_classes=(),
        adversaries=(),
        subsets=None,
        results=(),
    )


def _public_parts(document: CheckDocument) -> dict[str, Any]:
    """The fields of every external edition that do not depend on the cells of the table."""
    return {
        "schema": document.schema,
        "petworks": document.petworks,
        "generated": document.generated,
        "as_of_given": document.as_of_given,
        "edition": EXTERNAL,
        "title": document.title,
        "policy": replace(document.policy, sha256=None),
        "inputs": tuple(replace(file, bytes=None, sha256=None) for file in document.inputs if file.use == "data"),
        "payout_curve": None,
        "not_applicable": {},
        "next_steps": tuple(replace(step, records=None) for step in document.next_steps if step.step in PUBLIC_STEPS),
        "options": {name: value for name, value in document.options.items() if name != "previous"},
        "commitments": _commitments(document),
    }


def _rule_without_numbers(rule: RuleResult, *, shows_verdict: bool) -> RuleResult:
    """A rule with its thresholds; rules about people show their verdict only if asked to."""
    is_about_people = rule.measure in catalogue or rule.measure in (SUBSETS, NO_UNIQUE)
    verdict = rule.verdict if shows_verdict or not is_about_people else WITHHELD
    shown = verdict != WITHHELD
    return replace(
        rule,
        verdict=verdict,
        parameters=_parameters(rule),
        value=TELLS_COUNTS if is_about_people else rule.value,
        satisfied=rule.satisfied if shown else None,
        details={},
        waiver=replace(rule.waiver, owner=None) if rule.waiver and shown else None,
    )


def _commitments(document: CheckDocument) -> Commitments | None:
    salt, data, policy = document.salt, document.inputs[0].sha256, document.policy.sha256
    if salt is None:
        return None
    return Commitments(
        None if data is None else commitment(salt, data), None if policy is None else commitment(salt, policy)
    )


def commitment(salt: str, digest: str) -> str:
    """A salted digest of a digest, which reveals nothing without the salt."""
    return hashlib.sha256(bytes.fromhex(salt) + bytes.fromhex(digest)).hexdigest()


class _EditionBuilder:
    """The external edition: names, texts and thresholds come from the document, all numbers from `known`."""

    def __init__(self, document: CheckDocument, known: ProtectedStatistics) -> None:
        self.document, self.known = document, known
        self._ranges: Iterator[tuple[Range, Range, Range]] = iter(known.subsets)

    def build(self) -> CheckDocument:
        document, known = self.document, self.known
        return CheckDocument(
            **_public_parts(document),
            verdict=combine_verdicts(known.verdicts),
            rule_verdicts=_rule_verdicts(known.verdicts),
            table=self._table(document.table),
            columns=tuple(map(self._column, document.columns, known.columns)),
            rules=tuple(map(self._rule, document.rules, known.verdicts)),
            small_classes=() if known.smallest_class is None else (SmallClasses(known.cell_size, None, 0.0),),
            adversaries=tuple(
                AdversaryFacts(
                    who=adversary.who,
                    knows=adversary.knows,
                    unique_share=self._share(unique),
                    chance=self._share(classes),
                )
                for adversary, (unique, classes) in zip(document.adversaries, known.adversaries, strict=True)
            ),
            subsets=None if document.subsets is None else self._subsets(document.subsets),
            results=tuple(self._results()),
            releases=external_releases(document, known, self._share, _approximate_bound),
        )

    def _share(self, count: Range) -> Bound:
        """A count as a share of the people."""
        return share_of(count, self.known.people, self.known.cell_size)

    def _table(self, table: TableFacts) -> TableFacts:
        known = self.known
        return TableFacts(
            records=_approximate_bound(known.records if known.people.low else known.people),
            treatment=table.treatment,
            population=None if known.population is None else _approximate_bound(known.population),
            quasi_identifiers=table.quasi_identifiers,
            sensitive_attributes=table.sensitive_attributes,
            hierarchies=table.hierarchies,
            removed_records=self._removed(table),
            shown=table.shown,
            sampling_weight=table.sampling_weight,
            household=table.household,
            identifiers_in_the_release=table.identifiers_in_the_release,
            columns_without_a_role=table.columns_without_a_role,
        )

    def _removed(self, table: TableFacts) -> Count:
        """The number of removed suppressed records as a range, also if there are none."""
        removed = table.removed_records
        return _approximate_bound(range_of(removed, self.known.cell_size)) if isinstance(removed, int) else removed

    def _column(self, column: ColumnFacts, cells: tuple[Range | None, Range | None]) -> ColumnFacts:
        missing, lost = cells

        def share(count: Range) -> Bound:
            return share_of(count, self.known.records, self.known.cell_size)

        return ColumnFacts(
            column.column,
            column.role,
            column.released,
            missing=None if missing is None else share(missing),
            granularity=None if lost is None else complement(share(lost)),
        )

    def _number(self, statistic: str | None, unit: str) -> Value:
        """The external value of a statistic."""
        known = self.known
        if statistic == "smallest class" and unit == "chance":
            if known.smallest_class is None:
                return Bound(above=two_figures(1 / known.cell_size))
            return Bound(at_most=two_figures(1 / known.smallest_class))
        if statistic == "smallest class":
            return SMALL_CLASS if known.smallest_class is None else Bound(at_least=known.smallest_class)
        if statistic == "guesses" and known.missed is not None:
            return complement(self._share(known.missed))
        counts = {"classes": known.classes, "unique": known.unique}
        return self._share(counts[statistic]) if statistic in counts else TELLS_COUNTS

    def _statistic(self, entry: Metric, compared: str | None) -> str | None:
        """The statistic that the external edition has for a measure, or for the limit of a rule."""
        if entry.linked and self.known.population is not None:
            return None
        if compared is None:
            return entry.outside
        if entry.parameters[compared].of_one_class:
            return "smallest class"
        return "classes" if compared == "average" else None

    def _results(self) -> Iterator[MeasureResult]:
        """The measures that have a number in the external edition."""
        for result in self.document.results:
            entry = find_measure(result.measure)
            statistic = self._statistic(entry, None)
            if statistic == "guesses" and self.known.missed is None:
                continue
            if statistic is not None:
                yield MeasureResult(
                    measure=result.measure,
                    value=self._number(statistic, entry.unit),
                    satisfied=None,
                    parameters={},
                    treatment=result.treatment,
                    details={},
                )

    def _rule(self, rule: RuleResult, verdict: Verdict) -> RuleResult:
        shown = verdict != WITHHELD
        parameters = _parameters(rule)
        satisfied = verdict == PASS if shown else None
        return RuleResult(
            name=rule.name,
            preset=rule.preset,
            why=rule.why,
            verdict=verdict,
            measure=rule.measure,
            parameters=parameters,
            value=_consistent_with_verdict(self._value(rule, shown=shown), rule, parameters, satisfied),
            compared=rule.compared,
            satisfied=satisfied,
            details={},
            waiver=replace(rule.waiver, owner=None) if rule.waiver and shown else None,
        )

    def _value(self, rule: RuleResult, *, shown: bool) -> Value:
        if rule.measure in (SUBSETS, ALL_RELEASES, NOT_ALONE):
            return TELLS_COUNTS
        if rule.measure not in catalogue:
            return rule.value if shown else TELLS_COUNTS  # names of columns
        entry = catalogue[rule.measure]
        unit = entry.unit if rule.compared is None else entry.parameters[rule.compared].unit or entry.unit
        return self._number(self._statistic(entry, rule.compared), unit)

    def _subsets(self, answers: SubsetAnswers) -> SubsetAnswers:
        verdicts = zip(self.document.rules, self.known.verdicts, strict=True)
        shown = {
            name
            for rule, verdict in verdicts
            if rule.measure == SUBSETS and verdict != WITHHELD
            for name in rule.parameters
        }
        return SubsetAnswers(
            records=_approximate_bound(self.known.people),
            number=answers.number,
            if_they_know=tuple(map(self._if_they_know, shown_answers(self.document))),
            limits=tuple(
                replace(limit, worst=_bound_by_limit(limit.at_most, limit.satisfied))
                for limit in answers.limits
                if limit.limit in shown
            ),
            minimal_risky=tuple(
                replace(subset, value=Bound(above=subset.at_most))
                for subset in answers.minimal_risky
                if subset.limit in shown
            ),
            drivers=None
            if answers.drivers is None
            else tuple(map(self._driver, shown_drivers(self.document), self.known.drivers)),
        )

    def _if_they_know(self, answer: KnownAttributes) -> KnownAttributes:
        lowest, median, highest = (self._case(answer.attack, case) for case in subset_cases(answer))
        return KnownAttributes(answer.known, answer.attack, answer.subsets, lowest, median, highest)

    def _case(self, attack: str, case: SubsetCase) -> SubsetCase:
        """The next case, in the order of the protected statistics."""
        unique, prior, posterior = next(self._ranges)
        return SubsetCase(
            case.attributes, self._share(unique), self._guesses(attack, prior), self._guesses(attack, posterior)
        )

    def _guesses(self, attack: str, count: Range) -> Bound:
        """The share of right guesses, given the range of right ones (re-identification) or of wrong ones."""
        return self._share(count) if attack == RE_IDENTIFICATION else complement(self._share(count))

    def _driver(self, driver: Driver, guesses: tuple[Range, Range]) -> Driver:
        return Driver(
            attribute=driver.attribute,
            attack=driver.attack,
            shapley=self._share(guesses[0]),
            without=self._guesses(driver.attack, guesses[1]),
        )


def _rule_verdicts(verdicts: tuple[Verdict, ...]) -> RuleVerdicts:
    passed, waived, failed, withheld = map(verdicts.count, (PASS, WAIVED, FAIL, WITHHELD))
    return RuleVerdicts(passed, waived, failed, withheld or None)


def _approximate_bound(count: Range) -> Bound:
    return Bound(about=count.middle) if count.low else Bound(below=count.high + 1)


def _bound_by_limit(limit: float, satisfied: bool) -> Bound:
    return Bound(at_most=limit) if satisfied else Bound(above=limit)


def _consistent_with_verdict(
    value: Value, rule: RuleResult, parameters: Mapping[str, Any], satisfied: bool | None
) -> Value:
    """The value, or its relation to the limit if the rounded value would contradict the verdict."""
    if satisfied is None or len(parameters) != 1:
        return value
    ((name, limit),) = parameters.items()
    if rule.measure in (SUBSETS, ALL_RELEASES):
        return _bound_by_limit(limit, satisfied)
    kind = catalogue[rule.measure].parameters[name].limit if rule.measure in catalogue else None
    if kind is None or not isinstance(value, Bound):
        return value
    if kind == "at least" and value.at_least is not None and satisfied:
        return Bound(at_least=max(value.at_least, limit))
    if kind == "at most" and value.about is not None and (value.about <= limit) != satisfied:
        return _bound_by_limit(limit, satisfied)
    if kind == "at most" and value.at_most is not None and satisfied:
        return Bound(at_most=min(value.at_most, limit))
    return value


def _parameters(rule: RuleResult) -> Mapping[str, Any]:
    """The parameters without texts, which may be values of the table."""
    if rule.measure not in catalogue:
        return rule.parameters
    known = catalogue[rule.measure].parameters
    return {
        name: value for name, value in rule.parameters.items() if not isinstance(known[name].rule, Text | WorthOfValues)
    }
