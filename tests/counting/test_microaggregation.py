"""Groups of at least k records with the least sum of squared errors: against all partitions, with exact fractions."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import examples
from PETWorks import PETWorksError, Release, anonymize, apply_plan
from PETWorks.about.protection import protection_of
from PETWorks.counting import microaggregation
from PETWorks.counting.microaggregation import PersonValues, find_groups, fit_groups
from PETWorks.counting.protected_source import changes_in, protect_source
from PETWorks.errors import InputError, ParameterError
from PETWorks.tables.opening import open_source


def error_of(groups):
    """The sum of squared distances from the means, exactly."""
    means = [Fraction(sum(group), len(group)) for group in groups]
    return sum((value - mean) ** 2 for group, mean in zip(groups, means, strict=True) for value in group)


def all_partitions(records, size):
    """Every way to cut records, in order, so that equal ones stay together and each group has at least `size`."""
    if len(records) >= size:
        yield [records]
    for end in range(size, len(records) - size + 1):
        if records[end - 1] != records[end]:
            yield from ([records[:end], *rest] for rest in all_partitions(records[end:], size))


def found_groups(records, size):
    values, counts = np.unique(np.array(records), return_counts=True)
    starts = find_groups(values.astype(np.float64), counts, size).tolist()
    cuts = [*np.concatenate([[0], np.cumsum(counts)])[starts].tolist(), len(records)]
    return [sorted(records)[first:end] for first, end in pairwise(cuts)]


ANSWERS = [
    ([1, 2, 3, 10, 11, 12, 13, 50], 3, [[1, 2, 3, 10, 11], [12, 13, 50]], Fraction(5136, 5)),
    ([4, 4, 5, 7, 20, 21, 30, 30, 31, 90], 3, [[4, 4, 5], [7, 20, 21], [30, 30, 31, 90]], Fraction(33521, 12)),
    ([1, 2, 3, 4, 5, 6, 7], 2, [[1, 2], [3, 4], [5, 6, 7]], Fraction(3)),
    ([0, 0, 2, 3, 5], 2, [[0, 0], [2, 3, 5]], Fraction(14, 3)),  # as {0, 0, 2} {3, 5}, also where thirds are rounded
]


@pytest.mark.parametrize(("records", "size", "groups", "error"), ANSWERS)
def test_known_answers(records, size, groups, error):
    assert found_groups(records, size) == groups
    assert error_of(groups) == error


RECORDS = st.lists(st.integers(0, 30), min_size=2, max_size=13).map(sorted)


@examples(150)
@given(RECORDS, st.integers(2, 4))
def test_no_partition_is_better(records, size):
    """The least error of all partitions; of equally good ones, the one whose first groups are the smallest."""
    partitions = list(all_partitions(records, size))
    if not partitions:
        return
    least = min(map(error_of, partitions))
    best = min((part for part in partitions if error_of(part) == least), key=lambda part: list(map(len, part)))
    assert found_groups(records, size) == best


PEOPLE = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5)), min_size=2, max_size=10).map(sorted)


def with_people(records):
    """The distinct values of pairs of value and person, their records, and who has them."""
    values, index = np.unique([value for value, _ in records], return_inverse=True)
    pairs = Counter(zip(index.tolist(), (person for _, person in records), strict=True))
    found = np.array([(value, person, times) for (value, person), times in sorted(pairs.items())])
    return values, np.bincount(index), PersonValues(found[:, 0], found[:, 1], found[:, 2])


@examples(200)
@given(PEOPLE, st.integers(2, 3))
def test_no_partition_into_groups_of_people_is_better(records, size):
    """As above, where each group has at least `size` people, however many records they have."""
    partitions = [
        groups
        for groups in all_partitions_of(records)
        if all(len({person for _, person in group}) >= size for group in groups)
    ]
    if not partitions:
        return
    numbers = [[[value for value, _ in group] for group in groups] for groups in partitions]
    least = min(map(error_of, numbers))
    best = min((part for part in numbers if error_of(part) == least), key=lambda part: list(map(len, part)))
    values, counts, people = with_people(records)
    starts = find_groups(values.astype(np.float64), counts, size, people).tolist()
    cuts = [*np.concatenate([[0], np.cumsum(counts)])[starts].tolist(), len(records)]
    assert [[value for value, _ in records[first:end]] for first, end in pairwise(cuts)] == best


def all_partitions_of(records):
    """Every way to cut pairs, in order, so that equal values stay together."""
    yield [records]
    for end in range(1, len(records)):
        if records[end - 1][0] != records[end][0]:
            yield from ([records[:end], *rest] for rest in all_partitions_of(records[end:]))


def literal_of_people(records, size):
    """The value that each record gets by definition, where no person is more than the others in sum."""
    values, counts, people = with_people(records)
    starts = find_groups(values.astype(np.float64), counts, size, people).tolist()
    cuts = [*np.concatenate([[0], np.cumsum(counts)])[starts].tolist(), len(records)]
    becomes = []
    for first, end in pairwise(cuts):
        group = records[first:end]
        total, number = sum(value for value, _ in group), len(group)
        for person in {person for _, person in group}:
            own = sum(value for value, other in group if other == person)
            others = sum(abs(value) for value, other in group if other != person)
            if abs(own) > others:
                total += (others if own > 0 else -others) - own
                of_person = sum(other == person for _, other in group)
                number = number - of_person + min(of_person, number - of_person)
                break
        becomes += [round(Fraction(total, number))] * len(group)
    return becomes


@examples(120)
@given(
    st.lists(st.tuples(st.integers(-300, 3000), st.integers(0, 5)), min_size=3, max_size=25).map(sorted),
    st.integers(2, 3),
)
def test_groups_of_people_in_a_table(records, size):
    if len({person for _, person in records}) < size:
        return
    spelt = [f"P{person:02}" if index % 2 else f"p{person:02} " for index, (_, person) in enumerate(records)]
    table = {"x": [str(value) for value, _ in records], "who": spelt}
    source = protect_source(open_source(table, "t"), {"x": {"groups_of": size}}, "who")
    after = next(iter(source.read(("x",)))).column(0).to_pylist()
    assert list(map(int, after)) == literal_of_people(records, size)
    owners = {}
    for cell, (_, person) in zip(after, records, strict=True):
        owners.setdefault(cell, set()).add(person)
    assert min(map(len, owners.values())) >= size


def test_many_records_of_a_person_do_not_pull_the_mean_out_of_the_group():
    """Of 100, 102 and 104, the second and the third are of one person: they count as one record of 100."""
    source = protect_source(
        open_source({"x": ["100", "102", "104"], "who": ["p", "q", "q"]}, "t"), {"x": {"groups_of": 2}}, "who"
    )
    assert next(iter(source.read(("x",)))).column(0).to_pylist() == ["100"] * 3


def test_records_of_two_people_are_no_group_of_eleven():
    data = {"who": ["a", "b"] * 10, "sex": ["f", "m"] * 10, "cost": [str(row) for row in range(20)]}
    roles = {"quasi_identifiers": ["sex"], "sensitive_attributes": ["cost"]}
    with pytest.raises(InputError, match="groups of 11 people need at least 11 people with a value, and there are 2"):
        Release(data, roles, privacy_unit="who", protect={"cost": {"groups_of": 11}})
    grouped = protect_source(open_source(data, "t"), {"cost": {"groups_of": 11}})
    with pytest.raises(ParameterError, match="groups of column 'cost' are of records, and people have several"):
        Release(grouped, roles, privacy_unit="who")
    two = Release(data, roles, privacy_unit="who", protect={"cost": {"groups_of": 2}})
    assert len({two.source.changes["cost"].protection.value(str(row)) for row in range(20)}) == 10


def test_compiled_loops_find_the_same(monkeypatch):
    made = np.random.default_rng(3)
    records = sorted(np.round(made.lognormal(5, 1, 400)).astype(int).tolist())
    people = with_people([(value, number % 90) for number, value in enumerate(records)])
    plain, of_people = found_groups(records, 5), find_groups(people[0].astype(float), people[1], 5, people[2]).tolist()
    monkeypatch.setattr(microaggregation, "PLAIN_STEPS", 0)
    assert found_groups(records, 5) == plain
    assert find_groups(people[0].astype(float), people[1], 5, people[2]).tolist() == of_people


def mean_of(group):
    """The mean of a group in which one record that is more than the others in sum counts as these."""
    values = list(group)
    for index, value in enumerate(values):
        others = sum(map(abs, values[:index] + values[index + 1 :]))
        if abs(value) > others:
            values[index] = others if value > 0 else -others
            break
    return round(Fraction(sum(values), len(values)))  # half to even


def literal(cells, size):
    """The protected cells by definition: the mean of each group, where no record is more than the others in sum."""
    numbers = {cell: Decimal(cell.replace(",", "").removeprefix("NT$")) for cell in cells}
    decimals = max(max(0, -number.as_tuple().exponent) for number in numbers.values())
    scaled = {cell: int(number.scaleb(decimals)) for cell, number in numbers.items()}
    becomes = {}
    for group in found_groups(sorted(scaled[cell] for cell in cells), size):
        mean = mean_of(group)
        becomes |= dict.fromkeys(group, Decimal(mean).scaleb(-decimals))
    return [becomes[scaled[cell]] for cell in cells]


@examples(120)
@given(st.lists(st.integers(-300, 9000), min_size=4, max_size=30), st.integers(2, 4), st.sampled_from([0, 1, 2]))
def test_cells_become_the_means_of_their_groups(numbers, size, decimals):
    cells = [str(Decimal(number).scaleb(-decimals)) for number in numbers]
    table = protect_source(open_source({"x": [*cells, None, "*"]}, "t"), {"x": {"groups_of": str(size)}})
    after = next(iter(table.read(("x",)))).column(0).to_pylist()
    assert after[-2:] == [None, "*"]
    assert list(map(Decimal, after[:-2])) == literal(cells, size)
    assert min(Counter(after[:-2]).values()) >= size
    change = changes_in(table)["x"]
    mean = sum(map(Decimal, cells)) / len(cells)
    spread = sum((Decimal(cell) - mean) ** 2 for cell in cells)
    error = sum((Decimal(one) - Decimal(other)) ** 2 for one, other in zip(cells, after, strict=False))
    assert change.variance_kept == (pytest.approx(max(0.0, float(1 - error / spread))) if spread else None)
    assert change.changed == sum(one != other for one, other in zip(cells, after, strict=False))


@pytest.mark.parametrize(
    ("cells", "size", "wanted"),
    [
        ("12 13 50", 3, "17 17 17"),  # 50 counts as 25
        ("0 0 0 5", 3, "0 0 0 0"),
        ("-50 -13 -12", 3, "-17 -17 -17"),
        ("50 50 1", 3, "34 34 34"),  # two have it
        ("NT$1,000 NT$2,001 NT$1,500", 3, "NT$1500 NT$1500 NT$1500"),
        ("1000.00 2001 1,500", 3, "1500.33 1500.33 1500.33"),
        ("1.5 2 2.25", 3, "1.92 1.92 1.92"),
        ("1e3 2e3 2001", 2, "1667 1667 1667"),
        ("123456789012345678901 123456789012345678903 5e20", 2, "164609052016460905203 " * 3),
        ("1.23456789012 1.34567890123 1.3", 3, "1.29341560 " * 3),
        ("7 7", 2, "7 7"),
    ],
)
def test_values(cells, size, wanted):
    counts = Counter(cells.split())
    fitted = fit_groups(protection_of("x", {"groups_of": size}), counts)
    assert [fitted.value(cell) for cell in cells.split()] == wanted.split()
    assert all(fitted.value(label) == label for label in wanted.split())


@pytest.mark.parametrize(("records", "size", "groups", "_error"), ANSWERS)
def test_groups_of_large_numbers_are_those_of_small_ones(records, size, groups, _error):
    """Their squares, and their sums, have more digits than a double and 64 bits."""
    cells = [str(9 * 10**16 + record) for record in records]
    fitted = fit_groups(protection_of("x", {"groups_of": size}), Counter(cells))
    wanted = [mean_of([9 * 10**16 + record for record in group]) for group in groups for _ in group]
    assert [int(fitted.value(cell)) for cell in cells] == wanted
    many = Counter({"90000000000000001": 300, "90000000000000004": 300})
    assert fit_groups(protection_of("x", {"groups_of": 400}), many).value("90000000000000001") == "90000000000000002"


def test_types_stay():
    import pyarrow as pa

    columns = {"whole": pa.array(range(20)), "real": pa.array([row / 4 for row in range(20)]), "text": ["5"] * 20}
    declared = {name: {"groups_of": 5} for name in columns}
    table = protect_source(open_source(pa.table(columns), "t"), declared)
    piece = next(iter(table.read(tuple(columns))))
    assert [piece.column(index).type for index in range(2)] == [pa.int64(), pa.float64()]
    assert piece.column(0).to_pylist() == [2 + 5 * (row // 5) for row in range(20)]
    again = protect_source(table, declared)
    assert next(iter(again.read(tuple(columns)))).equals(piece)


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (["1", "2", "many"], "1 of its 3 values are not numbers"),
        (["5 kg", "5 g", "7 kg"], "3 of its 3 values are not numbers, all with the same currency or unit"),
        (["1", "2", None, "*"], "groups of 3 records need at least 3 values, and it has 2"),
    ],
)
def test_what_cannot_be_grouped(cells, problem):
    with pytest.raises(InputError, match=problem) as error:
        protect_source(open_source({"cost": cells}, "t"), {"cost": {"groups_of": 3}})
    assert "many" not in str(error.value)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"groups_of": 1}, "groups_of: expected a whole number from 2 to 10,000"),
        ({"groups_of": 2.5}, "groups_of: expected a whole number"),
        ({"groups_of": "some"}, "groups_of: expected numbers"),
        ({"groups_of": 3, "round": 10}, "'groups_of' and 'round' exclude each other"),
        ({"groups_of": 3, "dates": "month"}, "exclude each other"),
    ],
)
def test_mistakes(words, problem):
    with pytest.raises(ParameterError, match=problem):
        protection_of("x", words)


def test_nothing_to_group():
    table = protect_source(open_source({"x": [None, "*"]}, "t"), {"x": {"groups_of": 3}})
    assert next(iter(table.read(("x",)))).column(0).to_pylist() == [None, "*"]


@pytest.mark.filterwarnings("ignore::PETWorks.errors.ReleaseWarning")
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_plan_forms_groups_of_the_other_table(engine):
    def release(cells):
        roles = {"quasi_identifiers": ["sex"], "sensitive_attributes": ["cost"]}
        levels = {"sex": [["f", "*"], ["m", "*"]]}
        data = {"sex": ["f", "m"] * (len(cells) // 2), "cost": cells}
        return Release(data, roles, levels, protect={"cost": {"groups_of": 4}}, engine=engine)

    cells, others = [[row**2 // divisor for row in range(20)] for divisor in (1, 7)]
    result = anonymize(release(cells), {"k-anonymity": {"k": 2}})
    assert sorted(map(int, result.table["cost"].to_pylist())) == sorted(literal(list(map(str, cells)), 4))
    assert result.plan["protect"] == {"cost": {"groups_of": "4"}}
    again = apply_plan({"sex": ["f", "m"] * 10, "cost": others}, result.plan, {"sex": [["f", "*"], ["m", "*"]]})
    assert sorted(map(int, again.table["cost"].to_pylist())) == sorted(literal(list(map(str, others)), 4))
    with pytest.raises(PETWorksError, match="need at least 4 values"):
        apply_plan({"sex": ["f", "m"], "cost": [1, 2]}, result.plan, {"sex": [["f", "*"], ["m", "*"]]})
