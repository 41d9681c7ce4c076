"""Regression models that the data are for: fitted on the original and on the release, and compared on the original.

A model is linear, on the logarithm of one plus the outcome if that is asked for, or logistic if the outcome has two
values. Numbers and amounts count as numbers, dates by their day, intervals and periods by their middle; every other
label is a category of its own.
`docs/models.md` defines how a model of coarser values is applied to the records of the original.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from PETWorks.about.hierarchies.dates import (
    Spelling,
    day_first_in,
    is_ambiguous_date,
    read_date,
    read_period,
    spelling_of,
)
from PETWorks.about.hierarchies.hierarchy import Hierarchy
from PETWorks.about.hierarchies.intervals import NumberRange, number_range
from PETWorks.about.protection import bare, signs_of_amounts
from PETWorks.about.treatment import visible_text
from PETWorks.counting.codes import Column, recode_labels
from PETWorks.counting.engines.engine import load_rows
from PETWorks.counting.keys import pack
from PETWorks.counting.protected_source import exact_source
from PETWorks.errors import InputError, ParameterError, quoted
from PETWorks.json_types import JSONObject, Real, described
from PETWorks.tables.source import Source

Reals = NDArray[np.float64]
Words = Mapping[str, Any]
Integers = NDArray[np.int64]

NOTHING_DECLARED: Mapping[str, Words] = {}
MAX_MODELS = 20
MAX_COLUMNS = 50
MAX_CATEGORIES = 100
BLOCK = 50_000  # rows of the design matrix that are in memory at once
RANK = 1e-9  # singular values below this share of the largest are taken as 0
ROUNDS = 50  # most iterations of a logistic fit
FIGURES = 6  # of results, so that rounding errors of other machines do not show
KEYS = ("outcome", "on", "log", "categories")


@dataclass(frozen=True)
class Model:
    """A regression: the outcome, the columns that explain it, and which of these have numbers that are only codes."""

    outcome: str
    on: tuple[str, ...]
    log: bool = False
    categories: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The outcome and the columns that explain it."""
        return (self.outcome, *self.on)

    @property
    def name(self) -> str:
        """The model in one line: `log(1 + visits) on age, sex`."""
        outcome = f"log(1 + {self.outcome})" if self.log else self.outcome
        return f"{outcome} ~ {' + '.join(self.on)}"


def parse_models(given: Any) -> tuple[Model, ...]:
    """The models in a list of mappings, `{"outcome": "visits", "log": True, "on": ["age", "sex"]}`; raise if invalid.

    >>> [model.name for model in parse_models([{"outcome": "visits", "log": True, "on": ["age", "sex"]}])]
    ['log(1 + visits) ~ age + sex']
    """
    if given is None:
        return ()
    if not isinstance(given, list | tuple):
        raise ParameterError("expected a list of models, got {type}", type=type(given).__name__, what="models")
    if len(given) > MAX_MODELS:
        raise ParameterError(
            "{given} models; at most {most} are allowed", given=len(given), most=MAX_MODELS, what="models"
        )
    models = tuple(_parse_model(words, number) for number, words in enumerate(given))
    for number, model in enumerate(models):
        if model in models[:number]:
            raise ParameterError("the same model is named twice; once is enough", what=f"models.{number}")
    return models


def _parse_model(words: Any, number: int) -> Model:
    what = f"models.{number}"
    if isinstance(words, Model):
        return words
    if not isinstance(words, Mapping) or not {"outcome", "on"} <= set(words) <= set(KEYS):
        raise ParameterError(
            "a model has an outcome and the columns that explain it, such as outcome: visits and on: [age, sex]; "
            "besides, it may have log: true and categories: [sex]",
            what=what,
        )
    outcome, log = str(words["outcome"]).strip(), words.get("log", False)
    on, categories = (_names(words.get(key, []), key, what) for key in ("on", "categories"))
    if str(log).lower() not in ("true", "false"):
        raise ParameterError("log is true or false, got {given}", given=quoted([log]), what=what)
    if not on or len(on) > MAX_COLUMNS:
        raise ParameterError(
            "a model is on 1 to {most} columns, got {given}", most=MAX_COLUMNS, given=len(on), what=what
        )
    if outcome in on:
        raise ParameterError("the outcome {column!r} cannot explain itself", column=outcome, what=what)
    unknown = [name for name in categories if name not in on]
    if unknown:
        raise ParameterError(
            "categories: {columns} is not among the columns of the model", columns=quoted(unknown), what=what
        )
    return Model(outcome, on, str(log).lower() == "true", categories)


def _names(given: Any, key: str, what: str) -> tuple[str, ...]:
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name.strip() for name in names):
        raise ParameterError("{key} is a list of columns", key=key, what=what)
    trimmed = tuple(name.strip() for name in names)
    if len(set(trimmed)) < len(trimmed):
        raise ParameterError("{key} names a column twice; once is enough", key=key, what=what)
    return trimmed


def check_model_columns(models: Sequence[Model], columns: Sequence[str]) -> None:
    """Raise if a model names a column that the table does not have."""
    for number, model in enumerate(models):
        missing = [name for name in model.columns if name not in columns]
        if missing:
            raise ParameterError(
                "the table has no column {missing}; its columns are {columns}",
                missing=quoted(missing),
                columns=quoted(columns),
                what=f"models.{number}",
            )


class Coefficient(JSONObject, frozen=True):
    """A coefficient before and after: of a column, or of a category of a column compared with its most frequent one."""

    column: Annotated[str | None, described("none for the intercept")]
    category: str | None
    before: Real | None
    error: Annotated[Real | None, described("standard error on the original")]
    after: Annotated[Real | None, described("of the release; none if it does not determine it")]
    shift: Annotated[Real | None, described("(after - before) / error")]


class ModelResult(JSONObject, frozen=True, kw_only=True):
    """A model fitted on the original and on the release; both are judged on the records of the original."""

    outcome: str
    on: tuple[str, ...]
    log: bool = False
    categories: tuple[str, ...] = ()
    kind: Literal["linear", "logistic"]
    score: Annotated[Literal["R2", "AUC"], described("share of variance explained, or area under the ROC curve")]
    before: Annotated[Real, described("on the original, of the model fitted on the original")]
    after: Annotated[
        Real | None, described("on the original, of the model fitted on the release; none if none can be")
    ] = None
    records_before: Annotated[int, described("with a known outcome")]
    records_after: int
    lost: Annotated[tuple[str, ...], described("columns of which the release has one value or none")] = ()
    separated: Annotated[bool, described("whether a logistic fit has no finite coefficients")] = False
    coefficients: tuple[Coefficient, ...] = ()

    @property
    def model(self) -> Model:
        """The model itself."""
        return Model(self.outcome, self.on, self.log, self.categories)

    def without_coefficients(self) -> "ModelResult":
        """The result without its coefficients; those of the original are confidential."""
        return replace(self, coefficients=())

    @property
    def most_shifted(self) -> Coefficient | None:
        """The coefficient of a column that moves by most standard errors of the original."""
        moved = [each for each in self.coefficients if each.column is not None and each.shift is not None]
        return max(moved, key=lambda each: abs(each.shift or 0.0), default=None)

    @property
    def largest_shift(self) -> float:
        """The standard errors by which a coefficient moves at most; infinite for a lost column."""
        moved = self.most_shifted
        told = {each.column for each in self.coefficients if each.shift is not None}
        if any(each.error and each.column not in told for each in self.coefficients):
            return np.inf
        return 0.0 if moved is None else abs(moved.shift or 0.0)

    @property
    def kept(self) -> float:
        """The share of the explanation that is left, from 0 to 1, to compare releases."""
        nothing = 0.5 if self.score == "AUC" else 0.0
        if self.after is None or self.before <= nothing:
            return 0.0
        return min(1.0, max(0.0, (self.after - nothing) / (self.before - nothing)))


def model_columns(models: Sequence[Model], source: Source) -> dict[str, Column]:
    """The columns of the models that a table has, with the exact values of protected ones."""
    names = [name for name in dict.fromkeys(name for model in models for name in model.columns) if name in source.names]
    return dict(load_rows(exact_source(source), names).columns) if names else {}


def compare_models_of(
    models: Sequence[Model],
    original: Source,
    released: Source,
    hierarchies: Mapping[str, Hierarchy],
    declared: Mapping[str, Words] = NOTHING_DECLARED,
) -> tuple[ModelResult, ...]:
    """Fit each model on the original and on the release, and judge both on the original; see `compare_models`."""
    if not models:
        return ()
    check_model_columns(models, original.names)
    return compare_models(
        models, model_columns(models, original), model_columns(models, released), hierarchies, declared
    )


def compare_models(
    models: Sequence[Model],
    original: Mapping[str, Column],
    released: Mapping[str, Column],
    hierarchies: Mapping[str, Hierarchy],
    declared: Mapping[str, Words] = NOTHING_DECLARED,
) -> tuple[ModelResult, ...]:
    """Fit each model on the original and on the release, and judge both on the original.

    original, released   the columns of the models by name; the release need not have all of them
    declared             the hierarchies that were declared in words: they say how dates are written
    """
    results = []
    for number, model in enumerate(models):
        try:
            before, after = _as_numbers(model, declared, original, released)
            results.append(_compare(model, before, after, hierarchies))
        except (InputError, ParameterError) as error:
            error.what = f"models.{number}"
            raise
    return tuple(results)


def check_models(
    models: Sequence[Model], original: Mapping[str, Column], declared: Mapping[str, Words] = NOTHING_DECLARED
) -> None:
    """Raise if a model cannot be fitted on the original: a column is constant, or has too many categories."""
    for number, model in enumerate(models):
        try:
            (columns,) = _as_numbers(model, declared, original)
            for name in model.on:
                _Predictor.of(name, columns[name], None, as_category=name in model.categories)
            _Outcome.of(model, columns[model.outcome])
        except (InputError, ParameterError) as error:
            error.what = f"models.{number}"
            raise


# Numbers.


def _as_numbers(
    model: Model, declared: Mapping[str, Words], original: Mapping[str, Column], *others: Mapping[str, Column]
) -> list[dict[str, Column]]:
    """The columns of a model in each table, with plain numbers for amounts and ISO days for other dates and periods.

    How a column is written is what its declared hierarchy says, or else its values in the original show.
    """
    tables = [dict(table) for table in (original, *others)]
    for name in model.columns:
        read = None if name in model.categories else _reading_of(name, original[name], declared.get(name, {}))
        for table in tables:
            if read is not None and name in table:
                known = {value: value and read(value) for value in table[name].values}
                table[name] = table[name].recode(*recode_labels(list(known), known))
    return tables


def _reading_of(name: str, column: Column, words: Words) -> Callable[[str], str] | None:
    """How the labels of a column become numbers or ISO days; None if they are numbers, or neither."""
    values = [value for value in column.values if value is not None and visible_text(value) is not None]
    signs = signs_of_amounts(values)
    if signs and all(number_of(text) is not None or number_range(text) for text in (bare(v, signs) for v in values)):
        return lambda text: bare(text, signs)
    is_declared = "dates" in words
    spelling: Spelling = spelling_of(words) if is_declared else {"roc": False, "day_first": day_first_in(values)}
    days = (read_date(value, **spelling) for value in values)
    if not values or (not is_declared and all(map(_is_float, values))):
        return None
    if not all(found is not None and found[1] == "day" for found in days):
        if spelling["day_first"] is None and all(map(is_ambiguous_date, values)):
            raise InputError(
                "column {column!r} of the model has dates whose day and month cannot be told apart; declare its "
                "hierarchy with day_first, such as {{dates: [month, year], day_first: true}}, write them as "
                "yyyy-mm-dd, or name the column under categories",
                column=name,
            )
        return None

    def middle(text: str) -> str:
        period = read_period(text, **spelling)
        return text if period is None else (period[0] + (period[1] - period[0]) / 2).isoformat()

    return middle


_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


def number_of(text: str) -> float | None:
    """The number that a text is, or the number of a day; None if it is neither."""
    match = _ISO.fullmatch(text)
    if match is not None:
        try:
            return float(date(*map(int, match.groups())).toordinal())
        except ValueError:
            return None
    return float(text) if _is_float(text) else None


def _is_float(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False


def positions(values: Sequence[str | None], hierarchy: Hierarchy | None = None) -> Reals:
    """The number that each label of a column counts as; NaN if it stands for none.

    A number counts as itself, an interval by its middle, and another label of a hierarchy by the middle of the numbers
    below it. An open end counts as if it were as wide as the widest interval beside it, or reached as far as the
    labels beyond it, if these reach further.
    """
    found = np.full(len(values), np.nan)
    open_ends: dict[int, NumberRange] = {}
    closed: list[NumberRange] = []
    for index, value in enumerate(values):
        if value is None or visible_text(value) is None:
            continue
        number = number_of(value)
        stands_for = number_range(value) if number is None else None
        if stands_for is None and number is None and hierarchy is not None:
            stands_for = _range_of_leaves(value, hierarchy)
        if number is not None:
            found[index] = number
        elif stands_for is not None and stands_for.middle is not None:
            found[index] = stands_for.middle
            closed.append(stands_for)
        elif stands_for is not None:
            open_ends[index] = stands_for
    known = found[~np.isnan(found)]
    lowest, highest = (Fraction(float(end)) for end in (known.min(), known.max())) if len(known) else (None, None)
    for index, half in open_ends.items():
        widths = [other.high - other.low for other in closed if _touches(other, half)]  # type: ignore[operator]
        if half.low is None:
            end, sign = half.high, -1
            reached = [end - other for other in (lowest, *(other.low for other in closed)) if other is not None]  # type: ignore[operator]
        else:
            end, sign = half.low, 1
            reached = [other - end for other in (highest, *(other.high for other in closed)) if other is not None]
        assert end is not None
        found[index] = end + max([Fraction(0), *widths, *reached]) / 2 * sign
    return found


def _touches(other: NumberRange, half: NumberRange) -> bool:
    """Whether a range ends where an open one begins, or, for labels such as 20–39 and ≥ 40, one before it."""
    if half.low is None:
        return half.high is not None and other.low is not None and _is_beside(other.low - half.high)
    return other.high is not None and _is_beside(half.low - other.high)


def _is_beside(gap: Fraction) -> bool:
    return gap in (0, 1)


def _range_of_leaves(label: str, hierarchy: Hierarchy) -> NumberRange | None:
    """From the smallest to the largest number below a label; None for the top, or if a leaf is no number."""
    if label == hierarchy.top and len(hierarchy.leaves) > 1:
        return None
    numbers = [number_of(leaf) for leaf in _members(label, hierarchy)]
    known = [Fraction(number) for number in numbers if number is not None]
    return NumberRange(min(known), max(known)) if known and len(known) == len(numbers) else None


def _members(label: str, hierarchy: Hierarchy) -> list[str]:
    """The leaves below a label on the highest level where it occurs."""
    levels = hierarchy.levels_of.get(label)
    if not levels:
        return []
    on_level = hierarchy.levels[levels[-1]]
    return [leaf for leaf, other in zip(hierarchy.leaves, on_level, strict=True) if other == label]


# Columns of the design matrix.


@dataclass(frozen=True, eq=False)
class _Predictor:
    """A column of a table as columns of the design matrix.

    codes      the code of each record
    coding     for each code, its values in the design matrix
    applied    for each value of the original, the values that a record of the original gets there
    labels     the categories of the original after the first, which they are compared with; none for a number
    """

    name: str
    codes: Any
    coding: Reals
    applied: Reals
    origin: Reals  # the values of the category or number that others are compared with
    terms: tuple[tuple[str | None, Reals], ...]  # each coefficient as a combination of the columns
    is_lost: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        original: Column,
        released: Column | None,
        hierarchy: Hierarchy | None = None,
        *,
        as_category: bool = False,
    ) -> "_Predictor":
        """The column of the original if `released` is None, otherwise that of the release."""
        numbers = _numbers_of(original)
        if numbers is None or as_category:
            return _category(name, original, original if released is None else released, hierarchy)
        known = ~np.isnan(numbers)
        counts = original.counts
        centre = float(np.average(numbers[known], weights=counts[known]))
        spread = math.sqrt(float(np.average((numbers[known] - centre) ** 2, weights=counts[known])))
        if spread <= 1e-12 * max(abs(centre), 1e-300):
            raise InputError("column {column!r} of the model has one value only; leave it out", column=name)
        table = original if released is None else released
        at = numbers if released is None else positions(released.values, hierarchy)
        return _number(name, numbers, table, at, centre, spread)


def _numbers_of(original: Column) -> Reals | None:
    """The numbers of a column; None if some known value is none."""
    numbers = np.full(len(original.values), np.nan)
    for index, value in enumerate(original.values):
        if value is None or visible_text(value) is None:
            continue
        number = number_of(value)
        if number is None:
            return None if number_range(value) is None else _numbers_with_ends(original)
        numbers[index] = number
    return numbers if not np.isnan(numbers).all() else None


def _numbers_with_ends(original: Column) -> Reals | None:
    """The numbers of a column that has intervals too, such as a top code; None if some known value is neither."""
    numbers = positions(original.values)
    known = np.array([value is not None and visible_text(value) is not None for value in original.values])
    return None if np.isnan(numbers[known]).any() or not known.any() else numbers


def _number(name: str, numbers: Reals, table: Column, at: Reals, centre: float, spread: float) -> _Predictor:
    """A number: its distance from the mean of the original, and whether it is unknown."""
    unknown, counts = np.isnan(at), table.counts
    used = counts > 0
    has_unknown = bool((unknown & used).any())
    scaled = np.where(unknown, 0.0, (at - centre) / spread)
    coding = np.column_stack([scaled, unknown.astype(float)] if has_unknown else [scaled])
    distinct = np.unique(at[used & ~unknown])
    mean = _mean_row(coding, counts)
    applied = np.zeros((len(numbers), coding.shape[1]))
    applied[:, 0] = np.where(np.isnan(numbers), 0.0, (numbers - centre) / spread)
    nothing = np.zeros(coding.shape[1])
    nothing[-1] = 1.0 if has_unknown else 0.0
    applied[np.isnan(numbers)] = nothing if has_unknown else mean
    origin = np.zeros(coding.shape[1])
    origin[0] = -centre / spread
    slope = np.zeros(coding.shape[1])
    slope[0] = 1 / spread
    if len(distinct) < 2:  # the column explains nothing
        coding, applied, origin, slope = (np.zeros_like(part) for part in (coding, applied, origin, slope))
    terms: list[tuple[str | None, Reals]] = [(None, slope)]
    return _Predictor(name, table.codes, coding, applied, origin, tuple(terms), len(distinct) < 2)


def _mean_row(coding: Reals, counts: Any) -> Reals:
    total = counts.sum()
    mean: Reals = counts @ coding / total if total else np.zeros(coding.shape[1])
    return mean


def _category(name: str, original: Column, table: Column, hierarchy: Hierarchy | None) -> _Predictor:
    """A category: a column for each label of the table but the most frequent one; unknown cells are a label too."""
    before = [visible_text(value) and value for value in original.values]
    by_value = _add_up(before, original.counts)
    values = sorted(value for value in by_value if value is not None)
    _check_categories(name, values)
    after = [visible_text(value) and value for value in table.values]
    members = {
        label: _values_below(label, values, hierarchy) if table is not original else [label]
        for label in dict.fromkeys(after)
        if label is not None
    }
    after = [None if label is not None and len(members[label]) == len(values) else label for label in after]
    counts = _add_up(after, table.counts)
    labels = sorted(counts, key=lambda label: (-counts[label], label is None, label or ""))
    width = max(len(labels) - 1, 0)
    rows = dict(zip(labels, np.eye(len(labels), width, -1), strict=True))  # all zero for the most frequent label
    coding = np.array([rows.get(label, np.zeros(width)) for label in after]).reshape(len(after), width)
    mean = _mean_row(coding, table.counts)
    applied_to: dict[str | None, Reals] = {None: rows.get(None, mean)}
    applied_to |= _rows_of_values(values, members, counts, rows, applied_to[None])
    applied = np.array([applied_to.get(value, mean) for value in before]).reshape(len(before), width)
    reference = min(values, key=lambda value: (-by_value[value], value))
    origin = applied_to[reference]
    terms = [(value, applied_to[value] - origin) for value in values if value != reference]
    known = [label for label in counts if label is not None]
    return _Predictor(name, table.codes, coding, applied, origin, tuple(terms), len(known) < 2)


def _add_up(values: Sequence[str | None], counts: Any) -> dict[str | None, int]:
    """The number of records with each value that occurs; a value may be listed several times."""
    by_value: dict[str | None, int] = {}
    for value, count in zip(values, counts.tolist(), strict=True):
        if count:
            by_value[value] = by_value.get(value, 0) + count
    return by_value


def _check_categories(name: str, values: Sequence[str]) -> None:
    """Raise if a column has too many values to be a category, or only one."""
    if len(values) > MAX_CATEGORIES:
        raise InputError(
            "column {column!r} of the model has {given:,} values that are no numbers; at most {most} are allowed: "
            "group them, or leave it out",
            column=name,
            given=len(values),
            most=MAX_CATEGORIES,
        )
    if len(values) < 2:
        raise InputError("column {column!r} of the model has one value only; leave it out", column=name)


def _rows_of_values(
    values: Sequence[str],
    members: Mapping[str, Sequence[str]],
    counts: Mapping[str | None, int],
    rows: Mapping[str | None, Reals],
    unknown: Reals,
) -> dict[str | None, Reals]:
    """For each value of the original, the mean row of the labels that may stand for it, by their numbers of records.

    members   the values that each label stands for
    unknown   the row of a value that no label stands for
    """
    shares: dict[str, list[tuple[float, str]]] = {}
    for label, below in members.items():
        if counts.get(label) and len(below) < len(values):
            for value in below:
                shares.setdefault(value, []).append((counts[label] / len(below), label))
    of_values: dict[str | None, Reals] = {}
    for value in values:
        weights = shares.get(value, [])
        total = sum(weight for weight, _ in weights)
        parts = (weight / total * rows[label] for weight, label in weights)
        of_values[value] = sum(parts, np.zeros_like(unknown)) if weights else unknown
    return of_values


def _values_below(label: str, values: Sequence[str], hierarchy: Hierarchy | None) -> list[str]:
    """The values of the original that a label stands for."""
    if hierarchy is not None and label in hierarchy.levels_of:
        below = set(_members(label, hierarchy))
        found = [value for value in values if value in below]
        if found:
            return found
    return [label] if label in values else []


@dataclass(frozen=True, eq=False)
class _Outcome:
    """The outcome: for each code the number to be explained, NaN where it is unknown."""

    numbers: Reals
    is_binary: bool
    ends: tuple[str, str] | None = None

    @classmethod
    def of(cls, model: Model, original: Column) -> "_Outcome":
        """The outcome in the original; raise if it is neither a number nor one of two values."""
        name = model.outcome
        known = [
            value
            for value, count in zip(original.values, original.counts.tolist(), strict=True)
            if count and value is not None and visible_text(value) is not None
        ]
        numbers = _numbers_of(original)
        if len(known) < 2:
            raise InputError("the outcome {column!r} has one value only, so nothing can explain it", column=name)
        if len(known) == 2:
            if model.log:
                raise ParameterError("the outcome {column!r} has two values; leave out log: true", column=name)
            low, high = sorted(
                known, key=lambda value: (number_of(value) or 0.0, value) if numbers is not None else (0.0, value)
            )
            ends = (low, high)
            return cls(_between(original.values, ends), True, ends)
        if numbers is None:
            raise InputError(
                "the outcome {column!r} is neither a number nor one of two values: it has {given:,} values that are "
                "no numbers",
                column=name,
                given=sum(number_of(value) is None for value in known),
            )
        return cls(_logarithm(numbers, name) if model.log else numbers, False)

    def in_release(self, model: Model, released: Column, hierarchy: Hierarchy | None) -> Reals:
        """The outcome for each code of the release."""
        if self.ends is not None:
            return _between(released.values, self.ends)
        numbers = positions(released.values, hierarchy)
        return _logarithm(numbers, model.outcome) if model.log else numbers


def _between(values: Sequence[str | None], ends: tuple[str, str]) -> Reals:
    """0 and 1 for the two values of an outcome; a number between them, such as a mean, lies between 0 and 1."""
    low, high = number_of(ends[0]), number_of(ends[1])
    found = np.full(len(values), np.nan)
    for index, value in enumerate(values):
        if value in ends:
            found[index] = float(value == ends[1])
        elif value is not None and low is not None and high is not None and (number := number_of(value)) is not None:
            share = (number - low) / (high - low)
            found[index] = share if 0 <= share <= 1 else np.nan
    return found


def _logarithm(numbers: Reals, name: str) -> Reals:
    if (numbers[~np.isnan(numbers)] <= -1).any():
        raise InputError(
            "log: true needs an outcome above -1, and {column!r} has smaller values; leave it out, or shift the column",
            column=name,
        )
    return np.log1p(numbers)


# Fitting.


@dataclass(frozen=True, eq=False)
class _Rows:
    """Distinct rows with weights: the codes of each predictor, and the outcome."""

    predictors: Sequence[_Predictor]
    codes: Sequence[Any]
    outcome: Reals
    weights: Reals

    @classmethod
    def of(cls, predictors: Sequence[_Predictor], outcome_codes: Any, outcome: Reals) -> "_Rows":
        """The rows with a known outcome; records with the same codes are one row."""
        columns = [_PackedField(predictor.codes, len(predictor.coding)) for predictor in predictors]
        columns.append(_PackedField(outcome_codes, len(outcome)))
        keys, _, layout = pack(columns)  # type: ignore[arg-type]
        distinct, counts = np.unique(keys, return_counts=True)
        *codes, last = layout.codes(distinct)
        numbers = outcome[last.astype(np.int64)]
        known = ~np.isnan(numbers)
        return cls(
            predictors,
            [code[known].astype(np.int64) for code in codes],
            numbers[known],
            counts[known].astype(np.float64),
        )

    @property
    def records(self) -> int:
        """The number of records with a known outcome."""
        total: float = self.weights.sum()
        return int(total)

    @property
    def width(self) -> int:
        """The number of columns of the design matrix."""
        return 1 + sum(len(predictor.origin) for predictor in self.predictors)

    def blocks(self) -> Iterator[tuple[slice, Reals]]:
        """The design matrix in blocks of rows: a column of ones, then those of the predictors."""
        for first in range(0, len(self.outcome), BLOCK):
            rows = slice(first, first + BLOCK)
            parts = [
                predictor.coding[codes[rows]] for predictor, codes in zip(self.predictors, self.codes, strict=True)
            ]
            yield rows, np.column_stack([np.ones(len(self.outcome[rows])), *parts])

    def predict(self, solution: Reals) -> Reals:
        """The linear predictor of each row."""
        total = np.full(len(self.outcome), solution[0])
        first = 1
        for predictor, codes in zip(self.predictors, self.codes, strict=True):
            last = first + predictor.coding.shape[1]
            total += (predictor.coding @ solution[first:last])[codes]
            first = last
        return total


@dataclass(frozen=True)
class _PackedField:
    codes: Any
    size: int

    @property
    def bits(self) -> int:
        """The number of bits that a code needs."""
        return int(self.size - 1).bit_length()


@dataclass(frozen=True, eq=False)
class _Fit:
    """A fitted model.

    solution    the coefficients of the design matrix
    factor      times its transpose, their covariance up to `variance`
    missing     combinations of coefficients that the rows do not determine
    separated   whether the likelihood of a logistic model has no maximum
    """

    solution: Reals
    factor: Reals
    missing: Reals
    variance: float | None
    separated: bool = False

    def error(self, combination: Reals) -> float | None:
        """The standard error of a combination of coefficients; None if the rows do not determine it."""
        if self.variance is None or not self.determines(combination):
            return None
        return math.sqrt(self.variance) * float(np.linalg.norm(combination @ self.factor))

    def determines(self, combination: Reals) -> bool:
        """Whether the rows determine a combination of coefficients."""
        size = float(np.linalg.norm(combination))
        return size == 0 or float(np.linalg.norm(self.missing @ combination)) <= 1e-6 * size


def _least_squares(rows: _Rows, outcome: Reals, weights: Reals) -> tuple[Reals, Reals, Reals, float, int]:
    """The shortest solution with the least weighted squares, by a QR factorisation in blocks and an SVD of its factor.

    Returns the solution, a factor of the inverse of the normal equations, the combinations that are not determined,
    the sum of squares that is left, and the rank.
    """
    width = rows.width
    factor = np.zeros((0, width + 1))
    for part, block in rows.blocks():
        root = np.sqrt(weights[part])
        new = np.column_stack([block * root[:, None], outcome[part] * root])
        factor = np.asarray(np.linalg.qr(np.vstack([factor, new]), mode="r"))
    if len(factor) <= width:
        factor = np.vstack([factor, np.zeros((width + 1 - len(factor), width + 1))])
    upper, target = factor[:width, :width], factor[:width, width]
    left, sizes, right = np.linalg.svd(upper)
    kept = sizes > RANK * max(float(sizes[0]), 1e-300)
    inverse = right[kept].T / sizes[kept]
    solution = inverse @ (left[:, kept].T @ target)
    residual = float(factor[width, width] ** 2 + ((upper @ solution - target) ** 2).sum())
    return solution, inverse, right[~kept], residual, int(kept.sum())


def _fit_linear(rows: _Rows) -> _Fit:
    solution, factor, missing, residual, rank = _least_squares(rows, rows.outcome, rows.weights)
    free = rows.records - rank
    return _Fit(solution, factor, missing, residual / free if free > 0 else None)


def _fit_logistic(rows: _Rows) -> _Fit:
    """The maximum of the likelihood by iteratively reweighted least squares, halving steps that do not help.

    With separated classes there is none: the fit is stopped when the likelihood no longer improves.
    """
    solution = np.zeros(rows.width)
    chance = min(max(float(np.average(rows.outcome, weights=rows.weights)), 1e-9), 1 - 1e-9)
    solution[0] = math.log(chance / (1 - chance))
    linear, likelihood = rows.predict(solution), -math.inf
    likelihood = _likelihood(rows, linear)
    factor, missing = np.zeros((rows.width, 0)), np.eye(rows.width)
    converged = False
    for _ in range(ROUNDS):
        expected = 1 / (1 + np.exp(-np.clip(linear, -500, 500)))
        certainty = np.maximum(expected * (1 - expected), 1e-12)
        working = linear + (rows.outcome - expected) / certainty
        target, factor, missing, _, _ = _least_squares(rows, working, rows.weights * certainty)
        step = target - solution
        for halvings in range(20):
            trial = solution + step / 2**halvings
            trial_linear = rows.predict(trial)
            found = _likelihood(rows, trial_linear)
            if found >= likelihood - 1e-12 * abs(likelihood):
                break
        gain = found - likelihood
        moved = float(np.abs(trial_linear - linear).max())
        solution, linear, likelihood = trial, trial_linear, found
        if moved < 1e-8:
            converged = True
            break
        if gain <= 1e-9 * (abs(likelihood) + 1e-9) and float(np.abs(linear).max()) > 15:
            break
    return _Fit(solution, factor, missing, 1.0, not converged or float(np.abs(linear).max()) > 30)


def _likelihood(rows: _Rows, linear: Reals) -> float:
    """The logarithm of the likelihood of a logistic model."""
    return float((rows.weights * (rows.outcome * linear - np.logaddexp(0, linear))).sum())


# Comparison.


def _compare(
    model: Model, original: Mapping[str, Column], released: Mapping[str, Column], hierarchies: Mapping[str, Hierarchy]
) -> ModelResult:
    outcome = _Outcome.of(model, original[model.outcome])
    kind: Literal["linear", "logistic"] = "logistic" if outcome.is_binary else "linear"
    before = [_Predictor.of(name, original[name], None, as_category=name in model.categories) for name in model.on]
    rows = _Rows.of(before, original[model.outcome].codes, outcome.numbers)
    fit_before = _fit(rows, kind)
    after = [
        _Predictor.of(name, original[name], released[name], hierarchies.get(name), as_category=name in model.categories)
        for name in model.on
        if name in released
    ]
    fit_after, records_after = None, 0
    if model.outcome in released:
        column = released[model.outcome]
        numbers = outcome.in_release(model, column, hierarchies.get(model.outcome))
        rows_after = _Rows.of(after, column.codes, numbers)
        records_after = rows_after.records
        if records_after and float(np.ptp(rows_after.outcome)) > 0:
            fit_after = _fit(rows_after, kind)
    score_after = None
    if fit_after is not None:
        applied = [_apply_to_original(predictor) for predictor in after]
        codes = [rows.codes[model.on.index(predictor.name)] for predictor in after]
        score_after = _score(_Rows(applied, codes, rows.outcome, rows.weights), fit_after, kind)
    lost = {predictor.name for predictor in after if predictor.is_lost}
    return ModelResult(
        outcome=model.outcome,
        on=model.on,
        log=model.log,
        categories=model.categories,
        kind=kind,
        score="AUC" if outcome.is_binary else "R2",
        before=_round(_score(rows, fit_before, kind)),
        after=None if score_after is None else _round(score_after),
        records_before=rows.records,
        records_after=records_after,
        lost=tuple(name for name in model.on if name in lost or name not in released),
        separated=fit_before.separated or (fit_after is not None and fit_after.separated),
        coefficients=tuple(_coefficients(before, fit_before, after, fit_after)),
    )


def _fit(rows: _Rows, kind: str) -> _Fit:
    return _fit_logistic(rows) if kind == "logistic" else _fit_linear(rows)


def _apply_to_original(predictor: _Predictor) -> _Predictor:
    """The predictor for records of the original."""
    return _Predictor(
        predictor.name, predictor.codes, predictor.applied, predictor.applied, predictor.origin, predictor.terms
    )


def _score(rows: _Rows, fit: _Fit, kind: str) -> float:
    linear = rows.predict(fit.solution)
    if kind == "logistic":
        return area_under_curve(linear, rows.outcome, rows.weights)
    mean = float(np.average(rows.outcome, weights=rows.weights))
    left = float((rows.weights * (rows.outcome - linear) ** 2).sum())
    return 1 - left / float((rows.weights * (rows.outcome - mean) ** 2).sum())


def area_under_curve(scores: Reals, outcome: Reals, weights: Reals) -> float:
    """The chance that a record with the outcome 1 has a higher score than one with 0; equal scores count half."""
    # Scores that differ by rounding errors only are equal.
    _, ranks = np.unique(np.round(scores, 9), return_inverse=True)
    ones = np.bincount(ranks, weights * outcome)
    zeros = np.bincount(ranks, weights * (1 - outcome))
    below = np.cumsum(zeros) - zeros
    return float((ones * (below + zeros / 2)).sum() / (ones.sum() * zeros.sum()))


def _coefficients(
    before: Sequence[_Predictor], fit: _Fit, after: Sequence[_Predictor], fit_after: _Fit | None
) -> Iterator[Coefficient]:
    """The coefficients in the coding of the original; those of the release are converted from its own coding."""
    known = {predictor.name: index for index, predictor in enumerate(after)}
    starts, starts_after = _starts(before), _starts(after)
    intercept, intercept_after = _intercept(before), _intercept(after)
    yield _coefficient(None, None, fit, intercept, fit_after, intercept_after)
    for index, predictor in enumerate(before):
        index_after = known.get(predictor.name)
        released = {} if index_after is None else dict(after[index_after].terms)
        for category, combination in predictor.terms:
            whole = _embed(combination, starts[index], len(intercept))
            of_release = None
            if index_after is not None and not after[index_after].is_lost and category in released:
                of_release = _embed(released[category], starts_after[index_after], len(intercept_after))
            yield _coefficient(predictor.name, category, fit, whole, fit_after, of_release)


def _starts(predictors: Sequence[_Predictor]) -> list[int]:
    """The first column of each predictor in the design matrix."""
    widths = [predictor.coding.shape[1] for predictor in predictors]
    return [1 + sum(widths[:index]) for index in range(len(widths))]


def _intercept(predictors: Sequence[_Predictor]) -> Reals:
    return np.concatenate([np.ones(1), *(predictor.origin for predictor in predictors)])


def _embed(combination: Reals, start: int, width: int) -> Reals:
    whole = np.zeros(width)
    whole[start : start + len(combination)] = combination
    return whole


def _coefficient(
    column: str | None, category: str | None, fit: _Fit, before: Reals, fit_after: _Fit | None, after: Reals | None
) -> Coefficient:
    error = None if fit.separated else fit.error(before)
    value = float(before @ fit.solution) if fit.determines(before) else None
    released = None
    if fit_after is not None and after is not None and fit_after.determines(after):
        released = float(after @ fit_after.solution)
    shift = None
    if value is not None and released is not None and error:
        shift = (released - value) / error
    return Coefficient(
        column, category, *(None if found is None else _round(found) for found in (value, error, released, shift))
    )


def _round(value: float) -> float:
    return float(f"{value:.{FIGURES}g}") + 0.0
