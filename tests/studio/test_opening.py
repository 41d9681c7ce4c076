import gzip
import json
import shutil
import sqlite3

import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from command import petworks
from conftest import ROOT
from PETWorks.gate.suggest.table_preview import mask
from PETWorks.render.language.language import message_text
from PETWorks.render.language.messages import using_language
from PETWorks.studio.files.workspace import Workspace
from studio_client import entered
from studio_server import Server


@pytest.fixture
def folder(tmp_path):
    shutil.copy(ROOT / "data/adult.csv", tmp_path)
    return tmp_path


def test_mistakes_are_shown_line_by_line_with_paths_as_on_the_page(folder):
    (folder / "wrong_policy.yaml").write_text("petworks_policy: 1\ndata: gone.csv\nrules:\n- measure: none\n", "utf-8")
    with entered(folder) as page:
        answer = page.get("/columns?policy=wrong_policy.yaml")
        assert answer.status_code == 400
        assert "no such file or folder: &#39;gone.csv&#39;\n" in answer.text
        assert "no measure is called" in answer.text
        assert str(folder) not in answer.text


def test_a_table_is_opened_with_a_new_policy_that_stays_beside_it(folder):
    with entered(folder) as page:
        assert "adult.csv" in page.get("/").text
        answer = page.post("/open", data={"table": "adult.csv"}, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/columns?policy=adult_policy.yaml")
        written = (folder / "adult_policy.yaml").read_text("utf-8")
        assert "quasi_identifiers" in written
        page.post("/open", data={"table": "adult.csv"}, follow_redirects=False)
        assert (folder / "adult_policy.yaml").read_text("utf-8") == written, "a policy that is there is kept"
        assert "highest risk 100 %" in page.get("/bar?policy=adult_policy.yaml").text.replace("100%", "100 %")


PEOPLE = "name;birth;left\nAnn Lee;1970-01-31;\n王小明;1980-12-01;+\nBob;2001-02-03;*\n" + "Eve;1999-09-09;x\n" * 20


def people(folder, text=PEOPLE, encoding="utf-8"):
    (folder / "people.csv").write_bytes(text.encode(encoding))


def test_a_look_at_a_table_shows_no_cell_and_writes_nothing(tmp_path):
    people(tmp_path)
    with entered(tmp_path) as page:
        text = page.get("/open?table=people.csv").text
    for shown in ("CSV", "UTF-8", "semicolon ;", "<dd>3</dd>", "<dd>23</dd>"):
        assert shown in text
    for shape in ("Xxx Xxx", "9999-99-99", "○○○", "missing", "·", "*"):
        assert f"<code>{shape}</code>" in text or f">{shape}<" in text
    assert not any(cell in text for cell in ("Ann", "Lee", "王", "1970", "Bob", "<code>+"))
    assert "petworks init people.csv --release public" in text
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_the_mouse_and_the_command_write_the_same_policy(tmp_path):
    people(tmp_path, encoding="utf-16")
    arguments = ("--separator", ";", "--encoding", "utf-16", "--release", "controlled")
    done = petworks("init", tmp_path / "people.csv", *arguments, "-o", tmp_path / "mine.yaml")
    assert done.returncode == 0, done.stderr
    fields = {"table": "people.csv", "separator": ";", "encoding": "utf-16", "release": "controlled"}
    with entered(tmp_path) as page:
        looked = page.get("/open", params=fields).text
        assert "petworks init people.csv --release controlled --separator &#39;;&#39; --encoding utf-16" in looked
        page.post("/open", data={**fields, "policy": "people_policy.yaml"})
    assert (tmp_path / "people_policy.yaml").read_bytes() == (tmp_path / "mine.yaml").read_bytes()


def test_a_page_reads_the_folder_once(tmp_path, monkeypatch):
    people(tmp_path)
    files, calls = Workspace.files, []
    monkeypatch.setattr(Workspace, "files", lambda workspace: calls.append(None) or files(workspace))
    with entered(tmp_path) as page:
        assert page.get("/open", params={"table": "people.csv"}).status_code == 200
    assert len(calls) == 1


def test_other_options_are_tried_before_anything_is_written(tmp_path):
    people(tmp_path, "a|b;c\n" + "x|1;y\n" * 30)
    with entered(tmp_path) as page:
        for separator, columns in ((";", "b;c"), ("|", "b;c")):
            text = page.post("/open/look", data={"table": "people.csv", "separator": separator}).text
            assert "<dd>2</dd>" in text
            assert (f">{columns}<" in text) == (separator == "|")
        assert "--separator &#39;|&#39;" in text
        assert "<h1>" not in text
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_a_table_that_cannot_be_read_says_why_and_keeps_what_was_typed(tmp_path):
    (tmp_path / "empty.csv").write_text("")
    with sqlite3.connect(tmp_path / "base.csv") as base:
        base.execute("CREATE TABLE t (a)")
    (tmp_path / "no_header.csv").write_text("Ann Lee,1970-01-31\n" * 30)
    with entered(tmp_path) as page:
        assert "the file is empty" in page.get("/open?table=empty.csv").text
        assert "the file is a database; name one of its tables" in page.get("/open?table=base.csv").text
        fields = {"table": "no_header.csv", "policy": "mine.yaml", "release": "internal"}
        answer = page.post("/open", data=fields)
        assert answer.status_code == 400
        assert "the first line does not look like a header" in answer.text
        assert 'value="mine.yaml"' in answer.text
        assert 'value="internal" checked' in answer.text
        assert "Add a line with the names" in answer.text
        assert "1970" not in answer.text
    assert not list(tmp_path.glob("*.yaml"))


@pytest.mark.parametrize("policy", ["../up.yaml", "sub/x.yaml", "x.csv", ".x.yaml", "a\\b.yaml", "people.csv"])
def test_a_new_policy_is_a_file_beside_its_table(tmp_path, policy):
    people(tmp_path)
    (tmp_path / "sub").mkdir()
    with entered(tmp_path) as page:
        assert page.post("/open", data={"table": "people.csv", "policy": policy}).status_code == 400
    assert (tmp_path / "people.csv").read_text("utf-8") == PEOPLE
    assert not list(tmp_path.rglob("*.yaml"))


def test_a_policy_that_is_there_is_never_overwritten(tmp_path):
    people(tmp_path)
    (tmp_path / "people_policy.yaml").write_text("mine")
    with entered(tmp_path) as page:
        assert 'value="people_policy_2.yaml"' in page.get("/open?table=people.csv").text
        answer = page.post("/open", data={"table": "people.csv", "policy": "people_policy.yaml"})
        assert "already exists" in answer.text
    assert (tmp_path / "people_policy.yaml").read_text() == "mine"


def test_files_by_folder_and_policies_with_their_last_state(folder):
    (folder / "wards").mkdir()
    shutil.copy(folder / "adult.csv", folder / "wards/second.csv")
    (folder / "wards/adult_hierarchy_age.csv").write_text("1;*\n")
    (folder / "readme.txt").write_text("a,b\n1,2\n")
    (folder / "wards/second_codebook.csv").write_text("column,value\nage,1\n")
    (folder / "evidence_adult/internal").mkdir(parents=True)
    (folder / "evidence_adult/internal/adult_policy.yaml").write_text("petworks_policy: 1\ndata: gone.csv\n")
    (folder / "broken_policy.yaml").write_text("petworks_policy: 1\ndata: gone.csv\n")
    with entered(folder) as page:
        page.post("/open", data={"table": "adult.csv"})
        text = page.get("/").text
        assert text.index("adult.csv") < text.index("wards/") < text.index("second.csv")
        folded = text[text.index('<details class="side">') :]
        assert "3 other files" in folded
        assert "second_codebook.csv" in folded, "it is no table to begin with"
        assert "evidence_adult" not in text, "copies of policies, whose tables are elsewhere, are no mistakes"
        assert all(name in folded for name in ("adult_hierarchy_age.csv", "readme.txt"))
        assert text.count("hierarchy_age.csv</a>") == 1
        assert "has a mistake" in text
        assert "not checked yet" in text
        page.get("/bar?policy=adult_policy.yaml")
        text = page.get("/").text
        assert "unchanged since" in text
        assert 'class="verdict fail">fail' in text
        page.post("/columns?policy=adult_policy.yaml", data={"role-0": "insensitive_attribute"})
        text = page.get("/").text
        assert "changed since" in text
        assert "unchanged since" not in text
    with entered(folder) as page:
        assert "changed since" in page.get("/").text, "also after a new start"


@pytest.mark.parametrize(
    ("suffix", "write"), [("parquet", pa.parquet.write_table), ("feather", pa.feather.write_feather)]
)
def test_other_formats(tmp_path, suffix, write):
    table = pa.table({"age": [31, None, 40], "city": ["Taipei", "Tainan", "x"]})
    write(table, tmp_path / f"t.{suffix}")
    with entered(tmp_path) as page:
        text = page.get(f"/open?table=t.{suffix}").text
        assert suffix.capitalize() in text
        assert "<code>99</code>" in text
        assert "<code>Xxxxxx</code>" in text
        assert 'name="separator"' not in text


@pytest.mark.parametrize(
    ("cell", "shape"),
    [
        ("Ann-Marie O'Neil", "Xxx-Xxxxx X'Xxxx"),
        ("A123456789", "X999999999"),
        ("民國63年11月26日", "○○99年99月99日"),
        ("＋１２", "+99"),
        ("+", "·"),
        ("王日月", "○○○"),
        ("x" * 40, "x" * 24 + "…"),
        ("<b>½</b>", "·x·9·9·/x·"),
        ("\u202eab", "·xx"),
        ("*", "*"),
    ],
)
def test_shapes_of_cells(cell, shape):
    assert mask(cell) == shape


def test_hostile_cells_and_names_of_files(tmp_path):
    (tmp_path / "<img src=x>.csv").write_text("<script>a</script>,b\n" + '"<script>alert(1)</script>",\x1b[31m\n' * 30)
    with entered(tmp_path) as page:
        for address in ("/", "/open?table=%3Cimg%20src=x%3E.csv"):
            text = page.get(address).text
            assert "<img src" not in text
            assert "<script>a" not in text
            assert "\x1b" not in text


def workbook(path, *sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name in sheets:
        sheet = book.create_sheet(name)
        for row in (line.split(";") for line in PEOPLE.splitlines()):
            sheet.append([cell or None for cell in row])
    book.save(path)


def test_the_sheets_of_a_workbook_can_be_chosen(tmp_path):
    workbook(tmp_path / "book.xlsx", "May 2024", "<June>")
    with entered(tmp_path) as page:
        assert "book.xlsx" in page.get("/").text
        text = page.get("/open?table=book.xlsx").text
        assert 'href="/open?table=book.xlsx%23May%202024">May 2024</a>' in text
        assert 'href="/open?table=book.xlsx%23%3CJune%3E">&lt;June&gt;</a>' in text
        chosen = page.get("/open", params={"table": "book.xlsx#May 2024"}).text
        assert "9999-99-99" in chosen
        assert "workbook" in chosen
        assert "petworks init" in chosen
        answer = page.post("/open", data={"table": "book.xlsx#May 2024"}, follow_redirects=False)
        assert answer.headers["location"] == "/columns?policy=book_policy.yaml"
        assert "birth" in page.get("/columns?policy=book_policy.yaml").text
        assert page.get("/").text.count('href="/columns?policy=book_policy.yaml"') == 2, "also beside the file"
        book = openpyxl.load_workbook(tmp_path / "book.xlsx")
        book["May 2024"].merge_cells("A1:B1")
        book.save(tmp_path / "book.xlsx")
        broken = page.get("/open", params={"table": "book.xlsx#May 2024"}).text
        assert message_text("en", "studio.open.mended") in broken
        assert 'href="/open?table=book.xlsx%23May%202024"' in broken.partition("Repair the file")[2]
        assert 'id="separator"' not in broken
        assert 'name="release"' not in broken, "there is nothing to begin with"
    assert 'data: "book.xlsx#May 2024"' in (tmp_path / "book_policy.yaml").read_text("utf-8")


@pytest.mark.parametrize("name", ["people.csv.gz", "people.xlsx", "people.jsonl"])
def test_other_files_are_opened_like_csv(tmp_path, name):
    people(tmp_path)
    if name.endswith("gz"):
        (tmp_path / name).write_bytes(gzip.compress(PEOPLE.encode()))
    elif name.endswith("xlsx"):
        workbook(tmp_path / name, "People")
    else:
        header, *rows = (line.split(";") for line in PEOPLE.splitlines())
        lines = (json.dumps(dict(zip(header, row, strict=True))) for row in rows)
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
    (tmp_path / "people.csv").unlink()
    with entered(tmp_path) as page:
        assert name in page.get("/").text
        text = page.get(f"/open?table={name}").text
        assert all(shape in text for shape in ("<code>Xxx Xxx</code>", "9999-99-99", "<dd>23</dd>"))
        assert "Ann" not in text
        answer = page.post("/open", data={"table": name}, follow_redirects=False)
        assert answer.headers["location"] == "/columns?policy=people_policy.yaml"


@pytest.mark.parametrize(
    ("asked", "lang"), [(None, "zh-TW"), ("*", "zh-TW"), ("en", "en"), ("de", "en"), ("zh-TW,zh;q=0.9", "zh-TW")]
)
def test_the_language_of_the_command_where_the_browser_names_none(tmp_path, asked, lang):
    with using_language("zh-TW"):
        browser = entered(tmp_path)
    with browser:
        shown = browser.get("/", headers={} if asked is None else {"Accept-Language": asked})
    assert f'<html lang="{lang}"' in shown.text


def test_a_language_that_was_asked_for_is_that_of_the_page(tmp_path):
    """Whatever the browser would rather have; a choice on the page itself comes first."""
    for arguments, environment in ((["--no-browser", "--lang", "zh-TW"], {}), ([], {"PETWORKS_LANG": "zh-TW"})):
        with Server(tmp_path, *arguments, **environment) as server:
            server.enter()
            assert '<html lang="zh-TW"' in server.ask("/", Accept_Language="en").text
            server.end()
