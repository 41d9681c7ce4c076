"""Models that require enough different sensitive values in every class: l-diversity in three forms."""

from collections.abc import Callable
from decimal import Context, Decimal
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from PETWorks.counting.counts import ClassValues, Integers, Reals, WorstClass, largest_ratio
from PETWorks.counting.questions import Question
from PETWorks.counting.view import View
from PETWorks.measures.catalogue import metric
from PETWorks.measures.classes import ClassTest, Mask, Monotone, round_up_count
from PETWorks.measures.parameters import Number
from PETWorks.measures.result import Result, at_most, below, no_less_than

SAME = 1 + 2.0**-50  # tolerance for sums of the same logarithms in another order
NEEDED = ("quasi-identifiers", "a sensitive attribute")
Diversity = Annotated[float | None, Number(at_least=1, limit="at least", unit="values")]


class _Least(NamedTuple):
    """The least diverse class, with its diversity and size, and the number of classes and records below the limit."""

    diversity: float
    size: int | None
    classes: int
    records: int
    counts: tuple[int, ...] = ()

    def merge(self, other: "_Least") -> "_Least":
        """The less diverse of two classes, and of equal ones the smaller."""
        lowest = min(self.diversity, other.diversity)
        equal = [found for found in (self, other) if found.diversity <= lowest * SAME]
        least = min(equal, key=lambda found: (found.size is None, found.size or 0))
        return least._replace(classes=self.classes + other.classes, records=self.records + other.records)


def _distinct(classes: ClassValues) -> Reals:
    return classes.cells_per_class.astype(np.float64)


def _effective_number(classes: ClassValues) -> Reals:
    """The effective number of values of each class: exp(entropy)."""
    shares = classes.counts / classes.cell_sizes  # equal for classes with the same proportions, whatever their size
    return np.asarray(np.exp(-classes.sum_by_class(shares * np.log(shares))))


def _too_few(diversity: Callable[[ClassValues], Reals], limit: float, classes: ClassValues) -> Mask:
    return ~at_most(limit, diversity(classes))


def _least_distinct(limit: float | None, classes: ClassValues) -> _Least:
    return _least(_distinct(classes), classes, limit)


def _least_entropy(limit: float | None, classes: ClassValues) -> _Least:
    return _least(_effective_number(classes), classes, limit)


def _worst_recursive(c: float | None, rank: int, classes: ClassValues) -> tuple[WorstClass, int]:
    """The worst class, and the number of classes with too few values."""
    first, tail = _first_and_tail(classes, rank)
    has_tail = tail > 0
    failed = _too_common(c, first, tail)
    worst = WorstClass(
        largest_ratio(first[has_tail], tail[has_tail]), int(failed.sum()), int(classes.persons[failed].sum())
    )
    return worst, int(np.count_nonzero(~has_tail))


def _too_common(c: float | None, first: Integers, tail: Integers) -> Mask:
    """Whether in each class the commonest value is too common compared with the rarer ones, or these are too few."""
    with np.errstate(over="ignore"):
        return np.asarray(tail == 0 if c is None else (tail == 0) | ~below(first, c * tail))


def _not_recursive(c: float, rank: int, classes: ClassValues) -> Mask:
    return _too_common(c, *_first_and_tail(classes, rank))


def _staying_uniform(limit: float, classes: ClassValues) -> Integers:
    """A lower bound of the records of each class that are in classes with too little entropy on every finer level.

    Entropy is concave: that of a class is at least the mean, by records, of those of the classes it is split into. If a
    share f of the records is in failing ones, entropy >= (1 - f) * log(limit).
    """
    if limit <= 1:  # no class fails
        return classes.sizes * 0
    return round_up_count(classes.sizes * (1 - np.log(_effective_number(classes)) / np.log(limit)))


def _staying_too_common(c: float, rank: int, classes: ClassValues) -> Integers:
    """A lower bound of the records of each class that are in failing classes on every finer level.

    Remove the records of a class that are in failing finer ones. The rest passes, because passing classes together
    pass, and it has at most as many records with rarer values as the whole class; so every value remains less often
    than c times that number.
    """
    first, tail = _first_and_tail(classes, rank)
    surplus = classes.counts - np.repeat(c * tail, classes.cells_per_class)
    return np.maximum(round_up_count(classes.sum_by_class(np.maximum(surplus, 0))), _too_common(c, first, tail))


def _tests(
    view: View,
    fails: Callable[[ClassValues], Mask],
    monotone: Monotone,
    lasting: Callable[[ClassValues], Integers] | None = None,
) -> list[ClassTest]:
    return [ClassTest(fails, monotone, sensitive=column, lasting=lasting) for column in view.sensitive_attributes]


def _staying_few(limit: float, classes: ClassValues) -> Integers:
    """The records of each class that are in classes with too few values on every finer level: all with a value."""
    return np.where(_too_few(_distinct, limit, classes), classes.sizes, 0)


def _tests_distinct(view: View, *, l: float | None) -> list[ClassTest]:  # noqa: E741
    if l is None:
        return []
    fails, lasting = partial(_too_few, _distinct, l), partial(_staying_few, l)
    return [
        # If missing values are left out, records without a value may be in a passing class on a finer level.
        ClassTest(fails, Monotone.ALWAYS, sensitive=column)
        if view.required_column(column) is None
        else ClassTest(fails, Monotone.UNSUPPRESSED, sensitive=column, lasting=lasting)
        for column in view.sensitive_attributes
    ]


def _tests_entropy(view: View, *, l: float | None) -> list[ClassTest]:  # noqa: E741
    if l is None:
        return []
    return _tests(view, partial(_too_few, _effective_number, l), Monotone.UNSUPPRESSED, partial(_staying_uniform, l))


def _tests_recursive(view: View, *, c: float | None, l: int) -> list[ClassTest]:  # noqa: E741
    if c is None:
        return []
    lasting = partial(_staying_too_common, c, l)
    return _tests(view, partial(_not_recursive, c, l), Monotone.UNSUPPRESSED, lasting)


def _merge_worst(first: tuple[WorstClass, int], second: tuple[WorstClass, int]) -> tuple[WorstClass, int]:
    return first[0].merge(second[0]), first[1] + second[1]


def _asks_distinct(view: View, *, l: float | None) -> list[Question[_Least]]:  # noqa: E741
    columns, kernel = view.sensitive_attributes, partial(_least_distinct, l)
    return [view.fold_question("distinct values", column, kernel, _Least.merge, limit=l) for column in columns]


def _asks_entropy(view: View, *, l: float | None) -> list[Question[_Least]]:  # noqa: E741
    columns, kernel = view.sensitive_attributes, partial(_least_entropy, l)
    return [view.fold_question("entropy of values", column, kernel, _Least.merge, limit=l) for column in columns]


def _asks_recursive(view: View, *, c: float | None, l: int) -> list[Question[tuple[WorstClass, int]]]:  # noqa: E741
    columns, kernel = view.sensitive_attributes, partial(_worst_recursive, c, l)
    return [view.fold_question(("recursive", l), column, kernel, _merge_worst, limit=c) for column in columns]


@metric(
    asks=_asks_distinct,
    tests=_tests_distinct,
    family="privacy",
    better="higher",
    needs=NEEDED,
    aliases=("distinct-l-diversity",),
    unit="values",
    if_it_fails="more-values",
)
def l_diversity(view: View, *, l: Diversity = None) -> Result:  # noqa: E741 - its name in every paper
    """Fewest different sensitive values in a class.

    The release is (distinct) l-diverse when every class has at least l different values of each sensitive attribute.
    A missing value is a value, unless values are folded (see `Release`).

    Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam (2006), *l-Diversity: Privacy Beyond k-Anonymity*.

    >>> from PETWorks import Release
    >>> l_diversity(Release("data/patient_anonymized.csv"), l=3)
    <l-diversity = 3 (l=3): satisfied>
    """
    attributes = {}
    for column, question in zip(view.sensitive_attributes, _asks_distinct(view, l=l), strict=True):
        least = view.answer(question)
        attributes[column] = _describe(least, int(least.diversity) if least.size else None, l)
    return _result("l-diversity", attributes, l, view)


@metric(
    asks=_asks_entropy,
    tests=_tests_entropy,
    family="privacy",
    better="higher",
    needs=NEEDED,
    unit="values",
    if_it_fails="more-values",
)
def entropy_l_diversity(view: View, *, l: Diversity = None) -> Result:  # noqa: E741 - its name in every paper
    """Smallest exp(entropy) of the sensitive values in a class: how many equally common values it is worth.

    The release is entropy l-diverse when the entropy of the sensitive values is at least log l in every class.

    Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam (2006), *l-Diversity: Privacy Beyond k-Anonymity*.

    >>> from PETWorks import Release
    >>> entropy_l_diversity(Release("data/patient_anonymized.csv"), l=3).satisfied
    True
    """
    attributes = {}
    for column, question in zip(view.sensitive_attributes, _asks_entropy(view, l=l), strict=True):
        least = view.answer(question)
        attributes[column] = _describe(least, _perplexity(least.counts) if least.size else None, l)
    return _result("entropy-l-diversity", attributes, l, view)


@metric(
    asks=_asks_recursive,
    tests=_tests_recursive,
    family="privacy",
    better="lower",
    needs=NEEDED,
    aliases=("(c,l)-diversity", "recursive-(c,l)-diversity"),
    unit="ratio",
    if_it_fails="more-values",
)
def recursive_l_diversity(
    view: View,
    *,
    c: Annotated[float | None, Number(at_least=0)] = None,
    l: Annotated[int, Number(at_least=2, at_most=10**9, whole=True, unit="values")] = 2,  # noqa: E741 - its name in every paper
) -> Result:
    """Bound that c must exceed so that no class has one value too common among its rarer ones.

    With the frequencies of a class in descending order, r1 must be below c (r_l + ... + r_m). The value is the
    largest r1 / (r_l + ... + r_m); the release is recursively (c, l)-diverse when c is above it, strictly. Where a
    class has fewer than l values no c will do, and there is no value.

    Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam (2006), *l-Diversity: Privacy Beyond k-Anonymity*.

    >>> from PETWorks import Release
    >>> recursive_l_diversity(Release("data/patient_anonymized.csv"), c=1)
    <recursive-l-diversity = 0.5 (c=1, l=2): satisfied>
    """
    attributes: dict[str, dict[str, Any]] = {}
    for column, question in zip(view.sensitive_attributes, _asks_recursive(view, c=c, l=l), strict=True):
        worst, too_few = view.answer(question)
        ratio = None if too_few or worst.extreme is None else worst.extreme[0]
        attributes[column] = {
            "c": None if ratio is None else float(ratio),
            "exact": None if ratio is None else str(ratio),
            "classes_with_too_few_values": too_few,
            **({} if c is None else {"classes_beyond_c": worst.classes, "records_beyond_c": worst.records}),
        }
    without = [found for found in attributes.values() if found["classes_with_too_few_values"]]
    bounds = [found["c"] for found in attributes.values() if found["c"] is not None]
    value = max(bounds, default=None) if not without else None
    return Result(
        "recursive-l-diversity",
        value,
        None if c is None else not without and (value is None or bool(below(value, c))),
        {"c": c, "l": l},
        {"attributes": attributes, **view.class_summary()},
    )


def _least(diversity: Any, classes: ClassValues, limit: float | None) -> _Least:
    """The least diverse class of a batch, with its counts."""
    if len(classes.sizes) == 0:
        return _Least(np.inf, None, 0, 0)
    small = ~at_most(0 if limit is None else limit, diversity)
    ties = np.flatnonzero(diversity <= diversity.min() * SAME)
    index = ties[np.argmin(classes.persons[ties])]
    cells = slice(classes.starts[index], classes.starts[index] + classes.cells_per_class[index])
    return _Least(
        float(diversity[index]),
        int(classes.persons[index]),
        int(small.sum()),
        int(classes.persons[small].sum()),
        tuple(classes.counts[cells].tolist()),
    )


def _describe(least: _Least, value: float | None, limit: float | None) -> dict[str, Any]:
    return {
        "l": value,
        "worst_class_size": least.size,
        **({} if limit is None else {"classes_below_l": least.classes, "records_below_l": least.records}),
    }


def _result(name: str, attributes: dict[str, dict[str, Any]], limit: float | None, view: View) -> Result:
    values = [found["l"] for found in attributes.values() if found["l"] is not None]
    value = min(values, default=None)
    return Result(
        name,
        value,
        no_less_than(value, limit),
        {"l": limit},
        {"attributes": attributes, **view.class_summary()},
    )


def _perplexity(counts: tuple[int, ...]) -> float:
    """exp(entropy) of a class, computed with 40 digits and rounded once, so that a class at the limit meets it."""
    context = Context(prec=40)
    size = Decimal(sum(counts))
    different, numbers = np.unique(np.array(counts), return_counts=True)
    logs = Decimal(0)
    for count, number in zip(different.tolist(), numbers.tolist(), strict=True):
        logs = context.add(logs, context.multiply(Decimal(count) * number, context.ln(Decimal(count))))
    return float(context.divide(size, context.exp(context.divide(logs, size))))


def _first_and_tail(classes: ClassValues, rank: int) -> tuple[Integers, Integers]:
    """For each class the count of the commonest value, and the sum of the counts from the given rank on."""
    if len(classes.sizes) == 0:
        return classes.sizes, classes.sizes
    if rank == 2:
        first = np.maximum.reduceat(classes.counts, classes.starts)
        return first, classes.sizes - first
    most = int(classes.counts.max())
    order = np.argsort(classes.cell_classes * (most + 1) + (most - classes.counts), kind="stable")
    descending = classes.counts[order]
    index = np.arange(len(descending)) - np.repeat(classes.starts, classes.cells_per_class)
    return descending[classes.starts], classes.sum_by_class(np.where(index >= rank - 1, descending, 0))
