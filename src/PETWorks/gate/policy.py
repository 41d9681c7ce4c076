"""The policy file: a table, its recipients, and the rules it must satisfy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PETWorks import attributetypes
from PETWorks.about.treatment import TREATMENTS
from PETWorks.counting.release import Release
from PETWorks.errors import Hint, InputError, PETWorksError, quoted, unknown
from PETWorks.gate.document import ReleaseKind, Spoken
from PETWorks.gate.policy_rules import (
    IMPLICIT,
    Located,
    Rule,
    Waiver,
    chosen_presets,
    located_error,
    rules_of,
    waivers_of,
)
from PETWorks.gate.presets import Preset
from PETWorks.gate.schema import check_schema
from PETWorks.measures.attacks.subset_sizes import checked_sizes
from PETWorks.measures.attacks.subsets import checked_limits
from PETWorks.measures.parameters import number_given
from PETWorks.tables.opening import files_named, open_table
from PETWorks.tables.yamlfile import Key, YAMLFile, read_yaml

VERSION = 1
CELL_SIZE = 11  # where a policy states none and has no preset
ROLES = {
    "identifiers": attributetypes.IDENTIFIER,
    "quasi_identifiers": attributetypes.QUASI_IDENTIFIER,
    "sensitive_attributes": attributetypes.SENSITIVE_ATTRIBUTE,
    "insensitive_attributes": attributetypes.INSENSITIVE_ATTRIBUTE,
}


# Which key an error is about, by its field `what`.
KEYS = {
    "roles": "roles",
    "privacy_unit": "privacy_unit",
    "population": "population",
    "original": "original",
    "hierarchies": "hierarchies",
}


@dataclass(frozen=True)
class Adversary:
    """Someone who is assumed to know some of the quasi-identifiers."""

    who: Spoken
    knows: tuple[str, ...]


@dataclass(frozen=True)
class Policy:
    """The content of a policy file, checked as far as that is possible without the data."""

    path: Path
    file: YAMLFile
    title: Spoken
    data: Path
    original: Path | None
    hierarchies: Path | None
    population: Path | int | float | None
    reading: Mapping[str, str]
    roles: Mapping[str, str] | None
    no_role: Mapping[str, Spoken]
    privacy_unit: str | None
    treatment: Mapping[str, str]
    release_kind: ReleaseKind | None
    recipients: Spoken | None
    adversaries: tuple[Adversary, ...]
    assumptions: tuple[Spoken, ...]
    cell_size: int
    presets: tuple[Preset, ...]
    rules: tuple[Rule, ...]
    subset_sizes: str | None
    limits: Mapping[str, str] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    root: Path | None = None  # the folder that the user allowed the files to be in, if it is not the policy's

    def release(self, data: Any = None, **counted: Any) -> Release:
        """The release that the policy is about, or other data with the same columns. `counted`: engine and limits."""

        def opened(key: str, source: Any) -> Any:
            if not isinstance(source, Path):
                return source
            with self.located(key):
                return open_table(source, **self.reading)

        if data is None:
            data = opened("data", self.data)
        elif isinstance(data, str | Path):
            data = open_table(data, **self.reading)
        try:
            release = Release(
                data,
                self.roles,
                self.hierarchies,
                opened("original", self.original),
                population=opened("population", self.population),
                privacy_unit=self.privacy_unit,
                **self.treatment,
                **counted,
            )
        except PETWorksError as error:
            if error.what not in KEYS or error.where is not None:
                raise
            raise located_error(self.file, (KEYS[error.what],), error) from None
        if not release.quasi_identifiers:
            raise self.file.error(("roles",), "no quasi-identifier: name the columns that an adversary may know")
        for column in self.file.content.get("no_role", ()):
            if column.strip() in release.roles:
                raise self.file.error(("no_role", column), "the column has a role")
        for place, adversary in enumerate(self.adversaries):
            for column in adversary.knows:
                if column not in release.quasi_identifiers:
                    key = ("context", "adversaries", place, "knows")
                    raise self.file.error(key, str(unknown("quasi-identifier", column, release.quasi_identifiers)))
        for limit, value in self.limits.items():
            with self.located("subsets", "limits", limit):
                checked_limits({limit: value}, release.sensitive_attributes)
        if self.subset_sizes is not None:
            with self.located("subsets", "sizes"):
                checked_sizes(self.subset_sizes, len(release.quasi_identifiers))
        return release

    def located(self, *key: str | int) -> Located:
        """A context in which errors get the name of the file, the line and the key."""
        return Located(self.file, key)


def read_policy(path: str | Path, root: str | Path | None = None) -> Policy:
    """Read and check a policy file. Its paths start from its own folder and stay below `root`, or that folder.

    >>> policy = read_policy("data/adult_policy.yaml")
    >>> policy.data.name, [rule.name for rule in policy.rules][:2]
    ('adult_anonymized.csv', ['pdpc-5', 'l-diversity'])
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise InputError(f"cannot read {str(path)!r}: not a regular file")
    file = read_yaml(path)
    if not isinstance(file.content, Mapping):
        raise file.error((), "expected a mapping that begins with 'petworks_policy: 1'")
    _check_version(file)
    check_schema(file, "policy")
    chosen = tuple(chosen_presets(file))
    rules = tuple(rules_of(file, chosen))
    if all(rule.name in IMPLICIT for rule in rules):
        raise file.error((), "no rule: give 'rules', 'presets', or limits under 'subsets'")
    content = file.content
    subsets = content.get("subsets", {})
    return Policy(
        path=path,
        file=file,
        **_sources(file, path.parent, path.parent if root is None else Path(root)),
        **_context(content.get("context", {})),
        roles=_roles(file) if "roles" in content else None,
        no_role={column.strip(): reason for column, reason in content.get("no_role", {}).items()},
        privacy_unit=content.get("privacy_unit", "").strip() or None,
        treatment={name: value for name, value in content.get("treatment", {}).items() if name in TREATMENTS},
        cell_size=int(content.get("cell_size", max((preset.cell_size for preset in chosen), default=CELL_SIZE))),
        presets=chosen,
        rules=rules,
        subset_sizes=subsets.get("sizes"),
        limits=subsets.get("limits", {}),
        waivers=tuple(waivers_of(file, rules)),
        root=None if root is None else Path(root),
    )


def _sources(file: YAMLFile, folder: Path, root: Path) -> dict[str, Any]:
    """What to read and how, and the title, which is the name of the table if there is no other."""
    content = file.content
    population = number_given(content.get("population", ""))
    paths = {
        key: _inside(file, (key,), folder, root) if key in content else None
        for key in ("data", "original", "hierarchies")
    }
    if population is None and "population" in content:
        paths["population"] = _inside(file, ("population",), folder, root)
    return {
        "title": content.get("title", (folder / content["data"]).name),
        "population": population,
        **paths,
        "reading": {key: content[key].replace(r"\t", "\t") for key in ("separator", "encoding") if key in content},
    }


def _context(context: Mapping[str, Any]) -> dict[str, Any]:
    """Who gets the table, and who is assumed to know what."""
    return {
        "release_kind": context.get("release"),
        "recipients": context.get("recipients"),
        "adversaries": tuple(
            Adversary(one["who"], tuple(column.strip() for column in one["knows"]))
            for one in context.get("adversaries", ())
        ),
        "assumptions": tuple(context.get("assumptions", ())),
    }


def _check_version(file: YAMLFile) -> None:
    given = file.content.get("petworks_policy")
    if given is not None and number_given(given) not in (None, VERSION):
        raise file.error(
            ("petworks_policy",),
            f"unknown version {quoted([given])} of the format; this program reads version {VERSION}",
        )


def _inside(file: YAMLFile, key: Key, folder: Path, root: Path) -> Path:
    """A path that the file names; it must not lead out of the root."""
    try:
        target = folder / str(file.content[key[0]])
        files = files_named(target)
        inside = all(path.resolve().is_relative_to(root.resolve()) for path in (target, *files, *_also_read(target)))
    except (OSError, RuntimeError, ValueError):
        raise file.error(key, "not a valid path") from None
    if not inside:
        raise file.error(key, "the path leads out of the policy's folder; allow a higher folder", Hint.ROOT)
    if not files:
        raise file.error(key, f"no such file or folder: {quoted([str(target)])}")
    return target


def _also_read(target: Path) -> Iterable[Path]:
    """The files that are read without being named: hierarchies in their folder, the YAML file next to a table."""
    if target.is_dir():
        return target.glob("*hierarchy_*")
    return [target.with_suffix(suffix) for suffix in (".yaml", ".yml")]


def _roles(file: YAMLFile) -> dict[str, str]:
    roles: dict[str, str] = {}
    for name, columns in file.content["roles"].items():
        for place, column in enumerate(columns):
            if roles.setdefault(column.strip(), ROLES[name]) != ROLES[name]:
                raise file.error(("roles", name, place), f"the column {quoted([column])} has two roles")
    return roles
