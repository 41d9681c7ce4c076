"""The wheel and the source archive: what is in them, and the wheel alone in a new environment.

`make wheels` installs both from the package index on each Python; here, what the wheel needs is linked from this one.
"""

import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from conftest import ROOT
from PETWorks.locale import LANGUAGES, compile_catalogue
from texts import path_of

sys.path.append(str(ROOT))  # for the folder wheels
from wheels.run import build, check_contents, tour

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Both files."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs a checkout with git, which knows the files")
    return build(tmp_path_factory.mktemp("built") / "dist", "--no-isolation")


def test_the_same_source_is_the_same_files(built, tmp_path):
    again = build(tmp_path / "dist", "--no-isolation")
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in built]
    with zipfile.ZipFile(built[0]) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("zh_TW/LC_MESSAGES/petworks.mo"))
        assert wheel.read(name) == compile_catalogue(path_of(LANGUAGES["zh-TW"])), "it has the time of its build"


def needed(package, extras=("",)):
    """What a distribution needs, and all that this needs, by name."""
    found = {}
    for text in package.requires or ():
        one = Requirement(text)
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras):
            name = re.sub("[-_.]+", "-", one.name).lower()
            found[name] = distribution(name)
            found |= needed(found[name], tuple(one.extras) or ("",))
    return found


def test_the_wheel_works_alone(built, tmp_path):
    """Neither the checkout nor an extra is there; what is there has links to the files of this environment."""
    wheel, archive = built
    check_contents(wheel, archive)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "environment"], check=True)
    python = tmp_path / "environment/bin/python"
    options = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check")
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", *options, wheel], check=True)
    packages = sysconfig.get_path("purelib", vars={"base": str(python.parent.parent)})
    (own,) = distributions(name="petworks", path=[packages])  # this environment may have an earlier one
    pytest_itself = distribution("pytest")
    for one in (pytest_itself, *(needed(own) | needed(pytest_itself)).values()):
        link(one, Path(packages))
    (tmp_path / "work").mkdir()
    assert tour(python, tmp_path / "work").endswith("command, example, pytest plug-in")


def link(one, packages):
    for file in one.files:
        if ".." not in file.parts and "__pycache__" not in file.parts:
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(file.locate())
