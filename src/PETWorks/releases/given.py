"""The releases that users give: opened, with their roles, names and keys."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PETWorks.about.sidecar import read_sidecar
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.engine import Engine, choose
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError, Phrase, RoleError, quoted, unknown
from PETWorks.releases.people import KeyedEngine, check_key
from PETWorks.tables.frames import Frame
from PETWorks.tables.opening import open_source
from PETWorks.tables.source import Source

KEY_WIDTH = 40  # a key takes as much memory as so many columns


def listed_names(given: str | Iterable[str]) -> list[str]:
    """Names of columns, of which there may be one."""
    return [given] if isinstance(given, str) else list(given)


@dataclass(frozen=True, eq=False)
class Given:
    """Releases by name, each with the column that names people; the engine; and the place of the focal one."""

    releases: dict[str, Release]
    keys: dict[str, str]
    engine: Engine
    place: int

    @property
    def focal(self) -> str:
        """The name of the focal release."""
        return list(self.releases)[self.place]


def opened(
    releases: Sequence[Any] | Mapping[str, Any],
    key: str | Mapping[str, str],
    focal: Any,
    asked: Mapping[str, Sequence[str]],
    engine: str,
    memory_limit: int | str | None,
    temp_folder: str | os.PathLike[str] | None,
) -> Given:
    """The releases, read by one engine; those that are no `Release` get the roles that are asked for."""
    listed = list(releases.values() if isinstance(releases, Mapping) else releases)
    sources = [
        one.source if isinstance(one, Release) else open_source(one, Phrase("release {number}", number=number))
        for number, one in enumerate(listed, 1)
    ]
    _check_asked(asked, {name for source in sources for name in source.names})
    names = [str(name) for name in releases] if isinstance(releases, Mapping) else _names_of(sources)
    place = _focal(focal, names, listed, sources)
    keys = _keys(key, names)
    roles = [
        one.roles if isinstance(one, Release) else _roles(source, asked)
        for one, source in zip(listed, sources, strict=True)
    ]
    for name, one, source, own in zip(names, listed, sources, roles, strict=True):
        check_key(name, source, own, keys[name], one.view.background.given[1] if isinstance(one, Release) else None)
    columns = max(len(own) for own in roles) + KEY_WIDTH
    chosen = choose(_wanted(engine, listed), sources, columns, memory_limit, temp_folder)
    made = {
        name: one if isinstance(one, Release) else Release(source, own, {}, engine=KeyedEngine(chosen, keys[name]))
        for name, one, source, own in zip(names, listed, sources, roles, strict=True)
    }
    return Given(made, keys, chosen, place)


def _wanted(engine: str, listed: Sequence[Any]) -> str:
    """The engine; of "auto" the one that a `Release` was read with, if that was not in memory."""
    own = {one.engine.name for one in listed if isinstance(one, Release)}
    return next((name for name in ("spark", "duckdb") if name in own), engine) if engine == "auto" else engine


def _check_asked(asked: Mapping[str, Sequence[str]], known: Iterable[str]) -> None:
    """An error for columns that no release has, or that have two roles."""
    twice = set(asked[QUASI_IDENTIFIER]) & set(asked[SENSITIVE_ATTRIBUTE])
    if twice:
        raise RoleError("columns with two roles: {columns}", columns=quoted(sorted(twice)))
    for names in asked.values():
        for name in names:
            if name not in known:
                raise RoleError("no release has the column {column}", column=quoted([name]))


def _roles(source: Source, asked: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The roles of the YAML file beside a table; those that were asked for replace what it says about them."""
    beside = {} if source.path is None else read_sidecar(source.path).roles
    roles = {column: role for column, role in beside.items() if not asked.get(role)}
    for role, names in asked.items():
        for name in names:
            if name in source.names:
                roles[name] = role
    return roles


def _names_of(sources: Sequence[Source]) -> list[str]:
    """What releases are called: their file, with its folder where several are called the same; or their number."""
    short = [
        f"release {number}" if isinstance(one, Frame) and one.path is None else one.name
        for number, one in enumerate(sources, 1)
    ]
    times = Counter(short)
    names = [
        name if times[name] == 1 else str(one.path or f"release {number}")
        for number, (name, one) in enumerate(zip(short, sources, strict=True), 1)
    ]
    times = Counter(names)
    return [name if times[name] == 1 else f"{name} ({number})" for number, name in enumerate(names, 1)]


def _keys(key: str | Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """For each release the column that names the person."""
    if isinstance(key, str):
        return dict.fromkeys(names, key.strip())
    if set(key) != set(names) or not all(isinstance(column, str) for column in key.values()):
        raise ParameterError(
            "expected a key for each of {names}, got keys for {key}", names=quoted(names), key=quoted(key), what="key"
        )
    return {name: column.strip() for name, column in key.items()}


def _focal(focal: Any, names: Sequence[str], listed: Sequence[Any], sources: Sequence[Source]) -> int:
    """The place of the focal release."""
    if focal is None:
        return len(names) - 1
    if not isinstance(focal, str | os.PathLike):
        places = [place for place, one in enumerate(listed) if one is focal]
    elif str(focal) in names:
        places = [names.index(str(focal))]
    else:
        paths = [one.path for one in sources]
        places = [place for place, path in enumerate(paths) if path is not None and path == Path(focal)]
    if len(places) != 1:
        name = str(focal) if isinstance(focal, str | os.PathLike) else type(focal).__name__
        raise unknown("release", name, names, what="focal")
    return places[0]


def attacked_columns(release: Release, sensitive: Sequence[str], name: str) -> list[str]:
    """The sensitive attributes of the focal release that are attacked: all, or those that were asked for."""
    missing = [column for column in sensitive if column not in release.sensitive_attributes]
    if missing:
        raise RoleError(
            "{release}: no sensitive attribute is called {missing}", release=quoted([name]), missing=quoted(missing)
        )
    return [column for column in release.sensitive_attributes if not sensitive or column in sensitive]
