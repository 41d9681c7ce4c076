"""How often the files of a table are read: once by each command, and once by all pages together.

Every file is also opened to look at its first bytes, which tell its kind; that is not a read of the whole file. These
counts hold for CSV, JSON lines, Parquet and Feather, packed or not, up to `MAX_BYTES`; a larger file is streamed, and
read again by every step that needs it. Workbooks and files of statistics programs are read by libraries that take a
path, so that they are read once more for their digest. Releases are never in such a format.
"""

import builtins
import gzip
import hashlib
import io
import json
import random
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyarrow import csv, feather, parquet

from PETWorks.cli.anonymize import anonymize_command
from PETWorks.cli.apply import apply_command
from PETWorks.cli.check import check_command
from PETWorks.tables.files import HeldFile
from studio_client import entered

ROWS = 3000
POLICY = """\
petworks_policy: 1
data: people.csv
no_rule: {illness: a test}
role_reasons: {town: a test, remark: a test}
roles:
  quasi_identifiers: [age, job]
  sensitive_attributes: [illness]
  insensitive_attributes: [town, remark]
hierarchies:
  age: {width: [5, 10, 20]}
  job: {groups: {any: [x, y, z]}}
rules:
  - {measure: k-anonymity, k: 3}
anonymize: {suppression: 0.2}
"""


@pytest.fixture
def folder(tmp_path):
    draw = random.Random(3)
    lines = ["age,town,job,illness,remark"]
    lines += [
        f"{20 + at % 17},{'abcd'[at % 4]},{'xyz'[at % 3]},{'pq'[at % 2]},{''.join(draw.choices('abcdefgh ', k=40))}"
        for at in range(ROWS)
    ]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


@pytest.fixture
def bytes_read(monkeypatch):
    """The number of bytes that were read of each file, by its name."""
    read = Counter()

    class CountingFile(io.FileIO):
        def readinto(self, buffer):
            number = super().readinto(buffer)
            read[Path(self.name).name] += number or 0
            return number

        def readall(self):
            content = super().readall()
            read[Path(self.name).name] += len(content)
            return content

    usual, for_arrow = io.open, HeldFile.for_arrow

    def opening(file, mode="r", *arguments, **options):
        if mode == "rb" and not isinstance(file, int):
            return io.BufferedReader(CountingFile(file))
        return usual(file, mode, *arguments, **options)

    def given(self):
        """PyArrow opens paths itself, which is not counted here."""
        assert self.content is not None
        return for_arrow(self)

    monkeypatch.setattr(io, "open", opening)
    monkeypatch.setattr(builtins, "open", opening)
    monkeypatch.setattr(HeldFile, "for_arrow", given)
    return read


def write_table(table, path):
    writers = {".parquet": parquet.write_table, ".feather": feather.write_feather}
    if path.suffix in writers:
        writers[path.suffix](table, path)
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress((path.parent / "people.csv").read_bytes()))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


def run(folder, monkeypatch, command, *arguments):
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(command, list(arguments))
    assert done.exit_code in (0, 1), done.output
    return done


def times(bytes_read, file):
    """How often all bytes of a file were read."""
    return bytes_read[file.name] // file.stat().st_size


@pytest.mark.parametrize("kind", [".csv", ".parquet", ".feather", ".csv.gz", ".jsonl"])
@pytest.mark.parametrize("options", [(), ("--reasons", "why.csv"), ("--evidence", "evidence"), ("--html", "r.html")])
def test_a_check_reads_the_table_once(folder, bytes_read, monkeypatch, kind, options):
    table = folder / f"people{kind}"
    if kind != ".csv":
        write_table(csv.read_csv(folder / "people.csv"), table)
        (folder / "policy.yaml").write_text(POLICY.replace("people.csv", table.name))
    bytes_read.clear()
    run(folder, monkeypatch, check_command, "policy.yaml", *options)
    assert times(bytes_read, table) == 1


@pytest.mark.parametrize("name", ["r.csv", "r.parquet", "r.feather"])
@pytest.mark.parametrize(
    ("command", "options"),
    [
        (anonymize_command, ("--html", "r.html", "--json", "r.json")),
        (anonymize_command, ("--reasons", "why.csv", "--explain")),
        (apply_command, ("--levels", "age=2", "--suppress")),
    ],
)
def test_a_release_is_read_once_and_so_is_its_original(folder, bytes_read, monkeypatch, name, command, options):
    run(folder, monkeypatch, command, "policy.yaml", "-o", name, *options)
    assert times(bytes_read, folder / "people.csv") == 1
    assert times(bytes_read, folder / name) == 1
    digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    assert json.loads((folder / "r_plan.json").read_text())["release_sha256"] == digest
    if (folder / "r.json").exists():
        assert json.loads((folder / "r.json").read_text())["inputs"][0]["sha256"] == digest


def test_a_table_recoded_by_a_plan_is_read_once(folder, bytes_read, monkeypatch):
    run(folder, monkeypatch, anonymize_command, "policy.yaml", "-o", "r.csv")
    bytes_read.clear()
    run(folder, monkeypatch, apply_command, "people.csv", "--plan", "r_plan.json", "-o", "next.csv")
    assert times(bytes_read, folder / "people.csv") == 1
    assert times(bytes_read, folder / "next.csv") == 1


def test_all_pages_together_read_a_table_once(folder, bytes_read, monkeypatch):
    run(folder, monkeypatch, anonymize_command, "policy.yaml", "-o", "r.csv", "--json", "r_report.json")
    bytes_read.clear()
    with entered(folder) as page:
        assert page.get("/open", params={"table": "people.csv"}).status_code == 200
        form = {"table": "people.csv", "policy": "new.yaml", "release": "controlled"}
        assert page.post("/open", data=form).status_code == 200
        steps = ("/columns", "/bar", "/risk", "/risk/body", "/levels?wait=1", "/levels/body", "/levels/column?name=age")
        steps += ("/safe", "/compare", "/decide", "/decide/verdict", "/decide/versions")
        for policy in ("new.yaml", "policy.yaml", "r_policy.yaml"):
            for step in steps:
                sign = "&" if "?" in step else "?"
                answer = page.get(f"{step}{sign}policy={policy}")
                assert answer.status_code == 200, (step, policy, answer.text)
        assert page.get("/safe/result?policy=policy.yaml&release=r.csv").status_code == 200
    assert times(bytes_read, folder / "people.csv") == 1
    assert times(bytes_read, folder / "r.csv") == 1
