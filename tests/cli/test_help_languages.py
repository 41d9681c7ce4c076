"""Help, and click's own words, in each language: nothing lacks a translation, and the lines fit a terminal."""

import os
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from command import forked
from PETWorks.cli.help import cells, lines_of
from PETWorks.cli.main import COMMANDS
from PETWorks.locale import LANGUAGES
from texts import commands, help_texts


def petworks(*arguments):
    """In a process of its own: click keeps the option --help in the language in which it was shown first."""
    return forked(["petworks", *arguments], Path.cwd(), os.environ)


OTHERS = [language for code, language in LANGUAGES.items() if code != "en"]


def test_every_command_is_here():
    assert {path[0] for path, _ in commands() if path} == set(COMMANDS)
    assert ("register", "add") in [path for path, _ in commands()]


@pytest.mark.parametrize("language", OTHERS, ids=lambda one: one.code)
def test_translations_name_the_same_options_and_values(language):
    code = r"--[a-z]+[a-z-]*|`[^`]*`"
    for _, english in help_texts():
        found = [sorted(re.findall(code, text)) for text in (english, language.text(english))]
        assert found[0] == found[1], english


@pytest.mark.parametrize("path", [path for path, _ in commands()], ids=" ".join)
def test_help_in_chinese(path):
    run = petworks(*path, "--help", "--lang", "zh-TW")
    assert run.returncode == 0, run.stderr
    examples = re.compile(r"petworks |    ?--|\\$|--as-of")
    for line in run.stdout.splitlines():
        assert cell_len(line) <= 80 or examples.search(line), line
        assert not re.match(r"[，。；：、）」]", line.lstrip()), "punctuation never begins a line"
    prose = [line for line in run.stdout.splitlines() if not examples.search(line)]
    english = re.compile(r"\b(the|of|and|with|this|is|are)\b", re.IGNORECASE)
    assert [line for line in prose if english.search(line)] == []
    assert run.stdout.startswith("用法：petworks")
    assert petworks(*path, "--help").stdout.startswith("Usage: petworks")


def test_descriptions_begin_in_one_column():
    options = petworks("check", "--help", "--lang", "zh-TW").stdout.partition("選項：\n")[2].splitlines()
    starts = {re.match(r"  (?:-.{0,30}?  +| +)", line).end() for line in options if not line.endswith("]")}
    assert starts == {34}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("chekc", "沒有指令「chekc」。您要的是「check」嗎？"),
        ("frobnicate", "沒有指令「frobnicate」。"),
        ("check", "缺少引數「政策檔」。"),
        ("init t.csv --sheet x", "沒有選項「--sheet」。"),
        ("check --evidnce x", "沒有選項「--evidnce」。您要的是「--evidence」嗎？"),
        ("check p.yaml --json", "選項「--json」需要一個值。"),
        ("check p.yaml --network=x", "選項「--network」不接受值。"),
        ("check a b", '多了無法解讀的引數（b）。含空白的名稱請加上引號："my table.csv"。'),
        (
            "check p.yaml --edition x",
            "「--edition」的值無效：「x」不在可選值「internal」、「external」、「both」之中。",
        ),
        ("studio --idle x", "「--idle」的值無效：「x」不是有效的數字（integer）。"),
        ("compose a b", "缺少選項「--key」。"),
    ],
)
def test_usage_errors_in_chinese(arguments, error):
    run = petworks("--lang", "zh-TW", *arguments.split())
    *before, last = run.stderr.splitlines()
    assert run.returncode == 2
    assert last == f"錯誤：{error}"
    if before:  # click says nothing else if an option lacks its value
        assert before[0].startswith("用法：petworks")
        assert re.fullmatch("執行「petworks.* --help」可查看說明。", before[1])
    assert re.match("Usage: petworks|Error: ", petworks(*arguments.split()).stderr), "English again"


def test_lines_break_as_chinese_does():
    text = "等價類中的資料列，無法以準識別符 age、zip 區分（見「說明」）。"
    for width in range(8, 60):
        lines = lines_of(text, width)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert all(cells(line) <= width for line in lines)
        assert not [line for line in lines[1:] if line[0] in "，。、）」"]
        assert not [line for line in lines if line[-1] in "（「"]
        assert not [line for line in lines if line[-1] in "（"]
    for language in OTHERS:
        for _, english in help_texts():
            assert cells(language.text(english)) == cell_len(language.text(english))
