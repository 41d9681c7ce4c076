"""The searches alone, for tests of their results: no roles for all columns, no shuffling, no warnings."""

import inspect
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from PETWorks import Release
from PETWorks.anonymizer.anonymization import anonymize_release
from PETWorks.anonymizer.chosen_levels import recode_to_levels
from PETWorks.anonymizer.frontier import find_frontier
from PETWorks.anonymizer.rules import check_rules
from PETWorks.gate.plans import (
    demanded_rules,
    earlier_hierarchies,
    match_hierarchies,
    prepare_table,
)
from PETWorks.gate.policy.plan_files import parse_plan, read_plan

RELEASE_PARAMETERS = set(inspect.signature(Release).parameters)


def anonymize(data, roles=None, hierarchies=None, rules=None, *, subsets=None, **settings):
    """The best levels, as `PETWorks.anonymize` finds them; any column may be lost, unless `may_lose` is given."""
    release, settings = _open(data, roles, hierarchies, settings)
    return anonymize_release(release, check_rules(rules or {}, subsets), **{"may_lose": "all"} | settings)


def apply_levels(data, roles=None, hierarchies=None, levels=None, rules=None, **options):
    """The table on these levels, like `PETWorks.apply_levels`."""
    release, settings = _open(data, roles, hierarchies, options)
    return recode_to_levels(release, levels or {}, () if rules is None else check_rules(rules), **settings)


def frontier(data, roles=None, hierarchies=None, rules=None, *, subsets=None, vary=None, **settings):
    """The least losses, as `PETWorks.frontier` finds them; any column may be lost, unless `may_lose` is given."""
    release, settings = _open(data, roles, hierarchies, settings)
    return find_frontier(release, check_rules(rules or {}, subsets), vary, **{"may_lose": "all"} | settings)


def _open(data, roles, hierarchies, settings):
    release_options = {name: value for name, value in settings.items() if name in RELEASE_PARAMETERS}
    release = Release(data, roles, hierarchies, **release_options)
    return release, {name: value for name, value in settings.items() if name not in RELEASE_PARAMETERS}


def apply_plan(data, plan, hierarchies=None, *, roles=None, strict=False, **options):
    """The table recoded by the plan, like `PETWorks.apply_plan`."""
    is_file = not isinstance(plan, Mapping)
    parsed = read_plan(Path(plan)) if is_file else parse_plan(plan, "plan")
    reads_folder = is_file and hierarchies is None
    earlier = earlier_hierarchies(parsed, Path(plan).parent) if reads_folder else match_hierarchies(parsed, hierarchies)
    prepared = prepare_table(data, parsed, earlier, new_roles=roles, **options)
    return prepared.recode(demanded_rules(parsed, datetime.now(UTC).date()), strict=strict)
