"""The external edition of a check: no cell, no class, and no count of people below the cell size.

It lists what may be published instead of removing what may not. So a new field stays internal until somebody decides
to publish it. A number that must not be published exactly becomes a `Bound`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PETWorks.gate.bounds import Count, Number
from PETWorks.gate.document import (
    EXTERNAL,
    AdversaryFacts,
    CheckDocument,
    Classes,
    ColumnFacts,
    MeasureResult,
    NextStep,
    RuleResult,
    SmallClasses,
    SubsetAnswers,
    TableFacts,
    Value,
    WithoutColumn,
)
from PETWorks.gate.guard import FEW_RECORDS, FEWEST_CELLS, SMALL_CLASS, TELLS_COUNTS, Guard, kept_to, round_number
from PETWorks.gate.policy_rules import IMPLICIT, SUBSETS
from PETWorks.gate.subset_document import Driver, KnownAttributes, SubsetCase
from PETWorks.measures.catalogue import find
from PETWorks.measures.parameters import Text

INSIDE = (
    "tells-outside",
    "waiver-not-needed",
    "waiver-ends",
    "nearly-unique",
    "look-again",
    "review-overdue",
    "regime-lacks",
)  # steps for those who maintain the policy


class NeedText(str):
    """A reason that says what a measure needs, and nothing about the records: outsiders may read it."""

    __slots__ = ()


def external(document: CheckDocument) -> CheckDocument:
    """What outsiders may see of a check; the document must be that of the internal edition."""
    return _Edition(document).made()


class _Edition:
    """The external edition of a document, and how precise its numbers may be."""

    def __init__(self, document: CheckDocument) -> None:
        table = document.table
        assert table.classes is not None
        cell_size = document.policy.cell_size
        people = _people(table)
        sizes = _smallest_classes(document, table.classes)
        among_known = table.treatment["several_sensitive"] != "alone" and len(table.sensitive_attributes) > 1
        self.document = document
        self.small = any(size < cell_size for size in sizes) or among_known
        # The width of a cell is visible, so it must not reveal that a few records are in no class.
        counted: float = min(people, table.classes.records_in_classes or people)
        aside = people - counted
        counted = counted if aside >= cell_size else people * 2 / 3
        self.guard = Guard(cell_size, counted)
        self.of_classes = Guard(cell_size, counted, none=not self.small and not 0 < aside < cell_size)
        self.of_a_class = Guard(cell_size, min(sizes, default=0))

    def made(self) -> CheckDocument:
        document = self.document
        return CheckDocument(
            schema=document.schema,
            petworks=document.petworks,
            generated=document.generated,
            as_of_given=document.as_of_given,
            edition=EXTERNAL,
            title=document.title,
            verdict=document.verdict,
            rule_verdicts=document.rule_verdicts,
            policy=document.policy,
            inputs=tuple(replace(one, bytes=None) for one in document.inputs if one.use == "data"),
            table=self._table(document.table),
            columns=tuple(map(self._column, document.columns)),
            rules=tuple(map(self._rule, document.rules)),
            small_classes=tuple(
                SmallClasses(one.size, None, self._of_classes(one.share))
                for one in document.small_classes
                if one.size >= self.guard.cell_size
            ),
            adversaries=tuple(map(self._adversary, document.adversaries)),
            subsets=None if document.subsets is None else self._subsets(document.subsets),
            payout_curve=None,
            results=tuple(map(self._result, document.results)),
            not_applicable={
                name: reason if isinstance(reason, NeedText) else "does not apply to this release"
                for name, reason in document.not_applicable.items()
            },
            next_steps=tuple(self._step(step) for step in document.next_steps if self._is_for_outsiders(step)),
            options=document.options,
        )

    def _of_classes(self, share: Number) -> Number:
        """A share that depends on the classes."""
        return self.of_classes.share(_exact(share))

    def _table(self, table: TableFacts) -> TableFacts:
        people, cell_size = _people(table), self.guard.cell_size
        few = table.people is not None and people < cell_size
        population = None if table.population is None else _counted(table.population)
        tells = population is not None and (people < cell_size or 0 < population - people < cell_size)
        return TableFacts(
            records=FEW_RECORDS if few else self.guard.count(_counted(table.records)),
            treatment=table.treatment,
            population=TELLS_COUNTS if tells else self.guard.count(population),
            quasi_identifiers=table.quasi_identifiers,
            sensitive_attributes=table.sensitive_attributes,
            hierarchies=table.hierarchies,
            identifiers_in_the_release=table.identifiers_in_the_release,
            columns_without_a_role=table.columns_without_a_role,
        )

    def _column(self, column: ColumnFacts) -> ColumnFacts:
        def share(number: Number) -> Number:
            return None if number is None else self.guard.share(float(_exact(number) or 0))

        return ColumnFacts(
            column.column,
            column.role,
            column.released,
            missing=share(column.missing),
            precision=share(column.precision),
            granularity=share(column.granularity),
            non_uniform_entropy=share(column.non_uniform_entropy),
            total_variation=share(column.total_variation),
        )

    def _value(self, result: RuleResult | MeasureResult, compared: str | None = None) -> Value:
        """The value of a measure, unless it reveals a class below the cell size."""
        entry, value = find(result.measure), result.value
        if compared == "excess":
            return self._excess(result)
        of_one_class = entry.of_one_class if compared is None else entry.parameters[compared].of_one_class
        if of_one_class:
            if self.small:
                return SMALL_CLASS
            if isinstance(value, float) and entry.family == "risk":
                return self.guard.highest(value)
            return self.of_a_class.numbers(value)
        return (self.guard if entry.family == "utility" else self.of_classes).numbers(value)

    def _excess(self, result: RuleResult | MeasureResult) -> Value:
        """What an attack gains beyond guessing: a share of the people whom guessing misses."""
        priors = [attribute["prior"] for attribute in result.details.get("attributes", {}).values()]
        missed = self.guard.people * min((1 - prior for prior in priors), default=1.0)
        if round_number(missed) < FEWEST_CELLS * self.guard.cell_size:
            return FEW_RECORDS
        return Guard(self.guard.cell_size, missed).share(_exact(result.value))

    def _rule(self, rule: RuleResult) -> RuleResult:
        parameters: Mapping[str, Any]
        guarded: Value
        if rule.measure in IMPLICIT:
            parameters, guarded = {}, rule.value
        elif rule.measure == SUBSETS:
            parameters = rule.parameters
            guarded = self._limited(next(iter(parameters)), rule.value)
        else:
            parameters, guarded = _parameters(rule), self._value(rule, rule.compared)
        return RuleResult(
            name=rule.name,
            preset=rule.preset,
            why=rule.why,
            verdict=rule.verdict,
            measure=rule.measure,
            parameters=parameters,
            value=kept_to(guarded, rule.value, parameters.values()),
            compared=rule.compared,
            satisfied=rule.satisfied,
            details={},
            waiver=None if rule.waiver is None else replace(rule.waiver, owner=None),
        )

    def _adversary(self, adversary: AdversaryFacts) -> AdversaryFacts:
        return AdversaryFacts(
            who=adversary.who,
            knows=adversary.knows,
            unique_share=self._of_classes(adversary.unique_share),
            chance=self._of_classes(adversary.chance),
        )

    def _result(self, result: MeasureResult) -> MeasureResult:
        return MeasureResult(
            measure=result.measure,
            value=self._value(result),
            satisfied=result.satisfied,
            parameters=_parameters(result),
            treatment=result.treatment,
            details={},
        )

    def _limited(self, limit: str, value: Value) -> Number:
        """The value of a limit on every subset."""
        return self.guard.highest(_exact(value)) if limit == "highest-risk" else self.of_classes.share(_exact(value))

    def _limited_to(self, limit: str, value: Number, at_most: float) -> Number:
        return kept_to(self._limited(limit, value), value, [at_most])

    def _subsets(self, answers: SubsetAnswers) -> SubsetAnswers:
        return SubsetAnswers(
            records=self.guard.count(_counted(answers.records)),
            number=answers.number,
            if_they_know=tuple(map(self._if_they_know, answers.if_they_know)),
            limits=tuple(
                replace(one, worst=self._limited_to(one.limit, one.worst, one.at_most)) for one in answers.limits
            ),
            minimal_risky=tuple(
                replace(one, value=self._limited_to(one.limit, one.value, one.at_most)) for one in answers.minimal_risky
            ),
            drivers=None if answers.drivers is None else tuple(map(self._driver, answers.drivers)),
        )

    def _if_they_know(self, answer: KnownAttributes) -> KnownAttributes:
        return KnownAttributes(
            known=answer.known,
            attack=answer.attack,
            subsets=answer.subsets,
            lowest=self._case(answer.lowest),
            median=self._case(answer.median),
            highest=self._case(answer.highest),
        )

    def _case(self, case: SubsetCase) -> SubsetCase:
        return SubsetCase(
            attributes=case.attributes,
            unique_share=self._of_classes(case.unique_share),
            prior=self._of_classes(case.prior),
            posterior=self._of_classes(case.posterior),
        )

    def _driver(self, driver: Driver) -> Driver:
        return Driver(
            attribute=driver.attribute,
            attack=driver.attack,
            shapley=self._of_classes(driver.shapley),
            without=self._of_classes(driver.without),
        )

    def _is_for_outsiders(self, step: NextStep) -> bool:
        few = step.step == "many-suppressed" and _counted(step.records) < self.guard.cell_size
        return step.step not in INSIDE and not few

    def _step(self, step: NextStep) -> NextStep:
        return NextStep(
            step.step,
            size=step.size,
            share=self._of_classes(step.share),
            rules=step.rules,
            columns=step.columns,
            without=None if step.without is None else tuple(WithoutColumn(one.column) for one in step.without),
        )


def _exact(number: Value) -> float | None:
    """A number of the internal edition, which has no bounds."""
    assert number is None or isinstance(number, int | float)
    return number


def _counted(count: Count) -> int:
    """A count of the internal edition."""
    assert isinstance(count, int)
    return count


def _people(table: TableFacts) -> int:
    return _counted(table.records) if table.people is None else table.people


def _smallest_classes(document: CheckDocument, classes: Classes) -> list[int]:
    """The size of the smallest class, also with the suppressed records as a class, as an attacker sees them."""
    seen = [one.details["smallest_class"] for one in document.results if one.measure == "re-identification"]
    return [size for size in (classes.smallest_class, *seen) if size is not None]


def _parameters(result: RuleResult | MeasureResult) -> Mapping[str, Any]:
    """The parameters that are not texts: a text may be a value of the table."""
    rules = find(result.measure).parameters
    return {name: value for name, value in result.parameters.items() if not isinstance(rules[name].rule, Text)}
