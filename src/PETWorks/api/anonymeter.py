"""The three published attacks on synthetic tables, which are those of the package anonymeter.

The package is called, never copied: its licence grants no patent rights. It draws at random from four generators, of
which it seeds one; `_seeded` seeds all of them.
"""

import math
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.counting.codes import Column
from PETWorks.counting.engines.engine import load_rows
from PETWorks.errors import InputError, ParameterError, Phrase, quoted, unknown
from PETWorks.measures.parameters import Number
from PETWorks.tables.cells import is_number
from PETWorks.tables.opening import open_source

if TYPE_CHECKING:
    import pandas as pd

# The published parameters of each attack, and the number of attacks unless `nAttack` says otherwise.
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "SinglingOutRisk": ("control", "nAttack", "n_col", "seed"),
    "LinkabilityRisk": ("auxiliaryColumns", "control", "nAttack", "seed"),
    "InferenceRisk": ("control", "nAttack", "seed"),
}
ATTACKS = {"SinglingOutRisk": 100, "LinkabilityRisk": 2000, "InferenceRisk": 1000}
RATES = {
    "Success rate of main attack": "attack_rate",
    "Success rate of baseline attack": "baseline_rate",
    "Success rate of control attack": "control_rate",
}
# What is wrong in version 1.1.0; its results are returned as they are.
LOST_BASELINE = "anonymeter 1.1.0 loses most guesses of the baseline attack and counts them as wrong"
NEGATIVE_GUESSES = "anonymeter 1.1.0 counts every negative guess of a number as correct, here in {columns}"
NEIGHBOURS = 10  # as published: records are linked if their ten nearest synthetic records have one in common
ATTEMPTS = 100_000  # to find queries that single out; the ten million of the package take hours where there are few
SEED_BITS = 32
LARGEST_INTEGER = 2**53  # beyond, not every integer is a number of 64 bits with a decimal point


def run_attack(
    attack: str, synthetic: Any, original: Any, parameters: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The published keys of an attack on a synthetic table, and what else was measured."""
    for name in parameters:
        if name not in PARAMETERS[attack]:
            raise unknown(Phrase("parameter of {metric}", metric=attack), name, PARAMETERS[attack])
    if find_spec("anonymeter") is None:
        raise InputError(
            "{attack} needs the package anonymeter: pip install 'petworks[anonymeter]', then anonymeter==1.1.0 without "
            "its dependencies (no-deps), because it asks for an older numpy than petworks",
            attack=attack,
        )
    count = Number(at_least=1, whole=True).check(attack, "nAttack", parameters.get("nAttack", ATTACKS[attack]))
    seed = parameters.get("seed")
    seed = secrets.randbits(SEED_BITS) if seed is None else Number(at_least=0, whole=True).check(attack, "seed", seed)
    tables = {"synthetic": synthetic, "original": original, "control": parameters.get("control")}
    for name in ("synthetic", "original"):
        if tables[name] is None:
            raise InputError("{attack} needs the synthetic table first, then the original one", attack=attack)
    frames = _frames({name: table for name, table in tables.items() if table is not None})
    details = {"anonymeter": version("anonymeter"), "seed": str(seed)}
    with _seeded(int(seed)) as seeds:
        try:
            if attack == "SinglingOutRisk":
                return _single_out(frames, int(count), parameters.get("n_col", 3), seeds, details)
            if attack == "LinkabilityRisk":
                return _link(frames, int(count), parameters.get("auxiliaryColumns"), details)
            return _infer(frames, int(count), details)
        except RuntimeError as error:
            # As published, every rate would be 0 here: as if no attack had succeeded.
            raise InputError("{attack}: anonymeter found no result for these tables", attack=attack) from error


def _single_out(
    frames: Mapping[str, "pd.DataFrame"], count: int, width: Any, seeds: np.random.SeedSequence, details: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    from anonymeter.evaluators import SinglingOutEvaluator

    columns = len(frames["original"].columns)
    width = int(Number(at_least=1, at_most=columns, whole=True).check("SinglingOutRisk", "n_col", width))
    # As categories: the package draws from the different texts of a column, in an order that no seed determines.
    texts = [name for name, kind in frames["original"].dtypes.items() if kind.kind == "O"]
    ready = {name: frame.astype(dict.fromkeys(texts, "category")) for name, frame in frames.items()}
    evaluator = SinglingOutEvaluator(
        ori=ready["original"],
        syn=ready["synthetic"],
        control=ready.get("control"),
        n_attacks=count,
        n_cols=width,
        max_attempts=ATTEMPTS,
        seed=int(seeds.generate_state(1)[0]),
    )
    evaluator.evaluate(mode="multivariate")
    return _rates(evaluator.results(), details)


def _link(
    frames: Mapping[str, "pd.DataFrame"], count: int, known: Any, details: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    from anonymeter.evaluators import LinkabilityEvaluator

    columns = _auxiliary_columns(known, list(frames["original"].columns))
    for name, fewest in (("original", count), ("control", count), ("synthetic", NEIGHBOURS)):
        if name in frames and len(frames[name]) < fewest:
            raise ParameterError(
                "LinkabilityRisk needs {fewest:,} records in the {table} table, and there are {records:,}; nAttack is "
                "how many of the original and of the control people are attacked",
                fewest=fewest,
                table=name,
                records=len(frames[name]),
                what="nAttack",
            )
    evaluator = LinkabilityEvaluator(
        ori=frames["original"],
        syn=frames["synthetic"],
        control=frames.get("control"),
        n_attacks=count,
        n_neighbors=NEIGHBOURS,
        aux_cols=columns,
    )
    evaluator.evaluate()
    return _rates(evaluator.results(), details)


def _infer(
    frames: Mapping[str, "pd.DataFrame"], count: int, details: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    from anonymeter.evaluators import InferenceEvaluator

    names = list(frames["original"].columns)
    if len(names) < 2:
        raise InputError("InferenceRisk needs tables with at least two columns")
    found, measured = {}, {}
    for secret in names:
        evaluator = InferenceEvaluator(
            ori=frames["original"],
            syn=frames["synthetic"],
            control=frames.get("control"),
            aux_cols=[name for name in names if name != secret],
            secret=secret,
            regression=None,  # as published: numbers need to be guessed to 5 %
            n_attacks=count,
        )
        evaluator.evaluate()
        found[secret], measured[secret] = _rates(evaluator.results(), {})
    kinds = frames["synthetic"].dtypes
    negative = [name for name in names if kinds[name].kind != "O" and (frames["synthetic"][name] < 0).any()]
    notices = [LOST_BASELINE] + [NEGATIVE_GUESSES.format(columns=quoted(negative))] * bool(negative)
    return found, {**details, "columns": measured, "notices": notices}


def _auxiliary_columns(known: Any, columns: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns that the two tables of the adversary have."""
    lists = list(known) if isinstance(known, list | tuple) else []
    if len(lists) != 2 or not all(isinstance(names, list | tuple) and names for names in lists):
        raise ParameterError(
            "LinkabilityRisk needs auxiliaryColumns: two lists of columns, which the adversary knows from two other "
            "tables",
            what="auxiliaryColumns",
        )
    for name in (str(name) for names in lists for name in names):
        if name.strip() not in columns:
            raise unknown("column", name, columns)
    first, second = ([str(name).strip() for name in names] for names in lists)
    return first, second


def _frames(tables: Mapping[str, Any]) -> dict[str, "pd.DataFrame"]:
    """The tables as frames; a column is one of numbers if all its values in all tables are."""
    import pandas as pd

    sources = {name: open_source(table, Phrase("the table")) for name, table in tables.items()}
    names = list(sources["original"].names)
    for table, source in sources.items():
        differing = sorted(set(source.names) ^ set(names))
        if differing:
            raise InputError(
                "the {table} and the original table have different columns: {columns} only in one of them",
                table=table,
                columns=quoted(differing),
            )
    loaded = {table: load_rows(source, names).columns for table, source in sources.items()}
    cells: dict[str, dict[str, Any]] = {table: {} for table in tables}
    for name in names:
        columns = {table: loaded[table][name] for table in tables}
        values = _numbers(columns) or {table: _texts(column) for table, column in columns.items()}
        for table, column in values.items():
            cells[table][name] = column
    return {table: pd.DataFrame(columns) for table, columns in cells.items()}


def _numbers(columns: Mapping[str, Column]) -> dict[str, Any] | None:
    """The values of a column of each table as numbers; None if not all of them are."""
    labels = {table: column.labels.to_pylist() for table, column in columns.items()}
    texts = [label for given in labels.values() for label in given]
    known = [label for label in texts if label is not None]
    if not known or not all(is_number(label) for label in known):
        return None
    numbers = {
        table: np.array([math.nan if label is None else float(label) for label in given])
        for table, given in labels.items()
    }
    values = {table: found[columns[table].codes] for table, found in numbers.items()}
    whole = len(known) == len(texts) and all(
        (np.trunc(found) == found).all() and (np.abs(found) < LARGEST_INTEGER).all() for found in numbers.values()
    )
    return {table: found.astype(np.int64) for table, found in values.items()} if whole else values


def _texts(column: Column) -> Any:
    import pandas as pd

    return pd.Series(np.array([*column.labels.to_pylist(), None], object)[column.codes], dtype=object)


def _rates(results: Any, details: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The published keys, and how many attacks succeeded. The rates are the middles of Wilson's intervals."""
    found = {key: _finite(getattr(results, rate), "value") for key, rate in RATES.items()}
    attacks = (results.n_attacks_ori, results.n_attacks_baseline, results.n_attacks_control)
    successes = (results.n_success, results.n_baseline, results.n_control)
    details["attacks"] = {
        name: None if won is None else {"attacks": int(tried), "successes": _finite(won)}
        for name, tried, won in zip(("main", "baseline", "control"), attacks, successes, strict=True)
    }
    return found, details


def _finite(number: Any, field: str | None = None) -> float | None:
    """A number that JSON can have; None if there is none."""
    if number is None:
        return None
    value = float(number if field is None else getattr(number, field))
    return value if math.isfinite(value) else None


@contextmanager
def _seeded(seed: int) -> Iterator[np.random.SeedSequence]:
    """Let the package draw the same numbers for the same seed."""
    import polars as pl

    seeds = np.random.SeedSequence(seed)
    unseeded, state = np.random.default_rng, np.random.get_state()

    def seeded(given: Any = None) -> np.random.Generator:
        return unseeded(seeds.spawn(1)[0] if given is None else given)

    first, second = (int(number) for number in seeds.generate_state(2))
    np.random.seed(first)
    pl.set_random_seed(second)
    np.random.default_rng = seeded  # type: ignore[assignment]
    try:
        yield seeds
    finally:
        np.random.default_rng = unseeded
        np.random.set_state(state)
