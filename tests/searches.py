"""The searches alone, for tests of what they find: without roles for all columns, shuffling, and warnings."""

import inspect
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from PETWorks import Release
from PETWorks.anonymizer.anonymization import anonymize_release
from PETWorks.anonymizer.chosen_levels import on_levels
from PETWorks.anonymizer.frontiers import frontier_of
from PETWorks.anonymizer.rules import checked_rules
from PETWorks.gate.planned import demanded_rules, given_hierarchies, prepare
from PETWorks.gate.plans import checked_plan, earlier_hierarchies, read_plan

OF_THE_TABLE = set(inspect.signature(Release).parameters)


def anonymize(data, roles=None, hierarchies=None, rules=None, *, subsets=None, **settings):
    """The best levels, as `PETWorks.anonymize` finds them."""
    release, settings = _opened(data, roles, hierarchies, settings)
    return anonymize_release(release, checked_rules(rules or {}, subsets), **settings)


def apply_levels(data, roles=None, hierarchies=None, levels=None, rules=None, **about):
    """The table on these levels, as `PETWorks.apply_levels` has it."""
    release, settings = _opened(data, roles, hierarchies, about)
    return on_levels(release, levels or {}, () if rules is None else checked_rules(rules), **settings)


def frontier(data, roles=None, hierarchies=None, rules=None, *, subsets=None, vary=None, **settings):
    """The least losses, as `PETWorks.frontier` finds them."""
    release, settings = _opened(data, roles, hierarchies, settings)
    return frontier_of(release, checked_rules(rules or {}, subsets), vary, **settings)


def _opened(data, roles, hierarchies, settings):
    about = {name: value for name, value in settings.items() if name in OF_THE_TABLE}
    release = Release(data, roles, hierarchies, **about)
    return release, {name: value for name, value in settings.items() if name not in OF_THE_TABLE}


def apply_plan(data, plan, hierarchies=None, *, roles=None, strict=False, **about):
    """The table recoded as the plan says, as `PETWorks.apply_plan` has it."""
    is_file = not isinstance(plan, Mapping)
    read = read_plan(Path(plan)) if is_file else checked_plan(plan, "plan")
    beside = is_file and hierarchies is None
    earlier = earlier_hierarchies(read, Path(plan).parent) if beside else given_hierarchies(read, hierarchies)
    prepared = prepare(data, read, earlier, new_roles=roles, **about)
    return prepared.recoded(demanded_rules(read, datetime.now(UTC).date()), strict=strict)
