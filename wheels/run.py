"""Builds the wheel and the source archive, checks them, and tries each of them alone on several Pythons.

`make wheels`, or `python wheels/run.py python3.12 python3.13`. Files are written to build/wheels; each environment is
new, outside the checkout, and has nothing but what the file asks for, and pytest.
"""

import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "build/wheels"
PYTHONS = ("python3.11", "python3.12", "python3.13")


def build(folder, *options):
    """Wheel and source archive in an empty folder; the wheel is built from the archive."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "build", "--outdir", folder, *options, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, archive


def check_contents(wheel, archive):
    """The wheel has every file of the package and no other; the archive has what is under version control."""
    with zipfile.ZipFile(wheel) as file:
        names = {name for name in file.namelist() if ".dist-info/" not in name}
        about = {Path(name).name: file.read(name) for name in file.namelist() if ".dist-info/" in name}
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]  # new files will be tracked soon
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    known = {name for name in listed if (ROOT / name).exists()}
    package = {name.removeprefix("src/") for name in known if name.startswith("src/")}
    package = {f"{name[:-3]}.mo" if name.endswith(".po") else name for name in package}  # translations are compiled
    assert names == package, f"wheel and package differ: {sorted(names ^ package)}"
    assert {"LICENSE", "METADATA", "entry_points.txt"} <= set(about)
    assert b"petworks = PETWorks.pytest_plugin" in about["entry_points.txt"]
    assert b"Requires-Python: >=3.11" in about["METADATA"]
    with tarfile.open(archive) as file:
        archived = {name.partition("/")[2] for name in file.getnames() if not name.endswith("PKG-INFO")}
    assert archived <= known | {""}, f"not under version control: {sorted(archived - known)}"
    missing = [name for name in known if name.startswith(("src/", "tests/", "data/")) and name not in archived]
    assert not missing, f"the archive lacks {missing}"


def tour(python, folder):
    """What the tour of an environment prints; `folder` is empty and outside the checkout."""
    command = [python, "-I", ROOT / "wheels/tour.py", ROOT]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def installed(python, file, folder):
    """The Python of a new environment into which a file is installed from the package index."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    own = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    command = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", file, "pytest"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, cwd=folder)
    return own


def main(pythons):
    wheel, archive = build(BUILT)
    check_contents(wheel, archive)
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", wheel, archive], check=True)
    missing = [python for python in pythons if shutil.which(python) is None]
    for python in pythons:
        for file in (wheel, archive) if python not in missing else ():
            start = time.perf_counter()
            with tempfile.TemporaryDirectory() as folder:
                own = installed(python, file, Path(folder, "environment"))
                Path(folder, "work").mkdir()
                said = tour(own, Path(folder, "work"))
            print(f"{file.name}: {said}; {time.perf_counter() - start:.0f} s", flush=True)
    if missing:
        sys.exit(f"not tried, since they are not on the PATH: {', '.join(missing)}")


if __name__ == "__main__":
    main(sys.argv[1:] or PYTHONS)
