"""Jobs of a Spark session: run so that they can be interrupted, with this package, and without a cell in an error."""

import atexit
import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any
from uuid import uuid4
from weakref import WeakSet, finalize

import PETWorks
from PETWorks.errors import InputError
from PETWorks.tables.sparkframe import is_connect, spark_errors

ROWS_PER_PARTITION = 1 << 21
CANCEL_TIMES = 60  # a job that has not quite begun does not hear of it


class Jobs:
    """Runs jobs in a session, and knows who keeps persisted frames there."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.connected = is_connect(session)
        self.owners: WeakSet[Owner] = WeakSet()
        self.check_alive()
        self._ship()

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
        """Hand this package to the executors, once for a session: the kernels there are those of the driver.

        With it goes python-stdnum, which knows check digits and which a cluster hardly has.
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
                place = Path(folder.name, file.relative_to(folder))
                package.write(file, place)
                compiled = Path(cache_from_source(str(file)))  # is taken there if it is of the same time and Python
                if file.suffix == ".py" and compiled.is_file():
                    package.write(compiled, place.with_suffix(".pyc"))
        if self.connected:
            self.session.addArtifacts(str(archive), pyfile=True)
        else:
            self.session.sparkContext.addPyFile(str(archive))
        self.session._petworks = digest

    def partitions(self, rows: int) -> int:
        """In how many parts so many cells are counted."""
        return max(int(self.session.conf.get("spark.default.parallelism", "2")), -(-rows // ROWS_PER_PARTITION))


class Owner:
    """Keeps persisted frames until it is dropped or forgotten."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self.kept: dict[int, Any] = {}
        finalize(self, _forgotten, self.kept).atexit = False
        jobs.owners.add(self)

    def drop(self) -> None:
        """Give back the room of the frames, which are not needed any more."""
        _forgotten(self.kept)


def _forgotten(kept: dict[int, Any]) -> None:
    """Give the room of persisted frames back, as far as their session is still there."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    while kept:
        with suppress(PySparkException, Py4JError, OSError):
            kept.popitem()[1].unpersist()


def mapped(frame: Any, task: Callable[[Iterator[Any]], Iterator[Any]], schema: str) -> Any:
    """What a task makes of the Arrow batches of each partition. Spark warns of new versions of pandas, unused here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        return frame.mapInArrow(task, schema)
