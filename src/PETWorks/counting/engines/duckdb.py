"""The DuckDB engine, which keeps rows as codes in a file, counts out of core, and spills if memory is short."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count as numbers
from pathlib import Path
from threading import RLock
from typing import Any, Protocol, TypeVar
from weakref import finalize

import numpy as np

from PETWorks.about.personal_details import DetailSearch
from PETWorks.counting.codes import (
    Codes,
    Column,
    CountedDomain,
    Encoder,
    GrowingEncoder,
    check_labels_fit,
    person_texts,
)
from PETWorks.counting.counts import Integers, PairCounts
from PETWorks.counting.engines.partitioned import (
    ExcludedCodes,
    JoinedTables,
    Part,
    PartitionedTable,
    WordLayout,
    class_starts,
)
from PETWorks.counting.people import (
    BITS,
    JoinedPeople,
    KeyCounts,
    Offer,
    OfferKernel,
    TableToJoin,
    column_name,
    number_of_words,
)
from PETWorks.counting.profiles import (
    EXACT_PATTERN,
    LONG_TEXT,
    MAX_SAMPLED_LENGTH,
    SAMPLE_SIZE,
    VALUES_PER_BATCH,
    Profile,
    value_person_pairs,
)
from PETWorks.counting.questions import THREADS, Merge, fold_parts
from PETWorks.counting.stacked import Columns
from PETWorks.errors import Hint, InputError, ParameterError, system_reason
from PETWorks.tables.arrays import arrow_codes, arrow_integers, naming_column, strings
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.databases import Database, interruptible
from PETWorks.tables.normalised_cells import FORMULA, NUMBER
from PETWorks.tables.source import Source


def create_folder(within: str | os.PathLike[str] | None) -> str:
    """Create a folder for this process alone, inside the given one or that of the system."""
    if not isinstance(within, str | os.PathLike | None):
        raise ParameterError(
            "expected temp_folder as a path, got {type}", type=type(within).__name__, what="temp_folder"
        )
    parent = Path(tempfile.gettempdir() if within is None else within)
    if not parent.is_dir():
        raise InputError("the folder for temporary files {path!r} does not exist", path=str(parent), what="temp_folder")
    try:
        return tempfile.mkdtemp(prefix="petworks-", dir=parent)
    except OSError as error:
        raise InputError(
            "cannot write temporary files to {path!r}: {reason}", path=str(parent), reason=system_reason(error)
        ) from None


class QueryRunner(Protocol):
    """The part of the engine that profiles need."""

    def new_name(self, kind: str) -> str:
        """A table name that is not in use."""

    def execute(self, statement: str) -> None:
        """Run a statement."""

    def fetch(self, query: str) -> list[Integers]:
        """Run a query and return its columns."""

    def insert(self, table: str, columns: Sequence[Any]) -> None:
        """Add rows, given as Arrow arrays."""


IS_VALUE = f"v IS NOT NULL AND v <> '{SUPPRESSED}'"


def count_profiles(
    engine: QueryRunner, source: Source, columns: Sequence[str], unit: str | None = None, *, folded: bool = False
) -> dict[str, Profile]:
    """Count the values of each column and draw a sample; all values stay on disk.

    The table of values has for each column `c` and value `v` the number `n` of records, or of people if a unit names
    them, the number `r` of records, and the owner `o`, if it is one person; -1 otherwise.
    """
    counted, values = engine.new_name("counted"), engine.new_name("values")
    engine.execute(f"CREATE TABLE {counted} (c BIGINT, v VARCHAR, n BIGINT{', u VARCHAR' if unit else ''})")
    spaced = source.separator is not None
    wanted = (*columns, *([unit] if unit is not None and unit not in columns else []))
    rows = 0
    for piece in source.read(wanted, in_pieces=True):
        rows += piece.num_rows
        people = None
        if unit is not None:
            named = piece.column(wanted.index(unit))
            with naming_column(unit, {unit: named.type}, source):
                people = _encoded(person_texts(named, spaced, folded=folded), spaced=False)
        for index, (name, chunks) in enumerate(zip(columns, piece.columns, strict=False)):
            with naming_column(name, {name: chunks.type}, source):
                column = _encoded(chunks, spaced)
            engine.insert(counted, _value_counts(index, column, people))
    if unit is None:
        totals = [rows] * len(columns)
        records = "CAST(sum(n) AS BIGINT)"
        query = f"SELECT c, v, {records} AS n, CAST(-1 AS BIGINT) AS o, {records} AS r FROM {counted}"
    else:
        by_person = engine.new_name("counted")
        engine.execute(f"CREATE TABLE {by_person} AS SELECT c, v, u, sum(n) AS n FROM {counted} GROUP BY c, v, u")
        engine.execute(f"DROP TABLE {counted}")
        counted = by_person
        numbers_of = dict(zip(*engine.fetch(f"SELECT c, count(*) FROM {counted} GROUP BY c"), strict=True))
        totals = [int(numbers_of.get(index, 0)) for index in range(len(columns))]
        owner = "if(count(*) = 1, CAST(hash(min(u)) >> 1 AS BIGINT), -1)"
        query = f"SELECT c, v, count(*) AS n, {owner} AS o, CAST(sum(n) AS BIGINT) AS r FROM {counted}"
    engine.execute(f"CREATE TABLE {values} AS {query} WHERE {IS_VALUE} GROUP BY c, v")
    engine.execute(f"DROP TABLE {counted}")
    profiles = {
        name: _read_profile(engine, values, index, total, name)
        for index, (name, total) in enumerate(zip(columns, totals, strict=True))
    }
    engine.execute(f"DROP TABLE {values}")
    return profiles


def _encoded(chunks: Any, spaced: bool) -> Column:
    encoder = Encoder(spaced_quotes=spaced)
    for chunk in chunks.chunks:
        encoder.add(chunk)
    return encoder.finish().without_unused_labels()


def _value_counts(index: int, column: Column, people: Column | None) -> list[Any]:
    """Arrays for the table of counts: column index, value, number of records and, if people are counted, the person."""
    if people is None:
        indices = arrow_integers(np.full(len(column.counts), index))
        return [indices, column.labels, arrow_integers(column.counts)]
    codes, persons, counts = value_person_pairs(column, people)
    indices = arrow_integers(np.full(len(codes), index))
    named = people.labels.take(arrow_integers(persons))
    return [indices, column.labels.take(arrow_integers(codes)), arrow_integers(counts), named]


def _read_profile(engine: QueryRunner, values: str, index: int, rows: int, name: str) -> Profile:
    of_column = f"FROM {values} WHERE c = {index}"
    # The sum of no rows is NULL, hence coalesce.
    is_exact = f"n = 1 AND (regexp_matches(v, '{EXACT_PATTERN}') OR length(v) > {LONG_TEXT})"
    counts = ("coalesce(CAST(sum(n) AS BIGINT), 0)", "count(*)", "count(*) FILTER (n = 1)")
    is_formula = f"regexp_matches(v, '{FORMULA}') AND NOT regexp_matches(v, '{NUMBER}')"
    formulas = f"coalesce(CAST(sum(r) FILTER ({is_formula}) AS BIGINT), 0)"
    numbers = f"SELECT {', '.join(counts)}, count(*) FILTER ({is_exact}), {formulas} {of_column}"
    present, distinct, unique, exact, formula_cells = (int(column[0]) for column in engine.fetch(numbers))
    (sample,) = engine.fetch(f"SELECT v[:{MAX_SAMPLED_LENGTH}] {of_column} ORDER BY hash(v), v LIMIT {SAMPLE_SIZE}")
    details = _count_details(engine, values, index, name)
    return Profile(rows, present, distinct, unique, [str(text) for text in sample], exact, details, formula_cells)


def _count_details(engine: QueryRunner, values: str, index: int, name: str) -> dict[str, int]:
    """The number of personal details of each kind in the values of a column."""
    search = DetailSearch(name)
    (total,) = engine.fetch(f"SELECT count(*) FROM {values}")
    for first in range(0, int(total[0]), VALUES_PER_BATCH):
        piece = f"c = {index} AND rowid >= {first} AND rowid < {first + VALUES_PER_BATCH}"
        texts, records, owners = engine.fetch(f"SELECT v, n, o FROM {values} WHERE {piece}")
        search.add(strings([str(text) for text in texts]), records, owners)
    return search.details()


Summary = TypeVar("Summary")


class DuckPeople(JoinedTables):
    """Tables in DuckDB joined by person; see `JoinedPeople`.

    Each table `side_1`, `side_2`… has codes `c0`…, values `v0`… and words `w0_0`…
    """

    def __init__(
        self, engine: Any, tables: Sequence[TableToJoin], focal: int, numbers_of_values: Mapping[str, int]
    ) -> None:
        super().__init__(tables, focal, numbers_of_values)
        self._engine = engine
        self._people = engine.new_name("people")
        union = " UNION ALL ".join(f"SELECT u FROM {table.table.store.table}" for table in tables)
        engine.execute(
            f"CREATE TABLE {self._people} AS SELECT u, row_number() OVER () AS p "
            f"FROM (SELECT DISTINCT u FROM ({union}))"
        )
        self._number = int(engine.fetch(f"SELECT count(*) FROM {self._people}")[0][0])
        self._sides = [self._create_side(table) for table in tables]
        engine.execute(f"DROP TABLE {self._people}")
        both = ", ".join(f"count(*) FILTER (s{number}.c0 > 0)" for number in range(len(tables)))
        self.in_common = [int(column[0]) for column in engine.fetch(f"SELECT {both} FROM {self._beside}")]

    @property
    def _beside(self) -> str:
        """The FROM clause for all targets, with their row of each table."""
        sides = " POSITIONAL JOIN ".join(f"{side} s{number}" for number, side in enumerate(self._sides))
        return f"{sides} WHERE s{self._focal}.c0 > 0"

    def _create_side(self, to_join: TableToJoin) -> str:
        """Create a table with a row for everyone, in the order of their numbers."""
        store = to_join.table.store
        known = [store.codes[name] for name in to_join.known]
        maps = {name: self._engine.create_mapping(codes) for name, codes in to_join.values.items()}
        joins = " ".join(f"JOIN {name} ON t.{store.codes[column]} = {name}.old" for column, name in maps.items())
        values = {column: f"{name}.new" for column, name in maps.items()}
        words = {
            f"w{index}_{block}": f"bit_or(CASE WHEN {values[column]} // {BITS} = {block} "
            f"THEN CAST(1 AS BIGINT) << CAST({values[column]} % {BITS} AS BIGINT) ELSE 0 END)"
            for index, column in enumerate(self._numbers_of_values)
            if column in values
            for block in range(number_of_words(self._numbers_of_values[column]))
        }
        offered, rows = self._engine.new_name("offered"), self._engine.new_name("known")
        side: str = self._engine.new_name("side")
        classes = ", ".join(f"t.{code}" for code in known)
        listed = "".join(f", {term} AS {name}" for name, term in words.items())
        self._engine.execute(
            f"CREATE TABLE {offered} AS SELECT {classes}{listed} FROM {store.table} t {joins} GROUP BY {classes}"
        )
        same = " AND ".join(f"t.{code} = o.{code}" for code in known)
        columns = {f"c{index}": f"t.{code} + 1" for index, code in enumerate(known)}
        columns |= {
            f"v{index}": values[column] for index, column in enumerate(self._numbers_of_values) if column in values
        }
        columns |= {word: f"o.{word}" for word in words}
        terms = ", ".join(f"{term} AS {name}" for name, term in columns.items())
        self._engine.execute(
            f"CREATE TABLE {rows} AS SELECT t.u AS u, {terms} FROM {store.table} t {joins} JOIN {offered} o ON {same}"
        )
        everyone = ", ".join(f"coalesce(r.{name}, 0) AS {name}" for name in columns)
        self._engine.execute(
            f"CREATE TABLE {side} AS SELECT {everyone} "
            f"FROM {self._people} p LEFT JOIN {rows} r ON p.u = r.u ORDER BY p.p"
        )
        for table in (offered, rows, *maps.values()):
            self._engine.execute(f"DROP TABLE {table}")
        return side

    def _store_targets(self) -> "DuckStore":
        codes: dict[str, str] = {}
        terms: list[str] = []
        for number, table in enumerate(self._tables):
            for index, name in enumerate(table.known):
                codes[column_name(table.name, name)] = f"c{len(terms)}"
                terms.append(f"s{number}.c{index} AS c{len(terms)}")
        for index, name in enumerate(self._numbers_of_values):
            codes[name] = f"c{len(terms)}"
            terms.append(f"s{self._focal}.v{index} AS c{len(terms)}")
        name = self._engine.new_name("targets")
        self._engine.execute(f"CREATE TABLE {name} AS SELECT {', '.join(terms)} FROM {self._beside}")
        return DuckStore(self._engine, name, codes)

    def offers(
        self,
        attribute: str,
        kernel: OfferKernel[Summary],
        merge: Merge[Summary],
        missing: int | None = None,  # noqa: ARG002
    ) -> Summary:
        """Run a kernel over the offers to all people by the tables that have the attribute; see `JoinedPeople`."""
        return fold_parts(kernel, merge, self._offers(attribute))

    def _offers(self, attribute: str) -> Iterator[list[Offer]]:
        """The offers to the people, some people at a time."""
        index, blocks = self._index_and_blocks(attribute)
        columns = ", ".join(["c0", f"v{index}", *(f"w{index}_{block}" for block in range(blocks))])
        sides = [side for side, table in zip(self._sides, self._tables, strict=True) if attribute in table.values]
        step = self._engine.rows_at_once(len(sides) * (2 + blocks))
        for first in range(0, self._number, step):
            where = f"rowid >= {first} AND rowid < {first + step}"
            part = []
            for side in sides:
                inside, values, *words = self._engine.fetch(f"SELECT {columns} FROM {side} WHERE {where}")
                part.append(Offer(inside > 0, values.astype(np.int64), [word.astype(np.uint64) for word in words]))
            yield part


ROWS_PER_PART = 1 << 20
BYTES_PER_CELL = 2048  # of the limit, per cell of a part: several parts are processed at once, each with its arrays
USUAL_COLUMNS = 8  # with more columns, parts have fewer rows
DUCKDB_SHARE = 0.5  # DuckDB's part of the memory limit; it exceeds that, and reading and kernels need the rest


class DuckEngine:
    """A database in its own folder, which is removed when the engine is closed or garbage-collected."""

    name = "duckdb"
    keeps_order = True

    def __init__(
        self, memory_limit: int, temp_folder: str | os.PathLike[str] | None = None, note: str | None = None
    ) -> None:
        import duckdb

        self.note = note
        folder = create_folder(temp_folder)
        settings: dict[str, Any] = {
            "memory_limit": f"{int(memory_limit * DUCKDB_SHARE)}B",
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
        self._close = finalize(self, _close, connections, folder)
        with self.working():
            connections.append(duckdb.connect(str(Path(folder, "counts.duckdb")), config=settings))
        self._connection = connections[0]
        self.execute("PRAGMA disable_checkpoint_on_shutdown")
        self.execute("PRAGMA disable_progress_bar")  # it would be printed to standard output

    def close(self) -> None:
        """Remove all files of the engine."""
        self._close()

    def load(
        self, source: Source, columns: Sequence[str], unit: str | None = None, *, folded: bool = False
    ) -> PartitionedTable:
        """Load the named columns of a source as codes, and the unit, which names people, as text."""
        spaced = source.separator is not None
        encoders = {name: GrowingEncoder(spaced_quotes=spaced) for name in columns}
        wanted = (*columns, *([unit] if unit else []))
        store = DuckStore(self, self.new_name("rows"), {name: f"c{index}" for index, name in enumerate(columns)})
        definition = [*(f"{code} UINTEGER" for code in store.codes.values()), *(["u VARCHAR"] if unit else [])]
        self.execute(f"CREATE TABLE {store.table} ({', '.join(definition)})")

        if isinstance(source, Database):
            source.limit_memory(self._memory // 4, self._folder)

        def encode(name: str, chunks: Any) -> Any:
            with naming_column(name, {name: chunks.type}, source):
                if name == unit:
                    return person_texts(chunks, spaced, folded=folded)
                return arrow_codes(_concatenate([encoders[name].codes(chunk) for chunk in chunks.chunks]))

        rows = 0
        with ThreadPoolExecutor(THREADS) as pool, ThreadPoolExecutor(1) as writer:
            written: Future[None] | None = None
            for piece in source.read(wanted, in_pieces=True):
                rows += piece.num_rows
                arrays = list(pool.map(encode, wanted, piece.columns))
                check_labels_fit(sum(encoder.labels.nbytes for encoder in encoders.values()), self._memory, source)
                if written is not None:
                    written.result()
                written = writer.submit(self.insert, store.table, arrays)  # while the next piece is read
            if written is not None:
                written.result()
        if rows == 0:
            raise InputError("{table}: the table has columns but no records", table=source.name)
        known = {name: CountedDomain(encoder.labels, encoder.counts) for name, encoder in encoders.items()}
        return PartitionedTable(store, known, rows, unit)

    def profiles(
        self, source: Source, columns: Sequence[str], unit: str | None = None, *, folded: bool = False
    ) -> dict[str, Profile]:
        """Counts and a sample of the values of columns that were not loaded."""
        if isinstance(source, Database):
            source.limit_memory(self._memory // 4, self._folder)
        return count_profiles(self, source, columns, unit, folded=folded)

    def join_people(
        self, tables: Sequence[TableToJoin], focal: int, numbers_of_values: Mapping[str, int]
    ) -> JoinedPeople:
        """Join the people of several tables of this engine."""
        return DuckPeople(self, tables, focal, numbers_of_values)

    def rows_at_once(self, columns: int) -> int:
        """The number of rows in a part with this many columns."""
        return max(1, self.rows_per_part * USUAL_COLUMNS // max(USUAL_COLUMNS, columns))

    def new_name(self, kind: str) -> str:
        """A table name that is not in use."""
        return f"{kind}_{next(self._numbers)}"

    @contextmanager
    def working(self) -> Iterator[None]:
        """Run one statement at a time, and replace DuckDB's errors, which may quote a cell, with ours."""
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
        """Run a query and return its columns."""
        with self.working():
            columns = self._connection.execute(query).fetchnumpy()
        return [np.asarray(column) for column in columns.values()]

    def create_mapping(self, new_codes: Integers) -> str:
        """Create a table with the new code of each old one."""
        table = self.new_name("map")
        self.execute(f"CREATE TABLE {table} (old UINTEGER, new UINTEGER)")
        self.insert(table, [arrow_integers(np.arange(len(new_codes))), arrow_integers(new_codes)])
        return table

    def insert(self, table: str, columns: Sequence[Any]) -> None:
        """Add rows, given as Arrow arrays."""
        import pyarrow as pa

        piece = pa.table({f"x{index}": column for index, column in enumerate(columns)})
        with self.working():
            self._connection.register("piece", piece)
            try:
                self._connection.execute(f"INSERT INTO {table} SELECT * FROM piece")
            finally:
                self._connection.unregister("piece")


class DuckStore:
    """The rows of a table; `codes` maps each column of the user's table to the column with its codes."""

    def __init__(self, engine: DuckEngine, table: str, codes: Mapping[str, str]) -> None:
        self.engine, self.table, self.codes = engine, table, codes

    def count(
        self,
        words: WordLayout,
        recoded: Mapping[str, Integers],
        *,
        per_person: bool,
        without: ExcludedCodes | None = None,
    ) -> "DuckCells":
        """Count rows, or people, by the columns of the words; `recoded[column][code]` replaces a code."""
        terms: list[list[str]] = [[] for _ in range(words.number)]
        joins, maps = "", []
        for name, field in words.fields.items():
            if not field.bits:
                continue  # a column of one value
            code = f"r.{self.codes[name]}"
            if name in recoded:
                maps.append(self.engine.create_mapping(recoded[name]))
                joins += f" JOIN {maps[-1]} ON {code} = {maps[-1]}.old"
                code = f"{maps[-1]}.new"
            terms[field.word].append(f"CAST({code} AS BIGINT) * {1 << field.shift}")
        cells = DuckCells(self.engine, self.engine.new_name("cells"), words)
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
        """The number of different people."""
        return int(self.engine.fetch(f"SELECT count(*) FROM (SELECT DISTINCT u FROM {self.table})")[0][0])

    def unit_is_missing(self) -> bool:
        """Whether the person of some row is missing."""
        return bool(self.engine.fetch(f"SELECT count(*) FROM {self.table} WHERE u IS NULL")[0][0])

    def key_counts(self) -> KeyCounts:
        """Count records and people by the unit."""
        counts = self.engine.fetch(
            "SELECT coalesce(sum(n) FILTER (u IS NULL), 0) AS missing, count(u), count(u) FILTER (n > 1) AS more "
            f"FROM (SELECT u, count(*) AS n FROM {self.table} GROUP BY u)"
        )
        return KeyCounts(*(int(column[0]) for column in counts))

    def take_key(self, store: "DuckStore") -> None:
        """Move the unit of another store to this one, row by row."""
        keyed = self.engine.new_name("rows")
        self.engine.execute(
            f"CREATE TABLE {keyed} AS SELECT a.*, b.u FROM {self.table} a POSITIONAL JOIN {store.table} b"
        )
        for table in (self.table, store.table):
            self.engine.execute(f"DROP TABLE {table}")
        self.table = keyed

    def pairs_in_order(self, column: str, store: "DuckStore") -> PairCounts:
        """Count the pairs of codes of a column here and in the same row of another store."""
        first, second = self.codes[column], store.codes[column]
        counts = self.engine.fetch(
            f"SELECT CAST(a.{first} AS BIGINT), CAST(b.{second} AS BIGINT) AS other, count(*) "
            f"FROM {self.table} a POSITIONAL JOIN {store.table} b GROUP BY ALL ORDER BY ALL"
        )
        return PairCounts(*counts)

    def stack(self, others: Sequence["DuckStore"], columns: Columns) -> "DuckStore":
        """A store with the rows of this one and of others; each column says how its codes are made."""
        made = DuckStore(self.engine, self.engine.new_name("rows"), {name: f"c{i}" for i, name in enumerate(columns)})
        queries, maps = [], []
        for number, store in enumerate((self, *others)):
            terms, joins = [], ""
            for name, column in columns.items():
                codes = column.new_codes[number]
                term = f"r.{store.codes[column.source]}"
                if (codes == codes[0]).all():
                    term = str(codes[0])
                elif (codes != np.arange(len(codes))).any():
                    maps.append(self.engine.create_mapping(codes))
                    joins += f" JOIN {maps[-1]} ON {term} = {maps[-1]}.old"
                    term = f"{maps[-1]}.new"
                terms.append(f"CAST({term} AS UINTEGER) AS {made.codes[name]}")
            queries.append(f"SELECT {', '.join(terms)} FROM {store.table} r{joins}")
        self.engine.execute(f"CREATE TABLE {made.table} AS {' UNION ALL '.join(queries)}")
        for table in maps:
            self.engine.execute(f"DROP TABLE {table}")
        return made


class DuckCells:
    """A table of counts in the order of its keys `k0`, `k1`…, with the numbers `n0`, `n1`…"""

    def __init__(self, engine: DuckEngine, table: str, words: WordLayout, counts_per_cell: int = 1) -> None:
        self._engine, self.table, self.words, self._counts_per_cell = engine, table, words, counts_per_cell

    @property
    def keys(self) -> str:
        """The names of the keys."""
        return ", ".join(f"k{word}" for word in range(self.words.number))

    def run(self, task: Callable[[Part], Summary], merge: Merge[Summary], classes: int) -> Summary:
        """Run a task on parts and merge the answers.

        classes   the number of first columns whose classes must be complete in each part, at least one
        """
        return fold_parts(task, merge, self._parts(classes))

    def _parts(self, classes: int) -> Iterator[Part]:
        """All cells in order, cut between classes of the first columns."""
        masks, total = self.words.masks(classes), int(self._engine.fetch(f"SELECT count(*) FROM {self.table}")[0][0])
        numbers = ", ".join(f"n{index}" for index in range(self._counts_per_cell))
        kept: list[Integers] = []
        step = self._engine.rows_at_once(len(self.words.fields))
        for first in range(0, max(total, 1), step):
            where = f"rowid >= {first} AND rowid < {first + step}"
            read = self._engine.fetch(f"SELECT {self.keys}, {numbers} FROM {self.table} WHERE {where}")
            kept = [np.concatenate(both) for both in zip(kept, read, strict=True)] if kept else read
            words, last = kept[: self.words.number], first + step >= total
            end = len(words[0]) if last else int(class_starts(words, masks)[-1])
            if end or last:
                yield Part([word[:end] for word in words], [counts[:end] for counts in kept[self.words.number :]])
                kept = [column[end:] for column in kept]

    def regroup(self, words: WordLayout) -> "DuckCells":
        """Add the counts up by some of the columns."""
        coarser = DuckCells(self._engine, self._engine.new_name("cells"), words)
        packed = ", ".join(f"{word} AS k{index}" for index, word in enumerate(self.words.expressions(words)))
        self._engine.execute(
            f"CREATE TABLE {coarser.table} AS SELECT {coarser.keys}, CAST(sum(n0) AS BIGINT) AS n0 "
            f"FROM (SELECT {packed}, n0 FROM {self.table}) GROUP BY {coarser.keys} ORDER BY {coarser.keys}"
        )
        return coarser

    def with_people(self, classes: "DuckCells") -> "DuckCells":
        """These cells with a second number: the count of their class, defined by the first columns, in `classes`."""
        joined = DuckCells(self._engine, self._engine.new_name("cells"), self.words, 2)
        masks = self.words.masks(len(classes.words.fields))
        same = " AND ".join(f"a.k{word} & {mask} = b.k{word}" for word, mask in enumerate(masks))
        keys = ", ".join(f"a.k{word}" for word in range(self.words.number))
        self._engine.execute(
            f"CREATE TABLE {joined.table} AS SELECT {keys}, a.n0, b.n0 AS n1 "
            f"FROM {self.table} a JOIN {classes.table} b ON {same} ORDER BY {keys}"
        )
        return joined

    def beside(self, other: "DuckCells") -> "DuckCells":
        """All cells of both, which have the same columns, with the counts of each; 0 for a cell it lacks."""
        both = DuckCells(self._engine, self._engine.new_name("cells"), self.words, 2)
        self._engine.execute(
            f"CREATE TABLE {both.table} AS SELECT {self.keys}, CAST(sum(n0) AS BIGINT) AS n0, "
            f"CAST(sum(n1) AS BIGINT) AS n1 FROM (SELECT {self.keys}, n0, 0 AS n1 FROM {self.table} "
            f"UNION ALL SELECT {self.keys}, 0 AS n0, n0 AS n1 FROM {other.table}) GROUP BY {self.keys}"
        )
        return both

    def drop(self) -> None:
        """Free the cells."""
        self._engine.execute(f"DROP TABLE {self.table}")


def _concatenate(pieces: list[Codes]) -> Codes:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces) if pieces else np.empty(0, np.uint8)


def _close(connections: list[Any], folder: str) -> None:
    """Close a database and remove its folder."""
    try:
        for connection in connections:
            connection.interrupt()  # a query left with Ctrl-C would go on, and closing would wait for it
            connection.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def restore_removed_rows(
    table: PartitionedTable,
    suppressed: Sequence[str],
    original: PartitionedTable | None,
    removed: Integers,
    *,
    in_order: bool,
) -> PartitionedTable:
    """Put removed rows back into a table: suppressed columns as `*`, the others as in the original, or missing.

    removed    the indices of the rows in the original
    in_order   whether the rows go back to these indices; otherwise they are appended
    """
    store: DuckStore = table.store  # type: ignore[assignment]
    engine, rows = store.engine, table.rows + len(removed)
    gone = engine.new_name("gone")
    engine.execute(f"CREATE TABLE {gone} (position BIGINT)")
    engine.insert(gone, [arrow_integers(removed)])
    positions = f"SELECT range AS position FROM range({rows})"
    if in_order:
        positions += f" WHERE range NOT IN (SELECT position FROM {gone}) ORDER BY range"
    left = f"(SELECT p.position, r.* FROM ({positions} LIMIT {table.rows}) p POSITIONAL JOIN {store.table} r) r"
    lost = f"{gone} g"
    if original is not None:
        before: DuckStore = original.store  # type: ignore[assignment]
        lost += f" JOIN {before.table} o ON o.rowid = g.position"
    known, kept, restored, maps = {}, [], [], []
    for name, column in table.columns.items():
        codes = {value: code for code, value in enumerate(column.values)}
        counts = dict(enumerate(column.counts.tolist()))
        maps.append(engine.create_mapping(table.in_store(name, np.arange(len(codes)))))
        left += f" JOIN {maps[-1]} ON r.{store.codes[name]} = {maps[-1]}.old"
        kept.append(f"{maps[-1]}.new")
        if name in suppressed or original is None or name not in original.columns:
            code = codes.setdefault(SUPPRESSED if name in suppressed else None, len(codes))
            counts[code] = counts.get(code, 0) + len(removed)
            restored.append(str(code))
        else:
            cell = f"o.{before.codes[name]}"
            maps.append(engine.create_mapping(_add_cells_of_original(original, name, cell, lost, codes, counts)))
            restored.append(f"(SELECT new FROM {maps[-1]} WHERE old = {cell})")
        known[name] = CountedDomain(
            strings(list(codes)), np.array([counts[code] for code in range(len(codes))], np.int64)
        )
    if table.unit is not None:
        kept.append("r.u")
        restored.append("'removed ' || g.position")  # each counts as a different person
    made = DuckStore(engine, engine.new_name("rows"), store.codes)
    names = [store.codes[name] for name in table.columns] + (["u"] if table.unit is not None else [])
    terms = ", ".join(f"{cell} AS {name}" for cell, name in zip(kept, names, strict=True))
    their_terms = ", ".join(restored)
    engine.execute(
        f"CREATE TABLE {made.table} AS SELECT {', '.join(names)} "
        f"FROM (SELECT {terms}, r.position AS position FROM {left} "
        f"UNION ALL SELECT {their_terms}, g.position{'' if in_order else f' + {rows}'} FROM {lost}) ORDER BY position"
    )
    for unneeded in (gone, *maps):
        engine.execute(f"DROP TABLE {unneeded}")
    return PartitionedTable(made, known, rows, table.unit)


def _add_cells_of_original(
    original: PartitionedTable, name: str, cell: str, lost: str, codes: dict[str | None, int], counts: dict[int, int]
) -> Integers:
    """Add the cells of removed rows to the values of a column and their counts; return their new code by old code.

    cell, lost   the column and the rows, in SQL
    """
    store: DuckStore = original.store  # type: ignore[assignment]
    values = original.columns[name].values
    stored = original.in_store(name, np.arange(len(values)))
    new_codes = np.zeros(len(stored), np.int64)
    for old, number in zip(*store.engine.fetch(f"SELECT {cell}, count(*) FROM {lost} GROUP BY {cell}"), strict=True):
        code = codes.setdefault(values[stored[old]], len(codes))
        new_codes[old], counts[code] = code, counts.get(code, 0) + int(number)
    return new_codes
