"""The gate: verdicts, waivers, and its results as JSON, JUnit, Markdown and text."""

import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from test_policy import GOOD, NAMED, TABLE, written

from command import petworks
from conftest import ROOT
from PETWorks import check, evaluate
from PETWorks.counting.memory.weighted_rows import WeightedRows
from PETWorks.errors import ParameterError, PETWorksError
from PETWorks.gate.diff import compare, read_check
from PETWorks.gate.document import canonical_json
from PETWorks.gate.policy.policy import read_policy
from PETWorks.gate.policy.policy_rules import BUILT_IN_RULES, RULES_OF_EVERY_POLICY, VALUES_PROTECTED
from policy_checks import CHECK, DAY

BUILT_IN = (*RULES_OF_EVERY_POLICY, VALUES_PROTECTED)
WAIVED = """waivers: [{rule: k-anonymity, owner: Li, reason: a pilot, expires: 2026-11-16}]
context: {rules_reason: a pilot}
"""
STRICT = GOOD.replace("k: 2", "k: 3")


@pytest.mark.parametrize(
    ("text", "day", "verdict", "state"),
    [
        (GOOD, DAY, "pass", None),
        (STRICT, DAY, "fail", None),
        (STRICT + WAIVED, DAY, "waived", "active"),
        (STRICT + WAIVED, DAY.replace(hour=23, minute=59), "waived", "active"),
        (STRICT + WAIVED, DAY.replace(day=17), "fail", "expired"),
        (GOOD + WAIVED, DAY.replace(day=17), "pass", "not needed"),
    ],
)
def test_verdicts(tmp_path, text, day, verdict, state):
    result = check(written(tmp_path, text), as_of=day)
    assert result.verdict == verdict
    with pytest.warns(DeprecationWarning, match="ask for verdict"):
        assert result.passed is (verdict != "fail")
    (rule, *roles) = result.document["rules"]
    assert rule["verdict"] == verdict
    values = {name: name == "records-left" or [] for name in BUILT_IN}
    values["rules-fit-the-release"] = rule["parameters"]["k"] if verdict != "waived" else None
    assert {one["name"]: one["value"] for one in roles} == values
    assert {one["verdict"] for one in roles} == {"pass"}
    assert (rule["waiver"] or {"state": None})["state"] == state
    done = petworks("check", tmp_path / "policy.yaml", "--as-of", day.isoformat())
    assert done.returncode == int(verdict == "fail"), done.stderr
    assert done.stdout.startswith(verdict)
    assert done.stderr == ""


def test_one_failing_rule_fails_the_whole(tmp_path):
    text = STRICT + "presets: [pdpc-3]\n" + WAIVED
    result = check(written(tmp_path, text), as_of=DAY)
    assert [rule["verdict"] for rule in result.document["rules"]] == ["fail", "waived", *["pass"] * len(BUILT_IN)]
    assert result.verdict == "fail"


def test_rules_agree_with_evaluate():
    result = check("data/adult_policy.yaml", as_of=DAY)
    release = read_policy("data/adult_policy.yaml").release()
    by_name = {one["measure"]: one for one in result.document["rules"] if one["name"] not in BUILT_IN_RULES}
    assert len(by_name) == 4
    for name, rule in by_name.items():
        asked = evaluate(release, {name: rule["parameters"]})[name]
        assert (asked.value, asked.satisfied) == (rule["value"], rule["satisfied"])
    without_amounts = [
        one.measure for one in evaluate(release) if one.measure not in ("profitability", "publisher-payout")
    ]
    assert [one["measure"] for one in result.document["results"]] == without_amounts


def test_what_is_compared_is_shown(tmp_path):
    rules = (
        "  - {measure: prosecutor-risk, cell_size: 2}\n"
        "  - {measure: re-identification, excess: 0.5}\n"
        "  - {measure: average-risk, average: 0.5, cell_size: 2}\n"
    )
    result = check(written(tmp_path, GOOD + rules), as_of=DAY)
    found = [(rule["value"], rule["parameters"]) for rule in result.document["rules"]]
    assert found[1] == (2, {"cell_size": 2})
    assert found[2] == (1 / 3, {"excess": 0.5})
    assert found[3] == (0.5, {"average": 0.5, "cell_size": 2})


def test_a_policy_still_holds_after_its_identifiers_were_removed(tmp_path):
    path = written(tmp_path, GOOD.replace("roles:\n", "roles:\n  identifiers: [name]\n"))
    done = petworks("check", path)
    assert done.returncode == 0, done.stderr
    result = check(path, as_of=DAY)
    assert (result.document["rules"][0]["value"], result.verdict) == ([], "pass")
    assert {"column": "name", "role": "identifier", "released": False} in result.document["columns"]


def test_direct_identifiers_in_the_release_fail(tmp_path):
    named = GOOD.replace("roles:\n", "roles:\n  identifiers: [name]\n")
    rule = check(written(tmp_path, named, table=NAMED), as_of=DAY).document["rules"][0]
    assert (rule["name"], rule["value"], rule["verdict"]) == ("no-direct-identifiers", ["name"], "fail")
    waived = named + "waivers: [{rule: no-direct-identifiers, owner: a, reason: b, expires: 2030-01-01}]\n"
    assert check(written(tmp_path, waived, table=NAMED), as_of=DAY).verdict == "waived"
    unit = check(written(tmp_path, named + "privacy_unit: name\n", table=NAMED), as_of=DAY)
    assert unit.document["rules"][0]["verdict"] == "pass", "it is needed to count people"
    assert {"step": "unlink", "columns": ["name"]} in unit.document["next_steps"]
    (tmp_path / "original.csv").write_text(NAMED)
    path = written(tmp_path, named + "original: original.csv\n")
    removed = check(path, as_of=DAY)
    assert (removed.document["rules"][0]["value"], removed.verdict) == ([], "pass")
    beside = "DATASET:\n  ATTRIBUTE_TYPE:\n    IDENTIFIER: [name]\n    QUASI_IDENTIFIER: [age, zip]\n"
    text = "petworks_policy: 1\ndata: table.csv\nrules: [{measure: k-anonymity, k: 2}]\n"
    path = written(tmp_path, text, table=NAMED)
    (tmp_path / "table.yaml").write_text(beside)
    assert check(path, as_of=DAY).document["rules"][0]["value"] == ["name"], "named in the file beside the table"
    (tmp_path / "table.yaml").unlink()
    only = "petworks_policy: 1\ndata: table.csv\nroles: {identifiers: [name], quasi_identifiers: [age]}\n"
    with pytest.raises(PETWorksError, match="no rule"):
        check(written(tmp_path, only))


def test_a_policy_may_be_called_like_its_table(tmp_path):
    path = written(tmp_path, GOOD, "table.yaml")
    result = check(path, as_of=DAY)
    assert (result.verdict, [one["is"] for one in result.document["inputs"]]) == ("pass", ["data"])


def test_moments(tmp_path):
    path = written(tmp_path, GOOD)
    given = check(path, as_of="2026-11-16").document
    assert (given["generated"], given["as_of_given"]) == ("2026-11-16T00:00:00Z", True)
    assert check(path, as_of="2026-11-16T09:00:00+08:00").document["generated"] == "2026-11-16T01:00:00Z"
    now = check(path)
    assert now.document["as_of_given"] is False
    again = check(path, as_of=now.document["generated"])
    for edition in ("internal", "external"):
        assert again.to_dict(edition)["content_sha256"] == now.to_dict(edition)["content_sha256"]
    for wrong in ("soon", 5):
        with pytest.raises(ParameterError, match="as_of is like"):
            check(path, as_of=wrong)


def test_rules_on_every_subset(tmp_path):
    text = GOOD + "subsets: {sizes: all, limits: {highest-risk: 0.5, inference: 0.75}}\n"
    result = check(written(tmp_path, text), as_of=DAY)
    rules = {rule["name"]: rule for rule in result.document["rules"]}
    assert rules["every-subset: highest-risk"]["verdict"] == "pass"
    assert rules["every-subset: highest-risk"]["value"] == 0.5
    assert rules["every-subset: inference"]["value"] == 0.75
    assert result.document["subsets"]["number"] == 3


def test_what_cannot_be_judged_is_an_error_that_names_the_rule(tmp_path):
    for rule, says in (
        ("{measure: delta-presence, delta_max: 0.5}", "needs the original table"),
        ("{measure: prosecutor-risk, threshold: 0.2}", "no threshold here"),
    ):
        path = written(tmp_path, GOOD + f"  - {rule}\n")
        with pytest.raises(PETWorksError, match=rf"policy.yaml, line 9, rules\[2\].*{says}"):
            check(path)
        done = petworks("check", path, "--html", tmp_path / "r.html", "--json", tmp_path / "r.json")
        assert done.returncode == 2
        assert not list(tmp_path.glob("r.*"))


def test_other_data(tmp_path):
    path = written(tmp_path, GOOD)
    columns = {"age": ["30", "31"], "zip": ["1", "1"], "disease": ["flu", "flu"]}
    result = check(path, data=pa.table(columns), as_of=DAY)
    assert (result.verdict, result.document["inputs"][0]["file"]) == ("fail", None)
    (tmp_path / "march.csv").write_text(TABLE.replace("40;2;flu\n40", "41;2;flu\n40"))
    assert petworks("check", path, "--data", tmp_path / "march.csv").returncode == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(), parts, max_size=4),
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_the_canonical_form_is_that_of_python(document):
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert canonical_json(document).encode() == text.encode("utf-8", "replace")


@pytest.mark.parametrize("edition", ["internal", "external"])
@pytest.mark.parametrize("name", ["adult", "wards", "survey"])
def test_json_fits_its_schema_and_is_canonical(name, edition):
    found = sorted(ROOT.glob(f"data/{name}_policy.yaml")) + sorted(ROOT.glob(f"docs/gallery/{name}/*policy.yaml"))
    for path in found:
        text = check(path, as_of=DAY).to_json(edition)
        document = json.loads(text)
        assert [error.message for error in CHECK.iter_errors(document)] == []
        assert text == json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert found


@pytest.mark.parametrize("edition", ["internal", "external"])
@pytest.mark.parametrize("name", ["data/adult_policy.yaml", "docs/gallery/wards/first_policy.yaml"])
def test_a_document_survives_being_written_and_read(tmp_path, name, edition):
    written_file = check(ROOT / name, as_of=DAY).file(edition)
    (tmp_path / "x.json").write_text(canonical_json(written_file.to_dict()), "utf-8")
    read = read_check(tmp_path / "x.json")
    assert read.to_dict() == written_file.to_dict()
    assert [type(rule.value) for rule in read.rules] == [type(rule.value) for rule in written_file.rules]
    assert compare(written_file, read).to_dict()["rules"] == []


def asked_by(policy, monkeypatch):
    """What a check asks the table about its classes, and in how many passes."""
    passes = []
    original = WeightedRows.ask

    def asking(rows, questions):
        passes.append(sorted(str(question.key[0]) for question in questions))
        return original(rows, questions)

    monkeypatch.setattr(WeightedRows, "ask", asking)
    check(policy, as_of=DAY)
    monkeypatch.undo()
    return sorted(passes)


def test_a_rule_is_not_counted_twice(tmp_path, monkeypatch):
    """The overview measures everything, so that rules need no further pass over the classes."""
    rules = "".join(
        f"  - {rule}\n"
        for rule in (
            "{measure: l-diversity, l: 2}",
            "{measure: t-closeness, t: 0.5}",
            "{measure: attribute-inference, at_most: 0.9}",
            "{measure: entropy-l-diversity, l: 1}",
        )
    )
    without = asked_by(written(tmp_path, GOOD), monkeypatch)
    assert without
    assert asked_by(written(tmp_path, GOOD + rules), monkeypatch) == without


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes(tmp_path):
    code = """import sys
from PETWorks.cli.main import main
for edition in ("internal", "external"):
    files = ("--json", f"{edition}{sys.argv[1]}.json", "--html", f"{edition}{sys.argv[1]}.html")
    try:
        main(["check", sys.argv[2], "--as-of", "2026-11-16", "--edition", edition, "--salt", "0" * 32, *files])
    except SystemExit as end:
        assert not end.code"""
    for seed in ("0", "1"):
        command = [sys.executable, "-c", code, seed, ROOT / "data/adult_policy.yaml"]
        environment = {"PYTHONHASHSEED": seed, "PATH": ""}
        subprocess.run(command, check=True, capture_output=True, cwd=tmp_path, env=environment)
    outputs = {
        f"{edition}{seed}": [(tmp_path / f"{edition}{seed}.{suffix}").read_bytes() for suffix in ("json", "html")]
        for edition in ("internal", "external")
        for seed in "01"
    }
    assert outputs["internal0"] == outputs["internal1"]
    assert outputs["external0"] == outputs["external1"]
    later = check("data/adult_policy.yaml", as_of=DAY.replace(hour=5), salt="0" * 32).to_dict()
    first = json.loads(outputs["internal0"][0])
    assert {**later, "generated": first["generated"]} == first, "only the timestamp differs"


def test_digests_are_those_of_the_files():
    import hashlib

    document = check("data/adult_policy.yaml", as_of=DAY).to_dict()
    by_use = {one["is"]: one for one in document["inputs"]}
    assert list(by_use) == ["data", "original", "hierarchies"], "the policy has the roles itself"
    for use, name in (("data", "adult_anonymized.csv"), ("original", "adult.csv")):
        assert by_use[use]["sha256"] == hashlib.sha256((ROOT / "data" / name).read_bytes()).hexdigest()
    assert document["policy"]["sha256"] == hashlib.sha256((ROOT / "data/adult_policy.yaml").read_bytes()).hexdigest()
    files = sorted((ROOT / "data/adult_hierarchy").glob("*.csv"))
    listed = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    assert by_use["hierarchies"]["sha256"] == hashlib.sha256(listed.encode()).hexdigest()
    outside = check("data/adult_policy.yaml", as_of=DAY).to_dict("external")
    assert [(one["is"], one["bytes"]) for one in outside["inputs"]] == [("data", None)]
    assert outside["payout_curve"] is None
    without = ("generated", "as_of_given", "salt", "content_sha256")
    undated = {key: value for key, value in document.items() if key not in without}
    text = json.dumps(undated, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert document["content_sha256"] == hashlib.sha256(text.encode()).hexdigest()


def test_junit(tmp_path):
    text = STRICT + "presets: [pdpc-3]\n" + WAIVED + '  # <&"\n'
    root = ElementTree.fromstring(check(written(tmp_path, text), as_of=DAY).to_junit())
    (suite,) = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == (str(2 + len(BUILT_IN)), "1", "1")
    assert [case.get("name") for case in suite][:2] == ["pdpc-3", "k-anonymity"]
    assert [child.tag for case in suite for child in case] == ["failure", "skipped", *["system-out"] * len(BUILT_IN)]
    assert "found 2, required k ≥ 3" in suite[0][0].get("message")
    assert "a pilot" in suite[1][0].get("message")


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_junit_failures_say_what_to_do_and_are_not_cut(tmp_path, edition):
    names = [f"column_{place}_{'x' * 70}" for place in range(20)]
    header, row = ";".join([*names, "age", "zip", "disease"]), ";".join(["1"] * 20)
    long = "the rule " + "y" * 500
    text = GOOD.replace("  quasi", f"  identifiers: [{', '.join(names)}]\n  quasi") + (
        f"  - {{measure: k-anonymity, k: 90, name: '{long}'}}\n  - {{measure: l-diversity, l: 9}}\n"
        "cell_size: 5\nwaivers: [{rule: l-diversity, owner: me, expires: 2020-01-01, reason: '" + "z" * 500 + "'}]\n"
    )
    path = written(tmp_path, text)
    (tmp_path / "table.csv").write_text("\n".join([header, *([f"{row};30;1;flu"] * 60)]))
    (suite,) = ElementTree.fromstring(check(path, as_of=DAY).to_junit(edition))
    failures = {case.get("name"): child for case in suite for child in case if child.tag == "failure"}
    assert list(failures) == ["no-direct-identifiers", long, "l-diversity"]
    identifiers, classes, values = failures.values()
    assert all(name in identifiers.get("message") for name in names), "each of them"
    assert "required none" in identifiers.get("message")
    assert "Remove the direct identifiers from the release: column_0" in identifiers.text
    found = "found 60" if edition == "internal" else "found ≥ 50"
    assert f"k-anonymity: {found}, required k ≥ 90" in classes.text
    assert "z" * 500 in values.get("message")
    if edition == "internal":
        assert f"groups of fewer than 90 that look the same ({long}): make values coarser" in classes.text
        assert "l-diversity cannot hold: disease has fewer distinct values" in values.text
        assert "Expired waivers: l-diversity." in values.text
    assert "…" not in ElementTree.tostring(suite, "unicode")
    assert "… \\[" in check(path, as_of=DAY).to_markdown(), "elsewhere, long names are still cut"


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
def test_markdown(tmp_path, lang):
    hostile = "a|b](http://x.example) <img src=x> @team `code` www.example.com a@b.example #12 GH-12"
    text = STRICT + f'title: "{hostile}"\n' + WAIVED.replace("a pilot", f'"{hostile}"')
    found = check(written(tmp_path, text), as_of=DAY).to_markdown(lang)
    rows = [line for line in found.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}
    page = MarkdownIt("commonmark").enable("table").render(found)
    assert not re.search(r"<(img|a|script)\b", page)
    assert page.count("<table>") == 1
    assert page.count("<code>") == 2, "the digests alone"
    for live in ("@team", "a@b", "#12", "GH-12", "http://", "www.example"):
        assert live not in found
    assert ("豁免" if lang == "zh-TW" else "waived") in found


def test_markdown_steps_stay_one_list(tmp_path):
    text = STRICT.replace("    k: 3", "    k: 3\n    name: '1. x'") + WAIVED.replace("k-anonymity", "'1. x'")
    found = check(written(tmp_path, text), as_of=DAY).to_markdown("zh-TW")
    assert MarkdownIt("commonmark").render(found).count("<ol>") == 1


def test_terminal_text_is_aligned_in_both_languages(tmp_path):
    from rich.cells import cell_len

    for lang, header in (("en", "verdict"), ("zh-TW", "結果")):
        done = petworks("check", "data/adult_policy.yaml", "--lang", lang)
        lines = done.stdout.splitlines()
        place = next(number for number, line in enumerate(lines) if line.rstrip().endswith(header))
        column = cell_len(lines[place].split(header)[0])
        word = "通過" if lang == "zh-TW" else "pass"
        rows = [line for line in lines[place + 2 :] if line.endswith(word)]
        assert len(rows) == 4 + 1  # built-in rules are one row
        assert {cell_len(row.removesuffix(word)) for row in rows} == {column}


def test_colour_only_on_a_terminal(tmp_path):
    from PETWorks.render.text.check_text import check_text

    document = check(written(tmp_path, STRICT), as_of=DAY).content
    assert "\x1b[1;31mfail" in check_text(document, "en", colour=True, width=100)
    assert "\x1b" not in check_text(document, "en", colour=False, width=100)


def test_notebook_repr_is_escaped(tmp_path):
    text = STRICT.replace("measure: k-anonymity", "measure: k-anonymity\n    name: <script>alert(1)</script>")
    shown = check(written(tmp_path, text), as_of=DAY)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert f"1 of {1 + len(BUILT_IN)} rules fails" in shown


@pytest.mark.slow
def test_files_are_written_whole_together_or_not_at_all(tmp_path):
    path = written(tmp_path, GOOD)
    out = tmp_path / "out"
    out.mkdir()
    names = {kind: out / f"r.{kind}" for kind in ("json", "junit", "markdown", "html")}
    arguments = [part for kind, file in names.items() for part in (f"--{kind}", file)]
    assert petworks("check", path, *arguments).returncode == 0
    assert sorted(out.iterdir()) == sorted(names.values())
    both = petworks("check", path, *arguments, "--edition", "both")
    assert both.returncode == 0
    assert len(list(out.iterdir())) == 8
    assert sorted(both.stderr.splitlines()) == sorted(f"petworks: wrote {file}" for file in out.iterdir())
    wrong = petworks("check", path, "--html", tmp_path / "new.html", "--json", tmp_path / "missing" / "r.json")
    assert wrong.returncode == 2
    assert not (tmp_path / "new.html").exists()
    same = petworks("check", path, "--markdown", out / "x", "--json", out / "x")
    assert (same.returncode, "same file" in same.stderr) == (2, True)
    before = path.read_text()
    over = petworks("check", path, "--json", path)
    assert (over.returncode, path.read_text()) == (2, before)


def test_standard_output_gets_one_result(tmp_path):
    path = written(tmp_path, GOOD)
    done = petworks("check", path, "--json", "-", "--as-of", "2026-11-16")
    assert json.loads(done.stdout)["verdict"] == "pass"
    assert petworks("check", path, "--json", "-", "--html", "-").returncode == 2
    assert petworks("check", path, "--json", "-", "--edition", "both").returncode == 2


@pytest.mark.parametrize(
    "arguments", [("--as-of", "yesterday"), ("--as-of", "2026-13-01"), ("--lang", "fr"), ("--edition", "secret")]
)
def test_odd_options_are_refused(tmp_path, arguments):
    done = petworks("check", written(tmp_path, GOOD), *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_odd_arguments_in_python(tmp_path):
    result = check(written(tmp_path, GOOD))
    for call in (lambda: result.to_html("fr"), lambda: result.to_dict("secret"), lambda: result.to_markdown("fr")):
        with pytest.raises(ParameterError):
            call()


# --- diff


def test_diff(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    old = check(written(tmp_path / "a", GOOD), as_of=DAY)
    path = written(tmp_path / "b", GOOD + "  - {measure: l-diversity, l: 1}\n")
    (tmp_path / "b/table.csv").write_text(TABLE.replace("40;2;flu\n40", "41;2;flu\n40"))
    new = check(path, as_of=DAY)
    (tmp_path / "old.json").write_text(old.to_json())
    (tmp_path / "new.json").write_text(new.to_json())
    done = petworks("diff", tmp_path / "old.json", tmp_path / "new.json")
    assert done.returncode == 1
    assert "pass -> fail" in done.stdout
    found = json.loads(petworks("diff", tmp_path / "old.json", tmp_path / "new.json", "--format", "json").stdout)
    assert [(row["name"], row["change"]) for row in found["rules"]] == [
        ("k-anonymity", "worse"),
        ("l-diversity", "new"),
    ]
    changes = {row["name"]: row["change"] for row in found["measures"]}
    assert changes["k-anonymity"] == "worse"
    assert changes["re-identification"] == "worse"
    assert {"classes", "SHA-256 of data"} <= {row["name"] for row in found["table"]}
    back = petworks("diff", tmp_path / "new.json", tmp_path / "old.json")
    assert back.returncode == 1, "a rule is gone"
    same = petworks("diff", tmp_path / "old.json", tmp_path / "old.json")
    assert (same.returncode, "No rule, measure or fact of the table has changed" in same.stdout) == (0, True)


def test_what_is_better_and_what_has_another_threshold(tmp_path):
    (tmp_path / "a").mkdir()
    worse = check(written(tmp_path / "a", STRICT), as_of=DAY).content
    better = check(written(tmp_path / "a", GOOD), as_of=DAY).content
    found = compare(worse, better)
    assert [row.change for row in found.rules] == ["other threshold", "changed"]  # what the rules demand
    assert found.worse is True, "somebody should look"
    header, *rows = TABLE.splitlines()
    (tmp_path / "a/double.csv").write_text("\n".join([header, *rows, *rows]))
    doubled = check(written(tmp_path / "a", STRICT), data=tmp_path / "a/double.csv", as_of=DAY).content
    found = compare(worse, doubled)
    assert [row.change for row in found.rules] == ["better"]
    assert found.worse is False


def test_what_cannot_be_compared(tmp_path):
    old = check(written(tmp_path, GOOD), as_of=DAY).content
    fewer = check(written(tmp_path, GOOD.replace("[age, zip]", "[age]")), as_of=DAY).content
    found = compare(old, fewer)
    assert (found.different, found.comparable, found.worse) == (("quasi_identifiers",), False, True)
    both = STRICT + "  - {measure: k-anonymity, k: 2, name: in force}\n"
    failing = check(written(tmp_path, both), as_of=DAY).content
    waived = check(written(tmp_path, both + WAIVED), as_of=DAY).content
    found = compare(failing, waived)
    assert ([row.change for row in found.rules], found.worse) == (["waived", "changed"], False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"schema": "petworks-check/1"}',
        '{"a": NaN}',
        "[" * 100_000,
        "\ud83d".encode("utf-8", "replace").decode(),
    ],
)
def test_diff_refuses_what_is_no_check(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    done = petworks("diff", tmp_path / "x.json", tmp_path / "x.json")
    assert done.returncode == 2
    assert done.stderr.startswith("petworks: x.json: not ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_diff_refuses_what_is_no_number(tmp_path, number):
    text = check(written(tmp_path, GOOD)).to_json()
    (tmp_path / "x.json").write_text(re.sub(r'"missing": 0.0', f'"missing": {number}', text))
    assert number in (tmp_path / "x.json").read_text()
    done = petworks("diff", tmp_path / "x.json", tmp_path / "x.json", "--format", "json")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


def test_diff_says_what_is_wrong_with_a_path(tmp_path):
    assert "not a regular file" in petworks("diff", tmp_path, tmp_path).stderr
    assert "no such file" in petworks("diff", tmp_path / "x", tmp_path / "x").stderr


def test_diff_refuses_two_editions(tmp_path):
    result = check(written(tmp_path, GOOD))
    with pytest.raises(PETWorksError, match="editions differ"):
        compare(result.file(), result.file("external"))


def test_presets_and_schemas_are_printed():
    assert "rule of thumb" in petworks("presets").stdout
    listed = json.loads(petworks("presets", "--format", "json").stdout)["presets"]
    assert {"cms-11", "nics-0.09"} <= {preset["name"] for preset in listed}
    assert json.loads(petworks("schema", "policy").stdout)["$id"] == "urn:petworks:policy:1"
    assert petworks("schema", "other").returncode == 2


def test_the_report_says_in_every_language_why_a_measure_does_not_apply(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("zip,age\n1,30\n1,30\n2,40\n2,40\n", "utf-8")
    (tmp_path / "o.csv").write_text("zip,age\n3,30\n3,30\n4,40\n4,40\n", "utf-8")
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "petworks_policy: 1\ndata: t.csv\noriginal: o.csv\nroles: {quasi_identifiers: [zip, age]}\n"
        "rules: [{measure: k-anonymity, k: 2}]\n",
        "utf-8",
    )
    result = check(policy)
    assert result.to_dict()["not_applicable"]["delta-presence"].startswith("released records that match no record of")
    page = result.to_format("html", "zh-TW")
    assert "δ-存在性：有 4 筆釋出的資料列，在原始資料表中找不到對應者" in page
    assert "delta-presence: released records that match no record of the original: 4" in page


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_suppressed_records_are_a_class_of_the_whole_population(tmp_path, engine):
    (tmp_path / "people.csv").write_text("zip,sex\n" + "47677,F\n" * 10 + "47602,M\n" * 20)
    (tmp_path / "table.csv").write_text("zip,sex\n" + "47677,F\n" * 6 + "47602,M\n" * 6 + "*,*\n" * 6)
    (tmp_path / "policy.yaml").write_text(
        "petworks_policy: 1\ndata: table.csv\npopulation: people.csv\nroles: {quasi_identifiers: [zip, sex]}\n"
        "rules: [{measure: journalist-risk, highest: 0.1}, {measure: k-map, k: 10}]\n"
    )
    rules = {rule.name: rule for rule in check(tmp_path / "policy.yaml", as_of=DAY, engine=engine).content.rules}
    assert {name: (rules[name].value, rules[name].verdict) for name in ("journalist-risk", "k-map")} == {
        "journalist-risk": (0.1, "pass"),
        "k-map": (10, "pass"),
    }
    assert rules["journalist-risk"].details["lowest"] == pytest.approx(1 / 30)
