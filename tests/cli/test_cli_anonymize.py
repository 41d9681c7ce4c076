"""petworks anonymize and apply: from a table that fails to a release that passes, and every wrong input."""

import csv
import json

import pytest
import yaml
from rich.cells import cell_len

from command import petworks as run
from conftest import ROOT
from PETWorks import check
from PETWorks.gate.check import built_in_rules
from PETWorks.render.language.language import percent
from PETWorks.render.text.check_text import check_text
from spark_cluster import needs_spark

QI = "sex,age,race,marital-status,education,native-country,occupation,salary-class"


@pytest.fixture
def raw(tmp_path):
    """A raw table with a policy that it fails, hierarchies in a few words, names and a column without a role."""
    names = ["Name", "Age", "Zip", "Illness", "Note"]
    rows = [[f"Person {n}", str(20 + n % 40), f"{47900 + n % 12}", "abc"[n % 3], f' "n{n % 7}"'] for n in range(240)]
    (tmp_path / "raw.csv").write_text("\r\n".join([",".join(names), *map(",".join, rows)]) + "\r\n", newline="")
    (tmp_path / "policy.yaml").write_text(
        """petworks_policy: 1
data: raw.csv
hierarchies:
  Age: {width: [5, 10, 20]}
  Zip: {prefix: [4, 3]}
no_rule: {Illness: a test}
roles: {identifiers: [Name], quasi_identifiers: [Age, Zip], sensitive_attributes: [Illness]}
no_role: {Note: free of people}
rules:
  - {measure: k-anonymity, k: 5}
  - {measure: l-diversity, l: 2}
anonymize: {suppression: 0.05}
"""
    )
    return tmp_path


def test_two_commands_lead_from_fail_to_pass(raw):
    failed = run("check", "policy.yaml", cwd=raw)
    assert failed.returncode == 1
    told = " ".join(failed.stdout.split())
    assert "petworks anonymize policy.yaml -o RELEASED.csv" in told
    assert "that break a rule" not in told, "all of them do"
    made = run(
        "anonymize", raw / "policy.yaml", "-o", raw / "released.csv", "--html", raw / "report.html", "--keep-order"
    )
    assert made.returncode == 0, made.stderr
    assert "Recoded record by record" in made.stdout
    checked = run("check", raw / "released_policy.yaml")
    assert checked.returncode == 0, checked.stdout
    before = [line.split(",") for line in (raw / "raw.csv").read_bytes().decode().split("\r\n")]
    assert (raw / "released.csv").read_text().splitlines()[0] == "Age,Zip,Illness,Note"
    assert [row[2:] for row in rows_of(raw / "released.csv")] == [
        [cell.strip(' "') for cell in row[3:]] for row in before[1:-1]
    ]
    page = (raw / "report.html").read_text("utf-8")
    assert "How the release was made" in page
    assert "釋出資料是怎麼做出來的" in page


def test_the_same_input_gives_the_same_bytes(raw):
    for name in ("one", "two"):
        assert run("anonymize", raw / "policy.yaml", "-o", raw / f"{name}.csv", "--keep-order").returncode == 0
    assert (raw / "one.csv").read_bytes() == (raw / "two.csv").read_bytes()


@pytest.mark.parametrize("options", [(), ("--spreadsheet-safe", "--threshold", "k-anonymity:k=6")])
def test_people_with_several_records_are_looked_for_once(raw, monkeypatch, options):
    searched = []
    looked = built_in_rules.find_people
    monkeypatch.setattr(built_in_rules, "find_people", lambda *given: searched.append(given) or looked(*given))
    assert run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv", *options).returncode == 0
    assert len(searched) == 1


@pytest.mark.parametrize("suffix", ["parquet", "feather", "csv"])
def test_every_format_passes_the_check(raw, suffix):
    assert run("anonymize", raw / "policy.yaml", "-o", raw / f"released.{suffix}").returncode == 0
    assert run("check", raw / "released_policy.yaml").returncode == 0


@pytest.mark.parametrize("engine", ["memory", "duckdb", pytest.param("spark", marks=needs_spark)])
def test_the_release_passes_with_every_engine(raw, engine):
    assert run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv").returncode == 0
    result = check(raw / "released_policy.yaml", engine=engine)
    assert result.verdict == "pass"
    assert {rule.name: rule.value for rule in result.content.rules}["k-anonymity"] >= 5


def test_json_has_the_whole_explanation(raw):
    made = run(
        "anonymize", raw / "policy.yaml", "-o", raw / "released.csv", "--global", "--format", "json", "--explain"
    )
    told = json.loads(made.stdout)
    facts = told["anonymization"]
    assert [column["column"] for column in facts["columns"]] == ["Age", "Zip"]
    assert facts["optimal"]
    assert facts["loss"] == facts["bound"]
    assert 1 <= len(facts["next_best"]) <= 10
    assert [rule["rule"] for rule in facts["rules"]] == ["k-anonymity", "l-diversity"]
    assert {rule["verdict"] for rule in told["rules"]} == {"pass"}


def test_what_is_left_is_shown(raw):
    """A few numbers always; each column and each objective with --explain, in JSON and in the report."""
    arguments = ("anonymize", raw / "policy.yaml", "-o", raw / "released.csv", "--keep-order")
    brief, long = run(*arguments), run(*arguments, "--explain", "--html", raw / "report.html")
    kept = json.loads(run(*arguments, "--format", "json").stdout)["anonymization"]["utility"]
    assert [one["column"] for one in kept["columns"]] == ["Age", "Zip", "Illness"]
    age = kept["columns"][0]
    assert age["values_before"] == len({row[1] for row in rows_of(raw / "raw.csv")})
    assert 1 <= age["values_per_cell"] < age["values_before"]
    assert 0 < kept["information_kept"] < 1
    assert [one["objective"] for one in kept["losses"]][:2] == ["granularity", "precision"]
    share = percent(kept["information_kept"])
    assert ["information", "kept", "100", "%", *share.split()] in [line.split() for line in brief.stdout.splitlines()]
    assert "distribution shift" in brief.stdout
    assert "discernibility" not in brief.stdout
    assert "discernibility" in long.stdout
    page = (raw / "report.html").read_text("utf-8")
    for text in ("Each column before and after", "各欄位處理前後的比較", "What is lost by each objective", share):
        assert text in page
    local = run(*arguments, "--explain")
    assert "Not defined for values on several levels: non-uniform-entropy." in local.stdout


def rows_of(path):
    return list(csv.reader(path.read_text().splitlines()))[1:]


def test_a_table_without_a_policy(tmp_path):
    arguments = [
        *("anonymize", ROOT / "data/adult.csv", "--qi", QI, "--hierarchies", ROOT / "data/adult_hierarchy"),
        *("--measure", "k-anonymity:k=3", "--suppression", "0.1", "-o", tmp_path / "released.csv"),
    ]
    refused = run(*arguments)
    assert refused.returncode == 2
    assert "columns without a role: 'workclass'; name them with --identifier" in refused.stderr
    assert list(tmp_path.iterdir()) == []
    unexplained = run(*arguments, "--insensitive", "workclass")
    assert unexplained.returncode == 1, "its name says that others may know it"
    for option, reason in (("role-reason", "workclass=."), ("role-reason", "x=y"), ("no-privacy-unit", "workclass=.")):
        refused = run(*arguments, "--insensitive", "workclass", f"--{option}", reason)
        assert (refused.returncode, f"--{option} expects COLUMN=TEXT" in refused.stderr) == (2, True)
    made = run(*arguments, "--insensitive", "workclass", "--role-reason", "workclass=asked in confidence")
    assert made.returncode == 0, made.stderr
    checked = run("check", tmp_path / "released_policy.yaml")
    assert checked.returncode == 0, checked.stdout


def test_local_recoding_is_the_default_loses_less_and_passes(raw):
    facts = {}
    for name, options in (("one", ["--global"]), ("each", [])):
        made = run("anonymize", raw / "policy.yaml", "-o", raw / f"{name}.csv", "--format", "json", *options)
        assert made.returncode == 0, made.stderr
        facts[name] = json.loads(made.stdout)["anonymization"]
        assert run("check", raw / f"{name}_policy.yaml").returncode == 0
    assert facts["each"]["loss"] < facts["one"]["loss"]
    assert facts["each"]["local"]["global_loss"] == facts["one"]["loss"]
    assert facts["each"]["local"]["combinations"] > 1
    made = facts["each"]["choice"]
    assert (made["made"], facts["one"]["choice"]["made"]) == ("local", "global")
    assert made["ways"][0] == facts["one"]["choice"]["ways"][0]
    for name, way in zip(("one", "each"), made["ways"], strict=True):
        after = facts[name]["after"]
        assert way["highest_risk"] == after["highest_risk"]
        assert way["average_risk"] == pytest.approx(after["classes"] / after["records"])
        assert (way["loss"], way["suppressed"]) == (facts[name]["loss"], facts[name]["suppressed"])
    told = run("anonymize", raw / "policy.yaml", "-o", raw / "each.csv", "--local", "--html", raw / "local.html")
    words = " ".join(told.stdout.split())
    for text in ("Recoded record by record", "one level per column", "record by record ◀", "average risk", "--global"):
        assert text in words
    page = (raw / "local.html").read_text("utf-8")
    assert "逐列調整" in page
    assert "average risk" in page
    external = run("check", raw / "each_policy.yaml", "--edition", "external", "--html", "-").stdout
    assert "average risk" not in external
    assert "Proved" not in page


def test_shuffled_records_are_the_same_records(raw):
    made = run("anonymize", raw / "policy.yaml", "-o", raw / "a.csv")
    seed = yaml.safe_load((raw / "a_policy.yaml").read_text("utf-8"))["seed"]
    assert "in random order; " in made.stderr
    assert seed not in made.stdout + made.stderr
    assert int(seed) > 1 << 64, "too many to try them all"
    plain = ("anonymize", raw / "policy.yaml")
    assert run(*plain, "-o", raw / "b.csv", "--seed", seed).returncode == 0
    assert run(*plain, "-o", raw / "c.csv", "--keep-order").returncode == 0
    assert run(*plain, "-o", raw / "d.csv", "--shuffle").returncode == 0
    one, two, three, four = ((raw / f"{name}.csv").read_bytes() for name in "abcd")
    assert len({one, two, three, four}) == 3
    assert one == two
    assert sorted(one.splitlines()) == sorted(three.splitlines()) == sorted(four.splitlines())


def test_numbers_of_people_do_not_tell_the_order_of_the_original(raw):
    """People are numbered as they come in the release; the numbers tell which records are of one person, no more."""
    text = (raw / "policy.yaml").read_text().replace("identifiers: [Name], ", "")
    kept = text.replace("{suppression: 0.05", "{privacy_unit: keep, suppression: 0.05")
    assert kept != text
    (raw / "policy.yaml").write_text(f"{kept}privacy_unit: Name\n")
    rows = [f"P{n // 2},{20 + n % 40},{47900 + n % 12},{'abc'[n % 3]},x" for n in range(240)]
    (raw / "raw.csv").write_text("\n".join(["Name,Age,Zip,Illness,Note", *rows]) + "\n")
    made = {}
    for name, option in (("kept", "--keep-order"), ("mixed", "--shuffle")):
        done = run("anonymize", raw / "policy.yaml", "-o", raw / f"{name}.csv", option)
        assert done.returncode == 1, done.stderr  # they tell which records are of one person
        made[name] = rows_of(raw / f"{name}.csv")
    numbers = [int(row[0]) for row in made["mixed"]]
    assert list(dict.fromkeys(numbers)) == list(range(1, 121)), "in the order of the release"
    assert [int(row[0]) for row in made["kept"]] == [1 + n // 2 for n in range(240)]

    def people(rows):
        by_number = {}
        for row in rows:
            by_number.setdefault(row[0], []).append(tuple(row[1:]))
        return sorted(sorted(own) for own in by_number.values())

    assert people(made["mixed"]) == people(made["kept"]), "records of one person stay together"


def test_shuffled_records_are_not_compared_one_by_one(raw):
    """The policy of the release says that they are in another order than those of the original."""
    measured = {}
    for name, option in (("kept", "--keep-order"), ("mixed", "--shuffle")):
        arguments = ("-o", raw / f"{name}.csv", option, "--show", "interval", "--json", raw / f"{name}.json")
        assert run("anonymize", raw / "policy.yaml", *arguments).returncode == 0
        documents = [
            json.loads((raw / f"{name}.json").read_text("utf-8")),
            json.loads(run("check", raw / f"{name}_policy.yaml", "--json", "-").stdout),
        ]
        measured[name] = [{one["measure"] for one in document["results"]} for document in documents]
        reasons = [document["not_applicable"].get("non-uniform-entropy", "") for document in documents]
        told = ["needs records in the order of the original" in reason for reason in reasons]
        assert told == [name == "mixed"] * 2
    for kept, mixed in zip(measured["kept"], measured["mixed"], strict=True):
        assert kept - mixed == {"non-uniform-entropy"}
    assert "order: shuffled\nseed: '" in (raw / "mixed_policy.yaml").read_text("utf-8")
    assert "order:" not in (raw / "kept_policy.yaml").read_text("utf-8")


def test_a_rule_that_compares_records_keeps_their_order(raw):
    text = (raw / "policy.yaml").read_text()
    (raw / "policy.yaml").write_text(
        text.replace("rules:", "rules:\n  - {measure: non-uniform-entropy, at_least: 0}", 1)
    )
    made = run("anonymize", raw / "policy.yaml", "-o", raw / "a.csv")
    assert "('non-uniform-entropy' compares them one by one)" in made.stderr
    assert made.returncode == 0, made.stdout
    refused = run("anonymize", raw / "policy.yaml", "-o", raw / "b.csv", "--shuffle")
    assert refused.returncode == 2
    assert "'non-uniform-entropy' compares them one by one" in refused.stderr


def test_the_policy_says_the_order_too(raw):
    text = (raw / "policy.yaml").read_text()
    (raw / "policy.yaml").write_text(text.replace("{suppression: 0.05}", "{suppression: 0.05, order: original}"))
    plain = ("anonymize", raw / "policy.yaml", "-o", raw / "a.csv")
    assert "the order of the original table, as asked" in run(*plain).stderr
    assert "in random order" in run(*plain, "--shuffle").stderr
    applied = run("apply", raw / "policy.yaml", "--levels", "Age=3,Zip=2", "-o", raw / "b.csv")
    assert "the order of the original table, as asked" in applied.stderr


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
def test_the_order_of_the_records_is_told(raw, lang):
    """A table that is sorted by name is a list of names to whoever has another one."""
    kept, lost = {
        "en": ("the order of the original table", "in random order."),
        "zh-TW": ("順序與原始資料表相同", "已隨機打亂"),
    }[lang]
    for option, shuffled in (("--keep-order", False), ("--shuffle", True)):
        made = run(
            "--lang", lang, "anonymize", raw / "policy.yaml", "-o", raw / "a.csv", "--html", raw / "a.html", option
        )
        assert (kept in made.stderr, kept in made.stdout) == (not shuffled, False)
        page = (raw / "a.html").read_text("utf-8")
        assert (kept in page, lost in page) == (not shuffled, shuffled)
        assert {"en": "there is no seed", "zh-TW": "沒有隨機種子"}[lang] not in page
    told = run("anonymize", raw / "policy.yaml", "-o", raw / "a.csv", "--format", "json", "--json", raw / "a.json")
    documents = json.loads(told.stdout), json.loads((raw / "a.json").read_text("utf-8"))
    assert [one["anonymization"]["shuffled"] for one in documents] == [True, True]


def test_apply_recodes_as_told(raw):
    told = run("apply", raw / "policy.yaml", "--levels", "Age=1,Zip=1", "-o", raw / "told.csv")
    assert "in random order" in told.stderr
    assert told.returncode == 1
    assert "0 of 240 records are suppressed" in told.stdout
    suppressed = run("apply", raw / "policy.yaml", "--levels", "Age=1,Zip=1", "--suppress", "-o", raw / "told.csv")
    assert suppressed.returncode == 0, suppressed.stdout
    with (raw / "told.csv").open(newline="") as file:
        ages = {row["Age"] for row in csv.DictReader(file)}
    assert ages <= {"*", *(f"[{low}, {low + 5})" for low in range(20, 60, 5))}
    assert len(ages) > 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--suppression", "2"], "0 to 1"),
        (["--suppression", "much"], "0 to 1"),
        (["--level", "Age=9"], "levels 0 to 4"),
        (["--level", "Illness=1"], "sensitive attribute"),
        (["--level", "Agge=1"], "did you mean 'Age'"),
        (["--weight", "Zipp=2"], "did you mean 'Zip'"),
        (["--weight", "Zip"], "COLUMN=NUMBER"),
        (["--weight", "Zip=1", "--weight", "Zip=2"], "'Zip' twice"),
        (["--level", "Age=1", "--level", "Age=2-3"], "'Age' twice"),
        (["--level", "Age=-1"], "got 'Age=-1'"),
        (["--level", "Age=1-x"], "got 'Age=1-x'"),
        (["--objective", "granulrity"], "did you mean 'granularity'"),
        (["--aggregate", "sum", "--objective", "aecs"], "only granularity"),
        (["--keep-order", "--seed", "1"], "--keep-order"),
        (["--shuffle", "--seed", "-1"], "--seed expects a whole number"),
        (["--qi", "Age"], "--qi is for a table"),
        (["--hierarchies", "."], "--hierarchies is for a table"),
    ],
)
def test_wrong_options_write_nothing(raw, options, told):
    before = sorted(path.name for path in raw.iterdir())
    failed = run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv", *options)
    assert failed.returncode == 2
    assert told in failed.stderr
    assert sorted(path.name for path in raw.iterdir()) == before


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("k: 5", "k: 500", "fails even on the highest level"),
        ("suppression: 0.05", "suppression: 7", "anonymize.suppression"),
        ("suppression: 0.05", "supression: 0.05", "supression"),
        ("{prefix: [4, 3]}", "{groups: {North: ['47900']}}", "'Zip'"),
        ("rules:\n  - {measure: k-anonymity, k: 5}\n  - {measure: l-diversity, l: 2}\n", "", "no rule"),
    ],
)
def test_wrong_policies_write_nothing(raw, old, new, told):
    text = (raw / "policy.yaml").read_text()
    assert old in text
    (raw / "policy.yaml").write_text(text.replace(old, new))
    failed = run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv")
    assert failed.returncode == 2, failed.stdout
    assert told in failed.stderr
    assert sorted(path.name for path in raw.iterdir()) == ["policy.yaml", "raw.csv"]


@pytest.mark.parametrize("output", ["raw.csv", "policy.yaml", "released.ods", "nowhere/released.csv"])
def test_wrong_outputs_write_nothing(raw, output):
    before = {path.name: path.read_bytes() for path in raw.iterdir()}
    assert run("anonymize", raw / "policy.yaml", "-o", raw / output).returncode == 2
    assert {path.name: path.read_bytes() for path in raw.iterdir()} == before


def test_a_policy_of_somebody_else_is_not_overwritten(raw):
    (raw / "released_policy.yaml").write_text("petworks_policy: 1\n")
    failed = run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv")
    assert failed.returncode == 2
    assert "was not written by petworks anonymize" in failed.stderr
    assert not (raw / "released.csv").exists()


def test_a_waived_rule_is_not_demanded(raw):
    text = (raw / "policy.yaml").read_text().replace("k: 5", "k: 500")
    waiver = "waivers: [{rule: k-anonymity, owner: somebody, reason: a pilot, expires: 2999-01-01}]\n"
    (raw / "policy.yaml").write_text(text + waiver)
    made = run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv")
    assert made.returncode == 0, made.stderr
    assert "waived" in made.stdout


def test_the_policy_says_how_much_may_be_suppressed(raw):
    """An option that is not given must not hide what the policy says."""
    told = json.loads(run("anonymize", raw / "policy.yaml", "-o", raw / "a.csv", "--format", "json").stdout)
    assert told["anonymization"]["suppression_limit"] == 0.05
    other = run("anonymize", raw / "policy.yaml", "-o", raw / "b.csv", "--format", "json", "--suppression", "0.1")
    assert json.loads(other.stdout)["anonymization"]["suppression_limit"] == 0.1


def test_a_dash_prints_a_report_instead_of_the_table(raw):
    made = run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv", "--global", "--json", "-")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["anonymization"]["optimal"]
    assert "wrote -" not in made.stderr
    twice = run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv", "--json", "-", "--markdown", "-")
    assert twice.returncode == 2
    assert "only one result can be printed" in twice.stderr


def test_the_next_best_levels_differ_in_more_than_their_number(tmp_path):
    """A level that merges nothing is no other choice."""
    rows = [f"{'fm'[n % 2]},{20 + n % 40}" for n in range(240)]
    (tmp_path / "t.csv").write_text("\n".join(["sex,age", *rows]) + "\n")
    (tmp_path / "policy.yaml").write_text(
        """petworks_policy: 1
data: t.csv
hierarchies: {sex: {rare: {fewer_than: [5, 6, 7]}}, age: {width: [5, 10, 20]}}
roles: {quasi_identifiers: [sex, age]}
rules: [{measure: k-anonymity, k: 12}]
"""
    )
    options = ("--global", "--may-lose", "all", "--format", "json", "--explain")
    made = run("anonymize", tmp_path / "policy.yaml", "-o", tmp_path / "r.csv", *options)
    told = json.loads(made.stdout)["anonymization"]
    best = [column["level"] for column in told["columns"]]
    assert best[0] == 0
    assert told["next_best"]
    assert {other["levels"][0] for other in told["next_best"]} == {0, 4}


def words(result):
    assert result.returncode in (0, 1), result.stderr
    return " ".join(result.stdout.split())


def test_an_option_of_tables_names_the_key_of_the_policy(raw):
    for option, key in (("--protect=Disease=round:5", "anonymize: protect"), ("--qi=Age", "roles: quasi_identifiers")):
        refused = run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv", option)
        assert (refused.returncode, f"write it in the policy, under {key}" in refused.stderr) == (2, True)


def test_what_is_proved_is_said_with_the_levels_that_were_allowed(raw):
    made = ("anonymize", raw / "policy.yaml", "-o", raw / "released.csv", "--global")
    kept = words(run(*made))
    assert "Proved: no other allowed levels keep every column and the rules and lose less" in kept
    free = words(run(*made, "--may-lose", "all"))
    assert "Proved: no other levels keep the rules and lose less" in free
    assert "allowed 0" not in free
    bounded = words(run(*made, "--level", "Age=4", "--level", "Zip=0-2", "--html", raw / "report.html"))
    assert "Proved: of the levels that you allowed, no others keep the rules and lose less" in bounded
    assert "4 of 4, only *; fixed" in bounded
    assert "; allowed 0 to 2" in bounded
    assert "Proved: no other levels" not in bounded
    assert "已證明：在您允許的層級範圍內" in words(run(*made, "--level", "Age=4", "--lang", "zh-TW"))
    page = (raw / "report.html").read_text("utf-8")
    assert "of the levels that you allowed" in page
    assert "在您允許的層級範圍內" in page
    told = json.loads(run(*made, "--level", "Age=4", "--format", "json").stdout)["anonymization"]
    assert [column.get("allowed_levels") for column in told["columns"]] == [[4, 4], None]


def test_a_loss_with_weights_is_said_to_be_weighted(raw):
    made = ("anonymize", raw / "policy.yaml", "-o", raw / "released.csv", "--weight", "Age=2.5")
    assert "The loss is weighted: Age counts 2.5; 1 otherwise." in words(run(*made))
    assert "損失經加權計算：Age 的權重為 2.5" in words(run(*made, "--lang", "zh-TW"))
    told = json.loads(run(*made, "--format", "json").stdout)["anonymization"]
    assert [column.get("weight") for column in told["columns"]] == [2.5, None]
    assert (told["objective"], told["aggregate"]) == ("granularity", "geometric")
    heavy = words(run(*made[:-1], "Age=50", "--weight", "Zip=50"))
    assert "A weighted loss is no share: it can be above 1" in heavy
    light = words(run(*made[:-1], "Age=1.5"))
    assert "A weighted loss is no share" not in light


WAIVER = "waivers: [{rule: k-anonymity, owner: somebody, reason: a pilot, expires: 2999-01-01}]\n"


def test_rules_that_are_waived_are_named_beside_the_proof(raw):
    with (raw / "policy.yaml").open("a") as file:
        file.write(WAIVER)
    made = ("anonymize", raw / "policy.yaml", "-o", raw / "released.csv")
    assert "Waived, and so not demanded of the release: k-anonymity." in words(run(*made))
    assert "已豁免，故未要求釋出資料符合：k-匿名性。" in words(run(*made, "--lang", "zh-TW"))
    assert json.loads(run(*made, "--format", "json").stdout)["anonymization"]["waived"] == ["k-anonymity"]


def test_if_every_rule_is_waived_the_error_says_so(raw):
    text = (raw / "policy.yaml").read_text().replace("  - {measure: l-diversity, l: 2}\n", "")
    (raw / "policy.yaml").write_text(text + WAIVER)
    failed = run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv")
    assert failed.returncode == 2
    assert "every rule that a release could break is waived: 'k-anonymity'" in failed.stderr


def test_the_policy_of_a_release_says_how_it_was_made(raw):
    options = ("--level", "Age=1-4", "--weight", "Zip=0.5")
    assert run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv", *options).returncode == 0
    text = (raw / "released_policy.yaml").read_text()
    lines = [line.removeprefix("#   ") for line in text.splitlines() if line.startswith("#   ")]
    told = yaml.safe_load("\n".join(lines))
    assert told["anonymize"] == {
        "method": "local",
        "suppression": 0.05,
        "objective": "granularity",
        "aggregate": "geometric",
        "weights": {"Zip": 0.5},
        "levels": {"Age": [1, 4]},
    }
    assert told["levels"].keys() == {"Age", "Zip"}
    assert run("check", raw / "released_policy.yaml").returncode == 0
    assert run("apply", raw / "policy.yaml", "--levels", "Age=1", "-o", raw / "told.csv").returncode == 1
    assert "#   levels: {Age: 1, Zip: 0}\n" in (raw / "told_policy.yaml").read_text()


def test_a_release_of_which_nothing_is_left_says_so(raw):
    made = ("anonymize", raw / "policy.yaml", "-o", raw / "released.csv", "--level", "Age=4", "--level", "Zip=3")
    done = run(*made)
    assert done.returncode == 2
    assert "k-anonymity is kept only where nothing is left: every quasi-identifier is *" in done.stderr
    assert not (raw / "released.csv").exists()


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
@pytest.mark.parametrize("width", [30, 70])
def test_the_command_of_a_next_step_can_be_copied(raw, lang, width):
    """It has a line of its own, however long it is; no other line is too wide, and no number stands alone."""
    policy = str((raw / "policy.yaml").absolute())
    text = check(raw / "policy.yaml").content
    lines = check_text(text, lang, colour=False, width=width, policy=policy).splitlines()
    [place] = [place for place, line in enumerate(lines) if "RELEASED.csv" in line]
    assert lines[place].split() == ["petworks", "anonymize", policy, "-o", "RELEASED.csv"]
    steps = lines[next(place for place, line in enumerate(lines) if line.startswith("1. ")) :]
    assert all(cell_len(line) <= width for line in steps if line != lines[place])
    assert not {"1.", "2.", "3.", "4.", "。"} & set(steps)


@pytest.mark.parametrize(
    "rules",
    [
        "rules: [{measure: sample-uniqueness, share: 0.01}]",
        "rules: [{measure: re-identification, at_most: 0.05}]",
        "subsets: {sizes: all, limits: {uniques: 0.01}}",
    ],
)
def test_a_check_offers_the_command_for_rules_about_the_whole_table(raw, rules):
    text = (raw / "policy.yaml").read_text()
    few = (raw / "raw.csv").read_bytes().splitlines(keepends=True)[:111]  # every record is unique
    (raw / "raw.csv").write_bytes(b"".join(few))
    kept = text[: text.index("rules:")].replace("no_role", "anonymize: {suppression: 0.5}\nno_role")
    (raw / "policy.yaml").write_text(f"{kept}context: {{rules_reason: a test}}\n{rules}\n")
    failed = run("check", raw / "policy.yaml", "--json", raw / "check.json", "--html", raw / "check.html")
    assert failed.returncode == 1
    assert "To fix this, run: petworks anonymize" in words(failed)
    assert "that break a rule" not in words(failed)
    steps = json.loads((raw / "check.json").read_text())["next_steps"]
    assert [step.get("records") for step in steps if step["step"] == "anonymize"] == [None]
    assert "一次修正，請執行：petworks anonymize policy.yaml" in (raw / "check.html").read_text("utf-8")
    assert run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv").returncode == 0


def test_a_check_does_not_offer_what_cannot_help(raw):
    text = (raw / "policy.yaml").read_text()
    (raw / "policy.yaml").write_text(text.replace("  - {measure: l-diversity, l: 2}\n", "") + WAIVER)
    assert "petworks anonymize" not in words(run("check", raw / "policy.yaml"))


def test_the_advised_command_has_the_path_that_was_given_and_documents_have_none(raw):
    folder = raw / "p q" / "in"
    folder.mkdir(parents=True)
    for name in ("raw.csv", "policy.yaml"):
        (raw / name).rename(folder / name)
    failed = run("check", "p q/in/policy.yaml", "--markdown", "check.md", cwd=raw)
    assert "run: petworks anonymize 'p q/in/policy.yaml' -o RELEASED.csv" in words(failed)
    written = (raw / "check.md").read_text()
    assert "petworks anonymize policy.yaml -o RELEASED.csv" in written
    assert "p q" not in written
    rooted = words(run("check", "p q/in/policy.yaml", "--root", ".", cwd=raw))
    assert "run: petworks anonymize 'p q/in/policy.yaml' --root FOLDER -o RELEASED.csv" in rooted


def test_values_outside_a_hierarchy_are_counted_in_english(raw):
    levels = "".join(f"{age};young;*\n" if age < 40 else f"{age};old;*\n" for age in range(20, 55))
    (raw / "ages.csv").write_text(levels)
    text = (raw / "policy.yaml").read_text().replace("{width: [5, 10, 20]}", "ages.csv")
    (raw / "policy.yaml").write_text(text)
    failed = run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv")
    assert failed.returncode == 2
    assert "column 'Age': 5 of 40 values of the table are not leaves of its hierarchy (ages.csv)" in failed.stderr


def test_a_table_that_is_generalised_already_is_said_to_be(raw):
    levels = "".join(f"{age};{age // 10 * 10}s;{'young' if age < 40 else 'old'};*\n" for age in range(20, 60))
    (raw / "ages.csv").write_text(levels)
    text = (raw / "policy.yaml").read_text().replace("{width: [5, 10, 20]}", "ages.csv")
    (raw / "policy.yaml").write_text(text)
    lines = (raw / "raw.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines]
    rows[1:] = [[row[0], f"{row[1][0]}0s", *row[2:]] for row in rows[1:]]
    (raw / "raw.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    failed = run("anonymize", raw / "policy.yaml", "-o", raw / "released.csv")
    assert failed.returncode == 2
    assert "column 'Age' is generalised already: none of its 4 values is a leaf" in failed.stderr
    assert "start from the original table, with its policy" in failed.stderr


def test_columns_that_go_out_nearly_unique_are_named(raw):
    made = ("anonymize", raw / "policy.yaml", "-o", raw / "released.csv")
    assert "look at" not in words(run(*made))
    lines = (raw / "raw.csv").read_text().splitlines()
    fees = [f"{line},F{place * 37 + 1000}" for place, line in enumerate(lines[1:])]
    (raw / "raw.csv").write_text("\n".join([f"{lines[0]},Fees", *fees]) + "\n")
    text = (raw / "policy.yaml").read_text().replace("[Illness]", "[Illness, Fees]")
    (raw / "policy.yaml").write_text(text.replace("l: 2", "l: 1"))
    failed = run(*made)
    assert failed.returncode == 1, "codes of single records are no values that may go out"
    assert "look at Fees: values are nearly unique" in words(failed)
    assert "no-hidden-identifiers no hidden identifiers Fees fail" in words(failed)
    assert "「Fees」" in words(run(*made, "--lang", "zh-TW"))
    assert json.loads(run(*made, "--format", "json").stdout)["columns_to_look_at"] == ["Fees"]
    (raw / "policy.yaml").write_text(text.replace("l: 2", "l: 1") + "role_reasons: {Fees: nobody saw the bills}\n")
    assert "no-hidden-identifiers no hidden identifiers Fees fail" in words(run(*made)), "a reason is no waiver"
