"""Help, and click's own words, in each language: nothing lacks a translation, and the lines fit a terminal."""

import ast
import re
from pathlib import Path
from string import Formatter

import click
import pytest
from rich.cells import cell_len

from command import petworks
from PETWorks.cli.help import CLICK_MODULES, cells, lines_of, localise_command, translate_command
from PETWorks.cli.main import COMMANDS, main
from PETWorks.gate.anonymising import HOW_MADE, NOT_TO_BE_RELEASED, WRITTEN
from PETWorks.gate.suggest import starter
from PETWorks.render.languages import LANGUAGES

OTHERS = [language for code, language in LANGUAGES.items() if code != "en"]
# Words of click that are for programmers, or for what no command here has: prompts, files to open, dates.
UNUSED = re.compile(
    "deprecated|Deprecation|[Nn]ame|No options defined|Arguments take|iterable|Boolean option|Takes|continue|Confirm|"
    "version %|unknown error|Could not open|Invalid start|file|directory|path|Choice|match the format|boolean|UUID|"
    "len_type|extra"
)


def commands(command=None, path=()):
    """Every command with the words by which it is called."""
    command = localise_command(main, "en") if command is None else command
    yield path, command
    if isinstance(command, click.Group):
        for name in command.list_commands(None):
            yield from commands(command.get_command(None, name), (*path, name))


def helps():
    """Every text of the help that is to be translated."""
    texts = {}

    def seen(text):
        texts[text] = None
        return text

    for _, command in commands():
        translate_command(command, seen)
    return set(texts)


def words_of_click():
    """What click asks gettext for."""
    for module in CLICK_MODULES:
        for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("_", "ngettext"):
                yield from (one.value for one in node.args if isinstance(one, ast.Constant))


def comments():
    """The comments of a new policy."""
    for node in ast.walk(ast.parse(Path(starter.__file__).read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
            (text,) = node.args
            if isinstance(text, ast.Attribute):  # a phrase
                continue
            yield text.value if isinstance(text, ast.Constant) else getattr(starter, text.id)
    yield from (WRITTEN, NOT_TO_BE_RELEASED, HOW_MADE)  # of the policy of a release


def test_every_command_is_here():
    assert {path[0] for path, _ in commands() if path} == set(COMMANDS)
    assert ("register", "add") in [path for path, _ in commands()]


@pytest.mark.parametrize("language", OTHERS, ids=lambda one: one.code)
def test_what_lacks_a_translation_or_has_one_for_nothing(language):
    asked = {text for text in words_of_click() if text in language.help or not UNUSED.search(text)}
    wanted = helps() | asked | set(comments())
    older = {"No such option: {name}", "(Possible options: {possibilities})"}  # of click 8.1
    assert sorted(wanted - set(language.help)) == [], "texts without a translation"
    assert sorted(set(language.help) - wanted - older - {"required"}) == [], "translations of nothing"


@pytest.mark.parametrize("language", OTHERS, ids=lambda one: one.code)
def test_translations_name_the_same_options_and_values(language):
    code = r"--[a-z]+[a-z-]*|`[^`]*`|[A-Z]{2,}[A-Z.a-z]*\.[a-z]+|\d+"
    for english, text in language.help.items():
        places = [{name for _, name, _, _ in Formatter().parse(one) if name} for one in (english, text)]
        assert places[0] == places[1], english
        if "{" not in english and english in helps():
            numbers = [sorted(re.findall(code, one)) for one in (english, text)]
            assert [one for one in numbers[0] if one.startswith(("--", "`"))] == [
                one for one in numbers[1] if one.startswith(("--", "`"))
            ], english


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
    assert all(
        cells(one) == cell_len(one) for language in OTHERS for one in language.help.values() if one.isprintable()
    )
