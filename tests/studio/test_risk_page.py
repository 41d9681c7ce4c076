"""The step Risk: what it shows follows from the check, and what an adversary knows is counted from distinct rows."""

import gc
import re
import weakref
from collections import Counter, defaultdict
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.api.check import check
from PETWorks.counting.release import Release
from PETWorks.gate.document import NextStep
from PETWorks.gate.policy.policy import read_policy
from PETWorks.gate.policy.policy_rules import class_size_wanted
from PETWorks.render.charts.charts import BOTTOM, LEFT, RIGHT, class_size_chart
from PETWorks.studio.pages.risk import change_of, risk_if_known
from studio_client import entered

ROWS = [("20", "10", "f", "flu"), ("20", "10", "m", "flu"), ("20", "11", "f", "cold"), ("20", "11", "m", "flu")]
ROWS = [*ROWS, *ROWS, ("30", "10", "f", "cold"), ("30", "10", "f", "flu"), ("30", "11", "m", "cold")]
POLICY = """petworks_policy: 1
title: people
data: people.csv
no_rule: {illness: a test}
roles: {quasi_identifiers: [age, zip, sex], sensitive_attributes: [illness]}
rules: [{measure: k-anonymity, k: 3}]
"""
SUBSETS = "subsets: {sizes: all}\n"


@pytest.fixture
def folder(tmp_path):
    lines = [",".join(row) for row in [("age", "zip", "sex", "illness"), *ROWS]]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "policy.yaml").write_text(POLICY + SUBSETS, "utf-8")
    return tmp_path


def part(page, address):
    answer = page.get(address, headers={"X-Part": "1"})
    assert answer.status_code == 200, answer.text
    return answer.text


def test_the_page_comes_at_once_and_its_body_when_it_is_counted(folder):
    with entered(folder) as page:
        frame = page.get("/risk?policy=policy.yaml").text
        assert 'data-load="/risk/body?policy=policy.yaml"' in frame
        assert "petworks check policy.yaml" in frame
        assert "wait=1" in frame, "there is a way without a script"
        body = part(page, "/risk/body?policy=policy.yaml")
        assert re.search(r"1 of \d+ rules fails\.", body)
        assert body.count("<h1") == 0
        assert len(re.findall(r"1 of \d+ rules fails\.", page.get("/risk?policy=policy.yaml").text)) == 1, "it is known"


def test_rules_and_next_steps_lead_to_where_they_are_done(folder):
    with entered(folder) as page:
        body = page.get("/risk?policy=policy.yaml&wait=1").text
    assert re.search(r"k-anonymity</th>|k-anonymity<", body)
    assert "k ≥ 3" in body
    assert '<a class="go" href="/safe?policy=policy.yaml">' in body
    assert "petworks anonymize" not in body.split("<main")[1], "the page has a button for it"
    assert "One click on Make it safe does all this" in body
    assert re.search(r'class="button main end" href="/safe\?policy=policy.yaml">Next: Make it safe', body)


def test_advice_that_only_changes_the_policy_is_taken_with_one_button(folder):
    (folder / "policy.yaml").write_text(POLICY, "utf-8")
    with entered(folder) as page:
        body = page.get("/risk?policy=policy.yaml&wait=1").text
        (item,) = re.findall(r"<li>It is not known which .*?</li>", body, re.S)
        seen, step = re.search(r'name="seen" value="(\w+)".*name="step" value="(\d+)"', item).groups()
        for stale in ({"seen": "0", "step": step}, {"seen": seen, "step": "99"}, {"seen": seen, "step": "x"}):
            assert page.post("/risk/do?policy=policy.yaml", data=stale).status_code == 400
        page.post("/risk/do?policy=policy.yaml", data={"seen": seen, "step": step})
        assert read_policy(folder / "policy.yaml").subset_sizes == "all"
        assert "It is not known which" not in page.get("/risk?policy=policy.yaml&wait=1").text


@pytest.mark.parametrize(
    ("step", "line", "changed"),
    [
        ("protect", "protect: {a b: {round: 1000}}", {"anonymize": {"protect": {"a b": {"round": "1000"}}}}),
        ("rule-for-values", "{measure: l-diversity, l: 2}", {"rules": [{"measure": "l-diversity", "l": "2"}]}),
        ("fitting-rules", "presets: [cms-11]", {"presets": ["cms-11"]}),
        ("suppressed-class", None, {"treatment": {"suppressed": "class"}}),
        ("judge-all", None, {"treatment": {"suppressed": "class", "missing": "value"}}),
        ("try-subsets", None, {"subsets": {"sizes": "all"}}),
        ("explain-unique-values", "unique_values: {share: 1, reason: ...}", None),
        ("leave-out", None, None),
    ],
)
def test_what_advice_changes(step, line, changed):
    change, document = change_of(NextStep(step, policy=line), 3), {}
    if change is not None:
        change(document)
    assert (document or None) == changed


def test_the_report_is_shown_without_its_power_and_nothing_is_written(folder):
    before = sorted(path.name for path in folder.iterdir())
    with entered(folder) as page:
        answer = page.get("/risk/report?policy=policy.yaml")
    assert "<h1" in answer.text
    assert answer.headers["content-security-policy"].startswith("sandbox")
    assert sorted(path.name for path in folder.iterdir() if path.name != ".petworks") == before


def test_an_example_of_a_person_who_is_found_is_one_of_the_table(folder):
    names, *rows = [line.split(",") for line in (folder / "people.csv").read_text("utf-8").splitlines()]
    with entered(folder) as page:
        body = page.get("/risk?policy=policy.yaml&wait=1").text
        examples = re.findall(r'<p class="example">(.*?)</p>', body)
    assert examples
    for example in examples:
        known, size = re.sub(r"<span.*?</span>|</?bdi>", "", example).split("→")
        places = {names.index(name): value for name, value in re.findall(r"(\w+) <strong>(.*?)</strong>", known)}
        found = sum(all(row[place] == value for place, value in places.items()) for row in rows)
        assert found == min(Counter(tuple(row[place] for place in places) for row in rows).values())
        assert re.search(rf">{found} p", size)


def test_no_subsets_leave_out_the_sets(folder):
    (folder / "policy.yaml").write_text(POLICY, "utf-8")
    with entered(folder) as page:
        body = page.get("/risk?policy=policy.yaml&wait=1").text
        assert "/risk/sets" not in body
        assert page.get("/risk/sets?policy=policy.yaml").status_code == 400


def minimal(sizes, wanted):
    """The sets of columns with a class that is too small, of which no part has one."""
    names = ("age", "zip", "sex")
    risky = []
    for chosen in chain.from_iterable(combinations(range(3), size) for size in (1, 2, 3)):
        smallest = min(Counter(tuple(row[place] for place in chosen) for row in sizes).values())
        if smallest < wanted and not any(set(smaller) <= set(chosen) for smaller in risky):
            risky.append(chosen)
    return [[names[place] for place in chosen] for chosen in risky]


def test_the_smallest_sets_are_those_of_the_definition(folder):
    with entered(folder) as page:
        text = part(page, "/risk/sets?policy=policy.yaml")
    expected = minimal(ROWS, 3)
    found = [re.findall(r"\w+", names) for names in re.findall(r'<th scope="row">(.*?)</th>', text)]
    assert sorted(found) == sorted(expected)
    assert expected, "otherwise this shows nothing"
    assert "petworks attack --policy policy.yaml --subsets all --limit highest-risk=1/3" in text


def test_what_is_known_is_chosen_by_place_and_answered_at_once(folder):
    with entered(folder) as page:
        body = part(page, "/risk/body?policy=policy.yaml")
        seen = re.search(r'name="seen" value="(\w+)"', body)[1]
        address = f"/risk?policy=policy.yaml&set=1&seen={seen}"
        assert "can only guess" in part(page, address)
        sex = part(page, f"{address}&c=2")
        assert "Every class has at least 3 records." in sex
        assert "3 records (27.3 %)" in part(page, f"{address}&c=0&c=1"), "those who are 30"
        whole = page.get(f"{address}&c=2").text
        assert whole.count(" checked") == 1, "without a script the whole page comes, with the choice"
        (folder / "policy.yaml").write_text(POLICY + SUBSETS + "# changed\n", "utf-8")
        stale = page.get(f"{address}&c=2", headers={"X-Part": "1"})
        assert stale.status_code == 400
        assert "changed" in stale.text


def test_names_of_columns_are_text(folder):
    hostile = '"<script>alert(1)</script>"'
    table = (folder / "people.csv").read_text("utf-8")
    (folder / "people.csv").write_text(table.replace("age,", hostile + ",", 1), "utf-8")
    (folder / "policy.yaml").write_text((POLICY + SUBSETS).replace("[age,", f"[{hostile},"), "utf-8")
    with entered(folder) as page:
        body = page.get("/risk?policy=policy.yaml&wait=1").text + part(page, "/risk/sets?policy=policy.yaml")
    assert "<script>alert" not in body
    assert "&lt;script&gt;alert" in body


def test_many_columns_stay_a_small_page(tmp_path):
    columns = [f"a long name of a column, number {place}" for place in range(200)]
    lines = [",".join(f'"{name}"' for name in columns)]
    lines += [",".join(str((row * place) % 3) for place in range(200)) for row in range(50)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n", "utf-8")
    names = ", ".join(f'"{name}"' for name in columns)
    rest = POLICY.partition("no_rule")[0].replace("people.csv", "wide.csv")
    (tmp_path / "policy.yaml").write_text(
        f"{rest}roles: {{quasi_identifiers: [{names}]}}\nrules: [{{measure: k-anonymity, k: 2}}]\n", "utf-8"
    )
    with entered(tmp_path) as page:
        answer = page.get("/risk?policy=policy.yaml&wait=1")
    assert answer.status_code == 200
    assert len(answer.content) <= 150_000


VALUES = st.sampled_from(["a", "b", "c", None])


@given(
    st.lists(st.tuples(VALUES, VALUES, VALUES, st.sampled_from(["p", "q", "r"])), min_size=1, max_size=12),
    st.sets(st.sampled_from(["one", "two"]), min_size=1),
    st.integers(1, 4),
    st.booleans(),
)
def test_an_adversary_knows_what_the_definition_says(rows, chosen, wanted, by_person):
    columns = ("one", "two", "secret", "person")
    table = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    roles = {"one": "quasi_identifier", "two": "quasi_identifier", "secret": "sensitive_attribute"}
    release = Release(table, roles, {}, privacy_unit="person" if by_person else None)
    known = [name for name in ("one", "two") if name in chosen]
    found = risk_if_known(release.view, known, wanted)

    people = [row[3] if by_person else place for place, row in enumerate(rows)]
    classes, values = defaultdict(set), defaultdict(lambda: defaultdict(set))
    everywhere = defaultdict(set)
    for place, person in enumerate(people):
        own = tuple(table[name][place] for name in known)
        classes[own].add(person)
        values[own][table["secret"][place]].add((person, own))
        everywhere[table["secret"][place]].add((person, own))
    records = sum(map(len, classes.values()))
    assert (found.records, found.classes) == (records, len(classes))
    assert found.smallest == min(map(len, classes.values()))
    assert found.unique == sum(len(own) == 1 for own in classes.values())
    assert found.small == sum(len(own) for own in classes.values() if len(own) < wanted)
    assert found.chance == pytest.approx(len(classes) / records)
    assert found.highest == pytest.approx(1 / found.smallest)
    prior, posterior = found.inferred["secret"]
    assert posterior == pytest.approx(sum(max(map(len, own.values())) for own in values.values()) / records)
    assert prior == pytest.approx(max(map(len, everywhere.values())) / records)
    assert sum(row["records"] for row in found.sizes.values()) == records


def test_the_line_of_the_histogram_stands_where_the_required_size_is():
    rows = {size: {"classes": 0, "records": 0, "share": 0.0} for size in ("1", "2", "3-4", "5-10", "11+")}
    rows["3-4"] = {"classes": 3, "records": 10, "share": 0.5}
    step = (RIGHT - LEFT) / 5
    places = {1: 0, 2: 1, 3: 2, 4: 2.5, 5: 3, 8: 3.5, 11: 4, 30: 4.5}
    for wanted, place in places.items():
        chart = class_size_chart(rows, wanted)
        assert chart["limit"]["at"] == pytest.approx(LEFT + step * place, abs=0.1), wanted
        assert [bar["small"] for bar in chart["bars"]] == [wanted >= first for first in (2, 3, 5, 11)] + [False]
    tall = chart["bars"][2]
    assert tall["y"] + tall["height"] == pytest.approx(BOTTOM)
    assert [bar["height"] for bar in chart["bars"] if bar is not tall] == [0, 0, 0, 0]
    assert class_size_chart({}, 3) is None


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        ("rules: [{measure: k-anonymity, k: 3}]", 3),
        ("rules: [{measure: prosecutor-risk, highest: 0.3}]", 4),
        ("presets: [pdpc-5]\nrules: [{measure: k-anonymity, k: 2}]", 5),
        ("rules: [{measure: l-diversity, l: 2}]", 11),
        ("cell_size: 7\nrules: [{measure: l-diversity, l: 2}]", 7),
    ],
)
def test_the_class_size_that_the_rules_ask_for(folder, rules, wanted):
    (folder / "policy.yaml").write_text(POLICY.replace("rules: [{measure: k-anonymity, k: 3}]", rules), "utf-8")
    assert class_size_wanted(check(folder / "policy.yaml").content) == wanted


def test_the_curve_has_the_limit_of_the_policy(folder):
    with entered(folder) as page:
        assert "limit of the highest risk: 33.3 %" in page.get("/risk?policy=policy.yaml&wait=1").text
        limits = "subsets: {sizes: all, limits: {average-risk: 0.25, inference: 0.9}}\n"
        (folder / "policy.yaml").write_text(POLICY + limits, "utf-8")
        body = page.get("/risk?policy=policy.yaml&wait=1").text
    assert "limit: 25 %" in body


def test_rows_go_when_nobody_needs_them_any_more():
    release = Release({"a": ["1", "2"], "b": ["1", "1"]}, dict.fromkeys("ab", "quasi_identifier"), {})
    rows = release.view.table.distinct()
    left = weakref.ref(rows)
    gc.disable()
    try:
        assert rows.ask([]) == []
        del rows
        assert left() is None, "without waiting for the garbage collector"
    finally:
        gc.enable()
