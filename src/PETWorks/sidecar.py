"""The YAML file beside a table that says which role each column has and where the hierarchies are."""

from pathlib import Path
from typing import Any

from PETWorks import attributetypes
from PETWorks.errors import InputError, quoted, unknown

LARGEST_FILE = 1 << 20
_ROLES = {name: getattr(attributetypes, name) for name in attributetypes.__all__}


def read_sidecar(table: Path) -> tuple[dict[str, str], Path | None]:
    """Roles and hierarchy folder from the YAML file with the table's stem; nothing where there is no such file."""
    beside = [
        path for path in (table.with_suffix(".yaml"), table.with_suffix(".yml")) if path.is_file() and path != table
    ]
    if not beside:
        return {}, None
    path = beside[0]
    dataset = _section(_load(path), "DATASET", ("DATASET",), path.name)
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


def _load(path: Path) -> Any:
    """The file's content: plain mappings, lists and scalars, no tags, no aliases."""
    import yaml

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.events.AliasEvent):
                line = self.peek_event().start_mark.line + 1  # type: ignore[no-untyped-call]
                raise InputError(f"{path.name}, line {line}: an alias, which is not allowed")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            twice = next((key for key in keys if keys.count(key) > 1), None)
            if twice is not None:
                raise InputError(
                    f"{path.name}, line {node.start_mark.line + 1}: the key {quoted([twice])} stands there twice"
                )
            return super().construct_mapping(node, deep)

    if path.stat().st_size > LARGEST_FILE:
        raise InputError(f"{path.name}: larger than {LARGEST_FILE >> 20} MiB")
    try:
        return yaml.load(path.read_text("utf-8"), Loader)  # noqa: S506 - derived from SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise InputError(f"{path.name}{where}: not plain YAML ({error.problem})") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise InputError(f"{path.name}: not a YAML file in UTF-8") from None
    except RecursionError:
        raise InputError(f"{path.name}: nested too deeply") from None


def _section(given: Any, key: str, keys: tuple[str, ...], name: str) -> dict[str, Any]:
    section = given.get(key) if isinstance(given, dict) else None
    if not isinstance(section, dict) or not all(isinstance(item, str) for item in section):
        raise InputError(f"{name}: a mapping under {key!r} is wanted")
    _check_keys(given, keys, name)
    return section


def _check_keys(given: dict[str, Any], keys: Any, name: str) -> None:
    for key in given:
        if key not in keys:
            raise InputError(f"{name}: {unknown('key', str(key), keys)}")


def _names(columns: Any, key: str, name: str) -> list[str]:
    listed = [] if columns is None else columns
    if not isinstance(listed, list) or not all(type(column) in (str, int) for column in listed):
        raise InputError(
            f"{name}: a list of column names under {key!r} is wanted (a name such as yes stands in quotes)"
        )
    return [str(column).strip() for column in listed]


def _folder(given: Any, path: Path) -> Path | None:
    if given is None:
        return None
    if not isinstance(given, str) or "\0" in given:
        raise InputError(f"{path.name}: a folder's name under 'HIERARCHY' is wanted")
    folder = (path.parent / given).resolve()
    if not folder.is_relative_to(path.parent.resolve()):
        raise InputError(
            f"{path.name}: 'HIERARCHY' leads out of the file's own folder; pass the hierarchies explicitly"
        )
    return path.parent / given
