"""The rules of a policy file: of its presets, its own, its limits on subsets, and who waived which."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from PETWorks.errors import Hint, InputError, ParameterError, PETWorksError, quoted, unknown
from PETWorks.gate.document import Spoken
from PETWorks.gate.presets import Preset, presets
from PETWorks.measures.catalogue import Metric, find
from PETWorks.tables.yamlfile import Key, YAMLFile

SUBSETS = "every-subset"
NO_IDENTIFIERS = "no-direct-identifiers"  # a rule of every policy that names some, or leaves that to another file
NO_HIDDEN = "no-hidden-identifiers"  # two rules of every policy
ALL_ROLES = "every-column-has-a-role"
IMPLICIT = (NO_IDENTIFIERS, NO_HIDDEN, ALL_ROLES)
RULE_KEYS = ("measure", "name", "why")
# How a policy names what an error hints at.
KEY_HINTS = {
    Hint.IDENTIFIERS: "roles.identifiers:",
    Hint.QUASI_IDENTIFIERS: "roles.quasi_identifiers:",
    Hint.SENSITIVE_ATTRIBUTES: "roles.sensitive_attributes:",
    Hint.ORIGINAL: "original:",
    Hint.POPULATION: "population:",
    Hint.HIERARCHIES: "hierarchies:",
    Hint.ALL_SUBSETS: "subsets.sizes: all",
}


@dataclass(frozen=True)
class Rule:
    """A measure with thresholds that must hold; without a measure, a limit on every subset, or a rule about roles."""

    name: str
    measure: Metric | None
    parameters: Mapping[str, Any]  # all of them, checked
    given: tuple[str, ...]  # those that the file gives
    preset: str | None
    why: Spoken | None
    key: Key


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


def located_error(file: YAMLFile, key: Key, error: PETWorksError) -> InputError:
    """The same error with the name of the file, the line and the key; its hints name keys where there are any."""
    parts = error.hinted(KEY_HINTS).parts
    return InputError(*parts, what=error.what, measure=error.measure, where=file.place(key))


def chosen_presets(file: YAMLFile) -> Iterator[Preset]:
    """The presets that the file names."""
    known = presets()
    for place, name in enumerate(file.content.get("presets", ())):
        if name not in known:
            raise file.error(("presets", place), str(unknown("preset", name, known)))
        yield known[name]


def rules_of(file: YAMLFile, chosen: Sequence[Preset]) -> Iterator[Rule]:
    """The rules of the presets, those of the file, the limits on subsets, and what every policy demands of roles."""
    names: set[str] = set()
    # Without roles in the policy, the file next to the table may name identifiers.
    if "roles" not in file.content or file.content["roles"].get("identifiers"):
        yield _named(file, Rule(NO_IDENTIFIERS, None, {}, (), None, None, ("roles", "identifiers")), names)
    given: list[tuple[Mapping[str, Any], str | None, Key]] = [
        (rule, preset.name, ("presets", place)) for place, preset in enumerate(chosen) for rule in preset.rules
    ]
    given += [(rule, None, ("rules", place)) for place, rule in enumerate(file.content.get("rules", ()))]
    for rule, preset, key in given:
        with Located(file, (*key, "measure")):
            measure = find(rule["measure"])
        parameters = {name: value for name, value in rule.items() if name not in RULE_KEYS}
        try:
            checked = measure.check(parameters)
        except ParameterError as error:
            named = (*key, error.what) if error.what in parameters else key
            raise located_error(file, named, error) from None
        if not parameters and measure.name != "profitability":
            raise file.error(key, f"{measure.name} needs a threshold here: one of {quoted(measure.parameters)}")
        name = _name(rule, preset, measure, chosen)
        yield _named(file, Rule(name, measure, checked, tuple(parameters), preset, rule.get("why"), key), names)
    for limit, value in file.content.get("subsets", {}).get("limits", {}).items():
        key = ("subsets", "limits", limit)
        yield _named(file, Rule(f"{SUBSETS}: {limit}", None, {limit: value}, (limit,), None, None, key), names)
    for name in (NO_HIDDEN, ALL_ROLES):
        yield _named(file, Rule(name, None, {}, (), None, None, ("roles",)), names)


def _name(rule: Mapping[str, Any], preset: str | None, measure: Metric, chosen: Sequence[Preset]) -> str:
    if preset is None:
        return str(rule.get("name", measure.name))
    alone = any(one.name == preset and len(one.rules) == 1 for one in chosen)
    return preset if alone else f"{preset}: {measure.name}"


def _named(file: YAMLFile, rule: Rule, names: set[str]) -> Rule:
    if rule.name in names:
        raise file.error(rule.key, f"two rules have the name {quoted([rule.name])}; give one of them another 'name'")
    names.add(rule.name)
    return rule


def waivers_of(file: YAMLFile, rules: Sequence[Rule]) -> Iterator[Waiver]:
    """The waivers of the file, each for one of the rules."""
    names = [rule.name for rule in rules]
    waived: set[str] = set()
    for place, given in enumerate(file.content.get("waivers", ())):
        key = ("waivers", place)
        if given["rule"] not in names:
            raise file.error((*key, "rule"), str(unknown("rule", given["rule"], names)))
        if given["rule"] in waived:
            raise file.error((*key, "rule"), f"the rule {quoted([given['rule']])} is waived twice")
        waived.add(given["rule"])
        try:
            expires = date.fromisoformat(given["expires"])
        except ValueError:
            raise file.error((*key, "expires"), f"no such day: {quoted([given['expires']])}") from None
        yield Waiver(given["rule"], given["owner"], given["reason"], expires)
