"""Which records left a table, as the plan of its release lists them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from PETWorks.about.record_numbers import places_in
from PETWorks.errors import Hint, InputError, Phrase
from PETWorks.gate.json_files import read_json
from PETWorks.gate.plan_document import Plan
from PETWorks.gate.schema import violation


def removed_places(path: Path) -> tuple[NDArray[np.int64] | None, int] | None:
    """The places of the records that left a table and how many it had, by the plan of its release; None if all stayed.

    The plan of an engine whose records have no places says only that some left.
    """
    content = read_json(path, Phrase("a plan"), Hint.PLAN)
    wrong = violation(content, "plan")
    if wrong:
        raise InputError("{name}: not a plan: {problem}", Hint.PLAN, name=path.name, problem=wrong)
    plan = Plan.from_dict(content)
    if plan.removed is None:
        return (None, plan.records) if plan.suppressed_records == "remove" else None
    places = places_in(plan.removed, plan.records)
    if places is None:
        raise InputError(
            "{name}: 'removed' must list numbers of records, ascending and at most {records:,}",
            name=path.name,
            records=plan.records,
        )
    return places, plan.records
