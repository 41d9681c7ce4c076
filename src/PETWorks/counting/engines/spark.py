"""The Spark engine, whose executors encode rows, count classes and run kernels; only summaries reach the driver.

A table is written by executors too, each its own part, as Parquet files in a folder that all of them can access.
"""

import atexit
import pickle
import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial, reduce
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4
from weakref import WeakSet, finalize

import numpy as np

import PETWorks
from PETWorks.about.personal_details import SHARED, DetectorCounts, by_kind
from PETWorks.counting.codes import CountedDomain, arrow_table, sorted_labels, trimmed_texts
from PETWorks.counting.counts import Integers, PairCounts
from PETWorks.counting.engines import spark_tasks as tasks
from PETWorks.counting.engines.partitioned import (
    ALL_BITS,
    ExcludedCodes,
    JoinedTables,
    Part,
    PartitionedTable,
    WordLayout,
)
from PETWorks.counting.engines.spark_tasks import (
    DETAILS,
    WAYS,
    blocks,
    count_spellings,
    count_values,
    count_values_by_person,
    find_personal_details,
    open_row_groups,
    read_parquet_rows,
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
from PETWorks.counting.profiles import EXACT_PATTERN, LONG_TEXT, MAX_SAMPLED_LENGTH, SAMPLE_SIZE, Profile
from PETWorks.counting.questions import Merge
from PETWorks.counting.stacked import Columns
from PETWorks.errors import InputError, NotApplicable, PETWorksError, Phrase, quoted, system_reason
from PETWorks.tables.arrays import arrow_integers, naming_column, numpy_integers, strings
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.formats.parquet import Parquet
from PETWorks.tables.frames import Frame, SparkFrame, is_spark_connect, spark_errors, spark_session
from PETWorks.tables.hidden_differences import HiddenDifferences
from PETWorks.tables.normalised_cells import FORMULA, NUMBER
from PETWorks.tables.opening import Files
from PETWorks.tables.source import Source
from PETWorks.tables.writing import Changes, original_fields

ROWS_PER_PARTITION = 1 << 21
CANCEL_TIMES = 60  # attempts, because a job that has not quite begun ignores the cancellation


class Jobs:
    """Runs jobs in a session, and tracks the owners of frames persisted there."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.connected = is_spark_connect(session)
        self.owners: WeakSet[Owner] = WeakSet()
        self.check_alive()
        self._ship()

    def run(self, action: Callable[[], Any]) -> Any:
        """Run a job; Spark's errors, which may quote a cell, become ours, and an interrupted job is cancelled.

        It runs in a thread of its own, because Ctrl-C breaks the connection to the Java process while it is waited for.
        """
        self.check_alive()
        tag = f"petworks-{uuid4().hex}"
        add, cancel = (
            (self.session.addTag, self.session.interruptTag)
            if self.connected
            else (self.session.sparkContext.addJobTag, self.session.sparkContext.cancelJobsWithTag)
        )

        def tagged() -> Any:
            add(tag)
            with spark_errors():
                return action()

        pool = ThreadPoolExecutor(1)
        future = pool.submit(tagged)
        try:
            while not wait([future], 0.2).done:
                pass
        finally:
            pool.shutdown(wait=False)
            for _ in range(0 if future.done() else CANCEL_TIMES):
                cancel(tag)
                if wait([future], 0.5).done:
                    break
        return future.result()

    def check_alive(self) -> None:
        """Raise if the session has been stopped."""
        context = None if self.connected else self.session.sparkContext
        if not self.connected and (context is None or context._jsc is None):
            raise InputError("the Spark session of this table has been stopped; create the data frame again")

    def _ship(self) -> None:
        """Send this package to the executors, once per session, so that they run the same kernels as the driver.

        python-stdnum, which checks check digits, is sent too, because a cluster is unlikely to have it.
        """
        import stdnum

        folders = [Path(str(package.__file__)).parent for package in (PETWorks, stdnum)]
        files = [file for folder in folders for kind in ("*.py", "*.dat") for file in sorted(folder.rglob(kind))]
        digest = sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
        if getattr(self.session, "_petworks", None) == digest:
            return
        where = tempfile.mkdtemp(prefix="petworks-")
        atexit.register(shutil.rmtree, where, ignore_errors=True)  # executors fetch it when they need it
        archive = Path(where, f"petworks-{digest}.zip")
        with zipfile.ZipFile(archive, "w") as package:
            for file in files:
                folder = next(folder for folder in folders if file.is_relative_to(folder))
                name_in_package = Path(folder.name, file.relative_to(folder))
                package.write(file, name_in_package)
                compiled = Path(cache_from_source(str(file)))  # used there if its time and Python version match
                if file.suffix == ".py" and compiled.is_file():
                    package.write(compiled, name_in_package.with_suffix(".pyc"))
        if self.connected:
            self.session.addArtifacts(str(archive), pyfile=True)
        else:
            self.session.sparkContext.addPyFile(str(archive))
        self.session._petworks = digest

    def partitions(self, rows: int) -> int:
        """The number of partitions to count this many cells in."""
        return max(int(self.session.conf.get("spark.default.parallelism", "2")), -(-rows // ROWS_PER_PARTITION))


class Owner:
    """Keeps persisted frames until it is dropped or garbage-collected."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self.kept: dict[int, Any] = {}
        finalize(self, _unpersist, self.kept).atexit = False
        jobs.owners.add(self)

    def drop(self) -> None:
        """Free the frames."""
        _unpersist(self.kept)


def _unpersist(kept: dict[int, Any]) -> None:
    """Free persisted frames; ignore errors if their session is gone."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    while kept:
        with suppress(PySparkException, Py4JError, OSError):
            kept.popitem()[1].unpersist()


def map_batches(frame: Any, task: Callable[[Iterator[Any]], Iterator[Any]], schema: str) -> Any:
    """Apply a task to the Arrow batches of each partition; silences Spark's warning about pandas, which is not used."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        return frame.mapInArrow(partial(tasks.run_in_worker, task), schema)


Summary = TypeVar("Summary")
Read = Callable[[Iterator[Any]], Iterator[Any]]

TARGETS_PER_PARTITION = 16  # so that partitions get nearly the same number when Spark places targets by a hash


class SparkStore(Owner):
    """The rows of a table as blocks of codes, kept by executors, and the values of each column."""

    known: Mapping[str, CountedDomain]
    rows: int
    missing_units: int

    def __init__(self, jobs: Jobs, columns: Sequence[str]) -> None:
        super().__init__(jobs)
        self._columns = columns

    def read(self, frame: Any, read: Read | None, *, folded: bool) -> Any:
        """Make the blocks; return the columns with their values and counts, and the number of missing units."""
        # The token keeps Spark from reusing what it persisted for another table that was read from the same place.
        task = partial(tasks.encode_blocks, read, len(self._columns), folded, uuid4().hex)
        self.kept[0] = map_batches(frame, task, tasks.BLOCKS).persist()
        return self.kept[0].filter("c >= 0").groupBy("c", "v").sum("n").toArrow()

    def count(
        self,
        words: WordLayout,
        recoded: Mapping[str, Integers],
        *,
        per_person: bool,
        without: ExcludedCodes | None = None,
    ) -> "SparkCells":
        """Count rows, or people, by the columns of the words; `recoded[column][code]` replaces a code."""
        self.jobs.check_alive()
        codings = {
            name: tasks.Coding(self.index_of(name), self.known[name].labels, recoded.get(name)) for name in words.fields
        }
        left_out = None
        if without is not None:
            column, codes = without
            left_out = tasks.Coding(self.index_of(column), self.known[column].labels, None), codes
        if per_person:
            keys = [f"k{word}" for word in range(words.number)]
            schema = ", ".join(f"{key} long" for key in keys) + ", u string"
            rows = map_batches(self.blocks, partial(tasks.rows_with_people, words, codings, left_out), schema)
            people = rows.distinct().groupBy(*keys).count()
            return SparkCells(self.jobs, [Cells(people, partial(tasks.parts_of_rows, words.number))], words, self.rows)
        counts = {name: _recoded(self.known[name].counts, recoded.get(name)) for name in words.fields}
        checksums = {name: tasks.codes_checksum(counted) for name, counted in counts.items()}
        cells = Cells(self.blocks, partial(tasks.count_blocks, words, codings))
        return SparkCells(self.jobs, [cells], words, self.rows, checksums=checksums)

    @property
    def blocks(self) -> Any:
        """The rows as pieces of encoded blocks."""
        return self.kept[0].filter("c < 0").select("n", "b")

    def people(self) -> int:
        """The number of different people."""
        names = self.blocks
        return int(self.jobs.run(lambda: map_batches(names, tasks.distinct_people, "u string").distinct().count()))

    def index_of(self, column: str) -> int:
        """The index of a column in a block."""
        return self._columns.index(column)

    def key_counts(self) -> KeyCounts:
        """Count records and people by the unit."""
        names = map_batches(self.blocks, tasks.people_of_rows, "u string").where("u IS NOT NULL").groupBy("u").count()
        numbers = ("count(*) AS people", "count_if(`count` > 1) AS repeated")
        people, repeated = self.jobs.run(lambda: names.selectExpr(*numbers).collect())[0]
        return KeyCounts(self.missing_units, people, repeated)

    def unit_is_missing(self) -> bool:
        """Whether the person of some row is missing."""
        return self.missing_units > 0

    def pairs_in_order(self, column: str, store: Any) -> PairCounts:  # noqa: ARG002
        """Raise: Spark does not keep the order of rows."""
        raise NotApplicable("rows are compared in their order, which the engine 'spark' does not keep")

    def stack(self, others: Sequence["SparkStore"], columns: Columns) -> "StackedStore":
        """A store with the rows of this one and of others; each column says how its codes are made."""
        return StackedStore((self, *others), columns)


class Cells(NamedTuple):
    """A frame, and the task that converts its batches to cells."""

    frame: Any
    parts: tasks.Parts

    def mapped(self, task: Callable[..., Iterator[Part]], *arguments: Any) -> "Cells":
        """The cells after applying a further task."""
        return Cells(self.frame, partial(task, *arguments, self.parts))


class SparkCells(Owner):
    """Cells of one or several frames; equal cells are added up when a part is made.

    counted    the number of counts of each cell
    checksums  for each column the checksum of the counts of its codes; None if unknown
    complete   applied to each part before a task runs on it
    """

    def __init__(
        self,
        jobs: Jobs,
        cells: Sequence[Cells],
        words: WordLayout,
        rows: int,
        *,
        counted: int = 1,
        checksums: Mapping[str, int] | None = None,
        complete: Callable[[Part], Part] | None = None,
    ) -> None:
        super().__init__(jobs)
        self.cells, self.words, self._rows, self._counted = cells, words, rows, counted
        self._checksums, self._complete = checksums, complete

    def run(self, task: Callable[[Part], Summary], merge: Merge[Summary], classes: int) -> Summary:
        """Run a task on parts and merge the answers.

        classes   the number of first columns whose classes must be complete in each part, at least one
        """
        from pyspark import cloudpickle

        work = partial(tasks.run_task, self.words, self._sent_parts, self._complete, task)
        answered = self.jobs.run(lambda: map_batches(self._sent(classes), work, tasks.ANSWERS).toArrow())
        indices, pickled = answered.to_pydict().values()
        both = [cloudpickle.loads(pickled[index]) for index in np.argsort(np.array(indices, np.int64))]
        for index, (name, wanted) in enumerate((self._checksums or {}).items()):
            if sum(checksums[index] for _, checksums in both) & ALL_BITS != wanted:
                raise InputError(
                    "column {column!r} changes while it is read; persist the data frame first", column=name
                )
        answers = [answer for answer, _ in both]
        for answer in answers:
            if isinstance(answer, PETWorksError):
                raise answer
        nothing = [np.empty(0, np.int64)]
        return reduce(merge, answers) if answers else task(Part(nothing * self.words.number, nothing * self._counted))

    def _sent(self, classes: int) -> Any:
        """A frame of cells with complete classes in each partition; persisted for the next task."""
        if classes not in self.kept:
            partitions = self.jobs.partitions(self._rows)
            send = (self.words.masks(classes), partitions * TARGETS_PER_PARTITION)
            frames = [
                map_batches(frame, partial(tasks.split_by_target, parts, *send), tasks.CELLS)
                for frame, parts in self.cells
            ]
            whole = reduce(lambda first, second: first.unionAll(second), frames)
            by_target = whole.repartitionById if hasattr(whole, "repartitionById") else whole.repartition
            self.kept[classes] = by_target(partitions, "t").persist()
        return self.kept[classes]

    @property
    def _sent_parts(self) -> tasks.Parts:
        return partial(tasks.parts_of_pieces, self.words.number, self._counted)

    def regroup(self, words: WordLayout) -> "SparkCells":
        """Add the counts up by some of the columns."""
        kept = next(iter(self.kept.values()), None)
        finer = self.cells if kept is None else [Cells(kept, self._sent_parts)]
        coarser = [cells.mapped(tasks.regroup, self.words, words) for cells in finer]
        checksums = None if self._checksums is None else {name: self._checksums[name] for name in words.fields}
        return SparkCells(self.jobs, coarser, words, self._rows, checksums=checksums)

    def with_people(self, classes: "SparkCells") -> "SparkCells":
        """These cells with a second number: the count of their class, defined by the first columns, in `classes`."""
        complete = partial(tasks.with_class_totals, self.words.masks(len(classes.words.fields)))
        return self._together(classes, complete)

    def beside(self, other: "SparkCells") -> "SparkCells":
        """All cells of both, which have the same columns, with the counts of each; 0 for a cell it lacks."""
        return self._together(other, None)

    def _together(self, other: "SparkCells", complete: Callable[[Part], Part] | None) -> "SparkCells":
        mine = [cells.mapped(tasks.pad, self.words.number, 0, 1) for cells in self.cells]
        theirs = [cells.mapped(tasks.pad, self.words.number, 1, 0) for cells in other.cells]
        rows = self._rows + other._rows
        return SparkCells(self.jobs, [*mine, *theirs], self.words, rows, counted=2, complete=complete)


def _recoded(counts: Integers, new_codes: Integers | None) -> Integers:
    """The counts by new code."""
    if new_codes is None:
        return counts
    new_counts = np.zeros(int(new_codes.max()) + 1, np.int64)
    np.add.at(new_counts, new_codes, counts)
    return new_counts


class Side(NamedTuple):
    """One table in the joined rows, with the layout of its codes and common values in words."""

    number: int
    name: str
    known: tuple[str, ...]
    words: WordLayout

    @property
    def keys(self) -> list[str]:
        """The columns of its words."""
        return [f"k{self.number}_{word}" for word in range(self.words.number)]


class SparkPeople(JoinedTables, Owner):
    """Tables of a Spark session joined by person; see `JoinedPeople`."""

    def __init__(
        self, jobs: Jobs, tables: Sequence[TableToJoin], focal: int, numbers_of_values: Mapping[str, int]
    ) -> None:
        JoinedTables.__init__(self, tables, focal, numbers_of_values)
        Owner.__init__(self, jobs)
        self._sides = [
            Side(number, table.name, table.known, _words(table, numbers_of_values))
            for number, table in enumerate(tables)
        ]
        frames = [self._frame(side, table) for side, table in zip(self._sides, tables, strict=True)]
        self.kept[0] = reduce(lambda first, second: first.join(second, "u", "fullouter"), frames).drop("u").persist()
        counts = [f"count(i{side.number}) AS n{side.number}" for side in self._sides]
        rows = jobs.run(lambda: self.kept[0].where(f"i{focal} = 1").selectExpr(*counts).collect())
        self.in_common = [int(number) for number in rows[0]]

    def _frame(self, side: Side, table: TableToJoin) -> Any:
        """A frame of a table by its key: words of its codes, and words of the values in its classes."""
        store: SparkStore = table.table.store
        codings = {
            name: tasks.Coding(store.index_of(name), store.known[name].labels, table.values.get(name))
            for name in side.words.fields
        }
        keys = [f"k{word}" for word in range(side.words.number)]
        rows = map_batches(
            store.blocks,
            partial(tasks.rows_with_people, side.words, codings, None),
            ", ".join(f"{key} long" for key in keys) + ", u string",
        )
        masks = side.words.masks(len(table.known))
        classes = [f"k{word} & {mask}L AS g{word}" for word, mask in enumerate(masks)]
        whole = rows.selectExpr("u", *keys, *classes)
        group = [f"g{word}" for word in range(len(masks))]
        columns = [f"{key} AS {name}" for key, name in zip(keys, side.keys, strict=True)]
        words = {}
        for index, (name, number) in enumerate(self._numbers_of_values.items()):
            if name in table.values:
                position = side.words.fields[name]
                value = f"((k{position.word} >> {position.shift}) & {position.mask}L)"
                for block in range(number_of_words(number)):
                    words[f"w{side.number}_{index}_{block}"] = (
                        f"bit_or(CASE WHEN {value} DIV {BITS} = {block} "
                        f"THEN shiftleft(1L, CAST({value} % {BITS} AS INT)) ELSE 0L END)"
                    )
        if words:
            from pyspark.sql.functions import expr

            offered = whole.groupBy(*group).agg(*(expr(f"{term} AS {name}") for name, term in words.items()))
            whole = whole.join(offered, group)
        return whole.selectExpr("u", f"1 AS i{side.number}", *columns, *words)

    def _store_targets(self) -> "TargetStore":
        present = [f"coalesce(i{side.number}, 0) AS i{side.number}" for side in self._sides]
        keys = [f"coalesce({key}, 0L) AS {key}" for side in self._sides for key in side.keys]
        frame = self.kept[0].where(f"i{self._focal} = 1").selectExpr(*present, *keys)
        return TargetStore(self.jobs, frame, self._sides, self._focal, self._tables[self._focal].table.rows)

    def offers(
        self,
        attribute: str,
        kernel: OfferKernel[Summary],
        merge: Merge[Summary],
        missing: int | None = None,  # noqa: ARG002
    ) -> Summary:
        """Run a kernel over the offers to all people by the tables that have the attribute; see `JoinedPeople`."""
        from pyspark import cloudpickle

        index, blocks = self._index_and_blocks(attribute)
        sides = [side for side, table in zip(self._sides, self._tables, strict=True) if attribute in table.values]
        columns = []
        for side in sides:
            position = side.words.fields[attribute]
            value = f"((k{side.number}_{position.word} >> {position.shift}) & {position.mask}L)"
            words = [f"w{side.number}_{index}_{block}" for block in range(blocks)]
            columns += [f"coalesce({term}, 0L)" for term in (f"CAST(i{side.number} AS LONG)", value, *words)]
        frame = self.kept[0].selectExpr(*(f"{term} AS x{number}" for number, term in enumerate(columns)))
        work = partial(_run_kernel, len(sides), kernel, merge)
        answered = self.jobs.run(lambda: map_batches(frame, work, tasks.ANSWERS).toArrow())
        indices, pickled = answered.to_pydict().values()
        answers: list[Summary] = [cloudpickle.loads(pickled[row]) for row in np.argsort(np.array(indices, np.int64))]
        return reduce(merge, answers)


class PlainStore(Owner):
    """Rows that are each a different person."""

    def __init__(self, jobs: Jobs, rows: int) -> None:
        super().__init__(jobs)
        self._rows = rows

    def people(self) -> int:
        """The number of rows: each is a different person."""
        return self._rows

    def unit_is_missing(self) -> bool:
        """False: the person of every row is known."""
        return False

    def key_counts(self) -> KeyCounts:
        """Count records and people: each row is a different person."""
        return KeyCounts(0, self._rows, 0)

    def pairs_in_order(self, column: str, store: Any) -> PairCounts:  # noqa: ARG002
        """Raise: Spark does not keep the order of rows."""
        raise NotApplicable("rows are compared in their order, which the engine 'spark' does not keep")

    def stack(self, others: Sequence[Any], columns: Columns) -> Any:
        """Raise: only the rows of tables that were read are stacked."""
        raise NotImplementedError


class StackedStore(PlainStore):
    """The rows of several stores, which are not copied; see `Store`."""

    def __init__(self, stores: Sequence[SparkStore], columns: Columns) -> None:
        super().__init__(stores[0].jobs, sum(store.rows for store in stores))
        self._stores, self._columns = stores, columns

    def count(
        self,
        words: WordLayout,
        recoded: Mapping[str, Integers],
        *,
        per_person: bool,  # noqa: ARG002
        without: ExcludedCodes | None = None,  # noqa: ARG002
    ) -> "SparkCells":
        """Count the rows of all stores by the columns of the words."""
        cells = []
        for number, store in enumerate(self._stores):
            codings = {}
            for name in words.fields:
                source, codes = self._columns[name].source, self._columns[name].new_codes[number]
                new_codes = recoded[name][codes] if name in recoded else codes
                codings[name] = tasks.Coding(store.index_of(source), store.known[source].labels, new_codes)
            cells.append(Cells(store.blocks, partial(tasks.count_blocks, words, codings)))
        checksums = {
            name: tasks.codes_checksum(_recoded(self._columns[name].known.counts, recoded.get(name)))
            for name in words.fields
        }
        return SparkCells(self.jobs, cells, words, self._rows, checksums=checksums)


class TargetStore(PlainStore):
    """The targets, as rows of words of each table; see `Store`."""

    def __init__(self, jobs: Jobs, frame: Any, sides: Sequence[Side], focal: int, rows: int) -> None:
        super().__init__(jobs, rows)
        self._frame, self._sides, self._focal = frame, sides, focal

    def count(
        self,
        words: WordLayout,
        recoded: Mapping[str, Integers],  # noqa: ARG002
        *,
        per_person: bool,  # noqa: ARG002
        without: ExcludedCodes | None = None,  # noqa: ARG002
    ) -> SparkCells:
        """Count targets by the columns of the words."""
        cells = Cells(self._frame, partial(_targets, words, self._sides, self._focal))
        return SparkCells(self.jobs, [cells], words, self._rows)


def _words(table: TableToJoin, numbers: Mapping[str, int]) -> WordLayout:
    """The layout of a table's codes in words, with the columns that define its classes first."""
    known = {name: table.table.columns[name].bits for name in table.known}
    return WordLayout.of(known | {name: (numbers[name] - 1).bit_length() for name in numbers if name in table.values})


def _targets(words: WordLayout, sides: Sequence[Side], focal: int, batches: Iterator[Any]) -> Iterator[Part]:
    """Count targets by words; a code is one higher than in its table, and 0 for people who are not in the table."""
    for block in tasks.blocks(batches):
        columns = [
            np.concatenate([numpy_integers(piece) for piece in pieces])
            for pieces in zip(*(batch.columns for batch in block), strict=True)
        ]
        codes: dict[str, Integers] = {}
        present, keys = columns[: len(sides)], iter(columns[len(sides) :])
        for side, inside in zip(sides, present, strict=True):
            side_codes = side.words.codes([next(keys) for _ in range(side.words.number)])
            codes |= {column_name(side.name, name): (side_codes[name] + 1) * inside for name in side.known}
            if side.number == focal:
                codes |= {name: values for name, values in side_codes.items() if name not in side.known}
        yield tasks.count_words(words.packed(codes, len(columns[0])))


def _run_kernel(
    tables: int, kernel: Callable[[list[Offer]], Summary], merge: Merge[Summary], batches: Iterator[Any]
) -> Iterator[Any]:
    """Run a kernel over the people of a partition; yield the answer, pickled."""
    import pyarrow as pa
    from pyspark import TaskContext, cloudpickle

    answers: list[Summary] = []
    for block in tasks.blocks(batches):
        columns = [
            np.concatenate([numpy_integers(piece) for piece in pieces])
            for pieces in zip(*(batch.columns for batch in block), strict=True)
        ]
        width = len(columns) // tables
        offers = []
        for first in range(0, len(columns), width):
            inside, values, *words = columns[first : first + width]
            offers.append(Offer(inside > 0, values, [word.astype(np.uint64) for word in words]))
        answers = [reduce(merge, [*answers, kernel(offers)])]
    if answers:
        context = TaskContext.get()
        pickled = cloudpickle.dumps(answers[0])  # type: ignore[no-untyped-call]
        partition = pa.array([context.partitionId() if context else 0], pa.int64())
        yield pa.RecordBatch.from_arrays([partition, pa.array([pickled], pa.binary())], ["p", "b"])


READERS_PER_PARTITION = 4


class SparkEngine:
    """Tables of one Spark session."""

    name = "spark"
    note: str | None = None
    keeps_order = False

    def __init__(self, sources: Sequence[Source]) -> None:
        frames = [source.frame for source in sources if isinstance(source, SparkFrame)]
        self.jobs = Jobs(frames[0].sparkSession if frames else spark_session())

    def close(self) -> None:
        """Free all persisted frames; the session stays open, because it belongs to the user."""
        for owner in list(self.jobs.owners):
            owner.drop()

    def load(
        self, source: Source, columns: Sequence[str], unit: str | None = None, *, folded: bool = False
    ) -> PartitionedTable:
        """Read the named columns, keep them as codes, and count the values of each."""
        wanted = (*columns, *([unit] if unit else []))
        frame, read = self.jobs.run(lambda: self._rows(source, wanted))
        store = SparkStore(self.jobs, columns)
        values = self.jobs.run(lambda: store.read(frame, read, folded=folded))
        known: dict[str, CountedDomain] = {}
        column_of, counts = (_integers(values.column(index)) for index in (0, 2))
        for index, name in enumerate(columns):
            rows = np.flatnonzero(column_of == index)
            labels, order = sorted_labels(values.column(1).take(arrow_integers(rows)).combine_chunks())
            known[name] = CountedDomain(labels, counts[rows][order])
        number = int(known[columns[0]].counts.sum())
        if number == 0:
            raise InputError("{table}: the table has columns but no records", table=source.name)
        first = source.parts[0] if isinstance(source, Files) else source
        if isinstance(first, Parquet | Frame) and number != source.rows:
            raise InputError(
                "{table}: Spark reads {number} records but {rows} were expected",
                table=source.name,
                number=number,
                rows=source.rows,
            )
        store.known, store.rows = known, number
        store.missing_units = int(counts[column_of == len(columns)].sum())
        return PartitionedTable(store, known, number, unit)

    def profiles(
        self, source: Source, columns: Sequence[str], unit: str | None = None, *, folded: bool = False
    ) -> dict[str, Profile]:
        """Counts and a sample of the values of each column; executors count, and only the sample reaches the driver.

        Of each value, `n` is the number of records, or of people if a unit names them, `o` the owner if it is one
        person, and `r` the number of records.
        """
        wanted = (*columns, *([unit] if unit is not None and unit not in columns else []))
        frame, read = self.jobs.run(lambda: self._rows(source, wanted))
        if unit is None:
            parts = map_batches(frame, partial(count_values, read), "c int, v string, n long")
            numbers = ("sum(n) AS n", "CAST(-1 AS BIGINT) AS o", "sum(n) AS r")
        else:
            task = partial(count_values_by_person, read, len(columns), wanted.index(unit), folded)
            parts = map_batches(frame, task, "c int, v string, u string, n long").groupBy("c", "v", "u").sum("n")
            parts = parts.toDF("c", "v", "u", "n")
            owner = "if(count(1) = 1, min(xxhash64(u)) & 9223372036854775807, -1) AS o"
            numbers = ("count(1) AS n", owner, "sum(n) AS r")
        values = parts.groupBy("c", "v").agg(*map(_expression, numbers))
        is_value = f"v IS NOT NULL AND v <> '{SUPPRESSED}'"
        is_exact = f"v RLIKE r'{EXACT_PATTERN}' OR length(v) > {LONG_TEXT} AS is_exact"
        is_formula = f"v RLIKE r'{FORMULA}' AND NOT v RLIKE r'{NUMBER}' AS is_formula"
        counts = values.selectExpr("c", "n", "r", f"{is_value} AS is_value", is_exact, is_formula).groupBy("c")
        unique = "is_value AND n = 1"
        sums = (
            "n",
            "if(is_value, n, 0)",
            "if(is_value, 1, 0)",
            f"if({unique}, 1, 0)",
            f"if({unique} AND is_exact, 1, 0)",
            "if(is_value AND is_formula, r, 0)",
        )
        counted = self.jobs.run(lambda: counts.agg(*(_expression(f"sum({term})") for term in sums)).collect())
        ranked = values.where(is_value).selectExpr(
            "c",
            f"substring(v, 1, {MAX_SAMPLED_LENGTH}) AS v",
            "row_number() OVER (PARTITION BY c ORDER BY xxhash64(v), v) AS number",
        )
        sampled = self.jobs.run(lambda: ranked.where(f"number <= {SAMPLE_SIZE}").collect())
        samples: dict[int, list[str]] = {index: [] for index in range(len(columns))}
        for row in sampled:
            samples[row[0]].append(row[1])
        details = self._details(values.where(is_value), columns)
        return {
            columns[index]: Profile(records, present, distinct, unique, samples[index], exact, details[index], formulas)
            for index, records, present, distinct, unique, exact, formulas in counted
        }

    def _details(self, values: Any, columns: Sequence[str]) -> list[dict[str, int]]:
        """The number of personal details of each kind, by column; the details themselves do not reach the driver."""
        found = map_batches(values, partial(find_personal_details, tuple(columns)), DETAILS)
        once = _expression("if(o < 0, sum(n), 1) AS n")  # cells of one person count once
        text = ("c", "d", "f", "t", "ok")
        by_text = found.groupBy(*text, "o").agg(once).groupBy(*text).sum("n").toDF(*text, "n")
        numbers = ("count(n)", "sum(if(ok, 1, 0))", f"sum(if(ok AND n < {SHARED}, n, 0))")
        counted = self.jobs.run(lambda: by_text.groupBy("c", "d", "f").agg(*map(_expression, numbers)).collect())
        by_column: list[list[DetectorCounts]] = [[] for _ in columns]
        for index, detector, _, *counts in counted:
            by_column[index].append(DetectorCounts(detector, *counts))
        return [by_kind(found) for found in by_column]

    def hidden_differences(self, source: SparkFrame, exact: Collection[str] = ()) -> HiddenDifferences:
        """The number of differences between cells that no measure sees; the cells do not reach the driver."""
        frame = _check_types(source.select(source.names), source.names, source.name)
        places = [place for place, name in enumerate(source.names) if name in exact]
        ways = (
            map_batches(frame, partial(count_spellings, places), WAYS)
            .groupBy("c", "v", "w")
            .sum("n")
            .toDF("c", "v", "w", "n")
        )
        others = ways.groupBy("c", "v").agg(_expression("sum(n) - max(n) AS n")).groupBy("c").sum("n")
        counted = {index: number for index, number in self.jobs.run(others.collect) if number}
        return HiddenDifferences({source.names[index]: int(counted[index]) for index in sorted(counted)})

    def join_people(
        self, tables: Sequence[TableToJoin], focal: int, numbers_of_values: Mapping[str, int]
    ) -> JoinedPeople:
        """Join the people of several tables of this engine."""
        return SparkPeople(self.jobs, tables, focal, numbers_of_values)

    def _rows(self, source: Source, columns: tuple[str, ...]) -> tuple[Any, Read | None]:
        """A frame of the named columns; for Parquet files, of row group numbers, with the function that reads them.

        Other files are read here, because Spark would read them differently.
        """
        parts: Sequence[Any] = source.parts if isinstance(source, Files) else [source]
        if isinstance(source, SparkFrame):
            return _check_types(source.select(columns), columns, source.name), None
        if isinstance(parts[0], Parquet):
            _check_nested(parts[0].nested(columns), source.name)
            groups = [(index, group) for index, part in enumerate(parts) for group in range(part.groups)]
            partitions = min(len(groups), READERS_PER_PARTITION * self.jobs.partitions(source.rows or 0))
            read = partial(read_parquet_rows, [str(Path(part.path).resolve()) for part in parts], groups, columns)
            return self.jobs.session.range(0, len(groups), 1, partitions), read
        pieces = []
        for piece in source.read(columns):
            types = dict(zip(columns, piece.schema.types, strict=True))
            cells = []
            for name, column in zip(columns, piece.columns, strict=True):
                with naming_column(name, types, source):
                    cells.append(trimmed_texts(column, source.separator is not None))
            pieces.append(cells)
        indices = [str(index) for index in range(len(columns))]
        return self.jobs.session.createDataFrame(arrow_table(pieces, indices)), None


def _expression(text: str) -> Any:
    from pyspark.sql.functions import expr

    return expr(text)


def _check_types(frame: Any, columns: Sequence[str], name: str) -> Any:
    """Raise unless the cells of a frame are text or can be written as text; return the frame."""
    nested = ("array", "map", "struct", "variant")
    kinds = zip(columns, frame.dtypes, strict=True)
    _check_nested([column for column, (_, kind) in kinds if kind.startswith(nested)], name)
    return frame


def _check_nested(columns: Sequence[str], name: str) -> None:
    if columns:
        raise InputError(
            "{table}: columns {columns} have cells that are not text or numbers", table=name, columns=quoted(columns)
        )


def _integers(column: Any) -> Integers:
    """A column of an Arrow table as integers."""
    return numpy_integers(column.combine_chunks()).astype(np.int64, copy=False)


REPORT_SCHEMA = "n long, e string"  # the number of records written; or the error, pickled


def check_readable(source: Source) -> None:
    """Raise for a table that executors cannot read themselves, because its records would pass through the driver."""
    parts: Sequence[Any] = source.parts if isinstance(source, Files) else [source]
    if not isinstance(source, SparkFrame) and not isinstance(parts[0], Parquet):
        raise InputError(
            "{table}: the engine 'spark' releases Parquet files and Spark data frames, which "
            "executors read themselves; use another engine, or save the table as Parquet",
            table=source.name,
        )


def write_parts(jobs: Jobs, source: Source, kept: Sequence[str], changes: Changes, folder: Path, records: int) -> None:
    """Let the executors write the kept columns of a table, with changes; no record passes through the driver."""
    columns_read = tuple(dict.fromkeys((*(name for name in kept if name not in changes.labels), *changes.columns)))
    arguments = (kept, changes, dict(original_fields(source)), str(folder))
    if isinstance(source, SparkFrame):
        frame, task = source.select(columns_read), partial(write_partition, columns_read, *arguments)
    else:
        parts: Sequence[Any] = source.parts if isinstance(source, Files) else [source]
        for part in parts:
            if nested := part.nested(columns_read):
                raise InputError(
                    "{table}: columns {columns} have cells that are not text or numbers",
                    table=part.name,
                    columns=quoted(nested),
                )
        groups = [(index, group) for index, part in enumerate(parts) for group in range(part.groups)]
        frame = jobs.session.range(0, len(groups), 1, min(len(groups), jobs.partitions(source.rows or 0)))
        paths = [str(Path(part.path).resolve()) for part in parts]
        task = partial(write_groups, paths, groups, *arguments)
    reports = jobs.run(lambda: map_batches(frame, task, REPORT_SCHEMA).toArrow())
    for error in filter(None, reports.column(1).to_pylist()):
        raise InputError(pickle.loads(bytes.fromhex(error)))  # noqa: S301 - our own executors wrote it
    number = int(numpy_integers(reports.column(0).combine_chunks()).sum())
    if number != records:
        raise InputError(
            "{table}: {number} records were written, but {records} were counted; the table changes",
            table=source.name,
            number=number,
            records=records,
        )
    for unfinished in folder.glob(".*"):  # left by executors that were lost
        unfinished.unlink()


def write_groups(
    paths: Sequence[str],
    groups: Sequence[tuple[int, int]],
    kept: Sequence[str],
    changes: Changes,
    fields: dict[str, Any],
    folder: str,
    batches: Iterator[Any],
) -> Iterator[Any]:
    """Write row groups of Parquet files, a file for each; the batches hold indices into `groups`."""
    for number, file, group in open_row_groups(paths, groups, batches):
        path = Path(folder, f"part-{number:06}.parquet")
        yield _report(partial(_write_file, _Group(file, group), kept, changes, fields, path))


class _Group:
    """A row group of a Parquet file as a table."""

    separator: str | None = None

    def __init__(self, file: Parquet, group: int) -> None:
        self._file, self._group, self.name = file, group, file.name

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = True) -> Iterator[Any]:  # noqa: ARG002
        """Read the named columns."""
        return self._file.read_group(self._group, columns)


def write_partition(
    columns_read: Sequence[str],
    kept: Sequence[str],
    changes: Changes,
    fields: dict[str, Any],
    folder: str,
    batches: Iterator[Any],
) -> Iterator[Any]:
    """Write a partition of a data frame, which has the columns `columns_read`, to its own file."""
    from pyspark import TaskContext

    context = TaskContext.get()
    number = context.partitionId() if context else 0
    source = _Partition(columns_read, batches)
    yield _report(partial(_write_file, source, kept, changes, fields, Path(folder, f"part-{number:06}.parquet")))


class _Partition:
    """The batches of a partition as a table."""

    separator: str | None = None
    name = "the data frame"

    def __init__(self, names: Sequence[str], batches: Iterator[Any]) -> None:
        self._names, self._batches = list(names), batches

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = True) -> Iterator[Any]:  # noqa: ARG002
        """Read the named columns, many batches at a time."""
        import pyarrow as pa

        for block in blocks(self._batches):
            yield pa.Table.from_batches(block).rename_columns(self._names).select(list(columns))


def _write_file(source: Any, kept: Sequence[str], changes: Changes, fields: dict[str, Any], path: Path) -> int:
    """Write a file completely or not at all, because a task may be lost and repeated, even twice at the same time."""
    from uuid import uuid4

    from PETWorks.tables.writing import changed_pieces, write_pieces

    unfinished = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with unfinished.open("xb") as file:
            rows = write_pieces(path, file, changed_pieces(source, kept, changes), fields, changes)
        if rows:  # a file without records could not be read as a table
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return rows


def _report(work: Any) -> Any:
    """A batch with the number of records written, or with the error."""
    import numpy as np
    import pyarrow as pa

    rows, error = 0, None
    try:
        rows = work()
    except PETWorksError as raised:
        error = raised.worded()
    except OSError as raised:
        reason = system_reason(raised)
        error = Phrase("an executor cannot write the release: {reason}; all must see its folder", reason=reason)
    packed = None if error is None else pickle.dumps(error).hex()  # with its parameters, so that it can be translated
    cells = [arrow_integers(np.array([rows])), strings([packed]).cast(pa.string())]
    return pa.RecordBatch.from_arrays(cells, ["n", "e"])
