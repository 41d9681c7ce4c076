"""Several files that form one table: `year/*.parquet`."""

import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from glob import glob
from itertools import takewhile
from pathlib import Path
from typing import Any

import pyarrow as pa

from PETWorks.errors import InputError, quoted
from PETWorks.tables.headers import columns_of, count_suspicious_names

SIGNS = "*?["


class Files:
    """The records of several files with the same columns, one file after another in the order of their names."""

    path: Path | None = None
    engine: str | None = None
    ordered = True

    def __init__(self, name: str, parts: Sequence[Any]) -> None:
        self.name, self.parts = name, parts
        first = parts[0]
        self.names, self.encoding, self.separator = first.names, first.encoding, first.separator
        self.rows: int | None = sum(part.rows for part in parts)
        for part in parts[1:]:
            if type(part) is not type(first):
                raise InputError("{file} and {first} are not files of the same kind", file=part.name, first=first.name)
            if sorted(part.names) != sorted(first.names):
                differing = sorted(set(part.names) ^ set(first.names))
                other = columns_of(part if count_suspicious_names(part) else first, differing)
                raise InputError(
                    "{file} and {first} have different columns: {columns} only in one of them",
                    file=part.name,
                    first=first.name,
                    columns=other,
                )
            for column, kind in getattr(part, "types", {}).items():
                if _kind(kind) != _kind(first.types[column]):
                    raise InputError(
                        "{file}: column {column!r} is {kind}, but {other} in {first}",
                        file=part.name,
                        column=column,
                        kind=kind,
                        other=first.types[column],
                        first=first.name,
                    )

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order, file by file."""
        for part in self.parts:
            yield from part.read(columns, in_pieces=in_pieces)


def open_files(pattern: str, opened: Callable[[Path], Any]) -> Files:
    """Open all files that match a pattern with `*`, `?` or `[...]`; `**` stands for any folders."""
    not_files = [path for path in _matching_paths(pattern) if not Path(path).is_file()]
    if not_files and not pattern.endswith("**"):
        raise InputError(
            "{name}: matches {pattern!r}, but is not a readable file", name=Path(not_files[0]).name, pattern=pattern
        )
    paths = matching_files(pattern)
    if not paths:
        raise InputError("no file matches {pattern!r}", pattern=pattern)
    by_inode: dict[tuple[int, int], Path] = {}
    for path in paths:
        state = path.stat()
        if by_inode.setdefault((state.st_dev, state.st_ino), path) is not path:
            same = quoted([by_inode[state.st_dev, state.st_ino].name, path.name])
            raise InputError(
                "{pattern!r} matches a file twice: {files} are links to the same records", pattern=pattern, files=same
            )
    return Files(pattern, [opened(path) for path in paths])


def matching_files(pattern: str) -> list[Path]:
    """The files that match a pattern, in the order of their names; none if it is not a pattern."""
    return [Path(path) for path in _matching_paths(pattern) if Path(path).is_file()]


def would_match(pattern: str, path: Path) -> bool:
    """Whether a file at this path, with links resolved, would match a pattern."""
    parts = Path(pattern).parts
    fixed = list(takewhile(lambda part: not any(sign in part for sign in SIGNS), parts))
    folder = Path(*fixed).resolve()
    return path.is_relative_to(folder) and _fits(parts[len(fixed) :], path.relative_to(folder).parts)


def _fits(patterns: Sequence[str], parts: Sequence[str]) -> bool:
    if not patterns or not parts:
        return not parts and all(pattern == "**" for pattern in patterns)
    if patterns[0] == "**":
        return _fits(patterns[1:], parts) or _fits(patterns, parts[1:])
    return fnmatch(parts[0], patterns[0]) and _fits(patterns[1:], parts[1:])


def _matching_paths(pattern: str) -> list[str]:
    """The paths that a pattern matches, each once; `**/**/` would match a path in several ways."""
    once = re.sub(r"(?<![^/])(\*\*/+)+", "**/", pattern)
    return sorted(set(glob(once, recursive=True)))  # noqa: PTH207 - the pattern may be absolute


def _kind(column_type: pa.DataType) -> str:
    """A name for types whose cells are written alike."""
    if pa.types.is_dictionary(column_type):
        column_type = column_type.value_type
    if pa.types.is_string(column_type) or pa.types.is_large_string(column_type) or pa.types.is_string_view(column_type):
        return "text"
    if pa.types.is_integer(column_type):
        return "integer"
    return str(column_type)
