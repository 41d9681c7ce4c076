"""Models that ask for enough look-alikes: k-anonymity, (alpha, k)-anonymity, k-map."""

from fractions import Fraction
from typing import Annotated, Any

from PETWorks.counting.counts import LinkedSizes
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError
from PETWorks.measures.catalogue import metric
from PETWorks.measures.class_shares import beyond, shares
from PETWorks.measures.parameters import Number, Text
from PETWorks.measures.population_classes import linked_sizes, own_sizes
from PETWorks.measures.result import Result, at_most, no_less_than, no_more_than

ClassSize = Annotated[float | None, Number(at_least=1)]


@metric(
    family="privacy",
    better="higher",
    chinese=("k-匿名性", "最小等價類的資料列數。"),
    of_one_class=True,
)
def k_anonymity(release: Release, *, k: ClassSize = None) -> Result:
    """Number of records in the smallest equivalence class.

    The release is k-anonymous when every record shares its quasi-identifiers with at least k - 1 others, so that
    no chance to pick the right one is above 1/k.

    Samarati and Sweeney (1998), *Protecting Privacy when Disclosing Information: k-Anonymity and Its Enforcement
    through Generalization and Suppression*; Sweeney (2002), *k-Anonymity: A Model for Protecting Privacy*.

    >>> k_anonymity(Release("data/patient_anonymized.csv"), k=3)
    <k-anonymity = 3 (k=3): satisfied>
    """
    sizes = release.class_sizes()
    smallest = sizes.summary()["smallest_class"]
    return Result(
        "k-anonymity",
        smallest,
        no_less_than(smallest, k),
        {"k": k},
        {**_below(own_sizes(release), k), **release.class_summary()},
    )


@metric(
    family="privacy",
    better="mixed",
    needs=("quasi-identifiers", "a sensitive attribute"),
    aliases=("(α,k)-anonymity", "(alpha,k)-anonymity"),
    chinese=("(α, k)-匿名性", "最小等價類的大小，以及單一敏感屬性值在等價類中所占的最大比例。"),
    of_one_class=True,
)
def alpha_k_anonymity(
    release: Release,
    *,
    alpha: Annotated[float | None, Number(at_least=0, at_most=1)] = None,
    k: ClassSize = None,
    value: Annotated[str | None, Text()] = None,
) -> Result:
    """Smallest class, and largest share that one sensitive value has in a class.

    The release is (alpha, k)-anonymous when every class has at least k records and no sensitive value, or not the
    named one, makes up more than alpha of it.

    Wong, Li, Fu and Wang (2006), *(α, k)-Anonymity: An Enhanced k-Anonymity Model for Privacy-Preserving Data
    Publishing*.

    >>> alpha_k_anonymity(Release("data/patient_anonymized.csv"), alpha=0.5, k=3)
    <alpha-k-anonymity = [3, 0.333333] (alpha=0.5, k=3): satisfied>
    """
    if value is not None and not any(value in release.marginal(name).values for name in release.sensitive_attributes):
        raise ParameterError("alpha-k-anonymity: the given value is in no sensitive attribute", what="value")
    attributes: dict[str, dict[str, Any]] = {}
    found = []
    for column in release.sensitive_attributes:
        share, size = shares(release, column).largest(value) or (Fraction(0), None)
        found.append(share)
        attributes[column] = {
            "alpha": float(share),
            "exact": str(share),
            "worst_class_size": size,
            **(
                {}
                if alpha is None
                else beyond(release, column, lambda share, _: ~at_most(share, alpha), "alpha", value)
            ),
        }
    share, smallest = max(found), release.class_sizes().summary()["smallest_class"]
    verdicts = [no_less_than(smallest, k), no_more_than(float(share), alpha)]
    return Result(
        "alpha-k-anonymity",
        [smallest, float(share)],
        None if verdicts == [None, None] else False not in verdicts,
        {"alpha": alpha, "k": k, "value": value},
        {"exact": str(share), "attributes": attributes, **release.class_summary()},
    )


@metric(
    family="privacy",
    better="higher",
    needs=("quasi-identifiers", "a population table"),
    chinese=("k-map（k-對映）", "去識別化資料表各等價類在母體中所對應人數的最小值。"),
    of_one_class=True,
)
def k_map(release: Release, *, k: ClassSize = None) -> Result:
    """Number of people in the population behind the least common class of the release.

    Where the adversary does not know whether a person is in the release, what protects is how many people of the
    population share the quasi-identifiers of a record. The population is generalised as the release is.

    Sweeney (2001), *Computational Disclosure Control*; El Emam and Dankar (2008), *Protecting Privacy Using
    k-Anonymity*.

    >>> release = Release("data/delta_anonymized.csv", population="data/delta.csv")
    >>> k_map(release).value
    3
    """
    linked = linked_sizes(release)
    smallest = int(linked.sizes[0]) if len(linked.sizes) else None
    return Result(
        "k-map",
        smallest,
        no_less_than(smallest, k),
        {"k": k},
        {
            **_below(linked, k),
            "population": release.population_size,
            "population_of_the_released_classes": int(linked.sizes @ linked.classes),
            **release.class_summary(),
        },
    )


def _below(linked: LinkedSizes, k: float | None) -> dict[str, Any]:
    """The chance that goes with the smallest class, and what is below the limit."""
    highest = {"highest_risk": 1 / int(linked.sizes[0]) if len(linked.sizes) else 0.0}
    if k is None:
        return highest
    small = ~at_most(k, linked.sizes)
    return {
        **highest,
        "classes_below_k": int(linked.classes[small].sum()),
        "records_below_k": int(linked.records[small].sum()),
    }
