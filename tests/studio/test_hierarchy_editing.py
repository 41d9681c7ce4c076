"""The hierarchy of a column on the page: its levels, forms for each kind, and what is written into the policy."""

import csv
import json
import re
import shlex
from html import unescape
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import petworks
from PETWorks import read_policy
from PETWorks.about.hierarchies.declaration import KINDS as DECLARED
from PETWorks.studio.pages.hierarchy_forms import KINDS, _members_text, fields_of, fields_sent, kind_of, words_of
from PETWorks.studio.pages.page import Form
from studio_client import entered

POLICY = """\
petworks_policy: 1
data: people.csv
roles:
  quasi_identifiers: [age, town, born, zip]
hierarchies:
  age: {width: [5, 10]}  # years
  # about towns
  town: {rare: {fewer_than: 3}}  # proposed

# what is demanded
rules:
  - measure: k-anonymity
    k: 2
"""
TOWNS = ["Taipei", "Hsinchu", "Tainan", "Hualien"]
ADDRESS = "policy=policy.yaml&column="


@pytest.fixture
def folder(tmp_path):
    rows = [
        (20 + place % 30, TOWNS[place % 4], f"19{50 + place % 40}-03-01", 10000 + place % 50) for place in range(100)
    ]
    write(tmp_path, [("age", "town", "born", "zip"), *rows])
    (tmp_path / "policy.yaml").write_text(POLICY, "utf-8")
    return tmp_path


def write(folder, rows):
    with (folder / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def column(page, place, **query):
    return page.get(f"/levels/column?{ADDRESS}{place}&{urlencode(query)}")


def sent(page, place, action="save", **fields):
    digest = page.studio.cases.of(page.studio.workspace.path("policy.yaml")).file.digest
    given_fields = {"seen": digest, **fields}
    return page.post(f"/levels/{action}?{ADDRESS}{place}", data=given_fields, follow_redirects=False)


# Each kind as the fields that a browser sends, and what the policy then says.
FORMS = [
    (0, {"kind": "width", "width": "5, 10 20", "top": "40"}, {"width": ["5", "10", "20"], "top": "40"}),
    (0, {"kind": "width", "bottom": "25", "top": "40.5"}, {"bottom": "25", "top": "40.5"}),
    (0, {"kind": "cuts", "cuts": "25, 30, 40\r\n30\r\n"}, {"cuts": [["25", "30", "40"], ["30"]]}),
    (0, {"kind": "quantiles", "quantiles": "4,2"}, {"quantiles": ["4", "2"]}),
    (2, {"kind": "dates", "dates": ["decade", "month"], "calendar": "gregorian"}, {"dates": ["month", "decade"]}),
    (2, {"kind": "dates", "dates": ["year"], "calendar": "roc"}, {"dates": ["year"], "calendar": "roc"}),
    (2, {"kind": "dates", "dates": ["year"], "day_first": "true"}, {"dates": ["year"], "day_first": "true"}),
    (3, {"kind": "prefix", "prefix": "3、1"}, {"prefix": ["3", "1"]}),
    (3, {"kind": "mask", "mask": "1 2"}, {"mask": ["1", "2"]}),
    (1, {"kind": "rare", "rare": "10, 26", "label": "rest"}, {"rare": {"fewer_than": ["10", "26"], "label": "rest"}}),
    (1, {"kind": "order", "order": "\r\n".join(TOWNS), "sizes": "2"}, {"order": TOWNS, "sizes": ["2"]}),
    (
        1,
        {"kind": "groups", "value-1": "Taipei", "group-1": "North > West",
         "value-2": "Hsinchu", "group-2": "North>West",
         "value-3": "Tainan", "group-3": "South > West", "value-4": "Hualien", "group-4": "", "rest": "East"},
        {"groups": {"West": {"North": ["Taipei", "Hsinchu"], "South": ["Tainan"]}, "East": ["Hualien"]}},
    ),
    (
        1,
        {"kind": "groups", "mapping": "Taipei\tNorth\r\nHsinchu\tNorth\r\nTainan\tSouth\r\nHualien\tEast: 1"},
        {"groups": {"North": ["Taipei", "Hsinchu"], "South": ["Tainan"], "East: 1": ["Hualien"]}},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("place", "fields", "words"), FORMS)
def test_a_form_of_each_kind_shows_its_levels_and_is_written_into_the_policy(folder, place, fields, words):
    name = ("age", "town", "born", "zip")[place]
    with entered(folder) as page:
        page.headers["X-Part"] = "1"
        preview = sent(page, place, "preview", **fields)
        del page.headers["X-Part"]
        assert "not saved yet" in preview.text
        assert "no place" not in preview.text
        assert read_policy(folder / "policy.yaml").hierarchies.keys() == {"age", "town"}, "nothing is saved yet"
        answer = sent(page, place, **fields)
        assert answer.status_code == 303, answer.text
        assert read_policy(folder / "policy.yaml").hierarchies[name].words == words
        text = (folder / "policy.yaml").read_text("utf-8")
        assert "# about towns" in text
        assert "\n# what is demanded\nrules:" in text
        assert "# proposed" not in text or name != "town", "a comment on what was replaced"
        shown = page.get(answer.headers["location"])
        assert "As it is saved" in shown.text
        for label in re.findall(r'<th scope="row">(.*?)</th>|class="leaf">(.*?)<', preview.text):
            assert max(label) in shown.text


@pytest.mark.parametrize(("place", "fields", "words"), FORMS)
def test_what_is_saved_comes_back_in_the_form(folder, place, fields, words):
    assert words_of(kind_of(words), fields_of(words)) == _typed(words)
    with entered(folder) as page:
        sent(page, place, **fields)
        form = unescape(column(page, place).text)
        for name, text in fields.items():
            for one in text if isinstance(text, list) else text.splitlines():
                parts = [part for part in re.split(r"[,\s、\t>;]+", one) if part]
                assert all(part in form for part in parts), name


def _typed(words):
    """Numbers as numbers, where they are written as such."""
    text = json.dumps(words)
    return json.loads(re.sub(r'"(-?\d+(\.\d+)?)"', r"\1", text))


@pytest.mark.parametrize(
    ("place", "fields", "told"),
    [
        (0, {"kind": "width", "width": "5, 7"}, "not a multiple"),
        (0, {"kind": "width", "width": "five"}, "expected numbers"),
        (0, {"kind": "width"}, "nothing is given"),
        (1, {"kind": "width", "width": "5"}, "4 of 4 values have no place"),
        (1, {"kind": "groups", "value-1": "Taipei", "group-1": "North"}, "3 of 4 values have no place"),
        (1, {"kind": "groups", "mapping": "a;b\nb;c;b"}, "values and groups"),
        (2, {"kind": "dates"}, "nothing is given"),
        (0, {"kind": "cuts", "cuts": "3, 1"}, "ascending"),
        (0, {"kind": "prefix", "prefix": "1", "seen": "0"}, "changed in another window"),
    ],
)  # fmt: skip
def test_mistakes_are_told_at_the_form_and_what_was_typed_stays(folder, place, fields, told):
    with entered(folder) as page:
        answer = sent(page, place, **fields)
    assert answer.status_code == 400
    assert re.search(f'role="alert" id="mistake">[^<]*{told}', answer.text)
    for name, text in fields.items():
        if name not in ("seen", "kind", "cuts", "mapping"):
            assert f'value="{text}"' in answer.text
    assert (folder / "policy.yaml").read_text("utf-8") == POLICY


def test_values_without_a_place_come_first_with_the_number_of_records(folder):
    with entered(folder) as page:
        page.headers["X-Part"] = "1"
        part = sent(page, 1, "preview", kind="groups", mapping="Taipei;North\nHsinchu;North").text
    assert "2 values have no place" in part
    assert part.index('"row">Tainan') < part.index('"leaf">Taipei')
    assert re.search(r'Tainan</th><td class="figure">25<', part)
    assert re.search(r'North</span> <span class="note">50 records', part), "the others have their levels"


def test_a_tree_of_a_small_hierarchy_and_groups_of_a_large_one(folder):
    with entered(folder) as page:
        tree = column(page, 1).text
        assert '<ul class="tree">' in tree
        sent(page, 3, kind="prefix", prefix="4, 3")
        write(folder, [("age", "town", "born", "zip"), *[(20, "Taipei", "1950-01-01", 10000 + n) for n in range(3000)]])
        groups = column(page, 3).text
        assert '<ul class="tree">' not in groups
        assert "3,000 values" in groups
        assert re.search(r"and 2,9\d\d more", groups)
        assert len(groups.encode()) < 150_000


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_is_small_whatever_the_values_are(tmp_path, kind):
    write(tmp_path, [("town",), *[(f"a town with a rather long name, number {n}",) for n in range(20_000)]])
    text = re.sub(r"hierarchies:.*?\n\n", "", POLICY.replace("[age, town, born, zip]", "[town]"), flags=re.DOTALL)
    (tmp_path / "policy.yaml").write_text(text, "utf-8")
    with entered(tmp_path) as page:
        shown = column(page, 0, kind=kind)
        assert shown.status_code == 200
        assert len(shown.content) < 150_000


def test_proposals_are_taken_over_by_one_button(folder):
    with entered(folder) as page:
        assert "A proposal, not saved yet" in column(page, 2).text
        answer = page.post("/levels/propose?policy=policy.yaml", data={"propose": "2"}, follow_redirects=False)
        assert answer.headers["location"] == "/levels?policy=policy.yaml"
        assert read_policy(folder / "policy.yaml").hierarchies["born"].words == {
            "dates": ["month", "quarter", "half-year", "year", "5-years", "decade", "20-years"]
        }
        page.post("/levels/propose?policy=policy.yaml", data={"propose": "all"})
        assert read_policy(folder / "policy.yaml").hierarchies["zip"].words == {"prefix": ["3", "1"]}
        again = page.post("/levels/propose?policy=policy.yaml", data={"propose": "all"})
        assert again.status_code == 400, "there is nothing left to propose"


def test_a_hierarchy_is_removed_and_comments_stay(folder):
    with entered(folder) as page:
        assert sent(page, 1, "remove").status_code == 303
        assert sent(page, 0, "remove").status_code == 303
    assert not read_policy(folder / "policy.yaml").hierarchies
    assert "# what is demanded" in (folder / "policy.yaml").read_text("utf-8")


@pytest.mark.parametrize("beside", [False, True])
def test_a_folder_of_files_becomes_a_mapping_when_one_column_is_declared(folder, beside):
    (folder / "levels").mkdir()
    (folder / "levels/hierarchy_town.csv").write_text("".join(f"{town};{town[0]};*\n" for town in TOWNS), "utf-8")
    text = re.sub(r"hierarchies:.*?\n\n", "" if beside else "hierarchies: levels\n\n", POLICY, flags=re.DOTALL)
    if beside:
        (folder / "people.yaml").write_text("hierarchies: levels\n", "utf-8")
    (folder / "policy.yaml").write_text(text, "utf-8")
    with entered(folder) as page:
        assert "hierarchy_town.csv" in column(page, 1).text
        assert sent(page, 0, kind="width", width="10").status_code == 303
    found = read_policy(folder / "policy.yaml").hierarchies
    assert found["age"].words == {"width": ["10"]}
    assert found["town"].resolve() == (folder / "levels/hierarchy_town.csv").resolve()


def test_a_file_that_lacks_values_or_does_not_nest_is_told(folder):
    file = folder / "hierarchy_town.csv"
    file.write_text("Taipei;N\n", "utf-8")
    text = POLICY.replace("{rare: {fewer_than: 3}}", "hierarchy_town.csv")
    (folder / "policy.yaml").write_text(text, "utf-8")
    with entered(folder) as page:
        for lines, told in (
            ("Taipei;N\nHsinchu;N\n", "2 values have no place"),
            ("".join(f"{town};x;{town[0]};*\n" for town in TOWNS), "do not nest"),
            ("a;b\nc\n", "1 levels, but the lines above have 2"),
        ):
            file.write_text(lines, "utf-8")
            assert told in column(page, 1).text
            assert told in page.get("/levels?policy=policy.yaml&wait=1").text


@pytest.mark.parametrize("number", [0, 2, 8, 11])
def test_the_command_shows_the_same_levels(folder, number, monkeypatch):
    place, fields, _ = FORMS[number]
    fields = {name: text for name, text in fields.items() if name != "label"}
    monkeypatch.chdir(folder)
    with entered(folder) as page:
        page.headers["X-Part"] = "1"
        part = sent(page, place, "preview", **fields).text
        command = unescape(re.search(r'data-to="command">(.*?)</div>', part)[1])
    done = petworks(*shlex.split(command)[1:], "--format", "json")
    assert done.returncode == 0, done.stderr
    groups = {group["label"]: group["records"] for group in json.loads(done.stdout)["levels"][1]["groups"]}
    for label, records in groups.items():
        assert re.search(rf"{re.escape(label)}</\w+>.*?\b{records}\b", unescape(part), re.DOTALL), label


def test_other_pages_name_the_column_and_what_is_none_is_an_error(folder):
    with entered(folder) as page:
        assert "Levels of town" in page.get("/levels/column?policy=policy.yaml&name=town").text
        for wrong in ("name=nothing", "column=9", "column=-1", "column=x", ""):
            answer = page.get(f"/levels/column?policy=policy.yaml&{wrong}")
            assert answer.status_code == 400
            assert "no such quasi-identifier" in answer.text


def test_every_kind_of_declaration_has_a_form():
    assert {kind_of({kind: 1}) for kind in DECLARED} == KINDS.keys()


NAMES = st.text("abc ;\"'\t>,é", min_size=1, max_size=6).map(str.strip).filter(lambda text: text and ">" not in text)


@given(st.dictionaries(NAMES, st.lists(NAMES, min_size=1, max_size=1), min_size=1, max_size=6))
def test_groups_come_back_from_the_lines_of_a_form(groups):
    body = urlencode({"mapping": _members_text(groups.items())}).encode()
    found = dict(fields_sent("groups", Form(body))["members"])
    assert found == groups
