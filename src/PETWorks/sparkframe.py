"""Tables of a Spark session: data frames, and paths that the cluster reads."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from PETWorks.errors import InputError

SCHEMES = ("hdfs", "s3a", "s3", "gs", "abfss", "abfs", "wasbs", "dbfs", "file")


class SparkFrame:
    """A Spark data frame, classic or of Spark Connect."""

    path: Path | None = None
    encoding: str | None = None
    separator: str | None = None
    rows: int | None = None
    engine: str | None = "spark"
    ordered = False

    def __init__(self, frame: Any, name: str) -> None:
        self.frame, self.name = frame, name
        self.names = tuple(column.strip() for column in frame.columns)

    def read(self, columns: tuple[str, ...], *, in_pieces: bool = False) -> Iterator[pa.Table]:  # noqa: ARG002
        """The named columns, brought to this machine: for an engine that counts here."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            table = self.selected(columns).toArrow()
        except (PySparkException, Py4JError) as error:
            raise job_failed(error) from None
        yield table

    def selected(self, columns: tuple[str, ...]) -> Any:
        """The named columns of the frame, called by their places."""
        places = [self.frame.columns[self.names.index(name)] for name in columns]
        quoted = [f"`{place.replace('`', '``')}`" for place in places]
        return self.frame.selectExpr(*(f"{column} AS x{place}" for place, column in enumerate(quoted)))


def job_failed(error: BaseException) -> InputError:
    """The error for a job that Spark gave up."""
    return InputError(
        f"Spark: the job failed ({type(error).__name__}); its own message may quote cells and is not shown"
    )


def is_spark_frame(data: Any) -> bool:
    """Whether a thing is a data frame of Spark; without importing Spark to find out."""
    module = sys.modules.get("pyspark.sql")
    return module is not None and isinstance(data, module.DataFrame)


def open_in_cluster(path: str) -> SparkFrame:
    """A Parquet file or folder that the cluster reads."""
    from pyspark.errors import PySparkException

    try:
        return SparkFrame(session().read.parquet(path), path.rstrip("/").rpartition("/")[2].rpartition("@")[2])
    except PySparkException as error:
        where = path.partition("://")[0]
        raise InputError(f"Spark cannot read the {where} address as Parquet: {type(error).__name__}") from None


def session() -> Any:
    """The Spark session that is there, or a new one: of SPARK_REMOTE, of Spark's own settings, or on this machine."""
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession()
    if found is not None:
        return found
    if "SPARK_REMOTE" in os.environ:
        return SparkSession.builder.getOrCreate()
    # Python workers are those of this environment, which has what they need.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("petworks")
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    for name, value in (settings | {"spark.sql.shuffle.partitions": "16"}).items():
        builder = builder.config(name, value)
    with _silent_child(), _handling_interrupts_as_before():
        return builder.getOrCreate()


@contextmanager
def _silent_child() -> Iterator[None]:
    """The Java process that is started within has no standard error: its log may quote cells."""
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
def _handling_interrupts_as_before() -> Iterator[None]:
    """PySpark puts a handler of its own in the place of ours, under which Ctrl-C does not stop a job."""
    usual = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, usual)
