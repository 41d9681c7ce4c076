"""The engines say the same: every measure, random tables, odd cells, several words per key, subsets."""

import warnings
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import frames
from comparison import ONE_LEVEL, close
from conftest import REFERENCE, ROOT, TINY_PARTS, cases, constants, examples
from definitions import TWINS, UNDEFINED
from PETWorks import Release, catalogue, evaluate
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.counting.engines import partitioned as words
from PETWorks.counting.engines import spark_tasks
from PETWorks.counting.engines.engine import MemoryEngine, choose, size_in_bytes
from PETWorks.errors import InputError, NotApplicable, ParameterError, RoleError
from PETWorks.measures.attacks.inference import attribute_inference_per_record
from PETWorks.measures.attacks.reidentification import re_identification_per_record
from PETWorks.measures.attacks.subsets import every_subset
from PETWorks.measures.attacks.uniques import minimal_uniques
from PETWorks.measures.result import flatten
from PETWorks.tables.opening import open_source
from spark_cluster import needs_spark

NAMES = sorted(set(catalogue) - {"utility-bias"})  # it asks a function of the user, no engine
OUT_OF_ORDER = {"non-uniform-entropy"}  # compares rows in their order
ENGINES = ["duckdb", pytest.param("spark", marks=needs_spark)]


@pytest.fixture
def small_parts():
    """Parts of a few rows, as large tables have of many."""
    with constants(**TINY_PARTS):
        yield


def results(case, engine):
    release = frames.release_of(case, engine=engine)
    assert release.engine.name == engine
    found = {}
    for name in NAMES:
        try:
            found[name] = catalogue[name](release)
        except NotApplicable as reason:
            found[name] = str(reason)
    release.engine.close()
    return found


def same(one, other, name):
    """Integers, fractions and verdicts bit for bit; floats up to the order in which they were added."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    assert one.satisfied == other.satisfied
    flat_one, flat_other = (flatten({"value": found.value, **found.details}) for found in (one, other))
    assert list(flat_one) == list(flat_other)
    return all(close(flat_one[key], flat_other[key], name) for key in flat_one)


@pytest.mark.slow
@examples(60)
@given(case=cases())
def test_duckdb_agrees_with_every_definition(case):
    with constants(**TINY_PARTS):
        for name, found in results(case, "duckdb").items():
            value = UNDEFINED if isinstance(found, str) else found.value
            if value != UNDEFINED or name not in ONE_LEVEL:
                expected = TWINS[name](case)
                assert close(value, expected, name), (name, value, expected)


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "tries"), [("duckdb", 40), pytest.param("spark", 2, marks=needs_spark)])
def test_every_measure_says_the_same_as_in_memory(engine, tries, small_parts):
    @examples(tries)
    @given(case=cases())
    def compared(case):
        in_memory, elsewhere = results(case, "memory"), results(case, engine)
        for name in NAMES:
            if engine == "spark" and name in OUT_OF_ORDER:
                assert "in the order of the input" in elsewhere[name] or "needs" in in_memory[name]
            else:
                assert same(in_memory[name], elsewhere[name], name), name

    compared()


TEXT = st.text(max_size=6) | st.sampled_from(
    ["", " ", "*", "NULL", "\x00", "a'b", 'a"b', "a`b", "; DROP TABLE rows_1", "\u00a0x", "\ufeff", "𝔘", "é", "e\u0301"]
)
COLUMNS = {
    "text": (pa.string(), TEXT | st.none()),
    "whole": (pa.int64(), st.integers(-3, 3) | st.none()),
    "real": (pa.float64(), st.sampled_from([0.0, -0.0, 1.0, 1e300, 0.1, float("nan"), float("inf")]) | st.none()),
    "yes": (pa.bool_(), st.booleans() | st.none()),
    "day": (pa.date32(), st.dates() | st.none()),
}


@st.composite
def odd_tables(draw):
    """Columns of several types, with names that would be code elsewhere."""
    rows = draw(st.integers(1, 12))
    names = ['a"b', "x`y", "'; --", "SELECT", "c0"]
    chosen = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=2, max_size=5))
    columns = {}
    for name, kind in zip(names, chosen, strict=False):
        column_type, cells = COLUMNS[kind]
        columns[name] = pa.array(draw(st.lists(cells, min_size=rows, max_size=rows)), column_type)
    return pa.table(columns)


def counted(table, engine):
    """What can be counted of a table, by value, whatever order the values have."""
    *known, sensitive = table.column_names
    roles = dict.fromkeys(known, QUASI_IDENTIFIER) | {sensitive: SENSITIVE_ATTRIBUTE}
    release = Release(table, roles, {}, engine=engine)
    marginals = {
        name: dict(zip((found := release.marginal(name)).values, found.counts.tolist(), strict=True)) for name in roles
    }
    values = release.marginal(sensitive).values

    def histories(classes):
        if len(classes.sizes) == 0:
            return []  # all records are suppressed
        cells = [
            (int(size), *sorted((str(values[v]), int(n)) for v, n in zip(own_values, own_counts, strict=True)))
            for size, own_values, own_counts in zip(
                classes.sizes,
                np.split(classes.values, classes.starts[1:]),
                np.split(classes.counts, classes.starts[1:]),
                strict=True,
            )
        ]
        return sorted(cells)

    question = release.view.fold_question("histories", sensitive, histories, lambda one, other: sorted(one + other))
    folded = release.view.answer(question)
    sizes = release.class_sizes()
    subsets = every_subset(release)
    release.engine.close()
    return (
        marginals,
        folded,
        sizes.sizes.tolist(),
        sizes.classes.tolist(),
        subsets.masks.tolist(),
        subsets.counts,
    )


@pytest.mark.parametrize(("engine", "tries"), [("duckdb", 60), pytest.param("spark", 2, marks=needs_spark)])
def test_odd_cells_and_names_are_counted_alike(engine, tries, small_parts):
    @examples(tries)
    @given(table=odd_tables())
    def compared(table):
        assert counted(table, engine) == counted(table, "memory")

    compared()


@pytest.mark.parametrize("engine", ENGINES)
def test_keys_of_several_words(engine, small_parts):
    random = np.random.default_rng(5)
    table = {f"q{place}": random.integers(0, 300, 40).astype(str) for place in range(18)}
    table = pa.table({name: np.where(random.random(40) < 0.7, cells[:1], cells) for name, cells in table.items()})
    assert words.WordLayout.of(dict.fromkeys(table.column_names, 9)).number > 2
    known = table.column_names[:-1]
    roles = dict.fromkeys(known, QUASI_IDENTIFIER) | {table.column_names[-1]: SENSITIVE_ATTRIBUTE}
    found = [evaluate(Release(table, roles, {}, engine=name)).to_dict()["results"] for name in ("memory", engine)]
    for one, other in zip(*found, strict=True):
        numbers, others = flatten(one), flatten(other)
        assert list(numbers) == list(others)
        assert [key for key in numbers if not close(numbers[key], others[key], one["measure"])] == []


TABLES = REFERENCE if REFERENCE.is_dir() else ROOT / "data"  # which has smaller ones of the same people


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("released", sorted(path.name for path in TABLES.glob("*_anonymized.csv")))
def test_tables_say_the_same(engine, released):
    original = TABLES / released.replace("_anonymized", "")
    assert_same({"data": TABLES / released, "original": original if original.is_file() else None}, engine)


def assert_same(tables, engine):
    """All measures together, as they are asked for most often; random tables are asked for each of them alone."""
    releases = [Release(**tables, engine=name) for name in ("memory", engine)]
    if not releases[0].quasi_identifiers:
        for release in releases:
            with pytest.raises(RoleError):
                evaluate(release)
        return
    in_memory, elsewhere = map(evaluate, releases)
    out_of_order = OUT_OF_ORDER if engine == "spark" else set()
    for expected in in_memory:
        if expected.measure not in out_of_order:
            assert same(expected, elsewhere[expected.measure], expected.measure), expected.measure
    kinds = [{name: type(reason) for name, reason in found.reasons.items()} for found in (in_memory, elsewhere)]
    for name in NAMES:
        assert name in out_of_order or kinds[0].get(name) == kinds[1].get(name), name


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_told_of_each_record_needs_records(engine):
    release = Release("data/patient_anonymized.csv", engine=engine)
    for ask in (
        re_identification_per_record,
        minimal_uniques,
        lambda one: attribute_inference_per_record(one, "Disease"),
    ):
        with pytest.raises(NotApplicable, match=f"need the engine 'memory'; '{engine}' keeps counts, not records"):
            ask(release)


def test_sizes_are_read_as_they_are_written():
    assert [size_in_bytes(text) for text in ("2GB", "2 gb", "512MiB", "1.5g", "300000000")] == [
        2 * 10**9, 2 * 10**9, 512 << 20, 15 * 10**8, 3 * 10**8,
    ]  # fmt: skip
    for wrong in ("2", "GB", "-2GB", "two", "", 10, True, 2.5):
        with pytest.raises(ParameterError, match="expected a memory limit in bytes or like '2GB'"):
            size_in_bytes(wrong)


def test_auto_counts_in_memory_what_fits_and_says_why_if_not():
    table = pa.table({"a": ["x"] * 10_000_000})
    source = open_source(table, "t")
    assert isinstance(choose("auto", [source], 1), MemoryEngine)
    engine = choose("auto", [source, source], 1, "300MB")
    assert (engine.name, engine.note) == (
        "duckdb",
        "0.5 GB may be needed in memory, 0.3 GB are allowed: counted with DuckDB",
    )
    engine.close()
    with pytest.raises(InputError, match=r"about 0\.5 GB may be needed .* use the engine 'duckdb' or 'auto'"):
        choose("memory", [source, source], 1, "300MB")
    with pytest.raises(ParameterError, match="expected the engine 'auto', 'memory', 'duckdb', 'spark', got 'polars'"):
        choose("polars", [source], 1)


def test_an_engine_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr("PETWorks.counting.engines.engine.find_spec", lambda _: None)
    for engine in ("duckdb", "spark"):
        with pytest.raises(InputError, match=rf"pip install 'petworks\[{engine}\]'"):
            Release("data/patient_anonymized.csv", engine=engine)


def test_duckdb_leaves_nothing_behind(tmp_path):
    release = Release("data/patient_anonymized.csv", engine="duckdb", temp_folder=tmp_path)
    assert release.class_sizes().number == 3
    assert len(list(tmp_path.iterdir())) == 1
    release.engine.close()
    assert list(tmp_path.iterdir()) == []
    forgotten = Release("data/patient_anonymized.csv", engine="duckdb", temp_folder=tmp_path)
    del forgotten
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="the folder for temporary files"):
        Release("data/patient_anonymized.csv", engine="duckdb", temp_folder=tmp_path / "none")


@examples(50)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=12), st.data())
def test_words_give_back_what_was_packed(bits, data):
    layout = words.WordLayout.of({str(place): own for place, own in enumerate(bits)})
    codes = {
        str(place): np.array(data.draw(st.lists(st.integers(0, (1 << own) - 1), min_size=3, max_size=3)), np.uint64)
        for place, own in enumerate(bits)
    }
    packed = layout.packed(codes, 3)
    assert all((word >= 0).all() for word in packed)
    assert {name: own.tolist() for name, own in layout.codes(packed).items()} == {
        name: own.tolist() for name, own in codes.items()
    }
    # The order of words is that of the codes, and a prefix of the columns lies where it lies alone.
    rows = list(zip(*(codes[name].tolist() for name in codes), strict=True))
    keys = list(zip(*(word.tolist() for word in packed), strict=True))
    assert sorted(range(3), key=lambda row: (keys[row], row)) == sorted(range(3), key=lambda row: (rows[row], row))
    first = data.draw(st.integers(1, len(bits)))
    alone = words.WordLayout.of({str(place): own for place, own in enumerate(bits[:first])})
    assert all(layout.fields[name] == field for name, field in alone.fields.items())
    masked = [word & mask for word, mask in zip(packed, layout.masks(first), strict=False)]
    assert [word.tolist() for word in masked] == [word.tolist() for word in alone.packed(codes, 3)][: len(masked)]


def test_values_are_fractions_where_they_can_be():
    release = Release("data/patient_anonymized.csv", engine="duckdb")
    found = catalogue["t-closeness"](release, t=Fraction(8, 27))
    assert found.satisfied


@pytest.mark.parametrize("engine", [pytest.param("spark", marks=needs_spark)])
def test_a_frame_that_changes_while_it_is_read_is_noticed(engine, tmp_path):
    from PETWorks.tables.frames import spark_session

    seen = tmp_path / "seen"

    def once_more(batches):
        with seen.open("a") as file:
            file.write("x")
        for batch in batches:
            yield from [batch] * min(len(seen.read_text()), 2)

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        frame = spark_session().range(0, 5, 1, 1).selectExpr("string(id) AS a").mapInArrow(once_more, "a string")
    release = Release(frame, {"a": QUASI_IDENTIFIER})
    assert release.records == 5
    release.table.store.kept[0].unpersist()  # as if the executor that keeps the codes were lost
    with pytest.raises(InputError, match="column 'a' changes while it is read; persist the data frame first"):
        release.class_sizes()


@pytest.mark.parametrize("engine", [pytest.param("spark", marks=needs_spark)])
def test_the_number_of_jobs_does_not_depend_on_the_number_of_measures(engine, tmp_path, monkeypatch):
    from PETWorks.counting.engines.spark import Jobs
    from PETWorks.tables.frames import spark_session

    table = {"a": ["1", "2"] * 50, "b": ["x", "y", "z", "z"] * 25, "s": ["u", "v", "v", "v", "w"] * 20}
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    roles = {"a": QUASI_IDENTIFIER, "b": QUASI_IDENTIFIER, "s": SENSITIVE_ATTRIBUTE}
    tracker = spark_session().sparkContext.statusTracker()
    usual, actions = Jobs.run, []
    monkeypatch.setattr(Jobs, "run", lambda jobs, action: actions.append(action) or usual(jobs, action))

    def counted(measures):
        """How many measures there are, how many times Spark is asked, and how many jobs it makes of that."""
        actions.clear()
        before = set(tracker.getJobIdsForGroup(None))
        release = Release(tmp_path / "t.parquet", roles, engine=engine)
        measured = len(evaluate(release, measures))
        release.engine.close()
        return measured, len(actions), len(set(tracker.getJobIdsForGroup(None)) - before)

    one, many = counted(["l-diversity"]), counted(None)
    assert one[0] == 1
    assert many[0] > 15
    assert one[1] == many[1] == 3  # to make a frame, to read it, to answer all questions
    assert many[2] <= 8  # Spark makes a job of each stage


@pytest.mark.parametrize("engine", [pytest.param("spark", marks=needs_spark)])
def test_spark_gives_room_back_and_leaves_python_as_it_was(engine):
    import gc
    import signal

    from PETWorks.tables.frames import spark_session

    handler = signal.getsignal(signal.SIGINT)
    release = Release("data/patient_anonymized.csv", engine="spark")
    assert release.class_sizes().number == 3
    assert spark_session().sparkContext._jsc.getPersistentRDDs().size() > 0
    del release
    gc.collect()
    assert spark_session().sparkContext._jsc.getPersistentRDDs().size() == 0
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.parametrize("engine", [pytest.param("spark", marks=needs_spark)])
def test_frames_reach_spark_as_text(engine):
    """Spark would round nanoseconds, and has no unsigned numbers of 64 bits."""
    columns = {"a": pa.array([1, 2, 1001], pa.timestamp("ns")), "A": pa.array([2**63, 1, 2], pa.uint64())}
    roles = dict.fromkeys("aA", QUASI_IDENTIFIER)
    found = [Release(pa.table(columns), roles, engine=name) for name in ("memory", engine)]
    for name in columns:
        assert set(found[0].marginal(name).values) == set(found[1].marginal(name).values)


@pytest.mark.parametrize("engine", [pytest.param("spark", marks=needs_spark)])
def test_spark_reads_the_file_that_is_named(engine, tmp_path, monkeypatch):
    """Not another one: of an earlier release, of the folder where Java started, of a name that looks like a pattern."""
    roles = dict.fromkeys("ab", QUASI_IDENTIFIER)

    def smallest(name):
        return [int(Release(name, roles, engine=one).class_sizes().sizes[0]) for one in ("memory", engine)]

    monkeypatch.chdir(tmp_path)
    table = {"a": ["1"] * 50 + ["2"] * 50, "b": ["x", "y"] * 50}
    pq.write_table(pa.table(table), "t.parquet")
    assert smallest("t.parquet") == [25, 25]
    pq.write_table(pa.table(table | {"b": ["x"] * 51 + ["y"] * 49}), "t.parquet")
    assert smallest("t.parquet") == [1, 1]
    pq.write_table(pa.table(table), "t[1].parquet")
    pq.write_table(pa.table(table | {"b": ["x"] * 100}), "t1.parquet")
    assert smallest("t[1].parquet") == [25, 25]
    (tmp_path / "big5.csv").write_bytes("a;b\n男;3\n女;4\n女;\n女;4".encode("cp950"))
    assert smallest("big5.csv") == [1, 1]
    (tmp_path / "odd.csv").write_text('a,b\n1,"x\ny"\n1,"x"\n\n1, "x"\n', "utf-8")
    assert smallest("odd.csv") == [1, 1]
    (tmp_path / "ragged.csv").write_text("a,b,c\n1,2,3\n1,2\n", "utf-8")
    with pytest.raises(InputError, match=r"ragged\.csv, line 3: 2 cells, but the header has 3"):
        Release("ragged.csv", roles, engine=engine)


@pytest.mark.parametrize("engine", [pytest.param("spark", marks=needs_spark)])
def test_spark_quotes_no_cell(engine, capfd):
    from PETWorks.tables.frames import spark_session

    failing = spark_session().range(3).selectExpr("cast('SECRET' AS int) + id AS a")
    for counted in (engine, "memory", "duckdb"):
        with pytest.raises(InputError, match="Spark: the job failed") as caught:
            Release(failing, {"a": QUASI_IDENTIFIER}, engine=counted)
        assert "SECRET" not in str(caught.value)
    assert "SECRET" not in "".join(capfd.readouterr())


def test_a_worker_exempts_modules_from_collections_once(monkeypatch):
    exempted = []
    monkeypatch.setattr(spark_tasks, "_exempt_modules", 0)
    monkeypatch.setattr(spark_tasks.gc, "freeze", lambda: exempted.append(1))
    for _ in range(2):
        assert list(spark_tasks.run_in_worker(iter, [1, 2])) == [1, 2]
    assert exempted == [1]
