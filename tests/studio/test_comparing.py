"""The step Compare: two checks side by side, and several releases about the same people attacked by the command."""

import re
import shutil
from html import unescape

import pytest

from conftest import ROOT
from PETWorks.api.check import check
from PETWorks.gate.diff import compare
from PETWorks.releases.several import Releases
from PETWorks.render.language.language import message_text, percent
from processes import wait_for
from studio_client import entered

POLICY = """petworks_policy: 1
title: {title}
data: {data}
no_rule: {{illness: a test}}
roles: {{quasi_identifiers: [{known}], sensitive_attributes: [illness]}}
rules: [{{measure: k-anonymity, k: 2}}]
"""
TABLE = "age,zip,illness\n" + "20,10,flu\n20,10,cold\n30,10,flu\n30,11,cold\n"
SAFE = "age,zip,illness\n" + "20,1*,flu\n20,1*,cold\n30,1*,flu\n30,1*,cold\n"


@pytest.fixture
def folder(tmp_path):
    for name, table in (("raw", TABLE), ("safe", SAFE)):
        (tmp_path / f"{name}.csv").write_text(table, "utf-8")
        policy = POLICY.format(title=name, data=f"{name}.csv", known="age, zip")
        (tmp_path / f"{name}_policy.yaml").write_text(policy, "utf-8")
    return tmp_path


def text_of(answer):
    assert answer.status_code == 200, answer.text
    return unescape(re.sub(r"\s+", " ", answer.text))


def row(text, name):
    """The cells of the line of a table that is about a rule or measure."""
    cells = re.search(rf'<th scope="row">{name}</th>(.*?)</tr>', text)[1]
    return [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<td.*?>(.*?)</td>", cells)]


def test_two_policies_side_by_side(folder):
    with entered(folder) as page:
        choices = text_of(page.get("/compare?policy=safe_policy.yaml"))
        assert '<option value="raw_policy.yaml">' in choices
        address = "/compare?policy=safe_policy.yaml&other=raw_policy.yaml"
        assert "data-load=" in page.get(address).text, "nothing is checked yet"
        text = text_of(page.get(address + "&wait=1"))
        whole, tables = text.split("<summary>Measures</summary>")
        assert row(whole, "k-anonymity") == ["fail 1 (k ≥ 2)", "pass 2 (k ≥ 2)", "▲ better"]
        changed = {one.name: one.change for one in comparison(folder).measures}
        assert changed["prosecutor-risk"] == "better", "otherwise this shows nothing"
        assert row(tables, "prosecutor-risk") == ["1", "0.5", "▲ better"]
        assert len(re.findall("change (better|worse|changed)", tables)) == len(changed)
        assert "raw_policy.yaml --json old.json; petworks check safe_policy.yaml --json new.json" in text
        assert "data-load=" not in page.get(address).text.split("<main")[1], "now both are known"


def comparison(folder):
    return compare(check(folder / "raw_policy.yaml").content, check(folder / "safe_policy.yaml").content)


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_an_earlier_result_of_either_edition(folder, edition):
    (folder / "earlier.json").write_text(check(folder / "raw_policy.yaml").to_json(edition), "utf-8")
    (folder / "other.json").write_text("{}", "utf-8")
    with entered(folder) as page:
        text = text_of(page.get("/compare?policy=safe_policy.yaml&other=earlier.json&wait=1"))
        assert '<option value="other.json"' not in text, "it is no result of a check"
        assert row(text, "k-anonymity")[2] in ("▲ better", "same", "changed")
        assert "petworks diff earlier.json new.json" in text
        assert page.get("/compare?policy=safe_policy.yaml&other=other.json&wait=1").status_code == 400
        assert page.get("/compare?policy=safe_policy.yaml&other=../secret.json&wait=1").status_code == 400


def test_what_cannot_be_compared_is_said(folder):
    policy = POLICY.format(title="raw", data="raw.csv", known="age")
    (folder / "raw_policy.yaml").write_text(policy + "treatment: {missing: apart}\n", "utf-8")
    with entered(folder) as page:
        text = text_of(page.get("/compare?policy=safe_policy.yaml&other=raw_policy.yaml&wait=1"))
    assert "these differ: quasi-identifiers, how records are counted." in text
    counted = [message_text("en", f"treatment.missing.{way}") for way in ("apart", "value")]
    assert row(text, "how records are counted") == counted
    assert row(text, "quasi-identifiers") == ["age", "age, zip"]


def test_the_same_check_has_not_changed(folder):
    shutil.copy(folder / "safe_policy.yaml", folder / "copy.yaml")
    with entered(folder) as page:
        assert "No rule, measure or fact of the table has changed." in text_of(
            page.get("/compare?policy=safe_policy.yaml&other=copy.yaml&wait=1")
        )


@pytest.fixture
def school(tmp_path):
    for year in (2022, 2023):
        for suffix in ("csv", "yaml"):
            shutil.copy(ROOT / f"data/school_{year}.{suffix}", tmp_path)
    (tmp_path / "policy.yaml").write_text(
        "petworks_policy: 1\ntitle: school\ndata: school_2023.csv\nrules: [{measure: k-anonymity, k: 2}]\n", "utf-8"
    )
    return tmp_path


def composed(page, **fields):
    """The page that shows what came out, once the job has ended."""
    start = text_of(page.get("/compare?policy=policy.yaml"))
    seen = re.search(r'name="seen" value="(\w+)"', start)[1]
    address = "/compare/together?policy=policy.yaml"
    answer = page.post(address, data={"seen": seen, **fields}, follow_redirects=False)
    if answer.status_code != 303:
        return answer
    wait_for(lambda: not page.studio.jobs.are_running)
    shown = page.get(answer.headers["location"], follow_redirects=False)
    assert shown.status_code == 303, shown.text
    return page.get(shown.headers["location"])


def test_several_releases_are_what_the_command_says(school):
    tables = [school / "school_2022.csv", school / "school_2023.csv"]
    expected = Releases(tables, key="pupil").compose().to_dict()
    with entered(school) as page:
        columns = re.findall(r'<option value="(\d+)"[^>]*>(\w+)<', page.get("/compare?policy=policy.yaml").text)
        key = next(place for place, name in columns if name == "pupil")
        text = text_of(composed(page, release="school_2022.csv", key=key))
    assert "petworks compose school_2022.csv school_2023.csv --key=pupil" in text
    chance = percent(expected["linked"]["re_identification"]["posterior"])
    assert f"in all 2 releases picks their record with a chance of {chance}; with this release alone, 50 %." in text
    steps = [one["linked"]["re_identification"] for one in expected["curve"]]
    curve = re.search(r'id="curve-of-releases".*?id="each-alone"', text)[0]
    for step, name in zip(steps, ("school_2022.csv", "school_2023.csv"), strict=True):
        assert row(curve, name)[:2] == [percent(step["posterior"]), percent(step["share_alone"])]
    saves = next(one for one in expected["contributions"] if one["release"] == "school_2022.csv")
    adds = re.search(r'id="adds-1".*?</table>', text)[0]
    cells = row(adds, "school_2022.csv")
    assert [cells[0], *cells[2:]] == [percent(saves[name]) for name in ("shapley", "without", "saves")]
    assert "one value left" in text


def test_what_is_chosen_is_checked_first(school):
    with entered(school) as page:
        none = composed(page, key="0")
        assert none.status_code == 400
        assert "choose at least one earlier release" in none.text
        assert "choose the column" in composed(page, release="school_2022.csv", key="99").text
        assert composed(page, release="../school_2022.csv", key="0").status_code == 400
        stale = page.post("/compare/together?policy=policy.yaml", data={"seen": "", "key": "0"})
        assert stale.status_code == 400
        wrong = composed_failure(page)
        assert "That did not work" in wrong
        assert not page.studio.jobs.are_running


def composed_failure(page):
    """The page of a job that fails: no column of the earlier release is called like this one."""
    columns = re.findall(r'<option value="(\d+)"[^>]*>(\w+)<', page.get("/compare?policy=policy.yaml").text)
    key = next(place for place, name in columns if name == "age")
    seen = re.search(r'name="seen" value="(\w+)"', page.get("/compare?policy=policy.yaml").text)[1]
    data = {"seen": seen, "release": "school_2022.csv", "key": key}
    answer = page.post("/compare/together?policy=policy.yaml", data=data, follow_redirects=False)
    wait_for(lambda: not page.studio.jobs.are_running)
    return page.get(answer.headers["location"], follow_redirects=False).text


def test_names_of_files_and_columns_are_text(folder):
    hostile = "<script>alert(1)</script>"
    (folder / "raw.csv").write_text(TABLE.replace("zip", hostile), "utf-8")
    policy = POLICY.format(title=hostile, data="raw.csv", known=f"age, '{hostile}'")
    (folder / "raw_policy.yaml").write_text(policy, "utf-8")
    (folder / "b<i>.csv").write_text(TABLE, "utf-8")
    with entered(folder) as page:
        shown = page.get("/compare?policy=raw_policy.yaml&other=safe_policy.yaml&wait=1").text
    assert "<script>alert" not in shown
    assert "b<i>" not in shown
    assert "b&lt;i&gt;.csv" in shown
