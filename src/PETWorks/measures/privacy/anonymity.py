"""Models that require enough records with the same quasi-identifiers: k-anonymity, (alpha, k)-anonymity, k-map."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any

from PETWorks.about.treatment import fold_value
from PETWorks.counting.counts import ClassPairs, Integers, LinkedSizes
from PETWorks.counting.questions import Question
from PETWorks.counting.view import View
from PETWorks.errors import ParameterError
from PETWorks.measures.catalogue import metric
from PETWorks.measures.classes import (
    ClassTest,
    Mask,
    MaximalShare,
    Monotone,
    compute_shares,
    count_failing_classes,
    failing_classes_question,
    linked_sizes,
    own_sizes,
    share_test,
    shares_question,
)
from PETWorks.measures.parameters import Number, Text
from PETWorks.measures.result import LazyDetails, Result, all_hold, at_most, no_less_than, no_more_than

ClassSize = Annotated[float | None, Number(at_least=1, limit="at least", unit="records")]


def _too_small(k: float, sizes: Integers) -> Mask:
    return ~at_most(k, sizes)


def _size_tests(_view: View, *, k: float | None) -> list[ClassTest]:
    return [] if k is None else [ClassTest(partial(_too_small, k), Monotone.ALWAYS)]


@metric(
    tests=_size_tests,
    family="privacy",
    better="higher",
    unit="records",
    outside="smallest class",
)
def k_anonymity(view: View, *, k: ClassSize = None) -> Result:
    """Number of records in the smallest equivalence class.

    The release is k-anonymous when every record shares its quasi-identifiers with at least k - 1 others, so that
    no chance to pick the right one is above 1/k.

    Samarati and Sweeney (1998), *Protecting Privacy when Disclosing Information: k-Anonymity and Its Enforcement
    through Generalization and Suppression*; Sweeney (2002), *k-Anonymity: A Model for Protecting Privacy*.

    >>> from PETWorks import Release
    >>> k_anonymity(Release("data/patient_anonymized.csv"), k=3)
    <k-anonymity = 3 (k=3): satisfied>
    """
    smallest = view.smallest_class()
    return Result(
        "k-anonymity",
        smallest,
        no_less_than(smallest, k),
        {"k": k},
        LazyDetails(lambda: {**_small_classes(own_sizes(view), k), **view.class_summary()}),
    )


@dataclass(frozen=True)
class _ShareAbove(MaximalShare):
    """The test that a share in a class is above a fixed limit."""

    alpha: float

    def limit(self, overall: Any) -> Any:
        """The largest share that passes."""
        return overall * 0 + self.alpha  # in the shape of `overall`


def _fold_as_counted(view: View, value: str | None) -> str | None:
    """A value given by the user, folded if the view folds sensitive values."""
    return fold_value(value) if view.folds_values else value


def _alpha_questions(view: View, *, alpha: float | None, k: float | None, value: str | None) -> list[Question[Any]]:  # noqa: ARG001
    columns, value = view.sensitive_attributes, _fold_as_counted(view, value)
    asked: list[Question[Any]] = [shares_question(view, column) for column in columns]
    if alpha is not None:
        asked += [failing_classes_question(view, column, _ShareAbove(alpha), "alpha", value) for column in columns]
    return asked


def _alpha_tests(view: View, *, alpha: float | None, k: float | None, value: str | None) -> list[ClassTest]:
    if alpha is None:
        return _size_tests(view, k=k)
    columns, value = view.sensitive_attributes, _fold_as_counted(view, value)
    return [
        *_size_tests(view, k=k),
        *(share_test(view, column, _ShareAbove(alpha), value, compares=False) for column in columns),
    ]


@metric(
    asks=_alpha_questions,
    tests=_alpha_tests,
    family="privacy",
    better="mixed",
    needs=("quasi-identifiers", "a sensitive attribute"),
    aliases=("(α,k)-anonymity", "(alpha,k)-anonymity"),
    unit="records and share",
    if_it_fails="diversify",
)
def alpha_k_anonymity(
    view: View,
    *,
    alpha: Annotated[float | None, Number(at_least=0, at_most=1, limit="at most", unit="share")] = None,
    k: ClassSize = None,
    value: Annotated[str | None, Text()] = None,
) -> Result:
    """Smallest class, and largest share that one sensitive value has in a class.

    The release is (alpha, k)-anonymous when every class has at least k records and no sensitive value, or not the
    named one, makes up more than alpha of it.

    Wong, Li, Fu and Wang (2006), *(α, k)-Anonymity: An Enhanced k-Anonymity Model for Privacy-Preserving Data
    Publishing*.

    >>> from PETWorks import Release
    >>> alpha_k_anonymity(Release("data/patient_anonymized.csv"), alpha=0.5, k=3)
    <alpha-k-anonymity = [3, 0.333333] (alpha=0.5, k=3): satisfied>
    """
    named = _fold_as_counted(view, value)
    known = {label for name in view.sensitive_attributes for label in view.overall(name).values}
    if value is not None and (named is None or named not in known):
        raise ParameterError("the given value is in no sensitive attribute", what="value", measure="alpha-k-anonymity")
    attributes: dict[str, dict[str, Any]] = {}
    largest = []
    for column in view.sensitive_attributes:
        share, size = compute_shares(view, column).largest(named) or (Fraction(0), None)
        largest.append(share)
        attributes[column] = {
            "alpha": float(share),
            "exact": str(share),
            "worst_class_size": size,
            **({} if alpha is None else count_failing_classes(view, column, _ShareAbove(alpha), "alpha", named)),
        }
    share, smallest = max(largest), view.class_sizes().smallest
    return Result(
        "alpha-k-anonymity",
        [smallest, float(share)],
        all_hold(no_less_than(smallest, k), no_more_than(float(share), alpha)),
        {"alpha": alpha, "k": k, "value": value},
        {"exact": str(share), "attributes": attributes, **view.class_summary()},
    )


def _too_few_people(k: float, classes: ClassPairs) -> Mask:
    return _too_small(k, classes.background)


def _population_tests(_view: View, *, k: float | None) -> list[ClassTest]:
    if k is None:
        return []
    return [ClassTest(partial(_too_few_people, k), Monotone.ALWAYS, background="population")]


@metric(
    tests=_population_tests,
    family="privacy",
    better="higher",
    needs=("quasi-identifiers", "a population table"),
    unit="records",
)
def k_map(view: View, *, k: ClassSize = None) -> Result:
    """Number of people in the population behind the least common class of the release.

    Where the adversary does not know whether a person is in the release, what protects is how many people of the
    population share the quasi-identifiers of a record. The population is generalised as the release is.

    Sweeney (2001), *Computational Disclosure Control*; El Emam and Dankar (2008), *Protecting Privacy Using
    k-Anonymity*.

    >>> from PETWorks import Release
    >>> release = Release("data/delta_anonymized.csv", population="data/delta.csv")
    >>> k_map(release).value
    3
    """
    linked = linked_sizes(view)
    smallest = int(linked.sizes[0]) if len(linked.sizes) else None
    return Result(
        "k-map",
        smallest,
        no_less_than(smallest, k),
        {"k": k},
        {
            **_small_classes(linked, k),
            "population": view.population_size,
            "population_of_the_released_classes": int(linked.sizes @ linked.classes),
            **view.class_summary(),
        },
    )


def _small_classes(linked: LinkedSizes, k: float | None) -> dict[str, Any]:
    """Details: the risk in the smallest class, and with a limit the number of smaller classes and their records."""
    highest = {"highest_risk": 1 / int(linked.sizes[0]) if len(linked.sizes) else 0.0}
    if k is None:
        return highest
    small = ~at_most(k, linked.sizes)
    return {
        **highest,
        "classes_below_k": int(linked.classes[small].sum()),
        "records_below_k": int(linked.records[small].sum()),
    }
