"""The demonstration: the commands really run, it tells the same story in each language, and writes nowhere else."""

import re

import pytest

from command import petworks
from PETWorks.cli.main import COMMANDS
from PETWorks.render.language.language import message_text

STEPS = ("table", "roles", "raw", "anonymize", "released", "report", "own")
SAYS = {
    "en": ("fail hospital.csv", "pass hospital_released.csv"),
    "zh-TW": ("未通過 hospital.csv", "通過 hospital_released.csv"),
}


@pytest.mark.parametrize("lang", SAYS)
def test_the_story(lang, tmp_path):
    run = petworks("demo", "here", "--lang", lang, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    places = [run.stdout.index(message_text(lang, f"demo.{step}")) for step in STEPS]
    assert places == sorted(places)
    assert all(message_text(lang, f"demo.{step}").count("\n") == 1 for step in STEPS), "each step is told in two lines"
    commands = re.findall(r"^\$ petworks (\w+)", run.stdout, re.MULTILINE)
    assert commands == ["init", "check", "anonymize", "check"]
    assert set(commands) < set(COMMANDS)
    fails, passes = (run.stdout.index(f"\n  {verdict}\n") for verdict in SAYS[lang])
    assert fails < passes
    assert len(run.stdout.splitlines()) < 110
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
    assert (tmp_path / "here/report.html").stat().st_size > 10_000
    raw, released = (
        (tmp_path / "here" / name).read_text("utf-8") for name in ("hospital.csv", "hospital_released.csv")
    )
    assert re.search(r"[\u4e00-\u9fff]", raw) is not None if lang == "zh-TW" else raw.isascii()
    assert not re.search(r"name|姓名", released.splitlines()[0])


def test_a_folder_that_is_not_empty_stays_as_it_is(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    run = petworks("demo", tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"petworks: '{tmp_path}' is not an empty folder; name another one\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
