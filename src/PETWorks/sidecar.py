"""The YAML file beside a table that says which role each column has and where the hierarchies are."""

from pathlib import Path
from typing import Any

from PETWorks import attributetypes
from PETWorks.errors import InputError, unknown

LARGEST_FILE = 1 << 18
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
    """The file's content: mappings, lists and texts, as they stand there; no tags, no aliases, no key twice."""
    import yaml

    class Loader(yaml.BaseLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.peek_event()  # type: ignore[no-untyped-call]
            tag = getattr(event, "tag", None)
            if isinstance(event, yaml.AliasEvent) or tag not in (None, "!"):
                what = "an alias" if isinstance(event, yaml.AliasEvent) else "a tag"
                raise InputError(f"{path.name}, line {event.start_mark.line + 1}: {what}, which is not allowed")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen = set()
            for key, _ in node.value:
                if key.value in seen if isinstance(key, yaml.ScalarNode) else True:
                    line = key.start_mark.line + 1
                    raise InputError(f"{path.name}, line {line}: a key that stands there twice, or is not a name")
                seen.add(key.value)
            return super().construct_mapping(node, deep)

    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{path.name}: larger than {LARGEST_FILE >> 10} KiB")
        return yaml.load(path.read_text("utf-8"), Loader)  # noqa: S506 - makes nothing but texts, lists and dicts
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise InputError(f"{path.name}{where}: not plain YAML ({error.problem})") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise InputError(f"{path.name}: not a YAML file in UTF-8") from None
    except RecursionError:
        raise InputError(f"{path.name}: nested too deeply") from None
    except OSError as error:
        raise InputError(f"cannot read {path.name}: {error.strerror}") from None


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
    listed = [] if columns == "" else columns
    if not isinstance(listed, list) or not all(isinstance(column, str) for column in listed):
        raise InputError(f"{name}: a list of column names under {key!r} is wanted")
    return [column.strip() for column in listed]


def _folder(given: str | None, path: Path) -> Path | None:
    if given is None:
        return None
    try:
        folder = path.parent / given
        inside = folder.resolve().is_relative_to(path.parent.resolve())
    except (OSError, RuntimeError, TypeError, ValueError):
        raise InputError(f"{path.name}: a folder's name under 'HIERARCHY' is wanted") from None
    if not inside:
        raise InputError(
            f"{path.name}: 'HIERARCHY' leads out of the file's own folder; pass the hierarchies explicitly"
        )
    return folder
