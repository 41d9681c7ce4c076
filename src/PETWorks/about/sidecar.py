"""The YAML file beside a table: the role of each column, its hierarchies, and how records are counted.

It has the keys of a policy that describe the table; a policy with the name of the table works as well, as does the
older form with `DATASET`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PETWorks import attributetypes
from PETWorks.about.hierarchies.declaration import Declaration, HierarchySources, hierarchy_name, parse_declaration
from PETWorks.about.population import Sample
from PETWorks.about.roles import ROLE_KEYS, roles_from_lists
from PETWorks.about.treatment import COLUMN_KEYS, TREATMENTS
from PETWorks.errors import HierarchyError, Hint, InputError, quoted, unknown
from PETWorks.tables.formats.packed import unpacked_path
from PETWorks.tables.yaml_files import YAMLFile, read_yaml

KEYS = ("roles", "hierarchies", *COLUMN_KEYS, "treatment")
_ROLES = {name: getattr(attributetypes, name) for name in attributetypes.__all__}


@dataclass(frozen=True)
class Sidecar:
    """The content of the file beside a table; empty if there is no such file."""

    roles: Mapping[str, str] = field(default_factory=dict)
    privacy_unit: str | None = None
    sample: Sample = field(default_factory=Sample)
    treatment: Mapping[str, str] = field(default_factory=dict)
    path: Path | None = None
    hierarchy_entry: Any = None  # a folder as written in the file; or by column a file or a declaration
    hierarchy_key: str = "hierarchies"

    @property
    def hierarchies(self) -> HierarchySources | None:
        """The hierarchies; raise if their files are outside the folder of the roles file."""
        if self.hierarchy_entry is None or self.path is None:
            return None
        if isinstance(self.hierarchy_entry, dict):
            return {
                column: item if isinstance(item, Declaration) else self._inside(item, self.path)
                for column, item in self.hierarchy_entry.items()
            }
        return self._inside(self.hierarchy_entry, self.path)

    def _inside(self, name: Any, path: Path) -> Path:
        try:
            folder: Path = path.parent / name
            inside = folder.resolve().is_relative_to(path.parent.resolve())
        except (OSError, RuntimeError, TypeError, ValueError):
            raise InputError(
                "{file}: expected the name of a folder under {key!r}", file=path.name, key=self.hierarchy_key
            ) from None
        if not inside:
            raise InputError(
                "{file}: {key!r} is outside the file's own folder; pass the hierarchies explicitly",
                Hint.HIERARCHIES,
                file=path.name,
                key=self.hierarchy_key,
            )
        return folder


def read_sidecar(table: Path) -> Sidecar:
    """Read the YAML file with the table's stem."""
    path = sidecar_of(table)
    if path is None:
        return Sidecar()
    file = read_yaml(path)
    keys = set(file.content) if isinstance(file.content, dict) else set()
    if "petworks_policy" in keys and not _is_about(file.content, path, table):
        return Sidecar()
    return _read(file, path) if keys & {*KEYS, "petworks_policy"} else _read_older(file.content, path)


def sidecar_of(table: Path) -> Path | None:
    """The YAML file with the table's stem; a table inside another file (`FILE#NAME`) has none."""
    return next(
        (path for path in possible_sidecars(table) if table.is_file() and path.is_file() and path != table), None
    )


def possible_sidecars(table: Path) -> list[Path]:
    """The possible names of the YAML file of a table: for `people.csv.gz`, it is `people.yaml`."""
    return [unpacked_path(table).with_suffix(suffix) for suffix in (".yaml", ".yml")]


def _is_about(policy: Mapping[str, Any], path: Path, table: Path) -> bool:
    """Whether a policy is about the table that has its name."""
    try:
        return bool((path.parent / str(policy.get("data", ""))).samefile(table))
    except (OSError, ValueError):
        return False


def _read(file: YAMLFile, path: Path) -> Sidecar:
    """Read the keys of a policy; other keys are allowed only in a policy."""
    content = file.content
    for key in content:
        if key not in KEYS and "petworks_policy" not in content:
            raise file.error((key,), unknown("key", key, KEYS).message)
    by_key = _mapping(file, "roles", ROLE_KEYS)
    for key, columns in by_key.items():
        if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
            raise file.error(("roles", key), "expected a list of column names")
    roles, second_roles = roles_from_lists(by_key)
    for key, index in second_roles:
        raise file.error(
            ("roles", key, index), "the column {column} has two roles", column=quoted([by_key[key][index]])
        )
    treatment = _mapping(file, "treatment", TREATMENTS)
    for name, value in treatment.items():
        if value not in TREATMENTS[name]:
            raise file.error(("treatment", name), "expected one of {options}", options=quoted(TREATMENTS[name]))
    names = {key: content.get(key, "") for key in COLUMN_KEYS}
    for key, name in names.items():
        if not isinstance(name, str):
            raise file.error((key,), "expected the name of a column")
    unit, weight, household = (name.strip() or None for name in names.values())
    return Sidecar(roles, unit, Sample(weight, household), treatment, path, _hierarchies(file))


def _hierarchies(file: YAMLFile) -> Any:
    """The name of a folder, or by column the name of a file or a declaration."""
    section = file.content.get("hierarchies")
    if not isinstance(section, dict):
        return section
    hierarchies: dict[str, Any] = {}
    for key, item in section.items():
        try:
            hierarchies[key.strip()] = (
                parse_declaration(item, hierarchy_name(key.strip())) if isinstance(item, dict) else item
            )
        except HierarchyError as error:
            raise file.error(("hierarchies", key), error.message) from None
    return hierarchies


def _mapping(file: YAMLFile, key: str, known: Mapping[str, Any]) -> dict[str, Any]:
    section = file.content.get(key, {})
    if not isinstance(section, dict):
        raise file.error((key,), "expected a mapping with the keys {keys}", keys=quoted(known))
    for name in section:
        if name not in known:
            raise file.error((key, name), unknown("key", name, known).message)
    return section


def _read_older(content: Any, path: Path) -> Sidecar:
    """Read the form with `DATASET`, in which the names of roles are in capitals."""
    dataset = _section(content, "DATASET", ("DATASET",), path.name)
    _check_keys(dataset, ("ATTRIBUTE_TYPE", "HIERARCHY"), path.name)
    by_role = _section({"ATTRIBUTE_TYPE": {}} | dataset, "ATTRIBUTE_TYPE", ("ATTRIBUTE_TYPE", "HIERARCHY"), path.name)
    _check_keys(by_role, _ROLES, path.name)
    roles: dict[str, str] = {}
    for key, columns in by_role.items():
        for column in _names(columns, key, path.name):
            if column in roles:
                raise InputError("{file}: column {column!r} has two roles", file=path.name, column=column)
            roles[column] = _ROLES[key]
    return Sidecar(roles, path=path, hierarchy_entry=dataset.get("HIERARCHY"), hierarchy_key="HIERARCHY")


def _section(content: Any, key: str, keys: tuple[str, ...], name: str) -> dict[str, Any]:
    section = content.get(key) if isinstance(content, dict) else None
    if not isinstance(section, dict) or not all(isinstance(item, str) for item in section):
        raise InputError("{name}: expected a mapping under {key!r}", name=name, key=key)
    _check_keys(content, keys, name)
    return section


def _check_keys(section: dict[str, Any], keys: Any, name: str) -> None:
    for key in section:
        if key not in keys:
            raise InputError("{name}: {problem}", name=name, problem=unknown("key", str(key), keys).message)


def _names(columns: Any, key: str, name: str) -> list[str]:
    listed = [] if columns == "" else columns
    if not isinstance(listed, list) or not all(isinstance(column, str) for column in listed):
        raise InputError("{name}: expected a list of column names under {key!r}", name=name, key=key)
    return [column.strip() for column in listed]
