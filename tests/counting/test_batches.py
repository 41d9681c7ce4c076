"""How counting is divided: batches of whole classes on several threads, and the tasks of Spark's executors."""

import threading
from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from conftest import TINY_BATCHES, TINY_PARTS, constants, small_batches
from PETWorks import Release
from PETWorks.attributetypes import INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.engines.partitioned import Part, WordLayout, class_starts
from PETWorks.counting.engines.spark_tasks import (
    Coding,
    count_blocks,
    encode_blocks,
    merge_cells,
    parts_of_pieces,
    split_by_target,
    with_class_totals,
)
from processes import PATIENCE

ROLES = {"a": QUASI_IDENTIFIER, "b": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE, "p": INSENSITIVE_ATTRIBUTE}
CELLS = 3


def table(rows, seed):
    """Classes with one to a handful of sensitive values; some records are suppressed, some people are there twice."""
    random = np.random.default_rng(seed)
    codes = {"a": random.integers(0, 4, rows), "b": random.integers(0, 3, rows), "s": random.integers(0, 5, rows)}
    columns = {name: [str(code) for code in own.tolist()] for name, own in codes.items()}
    columns["p"] = [str(number * number % 37) for number in range(rows)]
    for row in (4, 9, 30):
        columns["a"][row] = columns["b"][row] = "*"
    return columns


def made(rows=60, seed=3, **options):
    return Release(pa.table(table(rows, seed)), ROLES, **options)


def asked(release, **options):
    """Each batch as lists; batches are kept in the order in which they are merged."""

    def values(classes):
        people = None if classes.people is None else classes.people.tolist()
        return [
            (classes.sizes.tolist(), classes.starts.tolist(), classes.values.tolist(), classes.counts.tolist(), people)
        ]

    view = release.view
    return view.answer(view.fold_question("values", "s", values, lambda one, other: one + other, **options))


@pytest.mark.parametrize("unit", [None, "p"])
def test_batches_are_whole_classes_and_as_large_as_may_be(unit):
    [whole] = asked(made(privacy_unit=unit))
    with small_batches(CELLS):
        batches = asked(made(privacy_unit=unit))
    assert len(batches) > 5
    for position in (0, 2, 3, 4):  # sizes, values, counts, people: nothing lost, nothing in another order
        if whole[position] is not None:
            assert [number for batch in batches for number in batch[position]] == whole[position]
    cells_per_class = np.diff([*whole[1], len(whole[2])]).tolist()
    first_class = 0
    for sizes, starts, values, _, _ in batches:
        own = cells_per_class[first_class : first_class + len(sizes)]
        assert starts == [0, *np.cumsum(own)[:-1].tolist()]
        assert len(values) == sum(own)
        assert len(values) <= CELLS or len(sizes) == 1
        first_class += len(sizes)
        following = cells_per_class[first_class : first_class + 1]
        assert not following or len(values) + following[0] > CELLS  # one more would not have fit


def test_batches_of_classes_with_their_values():
    def codes(classes):
        return [(classes.sizes.tolist(), {name: own.tolist() for name, own in classes.codes.items()})]

    def joined(one, other):
        return one + other

    view = made().view
    [(sizes, columns)] = view.answer(view.fold_codes_question("codes", codes, joined))
    with small_batches(CELLS):
        view = made().view
        batches = view.answer(view.fold_codes_question("codes", codes, joined))
    assert [len(batch[0]) for batch in batches] == [CELLS] * (len(sizes) // CELLS) + [len(sizes) % CELLS] * (
        len(sizes) % CELLS > 0
    )
    assert [size for batch, _ in batches for size in batch] == sizes
    for name, own in columns.items():
        assert [code for _, batch in batches for code in batch[name]] == own


ENGINES = ["memory", "duckdb"]


@pytest.mark.parametrize("engine", ENGINES)
def test_people_of_a_class_and_its_values_are_literally_counted(engine):
    rows = list(zip(*table(60, 3).values(), strict=True))
    expected = Counter()
    for known in {row[:2] for row in rows} - {("*", "*")}:
        own = [row for row in rows if row[:2] == known]
        values = Counter(value for value, _ in {row[2:] for row in own})
        expected[len({row[3] for row in own}), tuple(sorted(values.items()))] += 1
    with constants(**TINY_BATCHES, **TINY_PARTS):
        release = made(privacy_unit="p", engine=engine)
        labels = release.marginal("s").values
        found = Counter()
        for sizes, starts, values, counts, people in asked(release):
            cells = list(zip((labels[value] for value in values), counts, strict=True))
            for place, (first, last) in enumerate(pairwise([*starts, len(cells)])):
                number = sizes[place] if people is None else people[place]
                found[number, tuple(sorted(cells[first:last]))] += 1
    assert found == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_classes_of_two_tables_are_literally_counted(engine):
    """Suppressed records of the release stand aside; those of the other table are a class, as any."""
    here, there = (Counter(zip(own["a"], own["b"], strict=True)) for own in (table(60, 3), table(35, 4)))
    expected = Counter((0 if known == ("*", "*") else here[known], there[known]) for known in here | there)

    def pairs(classes):
        return [list(zip(classes.released.tolist(), classes.background.tolist(), strict=True))]

    with constants(**TINY_BATCHES, **TINY_PARTS):
        release = made(original=pa.table(table(35, 4)), engine=engine)
        batches = release.view.fold_with(release.original, pairs, lambda one, other: one + other)
    assert len(batches) > 2
    assert Counter(pair for batch in batches for pair in batch) == expected


def test_large_tables_are_counted_on_several_threads():
    """Two kernels wait for each other, which they could not one after the other."""
    meeting = threading.Barrier(2, timeout=PATIENCE)

    def kernel(classes):
        if not met:
            meeting.wait()
            met.append(threading.get_ident())
        return len(classes.sizes)

    met = []
    with small_batches(CELLS):
        release = made()
        assert (
            release.view.answer(release.view.fold_question("classes", "s", kernel, int.__add__))
            == release.class_sizes().number
        )
    assert len(set(met)) == 2


def test_an_error_of_a_kernel_on_a_thread_is_raised():
    def kernel(classes):
        raise ZeroDivisionError

    view = made().view
    with small_batches(CELLS), pytest.raises(ZeroDivisionError):
        view.answer(view.fold_question("failing", "s", kernel, int.__add__))


# --- what Spark's executors do, without Spark


def counted(parts, words):
    """Rows by code, from parts."""
    total = Counter()
    for part in parts:
        codes = words.codes(part.words)
        for *row, number in zip(*(own.tolist() for own in codes.values()), part.numbers[0].tolist(), strict=True):
            total[tuple(row)] += number
    return total


def stored(blocks):
    """What is kept of blocks: the numbers of pieces that follow, and the pieces."""
    for block in blocks:
        if block.column(0)[0].as_py() < 0:
            yield block.select(["n", "b"])


def test_cells_are_merged_by_all_of_their_words():
    rows = [(1, 5, 10, 1), (0, 7, 20, 0), (1, 4, 30, 2), (1, 5, 40, 3), (0, 9, 50, 1), (1, 4, 60, 0)]
    first, second, numbers, others = (np.array(own, np.int64) for own in zip(*rows, strict=True))
    part = merge_cells(Part([first, second], [numbers, others]))
    assert [own.tolist() for own in part.words] == [[0, 0, 1, 1], [7, 9, 4, 5]]
    assert [own.tolist() for own in part.numbers] == [[20, 50, 90, 50], [0, 1, 2, 4]]
    assert class_starts(part.words, [-1, -1]).tolist() == [0, 1, 2, 3]
    assert class_starts(part.words, [-1]).tolist() == [0, 2]


@pytest.mark.parametrize("sizes", [{}, TINY_PARTS, TINY_PARTS | {"BYTES_PER_PIECE": 100, "PIECES_PER_BATCH": 2}])
@pytest.mark.parametrize("rows", [1, 3, 20])
def test_blocks_are_counted_and_none_is_lost(sizes, rows):
    random = np.random.default_rng(rows)
    table = {name: [str(code) for code in random.integers(0, 3, rows).tolist()] for name in "xyu"}
    table["u"][0] = None
    codings = {
        "x": Coding(0, pa.array(["0", "1", "2"], pa.large_string()), None),
        "y": Coding(1, pa.array(["0", "1", "2"], pa.large_string()), np.array([0, 0, 1])),
    }
    words = WordLayout.of({"x": 40, "y": 40})  # two words
    batches = pa.table(table).to_batches(max_chunksize=2)
    with constants(**sizes):
        blocks = list(encode_blocks(None, 2, False, "", iter(batches)))
        parts = list(count_blocks(words, codings, stored(blocks)))
        pieces = list(split_by_target(lambda _: iter(parts), words.masks(1), 3, iter([])))
    recoded = [str([0, 0, 1][int(value)]) for value in table["y"]]
    expected = Counter(zip(map(int, table["x"]), map(int, recoded), strict=True))
    assert counted(parts, words) == expected
    assert len(parts) == (1 if not sizes else -(-rows // 4))  # a block is full with the batch that fills it
    values = Counter()
    for block in blocks:
        for place, value, number, piece in zip(*block.to_pydict().values(), strict=True):
            if piece is None:
                values[place, value] += number
    assert values == Counter((place, value) for place in (0, 1) for value in table["xy"[place]]) + Counter(
        {(2, None): 1}
    )
    assert counted(parts_of_pieces(2, 1, iter(pieces)), words) == expected


def test_all_cells_of_a_class_are_sent_to_one_target():
    words = WordLayout.of({"x": 4, "y": 4})
    codes = {"x": np.arange(200) % 10, "y": np.arange(200) // 10 % 16}
    part = Part(words.packed(codes, 200), [np.ones(200, np.int64)])
    with constants(BYTES_PER_PIECE=64):
        [pieces] = split_by_target(lambda _: iter([part]), words.masks(1), 4, iter([]))
    targets = {}
    for place, target in enumerate(pieces.column(0).to_pylist()):
        [own] = parts_of_pieces(1, 1, iter([pieces.slice(place, 1)]))
        for code in words.codes(own.words)["x"].tolist():
            targets.setdefault(code, set()).add(target)
    assert sorted(targets) == list(range(10))
    assert all(len(own) == 1 for own in targets.values())
    assert len(set.union(*targets.values())) > 1


def test_people_of_a_class_are_added_to_its_cells():
    words = WordLayout.of({"x": 2, "y": 2})
    rows = {(0, 1): (3, 0), (1, 0): (1, 4), (1, 2): (2, 0), (0, 0): (0, 2)}  # those of people have no y
    codes = {"x": np.array([x for x, _ in rows]), "y": np.array([y for _, y in rows])}
    numbers = [np.array(own) for own in zip(*rows.values(), strict=True)]
    part = with_class_totals(words.masks(1), merge_cells(Part(words.packed(codes, 4), numbers)))
    assert {name: own.tolist() for name, own in words.codes(part.words).items()} == {"x": [0, 1, 1], "y": [1, 0, 2]}
    assert [own.tolist() for own in part.numbers] == [[3, 1, 2], [2, 4, 4]]
