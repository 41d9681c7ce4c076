"""The gallery: its tables can be made again, its reports say what its page shows, and no cell of a table."""

import csv
import re
from html import unescape

import pytest

from conftest import ROOT, make_gallery
from PETWorks.cli.demo import write_hospital

GALLERY = ROOT / "docs/gallery"
VERDICTS = {
    "adult/report": "pass",
    "cohort/first_report": "fail",
    "cohort/second_report": "pass",
    "hospital/raw_report": "fail",
    "hospital/released_report": "pass",
    "survey/report": "fail",
    "wards/first_report": "fail",
    "wards/second_report": "pass",
}
CHINESE = {"pass": "通過", "fail": "未通過", "withheld": "未公開"}
ENGLISH = {"withheld": "not shown"}
TABLES = {
    "cohort": ["cohort_2023.csv", "cohort_2024.csv", "cohort_2025_first.csv", "cohort_2025_second.csv"],
    "survey": ["survey.csv"],
    "wards": ["stays_first.csv", "stays_second.csv"],
}


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def reports(gallery_reports):
    return gallery_reports


def text_in(page, lang):
    """What a report says in one language, without its markup and style."""
    body = re.sub(r"<style>.*?</style>", " ", page, flags=re.DOTALL)
    others = "zh-TW" if lang == "en" else "en"
    body = re.sub(rf'<span lang="{others}"[^>]*>.*?</span>', "", body, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "", body)).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.slow
def test_tables_are_as_they_are_kept(tmp_path):
    kept = files(GALLERY)
    made = files(make_gallery("tables", tmp_path))
    assert {name: text for name, text in kept.items() if name in made} == made, "run: make gallery"
    by_hand = {"README.md", "cohort.py", "hospital.py", "make_gallery.py", "survey/policy.yaml"}
    by_hand |= {f"{case}/{name}_policy.yaml" for case in ("cohort", "wards") for name in ("first", "second")}
    assert {name for name in kept if not name.endswith(".pyc")} == by_hand | set(made)


@pytest.mark.slow
def test_there_is_a_report_of_every_case(reports):
    assert sorted(files(reports)) == sorted(
        f"{name}{suffix}" for name in VERDICTS for suffix in (".html", ".external.html", ".md")
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", VERDICTS)
def test_reports_have_their_verdict_in_both_languages(reports, name):
    verdict = VERDICTS[name]
    for edition in (".html", ".external.html"):
        page = (reports / f"{name}{edition}").read_text("utf-8")
        found = re.search(r'<h2 id="verdict"><span class="verdict (\w+)">(.*?)</span></span>', page)
        shown = "withheld" if edition == ".external.html" and name.startswith("cohort") else verdict
        assert found[1] == shown
        assert f'<span lang="en">{ENGLISH.get(shown, shown)}</span><span lang="zh-TW">{CHINESE[shown]}' in found[2]
        assert len(re.findall('<span lang="en">', page)) == len(re.findall('<span lang="zh-TW">', page)) > 100
    summary = (reports / f"{name}.md").read_text("utf-8")
    assert re.match(rf"## \S+ ({verdict}: |{CHINESE[verdict]}：)", summary)
    rules = re.findall(r"\| \S+ (pass|fail|通過|未通過)(?:[:：].*)? \|$", summary, re.MULTILINE)
    assert ("fail" in rules or CHINESE["fail"] in rules) == (verdict == "fail")


@pytest.mark.slow
def test_reports_say_what_the_page_shows(reports):
    """The sentences and the rules that the commands of the page print are those of a report in the same language."""
    shown = re.findall(r"^```console\n(.*?)^```", (GALLERY / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for block in shown for line in block.splitlines()]
    said = [line for line in lines if re.match(r"The chance to find a person|找到某人的機率", line)]
    assert len(said) == len(VERDICTS) - 2  # the page has no check of the raw table, nor of the bundled one
    pages = [path.read_text("utf-8") for path in reports.rglob("*report.html")]
    texts = {lang: [text_in(page, lang) for page in pages] for lang in ("en", "zh-TW")}
    for line in said:
        numbers = re.findall(r"[\d.]+ ?%|[\d,]+ (?:people|人)", line)
        assert len(numbers) == 3
        assert any(all(n in text for n in numbers) for text in texts["en" if line.isascii() else "zh-TW"]), line
    summaries = [path.read_text("utf-8").replace("\u200b", "") for path in reports.rglob("*.md")]
    lines = [line for block in shown if block.startswith("$ petworks check") for line in block.splitlines()]
    rows = [line.split() for line in lines if re.fullmatch(r" (\S+ +){3}\S+ [≤≥] \S+ +(pass|fail|waived)", line)]
    assert len(rows) == 6
    for rule, measure, found, *wanted, verdict in rows:
        row = re.compile(
            rf"^\| {rule} \| {measure} \| {found}(?: \(\S+\))? \| {' '.join(wanted)} \| \S+ {verdict}\b", re.M
        )
        assert any(row.search(summary) for summary in summaries), (rule, found)


def cells_of(path):
    """The texts in a table; numbers and single letters may be anything on a page."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        dialect = csv.Sniffer().sniff(file.readline(), ",;")
        return {cell for row in csv.reader(file, dialect) for cell in row if len(cell) > 1 and not cell.isdigit()}


@pytest.mark.slow
def test_reports_have_no_cell(reports, tmp_path):
    write_hospital(tmp_path / "hospital.csv")
    tables = {case: [GALLERY / case / name for name in names] for case, names in TABLES.items()}
    tables["hospital"] = [tmp_path / "hospital.csv"]
    column = {"cohort": "diagnosis", "hospital": "診斷碼", "survey": "健康狀況", "wards": "diagnosis"}
    for case, paths in tables.items():
        cells = set().union(*map(cells_of, paths))
        assert len(cells) >= 10
        for page in (reports / case).iterdir():
            text = page.read_text("utf-8")
            for shown in [text] if page.suffix == ".md" else [text_in(text, "en"), text_in(text, "zh-TW")]:
                assert column[case] in shown
                assert [cell for cell in cells if cell in shown] == [], page


@pytest.mark.slow
def test_external_editions_have_no_exact_figures(reports):
    """How many people are at the highest risk, and what was found for rules about classes."""
    for name in VERDICTS:
        inside, outside = (
            text_in((reports / f"{name}{edition}.html").read_text("utf-8"), "en") for edition in ("", ".external")
        )
        people = re.compile(r"of [\d.]+ %(?: at worst)? \([\d,]+ people\)")
        assert people.search(inside)
        assert not people.search(outside)
        assert "this report is the internal edition and must not be passed on" in inside
        assert "this report is the external edition and may be passed on" in outside
