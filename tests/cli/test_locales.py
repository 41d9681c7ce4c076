"""Which language the command speaks, and that numbers, files for programs and exit codes do not depend on it."""

import locale
import sys
from types import SimpleNamespace

import pytest

from command import petworks
from conftest import ROOT
from PETWorks.cli import help as cli_help
from PETWorks.cli.help import command_language, language_of_locale

POLICY = ROOT / "data/adult_policy.yaml"


@pytest.mark.parametrize(
    ("environment", "lang"),
    [
        ({}, "en"),
        ({"LANG": "zh_TW.UTF-8"}, "zh-TW"),
        ({"LANG": "zh_TW.Big5"}, "zh-TW"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, "zh-TW"),
        ({"LANG": "zh_TW.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "zh_TW.UTF-8", "LC_ALL": ""}, "zh-TW"),
        ({"LANG": "zh_TW.UTF-8", "LC_MESSAGES": "de_DE"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "PETWORKS_LANG": "zh"}, "zh-TW"),
        ({"LANG": "zh_TW.UTF-8", "PETWORKS_LANG": "English"}, "en"),
        ({"LANG": "zh_TW.UTF-8", "PETWORKS_LANG": ""}, "zh-TW"),
    ],
)
def test_the_environment(environment, lang):
    assert command_language(["check", "policy.yaml"], environment) == lang


@pytest.mark.parametrize(
    ("arguments", "lang"),
    [
        ("--lang zh-TW check p.yaml", "zh-TW"),
        ("check p.yaml --lang=zh-TW", "zh-TW"),
        ("--lang zh-TW check p.yaml --lang en", "en"),
        ("check --lang", "en"),
        ("check -- --lang zh-TW", "en"),
        ("check --lang klingon", "en"),
    ],
)
def test_the_option_wherever_it_is(arguments, lang):
    assert command_language(arguments.split(), {}) == lang


def test_windows_says_it_by_a_number(monkeypatch):
    def says(number):
        kernel = SimpleNamespace(GetUserDefaultUILanguage=lambda: number)
        monkeypatch.setitem(sys.modules, "ctypes", SimpleNamespace(windll=SimpleNamespace(kernel32=kernel)))
        return command_language([], {})

    monkeypatch.setattr(cli_help.sys, "platform", "win32")
    assert [says(number) for number in (0x0404, 0x0C04, 0x1404, 0x0804, 0x0409, 0xFFFF)] == [
        *(["zh-TW"] * 3),
        *(["en"] * 3),
    ]


def test_every_known_locale_has_a_language():
    chinese = {name for name in locale.locale_alias.values() if language_of_locale(name) != "en"}
    assert {name.partition(".")[0] for name in chinese} == {"zh_HK", "zh_TW"}


@pytest.mark.parametrize("place", ["before", "after", "variable"])
def test_one_meaning_in_all_places(place, monkeypatch):
    if place == "variable":
        monkeypatch.setenv("PETWORKS_LANG", "zh-TW")
    lang = [] if place == "variable" else ["--lang", "zh-TW"]
    arguments = [*lang, "check", POLICY] if place == "before" else ["check", POLICY, *lang]
    run = petworks(*arguments)
    assert run.returncode == 0
    assert run.stdout.startswith("通過")


def test_a_language_that_does_not_exist(monkeypatch):
    for arguments in (["--lang", "xx", "measures"], ["measures", "--lang", "xx"]):
        run = petworks(*arguments)
        assert (run.returncode, run.stdout) == (2, "")
        assert "'en', 'zh-TW'; got 'xx'" in run.stderr
    monkeypatch.setenv("PETWORKS_LANG", "xx")
    run = petworks("measures")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "petworks: PETWORKS_LANG: lang is one of 'en', 'zh-TW'; got 'xx'\n"


def test_files_for_programs_are_the_same(tmp_path):
    written = {}
    for lang in ("en", "zh-TW"):
        folder = tmp_path / lang
        folder.mkdir()
        files = [f"--{name}={folder / name}" for name in ("json", "junit")]
        reasons = f"--reasons={folder / 'reasons.csv'}"
        run = petworks("--lang", lang, "check", POLICY, *files, reasons, "--as-of", "2026-11-16", "--salt", "00" * 16)
        assert run.returncode == 0, run.stderr
        written[lang] = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert written["en"] == written["zh-TW"]
    assert sorted(written["en"]) == ["json", "junit", "reasons.csv"]
