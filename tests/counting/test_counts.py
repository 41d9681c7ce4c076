"""The counting engine against plain counting."""

import subprocess
import sys
import tracemalloc
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import TINY_BATCHES, constants, examples
from PETWorks import Release
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.counts import ClassValues, Grouping, largest_ratio
from PETWorks.measures.attacks.reidentification import record_class_modes


def release(columns, sensitive):
    roles = dict.fromkeys(columns, QUASI_IDENTIFIER) | {sensitive: SENSITIVE_ATTRIBUTE}
    return Release(pa.table(columns), roles)


def counted(table):
    """All classes as (size, counts of the sensitive values), batch by batch."""

    def kernel(classes):
        cells = np.split(classes.counts, classes.starts[1:]) if len(classes.sizes) else []
        return [(int(size), tuple(sorted(part.tolist()))) for size, part in zip(classes.sizes, cells, strict=True)]

    question = table.view.fold_question(
        "classes", table.sensitive_attributes[0], kernel, lambda one, other: one + other
    )
    return Counter(table.view.answer(question))


def expected(columns, sensitive):
    known = [name for name in columns if name != sensitive]
    groups = {}
    for row in zip(*(columns[name] for name in known), columns[sensitive], strict=True):
        if set(row[:-1]) != {"*"}:
            groups.setdefault(row[:-1], Counter())[row[-1]] += 1
    return Counter((sum(values.values()), tuple(sorted(values.values()))) for values in groups.values())


@pytest.fixture(params=["as it is", "sorted only", "small batches"])
def engine_settings(request):
    """Small tables take the ways that large ones take."""
    ways = {"as it is": {}, "sorted only": {"BINCOUNT_BITS": -1}, "small batches": TINY_BATCHES | {"SMALL_CLASS": 2}}
    with constants(**ways[request.param]):
        yield


@pytest.mark.parametrize(("columns", "values"), [(1, 3), (3, 4), (40, 3), (9, 1000), (5, 60000)])
def test_classes_of_tables_narrow_and_wide(columns, values, engine_settings):
    """Forty columns of two bits and more, and nine of ten, need more than 64 bits together."""
    random = np.random.default_rng(columns * values)
    rows = 3000
    pattern = random.integers(0, values, (200, columns))[random.integers(0, 200, rows)]
    pattern[random.integers(0, rows, 400)] = -1  # suppressed
    noisy = random.integers(0, rows, 500)
    pattern[noisy, random.integers(0, columns, 500)] = random.integers(0, values, 500)
    table = {f"q{c}": ["*" if code == -1 else str(code) for code in pattern[:, c].tolist()] for c in range(columns)}
    table["s"] = [str(value) for value in random.integers(0, 7, rows).tolist()]
    made = release(table, "s")
    groups = expected(table, "s")
    assert counted(made) == groups
    sizes = made.class_sizes()
    by_size = Counter(size for (size, _), classes in groups.items() for _ in range(classes))
    assert dict(zip(sizes.sizes.tolist(), sizes.classes.tolist(), strict=True)) == by_size
    known = list(zip(*(table[f"q{c}"] for c in range(columns)), strict=True))
    own, own_values = Counter(known), Counter(zip(known, table["s"], strict=True))
    modes = {}
    for (row, _), number in own_values.items():
        modes[row] = max(modes.get(row, 0), number)
    found = record_class_modes(made, "s")
    assert [numbers.tolist() for numbers in found] == [[own[row] for row in known], [modes[row] for row in known]]


@examples(60)
@given(data=st.data())
def test_sizes_histogram_and_records(data):
    rows = data.draw(st.integers(1, 40))
    cells = st.lists(st.sampled_from(["a", "b", "*", None]), min_size=rows, max_size=rows)
    table = {"x": data.draw(cells), "y": data.draw(cells), "s": data.draw(cells)}
    made = release(table, "s")
    groups = Counter(zip(table["x"], table["y"], strict=True))
    suppressed = groups.pop(("*", "*"), 0)
    sizes = made.class_sizes()
    found = dict(zip(sizes.sizes.tolist(), sizes.classes.tolist(), strict=True))
    assert found == Counter(groups.values())
    assert made.suppressed_records == suppressed
    assert sizes.records + suppressed == rows
    assert made.class_sizes(attacker=True).number == len(groups) + (suppressed > 0)


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_wide_keys_leave_room_for_the_sensitive_value(columns):
    """Each column has 17 bits: three and the sensitive one are too many, and four are by themselves."""
    codes = [str(number) for number in range(70_000)]
    table = {f"q{c}": list(codes) for c in range(columns)} | {"s": list(codes)}
    # Rows that differ only in the highest bits of the first column.
    for number in range(100):
        for first in (number, 65_536 + number):
            table["q0"].append(codes[first])
            for other in list(table)[1:]:
                table[other].append(codes[7])
    assert counted(release(table, "s")) == expected(table, "s")


def test_relabelling_joins_cells():
    classes = ClassValues(np.array([6, 3]), np.array([0, 3]), np.array([0, 1, 2, 2]), np.array([1, 2, 3, 3]))
    joined = classes.relabel(np.array([1, 0, 1]))
    assert joined.starts.tolist() == [0, 2]
    assert joined.values.tolist() == [0, 1, 1]
    assert joined.counts.tolist() == [2, 4, 3]
    of_people = replace(classes, people=np.array([4, 2])).relabel(np.array([1, 0, 1]))
    assert of_people.people.tolist() == [4, 2]


@given(st.lists(st.tuples(st.integers(0, 2**62), st.integers(1, 2**62)), min_size=1, max_size=20))
def test_largest_ratio_is_exact(pairs):
    value, denominator = largest_ratio(np.array([n for n, _ in pairs]), np.array([d for _, d in pairs]))
    best = max(Fraction(n, d) for n, d in pairs)
    assert value == best
    assert denominator == min(d for n, d in pairs if Fraction(n, d) == best)


def test_neighbouring_fractions_are_told_apart():
    """Ratios that are one and the same floating point number; negative ones too."""
    assert largest_ratio(np.array([-3, -1, -2]), np.array([1, 1, 2])) == (-1, 1)
    large = 2**60
    value, _ = largest_ratio(np.array([large, large + 1]), np.array([large + 1, large + 2]))
    assert value.numerator == large + 1
    # As floating point numbers the first of these is the smaller one.
    above, below = (2615410861762272409, 2615410861762272553), (3118053355484093579, 3118053355484094007)
    value, _ = largest_ratio(np.array([above[0], below[0]]), np.array([above[1], below[1]]))
    assert value == Fraction(*above) > Fraction(*below)


def test_pandas_stays_out_of_it(tmp_path):
    """PyArrow imports pandas behind one's back in some conversions; that takes a second."""
    path = tmp_path / "t.csv"
    path.write_text("a;b;s\n1;x;5\n;x;\n2; y;7\n")
    code = f"""
import sys
from PETWorks import Release, evaluate
roles = {{"a": "quasi_identifier", "b": "quasi_identifier", "s": "sensitive_attribute"}}
hierarchies = {{"a": [("1", "*"), ("2", "*")], "b": [("x", "*"), ("y", "*")]}}
release = Release({str(path)!r}, roles, hierarchies, {str(path)!r})
evaluate(release)
release.profiles()
sys.exit("pandas" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("when", ["decorated", "called"])
@pytest.mark.parametrize("error", [RuntimeError("no locator available"), EOFError(), OSError(28, "No space left")])
def test_loops_are_compiled_even_where_nothing_can_be_kept(monkeypatch, when, error):
    from PETWorks.counting.subsets import kernels

    def fail(*_):
        raise error

    def njit(**options):
        if options.get("cache"):
            return fail if when == "decorated" else lambda _: fail
        return lambda function: function

    monkeypatch.setattr("numba.njit", njit)
    assert kernels.compile_lazily(len)([1, 2]) == 2


def test_classes_of_many_groupings_are_not_all_kept():
    """Only their sizes are asked for, and a table whose records are all different has as many classes as records."""
    rows, names = 50_000, ("a", "b", "c", "d", "e")
    numbers = np.random.default_rng(1).integers(0, 300, (len(names), rows))
    columns = dict(zip(names, numbers.astype(str).tolist(), strict=True))
    table = Release(columns, dict.fromkeys(names, QUASI_IDENTIFIER))
    table.class_sizes()
    tracemalloc.start()
    try:
        for name in names:
            others = tuple(one for one in names if one != name)
            assert table.view.sizes_by(Grouping(others, others)).records == rows
        assert tracemalloc.get_traced_memory()[0] < 8 * rows, "less than one number per class"
    finally:
        tracemalloc.stop()
