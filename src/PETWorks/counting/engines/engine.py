"""The choice of the engine: in memory, out of core with DuckDB, or in a cluster with Spark; and that in memory."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from PETWorks.counting.codes import Column, Encoder, check_labels_fit
from PETWorks.counting.engines import ENGINES
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.counting.people import JoinedPeople, KeyEncoder, PeopleInMemory, TableToJoin
from PETWorks.counting.profiles import Profile, profiles_of
from PETWorks.counting.questions import THREADS
from PETWorks.counting.table import Table
from PETWorks.errors import InputError, ParameterError, Phrase, quoted
from PETWorks.tables.arrays import naming_column
from PETWorks.tables.source import Source

ROWS_FOR_THREADS = 5_000  # of fewer rows, columns are finished before the threads have started


def load_rows(
    source: Source,
    columns: Sequence[str],
    unit: str | None = None,
    memory_limit: int | None = None,
    key: str | None = None,
) -> WeightedRows:
    """Load the named columns of a source, and the unit, which names people; a key is for joining tables only."""
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(THREADS)
    if "pyarrow.compute" not in sys.modules:
        pool.submit(import_module, "pyarrow.compute")  # while the file is read: it takes as long as a small file
    columns = [*columns, *(name for name in (unit, key) if name is not None)]
    encoders: dict[str, Encoder | KeyEncoder] = {
        name: (KeyEncoder if name == key else Encoder)(spaced_quotes=source.separator is not None) for name in columns
    }
    types: dict[str, Any] = {}
    rows = 0
    for table in source.read(tuple(columns)):
        rows += table.num_rows
        types = dict(zip(columns, table.schema.types, strict=True))
        for name, chunks in zip(columns, table.columns, strict=True):
            with naming_column(name, types, source):
                for piece in chunks.chunks:
                    encoders[name].add(piece)
        check_labels_fit(sum(encoder.label_bytes for encoder in encoders.values()), memory_limit, source)
    if rows == 0:
        raise InputError("{table}: the table has columns but no records", table=source.name)

    def finish(name: str) -> Column:
        with naming_column(name, types, source):
            return encoders.pop(name).finish().without_unused_labels()

    names = list(encoders)
    with pool:
        finished = (pool.map if rows > ROWS_FOR_THREADS else map)(finish, names)
        return WeightedRows(dict(zip(names, finished, strict=True)), unit)


SMALLEST_LIMIT, LARGEST_LIMIT = 256 << 20, 1 << 50
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?)?B?\s*", re.IGNORECASE)
_UNITS = {"": 1} | {letter: 1000**power for power, letter in enumerate("kmgt", 1)}
_UNITS |= {f"{letter}i": 1024**power for power, letter in enumerate("kmgt", 1)}


class Engine(Protocol):
    """Loads tables, which then answer questions about counts.

    note          why this engine was chosen, if the user did not choose it
    keeps_order   whether its tables keep their records in the order of the input
    """

    name: str
    note: str | None
    keeps_order: bool

    def load(self, source: Source, columns: Sequence[str], unit: str | None = None, *, folded: bool = False) -> Table:
        """Load the named columns of a source, and the unit, which names people.

        folded   whether names and numbers of people that differ only in spelling are those of one person
        """

    def profiles(
        self, source: Source, columns: Sequence[str], unit: str | None = None, *, folded: bool = False
    ) -> dict[str, Profile]:
        """Counts and a sample of the values of columns that were not loaded.

        unit, folded   as with `load`; where a unit names people, records of one person with the same value count once
        """

    def join_people(
        self, tables: Sequence[TableToJoin], focal: int, numbers_of_values: Mapping[str, int]
    ) -> JoinedPeople:
        """Join the people of several tables of this engine; each person has at most one row in a table.

        focal               the index of the table whose people are the targets
        numbers_of_values   for each sensitive attribute under attack, the number of values in all tables
        """

    def close(self) -> None:
        """Free everything outside of memory; the tables of the engine cannot be used any more."""


class MemoryEngine:
    """An engine that keeps columns as codes in memory."""

    name = "memory"
    note: str | None = None
    keeps_order = True

    def __init__(self, memory_limit: int) -> None:
        self._memory_limit = memory_limit

    def load(
        self, source: Source, columns: Sequence[str], unit: str | None = None, *, folded: bool = False
    ) -> WeightedRows:
        """Load the named columns of a source, and the unit, which names people."""
        table = load_rows(source, columns, unit, self._memory_limit)
        return table.with_same_people() if folded else table

    def load_with_key(self, source: Source, columns: Sequence[str], key: str) -> tuple[WeightedRows, Column]:
        """Load the named columns of a source, and the key, which names the person of each record."""
        table = load_rows(source, columns, None, self._memory_limit, key)
        return WeightedRows({name: table.columns[name] for name in columns}), table.columns[key]

    def profiles(
        self, source: Source, columns: Sequence[str], unit: str | None = None, *, folded: bool = False
    ) -> dict[str, Profile]:
        """Counts and a sample of the values of columns that were not loaded."""
        table = self.load(source, columns, unit, folded=folded)
        return profiles_of(table.columns, columns, None if unit is None else table.columns[unit])

    def join_people(
        self, tables: Sequence[TableToJoin], focal: int, numbers_of_values: Mapping[str, int]
    ) -> JoinedPeople:
        """Join the people of several tables of this engine."""
        return PeopleInMemory(tables, focal, numbers_of_values)

    def close(self) -> None:
        """Do nothing: there is nothing outside of memory to free."""


def choose(
    engine: Any,
    sources: Sequence[Source | None],
    columns: int,
    memory_limit: int | str | None = None,
    temp_folder: str | os.PathLike[str] | None = None,
) -> Engine:
    """The engine with this name; for "auto", the one that suits the tables.

    columns   the number of columns to load, from which the need of memory is estimated
    """
    if engine not in ENGINES:
        raise ParameterError(
            "expected the engine {engines}, got {engine!r}", engines=quoted(ENGINES), engine=engine, what="engine"
        )
    present = [source for source in sources if source is not None]
    limit = memory_limit_in_bytes(memory_limit)
    needed = sum(_bytes_needed(source, columns) for source in present)
    wanted = engine
    note = None
    if engine == "auto":
        required = [source.engine for source in present if source.engine is not None]
        wanted = "spark" if "spark" in required else "duckdb" if required or needed > limit else "memory"
        if wanted == "duckdb" and not required:
            note = Phrase(
                "{needed} may be needed in memory, {limit} are allowed: counted with DuckDB",
                needed=_gigabytes(needed),
                limit=_gigabytes(limit),
            )
    if wanted == "memory":
        if memory_limit is not None and needed > limit:
            raise InputError(
                "about {needed} may be needed in memory, more than the limit of {limit}; use the "
                "engine 'duckdb' or 'auto'",
                needed=_gigabytes(needed),
                limit=_gigabytes(limit),
                what="memory_limit",
            )
        return MemoryEngine(limit if memory_limit is not None else 2 * limit)
    need_package(wanted, {"duckdb": "duckdb", "spark": "pyspark"}[wanted])
    if wanted == "spark":
        from PETWorks.counting.engines.spark import SparkEngine

        return SparkEngine(present)
    from PETWorks.counting.engines.duckdb import DuckEngine

    return DuckEngine(limit, temp_folder, note)


def need_package(engine: str, package: str) -> None:
    """Raise if the package that an engine needs is not installed."""
    if find_spec(package) is None:
        raise InputError("the engine {engine!r} needs a package: pip install 'petworks[{engine}]'", engine=engine)


def memory_limit_in_bytes(memory_limit: int | str | None) -> int:
    """The memory limit in bytes; by default, half of the machine's memory."""
    return half_the_machine() if memory_limit is None else size_in_bytes(memory_limit)


def size_in_bytes(size: int | str) -> int:
    """A size in bytes, from a number or a text like '2GB'.

    >>> size_in_bytes("2GB"), size_in_bytes("1.5 GiB")
    (2000000000, 1610612736)
    """
    parsed = _SIZE.fullmatch(size) if isinstance(size, str) else None
    if parsed:
        number = int(min(float(parsed[1]) * _UNITS[(parsed[2] or "").lower()], 2.0 * LARGEST_LIMIT))
    elif isinstance(size, int) and not isinstance(size, bool):
        number = size
    else:
        number = 0
    if not SMALLEST_LIMIT <= number <= LARGEST_LIMIT:
        raise ParameterError(
            "expected a memory limit in bytes or like '2GB', '512MiB', at least {least}; got {given!r}",
            least=f"{SMALLEST_LIMIT >> 20} MiB",
            given=str(size)[:40],
            what="memory_limit",
        )
    return number


def half_the_machine() -> int:
    """Half of the machine's memory in bytes."""
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        whole = 8 << 30
    return whole // 2


def _bytes_needed(source: Source, columns: int) -> int:
    """An estimate of the memory of a table: codes, keys and counts; for CSV also the indices while reading."""
    return (source.rows or 0) * (2 * columns + 24 + (4 * columns if source.separator else 0))


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
