"""The external edition: no cell, no class, and no count below the cell size, in the page and in the JSON."""

import json
import random
import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conftest import ROOT, examples
from PETWorks import catalogue, check
from PETWorks.gate.bounds import Bound
from PETWorks.gate.guard import Guard, kept_to
from PETWorks.gate.schema import schema_text
from PETWorks.render.languages import LANGUAGES
from policy_checks import DAY

CHECK = Draft202012Validator(json.loads(schema_text("check")))

# Numbers that are none of people: thresholds of the policy, sizes of subsets, how many rules there are.
STRUCTURE = {"cell_size", "known", "parameters", "rule_verdicts", "size", "subsets", "number", "at_most"}


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, (*path, key))
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one, path)
    else:
        yield path, value


def words(page):
    """The texts of a page, without its markup and style."""
    body = re.sub(r"<style>.*?</style>", " ", page, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "\n", body))


def assert_nothing_leaks(result, cells, cell_size):
    document, page = result.to_dict("external"), result.to_html(edition="external")
    assert [error.message for error in CHECK.iter_errors(document)] == []
    texts = json.dumps(document, ensure_ascii=False) + words(page) + result.to_markdown("zh-TW", "external")
    texts += result.to_junit("external")
    for cell in cells:
        assert cell not in texts
    for path, value in leaves(document):
        if isinstance(value, int) and not isinstance(value, bool) and not STRUCTURE & set(path):
            assert value == 0 or value >= cell_size, path


@st.composite
def policies(draw, folder):
    """A table of distinctive cells and a policy with much of what one can say."""
    rows = draw(st.integers(1, 60))
    rng = random.Random(draw(st.integers(0, 10**6)))
    values = {"city": draw(st.integers(1, 5)), "job": draw(st.integers(1, 4)), "illness": draw(st.integers(1, 4))}
    table = [[f"{name}-cell-{rng.randrange(count)}" for name, count in values.items()] for _ in range(rows)]
    for row in table:
        if draw(st.integers(0, 9)) == 0:
            row[0] = row[1] = "*"
        row.append(f"person-cell-{rng.randrange(rows)}")
    names = ["City", "Job", "Illness", "Who"]
    (folder / "t.csv").write_text("\n".join([";".join(names), *map(";".join, table)]) + "\n")
    for column, count in (("City", values["city"]), ("Job", values["job"])):
        lines = [f"{column.lower()}-cell-{place};*" for place in range(count)]
        (folder / "levels").mkdir(exist_ok=True)
        (folder / f"levels/hierarchy_{column}.csv").write_text("\n".join(lines))
    unit = draw(st.booleans())
    cell_size = draw(st.sampled_from([3, 5, 11]))
    lines = [
        "petworks_policy: 1\ndata: t.csv\noriginal: t.csv\nhierarchies: levels",
        f"cell_size: {cell_size}\ntitle: a table",
        "roles: {quasi_identifiers: [City, Job], sensitive_attributes: [Illness], identifiers: [Who]}",
        "privacy_unit: Who" if unit else "subsets: {sizes: all, limits: {highest-risk: 0.2, uniques: 0.1}}",
        f"population: {draw(st.sampled_from(['t.csv', '100000', '0.5']))}",
        "context: {adversaries: [{who: a neighbour, knows: [City]}]}",
        "presets: [cms-11, ema-0.09, nics-0.09]",
        "rules:\n  - {measure: t-closeness, t: 0.2}\n  - {measure: l-diversity, l: 3}",
        "  - {measure: precision, at_least: 0.9}",
        "  - {measure: sample-uniqueness, share: 0.01}\n  - {measure: profitability}",
        "  - {measure: alpha-k-anonymity, alpha: 0.5, value: " + table[0][2] + "}",
        "  - {measure: journalist-risk, cell_size: 20, average: 0.1}",
        "waivers: [{rule: cms-11, owner: somebody, reason: a pilot, expires: 2026-11-20}]",
    ]
    (folder / "p.yaml").write_text("\n".join(lines) + "\n")
    return folder / "p.yaml", {cell for row in table for cell in row if cell != "*"}, cell_size


@pytest.mark.slow
@examples(60)
@given(data=st.data())
def test_random_tables_leak_nothing(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("external")
    policy, cells, cell_size = data.draw(policies(folder))
    assert_nothing_leaks(check(policy, as_of=DAY), cells, cell_size)


def test_every_cell_of_the_bundled_table_is_looked_for():
    """The words of the table that are not words of the report, and numbers as whole words of the page."""
    result = check("data/adult_policy.yaml", as_of=DAY)
    rows = [line.split(";") for line in (ROOT / "data/adult_anonymized.csv").read_text("utf-8").splitlines()]
    rows += [line.split(";") for line in (ROOT / "data/adult.csv").read_text("utf-8").splitlines()[1:]]
    # A number of years may well be a number of the report: only ages as they were grouped are looked for.
    cells = {cell for row in rows[1:] for cell in row if not cell.isdigit()} - {"*", ""} - set(rows[0])
    assert len(cells) > 30
    page, document = result.to_html(edition="external"), result.to_json("external")
    texts = {text.strip() for text in words(page).splitlines()}
    strings = {str(value) for _, value in leaves(json.loads(document)) if isinstance(value, str)}
    assert not cells & (texts | strings)
    texts = [*LANGUAGES["en"].texts.values(), *catalogue, *(entry.summary for entry in catalogue.values())]
    own = set(re.findall(r"\w+", " ".join(texts)))
    for cell in cells - own:
        assert not re.search(rf"(?<!\w){re.escape(cell)}(?!\w)", words(page) + document), cell


def test_what_is_hidden_and_what_is_shown(tmp_path):
    lines = ["age;illness", *["30;flu"] * 30, *["31;flu"] * 20, *["32;cold"] * 12]
    policy = (
        "petworks_policy: 1\ndata: t.csv\nroles: {quasi_identifiers: [age], sensitive_attributes: [illness]}\n"
        "presets: [cms-11]\nsubsets: {sizes: all}\n"
    )
    (tmp_path / "t.csv").write_text("\n".join(lines))
    (tmp_path / "p.yaml").write_text(policy)
    shown = check(tmp_path / "p.yaml", as_of=DAY).to_dict("external")
    assert shown["rules"][0]["value"] == {"at_least": 11}, "no class is small"
    (tmp_path / "t.csv").write_text("\n".join([*lines, "33;cold", "33;flu"]))
    hidden = check(tmp_path / "p.yaml", as_of=DAY).to_dict("external")
    assert hidden["rules"][0]["value"] == {"withheld": "small class"}
    assert hidden["rules"][0]["verdict"] == "fail"
    assert hidden["small_classes"][0] == {"size": 11, "records": None, "share": {"withheld": "few records"}}
    assert hidden["table"]["records"] == 64
    assert "classes" not in hidden["table"]


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0.0, 0.0),
        (1.0, 1.0),
        (0.005, Bound(below=0.011)),
        (0.0109, Bound(below=0.011)),
        (0.011, Bound(about=0.017)),
        (0.33333, Bound(about=0.339)),
        (0.3432, Bound(about=0.339)),
        (0.3456, Bound(about=0.35)),
        (0.9951, Bound(above=0.99)),
        (None, None),
    ],
)
def test_shares_of_a_thousand_people_come_in_cells_of_eleven(share, shown):
    assert Guard(11, 1000).share(share) == shown


def test_few_people_have_no_shares():
    assert Guard(11, 32).share(0.5) == Bound(withheld="few records")
    assert Guard(11, 0).share(0.5) == Bound(withheld="few records")
    assert Guard(11, 20).count(10) == Bound(below=11)
    assert Guard(11, 20).count(11) == 11
    assert Guard(11, 20).count(0) == 0
    assert Guard(11, 20).highest(1 / 3) == Bound(above=0.091)
    assert Guard(11, 200).highest(1 / 20) == Bound(at_most=0.05)
    assert Guard(11, 200).highest(1 / 97) == Bound(at_most=0.02)
    assert Guard(11, 200).at_least(97) == Bound(at_least=50)
    assert Guard(11, 200).at_least(12) == Bound(at_least=11)
    assert Guard(11, 200).at_least(3) == Bound(below=11)
    assert Guard(11, 200).at_least(None) is None
    assert Guard(11, 200, none=False).share(0.0) == Bound(below=0.055)
    assert Guard(11, 200, none=False).share(1.0) == Bound(above=0.94)
    assert Guard(11, 200).number(2700.0) == Bound(withheld="tells counts")


@given(st.integers(23, 2000), st.integers(0, 2000), st.integers(0, 2000), st.sampled_from([3, 5, 11]))
def test_a_difference_of_shares_tells_no_small_count(people, one, other, cell_size):
    """Whatever is shown of two counts, others that differ by more or less than they do would show the same."""
    guard = Guard(cell_size, people)
    first, second = (min(count, people) for count in (one, other))
    shown = [guard.share(count / people) for count in (first, second)]
    if not all(isinstance(value, Bound) and value.about is not None for value in shown):
        return
    alike = [[count for count in range(people + 1) if guard.share(count / people) == value] for value in shown]
    differences = {a - b for a in alike[0] for b in alike[1]}
    assert len(differences) >= cell_size


def test_rounding_does_not_contradict_a_verdict():
    assert kept_to(Bound(about=0.09), 0.0904, [0.09]) == Bound(above=0.09)
    assert kept_to(Bound(about=0.1), 0.0896, [0.09]) == Bound(at_most=0.09)
    assert kept_to(Bound(about=0.1), 0.104, [0.2]) == Bound(about=0.1)
    assert kept_to(12, 12, [11]) == 12
    assert kept_to(Bound(below=0.1), 0.05, [0.07]) == Bound(below=0.1)


def external_of(folder, lines, policy):
    (folder / "t.csv").write_text("\n".join(lines))
    (folder / "p.yaml").write_text("petworks_policy: 1\ndata: t.csv\n" + policy)
    return check(folder / "p.yaml", as_of=DAY).to_dict("external")


def values(document):
    return {result["measure"]: result["value"] for result in document["results"]}


def test_shares_are_of_those_who_count(tmp_path):
    """Of 100 records 80 are suppressed: three unique ones are 3 of 20."""
    lines = ["a;s", *["*;x"] * 80, *["p;x"] * 9, *["q;x"] * 8, "u;x", "v;x", "w;x"]
    policy = "roles: {quasi_identifiers: [a], sensitive_attributes: [s]}\ncell_size: 5\n"
    policy += "rules: [{measure: sample-uniqueness, share: 0}]\n"
    shown = external_of(tmp_path, lines, policy)
    assert values(shown)["sample-uniqueness"] == {"below": 0.25}
    assert shown["rules"][0]["value"] == {"below": 0.25}


def test_shares_are_of_people(tmp_path):
    """A thousand records of forty people, three of them unique."""
    lines = ["who;a;s", *(f"p{place % 37};x;y" for place in range(997)), "p37;u;y", "p38;v;y", "p39;w;y"]
    policy = "roles: {quasi_identifiers: [a], sensitive_attributes: [s]}\nprivacy_unit: who\ncell_size: 5\n"
    policy += "context: {adversaries: [{who: n, knows: [a]}]}\nrules: [{measure: k-anonymity, k: 11}]\n"
    shown = external_of(tmp_path, lines, policy)
    assert values(shown)["sample-uniqueness"] == {"below": 0.25}
    assert shown["adversaries"][0]["unique_share"] == {"below": 0.25}
    assert next(step for step in shown["next_steps"] if step["step"] == "merge-classes").keys() == {
        "step",
        "size",
        "share",
        "rules",
        "without",
    }


def test_limits_on_the_smallest_class_do_not_tell_it(tmp_path):
    lines = ["a;s", *["p;x"] * 98, *["q;y"] * 2]
    policy = "roles: {quasi_identifiers: [a], sensitive_attributes: [s]}\npresets: [nics-0.09]\nrules:\n"
    policy += "  - {measure: average-risk, highest: 0.09}\n  - {measure: prosecutor-risk, cell_size: 3}\n"
    policy += "  - {measure: publisher-payout, at_least: 0}\n"
    shown = external_of(tmp_path, lines, policy)
    found = {rule["measure"]: rule["value"] for rule in shown["rules"]}
    assert found["average-risk"] == found["prosecutor-risk"] == {"withheld": "small class"}
    assert found["publisher-payout"] == {"withheld": "tells counts"}
    assert found["attribute-inference"] == {"withheld": "few records"}, "of the two whom guessing does not find"


def test_a_class_that_is_large_may_have_a_small_group(tmp_path):
    """Classes of twelve, of whom one differs."""
    lines = ["a;s", *(f"c{place // 12};{'y' if place % 12 == 0 else 'x'}" for place in range(1200))]
    policy = "roles: {quasi_identifiers: [a], sensitive_attributes: [s]}\ncell_size: 11\n"
    policy += "rules: [{measure: k-anonymity, k: 11}]\n"
    shown = external_of(tmp_path, lines, policy)
    assert shown["rules"][0]["value"] == {"at_least": 11}
    assert values(shown)["alpha-k-anonymity"] == [{"at_least": 11}, {"withheld": "few records"}]


def test_population_and_release_are_not_subtracted(tmp_path):
    lines = ["a;s", *["p;x"] * 1000]
    policy = "roles: {quasi_identifiers: [a]}\npopulation: 1003\nrules: [{measure: k-anonymity, k: 11}]\n"
    assert external_of(tmp_path, lines, policy)["table"]["population"] == {"withheld": "tells counts"}


def test_the_inside_is_told_what_the_outside_sees(tmp_path):
    lines = ["a;s", *["p;x"] * 98, *["q;y"] * 2]
    policy = "roles: {quasi_identifiers: [a]}\npresets: [cms-11, pdpc-3]\n"
    shown = external_of(tmp_path, lines, policy)
    inside = check(tmp_path / "p.yaml", as_of=DAY).to_dict()
    assert {"step": "tells-outside", "rules": ["pdpc-3"]} in inside["next_steps"]
    assert "tells-outside" not in [step["step"] for step in shown["next_steps"]]


def test_a_few_suppressed_records_are_not_told(tmp_path):
    """One class of 97 and three suppressed records: neither class nor zero nor width tells three."""
    policy = "roles: {quasi_identifiers: [a]}\ncontext: {adversaries: [{who: n, knows: [a]}]}\n"
    policy += "subsets: {sizes: all}\nrules: [{measure: k-anonymity, k: 11}]\n"
    few = external_of(tmp_path, ["a;s", *["p;x"] * 97, *["*;x"] * 3], policy)
    assert few["rules"][0]["value"] == {"withheld": "small class"}
    assert values(few)["sample-uniqueness"] == few["adversaries"][0]["unique_share"] == {"below": 0.22}
    none = external_of(tmp_path, ["a;s", *["p;x"] * 100], policy)
    assert none["rules"][0]["value"] == {"at_least": 100}
    one = external_of(tmp_path, ["a;s", *["p;x"] * 99, "*;x"], policy)
    other = {"inputs": 0, "content_sha256": 0}
    assert {**one, **other} == {**few, **other}, "one or three: the same is seen"
    assert "many-suppressed" not in [step["step"] for step in few["next_steps"]]


def test_shares_that_are_compared_are_told_in_cells(tmp_path):
    lines = ["a;s", *(f"c{place // 25};x" for place in range(500))]
    rules = "rules:\n  - {measure: prosecutor-risk, at_risk: 0.4, threshold: 0.01}\n"
    rules += "  - {measure: average-risk, average: 0.01}\n"
    shown = external_of(tmp_path, lines, "roles: {quasi_identifiers: [a]}\ncell_size: 5\n" + rules)
    assert [rule["value"] for rule in shown["rules"]] == [1.0, {"about": 0.038}, [], ["s"]]
    assert [rule["verdict"] for rule in shown["rules"]] == ["fail", "fail", "pass", "fail"]
    assert [rule["compared"] for rule in shown["rules"]] == ["at_risk", "average", None, None]


def test_a_population_given_as_a_share_does_not_tell_the_records(tmp_path):
    policy = "roles: {quasi_identifiers: [a]}\npopulation: 0.01\ncell_size: 5\nrules: [{measure: k-anonymity, k: 2}]\n"
    shown = external_of(tmp_path, ["a;s", "p;x", "p;x", "p;x"], policy)
    assert (shown["table"]["records"], shown["table"]["population"]) == ({"below": 5}, {"withheld": "tells counts"})


def test_classes_by_other_sensitive_attributes_may_be_small(tmp_path):
    """Where the others count among what is known, classes are smaller than those by the quasi-identifiers alone."""
    lines = ["a;s;u", *(f"p;x{place % 9};y{place % 11}" for place in range(100))]
    policy = "roles: {quasi_identifiers: [a], sensitive_attributes: [s, u]}\nrules: [{measure: l-diversity, l: 2}]\n"
    assert values(external_of(tmp_path, lines, policy))["t-closeness"] != {"withheld": "small class"}
    among = external_of(tmp_path, lines, policy + "treatment: {several_sensitive: quasi-identifiers}\n")
    assert values(among)["t-closeness"] == {"withheld": "small class"}


def test_owners_of_waivers_stay_inside(tmp_path):
    policy = "roles: {quasi_identifiers: [a]}\nrules: [{measure: k-anonymity, k: 11}]\n"
    policy += "waivers: [{rule: k-anonymity, owner: Mrs Lin, reason: a pilot, expires: 2026-12-31}]\n"
    shown = external_of(tmp_path, ["a;s", "p;x", "p;x"], policy)
    assert shown["rules"][0]["waiver"] == {
        "owner": None,
        "reason": "a pilot",
        "expires": "2026-12-31",
        "state": "active",
    }
    assert "Mrs Lin" not in check(tmp_path / "p.yaml", as_of=DAY).to_html(edition="external")


def test_reasons_are_shown_if_they_say_only_what_a_measure_needs(tmp_path):
    lines = [f"{30 + i // 20};flu" for i in range(60)]
    (tmp_path / "original.csv").write_text("\n".join(["age;disease", *lines[:-20]]))
    (tmp_path / "t.csv").write_text("\n".join(["age;disease", *lines]))
    (tmp_path / "p.yaml").write_text(
        "petworks_policy: 1\ndata: t.csv\noriginal: original.csv\n"
        "roles: {quasi_identifiers: [age], sensitive_attributes: [disease]}\n"
        "rules: [{measure: k-anonymity, k: 2}]\n"
    )
    result = check(tmp_path / "p.yaml", as_of=DAY)
    inside, outside = (result.to_dict(edition)["not_applicable"] for edition in ("internal", "external"))
    assert inside["aecs"] == "the release has 60 records, more than the original's 40"
    assert outside["aecs"] == "does not apply to this release"
    for name, reason in (
        ("k-map", "needs a population table"),
        ("precision", "needs hierarchies"),
        ("utility-bias", "needs a function of yours (in Python: function=...)"),
    ):
        assert inside[name] == outside[name] == reason
