"""The policy file: a table, its recipients, and the rules it must satisfy; and policies made in memory."""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PETWorks.about.hierarchies.declaration import HierarchySources
from PETWorks.about.kinds import GENERALISED, ONE_RECORD_EACH, WORDS
from PETWorks.about.population import Sample
from PETWorks.about.protection import protection_of
from PETWorks.about.roles import ROLE_KEYS, roles_from_lists
from PETWorks.about.sidecar import read_sidecar
from PETWorks.about.treatment import CAREFUL, INTERVAL, TREATMENTS, is_legible
from PETWorks.anonymizer.rules import MeasureRule, SubsetRule
from PETWorks.anonymizer.rules import Rule as SearchRule
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER
from PETWorks.counting.codes import Column
from PETWorks.counting.protected_source import protect_source
from PETWorks.counting.release import ORDERS, Release, check_levels
from PETWorks.errors import Hint, InputError, PETWorksError, Phrase, quoted
from PETWorks.gate.check.unique_values import UNIQUE_SHARE
from PETWorks.gate.document import ReleaseKind
from PETWorks.gate.policy.accountability import Accountability, accountability_of
from PETWorks.gate.policy.earlier_releases import ReleaseSet, parse_release_set
from PETWorks.gate.policy.mistakes import Mistakes, check_against_schema, drop_keys, located_error, possible_rule_names
from PETWorks.gate.policy.policy_rules import (
    ALL_RELEASES,
    BUILT_IN_RULES,
    NO_LINKS,
    RULES_OF_LINEAGE,
    LocatingErrors,
    Preset,
    Rule,
    Waiver,
    chosen_presets,
    kind_in,
    rules_of,
    rules_of_people,
    waived_rules,
    waivers_of,
)
from PETWorks.gate.policy.sources import (
    Find,
    check_columns,
    check_references,
    read_removed_records,
    resolve_source,
    resolve_sources,
    same_path,
)
from PETWorks.json_types import MultilingualText
from PETWorks.measures.parameters import parse_number
from PETWorks.measures.utility.models import Model, check_model_columns, parse_models
from PETWorks.tables.formats.packed import unpacked_path
from PETWorks.tables.opening import SUFFIXES as TABLES
from PETWorks.tables.opening import open_source, open_table
from PETWorks.tables.source import Source
from PETWorks.tables.yaml_files import Key, YAMLFile, read_yaml

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = 1
WRITTEN = "Written by petworks anonymize, for the release beside it."
MARK = f"# {WRITTEN}"  # the same in every language: it marks files written by this program, not by the user
KEEP = "keep"  # the option to keep the column that names the person; otherwise it is dropped
CELL_SIZE = 11  # if neither the policy nor a preset states one


# The key of the policy that an error is about, by the error's field `what`.
KEYS: Mapping[str, tuple[str, ...]] = {
    **{key: (key,) for key in ("roles", "privacy_unit", "population", "sampling_weight", "household", "original")},
    **{key: (key,) for key in ("order", "hierarchies", "control", "compare_at")},
    "kind": ("context", "kind"),
    "protect": ("anonymize", "protect"),
}

# Texts on which a verdict or a checklist relies; they must not be blank.
STATEMENTS = {
    "context": ("rules_reason", "purpose", "recipients"),
    "sign_off": ("approver", "role", "incident_contact"),
}


@dataclass(frozen=True)
class Adversary:
    """Someone who is assumed to know some of the quasi-identifiers."""

    who: MultilingualText
    knows: tuple[str, ...]


@dataclass(frozen=True)
class Policy:
    """The content of a policy file, checked as far as that is possible without the data."""

    path: Path
    file: YAMLFile
    title: MultilingualText
    data: Path | str  # one or several files, a table in a database file, or the address of a table on a server
    original: Path | str | None
    order: str | None  # order of the records, compared with the original
    seed: int | None  # seed of that order, if it is random
    hierarchies: HierarchySources | None
    population: Path | str | int | float | None
    control: Path | str | None  # people who had no part in a release that is not generalised
    plan: Path | None  # how the release was made, and which records left it
    reading: Mapping[str, str]
    roles: Mapping[str, str] | None
    no_role: Mapping[str, MultilingualText]
    privacy_unit: str | None
    treatment: Mapping[str, str]
    release_kind: ReleaseKind | None
    stated_kind: str | None  # how the release was made from the original, if the policy says it
    recipients: MultilingualText | None
    adversaries: tuple[Adversary, ...]
    assumptions: tuple[MultilingualText, ...]
    cell_size: int
    presets: tuple[Preset, ...]
    rules: tuple[Rule, ...]
    subset_sizes: str | None
    accountability: Accountability
    limits: Mapping[str, str] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    anonymize: Mapping[str, Any] = field(default_factory=dict)  # how to make a release
    no_rule: Mapping[str, MultilingualText] = field(default_factory=dict)  # sensitive columns without a rule, and why
    # Columns that repeat, and why they name no people of the table.
    no_privacy_unit: Mapping[str, MultilingualText] = field(default_factory=dict)
    rules_reason: MultilingualText | None = None  # why the rules are enough for the recipients
    unique_values: float = UNIQUE_SHARE  # share of the records that exact values may single out, as stated
    unique_values_reason: MultilingualText | None = None  # why that share may be larger than usual
    root: Path | None = None  # the folder that must contain all files, if it is not the policy's own
    sample: Sample = field(default_factory=Sample)  # the columns that say how the records were drawn
    models: tuple[Model, ...] = ()  # what the data are for
    compare_at: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # levels on which columns are compared
    releases: ReleaseSet = field(default_factory=ReleaseSet)  # other releases about the same people
    register: Path | None = None  # the folder in which releases are registered

    @property
    def kind(self) -> str:
        """How the release was made from the original: generalised if the policy does not say."""
        return self.stated_kind or GENERALISED

    @property
    def levels_compared(self) -> Sequence[Mapping[str, str]]:
        """The levels on which columns are compared together: the first of each, then the second ones, and so on."""
        number = max(map(len, self.compare_at.values()), default=1)
        return [
            {column: levels[min(index, len(levels) - 1)] for column, levels in self.compare_at.items()}
            for index in range(number)
        ]

    def compared_levels(self, release: Release) -> tuple[dict[str, int], ...]:
        """The levels on which rules compare columns; the first ones are those of the release."""
        with self.located("compare_at"):
            return tuple(
                check_levels(levels, release.compared_columns, release.hierarchies) for levels in self.levels_compared
            )

    @property
    def keeps_unit(self) -> bool:
        """Whether the column that names the person stays in the release."""
        return self.anonymize.get("privacy_unit") == KEEP

    @property
    def method(self) -> str:
        """How a release is made: "local" by default; "global" by the policy that came with a release."""
        return str(self.anonymize.get("method", "global" if self.came_with_release else "local"))

    @property
    def came_with_release(self) -> bool:
        """Whether the policy was written beside a release; the earliest ones name no plan."""
        return self.plan is not None or self.order == ORDERS[1] or self.file.first_line == MARK

    @property
    def unique_share(self) -> float:
        """The share of records that exact values may single out: more than usual only with a reason."""
        return self.unique_values if self.unique_values_reason is not None else min(self.unique_values, UNIQUE_SHARE)

    def release(
        self,
        data: Any = None,
        people: Column | None = None,
        sampled: Mapping[str, Column] | Source | None = None,
        *,
        protect: bool = False,
        engine: str = "auto",
        memory_limit: int | str | None = None,
        temp_folder: str | os.PathLike[str] | None = None,
    ) -> Release:
        """Open the release that the policy is about, or other data with the same columns.

        Without the column that names the person, records are counted instead of people, which the rule
        'people-are-counted' rejects. Suppressed records are a class of their own by default: they keep their sensitive
        cells.

        people    the person of each record, if the table has no column for it
        sampled   in the same way, the columns of sampling weight and household, or a table that has them too
        protect   whether columns are protected by the policy's settings for `petworks anonymize`
        engine, memory_limit, temp_folder   as for `Release`
        """
        source = self._open("data", self.data) if data is None else self._source(data)
        original = None if self.original is None else self._open("original", self.original)
        mistakes = Mistakes(self.file)
        check_columns(mistakes, source, original)
        mistakes.report()
        population, unit, roles = self.population, self.privacy_unit, self.roles
        planned = self._read_removed() if data is None else None
        if unit is not None and unit not in source.names:
            roles = roles if roles is None else {**roles, unit: IDENTIFIER}  # left out of the release
            unit = unit if people is not None else None
        left_out = self.sample.absent_in(source)
        if left_out:
            roles = roles if roles is None else {**roles, **dict.fromkeys(left_out, IDENTIFIER)}
        if isinstance(sampled, Mapping):
            sampled = {name: column for name, column in sampled.items() if name in left_out}
        known = () if sampled is None else sampled if isinstance(sampled, Mapping) else sampled.names
        sample = self.sample.without([name for name in left_out if name not in known])
        with self._locating_release_errors():
            release = Release(
                protect_source(source, self.anonymize.get("protect"), unit) if protect else source,
                roles,
                self._hierarchies_of_labels,
                original,
                population=self._open("population", population) if isinstance(population, Path | str) else population,
                kind=self.kind,
                control=None if self.control is None else self._open("control", self.control),
                compare_at=next(iter(self.levels_compared)),
                order=self.order,
                seed=self.seed,
                removed=None if planned is None else planned[0],
                privacy_unit=unit,
                people=people,
                sampled=sampled,
                sampling_weight=sample.weight,
                household=sample.household,
                engine=engine,
                memory_limit=memory_limit,
                temp_folder=temp_folder,
                **{**CAREFUL, **self.treatment},
            )
        if planned is not None and planned[0] is None and release.records < planned[1]:
            release.note_removed(planned[1] - release.records)
        self.compared_levels(release)
        self._check_release(mistakes, release, planned, (original or source).names)
        mistakes.report()
        return release

    @contextmanager
    def _locating_release_errors(self) -> Iterator[None]:
        """A context in which errors of the release point to the key of the policy that they are about."""
        try:
            yield
        except PETWorksError as error:
            what, _, column = (error.what or "").partition(".")
            if what not in KEYS or error.where is not None:
                raise
            raise located_error(self.file, (*KEYS[what], *([column] if column else [])), error) from None

    def _check_release(
        self, mistakes: Mistakes, release: Release, planned: tuple[Any, int] | None, names: Sequence[str]
    ) -> None:
        """Note the mistakes of the policy that the opened release shows.

        planned   the removed records and the number of records of the original, by the plan
        names     the columns of the original, or of the table if there is none
        """
        if planned is not None and release.records + (release.removed_records or 0) != planned[1]:
            mistakes.add(
                ("plan",),
                "the plan is of another table: {removed:,} of {records:,} records left it, but there are {given:,}",
                removed=release.removed_records or 0,
                records=planned[1],
                given=release.records,
            )
        check_references(mistakes, release.quasi_identifiers, release.sensitive_attributes)
        if self.original is not None or self.plan is None:  # a release need not have all columns of its original
            for number in range(len(self.models)):
                with mistakes.at("models", number):
                    check_model_columns(self.models[number : number + 1], names)
        for column in self.file.content.get("no_role", ()):
            if column.strip() in release.roles:
                mistakes.add(("no_role", column), "the column has a role")
        for column in self.file.content.get("no_rule", ()):
            if column.strip() not in release.sensitive_attributes:
                mistakes.add(("no_rule", column), "the column is no sensitive attribute")
        for column in self.file.content.get("role_reasons", ()):
            if column.strip() not in release.roles:
                mistakes.add(("role_reasons", column), "the column has no role")
        for column in self.file.content.get("no_privacy_unit", ()):
            if column.strip() not in {*release.roles, *self.no_role}:
                mistakes.add(("no_privacy_unit", column), "the column has no role")

    @property
    def shown(self) -> dict[str, str]:
        """By column, "mean" or "median" if the classes of a release that has a plan show that instead of labels."""
        show = self.anonymize.get("show")
        if self.plan is None or not isinstance(show, Mapping):
            return {}
        return {column: way for column, way in show.items() if way != INTERVAL}

    @property
    def _hierarchies_of_labels(self) -> HierarchySources | None:
        """The hierarchies without those of columns that show means, which are no labels."""
        if not self.shown or not isinstance(self.hierarchies, Mapping):
            return self.hierarchies
        return {column: hierarchy for column, hierarchy in self.hierarchies.items() if column not in self.shown}

    def _read_removed(self) -> "tuple[NDArray[np.int64] | None, int] | None":
        """The indices of the records removed from the table, if its plan lists them, and the number before."""
        if self.plan is None:
            return None
        with self.located("plan"):
            return read_removed_records(self.plan)

    def _source(self, table: Any) -> Source:
        """A table opened with the policy's reading options."""
        opened = open_table(table, **self.reading) if isinstance(table, str | Path) else table
        return open_source(opened, Phrase("the released table"))

    def _open(self, key: str, table: Path | str) -> Source:
        """A table of the policy; errors point to its key."""
        with self.located(key):
            return self._source(table)

    def located(self, *key: str | int) -> LocatingErrors:
        """A context in which errors get the file name, the line and the key."""
        return LocatingErrors(self.file, key)


def read_policy(
    path: str | Path,
    root: str | Path | None = None,
    *,
    network: bool = False,
    alone: bool = False,
    unread: Collection[str] = (),
    find: Find = same_path,
) -> Policy:
    """Read and check a policy file; all its mistakes are reported at once.

    root      the folder that must contain all its files; by default its own folder, from which its paths start
    network   whether the policy may name servers to connect to
    alone     ignore its keys about other releases
    unread    keys of tables that will not be read, so they need not exist: 'data', 'original', 'population'
    find      maps a path in the policy to its present location, for files that are not in place yet

    >>> policy = read_policy("data/adult_policy.yaml")
    >>> policy.data.name, [rule.name for rule in policy.rules][:2]
    ('adult_anonymized.csv', ['pdpc-5', 'l-diversity'])
    """
    path = Path(path)
    _check_no_table(path)
    return parse_policy(read_yaml(find(path)), path, root, network=network, alone=alone, unread=unread, find=find)


def parse_policy(
    file: YAMLFile,
    path: Path,
    root: str | Path | None = None,
    *,
    network: bool = False,
    alone: bool = False,
    unread: Collection[str] = (),
    find: Find = same_path,
    needs_rule: bool = True,
) -> Policy:
    """The checked policy in a YAML file; see `read_policy`.

    needs_rule   whether it is a mistake to have no rules besides those of every policy
    """
    if not isinstance(file.content, Mapping):
        raise file.error((), "expected a mapping that begins with 'petworks_policy: 1'")
    _check_version(file)
    if alone:
        file = drop_keys(file, [("releases",), ("register",)])
    mistakes = Mistakes(file)
    mistakes.file = drop_keys(file, check_against_schema(mistakes, "policy"))
    content = mistakes.file.content
    presets = tuple(chosen_presets(mistakes))
    rules = tuple(rules_of(mistakes, presets))
    if needs_rule and not mistakes and all(rule.name in BUILT_IN_RULES for rule in rules):
        mistakes.add((), "no rule: give 'rules', 'presets', or limits under 'subsets'")
    folders = path.parent, path.parent if root is None else Path(root)
    resolved = resolve_sources(mistakes, *folders, network=network, unread=unread, find=find)
    if "privacy_unit" not in content and _unit_beside(content, resolved["data"]) is not None:
        rules = (*rules, *rules_of_people())
    other_releases = _read_other_releases(mistakes, *folders, network=network)
    roles = _roles(mistakes) if "roles" in content else None
    waivers = _waivers(mistakes, rules, file, alone=alone)
    if mistakes and "data" not in unread and isinstance(resolved["data"], Path):
        with mistakes.at("data"):
            table = open_table(resolved["data"], **resolved["reading"])
            check_columns(mistakes, open_source(table, Phrase("the table")))
    _check_anonymize(mistakes, roles)
    models = _models(mistakes)
    _check_kind(mistakes)
    _check_reasons(mistakes)
    accountability = accountability_of(mistakes)
    unique_values, unique_values_reason = _unique_values(mistakes)
    mistakes.report()
    return Policy(
        path=path,
        file=file,
        **resolved,
        **other_releases,
        **_context(content.get("context", {})),
        **_single_keys(content),
        roles=roles,
        cell_size=int(content.get("cell_size", max((preset.cell_size for preset in presets), default=CELL_SIZE))),
        presets=presets,
        rules=rules,
        accountability=accountability,
        waivers=waivers,
        models=models,
        unique_values=unique_values,
        unique_values_reason=unique_values_reason,
        root=None if root is None else Path(root),
    )


def _single_keys(content: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a policy that each follow from one key of its file, which the schema has checked."""
    subsets = content.get("subsets", {})
    return {
        **{key: _by_column(content, key) for key in ("no_role", "no_rule", "no_privacy_unit")},
        "order": content.get("order"),
        "seed": int(content["seed"]) if "seed" in content else None,
        "privacy_unit": content.get("privacy_unit", "").strip() or None,
        "sample": Sample(*(content.get(key, "").strip() or None for key in ("sampling_weight", "household"))),
        "treatment": {name: value for name, value in content.get("treatment", {}).items() if name in TREATMENTS},
        "subset_sizes": subsets.get("sizes"),
        "limits": subsets.get("limits", {}),
        "anonymize": content.get("anonymize", {}),
        "compare_at": {
            column: tuple(levels) if isinstance(levels, list) else (levels,)
            for column, levels in _by_column(content, "compare_at").items()
            if levels
        },
    }


def _by_column(content: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The entries under a key whose entries are columns."""
    return {column.strip(): entry for column, entry in content.get(key, {}).items()}


def _waivers(mistakes: Mistakes, rules: Sequence[Rule], file: YAMLFile, *, alone: bool) -> tuple[Waiver, ...]:
    """The waivers; add a mistake for each one of an unknown rule, but not for those of rules that have a mistake."""
    names = [*(rule.name for rule in rules), *(possible_rule_names(file.content) if mistakes else ())]
    if alone:
        waived = waived_rules(mistakes.file.content)
        names += [name for name in waived if name == NO_LINKS or name.startswith(f"{ALL_RELEASES}: ")]
    names += RULES_OF_LINEAGE
    return tuple(waivers_of(mistakes, names))


def _unique_values(mistakes: Mistakes) -> tuple[float, MultilingualText | None]:
    """The share of the records that exact values may single out, and the reason for it."""
    entry = mistakes.file.content.get("unique_values", UNIQUE_SHARE)
    if isinstance(entry, Mapping):
        return _share(mistakes, ("unique_values", "share"), entry.get("share"), UNIQUE_SHARE), entry.get("reason")
    return _share(mistakes, ("unique_values",), entry, UNIQUE_SHARE), None


def _unit_beside(content: Mapping[str, Any], data: Path | str | None) -> str | None:
    """The privacy unit in the YAML file beside the table, if that file is read."""
    if not isinstance(data, Path) or ("roles" in content and "hierarchies" in content):
        return None
    with suppress(PETWorksError):  # reported when the table is read
        return read_sidecar(data).privacy_unit
    return None


def _read_other_releases(mistakes: Mistakes, folder: Path, root: Path, *, network: bool) -> dict[str, Any]:
    """Other releases about the same people, and the register of them."""

    def read(path: Path) -> Policy:
        return read_policy(path, root, network=network, alone=True)

    register = None
    if "register" in mistakes.file.content:
        with mistakes.at("register"):
            text = mistakes.file.content["register"]
            register = resolve_source(mistakes, ("register",), text, folder, root, network=False)
    return {"releases": parse_release_set(mistakes, folder, root, read, network=network), "register": register}


def _context(context: Mapping[str, Any]) -> dict[str, Any]:
    """The recipients of the table and the assumed adversaries."""
    return {
        "release_kind": context.get("release"),
        "stated_kind": context.get("kind"),
        "recipients": context.get("recipients"),
        "rules_reason": context.get("rules_reason"),
        "adversaries": tuple(
            Adversary(adversary["who"], tuple(column.strip() for column in adversary["knows"]))
            for adversary in context.get("adversaries", ())
        ),
        "assumptions": tuple(context.get("assumptions", ())),
    }


def _check_no_table(path: Path) -> None:
    """Raise if a table was given in place of the policy; a sheet of a workbook follows a `#`."""
    file = path if path.exists() else Path(str(path).partition("#")[0])
    suffix = unpacked_path(file).suffix.lower()
    if suffix in TABLES and suffix != ".txt" and file.is_file():
        raise InputError(
            "{file}: this is a table, and a policy is expected; to write one, run: petworks init {path!r}",
            file=path.name,
            path=str(path),
        )


def _check_version(file: YAMLFile) -> None:
    version = file.content.get("petworks_policy")
    if version is not None and parse_number(version) not in (None, VERSION):
        raise file.error(
            ("petworks_policy",),
            "unknown version {version} of the format; this program reads version {known}",
            version=quoted([version]),
            known=VERSION,
        )


def _roles(mistakes: Mistakes) -> dict[str, str]:
    by_key = mistakes.file.content["roles"]
    roles, twice = roles_from_lists(by_key)
    for key, place in twice:
        mistakes.add(("roles", key, place), "the column {column} has two roles", column=quoted([by_key[key][place]]))
    return roles


def _check_reasons(mistakes: Mistakes) -> None:
    """Add a mistake for each reason, owner, approver and the like without a visible letter or digit."""
    content = mistakes.file.content
    texts_by_key: dict[Key, Any] = {
        (key, column): reason
        for key in ("no_role", "no_rule", "role_reasons", "no_privacy_unit")
        for column, reason in content.get(key, {}).items()
    }
    texts_by_key |= {
        (part, key): content[part][key]
        for part, keys in STATEMENTS.items()
        for key in keys
        if key in content.get(part, {})
    }
    if isinstance(content.get("unique_values"), Mapping) and "reason" in content["unique_values"]:
        texts_by_key["unique_values", "reason"] = content["unique_values"]["reason"]
    for place, waiver in enumerate(content.get("waivers", ())):
        texts_by_key |= {("waivers", place, key): waiver[key] for key in ("owner", "reason") if waiver is not None}
    for key, reason in texts_by_key.items():
        texts = reason.values() if isinstance(reason, Mapping) else [reason]
        if not all(is_legible(text) for text in texts if text is not None):
            mistakes.add(key, "the text says nothing: it has no letter or digit that can be seen")


def _share(mistakes: Mistakes, key: Key, value: Any, usual: float) -> float:
    """The share in the file; the usual share, and a mistake, if it is invalid."""
    share = parse_number(value)
    if share is None or not 0 <= share <= 1:
        mistakes.add(key, "expected a share from 0 to 1, got {given}", given=quoted([value]))
        return usual
    return float(share)


def _models(mistakes: Mistakes) -> tuple[Model, ...]:
    """The models that the data are for."""
    given = [words for words in mistakes.file.content.get("models", ()) if words is not None]
    for number in range(len(given)):
        with mistakes.at("models", number):
            parse_models(given[: number + 1])
            continue
        return ()
    return parse_models(given)


# Keys of generalised releases only, and those of releases that are not generalised.
KEYS_OF_GENERALISED = ("plan", "order", "seed", "population", "privacy_unit", "releases")
KEYS_OF_COMPARED = ("control", "compare_at")


def _check_kind(mistakes: Mistakes) -> None:
    """Add a mistake for each key that has no meaning for the kind of release."""
    content = mistakes.file.content
    kind = kind_in(content)
    for key in KEYS_OF_COMPARED if kind == GENERALISED else KEYS_OF_GENERALISED:
        if key not in content:
            continue
        if kind == GENERALISED:
            mistakes.add(
                (key,), "the key is for releases of the kind 'synthetic' or 'perturbed' (context: {kind: ...})"
            )
        elif key == "privacy_unit":
            mistakes.add((key,), ONE_RECORD_EACH)
        else:
            mistakes.add((key,), "the key is for generalised releases, and this one is {kind}", kind=WORDS[kind])
    if kind != GENERALISED and "original" not in content:
        mistakes.add(
            ("context", "kind"),
            "a release that is {kind} is judged by its original: name it",
            Hint.ORIGINAL,
            kind=WORDS[kind],
        )


def _check_anonymize(mistakes: Mistakes, roles: Mapping[str, str] | None) -> None:
    """Add a mistake for each invalid setting for `petworks anonymize`."""
    settings = mistakes.file.content.get("anonymize")
    if settings is None:
        return
    from PETWorks.anonymizer.problem import check_settings

    known = [name for name, role in (roles or {}).items() if role == QUASI_IDENTIFIER]
    for error in check_settings(known or None, **settings):
        with mistakes.at("anonymize", error.what or ""):
            raise error
    for column, words in (settings.get("protect") or {}).items():
        with mistakes.at("anonymize", "protect", column):
            protection_of(column, words)


TABLES_OF_POLICY = ("data", "original", "population", "control")


def columns_without_role(release: Release) -> list[str]:
    """The columns that have no role: they would be released without anyone having allowed it."""
    never = (release.privacy_unit, *release.sample.columns)  # they leave the table, unless they have a role
    return [name for name in release.columns if name not in release.roles and name not in never]


def describe_release(release: Release) -> dict[str, Any]:
    """The keys of a policy that describe a table: roles, privacy unit and treatment of records."""
    unit = {} if release.privacy_unit is None else {"privacy_unit": release.privacy_unit}
    treatment = {name: choice for name, choice in release.treatment.items() if name != "privacy_unit"}
    roles = {
        key: [column for column, role in release.roles.items() if role == wanted]
        for key, wanted in ROLE_KEYS.items()
        if wanted in release.roles.values()
    }
    return {"roles": roles, **unit, **release.sample.words, "treatment": treatment}


def rule_entries(rules: Sequence[MeasureRule]) -> Iterator[dict[str, Any]]:
    """The rules as entries of a policy; several rules with one measure get different names."""
    measures = Counter(rule.metric.name for rule in rules)
    names: set[str] = set()
    for number, rule in enumerate(rules, 1):
        parameters = {
            name: value for name, value in rule.parameters.items() if value != rule.metric.parameters[name].default
        }
        if measures[rule.metric.name] == 1:
            yield {"measure": rule.metric.name, **parameters}
            continue
        name = rule.name if rule.name not in names else f"{rule.name}, rule {number}"
        names.add(name)
        yield {"name": name, "measure": rule.metric.name, **parameters}


def policy_for(release: Release, rules: Sequence[SearchRule]) -> Policy:
    """A policy with the roles of a release, their reasons, and these rules, without rules that call user functions."""
    measure_rules = [rule for rule in rules if isinstance(rule, MeasureRule) and not _has_function(rule)]
    subset_rules = [rule for rule in rules if isinstance(rule, SubsetRule)]
    content: dict[str, Any] = {"petworks_policy": 1, "data": "table", **describe_release(release)}
    if release.role_reasons:
        content["role_reasons"] = release.role_reasons
    if release.no_privacy_unit:
        content["no_privacy_unit"] = release.no_privacy_unit
    if measure_rules:
        content["rules"] = list(rule_entries(measure_rules))
    if subset_rules:
        limits = {rule.limit: rule.at_most for rule in subset_rules}
        content["subsets"] = {"sizes": subset_rules[0].sizes, "limits": limits}
    return policy_in_memory(content)


def policy_in_memory(content: Mapping[str, Any]) -> Policy:
    """The policy with this content, as if read from a file; its tables are not read."""
    file = YAMLFile("policy", _as_texts(content), {}, "")
    return parse_policy(file, Path("policy"), unread=TABLES_OF_POLICY, needs_rule=False)


def _has_function(rule: MeasureRule) -> bool:
    return any(map(callable, rule.parameters.values()))


def _as_texts(content: Any) -> Any:
    """The content as read from a YAML file: every scalar is a text."""
    if isinstance(content, Mapping):
        return {str(key): _as_texts(value) for key, value in content.items() if value is not None}
    if isinstance(content, list | tuple):
        return [_as_texts(value) for value in content]
    return str(content).lower() if isinstance(content, bool) else str(content)
