"""What suppression itself may give away: few removed records, records that are all alike, and groups of one value."""

from collections.abc import Iterator, Sequence

import numpy as np

from PETWorks.anonymizer.applying import OnLevels
from PETWorks.anonymizer.best_levels import Anonymization
from PETWorks.anonymizer.ground import NodeClasses
from PETWorks.anonymizer.judging import Judge
from PETWorks.anonymizer.local_anonymization import LocalAnonymization
from PETWorks.anonymizer.replaying import Replayed
from PETWorks.counting.weighted_rows import WeightedRows
from PETWorks.gate.document import RuleResult
from PETWorks.gate.steps_document import Notice
from PETWorks.gate.withheld import class_size_demanded
from PETWorks.measures.class_tests import Mask

Made = Anonymization | OnLevels | Replayed


def suppression_notices(made: Made, rules: Sequence[RuleResult]) -> Iterator[Notice]:
    """The notices; `rules` say which class size is demanded."""
    if made.removes and made.suppressed:
        smallest = max((class_size_demanded(rule) or 0 for rule in rules), default=0)
        if made.suppressed < max(smallest, 2):
            yield Notice("few-removed", records=made.suppressed)
        alike = _alike_when_removed(made) if made.suppressed > 1 else ()
        if alike:
            yield Notice("removed-alike", alike, made.suppressed)
    yield from _minimality(made)


def _alike_when_removed(made: Made) -> tuple[str, ...]:
    """The sensitive attributes of which all removed records have the same value."""
    ground = made.classes.ground
    table = ground.view.table
    assert isinstance(table, WeightedRows)
    codes = [ground.values_of(name, table.columns[name].codes) for name in made.recoder.columns]
    out = made.recoder.suppressed(codes)
    names = [name for name in ground.view.sensitive_attributes if name in table.columns]
    return tuple(name for name in names if len(np.unique(table.columns[name].codes[out])) == 1)


def _minimality(made: Made) -> Iterator[Notice]:
    """Groups that are large enough, and were suppressed or made coarser because all of them share a value.

    Whoever knows that a release is no coarser than it must be can conclude that value.
    """
    problem = made.problem
    ground = problem.ground
    judge = Judge(ground, problem.rules, problem.most, problem.objective)
    if not any(test.sensitive for rule in problem.rules for test in rule.tests(ground.view)):
        return
    if isinstance(made, LocalAnonymization) or (isinstance(made, Replayed) and made.sweep is not None):
        if any(problem.lattice.low):
            return
        classes = ground.at(problem.lattice.low)
        codes = classes.codes(np.ones(len(classes.records), np.bool_))
        gone = made.recoder.suppressed([own.astype(np.uint32) for own in codes])
        found = _of_one_value(judge, classes, gone)
    else:
        found = _of_one_value(judge, made.classes, made.taken_out)
        finer = [_coarsened(judge, made.classes, place) for place in range(len(made.classes.node))]
        for name, records in max(finer, key=lambda one: sum(one.values())).items():
            found[name] = found.get(name, 0) + records
    if found:
        yield Notice("minimality", tuple(found), max(found.values()))


def _coarsened(judge: Judge, classes: NodeClasses, place: int) -> dict[str, int]:
    """The same for groups that are on a column's next finer level, where sizes alone would allow that level."""
    ground, node = classes.ground, classes.node
    if node[place] == ground.lattice.low[place]:
        return {}
    finer = ground.at((*node[:place], node[place] - 1, *node[place + 1 :]))
    too_small = int(finer.records[judge.too_small(finer.sizes)].sum())
    failing, _ = judge.failing(finer)
    if too_small > judge.most or int(finer.records[failing].sum()) <= judge.most:
        return {}
    return _of_one_value(judge, finer, failing)


def _of_one_value(judge: Judge, classes: NodeClasses, some: Mask) -> dict[str, int]:
    """Of some classes that are large enough: how many records are in those of a single value, by attribute."""
    found: dict[str, int] = {}
    for name in classes.ground.view.sensitive_attributes:
        if name not in classes.rows.domains:
            continue
        values, told, finer = classes.of_values(name)
        if finer is None:
            single = told.copy()  # of classes that tell a value
            single[told] = np.diff(np.append(values.starts, len(values.values))) == 1
            records = int(classes.records[some & single & ~judge.too_small(classes.sizes)].sum())
            found |= {name: records} if records else {}
    return found
