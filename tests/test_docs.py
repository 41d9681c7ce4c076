"""What the pages show is what the program prints."""

import doctest
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path
from unittest import mock

import pytest
import yaml

from command import petworks
from conftest import ROOT
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_of_a_page(page, tmp_path):
    run_examples(page, tmp_path)


def run_examples(page, folder):
    """Run what a page shows, in a folder that has the bundled tables; blocks in comments, too."""
    for name in ("data", "docs"):
        (folder / name).symlink_to(ROOT / name)
    os.chdir(folder)
    names, lang = {}, "zh-TW" if page.name.endswith(".zh-TW.md") else "en"
    for kind, text in BLOCK.findall(page.read_text("utf-8")):
        if kind == "python":
            test = doctest.DocTestParser().get_doctest(text, names, str(page), str(page), 0)
            assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
            names = test.globs
        else:
            commands = re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)
            assert commands
            for command, printed in commands:
                assert_printed(shell(command, lang).rstrip(), printed.rstrip())


def assert_printed(text, shown):
    """A line `...` on a page stands for any lines."""
    parts = re.split(r"^\.\.\.$\n?", shown, flags=re.MULTILINE)
    pattern = r"(?:.*\n)*".join(map(re.escape, parts))
    assert text == shown or re.fullmatch(pattern, text + "\n" * shown.endswith("...")), f"{text}\n---\n{shown}"


def shell(command, lang):
    """What is printed; a first command that needs no shell is not started anew, which is quicker."""
    first, pipe, others = command.replace("\\\n", "").partition(" | ")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with mock.patch.dict(os.environ, PATH=path, PETWORKS_LANG=lang):
        if first.startswith("petworks ") and not set(first) & set("|&;<>$`*?"):
            done = petworks(*shlex.split(first)[1:])
            printed, errors = done.stdout, done.stderr
            if pipe:
                printed, more = bash(others, printed)
                errors += more
        else:
            printed, errors = bash(command)
    return (printed + errors).replace("\ufeff", "")  # the mark of a file for Excel, which nobody sees


def bash(command, given=None):
    done = subprocess.run(["bash", "-c", command], input=given, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_the_policy_of_the_page_is_one(tmp_path):
    """What the page shows of a policy is accepted, file by file."""
    from PETWorks import read_policy

    text = re.search(r"^```yaml\n(petworks_policy.*?)^```$", (ROOT / "docs/policy.md").read_text("utf-8"), re.M | re.S)[
        1
    ]
    rows = ["name;birth_year;postcode;sex;diagnosis;ward", *(f"n{place};1960;100;f;flu;a" for place in range(20))]
    (tmp_path / "stays.csv").write_text("\n".join(rows))
    (tmp_path / "stays_original.csv").write_text("\n".join(rows))
    (tmp_path / "stays_2025.csv").write_text("\n".join(rows))
    (tmp_path / "releases").mkdir()
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies/hierarchy_sex.csv").write_text("f;*\nm;*\n")
    (tmp_path / "policy.yaml").write_text(text, "utf-8")
    policy = read_policy(tmp_path / "policy.yaml")
    assert policy.release().records == 20
    assert len([rule for rule in policy.rules if rule.name not in BUILT_IN_RULES]) == 7


def test_figures_of_the_readme_were_measured():
    """Each number with a unit in its table of evidence is on one of the pages that have the measurements."""
    pages = "".join((ROOT / f"docs/{name}.md").read_text("utf-8") for name in ("engines", "best-levels", "conformance"))
    table = re.search(r"^## Evidence\n(.*?)^\* ", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)[1]
    figures = re.findall(r"(?:\d[\d.,]* to )?\d[\d.,]* (?:ms|s|GB|×|million rows)|0\.\d+", table)
    assert len(figures) >= 10
    for figure in figures:
        assert figure in pages, figure


def test_the_glossary_has_the_words_of_the_reports():
    """In each row, the English and the Chinese word are those of the language files."""
    from PETWorks.render.language.language import message_text
    from PETWorks.render.language.texts import TEXTS

    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ", (ROOT / "docs/glossary.md").read_text("utf-8"), re.MULTILINE)
    chinese = dict(rows)
    texts = {code: partial(message_text, code) for code in ("en", "zh-TW")}
    named = [key for key in TEXTS if re.fullmatch(r"role\.\w+_\w+|role\.identifier", key)]
    named += ["term.class", "term.known", "term.sensitive", "term.identifier", "term.cell-size", "term.scenarios"]
    named += ["term.excess", "term.waiver"]
    for key in named:
        assert chinese[texts["en"](key)] == texts["zh-TW"](key), key
    both = f"{chinese['generalisation']}、{chinese['suppression']}"
    assert (texts["en"]("term.treatment"), both) == ("generalisation, suppression", texts["zh-TW"]("term.treatment"))
    verdicts = [[texts[code](f"verdict.{one}") for one in ("pass", "fail", "waived")] for code in texts]
    assert chinese[", ".join(verdicts[0])] == "、".join(verdicts[1])


def facts_of_the_site():
    spec = importlib.util.spec_from_file_location("facts", ROOT / "docs/_site/facts.py")
    facts = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(facts)
    return facts


@pytest.mark.slow
def test_measures_can_be_called_as_their_pages_say(monkeypatch, tmp_path):
    """The lines that the site puts on the page of each measure; its example imports the function likewise."""
    from PETWorks import Release, catalogue

    monkeypatch.chdir(ROOT)
    facts = facts_of_the_site()
    files = ["data/delta_anonymized.csv", "--original", "data/delta.csv", "--population", "data/delta.csv"]
    generalised = Release(files[0], original=files[2], population=files[4])
    compared = ["data/people_synthetic.csv", "--original", "data/people.csv", "--kind", "synthetic"]
    synthetic = Release(compared[0], original=compared[2], kind="synthetic")
    (tmp_path / "survey.csv").write_text("area,weight\nnorth,18\nnorth,39\nsouth,45.5\n")
    sampled = [str(tmp_path / "survey.csv"), "--qi", "area", "--sampling-weight", "weight"]
    survey = Release(sampled[0], {"area": "quasi_identifier"}, sampling_weight="weight")
    for name, entry in catalogue.items():
        release, tables = (generalised, files) if entry.applies_to("generalised") else (synthetic, compared)
        if "sampling weights" in entry.needs:
            release, tables = survey, sampled
        page = (ROOT / f"docs/measures/{entry.page}.md").read_text("utf-8")
        importing, call = facts.ways_to_call(entry)["Python"]
        module, function = importing.split(" import ")
        assert re.search(rf"^>>> {module} import (\w+, )*{function}\b", page, re.MULTILINE), name
        if name == "non-uniform-entropy":  # these tables have other rows
            continue
        names = {"release": release, "mean_age": lambda _table: 0}
        exec(f"{importing}\nresult = {call}", names)
        assert names["result"].measure == name
        if name != "utility-bias":  # in Python only
            [rule] = yaml.safe_load(facts.ways_to_call(entry)["Policy"][0])
            option = shlex.split(facts.ways_to_call(entry)["Command line"][0])[-1]
            [shown] = json.loads(petworks("evaluate", *tables, "--measure", option, "--format", "json").stdout)[
                "results"
            ]
            assert rule == {"measure": shown["measure"], **{key: shown["parameters"][key] for key in [*rule][1:]}}
            assert shown["value"] == names["result"].to_dict()["value"]


def test_every_objective_is_described():
    """In the table of losses, and in the docstring of `anonymize`."""
    from PETWorks import anonymize
    from PETWorks.anonymizer.objectives import OBJECTIVES

    page = (ROOT / "docs/best-levels.md").read_text("utf-8")
    for name in OBJECTIVES:
        assert f"\n| `{name}` | " in page, name
        assert f'"{name}"' in anonymize.__doc__, name


def test_sources_of_measures_are_those_of_their_functions():
    """The works on the page of a measure have the titles that its docstring cites, and are of measures."""
    from PETWorks import catalogue
    from PETWorks.render.report.sections import cited_papers

    works = yaml.safe_load((ROOT / "docs/measures/sources.yaml").read_text("utf-8"))
    assert {name for work in works for name in work["measures"]} == set(catalogue)
    for name in catalogue:
        listed = [work["work"].lower() for work in works if name in work["measures"]]
        for cited in filter(None, cited_papers(name).split("; ")):
            year, title = re.search(r"\((\d{4})\), (.*?)(?:, count|\.?$)", cited).groups()
            assert any(title.lower() in work and year in work for work in listed), (name, title)
