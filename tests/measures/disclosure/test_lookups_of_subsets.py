"""Lookups with every subset of the quasi-identifiers: literal definitions, engines, conclusions, the command."""

import json
from fractions import Fraction
from itertools import combinations, permutations
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from test_lookups import ANSWERS, ROLES, TABLES, looked_up, people, repeated, with_two_targets

import frames
from command import petworks
from conftest import TINY_PARTS, constants, examples
from definitions import fold_sensitive_values, share_right
from PETWorks import Release, attack, catalogue, every_subset
from PETWorks.counting.counts import ClassValues, Marginal
from PETWorks.errors import InputError, NotApplicable, ParameterError
from PETWorks.measures.disclosure.compared import ComparedTables
from PETWorks.measures.disclosure.subsets import LookupScore, look_up_subsets, mean_contribution
from spark_cluster import needs_spark

IS_SMALL = "PETWorks.counting.subsets.subset_counts.is_small"  # whether to count without the compiler


def rows_as_defined(case):
    """The rows of all subsets, which are compared with the definitions."""
    release = frames.release_of(case)
    subsets = attack(release)
    assert_as_defined(case, subsets)
    release.engine.close()
    return subsets.to_dicts()


def assert_as_defined(case, subsets):
    folded = fold_sensitive_values(case)
    known = case.quasi_identifiers
    expected = [list(chosen) for size in range(1, len(known) + 1) for chosen in combinations(known, size)]
    assert [subsets.attributes(mask) for mask in subsets.masks.tolist()] == expected
    for chosen in expected:
        row = subsets.row(chosen)
        for name in subsets.attacks:
            measure, of, target = name.partition(" of ")
            right = share_right(measure, folded, target, chosen)
            assert subsets.shares(name, chosen).original == right, (name, chosen)
            field = f"{measure.replace('-', '_')}_{{}}{of}{target}"
            assert row[field.format("share")] == pytest.approx(float(right), rel=1e-14, abs=1e-15)
            if case.control is not None and measure not in ("replicated-uniques", "certain-in-both"):
                control = share_right(measure, folded, target, chosen, "control")
                assert subsets.shares(name, chosen).control == control
                excess = (right - control) / (1 - control) if control != 1 else 0
                assert row[field.format("excess")] == pytest.approx(float(excess), rel=1e-12, abs=1e-12)
    for target in case.sensitive:  # without any attribute
        assert subsets.found("found").share[-1] == 1
        prior = share_right("prior", folded, target)
        assert subsets.found(f"best-guess of {target}").share[-1] == pytest.approx(float(prior), rel=1e-14)


def on_levels(levels=({"q": 0}, {"q": 1}), **options):
    """Values that are off by one: on the first level nobody of the original is found, on the second everybody is."""
    values = [str(number) for number in range(0, 200, 2)] * 6
    original = {"q": values, "t": [str(int(value) // 2 % 5) for value in values]}
    released = {"q": [str(int(value) + 1) for value in values[1:]] + ["0"], "t": [*original["t"][1:], "0"]}
    control = {"q": values, "t": ["4", "3", "2", "1", "0"] * 120}
    release = Release(released, ROLES, {"q": {"width": [2]}}, original, control=control, kind="synthetic")
    return look_up_subsets(release, levels=levels, **options)


def test_the_worst_level_counts():
    """Each subset has the numbers of the levels on which most is told, and says which these are."""
    both, (first, second) = on_levels(), (on_levels([{"q": level}]) for level in (0, 1))
    for one, limits in ((first, None), (both, {"q": 1})):
        answers = one.facts({"certain": 0.09})
        assert [limit.compared_at for limit in answers.limits] == [limits]
    assert first.facts({"certain": 0.09}).limits[0].satisfied
    found = both.answers({"certain": 0.09, "replicated-uniques": 1})
    assert found["satisfied"] is False
    assert [risk["compared_at"] for risk in found["subsets"]["minimal_risky"]] == [{"q": 1}]
    assert found["subsets"]["minimal_risky"][0]["value"] == second.minimal_risky({"certain": 0.09})[0]["value"]
    worst = [row["highest"] for row in found["subsets"]["if_they_know"] if row["attack"] == "certain of t"]
    assert [case["compared_at"] for case in worst] == [{"q": 1}]
    assert both.shares("certain of t", "q") == second.shares("certain of t", "q") != first.shares("certain of t", "q")
    row = both.row("q")
    assert row.pop("certain_level of t") == 2
    assert {name: row[name] for name in row if "certain_" in name and "both" not in name} == {
        name: number for name, number in second.row("q").items() if "certain_" in name and "both" not in name
    }
    assert both.to_arrow()["certain_level of t"].to_pylist() == [2]
    assert "certain_level of t" not in first.row("q")
    with pytest.raises(ParameterError, match="column 'q': expected a level from 0 to 2, got '5'"):
        on_levels([{"q": 5}])


@pytest.mark.parametrize("finished", range(0, 12, 3))
def test_interrupted_and_gone_on_with(tmp_path, finished):
    class StoppedError(Exception):
        pass

    def stop(done, total):
        assert total == 14
        if done >= finished:
            raise StoppedError

    path, levels = tmp_path / "run", [{"age": 1}, {"age": 2}]
    roles = {"quasi_identifiers": ["age", "sex", "illness"], "sensitive_attributes": []}
    ages = {"age": {"width": [10, 20]}}
    release = Release("data/people_synthetic.csv", roles, ages, **TABLES)
    with mock.patch("PETWorks.counting.subsets.subset_counts.FREE", 1), mock.patch(IS_SMALL, return_value=False):
        with pytest.raises(StoppedError):
            look_up_subsets(release, levels=levels, checkpoint=path, progress=stop)
        lines = path.read_text("utf-8").splitlines()
        assert len(lines) - 1 >= finished
        with pytest.raises(InputError, match="an unfinished run"):
            look_up_subsets(release, levels=levels, checkpoint=path)
        told = []
        again = look_up_subsets(
            release, levels=levels, checkpoint=path, resume=True, progress=lambda *done: told.append(done)
        )
        assert (told[0], told[-1]) == ((len(lines) - 1, 14), (14, 14))
        assert again.to_dicts() == look_up_subsets(release, levels=levels).to_dicts()
    with mock.patch("PETWorks.counting.subsets.subset_counts.count_subsets", None):
        whole = look_up_subsets(release, levels=levels, checkpoint=path, resume=True)
    assert whole.to_dicts() == again.to_dicts()
    with pytest.raises(InputError, match="of another run, with different table"):
        look_up_subsets(release, levels=levels[:1], checkpoint=path, resume=True)
    head, line, *_ = path.read_text("utf-8").splitlines()
    for old, new in (('"level": 1', '"level": 3'), ('"lookups": [[', '"lookups": [[-'), ("]]}", ", 1]]}")):
        assert old in line
        path.write_text(f"{head}\n{line.replace(old, new)}\n", "utf-8")
        with pytest.raises(InputError, match="not a file of finished subsets, or damaged"):
            look_up_subsets(release, levels=levels, checkpoint=path, resume=True)


@pytest.mark.parametrize("compiled", [False, True])
def test_every_subset_agrees_with_its_definition(compiled):
    @examples(120)
    @given(case=looked_up().map(with_two_targets))
    def agrees(case):
        with mock.patch(IS_SMALL, return_value=not compiled):
            rows_as_defined(case)

    agrees()


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "tries"), [("duckdb", 40), pytest.param("spark", 2, marks=needs_spark)])
def test_engines_say_the_same(engine, tries):
    @examples(tries)
    @given(case=looked_up().map(with_two_targets))
    def agrees(case):
        with constants(**TINY_PARTS):
            release = frames.release_of(case, engine=engine)
            rows = attack(release).to_dicts()
            release.engine.close()
        assert rows == rows_as_defined(case)

    agrees()


def test_large_classes_and_many_rows_are_looked_up_alike():
    """Compiled and not, in chunks, and where sizes of classes exceed the array of sums by size."""
    random = np.random.default_rng(3)

    def table(rows):
        columns = {f"q{number}": random.integers(0, size, rows) for number, size in enumerate((2, 3, 9))}
        return pa.table(columns | {"t": random.integers(0, 4, rows)})

    roles = {"quasi_identifiers": ["q0", "q1", "q2"], "sensitive_attributes": ["t"]}
    original, released, control = table(3000), table(2500), table(400)
    release = Release(released, roles, original=original, control=control, kind="perturbed")
    with mock.patch(IS_SMALL, return_value=True):
        expected = attack(release).to_dicts()
    small_sums = mock.patch("PETWorks.measures.disclosure.subsets.LARGEST_SIZE", 20)
    with small_sums, mock.patch(IS_SMALL, return_value=False), constants(CHUNK_ROWS=7):
        assert attack(release).to_dicts() == expected
    with constants(**TINY_PARTS | {"ROWS_PER_PART": 500}):
        duckdb = Release(released, roles, original=original, control=control, kind="perturbed", engine="duckdb")
        assert attack(duckdb).to_dicts() == expected
    whole = catalogue["proportional"](release).details["attributes"]["t"]
    assert expected[-1]["proportional_share of t"] == pytest.approx(whole["share"], rel=1e-14)


def test_worked_example():
    subsets = attack(people())
    for known, answers in ANSWERS.items():
        for name, (share, *others) in answers.items():
            if name != "copies":
                attacked = name if name in subsets.attacks else f"{name} of illness"
                shares = subsets.shares(attacked, known)
                assert [str(shares.original)] == [share]
                assert others[:1] == ([] if shares.control is None else [str(shares.control)])
    worst = {
        answer["attack"]: answer["highest"]["attributes"]
        for answer in subsets.answers({})["subsets"]["if_they_know"]
        if answer["known"] == 1
    }
    assert worst["certain of illness"] == ["age"]
    assert worst["best-guess of illness"] == ["sex"]
    assert len(subsets) == subsets.to_arrow().num_rows == 3
    assert "3 subsets of 'age', 'sex', looked up in 6 records" in repr(subsets)


def test_what_drives_the_excess_adds_up():
    subsets = attack(people())
    drivers = [driver for driver in subsets.drivers() if driver["attack"] == "certain of illness"]
    without, both = subsets.found("certain of illness").excess[[-1, -2]]
    assert sum(driver["shapley"] for driver in drivers) == pytest.approx(both - without)
    assert drivers[0]["without"] == pytest.approx(1 / 9)  # that of sex alone
    numbers = np.random.default_rng(1).random(8)
    for player in range(3):
        gains = []
        for order in permutations(range(3)):
            before = sum(1 << other for other in order[: order.index(player)])
            gains.append(numbers[before | 1 << player] - numbers[before])
        assert mean_contribution(numbers, 3, player) == pytest.approx(sum(gains) / 6)
    with pytest.raises(NotApplicable, match="known only once all subsets are counted"):
        attack(people(), 1).drivers()


def leaking(controls=400):
    """A release that tells about the value of everybody whose q and r it has, but nothing by q or r alone."""
    rows = [("a", "c", "x"), ("a", "d", "y"), ("b", "c", "y"), ("b", "d", "x")]
    others = [*rows, ("a", "c", "y"), ("a", "d", "x"), ("b", "c", "x"), ("b", "d", "y")]
    tables = [
        dict(zip("qrt", map(list, zip(*(each * times), strict=True)), strict=True))
        for each, times in ((rows, 100), (others, controls // 8))
    ]
    roles = {"quasi_identifiers": ["q", "r"], "sensitive_attributes": ["t"]}
    return Release(tables[0], roles, original=tables[0], control=tables[1], kind="perturbed")


def test_smallest_sets_that_break_a_limit():
    release = leaking()
    found = attack(release).answers({"certain": 0.5, "best-guess:t": 0.3, "certain-in-both": 1, "found": 0})
    assert found["satisfied"] is False
    verdicts = {limit["limit"]: limit["satisfied"] for limit in found["subsets"]["limits"]}
    assert verdicts == {"certain": False, "best-guess:t": False, "certain-in-both": True, "found": True}
    risky = [(each["limit"], each["attributes"]) for each in found["subsets"]["minimal_risky"]]
    assert risky == [("certain", ["q", "r"]), ("best-guess:t", ["q", "r"])]
    assert attack(release, 1).answers({"certain": 0.5})["satisfied"] is True
    subsets = attack(release)
    assert subsets.minimal_risky({"certain": 0.5}) == found["subsets"]["minimal_risky"][:1]
    assert subsets.limits({"certain": 0.5}) == found["subsets"]["limits"][:1]
    assert subsets.by_size() == found["subsets"]["if_they_know"]
    for number, release_without in (("few control people", leaking(96)), ("no control people", people(control=None))):
        with pytest.raises(NotApplicable, match=f"the limit 'certain' cannot be judged: {number}"):
            attack(release_without).answers({"certain": 0.5})
    assert attack(leaking(96)).answers({"replicated-uniques": 0})["satisfied"] is True
    with pytest.raises(ParameterError, match="no limit is called 'uniques'; known: 'found', 'replicated-uniques'"):
        attack(release).answers({"uniques": 0})


def test_what_is_not_for_such_tables():
    with pytest.raises(NotApplicable, match="use attack, which looks people up"):
        every_subset(people())
    with pytest.raises(ParameterError, match="a worth of values is for generalised tables"):
        attack(people(), worth={"illness": {"flu": 2}})
    with pytest.raises(NotApplicable, match="needs the original table"):
        attack(Release("data/people_synthetic.csv", kind="synthetic"))
    values = {"q": ["a"] * 101, "t": [str(number) for number in range(101)]}
    with pytest.raises(InputError, match="too many to be guessed exactly"):
        attack(Release(values, ROLES, original=values, kind="synthetic"))


def test_without_a_target_people_are_only_found():
    known = {"q": "quasi_identifier", "t": "quasi_identifier"}
    tables = {"q": ["a", "b"], "t": ["x", "y"]}
    release = Release(tables, known, original={"q": ["a", "b", "b"], "t": ["x", "x", "y"]}, kind="synthetic")
    subsets = attack(release)
    assert subsets.attacks == ("found", "replicated-uniques")
    assert subsets.shares("found", ["q", "t"]).original == Fraction(2, 3)
    assert subsets.row("q")["replicated_uniques_share"] == pytest.approx(1 / 3)


def test_products_of_huge_tables_do_not_overflow():
    class Counted:
        def marginal(self, _column):
            return Marginal([None] * 4, np.array([1 << 32, 1 << 32, 0, 0]))

    score = LookupScore(ComparedTables(Counted(), ("q",), ("t",), (1 << 32, 1 << 32, 0)), "t")
    classes = ClassValues(np.array([1 << 33]), np.zeros(1, np.int64), np.array([0, 1]), np.array([1 << 32, 1 << 32]))
    for lookups in (score.of_classes(classes), score.of_keys(classes.values.astype(np.uint64), classes.counts, 2)):
        assert lookups.proportional[0] == {1 << 32: 1 << 64}


COMMAND = ["data/people_synthetic.csv", "--kind", "synthetic", "--original", "data/people.csv"]


@pytest.mark.parametrize("lang", ["en", "zh-TW"])
def test_command(lang, tmp_path):
    given_tables = [*COMMAND, "--control", "data/people_control.csv"]
    done = petworks("attack", *given_tables, "--subsets", "all", "--limit", "replicated-uniques=0.1", "--lang", lang)
    assert done.returncode == 1
    assert "5/9" not in done.stdout
    assert "0.555556" in done.stdout
    document = json.loads(petworks("attack", *given_tables, "--subsets", "all", "--format", "json").stdout)
    assert document["subsets"]["rows"] == json.loads(json.dumps(attack(people()).to_dicts()))
    assert document["subsets"]["control_records"] == 4
    done = petworks("attack", *COMMAND, "--subsets", "1", "-o", tmp_path / "rows.csv", "--lang", lang)
    assert done.returncode == 0
    assert (tmp_path / "rows.csv").read_text("utf-8").startswith('\ufeff"size","attributes","found_share",')
    assert ("petworks split" in done.stdout) is True
    levels = ["--level", "age=1", "--measure", "found", "--format", "json"]
    refused = petworks("evaluate", *COMMAND, *levels)
    assert (refused.returncode, "has no hierarchy (--hierarchies)" in refused.stderr) == (2, True)
    assert petworks("attack", *COMMAND, "--per-record", tmp_path / "x.csv").returncode == 2


def test_a_policy_of_roles_is_enough_for_python():
    """Excess of the worked example, for the readers of the page."""
    release = people(**TABLES)
    assert attack(release).row({"age", "sex"})["certain_excess of illness"] == pytest.approx(5 / 9)
    table = repeated([("a", "x"), ("b", "y")], 60)
    assert attack(Release(table, ROLES, original=table, control=table, kind="perturbed")).row("q")["found_excess"] == 0
