"""`reasons_per_record`: the records of a table that break rules as it stands, and why."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from PETWorks.about.declaration import name_of
from PETWorks.about.hierarchy import Hierarchy
from PETWorks.anonymizer.ground import Ground
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.lattice import Lattice
from PETWorks.anonymizer.objectives import checked_objective, make_objective
from PETWorks.anonymizer.problem import amounts
from PETWorks.anonymizer.record_reasons import no_reasons, reasons_on_node
from PETWorks.anonymizer.rules import Rule, Rules, checked_rules
from PETWorks.counting.release import Release
from PETWorks.counting.table import Table
from PETWorks.counting.view import NO_QUASI_IDENTIFIER, View
from PETWorks.errors import ParameterError, RoleError
from PETWorks.measures import attacks, privacy, risk, utility  # noqa: F401 - fills the catalogue
from PETWorks.measures.attacks.records import table_in_memory
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.whole import check_ordered

if TYPE_CHECKING:
    import pyarrow as pa


def reasons_per_record(
    release: Release,
    rules: Rules | None = None,
    *,
    below: int | None = None,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
) -> "pa.Table":
    """Why records of a table are at risk: those in classes that break a rule of single classes.

    One row per record: its number from 1 on (`record`), the rules that its class breaks (`rule`), the size of the
    class, the smallest set of quasi-identifiers by which it stands out, and the smallest generalisation that would save
    it, with what the table loses by that. It is for those who may see the table; it has no cell.

    rules     as for `evaluate`: `{"k-anonymity": {"k": 5}}`; limits for the whole table concern no record
    below     the records of classes of fewer records than that, instead of those that break a rule
    others    what is to be small in a generalisation: see `anonymize`

    >>> roles = {"zip": "quasi_identifier", "age": "quasi_identifier", "nationality": "quasi_identifier"}
    >>> release = Release("data/delta.csv", roles, "data/delta_hierarchy")
    >>> reasons = reasons_per_record(release, {"k-anonymity": {"k": 2}})
    >>> reasons.num_rows, reasons["stands_out_by"][0].as_py()
    (9, ['age'])
    """
    if rules is None and below is None:
        raise ParameterError("name rules, such as {'k-anonymity': {'k': 5}}, or a class size as below", what="rules")
    checked = () if rules is None else checked_rules(rules)
    return reasons_of_release(release, checked, below, objective, aggregate, weights)


def reasons_of_release(
    release: Release,
    rules: Sequence[Rule],
    below: int | None = None,
    objective: str = "granularity",
    aggregate: str | None = None,
    weights: Mapping[str, float] | None = None,
) -> "pa.Table":
    """The same for rules that were checked."""
    if not release.quasi_identifiers:
        raise RoleError(*NO_QUASI_IDENTIFIER)
    table_in_memory(release)
    check_ordered(release.source)
    columns = release.quasi_identifiers
    name, put_together, weighed = checked_objective(objective, aggregate, weights, columns)
    for rule in rules:
        rule.check(release.view)
    of_classes = [rule for rule in rules if rule.tests(release.view)]
    compared = {test.background for rule in of_classes for test in rule.tests(release.view) if test.background}
    if release.view.suppressed_records == release.records:
        return no_reasons()
    view, high = _as_it_stands(release.view, compared)
    ground = Ground.of(view, Lattice(columns, (0,) * len(columns), tuple(high[column] for column in columns)))
    loss = make_objective(ground, name, put_together, weighed, amounts(tuple(rules)))
    judge = Judge(ground, of_classes, ground.records, loss)
    return reasons_on_node(ground.at(ground.lattice.low), judge, loss, ground.lattice.high, below=below)


def _as_it_stands(view: View, compared: set[str]) -> tuple[View, dict[str, int]]:
    """The view with hierarchies whose leaves are the values of the table, and how far each column can be raised.

    compared   the other tables that rules look at, "original" and "population": on the levels of the release
    """
    given = view.background
    others: dict[str, Table] = {}
    if "original" in compared:
        others["original"] = view.on_released_levels(given.original, "original")
    if "population" in compared:
        others["population"] = view.on_released_levels(given.population_table, "population")
    background = replace(
        given, load_original=_loading(others.get("original")), load_population=_loading(others.get("population"))
    )
    hierarchies, high = dict(view.hierarchies), {}
    for column in view.quasi_identifiers:
        values = {value: None for table in (view.table, *others.values()) for value in table.marginal(column).values}
        told = [value for value in values if value is not None and value != SUPPRESSED]
        own = _standing(hierarchies.get(column), told)
        high[column] = 0 if own is None else own.height
        hierarchies[column] = own or Hierarchy([[value] for value in told or [SUPPRESSED]], name_of(column))
    return replace(view, hierarchies=hierarchies, background=background), high


def _loading(table: Table | None) -> Callable[[], Table] | None:
    return None if table is None else lambda: table


def _standing(hierarchy: Hierarchy | None, values: Sequence[str]) -> Hierarchy | None:
    """The hierarchy of values that may be generalised already, each up from its level; None if there is none."""
    if hierarchy is None or not values:
        return None
    if not set(values) <= set(hierarchy.leaves):
        places = [(value, hierarchy.place(value)) for value in values]
        rows = [
            [value if level <= place[0] else labels[place[1]] for level, labels in enumerate(hierarchy.levels)]
            for value, place in places
            if place is not None
        ]
        if len(rows) < len(values):
            return None
        hierarchy = Hierarchy(rows, hierarchy.name)
    nested = all(len(set(zip(low, up, strict=True))) == len(set(low)) for low, up in pairwise(hierarchy.levels))
    return hierarchy if nested else None
