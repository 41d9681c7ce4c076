"""Out of core: DuckDB keeps the rows as codes in a file, counts them and spills what does not fit into memory.

Every name in the SQL is made here (`rows_1`, `c0`, `k0`): no column name, path or cell of the user's is part of it.
"""

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import reduce
from itertools import count as numbers
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar
from weakref import finalize

import numpy as np

from PETWorks.counting.batches import THREADS
from PETWorks.counting.codes import Codes, GrowingEncoder, Known, person_texts
from PETWorks.counting.counts import Integers, PairCounts
from PETWorks.counting.duckdb_profiles import duckdb_profiles
from PETWorks.counting.loading import check_labels
from PETWorks.counting.packed_words import Words, class_starts
from PETWorks.counting.part_tasks import Part
from PETWorks.counting.partitioned import PartitionedTable, Without
from PETWorks.counting.people import Brought, JoinedPeople, KeyCounts
from PETWorks.counting.profiles import Profile
from PETWorks.counting.questions import Merge
from PETWorks.counting.temporary import own_folder
from PETWorks.errors import Hint, InputError
from PETWorks.tables.arrays import arrow_codes, arrow_integers
from PETWorks.tables.column_errors import naming
from PETWorks.tables.databases import Database, interruptible
from PETWorks.tables.source import Source

Summary = TypeVar("Summary")

ROWS_PER_PART = 1 << 20
BYTES_PER_CELL = 2048  # of the limit, for each cell of a part: there are several parts at work, each with its arrays
COLUMNS = 8  # of a part; of more columns, parts have fewer cells
SHARE = 0.5  # of the memory limit that DuckDB may count as used; it takes more, and reading and kernels take the rest


class DuckEngine:
    """A database in a folder of its own, which is removed when the engine is closed or forgotten."""

    name = "duckdb"
    keeps_order = True

    def __init__(
        self, memory_limit: int, temp_folder: str | os.PathLike[str] | None = None, note: str | None = None
    ) -> None:
        import duckdb

        self.note = note
        folder = own_folder(temp_folder)
        settings: dict[str, Any] = {
            "memory_limit": f"{int(memory_limit * SHARE)}B",
            "temp_directory": str(Path(folder, "spilled")),
            "threads": str(THREADS),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        self._lock = RLock()
        self._numbers = numbers(1)
        self._memory, self._folder = memory_limit, Path(folder)
        self.rows_per_part = max(1, min(ROWS_PER_PART, memory_limit // BYTES_PER_CELL))
        connections: list[Any] = []
        self._close = finalize(self, _closed, connections, folder)
        with self.working():
            connections.append(duckdb.connect(str(Path(folder, "counts.duckdb")), config=settings))
        self._connection = connections[0]
        self.execute("PRAGMA disable_checkpoint_on_shutdown")
        self.execute("PRAGMA disable_progress_bar")  # it would be printed to standard output

    def close(self) -> None:
        """Remove everything that was kept on disk."""
        self._close()

    def load(self, source: Source, columns: Sequence[str], unit: str | None = None) -> PartitionedTable:
        """The named columns of a source as codes, and as it is the one that names people."""
        spaced = source.separator is not None
        encoders = {name: GrowingEncoder(spaced_quotes=spaced) for name in columns}
        wanted = (*columns, *([unit] if unit else []))
        store = DuckStore(self, self.new("rows"), {name: f"c{place}" for place, name in enumerate(columns)})
        definition = [*(f"{code} UINTEGER" for code in store.codes.values()), *(["u VARCHAR"] if unit else [])]
        self.execute(f"CREATE TABLE {store.table} ({', '.join(definition)})")

        if isinstance(source, Database):
            source.limited(self._memory // 4, self._folder)

        def coded(name: str, chunks: Any) -> Any:
            with naming(name, {name: chunks.type}, source):
                if name == unit:
                    return person_texts(chunks, spaced)
                return arrow_codes(_joined([encoders[name].codes(chunk) for chunk in chunks.chunks]))

        rows = 0
        with ThreadPoolExecutor(THREADS) as pool, ThreadPoolExecutor(1) as writer:
            written: Future[None] | None = None
            for piece in source.read(wanted, in_pieces=True):
                rows += piece.num_rows
                arrays = list(pool.map(coded, wanted, piece.columns))
                check_labels(sum(one.labels.nbytes for one in encoders.values()), self._memory, source)
                if written is not None:
                    written.result()
                written = writer.submit(self.insert, store.table, arrays)  # while the next piece is read
            if written is not None:
                written.result()
        if rows == 0:
            raise InputError("{table}: the table has columns but no records", table=source.name)
        known = {name: Known(encoder.labels, encoder.counts) for name, encoder in encoders.items()}
        return PartitionedTable(store, known, rows, unit)

    def profiles(self, source: Source, columns: Sequence[str]) -> dict[str, Profile]:
        """Counts and a sample of the values of columns that need not be loaded for anything else."""
        if isinstance(source, Database):
            source.limited(self._memory // 4, self._folder)
        return duckdb_profiles(self, source, columns)

    def joined(self, brought: Sequence[Brought], place: int, numbers: Mapping[str, int]) -> JoinedPeople:
        """The people of several of its tables."""
        from PETWorks.counting.duckdb_people import DuckPeople

        return DuckPeople(self, brought, place, numbers)

    def rows_at_once(self, columns: int) -> int:
        """How many rows of so many columns a part has."""
        return max(1, self.rows_per_part * COLUMNS // max(COLUMNS, columns))

    def new(self, kind: str) -> str:
        """A name that no table has."""
        return f"{kind}_{next(self._numbers)}"

    @contextmanager
    def working(self) -> Iterator[None]:
        """One statement at a time; DuckDB's errors, which may quote a cell, as ours."""
        import duckdb

        if not self._close.alive:
            raise InputError("the engine of this release has been closed; create the release again")
        with self._lock:
            try:
                with interruptible():
                    yield
            except duckdb.OutOfMemoryException:
                raise InputError(
                    "DuckDB has not enough memory, or its folder for temporary files is full; allow more memory",
                    Hint.MEMORY_LIMIT,
                    " or name a folder on a larger disk",
                    Hint.TEMP_FOLDER,
                ) from None
            except (duckdb.OperationalError, duckdb.InternalError) as error:
                raise InputError(
                    "DuckDB cannot write its temporary files ({type}); the disk may be full; name a folder on a "
                    "larger disk",
                    Hint.TEMP_FOLDER,
                    type=type(error).__name__,
                ) from None

    def execute(self, statement: str) -> None:
        """Run a statement."""
        with self.working():
            self._connection.execute(statement)

    def fetch(self, query: str) -> list[Integers]:
        """The columns of a result."""
        with self.working():
            columns = self._connection.execute(query).fetchnumpy()
        return [np.asarray(column) for column in columns.values()]

    def mapping(self, new_codes: Integers) -> str:
        """A table with the new code of each old one."""
        table = self.new("map")
        self.execute(f"CREATE TABLE {table} (old UINTEGER, new UINTEGER)")
        self.insert(table, [arrow_integers(np.arange(len(new_codes))), arrow_integers(new_codes)])
        return table

    def insert(self, table: str, columns: Sequence[Any]) -> None:
        """Add rows, given as Arrow arrays."""
        import pyarrow as pa

        piece = pa.table({f"x{place}": column for place, column in enumerate(columns)})
        with self.working():
            self._connection.register("piece", piece)
            try:
                self._connection.execute(f"INSERT INTO {table} SELECT * FROM piece")
            finally:
                self._connection.unregister("piece")


class DuckStore:
    """The rows of a table: `codes` says which column of it has the codes of which column of the user's."""

    def __init__(self, engine: DuckEngine, table: str, codes: Mapping[str, str]) -> None:
        self.engine, self.table, self.codes = engine, table, codes

    def count(
        self, words: Words, recoded: Mapping[str, Integers], *, per_person: bool, without: Without | None = None
    ) -> "DuckCells":
        """Count rows, or people, by the columns of the words; recoded[column][code] stands for some codes."""
        terms: list[list[str]] = [[] for _ in range(words.number)]
        joins, maps = "", []
        for name, place in words.places.items():
            if not place.bits:
                continue  # a column of one value
            code = f"r.{self.codes[name]}"
            if name in recoded:
                maps.append(self.engine.mapping(recoded[name]))
                joins += f" JOIN {maps[-1]} ON {code} = {maps[-1]}.old"
                code = f"{maps[-1]}.new"
            terms[place.word].append(f"CAST({code} AS BIGINT) * {1 << place.shift}")
        cells = DuckCells(self.engine, self.engine.new("cells"), words)
        packed = ", ".join(f"{' + '.join(term) or 'CAST(0 AS BIGINT)'} AS k{word}" for word, term in enumerate(terms))
        rows = f"SELECT {packed} FROM {self.table} r{joins}"
        if per_person:
            rows = f"SELECT DISTINCT {packed}, r.u FROM {self.table} r{joins}"
            if without is not None:
                column, codes = without
                rows += f" WHERE r.{self.codes[column]} NOT IN ({', '.join(map(str, codes))})"
        self.engine.execute(
            f"CREATE TABLE {cells.table} AS SELECT {cells.keys}, count(*) AS n0 FROM ({rows}) "
            f"GROUP BY {cells.keys} ORDER BY {cells.keys}"
        )
        for table in maps:
            self.engine.execute(f"DROP TABLE {table}")
        return cells

    def people(self) -> int:
        """Number of people that the unit names."""
        return int(self.engine.fetch(f"SELECT count(*) FROM (SELECT DISTINCT u FROM {self.table})")[0][0])

    def unit_is_missing(self) -> bool:
        """Whether some row does not say whose it is."""
        return bool(self.engine.fetch(f"SELECT count(*) FROM {self.table} WHERE u IS NULL")[0][0])

    def key_counts(self) -> KeyCounts:
        """What the unit says about records and people."""
        counts = self.engine.fetch(
            "SELECT coalesce(sum(n) FILTER (u IS NULL), 0) AS missing, count(u), count(u) FILTER (n > 1) AS more "
            f"FROM (SELECT u, count(*) AS n FROM {self.table} GROUP BY u)"
        )
        return KeyCounts(*(int(own[0]) for own in counts))

    def take_key(self, store: "DuckStore") -> None:
        """Take the unit of another store, row by row."""
        keyed = self.engine.new("rows")
        self.engine.execute(
            f"CREATE TABLE {keyed} AS SELECT a.*, b.u FROM {self.table} a POSITIONAL JOIN {store.table} b"
        )
        for table in (self.table, store.table):
            self.engine.execute(f"DROP TABLE {table}")
        self.table = keyed

    def pairs_in_order(self, column: str, store: "DuckStore") -> PairCounts:
        """How often a column has which code here and in the same row of another store."""
        first, second = self.codes[column], store.codes[column]
        counts = self.engine.fetch(
            f"SELECT CAST(a.{first} AS BIGINT), CAST(b.{second} AS BIGINT) AS other, count(*) "
            f"FROM {self.table} a POSITIONAL JOIN {store.table} b GROUP BY ALL ORDER BY ALL"
        )
        return PairCounts(*counts)


class DuckCells:
    """A table of counts in the order of its keys `k0`, `k1`…, with the numbers `n0`, `n1`…"""

    def __init__(self, engine: DuckEngine, table: str, words: Words, counted: int = 1) -> None:
        self._engine, self.table, self.words, self._counted = engine, table, words, counted

    @property
    def keys(self) -> str:
        """The names of the keys."""
        return ", ".join(f"k{word}" for word in range(self.words.number))

    def run(self, task: Callable[[Part], Summary], merge: Merge[Summary], classes: int) -> Summary:
        """Do a task for parts that have complete classes of the first columns, at least one, and merge the answers."""
        waiting: deque[Future[Summary]] = deque()
        answers: list[Summary] = []
        with ThreadPoolExecutor(THREADS) as pool:
            for part in self._parts(classes):
                waiting.append(pool.submit(task, part))
                if len(waiting) > THREADS:
                    answers = [reduce(merge, [*answers, waiting.popleft().result()])]
            return reduce(merge, [*answers, *(future.result() for future in waiting)])

    def _parts(self, classes: int) -> Iterator[Part]:
        """All cells in order, cut between classes."""
        masks, total = self.words.masks(classes), int(self._engine.fetch(f"SELECT count(*) FROM {self.table}")[0][0])
        numbers = ", ".join(f"n{place}" for place in range(self._counted))
        kept: list[Integers] = []
        step = self._engine.rows_at_once(len(self.words.places))
        for first in range(0, max(total, 1), step):
            where = f"rowid >= {first} AND rowid < {first + step}"
            read = self._engine.fetch(f"SELECT {self.keys}, {numbers} FROM {self.table} WHERE {where}")
            kept = [np.concatenate(both) for both in zip(kept, read, strict=True)] if kept else read
            words, last = kept[: self.words.number], first + step >= total
            end = len(words[0]) if last else int(class_starts(words, masks)[-1])
            if end or last:
                yield Part([word[:end] for word in words], [own[:end] for own in kept[self.words.number :]])
                kept = [column[end:] for column in kept]

    def regrouped(self, words: Words) -> "DuckCells":
        """Counts by some of the columns, added up."""
        coarser = DuckCells(self._engine, self._engine.new("cells"), words)
        packed = ", ".join(f"{word} AS k{place}" for place, word in enumerate(self.words.expressions(words)))
        self._engine.execute(
            f"CREATE TABLE {coarser.table} AS SELECT {coarser.keys}, CAST(sum(n0) AS BIGINT) AS n0 "
            f"FROM (SELECT {packed}, n0 FROM {self.table}) GROUP BY {coarser.keys} ORDER BY {coarser.keys}"
        )
        return coarser

    def with_people(self, classes: "DuckCells") -> "DuckCells":
        """These cells and a second number: how often the class, which is the first columns, was counted there."""
        joined = DuckCells(self._engine, self._engine.new("cells"), self.words, 2)
        masks = self.words.masks(len(classes.words.places))
        same = " AND ".join(f"a.k{word} & {mask} = b.k{word}" for word, mask in enumerate(masks))
        own = ", ".join(f"a.k{word}" for word in range(self.words.number))
        self._engine.execute(
            f"CREATE TABLE {joined.table} AS SELECT {own}, a.n0, b.n0 AS n1 "
            f"FROM {self.table} a JOIN {classes.table} b ON {same} ORDER BY {own}"
        )
        return joined

    def beside(self, other: "DuckCells") -> "DuckCells":
        """All cells of both, which have the same columns, with the number of each; 0 where it has none."""
        both = DuckCells(self._engine, self._engine.new("cells"), self.words, 2)
        self._engine.execute(
            f"CREATE TABLE {both.table} AS SELECT {self.keys}, CAST(sum(n0) AS BIGINT) AS n0, "
            f"CAST(sum(n1) AS BIGINT) AS n1 FROM (SELECT {self.keys}, n0, 0 AS n1 FROM {self.table} "
            f"UNION ALL SELECT {self.keys}, 0 AS n0, n0 AS n1 FROM {other.table}) GROUP BY {self.keys}"
        )
        return both

    def drop(self) -> None:
        """They are not needed any more."""
        self._engine.execute(f"DROP TABLE {self.table}")


def _joined(pieces: list[Codes]) -> Codes:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces) if pieces else np.empty(0, np.uint8)


def _closed(connections: list[Any], folder: str) -> None:
    """Close a database and remove its folder."""
    try:
        for connection in connections:
            connection.interrupt()  # a query that was left with Ctrl-C would go on, and closing would wait for it
            connection.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
