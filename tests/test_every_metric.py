"""Properties that every measure of the catalogue has, on random releases."""

import copy
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import frames
from conftest import ROOT, cases
from definitions import TWINS
from PETWorks import catalogue
from PETWorks.errors import NotApplicable, PETWorksError
from PETWorks.result import Result

NAMES = sorted(catalogue)


def measured(case, name, form=frames.as_arrow, folder=None):
    """The value, or the kind of error: some random releases have no answer."""
    try:
        return catalogue[name](frames.release_of(case, form, folder)).value
    except NotApplicable as error:
        return type(error)


def test_every_measure_has_a_twin_and_a_page():
    assert sorted(TWINS) == NAMES
    assert sorted(path.stem for path in (ROOT / "docs/measures").glob("*.md")) == NAMES


@pytest.mark.parametrize("name", NAMES)
@given(case=cases())
def test_agrees_with_its_definition(name, case):
    value = measured(case, name)
    if value is not NotApplicable:
        assert value == TWINS[name](case)
    else:
        # Only a column whose level cannot be told is no case for delta-presence.
        assert name == "delta-presence"


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=50)
@given(case=cases(), random=st.randoms(use_true_random=False))
def test_row_order_means_nothing(name, case, random):
    shuffled = copy.deepcopy(case)
    random.shuffle(shuffled.released)
    random.shuffle(shuffled.original)
    assert measured(shuffled, name) == measured(case, name)


@pytest.mark.parametrize("name", NAMES)
@given(case=cases())
def test_column_order_and_other_columns_mean_nothing(name, case):
    wider = copy.deepcopy(case)
    wider.released = [{"note": str(number)} | dict(reversed(row.items())) for number, row in enumerate(case.released)]
    wider.original = [{"note": "x"} | dict(reversed(row.items())) for row in case.original]
    assert measured(wider, name) == measured(case, name)


@pytest.mark.parametrize("form", frames.FORMS)
@settings(max_examples=40)
@given(case=cases())
def test_every_form_of_a_table_gives_the_same(form, case):
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            assert measured(case, name, frames.FORMS[form], Path(folder)) == measured(case, name)


@pytest.mark.parametrize("name", NAMES)
@given(case=cases())
def test_input_is_left_as_it_was(name, case):
    before = copy.deepcopy(case)
    frame = frames.as_categories(case.released, None)
    kept = frame.copy(deep=True)
    measured(case, name, lambda rows, _: frame if rows is case.released else frames.as_arrow(rows, None))
    assert frame.equals(kept)
    assert case == before


@pytest.mark.parametrize("name", NAMES)
@given(case=cases())
def test_results_are_ready_for_json_and_for_reading(name, case):
    try:
        result = catalogue[name](frames.release_of(case))
    except NotApplicable:
        return
    assert isinstance(result, Result)
    assert result.measure == name
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()
    assert name in repr(result)
    assert name in result._repr_html_()


@pytest.mark.parametrize("name", NAMES)
def test_unknown_parameters_get_a_suggestion(name):
    release = frames.release_of(frames_case())
    with pytest.raises(PETWorksError, match=r"(no parameter of .* is called|takes no parameters, got) 'thresold'"):
        catalogue[name](release, thresold=1)


def frames_case():
    from definitions import Case

    row = {"zip": "47906", "sex": "男", "disease": "flu"}
    return Case([row], ["zip", "sex"], ["disease"], original=[row])
