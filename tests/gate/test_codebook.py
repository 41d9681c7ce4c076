"""The codebook of a release: made of what the release tells, loadable, and free of markup and formulas."""

import csv
import io
import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from command import petworks as run
from PETWorks import Release, read_policy
from PETWorks.about.hierarchies.intervals import number_range
from PETWorks.gate.codebook import Codebook, _label
from PETWorks.measures.utility.models import positions

R_LIBRARIES = ("/usr/lib/R/site-library", "/usr/local/lib/R/site-library", "/usr/lib/R/library")

POLICY = """petworks_policy: 1
data: raw.csv
separator: ";"
hierarchies: {age: {width: [10, 20]}, seen: {dates: [quarter, year]}, zip: {prefix: [2, 1]}}
roles:
  identifiers: [name]
  quasi_identifiers: [age, seen, zip]
  sensitive_attributes: ["=cost|<b>"]
  insensitive_attributes: [note]
rules: [{measure: k-anonymity, k: 3}]
anonymize: {suppression: 0.2, show: interval}
"""


def raw(number=60):
    head = "name;age;seen;zip;=cost|<b>;note"
    lines = [
        f"Secret{n};{20 + n * 7 % 40};2024-{1 + n % 3:02}-{1 + n % 28:02};0{1 + n % 2}{n % 7};{n * 7 % 11}.5;"
        + ("" if n % 9 == 0 else '"=1+1"' if n % 2 else "fine")
        for n in range(number)
    ]
    lines.append("Secret_odd;97;1931-05-05;993;3.5;fine")  # will be suppressed
    return "\n".join([head, *lines]) + "\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("codebook")
    (folder / "raw.csv").write_text(raw(), "utf-8")
    (folder / "raw.csv").chmod(0o640)
    (folder / "policy.yaml").write_text(POLICY, "utf-8")
    done = run("anonymize", "policy.yaml", "-o", "out.csv", cwd=folder)
    assert done.returncode == 1, done.stderr  # because of the formula
    assert "petworks: wrote out_codebook.md" in done.stderr
    return folder


def rows_of(folder, name="out_codebook.csv"):
    return list(csv.DictReader(io.StringIO((folder / name).read_text("utf-8-sig"))))


def test_every_label_that_occurs_is_listed_and_nothing_else(made):
    with (made / "out.csv").open(encoding="utf-8", newline="") as file:
        released = list(csv.DictReader(file, delimiter=";"))
    listed = {}
    for row in rows_of(made):
        listed.setdefault(row["column"], set()).add(row["label"].removeprefix("'"))
    for column in ("age", "seen", "zip", "note"):
        assert listed[column] == {record[column] for record in released if record[column]}
    assert set(listed) == {"age", "seen", "zip", "note"}  # the other column has numbers
    text = (made / "out_codebook.md").read_text("utf-8") + (made / "out_codebook.csv").read_text("utf-8-sig")
    assert not re.search("Secret|1931|993", text)  # neither identifiers nor what was suppressed


def test_it_follows_from_the_release_and_the_declarations_alone(made):
    policy = read_policy(made / "out_policy.yaml")
    declared = read_policy(made / "policy.yaml").hierarchies
    words = {column: declaration.words for column, declaration in declared.items()}
    alone = Release(made / "out.csv", policy.roles)
    again = Codebook.of(alone, made / "out.csv", words)
    assert again.to_csv() == (made / "out_codebook.csv").read_bytes()
    assert again.to_markdown("out_codebook.csv") == (made / "out_codebook.md").read_bytes()


def test_ends_of_labels(made):
    ends = {(row["column"], row["label"]): (row["low"], row["high"]) for row in rows_of(made)}
    for (column, label), (low, high) in ends.items():
        if column == "seen" and label != "*":
            assert low.startswith("2024-")
            assert low < high
        elif column == "age" and label != "*":
            known = number_range(label)
            assert (int(low), int(high)) == (known.low, known.high)
        else:
            assert low == high == ""


def test_formulas_and_markup_do_no_harm(made):
    cells = [cell for row in rows_of(made) for cell in row.values()]
    assert "'=1+1" in cells
    assert not any(cell.startswith("=") for cell in cells)
    text = (made / "out_codebook.md").read_text("utf-8")
    shown = re.sub("```.*?```", "", text.partition("\n")[2], flags=re.S)
    assert "<" not in shown
    assert r"=cost\|&lt;b&gt;" in shown


def test_its_lines_load_it_with_numbers_in_the_place_of_ranges(made, monkeypatch):
    monkeypatch.chdir(made)
    code = re.findall("```python\n(.*?)```", (made / "out_codebook.md").read_text("utf-8"), flags=re.S)
    assert len(code) == 1, "one recipe for all"
    names = {}
    exec(code[0], names)
    release = names["release"]
    assert release["=cost|<b>"].dtype.kind == "f"
    with (made / "out.csv").open(encoding="utf-8", newline="") as file:
        assert set(release["zip"]) == {row["zip"] for row in csv.DictReader(file, delimiter=";")}
    assert any(zip_code.startswith("0") for zip_code in release["zip"])  # a code keeps its zeros
    assert release["note"].isna().sum() > 0
    assert release["seen"].dropna().between("2024-01-01", "2024-12-31").all()
    assert release["age"].dropna().between(20, 60).all()
    assert isinstance(release, pd.DataFrame)


def test_recipients_calculate_with_the_middles_that_models_take(tmp_path):
    """Of labels with an open end, too; the records without a value are counted."""
    ages = ["18–39", "40–59", "≥ 60", "< 18", "*", "*", "≥ 20"]
    (tmp_path / "r.csv").write_text("age,sex\n" + "".join(f"{age},f\n" for age in ages), "utf-8")
    book = Codebook.of(Release(tmp_path / "r.csv", {"age": "quasi_identifier"}), tmp_path / "r.csv", {})
    (column, _) = book.columns
    listed = {label.text: label.middle for label in column.labels}
    assert listed == {"18–39": "28.5", "40–59": "49.5", "≥ 20": "39.5", "≥ 60": "69.5", "< 18": "7.5", "*": ""}
    assert [float(listed[age] or "nan") for age in ages] == pytest.approx(positions(ages).tolist(), nan_ok=True)
    text = book.to_markdown("r_codebook.csv").decode()
    assert "| column | values | records with `*` |" in text
    assert "| age | labels, listed below: 5 | 2 |" in text
    assert "| sex | labels, listed below: 1 | 0 |" in text


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("suffix", ["csv", "xlsx", "parquet", "feather"])
def test_pandas_and_r_load_the_same(made, monkeypatch, suffix):
    """The lines for R are run where R is (for workbooks with readxl); Debian has no package for its arrow."""
    monkeypatch.chdir(made)
    if suffix != "csv":
        done = run("anonymize", "policy.yaml", "-o", f"{suffix}_out.{suffix}", cwd=made)
        assert done.returncode in (0, 1), done.stderr
    stem = "out" if suffix == "csv" else f"{suffix}_out"
    text = (made / f"{stem}_codebook.md").read_text("utf-8")
    names = {}
    for code in re.findall("```python\n(.*?)```", text, flags=re.S):
        exec(code, names)
    release = names["release"]
    assert release["=cost|<b>"].dtype.kind == "f"
    assert release["age"].dropna().between(20, 60).all()
    has_r = shutil.which("Rscript") is not None and suffix in ("csv", "xlsx")
    if not has_r or (suffix == "xlsx" and not any(Path(folder, "readxl").exists() for folder in R_LIBRARIES)):
        return
    code = "\n".join(re.findall("```r\n(.*?)```", text, flags=re.S))
    code += '\nwrite.csv(release, "from_r.csv", row.names = FALSE, na = "", fileEncoding = "UTF-8")\n'
    subprocess.run(["Rscript", "-"], input=code, text=True, check=True, capture_output=True)
    from_r = pd.read_csv("from_r.csv", dtype={"zip": str}, keep_default_na=False, na_values=[""])
    assert list(from_r.columns) == list(release.columns)
    for column in release:
        assert from_r[column].isna().equals(release[column].isna()), column
        assert from_r[column].dropna().tolist() == release[column].dropna().tolist(), column


def test_it_has_the_rights_of_the_release(made):
    assert stat.S_IMODE((made / "out_codebook.md").stat().st_mode) == stat.S_IMODE((made / "out.csv").stat().st_mode)


def test_apply_writes_one_and_in_the_language_of_the_command(made):
    (made / "next.csv").write_text(raw(80), "utf-8")
    arguments = ("--plan", "out_plan.json", "--lang", "zh-TW", "-o", "next_out.csv")
    done = run("apply", "next.csv", *arguments, cwd=made)
    assert done.returncode in (0, 1), done.stderr
    assert (made / "next_out_codebook.csv").read_bytes().startswith(b"\xef\xbb\xbfcolumn,label,low,high")
    assert "如何讀取" in (made / "next_out_codebook.md").read_text("utf-8")


def test_a_file_of_somebody_else_stays(made):
    (made / "mine_codebook.md").write_text("my own notes\n")
    done = run("anonymize", "policy.yaml", "-o", "mine.csv", cwd=made)
    assert done.returncode == 2
    assert "was not written by petworks" in done.stderr
    assert not os.path.lexists(made / "mine.csv")


def test_protected_amounts_and_dates_are_loaded_as_what_they_stand_for(tmp_path, monkeypatch):
    """Rounded amounts with coded ends, means of groups of which some were written with separators, periods, medians."""
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{n % 28 + 1:02}/{n % 12 + 1:02}/{1950 + n // 6};{'fm'[n % 2]};{n * 211 % 23000}.5;"
        f"{f'{n * 97 % 9000:,}' if n % 30 == 0 else n * 97 % 9000};{n % 28 + 1:02}/{n % 12 + 1:02}/2024"
        for n in range(240)
    ]
    (tmp_path / "t.csv").write_text("born;sex;cost;fee;seen\n" + "\n".join(rows) + "\n", "utf-8")
    (tmp_path / "p.yaml").write_text(
        "petworks_policy: 1\ndata: t.csv\n"
        "hierarchies: {born: {dates: [year, decade], day_first: true}, sex: {rare: {fewer_than: 5}}}\n"
        "roles: {quasi_identifiers: [born, sex], insensitive_attributes: [cost, fee, seen]}\n"
        "rules: [{measure: k-anonymity, k: 4}]\n"
        "anonymize: {order: original, suppression: 0, protect: {cost: {round: 1000, top: 20000}, fee: "
        "{groups_of: 11}, seen: {dates: month, day_first: true}}}\n",
        "utf-8",
    )
    for show, name in (("born=interval", "labels"), ("born=median", "medians")):
        done = run("anonymize", "p.yaml", "-o", f"{name}.csv", "--show", show, cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr
        text = (tmp_path / f"{name}_codebook.md").read_text("utf-8")
        (code,) = re.findall("```python\n(.*?)```", text, flags=re.S)
        names = {}
        exec(code, names)
        release = names["release"]
        costs = pd.Series([n * 211 % 23000 + 0.5 for n in range(240)])
        known = costs < 19500
        assert (release["cost"][known] - costs[known]).abs().max() <= 500
        assert (release["cost"][~known] >= 20000).all()
        assert release["fee"].dtype.kind in "if"
        assert abs(release["fee"].mean() - sum(n * 97 % 9000 for n in range(240)) / 240) < 1
        assert (release["seen"].dt.month == pd.Series([n % 12 + 1 for n in range(240)])).all()
        years = release["born"].dt.year - pd.Series([1950 + n // 6 for n in range(240)])
        assert years.dropna().abs().max() < 10
        assert release["born"].notna().mean() > 0.5
        assert "rounded to 1000: at most 500 from the true value" in text
        assert "| 1000 | 500 | 1500 |" in text
        assert "each the mean of at least 11 records" in text


def test_names_that_are_code_are_quoted(tmp_path):
    names = ['a"]; import os #', "b\\", "c\u2028d", "``` e"]
    (tmp_path / "r.csv").write_text("\n".join([",".join('"' + n.replace('"', '""') + '"' for n in names), "1,2,3,4"]))
    text = Codebook.of(Release(tmp_path / "r.csv", {}), tmp_path / "r.csv", {}).to_markdown("r_codebook.csv").decode()
    listed = re.search(r"^numbers = (\[.*\])$", text, flags=re.M)
    assert json.loads(listed[1]) == names
    assert text.count("\n```") == 4


@pytest.mark.parametrize(
    ("label", "low", "high", "included"),
    [
        ("[30, 40)", 30, 40, False),
        ("30–39", 30, 39, True),
        ("30~39", 30, 39, True),
        ("-5–-1", -5, -1, True),
        ("1.5–<2.5", 1.5, 2.5, False),
        ("< 18", None, 18, False),
        (">= 65", 65, None, True),
        ("≥ 65", 65, None, True),
        ("65+", 65, None, True),
        ("7", 7, 7, True),
    ],
)
def test_ranges(label, low, high, included):
    known = number_range(label)
    assert (known.low, known.high, known.includes_high) == (low, high, included)


@pytest.mark.parametrize("label", ["North", "2024-03", "*", "10*", "[4, 3)", "", "a-b", "I00-I99", "[" * 300])
def test_what_is_no_range(label):
    assert number_range(label) is None


def test_one_record_and_columns_without_values(tmp_path):
    (tmp_path / "r.csv").write_text("age,left,star\n30,,*\n")
    book = Codebook.of(Release(tmp_path / "r.csv", {}), tmp_path / "r.csv", {})
    text = book.to_markdown("r_codebook.csv").decode()
    assert "| age | a single number: 30 |" in text
    assert "| left | empty |" in text
    assert r"| star | only \* |" in text
    assert book.to_csv().decode("utf-8-sig").splitlines() == ["column,label,low,high,high_included,middle"]


def test_numbers_of_a_hierarchy_of_rare_values_can_be_calculated_with():
    """Their column is not read as numbers, as they may be codes; but a value is what it says."""
    assert _label("4.0", {"rare": {"fewer_than": 12}}).middle == "4"
    assert _label("other", {"rare": {"fewer_than": 12}}).middle == ""
    assert _label("20-39", {"rare": {"fewer_than": 12}}).middle == ""  # a name that looks like a range
    assert _label("401", {"prefix": [3, 1]}).middle == ""


def test_numbers_with_separators_of_thousands_are_numbers(tmp_path, monkeypatch):
    (tmp_path / "r.csv").write_text('cost,tax\n5437,"1,200"\n"12,485",< 500\n*,7\n', "utf-8")
    book = Codebook.of(Release(tmp_path / "r.csv", {"cost": "quasi_identifier"}), tmp_path / "r.csv", {})
    cost, tax = book.columns
    assert (cost.numbers, cost.low, cost.high) == (True, "5437", "12485")
    assert {label.text: (label.low, label.high) for label in tax.labels}["1,200"] == ("1200", "1200")
    text = book.to_markdown("r_codebook.csv").decode()
    (tmp_path / "r_codebook.csv").write_bytes(book.to_csv())
    monkeypatch.chdir(tmp_path)
    names = {}
    for code in re.findall("```python\n(.*?)```", text, flags=re.S):
        exec(code, names)
    assert names["release"]["cost"].tolist()[:2] == [5437, 12485]
    assert names["release"]["tax"].tolist()[::2] == [1200, 7]
    assert 'for (column in c("cost")) release[[column]] <- gsub(",", "", release[[column]], fixed = TRUE)' in text


def test_amounts_with_a_currency_are_numbers(tmp_path, monkeypatch):
    (tmp_path / "r.csv").write_text('cost,paid,course\n£5437.10,"$1,200",BIO 101\n"£12,485",≥ $9000,BIO 102\n', "utf-8")
    book = Codebook.of(Release(tmp_path / "r.csv", {"paid": "quasi_identifier"}), tmp_path / "r.csv", {})
    cost, paid, course = book.columns
    assert (cost.numbers, cost.low, cost.high, course.numbers) == (True, "5437.10", "12485", False)
    assert {label.text: label.low for label in paid.labels} == {"$1,200": "1200", "≥ $9000": "9000"}
    text = book.to_markdown("r_codebook.csv").decode()
    (tmp_path / "r_codebook.csv").write_bytes(book.to_csv())
    monkeypatch.chdir(tmp_path)
    names = {}
    for code in re.findall("```python\n(.*?)```", text, flags=re.S):
        exec(code, names)
    assert names["release"]["cost"].tolist() == [5437.1, 12485]
    assert names["release"]["paid"].tolist()[0] == 1200
    assert 'gsub("£", "", release[[column]], fixed = TRUE)' in text
