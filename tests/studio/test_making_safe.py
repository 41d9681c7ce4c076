"""Make it safe: the settings in the policy, the search as a command, what came out, and choosing something else."""

import hashlib
import re
import shutil
from html import unescape

import pytest

from command import petworks
from conftest import ROOT
from PETWorks.errors import PETWorksError
from PETWorks.gate.policy.policy import read_policy
from PETWorks.gate.suggest.protection_proposal import coarse_roundings
from PETWorks.measures.numbers import count
from PETWorks.render.language.language import message_text
from PETWorks.studio.pages import make_safe
from studio_client import ended, entered, fields_of, quick_jobs, write_long_search  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("quick_jobs")

POLICY = """\
# ours
petworks_policy: 1
data: adult.csv
no_rule: {workclass: a test}
role_reasons: {race: a test, marital-status: a test, education: a test, native-country: a test, occupation: a test}
roles:
  quasi_identifiers: [sex, age, "a<b>c"]   # known
  sensitive_attributes: [workclass]
  insensitive_attributes: [race, marital-status, education, native-country, occupation]
hierarchies:
  sex: {rare: {fewer_than: 20}}
  age: {width: [5, 10, 20]}
  a<b>c: {rare: {fewer_than: 20}}
rules:
  - measure: k-anonymity
    k: 5
anonymize:
  suppression: 0.02   # a few
"""


@pytest.fixture
def folder(tmp_path):
    text = (ROOT / "data/adult.csv").read_text("utf-8")
    (tmp_path / "adult.csv").write_text(text.replace("salary-class", "a<b>c", 1), "utf-8")
    (tmp_path / "policy.yaml").write_text(POLICY, "utf-8")
    return tmp_path


def run(page, *, do="run", **changed):
    fields = fields_of(page.get("/safe?policy=policy.yaml").text, "/safe/run")
    return page.post("/safe/run?policy=policy.yaml", data={**fields, "do": do, **changed}, follow_redirects=False)


def digests(folder):
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".petworks" not in path.parts)
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_settings_are_saved_in_the_policy_and_comments_stay(folder):
    with entered(folder) as page:
        before = (folder / "policy.yaml").read_text("utf-8")
        assert run(page, do="save").headers["location"] == "/safe?policy=policy.yaml&saved=1"
        assert (folder / "policy.yaml").read_text("utf-8") == before, "nothing was changed"
        run(page, do="save", suppression="5", minutes="10", **{"low-1": "1", "high-1": "2", "weight-2": "2.5"})
        assert (folder / "policy.yaml").read_text("utf-8") == before.replace(
            "suppression: 0.02   # a few\n",
            "suppression: 0.05   # a few\n"
            "  time: 10m\n"
            "  weights:\n    a<b>c: 2.5\n"
            "  levels:\n    age:\n      at_least: 1\n      at_most: 2\n",
        )
        shown = fields_of(page.get("/safe?policy=policy.yaml").text, "/safe/run")
        assert (shown["suppression"], shown["minutes"], shown["low-1"], shown["weight-2"]) == ("5", "10", "1", "2.5")
        run(page, do="save", suppression="0", minutes="", **{"low-1": "", "high-1": "", "weight-2": ""})
        assert read_policy(folder / "policy.yaml").anonymize == {}
        assert shown["method"] == "local"
        run(page, do="save", objective="precision", method="global", order="original")
        chosen = {"objective": "precision", "method": "global", "order": "original"}
        assert read_policy(folder / "policy.yaml").anonymize == chosen
        run(page, do="save", order="shuffled", protect="disease=round:5; ward=dates:month")
        assert read_policy(folder / "policy.yaml").anonymize["protect"] == {
            "disease": {"round": "5"},
            "ward": {"dates": "month"},
        }
        shown = fields_of(page.get("/safe?policy=policy.yaml").text, "/safe/run")
        assert shown["protect"] == "disease=round:5; ward=dates:month"
        assert run(page, do="save", protect="disease=rond:5").status_code == 400
        run(page, do="save", protect="")
        assert "protect" not in read_policy(folder / "policy.yaml").anonymize
        assert "order" not in read_policy(folder / "policy.yaml").anonymize


def test_suppressed_records_can_be_kept(folder):
    with entered(folder) as page:
        address = "/safe?policy=policy.yaml"
        assert fields_of(page.get(address).text, "/safe/run")["suppressed_records"] == "remove"
        for lang, kept in (("en", "stay, with *"), ("zh-TW", "保留，準識別符改成「*」")):
            assert kept in unescape(page.get(address, headers={"accept-language": lang}).text)
        run(page, do="save", suppressed_records="stars")
        assert (folder / "policy.yaml").read_text("utf-8") == POLICY + "  suppressed_records: stars\n"
        assert fields_of(page.get(address).text, "/safe/run")["suppressed_records"] == "stars"
        ended(page, run(page, suppression="20", **{"high-1": "1"}))
        rows = (folder / "adult_released.csv").read_text("utf-8").splitlines()
        assert len(rows) == len((folder / "adult.csv").read_text("utf-8").splitlines())
        assert any(row.startswith("*") for row in rows)
        run(page, do="save", suppressed_records="remove")
        assert "suppressed_records" not in read_policy(folder / "policy.yaml").anonymize


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"suppression": "101"}, "suppression: expected a number from 0 to 100"),
        ({"low-1": "3", "high-1": "2"}, "the lowest level is above"),
        ({"high-1": "1.5"}, "high: expected a number from 0 to 4"),
        ({"release": "../out.csv"}, "the name of a file"),
        ({"release": "adult.csv"}, "was not made here"),
        ({"release": "out.exe"}, "ends in one of"),
        ({"objective": "happiness"}, "objective is one of"),
        ({"order": "sorted"}, "order is one of"),
        ({"suppressed_records": "hide"}, "suppressed records is one of"),
        ({"reasons": "yes", "below": "1"}, "from 2 to"),
    ],
)
def test_mistakes_are_shown_at_the_form(folder, changed, message):
    with entered(folder) as page:
        answer = run(page, **changed)
        assert answer.status_code == 400
        assert message in unescape(answer.text)
        fields = fields_of(answer.text, "/safe/run")
        no_text = ("reasons", "below", "seen", "objective", "order", "suppressed_records")
        kept = [name for name in changed if name not in no_text]
        assert {name: fields[name] for name in kept} == {name: changed[name] for name in kept}, "what was typed stays"
        assert not page.studio.jobs.running


def test_a_mistake_after_settings_are_saved_can_be_corrected(folder):
    with entered(folder) as page:
        answer = run(page, suppression="5", reasons="yes", below="1")
        assert answer.status_code == 400
        assert "suppression: 0.05" in (folder / "policy.yaml").read_text("utf-8")
        fields = fields_of(answer.text, "/safe/run") | {"do": "save", "minutes": "3"}
        saved = page.post("/safe/run?policy=policy.yaml", data=fields, follow_redirects=False)
        assert saved.status_code == 303, "the form is about the policy as it is now"


def test_no_release_is_replaced_unless_someone_says_so(folder):
    with entered(folder) as page:
        first = ended(page, run(page))
        assert fields_of(page.get("/safe?policy=policy.yaml").text, "/safe/run")["release"] == "adult_released_2.csv"
        before = (folder / "adult_released.csv").read_bytes()
        answer = run(page, release="adult_released.csv", suppression="9")
        assert answer.status_code == 400
        assert "is there already" in unescape(answer.text)
        assert "suppression: 0.02" in (folder / "policy.yaml").read_text("utf-8"), "nothing is saved either"
        assert (folder / "adult_released.csv").read_bytes() == before
        again = ended(page, run(page, release="adult_released.csv", replace="yes"))
        assert again.arguments == first.arguments
        answer = run(page, seen="0" * 64)
        assert answer.status_code == 400
        assert "changed in another window" in answer.text


def test_a_column_that_was_lost_is_kept_by_a_button(folder):
    with entered(folder) as page:
        ended(page, run(page, suppression="0", method="global"))
        shown = page.get("/safe/result?policy=policy.yaml&release=adult_released.csv").text
        states = dict(
            re.findall(r'<th scope="row">(?:<bdi>)?(.*?)(?:</bdi>)?</th><td><span class="state-(\w+)"', shown)
        )
        policy = {"keep": "age"}
        answer = page.post(
            "/safe/choose?policy=policy.yaml", data={"release": "adult_released.csv", "keep": "no column"}
        )
        assert answer.status_code == 400
        job = ended(
            page,
            page.post(
                "/safe/choose?policy=policy.yaml",
                data={"release": "adult_released.csv", **policy},
                follow_redirects=False,
            ),
        )
        assert job.arguments[-1] == "--keep=age"
        assert {"sex", "age"} <= set(states)
        assert "keep" not in (folder / "policy.yaml").read_text("utf-8"), "the policy stays as it was"
        kept = {column["column"]: column["state"] for column in job.result["anonymization"]["column_states"]}
        assert kept["age"] != "lost"


def test_the_mouse_and_the_command_line_give_the_same_policy_release_and_digest(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("typed")
    text = (folder / "policy.yaml").read_text("utf-8")
    (folder / "policy.yaml").write_text(text.replace("anonymize:\n", "anonymize:\n  order: original\n"), "utf-8")
    for name in ("adult.csv", "policy.yaml"):
        shutil.copy(folder / name, other)
    with entered(folder) as page:
        job = ended(page, run(page))
        shown = page.get("/safe/result?policy=policy.yaml&release=adult_released.csv").text
    assert petworks(*job.command.split()[1:], cwd=other).returncode == 0
    mine, theirs = digests(folder), digests(other)
    reports = {"adult_released_report.html", "adult_released_report.json"}  # they have the time in them
    assert set(mine) == set(theirs) >= {"adult_released.csv", "adult_released_policy.yaml", "policy.yaml", *reports}
    assert {name: mine[name] for name in set(mine) - reports} == {name: theirs[name] for name in set(mine) - reports}
    content = [
        re.search(r'"content_sha256": "(\w+)"', (one / "adult_released_report.json").read_text("utf-8"))[1]
        for one in (folder, other)
    ]
    assert content[0] == content[1]
    assert "a&lt;b&gt;c" in shown
    assert "<b>c" not in shown


def test_a_release_before_and_after_and_the_next_best_one_instead(folder):
    with entered(folder) as page:
        ended(page, run(page, reasons="yes", method="global"))
        address = "/safe/result?policy=policy.yaml&release=adult_released.csv"
        shown = page.get(address).text
        for text in (
            "Proved: no other levels keep the rules and lose less",
            "What became of each column",
            "Five records before and after",
        ):
            assert text in shown
        assert '<span class="badge inside">internal</span>' in shown
        assert 'class="button main end" href="/compare?policy=adult_released_policy.yaml"' in shown
        assert "adult_released.csv" in page.get("/safe?policy=policy.yaml").text, "it is found again"
        fields = fields_of(shown, "/safe/choose")
        job = ended(page, page.post("/safe/choose?policy=policy.yaml", data=fields, follow_redirects=False))
        levels = [int(level) for level in fields["levels"].split(",")]
        assert job.arguments[-5:] == (
            "--suppression=0.02",
            "--global",
            *(f"--level={name}={level}" for name, level in zip(("sex", "age", "a<b>c"), levels, strict=True)),
        )
        assert job.purpose.values == {"release": "adult_released_2.csv"}, "the first one is not replaced"
        facts = job.result["anonymization"]
        assert [column["level"] for column in facts["columns"]] == levels
        assert all(column["allowed_levels"] == [column["level"]] * 2 for column in facts["columns"])
        (folder / "adult_released.csv").write_text("changed", "utf-8")
        assert "is not the file that was judged" in page.get(address).text


def test_the_two_ways_to_recode_are_compared_and_the_other_one_can_be_chosen(folder):
    with entered(folder) as page:
        first = ended(page, run(page))
        address = "/safe/result?policy=policy.yaml&release=adult_released.csv"
        shown = page.get(address).text
        for text in ("one level per column", "record by record ◀", "average risk", "columns lost"):
            assert text in shown
        fields = fields_of(shown, "/safe/choose")
        assert fields["method"] == "global"
        other = ended(page, page.post("/safe/choose?policy=policy.yaml", data=fields, follow_redirects=False))
        assert other.arguments[-2:] == ("--suppression=0.02", "--global")
        ways = first.result["anonymization"]["choice"]["ways"]
        assert other.result["anonymization"]["choice"] == {"made": "global", "ways": ways[:1]}
        assert (
            "Record by record usually keeps more"
            in page.get("/safe/result?policy=policy.yaml&release=adult_released_2.csv").text
        )


def test_a_release_says_what_is_gone_and_how_much_is_only_stars(folder):
    text = (folder / "policy.yaml").read_text("utf-8").replace("native-country, occupation]", "native-country]")
    text = text.replace("insensitive_attributes:", "identifiers: [occupation]\n  insensitive_attributes:")
    (folder / "policy.yaml").write_text(text.replace(", occupation: a test", ""), "utf-8")
    with entered(folder) as page:
        run(page, do="save", suppressed_records="stars")
        job = ended(page, run(page, method="global"))
        shown = unescape(page.get("/safe/result?policy=policy.yaml&release=adult_released.csv").text)
    facts = job.result["anonymization"]
    assert "Not in the release: 1 column (" in shown
    assert "occupation" in shown.partition("Not in the release")[2][:60]
    assert facts["suppressed"] > 0
    assert f"{facts['suppressed']} of {count(facts['records'])} records" in shown
    rows = dict(re.findall(r'<th scope="row">([^<]*)</th>(<td><span class="state-.*?</tr>)', shown, re.S))
    assert "are *" in rows["age"]
    assert all("100 %" in row for row in rows.values() if 'class="state-kept"' in row), "what was removed is told above"


def test_the_regressions_are_named_and_removed_and_a_mistake_is_shown_at_their_fields(folder):
    def models():
        return read_policy(folder / "policy.yaml").file.content.get("models")

    with entered(folder) as page:
        text = page.get("/safe?policy=policy.yaml").text
        place = {unescape(name): at for at, name in re.findall(r'name="on" value="(\d+)"> <bdi>(.*?)</bdi>', text)}
        assert {"sex", "age", "a<b>c"} <= set(place)
        answer = run(page, do="save", outcome=place["age"])
        assert answer.status_code == 400
        assert re.search(r'<fieldset>.*?id="wrong-model">a model is on 1 to 50 columns', answer.text, re.S)
        answer = run(page, do="save", on=place["sex"])
        assert "choose the outcome that the columns explain" in answer.text
        assert models() is None
        run(page, do="save", outcome=place["age"], on=[place["sex"], place["a<b>c"]], log="yes")
        assert models() == [{"outcome": "age", "on": ["sex", "a<b>c"], "log": "true"}]
        assert "log(1 + age) ~ sex + a&lt;b&gt;c" in page.get("/safe?policy=policy.yaml").text
        run(page, do="save", **{"model-0-remove": "yes"})
        assert models() is None


def test_a_button_makes_an_amount_coarser_in_the_releases_to_come(folder):
    with entered(folder) as page:
        given = {"protect": "education=round:5,top:15"}
        assert page.post("/safe/protect?policy=policy.yaml", data=given, follow_redirects=False).status_code == 303
        assert read_policy(folder / "policy.yaml").anonymize["protect"] == {"education": {"round": "5", "top": "15"}}
        assert page.post("/safe/protect?policy=policy.yaml", data={"protect": "x=round:5"}).status_code == 400


def test_amounts_are_rounded_to_ever_fewer_values():
    counts = {str(value): 1 for value in range(1, 2001)} | {None: 3, "unknown": 2}
    assert [words for words, _ in coarse_roundings(counts)] == [
        {"round": "50", "top": "1900"},
        {"round": "100", "top": "1900"},
        {"round": "200", "top": "1800"},
    ]
    assert [left for _, left in coarse_roundings(counts)] == [39, 20, 10]
    assert coarse_roundings({"a": 3, "b": 4}) == []


def test_reasons_are_written_for_insiders_who_can_download_them(folder):
    with entered(folder) as page:
        job = ended(page, run(page, reasons="yes", below="12", method="global"))
        assert job.arguments[-4:] == ("--reasons", "adult_released_reasons_internal.csv", "--below", "12")
        shown = page.get("/safe/result?policy=policy.yaml&release=adult_released.csv").text
        inside = shown.partition('class="files inside"')[2]
        file = page.get(re.search(r'href="(/file\?path=[^"]*reasons_internal.csv)" download', inside)[1])
        assert file.headers["content-disposition"].startswith("attachment")
        assert file.content == (folder / "adult_released_reasons_internal.csv").read_bytes()


def test_a_point_of_the_frontier_is_chosen(folder):
    with entered(folder) as page:
        job = ended(page, run(page, do="frontier", limits="0, 1, 5", varied="k-anonymity:k", values="2, 5, 20"))
        assert job.arguments[2:5] == ("--frontier", "--vary=suppression=0,0.01,0.05", "--vary=k-anonymity:k=2,5,20")
        shown = page.get(f"/safe/frontier?policy=policy.yaml&job={job.id}&release=adult_released.csv").text
        points = job.result["frontier"]["points"]
        assert [int(number) for number in re.findall(r'<button id="point-(\d+)"', shown)] == list(range(len(points)))
        pressed = {int(number) for number in re.findall(r'data-press="point-(\d+)"', shown)}
        assert pressed <= set(range(len(points)))
        assert pressed
        assert "the release will not pass" in shown
        assert shown.count('name="method" value="local"') == shown.count('name="method" value="global"') == len(points)
        last = page.post(
            "/safe/choose?policy=policy.yaml",
            data={
                "release": "adult_released.csv",
                "suppression": "0.05",
                "threshold": "k-anonymity:k=20",
                "method": "local",
            },
            follow_redirects=False,
        )
        made = ended(page, last)
        assert made.arguments[-3:] == ("--suppression=0.05", "--threshold=k-anonymity:k=20", "--local")
        wanted = next(point for point in points if (point["threshold"], point["suppression"]) == (20, 0.05))
        assert made.result["anonymization"]["loss"] == pytest.approx(wanted["local_loss"])
        assert made.result["anonymization"]["after"]["smallest_class"] >= 20
        for wrong in ("nothing:k=3", "k-anonymity:k=--help"):
            answer = page.post(
                "/safe/choose?policy=policy.yaml", data={"release": "adult_released.csv", "threshold": wrong}
            )
            assert answer.status_code == 400


def test_what_was_decided_about_a_release_is_not_lost(folder):
    with entered(folder) as page:
        ended(page, run(page))
        released = folder / "adult_released_policy.yaml"
        page.studio.cases.of(released).file.change(lambda document: document.update(sign_off={"approver": "Ms Lin"}))
        shown = page.get("/safe?policy=policy.yaml").text
        assert "What you entered under Decide is only in the release adult_released.csv" in unescape(shown)
        assert message_text("en", "studio.safe.use") not in shown, "it is the one in use"
        shown = page.get("/safe?policy=policy.yaml&level-0=1").text
        answer = page.post(
            "/safe/adopt?policy=policy.yaml", data=fields_of(shown, "/safe/adopt"), follow_redirects=False
        )
        assert answer.headers["location"] == "/safe?policy=policy.yaml&level-0=1", "what Levels chose stays"
        assert read_policy(folder / "policy.yaml").accountability.approver == "Ms Lin"
        assert "/safe/adopt" not in page.get("/safe?policy=policy.yaml").text
        ended(page, run(page))
        assert read_policy(released).accountability.approver == "Ms Lin"


def test_nearly_equal_amounts_are_rounded_on_the_page(tmp_path):
    """The advice names controls of the page, and nothing that only a policy has."""
    lines = [f"{30 + row // 12 * 20},{20000 + row % 3 * (1 if row < 12 else 10000)}" for row in range(24)]
    (tmp_path / "t.csv").write_text("\n".join(["age,income", *lines]) + "\n")
    policy = "petworks_policy: 1\ndata: t.csv\nroles: {quasi_identifiers: [age], sensitive_attributes: [income]}\n"
    (tmp_path / "policy.yaml").write_text(f"{policy}rules: [{{measure: l-diversity, l: 3}}]\n")
    with entered(tmp_path) as page:
        form = fields_of(page.get("/safe?policy=policy.yaml").text, "/safe/run")
        answer = page.post("/safe/run?policy=policy.yaml", data={**form, "do": "run"}, follow_redirects=False)
        ended(page, answer)
        result = unescape(page.get("/safe/result?policy=policy.yaml&release=t_released.csv").text)
        assert "Round or group income (Make it safe, More settings)." in result
        assert "'anonymize'" not in result
        assert 'value="income=round:' in result
        verdict = unescape(page.get("/decide/verdict?policy=t_released_policy.yaml").text)
        assert "Round or group income" in verdict


def test_a_report_is_shown_without_its_power(folder):
    with entered(folder) as page:
        (folder / "r_report.html").write_text("<script>1</script>", "utf-8")
        answer = page.get("/report?file=r_report.html")
        assert answer.headers["content-security-policy"].startswith("sandbox ")
        assert "allow-scripts" not in answer.headers["content-security-policy"]
        assert page.get("/report?file=policy.yaml").status_code == 400
        assert page.get("/report?file=../r_report.html").status_code == 400


def test_many_columns_with_hostile_names_stay_within_the_size_of_a_page(tmp_path):
    names = [f"c{place}" + '"><script>alert(1)</script>' * 3 for place in range(200)]
    lines = [",".join('"' + name.replace('"', '""') + '"' for name in names)]
    lines += [",".join(str((row * (place + 1)) % 7) for place in range(200)) for row in range(50)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n", "utf-8")
    from ruamel.yaml import YAML

    policy = {
        "petworks_policy": 1,
        "data": "wide.csv",
        "roles": {"quasi_identifiers": names},
        "rules": [{"measure": "k-anonymity", "k": 2}],
    }
    with (tmp_path / "policy.yaml").open("w", encoding="utf-8") as file:
        YAML().dump(policy, file)
    with entered(tmp_path) as page:
        answer = page.get("/safe?policy=policy.yaml")
        assert answer.status_code == 200, answer.text
        assert "<script>alert" not in answer.text
        assert len(answer.content) < 150_000


def test_columns_that_the_page_does_not_show_stay_kept(tmp_path):
    names = [f"c{place}" for place in range(102)]
    rows = [",".join(str((row * place) % 7) for place in range(102)) for row in range(20)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *rows]) + "\n", "utf-8")
    (tmp_path / "policy.yaml").write_text(
        f"petworks_policy: 1\ndata: wide.csv\nroles: {{quasi_identifiers: [{', '.join(names)}]}}\n"
        "rules: [{measure: k-anonymity, k: 2}]\nanonymize: {keep: [c101], levels: {c101: 0}}\n"
    )
    with entered(tmp_path) as page:
        assert run(page, do="save", **{"kept-0": "keep"}).status_code == 303
    settings = read_policy(tmp_path / "policy.yaml").anonymize
    assert settings == {"keep": ["c0", "c101"], "levels": {"c101": "0"}}


def test_a_time_limit_of_the_policy_stops_the_search_which_can_go_on_or_start_over(tmp_path):
    write_long_search(tmp_path)
    with entered(tmp_path) as page:
        address = "/safe?policy=wide_policy.yaml"

        def run_wide(**changed):
            fields = fields_of(page.get(address).text, "/safe/run") | {"do": "run", "method": "global", **changed}
            return ended(page, page.post(f"/safe/run{address[5:]}", data=fields, follow_redirects=False))

        job = run_wide(minutes="0.01")
        assert "time: 0.01m" in (tmp_path / "wide_policy.yaml").read_text("utf-8")
        assert job.result["anonymization"]["optimal"] is False
        shown = page.get("/safe/result?policy=wide_policy.yaml&release=wide_released.csv").text
        assert "The search was not finished" in shown
        first = job.result["anonymization"]["checked"]
        again = run_wide()
        assert again.arguments[-1] == "--resume", "what is offered first"
        assert again.result["anonymization"]["checked"] > first
        over = run_wide(unfinished="over")
        assert "--resume" not in over.arguments
        (tmp_path / "wide_policy.yaml").write_text(
            (tmp_path / "wide_policy.yaml").read_text("utf-8").replace("0.01m", "soon"), "utf-8"
        )
        with pytest.raises(PETWorksError, match=r"anonymize\.time"):
            read_policy(tmp_path / "wide_policy.yaml")


def test_an_objective_need_not_be_a_measure(folder, monkeypatch):
    monkeypatch.setitem(make_safe.CHOICES, "objective", (*make_safe.OBJECTIVES, "of-my-own"))
    with entered(folder) as page:
        shown = page.get("/safe?policy=policy.yaml")
    assert shown.status_code == 200
    assert '<option value="of-my-own">of-my-own</option>' in shown.text
