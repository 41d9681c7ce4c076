"""Sensitive values that differ only in spelling are one value where a release is decided about; missing is none."""

import random
import re
import warnings

import pytest

from command import petworks
from definitions import fold_spelling
from PETWorks import Release, Releases, anonymize, apply_levels, check, evaluate, frontier
from PETWorks.about.treatment import fold_value, person_name
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.measures.attacks.subsets import every_subset
from PETWorks.tables.yaml_files import read_yaml

HIV = ["HIV", "hiv", "\uff28\uff29\uff36", "h\u200biv", "hi\u00adv", "\u202ahiv\u202c", "hiv\ufe0f", " Hiv \u00a0", ""]
OTHERS = ["flu", "cold", "gout", "HIV", "asthma", "ulcer", "cough", "measles", "mumps"]
ROLES = {"age": QUASI_IDENTIFIER, "disease": SENSITIVE_ATTRIBUTE}
RULES = {
    "l-diversity": {"l": 2},
    "entropy-l-diversity": {"l": 1.5},
    "recursive-l-diversity": {"c": 3},
    "t-closeness": {"t": 0.4},
    "alpha-k-anonymity": {"alpha": 0.5},
    "basic-beta-likeness": {"beta": 0.5},
    "enhanced-beta-likeness": {"beta": 0.5},
    "delta-disclosure": {"delta": 0.6},
    "attribute-inference": {"at_most": 0.5},
}


def table(first=HIV, second=OTHERS):
    ages = ["30-39"] * len(first) + ["40-49"] * len(second)
    return {"age": ages, "disease": [*first, *second]}


def policy(tmp_path, rules, data=None, more=""):
    rows = table() if data is None else data
    lines = ["age,disease", *(f'{age},"{own}"' for age, own in zip(*rows.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = "petworks_policy: 1\ndata: t.csv\nroles: {quasi_identifiers: [age], sensitive_attributes: [disease]}\n"
    path = tmp_path / "p.yaml"
    path.write_text(f"{text}{more}rules:\n{rules}", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text", [*HIV, *OTHERS, "Stra\u00dfe", "\ufb01ne", "a\u3000 b", "\u2800", "\u3164", "*", "\uff0a"]
)
def test_folding_is_idempotent_and_case_and_width_do_not_matter(text):
    once = fold_value(text)
    assert fold_value(once) == once
    assert fold_value(text.upper()) == once
    assert fold_value(f"\u2066{text}\u2069") == once
    assert once == fold_spelling(text) or text in (
        "\u2800",
        "\u3164",
        "hiv\ufe0f",
    )  # invisible ones the twin does not know


def test_all_spellings_of_a_value_are_one():
    assert {fold_value(text) for text in HIV} == {"hiv", None}
    assert [fold_value(text) for text in ("\u2800", "\u3164", "\ufeff", "*", None)] == [None] * 5


SAY_NOTHING = [
    *("n/a", "N/A", "#N/A", "n.a.", "N.A", "NaN", "null", "NULL", "<NA>", "Unknown", "unknown.", "(unknown)", "[Null]"),
    *("not known", "Not_Known", "not-available", "not stated", "not recorded", "unspecified", "missing", "?", "???"),
    *("\uff1f", "\uff2e\uff0f\uff21", "不詳", "不明", "未知", "無資料", "未填", "未填寫", "缺值", "未提供", "（不詳）"),
]
MAY_BE_VALUES = [
    "na",
    "NA",
    "none",
    "-",
    "--",
    "no",
    "other",
    "無",
    ".",
    "1",
    "1.0",
    "hiv.",
    "unknown virus",
    "not applicable",
]


def test_texts_that_say_that_nothing_is_known_are_missing():
    assert {text: fold_value(text) for text in SAY_NOTHING} == dict.fromkeys(SAY_NOTHING)
    assert [fold_value(text) for text in MAY_BE_VALUES] == [text.lower().removesuffix(".0") for text in MAY_BE_VALUES]


SAME_NUMBERS = [
    "5437",
    "5,437",
    "5437.0",
    "５４３７",
    "５，４３７",
    "'5437",
    "5 437",
    "+5437",
    "5.437e3",
    "05437",
    "5437.",
]
SAME_DAYS = ["2025-04-26", "2025/4/26", "114/4/26", "114.4.26", "民國114年4月26日", "2025-04-26 00:00:00", "26.04.2025"]
DIFFERENT = [
    "5437.5",
    "54,37",
    "5,4370",
    "-5437",
    "5437元",
    "20250426",
    "1140426",
    "14/4/26",
    "2025-04-26 08:30",
    "2025-04",
]


@pytest.mark.parametrize("same", [SAME_NUMBERS, SAME_DAYS])
def test_equal_numbers_and_equal_days_are_one_value(same):
    assert {fold_value(text) for text in same} == {same[0]}
    assert all(fold_spelling(text) == same[0] for text in same[:3])


def test_different_values_stay_different():
    kept = [fold_value(text) for text in (*DIFFERENT, SAME_NUMBERS[0], SAME_DAYS[0])]
    assert len(set(kept)) == len(kept)
    assert [fold_value(text) for text in kept] == kept
    assert person_name("12e3") != person_name("12000")  # numbers of people are no amounts


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("same", [SAME_NUMBERS, SAME_DAYS])
def test_one_amount_in_several_notations_is_no_diversity(engine, same, tmp_path):
    rows = table(same, ["1", "2", "3"])
    path = policy(tmp_path, "  - {measure: l-diversity, l: 2}\n  - {measure: t-closeness, t: 0.9}\n", rows)
    diverse, close = check(path, engine=engine).document["rules"][:2]
    assert (diverse["verdict"], diverse["value"]) == ("fail", 1)
    meant = table([same[0]] * len(same), ["1", "2", "3"])
    assert close["value"] == evaluate(Release(meant, ROLES), {"t-closeness": {"t": 1}})["t-closeness"].value


def test_leaves_of_a_hierarchy_may_be_numbers():
    hierarchy = [["5,437", "high", "*"], ["1", "low", "*"], ["unknown", "low", "*"]]
    rows = {"age": list("aabb"), "disease": ["5437.0", "1", "1.0", "5,437"]}
    release = Release(rows, ROLES, {"disease": hierarchy}, sensitive_values="folded")
    found = evaluate(release, {"t-closeness": {"t": 1, "distance": "hierarchical"}})["t-closeness"]
    assert found.value == 0


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_one_value_beside_texts_that_say_nothing_is_no_diversity(engine, tmp_path):
    rows = table(["hiv", *SAY_NOTHING], ["flu", "gout", "unknown", "N/A"])
    path = policy(tmp_path, "  - {measure: l-diversity, l: 2}\n  - {measure: t-closeness, t: 0.5}\n", rows)
    diverse, close = check(path, engine=engine).document["rules"][:2]
    assert (diverse["verdict"], diverse["value"]) == ("fail", 1)
    assert close["value"] == pytest.approx(2 / 3)  # a third of those whose value is known have hiv
    exact = evaluate(Release(rows, ROLES, engine=engine), {"l-diversity": {"l": 2}})
    assert exact["l-diversity"].value == 4  # evaluate takes every text for a value


def test_a_hierarchy_may_have_leaves_that_say_nothing():
    hierarchy = [["hiv", "virus", "*"], ["flu", "virus", "*"], ["n/a", "none", "*"], ["unknown", "other", "*"]]
    rows = {"age": list("aabb"), "disease": ["hiv", "n/a", "flu", "Unknown"]}
    release = Release(rows, ROLES, {"disease": hierarchy}, sensitive_values="folded")
    found = evaluate(release, {"t-closeness": {"t": 1, "distance": "hierarchical"}})["t-closeness"]
    assert found.value == 0.25  # half of each class is moved to the other virus, one of two levels up


def rule_of(measure):
    given = ", ".join(f"{name}: {limit}" for name, limit in RULES[measure].items())
    return f"  - {{measure: {measure}, {given}}}\n"


@pytest.mark.parametrize("measure", RULES)
def test_spellings_are_no_diversity(measure, tmp_path):
    """Nine records with spellings of HIV and an empty cell are eight of one value."""
    rule = check(policy(tmp_path, rule_of(measure))).document["rules"][0]
    meant = evaluate(Release(table(["hiv"] * 8, [text.lower() for text in OTHERS]), ROLES), {measure: RULES[measure]})
    assert (rule["verdict"], meant.satisfied) == ("fail", False)
    assert rule["value"] == (meant[measure].value if measure != "alpha-k-anonymity" else [9, 1.0])
    assert evaluate(Release(table(), ROLES), {measure: {}})[measure].value != rule["value"]  # every text is a value


@pytest.mark.parametrize("measure", RULES)
def test_a_class_without_any_value_satisfies_the_rule(measure, tmp_path):
    even = ["flu", "cold"] * 4
    alone = policy(tmp_path, rule_of(measure), table(["", "\u200b", "*"], even))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check(alone).document["rules"][0]["verdict"] == "pass"
        nothing = policy(tmp_path, rule_of(measure), table(["", " "], ["\u200b"]))
        assert check(nothing).document["rules"][0]["verdict"] == "pass"
    one = policy(tmp_path, "  - {measure: l-diversity, l: 2}\n", table(["", "flu", "\u200b"], even))
    rule = check(one).document["rules"][0]
    assert (rule["verdict"], rule["value"]) == ("fail", 1)


def test_a_policy_may_say_otherwise_and_documents_say_what_was_done(tmp_path):
    rule = "  - {measure: l-diversity, l: 2}\n"
    document = check(policy(tmp_path, rule)).document
    assert document["table"]["treatment"]["sensitive_values"] == "folded"
    document = check(policy(tmp_path, rule, more="treatment: {sensitive_values: exact}\n")).document
    assert (document["table"]["treatment"]["sensitive_values"], document["rules"][0]["value"]) == ("exact", 9)


@pytest.mark.parametrize("method", ["global", "local"])
def test_python_anonymises_by_meaning_and_keeps_the_spelling(method):
    hierarchies = {"age": [["30-39", "30-49", "*"], ["40-49", "30-49", "*"]]}
    rules = {"l-diversity": {"l": 2}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = anonymize(Release(table(), ROLES, hierarchies), rules, suppression=0, method=method, order="original")
        as_written = Release(table(), ROLES, hierarchies, sensitive_values="exact")
        exact = anonymize(as_written, rules, suppression=0, order="original")
    assert set(made.table["age"].to_pylist()) == {"30-49"}
    assert set(exact.table["age"].to_pylist()) == {"30-39", "40-49"}
    written = [text or "" for text in made.table["disease"].to_pylist()]
    # Case and width stay; blanks around and invisible characters are in no release.
    assert written == [re.sub("[\u200b\u00ad\u202a\u202c\ufe0f]", "", text).strip() for text in table()["disease"]]
    assert made.plan["treatment"]["sensitive_values"] == "folded"


@pytest.mark.filterwarnings("ignore")
def test_none_is_the_careful_way_of_every_function():
    hierarchies = {"age": [["30-39", "30-49", "*"], ["40-49", "30-49", "*"]]}
    rules, none = {"l-diversity": {"l": 2}}, {"suppressed": None, "sensitive_values": None}
    release = Release(table(), ROLES, hierarchies, **none)
    made = anonymize(release, rules)
    applied = apply_levels(release, {"age": 1}, rules)
    points = frontier(release, rules, vary={"suppression": [0]})
    for plan in (made.plan, applied.plan, points.anonymize(points.points[0]).plan):
        assert (plan["treatment"]["suppressed"], plan["treatment"]["sensitive_values"]) == ("class", "folded")


def test_limits_on_subsets_and_the_worth_of_values():
    release = Release(table(["HIV"] * 3 + [""] * 6), ROLES, sensitive_values="folded")
    found = every_subset(release, worth={"disease": {"Hiv": 5, "HIV": 2}})
    row = found.row({"age"})
    assert row["attribute_inference_posterior of disease"] == pytest.approx(4 / 12)
    assert row["gain_posterior of disease"] == pytest.approx((3 * 5 + 5) / 12)
    assert found.limits({"inference": 0.3})[0]["worst"] == pytest.approx(4 / 12)


def test_a_named_value_is_found_in_every_spelling():
    release = Release(table(), ROLES, sensitive_values="folded")
    found = evaluate(release, {"alpha-k-anonymity": {"alpha": 0.5, "value": "\uff28iv"}})
    assert (found.satisfied, found["alpha-k-anonymity"].value) == (False, [9, 1.0])


def test_leaves_of_a_hierarchy_are_folded_too():
    hierarchies = {"disease": [["HIV", "virus", "*"], ["Flu", "VIRUS", "*"], ["Gout", "joint", "*"]]}
    rows = {"age": list("aabb"), "disease": ["hiv", "\uff26lu", "GOUT", "gout"]}
    folding = evaluate(Release(rows, ROLES, hierarchies, sensitive_values="folded"), {"t-closeness": {"t": 1}})
    same = {"age": list("aabb"), "disease": ["HIV", "Flu", "Gout", "Gout"]}
    hierarchies["disease"][1][1] = "virus"
    exact = evaluate(Release(same, ROLES, hierarchies), {"t-closeness": {"t": 1}})
    assert folding["t-closeness"].value == exact["t-closeness"].value
    assert folding["t-closeness"].details["attributes"]["disease"]["distance"] == "hierarchical"


def offered(rows):
    """For each person the values that their class offers."""
    by_zip = {}
    for row in rows:
        by_zip.setdefault(row["zip"], []).append(fold_spelling(row["ill"]))
    return {row["id"]: {own for own in by_zip[row["zip"]] if own is not None} for row in rows}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(("seed", "many"), [(0, 3), (1, 6), (2, 1500)])
def test_several_releases(engine, seed, many):
    chance = random.Random(seed)
    people = [f"p{number}" for number in range(300)]
    own = {person: f"V{chance.randrange(many)}" for person in people}
    releases = []
    for _ in range(2):
        rows = []
        for person in chance.sample(people, 260):
            value = chance.choice([own[person], own[person].lower(), f"{own[person]}\u200b", "", "\u200b"])
            rows.append({"id": person, "zip": f"{chance.randrange(90)}", "ill": value})
        releases.append(rows)
    roles = {"zip": QUASI_IDENTIFIER, "ill": SENSITIVE_ATTRIBUTE}
    tables = {
        f"r{place}": Release({name: [row[name] for row in rows] for name in rows[0]}, roles, sensitive_values="folded")
        for place, rows in enumerate(releases)
    }
    composed = Releases(tables, "id", focal="r1", engine=engine).compose()
    offers, focal = [offered(rows) for rows in releases], {row["id"]: fold_spelling(row["ill"]) for row in releases[1]}
    zips = [{row["id"]: row["zip"] for row in rows} for rows in releases]
    # The linked adversary: classes of people who have the same zips.
    classes = {}
    for person, value in focal.items():
        if value is not None:
            classes.setdefault((zips[0].get(person), zips[1][person]), []).append(value)
    told = [value for value in focal.values() if value is not None]
    linked = composed.together.inference["ill"]
    assert (linked.people, linked.commonest) == (len(told), max(map(told.count, told)))
    assert linked.right == sum(max(map(values.count, values)) for values in classes.values())
    assert linked.one_value == sum(len(values) for values in classes.values() if len(set(values)) == 1)
    # The unlinked one: what the classes of all releases offer; a class that offers nothing says nothing.
    targets = [person for person, value in focal.items() if value is not None and offers[0].get(person)]
    left = {person: offers[0][person] & offers[1][person] for person in targets}
    unlinked = composed.unlinked["ill"]
    assert (unlinked.together.people, unlinked.together.disclosed) == (
        len(targets),
        sum(len(values) == 1 for values in left.values()),
    )
    assert unlinked.contradictory == sum(not values for values in left.values())
    assert unlinked.changed == 0


def test_the_policy_of_a_release_says_how_values_were_counted(tmp_path):
    path = policy(
        tmp_path,
        "  - {measure: l-diversity, l: 2}\n",
        more="unique_values: {share: 1, reason: a test}\nhierarchies: {age: {groups: {30-49: [30-39, 40-49]}}}\n",
    )
    done = petworks("anonymize", path, "-o", tmp_path / "out.csv")
    assert done.returncode == 0, done.stderr
    written = read_yaml(next(tmp_path.glob("out*policy.yaml"))).content
    assert written.get("treatment", {}).get("sensitive_values", "folded") == "folded"
    assert "\uff28\uff29\uff36" in (tmp_path / "out.csv").read_text(encoding="utf-8")
