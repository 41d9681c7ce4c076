"""What a report tells beside the measures, against its literal definition; and the steps drawn from it."""

from collections import Counter

import pytest
from hypothesis import given
from test_policy import GOOD, NAMED, written

import definitions
import frames
from conftest import cases
from PETWorks import Release, check
from PETWorks.gate.check.facts import (
    MAX_STEPS,
    adversary_facts,
    column_facts,
    payout_steps,
    small_classes,
    without_each_column,
)
from PETWorks.gate.document import ColumnFacts
from PETWorks.gate.policy.policy import Adversary
from PETWorks.gate.policy.policy_rules import REMEDIES
from PETWorks.measures.catalogue import all_measures
from PETWorks.measures.evaluation import evaluate_requests
from PETWorks.measures.utility.payout import payout_curve
from policy_checks import DAY


def test_the_document_has_a_place_for_what_measures_say():
    by_column = {entry.by_column.name for entry in all_measures() if entry.by_column is not None}
    assert by_column <= set(ColumnFacts.__struct_fields__)
    assert {entry.remedy for entry in all_measures()} == set(REMEDIES) - {"blur-together"}, "of no measure"


def people_by_values(rows, names, unit):
    """For each combination of values, the people (or records) that have it."""
    found = {}
    for place, row in enumerate(rows):
        found.setdefault(tuple(row[name] for name in names), set()).add(row[unit] if unit else place)
    return {values: len(people) for values, people in found.items()}


def standing(case, rows, names):
    """The records that do not stand aside when only these columns are known."""
    kept = []
    for row in rows:
        suppressed = case.suppressed == "apart" and all(row[name] == "*" for name in names)
        incomplete = case.missing == "apart" and any(row[name] is None for name in names)
        if not suppressed and not incomplete:
            kept.append(row)
    return kept


@given(cases())
def test_small_classes(case):
    sizes = [len(group) for group in definitions.classes(case)]
    for row in small_classes(frames.release_of(case), 7):
        inside = sum(size for size in sizes if size < row.size)
        assert row.records == inside
        assert row.share == (inside / sum(sizes) if sizes else 0)
    assert [row.size for row in small_classes(frames.release_of(case), 7)] == [2, 3, 5, 7, 11, 20]


@given(cases())
def test_assumed_adversaries(case):
    release = frames.release_of(case)
    for knows in (("zip",), ("sex",), ("sex", "zip")):
        (found,) = adversary_facts(release, [Adversary("somebody", knows)])
        sizes = list(people_by_values(case.released, knows, case.unit).values())
        assert found.classes == len(sizes)
        assert found.smallest_class == min(sizes)
        assert found.unique_records == sizes.count(1)
        assert found.unique_share == sizes.count(1) / sum(sizes)
        assert found.chance == len(sizes) / sum(sizes)


@given(cases())
def test_without_a_column(case):
    found = {row.column: row.records for row in without_each_column(frames.release_of(case), 3, ["zip", "sex"])}
    for column, other in (("zip", "sex"), ("sex", "zip")):
        sizes = people_by_values(standing(case, case.released, [other]), [other], case.unit).values()
        assert found[column] == sum(size for size in sizes if size < 3)


@given(cases())
def test_columns(case):
    release, case = frames.release_of(case), definitions.fold_sensitive_values(case)
    overview = evaluate_requests(release, None)
    by_measure = {result.measure: result for result in overview.results}
    rows = column_facts(release, overview.results)
    assert {"zip", "sex", *case.sensitive} <= {row.column for row in rows}
    for row in rows:
        name = row.column
        assert row.role == release.roles.get(name)
        if name in ("zip", "sex", *case.sensitive):
            assert row.distinct == len({record[name] for record in case.released} - {None, "*"})
            assert row.distinct_before == len({record[name] for record in case.original} - {None, "*"})
        if row.precision is not None:
            assert row.precision == by_measure["precision"].details["columns"][name]["precision"]
        if name in ("zip", "sex") and "missings" in by_measure:
            lost = Counter(record[name] for record in case.released)
            assert row.missing >= (lost[None] + lost["*"]) / len(case.released) - 1e-12


def test_payout_has_its_ends_and_is_bounded():
    rows = {"a": [str(place) for place in range(200) for _ in range(place + 1)]}
    release = Release(rows, {"a": "quasi_identifier"})
    ratios, payouts = payout_curve(release)
    found = payout_steps(release, {})
    assert len(ratios) == 201
    assert len(found) <= MAX_STEPS
    assert (found[0].gain_per_cost, found[-1].gain_per_cost) == (ratios[0], ratios[-1])
    assert (found[0].payout, found[-1].payout) == (payouts[0], payouts[-1])


# --- steps


def steps(folder, text, day=DAY, **table):
    return {step["step"]: step for step in check(written(folder, text, **table), as_of=day).document["next_steps"]}


def test_nothing_is_left_to_do(tmp_path):
    assert list(steps(tmp_path, GOOD + "cell_size: 2\n")) == ["try-subsets"]


def test_small_classes_are_told_with_what_would_help(tmp_path):
    (tmp_path / "t.csv").write_text("age;zip\n" + "30;1\n" * 4 + "40;1\n" * 4 + "40;2\n")
    text = "petworks_policy: 1\ndata: t.csv\nroles: {quasi_identifiers: [age, zip]}\n"
    text += "rules: [{measure: k-anonymity, k: 4}]\n"
    (tmp_path / "p.yaml").write_text(text)
    (step,) = [one for one in check(tmp_path / "p.yaml").document["next_steps"] if one["step"] == "merge-classes"]
    assert (step["size"], step["records"], step["rules"]) == (4, 1, ["k-anonymity"])
    assert step["without"] == [{"column": "zip", "records": 0}, {"column": "age", "records": 1}]


def test_a_waived_rule_does_not_hide_the_class_size_of_a_failing_rule(tmp_path):
    (tmp_path / "t.csv").write_text("age;zip\n" + "30;1\n" * 12 + "40;1\n" * 4 + "40;2\n")
    text = "petworks_policy: 1\ndata: t.csv\nroles: {quasi_identifiers: [age, zip]}\nrules:\n"
    text += "".join(f"  - {{name: k{k}, measure: k-anonymity, k: {k}}}\n" for k in (3, 5, 20))
    text += "waivers: [{rule: k20, owner: me, reason: x, expires: 2027-01-31}]\n"
    (tmp_path / "p.yaml").write_text(text)
    result = check(tmp_path / "p.yaml", as_of=DAY)
    merging = [one for one in result.document["next_steps"] if one["step"] == "merge-classes"]
    assert [(one["size"], one["records"], one["rules"]) for one in merging] == [(5, 5, ["k3", "k5"]), (20, 17, ["k20"])]
    assert "5 records (29.4 %) are in groups of fewer than 5 that look the same (k3, k5)" in result.to_markdown()


@pytest.mark.parametrize(
    ("rule", "step"),
    [
        ("{measure: l-diversity, l: 2}", "more-values"),
        ("{measure: attribute-inference, at_most: 0.1}", "diversify"),
        ("{measure: t-closeness, t: 0}", "diversify"),
        ("{measure: re-identification, at_most: 0.1}", "blur"),
        ("{measure: prosecutor-risk, highest: 0.1}", "merge-classes"),
        ("{measure: prosecutor-risk, cell_size: 9}", "merge-classes"),
        ("{measure: average-risk, cell_size: 9}", "merge-classes"),
        ("{measure: prosecutor-risk, average: 0.1}", "blur"),
        ("{measure: marketer-risk, average: 0.1}", "blur"),
        ("{measure: sample-uniqueness, share: 0}", None),
        ("{measure: alpha-k-anonymity, k: 2, alpha: 0.1}", "diversify"),
        ("{measure: missings, at_most: 0}", None),
        ("{measure: precision, at_least: 1}", "refine"),
        ("{measure: profitability, adversary_cost: 0.1, publisher_loss: 10000}", "blur"),
    ],
)
def test_every_kind_of_failing_rule_has_a_step(tmp_path, rule, step):
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels/hierarchy_age.csv").write_text("31;30;*\n32;30;*\n41;40;*\n42;40;*\n")
    (tmp_path / "levels/hierarchy_zip.csv").write_text("1;*\n2;*\n")
    found = steps(tmp_path, GOOD + f"  - {rule}\nhierarchies: levels\ncell_size: 2\n")
    named = {
        name
        for name, one in found.items()
        if any(rule.split()[1].rstrip(",") in other for other in one.get("rules", []))
    }
    assert named - {"withheld-outside", "anonymize"} == ({step} if step else set())


def test_what_no_class_can_have(tmp_path):
    found = steps(tmp_path, GOOD + "  - {measure: l-diversity, l: 3}\n")
    assert found["cannot-hold"] == {"step": "cannot-hold", "rules": ["l-diversity"], "columns": ["disease"]}
    assert "cannot-hold" not in steps(tmp_path, GOOD + "  - {measure: l-diversity, l: 2}\n")


def test_identifiers_and_columns_without_a_role(tmp_path):
    found = steps(tmp_path, GOOD, table=NAMED)
    assert found["give-roles"]["columns"] == ["name"]
    named = GOOD.replace("roles:\n", "roles:\n  identifiers: [name]\n")
    assert steps(tmp_path, named, table=NAMED)["remove-identifiers"]["columns"] == ["name"]
    assert "remove-identifiers" not in steps(tmp_path, named + "privacy_unit: name\n", table=NAMED)


@pytest.mark.parametrize(
    ("day", "step"),
    [(16, "waiver-ends"), (17, "waiver-expired")],
)
def test_waivers_that_end(tmp_path, day, step):
    text = GOOD.replace("k: 2", "k: 3") + "waivers: [{rule: k-anonymity, owner: a, reason: b, expires: 2026-11-16}]\n"
    assert step in steps(tmp_path, text, DAY.replace(day=day))
    later = text.replace("2026-11-16", "2027-01-16")
    assert not {"waiver-ends", "waiver-expired"} & set(steps(tmp_path, later, DAY.replace(day=day)))
