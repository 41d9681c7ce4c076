"""The tables and folders named in a policy, and the records that its plan removed."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.hierarchies.declaration import Declaration, hierarchy_files, hierarchy_name, parse_declaration
from PETWorks.about.kinds import GENERALISED
from PETWorks.about.population import Sample, check_sample
from PETWorks.about.roles import check_same_columns, check_unit, roles_from_lists, unknown_column
from PETWorks.about.sidecar import possible_sidecars, read_sidecar
from PETWorks.about.treatment import REMOVE
from PETWorks.anonymizer.plan import parse_record_numbers
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import Hint, InputError, PETWorksError, quoted, unknown
from PETWorks.gate.policy.mistakes import Mistakes
from PETWorks.gate.policy.plan_files import read_plan
from PETWorks.measures.attacks.subsets import check_limits, parse_sizes
from PETWorks.measures.parameters import parse_number
from PETWorks.releases.composition import check_limits as check_release_limits
from PETWorks.tables.databases import POSTGRES, shown_address
from PETWorks.tables.frames import SCHEMES
from PETWorks.tables.opening import files_at_path, is_address
from PETWorks.tables.source import Source
from PETWorks.tables.yaml_files import Key

# The options that a policy may set in an address. Others may name local files, such as keys and passwords.
SAFE_OPTIONS = ("sslmode", "connect_timeout", "application_name", "target_session_attrs")

Find = Callable[[Path], Path]  # from the path in a policy to the file's present location


def same_path(path: Path) -> Path:
    """The path itself: files are where the policy states."""
    return path


def resolve_sources(
    mistakes: Mistakes,
    folder: Path,
    root: Path,
    *,
    network: bool,
    unread: Collection[str] = (),
    find: Find = same_path,
) -> dict[str, Any]:
    """The sources to read, the options for reading them, and the title (by default the name of the table).

    unread   the keys of tables that will not be read, so they need not exist
    find     maps a path in the policy to its present location
    """
    content = mistakes.file.content
    population = parse_number(content.get("population", ""))
    tables = ("data", "original", "hierarchies", "population", "control")
    resolved: dict[str, Any] = {**dict.fromkeys(tables), "population": population, "plan": None}
    for key in tables:
        if key in content and (key != "population" or population is None):
            with mistakes.at(key):
                if key in unread:
                    resolved[key] = content[key] if is_address(content[key]) else folder / str(content[key])
                elif isinstance(content[key], dict):
                    resolved[key] = _hierarchies(mistakes, content[key], folder, root, find)
                else:
                    resolved[key] = resolve_source(
                        mistakes, (key,), str(content[key]), folder, root, network=network, find=find
                    )
    if "plan" in content:
        with mistakes.at("plan"):
            plan = resolve_source(mistakes, ("plan",), str(content["plan"]), folder, root, network=False, find=find)
            resolved["plan"] = Path(plan)
    table = resolved["data"]
    return {
        "title": content.get("title", shown_address(table) if isinstance(table, str) else getattr(table, "name", "")),
        **resolved,
        "reading": {key: content[key].replace(r"\t", "\t") for key in ("separator", "encoding") if key in content},
    }


def _hierarchies(mistakes: Mistakes, entries: Any, folder: Path, root: Path, find: Find) -> dict[str, Any]:
    """A file or a declaration for each column."""
    hierarchies: dict[str, Path | str | Declaration] = {}
    for key, entry in entries.items():
        column, policy_key = key.strip(), ("hierarchies", key)
        with mistakes.at(*policy_key):
            hierarchies[column] = (
                parse_declaration(entry, hierarchy_name(column))
                if isinstance(entry, dict)
                else resolve_source(mistakes, policy_key, str(entry), folder, root, network=False, find=find)
            )
    return hierarchies


def resolve_source(
    mistakes: Mistakes,
    key: Key,
    text: str,
    folder: Path,
    root: Path,
    *,
    network: bool,
    find: Find = same_path,
) -> Path | str:
    """The path, which must not lead out of the root, or the address of a server."""
    file = mistakes.file
    if is_address(text):
        if key[0] in ("hierarchies", "register", "plan") or key[-1] == "policy":
            if len(key) == 1:
                raise file.error(key, "expected a folder, got an address")
            raise file.error(key, "expected a file, got an address")
        _check_address(mistakes, key, text, network=network)
        return text
    try:
        target = find(folder / text)
        files = files_at_path(target)
        inside = all(
            path.resolve().is_relative_to(root.resolve()) for path in (target, *files, *_files_read_implicitly(target))
        )
    except (OSError, RuntimeError, ValueError):
        raise file.error(key, "not a valid path") from None
    if not inside:
        raise file.error(key, "the path leads out of the policy's folder; allow a higher folder", Hint.ROOT)
    if not files:
        if "\\" in text and os.sep == "/":
            raise file.error(key, "no such file or folder: {path!r}; write paths with / on every system", path=text)
        raise file.error(key, "no such file or folder: {path!r}", path=str(target))
    return target


def _files_read_implicitly(target: Path) -> Iterator[Path]:
    """The files that are read although the policy does not name them.

    These are the hierarchies in a folder, the YAML file beside a table, and the hierarchies named in it.
    """
    if target.is_dir():
        yield from target.glob("*hierarchy_*")
        return
    yield from possible_sidecars(target)
    with suppress(PETWorksError):  # reported later if the YAML file is needed
        hierarchies = read_sidecar(target).hierarchies
        if isinstance(hierarchies, Path):
            yield from (hierarchies, *hierarchies.glob("*hierarchy_*"))
        yield from hierarchy_files(hierarchies)


def _check_address(mistakes: Mistakes, key: Key, address: str, *, network: bool) -> None:
    """Add a mistake for a bad address. No message contains the address: it may contain a password."""
    scheme = address.strip().partition("://")[0].lower()
    known = [f"{scheme_name}://" for scheme_name in (*POSTGRES, *SCHEMES) if scheme_name != "file"]
    if f"{scheme}://" not in known:
        mistakes.add(key, "unknown kind of address; expected a path or one of {known}", known=quoted(known))
    elif scheme in POSTGRES and not _address_options(address) <= set(SAFE_OPTIONS):
        mistakes.add(
            key,
            "options of an address in a policy are {options}; others may name files",
            options=quoted(SAFE_OPTIONS),
        )
    elif not network:
        mistakes.add(key, "the policy names a server; allow connections to it", Hint.NETWORK)


def _address_options(address: str) -> set[str]:
    try:
        return {name for name, _ in parse_qsl(urlsplit(address.strip()).query, keep_blank_values=True)}
    except ValueError:
        return {"unknown"}


def check_columns(mistakes: Mistakes, source: Source, original: Source | None = None) -> None:
    """Add a mistake for each column of the policy that is not in the table, and for keys that contradict its roles."""
    content = mistakes.file.content
    for section in ("hierarchies", "no_role"):
        for key in content.get(section, ()) if isinstance(content.get(section), dict) else ():
            with mistakes.at(section, key):
                if key.strip() not in source.names:
                    raise unknown_column(key.strip(), source)
    if "roles" not in content:
        return
    by_role = {role: [column.strip() for column in columns] for role, columns in content["roles"].items()}
    for role, columns in by_role.items():
        for index, column in enumerate(columns):
            with mistakes.at("roles", role, index):
                if column not in source.names and role != "identifiers":
                    raise unknown_column(column, source)
    roles = {
        column: kind
        for role, kind in (("quasi_identifiers", QUASI_IDENTIFIER), ("sensitive_attributes", SENSITIVE_ATTRIBUTE))
        for column in by_role.get(role, ())
    }
    unit = content.get("privacy_unit", "").strip()
    if unit in source.names:  # a release may lack it; the rules judge that
        with mistakes.at("privacy_unit"):
            check_unit(unit, source, roles)
    sample = Sample(*(content.get(key, "").strip() or None for key in ("sampling_weight", "household")))
    for key, column in sample.words.items():
        if column in source.names:  # a release may lack it
            with mistakes.at(key):
                others = {"sampling_weight": sample.household, "household": sample.weight}
                check_sample(sample.without({others[key]}), source, roles_from_lists(content["roles"])[0], unit)
    if original is not None:
        with mistakes.at("original"):
            check_same_columns(source, original, (*by_role.get("identifiers", ()), unit, *sample.columns))
    check_references(mistakes, by_role.get("quasi_identifiers", ()), by_role.get("sensitive_attributes", ()))


def check_references(mistakes: Mistakes, known: Iterable[str], sensitive: Iterable[str]) -> None:
    """Add a mistake for each reference to a quasi-identifier or sensitive attribute that does not exist."""
    content, known, sensitive = mistakes.file.content, tuple(known), tuple(sensitive)
    if not known:
        mistakes.add(("roles",), "no quasi-identifier: name the columns that an adversary may know")
        return
    for number, adversary in enumerate(content.get("context", {}).get("adversaries", ())):
        for index, column in enumerate(adversary["knows"]):
            if column.strip() not in known:
                key = ("context", "adversaries", number, "knows", index)
                mistakes.add(key, unknown("quasi-identifier", column.strip(), known).message)
    subsets = content.get("subsets", {})
    if "sizes" in subsets:
        with mistakes.at("subsets", "sizes"):
            parse_sizes(subsets["sizes"], len(known))
    generalised = content.get("context", {}).get("kind", GENERALISED) == GENERALISED
    for limit, value in subsets.get("limits", {}).items() if generalised else ():  # others are checked when counted
        with mistakes.at("subsets", "limits", limit):
            check_limits({limit: value}, sensitive)
    for limit, value in content.get("releases", {}).get("limits", {}).items():
        with mistakes.at("releases", "limits", limit):
            check_release_limits({limit: value}, sensitive)


def read_removed_records(path: Path) -> tuple[NDArray[np.int64] | None, int] | None:
    """The indices of the records that a plan removed, and the size of the original table; None if all stayed.

    The indices are None if the engine that made the release has no record order.
    """
    plan = read_plan(path)
    if plan.removed is None:
        return (None, plan.records) if plan.suppressed_records == REMOVE else None
    places = parse_record_numbers(plan.removed, plan.records)
    if places is None:
        raise InputError(
            "{name}: 'removed' must list numbers of records, ascending and at most {records:,}",
            name=path.name,
            records=plan.records,
        )
    return places, plan.records
