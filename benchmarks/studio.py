"""Time what-if on the page: 100 changes of a slider in a row, compared with the physical limit, in one run.

    .venv/bin/python benchmarks/studio.py
    .venv/bin/python benchmarks/studio.py --rows 1e6

Each change moves one slider to levels that were not visited before. The time is measured from the request to the
complete answer: once through the application alone, once through a local server. It is given as elapsed time, which
includes waiting for other work on the machine, and as processor time of the answering process.
The physical limit is the time to sort the distinct rows once. The census table comes from the generator that
benchmarks/run.py takes.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from anonymising import CENSUS_HIERARCHIES
from run import GENERATOR, show

CHANGES = 100
TARGET = 0.3
RULES = {
    "sizes": [{"measure": "k-anonymity", "k": 11}],
    "contents": [{"measure": "k-anonymity", "k": 11}, {"measure": "l-diversity", "l": 3}],
}


def policy(rules):
    """A policy about the census table."""
    return {
        "petworks_policy": 1,
        "data": "census.parquet",
        "roles": {"quasi_identifiers": list(CENSUS_HIERARCHIES), "sensitive_attributes": ["income_band"]},
        "hierarchies": CENSUS_HIERARCHIES,
        "rules": rules,
    }


def walk(heights, suppress):
    """The addresses of a hundred changes of one slider each; no two of them ask for the same levels."""
    rng, visited = np.random.default_rng(7), set()
    levels = [0] * len(heights)
    while len(visited) < CHANGES:
        column = int(rng.integers(len(heights)))
        changed = [*levels]
        changed[column] = int(rng.integers(heights[column] + 1))
        if tuple(changed) not in visited and any(changed):
            levels = changed
            visited.add(tuple(levels))
            query = "&".join(f"level-{place}={level}" for place, level in enumerate(levels))
            yield f"/levels?policy=policy.yaml&{query}{'&suppress=1' if suppress else ''}"


def resident(process="self"):
    """The memory of a process, in bytes."""
    text = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) * 1024


def processor_time(process="self"):
    """The processor time that a process has used, in seconds."""
    if process == "self":
        return time.process_time()
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class InProcess:
    """The application itself, called as a server would call it."""

    def __init__(self, folder):
        from PETWorks.studio.server.app import make_app

        self._app, self._loop = make_app(folder), asyncio.new_event_loop()
        self.process = "self"

    def get(self, address):
        """The body of a page's part."""
        path, _, query = address.partition("?")
        scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http"}
        scope |= {"path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": ""}
        scope |= {"headers": [(b"host", b"127.0.0.1"), (b"x-part", b"1")], "client": None, "server": ("127.0.0.1", 80)}
        answer = []

        async def receive():
            return {"type": "http.request", "body": b""}

        async def send(message):
            answer.append(message)

        self._loop.run_until_complete(self._app(scope, receive, send))
        assert answer[0]["status"] == 200, answer
        return b"".join(message.get("body", b"") for message in answer)

    def close(self):
        """Do nothing: there is no process to end."""


class Served:
    """A separate server, as users start it."""

    def __init__(self, folder):
        self._server = subprocess.Popen(
            [sys.executable, "-m", "PETWorks", "studio", str(folder), "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        address = next(found[0] for line in self._server.stdout if (found := re.search(r"http://\S+", line)))
        self.process = self._server.pid
        self._own = address.partition("/enter")[0]
        with urllib.request.urlopen(address) as answer:
            self._cookie = answer.headers["set-cookie"].partition(";")[0]

    def get(self, address):
        """The body of a page's part."""
        headers = {"Cookie": self._cookie, "X-Part": "1"}
        with urllib.request.urlopen(urllib.request.Request(self._own + address, headers=headers)) as answer:
            return answer.read()

    def close(self):
        """End the server."""
        self._server.terminate()
        self._server.wait()


def measure(page, name, suppress):
    """The first count, and a hundred changes after it."""
    began = time.perf_counter()
    body = page.get("/levels/body?policy=policy.yaml").decode()
    first = time.perf_counter() - began
    heights = [int(height) for height in re.findall(r'type="range".*?max="(\d+)"', body)]
    times, used, memory = [], [], []
    for address in walk(heights, suppress):
        began, before = time.perf_counter(), processor_time(page.process)
        assert b"equivalence classes" in page.get(address)
        times.append(time.perf_counter() - began)
        used.append(processor_time(page.process) - before)
        memory.append(resident(page.process))
    show(f"{name}: the first count, the file read", first, unit="s")
    show(f"{name}: median of {CHANGES} changes", float(np.median(times)), unit="s")
    show(f"{name}: worst of {CHANGES} changes", max(times), f"<= {TARGET}", "s")
    show(f"{name}: median of {CHANGES} changes, processor time", float(np.median(used)), unit="s")
    show(f"{name}: worst of {CHANGES} changes, processor time", max(used), f"<= {TARGET}", "s")
    show(f"{name}: memory after 10 changes", memory[9] / 1e6, unit="MB")
    show(f"{name}: memory after {CHANGES} changes", memory[-1] / 1e6, unit=f"MB   largest {max(memory) / 1e6:.0f} MB")
    return used


def distinct_rows(path, columns):
    """How many different rows a table has in some columns."""
    from PETWorks import Release

    release = Release(path, dict.fromkeys(columns, "quasi_identifier"), {}, engine="memory")
    return release.class_sizes().number


def physical_limit(rows):
    """The processor time to sort so many keys once."""
    keys = np.random.default_rng(1).integers(0, 1 << 63, rows, np.uint64)
    times = []
    for _ in range(9):
        copy = keys.copy()
        began = time.process_time()
        copy.sort()
        times.append(time.process_time() - began)
    return float(np.median(times))


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=3_000_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, GENERATOR, str(arguments.rows), str(folder / "census.parquet")], check=True)
        for kind, rules in RULES.items():
            (folder / "policy.yaml").write_text(json.dumps(policy(rules)), "utf-8")
            columns = [*CENSUS_HIERARCHIES, *(["income_band"] if kind == "contents" else [])]
            rows = distinct_rows(folder / "census.parquet", columns)
            print(f"census table, {arguments.rows:,} rows, rules about the {kind} of classes: {rows:,} distinct rows")
            limit = physical_limit(rows)
            show("sorting the distinct rows once, processor time, median", limit, unit="s")
            for way, start in (("application", InProcess), ("server", Served)):
                page = start(folder)
                try:
                    used = measure(page, way, suppress=kind == "contents")
                finally:
                    page.close()
                show(f"{way}: worst change / sorting once, processor time", max(used) / limit)


if __name__ == "__main__":
    main()
