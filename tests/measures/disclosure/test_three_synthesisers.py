"""Three made-up synthesisers on real tables: the measures order them as an expert would."""

import importlib.util

import pytest

from conftest import ROOT
from PETWorks import Release, split
from PETWorks.measures import best_guess, certain, copies, marginals

LIMIT = 0.09


def synthesisers():
    """The module beside the guide that shows them."""
    spec = importlib.util.spec_from_file_location("synthesisers", ROOT / "docs/guides/synthesisers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def women():
    """A survey of 6,366 married women (Fair 1978): public, and in the package statsmodels."""
    data = pytest.importorskip("statsmodels.datasets").fair.load_pandas().data
    return {name: data[name].astype(str).tolist() for name in data.columns if name != "affairs"}, "religious"


def adults(reference):
    """Census records."""
    import pandas as pd

    data = pd.read_csv(reference / "adult.csv", sep=";", dtype=str).iloc[:12000]
    columns = ["age", "sex", "race", "marital-status", "education", "occupation"]
    return {name: data[name].tolist() for name in columns}, "occupation"


def judged(table, target):
    """For each synthesiser: the upper ends of the excess of three measures, and the similarity of pairs of columns."""
    made = synthesisers()
    parts = split(table, 0.25, seed=1)
    original, control = parts.original.to_pydict(), parts.control.to_pydict()
    roles = dict.fromkeys(table, "quasi_identifier") | {target: "sensitive_attribute"}
    found = {}
    for name in ("independent", "tree", "near_copy"):
        synthetic = getattr(made, name)(original, seed=5)
        assert synthetic == getattr(made, name)(original, seed=5)
        release = Release(synthetic, roles, original=original, control=control, kind="synthetic")
        ends = {}
        for measure in (certain, best_guess, copies):
            result = measure(release, excess=LIMIT)
            details = result.details.get("attributes", {}).get(target, result.details)
            ends[measure.name] = details["interval"][1]
            assert result.satisfied is (details["interval"][1] <= LIMIT)
        found[name] = ends, marginals(release).value
    return found


def check_order(found):
    """Independent draws are harmless and worthless, the tree harmless and useful, the near copy is not harmless."""
    (independent, worthless), (tree, useful), (near_copy, precise) = found.values()
    assert max(independent.values()) <= LIMIT
    assert max(tree.values()) <= LIMIT
    assert min(near_copy.values()) > LIMIT
    assert worthless < useful - 0.02
    assert useful <= precise


def test_a_survey():
    check_order(judged(*women()))


@pytest.mark.slow
def test_a_census_table(reference):
    check_order(judged(*adults(reference)))
