"""The document of a check: everything that its JSON file and the reports contain, as frozen dataclasses.

Names and order of the fields are those of the JSON file, whose JSON Schema is made from the types. The external
edition has a `Bound` in place of many numbers, and lacks the optional keys that would reveal single classes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.gate.anonymization_document import AnonymizationFacts
from PETWorks.gate.bounds import Bound, Count, Number
from PETWorks.gate.releases_document import ReleasesFacts
from PETWorks.gate.sign_off_document import Day, SignOff
from PETWorks.gate.sign_off_document import Spoken as Spoken
from PETWorks.gate.steps_document import NextStep, Notice
from PETWorks.gate.subset_document import Driver, KnownAttributes, RiskySubset, SubsetLimit
from PETWorks.gate.typed_json import ABSENT, Absent, JSONObject, keywords

FORMAT: Final = "petworks-check/1"
PASS: Final = "pass"  # noqa: S105 - a verdict
WAIVED: Final = "waived"
FAIL: Final = "fail"
WITHHELD: Final = "withheld"  # from outsiders
INTERNAL: Final = "internal"
EXTERNAL: Final = "external"

Verdict = Literal["pass", "waived", "fail", "withheld"]
Edition = Literal["internal", "external"]
Use = Literal["data", "roles", "original", "population", "hierarchies", "plan", "release", "register"]
WaiverState = Literal["active", "expired", "not needed"]
Role = Annotated[
    str | None,
    keywords(enum=(IDENTIFIER, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE, INSENSITIVE_ATTRIBUTE, None)),
]
ReleaseKind = Literal["public", "controlled", "internal"]

Names = tuple[str, ...]
Sha256 = Annotated[str, keywords(pattern="^[0-9a-f]{64}$")]
Treatment = Annotated[Mapping[str, str | None], "how records were counted where there is more than one way"]
MeasureName = Annotated[str, "a measure of the catalogue, every-subset, all-releases, or a rule of every policy"]
FindingKind = Literal[
    "direct identifier",
    "named like an identifier",
    "some personal values",
    "personal details",
    "details in its name",
    "nearly unique",
    "often unique",
    "long texts",
    "perhaps known",
    "perhaps sensitive",
]
Value = Annotated[
    float | str | bool | Bound | tuple[float | str | Bound | None, ...] | None,
    "the tightest threshold that the release satisfies, or the measured number; null where no threshold can hold",
]
Details = Annotated[Mapping[str, Any], "further results, which differ by measure; empty in the external edition"]


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of several rules. If one is withheld, so is that of all, unless another one fails."""
    worst: tuple[Verdict, ...] = (FAIL, WITHHELD, WAIVED)
    return next((verdict for verdict in worst if verdict in verdicts), PASS)


@dataclass(frozen=True)
class RuleVerdicts(JSONObject):
    """How many rules have each verdict."""

    passed: Annotated[int, keywords(minimum=0)] = field(metadata={"key": PASS})
    waived: Annotated[int, keywords(minimum=0)]
    failed: Annotated[int, keywords(minimum=0)] = field(metadata={"key": FAIL})
    withheld: int | None = None


@dataclass(frozen=True)
class PresetFacts(JSONObject):
    """A published threshold that the policy uses, and its source.

    `cell_size` and `probability` are the same limit in two ways; `stated_as` says which one the source gives, and
    `rule_of_thumb` whether it is custom rather than a rule.
    """

    name: str
    organisation: str
    title: str
    date: str
    source: str
    cell_size: int
    probability: str
    stated_as: str
    rule_of_thumb: bool
    note: str
    chinese: str


@dataclass(frozen=True)
class PolicyFacts(JSONObject):
    """The policy: its file, and what it says about the release."""

    file: str
    sha256: Sha256 | None
    cell_size: Annotated[int, keywords(minimum=1)]
    release: ReleaseKind | None
    recipients: Spoken | None
    assumptions: tuple[Spoken, ...]
    subset_sizes: str | None
    presets: tuple[PresetFacts, ...]
    purpose: Spoken | None = None
    review_by: Day | None = None


@dataclass(frozen=True)
class Input(JSONObject):
    """A file or folder that was read; without a file, a table in memory."""

    use: Use = field(metadata={"key": "is"})
    file: str | None
    bytes: int | None
    sha256: Sha256 | None


@dataclass(frozen=True)
class Commitments(JSONObject):
    """Digests of the checksums with a salt that only the internal edition has."""

    data: Sha256 | None
    policy: Sha256 | None


@dataclass(frozen=True)
class Classes(JSONObject):
    """The equivalence classes, and the records that belong to none."""

    records_in_classes: int
    classes: int
    smallest_class: int | None
    largest_class: int | None
    suppressed_records: int
    incomplete_records: int


@dataclass(frozen=True, kw_only=True)
class TableFacts(JSONObject):
    """The released table as a whole."""

    records: Count
    classes: Classes | None = None
    treatment: Treatment
    people: int | None = None
    population: Count
    quasi_identifiers: Names
    sensitive_attributes: Names
    hierarchies: Names
    original_records: int | None = None
    removed_records: Annotated[int, "suppressed records that left it, if its plan lists them"] | Bound | None = None
    identifiers_in_the_release: Names
    columns_without_a_role: Names
    encoding: str | Absent | None = ABSENT
    separator: str | Absent | None = ABSENT


@dataclass(frozen=True)
class ColumnFinding(JSONObject):
    """What the name or the values of a column say that does not fit its role; `fails` if the release may not pass."""

    kind: FindingKind
    fails: bool
    points_to: Annotated[str, "what the name of the column points to"] | None = None
    looks_like: Annotated[str, "what its values look like"] | None = None
    share: Annotated[float, "the share of its distinct values, or of a sample of them, that do"] | None = None
    details: Annotated[Mapping[str, int], "how many personal details of each kind its texts have"] | None = None


@dataclass(frozen=True)
class ColumnFacts(JSONObject):
    """A column: its role, its values, and what is left of it after anonymization."""

    column: str
    role: Role
    released: bool
    distinct: int | None = None
    missing: float | Bound | None = None
    precision: float | Bound | None = None
    granularity: float | Bound | None = None
    non_uniform_entropy: float | Bound | None = None
    total_variation: float | Bound | None = None
    distinct_before: int | None = None
    recoded: Annotated[bool, "whether it has values that the original does not have"] | None = None
    changed: Annotated[float, "share of the cells that changed, at least"] | None = None
    entropy_kept: Annotated[float, "entropy of the values, as a share of the original's"] | None = None
    unique: Annotated[float, "share of the records that have a unique value"] | None = None
    alone: Annotated[int, "records with a unique value that has digits, or a unique long text"] | None = None
    finding: (
        Annotated[ColumnFinding, "the worst one: in documents of earlier versions, which kept no others"] | None
    ) = None
    findings: Annotated[tuple[ColumnFinding, ...], "what does not fit the role, the worst first"] = ()
    no_role: Spoken | None = None
    level: Annotated[int, "of its hierarchy, if all values are on one level"] | None = None
    height: Annotated[int, "the highest level of its hierarchy"] | None = None

    @property
    def found(self) -> tuple[ColumnFinding, ...]:
        """The findings, whichever version wrote the document."""
        return self.findings if self.finding is None else (self.finding, *self.findings)

    @property
    def fails(self) -> bool:
        """Whether the release may not pass because of a finding."""
        return any(finding.fails for finding in self.found)

    def has(self, kind: FindingKind) -> bool:
        """Whether there is a finding of this kind."""
        return any(finding.kind == kind for finding in self.found)


@dataclass(frozen=True)
class WaiverFacts(JSONObject):
    """A waiver of a rule, and whether it is in force."""

    owner: Spoken | None
    reason: Spoken
    expires: Annotated[str, keywords(format="date")]
    state: WaiverState


@dataclass(frozen=True)
class RuleResult(JSONObject):
    """A rule of the policy with its verdict."""

    name: str
    preset: str | None
    why: Spoken | None
    verdict: Verdict
    measure: MeasureName
    parameters: Mapping[str, Any]
    value: Value
    compared: Annotated[str | None, "the limit that the value is compared with, if it is not the measure's own value"]
    satisfied: bool | None
    details: Details
    waiver: WaiverFacts | None


@dataclass(frozen=True)
class SmallClasses(JSONObject):
    """The records in classes below a size."""

    size: int
    records: Count
    share: Number


@dataclass(frozen=True, kw_only=True)
class AdversaryFacts(JSONObject):
    """What an assumed adversary who sees every record can do."""

    who: Spoken
    knows: Names
    classes: int | None = None
    smallest_class: int | None = None
    unique_records: int | None = None
    unique_share: Number
    chance: Number


@dataclass(frozen=True)
class SubsetAnswers(JSONObject):
    """Attacks with every subset of the quasi-identifiers."""

    records: Count
    number: int
    if_they_know: tuple[KnownAttributes, ...]
    limits: tuple[SubsetLimit, ...]
    minimal_risky: tuple[RiskySubset, ...]
    drivers: tuple[Driver, ...] | None


@dataclass(frozen=True)
class PayoutStep(JSONObject):
    """A point of the publisher's payout curve."""

    gain_per_cost: float
    payout: float


@dataclass(frozen=True)
class MeasureResult(JSONObject):
    """The result of a measure with its default parameters."""

    measure: MeasureName
    value: Value
    satisfied: bool | None
    parameters: Mapping[str, Any]
    treatment: Treatment
    details: Details


@dataclass(frozen=True, kw_only=True)
class CheckDocument(JSONObject):
    """A release judged by a policy: the verdict, the facts it depends on, and all results."""

    schema: Literal["petworks-check/1"]
    petworks: Annotated[str, "version of the program"]
    generated: Annotated[str, "the moment of the check, by which waivers are judged", keywords(format="date-time")]
    as_of_given: Annotated[bool, "whether the user gave that moment"]
    edition: Edition
    title: Spoken
    verdict: Verdict
    rule_verdicts: RuleVerdicts
    policy: PolicyFacts
    inputs: Annotated[tuple[Input, ...], keywords(minItems=1)]
    table: TableFacts
    columns: tuple[ColumnFacts, ...]
    rules: Annotated[tuple[RuleResult, ...], keywords(minItems=1, maxItems=500)]
    small_classes: tuple[SmallClasses, ...]
    adversaries: tuple[AdversaryFacts, ...]
    subsets: SubsetAnswers | None
    payout_curve: tuple[PayoutStep, ...] | None
    results: tuple[MeasureResult, ...]
    not_applicable: Annotated[Mapping[str, str], "the measures that do not apply, each with the reason"]
    next_steps: tuple[NextStep, ...]
    notices: Annotated[tuple[Notice, ...], "what the reader of the verdict should know besides; internal only"] = ()
    sign_off: SignOff | None = None
    anonymization: AnonymizationFacts | None = None
    releases: ReleasesFacts | None = None
    options: Annotated[
        Mapping[str, str | None], "the options of the command, besides edition and time, that the result depends on"
    ]
    salt: Annotated[str, "random; internal edition only", keywords(pattern="^[0-9a-f]{32}$")] | None = None
    commitments: Commitments | None = None


@dataclass(frozen=True, kw_only=True)
class CheckFile(CheckDocument):
    """A release judged by a policy: the verdict, the facts it depends on, and all results."""

    content_sha256: Annotated[
        Sha256,
        "SHA-256 of this document in canonical form without 'generated', 'as_of_given', 'salt', 'commitments' "
        "and this key",
    ]
