"""Data frames: tables in memory and in Spark, and results as pandas or Polars frames."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from PETWorks.errors import InputError, Phrase
from PETWorks.tables.files import HeldFile
from PETWorks.tables.source import PIECE_ROWS, column_names


def import_optional(package: str, what: str) -> Any:
    """Import an optional package; raise an error that names it if it is not installed."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package.partition(".")[0]:
            raise
        raise InputError(
            "{function} needs the package {package}: pip install {package}", function=what, package=error.name
        ) from None


class Rows:
    """Base class of results with rows: `to_arrow` makes them, the other methods convert them for other libraries."""

    def to_arrow(self) -> "pa.Table":
        """The rows as a PyArrow table."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame."""
        import_optional("pandas", "to_pandas()")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The rows as a Polars data frame."""
        return import_optional("polars", "to_polars()").from_arrow(self.to_arrow())


class Frame:
    """A table in memory: any frame with an Arrow interface, a Feather file, or a dict of lists."""

    kind = "Feather"
    engine: str | None = None
    ordered = True
    encoding: str | None = None
    separator: str | None = None

    def __init__(self, table: pa.Table, name: str, path: Path | None = None, file: HeldFile | None = None) -> None:
        self.name = name
        self.path, self.file = path, file
        self._table = table
        columns = column_names(table.schema.names, in_file=path is not None)
        self.names = tuple(name for name, _ in columns)
        self._raw_names = dict(columns)
        self.rows: int | None = table.num_rows
        raw_fields = {field.name: field for field in table.schema}  # duplicate names are reported later
        self.fields = {name: raw_fields[raw].with_name(name) for name, raw in columns}
        self.types = {name: field.type for name, field in self.fields.items()}
        if table.num_rows == 0:
            raise InputError("{table}: the table has columns but no records", table=self.name)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:
        """The named columns in that order."""
        table = self._table.select([self._raw_names[name] for name in columns])
        step = PIECE_ROWS if in_pieces else table.num_rows
        for first in range(0, table.num_rows, step):
            yield table.slice(first, step)


SCHEMES = ("hdfs", "s3a", "s3", "gs", "abfss", "abfs", "wasbs", "dbfs", "file")


class SparkFrame:
    """A Spark data frame, classic or from Spark Connect.

    of_files   whether it was read from files in the cluster, which may contain more than the table
    """

    path: Path | None = None
    encoding: str | None = None
    separator: str | None = None
    rows: int | None = None
    kind = ""
    engine: str | None = "spark"
    ordered = False

    def __init__(self, frame: Any, name: str, *, of_files: bool = False) -> None:
        self.frame, self.name, self.of_files = frame, name, of_files
        self.names = tuple(column.strip() for column in frame.columns)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:  # noqa: ARG002
        """The named columns, collected on this machine for an engine that counts here."""
        with spark_errors():
            table = self.select(columns).toArrow()
        yield table

    def select(self, columns: tuple[str, ...]) -> Any:
        """The named columns of the frame, renamed by position."""
        numbered = self.frame.toDF(*(f"x{index}" for index in range(len(self.names))))
        chosen = numbered.select(*(f"x{self.names.index(name)}" for name in columns))
        return chosen.toDF(*(f"x{index}" for index in range(len(columns))))


JOB_FAILED = Phrase("the job failed")


@contextmanager
def spark_errors(what: Phrase = JOB_FAILED) -> Iterator[None]:
    """Convert Spark's errors: its messages, and what it logs to standard error from Python, may quote a cell."""
    import logging

    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    loggers = [logging.getLogger(name) for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger")]
    usual = [logger.disabled for logger in loggers]
    try:
        for logger in loggers:
            logger.disabled = True
        yield
    except (PySparkException, Py4JError) as error:
        raise InputError(
            "Spark: {problem} ({type}); Spark's own message may contain cells and is not shown",
            problem=what,
            type=type(error).__name__,
        ) from None
    finally:
        for logger, disabled in zip(loggers, usual, strict=True):
            logger.disabled = disabled


def is_spark_frame(data: Any) -> bool:
    """Whether an object is a Spark data frame, without importing Spark."""
    module = sys.modules.get("pyspark.sql")
    return module is not None and isinstance(data, module.DataFrame)


def open_in_cluster(path: str) -> SparkFrame:
    """A Parquet file or folder that is read by the cluster."""
    scheme = path.partition("://")[0].lower()
    if find_spec("pyspark") is None:
        raise InputError(
            "{scheme}:// addresses are read with Spark: pip install 'petworks[spark]'; a file on this machine is named "
            "by its path alone",
            scheme=scheme,
        )
    with spark_errors(Phrase("the {scheme} address cannot be read as Parquet", scheme=scheme)):
        name = path.rstrip("/").rpartition("/")[2].rpartition("@")[2]
        return SparkFrame(spark_session().read.parquet(path), name, of_files=True)


def spark_session() -> Any:
    """The present Spark session, or a new one: from SPARK_REMOTE, Spark's own settings, or on this machine."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession() or getattr(SparkSession, "_instantiatedSession", None)
    if active is not None and (is_spark_connect(active) or active.sparkContext._jsc is not None):
        return active
    if "SPARK_REMOTE" in os.environ:
        return SparkSession.builder.getOrCreate()
    # Python workers use this environment, which has the packages they need.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("petworks")
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    for name, value in (settings | {"spark.sql.shuffle.partitions": "16"}).items():
        builder = builder.config(name, value)
    starting = spark_errors(Phrase("it does not start; is Java 17 there?"))
    with starting, _fast_java_start(), _java_without_stderr(), _keeping_interrupt_handler():
        return builder.getOrCreate()


def is_spark_connect(spark: Any) -> bool:
    """Whether a session is from Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


@contextmanager
def _fast_java_start() -> Iterator[None]:
    """Start Java within this context with quick compilation, unless other options are set.

    Java only passes data to and from Python: better code would take longer to compile than it saves.
    """
    name, options = "JDK_JAVA_OPTIONS", os.environ.get("JDK_JAVA_OPTIONS")
    os.environ.setdefault(name, "-XX:TieredStopAtLevel=1")
    try:
        yield
    finally:
        if options is None:
            del os.environ[name]


@contextmanager
def _java_without_stderr() -> Iterator[None]:
    """Start Java within this context without standard error: its log may quote cells."""
    sys.stderr.flush()
    usual, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(usual, 2)
        os.close(usual)
        os.close(nothing)


@contextmanager
def _keeping_interrupt_handler() -> Iterator[None]:
    """Restore our handler of Ctrl-C: PySpark installs its own, which does not stop a job."""
    usual = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, usual)
