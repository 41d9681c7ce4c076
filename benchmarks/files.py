"""Time opening files of other programs, compared with the underlying readers and with other tools, in one run.

.venv/bin/python benchmarks/files.py                 100,000 rows of 10 columns
.venv/bin/python benchmarks/files.py --rows 20000
"""

import argparse
import datetime
import gzip
import json
import random
import tempfile
import time
from pathlib import Path

import openpyxl
import pandas as pd
import pyreadstat
from openpyxl.cell import WriteOnlyCell
from python_calamine import CalamineWorkbook

from PETWorks.tables.opening import open_table
from PETWorks.tables.writing import whole_table

ROUNDS = 3
DAY = datetime.date(2020, 1, 1)


def table(rows):
    draw = random.Random(1)
    columns = {f"number{place}": [draw.randrange(100) for _ in range(rows)] for place in range(5)}
    columns |= {f"text{place}": [f"v{draw.randrange(1000)}" for _ in range(rows)] for place in range(3)}
    columns["real"] = [draw.random() for _ in range(rows)]
    columns["date"] = [DAY + datetime.timedelta(days=draw.randrange(1000)) for _ in range(rows)]
    return columns


def write_xlsx(path, columns):
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("People")
    sheet.append([WriteOnlyCell(sheet, name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        sheet.append(row)
    book.save(path)


def fastest(task):
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def show(what, value, unit="x"):
    print(f"  {what:<50} {value:>8.2f} {unit}", flush=True)


def compare(name, path, tools):
    """Print our time, and those of other tools as multiples of it."""
    ours = fastest(lambda: whole_table(open_table(path)))
    print(name)
    show("PETWorks, all cells as texts", ours, "s")
    for tool, task in tools.items():
        show(f"{tool} / PETWorks", fastest(task) / ours)


def with_openpyxl(path):
    book = openpyxl.load_workbook(path, read_only=True)
    return list(book.active.iter_rows(values_only=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    columns = table(parser.parse_args().rows)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame = pd.DataFrame(columns)
        frame["date"] = frame["date"].astype(object)
        write_xlsx(folder / "t.xlsx", columns)
        pyreadstat.write_sav(frame, folder / "t.sav")
        frame.to_csv(folder / "t.csv", index=False)
        (folder / "t.csv.gz").write_bytes(gzip.compress((folder / "t.csv").read_bytes()))
        rows = zip(*columns.values(), strict=True)
        lines = (json.dumps(dict(zip(columns, row, strict=True)), default=str) for row in rows)
        (folder / "t.jsonl").write_text("\n".join(lines))
        compare(
            "Excel",
            folder / "t.xlsx",
            {
                "calamine alone": lambda: (
                    CalamineWorkbook.from_path(folder / "t.xlsx").get_sheet_by_index(0).to_python()
                ),
                "openpyxl": lambda: with_openpyxl(folder / "t.xlsx"),
                "pandas (calamine)": lambda: pd.read_excel(folder / "t.xlsx", engine="calamine"),
            },
        )
        compare(
            "SPSS",
            folder / "t.sav",
            {
                "pyreadstat alone": lambda: pyreadstat.read_sav(folder / "t.sav", output_format="dict"),
                "pandas (pyreadstat)": lambda: pd.read_spss(folder / "t.sav"),
            },
        )
        compare("JSON lines", folder / "t.jsonl", {"pandas": lambda: pd.read_json(folder / "t.jsonl", lines=True)})
        compare(
            "CSV in gzip",
            folder / "t.csv.gz",
            {
                "the same, unpacked": lambda: whole_table(open_table(folder / "t.csv")),
                "pandas": lambda: pd.read_csv(folder / "t.csv.gz", dtype=str),
            },
        )


if __name__ == "__main__":
    main()
