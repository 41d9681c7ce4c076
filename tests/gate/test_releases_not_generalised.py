"""The gate for synthetic and perturbed tables: three made-up ones, control people, levels, what it does not accept."""

import json
import re

import numpy as np
import pytest

from command import petworks
from PETWorks import Release, attack, check
from PETWorks.errors import InputError, PETWorksError
from PETWorks.gate.policy.policy import read_policy
from PETWorks.render.language.language import percent
from PETWorks.render.report.prose import residual
from policy_checks import CHECK
from studio_client import entered

DAY = "2026-11-01"
PEOPLE, CONTROLS = 3000, 1200
POLICY = """\
petworks_policy: 1
data: {table}.csv
original: original.csv
control: control.csv
roles:
  quasi_identifiers: [age, town, sex]
  sensitive_attributes: [illness]
hierarchies:
  age: {{quantiles: [240, 60, 15, 5]}}
compare_at: {{age: [1, 2, 3]}}
context:
  kind: {kind}
  release: public
{more}presets: [nics-0.09]
"""


def people(rng, number):
    """Ages to the day, as years; the illness depends on age and town."""
    age = rng.uniform(18, 90, number).round(2)
    town = rng.integers(0, 6, number)
    illness = (age / 18 + town / 3 + rng.normal(0, 1.2, number)).astype(int) % 6
    return {"age": age, "town": town, "sex": rng.integers(0, 2, number), "illness": illness}


def write(path, columns):
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """An original with control people, and what three synthesisers made of it."""
    folder, rng = tmp_path_factory.mktemp("synthetic"), np.random.default_rng(7)
    original = people(rng, PEOPLE)
    write(folder / "original.csv", original)
    write(folder / "control.csv", people(rng, CONTROLS))
    write(folder / "independent.csv", {name: rng.permutation(values) for name, values in original.items()})
    write(folder / "drawn.csv", people(rng, PEOPLE))  # a synthesiser that knows the distribution, and nobody
    noise = rng.uniform(-0.02, 0.02, PEOPLE)
    noisy = {**original, "age": (original["age"] + noise).round(4)}
    write(folder / "noisy_copy.csv", noisy)
    return folder


def judge(tables, table, kind="synthetic", more="", **changes):
    text = POLICY.format(table=table, kind=kind, more=more)
    for old, new in changes.items():
        line = re.search(rf"^ *{old}:.*\n", text, re.MULTILINE)
        text = text.replace(line[0], new)
    path = tables / "policy.yaml"
    path.write_text(text)
    return check(path, as_of=DAY)


def verdicts(found):
    return {rule.name: rule.verdict for rule in found.content.rules}


def test_verdicts_are_those_of_an_expert(tables):
    """Independent draws and a good synthesiser tell nothing about single people; a copy with a little noise does."""
    by_table = {name: judge(tables, name) for name in ("independent", "drawn", "noisy_copy")}
    assert {name: found.verdict for name, found in by_table.items()} == {
        "independent": "pass",
        "drawn": "pass",
        "noisy_copy": "fail",
    }
    worst = verdicts(by_table["noisy_copy"])
    assert {name for name, verdict in worst.items() if verdict == "fail"} >= {"nics-0.09: certain", "nics-0.09: copies"}
    assert "synthesise-anew" in [step.step for step in by_table["noisy_copy"].content.next_steps]


def test_noise_shows_on_the_level_that_is_as_wide(tables):
    """On the finest level of all, where no value is equal, the copy would seem safe: the rules do not fit then."""
    exact = judge(tables, "noisy_copy", compare_at="")
    rules = verdicts(exact)
    assert [rules[f"nics-0.09: {name}"] for name in ("certain", "best-guess", "copies")] == ["pass"] * 3
    (fit,) = [rule for rule in exact.content.rules if rule.name == "rules-fit-the-release"]
    assert (fit.verdict, fit.details["columns"]) == ("fail", [{"column": "age"}])
    assert [step.columns for step in exact.content.next_steps if step.step == "compare-on-levels"] == [("age",)]
    by_level = [judge(tables, "noisy_copy", compare_at=f"compare_at: {{age: {level}}}\n") for level in (1, 4)]
    assert [verdicts(found)["nics-0.09: certain"] for found in by_level] == ["fail", "pass"]


def test_noise_in_whole_years_does_not_hide_a_copy(tmp_path):
    """Every age is wrong by a year or two, so that lookups find others, but all ages occur in the original."""
    rng = np.random.default_rng(2)
    for name in ("original", "control"):
        rows = [
            f"{rng.integers(18, 90)},{rng.choice(list('fm'))},{rng.integers(40)},{rng.integers(5)}" for _ in range(900)
        ]
        (tmp_path / f"{name}.csv").write_text("age,sex,town,illness\n" + "\n".join(rows) + "\n")
    header, *rows = (tmp_path / "original.csv").read_text().splitlines()
    noisy = [f"{int(row[:2]) + rng.choice([-2, -1, 1, 2])}{row[2:]}" for row in rows]
    (tmp_path / "noisy.csv").write_text("\n".join([header, *noisy]) + "\n")
    ages = "  age: {width: [5, 10]}\n"
    exact, on_level = (
        judge(tmp_path, "noisy", age=ages, compare_at=at) for at in ("", "compare_at: {age: [0, 1, 2]}\n")
    )
    failing = {name for name, verdict in verdicts(exact).items() if verdict == "fail"}
    assert failing == {"rules-fit-the-release"}
    assert verdicts(on_level)["nics-0.09: copies"] == "fail"
    page = re.sub(r"<[^>]+>", "", on_level.to_html("en")).replace("\N{NO-BREAK SPACE}", " ")
    front = page[: page.index("Context and assumptions")]
    said = re.search(
        r"For ([\d.]+) % of the people of the original, the table has a record that equals theirs in every column once "
        r"values are made coarser \(age on level \d\); for people whose data were not used, by chance, [\d.]+ %\. With "
        r"the values as they are, it is ([\d.]+) %, and by chance",
        front,
    )
    assert said, "a record that is equal after that only is not equal"
    assert float(said[1]) > 10 * float(said[2])
    assert "表中至少有一筆各欄都與他相同" in on_level.to_html("zh-TW")
    (copies,) = [rule for rule in on_level.content.rules if rule.name == "nics-0.09: copies"]
    assert f"{percent(copies.value)} (age on level " in front, "found and required are of one kind"
    assert "an excess of at most 9 %" in front
    assert "beyond those that are there by chance" in front
    every_subset = judge(
        tmp_path, "noisy", age=ages, compare_at="compare_at: {age: 2}\n", more="subsets: {sizes: all}\n"
    )
    cases = [answer.highest for answer in every_subset.content.lookups.if_they_know]
    assert max(case.interval[1] for case in cases if case.interval is not None) > 1
    ends = [float(end) for end in re.findall(r" to ([\d.]+) %\)", every_subset.to_html("en"))]
    assert (len(ends) > 10, max(ends)) == (True, 100), "nobody gains more than all that is left"
    assert verdicts(on_level)["rules-fit-the-release"] == "pass"


def test_one_new_value_in_most_cells_is_nothing_to_compare(tables):
    """It is one of seven values, but lookups by it find nobody."""
    header, *lines = (tables / "drawn.csv").read_text().splitlines()
    for share, verdict in ((3, "pass"), (1, "fail")):
        rows = [line.split(",") for line in lines]
        cells = [[age, town if place % 4 < share else "9", *others] for place, (age, town, *others) in enumerate(rows)]
        (tables / "moved.csv").write_text("\n".join([header, *map(",".join, cells)]) + "\n")
        assert verdicts(judge(tables, "moved"))["rules-fit-the-release"] == verdict


def test_every_adversary_is_judged(tables):
    """Whoever knows age alone is told more than those who know all, of whom few are found."""
    more = "  adversaries:\n    - {who: a colleague, knows: [age]}\n"
    found = judge(
        tables,
        "noisy_copy",
        more=more,
        compare_at="compare_at: {age: 3}\n",
        presets="rules: [{measure: certain, excess: 0.5}]\n",
    )
    alone = judge(
        tables, "noisy_copy", compare_at="compare_at: {age: 3}\n", presets="rules: [{measure: certain, excess: 0.5}]\n"
    )
    (rule,), (before,) = ([rule for rule in one.content.rules if rule.measure == "certain"] for one in (found, alone))
    known = rule.details.get("known", ["age", "town", "sex"])
    own = Release(
        tables / "noisy_copy.csv",
        {
            "quasi_identifiers": known,
            "sensitive_attributes": ["illness"],
            "insensitive_attributes": [name for name in ("age", "town", "sex") if name not in known],
        },
        {"age": {"quantiles": [240, 60, 15, 5]}},
        original=tables / "original.csv",
        control=tables / "control.csv",
        kind="synthetic",
        compare_at={"age": 3},
    )
    from PETWorks.measures import certain

    assert rule.value == certain(own).details["interval"][1] >= before.value


def test_without_enough_control_people_nothing_passes(tables):
    write(tables / "few.csv", people(np.random.default_rng(3), 60))
    none = judge(tables, "drawn", control="")
    few = judge(tables, "drawn", control="control: few.csv\n")
    same = judge(tables, "drawn", control="control: original.csv\n")
    for found, why, step in (
        (none, "no control people", "name-control"),
        (few, "few control people", "more-control"),
        (same, "control people are in the original", "separate-control"),
    ):
        assert found.verdict == "fail"
        rules = [rule for rule in found.content.rules if rule.preset == "nics-0.09"]
        assert [rule.details["unjudged"] for rule in rules] == [why] * 3
        assert step in [step.step for step in found.content.next_steps]
    assert [notice.notice for notice in none.content.notices] == ["no-control"]
    assert same.content.notices[0].records == PEOPLE


def test_more_control_people_help_only_if_they_do_on_each_level(tables):
    write(tables / "more.csv", people(np.random.default_rng(22), 150))
    limits = "subsets: {sizes: all, limits: {certain: 0.09}}\npresets: [nics-0.09]\n"

    def needed(table, levels):
        found = judge(
            tables, table, control="control: more.csv\n", presets=limits, compare_at=f"compare_at: {levels}\n"
        )
        rules = [rule for rule in found.content.rules if rule.verdict == "fail"]
        return found, {rule.name: rule.details.get("control_needed") for rule in rules}

    together, numbers = needed("drawn", "{age: [1, 2, 3]}")
    by_level = [needed("drawn", f"{{age: {level}}}")[1] for level in (1, 2, 3)]
    assert len(numbers) >= 2
    for rule, number in numbers.items():
        assert number == max(own.get(rule, 0) for own in by_level) > 150
    assert [step.step for step in together.content.next_steps] == ["more-control"]
    copied, numbers = needed("noisy_copy", "{age: [4, 1]}")
    assert numbers["nics-0.09: certain"] is numbers["every-subset: certain"] is None
    assert "synthesise-anew" in [step.step for step in copied.content.next_steps]


def test_only_the_verdict_leaves(tables):
    found = judge(tables, "noisy_copy")
    outside = found.to_dict("external")
    assert list(CHECK.iter_errors(outside)) == []
    assert outside["verdict"] == "fail"
    assert (outside["results"], outside["subsets"]) == ([], None)
    assert {rule["verdict"] for rule in outside["rules"] if rule["preset"]} == {"withheld"}
    numbers = {
        round(number, 4)
        for rule in found.content.rules
        if rule.preset
        for number in (rule.value, *rule.details.get("interval", ()))
    }
    shown = json.dumps(outside)
    assert not any(f"{number:.4f}" in shown for number in numbers)
    assert "%" not in found.to_markdown(edition="external")


def test_reports_say_nothing_about_the_right_record(tables):
    found = judge(tables, "noisy_copy")
    page = re.sub(r"<[^>]+>", " ", re.sub(r"(?s)<(style|script).*?</\1>", "", found.to_html("en")))
    for sentence in ("finds the right record", "records are suppressed", "in classes", "smallest class"):
        assert sentence not in page
    assert "Lookups: what does the table tell about the people of the original?" in page
    assert "people whose data were not used" in found.to_markdown()
    assert "查詢" in found.to_html("zh-TW")
    reasons = found.content.not_applicable
    assert "k-anonymity" not in reasons, "measures of another kind are left out"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"presets": "presets: [pdpc-5]\n"}, "the preset is about classes of records"),
        ({"presets": "rules: [{measure: k-anonymity, k: 5}]\n"}, "does not apply to a synthetic table, because"),
        ({"original": ""}, "a release that is synthetic is judged by its original"),
        ({"control": "control: control.csv\npopulation: 100000\n"}, "the key is for generalised releases"),
        ({"kind": ""}, "the key is for releases of the kind"),
        ({"control": "control: control.csv\nprivacy_unit: nr\n"}, "line 5, privacy_unit: a release that is not"),
        ({"compare_at": "compare_at: {age: 9}\n"}, "expected a level from 0 to 5"),
    ],
)
def test_mistakes(tables, changes, says):
    with pytest.raises(PETWorksError, match=re.escape(says)):
        judge(tables, "drawn", **changes)


def test_a_table_that_no_generalisation_can_make_is_asked_about(tables):
    """Combinations of exact values that the original does not have; without the question it would be called risky."""
    text = POLICY.format(table="independent", kind="", more="")
    text = re.sub(r"control:.*\n|compare_at:.*\n|  kind:.*\n|presets:.*\n", "", text) + "presets: [pdpc-5]\n"
    path = tables / "silent.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"records combine values of 'age', 'town', 'sex' as no record"):
        check(path, as_of=DAY)
    path.write_text(text.replace("  release:", "  kind: generalised\n  release:"))
    assert check(path, as_of=DAY).verdict == "fail"
    path.write_text(text.replace("independent.csv", "original.csv"))
    assert check(path, as_of=DAY).verdict == "fail", "the original itself is not asked about"


def test_labels_that_are_values_of_the_original_are_not_exact(tmp_path):
    """`*` and `50` stand for many values, although the original has them as cells, too."""
    rows = [(age, sex, town) for age in range(20, 60) for sex in "fm" for town in ("A", "B" if age % 2 else "C")]
    original = [*rows, (50, "*", "A"), ("*", "f", "*"), (51, "m", "*")]
    (tmp_path / "original.csv").write_text("age,sex,town\n" + "".join(f"{a},{s},{t}\n" for a, s, t in original))
    (tmp_path / "released.csv").write_text("age,sex,town\n" + "".join(f"50,{s},*\n" for _, s, _ in original))
    (tmp_path / "ages.csv").write_text("".join(f"{age};50\n" for age in range(20, 60)))
    path = tmp_path / "p.yaml"
    path.write_text(
        "petworks_policy: 1\ndata: released.csv\noriginal: original.csv\nhierarchies: {age: ages.csv}\n"
        "roles: {quasi_identifiers: [age, sex, town]}\nrules: [{measure: k-anonymity, k: 1}]\n"
    )
    assert check(path, as_of=DAY).verdict in ("pass", "fail")


def test_people_with_several_records_are_not_taken_for_several_people(tables):
    """The original says who they are; the synthetic table does not, and the control people are like the original."""
    header, *lines = (tables / "original.csv").read_text().splitlines()
    visits = [f"P{person:04},{line}" for person, line in enumerate(lines) for _ in range(2)]
    (tables / "visits.csv").write_text("\n".join([f"patient_id,{header}", *visits]) + "\n")
    roles = {
        "original": "original: visits.csv\n",
        "sensitive_attributes": "  sensitive_attributes: [illness]\n  identifiers: [patient_id]\n",
    }
    with pytest.raises(
        PETWorksError, match="the original names people by 'patient_id', and 6,000 records are of 3,000"
    ):
        judge(tables, "drawn", **roles)
    explained = "no_privacy_unit: {patient_id: the number of the ward}\npresets: [nics-0.09]\n"
    assert judge(tables, "drawn", **roles, presets=explained).verdict == "pass"
    with pytest.raises(PETWorksError, match="keep one of each person in the original and in the control people"):
        Release(tables / "drawn.csv", original=tables / "original.csv", kind="synthetic", privacy_unit="age")


def test_unique_values_of_the_original_do_not_pass_as_insensitive(tables):
    """Amounts that nobody compares: drawn anew they are nobody's, copied they are."""
    rng = np.random.default_rng(1)
    amounts = rng.integers(10**6, 10**9, PEOPLE)
    for name, bills in (("original", amounts), ("drawn", rng.integers(10**6, 10**9, PEOPLE)), ("copied", amounts)):
        source = "drawn" if name == "copied" else name
        lines = (tables / f"{source}.csv").read_text().splitlines()
        rows = [f"{line},{bill}" for line, bill in zip(lines[1:], bills, strict=True)]
        (tables / f"{name}_bills.csv").write_text("\n".join([lines[0] + ",bill", *rows]) + "\n")
    controls = (tables / "control.csv").read_text().splitlines()
    rows = [f"{line},{bill}" for line, bill in zip(controls[1:], rng.integers(10**6, 10**9, CONTROLS), strict=True)]
    (tables / "control_bills.csv").write_text("\n".join([controls[0] + ",bill", *rows]) + "\n")
    for name, verdict in (("drawn", "pass"), ("copied", "fail")):
        found = judge(
            tables,
            f"{name}_bills",
            original="original: original_bills.csv\n",
            control="control: control_bills.csv\n",
            sensitive_attributes="  sensitive_attributes: [illness]\n  insensitive_attributes: [bill]\n",
        )
        assert verdicts(found)["no-unique-values"] == verdict


def test_init_writes_a_policy_that_works(tables):
    target = tables / "proposed.yaml"
    done = petworks(
        "init", tables / "drawn.csv", "--kind", "synthetic", "--original", tables / "original.csv",
        "--control", tables / "control.csv", "-o", target,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    policy = read_policy(target)
    assert (policy.kind, int(policy.compare_at["age"][0]) > 0) == ("synthetic", True)
    assert policy.limits == {"certain": "0.09"}
    assert petworks("check", target).returncode == 0
    target.write_text(target.read_text().replace("drawn.csv", "noisy_copy.csv"))
    assert petworks("check", target).returncode == 1
    refused = petworks("anonymize", target, "-o", tables / "out.csv")
    assert (refused.returncode, "the policy is about a synthetic table" in refused.stderr) == (2, True)
    assert petworks("init", tables / "drawn.csv", "--kind", "synthetic", "-o", tables / "x.yaml").returncode == 2


def test_every_adversary_by_subsets(tables):
    """Limits on subsets are judged by the upper end of the interval, and the report names who is told most."""
    more = "subsets: {sizes: all, limits: {certain: 0.09}}\n"
    noisy, drawn = (judge(tables, name, presets=more + "presets: [nics-0.09]\n") for name in ("noisy_copy", "drawn"))
    assert [verdicts(found)["every-subset: certain"] for found in (noisy, drawn)] == ["fail", "pass"]
    assert (noisy.content.subsets, len(noisy.content.lookups.minimal_risky) > 0) == (None, True)
    page = noisy.to_html("en")
    assert "Most successful lookups" in page
    assert "certain ≤" not in page, "the excess is limited, not the share"
    assert "“found” says only that the table has any record" in page
    assert "No rule of this release limits it." in page
    limited = judge(tables, "drawn", presets=more.replace("certain", "found") + "presets: [nics-0.09]\n")
    assert "No rule of this release limits it." not in limited.to_html("en")
    assert "lookups" not in noisy.to_dict("external")
    nobody = judge(tables, "drawn", control="", presets=more + "presets: [nics-0.09]\n")
    (rule,) = [rule for rule in nobody.content.rules if rule.measure == "every-subset"]
    assert (rule.verdict, rule.details["unjudged"]) == ("fail", "no control people")


def test_signers_learn_how_many_people_are_given_away(tables):
    """The share is one of the wrong guesses, which nobody multiplies rightly with the records."""
    found = judge(tables, "noisy_copy")
    page = found.to_html("en")
    (rule,) = [rule for rule in found.content.rules if rule.measure == "best-guess"]
    told = rule.details["attributes"]["illness"]
    number = round((told["share"] - told["control"]) * PEOPLE)
    assert f"That is about {number:,} of the 3,000 people of the original (at most about " in page
    assert "its records are meant to be made up" in page[: page.index("<nav")]
    assert "made up" not in judge(tables, "noisy_copy", kind="perturbed").to_html("en")
    assert "That is about" not in found.to_html("en", "external")


def test_signers_learn_that_less_knowledge_may_tell_more(tables):
    """Only where it does, and where no rule limits it, which would say so itself."""
    every = "subsets: {sizes: all}\npresets: [nics-0.09]\n"
    limited = every.replace("all}", "all, limits: {best-guess: 0.09}}")
    is_more = {}
    for name in ("independent", "drawn", "noisy_copy"):
        found = judge(tables, name, presets=every).content
        highest = [
            known.highest
            for known in found.lookups.if_they_know
            if known.attack == "best-guess of illness" and known.known < 3
        ]
        most = max(highest, key=lambda subset: subset.excess)
        (rule,) = [rule for rule in found.rules if rule.measure == "best-guess"]
        is_more[name] = most.excess > rule.details["attributes"]["illness"]["excess"]
        known = (
            f"Whoever knows only {', '.join(most.attributes)} may do better: then it is {percent(most.excess, 'en')}"
        )
        assert (known in residual(found, "en")) is is_more[name]
        assert "may do better" not in residual(judge(tables, name, presets=limited).content, "en")
        all_columns = every.replace("all}", "3}")
        assert "may do better" not in residual(judge(tables, name, presets=all_columns).content, "en")
    assert any(is_more.values())


def test_limits_on_subsets_are_judged_on_each_level(tables):
    """On the first level everybody has a look-alike; the copy shows on the second, which all interfaces name."""
    limits = "subsets: {sizes: all, limits: {certain: 0.09}}\npresets: [nics-0.09]\n"
    coarse, both = (
        judge(tables, "noisy_copy", presets=limits, compare_at=f"compare_at: {{age: {levels}}}\n")
        for levels in (4, [4, 1])
    )
    verdict = "every-subset: certain"
    assert [verdicts(found)[verdict] for found in (coarse, both)] == ["pass", "fail"]
    (rule,) = [rule for rule in both.content.rules if rule.name == verdict]
    assert rule.details == {"compared_at": {"age": 1}}
    for found in (coarse, both):
        assert "certain ≤" not in found.to_html("en") + found.to_markdown(), "the excess is limited, not the share"
        assert "excess ≤ 0.09" in found.to_markdown()
    assert {subset.compared_at["age"] for subset in both.content.lookups.minimal_risky} == {1}
    assert all("age on level 1" in text for text in (both.to_markdown(), both.to_junit(), both.to_html("en")))
    assert "age on level" not in both.to_markdown(edition="external")
    assert list(CHECK.iter_errors(both.to_dict())) == []
    by_policy = ("--policy", tables / "policy.yaml")
    done = petworks("attack", *by_policy, "--subsets", "all", "--limit", "certain=0.09")
    assert (done.returncode, "age on level 1" in done.stdout) == (1, True)
    done = petworks("attack", *by_policy, "--level", "age=4", "--subsets", "all", "--limit", "certain=0.09")
    assert (done.returncode, "on level" in done.stdout) == (0, False)
    assert attack(tables / "policy.yaml").facts({"certain": 0.09}).limits == both.content.lookups.limits
    measured = json.loads(petworks("evaluate", *by_policy, "--format", "json").stdout)
    assert (measured["table"]["kind"], measured["table"]["control_records"]) == ("synthetic", CONTROLS)


def test_noise_in_one_more_column_does_not_hide_a_copy(tables):
    """All columns together find nobody then; the limit on every subset, which `init` sets, still sees the copy."""
    rng = np.random.default_rng(4)
    for name, number in (("noisy_copy", PEOPLE), ("original", PEOPLE), ("control", CONTROLS)):
        lines = (tables / f"{name}.csv").read_text().splitlines()
        days = rng.integers(0, 365, number)
        rows = [f"{line},d{day}" for line, day in zip(lines[1:], days, strict=True)]
        (tables / f"{name}_days.csv").write_text("\n".join([lines[0] + ",day", *rows]) + "\n")
    options = {
        "original": "original: original_days.csv\n",
        "control": "control: control_days.csv\n",
        "quasi_identifiers": "  quasi_identifiers: [age, town, sex, day]\n",
    }
    assert judge(tables, "noisy_copy_days", **options).verdict == "pass"
    limits = "subsets: {sizes: all, limits: {certain: 0.09}}\npresets: [nics-0.09]\n"
    assert judge(tables, "noisy_copy_days", **options, presets=limits).verdict == "fail"


def test_the_page_opens_a_synthetic_table(tables):
    with entered(tables) as page:
        form = {"table": "drawn.csv", "release": "public", "policy": "page.yaml", "kind": "synthetic"}
        assert page.post("/open", data=form).status_code == 400, "without its original"
        form |= {"original": "original.csv", "control": "control.csv"}
        assert page.post("/open", data=form).status_code == 200
        about = {"policy": "page.yaml"}
        shown = page.get("/risk/body", params=about)
        assert (shown.status_code, "people whose data were not used" in shown.text) == (200, True)
        steps = re.findall(r'href="/(\w+)\?policy', page.get("/columns", params=about).text)
        assert [step for step in steps if step in ("levels", "safe", "compare")] == []
        assert page.get("/safe", params=about).status_code == 400
        assert page.get("/decide/verdict", params=about).status_code == 200


def test_usefulness_is_judged_once_with_all_columns(tables):
    """Adversaries and further levels are for lookups; of fewer columns, or coarser ones, a table would seem better."""
    more = "  adversaries:\n    - {who: a colleague, knows: [age]}\n"
    found = judge(tables, "independent", more=more, presets="rules: [{measure: marginals, at_least: 0.99}]\n")
    (rule,) = [rule for rule in found.content.rules if rule.measure == "marginals"]
    assert (rule.verdict, rule.details.get("compared_at")) == ("fail", None)
    (measured,) = [result for result in found.content.results if result.measure == "marginals"]
    assert rule.value == measured.value
