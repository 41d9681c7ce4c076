"""The first screen: the worst that can happen and to how many, rules without meaning, and what is not covered."""

import random
from collections import Counter, defaultdict

import pytest

from command import petworks
from PETWorks import Release, check
from PETWorks.attributetypes import IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.gate.check.notices import worst_case_notices
from studio_client import entered

POLICY = """\
petworks_policy: 1
data: t.csv
no_rule: {income: a test, illness: a test}
roles:
  quasi_identifiers: [age, zip]
  sensitive_attributes: [income, illness]
  insensitive_attributes: [batch]
hierarchies: {age: {rare: {fewer_than: 2}}, zip: {rare: {fewer_than: 2}}}
rules:
  - {measure: k-anonymity, k: 5}
"""


def write(folder, rows, policy=POLICY):
    lines = ["age,zip,income,illness,batch", *(",".join(row) for row in rows)]
    (folder / "t.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "policy.yaml").write_text(policy, "utf-8")
    return folder / "policy.yaml"


@pytest.fixture
def policy(tmp_path):
    """Thirty people of one class have one income; five are a class of their own."""
    rows = [("30-39", "1", "low", "xyz"[n % 3], "a") for n in range(30)]
    rows += [("40-49", "1", ("low", "high")[n % 2], "xyz"[n % 3], "b") for n in range(40)]
    rows += [("50-59", "2", ("low", "high")[n % 2], "xyz"[n % 3], "b") for n in range(5)]
    return write(tmp_path, rows)


def above_the_rules(text):
    return " ".join(text.split(" rule  ")[0].split())


def test_the_worst_and_to_how_many_stand_above_the_rules(policy):
    told = petworks("check", policy)
    assert told.returncode == 0
    first = above_the_rules(told.stdout)
    assert "The chance to find a person is 4 % on average; at worst it is 20 %, for 5 people." in first
    assert "For 30 people income is certain" in first
    assert "illness is certain" not in first
    assert "The verdict does not consider somebody who already knows a person's income, illness, or who has" in first
    chinese = petworks("check", policy, "--lang", "zh-TW").stdout.split(" 規則  ")[0]
    for text in (
        "找到某人的機率平均為 4%；最壞情況為 20%，涉及 5 人。",
        "有 30 人的「income」可以確定",
        "本結果未考慮",
    ):
        assert text in "".join(chinese.split("\n")), chinese


def test_no_more_people_are_named_than_there_are(tmp_path):
    """Six people with a record in each of two classes: a class counts each of them once, and both would be twelve."""
    rows = [(age, "1", "low", "xyz"[n % 3], str(n)) for age in ("30-39", "40-49") for n in range(6)]
    told = check(write(tmp_path, rows, POLICY + "privacy_unit: batch\n").parent / "policy.yaml").to_format("text")
    assert "for 6 people" in " ".join(told.split())
    assert "12 people" not in told


def test_every_report_and_the_page_have_it_above_the_rules(policy):
    result = check(policy)
    for name, said, rules in (
        ("html", "of 20\N{NO-BREAK SPACE}% at worst (5 people)", "<nav"),
        ("markdown", "at worst it is 20 %, for 5 people", "| k-anonymity"),
    ):
        text = result.to_format(name)
        assert text.index(said) < text.index(rules), name
        assert text.index("For 30 people income is certain") < text.index(rules), name
    with entered(policy.parent) as page:
        shown = page.get("/decide/verdict?policy=policy.yaml").text
        assert shown.index("For 30 people income is certain") < shown.index("<table")


def test_anonymize_says_it_at_the_top(policy):
    done = petworks("anonymize", policy, "-o", policy.with_name("out.csv"))
    assert done.returncode == 0, done.stderr
    top = above_the_rules(done.stdout)
    assert "at worst it is" in top
    assert "For 30 people income is certain" in top
    assert "The verdict does not consider" in top


@pytest.mark.parametrize("format_name", ["text", "html", "markdown", "json", "junit"])
def test_outsiders_see_no_number_of_people(policy, format_name):
    outside = check(policy).to_format(format_name, "en", "external")
    for text in ("30 people", "(5 people", " 5 people.", "is certain:", "certain-value", "highest-risk"):
        assert text not in outside
    if format_name in ("text", "html", "markdown"):
        assert "shown in the internal edition only" in " ".join(outside.split())


def by_hand(rows, columns, sensitive):
    """For each sensitive attribute the people in classes that have one value of it, and no class of missing ones."""
    classes = defaultdict(list)
    for row in rows:
        classes[tuple(row[name] for name in columns)].append(row)
    certain, likely = {}, {}
    for name in sensitive:
        alone = [members for members in classes.values() if len({row[name] for row in members}) == 1]
        certain[name] = sum(len(members) for members in alone if members[0][name])
        values_of = [[row[name] for row in members] for members in classes.values()]
        guesses = [(Counter(values).most_common(1)[0][1] / len(values), len(values)) for values in values_of]
        likely[name] = (max((share for share, _ in guesses), default=0), sum(n for share, n in guesses if share >= 0.8))
    smallest = min(map(len, classes.values()))
    people = sum(len(members) for members in classes.values() if len(members) == smallest)
    return certain, likely, (1 / smallest, people, len(classes) / len(rows))


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_counts_are_those_of_a_count_by_hand(tmp_path, engine):
    draw = random.Random(7)
    names = ("a", "b", "s", "t")
    for _ in range(10):
        rows = [{name: draw.choice(("1", "2", "3", "")) for name in names} for _ in range(draw.randrange(1, 40))]
        (tmp_path / "t.csv").write_text("\n".join([",".join(names), *(",".join(row.values()) for row in rows)]) + "\n")
        roles = dict.fromkeys("ab", QUASI_IDENTIFIER) | dict.fromkeys("st", SENSITIVE_ATTRIBUTE)
        found = list(worst_case_notices(Release(tmp_path / "t.csv", roles, engine=engine)))
        certain, likely, (risk, people, average) = by_hand(rows, "ab", "st")
        guessed = {n.columns[0]: (n.share, n.records) for n in found if n.notice == "likely-value"}
        assert guessed == likely
        told = {notice.columns[0]: notice.records for notice in found if notice.notice == "certain-value"}
        assert told == {name: number for name, number in certain.items() if number}
        highest = found[0]
        assert (highest.notice, highest.share, highest.records) == ("highest-risk", risk, people)
        assert highest.average == pytest.approx(average)


def test_people_are_counted_not_records(tmp_path):
    rows = [f"{person},30,{value}" for person, value in ((1, "x"), (1, "x"), (2, "x"), (3, "x"), (3, "x"))]
    (tmp_path / "t.csv").write_text("\n".join(["who,age,s", *rows]) + "\n")
    roles = {"age": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE, "who": IDENTIFIER}
    highest, certain, likely = worst_case_notices(Release(tmp_path / "t.csv", roles, privacy_unit="who"))
    assert (highest.records, highest.share, certain.records) == (3, 1 / 3, 3)
    assert (likely.notice, likely.records, likely.share) == ("likely-value", 3, 1)


@pytest.mark.parametrize(
    ("rule", "meaningless"),
    [
        ("{measure: k-anonymity, k: 1}", True),
        ("{measure: k-anonymity, k: 2}", False),
        ("{measure: l-diversity, l: 1}", True),
        ("{measure: t-closeness, t: 1}", True),
        ("{measure: t-closeness, t: 0.9}", False),
        ("{measure: prosecutor-risk, highest: 1}", True),
        ("{measure: prosecutor-risk, highest: 0.5, average: 1}", False),
    ],
)
def test_a_rule_that_every_table_keeps_is_named(policy, rule, meaningless):
    policy.write_text(POLICY + f"  - {rule.replace('}', ', name: odd}')}\n", "utf-8")
    kinds = {notice.notice: notice.rules for notice in check(policy).content.notices}
    assert kinds.get("rule-always-holds") == (("odd",) if meaningless else None)


def test_a_rule_about_a_column_of_one_value_is_named(tmp_path):
    rows = [("30-39", "1", "low", "xyz"[n % 3], "a") for n in range(30)]
    policy = write(tmp_path, rows, POLICY + "  - {measure: t-closeness, t: 0.2}\n")
    kinds = {notice.notice: notice for notice in check(policy).content.notices}
    assert kinds["rule-about-one-value"].columns == ("income",)
    assert kinds["rule-about-one-value"].rules == ("t-closeness",)
    first = above_the_rules(petworks("check", policy).stdout)
    assert "Without meaning here: t-closeness. income has one value in the whole table" in first


def test_lost_columns_and_rules_about_them_are_named(tmp_path):
    rows = [("*", "*", ("low", "high")[n % 2], "x", "a") for n in range(30)]
    policy = write(tmp_path, rows, POLICY + "treatment: {suppressed: class}\n")
    kinds = {notice.notice: notice for notice in check(policy).content.notices}
    assert kinds["nothing-left"].columns == ("age", "zip")
    assert kinds["rule-about-nothing"].rules == ("k-anonymity",)


def test_a_value_is_certain_however_it_is_spelt(tmp_path):
    spelt = ("HIV", "hiv", "\uff28\uff29\uff36", "h\u200biv", "")
    rows = [("30-39", "1", ("low", "high")[n % 2], spelt[n % 5], "a") for n in range(30)]
    rows += [("40-49", "1", ("low", "high")[n % 2], "xyz"[n % 3], "b") for n in range(30)]
    certain = [one for one in check(write(tmp_path, rows)).content.notices if one.notice == "certain-value"]
    assert [(one.columns, one.records) for one in certain] == [(("illness",), 24)], "of the 30, 24 have a value"


NEAR = """petworks_policy: 1
data: t.csv
roles: {quasi_identifiers: [age], sensitive_attributes: [income]}
rules: [{measure: k-anonymity, k: 5}, {measure: l-diversity, l: 3}RULE]
"""


def near_values(tmp_path, incomes, rule=""):
    """The people for whom numbers are nearly certain: each list of incomes is a class of 12."""
    rows = [f"{30 + place},{own[row % len(own)]}" for place, own in enumerate(incomes) for row in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(["age,income", *rows]) + "\n")
    (tmp_path / "p.yaml").write_text(NEAR.replace("RULE", rule))
    found = check(tmp_path / "p.yaml").content.notices
    return [(notice.columns, notice.records) for notice in found if notice.notice == "near-value"]


@pytest.mark.parametrize(
    ("incomes", "people"),
    [
        ([(50000, 50001, 50002), (20000, 30000, 80000)], 12),
        ([(50000, 50001, 50002), (70000, 70100, 70200)], 24),
        ([(50000, 50001, 50002)], 12),
        ([(0.1, 0.11, 0.12), (0.5, 7, 99)], 12),  # nearly equal beside the range of all
        ([(50000, 50001, 52000), (20000, 30000, 80000)], None),
        ([(2019, 2020, 2021), (2003, 2009, 2024)], None),  # years
        ([(1, 2, 3), (3, 4, 5)], None),
        ([("50000", "50001", "about 50000"), ("1", "2", "3")], None),
        ([(50000, 50001, ""), (20000, 30000, 80000)], 8),  # whose value is known
    ],
)
def test_numbers_that_are_nearly_equal_are_told(tmp_path, incomes, people):
    assert near_values(tmp_path, incomes) == ([] if people is None else [(("income",), people)])


def test_a_rule_that_measures_distances_needs_no_such_notice(tmp_path):
    incomes = [(50000, 50001, 50002), (20000, 30000, 80000)]
    assert near_values(tmp_path, incomes, ", {measure: t-closeness, t: 0.9}") == []


def test_nearly_equal_numbers_are_told_above_the_rules_with_the_cure(tmp_path):
    near_values(tmp_path, [(50000, 50001, 50002), (20000, 30000, 80000)])
    for command in (["check", tmp_path / "p.yaml"], ["anonymize", tmp_path / "p.yaml", "-o", tmp_path / "out.csv"]):
        done = petworks(*command)
        assert done.returncode == 0, done.stdout
        top = " ".join(above_the_rules(done.stdout).split())
        assert "For 12 people income is nearly certain" in top
        assert "'protect' under 'anonymize': round or intervals" in top
    outside = check(tmp_path / "p.yaml").to_format("text", "en", "external")
    assert "nearly certain" not in outside
