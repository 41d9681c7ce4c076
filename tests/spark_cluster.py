"""A Spark cluster for tests: a master and two workers on loopback, from the PySpark package, stopped when they end."""

import contextlib
import ctypes
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest

from processes import PATIENCE

needs_spark = [
    pytest.mark.spark,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java 17, which is not on this machine"),
    pytest.mark.skipif(importlib.util.find_spec("pyspark") is None, reason="PySpark is not installed"),
]
# For processes that live for seconds: no second compiler, one collector, and the classes of Spark are not verified.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
# The options that Spark's own scripts add on Java 17.
OPENED = ("java.lang", "java.nio", "java.util", "java.util.concurrent")
JAVA = ["-XX:+IgnoreUnrecognizedVMOptions", "-Xmx256m", "-Dspark.worker.timeout=10"]
JAVA += [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in (*OPENED, "sun.nio.ch", "sun.security.action")]


def processes_of(leader):
    """The live processes of a session: Spark's Python workers leave the process group of their worker."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rsplit(")", 1)[1].split()
            if fields[0] not in "ZX" and int(fields[3]) == leader:
                found.append(int(stat.parent.name))
    return found


def _end_with_the_tests():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Cluster:
    """A Spark cluster, started by `cluster()`; each of its processes leads a session of its own."""

    def __init__(self):
        self.home = importlib.util.find_spec("pyspark").submodule_search_locations[0]
        self.folder = Path(tempfile.mkdtemp(prefix="petworks-spark-"))
        self.leaders = []

    def start(self, workers):
        master = self._java("master", "master.Master")
        self.url = self._logged(master, "Starting Spark master at ")
        self._page = f"http://127.0.0.1:{self._logged(master, 'MasterWebUI', 'started at ').rsplit(':', 1)[1]}/json/"
        self.workers = [
            self._java(f"worker{number}", "worker.Worker", "--cores", "1", "--memory", "1g",
                       "--work-dir", str(self.folder / f"worker{number}"), self.url)
            for number in range(workers)
        ]  # fmt: skip
        self.wait_for(lambda state: state["aliveworkers"] == workers)
        return self

    def environment(self):
        """The environment of a driver or of a process of the cluster."""
        (core,) = Path(self.home, "jars").glob("spark-core_*.jar")
        return {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))} | {
            "SPARK_HOME": self.home,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_SCALA_VERSION": core.name.split("_")[1].split("-")[0],
            "PYSPARK_PYTHON": sys.executable,
            "JDK_JAVA_OPTIONS": QUICK,
        }

    def _java(self, name, main, *arguments):
        program = [*JAVA, f"org.apache.spark.deploy.{main}", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        return self._run(name, ["java", "-cp", f"{self.home}/jars/*", *program, *arguments])

    def _run(self, name, command):
        with (self.folder / f"{name}.log").open("wb") as log:
            leader = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment(), cwd=self.folder,
                start_new_session=True, preexec_fn=_end_with_the_tests,
            )  # fmt: skip
        leader.name = name
        self.leaders.append(leader)
        return leader

    def _logged(self, leader, *marks):
        """The text after the last mark in the first line of the log that has all marks."""
        log, until = self.folder / f"{leader.name}.log", time.monotonic() + PATIENCE
        while time.monotonic() < until and leader.poll() is None:
            for line in log.read_text(errors="replace").splitlines():
                if all(mark in line for mark in marks):
                    return line.rpartition(marks[-1])[2].split()[0].rstrip("/")
            time.sleep(0.05)
        raise AssertionError(log.read_text(errors="replace")[-3000:])

    def state(self):
        """The master's report on workers and applications."""
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self._page, timeout=PATIENCE) as page:
            return json.load(page)

    def wait_for(self, condition):
        until = time.monotonic() + PATIENCE
        while not condition(state := self.state()):
            assert time.monotonic() < until, state
            time.sleep(0.05)

    def kill_worker(self, number):
        """Kill the worker, its executor and their Python processes at once."""
        for process in processes_of(self.workers[number].pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def python_processes(self):
        """The Python processes of all executors."""
        found = []
        for process in (process for worker in self.workers for process in processes_of(worker.pid)):
            with contextlib.suppress(OSError):
                if b"pyspark" in Path(f"/proc/{process}/cmdline").read_bytes().partition(b"-m")[2][:20]:
                    found.append(process)
        return found

    def connect_server(self):
        """Start a Spark Connect server for this cluster; return its address."""
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": "0",
            "spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false", "spark.executor.memory": "512m",
            "spark.log.level": "INFO", "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
        }  # fmt: skip
        command = [f"{self.home}/bin/spark-submit", "--master", self.url]
        command += [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
        command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
        address = self._logged(self._run("connect", command), "Spark Connect server started at: ")
        return f"sc://127.0.0.1:{address.rsplit(':', 1)[1]}"

    def stop(self):
        for leader in reversed(self.leaders):
            for process in processes_of(leader.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        for leader in self.leaders:
            leader.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def cluster(workers=2):
    started = Cluster()
    try:
        yield started.start(workers)
    finally:
        started.stop()
