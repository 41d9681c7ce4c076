"""Each language has every text, up to date and with the same values; a new language is a folder, and no code."""

import json
import os
import re
import subprocess
import sys

import pytest
from babel.messages.catalog import Catalog

from conftest import ROOT
from PETWorks.errors import ParameterError
from PETWorks.locale import ENGLISH, LANGUAGES, Language, Languages, compile_catalogue
from PETWorks.render.language.messages import parse_language
from texts import extract, fields, forms, path_of, read, write

OTHERS = [language for code, language in LANGUAGES.items() if code != ENGLISH]
HAS_LETTERS = re.compile(r"[^\W\d_]")


@pytest.fixture(scope="session")
def template():
    return extract()


def messages(catalogue):
    return {(message.context, message.id): message for message in catalogue if message.id}


def strings(message):
    return message.string if isinstance(message.string, tuple) else (message.string,)


def defects(catalogue, template):
    """What is wrong with a catalogue: what it lacks, what it has for nothing, and whose values differ."""
    wanted, there = messages(template), messages(catalogue)
    for key in wanted.keys() - there.keys():
        yield f"missing: {key}"
    for key in there.keys() - wanted.keys():
        yield f"stale, no longer in the source: {key}"
    for key in there.keys() & wanted.keys():
        message = there[key]
        letters = any(HAS_LETTERS.search(text) for text in forms(message))
        if message.fuzzy:
            yield f"fuzzy: {key}"
        elif not all(strings(message)):
            if letters:
                yield f"not translated: {key}"
        elif not all(_has_values(text, message, catalogue) for text in strings(message)):
            yield f"other values: {key}"
    yield from (f"obsolete: {text}" for text in catalogue.obsolete)


def _has_values(text, message, catalogue):
    """Whether a translation has the values of the English; a form for few things may omit their number."""
    if not message.python_brace_format and not any("{" in form for form in forms(message)):
        return True
    wanted = fields(forms(message)[-1])
    omitted = {"n"} if message.pluralizable and catalogue.num_plurals > 1 else set()
    return wanted - omitted <= fields(text) <= wanted


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
def test_every_text_is_translated_and_up_to_date(language, template):
    """If this fails: `make texts`, then translate what it lists."""
    assert sorted(map(str, defects(read(path_of(language)), template))) == []


def test_defects_are_found(tmp_path):
    template, catalogue = Catalog(), Catalog(locale="de")
    for text in ("kept", "lacking", "{n} of {all}", "guessed", "empty", ("1 rule", "{n} rules")):
        template.add(text)
    catalogue.add("kept", "behalten")
    catalogue.add("gone", "weg")
    catalogue.add("{n} of {all}", "{n} von")
    catalogue.add("guessed", "geraten", flags=["fuzzy"])
    catalogue.add("empty", "")
    catalogue.add(("1 rule", "{n} rules"), ("eine Regel", "{m} Regeln"))
    write(catalogue, tmp_path / "petworks.po")
    found = defects(read(tmp_path / "petworks.po"), template)
    assert sorted(defect.partition(":")[0] for defect in found) == [
        *("fuzzy", "missing", "not translated", "other values", "other values", "stale, no longer in the source")
    ]


def test_the_template_has_texts_of_every_kind(template):
    places = {place for message in template for place, _ in message.locations}
    assert len(messages(template)) > 2500
    assert {"click", "cli/check.py", "gate/presets.yaml", "gate/schemas/policy.json"} <= places
    assert {"studio/templates/columns.html", "tables/formats/csv.py", "gate/suggest/starter.py"} <= places
    assert sum(message.pluralizable for message in template) > 50
    for message in template:
        if message.pluralizable:
            one, many = map(fields, message.id)
            assert "n" in many, message.id
            assert many - {"n"} <= one <= many, message.id


def test_the_same_texts_are_compiled_to_the_same_bytes_at_any_time(tmp_path):
    copy = tmp_path / "petworks.po"
    copy.write_bytes(path_of(LANGUAGES["zh-TW"]).read_bytes())
    compiled = compile_catalogue(copy)
    assert compiled == copy.with_suffix(".mo").read_bytes()
    assert re.findall(rb"Date: (\d{4}-\d\d-\d\d \d\d:\d\d)", compiled) == [b"1970-01-01 00:00"]


def test_the_header_says_how_many_forms_a_plural_has():
    assert read(path_of(LANGUAGES["zh-TW"])).num_plurals == 1


@pytest.mark.parametrize("code", LANGUAGES)
def test_spellings(code):
    for spelling in (code, code.upper(), LANGUAGES[code].name, *LANGUAGES[code].aliases):
        assert parse_language(spelling) == code
    with pytest.raises(ParameterError, match=r"lang is one of 'en', .*'zh-TW'.*; got 'xx'"):
        parse_language("xx")


def test_chinese_is_that_of_taiwan():
    catalogue = read(path_of(LANGUAGES["zh-TW"]))
    chinese = re.compile("[\u4e00-\u9fff]")
    punctuated = re.compile(r"[\u4e00-\u9fff][,;:!?()]|[,;:!?(][\u4e00-\u9fff]")
    for message in messages(catalogue).values():
        for text in strings(message):
            for foreign in ("泛化", "數據", "博弈", "總體", "信息", "默認", "文件", "程序", "用戶"):
                assert foreign not in text.replace("處理程序", "") or "document" in forms(message)[0], text
            if not message.auto_comments:  # errors and help
                assert not punctuated.search(text), text  # punctuation of full width
            words = re.sub(r"{[^}]*}", "", " ".join(forms(message)))
            has_words = len(re.findall("[a-z]{2,}", words)) > 2
            assert chinese.search(text) or not has_words, text


# A third language, made up: its texts are the English ones in angle brackets.


@pytest.fixture(scope="module")
def third(tmp_path_factory, template):
    """A folder with a language `xx-YY`, which lacks a few texts."""
    folder = tmp_path_factory.mktemp("locale")
    (folder / "xx_YY" / "LC_MESSAGES").mkdir(parents=True)
    own = {"name": "Exex", "locales": ["xx"], "browsers": ["xx"], "writing": {"separator": " + ", "quotes": ["‹", "›"]}}
    (folder / "xx_YY" / "language.json").write_text(json.dumps(own), "utf-8")
    catalogue = Catalog()
    for message in template:
        if message.id and not is_left_out(message.id):
            made = tuple(f"⟨{text}⟩" for text in forms(message))
            catalogue.add(message.id, made if message.pluralizable else made[0], context=message.context)
    write(catalogue, folder / "xx_YY" / "LC_MESSAGES" / "petworks.po")
    compile_catalogue(folder / "xx_YY" / "LC_MESSAGES" / "petworks.po")
    return folder


def is_left_out(text):
    return text in ("Print a JSON Schema.", "columns")


def run(third, *arguments, **environment):
    command = [sys.executable, *arguments]
    settings = {**os.environ, "PETWORKS_LOCALE": str(third), **environment}
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=settings, cwd=ROOT)


def petworks_in(third, *arguments, **environment):
    return run(third, "-m", "PETWorks", *map(str, arguments), **environment)


def test_help_in_a_third_language(third):
    shown = petworks_in(third, "--help", LC_ALL="xx_YY.UTF-8", PETWORKS_LANG="")
    assert shown.returncode == 0, shown.stderr
    assert "⟨Judge a release by a policy.⟩" in shown.stdout
    assert "Print a JSON Schema" in shown.stdout, "what is not translated is English"
    assert "⟨" not in petworks_in(third, "--help", LC_ALL="de_DE.UTF-8", PETWORKS_LANG="").stdout
    wrong = petworks_in(third, "chekc", "--lang", "Exex")
    assert "‹check›" in wrong.stderr


def test_errors_in_a_third_language(third, tmp_path):
    wrong = petworks_in(third, "check", tmp_path / "none.yaml", "--lang", "xx-yy")
    assert wrong.returncode == 2
    assert "⟨no such file" in wrong.stderr


def test_reports_in_a_third_language(third, tmp_path):
    page, document = tmp_path / "report.html", tmp_path / "check.json"
    policy = (ROOT / "data/adult_policy.yaml").read_text("utf-8")
    for path in (ROOT / "data").glob("adult*"):
        (tmp_path / path.name).symlink_to(path)
    titled = re.sub(r"^title: .*$", "title: {en: Survey, xx-YY: Yevrus}", policy, flags=re.MULTILINE)
    (tmp_path / "policy.yaml").write_text(titled, "utf-8")
    shown = petworks_in(
        *(third, "check", tmp_path / "policy.yaml", "--root", "/", "--lang", "xx-YY"),
        *("--html", page, "--json", document),
    )
    assert shown.returncode in (0, 1), shown.stderr
    assert "Yevrus" in shown.stdout
    assert "⟨" in shown.stdout
    assert 'lang="xx-YY"' in page.read_text("utf-8")
    assert json.loads(document.read_text("utf-8"))["title"] == {"en": "Survey", "xx-YY": "Yevrus"}
    read_again = petworks_in(third, "diff", document, document, "--lang", "xx-YY")
    assert read_again.returncode == 0, read_again.stderr


def test_a_page_of_the_studio_in_a_third_language(third, tmp_path):
    (tmp_path / "table.csv").write_text("age,zip\n" + "".join(f"{20 + row % 5},{row % 3}\n" for row in range(60)))
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from pathlib import Path\n"
        "from studio_client import entered\n"
        f"with entered(Path({str(tmp_path)!r})) as client:\n"
        "    for accepted in ('xx-YY,en;q=0.5', 'de'):\n"
        "        page = client.get('/', headers={'accept-language': accepted})\n"
        "        print(page.status_code, page.text)\n"
        "    print(client.get('/static/studio.css').text)\n"
    )
    shown = run(third, "-c", code)
    assert shown.returncode == 0, shown.stderr
    translated, _, english = shown.stdout.partition("\n200 ")
    assert translated.startswith("200 ")
    assert '<html lang="xx-YY"' in translated
    assert translated.count("⟨") > 10
    assert '<html lang="en"' in english
    assert 'html[lang="xx-YY"] [lang]:not([lang="xx-YY"],.always)' in english


def test_a_source_tree_compiles_what_has_changed(tmp_path):
    source = tmp_path / "LC_MESSAGES/petworks.po"
    source.parent.mkdir()
    for text in ("one", "two"):
        catalogue = Catalog()
        catalogue.add("pass", text)
        write(catalogue, source)
        assert Language("xx", "Exex", tmp_path).text("pass") == text
        os.utime(source.with_suffix(".mo"), ns=(0, 0))  # older than the next source
    source.unlink()
    assert Language("xx", "Exex", tmp_path).text("pass") == "two", "a package has no source"


def test_a_language_without_texts_is_english(tmp_path):
    (tmp_path / "yy").mkdir()
    (tmp_path / "yy" / "language.json").write_text('{"name": "Wye"}', "utf-8")
    language = Languages([tmp_path])["yy"]
    assert (language.name, language.locales, language.text("pass")) == ("Wye", ("yy",), "pass")
    assert language.plural("1 rule", "{n} rules", 2) == "{n} rules"
    assert language.text("") == ""
