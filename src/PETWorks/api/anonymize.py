"""The Python functions that make a release; they refuse, shuffle and warn like the command.

Calls of version 0.1 pass arguments of the table instead of a Release. They warn, and the next version drops them.
"""

import functools
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from PETWorks.about.hierarchies.declaration import Declaration
from PETWorks.about.roles import Roles, check_unit, role_of_each, two_roles
from PETWorks.about.treatment import CAREFUL, INTERVAL, REMOVE
from PETWorks.anonymizer.anonymization import Anonymization, anonymize_release
from PETWorks.anonymizer.chosen_levels import OnLevels, recode_to_levels
from PETWorks.anonymizer.frontier import Frontier, VariedThresholds, find_frontier
from PETWorks.anonymizer.model_choice import anonymize_for_models
from PETWorks.anonymizer.plan import Plan
from PETWorks.anonymizer.problem import ALL, METHODS, complete_hierarchies
from PETWorks.anonymizer.released import (
    SHUFFLED,
    Recoded,
    RecordOrder,
    check_order_arguments,
    choose_order,
    with_safe_cells,
)
from PETWorks.anonymizer.replay import Replayed
from PETWorks.anonymizer.rules import NO_RULE, Rule, Rules, check_rules
from PETWorks.anonymizer.search.exact import Progress
from PETWorks.api.release_or_policy import is_policy, is_release_or_policy, not_a_release, open_policy, warn_caller
from PETWorks.counting.protected_source import protect_words
from PETWorks.counting.release import Release, build_declared_hierarchy
from PETWorks.errors import HierarchyError, ParameterError, ReleaseWarning, RoleError, quoted
from PETWorks.gate.anonymising import anonymize_by_policy, frontier_by_policy, search_rules
from PETWorks.gate.case import Case
from PETWorks.gate.check.built_in_rules import check_people_are_declared
from PETWorks.gate.check.notices import ALWAYS_SHOWN, suppression_notices
from PETWorks.gate.document import FAIL
from PETWorks.gate.plans import (
    demanded_rules,
    earlier_hierarchies,
    match_hierarchies,
    next_policy,
    prepare_table,
    with_suppression,
)
from PETWorks.gate.policy.plan_files import parse_plan, read_plan
from PETWorks.gate.policy.policy import Policy, columns_without_role, policy_for, policy_in_memory
from PETWorks.gate.policy.policy_rules import today
from PETWorks.gate.suggest.starter import MAX_HIERARCHIES, SUPPRESSION, proposal_for_column
from PETWorks.measures.utility.models import parse_models
from PETWorks.render.language.language import message_text, percent, rule_name, thresholds, value_with_fraction
from PETWorks.render.language.messages import language
from PETWorks.render.report.making import two_levels_texts, why_in_order
from PETWorks.render.report.prose import notice_texts

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

TABLE = ("data", "roles", "hierarchies")
# Keywords of the functions that became keywords of `Release`.
MOVED = (
    *("original", "population", "protect", "role_reasons", "no_privacy_unit", "privacy_unit"),
    *("suppressed", "missing", "several_sensitive", "sensitive_values"),
    *("engine", "memory_limit", "temp_folder"),
)


def accepts_earlier_call(
    *positional: str,
) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """A decorator that lets a function also take the arguments of version 0.1, of which these were positional.

    Such a call gives the same result as in that version: no hierarchy is proposed, and nothing is suppressed by
    default.
    """

    def wrap(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        @functools.wraps(function)
        def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
            if "release" in kwargs or (args and is_release_or_policy(args[0])) or not (args or "data" in kwargs):
                for name in (name for name in (*TABLE, *MOVED) if name in kwargs):
                    raise ParameterError("give {name} to Release(...)", name=name, what=name)
                return function(*args, **kwargs)
            given = _by_name(function.__name__, positional, args, kwargs)
            roles = given.get("roles")
            if isinstance(roles, Mapping) and any(isinstance(role, Mapping) for role in roles.values()):
                raise not_a_release(given["data"])  # these are rules: the call is a new one
            warn_caller(_advice(function.__name__, given), DeprecationWarning)
            table = {name: given.pop(name) for name in (*TABLE, *MOVED) if name in given}
            for name, choice in CAREFUL.items():
                table[name] = table.get(name) or choice
            release = Release(table.pop("data"), **table)
            if "levels" in positional:
                chosen = given.get("levels")
                levels = chosen if isinstance(chosen, Mapping) else {}
                complete_hierarchies(release, [name for name in release.quasi_identifiers if levels.get(name, 0) != 0])
            else:
                complete_hierarchies(release, release.quasi_identifiers)
                given.setdefault("suppression", 0.0)
                given.setdefault("may_lose", ALL)
                if function.__name__ == "frontier":  # its points have no more than they had
                    given.setdefault("method", "global")
                else:
                    given.setdefault("show", INTERVAL)
            untyped: Any = function
            result: Returned = untyped(release, **given)
            return result

        return call

    return wrap


def _by_name(
    function: str, positional: tuple[str, ...], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments by name; raise as Python does if there are too many, or one twice."""
    if len(args) > len(positional):
        raise TypeError(f"{function}() takes at most {len(positional)} positional arguments, got {len(args)}")
    given = dict(zip(positional, args, strict=False))
    for name in kwargs:
        if name in given:
            raise TypeError(f"{function}() got multiple values for argument {name!r}")
    return {**given, **kwargs}


def _advice(function: str, given: Mapping[str, Any]) -> str:
    """The advice to write the call with a `Release`."""
    moved = [f"{name}=..." for name in MOVED if name in given]
    table = ", ".join([*(name for name in TABLE if name in given), *moved])
    others = ["levels"] * ("levels" in given and function == "apply_levels") + ["rules"] * ("rules" in given)
    options = ["..."] if set(given) - {*TABLE, *MOVED, *others} else []
    now = ", ".join([f"Release({table})", *others, *options])
    advice = f"{function}() takes a Release, and the next version will take nothing else: write {function}({now})"
    if function == "apply_levels" or "suppression" in given:
        return advice
    return f"{advice}; without suppression=..., it may then suppress {SUPPRESSION:.0%} of the records"


MadeRelease = TypeVar("MadeRelease", bound=Recoded)


@accepts_earlier_call("data", "roles", "hierarchies", "rules")
def anonymize(
    release: Release | Policy | str | os.PathLike[str],
    rules: Rules | None = None,
    *,
    suppression: float | None = None,
    suppressed_records: str | None = None,
    objective: str | None = None,
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, Any] | None = None,
    keep: Collection[str] | None = None,
    may_lose: Collection[str] | str | None = None,
    subsets: Mapping[str, Any] | None = None,
    method: str | None = None,
    show: Mapping[str, str] | str | None = None,
    spreadsheet_safe: bool | None = None,
    seconds: float | None = None,
    resume: str | os.PathLike[str] | None = None,
    order: str | None = None,
    seed: int | None = None,
    models: Sequence[Mapping[str, Any]] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Anonymization:
    """The release of a table with the least loss that keeps the rules.

    Quasi-identifiers are generalised by their hierarchies, and records of classes that break a rule are suppressed, as
    far as the limit allows. Every column needs a role; direct identifiers are left out. Notices that the
    command would print are raised as `ReleaseWarning`, and listed in `notices` of the result. The result is the same
    with each engine.

    release       the table, with its roles and hierarchies; or a `Policy` or the path of a policy file, which has the
                  table, the rules and the settings that are not given here. For a quasi-identifier of a `Release`
                  without a hierarchy, the one that `petworks init` would propose is used, and a notice shows it
    rules         as for `evaluate`: `{"k-anonymity": {"k": 5}}`
    suppression   the share of records that may be suppressed; by default 0.05, as `petworks init` writes it
    suppressed_records  "remove", the default: they are removed, also those that were suppressed before; "stars": they
                  stay with `*` in every quasi-identifier and with all other cells, and are a class of their own
    objective     the loss to minimise: "granularity", the default, "precision", "non-uniform-entropy",
                  "discernibility", "aecs", "ambiguity", "missings" or "publisher-payout"
    aggregate     how the granularity of columns is combined: "geometric" (mean), "arithmetic", "sum", "maximum"
    weights       the importance of columns, by default 1
    levels        a fixed level, `{"age": 2}`, or the lowest and the highest, `{"age": (1, 3)}`
    keep          columns of which something must be left, at any cost: `["age"]`
    may_lose      columns of which nothing need be left, or "all"; others are kept if that raises the loss by at most a
                  quarter, and suppresses at most 5 % of the records in addition
    subsets       limits for adversaries who know some quasi-identifiers: `{"sizes": "1-3", "limits": {"uniques": 0}}`
    method        "local", the default: record by record, each value as fine as its class allows; "global": one level
                  for each column, proved to be the best, also where rules or objective need it (`result.why_global`)
    show          what the records of a class show instead of an interval or a period: `{"age": "mean"}`, "median" or
                  "interval", for quasi-identifiers whose hierarchy is declared by width, cuts, quantiles or dates. With
                  "local", columns that are not named show the mean of numbers and the median of dates; "interval"
                  alone is for all columns
    spreadsheet_safe  whether cells that a spreadsheet takes for formulas get an apostrophe; numbers are unchanged, and
                  so are quasi-identifiers, whose values are those of hierarchies
    seconds       time limit, after which the best release so far is returned; its `gap` bounds the distance from the
                  best. Without a limit, the search continues until the best is proved, or for a minute if there are
                  more than 2 million combinations of levels. With "local", half of it is for the global search
    resume        the file of a stopped search to continue, as written by `result.write_unfinished`
    order         "shuffled": the records of the release are in random order, so that nobody is found by position;
                  "original": in the order of the table. By default they are shuffled, unless a rule compares them one
                  by one with the original, or they are not in memory; see `result.order`
    models        regressions that the data are for, as in a policy: `[{"outcome": "wage", "on": ["age", "sex"]}]`;
                  their columns weigh more, and `result.models` compares each on the original
    seed          the seed of an earlier release's random order; by default a new one, recorded in result and plan
    progress      called now and then with the progress of the search

    >>> roles = {"quasi_identifiers": ["zip", "nationality"], "identifiers": ["age", "salary-class"]}
    >>> release = Release("data/delta.csv", roles, "data/delta_hierarchy")
    >>> anonymize(release, {"k-anonymity": {"k": 3}}, method="global").levels
    {'zip': 1, 'nationality': 1}
    """
    settings = {
        "suppression": suppression,
        "suppressed_records": suppressed_records,
        "objective": objective,
        "aggregate": aggregate,
        "weights": weights,
        "levels": levels,
        "keep": keep,
        "may_lose": may_lose,
        "method": method,
        "show": show,
        "seconds": seconds,
        "resume": resume,
    }
    shuffle, seed = check_order_arguments(order, seed)
    task = _open_task(release, rules, subsets)
    if spreadsheet_safe or (spreadsheet_safe is None and task.settings.get("spreadsheet_safe") == "true"):
        task = replace(task, release=with_safe_cells(task.release))
    record_order = task.choose_order(shuffle, seed)
    if task.policy is not None:
        policy = task.policy if models is None else replace(task.policy, models=parse_models(models))
        result = anonymize_by_policy(policy, task.release, task.rules, settings, progress)
    else:
        used = {"method": METHODS[0]} | _with_defaults(settings)
        result = anonymize_for_models(
            task.release, task.rules, parse_models(models), used, progress, may_choose_method=method is None
        )
    return _with_notices(replace(result, order=record_order, keeps_unit=task.keeps_unit), task.judging_policy)


@accepts_earlier_call("data", "roles", "hierarchies", "levels", "rules")
def apply_levels(
    release: Release | Policy | str | os.PathLike[str],
    levels: Mapping[str, int] | None = None,
    rules: Rules | None = None,
    *,
    suppressed_records: str | None = None,
    order: str | None = None,
    seed: int | None = None,
) -> OnLevels:
    """A table generalised to levels chosen by the caller.

    See `anonymize` for the release, the order of the records and for warnings.

    levels   the level of each quasi-identifier; others stay unchanged
    rules    as for `anonymize`: records of classes that break one are suppressed, however many; limits for the whole
             table suppress nothing. Without rules, and without a policy, nothing is suppressed
    suppressed_records  as for `anonymize`: "remove" or "stars"

    >>> roles = {"quasi_identifiers": ["zip", "nationality"], "identifiers": ["age", "salary-class"]}
    >>> release = Release("data/delta.csv", roles, "data/delta_hierarchy")
    >>> apply_levels(release, {"zip": 1, "nationality": 1}, {"k-anonymity": {"k": 3}})
    <OnLevels: levels zip 1, nationality 1; 0 of 9 records suppressed>
    """
    shuffle, seed = check_order_arguments(order, seed)
    task = _open_task(release, rules, None, levels=levels or {})
    suppressed_records = suppressed_records or task.settings.get("suppressed_records", REMOVE)
    made = recode_to_levels(task.release, levels or {}, task.rules, suppressed_records)
    record_order = task.choose_order(shuffle, seed)
    return _with_notices(replace(made, order=record_order, keeps_unit=task.keeps_unit), task.judging_policy)


def apply_plan(
    data: Any,
    plan: str | Path | Mapping[str, Any] | Anonymization | Replayed,
    hierarchies: Any = None,
    *,
    roles: Roles | None = None,
    suppression: float | None = None,
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

    data          the table, as for `Release`; or a `Release`, whose original, population, memory limit and
                  hierarchies are used, and its roles for columns that the plan lacks
    plan          what `anonymize` or `apply_plan` made, its `plan`, or the file that `petworks anonymize` writes beside
                  a release
    hierarchies   the hierarchies of the plan that depend on its table (files, rows, `quantiles`, `rare`): a folder, or
                  by column a file or rows, or those of the table, `anonymize(...).original.hierarchies`; declarations
                  as in the plan may be among them. Not needed with what `anonymize` made, or with a file that has
                  them beside it
    roles         roles of columns that the plan lacks: "identifier" (left out) or "insensitive_attribute" (stays)
    suppression   the share of records that may be suppressed; by default that of the plan
    order, seed   the order of the records, as for `anonymize`
    original      the table that measures compare with, if it is not the data themselves
    population    as for `Release`, if it is a table
    strict        whether values without a place are an error

    >>> given = {"quasi_identifiers": ["zip", "nationality"], "identifiers": ["age", "salary-class"]}
    >>> release = Release("data/delta.csv", given, "data/delta_hierarchy")
    >>> result = anonymize(release, {"k-anonymity": {"k": 3}}, order="original")
    >>> again = apply_plan("data/delta.csv", result.plan, "data/delta_hierarchy", order="original")
    >>> again.table.equals(result.table), again.satisfied
    (True, True)
    """
    shuffle, seed = check_order_arguments(order, seed)
    if is_policy(data):
        raise ParameterError("with a plan, name the table itself; the plan has what a policy says")
    if isinstance(plan, Anonymization | Replayed):
        hierarchies = plan.original.hierarchies if hierarchies is None else hierarchies
        plan = plan.plan
    plan_document = parse_plan(plan, "plan") if isinstance(plan, Mapping) else read_plan(Path(plan))
    if suppression is not None:
        plan_document = with_suppression(plan_document, suppression)
    if isinstance(data, Release):
        given = {"roles": roles, "original": original, "population": population, "memory_limit": memory_limit}
        for name, value in given.items():
            if value is not None:
                raise ParameterError("give {name} to Release(...)", name=name, what=name)
        background, memory_limit = data.view.background, data.memory_limit
        original = background.given[1]
        population = None if background.population is None else background.population.given_as
        roles = _new_roles(data, plan_document)
        if hierarchies is None and isinstance(plan, Mapping):
            hierarchies = data.hierarchies
        data = data.source
    if hierarchies is None and not isinstance(plan, Mapping):
        earlier = earlier_hierarchies(plan_document, Path(plan).parent)
    else:
        earlier = match_hierarchies(plan_document, hierarchies)
    prepared = prepare_table(
        data,
        plan_document,
        earlier,
        original=original,
        population=population,
        new_roles=None if roles is None else role_of_each(roles),
        memory_limit=memory_limit,
    )
    policy = next_policy(prepared, Path("table"))
    check_people_are_declared(prepared.release, policy.get("no_privacy_unit"))
    rules = demanded_rules(plan_document, today())
    record_order = choose_order(prepared.release, rules, shuffle, seed)
    made = replace(prepared.recode(rules, strict=strict), order=record_order)
    return _with_notices(made, policy_in_memory(policy))


def _new_roles(release: Release, plan: Plan) -> dict[str, str]:
    """The roles of the release for columns that the plan lacks; raise if it contradicts the plan."""
    planned_roles = role_of_each({str(key): list(columns) for key, columns in plan.roles.items()})
    for column, role in release.roles.items():
        if planned_roles.get(column, role) != role:
            raise two_roles(column, planned_roles[column], role)
    known = {*planned_roles, *plan.no_role, plan.privacy_unit, plan.sampling_weight, plan.household}
    return {column: role for column, role in release.roles.items() if column not in known}


@accepts_earlier_call("data", "roles", "hierarchies", "rules")
def frontier(
    release: Release | Policy | str | os.PathLike[str],
    rules: Rules | None = None,
    *,
    vary: VariedThresholds | None = None,
    suppression: float | None = None,
    suppressed_records: str | None = None,
    subsets: Mapping[str, Any] | None = None,
    objective: str | None = None,
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
    levels: Mapping[str, Any] | None = None,
    keep: Collection[str] | None = None,
    may_lose: Collection[str] | str | None = None,
    method: str | None = None,
    seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Frontier:
    """The least loss for each threshold of a rule and each limit of suppression.

    See `anonymize` for the release and the settings; `suppression` is the limit of the rules' own point.

    vary      thresholds of one rule, and limits of suppression: `{"k-anonymity": {"k": [2, 5, 10]}, "suppression":
              [0, 0.05]}`; by default k, if k-anonymity is a rule, and suppression
    method    "local", the default: each point also has the loss of the release record by record; "global": only the
              least loss with one level for each column, which is proved
    seconds   time limit for all releases record by record together, by default 60
    """
    settings = {
        "suppression": suppression,
        "suppressed_records": suppressed_records,
        "objective": objective,
        "aggregate": aggregate,
        "weights": weights,
        "levels": levels,
        "keep": keep,
        "may_lose": may_lose,
        "method": method,
        "seconds": seconds,
    }
    task = _open_task(release, rules, subsets)
    if task.policy is not None:
        result = frontier_by_policy(task.policy, task.release, task.rules, settings, vary, progress)
    else:
        for text in _proposal_texts(task.release, language()):
            warn_caller(text, ReleaseWarning)
        used = {"method": METHODS[0]} | _with_defaults(settings)
        result = find_frontier(task.release, task.rules, vary, **used, progress=progress)
    return replace(result, make=partial(_anonymize_at_point, task))


@dataclass(frozen=True, eq=False)
class _Task:
    """A table that may be released, and the rules for it.

    policy   if the user gave one
    """

    release: Release
    rules: tuple[Rule, ...]
    policy: Policy | None

    @property
    def settings(self) -> Mapping[str, Any]:
        return {} if self.policy is None else self.policy.anonymize

    @property
    def keeps_unit(self) -> bool:
        return self.policy is not None and self.policy.keeps_unit

    @property
    def judging_policy(self) -> Policy:
        """The policy that the made release is judged by for notices."""
        return self.policy or policy_for(self.release, self.rules)

    def choose_order(self, shuffle: bool | None = None, seed: int | None = None) -> RecordOrder:
        """The requested order of the records, otherwise that of the policy, or a random one where that is possible."""
        if shuffle is None and "order" in self.settings:
            shuffle = self.settings["order"] == SHUFFLED
        return choose_order(self.release, self.rules, shuffle, seed)


def _open_task(
    given: Any, rules: Rules | None, subsets: Mapping[str, Any] | None, *, levels: Mapping[str, Any] | None = None
) -> _Task:
    """Check everything that the command checks before it makes a release.

    levels   levels that the user chose: then there need not be rules, and only columns on other levels than 0 need a
             hierarchy
    """
    if is_policy(given):
        if rules is not None or subsets is not None:
            raise ParameterError("the policy has the rules; to use others, give a Release(data, roles)", what="rules")
        policy = open_policy(given)
        release = policy.release(protect=True)
        with policy.located("privacy_unit"):
            check_unit(policy.privacy_unit, release.source, {})
        check_people_are_declared(release, policy.no_privacy_unit)
        return _Task(release, search_rules(policy, today()), policy)
    if not isinstance(given, Release):
        raise not_a_release(given)
    if rules is None and subsets is None and levels is None:
        raise ParameterError(NO_RULE, what="rules")
    checked = () if rules is None and subsets is None else check_rules(rules or {}, subsets)
    without = columns_without_role(given)
    if without:
        raise RoleError(
            "columns without a role: {without}; give each of them one: identifier (it is left out), "
            "insensitive_attribute (it stays as it is), quasi_identifier or sensitive_attribute",
            without=quoted(without),
            what="roles",
        )
    release = given.with_careful_treatment()
    check_people_are_declared(release, release.no_privacy_unit)
    generalised = release.quasi_identifiers if levels is None else [name for name in levels if levels[name] != 0]
    _propose_hierarchies(release, generalised)
    return _Task(release, checked, None)


def _propose_hierarchies(release: Release, columns: Collection[str]) -> None:
    """Give these quasi-identifiers, where they have no hierarchy, the one that `petworks init` would propose."""
    without = [name for name in release.quasi_identifiers if name in columns and name not in release.hierarchies]
    for name in without if len(release.quasi_identifiers) <= MAX_HIERARCHIES else []:
        proposal = proposal_for_column(name, release.table)
        if proposal is None:
            continue
        declaration = Declaration.of(proposal.words)
        try:
            hierarchy = build_declared_hierarchy(declaration, name, release.table, release.view.background)
        except HierarchyError:  # a value of the original or of the population has no place
            continue
        release.hierarchies[name] = hierarchy
        release.proposed[name] = release.declared[name] = declaration.words
    release.view = replace(release.view, hierarchies=dict(release.hierarchies))


def _with_defaults(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that were given, and the usual share of records that may be suppressed."""
    return {"suppression": SUPPRESSION} | {name: value for name, value in settings.items() if value is not None}


def _anonymize_at_point(task: _Task, release: Release, rules: tuple[Rule, ...], **settings: Any) -> Anonymization:
    """Make the release of a point of the frontier."""
    task = replace(task, rules=rules)
    result = anonymize_release(release, rules, **settings, order=task.choose_order())
    return _with_notices(replace(result, keeps_unit=task.keeps_unit), task.judging_policy)


def _with_notices(made: MadeRelease, policy: Policy) -> MadeRelease:
    """The release with its notices, each also raised as a warning for the line that called the public function."""
    texts = tuple(dict.fromkeys(_texts_of_notices(made, policy, language())))
    for text in texts:
        warn_caller(text, ReleaseWarning)
    return replace(made, notices=texts)


def _proposal_texts(release: Release, lang: str) -> Iterator[str]:
    """A text with the hierarchies that were proposed, as arguments that declare them."""
    if release.proposed:
        declared = {column: dict(words) for column, words in release.proposed.items()}
        yield message_text(lang, "python.proposed", columns=list(declared), words=f"hierarchies={declared!r}")


def _texts_of_notices(made: Recoded, policy: Policy, lang: str) -> Iterator[str]:
    order = made.order
    if order.why_not is not None and order.why_not != "asked":
        yield message_text(lang, "cli.in-order", why=why_in_order(order, lang))
    yield from _proposal_texts(made.original, lang)
    yield from two_levels_texts(made.original, lang)
    if isinstance(made, Replayed) and not made.within_the_limit:
        yield message_text(lang, "apply.too-many", limit=percent(made.problem.suppression, lang))
    if made.original.engine.name != "memory":
        yield message_text(lang, "python.not-judged", engine=made.original.engine.name)
        return
    case = Case(policy, release=made.release, protected=tuple(protect_words(made.original.source)), made_here=True)
    for rule in case.rules:
        if rule.verdict == FAIL:
            values = {"rule": rule_name(rule.name, lang), "found": value_with_fraction(rule, lang)}
            required = thresholds(rule, lang)
            yield (
                message_text(lang, "python.fails", **values)
                if not required
                else message_text(lang, "python.fails-limit", **values, required=required)
            )
    notices = [notice for notice in case.notices_of_release if notice.notice not in ALWAYS_SHOWN]
    if isinstance(made, Anonymization | OnLevels | Replayed):
        yield from notice_texts(tuple(suppression_notices(made, case.rules)), lang)
    yield from notice_texts(notices, lang)
    named = {column for notice in notices for column in notice.columns or ()}
    unnamed = [column for column in case.columns_to_look_at if column not in named]
    if unnamed:
        yield message_text(lang, "anonymize.look-at", columns=unnamed)
