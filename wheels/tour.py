"""Tries what is installed in the environment of this Python: `python tour.py ROOT`, in an empty folder.

ROOT is a checkout of the project, from which only an example and its tables are taken.
"""

import importlib.metadata
import importlib.util
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

EXTRAS = ("duckdb", "pandas", "pyspark", "starlette", "uvicorn", "python_calamine", "pyreadstat", "xlsxwriter")
PETWORKS = Path(sys.executable).with_name("petworks.exe" if sys.platform == "win32" else "petworks")
TEST = """\
import sys

def test_nothing_is_imported_before_it_is_needed():
    assert "numpy" not in sys.modules

def test_release(assert_release):
    assert assert_release("stays_released.csv", "stays_released_policy.yaml")["verdict"] == "pass"
"""


def run(*command, code=0):
    done = subprocess.run(
        [*map(str, command)], capture_output=True, encoding="utf-8", check=False, env={"PATH": "", "PYTHONUTF8": "1"}
    )
    assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr, (command, done.stderr)
    return done.stdout + done.stderr


def main(root):
    assert not list(Path.cwd().iterdir()), "needs an empty folder"
    import PETWorks

    assert "numpy" not in sys.modules
    assert root not in Path(PETWorks.__file__).parents, "the checkout is used instead of what is installed"
    assert not [extra for extra in EXTRAS if importlib.util.find_spec(extra)], "an extra is installed, too"
    version = importlib.metadata.version("petworks")
    assert run(PETWORKS, "--version").split() == ["petworks", version]
    assert version in run(sys.executable, "-m", "PETWorks", "--version")

    chance = random.Random(1)
    districts, illnesses = ["北區", "south"], ["flu", "gout", "cold"]
    rows = [
        f"P{place:05},{chance.randint(20, 79)},{chance.choice(districts)},{chance.choice(illnesses)}"
        for place in range(500)
    ]
    Path("stays.csv").write_text("\n".join(["record_number,age,district,diagnosis", *rows]) + "\n", "utf-8")
    run(PETWORKS, "init", "stays.csv")
    assert "fail" in run(PETWORKS, "check", "stays_policy.yaml", code=1)
    run(PETWORKS, "anonymize", "stays_policy.yaml", "-o", "stays_released.csv", "--html", "report.html")
    run(PETWORKS, "check", "stays_released_policy.yaml", "--json", "check.json", "--markdown", "check.md")
    assert json.loads(Path("check.json").read_text("utf-8"))["verdict"] == "pass"
    assert "正體中文" in Path("report.html").read_text("utf-8")
    assert "用法：" in run(PETWORKS, "--help", "--lang", "zh-TW"), "the translations are compiled"
    asked = ("evaluate", "stays.csv", "--qi", "age,district", "--sensitive", "diagnosis", "--measure", "k-anonymity")
    assert "k-anonymity" in run(PETWORKS, *asked)
    assert "petworks[duckdb]" in run(PETWORKS, *asked, "--engine", "duckdb", code=2)
    run(PETWORKS, "attack", "stays.csv", "--qi", "age,district", "--sensitive", "diagnosis", "--subsets", "1-2")

    shutil.copytree(root / "data/patient_hierarchy", "data/patient_hierarchy")
    shutil.copy(root / "data/patient_anonymized.csv", "data")
    shutil.copy(root / "examples/t_closeness.py", ".")
    assert '"fulfill t-closeness": true' in run(sys.executable, "t_closeness.py")

    tried = ""
    if importlib.util.find_spec("pytest"):
        Path("test_release.py").write_text(TEST)
        run(sys.executable, "-m", "pytest", "-q", "-W", "error", "test_release.py")
        tried = ", pytest plug-in"
    libraries = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "pyarrow", "numba"))
    print(f"petworks {version} on Python {sys.version.split()[0]} ({libraries}): command, example{tried}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
