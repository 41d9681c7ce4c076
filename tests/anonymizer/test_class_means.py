"""What classes show instead of labels: by literal definition, as the written table looks."""

import json
import random
from collections import Counter, defaultdict
from datetime import date
from fractions import Fraction

import numpy as np
import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

import definitions
from command import petworks
from conftest import examples
from PETWorks import Release, anonymize, apply_plan, check, evaluate
from PETWorks.anonymizer import class_means
from PETWorks.counting.view import ReplacedLabels
from PETWorks.errors import NotApplicable, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")
ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive_attributes": ["disease"]}
LEVELS = {"age": {"width": [5, 20]}, "sex": [["f", "*"], ["m", "*"]]}
ROWS = st.lists(
    st.tuples(st.sampled_from([None, *range(20, 60)]), st.sampled_from("fm"), st.sampled_from("abc")),
    min_size=8,
    max_size=40,
)


def release_of(rows, levels=LEVELS, **more):
    columns = dict(zip(("age", "sex", "disease"), map(list, zip(*rows, strict=True)), strict=True))
    return Release(columns, ROLES, levels, **more)


def literal(before, labels, way=lambda values: round(Fraction(sum(values), len(values)))):
    """What each record shows, given the original and its labels: the mean of the known values of its class.

    There are as many as the smallest class has records, or the label stays.
    """
    least = min(Counter((label, sex) for label, sex, _ in labels if (label, sex) != ("*", "*")).values(), default=1)
    members = defaultdict(list)
    for (age, *_), (label, sex, _) in zip(before, labels, strict=True):
        if age is not None:
            members[label, sex].append((int(age), str(age) == str(label)))
    shown = []
    is_lost = all(label == "*" for label, *_ in labels)
    for label, sex, disease in labels:
        values = members[label, sex]
        numbers = [value for value, _ in values]
        stays = label is None or (
            label == "*" and (is_lost or sex == "*" or len(numbers) < 2 or 2 * max(numbers) > sum(numbers))
        )
        stays = stays or len(values) < least or any(same for _, same in values)
        shown.append((label if stays else str(way(numbers)), sex, disease))
    return shown


def rows_of(result):
    return [tuple(row.values()) for row in result.table.select(["age", "sex", "disease"]).to_pylist()]


@examples(60)
@given(ROWS, st.sampled_from(["global", "local"]), st.sampled_from(["remove", "stars"]))
def test_each_class_shows_the_mean_of_its_members(rows, method, suppressed):
    settings = {"suppression": 0.5, "method": method, "suppressed_records": suppressed, "order": "original"}
    labels = anonymize(release_of(rows), {"k-anonymity": {"k": 3}}, **settings)
    result = anonymize(release_of(rows), {"k-anonymity": {"k": 3}}, show={"age": "mean"}, **settings)
    assert result.loss == labels.loss
    gone = set(result.removed.tolist())
    kept = [row for place, row in enumerate(rows) if place not in gone]
    after = rows_of(result)
    assert after == literal(kept, rows_of(labels))
    sizes = Counter((age, sex) for age, sex, _ in after if (age, sex) != ("*", "*"))
    assert min(sizes.values(), default=3) >= 3
    assert set(result.shown.columns) <= {"age"}
    again = apply_plan(release_of(rows), result.plan, order="original")
    assert rows_of(again) == after


@examples(60)
@given(
    ROWS,
    st.sampled_from([("l-diversity", {"l": 2}), ("delta-disclosure", {"delta": 1.5}), ("t-closeness", {"t": 0.3})]),
)
def test_rules_hold_as_the_classes_look(rows, rule):
    name, parameters = rule
    settings = {"suppression": 1, "method": "local", "order": "original"}
    try:
        result = anonymize(release_of(rows), {name: parameters}, show={"age": "median"}, **settings)
    except NotApplicable:  # no levels keep the rule
        assume(False)
        raise
    assert all(rule.holds(result.release.view) for rule in result.problem.rules)


def test_means_of_local_classes_are_as_small_as_the_original():
    """Numbers are rounded half to even to the digits of the column; `*` stays."""
    rows = [
        ("1.50", "f", "a"),
        ("2.50", "f", "b"),
        ("8", "m", "a"),
        ("9.25", "m", "b"),
        (None, "f", "a"),
        ("50", "f", "b"),
    ]
    levels = {"age": {"cuts": [[5, 20], [20]]}, "sex": LEVELS["sex"]}
    result = anonymize(
        release_of(rows, levels),
        {"k-anonymity": {"k": 2}},
        show={"age": "mean"},
        suppression=0.4,
        levels={"age": 1},
        order="original",
    )
    assert [age for age, *_ in rows_of(result)] == ["2.00", "2.00", "8.62", "8.62"]
    assert result.plan["show"] == {"age": "mean"}
    assert result.shown.columns == {"age": "mean"}


@pytest.mark.parametrize(("last", "wanted"), [(69, "46"), (80, "*")])
def test_stars_show_their_mean_unless_one_number_is_more_than_all_others(last, wanted):
    rows = [(age, "f", "a") for age in (20, 20, 21)] + [(age, "m", "a") for age in (20, 50, last)]
    levels = {"age": {"cuts": [[20, 25]]}, "sex": LEVELS["sex"]}
    result = anonymize(
        release_of(rows, levels), {"k-anonymity": {"k": 3}}, show={"age": "mean"}, method="local", order="original"
    )
    assert {age for age, sex, _ in rows_of(result) if sex == "m"} == {wanted}


@pytest.mark.parametrize(
    ("numbers", "wanted"),
    [
        ([51, 50, 52, 53, 9_999_999], 82),  # 9,999,999 counts as 206
        ([51, 50, 52, 53, 206], 82),
        ([51, 50, 52, 53, 205], 82),
        ([60, 60, 60, 9_000, 9_000], 3636),
        ([-10, -20, -30, -40, -5_000], -40),
        ([60, 98], 79),  # counting as 60, the second would make the mean tell the first
        ([-5_000, 20, 30, 40, 49], -972),  # within [-8000, 50), which tells as much
    ],
)
def test_one_number_beyond_an_open_end_does_not_dominate_the_mean(numbers, wanted):
    rows = [(number, "f", "ab"[place % 2]) for place, number in enumerate(numbers)]
    levels = {"age": {"cuts": [[-8_000, 50]] if wanted == -972 else [[0, 50]]}, "sex": LEVELS["sex"]}
    result = anonymize(
        release_of(rows, levels),
        {"k-anonymity": {"k": len(rows)}},
        show={"age": "mean"},
        levels={"age": 1},
        order="original",
    )
    means = {age for age, *_ in rows_of(result)}
    assert means == {str(wanted)}


@pytest.mark.parametrize(("cuts", "wanted"), [([200], "*"), ([[0, 50, 90], [90]], ">= 90")])
def test_a_person_with_more_than_all_others_does_not_show_in_a_mean(cuts, wanted):
    """Nothing limits the numbers behind a star, and beyond an open end."""
    ages = [90] * 4 + [98_765] * 12
    rows = [(20 + place % 3, "f", "ab"[place % 2]) for place in range(5)]
    rows += [(age, "m", "ab"[place % 2]) for place, age in enumerate(ages)]
    people = [f"p{place}" for place in range(9)] + ["q"] * 12
    columns = dict(zip(("age", "sex", "disease"), map(list, zip(*rows, strict=True)), strict=True)) | {"person": people}
    levels = {"age": {"cuts": cuts}, "sex": LEVELS["sex"]}
    release = Release(columns, ROLES, levels, privacy_unit="person")
    result = anonymize(release, {"k-anonymity": {"k": 5}}, show={"age": "mean"}, order="original", levels={"sex": 0})
    assert {age for age, sex, _ in rows_of(result) if sex == "m"} == {wanted}


def test_nothing_is_shown_where_everybody_is_suppressed():
    def release(people):
        ages, sexes = [str(20 + place % 5) for place in range(people)], ["f"] * people
        columns = {"age": ages, "sex": sexes, "disease": ["a"] * people, "person": list(map(str, range(people)))}
        return Release(columns, ROLES, LEVELS, privacy_unit="person")

    plan = anonymize(release(8), {"k-anonymity": {"k": 4}}, show={"age": "mean"}, suppressed_records="stars").plan
    again = apply_plan(release(3), plan)
    assert (again.suppressed, {age for age, *_ in rows_of(again)}) == (3, {"*"})


def test_means_that_are_values_of_the_original_combine_with_others():
    """It was made by generalising, so nobody is asked whether it is synthetic."""
    rows = [(age, "fm"[age // 2 % 2], "a") for age in range(20, 60) for _ in range(age % 2 + 1)]
    result = anonymize(release_of(rows), {"k-anonymity": {"k": 2}}, show={"age": "mean"}, levels={"sex": 0, "age": 1})
    assert result.shown.columns == {"age": "mean"}


@pytest.mark.parametrize("known", [3, 4])
def test_a_mean_stands_for_as_many_values_as_the_smallest_class_has_records(known):
    rows = [(20 + place % 3, "f", "a") for place in range(4)]
    rows += [(50 + place if place < known else None, "m", "a") for place in range(6)]
    levels = {"age": {"cuts": [[25]]}, "sex": LEVELS["sex"]}
    result = anonymize(
        release_of(rows, levels), {"k-anonymity": {"k": 4}}, show={"age": "mean"}, order="original", levels={"sex": 0}
    )
    assert {age for age, sex, _ in rows_of(result) if sex == "m"} == {"*" if known == 3 else "52"}


def test_a_record_that_no_rule_judges_shows_its_label():
    """It stands aside, as its sex is missing; a mean of its class would be its age."""
    rows = [(20 + place, "f", "a") for place in range(4)] + [(42, None, "a")]
    levels = {"age": {"cuts": [[30]]}, "sex": LEVELS["sex"]}
    release = release_of(rows, levels, missing="apart")
    result = anonymize(
        release, {"k-anonymity": {"k": 4}}, show={"age": "mean"}, order="original", levels={"age": 1}, method="global"
    )
    assert [age for age, *_ in rows_of(result)] == ["22", "22", "22", "22", ">= 30"]


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (["2024-01-05", "2024-03-01", "2024-12-31"], "2024-03-01"),
        (["2024/1/5", "2024/3/1"], "2024/2/2"),
        (["20240105", "20240302"], "20240202"),
        (["2024-01-05 14:30", "2024-03-01 08:00", "2024-02-01 10:00"], "2024-02-01"),
        (["113/01/05", "113/12/31", "113/02/01"], "113/02/01"),
        (["民國113年1月5日", "民國113年12月31日", "民國113年2月1日"], "民國113年2月1日"),
        (["2024年1月5日", "2024年12月31日"], "2024年7月3日"),
        (["2024-01-05", "2024/01/07"], "2024-01-06"),
        (["民國113年1月5日", "113/12/31", "113/02/01"], "113/02/01"),
        (["113/1/5", "2024/1/7"], "2024-01-06"),
    ],
)
def test_dates_are_written_as_the_original_writes_them(texts, wanted):
    rows = [(text, "f", "ab"[place % 2]) for place, text in enumerate(texts)]
    result = anonymize(
        release_of(rows, {**LEVELS, "age": {"dates": ["year"]}}),
        {"k-anonymity": {"k": len(texts)}},
        show={"age": "median"},
        levels={"age": 1},
        order="original",
    )
    assert [age for age, *_ in rows_of(result)] == [wanted] * len(texts)


@pytest.mark.parametrize(
    ("way", "texts", "wanted"),
    [
        ("mean", ["1", "2"], "2"),  # half to even
        ("mean", ["2", "3"], "2"),
        ("mean", ["1", "1", "3"], "2"),
        ("mean", ["1", "1", "1", "9"], "3"),  # equal ones count as often as they occur
        ("mean", ["1.50", "2.00"], "1.75"),
        ("mean", ["1.50", "2", "4"], "2.5"),  # 1.50 needs one decimal
        ("mean", ["1.23456789012", "1.34567890124"], "1.29012340"),  # of more than nine digits no more decimals
        ("median", ["1", "1", "1", "2", "9"], "1"),
        ("median", ["1", "2", "9", "9", "9"], "9"),
        ("median", ["1", "2", "4", "9"], "3"),
        ("median", ["1", "1", "4", "9"], "2"),
        ("median", ["3", "4", "9", "1"], "4"),
        ("median", ["1.0", "1.5"], "1.2"),
    ],
)
def test_numbers_are_rounded_half_to_even_to_the_digits_of_the_column(way, texts, wanted):
    rows = [(text, "f", "ab"[place % 2]) for place, text in enumerate(texts)]
    result = anonymize(
        release_of(rows, {**LEVELS, "age": {"width": [10]}}),
        {"k-anonymity": {"k": len(texts)}},
        show={"age": way},
        levels={"age": 1},
        order="original",
    )
    assert [age for age, *_ in rows_of(result)] == [wanted] * len(texts)


def test_classes_that_would_break_a_rule_together_keep_their_labels(monkeypatch):
    """Two classes whose means are equal look like one; where that one fails, both show intervals."""
    rows = [(age, "f", value) for age, value in zip((20, 22, 21, 21), "abab", strict=True)]
    rows += [(60, "f", value) for value in "abab"]
    # Without a failing rule the classes merge: 20, 22 on one level and 21, 21 on another.
    release = release_of(rows)
    result = anonymize(release, {"k-anonymity": {"k": 2}}, show={"age": "mean"}, method="local", order="original")
    assert {age for age, *_ in rows_of(result)[:4]} == {"21"}
    monkeypatch.setattr(class_means, "_failing", lambda _recoder, _problem, classes: np.arange(classes.number))
    again = anonymize(release, {"k-anonymity": {"k": 2}}, show={"age": "mean"}, method="local", order="original")
    intervals = anonymize(release, {"k-anonymity": {"k": 2}}, show="interval", method="local", order="original")
    assert [age for age, *_ in rows_of(again)[:4]] == ["[20, 25)", "[20, 25)", "21", "21"]
    assert rows_of(again)[:4] == rows_of(intervals)[:4]
    assert again.shown.kept


def test_a_day_that_nobody_knows_leaves_the_label_of_its_class():
    days = ["05/01/2024", "01/03/2024", "24/12/2024", "2024-03", "02/07/2025", "04/07/2025"]
    rows = [(day, "f", "ab"[place % 2]) for place, day in enumerate(days)]
    levels = {**LEVELS, "age": {"dates": ["year"], "day_first": "true"}}
    settings = {"show": {"age": "median"}, "levels": {"age": 1}, "order": "original"}
    result = anonymize(release_of(rows, levels), {"k-anonymity": {"k": 2}}, **settings)
    assert [age for age, *_ in rows_of(result)] == ["2024"] * 4 + ["03/07/2025"] * 2


def test_a_number_alone_stands_out_even_if_it_is_0():
    piles = class_means._Piles.of(np.array([0, 1, 1]), np.array([0, 0, 0]), np.array([1, 1, 1]), None)
    assert piles.stand_out().tolist() == [True, False]


def utility_of(document, measure):
    """The value of a measure in a check; None if it does not apply."""
    return next((result.value for result in document.results if result.measure == measure), None)


def loses_what_its_labels_lose(folder, found):
    """By the plan of exactly this file."""
    labels = ("--show", "age=interval", "--show", "day=interval", "--keep-order")
    petworks("anonymize", "p.yaml", "-o", "labels.csv", *labels, cwd=folder)
    with_labels = check(folder / "labels_policy.yaml")
    for measure in ("precision", "granularity"):
        lost, wanted = (utility_of(document.content, measure) for document in (found, with_labels))
        assert lost == pytest.approx(wanted, abs=1e-12)
        assert 0 < lost < 1
    kept, wanted = (
        {one.column: one.information_kept for one in document.content.columns} for document in (found, with_labels)
    )
    assert {"age": kept["age"], "day": kept["day"]} == pytest.approx({"age": wanted["age"], "day": wanted["day"]})
    plan = (folder / "out_plan.json").read_text()
    (folder / "out_plan.json").write_text(json.dumps({**json.loads(plan), "release_sha256": "0" * 64}))
    unknown = check(folder / "out_policy.yaml").content
    assert utility_of(unknown, "precision") is None
    assert {one.information_kept for one in unknown.columns if one.column in ("age", "day")} == {None}
    (folder / "out_plan.json").write_text(plan)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_written_release_passes_its_check_and_says_what_it_shows(tmp_path, engine):
    made = random.Random(4)
    rows = ["age;day;sex;disease"]
    for _ in range(120):
        day = f"2024/{made.randint(1, 12)}/{made.randint(1, 28)}"
        rows.append(f"{made.randint(20, 59)};{day};{made.choice('fm')};{made.choice('abc')}")
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "p.yaml").write_text(
        "petworks_policy: 1\ndata: t.csv\nseparator: ';'\n"
        "roles: {quasi_identifiers: [age, day, sex], sensitive_attributes: [disease]}\n"
        "hierarchies: {age: {width: [5, 20]}, day: {dates: [quarter, year]}, sex: {rare: {fewer_than: 5}}}\n"
        "rules: [{measure: k-anonymity, k: 4}, {measure: l-diversity, l: 2}]\n"
        "anonymize: {suppression: 0.1, method: local, show: {age: mean, day: median}}\n"
    )
    done = petworks("anonymize", "p.yaml", "-o", "out.csv", "--engine", engine, "--keep-order", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "age (mean), day (median)" in " ".join(done.stdout.split())
    before = [row.split(";") for row in rows[1:]]
    gone = set(apply_plan(tmp_path / "t.csv", tmp_path / "out_plan.json").removed.tolist())
    kept = [row for place, row in enumerate(before) if place not in gone]
    after = [row.split(";") for row in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    members = defaultdict(list)
    for old, new in zip(kept, after, strict=True):
        members[tuple(new[:3])].append(old)
    assert all(len(olds) >= 4 and len({old[3] for old in olds}) >= 2 for olds in members.values())
    for (age, day, _), olds in members.items():
        ages = [int(old[0]) for old in olds]
        days = sorted(date(*map(int, old[1].split("/"))).toordinal() for old in olds)
        middle = Fraction(days[(len(days) - 1) // 2] + days[len(days) // 2], 2)
        assert age == str(round(Fraction(sum(ages), len(ages)))) or "*" in age
        found = date.fromordinal(round(middle))
        assert day == f"{found.year}/{found.month}/{found.day}" or "*" in day
    policy = yaml.safe_load((tmp_path / "out_policy.yaml").read_text())
    assert policy["anonymize"]["show"] == {"age": "mean", "day": "median"}
    found = check(tmp_path / "out_policy.yaml")
    assert found.verdict == "pass"
    if engine == "memory":
        loses_what_its_labels_lose(tmp_path, found)
    outside = json.loads(found.to_json(edition="external"))
    assert outside["table"]["shown"] == {"age": "mean", "day": "median"}
    assert "Instead of an interval" in found.to_markdown(edition="external")
    codebook = (tmp_path / "out_codebook.md").read_text()
    assert "mean of at least" in codebook
    assert "their own values spread more" in codebook
    assert ("keep `*` in a column of labels as a category" in codebook) == ("*" in {row[2] for row in after})
    applied = petworks("apply", "t.csv", "--plan", "out_plan.json", "-o", "again.csv", "--keep-order", cwd=tmp_path)
    assert applied.returncode == 0, applied.stdout + applied.stderr
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "out.csv").read_text()


def random_people(records=300):
    made = random.Random(8)
    return {
        "age": [made.randint(20, 89) for _ in range(records)],
        "day": [f"2024-{made.randint(1, 12):02}-{made.randint(1, 28):02}" for _ in range(records)],
        "place": [made.choice("abcdef") for _ in range(records)],
        "ill": [made.choice("uvw") for _ in range(records)],
    }


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({}, {"age": "mean", "day": "median"}),
        ({"show": {"age": "interval"}}, {"day": "median"}),
        ({"show": {"age": "median"}}, {"age": "median", "day": "median"}),
        ({"show": "interval"}, {}),
        ({"method": "global"}, {}),
        ({"method": "global", "show": {"age": "mean"}}, {"age": "mean"}),
    ],
)
def test_record_by_record_shows_means_and_medians_by_default(tmp_path, settings, wanted):
    """In Python with a table, and with a policy; for measures of the result, the labels behind them count."""
    table = random_people()
    roles = {"quasi_identifiers": ["age", "day", "place"], "sensitive_attributes": ["ill"]}
    levels = {"age": {"width": [5, 10, 30]}, "day": {"dates": ["month", "quarter", "year"]}}
    levels["place"] = {"groups": {"a to c": ["a", "b", "c"], "d to f": ["d", "e", "f"]}}
    rules, precision = {"k-anonymity": {"k": 5}}, {"precision": {}}
    release = Release(table, roles, levels)
    made = anonymize(release, rules, **settings)
    assert dict(made.shown.columns) == wanted == (made.plan.get("show") or {})
    with_labels = anonymize(release, rules, **{**settings, "show": "interval"})
    assert made.loss == with_labels.loss
    for measures in (precision, rules):
        (found,), (labels,) = (evaluate(result.release, measures) for result in (made, with_labels))
        assert found.value == pytest.approx(labels.value)
    assert made.utility().information_kept == with_labels.utility().information_kept
    rows = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    policy = {"petworks_policy": 1, "data": "t.csv", "roles": roles, "hierarchies": levels, "anonymize": settings}
    policy["rules"] = [{"measure": "k-anonymity", "k": 5}]
    (tmp_path / "p.yaml").write_text(json.dumps({**policy, "anonymize": {**settings, "suppression": 0.05}}))
    assert dict(anonymize(tmp_path / "p.yaml").shown.columns) == wanted


def test_policies_and_plans_of_releases_say_what_is_shown_and_others_show_intervals(tmp_path):
    """Also those without a word about it, and calls of earlier versions."""
    table = random_people()
    roles = {"quasi_identifiers": ["age", "day"], "identifiers": ["place", "ill"]}
    levels = {"age": {"width": [5, 10, 30]}, "day": {"dates": ["month", "quarter", "year"]}}
    release, rules = Release(table, roles, levels), {"k-anonymity": {"k": 5}}
    plan = anonymize(release, rules, show="interval").plan
    assert "show" not in plan
    assert dict(apply_plan(table, plan, roles={}).shown.columns) == {}
    flat = {name: role[:-1] for role, names in roles.items() for name in names}
    with pytest.warns(DeprecationWarning, match="takes a Release"):
        assert dict(anonymize(table, flat, release.hierarchies, rules, method="local").shown.columns) == {}
    rows = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    policy = {"petworks_policy": 1, "data": "t.csv", "roles": roles, "hierarchies": levels, "order": "shuffled"}
    policy["rules"] = [{"measure": "k-anonymity", "k": 5}]
    for show, wanted in ({}, {}), ({"show": {"age": "mean"}}, {"age": "mean"}):
        (tmp_path / "p.yaml").write_text(json.dumps({**policy, "anonymize": {"suppression": 0.05, **show}}))
        assert dict(anonymize(tmp_path / "p.yaml", method="local").shown.columns) == wanted


def test_the_command_switches_means_off(tmp_path):
    table = random_people(1500)
    rows = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    assert petworks("init", "t.csv", cwd=tmp_path).returncode == 0
    line = "\n  # show: interval  "
    assert line in (tmp_path / "t_policy.yaml").read_text()
    shown = []
    for options in ((), ("--show", "age=interval"), ("--show", "interval")):
        name = f"r{len(shown)}"
        done = petworks("anonymize", "t_policy.yaml", "-o", f"{name}.csv", *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        policy = yaml.safe_load((tmp_path / f"{name}_policy.yaml").read_text())
        shown.append(policy.get("anonymize", {}).get("show", {}))
        assert check(tmp_path / f"{name}_policy.yaml").verdict == "pass"
    assert shown == [{"age": "mean", "day": "median"}, {"day": "median"}, {}]
    assert petworks("anonymize", "t_policy.yaml", "-o", "r.csv", "--show", "mean", cwd=tmp_path).returncode == 2
    text = (tmp_path / "t_policy.yaml").read_text().replace("# show: interval", "show: interval")
    (tmp_path / "t_policy.yaml").write_text(text)
    assert dict(anonymize(tmp_path / "t_policy.yaml").shown.columns) == {}
    (tmp_path / "t_policy.yaml").write_text(text.replace("show: interval", "show: intervals"))
    assert "anonymize.show: expected" in petworks("anonymize", "t_policy.yaml", "-o", "r.csv", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("show", "problem"),
    [
        ({"sex": "mean"}, "show 'sex': its hierarchy is not declared by width, cuts, quantiles or dates"),
        ({"disease": "mean"}, "show 'disease': the column is no quasi-identifier"),
        ({"age": "mode"}, "show 'age': expected one of 'mean', 'median', 'interval'"),
        ("mean", "show: expected for each column one of"),
    ],
)
def test_mistakes(show, problem):
    rows = [(age, "f", "ab"[age % 2]) for age in range(20, 30)]
    with pytest.raises(ParameterError, match=problem):
        anonymize(release_of(rows), {"k-anonymity": {"k": 2}}, show=show)


def test_rules_about_labels_keep_them():
    rows = [(age, "f", "ab"[age % 2]) for age in range(20, 40)]
    rules = {"k-anonymity": {"k": 2}, "granularity": {"at_least": 0.1}}
    result = anonymize(release_of(rows), rules, show={"age": "mean"}, order="original")
    assert result.shown.columns == {}
    assert result.shown.rules
    assert all("[" in age for age, *_ in rows_of(result))


def test_records_that_are_not_among_the_cells_lost_all():
    placed = ReplacedLabels(height=4, leaves=10, cells=((0, 1, 3), (2, 5, 4)))
    assert (placed.levels_lost(7), placed.leaves_below(7)) == (8, 23)
    assert (placed.levels_lost(9), placed.leaves_below(9)) == (8 + 2 * 4, 23 + 2 * 10)


RULES_BY_DEFINITION = {
    "k-anonymity": ({"k": 3}, lambda case: definitions.k_anonymity(case) >= 3),
    "l-diversity": ({"l": 2}, lambda case: definitions.l_diversity(case) >= 2),
    "t-closeness": ({"t": 0.4, "distance": "equal"}, lambda case: definitions.t_closeness(case) <= 0.4 + 1e-9),
    "delta-disclosure": ({"delta": 1.0}, lambda case: definitions.delta_disclosure(case) <= 1.0 + 1e-9),
}
BILLS = st.lists(st.integers(10, 19), min_size=40, max_size=40)  # none is more than half of a group


@examples(60)
@given(
    ROWS,
    BILLS,
    st.sampled_from(sorted(RULES_BY_DEFINITION)),
    st.sampled_from([0, 0.1, 0.3]),
    st.sampled_from(["global", "local"]),
    st.sampled_from(["memory", "duckdb"]),
)
def test_a_release_keeps_rules_limit_and_amounts_as_it_looks(rows, bills, name, limit, method, engine):
    """Means, merged labels and protected amounts at once: all from the cells of the table that is written."""
    parameters, holds = RULES_BY_DEFINITION[name]
    columns = dict(zip(("age", "sex", "disease"), map(list, zip(*rows, strict=True)), strict=True))
    columns["bill"] = bills[: len(rows)]
    roles = ROLES | {"insensitive_attributes": ["bill"]}
    release = Release(columns, roles, LEVELS, protect={"bill": {"groups_of": 3}}, engine=engine)
    settings = {"suppression": limit, "method": method, "show": {"age": "mean"}, "order": "original"}
    try:
        result = anonymize(release, {name: parameters}, **settings)
    except NotApplicable:  # no levels keep the rule
        assume(False)
        raise
    released, gone = result.table.to_pylist(), set(result.removed.tolist())
    assert len(gone) == len(rows) - len(released) <= limit * len(rows)
    texts = [{column: None if cell is None else str(cell) for column, cell in row.items()} for row in released]
    assert holds(definitions.Case(texts, ["age", "sex"], ["disease"]))
    kept = [place for place in range(len(rows)) if place not in gone]
    assert [row["disease"] for row in texts] == [rows[place][2] for place in kept]
    # Equal bills stay together, in groups of neighbours; without removed records the mean of each group is known.
    shown = sorted((bills[place], float(row["bill"])) for place, row in zip(kept, released, strict=True))
    assert [bill for _, bill in shown] == sorted(bill for _, bill in shown)
    assert len({bill for bill, _ in shown}) == len(set(shown))
    if not gone and len(rows) >= 3:
        for group in {bill for _, bill in shown}:
            members = [before for before, bill in shown if bill == group]
            assert len(members) >= 3
            assert group == pytest.approx(sum(members) / len(members), abs=0.51)
