"""A sample drawn from a population: which columns say how many people a record stands for, and its household.

The sampling weight of a record is the number of people of the population that it stands for. A household number links
the members of a household.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass

from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE
from PETWorks.errors import Phrase, RoleError
from PETWorks.tables.headers import columns_of
from PETWorks.tables.source import Source


@dataclass(frozen=True)
class Sample:
    """The columns of a table that describe how it was drawn.

    weight      the sampling weight of each record
    household   the household of each record
    """

    weight: str | None = None
    household: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are named."""
        return tuple(name for name in (self.weight, self.household) if name is not None)

    @property
    def words(self) -> dict[str, str]:
        """The statements as keys of a policy, which are arguments of `Release` too."""
        named = {"sampling_weight": self.weight, "household": self.household}
        return {key: column for key, column in named.items() if column is not None}

    def without(self, columns: Container[str | None]) -> "Sample":
        """The statements that are not about these columns."""
        return Sample(*(None if name in columns else name for name in (self.weight, self.household)))

    def absent_in(self, source: Source) -> tuple[str, ...]:
        """The named columns that a table does not have."""
        return tuple(name for name in self.columns if name not in source.names)


# Who names one of these columns may also release it, by the role of an insensitive attribute.
ALLOWED_ROLES = {"sampling_weight": (INSENSITIVE_ATTRIBUTE,), "household": (INSENSITIVE_ATTRIBUTE, IDENTIFIER)}
CALLED = {"sampling_weight": Phrase("the sampling weight"), "household": Phrase("the household")}


def check_sample(sample: Sample, source: Source, roles: Mapping[str, str], unit: str | None) -> Sample:
    """Check that the columns exist and have no other task."""
    named = {"sampling_weight": sample.weight, "household": sample.household}
    for what, column in named.items():
        if column is None:
            continue
        if column not in source.names:
            raise RoleError(
                "{thing} {column!r} is not in the data; it has {columns}",
                thing=CALLED[what],
                column=column,
                columns=columns_of(source),
                what=what,
            )
        if roles.get(column, INSENSITIVE_ATTRIBUTE) not in ALLOWED_ROLES[what]:
            raise RoleError(
                "{thing} {column!r} cannot also have the role {role!r}; list it among the insensitive attributes to "
                "release it, or nowhere",
                thing=CALLED[what],
                column=column,
                role=roles[column],
                what=what,
            )
        if column == unit:
            raise RoleError(
                "{thing} {column!r} cannot also be the privacy unit", thing=CALLED[what], column=column, what=what
            )
    if sample.weight is not None and sample.weight == sample.household:
        raise RoleError(
            "column {column!r} cannot be both the sampling weight and the household",
            column=sample.weight,
            what="household",
        )
    return sample
