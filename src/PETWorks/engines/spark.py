"""In a cluster: Spark reads and shuffles, executors encode and run the kernels, summaries come to the driver.

Of the rows nothing reaches the driver but the values of each column with their counts; of the classes nothing but
what kernels return. Columns are called by their places: no name of the user's is part of an expression.
"""

import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np

import PETWorks
from PETWorks.counts import Integers, PairCounts
from PETWorks.csvfile import CSV
from PETWorks.engines.codes import GrowingEncoder, arrow_integers, normalised, numpy_integers, sorted_labels, texts
from PETWorks.engines.partitioned import Known, Merge, PartitionedTable
from PETWorks.engines.parts import Part
from PETWorks.engines.words import Words, class_starts
from PETWorks.errors import InputError, NotApplicable, PETWorksError, quoted
from PETWorks.files import Frame, Parquet, Source
from PETWorks.sparkframe import SparkFrame, session

Summary = TypeVar("Summary")

ROWS_PER_PARTITION = 1 << 21
ROWS_PER_BLOCK = 1 << 20  # are counted before they are shuffled
_SHIPPED: set[int] = set()


class SparkEngine:
    """Tables of one Spark session."""

    name = "spark"
    note: str | None = None
    keeps_order = False

    def __init__(self, sources: Sequence[Source]) -> None:
        frames = [source.frame for source in sources if isinstance(source, SparkFrame)]
        self.session: Any = frames[0].sparkSession if frames else session()
        _ship(self.session)

    def close(self) -> None:
        """Nothing to give back: the session is its owner's."""

    def load(self, source: Source, columns: Sequence[str], unit: str | None = None) -> PartitionedTable:
        """Count the values of the named columns; the frame is read again when classes are counted."""
        frame = self._frame(source).selected((*columns, *([unit] if unit else [])))
        _check_types(frame, (*columns, *([unit] if unit else [])), source.name)
        spaced = source.separator is not None
        with self.working():
            counted = frame.mapInArrow(partial(_values, len(columns), spaced), "c int, v string, n long")
            found = counted.groupBy("c", "v").sum("n").toArrow()
        known: dict[str, Known] = {}
        place_of, counts = (_integers(found.column(place)) for place in (0, 2))
        for place, name in enumerate(columns):
            rows = np.flatnonzero(place_of == place)
            labels, order = sorted_labels(found.column(1).take(arrow_integers(rows)).combine_chunks())
            known[name] = Known(labels, counts[rows][order])
        number = int(known[columns[0]].counts.sum())
        if number == 0:
            raise InputError(f"{source.name}: columns but no records")
        store = SparkStore(self, frame, {name: own.labels for name, own in known.items()}, number, spaced)
        return PartitionedTable(store, known, number, unit)

    def _frame(self, source: Source) -> SparkFrame:
        """A source as a data frame of this session."""
        if isinstance(source, SparkFrame):
            return source
        with self.working():
            if isinstance(source, Parquet):
                return SparkFrame(self.session.read.parquet(str(source.path)), source.name)
            if isinstance(source, CSV):
                return SparkFrame(self._csv(source), source.name)
            tables = list(source.read(source.names)) if isinstance(source, Frame) else []
            if not tables:
                raise InputError(f"{source.name}: the engine 'spark' reads frames, CSV and Parquet; take 'duckdb'")
            return SparkFrame(self.session.createDataFrame(tables[0].rename_columns(source.names)), source.name)

    def _csv(self, source: CSV) -> Any:
        """A CSV file as Spark reads it, every cell as it stands in the file."""
        schema = ", ".join(f"x{place} string" for place in range(len(source.names)))
        frame = self.session.read.csv(
            str(source.path),
            schema=schema,
            sep=source.separator,
            encoding=source.encoding,
            quote='"',
            escape='"',
            header=True,
            enforceSchema=True,
            multiLine=source.line_ends_in_cells,
            mode="FAILFAST",
        )
        return frame.toDF(*source.names)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Errors of Spark, which may quote a cell, as ours; jobs that are left behind are stopped."""
        from pyspark.errors import PySparkException

        tag = f"petworks-{uuid4().hex}"
        self.session.addTag(tag)
        try:
            yield
        except PySparkException as error:
            raise InputError(
                f"Spark: the job failed ({type(error).__name__}); what the cluster's log says may quote cells, "
                "so it is not repeated here"
            ) from None
        except KeyboardInterrupt:
            self.session.interruptTag(tag)
            raise
        finally:
            self.session.removeTag(tag)

    def partitions(self, rows: int) -> int:
        """In how many parts so many cells are counted."""
        return max(int(self.session.conf.get("spark.default.parallelism", "2")), -(-rows // ROWS_PER_PARTITION))


class SparkStore:
    """A data frame, its columns called by their places, and the labels of each."""

    def __init__(self, engine: SparkEngine, frame: Any, labels: Mapping[str, Any], rows: int, spaced: bool) -> None:
        self._engine, self._frame, self._labels, self._rows, self._spaced = engine, frame, labels, rows, spaced

    def count(self, words: Words, recoded: Mapping[str, Integers], *, per_person: bool) -> "SparkCells":
        """Count rows, or people, by the columns of the words; recoded[column][code] stands for some codes."""
        columns = [f"x{list(self._labels).index(name)}" for name in words.places]
        unit = [f"x{len(self._labels)}"] if per_person else []
        keys = [f"k{word}" for word in range(words.number)]
        labels = {name: self._labels[name] for name in words.places}
        own = {name: codes for name, codes in recoded.items() if name in words.places}
        schema = ", ".join(f"{key} long" for key in keys) + (", u string" if per_person else ", n0 long")
        packed = self._frame.select(*columns, *unit).mapInArrow(
            partial(_packed, words, labels, own, self._spaced), schema
        )
        if per_person:
            packed = packed.distinct().groupBy(*keys).count().withColumnRenamed("count", "n0")
        return SparkCells(self._engine, packed, words, self._rows)

    def people(self) -> int:
        """Number of people that the unit names."""
        with self._engine.working():
            return int(self._units().distinct().count())

    def unit_is_missing(self) -> bool:
        """Whether some row does not say whose it is."""
        with self._engine.working():
            return bool(self._units().filter("u IS NULL").limit(1).count())

    def _units(self) -> Any:
        return self._frame.select(f"x{len(self._labels)}").mapInArrow(partial(_texts, self._spaced), "u string")

    def pairs_in_order(self, column: str, store: Any) -> PairCounts:  # noqa: ARG002
        """Spark does not keep the order of rows."""
        raise NotApplicable("rows are compared in their order, which the engine 'spark' does not keep")


class SparkCells:
    """A data frame of keys `k0`, `k1`… and numbers `n0`, `n1`…; equal keys are added up when a part is made."""

    def __init__(self, engine: SparkEngine, frame: Any, words: Words, rows: int, counted: int = 1) -> None:
        self._engine, self.frame, self.words, self._rows, self._counted = engine, frame, words, rows, counted
        self._kept: dict[int, Any] = {}

    @property
    def keys(self) -> list[str]:
        """The names of the keys."""
        return [f"k{word}" for word in range(self.words.number)]

    def run(self, task: Callable[[Part], Summary], merge: Merge[Summary], classes: int) -> Summary:
        """Do a task for parts that have complete classes of the first columns, at least one, and merge the answers."""
        from pyspark import cloudpickle

        with self._engine.working():
            if classes not in self._kept:
                masks = self.words.masks(classes)
                by = [self._expression(f"k{word} & {mask}L") for word, mask in enumerate(masks)]
                self._kept[classes] = self.frame.repartition(self._engine.partitions(self._rows), *by).persist()
            done = self._kept[classes].mapInArrow(partial(_done, self.words.number, task), "p int, b binary").toArrow()
        answers = [cloudpickle.loads(answer) for _, answer in sorted(zip(*done.to_pydict().values(), strict=True))]
        for answer in answers:
            if isinstance(answer, PETWorksError):
                raise answer
        nothing = [np.empty(0, np.int64)]
        return reduce(merge, answers) if answers else task(Part(nothing * self.words.number, nothing * self._counted))

    def with_people(self, classes: "SparkCells") -> "SparkCells":
        """These cells and a second number: how often the class, which is the first columns, was counted there."""
        masks = self.words.masks(len(classes.words.places))
        shared = [f"c{word}" for word in range(len(masks))]
        there = classes.frame.groupBy(*classes.keys).sum("n0").toDF(*shared, "n1")
        own = self.frame.groupBy(*self.keys).sum("n0").toDF(*self.keys, "n0")
        here = own.selectExpr("*", *(f"k{word} & {mask}L AS c{word}" for word, mask in enumerate(masks)))
        return SparkCells(
            self._engine, here.join(there, shared).select(*self.keys, "n0", "n1"), self.words, self._rows, 2
        )

    def beside(self, other: "SparkCells") -> "SparkCells":
        """All cells of both, which have the same columns, with the number of each; 0 where it has none."""
        here = self.frame.selectExpr(*self.keys, "n0", "0L AS n1")
        both = here.unionAll(other.frame.selectExpr(*self.keys, "0L AS n0", "n0 AS n1"))
        return SparkCells(self._engine, both, self.words, self._rows + other._rows, 2)

    def drop(self) -> None:
        """They are not needed any more."""
        for frame in self._kept.values():
            frame.unpersist()

    @staticmethod
    def _expression(text: str) -> Any:
        from pyspark.sql.functions import expr

        return expr(text)


# What executors do.


def _values(columns: int, spaced: bool, batches: Iterator[Any]) -> Iterator[Any]:
    """The values of each column in a partition and how often it has each."""
    import pyarrow as pa

    encoders = [GrowingEncoder(spaced_quotes=spaced) for _ in range(columns)]
    for batch in batches:
        for encoder, column in zip(encoders, batch.columns, strict=False):
            encoder.codes(column)
    for place, encoder in enumerate(encoders):
        number = arrow_integers(np.full(len(encoder.labels), place)).cast(pa.int32())
        columns_of = [number, encoder.labels.cast(pa.string()), arrow_integers(encoder.counts)]
        yield pa.RecordBatch.from_arrays(columns_of, ["c", "v", "n"])


def _texts(spaced: bool, batches: Iterator[Any]) -> Iterator[Any]:
    """A column as text, blank cells missing."""
    import pyarrow as pa

    for batch in batches:
        yield pa.RecordBatch.from_arrays([normalised(texts(batch.column(0)), spaced).cast(pa.string())], ["u"])


def _packed(
    words: Words, labels: Mapping[str, Any], recoded: Mapping[str, Integers], spaced: bool, batches: Iterator[Any]
) -> Iterator[Any]:
    """Rows as words: counted, block by block, or with the unit that stands behind the columns."""
    import pyarrow as pa

    encoders = {name: GrowingEncoder(spaced_quotes=spaced, labels=own) for name, own in labels.items()}
    names = [f"k{word}" for word in range(words.number)]
    block: list[list[Integers]] = []

    def counted() -> Any:
        rows = [np.concatenate(columns) for columns in zip(*block, strict=True)]
        part = merged(Part(rows, [np.ones(len(rows[0]), np.int64)]))
        return pa.RecordBatch.from_arrays([*map(arrow_integers, (*part.words, *part.numbers))], [*names, "n0"])

    for batch in batches:
        codes = {}
        for (name, encoder), column in zip(encoders.items(), batch.columns, strict=False):
            found = encoder.codes(column)
            if len(encoder.labels) > len(labels[name]):
                raise InputError("the table has changed while it was read")
            codes[name] = recoded[name][found] if name in recoded else found
        own = words.packed(codes, batch.num_rows)
        if batch.num_columns > len(encoders):
            unit = normalised(texts(batch.column(batch.num_columns - 1)), spaced).cast(pa.string())
            yield pa.RecordBatch.from_arrays([*map(arrow_integers, own), unit], [*names, "u"])
            continue
        block.append(own)
        if sum(len(rows[0]) for rows in block) >= ROWS_PER_BLOCK:
            yield counted()
            block.clear()
    if block:
        yield counted()


def _done(keys: int, task: Callable[[Part], Any], batches: Iterator[Any]) -> Iterator[Any]:
    """The answer of a partition, if it has cells: pickled, or the error that came instead."""
    import pyarrow as pa
    from pyspark import TaskContext, cloudpickle

    table = pa.Table.from_batches(found) if (found := list(batches)) else None
    if table is None or table.num_rows == 0:
        return
    columns = [_integers(column) for column in table.columns]
    try:
        answer = task(merged(Part(columns[:keys], columns[keys:])))
    except PETWorksError as error:
        answer = error
    context = TaskContext.get()
    place = arrow_integers(np.array([context.partitionId() if context else 0])).cast(pa.int32())
    pickled: bytes = cloudpickle.dumps(answer)  # type: ignore[no-untyped-call]
    offsets = pa.py_buffer(np.array([0, len(pickled)], np.int32))
    binary = pa.Array.from_buffers(pa.binary(), 1, [None, offsets, pa.py_buffer(pickled)])
    yield pa.RecordBatch.from_arrays([place, binary], ["p", "b"])


def _integers(column: Any) -> Integers:
    return numpy_integers(column.combine_chunks()).astype(np.int64, copy=False)


def merged(part: Part) -> Part:
    """The cells in order, those with the same words added up."""
    order = np.lexsort(part.words[::-1])
    words = [word[order] for word in part.words]
    starts = class_starts(words, [-1] * len(words))
    numbers = [np.add.reduceat(own[order], starts) for own in part.numbers]
    return Part([word[starts] for word in words], numbers)


def _check_types(frame: Any, columns: Sequence[str], name: str) -> None:
    """Cells are text or can be written as such."""
    nested = [
        column
        for column, (_, kind) in zip(columns, frame.dtypes, strict=True)
        if kind.startswith(("array", "map", "struct", "variant"))
    ]
    if nested:
        raise InputError(f"{name}: columns {quoted(nested)} have cells that are not text or numbers")


def _ship(spark: Any) -> None:
    """Hand this package to the executors, once for a session: the kernels there are those of the driver."""
    if id(spark) in _SHIPPED:
        return
    folder = Path(PETWorks.__file__).parent
    archive = Path(tempfile.mkdtemp(prefix="petworks-"), "petworks.zip")
    with zipfile.ZipFile(archive, "w") as package:
        for file in sorted(folder.rglob("*.py")):
            package.write(file, Path(folder.name, file.relative_to(folder)))
    if hasattr(spark, "addArtifacts") and type(spark).__module__.startswith("pyspark.sql.connect"):
        spark.addArtifacts(str(archive), pyfile=True)
    else:
        spark.sparkContext.addPyFile(str(archive))
    _SHIPPED.add(id(spark))
