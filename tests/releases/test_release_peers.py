"""Several releases next to bvmlib and anonypyx: the numbers agree where the definitions do."""

import importlib.util
import random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import release_peers
from conftest import ROOT, examples
from PETWorks import PETWorksError, Releases

# What they do with pandas is not ours to change.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword", "ignore:The behavior of DataFrame concatenation")
needs_bvmlib = pytest.mark.skipif(
    not importlib.util.find_spec("bvmlib"), reason="bvmlib is not installed (make test does)"
)
needs_anonypyx = pytest.mark.skipif(
    not importlib.util.find_spec("anonypyx"), reason="anonypyx is not installed (make test does)"
)


@needs_bvmlib
@given(st.randoms(use_true_random=False))
@examples(60)
def test_the_linked_adversary_is_that_of_bvmlib(chance):
    release_peers.compare_linked(release_peers.collection(chance, steady=False), release_peers.Counter(), {})


@needs_anonypyx
@given(st.randoms(use_true_random=False))
@examples(60)
def test_the_intersection_is_that_of_anonypyx(chance):
    assert release_peers.compare_intersection(release_peers.collection(chance, steady=True))


@needs_bvmlib
@needs_anonypyx
@pytest.mark.slow
def test_the_conformance_page_has_these_numbers():
    page = (ROOT / "docs/conformance.md").read_text("utf-8")
    assert page.endswith(release_peers.section()), "run: make conformance"


def theirs(first, second, known=(["a"], ["a"]), sensitive=()):
    """What bvmlib says about two tables: number of classes, prior, and attribute inference."""
    from bvmlib.bvm import BVMLongitudinal

    assessed = BVMLongitudinal([pd.DataFrame(first), pd.DataFrame(second)], ["id", "id"])
    assessed.qids(list(known))
    if sensitive:
        assessed.sensitive(list(sensitive))
        assessed.worth_assignment = None
    return assessed.assess()


def our_classes(first, second):
    return Releases([second, first], "id", quasi_identifiers="a").compose().together.classes


@needs_bvmlib
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"id": ["1", "2"], "a": ["x#y", "x"]}, {"id": ["1", "2"], "a": ["z", "y#z"]}),
        ({"id": ["1", "2"], "a": ["x", "x"]}, {"id": ["1"], "a": ["nan"]}),
    ],
    ids=["values that are joined as text", "a value that is called nan"],
)
def test_values_that_bvmlib_takes_for_one(first, second):
    assert theirs(first, second)["pCR"] == 1
    assert our_classes(first, second) == 2


@needs_bvmlib
def test_bvmlib_multiplies_people_whose_key_is_repeated():
    first, second = {"id": ["1", "2"], "a": ["x", "x"]}, {"id": ["1", "1", "2"], "a": ["p", "q", "p"]}
    assert theirs(first, second)["re_id"]["Prior"][0] == 1 / 3  # of two people
    with pytest.raises(PETWorksError, match="1 of 2 people have more than one record"):
        our_classes(first, second)


@needs_bvmlib
def test_bvmlib_needs_the_quasi_identifiers_and_sensitive_attributes_of_one_table():
    first, second = {"id": ["1", "2"], "a": ["x", "x"], "s": ["u", "v"]}, {"id": ["1", "2"], "a": ["x", "y"]}
    with pytest.raises(KeyError):
        theirs(first | {"b": ["x", "y"]}, second, (["a", "b"], ["a"]))
    with pytest.raises(KeyError):
        theirs(first, second | {"s": ["u", "v"]}, sensitive="s")
    from bvmlib.bvm import BVMLongitudinal

    named = [pd.DataFrame({"id": ["1", "2"], name: ["x", "y"]}) for name in "abc"]
    assessed = BVMLongitudinal(named, ["id"] * 3)
    assessed.qids([["a"], ["b"], ["c"]])
    with pytest.raises(KeyError):
        assessed.assess()
    assessed = BVMLongitudinal([pd.DataFrame(first), pd.DataFrame(second)], ["id", "id"])
    assessed.qids([["a"], ["a"]])
    assessed.sensitive(["s"])
    with pytest.raises(AttributeError, match="worth_assignment"):
        assessed.assess()
    both = Releases([second, first | {"b": ["x", "y"]}], "id", quasi_identifiers=["a", "b"], sensitive="s").compose()
    assert (both.together.classes, both.together.inference["s"].right) == (2, 2)


@needs_bvmlib
def test_missing_values_and_values_without_worth():
    """bvmlib leaves missing sensitive values out of the prior, and a value without a worth is worth nothing to it."""
    from bvmlib.bvm import BVM

    table = {"id": list("1234"), "a": ["x", "x", "x", "y"], "s": ["u", None, None, None]}
    assessed = BVM(pd.DataFrame(table))
    assessed.qids(["a"])
    assessed.sensitive(["s"])
    assessed.worth("s", {"u": 1})
    found = assessed.assess()
    assert (found["att_inf"]["Prior"][0], found["information_worth"]["Posterior Worth"][0]) == (1 / 4, 1 / 4)
    releases = Releases([table, table], "id", quasi_identifiers="a", sensitive="s", worth={"s": {"u": 1}})
    one = releases.compose().releases[0].alone.inference["s"]
    assert (one.commonest / 4, one.gain.posterior) == (3 / 4, 3 / 4)


@needs_anonypyx
def test_who_moved_is_someone_else_to_anonypyx():
    """It knows one age of each person; PETWorks takes the person's values in each release."""
    first = [{"id": "p", "age": "3-3", "exact": 3, "zip": "x", "place": "x", "ill": "flu"}]
    second = [first[0] | {"age": "4-4", "exact": 4}, first[0] | {"id": "q", "ill": "cold"}]
    assert release_peers.anonypyx([first, second]) == {"p": set()}
    attack = release_peers.ours([first, second]).unlinked["ill"]
    assert (attack.contradictory, attack.together.disclosed) == (0, 1)


def test_random_collections_have_what_is_explained():
    """Among those of the page are releases of one person, and some in which everyone has the same value."""
    chance = random.Random(17)
    collections = [release_peers.collection(chance, steady=False) for _ in range(release_peers.COLLECTIONS)]
    assert any(len(rows) == 1 for rows, *_ in collections)
    assert any(len({row["ill"] for row in rows}) == 1 < len(rows) for rows, *_ in collections)
