"""Rules of a policy that are not enough: for a sensitive column, or for those who get the table."""

from datetime import date

import pytest

from command import petworks
from PETWorks import Release, check, evaluate
from PETWorks.gate.policy.policy_rules import RULES_FIT, VALUES_PROTECTED

ROWS = [f"{30 + place // 11}-x,{'ab'[place % 2]},{place % 3}" for place in range(44)]
WAIVED = "waivers:\n  - {rule: RULE, owner: me, reason: a pilot, expires: DAY}\n"


def judged(tmp_path, rules, more="", sensitive="[disease, grade]"):
    (tmp_path / "t.csv").write_text("\n".join(["age,disease,grade", *ROWS]) + "\n")
    insensitive = "" if "grade" in sensitive else ", insensitive_attributes: [grade]"
    roles = f"{{quasi_identifiers: [age], sensitive_attributes: {sensitive}{insensitive}}}"
    text = f"petworks_policy: 1\ndata: t.csv\nroles: {roles}\n{more}"
    (tmp_path / "p.yaml").write_text(f"{text}rules:\n" + "".join(f"  - {{measure: {rule}}}\n" for rule in rules))
    document = check(tmp_path / "p.yaml").document
    return document, {rule["name"]: rule for rule in document["rules"]}


def steps(document):
    return {step["step"]: step for step in document["next_steps"]}


@pytest.mark.parametrize(
    "rule",
    [
        "l-diversity, l: 2",
        "entropy-l-diversity, l: 1.2",
        "recursive-l-diversity, c: 3",
        "t-closeness, t: 0.94",
        "basic-beta-likeness, beta: 18.9",
        "enhanced-beta-likeness, beta: 99",
        "delta-disclosure, delta: 2.99",
        "delta-disclosure, delta: 4.3, base: 2",
        "delta-disclosure, delta: 1.3, base: 10",
        "alpha-k-anonymity, alpha: 0.9",
        "attribute-inference, at_most: 0.9",
        "attribute-inference, excess: 0.9",
        "attribute-inference, gain: 0.9",
    ],
)
def test_a_rule_about_values_protects_all_sensitive_columns(tmp_path, rule):
    _, rules = judged(tmp_path, ["k-anonymity, k: 11", rule])
    assert (rules[VALUES_PROTECTED]["verdict"], rules[VALUES_PROTECTED]["value"]) == ("pass", [])


@pytest.mark.parametrize(
    "rule",
    [
        "k-anonymity, k: 11",
        "l-diversity, l: 1",
        "t-closeness, t: 1",
        "t-closeness, t: 0.999",
        "t-closeness, t: 0.95",
        "basic-beta-likeness, beta: 19",
        "basic-beta-likeness, beta: 1000",
        "delta-disclosure, delta: 3",
        "delta-disclosure, delta: 4.33, base: 2",
        "delta-disclosure, delta: 1.31, base: 10",
        "attribute-inference, gain: 1",
        "alpha-k-anonymity, k: 5",
        "alpha-k-anonymity, alpha: 1",
        "alpha-k-anonymity, alpha: 0.9, value: a",
        "attribute-inference, at_most: 1",
        "re-identification, at_most: 0.5",
    ],
)
def test_other_rules_do_not(tmp_path, rule):
    document, rules = judged(tmp_path, [rule])
    found = rules[VALUES_PROTECTED]
    assert (found["verdict"], found["value"]) == ("fail", ["disease", "grade"])
    step = steps(document)["rule-for-values"]
    assert (step["columns"], step["policy"]) == (["disease", "grade"], "{measure: l-diversity, l: 2}")


@pytest.mark.parametrize(
    ("rule", "counts"),
    [
        ("t-closeness, t: 0.949", True),
        ("t-closeness, t: 0.95", False),
        ("basic-beta-likeness, beta: 18.99", True),
        ("basic-beta-likeness, beta: 19", False),
        ("enhanced-beta-likeness, beta: 1000", True),
        ("delta-disclosure, delta: 2.995", True),
        ("delta-disclosure, delta: 2.996", False),
        ("delta-disclosure, delta: 4.32, base: 2", True),
        ("delta-disclosure, delta: 4.33, base: 2", False),
    ],
)
def test_a_rule_counts_if_it_refuses_a_class_that_shares_a_value_of_one_in_twenty(tmp_path, rule, counts):
    """The bounds are those at which the measures themselves refuse such a class."""
    measure, _, given = rule.partition(", ")
    limits = {
        name: (text if name == "base" else float(text)) for name, text in (one.split(": ") for one in given.split(", "))
    }
    table = {"age": ["a"] * 5 + ["b"] * 95, "disease": ["x"] * 5 + ["y"] * 95}
    release = Release(table, {"age": "quasi_identifier", "disease": "sensitive_attribute"})
    assert evaluate(release, {measure: limits}).satisfied is not counts
    _, rules = judged(tmp_path, ["k-anonymity, k: 11", rule])
    assert (rules[VALUES_PROTECTED]["verdict"] == "pass") is counts


@pytest.mark.parametrize(("worth", "gain", "bare"), [(5, 4, ["grade"]), (5, 5, ["disease", "grade"])])
def test_a_limit_on_what_is_gained_counts_below_the_highest_worth(tmp_path, worth, gain, bare):
    rule = f"attribute-inference, gain: {gain}, worth: {{disease: {{a: {worth}}}}}"
    assert judged(tmp_path, ["k-anonymity, k: 11", rule])[1][VALUES_PROTECTED]["value"] == bare


def test_a_reason_is_enough_and_is_named(tmp_path):
    document, rules = judged(tmp_path, ["k-anonymity, k: 11"], "no_rule: {disease: everybody knows, grade: public}\n")
    assert rules[VALUES_PROTECTED]["verdict"] == "pass"
    assert {"notice": "no-rule", "columns": ["disease", "grade"]} in document["notices"]
    document, rules = judged(tmp_path, ["k-anonymity, k: 11"], "no_rule: {disease: everybody knows}\n")
    assert rules[VALUES_PROTECTED]["value"] == ["grade"]
    document, rules = judged(tmp_path, ["l-diversity, l: 2"], "no_rule: {disease: everybody knows}\n")
    assert not [one for one in document["notices"] if one["notice"] == "no-rule"]  # nothing relies on it


def test_reasons_are_for_sensitive_columns(tmp_path):
    judged(tmp_path, ["k-anonymity, k: 11"], "no_rule: {disease: x, grade: y}\n")
    policy = (tmp_path / "p.yaml").read_text().replace("grade: y", "age: y")
    (tmp_path / "p.yaml").write_text(policy)
    done = petworks("check", tmp_path / "p.yaml")
    assert (done.returncode, "no_rule.age: the column is no sensitive attribute" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("sizes", "limit", "bare"),
    [
        ("all", "inference: 0.9", []),
        ("all", "inference:disease: 0.9", ["grade"]),
        ("all", "inference: 1", ["disease", "grade"]),
        ("all", "uniques: 0.5", ["disease", "grade"]),
    ],
)
def test_limits_on_subsets(tmp_path, sizes, limit, bare):
    name, _, value = limit.rpartition(": ")
    more = f"subsets: {{sizes: {sizes}, limits: {{'{name}': {value}}}}}\n"
    assert judged(tmp_path, ["k-anonymity, k: 11"], more)[1][VALUES_PROTECTED]["value"] == bare


@pytest.mark.parametrize(("day", "verdict"), [("2999-12-31", "fail"), ("2020-01-01", "pass")])
def test_waived_rules_are_not_in_force(tmp_path, day, verdict):
    waived = WAIVED.replace("RULE", "l-diversity").replace("DAY", day)
    assert date.fromisoformat(day)
    _, rules = judged(tmp_path, ["k-anonymity, k: 11", "l-diversity, l: 2"], waived)
    assert rules[VALUES_PROTECTED]["verdict"] == verdict
    waived = WAIVED.replace("RULE", "k-anonymity").replace("DAY", day)
    _, rules = judged(tmp_path, ["k-anonymity, k: 11", "l-diversity, l: 2"], f"{waived}context: {{release: public}}\n")
    assert rules[RULES_FIT]["verdict"] == verdict


def test_both_rules_can_be_waived(tmp_path):
    waived = WAIVED.replace("RULE", VALUES_PROTECTED).replace("DAY", "2999-12-31")
    assert judged(tmp_path, ["k-anonymity, k: 11"], waived)[1][VALUES_PROTECTED]["verdict"] == "waived"


@pytest.mark.parametrize(
    ("kind", "rule", "found", "verdict"),
    [
        ("public", "k-anonymity, k: 11", 11, "pass"),
        ("public", "k-anonymity, k: 10", 10, "fail"),
        ("public", "prosecutor-risk, highest: 1/11", 11, "pass"),
        ("public", "prosecutor-risk, highest: 0.1", 10, "fail"),
        ("public", "prosecutor-risk, cell_size: 11", 11, "pass"),
        ("public", "average-risk, cell_size: 12", 12, "pass"),
        ("public", "re-identification, at_most: 0.09", None, "fail"),
        ("public", "l-diversity, l: 2", 2, "fail"),
        ("controlled", "k-anonymity, k: 2", 2, "pass"),
        ("controlled", "l-diversity, l: 2", 2, "pass"),
        ("internal", "re-identification, at_most: 0.5", None, "fail"),
    ],
)
def test_rules_fit_those_who_get_the_table(tmp_path, kind, rule, found, verdict):
    document, rules = judged(tmp_path, [rule], f"context: {{release: {kind}}}\n")
    assert (rules[RULES_FIT]["value"], rules[RULES_FIT]["verdict"]) == (found, verdict)
    assert ("fitting-rules" in steps(document)) == (verdict == "fail")
    notices = [one["notice"] for one in document["notices"]]
    assert "no-class-size" not in notices
    more = f"context: {{release: {kind}, rules_reason: a small village}}\n"
    document, rules = judged(tmp_path, [rule], more)
    assert rules[RULES_FIT]["verdict"] == "pass"
    assert ("rules-reason" in [one["notice"] for one in document["notices"]]) == (verdict == "fail")


def test_subsets_and_presets_count(tmp_path):
    public = "context: {release: public}\n"
    subsets = f"{public}subsets: {{sizes: all, limits: {{highest-risk: 1/11}}}}\n"
    assert judged(tmp_path, ["l-diversity, l: 2"], subsets)[1][RULES_FIT]["verdict"] == "pass"
    assert judged(tmp_path, ["l-diversity, l: 2"], f"{public}presets: [cms-11]\n")[1][RULES_FIT]["value"] == 11
    assert judged(tmp_path, ["l-diversity, l: 2"], f"{public}presets: [pdpc-5]\n")[1][RULES_FIT]["verdict"] == "fail"


@pytest.mark.parametrize("context", ["", "context: {purpose: research}\n"])
@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("k-anonymity, k: 2", "pass"),
        ("l-diversity, l: 2", "pass"),
        ("k-anonymity, k: 1", "fail"),
        ("re-identification, at_most: 1", "fail"),
        ("prosecutor-risk, highest: 0.99", "fail"),
    ],
)
def test_where_nobody_said_who_gets_the_table_classes_have_several_records(tmp_path, context, rule, verdict):
    document, rules = judged(tmp_path, [rule], context)
    assert rules[RULES_FIT]["verdict"] == verdict
    assert ("fitting-rules-unsaid" in steps(document)) == (verdict == "fail")


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
@pytest.mark.parametrize("edition", ["internal", "external"])
def test_every_language_and_edition_has_the_lines(tmp_path, lang, edition):
    judged(tmp_path, ["k-anonymity, k: 3"], "context: {release: public}\n")
    done = petworks("check", tmp_path / "p.yaml", "--lang", lang, "--edition", edition, "--markdown", "-")
    assert "health-canada-0.09" in done.stdout
    assert "{measure: l-diversity, l: 2}" in done.stdout.replace("\\", "").replace("\n", " ")


@pytest.mark.parametrize("kind", ["public", "controlled", "internal"])
def test_init_writes_rules_that_are_enough(tmp_path, kind):
    rows = [f"{20 + place % 40},{'mf'[place % 2]},{['flu', 'cold', 'gout'][place % 3]}" for place in range(300)]
    (tmp_path / "s.csv").write_text("\n".join(["age,sex,diagnosis", *rows]) + "\n")
    done = petworks("init", tmp_path / "s.csv", "--release", kind, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = check(next(tmp_path.glob("*policy.yaml"))).document
    verdicts = {rule["name"]: rule["verdict"] for rule in document["rules"]}
    assert (verdicts[VALUES_PROTECTED], verdicts[RULES_FIT]) == ("pass", "pass")
