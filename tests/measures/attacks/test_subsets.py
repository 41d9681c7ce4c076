"""Every adversary: all subsets of the quasi-identifiers against a literal count, and what is drawn from them."""

import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import privattacks
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import examples
from people import DOCUMENT, release_of
from PETWorks import Release
from PETWorks.counting.subsets import subset_counts as lattice
from PETWorks.counting.subsets.subset_counts import SubsetCounts
from PETWorks.errors import InputError, NotApplicable, ParameterError, PETWorksError, RoleError
from PETWorks.measures.attacks import subsets as subsets_module
from PETWorks.measures.attacks.subsets import every_subset, parse_sizes
from PETWorks.measures.attacks.uniques import minimal_uniques


def literal(table, subset, sensitive, worth=None):
    """Classes, uniques, smallest class, right guesses and gains in units, by loops over rows."""
    rows = [{name: column[row] for name, column in table.items()} for row in range(len(next(iter(table.values()))))]
    classes = {}
    for row in rows:
        classes.setdefault(tuple(row[name] for name in subset), []).append(row)
    sizes = [len(members) for members in classes.values()]
    hits = [sum(max(Counter(row[name] for row in rows).values()) for rows in classes.values()) for name in sensitive]
    gains = tuple(
        sum(
            max(number * own.get(value, 1) for value, number in Counter(row[name] for row in rows).items())
            for rows in classes.values()
        )
        for name, own in (worth or {}).items()
    )
    return SubsetCounts(len(sizes), sizes.count(1), min(sizes), tuple(hits), gains)


@st.composite
def tables(draw, columns=5, sensitive=2, rows=24):
    count = draw(st.integers(1, rows))
    known = [f"q{number}" for number in range(draw(st.integers(1, columns)))]
    hidden = [f"s{number}" for number in range(draw(st.integers(0, sensitive)))]
    table = {}
    for name in (*known, *hidden):
        values = draw(st.sampled_from([["a"], ["a", "b"], ["a", "b", None], [str(n) for n in range(40)]]))
        table[name] = draw(st.lists(st.sampled_from(values), min_size=count, max_size=count))
    return table, known, hidden


@pytest.fixture(params=[True, False], ids=["sorted anew", "compiled"])
def way(request, monkeypatch):
    """Both ways to count subsets."""
    monkeypatch.setattr(lattice, "is_small", lambda *_: request.param)


@pytest.fixture(params=["as it is", "small chunks", "little memory", "wide keys", "heavy rows"])
def engine(request, monkeypatch):
    """All ways through the engine, on small tables."""
    memory = None
    if request.param == "small chunks":
        monkeypatch.setattr(lattice, "CHUNK_ROWS", 4)
        monkeypatch.setattr(lattice, "PIECE_ROWS", 2)
        monkeypatch.setattr("PETWorks.counting.subsets.subset_counts.FREE", 2)
    elif request.param == "little memory":
        memory = 200
    elif request.param == "wide keys":
        monkeypatch.setattr(lattice, "KEY_BITS", 10)
        monkeypatch.setattr(lattice, "KEY_BITS", 10)
        monkeypatch.setattr("PETWorks.counting.keys.KEY_BITS", 12)
    elif request.param == "heavy rows":
        monkeypatch.setattr(lattice, "NARROW", 4)
    return memory


@given(tables())
@examples(60)
def check_all(memory, case):
    table, known, sensitive = case
    found = every_subset(release_of(table, known, sensitive), memory=memory)
    wanted = [subset for size in range(1, len(known) + 1) for subset in combinations(known, size)]
    assert [tuple(found.attributes(mask)) for mask in found.masks.tolist()] == wanted
    assert found.counts == [literal(table, subset, sensitive) for subset in wanted]
    sizes = {1, len(known)}
    some = every_subset(release_of(table, known, sensitive), sizes, memory=memory)
    assert some.counts == [counts for counts, size in zip(found.counts, found.sizes, strict=True) if size in sizes]
    worth = {name: {value: 2 + place for place, value in enumerate({*table[name]} - {"b"})} for name in sensitive[-1:]}
    gained = every_subset(release_of(table, known, sensitive), memory=memory, worth=worth)
    assert gained.counts == [literal(table, subset, sensitive, worth) for subset in wanted]


@pytest.mark.usefixtures("way")
def test_all_subsets_are_the_literal_ones(engine):
    check_all(engine)


def test_a_compiler_is_loaded_for_much_work_only(monkeypatch):
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    assert lattice.is_small(lattice.COMPILED_FROM // 2 - 1, 2)
    assert not lattice.is_small(lattice.COMPILED_FROM // 2, 2)
    code = (
        "import sys; from PETWorks import Release, every_subset; "
        "every_subset(Release({'a': ['1', '2'], 'b': ['x', 'y']}, dict.fromkeys('ab', 'quasi_identifier'))); "
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.usefixtures("way")
def test_a_larger_table_agrees_with_grouping_the_rows(monkeypatch):
    monkeypatch.setattr(lattice, "PIECE_ROWS", 512)
    rng = np.random.default_rng(1)
    cards = {"a": 900, "b": 70, "c": 40, "d": 5, "e": 3, "f": 2, "s": 16, "t": 3000}
    table = {name: (rng.random(20_000) ** 3 * card).astype(int).astype(str) for name, card in cards.items()}
    frame = pd.DataFrame(table)
    found = every_subset(release_of(frame, list("abcdef"), ["s", "t"]))
    for mask, counts in zip(found.masks.tolist(), found.counts, strict=True):
        names = found.attributes(mask)
        sizes = frame.groupby(names).size()
        hits = [frame.groupby([*names, s]).size().groupby(level=names).max().sum() for s in "st"]
        assert counts == (len(sizes), (sizes == 1).sum(), sizes.min(), tuple(hits), ())
    monkeypatch.setattr(lattice, "CHUNK_ROWS", 3000)
    in_chunks = every_subset(release_of(frame, list("abcdef"), ["s", "t"]))
    assert (in_chunks.masks.tolist(), in_chunks.counts) == (found.masks.tolist(), found.counts)


@pytest.mark.usefixtures("way")
def test_columns_that_no_key_can_hold():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({f"q{n:02}": rng.integers(0, 900, 1200).astype(str) for n in range(20)})
    frame["s"] = rng.integers(0, 3, 1200).astype(str)
    found = every_subset(release_of(frame, frame.columns[:20], ["s"]), [2, 20])
    assert len(found) == 191
    assert found.row(frame.columns[:20])["uniques"] == 1200
    for place in (0, 77, 189):
        names = found.attributes(int(found.masks[place]))
        sizes = frame.groupby(names).size()
        hits = frame.groupby([*names, "s"]).size().groupby(level=names).max().sum()
        assert found.counts[place] == (len(sizes), (sizes == 1).sum(), sizes.min(), (hits,), ())


@pytest.mark.slow
@pytest.mark.usefixtures("way")
def test_heavy_rows_of_columns_that_just_fit_into_a_key():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({f"q{n}": rng.integers(0, 1000, 1500).astype(str) for n in range(8)})
    frame["s"] = rng.integers(0, 8, 1500).astype(str)
    frame = pd.concat([frame, *[frame[:300]] * 5, frame.assign(s="0")[:50]], ignore_index=True)
    found = every_subset(release_of(frame, [f"q{n}" for n in range(8)], ["s"]))
    for mask, counts in zip(found.masks.tolist(), found.counts, strict=True):
        names = found.attributes(mask)
        sizes = frame.groupby(names).size()
        hits = frame.groupby([*names, "s"]).size().groupby(level=names).max().sum()
        assert counts == (len(sizes), (sizes == 1).sum(), sizes.min(), (hits,), ()), names


def test_minimal_sets_may_overlap():
    table = {"a": list("0011"), "b": list("0101"), "c": list("0110")}
    found = every_subset(release_of(table, list("abc"))).minimal_risky({"uniques": 0})
    assert [one["attributes"] for one in found] == [["a", "b"], ["a", "c"], ["b", "c"]]


def test_the_answers_of_the_document():
    found = every_subset(release_of(DOCUMENT, ["age", "education"], ["income"]))
    answers = {("age",): (3 / 8, 3 / 4), ("education",): (1 / 2, 3 / 4), ("age", "education"): (1 / 2, 3 / 4)}
    for subset, (reid, income) in answers.items():
        row = found.row(subset)
        assert (row["re_identification_posterior"], row["attribute_inference_posterior of income"]) == (reid, income)
        assert (row["re_identification_prior"], row["attribute_inference_prior of income"]) == (1 / 8, 1 / 2)
        assert row["re_identification_multiplicative_leakage"] == reid * 8
        assert row["attribute_inference_additive_leakage of income"] == income - 1 / 2


@given(tables(columns=4, sensitive=1))
@examples(15)
def test_agrees_with_privattacks(case):
    table, known, _ = case
    table = {name: [value or "missing" for value in column] for name, column in table.items()} | {
        "s": ["x", "y", "y"] * len(table[known[0]])
    }
    table["s"] = table["s"][: len(table[known[0]])]
    frame = pd.DataFrame(table)
    attack = privattacks.Attack(privattacks.Data(dataframe=frame, cols=[*known, "s"]))
    sizes = list(range(1, len(known) + 1))
    theirs = attack.posterior_vulnerability("all", known, "s", combinations=sizes, n_processes=1)
    ours = every_subset(release_of(frame, known, ["s"])).to_arrow().to_pandas()
    theirs = {frozenset(row["qids"].split(",")): row for _, row in theirs.iterrows()}
    assert len(ours) == len(theirs)
    for row in ours.to_dict("records"):
        other = theirs[frozenset(row["attributes"])]
        # They round to eight digits.
        assert row["re_identification_posterior"] == pytest.approx(float(other["posterior_reid"]), abs=6e-9)
        assert row["attribute_inference_posterior of s"] == pytest.approx(float(other["posterior_s"]), abs=6e-9)


@given(tables())
@examples(40)
def test_more_attributes_never_lower_a_risk(case):
    found = every_subset(release_of(*case))
    place = {mask: number for number, mask in enumerate(found.masks.tolist())}
    for mask, number in place.items():
        for bit in range(len(case[1])):
            if mask >> bit & 1 and mask != 1 << bit:
                less = found.counts[place[mask & ~(1 << bit)]]
                more = found.counts[number]
                assert more.classes >= less.classes
                assert more.uniques >= less.uniques
                assert more.smallest_class <= less.smallest_class
                assert all(np.greater_equal(more.right_guesses, less.right_guesses))


@given(tables(columns=4))
@examples(40)
def test_shapley_shares_are_the_mean_over_all_orders_and_add_up(case):
    _, known, _ = case
    found = every_subset(release_of(*case))
    value = {frozenset(found.attributes(mask)): number for number, mask in enumerate(found.masks.tolist())}
    drivers = found.drivers()
    for attack, (prior, hits, _) in found.attacks.items():

        def worth(subset, prior=prior, hits=hits):
            return Fraction(int(hits[value[subset]]) if subset else prior, found.records)

        shares = {}
        orders = list(permutations(known))
        for name in known:
            gains = [worth(frozenset(o[: o.index(name) + 1])) - worth(frozenset(o[: o.index(name)])) for o in orders]
            shares[name] = sum(gains, Fraction(0)) / len(orders)
        mine = {answer["attribute"]: answer for answer in drivers if answer["attack"] == attack}
        assert {name: Fraction(answer["shapley_exact"]) for name, answer in mine.items()} == shares
        assert all(answer["shapley"] == float(shares[name]) for name, answer in mine.items())
        assert sum(shares.values()) == worth(frozenset(known)) - worth(frozenset())
        assert all(answer["without"] == float(worth(frozenset(known) - {name})) for name, answer in mine.items())


@given(tables(columns=4), st.sampled_from([0, 0.2, 1 / 3, 0.5, 1]), st.booleans())
@examples(60)
def test_minimal_risky_sets(case, limit, gaps):
    table, known, sensitive = case
    sizes = sorted({1, len(known)}) if gaps else "all"
    found = every_subset(release_of(*case), sizes)
    records = len(next(iter(table.values())))
    names = ["highest-risk", "average-risk", "uniques", *(["inference"] if sensitive else [])]
    names += [f"inference:{name}" for name in sensitive]
    for name in names:
        risky = {}
        for mask in [0, *found.masks.tolist()]:
            subset = found.attributes(mask)
            classes, uniques, smallest, hits, _ = literal(table, subset, sensitive)
            risk = {"highest-risk": Fraction(1, smallest), "average-risk": Fraction(classes, records)}
            risk |= {"uniques": Fraction(uniques, records), "inference": Fraction(max(hits, default=0), records)}
            risk |= {f"inference:{s}": Fraction(hit, records) for s, hit in zip(sensitive, hits, strict=True)}
            if float(risk[name]) > limit:
                risky[frozenset(subset)] = float(risk[name])
        minimal = {s: value for s, value in risky.items() if not any(other < s for other in risky)}
        answer = found.minimal_risky({name: limit})
        assert {frozenset(one["attributes"]): one["value"] for one in answer} == minimal
        assert [(len(one["attributes"]), -one["value"]) for one in answer] == sorted(
            (len(subset), -value) for subset, value in minimal.items()
        )
        (verdict,) = found.limits({name: limit})
        assert verdict["satisfied"] == (not minimal)
        assert (verdict["worst"] > limit) == bool(minimal)


def test_best_median_and_worst_of_each_size():
    table = {"a": list("xxxxxx"), "b": list("xxxyyy"), "c": list("uvwxyz"), "d": list("uuvvww")}
    found = every_subset(release_of(table, list("abcd")))
    first = found.by_size()[0]
    assert (first["known"], first["subsets"], first["attack"]) == (1, 4, "re-identification")
    chosen = {name: (first[name]["attributes"], first[name]["posterior"]) for name in ("lowest", "median", "highest")}
    assert chosen == {"lowest": (["a"], 1 / 6), "median": (["b"], 1 / 3), "highest": (["c"], 1)}
    assert [answer["known"] for answer in found.by_size()] == [1, 2, 3, 4]
    # Of equal ones the first.
    assert found.by_size()[1]["highest"]["attributes"] == ["a", "c"]
    assert found.by_size()[1]["highest"]["unique_share"] == 1


def test_as_a_table():
    found = every_subset(release_of(DOCUMENT, ["age", "education"], ["income"]))
    assert found.to_arrow().to_pylist() == found.to_dicts()
    assert repr(found) == "<3 subsets of 'age', 'education' in 8 records>"


@pytest.mark.parametrize(
    ("sizes", "wanted"),
    [
        ("all", (1, 2, 3, 4)),
        (3, (3,)),
        ("1-3", (1, 2, 3)),
        (" 2 ", (2,)),
        ("1, 3-4", (1, 3, 4)),
        (range(2, 4), (2, 3)),
        (np.array([1, 4]), (1, 4)),
    ],
)
def test_sizes(sizes, wanted):
    assert parse_sizes(sizes, 4) == wanted


@pytest.mark.parametrize(
    "sizes", ["0", "5", "3-1", "1-5", "", "some", "-1", 0, 5, [], [0], [1.0], ["1"], [[1]], True, None]
)
def test_sizes_that_are_none(sizes):
    with pytest.raises(ParameterError, match="within 1-4; got"):
        parse_sizes(sizes, 4)


def test_too_many_subsets_are_refused_with_what_to_ask_instead(monkeypatch):
    table = {f"q{number}": ["a", "b"] for number in range(24)}
    with pytest.raises(InputError, match=r"24 quasi-identifiers have 16,777,215 subsets .* as 1-7: 536,154 subsets"):
        every_subset(release_of(table, list(table)))
    assert len(every_subset(release_of(table, list(table)), "1-2")) == 300
    monkeypatch.setattr(subsets_module, "MAX_WORK", 100)
    with pytest.raises(InputError, match=r"in 2 records \(at most 50\); ask for fewer, as 1-1: 24 subsets"):
        every_subset(release_of(table, list(table)), "1-2")
    monkeypatch.setattr(subsets_module, "MAX_WORK", 10)
    with pytest.raises(InputError, match="ask for fewer quasi-identifiers"):
        every_subset(release_of(table, list(table)), "1-2")


def test_few_of_many_columns_take_no_time():
    table = {f"q{number:02}": ["a", "b", str(number % 3)] for number in range(60)}
    found = every_subset(release_of(table, list(table)), [1, 60])
    assert len(found) == 61
    assert found.counts[-1] == literal(table, list(table), [])


def test_more_columns_than_bits():
    table = {f"q{number:02}": ["a", "b"] for number in range(61)}
    for attack in (every_subset, minimal_uniques):
        with pytest.raises(InputError, match="61 quasi-identifiers are too many to count their subsets; at most 60"):
            attack(release_of(table, list(table)), 1)


@pytest.mark.parametrize("names", [("", "a", "s"), ("a", "", "s"), ("a", "b", "")])
def test_a_column_without_a_name(names):
    columns = (list("xxyyzw"), list("pqpqpq"), list("mnmnmm"))
    found = every_subset(release_of(dict(zip(names, columns, strict=True)), names[:2], names[2:]))
    named = every_subset(release_of(dict(zip("abs", columns, strict=True)), "ab", "s"))
    assert found.counts == named.counts
    assert found.minimal_risky({f"inference:{names[2]}": 0.9}) != []


def test_what_is_not_there_is_said():
    with pytest.raises(RoleError, match="no column has the role"):
        every_subset(Release(DOCUMENT, {"income": "sensitive_attribute"}))
    with pytest.raises(RoleError, match="no column has the role"):
        minimal_uniques(Release(DOCUMENT, {"income": "sensitive_attribute"}))
    found = every_subset(release_of(DOCUMENT, ["age", "education"]), 1)
    with pytest.raises(NotApplicable, match="only once all subsets are counted"):
        found.drivers()
    with pytest.raises(NotApplicable, match="needs a sensitive attribute"):
        found.minimal_risky({"inference": 0.5})
    with pytest.raises(ParameterError, match="no limit is called 'risk'"):
        found.minimal_risky({"risk": 0.5})
    with pytest.raises(ParameterError, match="a limit needs 0 <= uniques <= 1"):
        found.minimal_risky({"uniques": 5})
    with pytest.raises(ParameterError, match="expected some of the quasi-identifiers 'age', 'education', got 'ages'"):
        found.row("ages")
    with pytest.raises(ParameterError, match="subsets of 2 attributes were not counted"):
        found.row(["age", "education"])
    assert found.row("age")["classes"] == 3
    with pytest.raises(ParameterError, match="no limit is called 'inference:age'"):
        found.minimal_risky({"inference:age": 0.5})


def test_suppressed_records_are_a_class():
    table = {"a": ["*", "*", "x"], "b": ["*", "*", "y"]}
    assert every_subset(release_of(table, ["a", "b"])).row(["a", "b"])["classes"] == 2


@pytest.mark.parametrize(
    ("first", "last", "rows", "bounds"),
    [(0, 9, 4, [0, 3, 5, 9]), (0, 9, 5, [0, 5, 9]), (0, 9, 99, [0, 9]), (0, 9, 1, [0, 3, 5, 9]), (0, 5, 4, [0, 3, 5])],
)
def test_cuts(first, last, rows, bounds):
    assert lattice._cuts(np.array([3, 5, 9]), first, last, rows) == bounds


def test_without_the_compiler_the_numbers_are_the_same():
    """NUMBA_DISABLE_JIT=1, which people set to debug their own code."""
    script = (
        "import PETWorks.counting.subsets.kernels\n"
        "from PETWorks import Release, every_subset\n"
        "columns = {name: [str(row * step % 7) for row in range(60)] for name, step in zip('abcd', (1, 2, 3, 5))}\n"
        "roles = dict.fromkeys('abc', 'quasi_identifier') | {'d': 'sensitive_attribute'}\n"
        "print(every_subset(Release(columns, roles)).to_dicts())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in "01"
    }
    assert len(found) == 1
    assert len(found.pop()) > 100


WORTH = {"s": {"x": 3, "y": "1/2"}}
SMALL = {"a": ["1", "1", "2", "2", "2"], "b": ["p", "q", "p", "q", "q"], "s": ["x", "y", "y", "z", "z"]}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_what_guesses_gain_with_every_subset(engine):
    """Before, x is the best guess: 3/5. With a, x in the first class (3) and z in the second (2): 5/5."""
    roles = {"a": "quasi_identifier", "b": "quasi_identifier", "s": "sensitive_attribute"}
    found = every_subset(Release(SMALL, roles, engine=engine), worth=WORTH)
    row = found.row({"a"})
    assert (row["gain_prior of s"], row["gain_posterior of s"]) == (3 / 5, 5 / 5)
    assert found.row({"b"})["gain_posterior of s"] == (3 + 2) / 5
    assert found.row({"a", "b"})["gain_posterior of s"] == (3 + 0.5 + 0.5 + 2) / 5
    drivers = {one["attribute"]: one["shapley_exact"] for one in found.drivers() if one["attack"] == "gain of s"}
    assert drivers == {"a": "3/10", "b": "3/10"}  # 6/5 - 3/5, in equal shares
    (risky,) = found.minimal_risky({"gain": 1.1})
    assert (risky["attributes"], risky["value"]) == (["a", "b"], 1.2)
    assert found.limits({"gain:s": 1.2})[0]["satisfied"] is True
    assert found.to_arrow().column("gain_posterior of s").to_pylist() == [1.0, 1.0, 1.2]


def test_a_worth_of_one_is_attribute_inference():
    found = every_subset(release_of(SMALL, ["a", "b"], ["s"]), worth={"s": {"x": 1}})
    assert found.gains["s"].tolist() == found.right_guesses["s"].tolist()


def test_gains_need_a_worth():
    found = every_subset(release_of(SMALL, ["a", "b"], ["s"]))
    with pytest.raises(NotApplicable, match="the limit 'gain' needs a worth of sensitive values"):
        found.limits({"gain": 1})


@pytest.mark.parametrize(
    ("worth", "text"),
    [
        ({"t": {"x": 1}}, "no sensitive attribute is called 't'"),
        ({"s": {"secret": 1}}, "worth of 's': 1 of 1 values do not occur in the table"),
        ({"s": {"x": -1}}, "worth needs 0 <= s, got s=-1"),
        ({"s": 4}, "expected worth as a dict from attribute to a dict from value to number"),
        ({"s": {"x": 1e30}}, "worth: numbers are too large to be added up"),
    ],
)
def test_a_worth_that_cannot_be(worth, text):
    with pytest.raises(PETWorksError, match=text) as caught:
        every_subset(release_of(SMALL, ["a", "b"], ["s"]), worth=worth)
    assert "secret" not in str(caught.value)
