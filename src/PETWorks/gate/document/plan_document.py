"""The types of a plan, which records how a release was made so that another table can be recoded alike."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from PETWorks.about.hierarchies.hierarchy import MOST_LEVELS
from PETWorks.anonymizer.plan import PATTERN
from PETWorks.json_types import JSONObject, Real, described, keys

Digest = Annotated[str, described("SHA-256", pattern="^[0-9a-f]{64}$")]
Level = Annotated[int, Meta(ge=0)]
Number = Annotated[int, Meta(ge=0)]
Share = Annotated[int, Meta(ge=0, le=1)] | Annotated[float, Meta(ge=0, le=1)]
Way = Literal["missing", "suppressed", "several_sensitive", "sensitive_values"]
RoleKey = Literal["identifiers", "quasi_identifiers", "sensitive_attributes", "insensitive_attributes"]


class PlannedHierarchy(JSONObject, frozen=True, kw_only=True):
    """Where the hierarchy of a column comes from: words, a file beside the plan, or both."""

    height: Annotated[int, described("the highest level", ge=1, le=MOST_LEVELS)]
    sha256: Annotated[Digest, described("of the hierarchy that was used, as a CSV file")]
    words: (
        Annotated[Mapping[str, Any], described("its declaration; values that are new get their place by it")] | None
    ) = None
    file: Annotated[str, described("the CSV file, its path from the folder of the plan")] | None = None


class PlannedRule(JSONObject, frozen=True, kw_only=True):
    """A rule with its thresholds; of the measure every-subset: the limit, its value and the sizes."""

    name: str
    measure: str
    parameters: Mapping[str, Any]
    asked: Annotated[Mapping[str, Any], described("other thresholds, with which the release was made")] | None = None
    preset: str | None = None
    why: Any | None = None


class JudgedRule(JSONObject, frozen=True, kw_only=True):
    """A rule as it was judged by people when the release was made, which does not say any more who they are."""

    name: str
    measure: str
    parameters: Mapping[str, Any]
    value: Any
    compared: str | None = None
    satisfied: bool
    details: Mapping[str, Any] | None = None  # for rules about columns: which, and how many people have unique values


class Plan(JSONObject, frozen=True, kw_only=True):
    """How a release was made. It contains no cell of the table."""

    petworks_plan: Annotated[Literal[1], described("the version of the format")]
    note: Annotated[str, described("who may see it")] | None = None
    method: Literal["global", "local"]
    columns: Annotated[
        tuple[str, ...], described("the quasi-identifiers", min_length=1, extra_json_schema={"uniqueItems": True})
    ]
    levels: Annotated[
        tuple[tuple[Level, ...], ...],
        described(
            "the levels of the columns; of local recoding all combinations that are used, in the order of their use",
            min_length=1,
        ),
    ]
    smallest_class: (
        Annotated[int, described("of local recoding: how many records each class was asked to have", ge=1)] | None
    ) = None
    suppression: Annotated[Share, described("the share of records that may be suppressed")]
    objective: str
    aggregate: str | None = None
    weights: Mapping[str, Real] | None = None
    allowed_levels: (
        Annotated[Mapping[str, tuple[Level, ...]], described("the lowest and the highest, by column")] | None
    ) = None
    rules: Annotated[tuple[PlannedRule, ...], Meta(min_length=1)]
    roles: Annotated[Mapping[RoleKey, tuple[str, ...]], keys(RoleKey)]
    no_role: Annotated[tuple[str, ...], described("columns without a role, which are in the release as they were")]
    privacy_unit: str | None = None
    treatment: Annotated[Mapping[Way, str], keys(Way)]
    population: Annotated[Real, described("a number of people, or a share of them")] | None = None
    hierarchies: Mapping[str, PlannedHierarchy]
    protect: (
        Annotated[Mapping[str, Mapping[str, Any]], described('by column, how it was protected: `{"round": "1000"}`')]
        | None
    ) = None
    spreadsheet_safe: (
        Annotated[
            bool,
            described("whether cells that a spreadsheet takes for formulas got an apostrophe; not without this key"),
        ]
        | None
    ) = None
    records: Annotated[int, described("of the original", ge=1)]
    suppressed_records: (
        Annotated[
            Literal["remove", "stars"], described("whether they left the table, or stayed with *, as without this key")
        ]
        | None
    ) = None
    suppressed: Annotated[Number, described("records that were suppressed")]
    removed: (
        Annotated[
            str,
            described(
                "the records of the original that left the table, numbered from 1 on, such as 3,17-20; also those that "
                "were suppressed already",
                pattern=PATTERN,
            ),
        ]
        | None
    ) = None
    loss: Annotated[Real, described("what was lost, by the objective")]
    seed: Annotated[str, described("of the random order of its records", pattern="^[0-9]{1,100}$")] | None = None
    policy: (
        Annotated[Mapping[str, Any], described("what else the policy says: title, context, presets, waivers, ...")]
        | None
    ) = None
    made_by: (
        Annotated[
            Mapping[str, Digest], described("of a release by a policy: for each key the digest of what the policy said")
        ]
        | None
    ) = None
    release: Annotated[str, described("the name of the file")] | None = None
    original_sha256: Annotated[Digest, described("of the file of the original")] | None = None
    release_sha256: Annotated[Digest, described("of the file of the release")] | None = None
    judged: (
        Annotated[
            tuple[JudgedRule, ...], described("what counts people, of a release without the column that names them")
        ]
        | None
    ) = None
