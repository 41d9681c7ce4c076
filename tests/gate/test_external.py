"""The external edition: no cell, no class, and no count below the cell size, in the page and in the JSON."""

import json
import random
import re
from datetime import date
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from fuzz.external_releases import EARLIER, POLICY, Pair, PairTwin, also_possible, few_others, split_classes
from fuzz.external_search import Twin, by_class_sizes, find_pinned, with_a_binary_attribute
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from command import petworks
from conftest import ROOT, examples
from PETWorks import catalogue, check, read_policy
from PETWorks.anonymizer.anonymization_facts import table_state
from PETWorks.errors import InputError
from PETWorks.gate.anonymising import anonymize_by_policy, search_rules
from PETWorks.gate.check.inputs import verify
from PETWorks.gate.document import NOT_CONTENT, content_digest, schema_text
from PETWorks.gate.external.edition import external_edition
from PETWorks.gate.external.protected import complement, narrowest_width, protect_statistics, range_of, share_of
from PETWorks.locale import LANGUAGES
from PETWorks.render.check_result import Check
from PETWorks.render.language.language import message_text
from PETWorks.render.language.texts import TEXTS
from policy_checks import DAY

CHECK = Draft202012Validator(json.loads(schema_text("check")))

# Numbers that are none of people: thresholds of the policy, sizes of subsets, how many rules there are.
STRUCTURE = {"cell_size", "known", "parameters", "rule_verdicts", "size", "subsets", "number", "at_most"}
STRUCTURE |= {"measured", "not_measured", "release"}  # of tables


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


RELEASES = """releases:
  key: Key
  earlier:
    - data: secret-file.csv
      name: an earlier table
      date: 2020-02-03
      recipients: secret recipients
      roles: {quasi_identifiers: [SecretColumn], sensitive_attributes: [Illness], identifiers: [Key]}
    - {sha256: abcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcdabcd, recipients: secret recipients}
  limits: {re-identification: 0.2, alone: 0.1, inference: 0.7, disclosed: 0.2, one-value: 0.3, m-invariance: 2}
"""


def _earlier_release(draw, folder, table, rng):
    """A table about some of the people, and what outsiders must not see of it."""
    there = [row for row in table if rng.random() < 0.8] or table[:1]
    rows = [[row[4], f"region-cell-{rng.randrange(draw(st.integers(1, 4)))}", row[2]] for row in there]
    lines = ["Key;SecretColumn;Illness", *map(";".join, rows)]
    (folder / "secret-file.csv").write_text("\n".join(lines) + "\n")
    secrets = {"secret-file", "SecretColumn", "secret recipients", "abcdabcd", "2020-02-03"}
    return secrets | {row[1] for row in rows}


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
    for place, row in enumerate(table):
        row.append(f"key-cell-{place}")
    names = ["City", "Job", "Illness", "Who", "Key"]
    secrets = _earlier_release(draw, folder, table, rng)
    (folder / "t.csv").write_text("\n".join([";".join(names), *map(";".join, table)]) + "\n")
    for column, count in (("City", values["city"]), ("Job", values["job"])):
        lines = [f"{column.lower()}-cell-{place};*" for place in range(count)]
        (folder / "levels").mkdir(exist_ok=True)
        (folder / f"levels/hierarchy_{column}.csv").write_text("\n".join(lines))
    unit = draw(st.booleans())
    population = draw(st.sampled_from(["t.csv", "100000", "0.5"]))
    cell_size = draw(st.sampled_from([3, 5, 11]))
    lines = [
        "petworks_policy: 1\ndata: t.csv\noriginal: t.csv\nhierarchies: levels",
        f"cell_size: {cell_size}\ntitle: a table",
        "roles: {quasi_identifiers: [City, Job], sensitive_attributes: [Illness], identifiers: [Who, Key]}",
        "privacy_unit: Who" if unit else "subsets: {sizes: all, limits: {highest-risk: 0.2, uniques: 0.1}}",
        "" if unit else RELEASES,
        f"population: {population}",
        "treatment: {suppressed: apart}" if population == "t.csv" else "",  # no class of the population is like them
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
    return folder / "p.yaml", {cell for row in table for cell in row if cell != "*"} | secrets, cell_size


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
    texts = [*map(str, TEXTS.values()), *catalogue, *(entry.summary for entry in catalogue.values())]
    own = set(re.findall(r"\w+", " ".join(texts)))
    for cell in cells - own:
        assert not re.search(rf"(?<!\w){re.escape(cell)}(?!\w)", words(page) + document), cell


def external_of(folder, lines, policy):
    (folder / "t.csv").write_text("\n".join(lines))
    (folder / "p.yaml").write_text("petworks_policy: 1\ndata: t.csv\n" + policy)
    return check(folder / "p.yaml", as_of=DAY).to_dict("external")


def values(document):
    return {result["measure"]: result["value"] for result in document["results"]}


def content(document):
    return {name: value for name, value in document.items() if name not in (*NOT_CONTENT, "inputs")}


KNOWN = "roles: {quasi_identifiers: [a], insensitive_attributes: [s]}\ncell_size: 5\n"
BOTH = "roles: {quasi_identifiers: [a], sensitive_attributes: [s]}\nno_rule: {s: a test}\ncell_size: 5\n"
K5 = "rules: [{measure: k-anonymity, k: 5}]\n"


def test_what_is_shown_of_a_safe_table(tmp_path):
    """Ten classes of twenty records."""
    shown = external_of(tmp_path, ["a;s", *(f"c{place % 10};x" for place in range(200))], BOTH + K5)
    assert (shown["verdict"], shown["rules"][0]["value"]) == ("pass", {"at_least": 20})
    assert shown["table"]["records"] == {"about": 210}
    assert shown["small_classes"] == [{"size": 5, "records": None, "share": 0.0}]
    assert values(shown) == {
        "k-anonymity": {"at_least": 20},
        "average-risk": {"about": 0.057},
        "journalist-risk": {"at_most": 0.05},
        "marketer-risk": {"about": 0.057},
        "prosecutor-risk": {"at_most": 0.05},
        "sample-uniqueness": {"below": 0.025},
        "attribute-inference": {"above": 0.975},
        "re-identification": {"about": 0.057},
    }
    assert "classes" not in shown["table"]
    assert shown["not_applicable"] == {}


def test_what_is_hidden_of_a_table_with_small_classes(tmp_path):
    shown = external_of(tmp_path, ["a;s", *["p;x"] * 98, *["q;y"] * 2], BOTH + K5)
    assert (shown["verdict"], shown["rules"][0]["value"]) == ("fail", {"withheld": "small class"})
    assert shown["small_classes"] == []
    assert values(shown)["prosecutor-risk"] == {"above": 0.2}


def test_few_records_have_no_shares(tmp_path):
    shown = external_of(tmp_path, ["a;s", *(f"c{place % 7};x" for place in range(49))], BOTH + K5)
    assert values(shown)["average-risk"] == {"withheld": "few records"}
    assert external_of(tmp_path, ["a;s", "p;x", "p;x"], BOTH + K5)["table"]["records"] == {"below": 5}


@pytest.mark.parametrize("cell_size", [1, 2, 3, 5, 10, 11, 20])
def test_ranges_are_as_wide_as_a_cell_and_do_not_overlap(cell_size):
    end = -1
    while end < 30_000:
        one = range_of(end + 1, cell_size)
        assert one.low == end + 1
        assert one.high - one.low + 1 >= max(2, cell_size)
        assert range_of(one.high, cell_size) == one
        end = one.high


@given(st.integers(0, 10**9), st.integers(1, 10**9), st.sampled_from([3, 5, 11]))
def test_a_share_is_what_its_ranges_allow(count, records, cell_size):
    count = min(count, records)
    share = count / records
    some, of = range_of(count, cell_size), range_of(records, cell_size)
    shown = share_of(some, of, cell_size)
    for bound in (shown, complement(complement(shown))):
        assert bound.below is None or share < bound.below
        assert bound.above is None or share > bound.above or count == records
        # Whatever the ranges allow may be meant; two figures are shown.
        assert bound.about is None or 0.95 * some.low / of.high < bound.about < 1.05 * some.high / of.low
    assert (shown.withheld is not None) == (records < 10 * narrowest_width(cell_size))


def test_the_same_statistics_give_the_same_edition():
    """Whatever else the internal edition says: it is not used."""
    document = check("data/adult_policy.yaml", as_of=DAY).content
    other = replace(
        document,
        results=tuple(replace(one, details={"secret": 1}, satisfied=True) for one in document.results),
        columns=tuple(replace(one, distinct=1, precision=0.5, total_variation=0.1) for one in document.columns),
        not_applicable={"x": "secret"},
        payout_curve=None,
        next_steps=(),
    )
    assert protect_statistics(other) == protect_statistics(document)
    assert replace(external_edition(other), next_steps=()) == replace(external_edition(document), next_steps=())


def test_rules_that_reveal_a_small_count_are_withheld(tmp_path):
    lines = ["a;s", *(f"c{place % 10};x" for place in range(198)), "d;x", "d;x"]
    rules = (
        "rules:\n  - {measure: k-anonymity, k: 5}\n  - {name: four, measure: k-anonymity, k: 4}\n"
        "  - {name: three, measure: k-anonymity, k: 3}\n  - {name: two, measure: k-anonymity, k: 2}\n"
        "  - {name: some, measure: sample-uniqueness, share: 0.1}\n"
        "  - {name: few, measure: sample-uniqueness, share: 0.01}\n"
        "  - {name: all but few, measure: attribute-inference, at_most: 0.99}\n"
    )
    shown = external_of(tmp_path, lines, BOTH + rules)
    verdicts = {rule["name"]: rule["verdict"] for rule in shown["rules"]}
    hidden = [name for name, verdict in verdicts.items() if verdict == "withheld"]
    assert hidden == ["four", "two", "few", "all but few"]
    assert shown["verdict"] == "fail", "as the other rules say"
    assert shown["rule_verdicts"]["withheld"] == 4
    withheld = next(rule for rule in shown["rules"] if rule["name"] == "few")
    assert (withheld["satisfied"], withheld["value"]) == (None, {"below": 0.025})
    inside = check(tmp_path / "p.yaml", as_of=DAY).to_dict()
    steps = {step["step"]: step for step in inside["next_steps"]}
    assert steps["withheld-outside"]["rules"] == ["four", "two", "few", "all but few"]
    assert "withheld-outside" not in [step["step"] for step in shown["next_steps"]]


def verdicts_of(folder, lines, policy):
    return {rule["name"]: rule["verdict"] for rule in external_of(folder, lines, policy)["rules"]}


SMALL = ["a;s", *(f"c{place % 20};v{place % 13}" for place in range(1000)), *["d;v1"] * 2]  # one class of two


@pytest.mark.parametrize(
    "rule",
    [
        "l-diversity, l: 4",
        "entropy-l-diversity, l: 3.5",
        "recursive-l-diversity, c: 9, l: 4",
        "alpha-k-anonymity, alpha: 0.25",
    ],
)
def test_a_rule_about_values_does_not_tell_the_size_of_the_smallest_class(tmp_path, rule):
    """Whether a class below the cell size has four values: then it has four records."""
    assert verdicts_of(tmp_path, SMALL, BOTH + f"rules: [{{name: r, measure: {rule}}}]\n")["r"] == "withheld"


def test_amounts_and_close_shares_are_withheld(tmp_path):
    """A thousand records: shares with fewer than five records between them tell a count almost exactly."""
    rules = (
        "rules:\n  - {name: payout, measure: publisher-payout, at_least: 995}\n"
        "  - {name: wide, measure: sample-uniqueness, share: 0.1}\n"
        "  - {name: close, measure: sample-uniqueness, share: 0.099}\n"
        "  - {name: apart, measure: sample-uniqueness, share: 0.09}\n"
        "  - {name: average, measure: average-risk, average: 0.2}\n"
        "  - {name: same, measure: re-identification, at_most: 0.201}\n"
    )
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels/hierarchy_a.csv").write_text("".join(f"c{place};*\n" for place in range(20)) + "d;*\n")
    verdicts = verdicts_of(tmp_path, SMALL, BOTH + "hierarchies: levels\noriginal: t.csv\n" + rules)
    assert [name for name, verdict in verdicts.items() if verdict == "withheld"] == ["payout", "close", "same"]


def test_what_the_published_bound_says_is_shown(tmp_path):
    """All classes have twenty records: that k = 4 and k = 2 hold is no news."""
    lines = ["a;s", *(f"c{place % 10};x" for place in range(200))]
    rules = "rules: [{name: four, measure: k-anonymity, k: 4}, {name: two, measure: k-anonymity, k: 2}]\n"
    shown = external_of(tmp_path, lines, BOTH + rules)
    assert (shown["verdict"], shown["rules"][0]["verdict"], shown["rules"][1]["verdict"]) == ("pass", "pass", "pass")
    hidden = external_of(tmp_path, SMALL, BOTH + rules)
    assert (hidden["verdict"], hidden["rules"][0]["verdict"], hidden["rules"][1]["verdict"]) == ("withheld",) * 3


def test_whether_a_withheld_rule_holds_cannot_be_seen(tmp_path):
    """One table has two unique records of two hundred, the other three."""
    rules = "rules: [{measure: k-anonymity, k: 3}, {measure: sample-uniqueness, share: 0.01}]\n"
    rules += "waivers: [{rule: sample-uniqueness, owner: somebody, reason: a pilot, expires: 2027-11-20}]\n"
    editions = []
    for unique in (2, 3):
        lines = ["a;s", *["p;x"] * (200 - unique), *(f"u{place};x" for place in range(unique))]
        editions.append(content(external_of(tmp_path, lines, KNOWN + rules)))
        assert editions[-1]["rules"][1]["verdict"] == "withheld"
    assert editions[0] == editions[1]


def test_one_record_more_or_less_is_rarely_seen(tmp_path):
    """Of forty tables, each a record longer than the last, most show the same as the next."""
    editions = []
    for records in range(300, 340):
        lines = ["a;s", *(f"c{place % 7};x" for place in range(records))]
        editions.append(content(external_of(tmp_path, lines, KNOWN + K5)))
    assert sum(one != other for one, other in pairwise(editions)) <= 3


def test_values_inside_classes_are_never_told(tmp_path):
    """Classes of twelve, of whom one differs."""
    lines = ["a;s", *(f"c{place // 12};{'y' if place % 12 == 0 else 'x'}" for place in range(1200))]
    policy = BOTH + "rules: [{measure: t-closeness, t: 0.2}, {measure: t-closeness, t: 0.3, name: other}]\n"
    shown = external_of(tmp_path, lines, policy)
    assert [rule["verdict"] for rule in shown["rules"]][:2] == ["pass", "withheld"]
    assert shown["rules"][0]["value"] == {"withheld": "tells counts"}
    told = {"t-closeness", "alpha-k-anonymity", "enhanced-beta-likeness", "l-diversity", "attribute-inference"}
    assert not told & values(shown).keys()


def test_shares_are_of_people(tmp_path):
    """A thousand records of eighty people, three of them unique."""
    lines = ["who;a;s", *(f"p{place % 77};x;y" for place in range(997)), "p77;u;y", "p78;v;y", "p79;w;y"]
    policy = BOTH + "privacy_unit: who\ncontext: {adversaries: [{who: n, knows: [a]}]}\n" + K5
    shown = external_of(tmp_path, lines, policy)
    assert values(shown)["sample-uniqueness"] == {"below": 0.063}
    assert shown["adversaries"][0]["unique_share"] == {"below": 0.063}


def test_a_few_suppressed_records_are_not_told(tmp_path):
    policy = KNOWN + "context: {adversaries: [{who: n, knows: [a]}]}\nsubsets: {sizes: all}\n" + K5
    policy += "treatment: {suppressed: apart}\n"
    editions = []
    for suppressed in (0, 1, 3):
        lines = ["a;s", *["p;x"] * 60, *["q;x"] * (41 - suppressed), *["*;x"] * suppressed]
        editions.append(content(external_of(tmp_path, lines, policy)))
    assert editions[0] == editions[1] == editions[2]


def test_a_number_does_not_contradict_its_verdict(tmp_path):
    """21 classes of 19: the limit is between the exact share of classes, 5.3 %, and the rounded one, 5.6 %."""
    lines = ["a;s", *(f"c{place // 19};x" for place in range(19 * 21))]
    shown = external_of(tmp_path, lines, KNOWN + "rules: [{measure: average-risk, average: 0.054}]\n")
    assert (shown["rules"][0]["verdict"], shown["rules"][0]["value"]) == ("pass", {"at_most": 0.054})
    shown = external_of(tmp_path, lines, KNOWN + "rules: [{measure: k-anonymity, k: 15}]\n")
    assert shown["rules"][0]["value"] == {"at_least": 15}, "not 10, which is the round number"


def test_owners_of_waivers_stay_inside(tmp_path):
    policy = KNOWN + "rules: [{measure: k-anonymity, k: 11}]\n"
    policy += "waivers: [{rule: k-anonymity, owner: Mrs Lin, reason: a pilot, expires: 2026-12-31}]\n"
    shown = external_of(tmp_path, ["a;s", *["p;x"] * 7, *["q;x"] * 60], policy)
    assert shown["rules"][0]["waiver"] == {
        "owner": None,
        "reason": "a pilot",
        "expires": "2026-12-31",
        "state": "active",
    }
    assert "Mrs Lin" not in check(tmp_path / "p.yaml", as_of=DAY).to_html(edition="external")


POLICIES = {
    "k": K5,
    "two sizes": "rules: [{measure: k-anonymity, k: 5}, {measure: k-anonymity, k: 3, name: three}]\n",
    "sizes": "rules: [{measure: k-anonymity, k: 2}, {measure: k-anonymity, k: 4, name: four}]\n",
    "shares": "rules: [{measure: k-anonymity, k: 5}, {measure: sample-uniqueness, share: 0.05}, "
    "{measure: sample-uniqueness, share: 0.1, name: more}, {measure: sample-uniqueness, share: 0.3, name: most}, "
    "{measure: sample-uniqueness, share: 0, name: none}]\n",
    "values": "rules: [{measure: l-diversity, l: 2}, {measure: t-closeness, t: 0.2}, "
    "{measure: t-closeness, t: 0.3, name: more}, {measure: attribute-inference, at_most: 0.9}]\n",
    "averages": "rules: [{measure: average-risk, average: 0.3}, {measure: average-risk, average: 0.2, name: less}, "
    "{measure: re-identification, at_most: 0.25}, {measure: prosecutor-risk, threshold: 0.2, at_risk: 0.4}, "
    "{measure: prosecutor-risk, threshold: 0.4, at_risk: 0.2, name: fewer}]\n",
    "denominators": "rules: [{measure: average-risk, average: 0.49}, {measure: re-identification, at_most: 0.49}, "
    "{measure: prosecutor-risk, threshold: 0.5, at_risk: 0.68}, "
    "{measure: prosecutor-risk, threshold: 0.2, at_risk: 0.49, name: other}]\n",
    "guesses": "rules: [{measure: k-anonymity, k: 4}, {measure: attribute-inference, at_most: 0.46}, "
    "{measure: k-anonymity, k: 6, name: six}, {measure: prosecutor-risk, threshold: 0.2, at_risk: 0.89}]\n",
    "all": "rules: [{measure: k-anonymity, k: 5}, {measure: k-anonymity, k: 3, name: three}, "
    "{measure: sample-uniqueness, share: 0.2}, {measure: average-risk, average: 0.3}, {measure: l-diversity, l: 2}, "
    "{measure: t-closeness, t: 0.2}, {measure: attribute-inference, at_most: 0.8}]\n",
}


def policy_of(folder, name):
    (folder / "t.csv").write_text("a;s\nx;y\n")
    (folder / "p.yaml").write_text(
        "petworks_policy: 1\ndata: t.csv\ntreatment: {suppressed: apart}\ncontext: {rules_reason: a test}\n"
        + BOTH
        + POLICIES[name]
    )
    return read_policy(folder / "p.yaml")


@pytest.mark.parametrize("name", POLICIES)
def test_the_search_counts_as_a_check_does(tmp_path, name):
    policy = policy_of(tmp_path, name)
    twin, rng = Twin(policy), random.Random(1)
    tables = rng.sample(list(by_class_sizes(17)), 4) + rng.sample(list(with_a_binary_attribute(55)), 4)
    for table in tables:
        assert twin.protected(table) == protect_statistics(check(policy, data=table.written(), as_of=DAY).content), (
            table
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize(
    ("tables", "records"), [(by_class_sizes, (6, 8, 12, 18)), (with_a_binary_attribute, (6, 9, 22, 51))]
)
def test_no_count_is_pinned(tmp_path, name, tables, records):
    """`fuzz` has the search over all tables with up to thirty records, and sixty."""
    twin = Twin(policy_of(tmp_path, name))
    number, pins = find_pinned((table for size in records for table in tables(size)), 5, twin.protected)
    assert number > 1000
    assert pins == {}


def test_the_search_finds_what_is_pinned(tmp_path):
    """With exact verdicts of two shares."""
    twin = Twin(policy_of(tmp_path, "shares"))

    def exact(table):
        return tuple(rule.verdict for rule in twin.document(table).rules)

    assert find_pinned(by_class_sizes(20), 5, exact)[1].keys() == {"unique", "in the smallest classes"}


def test_documents_are_verified(tmp_path):
    policy, data = ROOT / "data/adult_policy.yaml", ROOT / "data/adult_anonymized.csv"
    result = check(policy, as_of=DAY)
    inside, outside = result.file(), result.file("external")
    assert all(one.matches for one in verify(inside, data=data, policy=policy))
    assert all(one.matches for one in verify(outside, data=data, policy=policy, internal=inside))
    assert str(outside.to_dict()).count(inside.inputs[0].sha256) == 0
    again = check(policy, as_of=DAY)
    assert again.content.salt != result.content.salt
    assert again.file("external").content_sha256 == outside.content_sha256
    assert again.file("external").commitments != outside.commitments
    repeated = check(policy, as_of=DAY, salt=result.content.salt)
    assert repeated.file("external") == outside
    wrong = {one.what for one in verify(outside, data=policy, policy=data, internal=inside) if not one.matches}
    assert wrong == {"the table", "the policy"}
    changed = replace(outside, title="another")
    assert [one.matches for one in verify(changed, internal=inside)] == [False, True, True, False, True]
    for forged in (replace(outside, generated="1999-01-01T00:00:00Z"), replace(outside, commitments=None)):
        assert not all(one.matches for one in verify(forged, internal=inside))
    passed = replace(inside, rules=(replace(inside.rules[0], verdict="fail"), *inside.rules[1:]))
    passed = replace(passed, content_sha256=content_digest(passed))
    assert [one.what for one in verify(passed) if not one.matches] == ["the verdict and the verdicts of the rules"]
    for edited in (
        replace(inside, small_classes=()),
        replace(inside, table=replace(inside.table, classes=None)),
        replace(inside, rules=(replace(inside.rules[0], parameters={"x": "y"}), *inside.rules[1:])),
    ):
        with pytest.raises(InputError, match="not complete"):
            verify(outside, internal=edited)
    with pytest.raises(InputError, match=r"no such file: 'nowhere\.csv'"):
        verify(inside, data=Path("nowhere.csv"))
    with pytest.raises(InputError, match=r"only by the salt \(internal=\.\.\.\)"):
        verify(outside, data=data)
    with pytest.raises(InputError, match="is an external one"):
        verify(outside, internal=outside)


def test_an_earlier_edition_is_warned_of(tmp_path):
    lines = ["a;s", *(f"c{place % 10};x" for place in range(200))]
    external_of(tmp_path, lines, BOTH + K5)
    earlier = tmp_path / "earlier.json"
    earlier.write_text(check(tmp_path / "p.yaml", as_of=DAY).to_json(), "utf-8")
    assert "earlier-edition" not in [
        step.step for step in check(tmp_path / "p.yaml", as_of=DAY, previous=earlier).content.next_steps
    ], "the same table"
    (tmp_path / "t.csv").write_text("\n".join([*lines, "u;x"]))
    result = check(tmp_path / "p.yaml", as_of=DAY, previous=earlier)
    assert result.content.next_steps[0].step == "earlier-edition"
    assert result.content.next_steps[0].size > 0
    assert "earlier external edition" in result.to_markdown()
    assert "earlier-edition" not in [step["step"] for step in result.to_dict("external")["next_steps"]]


def test_how_a_release_was_made_stays_inside():
    """Levels, losses and what is left of each column are in the internal edition, and nothing of them outside."""
    policy = read_policy(ROOT / "data/adult_original_policy.yaml")
    result = anonymize_by_policy(policy, policy.release(engine="memory"), search_rules(policy, date(2026, 11, 16)), {})
    checked = check(ROOT / "data/adult_policy.yaml", as_of=DAY)
    facts = result.facts(table_state(result.original), result.release)
    made = Check(replace(checked.content, anonymization=facts), checked.note)
    assert made.to_dict()["anonymization"]["utility"]["columns"][0]["column"] == "sex"
    assert [error.message for error in CHECK.iter_errors(made.to_dict())] == []
    assert made.file("external") == checked.file("external")
    for kind in ("json", "html", "markdown", "junit", "text"):
        for lang in LANGUAGES:
            inside, outside = made.to_format(kind, lang), made.to_format(kind, lang, "external")
            assert outside == checked.to_format(kind, lang, "external")
            kept = [message_text(code, "column.values_per_cell") for code in LANGUAGES]
            assert not [text for text in ("values_per_cell", *kept) if text in outside]
            if kind == "html":
                assert all(text in inside for text in kept)


# Several releases.

LIMITS = {
    "chances": {"re-identification": 0.2, "alone": 0.2, "inference": 0.8},
    "values": {"disclosed": 0.2, "re-identification": 0.5},
    "few": {"disclosed": 0.01, "alone": 0.02, "inference": 0.99},
}


def checked_pair(folder, pair, limits):
    pair.write(folder)
    given = ", ".join(f"{name}: {limit}" for name, limit in limits.items())
    (folder / "p.yaml").write_text(POLICY + EARLIER + f"  limits: {{{given}}}\n")
    return check(folder / "p.yaml", as_of=DAY)


@pytest.mark.parametrize("name", LIMITS)
def test_the_search_over_pairs_counts_as_a_check_does(tmp_path, name):
    twin, rng = PairTwin(tmp_path, LIMITS[name]), random.Random(2)
    pairs = rng.sample(list(few_others(52, 2)), 6) + rng.sample(list(split_classes(51)), 2)
    for pair in pairs:
        if pair.in_common:
            found = protect_statistics(checked_pair(tmp_path, pair, LIMITS[name]).content)
            expected = protect_statistics(twin.document(pair))
            names = {
                rule.name: verdict for rule, verdict in zip(twin.document(pair).rules, expected.verdicts, strict=True)
            }
            rules = check(tmp_path / "p.yaml", as_of=DAY).content.rules
            assert {rule.name: verdict for rule, verdict in zip(rules, found.verdicts, strict=True)} == {
                **names,
                "no-direct-identifiers": "pass",
                "no-linked-records": "fail",
            }
            assert (found.releases, found.attacked) == (expected.releases, expected.attacked), pair


@pytest.mark.slow
@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("pairs", [lambda: split_classes(52), lambda: few_others(60, 2)], ids=["split", "few others"])
def test_no_count_of_several_releases_is_pinned(tmp_path, name, pairs):
    twin = PairTwin(tmp_path, LIMITS[name])
    number, pins = find_pinned(pairs(), 5, lambda pair: protect_statistics(twin.document(pair)))
    assert number > 1000
    found = [(count, pair) for count, pairs in pins.items() for _, pair in pairs]
    assert [(count, pair) for count, pair in found if not also_possible(twin, pair, count)] == []


def test_the_search_over_pairs_finds_what_is_pinned(tmp_path):
    """With the exact verdicts of limits that few people exceed."""
    twin = PairTwin(tmp_path, LIMITS["few"])

    def exact(pair):
        document = twin.document(pair)
        return protect_statistics(document), tuple(rule.verdict for rule in document.rules)

    pins = find_pinned(few_others(60, 1), 5, exact)[1]
    assert {"disclosed", "alone in both"} & pins.keys()


def test_close_limits_on_one_release_and_on_all_are_withheld(tmp_path):
    """With more releases there are more classes: between two close limits there are few."""
    pair = Pair((((600, 0), (5, 5), (0, 0)), ((300, 0), (90, 0), (0, 0))))
    pair.write(tmp_path)
    policy = POLICY.replace(
        "k: 5}", "k: 5}, {measure: re-identification, at_most: 0.2}, {measure: sample-uniqueness, share: 0.1}"
    )
    hidden = {}
    for limit in (0.201, 0.3):
        limits = f"  limits: {{re-identification: {limit}, alone: {limit - 0.1}}}\n"
        (tmp_path / "p.yaml").write_text(policy + EARLIER + limits)
        rules = check(tmp_path / "p.yaml", as_of=DAY).to_dict("external")["rules"]
        hidden[limit] = [rule["name"] for rule in rules if rule["verdict"] == "withheld"]
    assert hidden == {0.201: ["all-releases: re-identification", "all-releases: alone"], 0.3: []}


def test_m_invariance_and_gain_are_never_told(tmp_path):
    Pair((((600, 0), (5, 5), (0, 0)), ((300, 0), (90, 0), (0, 0)))).write(tmp_path)
    limits = "  limits: {m-invariance: 2, gain: 3, disclosed: 0.2, half-sure: 0.001}\n  worth: {s: {v0: 2}}\n"
    (tmp_path / "p.yaml").write_text(POLICY + EARLIER + limits)
    rules = check(tmp_path / "p.yaml", as_of=DAY).to_dict("external")["rules"]
    verdicts = {rule["name"].removeprefix("all-releases: "): rule["verdict"] for rule in rules}
    names = ("m-invariance", "gain", "half-sure", "disclosed")
    assert [verdicts[name] for name in names] == ["withheld", "withheld", "withheld", "fail"]


def test_the_command_tells_no_more_than_the_edition(tmp_path):
    """Exit code, output and files are the same for a table that keeps a withheld rule and one that breaks it."""
    policy = (
        "petworks_policy: 1\ndata: t.csv\nno_rule: {illness: a test}\n"
        "roles: {quasi_identifiers: [age], sensitive_attributes: [illness]}\n"
        "cell_size: 11\nrules: [{measure: k-anonymity, k: 10}]\n"
    )
    told = {}
    for name, size in (("keeps", 10), ("breaks", 9)):
        folder = tmp_path / name
        folder.mkdir()
        lines = [f"{age},flu" for age in ("20-29", "30-39", "40-49") for _ in range(40)]
        lines += ["50-59,gout"] * size + ["60-69,flu"] * (50 - size)
        (folder / "t.csv").write_text("\n".join(["age,illness", *lines]) + "\n", "utf-8")
        (folder / "policy.yaml").write_text(policy, "utf-8")
        inside = petworks("check", "policy.yaml", cwd=folder)
        assert inside.returncode == (0 if name == "keeps" else 1)
        outside = ["check", "policy.yaml", "--edition", "external", "--as-of", "2026-11-16"]
        runs = [petworks(*outside, f"--{one}", "-", cwd=folder) for one in ("json", "junit", "markdown", "html")]
        runs.append(petworks(*outside, "--html", "report.html", cwd=folder))
        assert {run.returncode for run in runs} == {4}
        assert all("exit code is 4 whatever the data" in run.stderr for run in runs)
        assert petworks("check", "policy.yaml", "--edition", "both", cwd=folder).returncode == inside.returncode
        told[name] = [
            re.sub(r"[0-9a-f]{64}|[0-9a-f]{12}\b", "", text) for run in runs for text in (run.stdout, run.stderr)
        ]
    assert told["keeps"] == told["breaks"]


def test_the_command_fails_if_a_rule_that_is_shown_does(tmp_path):
    (tmp_path / "t.csv").write_text("age,illness\n" + "".join(f"{age},flu\n" for age in range(60)), "utf-8")
    (tmp_path / "policy.yaml").write_text(
        "petworks_policy: 1\ndata: t.csv\nno_rule: {illness: a test}\n"
        "roles: {quasi_identifiers: [age], sensitive_attributes: [illness]}\n"
        "cell_size: 11\nrules: [{measure: k-anonymity, k: 11}, {measure: k-anonymity, k: 10, name: hidden}]\n",
        "utf-8",
    )
    run = petworks("check", "policy.yaml", "--edition", "external", cwd=tmp_path)
    assert "not shown" in run.stdout
    assert (run.returncode, run.stderr) == (1, "")


def test_classes_of_records_say_nothing_about_people_outside(tmp_path):
    """Two classes of three people with twenty records each: a class of three is small, one of sixty is not."""
    rows = [f"{person},{20 + 10 * (person % 2)},n,{'ab'[visit % 2]}" for person in range(6) for visit in range(20)]
    (tmp_path / "visits.csv").write_text("\n".join(["pid,age,region,state", *rows]) + "\n")
    (tmp_path / "policy.yaml").write_text(
        "petworks_policy: 1\ndata: visits.csv\nprivacy_unit: pid\nno_rule: {state: a test}\n"
        "hierarchies: {age: {width: [50]}, region: {groups: {all: [n]}}}\n"
        "roles: {quasi_identifiers: [age, region], sensitive_attributes: [state]}\n"
        "rules: [{measure: k-anonymity, k: 3}]\n"
    )
    assert petworks("anonymize", "policy.yaml", "-o", "out.csv", cwd=tmp_path).returncode == 0
    outside = petworks("check", "out_policy.yaml", "--edition", "external", cwd=tmp_path)
    assert outside.returncode == 4
    assert "withheld (small group)" in outside.stdout
    inside = petworks("check", "out_policy.yaml", cwd=tmp_path)
    assert inside.returncode == 0
    assert "people. " not in inside.stdout.partition(" rule ")[0].replace("\n", " "), "these are records"


# Built-in rules that count people.

AMOUNTS = (
    "petworks_policy: 1\ndata: t.csv\nno_rule: {bill: a test}\n"
    "roles: {quasi_identifiers: [age], sensitive_attributes: [bill]}\nrules: [{measure: k-anonymity, k: 11}]\n"
)


def told_outside(folder, name, policy, rows, expected):
    """What outsiders get of a table, after its check inside ended with the expected code."""
    own = folder / name
    own.mkdir()
    (own / "t.csv").write_text("\n".join(["age,bill", *rows]) + "\n", "utf-8")
    (own / "policy.yaml").write_text(policy, "utf-8")
    assert petworks("check", "policy.yaml", cwd=own).returncode == expected
    return outside_runs(own, "policy.yaml")


def outside_runs(folder, policy):
    """Exit codes, outputs and files of the external edition, without times and commitments."""
    call = ["check", policy, "--edition", "external", "--as-of", "2026-11-16"]
    runs = [petworks(*call, f"--{one}", "-", cwd=folder) for one in ("json", "junit", "markdown", "html")]
    runs.append(petworks(*call, "--evidence", "evidence", cwd=folder))
    files = sorted(path for path in (folder / "evidence").rglob("*") if path.is_file() and "internal" not in path.parts)
    texts = [text for run in runs for text in (run.stdout, run.stderr)] + [path.read_text("utf-8") for path in files]
    return (
        {run.returncode for run in runs},
        [path.relative_to(folder) for path in files],
        [re.sub(r"[0-9a-f]{64}|[0-9a-f]{12}\b", "", text) for text in texts],
    )


def test_whether_more_than_five_people_have_a_value_of_their_own_cannot_be_seen(tmp_path):
    """A hundred records: above five is too many inside, and a count below the cell size of eleven outside."""

    def rows(alone):
        return ["30-39,250"] * (100 - alone) + [f"30-39,{300 + place}" for place in range(alone)]

    five, six = (told_outside(tmp_path, f"{alone}", AMOUNTS, rows(alone), code) for alone, code in ((5, 0), (6, 1)))
    assert five == six
    assert five[0] == {4}


def test_whether_more_than_five_records_are_set_aside_cannot_be_seen(tmp_path):
    policy = AMOUNTS + "treatment: {suppressed: apart}\n"
    five, six = (
        told_outside(tmp_path, f"{aside}", policy, ["30-39,250"] * (100 - aside) + ["*,250"] * aside, code)
        for aside, code in ((5, 0), (6, 1))
    )
    assert five == six
    assert five[0] == {4}


def test_whether_a_plan_removed_more_records_than_it_may_cannot_be_seen(tmp_path):
    """A plan that may remove 5 % is applied to the next table: five of a hundred and ten, or six."""
    told = []
    for name, removed in (("keeps", 5), ("exceeds", 6)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "policy.yaml").write_text(
            AMOUNTS + "hierarchies: {age: {width: [20]}}\nanonymize: {suppression: 0.05}\n", "utf-8"
        )
        (folder / "t.csv").write_text("age,bill\n" + "35,250\n" * 100, "utf-8")
        assert petworks("anonymize", "policy.yaml", "-o", "first.csv", cwd=folder).returncode == 0
        rows = ["35,250"] * (110 - removed) + [f"{100 * (place + 9)},250" for place in range(removed)]
        (folder / "next.csv").write_text("\n".join(["age,bill", *rows]) + "\n", "utf-8")
        petworks("apply", "next.csv", "--plan", "first_plan.json", "-o", "next_out.csv", cwd=folder)
        assert petworks("check", "next_out_policy.yaml", cwd=folder).returncode == (0 if name == "keeps" else 1)
        told.append(outside_runs(folder, "next_out_policy.yaml"))
    assert told[0] == told[1]
    assert told[0][0] == {4}


@pytest.mark.parametrize(
    ("policy", "records", "verdict"),
    [
        (AMOUNTS, 199, "withheld"),
        (AMOUNTS, 200, "pass"),  # ten records, the cell size at least if there are more
        (AMOUNTS + "cell_size: 6\n", 60, "pass"),
        (AMOUNTS + "cell_size: 7\n", 60, "withheld"),
        (AMOUNTS + "unique_values: {share: 0.2, reason: a test}\n", 60, "pass"),
        (AMOUNTS + "unique_values: {share: 0.99, reason: a test}\n", 400, "withheld"),  # all but four
        (AMOUNTS + "unique_values: {share: 1, reason: a test}\n", 30, "pass"),
    ],
)
def test_the_limit_on_values_of_their_own_is_shown_where_it_tells_no_small_count(tmp_path, policy, records, verdict):
    (tmp_path / "t.csv").write_text("age,bill\n" + "30-39,250\n" * records)
    (tmp_path / "p.yaml").write_text(policy)
    rules = check(tmp_path / "p.yaml", as_of=DAY).to_dict("external")["rules"]
    assert {rule["name"]: rule["verdict"] for rule in rules}["no-unique-values"] == verdict


def test_a_small_table_in_which_nobody_can_be_singled_out_shows_its_verdict(tmp_path):
    """Its columns are quasi-identifiers, of which measures assume that they are known, and no record is set aside."""
    shown = external_of(
        tmp_path,
        ["a;s", *["p;x"] * 60],
        "roles: {quasi_identifiers: [a, s]}\ncell_size: 11\nrules: [{measure: k-anonymity, k: 11}]\n",
    )
    assert shown["verdict"] == "pass"
