"""Decide: the forms of a policy, mistakes at the form, exports, and versions."""

import hashlib
import json
import re
import shutil
from html import unescape

import pytest

from command import petworks
from conftest import ROOT
from PETWorks.gate.policy.policy import read_policy
from PETWorks.render.language.language import message_text
from studio_client import ended, entered, fields_of, quick_jobs  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("quick_jobs")

POLICY = """\
# ours
petworks_policy: 1
title: "Adults <b>"
data: adult.csv
no_rule: {workclass: a test}
role_reasons: {marital-status: x, education: x, native-country: x, occupation: x, salary-class: x}
roles:
  quasi_identifiers: [sex, age, race]   # known
  sensitive_attributes: [workclass]
  insensitive_attributes: [marital-status, education, native-country, occupation, salary-class]
hierarchies:
  sex: {rare: {fewer_than: 20}}
  age: {width: [5, 10, 20]}
  race: {rare: {fewer_than: 20}}
context:
  release: public   # anybody
  rules_reason: a test
  purpose: {en: research, zh-TW: 研究}
  assumptions:
    - en: nobody knows the date
      zh-TW: 沒有人知道日期
    - no other table
presets: [pdpc-5]   # Singapore
rules:
  - measure: t-closeness   # near
    t: 0.50
    distance: {workclass: equal}
    why: "because </textarea><script>alert(1)</script>"
  - measure: k-anonymity
    k: "3"
    name: small
subsets:
  sizes: 1-2
  limits:
    uniques: 0.5
    inference:workclass: 0.9
waivers:
  - rule: small
    owner: Ms Lin
    reason: {en: a pilot}
    expires: 2099-12-31
regimes: [iso-27559]
sign_off:
  approver: Dr Wu   # 醫師
anonymize:
  suppression: 0.1
"""
AT = "/decide?policy=policy.yaml"


@pytest.fixture
def folder(tmp_path):
    shutil.copy(ROOT / "data/adult.csv", tmp_path)
    (tmp_path / "policy.yaml").write_text(POLICY, "utf-8")
    return tmp_path


def save(page, to="save", shown=None, **changed):
    """Send the form of the page, or of an answer, with some fields changed."""
    fields = fields_of(page.get(AT).text if shown is None else shown, "/decide/save")
    fields |= {name.replace("__", "-"): value for name, value in changed.items()}
    data = {name: value for name, value in fields.items() if value is not None}
    return page.post(f"/decide/{to}?policy=policy.yaml", data=data, follow_redirects=False)


def text_of(folder):
    return (folder / "policy.yaml").read_text("utf-8")


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
def test_a_form_that_is_saved_as_it_is_changes_nothing_and_says_so(folder, lang):
    with entered(folder) as page:
        page.post("/language", data={"lang": lang, "back": "/"})
        answer = save(page)
        assert text_of(folder) == POLICY
        assert message_text(lang, "studio.saved") in page.get(answer.headers["location"]).text


def test_rules_are_chosen_changed_added_and_removed(folder):
    with entered(folder) as page:
        save(page, preset=["pdpc-5", "cms-11"], rule__0__p__t="0.4")
        changed = POLICY.replace("[pdpc-5]  ", "[pdpc-5, cms-11]").replace("t: 0.50", "t: 0.4")
        assert text_of(folder) == changed
        save(page, rule__1__remove="yes", preset=None)
        assert "k-anonymity" in text_of(folder), "its waiver would be about nothing: that is a mistake"
        save(page, waiver__0__remove="yes")
        assert "waivers" not in read_policy(folder / "policy.yaml").file.content
        save(page, rule__1__remove="yes", preset=None)
        policy = read_policy(folder / "policy.yaml")
        assert not policy.presets
        assert [rule.name for rule in policy.rules][:1] == ["t-closeness"]
        typed = save(page, do="add", add="l-diversity", rule__0__p__t="0.3").text
        save(page, shown=typed, new__p__l="2", new__name="diverse", new__why="as agreed")
        rule = read_policy(folder / "policy.yaml").file.content["rules"][1]
        assert rule == {"measure": "l-diversity", "l": "2", "name": "diverse", "why": "as agreed"}
        assert "t: 0.3 " in text_of(folder) or "t: 0.3\n" in text_of(folder), "what was typed before is saved, too"
        assert "t-closeness   # near" in text_of(folder)
        assert "because </textarea>" in text_of(folder)


def test_limits_on_subsets(folder):
    with entered(folder) as page:
        save(page, sizes="all", limit__0="0.2", limit__2="")
        assert read_policy(folder / "policy.yaml").file.content["subsets"] == {
            "sizes": "all",
            "limits": {"inference:workclass": "0.9", "highest-risk": "0.2"},
        }
        save(page, sizes="", limit__0="", limit__4="")
        assert "subsets" not in read_policy(folder / "policy.yaml").file.content


def test_waivers_context_regimes_and_sign_off(folder):
    with entered(folder) as page:
        new = {"rule": "pdpc-5", "owner": "林主任", "reason": "試辦", "expires": "2098-01-31"}
        save(page, **{f"waiver__new__{key}": value for key, value in new.items()})
        save(page, waiver__0__reason="a longer pilot")
        save(page, release="controlled", purpose="teaching", recipients="students", none__earlier="yes")
        save(page, assumptions="no other table\r\nnobody knows the date\r\na third one")
        save(page, regime=["iso-27559", "cns-29100-2"])
        save(page, role="head", review_by="2031-01-31", incident_contact="privacy@example.org")
        content = read_policy(folder / "policy.yaml").file.content
        assert content["waivers"][1] == new
        assert content["waivers"][0]["reason"] == {"en": "a longer pilot"}
        assert content["context"] == {
            "release": "controlled",
            "rules_reason": "a test",
            "purpose": {"en": "teaching", "zh-TW": "研究"},
            "assumptions": [
                "no other table",
                {"en": "nobody knows the date", "zh-TW": "沒有人知道日期"},
                "a third one",
            ],
            "recipients": "students",
            "earlier_releases": [],
        }
        assert content["regimes"] == ["iso-27559", "cns-29100-2"]
        assert content["sign_off"] == {
            "approver": "Dr Wu",
            "role": "head",
            "review_by": "2031-01-31",
            "incident_contact": "privacy@example.org",
        }
        for comment in ("# ours", "# known", "# anybody", "# near", "# 醫師"):
            assert comment in text_of(folder)
        new = {"what": "2025", "date": "2025-11-30", "recipients": "all"}
        save(page, **{f"earlier__new__{key}": value for key, value in new.items()})
        earlier = read_policy(folder / "policy.yaml").accountability.earlier_releases
        assert [(one.what, one.date) for one in earlier] == [("2025", "2025-11-30")]


def test_adversaries_are_named_with_what_they_know(folder):
    def adversaries():
        return read_policy(folder / "policy.yaml").file.content["context"].get("adversaries")

    with entered(folder) as page:
        save(page, adversary__new__who="a neighbour", adversary__new__knows=["sex", "age"])
        assert adversaries() == [{"who": "a neighbour", "knows": ["sex", "age"]}]
        changed = text_of(folder)
        save(page)
        assert text_of(folder) == changed
        save(page, adversary__0__knows=["race"])
        assert adversaries() == [{"who": "a neighbour", "knows": ["race"]}]
        answer = save(page, adversary__new__knows=["sex"])
        assert answer.status_code == 400
        assert "'who' is missing" in unescape(answer.text)
        assert re.search(r'name="adversary-new-knows" value="sex" checked', answer.text)
        save(page, adversary__0__remove="yes")
        assert adversaries() is None


@pytest.mark.parametrize(
    ("section", "changed", "message"),
    [
        ("waivers", {"waiver__new__owner": "someone"}, "'rule', 'reason', 'expires' are missing"),
        ("waivers", {"waiver__0__expires": "2099-02-31"}, "no such day"),
        ("rules", {"rule__1__p__k": "many"}, "k-anonymity needs"),
        ("rules", {"rule__0__p__t": "", "rule__0__p__distance": ""}, "t-closeness"),
        ("rules", {"sizes": "everything"}, "expected sizes of subsets"),
        ("rules", {"sizes": "4"}, "within 1-3"),
        ("rules", {"limit__0": "2"}, "highest-risk"),
        ("sign-off", {"review_by": "soon"}, "review_by"),
        ("rules", {"preset": ["mine"]}, "of the list"),
    ],
)
def test_mistakes_are_shown_at_the_form_and_nothing_is_written(folder, section, changed, message):
    (folder / "policy.yaml").write_text(POLICY.replace("    distance: {workclass: equal}\n", ""), "utf-8")
    before = text_of(folder)
    with entered(folder) as page:
        answer = save(page, **changed)
        assert answer.status_code == 400
        alert = unescape(re.search(r'<p class="message fail lines" role="alert">(.*?)</p>', answer.text, re.S)[1])
        assert message in alert
        after = answer.text.index('role="alert"')
        assert answer.text.rindex(f'<h2 id="{section}"', 0, after) == answer.text.rindex("<h2 id=", 0, after)
        assert text_of(folder) == before
        shown = fields_of(answer.text, "/decide/save")
        for name, value in changed.items():
            if name not in ("seen", "preset") and value != "2099-02-31":
                assert shown[name.replace("__", "-")] == value, "what was typed stays"


def test_a_form_that_is_out_of_date_changes_nothing_and_leads_back(folder):
    with entered(folder) as page:
        answer = save(page, seen="0" * 64, approver="Ms Lin")
        assert answer.status_code == 400
        assert "changed in another window" in answer.text
        assert "data-failed" in answer.text, "so that the browser keeps what was typed"
        assert text_of(folder) == POLICY


def test_nobody_exports_without_the_approver_whom_a_regime_asks_for_unless_they_say_so(folder):
    with entered(folder) as page:
        answer = save(page, "evidence", approver="", role="head")
        assert answer.status_code == 400
        assert "iso-27559 asks for an approver" in answer.text
        assert read_policy(folder / "policy.yaml").file.content["sign_off"] == {"role": "head"}, "it is saved"
        assert ended(page, save(page, "evidence", anyway="yes")).code == 1
        assert ended(page, save(page, "evidence", approver="Ms Lin")).code == 1


def test_why_a_column_needs_no_rule(folder):
    with entered(folder) as page:
        save(page, no__rule__0="another test")
        assert text_of(folder) == POLICY.replace("{workclass: a test}", "{workclass: another test}")


def test_a_new_row_with_a_mistake_can_be_corrected(folder):
    with entered(folder) as page:
        answer = save(page, waiver__new__owner="someone", waiver__0__remove="yes")
        fields = fields_of(answer.text, "/decide/save")
        assert fields["waiver-new-owner"] == "someone"
        assert fields["waiver-0-remove"] == "yes"
        fields |= {"waiver-new-rule": "pdpc-5", "waiver-new-reason": "r", "waiver-new-expires": "2098-01-31"}
        page.post("/decide/save?policy=policy.yaml", data=fields)
        assert [(one.rule, one.owner) for one in read_policy(folder / "policy.yaml").waivers] == [("pdpc-5", "someone")]


def test_the_page_shows_the_verdict_checklists_and_no_script_of_a_policy(folder):
    with entered(folder) as page:
        first = page.get(AT)
        assert "/decide/verdict?policy=policy.yaml" in first.text, "the check takes time, so it comes later"
        verdict = page.get("/decide/verdict?policy=policy.yaml").text
        assert "iso-27559" in verdict
        assert re.search(
            r'✗ <a href="/decide\?policy=policy.yaml#incident_contact">a contact for incidents</a>', verdict
        )
        assert '<span class="verdict fail">' in verdict
        shown = page.get(AT)
        assert '<span class="verdict fail">' in shown.text
        assert "<script>alert" not in shown.text
        assert len(shown.content) < 150_000
        chosen = "Personal Data Protection Commission Singapore, t-closeness, k-anonymity"
        assert f'<span class="note">{chosen}</span>' in shown.text, "organisations, not names of presets"
        assert '<span class="note">Adults &lt;b&gt;</span></h3>' in verdict, "the verdict names its table"
        for one in ("cms-11", "https://resdac.org/articles/cms-cell-size-suppression-policy", "hipaa-expert"):
            assert one in shown.text


def test_the_evidence_folder_of_a_release_and_that_it_verifies(folder):
    with entered(folder) as page:
        assert petworks("anonymize", "policy.yaml", "-o", "out.csv", cwd=folder).returncode == 0
        assert "out.csv" in page.get(AT).text, "one decides about the release"
        address = "policy=out_policy.yaml"
        job = ended(page, page.post(f"/decide/evidence?{address}", follow_redirects=False))
        name = job.purpose.values["folder"]
        assert re.fullmatch(r"evidence_out_\d{4}-\d{2}-\d{2}", name)
        shown = page.get(f"/decide/exported?{address}&job={job.id}").text
        out, inside = shown.split('class="files out"')[1].split('class="files inside"')
        assert "out.csv" in out
        assert "internal/report.external.html" in out, "the folder does not tell a verdict that outsiders do not see"
        assert "internal/out_policy.yaml" in inside
        assert "internal/out_plan.json" in inside
        written = {path.name for path in (folder / name).rglob("*") if path.is_file()}
        reports = {"report.html", "report.json", "report.external.html", "report.external.json"}
        assert written == {"README.txt", "SHA256SUMS", "out_policy.yaml", "out_plan.json", *reports}
        again = ended(page, page.post(f"/decide/evidence?{address}", follow_redirects=False))
        assert again.purpose.values["folder"] == f"{name}_2", "an earlier folder is kept"
        external = page.get("/report", params={"file": f"{name}/internal/report.external.html"})
        assert external.status_code == 200
        other = page.get(f"/decide/exported?policy=policy.yaml&job={job.id}")
        assert other.status_code == 400


def test_reports_of_the_page_and_of_the_command_line_have_the_same_digest(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("typed")
    release = POLICY.replace("data: adult.csv", "data: adult.csv\noriginal: adult.csv")  # that does not pass
    (folder / "policy.yaml").write_text(release, "utf-8")
    with entered(folder) as page:
        save(page, approver="Ms Lin")
        for name in ("adult.csv", "policy.yaml"):
            shutil.copy(folder / name, other)
        job = ended(page, page.post("/decide/evidence?policy=policy.yaml", follow_redirects=False))
        assert job.code == 1
        shown = page.get(f"/decide/exported?policy=policy.yaml&job={job.id}").text
        assert "do not hand out the release" in shown
        assert "adult.csv" not in re.search(r'class="files out".*?</ul>', shown, re.S)[0]
    assert petworks(*job.command.split()[1:], cwd=other).returncode == 1
    names = ("report.json", "report.external.json")
    mine, theirs = (
        [json.loads(next(one.glob(f"evidence_*/*/{name}")).read_text("utf-8")) for name in names]
        for one in (folder, other)
    )
    assert mine[0]["content_sha256"] == theirs[0]["content_sha256"]
    assert [one["edition"] for one in mine] == ["internal", "external"]
    written = hashlib.sha256(text_of(folder).encode()).hexdigest()
    assert mine[0]["policy"]["sha256"] == written


def test_versions_are_shown_as_differences_and_each_can_be_restored(folder):
    with entered(folder) as page:
        assert "was not changed on this page" in page.get("/decide/versions?policy=policy.yaml").text
        save(page, approver="<img src=x>")
        save(page, approver="third")
        save(page, recipients="everybody")
        last = text_of(folder)
        shown = page.get("/decide/versions?policy=policy.yaml").text
        assert "<img" not in shown
        assert "+  approver: &lt;img src=x&gt;" in shown
        assert re.findall(r'<h2 id="version-(\d+)"', shown) == ["3", "2", "1"]
        digest = re.search(r'name="seen" value="(\w+)"', shown)[1]
        page.post("/decide/restore?policy=policy.yaml", data={"number": "1", "seen": digest})
        assert text_of(folder) == POLICY
        page.post(f"/undo?{AT.partition('?')[2]}", data={"back": "/decide"})
        assert text_of(folder) == last, "going back can be undone"
        for number in ("99", "x", "../1"):
            assert page.post("/decide/restore?policy=policy.yaml", data={"number": number}).status_code == 400
        stale = {"number": "1", "seen": digest[::-1]}
        assert page.post("/decide/restore?policy=policy.yaml", data=stale).status_code == 400


def test_many_versions_stay_within_the_size_of_a_page(folder):
    with entered(folder) as page:
        file = page.studio.cases.of(folder / "policy.yaml").file
        for number in range(20):
            lines = [f"assumption {number} {place} {'x' * 500}" for place in range(50)]
            file.change(lambda document, lines=lines: document["context"].update(assumptions=lines))
        answer = page.get("/decide/versions?policy=policy.yaml")
        assert len(answer.content) < 150_000
        older = re.search(r'href="(/decide/versions\?[^"]*before=\d+)"', answer.text)[1]
        assert re.findall(r'<h2 id="version-(\d+)"', page.get(unescape(older)).text) == ["5", "4", "3", "2", "1"]


def test_lists_stay_as_they_are_indented(folder):
    lines = POLICY.split("rules:")[0] + "rules:\n- measure: k-anonymity\n  k: 3\n- measure: l-diversity\n  l: 2\n"
    text = re.sub(r"  assumptions:.*other table\n", "  assumptions:\n  - one\n  - two\n", lines, flags=re.S)
    (folder / "policy.yaml").write_text(text, "utf-8")
    with entered(folder) as page:
        save(page, approver="Ms Lin")
        assert text_of(folder) == text + "sign_off:\n  approver: Ms Lin\n"
