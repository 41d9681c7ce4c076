"""In a cluster: Spark reads and shuffles, executors encode and run the kernels, summaries come to the driver.

Of the rows nothing reaches the driver but the values of each column with their counts; of the classes nothing but
what kernels return. Columns are called by their places: no name of the user's is part of an expression.
"""

import atexit
import re
import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial, reduce
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4
from weakref import WeakSet, finalize

import numpy as np

import PETWorks
from PETWorks.counting.codes import Known, arrow_integers, arrow_table, sorted_labels, text_column
from PETWorks.counting.counts import Integers, PairCounts
from PETWorks.counting.packed_words import Words
from PETWorks.counting.part_tasks import ALL_BITS, Part
from PETWorks.counting.partitioned import PartitionedTable
from PETWorks.counting.questions import Merge
from PETWorks.counting.spark_tasks import check, done, integers, packed, texts_of, values_of
from PETWorks.errors import InputError, NotApplicable, PETWorksError, quoted
from PETWorks.tables.column_errors import naming
from PETWorks.tables.frames import Frame
from PETWorks.tables.globs import Files
from PETWorks.tables.parquet import Parquet
from PETWorks.tables.source import Source
from PETWorks.tables.sparkframe import SparkFrame, is_connect, session, spark_errors

Summary = TypeVar("Summary")

ROWS_PER_PARTITION = 1 << 21
CANCEL_TIMES = 60  # a job that has not quite begun does not hear of it


class SparkEngine:
    """Tables of one Spark session."""

    name = "spark"
    note: str | None = None
    keeps_order = False

    def __init__(self, sources: Sequence[Source]) -> None:
        frames = [source.frame for source in sources if isinstance(source, SparkFrame)]
        self.session: Any = frames[0].sparkSession if frames else session()
        self.connected = is_connect(self.session)
        self.counted: WeakSet[SparkCells] = WeakSet()
        self.check_alive()
        self._ship()

    def close(self) -> None:
        """Give back the room of what was persisted; the session is its owner's."""
        for cells in list(self.counted):
            cells.drop()

    def load(self, source: Source, columns: Sequence[str], unit: str | None = None) -> PartitionedTable:
        """Count the values of the named columns; the frame is read again when classes are counted."""
        wanted = (*columns, *([unit] if unit else []))
        frame = self.run(lambda: self._frame(source, wanted).selected(wanted))
        _check_types(frame, wanted, source.name)
        values = partial(values_of, len(columns))
        found = self.run(lambda: _mapped(frame, values, "c int, v string, n long").groupBy("c", "v").sum("n").toArrow())
        known: dict[str, Known] = {}
        place_of, counts = (integers(found.column(place)) for place in (0, 2))
        for place, name in enumerate(columns):
            rows = np.flatnonzero(place_of == place)
            labels, order = sorted_labels(found.column(1).take(arrow_integers(rows)).combine_chunks())
            known[name] = Known(labels, counts[rows][order])
        number = int(known[columns[0]].counts.sum())
        if number == 0:
            raise InputError(f"{source.name}: the table has columns but no records")
        told = source.parts[0] if isinstance(source, Files) else source
        if isinstance(told, Parquet | Frame) and number != source.rows:
            raise InputError(f"{source.name}: Spark reads {number} records but {source.rows} were expected")
        store = SparkStore(self, frame, known, number)
        return PartitionedTable(store, known, number, unit)

    def _frame(self, source: Source, columns: tuple[str, ...]) -> SparkFrame:
        """A source as a data frame of this session: Spark reads Parquet; what it would read otherwise, we read."""
        parts = source.parts if isinstance(source, Files) else [source]
        if isinstance(source, SparkFrame):
            return source
        if isinstance(parts[0], Parquet):
            return SparkFrame(self.session.read.parquet(*(_address(part.path) for part in parts)), source.name)
        pieces = []
        for piece in source.read(columns):
            types = dict(zip(columns, piece.schema.types, strict=True))
            cells = []
            for name, column in zip(columns, piece.columns, strict=True):
                with naming(name, types, source):
                    cells.append(text_column(column, source.separator is not None))
            pieces.append(cells)
        return SparkFrame(self.session.createDataFrame(arrow_table(pieces, columns)), source.name)

    def run(self, action: Callable[[], Any]) -> Any:
        """Run a job: errors of Spark, which may quote a cell, become ours; what is interrupted is stopped for good.

        It runs in a thread of its own, because Ctrl-C breaks the line to the Java process when it waits there.
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
        """An error if the session has been stopped."""
        context = None if self.connected else self.session.sparkContext
        if not self.connected and (context is None or context._jsc is None):
            raise InputError("the Spark session of this table has been stopped; create the data frame again")

    def _ship(self) -> None:
        """Hand this package to the executors, once for a session: the kernels there are those of the driver."""
        folder = Path(PETWorks.__file__).parent
        files = sorted(folder.rglob("*.py"))
        digest = sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
        if getattr(self.session, "_petworks", None) == digest:
            return
        where = tempfile.mkdtemp(prefix="petworks-")
        atexit.register(shutil.rmtree, where, ignore_errors=True)  # executors fetch it when they need it
        archive = Path(where, f"petworks-{digest}.zip")
        with zipfile.ZipFile(archive, "w") as package:
            for file in files:
                package.write(file, Path(folder.name, file.relative_to(folder)))
        if self.connected:
            self.session.addArtifacts(str(archive), pyfile=True)
        else:
            self.session.sparkContext.addPyFile(str(archive))
        self.session._petworks = digest

    def partitions(self, rows: int) -> int:
        """In how many parts so many cells are counted."""
        return max(int(self.session.conf.get("spark.default.parallelism", "2")), -(-rows // ROWS_PER_PARTITION))


class SparkStore:
    """A data frame, its columns called by their places, and the values of each."""

    def __init__(self, engine: SparkEngine, frame: Any, known: Mapping[str, Known], rows: int) -> None:
        self._engine, self._frame, self._known, self._rows = engine, frame, known, rows

    def count(self, words: Words, recoded: Mapping[str, Integers], *, per_person: bool) -> "SparkCells":
        """Count rows, or people, by the columns of the words; recoded[column][code] stands for some codes."""
        self._engine.check_alive()
        columns = [f"x{list(self._known).index(name)}" for name in words.places]
        unit = [f"x{len(self._known)}"] if per_person else []
        keys = [f"k{word}" for word in range(words.number)]
        labels = {name: self._known[name].labels for name in words.places}
        own = {name: codes for name, codes in recoded.items() if name in words.places}
        schema = ", ".join(f"{key} long" for key in keys) + (", u string" if per_person else ", n0 long")
        # The token keeps Spark from taking what it has persisted for another table that was read from the same place.
        pack = partial(packed, words, labels, own, uuid4().hex)
        rows = _mapped(self._frame.select(*columns, *unit), pack, schema)
        if per_person:
            rows = rows.distinct().groupBy(*keys).count().withColumnRenamed("count", "n0")
            return SparkCells(self._engine, rows, words, self._rows)
        counts = {name: _recoded(self._known[name].counts, own.get(name)) for name in words.places}
        return SparkCells(self._engine, rows, words, self._rows, checks={name: check(c) for name, c in counts.items()})

    def people(self) -> int:
        """Number of people that the unit names."""
        return int(self._engine.run(lambda: self._units().distinct().count()))

    def unit_is_missing(self) -> bool:
        """Whether some row does not say whose it is."""
        return bool(self._engine.run(lambda: self._units().filter("u IS NULL").limit(1).count()))

    def _units(self) -> Any:
        return _mapped(self._frame.select(f"x{len(self._known)}"), texts_of, "u string")

    def pairs_in_order(self, column: str, store: Any) -> PairCounts:  # noqa: ARG002
        """Spark does not keep the order of rows."""
        raise NotApplicable("rows are compared in their order, which the engine 'spark' does not keep")


class SparkCells:
    """A data frame of keys `k0`, `k1`… and numbers `n0`, `n1`…; equal keys are added up when a part is made.

    checks   for each column what its codes, with the first number, add up to: `check` of its counts; None if unknown
    """

    def __init__(
        self,
        engine: SparkEngine,
        frame: Any,
        words: Words,
        rows: int,
        *,
        counted: int = 1,
        checks: Mapping[str, int] | None = None,
    ) -> None:
        self._engine, self.frame, self.words, self._rows, self._counted = engine, frame, words, rows, counted
        self._checks = checks
        self._kept: dict[int, Any] = {}
        finalize(self, _forgotten, self._kept).atexit = False
        engine.counted.add(self)

    @property
    def keys(self) -> list[str]:
        """The names of the keys."""
        return [f"k{word}" for word in range(self.words.number)]

    def run(self, task: Callable[[Part], Summary], merge: Merge[Summary], classes: int) -> Summary:
        """Do a task for parts that have complete classes of the first columns, at least one, and merge the answers."""
        from pyspark import cloudpickle

        work = partial(done, self.words, task)
        answered = self._engine.run(lambda: _mapped(self._partitioned(classes), work, "p long, b binary").toArrow())
        places, pickled = answered.to_pydict().values()
        both = [cloudpickle.loads(pickled[place]) for place in np.argsort(np.array(places, np.int64))]
        for place, (name, wanted) in enumerate((self._checks or {}).items()):
            if sum(checks[place] for _, checks in both) & ALL_BITS != wanted:
                raise InputError(f"column {name!r} changes while it is read; persist the data frame first")
        answers = [answer for answer, _ in both]
        for answer in answers:
            if isinstance(answer, PETWorksError):
                raise answer
        nothing = [np.empty(0, np.int64)]
        return reduce(merge, answers) if answers else task(Part(nothing * self.words.number, nothing * self._counted))

    def _partitioned(self, classes: int) -> Any:
        """The frame with complete classes in each partition; kept, for the next task."""
        from pyspark.sql.functions import expr

        if classes not in self._kept:
            by = [expr(f"k{word} & {mask}L") for word, mask in enumerate(self.words.masks(classes))]
            self._kept[classes] = self.frame.repartition(self._engine.partitions(self._rows), *by).persist()
        return self._kept[classes]

    def regrouped(self, words: Words) -> "SparkCells":
        """Counts by some of the columns, added up."""
        finer = next(iter(self._kept.values()), self.frame)
        packed = [f"{word} AS k{place}" for place, word in enumerate(self.words.expressions(words))]
        coarser = finer.selectExpr(*packed, "n0")
        keys = [f"k{word}" for word in range(words.number)]
        summed = coarser.groupBy(*keys).sum("n0").toDF(*keys, "n0")
        checks = None if self._checks is None else {name: self._checks[name] for name in words.places}
        return SparkCells(self._engine, summed, words, self._rows, checks=checks)

    def with_people(self, classes: "SparkCells") -> "SparkCells":
        """These cells and a second number: how often the class, which is the first columns, was counted there."""
        masks = self.words.masks(len(classes.words.places))
        shared = [f"c{word}" for word in range(len(masks))]
        there = classes.frame.groupBy(*classes.keys).sum("n0").toDF(*shared, "n1")
        own = self.frame.groupBy(*self.keys).sum("n0").toDF(*self.keys, "n0")
        here = own.selectExpr("*", *(f"k{word} & {mask}L AS c{word}" for word, mask in enumerate(masks)))
        joined = here.join(there, shared).select(*self.keys, "n0", "n1")
        return SparkCells(self._engine, joined, self.words, self._rows, counted=2)

    def beside(self, other: "SparkCells") -> "SparkCells":
        """All cells of both, which have the same columns, with the number of each; 0 where it has none."""
        here = self.frame.selectExpr(*self.keys, "n0", "0L AS n1")
        both = here.unionAll(other.frame.selectExpr(*self.keys, "0L AS n0", "n0 AS n1"))
        return SparkCells(self._engine, both, self.words, self._rows + other._rows, counted=2)

    def drop(self) -> None:
        """They are not needed any more."""
        _forgotten(self._kept)


def _forgotten(kept: dict[int, Any]) -> None:
    """Give the room of persisted frames back, as far as their session is still there."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    while kept:
        with suppress(PySparkException, Py4JError, OSError):
            kept.popitem()[1].unpersist()


def _mapped(frame: Any, task: Callable[[Iterator[Any]], Iterator[Any]], schema: str) -> Any:
    """What a task makes of the Arrow batches of each partition. Spark warns of new versions of pandas, unused here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        return frame.mapInArrow(task, schema)


def _check_types(frame: Any, columns: Sequence[str], name: str) -> None:
    """Cells are text or can be written as such."""
    nested = [
        column
        for column, (_, kind) in zip(columns, frame.dtypes, strict=True)
        if kind.startswith(("array", "map", "struct", "variant"))
    ]
    if nested:
        raise InputError(f"{name}: columns {quoted(nested)} have cells that are not text or numbers")


def _recoded(counts: Integers, new_codes: Integers | None) -> Integers:
    """The counts of codes after they have been given new ones."""
    if new_codes is None:
        return counts
    found = np.zeros(int(new_codes.max()) + 1, np.int64)
    np.add.at(found, new_codes, counts)
    return found


def _address(path: Any) -> str:
    """A file of this machine for Spark, which takes some signs for a pattern."""
    return "file://" + re.sub(r"([\\{}\[\]*?])", r"\\\1", str(path.resolve()))
