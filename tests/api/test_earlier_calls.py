"""Calls of version 0.1 work, give what they gave, and warn once of how to write them now."""

import warnings

import pytest
from test_anonymize import ROLES, RULES, WORDS, patients

from PETWorks import Release, ReleaseWarning, anonymize, apply_levels, frontier
from PETWorks.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")
CALLS = [
    (
        lambda: anonymize(patients(), ROLES, WORDS, RULES, order="original"),
        lambda: anonymize(Release(patients(), ROLES, WORDS), RULES, order="original", suppression=0),
        "write anonymize(Release(data, roles, hierarchies), rules, ...); without suppression=..., it may then suppress",
    ),
    (
        lambda: anonymize(patients(), ROLES, WORDS, rules=RULES, suppression=0.1, order="original", engine="memory"),
        lambda: anonymize(Release(patients(), ROLES, WORDS), RULES, order="original", suppression=0.1),
        "write anonymize(Release(data, roles, hierarchies, engine=...), rules, ...)",
    ),
    (
        lambda: anonymize(
            data=patients(),
            roles=ROLES,
            hierarchies=WORDS,
            rules=RULES,
            suppression=0,
            order="original",
            suppressed=None,
            sensitive_values="exact",
            protect=None,
        ),
        lambda: anonymize(
            Release(patients(), ROLES, WORDS, sensitive_values="exact"), RULES, order="original", suppression=0
        ),
        "write anonymize(Release(data, roles, hierarchies, protect=..., suppressed=..., sensitive_values=...), rules",
    ),
    (
        lambda: apply_levels(patients(), ROLES, WORDS, {"ward": 1}, RULES, order="original"),
        lambda: apply_levels(Release(patients(), ROLES, WORDS), {"ward": 1}, RULES, order="original"),
        "write apply_levels(Release(data, roles, hierarchies), levels, rules, ...)",
    ),
    (
        lambda: frontier(patients(), ROLES, WORDS, RULES),
        lambda: frontier(Release(patients(), ROLES, WORDS), RULES, suppression=0, method="global"),
        "write frontier(Release(data, roles, hierarchies), rules); without suppression=..., it may then suppress 5%",
    ),
]


@pytest.mark.parametrize(("before", "now", "advice"), CALLS)
def test_an_earlier_call_gives_what_it_gave_and_warns_once(before, now, advice):
    with pytest.warns(DeprecationWarning, match="takes a Release") as warned:
        made = before()
    assert [one.filename for one in warned if one.category is DeprecationWarning] == [__file__]
    assert advice in str(warned[0].message)
    expected = now()
    assert made.to_dict() == expected.to_dict() if hasattr(made, "to_dict") else made.levels == expected.levels
    assert made.to_arrow().equals(expected.to_arrow())


def test_an_earlier_call_proposes_nothing():
    with pytest.warns(DeprecationWarning, match="takes a Release"), pytest.warns(ReleaseWarning) as warned:
        made = anonymize(patients(), ROLES, {"sex": {"mask": 1}}, {**RULES, "k-anonymity": {"k": 50}})
    assert made.original.on_two_levels == ("ward",)
    assert any("stay as they are or become '*': ward" in str(one.message) for one in warned)
    with pytest.warns(DeprecationWarning, match="takes a Release"):
        assert apply_levels(patients(), ROLES, None, {"ward": 1}).original.on_two_levels == ("ward",)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_an_earlier_call_refused_it_still_refuses():
    with pytest.raises(TypeError, match="takes at most 4 positional arguments"):
        anonymize(patients(), ROLES, WORDS, RULES, 0.1)
    with pytest.raises(TypeError, match="multiple values for argument 'roles'"):
        anonymize(patients(), ROLES, WORDS, RULES, roles=ROLES)
    with pytest.raises(TypeError, match="unexpected keyword argument 'supression'"):
        anonymize(patients(), ROLES, WORDS, RULES, supression=0.1)
    with pytest.raises(TypeError, match="release"):
        anonymize()
    with pytest.raises(ParameterError, match="there is no column 'cost'"):
        anonymize(patients(), ROLES, WORDS, RULES, protect={"cost": {"round": 10}})


def test_the_published_interface_never_warns():
    from PETWorks import PETAnonymization, PETValidation

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PETValidation(None, "data/patient_anonymized.csv", "t-closeness", tLimit=0.376)
        PETAnonymization("data/adult.csv", "k-anonymity", maxSuppressionRate=0.6, k=6)
