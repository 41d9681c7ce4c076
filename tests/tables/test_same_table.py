"""The same table gives the same cells, the same numbers and the same release, whatever file it is in."""

import tempfile
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import examples
from PETWorks import Release, evaluate
from PETWorks.tables.opening import open_source
from PETWorks.tables.writing import whole_table
from searches import anonymize
from table_files import WRITERS, Column

TEXTS = st.one_of(
    st.from_regex(r"0{0,3}[0-9]{1,6}", fullmatch=True),
    st.sampled_from(
        ["true", "1.0", "1e5", "=1+1", "-", "NA", "*", "2024-05-01", "王小明", '5" pipe', "a;b,c", "\u4e00"]
    ),
    st.text(
        st.characters(min_codepoint=33, max_codepoint=0x2FFF, exclude_categories=["C", "Z"]), min_size=1, max_size=8
    ),
)
WHOLE = st.one_of(st.integers(-5, 5), st.integers(-(2**53), 2**53), st.just(999_999_999_999_999))
REAL = st.one_of(st.integers(-(10**9), 10**9).map(lambda number: number / 1000), st.sampled_from([0.1, 1e-7, 5.0]))
DATES = st.dates(date(1900, 3, 1), date(2199, 12, 31))
LABELS = {1: "male", 2: "female", 3: "7", 99: "refused"}


@st.composite
def tables(draw):
    size = draw(st.integers(1, 8))

    def cells(values):
        return draw(st.lists(st.one_of(st.none(), values), min_size=size, max_size=size))

    return {
        "person": Column("text", [f"{number:03}" for number in range(size)]),
        "zip": Column("text", cells(TEXTS)),
        "count": Column("whole", cells(WHOLE)),
        "income": Column("real", cells(REAL)),
        "born": Column("date", cells(DATES)),
        "sex": Column("labelled", cells(st.sampled_from(list(LABELS))), LABELS),
    }


@examples(60)
@given(tables())
def test_cells_are_the_same_in_every_file(columns):
    expected = {name: column.texts for name, column in columns.items()}
    with tempfile.TemporaryDirectory() as folder:
        for name, write in WRITERS.items():
            path = Path(folder, name)
            write(path, columns)
            source = open_source(path, "the table")
            table = whole_table(source)
            assert {name: table[name].to_pylist() for name in table.column_names} == expected, name
            assert source.rows == table.num_rows


COLUMNS = {
    "zip": Column("text", ["0471", "0471", "0472", "0471", None, "0472", "0472", "0471"]),
    "age": Column("whole", [35, 36, 35, 36, 51, 52, 51, 36]),
    "born": Column("date", [date(1990, 5, day) for day in (1, 1, 2, 2, 1, 1, 2, 2)]),
    "sex": Column("labelled", [1, 2, 1, 99, 2, None, 1, 2], LABELS),
    "income": Column("real", [1.5, 2.0, 1.5, 0.25, 1e-3, None, 2.0, 2.5]),
}
ROLES = {
    "zip": "quasi_identifier",
    "age": "quasi_identifier",
    "sex": "quasi_identifier",
    "income": "sensitive_attribute",
    "born": "insensitive_attribute",
}
AGES = [[str(age), f"{age // 10 * 10}s", "*"] for age in (35, 36, 51, 52)]


def numbers_and_release(folder, name):
    path = folder / name
    WRITERS[name](path, COLUMNS)
    numbers = {result.measure: result.value for result in evaluate(Release(path, ROLES))}
    roles = {**ROLES, "zip": "insensitive_attribute", "sex": "insensitive_attribute"}
    released = anonymize(path, roles, {"age": AGES}, {"k-anonymity": {"k": 2}})
    return numbers, released.table.to_pylist()


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return numbers_and_release(tmp_path_factory.mktemp("reference"), "plain.csv")


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "plain.csv"])
def test_numbers_and_releases_are_the_same_for_every_file(name, reference, tmp_path):
    numbers, released = numbers_and_release(tmp_path, name)
    assert len(numbers) > 10
    assert numbers == reference[0]
    assert released == reference[1]
