"""Notices beside a verdict: the worst case, lost columns, assumptions, and what suppression itself reveals."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from functools import partial
from operator import add
from typing import Any, Final

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from PETWorks.about.kinds import GENERALISED
from PETWorks.about.treatment import AS_CLASS, AS_VALUE, REMOVE
from PETWorks.anonymizer.anonymization import Anonymization, LocalAnonymization
from PETWorks.anonymizer.chosen_levels import OnLevels
from PETWorks.anonymizer.data_cube import NodeClasses
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.lost_columns import lost_in_release
from PETWorks.anonymizer.plan import Plan, PlannedNotice
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.replay import Replayed
from PETWorks.attributetypes import INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.counts import ClassValues, Grouping
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.profiles import profiles_of
from PETWorks.counting.questions import Question, class_sizes_question
from PETWorks.counting.release import Release
from PETWorks.counting.table import Table
from PETWorks.counting.view import View
from PETWorks.errors import NotApplicable
from PETWorks.gate.check.built_in_rules import (
    MOST_OWN_VALUES,
    cannot_count_people,
    lacks_weights,
    rules_judged_at_release,
    weights_are_left_out,
)
from PETWorks.gate.document import WAIVED, ColumnFacts, Notice, RuleResult
from PETWorks.gate.external.protected import class_size_demanded, is_about_values
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.policy_rules import (
    NO_DIFFERENCES,
    NO_IDENTIFIERS,
    NO_UNIQUE,
    PEOPLE_COUNTED,
    RECORDS_LEFT,
    RULES_FIT,
    SUBSETS,
    VALUES_PROTECTED,
    limits_class_sizes,
)
from PETWorks.gate.suggest.suggestion import FEW_RECORDS, ExaminedColumn
from PETWorks.measures.catalogue import catalogue
from PETWorks.measures.classes import Mask
from PETWorks.measures.disclosure.compared import (
    CONTROL,
    compared_tables,
    control_overlap,
    is_in_original,
    without_counterpart,
)
from PETWorks.measures.parameters import Number
from PETWorks.measures.risk.individual import individual_risk
from PETWorks.tables.cells import SUPPRESSED, is_number

BestGuess = tuple[Fraction, int]
LIKELY = 0.8  # chance from which a guess of a sensitive value is likely right
NEARLY = 0.01  # difference of numbers that are nearly equal
MAX_ATTRIBUTES = 5  # sensitive attributes reported with the number of people whose value is certain

MadeRelease = Anonymization | OnLevels | Replayed


def suppression_notices(made: MadeRelease, rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """Notices about what suppression reveals; the class size comes from `rules`."""
    yield from _few_removed(made.suppressed if made.removes else 0, rules)
    yield from _values_revealed(made)


def _few_removed(records: int, rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """A notice if fewer records were removed than a class must have."""
    smallest = max((class_size_demanded(rule) or 0 for rule in rules), default=0)
    if 0 < records < max(smallest, 2):
        yield Notice("few-removed", records=records)


def _values_revealed(made: MadeRelease) -> Iterator[Notice]:
    """Notices about values of records that were suppressed or made coarser."""
    alike = _alike_when_removed(made) if made.removes and made.suppressed > 1 else ()
    if alike:
        yield Notice("removed-alike", alike, made.suppressed)
    yield from _minimality(made)


def notices_of_run(made: Recoded, release: Release, policy: Policy) -> tuple[PlannedNotice, ...]:
    """The notices that a check of the release alone could not find again, for its plan.

    release   the release that was made, with sampling weights even if its file does not show them
    """
    found = list(_values_revealed(made)) if isinstance(made, MadeRelease) else []
    if weights_are_left_out(policy):
        found += [notice for notice in worst_case_notices(release) if notice.notice == "individual-risk"]
    return tuple(
        PlannedNotice(**{name: getattr(notice, name) for name in PlannedNotice.__struct_fields__}) for notice in found
    )


def _notices_of_making(release: Release, plan: Plan | None, rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """The notices about the making of this file, by its plan; the plan of an earlier version has no others."""
    if plan is None:
        return
    removed = plan.suppressed if plan.suppressed_records == REMOVE else 0
    yield from _few_removed(removed if release.removed_records is None else release.removed_records, rules)
    for planned in plan.notices or ():
        if planned.notice != "individual-risk":
            yield Notice(**structs.asdict(planned))


def _alike_when_removed(made: MadeRelease) -> tuple[str, ...]:
    """The sensitive attributes in which all removed records have the same value."""
    cube = made.classes.cube
    table = cube.view.table
    assert isinstance(table, WeightedRows)
    codes = [cube.values_of(name, table.columns[name].codes) for name in made.recoder.columns]
    removed = made.recoder.suppressed(codes)
    names = [name for name in cube.view.sensitive_attributes if name in table.columns]
    return tuple(name for name in names if len(np.unique(table.columns[name].codes[removed])) == 1)


def _minimality(made: MadeRelease) -> Iterator[Notice]:
    """Groups that are large enough, but were suppressed or generalised because all of them share a value.

    Anyone who knows that a release is no coarser than necessary can infer that value.
    """
    problem = made.problem
    cube = problem.cube
    judge = Judge(cube, problem.rules, problem.max_suppressed, problem.objective)
    if not any(test.sensitive for rule in problem.rules for test in rule.tests(cube.view)):
        return
    if isinstance(made, LocalAnonymization) or (isinstance(made, Replayed) and made.sweep is not None):
        if any(problem.lattice.low):
            return
        classes = cube.at(problem.lattice.low)
        codes = classes.codes(np.ones(len(classes.records), np.bool_))
        suppressed = made.recoder.suppressed([column.astype(np.uint32) for column in codes])
        by_attribute = _records_with_one_value(judge, classes, suppressed)
    else:
        by_attribute = _records_with_one_value(judge, made.classes, made.suppressed_classes)
        finer = [_coarsened(judge, made.classes, place) for place in range(len(made.classes.node))]
        for name, records in max(finer, key=lambda records_by_name: sum(records_by_name.values())).items():
            by_attribute[name] = by_attribute.get(name, 0) + records
    if by_attribute:
        yield Notice("minimality", tuple(by_attribute), max(by_attribute.values()))


def _coarsened(judge: Judge, classes: NodeClasses, place: int) -> dict[str, int]:
    """As `_records_with_one_value`, on a column's next finer level, if class sizes would allow it."""
    cube, node = classes.cube, classes.node
    if node[place] == cube.lattice.low[place]:
        return {}
    finer = cube.at((*node[:place], node[place] - 1, *node[place + 1 :]))
    too_small = int(finer.records[judge.too_small(finer.sizes)].sum())
    failing, _ = judge.failing(finer)
    if too_small > judge.max_suppressed or int(finer.records[failing].sum()) <= judge.max_suppressed:
        return {}
    return _records_with_one_value(judge, finer, failing)


def _records_with_one_value(judge: Judge, classes: NodeClasses, some: Mask) -> dict[str, int]:
    """The number of records, by attribute, in large enough classes of `some` that have a single value."""
    by_attribute: dict[str, int] = {}
    for name in classes.cube.view.sensitive_attributes:
        if name not in classes.rows.domains:
            continue
        values, has_value, finer = classes.of_values(name)
        if finer is None:
            single = has_value.copy()  # among classes that have a value
            single[has_value] = np.diff(np.append(values.starts, len(values.values))) == 1
            records = int(classes.records[some & single & ~judge.too_small(classes.sizes)].sum())
            by_attribute |= {name: records} if records else {}
    return by_attribute


# The worst case and the assumptions: shown for every release, and no reason for a warning.
ALWAYS_SHOWN = (
    *("individual-risk", "individual-risk-when-made", "highest-risk", "highest-risk-in-sample"),
    *("certain-value", "likely-value"),
    *("not-covered", "not-covered-columns", "not-covered-tables"),
)
ABOUT_COLUMNS = (
    "perhaps-known",
    "perhaps-sensitive",
    "perhaps-sensitive-coarser",
    "nearly-unique",
    "explained",
    "found-by-amount",
)
LOOSEST_LIMITS = {"t-closeness": {"t": 1.0}}  # limits that no table exceeds, although the parameter may be larger
LONG_WAIVER: Final = "long-waiver"
TWO_YEARS = timedelta(days=731)  # with a leap day
MANY_OWN_VALUES = 0.2  # share of the values of a column that the original does not have
SINGLED_OUT_SHARE = 0.05  # share of records that an amount may single out without a notice


def notices(
    release: Release,
    policy: Policy,
    examined: Sequence[ColumnFacts],
    rules: Sequence[RuleResult],
    protected: Collection[str] | None = None,
    *,
    plan: Plan | None,
    today: date,
) -> tuple[Notice, ...]:
    """The notices, the most important first.

    protected   the columns that were made coarser; None for those in the plan of the release
    plan        the plan by which the release was made
    today       the day of the check, from which waivers run
    """
    in_force = [rule for rule in rules if rule.verdict != WAIVED]
    if release.kind != GENERALISED:
        return (
            *_identifiers(release, policy, rules),
            *_comparison(release),
            *_reasons(in_force),
            *_long_waivers(rules, today),
            *_unseen_differences(rules),
            *_formulas(release),
        )
    examined_here = [column for column in examined if column.column not in rejected_for_values(rules)]
    if protected is None:
        protected = () if plan is None else plan.protect or ()
    classes_are_people = not cannot_count_people(policy, release)
    all_notices = (
        *_notices_of_making(release, plan, rules),
        *_people(release, policy, rules, plan),
        *([Notice("no-privacy-unit", tuple(policy.no_privacy_unit))] if policy.no_privacy_unit else []),
        *_beyond_the_limit(rules),
        *([Notice("unfinished")] if plan is not None and plan.unfinished else []),
        *_set_aside(release),
        *(_worst_case(release, policy, in_force, plan) if classes_are_people else ()),
        *_weights(release),
        *_identifiers(release, policy, rules),
        *_columns(release, policy, in_force, examined_here, protected),
        *_class_sizes(release, policy, in_force),
        *_reasons(in_force),
        *_long_waivers(rules, today),
        *_rules_without_meaning(release, examined, in_force),
        *_unseen_differences(rules),
        *_formulas(release),
    )
    mentioned = {column for notice in all_notices if notice.notice in ABOUT_COLUMNS for column in notice.columns or ()}
    return *all_notices, *_not_covered(policy, [column for column in examined if column.column not in mentioned])


def _comparison(release: Release) -> Iterator[Notice]:
    """Notices about the basis of the verdict on a release that is not generalised: control people, and new values."""
    tables = compared_tables(release.view)
    controls = tables.records[CONTROL]
    if not controls:
        yield Notice("no-control")
        return
    overlap = control_overlap(release.view).records
    if is_in_original(release.view):
        yield Notice("control-in-original", records=overlap, share=overlap / controls)
    for column, shares in without_counterpart(release.view).items():
        share = shares.get("release", 0.0)
        if MANY_OWN_VALUES < share <= MOST_OWN_VALUES:
            yield Notice("own-values", (column,), share=share)


def worst_case_notices(release: Release) -> Iterator[Notice]:
    """The average and the highest chance to find a person, and the number of people whose value is (nearly) certain.

    With sampling weights, the chance is that of the individual risk, and beside it that for a person who is known to be
    in the sample. Classes count a person with several records once each, so their sum may be more than all people.
    """
    if not release.quasi_identifiers or not release.records:
        return
    for notice in _worst_case_of_classes(release):
        if notice.records is not None:
            notice = structs.replace(notice, records=min(notice.records, release.view.people))
        yield notice


def _worst_case_of_classes(release: Release) -> Iterator[Notice]:
    view = release.view
    sizes = view.class_sizes(attacker=True)
    smallest = sizes.smallest
    if smallest:
        people = smallest * int(sizes.classes[sizes.sizes == smallest].sum())
        if view.has_weights:
            with suppress(NotApplicable):
                risks = individual_risk(_without_asides(view)).details
                yield Notice("individual-risk", share=risks["highest"], average=risks["average"])
        yield Notice(
            "highest-risk-in-sample" if view.has_weights else "highest-risk",
            records=people,
            share=1 / smallest,
            average=sizes.number / sizes.records,
        )
    certain = {column: view.answer(_count_certain(view, column)) for column in view.sensitive_attributes}
    most = sorted(certain, key=lambda column: -certain[column])[:MAX_ATTRIBUTES]
    for column in most:
        if certain[column]:
            yield Notice("certain-value", (column,), certain[column])
    for column in view.sensitive_attributes[:MAX_ATTRIBUTES]:
        share, people = view.answer(_best_guess(view, column))
        yield Notice("likely-value", (column,), people, share=float(share))
    for column in view.sensitive_attributes[:MAX_ATTRIBUTES]:
        question = _count_near(view, column)
        near = 0 if question is None else view.answer(question)
        if near:
            yield Notice("near-value", (column,), near)


def _without_asides(view: View) -> View:
    """The view in which no record is set aside, as an adversary sees the table."""
    if not view.records_aside:
        return view
    return replace(view, treatment={**view.treatment, "missing": AS_VALUE, "suppressed": AS_CLASS})


def worst_case_questions(view: View) -> list[Question[Any]]:
    """The counts needed for the worst case, so that they can be computed together with others."""
    if not view.quasi_identifiers:
        return []
    near = [question for column in view.sensitive_attributes if (question := _count_near(view, column)) is not None]
    guesses = [_best_guess(view, column) for column in view.sensitive_attributes[:MAX_ATTRIBUTES]]
    return [*(_count_certain(view, column) for column in view.sensitive_attributes), *guesses, *near]


def _count_certain(view: View, column: str) -> Question[int]:
    """The number of people in classes in which a sensitive attribute has a single value that is not missing."""
    values = view.overall(column, attacker=True).values
    missing = values.index(None) if None in values else -1
    return view.fold_question(
        "certain value", column, partial(_count_people_with_one_value, missing), add, attacker=True
    )


def _count_people_with_one_value(missing: int, classes: ClassValues) -> int:
    if not len(classes.starts):
        return 0
    has_one_value = (classes.cells_per_class == 1) & (classes.values[classes.starts] != missing)
    return int(classes.persons[has_one_value].sum())


def _best_guess(view: View, column: str) -> Question[BestGuess]:
    """The highest chance to guess a sensitive value of a person, and the number of people of whom it is likely right.

    The guess is the commonest value of the class, as in attribute inference.
    """
    return view.fold_question("best guess", column, _find_best_guess, _merge_best_guesses, attacker=True)


def _find_best_guess(classes: ClassValues) -> BestGuess:
    if not len(classes.starts):
        return Fraction(0), 0
    hits, people = np.maximum.reduceat(classes.counts, classes.starts), classes.persons
    best = int(np.argmax(hits / people))
    return Fraction(int(hits[best]), int(people[best])), int(people[hits >= LIKELY * people].sum())


def _merge_best_guesses(one: BestGuess, other: BestGuess) -> BestGuess:
    return max(one[0], other[0]), one[1] + other[1]


def _count_near(view: View, column: str) -> Question[int] | None:
    """The number of people in classes with several numbers that are nearly equal; None if not all values are numbers.

    They differ by at most 1 % of their size, or of the range of all numbers; of years only the latter counts.
    """
    values = view.overall(column, attacker=True).values
    known = [value for value in values if value is not None and value != SUPPRESSED]
    if len(known) < 2 or not all(map(is_number, known)):
        return None
    numbers = np.array([np.nan if value in (None, SUPPRESSED) else float(value) for value in values])
    are_years = bool(np.all(np.isnan(numbers) | ((numbers % 1 == 0) & (numbers >= 1800) & (numbers < 2200))))
    width = float(np.nanmax(numbers) - np.nanmin(numbers))
    kernel = partial(_people_with_near_values, numbers, 0.0 if are_years else NEARLY, NEARLY * width)
    return view.fold_question("near values", column, kernel, add, attacker=True)


def _people_with_near_values(
    numbers: NDArray[np.float64], relative: float, absolute: float, classes: ClassValues
) -> int:
    """Classes with a missing value do not count: its people need not have a number near the others."""
    if not len(classes.starts):
        return 0
    cells = numbers[classes.values]
    least, most = np.minimum.reduceat(cells, classes.starts), np.maximum.reduceat(cells, classes.starts)
    width = most - least
    near = (width <= absolute) | (width <= relative * np.maximum(np.abs(least), np.abs(most)))
    return int(classes.persons[near & (classes.cells_per_class > 1)].sum())


def _worst_case(release: Release, policy: Policy, rules: Sequence[RuleResult], plan: Plan | None) -> Iterator[Notice]:
    """The worst case; nothing about nearly equal numbers if a rule measures how far numbers are apart.

    In a sample without its weights, the chances are those to find a person who is known to be in the sample; what the
    weights said is in the plan.
    """
    measures_distances = any(rule.measure == "t-closeness" for rule in rules)
    is_sample = lacks_weights(policy, release)
    for planned in plan.notices or () if plan is not None and is_sample else ():
        if planned.notice == "individual-risk":
            yield Notice("individual-risk-when-made", None, release.records, None, planned.share, planned.average)
    for notice in worst_case_notices(release):
        if notice.notice == "highest-risk" and is_sample:
            yield structs.replace(notice, notice="highest-risk-in-sample")
        elif notice.notice != "near-value" or not measures_distances:
            yield notice


def _unseen_differences(rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """A notice if files in a cluster were not searched for content besides the table."""
    if any(rule.name == NO_DIFFERENCES and rule.details.get("looked_at") is False for rule in rules):
        yield Notice("differences-unseen")


def _formulas(release: Release) -> Iterator[Notice]:
    """The columns with cells that a spreadsheet takes for formulas, with the number of cells."""
    for column, profile in release.profiles().items():
        if profile.formulas:
            yield Notice("formulas", (column,), profile.formulas)


def rejected_for_values(rules: Sequence[RuleResult]) -> tuple[str, ...]:
    """The columns rejected by the rule about exact values: they need no further notice."""
    return tuple(
        str(name) for rule in rules if rule.name == NO_UNIQUE and isinstance(rule.value, tuple) for name in rule.value
    )


def is_unexplained(column: ColumnFacts, policy: Policy) -> bool:
    """Whether a column has a finding that the policy does not explain; a failing finding cannot be explained."""
    return column.fails or (bool(column.found) and not _has_reason(column, policy))


def _has_reason(column: ColumnFacts, policy: Policy) -> bool:
    return column.column in policy.accountability.role_reasons or column.column in policy.no_role


def _beyond_the_limit(rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """A notice if more records were suppressed than the plan allows."""
    for rule in rules:
        if rule.measure == RECORDS_LEFT and "suppressed" in rule.details:
            counts = rule.details
            average = counts["suppressed"] / counts["records"]
            yield Notice("too-many-suppressed", records=counts["suppressed"], share=counts["at_most"], average=average)


def _set_aside(release: Release) -> Iterator[Notice]:
    """The number of records that the policy excludes from rules about classes."""
    aside = release.view.records_aside
    if aside:
        yield Notice("set-aside", records=aside, share=aside / release.records)


def _people(release: Release, policy: Policy, rules: Sequence[RuleResult], plan: Plan | None) -> Iterator[Notice]:
    """A notice of the way people were counted if the table does not identify them."""
    if policy.privacy_unit is not None and cannot_count_people(policy, release):
        counted = any(rule.measure == PEOPLE_COUNTED and rule.satisfied for rule in rules)
        judged_before = counted and rules_judged_at_release(policy, release, plan)
        yield Notice("people-counted-before" if judged_before else "people-not-counted", (policy.privacy_unit,))


def _weights(release: Release) -> Iterator[Notice]:
    """Notices about sampling weights that are released, or below 1."""
    weight = release.sample.weight
    if weight is not None and weight in release.columns:
        yield Notice("weights-released", (weight,))
    if weight is not None and release.weights_below_one:
        yield Notice("weights-below-one", (weight,), release.weights_below_one)


def _identifiers(release: Release, policy: Policy, rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """Direct identifiers that are in the release because the rule about them is waived."""
    left = released_identifiers(release, policy.releases.key)
    if left and any(rule.measure == NO_IDENTIFIERS and rule.verdict == WAIVED for rule in rules):
        yield Notice("identifiers-left", left)


def released_identifiers(release: Release, key: str | None) -> tuple[str, ...]:
    """Direct identifiers in the release, except privacy unit and key, which are needed to count and join people."""
    needed = (release.privacy_unit, key)
    return tuple(name for name in release.identifiers if name in release.columns and name not in needed)


def _is_fully_suppressed(release: Release, column: str) -> bool:
    """Whether every cell of a column is `*`."""
    return set(release.marginal(column).values) == {SUPPRESSED}


def _columns(
    release: Release,
    policy: Policy,
    rules: Sequence[RuleResult],
    examined: Sequence[ColumnFacts],
    protected: Collection[str],
) -> Iterator[Notice]:
    known = [column for column in examined if column.has("perhaps known")]
    secret = [column for column in examined if column.has("perhaps sensitive")]
    unique = [
        column
        for column in examined
        if column.role == SENSITIVE_ATTRIBUTE and column.has("nearly unique") and not column.fails
    ]
    alone = {
        column.column: _unique_share_with(release, column.column) for column in examined if _is_amount(release, column)
    }
    amounts = [column for column in examined if alone.get(column.column, 0) > SINGLED_OUT_SHARE]
    quasi = [column for column in examined if column.released and column.role == QUASI_IDENTIFIER]
    doubtful = {column.column: column for column in (*known, *secret, *unique, *amounts)}.values()
    unexplained = [column.column for column in secret if not _has_reason(column, policy)]
    by_notice = (
        Notice("perhaps-known", tuple(column.column for column in known if not _has_reason(column, policy))),
        Notice("perhaps-sensitive", tuple(name for name in unexplained if name not in protected)),
        Notice("perhaps-sensitive-coarser", tuple(name for name in unexplained if name in protected)),
        Notice("nearly-unique", tuple(column.column for column in unique if not _has_reason(column, policy))),
        *_explained(release, policy, rules, [column for column in doubtful if _has_reason(column, policy)]),
        *_lost_columns(release, quasi),
    )
    yield from (notice for notice in by_notice if notice.columns)
    for column in amounts:
        if not _has_reason(column, policy):
            yield Notice("found-by-amount", (column.column,), share=alone[column.column])


def _explained(
    release: Release, policy: Policy, rules: Sequence[RuleResult], columns: Sequence[ColumnFacts]
) -> Iterator[Notice]:
    """The columns of which a reason says that no outsider knows them, with what somebody who does could tell apart."""
    size = max((class_size_demanded(rule) or 0 for rule in rules), default=0)
    size = size if size > 1 else policy.cell_size
    not_loaded = [facts.column for facts in columns if facts.column not in release.table.domains]
    further = _load_for_people(release, (*release.quasi_identifiers, *not_loaded)) if not_loaded else None
    for column in (facts.column for facts in columns):
        table = release.table if further is None or column not in not_loaded else further
        known = tuple(dict.fromkeys((*release.quasi_identifiers, column)))
        classes = table.ask([class_sizes_question(table, Grouping(known, known))])[0]
        records = classes.classes * classes.sizes
        reason = policy.accountability.role_reasons.get(column) or policy.no_role.get(column)
        unique, below = (int(records[classes.sizes < limit].sum()) for limit in (2, size))
        yield Notice("explained", (column,), unique, reason=reason, below=below, size=size)


def _load_for_people(release: Release, columns: Sequence[str]) -> Table:
    """Columns of the table with the person of each record, who may be known although no column of the file says it."""
    unit, people = release.table.unit, release.people_of_records
    if unit is None or unit in release.columns or people is None:
        return release.load(columns, unit)
    table = release.load(columns)
    assert isinstance(table, WeightedRows)
    return WeightedRows({**table.columns, unit: people}, unit, table.weights)


def _lost_columns(release: Release, quasi: Sequence[ColumnFacts]) -> Iterator[Notice]:
    """Notices of quasi-identifiers that have no value left, one value, or values in few records only."""
    nothing = tuple(column.column for column in quasi if _is_fully_suppressed(release, column.column))
    others = [column for column in quasi if column.column not in nothing]
    lost = lost_in_release(release, [column.column for column in others])
    single = tuple(column.column for column in others if column.column in lost and column.distinct == 1)
    yield Notice("nothing-left", nothing)
    yield Notice("one-value", single)
    yield Notice("little-left", tuple(column for column in lost if column not in single))


def _is_amount(release: Release, column: ColumnFacts) -> bool:
    """Whether a sensitive attribute has numbers that others may know, such as a bill or an award."""
    if column.role != SENSITIVE_ATTRIBUTE or column.has("nearly unique") or (column.distinct or 0) < FEW_RECORDS:
        return False
    table: Any = release.table  # already loaded, with all sensitive attributes
    return ExaminedColumn.of(profiles_of(table.columns, [column.column])[column.column]).measured


def _unique_share_with(release: Release, column: str) -> float:
    """The share of the records that are unique for an adversary who knows one more column."""
    known = (*release.quasi_identifiers, column)
    sizes = release.table.ask([class_sizes_question(release.table, Grouping(known, known))])[0]
    return float(sizes.classes[sizes.sizes == 1].sum() / release.records)


def _class_sizes(release: Release, policy: Policy, rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """A notice if no rule limits class sizes and the built-in rule about them does not apply."""
    is_judged = any(rule.name == RULES_FIT for rule in rules) and policy.rules_reason is None
    if release.quasi_identifiers and not is_judged and not any(map(limits_class_sizes, rules)):
        yield Notice("no-class-size")


def _reasons(rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """Notices of reasons in the policy by which built-in rules hold."""
    for rule in rules:
        explained = rule.details.get("columns_with_a_reason")
        if rule.name == VALUES_PROTECTED and explained:
            yield Notice("no-rule", tuple(explained))
        if rule.name == NO_UNIQUE and explained:
            yield Notice("unique-values-reason", tuple(explained), share=rule.parameters["at_most"])
    if any(rule.name in (RULES_FIT, RECORDS_LEFT) and rule.details.get("by_reason") for rule in rules):
        yield Notice("rules-reason")


def _long_waivers(rules: Sequence[RuleResult], today: date) -> Iterator[Notice]:
    """The rules with a waiver that runs for more than two years."""
    names = tuple(
        rule.name
        for rule in rules
        if rule.waiver is not None and date.fromisoformat(rule.waiver.expires) - today > TWO_YEARS
    )
    if names:
        yield Notice(LONG_WAIVER, rules=names)


def _rules_without_meaning(
    release: Release, examined: Sequence[ColumnFacts], rules: Sequence[RuleResult]
) -> Iterator[Notice]:
    """Rules that hold for any release, or that are about columns without information."""
    holding = [rule for rule in rules if rule.satisfied]
    always = tuple(rule.name for rule in holding if _always_holds(rule))
    if always:
        yield Notice("rule-always-holds", rules=always)
    about_values = tuple(rule.name for rule in holding if is_about_values(rule) and rule.name not in always)
    single = tuple(
        column
        for column in release.sensitive_attributes
        if len(set(release.view.overall(column).values) - {None, SUPPRESSED}) < 2
    )
    if about_values and single and release.records:
        yield Notice("rule-about-one-value", single, rules=about_values)
    known = [column.column for column in examined if column.released and column.role == QUASI_IDENTIFIER]
    sizes = tuple(rule.name for rule in holding if limits_class_sizes(rule) and rule.name not in always)
    if sizes and known and release.records and all(_is_fully_suppressed(release, column) for column in known):
        yield Notice("rule-about-nothing", tuple(known), rules=sizes)


def _always_holds(rule: RuleResult) -> bool:
    """Whether no release could break a rule, since its limits are the extremes of the measure."""
    if rule.measure not in catalogue:
        limits = [value for value in rule.parameters.values() if isinstance(value, int | float)]
        return bool(limits) and rule.measure == SUBSETS and min(limits) >= 1  # shares and chances
    known = catalogue[rule.measure].parameters
    limits_given = {
        name: value for name, value in rule.parameters.items() if known[name].limit is not None and value is not None
    }
    return bool(limits_given) and all(
        _is_loosest(known[name].rule, value, LOOSEST_LIMITS.get(rule.measure, {}).get(name))
        for name, value in limits_given.items()
    )


def _is_loosest(kind: Any, value: Any, most: float | None) -> bool:
    if not isinstance(kind, Number) or not isinstance(value, int | float):
        return False
    highest = kind.at_most if most is None else most
    if kind.limit == "at most":
        return highest is not None and value >= highest
    return kind.at_least is not None and value <= kind.at_least


def _not_covered(policy: Policy, examined: Sequence[ColumnFacts]) -> Iterator[Notice]:
    """Notices of the assumptions behind the verdict: no adversary knows other columns or has other tables."""
    unknown = tuple(
        column.column
        for column in examined
        if column.released and column.role in (SENSITIVE_ATTRIBUTE, INSENSITIVE_ATTRIBUTE)
    )
    alone = not policy.releases.earlier
    if unknown:
        yield Notice("not-covered" if alone else "not-covered-columns", unknown)
    elif alone:
        yield Notice("not-covered-tables")
