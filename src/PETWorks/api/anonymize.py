"""The Python functions that make a release; they refuse and warn like the command."""

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PETWorks.about.treatment import AS_CLASS, FOLDED, REMOVE
from PETWorks.anonymizer.anonymization import Anonymization, anonymize_release
from PETWorks.anonymizer.chosen_levels import OnLevels, on_levels
from PETWorks.anonymizer.frontiers import Frontier, VariedThresholds, find_frontier
from PETWorks.anonymizer.released import Recoded, choose_order, order_given, with_safe_cells
from PETWorks.anonymizer.replaying import Replayed
from PETWorks.anonymizer.rules import NO_RULE, Rule, Rules, checked_rules
from PETWorks.anonymizer.search.exact import Progress
from PETWorks.counting.protected_source import protect_source, protect_words
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError, Phrase, ReleaseWarning, RoleError, quoted
from PETWorks.gate.check.built_in_rules import check_people_are_declared
from PETWorks.gate.check.notices import ALWAYS_SHOWN, find_notices, suppression_notices
from PETWorks.gate.check.verdict import rule_results
from PETWorks.gate.days import today
from PETWorks.gate.document.check_document import FAIL
from PETWorks.gate.planned import demanded_rules, match_hierarchies, next_policy, prepare
from PETWorks.gate.plans import earlier_hierarchies, parse_plan, read_plan
from PETWorks.gate.policy.from_rules import columns_without_role, policy_for, policy_in_memory
from PETWorks.gate.policy.policy import Policy
from PETWorks.render.language.language import message_text, percent, rule_name, thresholds, value_with_fraction
from PETWorks.render.language.messages import language
from PETWorks.render.report.making import two_levels_texts, why_in_order
from PETWorks.render.report.prose import notice_texts
from PETWorks.tables.opening import open_source

MadeRelease = TypeVar("MadeRelease", bound=Recoded)


def anonymize(
    data: Any,
    roles: Mapping[str, str] | None = None,
    hierarchies: Any = None,
    rules: Rules | None = None,
    *,
    suppression: float = 0.0,
    suppressed_records: str = REMOVE,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, Any] | None = None,
    subsets: Mapping[str, Any] | None = None,
    method: str = "global",
    protect: Mapping[str, Mapping[str, Any]] | None = None,
    spreadsheet_safe: bool = False,
    seconds: float | None = None,
    resume: str | os.PathLike[str] | None = None,
    order: str | None = None,
    seed: int | None = None,
    original: Any = None,
    population: Any = None,
    suppressed: str | None = None,
    missing: str | None = None,
    several_sensitive: str | None = None,
    sensitive_values: str | None = None,
    privacy_unit: str | None = None,
    role_reasons: Mapping[str, str] | None = None,
    no_privacy_unit: Mapping[str, str] | None = None,
    engine: str = "auto",
    memory_limit: int | str | None = None,
    temp_folder: str | os.PathLike[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Anonymization:
    """The release of a table with the least loss that keeps the rules.

    Every quasi-identifier is generalised to one level of its hierarchy, and records of classes that break a rule are
    suppressed, as far as the limit allows. Every column needs a role; direct identifiers are left out. Notices that the
    command would print are raised as `ReleaseWarning`, and listed in `notices` of the result. See `Release` for data,
    roles, hierarchies, population, the treatment of records and the engine: the result is the same with each engine.

    rules         as for `evaluate`: `{"k-anonymity": {"k": 5}}`
    suppression   the share of records that may be suppressed
    suppressed_records  "remove": they are removed, also those that were suppressed before; "stars": they stay with `*`
                  in every quasi-identifier and with all other cells, and are a class of their own
    objective     the loss to minimise: "granularity", "precision", "non-uniform-entropy", "discernibility", "aecs",
                  "ambiguity", "missings" or "publisher-payout"
    aggregate     how the granularity of columns is combined: "geometric" (mean), "arithmetic", "sum", "maximum"
    weights       the importance of columns, by default 1
    levels        a fixed level, `{"age": 2}`, or the lowest and the highest, `{"age": (1, 3)}`
    subsets       limits for adversaries who know some quasi-identifiers: `{"sizes": "1-3", "limits": {"uniques": 0}}`
    method        "global": one level for each column; "local": individual levels for each record, with far less loss;
                  for all objectives except non-uniform-entropy
    protect       coarser values for columns that are not quasi-identifiers: `{"cost": {"round": 1000, "top": 250000},
                  "admitted": {"dates": "month"}}`; rules and measures use the protected values
    spreadsheet_safe  whether cells that a spreadsheet takes for formulas get an apostrophe; numbers are unchanged, and
                  so are quasi-identifiers, whose values are those of hierarchies
    seconds       time limit, after which the best release so far is returned; its `gap` bounds the distance from the
                  best. Without a limit, the search continues until the best is proved, or for a minute if there are
                  more than 20 million combinations of levels. With "local", half of it is for the global search
    resume        the file of a stopped search to continue, as written by `result.write_unfinished`
    order         "shuffled": the records of the release are in random order, so that nobody is found by position;
                  "original": in the order of the table. By default they are shuffled, unless a rule compares them one
                  by one with the original, or they are not in memory; see `result.order`
    seed          the seed of an earlier release's random order; by default a new one, recorded in result and plan
    original      the table that measures compare with, if it is not the data themselves
    role_reasons  why columns have their role, as in a policy
    no_privacy_unit   columns that do not name the people of the table, although they repeat, each with the
                  reason: `{"phone": "that of the ward"}`
    progress      called now and then with the progress of the search
    """
    if rules is None and subsets is None:
        raise ParameterError(NO_RULE, what="rules")
    shuffle, number = order_given(order, seed)
    checked = checked_rules(rules or {}, subsets)
    release = Release(
        data if protect is None else protect_source(open_source(data, Phrase("the table")), protect),
        roles,
        hierarchies,
        original=original,
        population=population,
        suppressed=suppressed or AS_CLASS,
        missing=missing,
        several_sensitive=several_sensitive,
        sensitive_values=sensitive_values or FOLDED,
        privacy_unit=privacy_unit,
        engine=engine,
        memory_limit=memory_limit,
        temp_folder=temp_folder,
    )
    _check_roles(release, no_privacy_unit)
    release = with_safe_cells(release) if spreadsheet_safe else release
    result = anonymize_release(
        release,
        checked,
        suppression=suppression,
        suppressed_records=suppressed_records,
        objective=objective,
        aggregate=aggregate,
        weights=weights,
        levels=levels,
        method=method,
        seconds=seconds,
        resume=resume,
        order=choose_order(release, checked, shuffle, number),
        progress=progress,
    )
    return _with_notices(result, policy_for(release, checked, role_reasons, no_privacy_unit))


def apply_levels(
    data: Any,
    roles: Mapping[str, str] | None = None,
    hierarchies: Any = None,
    levels: Mapping[str, int] | None = None,
    rules: Rules | None = None,
    *,
    suppressed_records: str = REMOVE,
    order: str | None = None,
    seed: int | None = None,
    original: Any = None,
    population: Any = None,
    suppressed: str | None = None,
    missing: str | None = None,
    several_sensitive: str | None = None,
    sensitive_values: str | None = None,
    privacy_unit: str | None = None,
    role_reasons: Mapping[str, str] | None = None,
    no_privacy_unit: Mapping[str, str] | None = None,
    engine: str = "auto",
    memory_limit: int | str | None = None,
    temp_folder: str | os.PathLike[str] | None = None,
) -> OnLevels:
    """A table generalised to levels chosen by the caller.

    See `Release` for data, roles, hierarchies, original, population and the treatment of records, and `anonymize` for
    the order of the records and for warnings.

    levels   the level of each quasi-identifier; others stay unchanged
    rules    as for `anonymize`: records of classes that break one are suppressed, however many; limits for the whole
             table suppress nothing
    suppressed_records  as for `anonymize`: "remove" or "stars"
    role_reasons, no_privacy_unit   as for `anonymize`

    >>> roles = {"zip": "quasi_identifier", "nationality": "quasi_identifier", "age": "identifier",
    ...          "salary-class": "identifier"}
    >>> levels = {"zip": 1, "nationality": 1}
    >>> apply_levels("data/delta.csv", roles, "data/delta_hierarchy", levels, {"k-anonymity": {"k": 3}})
    <OnLevels: levels zip 1, nationality 1; 0 of 9 records suppressed>
    """
    shuffle, number = order_given(order, seed)
    release = Release(
        data,
        roles,
        hierarchies,
        original,
        population=population,
        suppressed=suppressed or AS_CLASS,
        missing=missing,
        several_sensitive=several_sensitive,
        sensitive_values=sensitive_values or FOLDED,
        privacy_unit=privacy_unit,
        engine=engine,
        memory_limit=memory_limit,
        temp_folder=temp_folder,
    )
    _check_roles(release, no_privacy_unit)
    checked = () if rules is None else checked_rules(rules)
    made = on_levels(release, levels or {}, checked, suppressed_records)
    made = replace(made, order=choose_order(release, checked, shuffle, number))
    return _with_notices(made, policy_for(release, checked, role_reasons, no_privacy_unit))


def apply_plan(
    data: Any,
    plan: str | Path | Mapping[str, Any],
    hierarchies: Any = None,
    *,
    roles: Mapping[str, str] | None = None,
    order: str | None = None,
    seed: int | None = None,
    original: Any = None,
    population: Any = None,
    strict: bool = False,
    memory_limit: int | str | None = None,
) -> Replayed:
    """Another table recoded by a plan: with the same roles, hierarchies, levels and rules.

    Records with values that have no place in the hierarchies, and records of classes that break a rule, are suppressed,
    however many; the result, and a warning, state whether that is more than the plan allows.

    plan          `anonymize(...).plan`, or the file that `petworks anonymize` writes beside a release
    hierarchies   the hierarchies of the plan that are not declared: a folder, or by column a file or rows; not needed
                  if the plan is a file with the hierarchies beside it
    roles         roles of columns that the plan lacks: "identifier" (left out) or "insensitive_attribute" (stays)
    order, seed   the order of the records, as for `anonymize`
    original      as for `anonymize`
    population    as for `anonymize`, if it is a table
    strict        whether values without a place are an error

    >>> from PETWorks import anonymize
    >>> roles = {"zip": "quasi_identifier", "nationality": "quasi_identifier", "age": "identifier",
    ...          "salary-class": "identifier"}
    >>> result = anonymize("data/delta.csv", roles, "data/delta_hierarchy", {"k-anonymity": {"k": 3}}, order="original")
    >>> again = apply_plan("data/delta.csv", result.plan, "data/delta_hierarchy", order="original")
    >>> again.table.equals(result.table), again.verdicts
    (True, {'k-anonymity (k=3)': True})
    """
    shuffle, number = order_given(order, seed)
    plan_document = parse_plan(plan, "plan") if isinstance(plan, Mapping) else read_plan(Path(plan))
    if hierarchies is None and not isinstance(plan, Mapping):
        earlier = earlier_hierarchies(plan_document, Path(plan).parent)
    else:
        earlier = match_hierarchies(plan_document, hierarchies)
    prepared = prepare(
        data,
        plan_document,
        earlier,
        original=original,
        population=population,
        new_roles=roles,
        memory_limit=memory_limit,
    )
    policy = next_policy(prepared, Path("table"))
    check_people_are_declared(prepared.release, policy.get("no_privacy_unit"))
    demanded = demanded_rules(plan_document, today())
    chosen = choose_order(prepared.release, demanded, shuffle, number)
    made = replace(prepared.recoded(demanded, strict=strict), order=chosen)
    return _with_notices(made, policy_in_memory(policy))


def frontier(
    data: Any,
    roles: Mapping[str, str] | None = None,
    hierarchies: Any = None,
    rules: Rules | None = None,
    *,
    vary: VariedThresholds | None = None,
    suppression: float = 0.0,
    suppressed_records: str = REMOVE,
    subsets: Mapping[str, Any] | None = None,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, Any] | None = None,
    role_reasons: Mapping[str, str] | None = None,
    no_privacy_unit: Mapping[str, str] | None = None,
    original: Any = None,
    population: Any = None,
    suppressed: str | None = None,
    missing: str | None = None,
    several_sensitive: str | None = None,
    sensitive_values: str | None = None,
    privacy_unit: str | None = None,
    engine: str = "auto",
    memory_limit: int | str | None = None,
    temp_folder: str | os.PathLike[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Frontier:
    """The least loss for each threshold of a rule and each limit of suppression.

    See `anonymize` for all other parameters; there is no order of records, since none are written. Points that are
    neither stricter nor lose less than another are left out.

    vary   `{"k-anonymity": {"k": [2, 5, 10]}}`, `{"suppression": [0, 0.05]}`, or both; the values of the rules
           themselves are always included. By default: k = 2, 3, 5, 10, 11, 20, 50 if k-anonymity is a rule, and the
           limits 0, 1, 2, 5 and 10 %
    """
    checked = checked_rules(rules or {}, subsets)
    release = Release(
        data,
        roles,
        hierarchies,
        original,
        population=population,
        suppressed=suppressed or AS_CLASS,
        missing=missing,
        several_sensitive=several_sensitive,
        sensitive_values=sensitive_values or FOLDED,
        privacy_unit=privacy_unit,
        engine=engine,
        memory_limit=memory_limit,
        temp_folder=temp_folder,
    )
    _check_roles(release, no_privacy_unit)
    result = find_frontier(
        release,
        checked,
        vary,
        suppression=suppression,
        suppressed_records=suppressed_records,
        objective=objective,
        aggregate=aggregate,
        weights=weights,
        levels=levels,
        progress=progress,
    )
    return replace(result, make=partial(_anonymized_at_a_point, role_reasons, no_privacy_unit))


def _anonymized_at_a_point(
    role_reasons: Mapping[str, str] | None,
    no_privacy_unit: Mapping[str, str] | None,
    release: Release,
    rules: tuple[Rule, ...],
    **settings: Any,
) -> Anonymization:
    result = anonymize_release(release, rules, **settings, order=choose_order(release, rules))
    return _with_notices(result, policy_for(release, rules, role_reasons, no_privacy_unit))


def _check_roles(release: Release, no_privacy_unit: Mapping[str, str] | None) -> None:
    """Raise if a column has no role, or if records of one person would count as several people."""
    without = columns_without_role(release)
    if without:
        raise RoleError(
            "columns without a role: {without}; give each of them one: identifier (it is left out), "
            "insensitive_attribute (it stays as it is), quasi_identifier or sensitive_attribute",
            without=quoted(without),
            what="roles",
        )
    check_people_are_declared(release, no_privacy_unit)


def _with_notices(made: MadeRelease, policy: Policy) -> MadeRelease:
    """The release with its notices, each also raised as a warning for the line that called the public function."""
    texts = tuple(dict.fromkeys(_notices(made, policy, language())))
    for notice in texts:
        warnings.warn(notice, ReleaseWarning, stacklevel=3)
    return replace(made, notices=texts)


def _notices(made: Recoded, policy: Policy, lang: str) -> Iterator[str]:
    order = made.order
    if order.why_not is not None and order.why_not != "asked":
        yield message_text(lang, "cli.in-order", why=why_in_order(order, lang))
    yield from two_levels_texts(made.original, lang)
    if isinstance(made, Replayed) and not made.within_the_limit:
        yield message_text(lang, "apply.too-many", limit=percent(made.problem.suppression, lang))
    if made.original.engine.name != "memory":
        yield message_text(lang, "python.not-judged", engine=made.original.engine.name)
        return
    judged = rule_results(made.release, policy, today())
    for rule in judged:
        if rule.verdict == FAIL:
            values = {"rule": rule_name(rule.name, lang), "found": value_with_fraction(rule, lang)}
            required = thresholds(rule, lang)
            yield (
                message_text(lang, "python.fails", **values)
                if not required
                else message_text(lang, "python.fails-limit", **values, required=required)
            )
    columns, all_notices = find_notices(made.release, policy, judged, tuple(protect_words(made.original.source)))
    notices = [notice for notice in all_notices if notice.notice not in ALWAYS_SHOWN]
    if isinstance(made, Anonymization | OnLevels | Replayed):
        yield from notice_texts(tuple(suppression_notices(made, judged)), lang)
    yield from notice_texts(notices, lang)
    named = {column for notice in notices for column in notice.columns or ()}
    unnamed = [column for column in columns if column not in named]
    if unnamed:
        yield message_text(lang, "anonymize.look-at", columns=unnamed)
