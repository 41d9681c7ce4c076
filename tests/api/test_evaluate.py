"""Measures are functions that are imported by their name."""

import importlib

import pytest

import PETWorks.measures
from PETWorks import Release, catalogue


@pytest.mark.parametrize("name", sorted(catalogue))
def test_every_measure_is_imported_from_one_place(name):
    measures = importlib.import_module("PETWorks.measures")
    assert getattr(measures, name.replace("-", "_")) is catalogue[name]
    assert name.replace("-", "_") in dir(measures)


def test_other_names_are_unknown():
    with pytest.raises(AttributeError, match="has no attribute 'no_such_measure'"):
        PETWorks.measures.no_such_measure  # noqa: B018
    from PETWorks.measures import k_anonymity

    assert k_anonymity(Release("data/patient_anonymized.csv"), k=3).satisfied
