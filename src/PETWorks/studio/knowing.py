"""An adversary who knows some of the quasi-identifiers: their risk, from the distinct rows of the table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PETWorks.counting.view import View
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.gate.facts import below
from PETWorks.measures.attacks.inference import attribute_inference
from PETWorks.measures.risk.scenarios import distribution


@dataclass(frozen=True)
class Known:
    """What an adversary can do who knows these columns of every person, and sees every record.

    chance      to pick the record of a random person
    highest     the same of the person for whom it is easiest
    small       records in classes below the size that is required
    inferred    for each sensitive attribute the chance to guess it: before, and with these columns
    sizes       classes and records by group of sizes
    """

    columns: tuple[str, ...]
    records: int
    classes: int
    smallest: int
    chance: float
    highest: float
    unique: int
    small: int
    inferred: dict[str, tuple[float, float]]
    sizes: dict[str, dict[str, Any]]


def known_to(view: View, columns: Sequence[str], wanted: int) -> Known:
    """What an adversary can do who knows some columns, at least one; `wanted` is the size that classes should have."""
    own = _limited(view, tuple(columns))
    # Counted with their values first, classes are counted once.
    found = attribute_inference(own).details["attributes"] if view.sensitive_attributes else {}
    sizes = own.class_sizes(attacker=True)
    return Known(
        columns=tuple(columns),
        records=sizes.records,
        classes=sizes.number,
        smallest=int(sizes.sizes[0]),
        chance=sizes.number / sizes.records,
        highest=1 / int(sizes.sizes[0]),
        unique=below(sizes, 2),
        small=below(sizes, wanted),
        inferred={name: (one["prior"], one["posterior"]) for name, one in found.items()},
        sizes=distribution(sizes.sizes, sizes.classes, sizes.sizes * sizes.classes),
    )


def _limited(view: View, columns: tuple[str, ...]) -> View:
    """The view of someone who knows some columns.

    Rows in memory are merged once, and what is made of them is not kept: it does not grow with the number of questions.
    """
    if not isinstance(view.table, WeightedRows):
        return replace(view, quasi_identifiers=columns)
    distinct = view.at({}).table
    assert isinstance(distinct, WeightedRows)
    unit = () if view.privacy_unit is None else (view.privacy_unit,)
    kept = {name: distinct.columns[name] for name in dict.fromkeys([*columns, *view.sensitive_attributes, *unit])}
    rows = WeightedRows(kept, distinct.unit, distinct.weights, whole=False)
    return replace(view, table=rows, quasi_identifiers=columns, set_levels=None, _rolled_up=None)
