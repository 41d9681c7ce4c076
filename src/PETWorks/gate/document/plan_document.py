"""The types of a plan, which records how a release was made so that another table can be recoded alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from PETWorks.about.hierarchies.hierarchy import MOST_LEVELS
from PETWorks.anonymizer.plan import PATTERN
from PETWorks.gate.document.typed_json import JSONObject, keywords

Digest = Annotated[str, "SHA-256", keywords(pattern="^[0-9a-f]{64}$")]
Level = Annotated[int, keywords(minimum=0)]
Number = Annotated[int, keywords(minimum=0)]
Way = Literal["missing", "suppressed", "several_sensitive", "sensitive_values"]
RoleKey = Literal["identifiers", "quasi_identifiers", "sensitive_attributes", "insensitive_attributes"]


@dataclass(frozen=True, kw_only=True)
class PlannedHierarchy(JSONObject):
    """Where the hierarchy of a column comes from: words, a file beside the plan, or both."""

    height: Annotated[int, "the highest level", keywords(minimum=1, maximum=MOST_LEVELS)]
    sha256: Annotated[Digest, "of the hierarchy that was used, as a CSV file"]
    words: Annotated[Mapping[str, Any], "its declaration; values that are new get their place by it"] | None = None
    file: Annotated[str, "the CSV file, its path from the folder of the plan"] | None = None


@dataclass(frozen=True, kw_only=True)
class PlannedRule(JSONObject):
    """A rule with its thresholds; of the measure every-subset: the limit, its value and the sizes."""

    name: str
    measure: str
    parameters: Mapping[str, Any]
    asked: Annotated[Mapping[str, Any], "other thresholds, with which the release was made"] | None = None
    preset: str | None = None
    why: Any | None = None


@dataclass(frozen=True, kw_only=True)
class JudgedRule(JSONObject):
    """A rule as it was judged by people when the release was made, which does not say any more who they are."""

    name: str
    measure: str
    parameters: Mapping[str, Any]
    value: Any
    compared: str | None = None
    satisfied: bool
    details: Mapping[str, Any] | None = None  # for rules about columns: which, and how many people have unique values


@dataclass(frozen=True, kw_only=True)
class Plan(JSONObject):
    """How a release was made. It contains no cell of the table."""

    petworks_plan: Annotated[Literal[1], "the version of the format"]
    note: Annotated[str, "who may see it"] | None = None
    method: Literal["global", "local"]
    columns: Annotated[tuple[str, ...], "the quasi-identifiers", keywords(minItems=1, uniqueItems=True)]
    levels: Annotated[
        tuple[tuple[Level, ...], ...],
        "the levels of the columns; of local recoding all combinations that are used, in the order of their use",
        keywords(minItems=1),
    ]
    smallest_class: (
        Annotated[int, "of local recoding: how many records each class was asked to have", keywords(minimum=1)] | None
    ) = None
    suppression: Annotated[float, "the share of records that may be suppressed", keywords(minimum=0, maximum=1)]
    objective: str
    aggregate: str | None = None
    weights: Mapping[str, float] | None = None
    allowed_levels: Annotated[Mapping[str, tuple[Level, ...]], "the lowest and the highest, by column"] | None = None
    rules: Annotated[tuple[PlannedRule, ...], keywords(minItems=1)]
    roles: Mapping[RoleKey, tuple[str, ...]]
    no_role: Annotated[tuple[str, ...], "columns without a role, which are in the release as they were"]
    privacy_unit: str | None = None
    treatment: Mapping[Way, str]
    population: Annotated[float, "a number of people, or a share of them"] | None = None
    hierarchies: Mapping[str, PlannedHierarchy]
    protect: (
        Annotated[Mapping[str, Mapping[str, Any]], 'by column, how it was protected: `{"round": "1000"}`'] | None
    ) = None
    spreadsheet_safe: (
        Annotated[bool, "whether cells that a spreadsheet takes for formulas got an apostrophe; not without this key"]
        | None
    ) = None
    records: Annotated[int, "of the original", keywords(minimum=1)]
    suppressed_records: (
        Annotated[Literal["remove", "stars"], "whether they left the table, or stayed with *, as without this key"]
        | None
    ) = None
    suppressed: Annotated[Number, "records that were suppressed"]
    removed: (
        Annotated[
            str,
            "the records of the original that left the table, numbered from 1 on, such as 3,17-20; also those that "
            "were suppressed already",
            keywords(pattern=PATTERN),
        ]
        | None
    ) = None
    loss: Annotated[float, "what was lost, by the objective"]
    seed: Annotated[str, "of the random order of its records", keywords(pattern="^[0-9]{1,100}$")] | None = None
    policy: Annotated[Mapping[str, Any], "what else the policy says: title, context, presets, waivers, ..."] | None = (
        None
    )
    made_by: (
        Annotated[Mapping[str, Digest], "of a release by a policy: for each key the digest of what the policy said"]
        | None
    ) = None
    release: Annotated[str, "the name of the file"] | None = None
    original_sha256: Annotated[Digest, "of the file of the original"] | None = None
    release_sha256: Annotated[Digest, "of the file of the release"] | None = None
    judged: (
        Annotated[tuple[JudgedRule, ...], "what counts people, of a release without the column that names them"] | None
    ) = None
