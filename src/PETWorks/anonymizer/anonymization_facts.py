"""Findings of a search, as frozen types that are part of documents: levels, loss, proof, reasons, frontier, utility."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from PETWorks.counting.release import Release
from PETWorks.counting.view import View
from PETWorks.errors import PETWorksError
from PETWorks.json_types import JSONObject, Real, described
from PETWorks.measures.catalogue import find_measure


class BrokenRule(JSONObject, frozen=True):
    """A rule that would fail, and how many records would be in classes that fail; none if it is about the table."""

    rule: str
    records: int | None = None


class ColumnLevel(JSONObject, frozen=True):
    """The level of a column, and what would happen one level finer."""

    column: str
    level: int
    height: Annotated[int, described("the highest level")]
    finer_loss: Annotated[Real, described("the loss one level finer, if the rules can be kept there")] | None = None
    finer_suppressed: int | None = None
    broken: tuple[BrokenRule, ...] = ()
    allowed_levels: (
        Annotated[tuple[int, ...], described("the lowest and the highest, if not all were allowed")] | None
    ) = None
    weight: Annotated[Real, described("its importance for the loss, if it is not 1")] | None = None
    named: Annotated[str, described("its name, if the hierarchy was declared: 'dates 5-years'")] | None = None


class OtherLevels(JSONObject, frozen=True):
    """Other levels that keep the rules, in the order of the columns."""

    levels: tuple[int, ...]
    loss: Real
    suppressed: int


class CostOfRule(JSONObject, frozen=True):
    """The least loss without a rule; none if nothing keeps the other rules either."""

    rule: str
    loss_without: Real | None = None


class State(JSONObject, frozen=True):
    """A table before or after."""

    records: int
    suppressed: int
    classes: int
    smallest_class: int | None
    highest_risk: Real
    unique: Annotated[Real, described("share of the records that are alone in their class")]
    granularity: Real | None = None
    precision: Real | None = None


class LevelsUsed(JSONObject, frozen=True):
    """Levels of local recoding, in the order of the columns, and how many records are on them."""

    levels: tuple[int, ...]
    records: int


class LocalRecoding(JSONObject, frozen=True):
    """Local recoding: the loss on the best levels for all records, and the combinations of levels in use."""

    global_loss: Annotated[Real | None, described("none if no levels for all records keep the rules")]
    combinations: int
    most_used: tuple[LevelsUsed, ...]
    proved: Annotated[bool, described("whether no other levels for all records lose less than global_loss")] = True


WhyGlobal = Literal[
    "one level per column",
    "objective",
    "not possible",
    "no better",
    "stopped",
    "fixed",
    "rows",
    "other releases",
]


class WayOfRecoding(JSONObject, frozen=True):
    """A release that was found, on one level per column or record by record."""

    method: Literal["global", "local"]
    loss: Real
    lost: Annotated[tuple[str, ...], described("the columns of which next to nothing is left")]
    suppressed: int
    highest_risk: Real
    average_risk: Annotated[Real, described("classes by records: the mean over the records that are kept")]


class Choice(JSONObject, frozen=True):
    """The ways to recode the table that were found, and the one that was taken."""

    made: Literal["global", "local"]
    ways: tuple[WayOfRecoding, ...]
    why_global: (
        Annotated[
            WhyGlobal,
            described(
                "why all records are on the best levels, although local recoding was asked for: a rule or the "
                "objective needs one level per column, no other release keeps the rules within the limit, none that "
                "was found loses less, the search was stopped, every level is given, there are too many distinct rows, "
                "or other releases are measured together with this one"
            ),
        ]
        | None
    ) = None


class OtherColumns(JSONObject, frozen=True):
    """The loss of a release on one level per column that keeps other columns; no loss if there is none."""

    keep: Annotated[tuple[str, ...], described("the columns to keep in any case")]
    may_lose: Annotated[tuple[str, ...], described("the columns that may be lost")]
    lost: tuple[str, ...] = ()
    loss: Real | None = None
    suppressed: int | None = None


class KeptColumns(JSONObject, frozen=True):
    """The columns that were to be kept, those that are lost nevertheless, and what else is possible."""

    keep: tuple[str, ...]
    may_lose: tuple[str, ...]
    lost: Annotated[tuple[str, ...], described("columns of which next to nothing is left, of those that may not be")]
    others: tuple[OtherColumns, ...] = ()


class PointOfFrontier(JSONObject, frozen=True):
    """The least loss for a threshold and a limit of suppression, and the levels, in the order of the columns."""

    threshold: Real | None
    suppression: Real
    loss: Real
    suppressed: int
    levels: tuple[int, ...]
    local_loss: Annotated[Real, described("the loss of the release record by record that was found")] | None = None
    local_suppressed: int | None = None
    stopped: Annotated[bool, described("whether time ran out, so that record by record may lose less")] = False

    def loss_by(self, method: str) -> float:
        """The loss with one level per column ("global") or record by record ("local")."""
        return self.loss if method == "global" or self.local_loss is None else self.local_loss


class FrontierFacts(JSONObject, frozen=True):
    """The cost of other thresholds and limits: points that no other point beats in every respect."""

    measure: Annotated[str, described("the rule whose threshold varies")] | None
    parameter: str | None
    larger_is_stricter: bool
    threshold: Annotated[Real, described("the one that the rules have")] | None
    suppression: Annotated[Real, described("the limit that was given")]
    columns: tuple[str, ...]
    points: tuple[PointOfFrontier, ...]
    why_global: (
        Annotated[WhyGlobal, described("why nothing is recoded record by record, although that was asked for")] | None
    ) = None

    @property
    def method(self) -> Literal["global", "local"]:
        """The way of recoding by which points are compared: "local" if the losses record by record are known."""
        return "local" if any(point.local_loss is not None for point in self.points) else "global"

    @property
    def thresholds(self) -> list[float | None]:
        """The thresholds of the points and of the rules, the strictest last."""
        known = {self.threshold, *(point.threshold for point in self.points)}
        return sorted(known, key=lambda threshold: threshold or 0, reverse=not self.larger_is_stricter)

    def best_point(self, threshold: float | None, suppression: float, method: str | None = None) -> int | None:
        """The index of the point with the least loss within a threshold and a limit; None if there is none.

        method   "global" or "local", by default `method`
        """
        sign, method = -1 if self.larger_is_stricter else 1, method or self.method
        allowed = [
            (point.loss_by(method), index)
            for index, point in enumerate(self.points)
            if point.suppression <= suppression
            and (threshold is None or point.threshold is None or sign * point.threshold <= sign * threshold)
        ]
        return min(allowed)[1] if allowed else None

    def least_loss(self, threshold: float | None, suppression: float, method: str | None = None) -> float | None:
        """The least loss within a threshold and a limit of suppression; None if no point keeps the rules."""
        index = self.best_point(threshold, suppression, method)
        return None if index is None else self.points[index].loss_by(method or self.method)


class ColumnKept(JSONObject, frozen=True):
    """Information left in a column; `docs/best-levels.md` has the formulas.

    The last three fields are in documents of earlier versions only.
    """

    column: str
    values_before: Annotated[int, described("different values; missing and * are none")]
    shift: Annotated[
        Real, described("total variation from the original, if each cell is spread over the values it may stand for")
    ]
    values_per_cell: (
        Annotated[Real, described("how many values a released cell may stand for, on average; none without cells")]
        | None
    ) = None
    information_kept: (
        Annotated[Real, described("share of the information of the column's values that its cells still tell")] | None
    ) = None
    values_after: int | None = None
    kept: Real | None = None
    correlation_kept: Real | None = None


class ObjectiveLoss(JSONObject, frozen=True):
    """Loss by an objective: of the table as it was, of the release, and if every record were suppressed."""

    objective: str
    before: Real
    after: Real
    most: Real


class UtilityKept(JSONObject, frozen=True):
    """Utility of the release: of its columns, and the loss by every objective that applies.

    The last four fields are in documents of earlier versions only.
    """

    shift: Annotated[Real, described("mean over the quasi-identifiers")]
    columns: tuple[ColumnKept, ...]
    losses: tuple[ObjectiveLoss, ...]
    information_kept: (
        Annotated[Real, described("mean over the quasi-identifiers with more than one value, if there are any")] | None
    ) = None
    undefined: Annotated[
        tuple[str, ...], described("objectives that are not defined for values on several levels")
    ] = ()
    values_kept: Real | None = None
    correlation_before: Real | None = None
    correlation_after: Real | None = None
    correlation_kept: Real | None = None


class ColumnState(JSONObject, frozen=True):
    """The state of a column: every released cell is unchanged, some are coarser, or next to nothing is left."""

    column: str
    state: Literal["kept", "coarser", "lost"]


class WayByModels(JSONObject, frozen=True):
    """A release that was found, and the share of the models' explanatory power that it keeps."""

    method: Literal["global", "local"]
    kept: Annotated[Real, described("mean over the models, 1 if they explain the original as well as its own")]
    next_best: Annotated[bool, described("whether it is on levels that lose more than the best ones")] = False
    means: Annotated[bool, described("whether it shows means and medians of classes instead of intervals")] = False
    largest_shift: Annotated[
        Real | None, described("standard errors by which a coefficient moves at most; none if one cannot be told")
    ] = None


class ProtectedColumn(JSONObject, frozen=True):
    """A column whose exact values were protected, and what that costs."""

    column: str
    how: Annotated[Mapping[str, Any], described("as the policy declares it")]
    changed: Annotated[Real, described("share of its values that are not as they were")]
    variance_kept: (
        Annotated[Real, described("share of the variance that the coarser numbers or days explain")] | None
    ) = None


class ShownColumn(JSONObject, frozen=True):
    """A column that shows a number or a date for each class instead of the label of a level."""

    column: str
    how: Annotated[str, described("mean or median of the class")]


class AnonymizationFacts(JSONObject, frozen=True, kw_only=True):
    """The way a release was made: its levels, its loss, the proof and the reasons."""

    columns: tuple[ColumnLevel, ...]
    objective: str
    aggregate: str | None = None
    loss: Real
    bound: Annotated[Real, described("the least loss of any other allowed levels")]
    optimal: bool
    checked: Annotated[int, described("nodes that were looked at")]
    nodes: int
    records: int
    suppressed: int
    suppression_limit: Real
    before: State
    after: State
    utility: Annotated[UtilityKept | None, described("unknown if the rows were counted on higher levels")]
    next_best: tuple[OtherLevels, ...] = ()
    rules: tuple[CostOfRule, ...] = ()
    local: LocalRecoding | None = None
    choice: Annotated[Choice | None, described("unknown in documents of earlier versions")] = None
    waived: Annotated[tuple[str, ...], described("rules that were not demanded")] = ()
    protected: tuple[ProtectedColumn, ...] = ()
    shown: tuple[ShownColumn, ...] = ()
    labels_kept: Annotated[
        int, described("classes that show labels, because with means they would look like others and break a rule")
    ] = 0
    labels_kept_for: Annotated[tuple[str, ...], described("rules because of which all classes show labels")] = ()
    column_states: tuple[ColumnState, ...] = ()
    by_models: Annotated[
        tuple[WayByModels, ...], described("the releases that were compared, the one taken first")
    ] = ()
    frontier: FrontierFacts | None = None
    kept_columns: Annotated[KeptColumns | None, described("not if every column might be lost")] = None
    seconds: Annotated[Real, described("how long a search took that was not finished")] | None = None
    improved_after: Annotated[Real, described("after how many seconds the best release was found")] | None = None
    shuffled: (
        Annotated[bool, described("whether its file has the records in a random order, or in that of the original")]
        | None
    ) = None

    @property
    def gap(self) -> float | None:
        """Upper bound of the excess loss over the best levels, as a share of it; None if no bound is known."""
        if self.loss == self.bound:
            return 0.0
        return self.loss / self.bound - 1 if self.bound > 0 else None


UTILITY = ("granularity", "precision")


def table_state(release: Release) -> State:
    """The state of a table: sizes, risks and utility."""
    sizes = release.class_sizes()
    unique = int(sizes.classes[sizes.sizes == 1].sum())
    return State(
        release.records,
        release.suppressed_records,
        sizes.number,
        sizes.smallest,
        1 / sizes.smallest if sizes.smallest else 0.0,
        unique / sizes.records if sizes.records else 0.0,
        **{name: measure_or_none(release, name) for name in UTILITY},
    )


def measure_or_none(release: Release | View, name: str) -> float | None:
    """The value of a measure; None if it does not apply."""
    try:
        value: Any = find_measure(name)(release).value
    except PETWorksError:
        return None
    return float(value)
