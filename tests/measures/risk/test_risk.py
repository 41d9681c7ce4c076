"""Risk by scenario, and the number that has four names."""

from fractions import Fraction

import pytest
from hypothesis import assume, given

import definitions
import frames
from conftest import cases
from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER
from PETWorks.errors import NotApplicable, PETWorksError
from PETWorks.measures.attacks.reidentification import re_identification
from PETWorks.measures.privacy.anonymity import k_map
from PETWorks.measures.privacy.presence import delta_presence
from PETWorks.measures.risk.scenarios import average_risk, cell_size_of, journalist_risk, marketer_risk, prosecutor_risk
from PETWorks.measures.utility.class_size import aecs
from spark_cluster import needs_spark

ROLES = {"zip": QUASI_IDENTIFIER}
# Classes of 1, 2 and 5 records; 10, 4 and 5 people in the population, and 1 who is not in the release.
RELEASED = {"zip": list("abbccccc")}
POPULATION = {"zip": list("aaaaaaaaaabbbbcccccd")}


def test_prosecutor():
    found = prosecutor_risk(Release(RELEASED, ROLES), threshold=0.2)
    assert found.value == 1
    assert found.details["lowest"] == 1 / 5
    assert found.details["average"] == 3 / 8
    assert found.details["records_at_risk"] == 3  # 1/5 is not above 0.2
    assert found.details["at_risk"] == 3 / 8
    sizes = found.details["class_sizes"]
    assert {label: row["records"] for label, row in sizes.items() if row["records"]} == {"1": 1, "2": 2, "5-10": 5}


def test_journalist_and_marketer():
    release = Release(RELEASED, ROLES, population=POPULATION)
    found = journalist_risk(release)
    assert found.value == 1 / 4
    assert found.details["lowest"] == 1 / 10
    # J / sum of N = 3/19; the mean of 1/N = (1/10 + 2/4 + 5/5)/8 = 1/5.
    assert found.details["average"] == pytest.approx(1 / 5)
    assert found.details["linked_with"] == "a population of 20"
    assert marketer_risk(release).value == pytest.approx(1 / 5)
    assert marketer_risk(release).details["expected_finds"] == pytest.approx(1.6)


def test_journalist_average_can_be_the_other_one():
    release = Release({"zip": list("ab")}, ROLES, population={"zip": list("aaaaaaaaa") + list("b")})
    assert journalist_risk(release).details["average"] == pytest.approx(max(2 / 10, (1 / 9 + 1) / 2))
    release = Release({"zip": list("abbbbb")}, ROLES, population={"zip": list("a") + list("b") * 100})
    assert journalist_risk(release).details["average"] == pytest.approx(max(2 / 101, (1 + 5 / 100) / 6))


@pytest.mark.parametrize("engine", ["memory", "duckdb", pytest.param("spark", marks=needs_spark)])
@pytest.mark.parametrize("levels", [None, [["a", "x"], ["b", "x"], ["c", "y"], ["d", "y"]]])
def test_a_suppressed_record_that_stays_may_be_anybody_of_the_population(engine, levels):
    hierarchies = {} if levels is None else {"zip": levels}
    released = {"zip": [*"abbccccc", "*", "*"]}
    release = Release(released, ROLES, hierarchies, population=POPULATION, suppressed="class", engine=engine)
    found = journalist_risk(release)
    assert found.value == 1 / 4
    assert found.details["lowest"] == 1 / 20
    assert found.details["average"] == pytest.approx((1 / 10 + 2 / 4 + 5 / 5 + 2 / 20) / 10)
    assert marketer_risk(release).details["expected_finds"] == pytest.approx(1.7)
    assert k_map(release, k=5).details["records_below_k"] == 2
    release.engine.close()
    coarse = {"zip": ["x", "x", "y", "*"]}
    if levels:
        release = Release(coarse, ROLES, hierarchies, population=POPULATION, suppressed="class", engine=engine)
        assert journalist_risk(release).value == 1 / 6
        release.engine.close()


def test_suppressed_people_are_counted_once():
    rows = {"zip": ["a", "*", "*"], "who": ["ann", "bob", "bob"]}
    population = {"zip": list("aabbc"), "who": ["ann", "bob", "bob", "cyd", "cyd"]}
    release = Release(rows, ROLES, population=population, suppressed="class", privacy_unit="who")
    assert journalist_risk(release).details["lowest"] == 1 / 3
    assert marketer_risk(release).value == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_presence_does_not_guess_who_a_suppressed_record_is():
    release = Release({"zip": ["a", "*"]}, ROLES, original={"zip": ["a", "b"]}, suppressed="class")
    with pytest.raises(NotApplicable, match="each may be anybody of the original"):
        delta_presence(release)
    release = Release({"zip": ["*", "*"]}, ROLES, original={"zip": ["a", "b"]}, suppressed="class")
    assert delta_presence(release).value == [1, 1]


@given(case=cases())
def test_journalist_average_as_defined(case):
    try:
        found = journalist_risk(frames.release_of(case))
    except NotApplicable:
        assume(False)
    assume(definitions.population_sizes(case))
    assert found.details["average"] == pytest.approx(float(definitions.journalist_average(case)))


@pytest.mark.parametrize("population", [None, 100, 0.5])
def test_without_a_population_table_all_are_the_prosecutor(population):
    release = Release(RELEASED, ROLES, population=population)
    assert journalist_risk(release).value == prosecutor_risk(release).value
    assert journalist_risk(release).details["average"] == prosecutor_risk(release).details["average"] == 3 / 8
    assert marketer_risk(release).value == 3 / 8


def test_a_probability_and_a_cell_size_are_compared_each_as_it_is():
    """0.09 is called k = 11, but 1/11 is above it."""
    release = Release({"zip": ["a"] * 11}, ROLES)
    found = prosecutor_risk(release, highest=0.09, cell_size=11)
    assert found.satisfied is False
    limits = found.details["limits"]
    assert limits["highest"] == {
        "measured": 1 / 11,
        "limit": 0.09,
        "compared_as": "probability",
        "smallest_class_wanted": 12,
        "holds": False,
    }
    assert limits["cell_size"]["holds"] is True
    assert limits["cell_size"]["compared_as"] == "cell size"
    assert prosecutor_risk(release, cell_size=11).satisfied is True
    assert prosecutor_risk(release, highest=1 / 11).satisfied is True
    assert prosecutor_risk(release, highest="1/11").satisfied is True
    assert prosecutor_risk(Release({"zip": ["a"] * 12}, ROLES), highest=0.09).satisfied is True


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10, 11, 49, 93, 1000, 10**6 + 3])
def test_cell_sizes(size):
    assert cell_size_of(1 / size) == size
    assert cell_size_of(1 / size * (1 - 1e-9)) == size + 1
    assert cell_size_of(0) is None


def test_limits_on_average_and_records_at_risk():
    release = Release(RELEASED, ROLES)
    assert prosecutor_risk(release, average=3 / 8, at_risk=3 / 8).satisfied is True
    assert prosecutor_risk(release, average=0.37).satisfied is False
    assert prosecutor_risk(release, at_risk=0.37).satisfied is False
    assert prosecutor_risk(release, at_risk=1 / 8, threshold=0.5).satisfied is True


def test_strict_average():
    release = Release(RELEASED, ROLES)
    assert average_risk(release, average=3 / 8).satisfied is True
    assert average_risk(release, average=3 / 8, highest=0.5).satisfied is False
    assert average_risk(release, average=3 / 8, cell_size=1).satisfied is True
    assert average_risk(release, average=3 / 8, cell_size=2).satisfied is False
    assert average_risk(release, average=0.3, cell_size=1).satisfied is False


@given(case=cases())
def test_one_number_four_names(case):
    """Posterior, average prosecutor risk, marketer risk and one over the mean class size, where none stands aside."""
    case.suppressed, case.missing, case.population, case.unit, case.weight = "class", "value", None, None, None
    release = frames.release_of(case)
    posterior = re_identification(release).value
    assert average_risk(release).value == pytest.approx(posterior, rel=1e-15)
    assert marketer_risk(release).value == pytest.approx(posterior, rel=1e-15)
    assert prosecutor_risk(release).details["average"] == pytest.approx(posterior, rel=1e-15)
    assert 1 / aecs(release).details["raw"] == pytest.approx(posterior, rel=1e-15)


def test_nobody_left():
    release = Release({"zip": ["*", "*"]}, ROLES, population={"zip": ["a", "b"]})
    for measure in (prosecutor_risk, journalist_risk):
        found = measure(release, highest=0, cell_size=5, average=0, at_risk=0)
        assert (found.value, found.satisfied) == (0, True)
    assert marketer_risk(release, average=0).satisfied is True


@pytest.mark.parametrize(
    ("population", "message"),
    [
        (0, "expected the population as a table, a number of people"),
        (-1, "expected the population as a table"),
        (1.5, "expected the population as a table"),
        (float("nan"), "expected the population as a table"),
        (7, "a population of 7 is smaller than the release, 8 records"),
        (True, "the population table"),
        (10**400, "got a larger number than there are people"),
        (-(10**400), "got a larger number than there are people"),
        (Fraction(10**400), "got a larger number than there are people"),
        (1e-300, "would mean a larger population than there are people"),
        ({"age": ["1"]}, "the population lacks the quasi-identifiers 'zip'"),
        ("nowhere.csv", "nowhere.csv"),
    ],
)
def test_populations_that_are_none(population, message):
    with pytest.raises(PETWorksError, match=message):
        Release(RELEASED, ROLES, population=population)
