"""The rules of a policy: from presets, its own, limits on subsets and on other releases; and waivers."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from importlib.resources import as_file, files
from typing import Any

from PETWorks.about.kinds import GENERALISED, WORDS
from PETWorks.errors import ParameterError, PETWorksError, quoted, unknown
from PETWorks.gate.document import CheckDocument, PresetFacts, RuleResult
from PETWorks.gate.policy.accountability import APPROVER_ITEM, chinese_note, regimes_asking_for
from PETWorks.gate.policy.mistakes import Mistakes, located_error
from PETWorks.json_types import MultilingualText
from PETWorks.measures.catalogue import Metric, Parameter, catalogue, find_measure
from PETWorks.measures.result import Result
from PETWorks.tables.yaml_files import Key, YAMLFile, read_yaml

SUBSETS = "every-subset"
ALL_RELEASES = "all-releases"  # this release together with earlier ones
NO_IDENTIFIERS = "no-direct-identifiers"  # in every policy that names identifiers, or leaves them to another file
NO_HIDDEN = "no-hidden-identifiers"
ALL_ROLES = "every-column-has-a-role"
APPROVER = "approver-named"  # in policies with a regime that requires an approver
NO_UNIQUE = "no-unique-values"
NO_DIFFERENCES = "no-hidden-differences"
WHOLE_FILE = "FILE"  # among the columns in which it finds some: for content of the file besides the table
RECORDS_LEFT = "records-left"  # not every record is suppressed
RULES_FIT = "rules-fit-the-release"
RULES_OF_EVERY_POLICY = (NO_HIDDEN, ALL_ROLES, NO_UNIQUE, NO_DIFFERENCES, RECORDS_LEFT, RULES_FIT)
# A record of a synthetic or perturbed table that is suppressed hides nobody.
RULES_OF_EVERY_COMPARISON = tuple(name for name in RULES_OF_EVERY_POLICY if name != RECORDS_LEFT)
PEOPLE_COUNTED = "people-are-counted"  # in policies with a privacy unit
NO_LINKS = "no-linked-records"  # in policies with a privacy unit, or with a key of other releases
RULES_OF_PEOPLE = (PEOPLE_COUNTED, NO_LINKS)
VALUES_PROTECTED = "sensitive-columns-have-rules"  # in policies that name sensitive columns, or leave them to a file
UP_TO_DATE = "settings-unchanged"  # of a release, if the policy it was made with is beside it and has changed
NOT_ALONE = "other-releases-declared"  # if the register has another release of the same original
RULES_OF_LINEAGE = (UP_TO_DATE, NOT_ALONE)  # listed only if they fail
BUILT_IN_RULES = (
    *(NO_IDENTIFIERS, *RULES_OF_EVERY_POLICY, APPROVER, *RULES_OF_PEOPLE, VALUES_PROTECTED),
    *RULES_OF_LINEAGE,
)


UNDATED = "unknown"  # the date of a source that has none


class Preset(PresetFacts, frozen=True):
    """A published threshold and the rules that express it."""

    rules: tuple[Mapping[str, str], ...]
    rules_if_compared: tuple[Mapping[str, str], ...] = ()  # for releases that are not generalised

    def rules_for(self, kind: str) -> tuple[Mapping[str, str], ...]:
        """The rules for a kind of release; empty if the threshold has no meaning for it."""
        return self.rules if kind == GENERALISED else self.rules_if_compared

    @property
    def facts(self) -> PresetFacts:
        """The facts about the preset for a report."""
        return self.part(PresetFacts)


def is_foreign(preset: PresetFacts, home: str) -> bool:
    """Whether a preset comes from another country than this one; never if no country is given."""
    return bool(home) and home not in preset.organisation


def presets_from(home: str) -> list[Preset]:
    """All presets, those of this country first."""
    return sorted(presets().values(), key=lambda preset: is_foreign(preset, home))


@cache
def presets() -> dict[str, Preset]:
    """All presets, by name."""
    with as_file(files("PETWorks.gate") / "presets.yaml") as path:
        content = read_yaml(path).content
    return {
        name: Preset(
            name=name,
            **{
                **entry,
                "chinese": chinese_note(entry["note"]),
                "cell_size": int(entry["cell_size"]),
                "rule_of_thumb": entry["rule_of_thumb"] == "yes",
                "rules": tuple(entry["rules"]),
                "rules_if_compared": tuple(entry.get("rules_if_compared", ())),
            },
        )
        for name, entry in content.items()
    }


RULE_KEYS = ("measure", "name", "why")


@dataclass(frozen=True)
class Rule:
    """A measure with thresholds that must hold.

    A rule without a measure is a limit on every subset, a limit on all releases together, or a rule about roles.
    """

    name: str
    measure: Metric | None
    parameters: Mapping[str, Any]  # all of them, checked
    given: tuple[str, ...]  # the names of those in the file
    preset: str | None
    why: MultilingualText | None
    key: Key

    @property
    def about_all_releases(self) -> bool:
        """Whether the rule limits the disclosure by this release together with earlier ones."""
        return self.measure is None and self.name.startswith(f"{ALL_RELEASES}: ")


@dataclass(frozen=True)
class Waiver:
    """A rule that need not hold, up to and including a day."""

    rule: str
    owner: MultilingualText
    reason: MultilingualText
    expires: date


@dataclass(frozen=True)
class LocatingErrors:
    """A context in which errors get the file name, the line and the key."""

    file: YAMLFile
    key: Key

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> None:
        if isinstance(error, PETWorksError):
            raise located_error(self.file, self.key, error) from None


def kind_in(content: Mapping[str, Any]) -> str:
    """The kind of release that the content of a policy states; generalised if it states none."""
    return str(content.get("context", {}).get("kind", GENERALISED))


def chosen_presets(mistakes: Mistakes) -> Iterator[Preset]:
    """The presets named in the file."""
    known, kind = presets(), kind_in(mistakes.file.content)
    for place, name in enumerate(mistakes.file.content.get("presets", ())):
        if name in known and not known[name].rules_for(kind):
            fitting = [preset.name for preset in known.values() if preset.rules_for(kind)]
            mistakes.add(
                ("presets", place),
                "the preset is about classes of records, which do not apply to a {kind} table; "
                "those that do: {presets}",
                kind=WORDS[kind],
                presets=quoted(fitting),
            )
        elif name in known:
            yield known[name]
        elif name is not None:
            mistakes.add(("presets", place), unknown("preset", name, known).message)


def rules_of(mistakes: Mistakes, chosen: Sequence[Preset]) -> Iterator[Rule]:
    """All rules: of the presets, of the file, the limits, and the built-in rules."""
    content, names = mistakes.file.content, set[str]()
    kind = kind_in(content)

    def new(rule: Rule) -> Iterator[Rule]:
        """Yield the rule, or add a mistake if another rule has its name."""
        if rule.name in names:
            mistakes.add(
                rule.key, "two rules have the name {rule}; give one of them another 'name'", rule=quoted([rule.name])
            )
        else:
            names.add(rule.name)
            yield rule

    # Without roles in the policy, the file next to the table may name identifiers.
    if "roles" not in content or content["roles"].get("identifiers"):
        yield from new(Rule(NO_IDENTIFIERS, None, {}, (), None, None, ("roles", "identifiers")))
    rule_entries: list[tuple[Mapping[str, Any], str | None, Key]] = [
        (rule, preset.name, ("presets", place))
        for place, preset in enumerate(chosen)
        for rule in preset.rules_for(kind)
    ]
    rule_entries += [
        (rule, None, ("rules", place)) for place, rule in enumerate(content.get("rules", ())) if rule is not None
    ]
    for rule, preset, key in rule_entries:
        with mistakes.at(*key):
            measure, parameters, checked = _check_rule(mistakes.file, rule, key)
            if not measure.applies_to(kind):
                raise mistakes.file.error((*key, *(["measure"] if preset is None else [])), measure.reason_unfit(kind))
            name = _name(rule, preset, measure, chosen, kind)
            yield from new(Rule(name, measure, checked, tuple(parameters), preset, rule.get("why"), key))
    for limit, value in content.get("subsets", {}).get("limits", {}).items():
        key = ("subsets", "limits", limit)
        yield from new(Rule(f"{SUBSETS}: {limit}", None, {limit: value}, (limit,), None, None, key))
    for limit, value in content.get("releases", {}).get("limits", {}).items():
        key = ("releases", "limits", limit)
        yield from new(Rule(f"{ALL_RELEASES}: {limit}", None, {limit: value}, (limit,), None, None, key))
    for name in RULES_OF_EVERY_POLICY if kind == GENERALISED else RULES_OF_EVERY_COMPARISON:
        yield from new(Rule(name, None, {}, (), None, None, ("roles",)))
    if "roles" not in content or content["roles"].get("sensitive_attributes"):
        yield from new(Rule(VALUES_PROTECTED, None, {}, (), None, None, ("rules",)))
    if "privacy_unit" in content:
        for of_people in rules_of_people():
            yield from new(of_people)
    elif "key" in content.get("releases", {}):
        yield from new(Rule(NO_LINKS, None, {}, (), None, None, ("releases", "key")))
    if regimes_asking_for(APPROVER_ITEM, content.get("regimes", ())):
        yield from new(Rule(APPROVER, None, {}, (), None, None, ("regimes",)))


def rules_of_people() -> Iterator[Rule]:
    """The built-in rules for tables in which a person may have several records."""
    yield from (Rule(name, None, {}, (), None, None, ("privacy_unit",)) for name in RULES_OF_PEOPLE)


def _check_rule(file: YAMLFile, rule: Mapping[str, Any], key: Key) -> tuple[Metric, dict[str, Any], dict[str, Any]]:
    """The measure of a rule, its parameters in the file, and all parameters with defaults."""
    with LocatingErrors(file, (*key, "measure")):
        measure = find_measure(rule["measure"])
    parameters = {name: value for name, value in rule.items() if name not in RULE_KEYS}
    try:
        checked = measure.check(parameters)
    except ParameterError as error:
        error_key = (*key, error.what) if error.what in parameters else key
        raise located_error(file, error_key, error) from None
    if not parameters and measure.name != "profitability":
        raise file.error(
            key,
            "{metric} needs a threshold here: one of {parameters}",
            metric=measure.name,
            parameters=quoted(measure.parameters),
        )
    return measure, parameters, checked


def _name(rule: Mapping[str, Any], preset: str | None, measure: Metric, chosen: Sequence[Preset], kind: str) -> str:
    if preset is None:
        return str(rule.get("name", measure.name))
    alone = any(entry.name == preset and len(entry.rules_for(kind)) == 1 for entry in chosen)
    return preset if alone else f"{preset}: {measure.name}"


def waived_rules(content: Mapping[str, Any]) -> list[str]:
    """The names of the rules that a policy waives."""
    return [waiver["rule"] for waiver in content.get("waivers", ()) if waiver is not None]


def waivers_of(mistakes: Mistakes, names: Sequence[str]) -> Iterator[Waiver]:
    """The waivers in the file, each for one of the rules."""
    waived: set[str] = set()
    for place, waiver in enumerate(mistakes.file.content.get("waivers", ())):
        if waiver is None:
            continue
        if waiver["rule"] not in names:
            mistakes.add(("waivers", place, "rule"), unknown("rule", waiver["rule"], names).message)
        elif waiver["rule"] in waived:
            mistakes.add(("waivers", place, "rule"), "the rule {rule} is waived twice", rule=quoted([waiver["rule"]]))
        waived.add(waiver["rule"])
        try:
            yield Waiver(waiver["rule"], waiver["owner"], waiver["reason"], date.fromisoformat(waiver["expires"]))
        except ValueError:
            mistakes.add(("waivers", place, "expires"), "no such day: {day}", day=quoted([waiver["expires"]]))


def today() -> date:
    """Today's date in UTC."""
    return datetime.now(UTC).date()


# Steps other than larger classes, in the order of the advice.
REMEDIES = ("more-values", "diversify", "hide-presence", "blur", "blur-together", "refine")


def remedy(rule: RuleResult, has_small_classes: bool) -> str | None:
    """The step that helps a failing rule besides larger classes; None if larger classes are enough."""
    if rule.measure == SUBSETS:
        return "blur"
    if rule.measure == ALL_RELEASES:
        return "blur-together"
    step = catalogue[rule.measure].remedy
    return None if step == "blur" and has_small_classes else step


def sufficient_class_size(rule: RuleResult) -> float:
    """The smallest class size with which a failing rule would hold; 0 if the rule is not about class sizes."""
    if "limits" in rule.details:
        limits = rule.details["limits"].values()
        sizes = [limit["smallest_class_wanted"] for limit in limits if not limit["holds"]]
    else:
        sizes = [value for value, parameter in _thresholds(rule) if parameter.unit == "records"]
        sizes += [catalogue[rule.measure].classes_to_avoid] if rule.measure in catalogue else []
    return max((size for size in sizes if size is not None), default=0)


def class_size_wanted(document: CheckDocument) -> int:
    """The smallest class size that the rules ask for; the policy's cell size if no rule limits it."""
    return size_asked_for(document.rules) or math.ceil(document.policy.cell_size)


def size_asked_for(rules: Iterable[RuleResult | Result]) -> int | None:
    """The smallest class size that rules, or results with a threshold, ask for; None if none limits it."""
    sizes: list[float | None] = []
    for rule in rules:
        sizes += [limit["smallest_class_wanted"] for limit in rule.details.get("limits", {}).values()]
        sizes += [value for value, parameter in _thresholds(rule) if parameter.unit == "records"]
    return math.ceil(max((size for size in sizes if size), default=0)) or None


def limits_class_sizes(rule: RuleResult) -> bool:
    """Whether a rule demands several records per class, for all quasi-identifiers or for every subset."""
    if rule.measure == SUBSETS:
        return any(limit < 1 for name, limit in rule.parameters.items() if name == "highest-risk" and limit is not None)
    if (size_asked_for([rule]) or 0) > 1 or values_per_class(rule) > 1:
        return True
    return any(parameter.class_size(value) > 1 for value, parameter in _thresholds(rule))


def values_per_class(rule: RuleResult) -> float:
    """The number of sensitive values that a rule demands in every class; 0 if it demands none."""
    return max((value or 0 for value, parameter in _thresholds(rule) if parameter.unit == "values"), default=0)


def _thresholds(rule: RuleResult | Result) -> list[tuple[float | None, Parameter]]:
    """The parameters of a rule with their values; empty for rules whose measure is not in the catalogue."""
    known: Mapping[str, Parameter] = catalogue[rule.measure].parameters if rule.measure in catalogue else {}
    return [(rule.parameters[name], parameter) for name, parameter in known.items() if name in rule.parameters]
