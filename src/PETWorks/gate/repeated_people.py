"""People with several records whom nobody declared: every class of such a release may be one person."""

from collections.abc import Collection
from functools import partial

from PETWorks.counting.release import Release
from PETWorks.errors import RoleError
from PETWorks.gate.named_people import named_people, same_person_in
from PETWorks.gate.recognition import Examined


def check_people_are_declared(release: Release, explained: Collection[str] = ()) -> None:
    """Raise if an identifier plainly names people with several records, and no privacy unit says that people count.

    explained   columns with a reason for their role
    """
    if release.privacy_unit is not None:
        return
    settled = {name.strip() for name in explained}
    names = [name for name in release.identifiers if name in release.columns and name not in settled]
    profiles = release.engine.profiles(release.source, names) if names else {}
    examined = {name: Examined.of(profiles[name]) for name in names}
    load = partial(release.engine.load, release.source)
    unit = named_people(examined, same_person_in(load, release.columns))
    if unit is not None:
        raise RoleError(
            "column {column!r} names people, and {records:,} records are of {people:,} people: without a privacy unit, "
            "records are counted, and a class of many records may be one person; give it as 'privacy_unit', "
            "or, if it does not name the people the table is about, say so under 'role_reasons'",
            column=unit,
            records=examined[unit].present,
            people=examined[unit].distinct,
            what="privacy_unit",
        )
