"""The rules of a policy: of presets, its own, its limits on subsets and other releases, and waivers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import as_file, files
from typing import Any

from PETWorks.errors import ParameterError, PETWorksError, quoted, unknown
from PETWorks.gate.document.check_document import PresetFacts, Spoken
from PETWorks.gate.policy.accountability import APPROVER_ITEM, asking_for
from PETWorks.gate.policy.mistakes import Mistakes, located_error
from PETWorks.measures.catalogue import Metric, find
from PETWorks.tables.yaml_files import Key, YAMLFile, read_yaml

SUBSETS = "every-subset"
TOGETHER = "all-releases"  # about this release together with earlier ones
NO_IDENTIFIERS = "no-direct-identifiers"  # a rule of every policy that names some, or leaves that to another file
NO_HIDDEN = "no-hidden-identifiers"
ALL_ROLES = "every-column-has-a-role"
APPROVER = "approver-named"  # a rule of policies with a regime that asks for an approver
NO_UNIQUE = "no-unique-values"
NO_DIFFERENCES = "no-hidden-differences"
RECORDS_LEFT = "records-left"  # not every record is suppressed
RULES_FIT = "rules-fit-the-release"
OF_EVERY_POLICY = (NO_HIDDEN, ALL_ROLES, NO_UNIQUE, NO_DIFFERENCES, RECORDS_LEFT, RULES_FIT)
PEOPLE_COUNTED = "people-are-counted"  # two rules of policies with a privacy unit
NO_LINKS = "no-linked-records"  # the second one also of policies with a key of other releases
OF_PEOPLE = (PEOPLE_COUNTED, NO_LINKS)
VALUES_PROTECTED = "sensitive-columns-have-rules"  # of policies that name sensitive columns, or leave that to a file
IMPLICIT = (NO_IDENTIFIERS, *OF_EVERY_POLICY, APPROVER, *OF_PEOPLE, VALUES_PROTECTED)


UNDATED = "unknown"  # instead of the date of a source


@dataclass(frozen=True)
class Preset(PresetFacts):
    """A published threshold, and the rules that it amounts to."""

    rules: tuple[Mapping[str, str], ...]

    @property
    def facts(self) -> PresetFacts:
        """What a report says about it."""
        return PresetFacts(**{name: value for name, value in vars(self).items() if name != "rules"})


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
                "cell_size": int(entry["cell_size"]),
                "rule_of_thumb": entry["rule_of_thumb"] == "yes",
                "rules": tuple(entry["rules"]),
            },
        )
        for name, entry in content.items()
    }


RULE_KEYS = ("measure", "name", "why")


@dataclass(frozen=True)
class Rule:
    """A measure with thresholds that must hold.

    Without a measure, it is a limit on every subset, or on all releases together, or a rule about roles.
    """

    name: str
    measure: Metric | None
    parameters: Mapping[str, Any]  # all of them, checked
    given: tuple[str, ...]  # those that the file gives
    preset: str | None
    why: Spoken | None
    key: Key

    @property
    def about_all_releases(self) -> bool:
        """Whether it is a limit on what this release discloses together with earlier ones."""
        return self.measure is None and self.name.startswith(f"{TOGETHER}: ")


@dataclass(frozen=True)
class Waiver:
    """A rule that need not hold, up to and including a day."""

    rule: str
    owner: Spoken
    reason: Spoken
    expires: date


@dataclass(frozen=True)
class Located:
    """A key of a file: errors within get the name of the file, the line and the key."""

    file: YAMLFile
    key: Key

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> None:
        if isinstance(error, PETWorksError):
            raise located_error(self.file, self.key, error) from None


def chosen_presets(mistakes: Mistakes) -> Iterator[Preset]:
    """The presets that the file names."""
    known = presets()
    for place, name in enumerate(mistakes.file.content.get("presets", ())):
        if name in known:
            yield known[name]
        elif name is not None:
            mistakes.add(("presets", place), unknown("preset", name, known).message)


def rules_of(mistakes: Mistakes, chosen: Sequence[Preset]) -> Iterator[Rule]:
    """The rules of the presets, those of the file, the limits, and what every policy demands of roles."""
    content, names = mistakes.file.content, set[str]()

    def new(rule: Rule) -> Iterator[Rule]:
        """A rule, unless there is another one of its name."""
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
    given: list[tuple[Mapping[str, Any], str | None, Key]] = [
        (rule, preset.name, ("presets", place)) for place, preset in enumerate(chosen) for rule in preset.rules
    ]
    given += [(rule, None, ("rules", place)) for place, rule in enumerate(content.get("rules", ())) if rule is not None]
    for rule, preset, key in given:
        with mistakes.at(*key):
            measure, parameters, checked = _checked(mistakes.file, rule, key)
            name = _name(rule, preset, measure, chosen)
            yield from new(Rule(name, measure, checked, tuple(parameters), preset, rule.get("why"), key))
    for limit, value in content.get("subsets", {}).get("limits", {}).items():
        key = ("subsets", "limits", limit)
        yield from new(Rule(f"{SUBSETS}: {limit}", None, {limit: value}, (limit,), None, None, key))
    for limit, value in content.get("releases", {}).get("limits", {}).items():
        key = ("releases", "limits", limit)
        yield from new(Rule(f"{TOGETHER}: {limit}", None, {limit: value}, (limit,), None, None, key))
    for name in OF_EVERY_POLICY:
        yield from new(Rule(name, None, {}, (), None, None, ("roles",)))
    if "roles" not in content or content["roles"].get("sensitive_attributes"):
        yield from new(Rule(VALUES_PROTECTED, None, {}, (), None, None, ("rules",)))
    if "privacy_unit" in content:
        for of_people in rules_of_people():
            yield from new(of_people)
    elif "key" in content.get("releases", {}):
        yield from new(Rule(NO_LINKS, None, {}, (), None, None, ("releases", "key")))
    if asking_for(APPROVER_ITEM, content.get("regimes", ())):
        yield from new(Rule(APPROVER, None, {}, (), None, None, ("regimes",)))


def rules_of_people() -> Iterator[Rule]:
    """What is demanded where several records may be of one person."""
    yield from (Rule(name, None, {}, (), None, None, ("privacy_unit",)) for name in OF_PEOPLE)


def _checked(file: YAMLFile, rule: Mapping[str, Any], key: Key) -> tuple[Metric, dict[str, Any], dict[str, Any]]:
    """The measure of a rule, the parameters that it gives, and all parameters."""
    with Located(file, (*key, "measure")):
        measure = find(rule["measure"])
    parameters = {name: value for name, value in rule.items() if name not in RULE_KEYS}
    try:
        checked = measure.check(parameters)
    except ParameterError as error:
        named = (*key, error.what) if error.what in parameters else key
        raise located_error(file, named, error) from None
    if not parameters and measure.name != "profitability":
        raise file.error(
            key,
            "{metric} needs a threshold here: one of {parameters}",
            metric=measure.name,
            parameters=quoted(measure.parameters),
        )
    return measure, parameters, checked


def _name(rule: Mapping[str, Any], preset: str | None, measure: Metric, chosen: Sequence[Preset]) -> str:
    if preset is None:
        return str(rule.get("name", measure.name))
    alone = any(one.name == preset and len(one.rules) == 1 for one in chosen)
    return preset if alone else f"{preset}: {measure.name}"


def waived_rules(content: Mapping[str, Any]) -> list[str]:
    """The names of the rules that the waivers of a policy are about."""
    return [given["rule"] for given in content.get("waivers", ()) if given is not None]


def waivers_of(mistakes: Mistakes, names: Sequence[str]) -> Iterator[Waiver]:
    """The waivers of the file, each for one of the rules."""
    waived: set[str] = set()
    for place, given in enumerate(mistakes.file.content.get("waivers", ())):
        if given is None:
            continue
        if given["rule"] not in names:
            mistakes.add(("waivers", place, "rule"), unknown("rule", given["rule"], names).message)
        elif given["rule"] in waived:
            mistakes.add(("waivers", place, "rule"), "the rule {rule} is waived twice", rule=quoted([given["rule"]]))
        waived.add(given["rule"])
        try:
            yield Waiver(given["rule"], given["owner"], given["reason"], date.fromisoformat(given["expires"]))
        except ValueError:
            mistakes.add(("waivers", place, "expires"), "no such day: {day}", day=quoted([given["expires"]]))
