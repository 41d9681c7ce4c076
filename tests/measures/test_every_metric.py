"""Properties that every measure of the catalogue has, on random releases."""

import copy
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import frames
from comparison import ONE_LEVEL, close
from conftest import ROOT, cases, examples, small_batches
from definitions import TWINS, UNDEFINED, classes, fold_sensitive_values
from PETWorks import catalogue
from PETWorks.about.treatment import TREATMENTS
from PETWorks.errors import NotApplicable, PETWorksError
from PETWorks.measures.result import Result, flatten

NAMES = sorted(name for name, entry in catalogue.items() if entry.applies_to("generalised"))
SIGNS = {"at most": 1, "at least": -1}
# The threshold that is compared with the value: the first one, except where another or several belong to it.
LIMITS = {
    name: (limits[0].name, SIGNS[limits[0].limit])
    for name, entry in catalogue.items()
    if name in NAMES and (limits := [one for one in entry.parameters.values() if one.limit]) and name != "utility-bias"
} | {"recursive-l-diversity": ("c", 1), "delta-presence": ("delta_max", 1)}


def results(case, form=frames.as_arrow, folder=None):
    """What each measure says of a release; some have no answer for some releases."""
    release = frames.release_of(case, form, folder)

    def records(table):  # tables have no form in common; it must be handed the very ones that were given
        released, original = release.view.background.given
        return {id(original): len(case.original), id(released): len(case.released)}[id(table)]

    found = {}
    for name in NAMES:
        try:
            found[name] = catalogue[name](release, **({"function": records} if name == "utility-bias" else {}))
        except NotApplicable:
            found[name] = None
    return found


def measured(case, form=frames.as_arrow, folder=None):
    return {name: UNDEFINED if found is None else found.value for name, found in results(case, form, folder).items()}


def differences(one, other):
    return [name for name in NAMES if not close(one[name], other[name], name)]


def test_every_measure_has_a_twin_and_a_page():
    assert set(TWINS) == set(catalogue)
    pages = {path.stem for path in (ROOT / "docs/measures").glob("*.md")}
    assert pages == {entry.page for entry in catalogue.values()}


def assert_often(counts, tried, least):
    """Every measure was tested in a share of the examples: random releases are such that most have an answer."""
    if settings.get_current_profile_name() == "petworks":  # others are random, or few
        assert {name: count for name, count in counts.items() if count < least * tried} == {}, tried


def test_agrees_with_its_definition():
    tried, answered = 0, dict.fromkeys(NAMES, 0)

    @examples(540)
    @given(case=cases())
    def agrees(case):
        nonlocal tried
        tried += 1
        for name, value in measured(case).items():
            answered[name] += value != UNDEFINED
            if value != UNDEFINED or name not in ONE_LEVEL:
                expected = TWINS[name](case)
                assert close(value, expected, name), (name, value, expected)

    agrees()
    assert_often(answered, tried, 0.2)


@examples(100)
@given(case=cases())
def test_many_batches_say_the_same_as_one(case):
    """What large tables do: batches of a few classes on several threads, merged; details included."""
    whole = results(case)
    with small_batches(2):
        in_parts = results(case)
    assert [name for name in NAMES if (whole[name] is None) != (in_parts[name] is None)] == []
    for name, result in whole.items():
        if result is not None:
            one, other = (flatten({"value": found.value, **found.details}) for found in (result, in_parts[name]))
            assert {key: pytest.approx(number) for key, number in one.items()} == other, name


@given(case=cases(), random=st.randoms(use_true_random=False))
def test_row_order_means_nothing(case, random):
    order = random.sample(range(len(case.released)), len(case.released))
    shuffled = copy.deepcopy(case)
    shuffled.released = [case.released[place] for place in order]
    if len(case.released) == len(case.original):  # rows that may be compared one by one stay together
        shuffled.original = [case.original[place] for place in order]
    else:
        random.shuffle(shuffled.original)
    assert differences(measured(shuffled), measured(case)) == []


@given(case=cases())
def test_column_order_and_other_columns_mean_nothing(case):
    wider = copy.deepcopy(case)
    wider.released = [{"note": str(number)} | dict(reversed(row.items())) for number, row in enumerate(case.released)]
    wider.original = [{"note": "x"} | dict(reversed(row.items())) for row in case.original]
    assert differences(measured(wider), measured(case)) == []


@pytest.mark.slow
@pytest.mark.parametrize("form", frames.FORMS)
@examples(40)
@given(case=cases(spelt=False))  # Big5 has no invisible characters
def test_every_form_of_a_table_gives_the_same(form, case):
    with tempfile.TemporaryDirectory() as folder:
        assert differences(measured(case, frames.FORMS[form], Path(folder)), measured(case)) == []


@given(case=cases())
def test_input_is_left_as_it_was(case):
    before = copy.deepcopy(case)
    frame = frames.as_categories(case.released, None)
    kept = frame.copy(deep=True)
    measured(case, lambda rows, _: frame if rows is case.released else frames.as_arrow(rows, None))
    assert frame.equals(kept)
    assert case == before


@given(case=cases())
def test_results_are_ready_for_json_and_for_reading(case):
    for name, result in results(case).items():
        if result is not None:
            assert isinstance(result, Result)
            assert result.measure == name
            assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()
            assert name in repr(result)
            assert name in result._repr_html_()
            assert set(result.treatment) == {*TREATMENTS, "privacy_unit"}


@examples(200)
@given(case=cases())
def test_shares_lie_between_0_and_1(case):
    for name, value in measured(case).items():
        entry = catalogue[name]
        is_loss = entry.family == "utility" and entry.unit == "ratio"
        if (entry.unit in ("share", "chance") or is_loss or name == "t-closeness") and value != UNDEFINED:
            assert 0 <= value <= 1, name


def test_a_limit_at_the_value_itself_holds_and_one_beyond_it_does_not():
    tried, judged_beyond = 0, dict.fromkeys(LIMITS, 0)

    @examples(420)
    @given(case=cases())
    def holds(case):
        nonlocal tried
        tried += 1
        release, told = frames.release_of(case), fold_sensitive_values(case)
        judged = any(classes(told, column) for column in case.sensitive)  # a class in which some value is known
        for name, (parameter, sign) in LIMITS.items():
            try:
                value = catalogue[name](release).value
            except NotApplicable:
                continue
            if value is None:
                continue
            value = value[1] if isinstance(value, list) else value
            strict = name in ("delta-disclosure", "recursive-l-diversity") and judged
            assert catalogue[name](release, **{parameter: value}).satisfied == (not strict), name
            beyond = value - sign * max(abs(value) * 1e-9, 1e-9)  # of amounts, too, more than rounding
            bounds = catalogue[name].parameters[parameter].rule
            above = bounds.at_least is None or beyond >= bounds.at_least
            if above and (bounds.at_most is None or beyond <= bounds.at_most):
                assert catalogue[name](release, **{parameter: beyond}).satisfied is False, name
                judged_beyond[name] += 1

    holds()
    assert_often(judged_beyond, tried, 0.01)


@pytest.mark.parametrize("name", NAMES)
def test_unknown_parameters_get_a_suggestion(name):
    release = frames.release_of(frames_case())
    with pytest.raises(PETWorksError, match=r"(no parameter of .* is called|takes no parameters, got) 'thresold'"):
        catalogue[name](release, thresold=1)


def frames_case():
    from definitions import Case

    row = {"zip": "47906", "sex": "男", "disease": "flu"}
    return Case([row], ["zip", "sex"], ["disease"], original=[row])
