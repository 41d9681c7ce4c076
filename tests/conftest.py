"""Shared by all tests: the place of the reference tables, settings of Hypothesis, and random releases."""

import gc
import importlib
import os
import pkgutil
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from xdist.scheduler import LoadScopeScheduling

import PETWorks
from definitions import Case
from messages import only_translated
from spark_cluster import QUICK
from studio_browser import chromium

ROOT = Path(__file__).parent.parent
os.environ["PETWORKS_LANG"] = "en"  # whatever language the developer uses
os.environ.setdefault("JDK_JAVA_OPTIONS", QUICK)
# Whatever the environment says, Python keeps what it has compiled: every process of the tests would compile it again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A shell that runs `make test &` in a script makes its children ignore Ctrl-C; commands that tests interrupt must not.
signal.signal(signal.SIGINT, signal.default_int_handler)
REFERENCE = Path(os.environ.get("PETWORKS_REFERENCE_DATA", ROOT.parent / "shared/data/petworks"))


# `make thorough` explores at random, also in continuous integration. The other profiles try the same examples in every
# run: they depend only on the source of the test, not on the tests that ran before.
EXPLORING = "thorough"
settings.register_profile(
    EXPLORING, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True, derandomize=False
)
reproducible = {"derandomize": True, "database": None}
settings.register_profile("petworks", settings.get_profile(EXPLORING), max_examples=25, **reproducible)
settings.register_profile("quick", settings.get_profile(EXPLORING), max_examples=6, **reproducible)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "petworks"))
if settings.get_current_profile_name() != EXPLORING:
    # Hypothesis also tries constants of imported modules, which depend on the tests that ran before. No setting
    # turns that off; if a later version has no such name, `test_deterministic_examples.py` fails.
    providers._get_local_constants = providers.Constants


def examples(number):
    """Number of random examples of a test in `make thorough`; other runs try a quarter of them, `make quick` a few."""
    numbers = {"quick": min(number, settings.default.max_examples), "petworks": -(-number // 4)}
    return settings(max_examples=numbers.get(settings.get_current_profile_name(), number))


# Tests that run in one process, by parts of their names: Java is started once, a browser once per file, the site with
# the gallery is built once, anonymeter is compiled once, notebooks run once, the source is read once. They take long,
# and run first, so that no process is left with them at the end.
GROUPS = {
    "spark": ("spark", "cluster"),
    "browser": ("_browser.py", "/test_report.py", "/test_other_releases.py", "/test_plots.py"),
    "site": ("/test_site.py", "/test_gallery.py"),
    "anonymeter": ("/test_anonymeter.py",),
    "notebooks": ("/test_notebooks.py",),
    "wheels": ("/test_wheels.py",),
    "source": ("/locale/", "/test_architecture.py", "/test_errors.py", "/test_messages.py", "/test_windows.py"),
}


def group_of(name):
    """The group of a test; None if any process may run it."""
    return next((group for group, parts in GROUPS.items() if any(part in name for part in parts)), None)


class Groups(LoadScopeScheduling):
    """Hands out groups, the largest first, and other tests one by one.

    `--dist loadgroup` would do the same, but pytest-xdist 3.8 writes the group to a private attribute of tests that
    pytest 9.2 does not read: tests of a group would run in any process.
    """

    def _split_scope(self, nodeid):
        return group_of(nodeid) or nodeid


def pytest_xdist_make_scheduler(config, log):
    return Groups(config, log)


def pytest_xdist_auto_num_workers():
    """Two more than the number of cores: many tests wait for servers, browsers and Java."""
    return (os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("spark"):
            assert group_of(item.nodeid) == "spark", f"{item.nodeid}: its name says nothing of Spark"
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture
def browser():
    """The browser that all tests of a group share; its event loop does not disturb the tests after them."""
    if not _BROWSER:
        stack = ExitStack()
        _BROWSER.append((stack, stack.enter_context(chromium())))
    return _BROWSER[0][1]


_BROWSER = []


def pytest_runtest_teardown(nextitem):
    if _BROWSER and (nextitem is None or group_of(nextitem.nodeid) not in ("browser", "site")):
        _BROWSER.pop()[0].close()


def pytest_collection_finish():
    """Freeze tests and modules: they stay to the end, and the garbage collector can skip them."""
    gc.collect()
    gc.freeze()


@contextmanager
def constants(**values):
    """Give constants of `PETWorks.counting` other values, in every module that has them; at least one must."""
    found = pkgutil.walk_packages(PETWorks.counting.__path__, "PETWorks.counting.")
    modules = [importlib.import_module(module.name) for module in found]  # a later import would keep the replaced value
    with ExitStack() as stack:
        for name, value in values.items():
            holders = [module for module in modules if name in vars(module)]
            assert holders, f"no module has {name}"
            for module in holders:
                stack.enter_context(mock.patch.object(module, name, value))
        yield


# With these sizes, small tables are split into batches and parts as large ones are: in memory, out of core.
TINY_BATCHES = {"CELLS_PER_BATCH": 3, "THREADS": 2}
TINY_PARTS = {"ROWS_PER_PART": 3, "ROWS_PER_BLOCK": 3}


def small_batches(cells):
    """Batches of a few cells in memory, on two threads."""
    return constants(**TINY_BATCHES | {"CELLS_PER_BATCH": cells})


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    """Run in the root folder of the project, from which doctests and examples name the bundled tables."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(autouse=True, scope="session")
def errors_are_translated():
    """Check that every error raised in a test has a translation in every language."""
    with only_translated():
        yield


def make_gallery(what, folder):
    """Make the tables or the reports of the gallery."""
    subprocess.run(
        [sys.executable, ROOT / "docs/gallery/make_gallery.py", what, folder], check=True, capture_output=True
    )
    return folder


@pytest.fixture(scope="session")
def gallery_reports(tmp_path_factory):
    return make_gallery("reports", tmp_path_factory.mktemp("reports"))


@pytest.fixture
def reference():
    if not REFERENCE.is_dir():
        pytest.skip(f"reference tables are not at {REFERENCE} (PETWORKS_REFERENCE_DATA)")
    return REFERENCE


ZIP = [("47906", "4790*", "47*", "*"), ("47903", "4790*", "47*", "*"), ("47630", "4763*", "47*", "*")]
ZIP += [("48970", "4897*", "48*", "*"), ("007", "0*", "00*", "*"), ("7", "0*", "00*", "*")]
SEX = [("男",), ("女",)]
HIERARCHIES = {"zip": ZIP, "sex": SEX}
DISEASES = [("flu", "lung", "disease"), ("pneumonia", "lung", "disease"), ("ulcer", "stomach", "disease")]
TEXTS = st.sampled_from(["flu", "pneumonia", "ulcer"])
NUMBERS = st.sampled_from(["10", "3", "2.5", "3.0", "-1"])


SPELLINGS = ("same", "same", "upper", "full width", "zero width", "blanks", "nothing", "not known", "decimals")


def spell(text, spelling):
    """A sensitive value in another spelling; or an invisible cell, or one that means that the value is unknown."""
    if text is None or spelling == "same":
        return text
    if spelling == "full width":
        return "".join(chr(ord(character) + 0xFEE0) if "!" <= character <= "~" else character for character in text)
    return {
        "upper": text.upper(),
        "zero width": f"{text[:1]}\u200b{text[1:]}\u00ad",
        "blanks": f"\u00a0{text} \u3000",
        "nothing": "\u200b\ufeff",
        "not known": "(Unknown)",
        "decimals": text if not text[-1:].isdigit() else f"{text}0" if "." in text else f"{text}.00",
    }[spelling]


WEIGHTS = ["1", "2.5", "7", "1.25e1", "40.125", "3"]


def in_survey(number, row):
    """A row with a sampling weight and a household; those of some people are the same in all their records."""
    place = number if row["person"] > "cyd" else ord(row["person"][0])
    return row | {"weight": WEIGHTS[place % 6], "household": [None, "1", "2"][place % 3]}


@st.composite
def cases(draw, missing=True, spelt=True):
    """A release made from an original by generalising columns, dropping some records and suppressing others."""
    none = st.none() if missing else st.nothing()
    zips = st.sampled_from([path[0] for path in ZIP]) | none
    sexes = st.sampled_from(["男", "女"]) | none
    with_hierarchy = draw(st.booleans())
    coarse = TEXTS | none | st.sampled_from(["*", "lung", "disease"] if with_hierarchy else ["*"])
    diseases = draw(st.sampled_from([TEXTS, TEXTS | none, coarse] + ([] if with_hierarchy else [NUMBERS])))
    incomes = draw(st.sampled_from([NUMBERS, NUMBERS | none]))
    values = draw(st.sampled_from(["exact", "exact", "folded"] if spelt else ["exact"]))
    if values == "folded":
        spellings = st.sampled_from(SPELLINGS)
        diseases, incomes = (st.builds(spell, values_drawn, spellings) for values_drawn in (diseases, incomes))
    people = st.sampled_from(["ann", "bob", "cyd", "dan"])
    record = st.fixed_dictionaries(
        {"zip": zips, "sex": sexes, "disease": diseases, "income": incomes, "person": people}
    )
    original = [in_survey(number, row) for number, row in enumerate(draw(st.lists(record, min_size=1, max_size=14)))]
    local = draw(st.booleans())  # levels may differ from record to record
    level = st.integers(0, 3)
    zip_level, sex_level = draw(level), draw(st.integers(0, 1))
    aligned = draw(st.booleans())
    fates = draw(
        st.lists(st.sampled_from("kks" if aligned else "kkkds"), min_size=len(original), max_size=len(original))
    )
    released = []
    for row, fate in zip(original, fates, strict=True):
        row_level = draw(level) if local else zip_level
        lifted = {path[0]: path[row_level] for path in ZIP} | {None: None if row_level < 3 else "*"}
        if fate == "s":
            released.append(row | {"zip": "*", "sex": "*"})
        elif fate == "k":
            released.append(row | {"zip": lifted[row["zip"]], "sex": "*" if sex_level else row["sex"]})
    if not released:
        released.append(original[0] | {"zip": "*", "sex": "*"})
    strangers = st.lists(record.map(partial(in_survey, 0)), max_size=6)
    sizes = st.integers(len(original), 400) | st.sampled_from([0.05, 0.5, 1.0])
    tables = [strangers.map(lambda extra: original + extra) for _ in range(2)]  # half of the populations are tables
    return Case(
        released if aligned else draw(st.permutations(released)),
        ["zip", "sex"],
        draw(st.sampled_from([["disease"], ["disease", "income"]])),
        HIERARCHIES | ({"disease": DISEASES} if with_hierarchy else {}),
        original,
        draw(st.sampled_from(["apart", "class"])),
        missing=draw(st.sampled_from(["value", "value", "apart"])),
        several=draw(st.sampled_from(["alone", "alone", "quasi-identifiers"])),
        unit=draw(st.sampled_from([None, None, "person"])),
        population=draw(st.one_of(st.none(), sizes, *tables)),
        values=values,
        weight=draw(st.sampled_from([None, "weight"])),
    )
