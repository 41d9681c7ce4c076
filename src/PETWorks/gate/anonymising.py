"""Releases made by a policy: rules for the search, and the policy of the release."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import structs

from PETWorks.about.kinds import GENERALISED, WORDS
from PETWorks.about.treatment import INTERVAL, STARS
from PETWorks.anonymizer.anonymization import Anonymization, LocalAnonymization
from PETWorks.anonymizer.class_means import usual_show
from PETWorks.anonymizer.frontier import Frontier, find_frontier
from PETWorks.anonymizer.model_choice import anonymize_for_models, weights_for_models
from PETWorks.anonymizer.problem import SEARCH_SETTINGS
from PETWorks.anonymizer.released import Recoded
from PETWorks.anonymizer.rules import MeasureRule, Rule, SubsetRule
from PETWorks.anonymizer.search.exact import Progress
from PETWorks.counting.protected_source import protect_words
from PETWorks.counting.release import ORDERS, Release
from PETWorks.errors import ParameterError, PETWorksError, quoted
from PETWorks.gate.policy.mistakes import located_error
from PETWorks.gate.policy.policy import KEEP, MARK, WRITTEN, Policy
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES
from PETWorks.measures.parameters import parse_number
from PETWorks.tables.files import common_folder, path_from
from PETWorks.tables.opening import is_address

TABLES = ("data", "original", "policy")  # keys of an earlier release that are paths
SETTINGS = (*SEARCH_SETTINGS, "method", "show")
# Keys for which the policy of a release has new values.
RESTATED_KEYS = ("anonymize", "hierarchies", "original", "data", "order", "seed", "plan")
NOT_TO_BE_RELEASED = (
    "Policy, hierarchies and reports are for those who may see the original: hierarchies list its values."
)
HOW_MADE = "How it was made:"


def search_rules(policy: Policy, today: date) -> tuple[Rule, ...]:
    """The rules that a release must keep: those about measures and subsets that are not waived."""
    if policy.kind != GENERALISED:
        raise ParameterError(
            "the policy is about a {kind} table, and anonymize makes generalised ones: give it a policy of the "
            "original, without a kind",
            kind=WORDS[policy.kind],
            what="rules",
        )
    waived = waived_rules(policy, today)
    rules: list[Rule] = []
    for rule in policy.rules:
        if rule.name in waived or rule.name in BUILT_IN_RULES or rule.about_all_releases:
            continue  # a search handles one table; the check judges all releases together
        if rule.measure is not None:
            rules.append(MeasureRule(rule.measure, rule.parameters, rule.name))
        else:
            ((limit, at_most),) = rule.parameters.items()
            rules.append(SubsetRule(limit, at_most, policy.subset_sizes))
    if not rules and waived:
        raise ParameterError(
            "every rule that a release could break is waived: {waived}; nothing is demanded "
            "of the release, so remove a waiver or add a rule",
            waived=quoted(waived),
            what="rules",
        )
    if not rules:
        raise ParameterError("the policy has no rule that a release could break; give 'rules' or 'presets'")
    return tuple(rules)


def waived_rules(policy: Policy, today: date) -> tuple[str, ...]:
    """The names of waived rules that a release could break."""
    waived = {waiver.rule for waiver in policy.waivers if waiver.expires >= today}
    return tuple(rule.name for rule in policy.rules if rule.name in waived and rule.name not in BUILT_IN_RULES)


def anonymize_by_policy(
    policy: Policy,
    release: Release,
    rules: tuple[Rule, ...],
    overrides: Mapping[str, Any],
    progress: Callable[[Progress], None] | None = None,
) -> Anonymization:
    """The best release of the policy's table; `overrides` take precedence over the policy's settings."""
    may_choose_method = (
        overrides.get("method") is None and "method" not in policy.anonymize and not policy.came_with_release
    )
    settings = _settings(policy, overrides)
    if policy.came_with_release:  # it says what its columns show; all others show labels
        given = settings.get("show")
        named = {**given} if isinstance(given, Mapping) else {}
        settings["show"] = dict.fromkeys(usual_show(release), INTERVAL) | named
    has_other_releases = settings["method"] == "local" and bool(policy.releases.earlier)
    if has_other_releases:
        settings["method"], may_choose_method = "global", False
    with locating_models(policy), locating_errors(policy, overrides):
        result = anonymize_for_models(
            release, rules, policy.models, settings, progress, may_choose_method=may_choose_method
        )
    return replace(result, why_global="other releases") if has_other_releases else result


def _settings(policy: Policy, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a search: those of the policy, and overrides, which take precedence."""
    given = {**policy.anonymize, **{name: value for name, value in overrides.items() if value is not None}}
    settings = {name: value for name, value in given.items() if name in (*SETTINGS, "seconds", "resume")}
    if "time" in given:
        settings.setdefault("seconds", parse_seconds(given["time"]))
    return {"method": policy.method, **settings}


def parse_seconds(time: Any) -> float | None:
    """A time such as 90, 90s, 10m or 2h in seconds; None if it is not a valid time.

    >>> parse_seconds("10m"), parse_seconds("90"), parse_seconds("soon")
    (600.0, 90.0, None)
    """
    text = str(time).strip()
    units = {"s": 1, "m": 60, "h": 3600}
    number = parse_number(text[:-1] if text[-1:] in units else text)
    return float(number * units.get(text[-1:], 1)) if number is not None and 0 < number < math.inf else None


def frontier_by_policy(
    policy: Policy,
    release: Release,
    rules: tuple[Rule, ...],
    overrides: Mapping[str, Any],
    vary: Mapping[str, Any] | None,
    progress: Callable[[Progress], None] | None = None,
) -> Frontier:
    """The cost of other thresholds and limits of suppression, for the policy's table and rules."""
    used = {name: value for name, value in _settings(policy, overrides).items() if name not in ("show", "resume")}
    has_other_releases = used["method"] == "local" and bool(policy.releases.earlier)
    if has_other_releases:
        used["method"] = "global"
    models = () if release.engine.name == "spark" else policy.models
    weights = weights_for_models(models, release.quasi_identifiers, used)
    with locating_errors(policy, overrides):
        found = find_frontier(
            release, rules, vary, **used | ({"weights": weights} if weights else {}), progress=progress
        )
    if not has_other_releases:
        return found
    return replace(found, facts=structs.replace(found.facts, why_global="other releases"))


@contextmanager
def locating_errors(policy: Policy, overrides: Mapping[str, Any]) -> Any:
    """A context in which errors about settings get the line of the policy with the setting."""
    try:
        yield
    except PETWorksError as error:
        what = (error.what or "").partition(".")[0]
        if error.where is not None or overrides.get(what) is not None:
            raise
        if what in SETTINGS and what in policy.anonymize:
            raise located_error(policy.file, ("anonymize", what), error) from None
        if what == "hierarchies" and "hierarchies" in policy.file.content:
            raise located_error(policy.file, ("hierarchies",), error) from None
        raise


@contextmanager
def locating_models(policy: Policy) -> Any:
    """A context in which errors about models get their line of the policy."""
    try:
        yield
    except PETWorksError as error:
        what, _, number = (error.what or "").partition(".")
        if error.where is not None or what != "models" or "models" not in policy.file.content:
            raise
        raise located_error(policy.file, ("models", int(number)), error) from None


def policy_content(policy: Policy) -> dict[str, Any]:
    """The content of a policy, with paths relative to the working directory of the program."""
    content = dict(policy.file.content)
    for key in ("data", "original", "population"):
        if isinstance(getattr(policy, key), Path):
            content[key] = getattr(policy, key)
    if policy.register is not None and "register" in content:
        content["register"] = policy.register
    if policy.releases.earlier:
        folder = policy.path.parent
        earlier = [
            {key: folder / text if key in TABLES and not is_address(text) else text for key, text in release.items()}
            for release in content["releases"]["earlier"]
        ]
        content["releases"] = {**content["releases"], "earlier": earlier}
    return content


def policy_of_release(
    content: Mapping[str, Any],
    target: Path,
    hierarchies: Mapping[str, Path],
    *,
    data: str,
    needs_original: bool,
    seed: int | None = None,
    plan: Path | None = None,
    made: Recoded | None = None,
    say: Callable[[str], str] = str,
) -> tuple[str, Path | None]:
    """The policy that comes with a release, and the folder it needs as root if its own is not enough.

    content      the content of the original's policy
    target       the file of the release; the policy is written beside it
    hierarchies  the file of the hierarchy of each column
    data         the name of the release in the policy
    seed         seed of the random order of the records; None if they are in the order of the table
    plan         the file of the plan
    made         the release, for comments about how it was made
    say          translates comments into the user's language
    """
    import yaml

    folder = target.parent.resolve()
    new = {key: value for key, value in content.items() if key not in RESTATED_KEYS}
    if made is not None:
        for name in (made.original.privacy_unit, *made.original.sample.columns):
            if name in made.left_out and name not in made.original.identifiers:
                new = _without_unit(new, str(name))
    original = content.get("original", content["data"])
    is_file = isinstance(original, Path)
    inside = is_file and original.resolve().is_relative_to(folder)
    leading_keys: dict[str, Any] = {"petworks_policy": new.pop("petworks_policy", 1)}
    # A title that is just the name of the original's file would be wrong for the release.
    if new.get("title") == getattr(content["data"], "name", None):
        new.pop("title", None)
    leading_keys |= {"title": new.pop("title")} if "title" in new else {}
    leading_keys["data"] = data
    root = None
    if inside or needs_original:
        leading_keys["original"] = _relative(original, folder)
        root = None if inside or not is_file else common_folder(folder, original.resolve().parent)
    leading_keys |= _order(content, seed)
    leading_keys |= {} if plan is None else {"plan": plan.name}
    made_so: dict[str, Any] = {}
    if made is not None:
        made_so |= {"privacy_unit": KEEP} if made.keeps_unit else {}
        made_so |= {"show": dict(made.shown.columns)} if made.shown.columns else {}
    leading_keys |= {"anonymize": made_so} if made_so else {}
    for path in _paths_in(new):
        if not path.resolve().is_relative_to(root or folder):
            root = common_folder(root or folder, path.resolve().parent)
    new = _with_relative_paths(new, folder)
    leading_keys["hierarchies"] = {column: path.relative_to(folder).as_posix() for column, path in hierarchies.items()}
    text = yaml.safe_dump({**leading_keys, **new}, allow_unicode=True, sort_keys=False, width=100)
    comments = [*([say(WRITTEN)] if say(WRITTEN) != WRITTEN else []), say(NOT_TO_BE_RELEASED)]
    comments += [] if made is None else [say(HOW_MADE), *_how_made(made)]
    return "\n".join([MARK, *(f"# {line}" for line in comments), text]), root


def _without_unit(content: Mapping[str, Any], unit: str) -> dict[str, Any]:
    """The content of a policy for a release without the column that names the person: it is an identifier."""
    new = dict(content)
    roles = {role: [name for name in names if name.strip() != unit] for role, names in new.get("roles", {}).items()}
    roles = {
        "identifiers": [*roles.pop("identifiers", []), unit],
        **{role: names for role, names in roles.items() if names},
    }
    for key in ("no_role", "role_reasons"):
        if key in new:
            new[key] = {name: reason for name, reason in new[key].items() if name.strip() != unit}
    return {**new, "roles": roles}


def _order(content: Mapping[str, Any], seed: int | None) -> dict[str, str]:
    """The policy's keys about the order of the records, compared with the original."""
    before = {key: str(content[key]) for key in ("order", "seed") if key in content and "original" in content}
    if seed is None:
        return before
    is_twice = before.get("order") == ORDERS[1]  # shuffled twice: no single seed gives that order
    return {"order": ORDERS[1]} | ({} if is_twice else {"seed": str(seed)})


def _paths_in(content: Any) -> Iterator[Path]:
    """The paths in the content of a policy, at any depth."""
    if isinstance(content, Path):
        yield content
    elif isinstance(content, Mapping | list):
        for item in content.values() if isinstance(content, Mapping) else content:
            yield from _paths_in(item)


def _with_relative_paths(content: Any, folder: Path) -> Any:
    """The content of a policy with paths relative to a folder."""
    if isinstance(content, Mapping):
        return {key: _with_relative_paths(item, folder) for key, item in content.items()}
    return (
        [_with_relative_paths(item, folder) for item in content]
        if isinstance(content, list)
        else _relative(content, folder)
    )


def _how_made(made: Recoded) -> Iterator[str]:
    """Lines with the levels of a release, and the settings of the search."""
    import yaml

    facts: dict[str, Any] = {"levels": {name: _plain(level) for name, level in made.levels.items()}}
    if isinstance(made, Anonymization):
        problem = made.problem
        used = {
            "method": "local" if isinstance(made, LocalAnonymization) else "global",
            "suppression": problem.suppression,
            "suppressed_records": None if made.removes else STARS,
            "objective": problem.objective_name,
            "aggregate": problem.aggregate,
            "weights": dict(problem.weights),
            "levels": {name: list(bounds) for name, bounds in problem.allowed_levels.items()},
            "keep": list(problem.keep) or None,
            "may_lose": (problem.may_lose if isinstance(problem.may_lose, str) else list(problem.may_lose)) or None,
        }
        facts["anonymize"] = {name: value for name, value in used.items() if value not in (None, {})}
    facts["suppressed_records"] = made.suppressed
    facts |= {"protect": words} if (words := protect_words(made.original.source)) else {}
    text = yaml.safe_dump(facts, allow_unicode=True, sort_keys=False, default_flow_style=None, width=100)
    yield from (f"  {line}" for line in text.splitlines())


def _plain(level: Any) -> Any:
    """A level, or several levels of local recoding, for YAML."""
    return list(level) if isinstance(level, tuple) else level


def _relative(table: Any, folder: Path) -> Any:
    """The path relative to a folder; anything else unchanged."""
    return path_from(folder, table.resolve()) if isinstance(table, Path) else table
