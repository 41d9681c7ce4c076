"""What the page lists under "may go out", and whose verdict it shows: only a release that was judged and passes."""

import datetime
import hashlib
import json
import re
import shutil

import openpyxl
import pytest

from command import petworks
from conftest import ROOT
from PETWorks.gate import case as judging
from PETWorks.gate.policy import policy_rules
from PETWorks.gate.policy.policy import read_policy
from policy_checks import ADULT_POLICY
from studio_client import ended, entered, fields_of, quick_jobs, write_long_search  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("quick_jobs")

RESULT = "/safe/result?policy=policy.yaml&release=out.csv"


@pytest.fixture
def folder(tmp_path):
    shutil.copy(ROOT / "data/adult.csv", tmp_path)
    (tmp_path / "policy.yaml").write_text(ADULT_POLICY, "utf-8")
    return tmp_path


def made(folder, **changed):
    """The page of a release that was just made, with what it says may go out and what stays inside."""
    with entered(folder) as page:
        fields = fields_of(page.get("/safe?policy=policy.yaml").text, "/safe/run")
        given = {**fields, "do": "run", "release": "out.csv", **changed}
        ended(page, page.post("/safe/run?policy=policy.yaml", data=given, follow_redirects=False))
        return page.get(RESULT).text


MAY_GO_OUT = ["out.csv", "out_codebook.md", "out_codebook.csv"]


def listed(shown):
    out, inside = shown.split('class="files out"')[1].split('class="files inside"')
    return [
        [re.sub("<[^>]*>", "", item).partition(" · ")[0] for item in re.findall(r"<li>(.*?)</li>", one)]
        for one in (out, inside)
    ]


def exported(folder, policy="out_policy.yaml"):
    with entered(folder) as page:
        job = ended(page, page.post(f"/decide/evidence?policy={policy}", follow_redirects=False))
        return page.get(f"/decide/exported?policy={policy}&job={job.id}").text


def test_a_release_that_passes_may_go_out(folder):
    shown = made(folder)
    out, inside = listed(shown)
    assert out == MAY_GO_OUT
    assert "out_policy.yaml" in inside


def test_a_release_that_fails_stays_inside(folder):
    """A threshold below that of the rules: the release is made by it and fails the policy."""
    with entered(folder) as page:
        fields = {"release": "out.csv", "threshold": "k-anonymity:k=2", "suppression": "0"}
        ended(page, page.post("/safe/choose?policy=policy.yaml", data=fields, follow_redirects=False))
        shown = page.get(RESULT).text
    assert '<span class="verdict fail">fail</span>' in shown
    out, inside = listed(shown)
    assert out == []
    assert "out.csv" in inside
    assert "may not go out: a rule does not hold" in shown


@pytest.mark.parametrize("change", ["append", "remove"])
def test_a_file_that_is_not_the_judged_one_stays_inside(folder, change):
    made(folder)
    if change == "append":
        text = (folder / "out.csv").read_text("utf-8")
        (folder / "out.csv").write_text(text + text.splitlines()[-1] + "\n", "utf-8")
    else:
        (folder / "out.csv").unlink()
    with entered(folder) as page:
        shown = page.get(RESULT).text
    assert listed(shown)[0] == []
    assert "may not go out: it is not the file that was judged" in shown


def test_the_release_of_an_unfinished_search_is_no_less_safe_and_every_step_says_what_it_is(tmp_path):
    write_long_search(tmp_path)
    with entered(tmp_path) as page:
        fields = fields_of(page.get("/safe?policy=wide_policy.yaml").text, "/safe/run")
        given = {**fields, "do": "run", "release": "out.csv", "minutes": "0.03", "method": "global"}
        ended(page, page.post("/safe/run?policy=wide_policy.yaml", data=given, follow_redirects=False))
        shown = page.get("/safe/result?policy=wide_policy.yaml&release=out.csv").text
        assert '<span class="verdict pass">pass</span>' in shown
        assert listed(shown)[0] == MAY_GO_OUT
        for address in ("safe/result?policy=wide_policy.yaml&release=out.csv", "decide?policy=out_policy.yaml"):
            assert "The search for this release was not finished" in page.get(f"/{address}").text
        at, tick = "/decide?policy=out_policy.yaml", 'name="accept-unfinished" value="yes"'
        fields = fields_of(page.get(at).text, "/decide/save")
        assert "accept-unfinished" not in fields, "nobody has accepted it yet"
        for _ in range(2):
            page.post("/decide/save?policy=out_policy.yaml", data={**fields, "accept-unfinished": "yes", "seen": ""})
            fields = fields_of(page.get(at).text, "/decide/save")
        assert f"{tick} checked disabled>" in page.get(at).text
        assert len(read_policy(tmp_path / "out_policy.yaml").file.content["context"]["assumptions"]) == 1
    assert "out.csv" in listed(exported(tmp_path))[0]
    assert "was not finished" in petworks("check", "out_policy.yaml", cwd=tmp_path).stdout


def test_the_bar_of_a_release_shows_the_verdict_of_the_release(folder):
    with entered(folder) as page:
        page.get("/bar?policy=policy.yaml")  # the original is checked, and fails
    shown = made(folder)
    bar = re.search(r'<div id="bar".*?</div>', shown, re.S)[0]
    original, release = re.findall(r"<li.*?</li>", bar, re.S)
    assert 'class="verdict fail"' in original
    assert 'aria-current="true"' not in original
    assert ">out.csv</a>" in release
    assert 'aria-current="true"' in release
    with entered(folder) as page:
        bar = page.get("/bar?policy=policy.yaml").text
        assert re.findall(r'class="verdict (\w+)"', bar) == ["fail", "waived"], "each has its own"
        assert "passes on an assumption" in bar, "the policy gives reasons why nobody knows some columns"
        assert re.search(r'<li aria-current="true"><span class="note">original', bar)
        assert "data-load" not in re.search(r'<div id="bar".*?>', page.get("/decide?policy=out_policy.yaml").text)[0]


def test_without_the_approver_whom_a_regime_asks_for_nothing_may_go_out(folder):
    assert petworks("anonymize", "policy.yaml", "-o", "out.csv", cwd=folder).returncode == 0
    policy = folder / "out_policy.yaml"
    policy.write_text(policy.read_text("utf-8") + "regimes: [iso-27559]\n", "utf-8")
    shown = exported(folder)
    out, inside = listed(shown)
    assert out == []
    assert any("report" in one or "check" in one for one in inside)
    assert "do not hand out the release" in shown
    with entered(folder) as page:
        fields = fields_of(page.get("/decide?policy=out_policy.yaml").text, "/decide/save")
        page.post("/decide/save?policy=out_policy.yaml", data={**fields, "approver": "Ms Lin"})
    shown = exported(folder)
    assert "out.csv" in listed(shown)[0]
    message = re.search(r'<p class="message([^"]*)" role="status">(.*?)</p>', shown)
    assert message[1] == "", "not green"
    assert "passes on an assumption" in message[2]


@pytest.mark.parametrize("name", ["stays.csv", "book.xlsx#Stays", "part_*.csv"])
def test_reports_of_any_kind_of_table_may_go_out_if_it_passes(tmp_path, name):
    rows = [["age", "illness"], *([age, "xy"[place % 2]] for place in range(12) for age in ("30-39", "40-49"))]
    text = "\n".join(",".join(row) for row in rows) + "\n"
    if "#" in name:
        workbook = openpyxl.Workbook()
        workbook.active.title = "Stays"
        for row in rows:
            workbook.active.append(row)
        workbook.save(tmp_path / "book.xlsx")
    else:
        (tmp_path / name.replace("*", "1")).write_text(text, "utf-8")
    (tmp_path / "policy.yaml").write_text(
        f"petworks_policy: 1\ndata: '{name}'\nno_rule: {{illness: a test}}\n"
        f"roles: {{quasi_identifiers: [age], sensitive_attributes: [illness]}}\n"
        "rules: [{measure: k-anonymity, k: 2}]\n",
        "utf-8",
    )
    assert any("external" in one for one in listed(exported(tmp_path, "policy.yaml"))[0])


def test_reports_on_a_release_that_fails_stay_inside(folder):
    assert petworks("anonymize", "policy.yaml", "-o", "out.csv", cwd=folder).returncode == 0
    policy = folder / "out_policy.yaml"
    policy.write_text(policy.read_text("utf-8").replace("k: '5'", "k: 900"), "utf-8")
    shown = exported(folder)
    assert listed(shown)[0] == []


def test_a_release_that_changed_since_the_export_stays_inside(folder):
    assert petworks("anonymize", "policy.yaml", "-o", "out.csv", cwd=folder).returncode == 0
    with entered(folder) as page:
        job = ended(page, page.post("/decide/evidence?policy=out_policy.yaml", follow_redirects=False))
        shutil.copy(folder / "adult.csv", folder / "out.csv")
        shown = page.get(f"/decide/exported?policy=out_policy.yaml&job={job.id}").text
    assert listed(shown)[0] == []


def rewritten(file, old, new):
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def first_verdict(shown):
    return re.search(r'class="verdict (\w+)"', shown)[1]


def test_the_result_is_judged_by_the_policy_of_the_release_as_it_is_now(folder):
    made(folder)
    rewritten(folder / "out_policy.yaml", "k: '5'", "k: 900")
    with entered(folder) as page:
        shown = page.get(RESULT).text
    assert listed(shown)[0] == []
    assert first_verdict(shown) == "fail"
    assert "may not go out: a rule does not hold" in shown


@pytest.mark.parametrize("change", ["rules", "waivers"])
def test_other_rules_in_the_policy_of_the_original_outdate_a_release(folder, change):
    made(folder)
    if change == "rules":
        rewritten(folder / "policy.yaml", "k: 5", "k: 900")
    else:
        waiver = "waivers: [{rule: k-anonymity, owner: me, reason: x, expires: 2100-01-01}]\n"
        rewritten(folder / "policy.yaml", "rules:\n", f"{waiver}rules:\n")
    with entered(folder) as page:
        shown = page.get(RESULT).text
    assert listed(shown)[0] == []
    assert "what it is judged by has changed since" in shown


NOTED = (
    ADULT_POLICY.replace("age, race]", "age]")
    .replace("insensitive_attributes: [", "insensitive_attributes: [race, ")
    .replace("  race: {rare: {fewer_than: 20}}\n", "")
)
OUTDATING = {
    "identifier": ("  insensitive_attributes: [race, ", "  identifiers: [race]\n  insensitive_attributes: ["),
    "quasi-identifier": ("[sex, age]\n", "[sex, age, occupation]\n"),
    "sensitive": ("[workclass]\n", "[workclass, race]\n"),
    "context": ("rules:\n", "context: {release: public}\nrules:\n"),
    "privacy unit": ("rules:\n", "privacy_unit: race\nrules:\n"),
    "treatment": ("rules:\n", "treatment: {suppressed: apart}\nrules:\n"),
    "key": ("rules:\n", "releases: {key: race}\nrules:\n"),
    "protect": ("rules:\n", "anonymize: {protect: {salary-class: {round: 10}}}\nrules:\n"),
    "limit": ("rules:\n", "anonymize: {suppression: 0}\nrules:\n"),
    "reason": ("role_reasons: {", "role_reasons: {race: another, "),
    "hierarchy": ("[5, 10, 20]", "[10, 20]"),
    "cell size": ("rules:\n", "cell_size: 50\nrules:\n"),
    "unique values": ("rules:\n", "unique_values: 0\nrules:\n"),
}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A folder with a release by a policy."""
    folder = tmp_path_factory.mktemp("released")
    rows = (ROOT / "data/adult.csv").read_text("utf-8").splitlines(keepends=True)[:400]
    (folder / "adult.csv").write_text("".join(rows), "utf-8")
    text = NOTED.replace("role_reasons: {", "role_reasons: {race: x, ")
    (folder / "policy.yaml").write_text(text, "utf-8")
    done = petworks("anonymize", "policy.yaml", "-o", "out.csv", "--json", "out_report.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("change", OUTDATING)
def test_whatever_changes_in_the_policy_of_the_original_outdates_a_release(released, tmp_path, change):
    """Also a key that nobody thought of: all of them count, but for those that are listed as immaterial."""
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    old, new = OUTDATING[change]
    policy = tmp_path / "policy.yaml"
    before = policy.read_text("utf-8")
    text = before.replace("race: x", "race: another") if change == "reason" else before.replace(old, new)
    text = text.replace("[race, ", "[") if change == "sensitive" else text
    text = text.replace("occupation, salary", "salary") if change == "quasi-identifier" else text
    assert text != before
    with entered(tmp_path) as page:
        job = ended(page, page.post("/decide/evidence?policy=out_policy.yaml", follow_redirects=False))
        exported = f"/decide/exported?policy=out_policy.yaml&job={job.id}"
        assert listed(page.get(RESULT).text)[0] == MAY_GO_OUT
        assert "out.csv" in listed(page.get(exported).text)[0]
        policy.write_text(text, "utf-8")
        for address in (RESULT, exported):
            shown = page.get(address).text
            assert listed(shown)[0] == []
            assert "what it is judged by has changed since" in shown
        policy.write_text(before, "utf-8")
        assert listed(page.get(RESULT).text)[0] == MAY_GO_OUT


AGES = "".join(f"{age};{age // 10 * 10}-{age // 10 * 10 + 9};*\n" for age in range(10, 100))
OTHER_AGES = AGES.replace("90-99", "80-89")


@pytest.mark.parametrize(
    ("named", "change"),
    [("by column", "origin"), ("folder", "origin"), ("roles file", "origin"), ("folder", "copy"), ("folder", "gone")],
)
def test_a_changed_file_of_a_hierarchy_outdates_a_release(released, tmp_path, named, change):
    """The policy is the same, but what it names is not, however it does; likewise the copy beside the release."""
    (tmp_path / "levels").mkdir()
    shutil.copy(released / "adult.csv", tmp_path)
    file = tmp_path / "levels/hierarchy_age.csv"
    file.write_text(AGES, "utf-8")
    text = (released / "policy.yaml").read_text("utf-8")
    declared = text[text.index("hierarchies:") : text.index("rules:")]
    by_name = {"by column": "hierarchies: {age: levels/hierarchy_age.csv}\n", "folder": "hierarchies: levels\n"}
    (tmp_path / "policy.yaml").write_text(text.replace(declared, by_name.get(named, "")), "utf-8")
    if named == "roles file":
        (tmp_path / "adult.yaml").write_text("hierarchies: levels\n", "utf-8")
    done = petworks("anonymize", "policy.yaml", "-o", "out.csv", "--json", "out_report.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with entered(tmp_path) as page:
        assert listed(page.get(RESULT).text)[0] == MAY_GO_OUT
        if change == "gone":
            file.unlink()
        else:
            changed = file if change == "origin" else tmp_path / "out_hierarchies/hierarchy_age.csv"
            changed.write_text(OTHER_AGES, "utf-8")
        shown = page.get(RESULT).text
        assert 'class="files out"' not in shown or listed(shown)[0] == []  # without its files, a policy is an error
        if change != "gone":
            file.write_text(AGES, "utf-8")
            (tmp_path / "out_hierarchies/hierarchy_age.csv").write_text(AGES, "utf-8")
            assert listed(page.get(RESULT).text)[0] == MAY_GO_OUT


def test_a_release_of_an_earlier_version_is_compared_with_the_policy_as_it_is(released, tmp_path):
    """Its plan does not say what the policy said."""
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    plan = tmp_path / "out_plan.json"
    content = json.loads(plan.read_text("utf-8"))
    del content["made_by"]
    plan.write_text(json.dumps(content), "utf-8")
    with entered(tmp_path) as page:
        assert listed(page.get(RESULT).text)[0] == MAY_GO_OUT
    for change in ("identifier", "context", "protect"):
        shutil.copy(released / "policy.yaml", tmp_path)
        rewritten(tmp_path / "policy.yaml", *OUTDATING[change])
        with entered(tmp_path) as page:
            assert listed(page.get(RESULT).text)[0] == []


def test_a_title_comments_and_the_way_of_writing_outdate_nothing(released, tmp_path):
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    rewritten(tmp_path / "policy.yaml", "rules:\n", "title: Another\n# A comment\nrules:\n")
    rewritten(
        tmp_path / "policy.yaml",
        "  quasi_identifiers: [sex, age]",
        "  identifiers: []\n  quasi_identifiers: [age, sex]",
    )
    rewritten(tmp_path / "policy.yaml", "    k: 5", "    k: '5'")
    with entered(tmp_path) as page:
        assert listed(page.get(RESULT).text)[0] == MAY_GO_OUT


def test_what_was_decided_about_the_release_itself_does_not_outdate_it(released, tmp_path):
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    rewritten(
        tmp_path / "out_policy.yaml", "rules:\n", "sign_off: {approver: Ms Lin}\ncontext: {recipients: x}\nrules:\n"
    )
    with entered(tmp_path) as page:
        assert listed(page.get(RESULT).text)[0] == MAY_GO_OUT
        rewritten(tmp_path / "policy.yaml", "rules:\n", "sign_off: {approver: Ms Lin}\nrules:\n")
        assert listed(page.get(RESULT).text)[0] == MAY_GO_OUT, "taken over into the policy of the original"


def test_a_copy_that_passes_does_not_speak_for_another_file(released, tmp_path):
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "out.csv", tmp_path / "good.csv")
    shutil.copy(tmp_path / "adult.csv", tmp_path / "out.csv")
    rewritten(tmp_path / "out_policy.yaml", "data: out.csv", "data: good.csv")
    report = json.loads((tmp_path / "out_report.json").read_text("utf-8"))
    report["inputs"][0]["sha256"] = hashlib.sha256((tmp_path / "out.csv").read_bytes()).hexdigest()
    (tmp_path / "out_report.json").write_text(json.dumps(report), "utf-8")
    with entered(tmp_path) as page:
        assert listed(page.get(RESULT).text)[0] == []


def test_a_policy_of_the_release_that_cannot_be_read_leaves_nothing_to_go_out(folder):
    made(folder)
    (folder / "out_plan.json").write_text("{}", "utf-8")
    with entered(folder) as page:
        shown = page.get(RESULT).text
    assert listed(shown)[0] == []


WAIVED = (
    "waivers: [{rule: big, owner: me, reason: x, expires: 2100-01-01}]\nrules:\n"
    "  - {name: big, measure: k-anonymity, k: 900}\n"
)


def test_a_waiver_that_expires_while_the_page_is_open_counts_no_more(folder, monkeypatch):
    rewritten(folder / "policy.yaml", "rules:\n", WAIVED)
    assert listed(made(folder))[0] == MAY_GO_OUT

    class Later(datetime.datetime):
        @classmethod
        def now(cls, zone=None):
            return cls(2100, 1, 2, tzinfo=zone)

    decide = "/decide/verdict?policy=out_policy.yaml"
    with entered(folder) as page:
        assert first_verdict(page.get(decide).text) == "waived"
        for module in (policy_rules, judging):
            monkeypatch.setattr(module, "datetime", Later)
        assert first_verdict(page.get(decide).text) == "fail"
        shown = page.get(RESULT).text
    assert listed(shown)[0] == []
    assert first_verdict(shown) == "fail"


def test_a_plan_that_changes_while_the_page_is_open_is_read_again(folder):
    rows = (folder / "adult.csv").read_text("utf-8").splitlines()
    header, *lines = rows
    named = [f"{header};person", *(f"{line};P{place}" for place, line in enumerate(lines))]
    (folder / "adult.csv").write_text("\n".join(named) + "\n", "utf-8")
    rewritten(folder / "policy.yaml", "rules:\n", "privacy_unit: person\nrules:\n")
    assert listed(made(folder))[0] == MAY_GO_OUT
    plan = folder / "out_plan.json"
    with entered(folder) as page:
        assert first_verdict(page.get("/decide/verdict?policy=out_policy.yaml").text) == "waived", (
            "it passes on an assumption"
        )
        content = json.loads(plan.read_text("utf-8"))
        del content["judged"]
        plan.write_text(json.dumps(content), "utf-8")
        assert first_verdict(page.get("/decide/verdict?policy=out_policy.yaml").text) == "fail"
        assert listed(page.get(RESULT).text)[0] == []


def test_a_release_on_chosen_levels_is_judged_as_things_are_now(folder):
    with entered(folder) as page:
        page.get("/levels?policy=policy.yaml&wait=1")
        seen = page.studio.cases.of(folder / "policy.yaml").file.digest
        fields = {"level-1": "4", "suppress": "1", "release": "out.csv", "seen": seen}
        job = ended(page, page.post("/levels/apply?policy=policy.yaml", data=fields, follow_redirects=False))
        assert job.purpose.on_end == "/compare"
        address = "/compare?policy=policy.yaml&release=out.csv&wait=1"
        assert "may not go out" not in page.get(address).text
        rewritten(folder / "policy.yaml", "k: 5", "k: 6")
        assert "what it is judged by has changed since" in page.get(address).text
        rewritten(folder / "policy.yaml", "k: 6", "k: 5")
        rewritten(folder / "out_policy.yaml", "k: '5'", "k: 900000")
        shown = page.get(address).text
    assert "may not go out: a rule does not hold" in shown
    assert first_verdict(shown) == "fail"


def test_a_release_is_outdated_everywhere_when_the_settings_change(released, tmp_path):
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    with entered(tmp_path) as page:
        pages = ("/bar?policy=policy.yaml", "/bar?policy=out_policy.yaml", "/")
        assert not [address for address in pages if "outdated" in page.get(address).text]
        rewritten(tmp_path / "policy.yaml", "k: 5", "k: 6")
        for address in pages:
            text = page.get(address).text
            assert "outdated" in text, address
            assert 'class="verdict pass"' not in text, address
        decide = page.get("/decide?policy=out_policy.yaml").text.partition("<main")[2]
        assert "the settings have changed since it was made" in decide
        assert "/decide/evidence" not in decide, "nobody signs an outdated release"


def test_every_page_about_a_release_names_the_others_of_the_same_people(released, tmp_path):
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    pages = ("/safe/result?policy=policy.yaml&release=out.csv", "/compare?policy=out_policy.yaml&wait=1")
    with entered(tmp_path) as page:
        for address in (*pages, "/decide?policy=out_policy.yaml"):
            assert "Another release of the same people" not in page.get(address).text
        assert petworks("anonymize", "policy.yaml", "-o", "second.csv", cwd=tmp_path).returncode == 0
        for address in (*pages, "/decide?policy=out_policy.yaml"):
            assert "Another release of the same people is in this folder: second.csv" in page.get(address).text, address
        assert "Another release" not in page.get("/risk?policy=policy.yaml&wait=1").text
        tables = re.findall(r'name="release" value="([^"]*)"', page.get("/compare?policy=out_policy.yaml&wait=1").text)
        assert tables == ["second.csv"], "neither originals nor codebooks are releases"
        made = page.get("/safe?policy=policy.yaml").text.partition('id="made"')[2]
        assert re.findall(r'href="/compare\?policy=(\w+)_policy', made)[:2] == ["out", "second"], "each can be used"


def test_a_second_policy_of_a_release_is_no_other_release(released, tmp_path):
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "out_policy.yaml", tmp_path / "with_a_waiver.yaml")
    with entered(tmp_path) as page:
        assert "1 other release" not in page.get("/bar?policy=with_a_waiver.yaml").text


def test_an_export_is_outdated_when_its_policy_changes(folder):
    assert petworks("anonymize", "policy.yaml", "-o", "out.csv", cwd=folder).returncode == 0
    with entered(folder) as page:
        job = ended(page, page.post("/decide/evidence?policy=out_policy.yaml", follow_redirects=False))
        address = f"/decide/exported?policy=out_policy.yaml&job={job.id}"
        assert "out.csv" in listed(page.get(address).text)[0]
        rewritten(folder / "out_policy.yaml", "k: '5'", "k: 4")
        assert listed(page.get(address).text)[0] == []
        rewritten(folder / "out_policy.yaml", "k: 4", "k: 900")
        assert listed(page.get(address).text)[0] == []


def test_a_file_that_somebody_puts_into_the_evidence_folder_stays_inside(released, tmp_path):
    shutil.copytree(released, tmp_path, dirs_exist_ok=True)
    with entered(tmp_path) as page:
        job = ended(page, page.post("/decide/evidence?policy=out_policy.yaml", follow_redirects=False))
        address = f"/decide/exported?policy=out_policy.yaml&job={job.id}"
        (recipients,) = tmp_path.glob("evidence_*/for_recipients")
        names = [f"{recipients.relative_to(tmp_path).as_posix()}/report.{kind}" for kind in ("html", "json")]

        def out():
            return re.findall(r"[\w./-]+\.(?:html|json|csv)", " ".join(listed(page.get(address).text)[0]))

        assert set(out()) >= {"out.csv", *names}
        shutil.copy(tmp_path / "adult.csv", recipients / "raw.csv")
        assert not [name for name in out() if "raw" in name]
        assert any("raw.csv" in one for one in listed(page.get(address).text)[1])
        shutil.copy(tmp_path / "adult.csv", recipients / "report.html")
        assert set(out()) == {"out.csv", "out_codebook.csv", names[1]}, "not the report that was written"
