"""Whoever runs the tests, in whichever order: properties are tried with the same examples; `make thorough` explores."""

import os
import subprocess
import sys

import pytest
from hypothesis import settings

from conftest import EXPLORING, ROOT

PROGRAM = """
import importlib, sys
from hypothesis import given
sys.path[:0] = ["tests"]
from conftest import *
for name in sys.argv[1:]:  # as if other tests had run before
    importlib.import_module(name)

@given(st.integers(), st.text(), st.sets(st.sampled_from(["a", "b", "c"])), cases())
def shown(number, text, letters, case):
    print(number, ascii(text), sorted(letters), ascii(case.released))

shown()
"""


def drawn(hash_seed, *modules, profile="petworks"):
    environment = os.environ | {
        "PYTHONHASHSEED": hash_seed,
        "HYPOTHESIS_PROFILE": profile,
        "CI": "1",  # where Hypothesis has settings of its own
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *modules], cwd=ROOT, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_examples_are_the_same_in_every_run():
    first = drawn("1")
    assert first.count(b"\n") > 20
    assert drawn("2", "PETWorks.cli.main", "PETWorks.gate.policy.accountability", "PETWorks.measures.risk") == first


def test_thorough_explores():
    assert drawn("1", profile=EXPLORING) != drawn("1", profile=EXPLORING)


@pytest.mark.parametrize("profile", ["petworks", "quick"])
def test_nothing_is_remembered_from_one_run_to_the_next(profile):
    own = settings.get_profile(profile)
    assert (own.derandomize, own.database) == (True, None)
    assert not settings.get_profile(EXPLORING).derandomize
