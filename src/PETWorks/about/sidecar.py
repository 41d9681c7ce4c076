"""The YAML file beside a table that says which role each column has and where the hierarchies are."""

from pathlib import Path
from typing import Any

from PETWorks import attributetypes
from PETWorks.errors import Hint, InputError, unknown
from PETWorks.tables.yamlfile import read_yaml

_ROLES = {name: getattr(attributetypes, name) for name in attributetypes.__all__}


def read_sidecar(table: Path) -> tuple[dict[str, str], Path | None]:
    """Roles and hierarchy folder from the YAML file with the table's stem; nothing where there is no such file."""
    path = sidecar_of(table)
    if path is None:
        return {}, None
    content = read_yaml(path).content
    if isinstance(content, dict) and "petworks_policy" in content:
        return {}, None  # a policy that is called like its table
    dataset = _section(content, "DATASET", ("DATASET",), path.name)
    _check_keys(dataset, ("ATTRIBUTE_TYPE", "HIERARCHY"), path.name)
    by_role = _section({"ATTRIBUTE_TYPE": {}} | dataset, "ATTRIBUTE_TYPE", ("ATTRIBUTE_TYPE", "HIERARCHY"), path.name)
    _check_keys(by_role, _ROLES, path.name)
    roles: dict[str, str] = {}
    for key, columns in by_role.items():
        for column in _names(columns, key, path.name):
            if column in roles:
                raise InputError(f"{path.name}: column {column!r} has two roles")
            roles[column] = _ROLES[key]
    return roles, _folder(dataset.get("HIERARCHY"), path)


def sidecar_of(table: Path) -> Path | None:
    """The YAML file with the table's stem."""
    candidates = (table.with_suffix(suffix) for suffix in (".yaml", ".yml"))
    return next((path for path in candidates if path.is_file() and path != table), None)


def _section(given: Any, key: str, keys: tuple[str, ...], name: str) -> dict[str, Any]:
    section = given.get(key) if isinstance(given, dict) else None
    if not isinstance(section, dict) or not all(isinstance(item, str) for item in section):
        raise InputError(f"{name}: expected a mapping under {key!r}")
    _check_keys(given, keys, name)
    return section


def _check_keys(given: dict[str, Any], keys: Any, name: str) -> None:
    for key in given:
        if key not in keys:
            raise InputError(f"{name}: {unknown('key', str(key), keys)}")


def _names(columns: Any, key: str, name: str) -> list[str]:
    listed = [] if columns == "" else columns
    if not isinstance(listed, list) or not all(isinstance(column, str) for column in listed):
        raise InputError(f"{name}: expected a list of column names under {key!r}")
    return [column.strip() for column in listed]


def _folder(given: str | None, path: Path) -> Path | None:
    if given is None:
        return None
    try:
        folder = path.parent / given
        inside = folder.resolve().is_relative_to(path.parent.resolve())
    except (OSError, RuntimeError, TypeError, ValueError):
        raise InputError(f"{path.name}: expected the name of a folder under 'HIERARCHY'") from None
    if not inside:
        raise InputError(
            f"{path.name}: 'HIERARCHY' is outside the file's own folder; pass the hierarchies explicitly",
            Hint.HIERARCHIES,
        )
    return folder
