"""The search of large lattices: on small ones it finds what the other search finds; stopped, its bound holds."""

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizing_tasks import OF_OTHER_TABLES, OF_SIZES, OF_TABLES, OF_VALUES, anonymized, tasks
from conftest import examples
from frames import arrow
from PETWorks.anonymizer import anonymization, lattice
from PETWorks.anonymizer.anonymization import anonymize_release
from PETWorks.anonymizer.judge import Judge
from PETWorks.anonymizer.objectives import BY_CLASS
from PETWorks.anonymizer.problem import SearchSettings, make_problem
from PETWorks.anonymizer.rules import check_rules
from PETWorks.anonymizer.search import large
from PETWorks.anonymizer.search.checkpoints import read_checkpoint, write_checkpoint
from PETWorks.anonymizer.search.large import BoxSearch
from PETWorks.counting.release import Release
from PETWorks.errors import InputError, NotApplicable
from searches import anonymize


def result_of(task, **others):
    """The result of a task, or None if there is none."""
    try:
        return anonymized(task, **others)
    except NotApplicable:
        return None


def check(task, tries=40):
    expected = result_of(task)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice, "MANY_NODES", 0)
        patch.setattr(large, "GROUP_NODES", 4)
        patch.setattr(large, "TRIES", tries)
        patch.setattr(large, "ROUNDS", 2)
        found = result_of(task)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert isinstance(found.search, BoxSearch)
        assert found.optimal
        assert (found.levels, found.suppressed) == (expected.levels, expected.suppressed)
        assert found.loss == pytest.approx(expected.loss)
        assert found.table.equals(expected.table)


@examples(60)
@given(
    tasks(OF_SIZES | OF_VALUES, most_columns=4).filter(lambda task: task.objective not in BY_CLASS),
    st.sampled_from([0, 2, 40]),
)
def test_the_same_solution_as_with_a_bound_for_each_node(task, tries):
    check(task, tries)


@examples(30)
@given(
    tasks(OF_TABLES | OF_OTHER_TABLES, most_columns=3, plain=True, background=True, most_rows=12).filter(
        lambda task: task.objective not in BY_CLASS
    )
)
def test_the_same_solution_with_rules_about_the_table(task):
    check(task)


def problem(rows=300, k=4, suppression=0.02, **others):
    """Four columns whose values depend on each other a little."""
    paths = [[f"{leaf:02}", f"{leaf // 3}.", f"{leaf // 6}..", "*"] for leaf in range(12)]
    columns = {
        name: [f"{(number * step + number * number % 7) % 12:02}" for number in range(rows)]
        for name, step in (("a", 1), ("b", 5), ("c", 7), ("d", 11))
    }
    table = arrow([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])
    release = Release(table, dict.fromkeys(columns, "quasi_identifier"), dict.fromkeys(columns, paths), engine="memory")
    rules = check_rules({"k-anonymity": {"k": k}})
    return make_problem(release, rules, SearchSettings(suppression=suppression, **others))


def stopped_after(number):
    """Says no so many times."""
    steps = count(1)
    return lambda: next(steps) >= number


@pytest.fixture(params=["a bound for each node", "boxes"])
def kind(request, monkeypatch):
    if request.param == "boxes":
        monkeypatch.setattr(lattice, "MANY_NODES", 0)
        monkeypatch.setattr(large, "GROUP_NODES", 16)
        monkeypatch.setattr(large, "TRIES", 3)


@pytest.mark.usefixtures("kind")
def test_whenever_a_search_is_stopped_the_best_loss_is_between_the_bound_and_what_was_found():
    whole = problem().search()
    whole.run()
    assert whole.is_finished
    assert whole.bound == whole.best.loss
    seen = set()
    for number in (1, 2, 5, 10, 20, 40, 80, 160, 320):
        search = problem().search()
        search.run(stop=stopped_after(number))
        assert search.best is not None
        assert search.bound <= whole.best.loss <= search.best.loss
        seen.add(search.is_finished)
        if search.is_finished:
            assert search.best == whole.best
    assert seen == {False, True}


@pytest.mark.usefixtures("kind")
def test_a_search_that_was_stopped_goes_on_where_it_was(tmp_path, monkeypatch):
    path = tmp_path / "released.csv.unfinished"
    whole = problem().search()
    whole.run()
    first = problem().search()
    first.run(stop=stopped_after(30))
    assert not first.is_finished
    write_checkpoint(path, problem(), first.known)
    judged = []
    outcome = Judge.outcome
    monkeypatch.setattr(
        Judge,
        "outcome",
        lambda self, node, *given, **named: judged.append(node) or outcome(self, node, *given, **named),
    )
    second = problem().search()
    second.known.update(read_checkpoint(path, problem()))
    assert second.known == first.known
    second.run()
    assert second.is_finished
    assert second.best == whole.best
    assert not set(judged) & set(first.known)


@pytest.mark.parametrize(
    ("rows", "k", "weights"), [(100, 3, {"a": 0.1, "b": 0.1}), (150, 10, {"a": 0.2, "d": 3}), (150, 10, None)]
)
def test_boxes_prove_that_fewer_columns_cannot_be_kept_only_after_looking_for_them(monkeypatch, rows, k, weights):
    monkeypatch.setattr(large, "GROUP_NODES", 4)
    monkeypatch.setattr(large, "DESCENTS", 0)
    found = set()
    for most in (10**6, 0):
        monkeypatch.setattr(lattice, "MANY_NODES", most)
        task = problem(rows, k, 0.05, weights=weights, aggregate="arithmetic", may_lose=())
        search = task.search()
        assert isinstance(search, BoxSearch) == (most == 0)
        search.explore(task.keeping)
        assert search.is_explored
        found.add(search.best)
    assert len({(one.node, one.lost) for one in found}) == 1


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"rows": 299}, "'table'"),
        ({"k": 5}, "'rules'"),
        ({"suppression": 0.1}, "'suppression limit'"),
        ({"objective": "precision"}, "'objective'"),
        ({"weights": {"a": 2}}, "'objective'"),
        ({"levels": {"a": (0, 2)}}, "'levels'"),
        ({"suppressed_records": "stars"}, "'suppressed records'"),
    ],
)
def test_the_file_of_another_search_is_refused(tmp_path, changed, what):
    path = tmp_path / "unfinished"
    write_checkpoint(path, problem(), {})
    with pytest.raises(InputError, match=f"unfinished: the file of another search: it had other {what}"):
        read_checkpoint(path, problem(**changed))


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ({"population": 5000}, {"population": 6000}, "'population'"),
        ({"subsets": {"limits": {"uniques": 0.1}}}, {"subsets": {"limits": {"uniques": 0.2}}}, "'rules'"),
        ({"subsets": {"sizes": "1", "limits": {"uniques": 0}}}, {"subsets": {"limits": {"uniques": 0}}}, "'rules'"),
    ],
)
def test_a_population_or_subsets_of_another_size_are_another_search(tmp_path, one, other, what):
    path = tmp_path / "unfinished"
    table = arrow([{"a": str(number % 4)} for number in range(20)])
    asked = {"roles": {"a": "quasi_identifier"}, "hierarchies": {"a": [[str(leaf), "*"] for leaf in range(4)]}}
    asked["rules"] = {"k-anonymity": {"k": 2}}
    anonymize(table, **asked, **one).write_unfinished(path)
    assert anonymize(table, **asked, **one, resume=path).optimal
    with pytest.raises(InputError, match=f"it had other {what}"):
        anonymize(table, **asked, **other, resume=path)


def test_a_search_with_a_function_cannot_be_resumed(tmp_path):
    table = arrow([{"a": str(number % 4)} for number in range(20)])
    rules = {"k-anonymity": {"k": 2}, "utility-bias": {"function": len, "max_bias": 1}}
    found = anonymize(table, {"a": "quasi_identifier"}, {"a": [[str(leaf), "*"] for leaf in range(4)]}, rules)
    with pytest.raises(InputError, match="a function of your own cannot be resumed"):
        found.write_unfinished(tmp_path / "unfinished")


def test_the_file_has_no_cell(tmp_path):
    path = tmp_path / "unfinished"
    search = problem().search()
    search.run(stop=stopped_after(30))
    write_checkpoint(path, problem(), search.known)
    texts = json.loads(path.read_text())
    assert set(texts) == {
        "petworks_search",
        "population",
        "sha256",
        "table",
        "hierarchies",
        "rules",
        "suppression_limit",
        "objective",
        "keeps_columns",
        "suppressed_records_leave",
        "levels",
        "treatment",
        "found",
    }
    assert not any(isinstance(cell, str) for line in texts["found"] for cell in line)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-9],
        lambda _: "[]",
        lambda _: "{}",
        lambda content: content.replace('"found":[', '"found":[[[0,0,0,0],null,null,0,null,null,null],'),
        lambda content: content.replace('"found":[', '"found":[[[0,0,0],null,null,0,null,null,null],'),
        lambda content: content.replace('"found":[', '"found":[[[0,0,0,9],null,null,0,null,null,null],'),
        lambda content: content.replace('"found":[', '"found":[[[0,0,0,0],1,null,0,null,null,null],'),
        lambda content: content.replace('"found":[', '"found":[[[0,0,0,0],null,null,"x",null,null,null],'),
        lambda content: content.replace('"found":[', '"found":[[[0,0,0,0],null,null,NaN,null,null,null],'),
        lambda content: content.replace('"found":[', '"found":[[[0,0,0,0],999,0.5,0,null,null,null],'),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, damage):
    path = tmp_path / "unfinished"
    search = problem().search()
    search.run(stop=stopped_after(10))
    write_checkpoint(path, problem(), search.known)
    assert read_checkpoint(path, problem())
    path.write_text(damage(path.read_text()))
    with pytest.raises(InputError, match="not the file of an unfinished search, or damaged"):
        read_checkpoint(path, problem())


def test_a_lattice_with_many_nodes_has_a_time_limit_by_default(monkeypatch):
    release, rules = problem().original, check_rules({"k-anonymity": {"k": 4}})
    monkeypatch.setattr(anonymization, "DEFAULT_SECONDS", 1e-6)
    assert anonymize_release(release, rules, suppression=0.02).optimal
    monkeypatch.setattr(lattice, "MANY_NODES", 255)
    stopped = anonymize_release(release, rules, suppression=0.02)
    assert (stopped.nodes, stopped.optimal) == (256, False)
    assert stopped.bound < stopped.loss
    assert anonymize_release(release, rules, suppression=0.02, seconds=1e6).optimal


@pytest.mark.parametrize(("method", "proved"), [("local", False), ("global", True)])
def test_the_search_for_the_best_levels_never_delays_local_recoding_for_long(monkeypatch, method, proved):
    release, rules = problem().original, check_rules({"k-anonymity": {"k": 4}})
    monkeypatch.setattr(anonymization, "DEFAULT_SECONDS", 1e-6)
    result = anonymize_release(release, rules, suppression=0.02, method=method)
    assert result.is_complete  # record by record, the search is only what the release is compared with
    assert result.search.is_explored == proved
    assert result.loss <= result.global_loss


def test_a_search_in_which_no_node_rules_out_others_has_a_time_limit_by_default(monkeypatch):
    release, rules = problem().original, check_rules({"k-anonymity": {"k": 4}})
    monkeypatch.setattr(Judge, "may_rule_out", False)
    monkeypatch.setattr(anonymization, "DEFAULT_SECONDS", 1e-6)
    assert not anonymize_release(release, rules, suppression=0.02).optimal
