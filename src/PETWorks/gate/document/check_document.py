"""The check document: the content of its JSON file and of the reports, as frozen types."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal

from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.gate.document.anonymization_document import AnonymizationFacts
from PETWorks.gate.document.typed_json import ABSENT, Absent, JSONObject, keywords
from PETWorks.locale import LANGUAGES

Withheld = Literal["small class", "few records", "tells counts"]  # reasons not to publish a number


@dataclass(frozen=True)
class Bound(JSONObject):
    """What the external edition says instead of a number: one of these limits, or why it says nothing."""

    SCHEMA: ClassVar[Mapping[str, Any]] = {"minProperties": 1, "maxProperties": 1}

    below: float | None = None
    above: float | None = None
    at_most: float | None = None
    at_least: float | None = None
    about: float | None = None
    withheld: Withheld | None = None


FEW_RECORDS = Bound(withheld="few records")
TELLS_COUNTS = Bound(withheld="tells counts")

Number = float | Bound | None
Count = Annotated[int, keywords(minimum=0)] | Bound | None


Names = tuple[str, ...]


@dataclass(frozen=True)
class SubsetCase(JSONObject):
    """An attack by an adversary who knows these attributes."""

    attributes: Names
    unique_share: Number
    prior: Number
    posterior: Number
    multiplicative_leakage: float | Bound | None = None
    additive_leakage: float | Bound | None = None


@dataclass(frozen=True)
class KnownAttributes(JSONObject):
    """An attack by adversaries who know so many attributes: the subsets with lowest, median and highest risk."""

    known: int
    attack: str
    subsets: int
    lowest: SubsetCase
    median: SubsetCase
    highest: SubsetCase


@dataclass(frozen=True)
class SubsetLimit(JSONObject):
    """A limit that every subset must keep, and the worst value."""

    limit: str
    at_most: float
    worst: Number
    satisfied: bool


@dataclass(frozen=True)
class RiskySubset(JSONObject):
    """A subset beyond a limit of which no smaller part is beyond it."""

    limit: str
    at_most: float
    attributes: Names
    value: Number


@dataclass(frozen=True, kw_only=True)
class Driver(JSONObject):
    """What a quasi-identifier adds to the risk of an attack."""

    attribute: str
    attack: str
    shapley: Number
    shapley_exact: str | None = None
    without: Number


if TYPE_CHECKING:
    LanguageCode = str
else:
    LanguageCode = Literal[tuple(LANGUAGES)]
Spoken = Annotated[str | Mapping[LanguageCode, str], "a text of the policy, in one language or in both"]
Day = Annotated[str, keywords(format="date")]


@dataclass(frozen=True)
class EarlierRelease(JSONObject):
    """A table about the same people that has been handed out before."""

    what: Spoken
    date: Day | None
    recipients: Spoken


@dataclass(frozen=True)
class RegimeItem(JSONObject):
    """Something that a regime asks for, where it does so in our reading, and whether the policy has it."""

    item: str
    where: str
    given: bool


@dataclass(frozen=True)
class Regime(JSONObject):
    """A standard or a law, its source, and its checklist."""

    name: str
    organisation: str
    title: str
    date: str
    source: str
    note: str
    chinese: str
    items: tuple[RegimeItem, ...]


@dataclass(frozen=True)
class SignOff(JSONObject):
    """Who answers for the release, what was decided, and what is still missing."""

    approver: Spoken | None
    role: Spoken | None
    review_by: Day | None
    overdue: Annotated[bool, "whether the review date has passed"]
    incident_contact: Spoken | None
    role_reasons: Mapping[str, Spoken]
    earlier_releases: tuple[EarlierRelease, ...] | None
    regimes: tuple[Regime, ...]


@dataclass(frozen=True)
class WithoutColumn(JSONObject):
    """The records in small classes if a column were removed."""

    column: str
    records: int | None = None


@dataclass(frozen=True)
class RaisedLevel(JSONObject):
    """The records in classes that fail if a column were on this level, and what that loses (granularity)."""

    column: str
    level: int
    records: int
    loss: float


@dataclass(frozen=True)
class Notice(JSONObject):
    """Something that the reader of the verdict should know besides."""

    notice: Literal[
        "people-counted-before",
        "people-not-counted",
        "no-privacy-unit",
        "too-many-suppressed",
        "set-aside",
        "highest-risk",
        "certain-value",
        "identifiers-left",
        "suppressed-class",  # only in documents of earlier versions: rules judge suppressed records now
        "few-removed",
        "removed-alike",
        "minimality",
        "perhaps-known",
        "perhaps-sensitive",
        "perhaps-sensitive-coarser",
        "nearly-unique",
        "found-by-amount",
        "explained",
        "nothing-left",
        "one-value",
        "no-class-size",
        "no-rule",
        "rules-reason",
        "unique-values-reason",
        "long-waiver",
        "differences-unseen",
        "formulas",
        "rule-always-holds",
        "rule-about-one-value",
        "rule-about-nothing",
        "not-covered",
        "not-covered-columns",
        "not-covered-tables",
    ]
    columns: tuple[str, ...] | None = None
    records: int | None = None
    rules: tuple[str, ...] | None = None
    share: Annotated[float, "of the records; of 'highest-risk', the chance to find a person"] | None = None
    average: Annotated[float, "the same on average"] | None = None


@dataclass(frozen=True)
class NextStep(JSONObject):
    """A step to take next; its text is chosen by `step` and filled from the other fields."""

    step: str
    size: float | None = None
    records: Annotated[int, keywords(minimum=0)] | Bound | None = None
    share: float | Bound | None = None
    rules: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    without: tuple[WithoutColumn, ...] | None = None
    raised: tuple[RaisedLevel, ...] | None = None
    policy: Annotated[str, "a line for the policy"] | None = None
    regime: str | None = None
    items: Annotated[tuple[str, ...], "what the policy lacks"] | None = None
    releases: Annotated[tuple[Spoken, ...], "earlier releases, by name"] | None = None
    details: (
        Annotated[Mapping[str, int], "how many personal details, or things besides the table, of each kind were found"]
        | None
    ) = None


Place = Annotated[int, "the number of a release in the list of releases", keywords(minimum=1)]
Tables = Annotated[int, keywords(minimum=0)]
Sha256 = Annotated[str, keywords(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True, kw_only=True)
class ReleaseOfSet(JSONObject):
    """One of the releases about the same people: those that were measured in the order of the curve, then the others.

    `chance` and `alone` are about this release alone: the chance to pick the record of one of its people, and the share
    of its people who are alone in their class. `in_common`: its people who are in the checked release, too.
    """

    number: Place
    name: Spoken | None
    this: Annotated[bool, "whether it is the release that is checked"]
    measured: Annotated[bool, "whether its table was there to be measured"]
    file: str | None = None
    sha256: Sha256 | None = None
    date: Day | None = None
    recipients: Spoken | None = None
    people: Count = None
    in_common: Count = None
    quasi_identifiers: Names | None = None
    sensitive_attributes: Names | None = None
    chance: Number = None
    alone: Number = None


@dataclass(frozen=True)
class SetStep(JSONObject):
    """What is known once a release is out, and all before it: the chance of success, and the share that is certain."""

    release: Place
    chance: Number
    certain: Number = None


@dataclass(frozen=True)
class SetShare(JSONObject):
    """What a release adds to an attack.

    `adds` is its share on average over all orders (its Shapley value), `without` the chance if it is withdrawn, and
    `saves` how much lower that is.
    """

    release: Place
    adds: Number = None
    adds_exact: str | None = None
    without: Number = None
    saves: Number = None


@dataclass(frozen=True)
class SetAttack(JSONObject):
    """An attack by somebody who can join the records of a person in all releases."""

    attack: str
    prior: Number
    alone: Annotated[Number, "the chance with the checked release alone"]
    together: Annotated[Number, "the chance with all releases"]
    certain_alone: Number
    certain: Number
    curve: Annotated[tuple[SetStep, ...], "with one release after the other"]
    shares: tuple[SetShare, ...]
    gain: Annotated[tuple[float, ...], "before, with the checked release alone, with all"] | None = None


@dataclass(frozen=True)
class SetConfidence(JSONObject):
    """Of how many people one sensitive value is left, or at most two: with one release alone, or up to it."""

    release: Place
    disclosed: Number
    half_sure: Number
    people: Count = None


@dataclass(frozen=True)
class SetIntersection(JSONObject):
    """The attack of somebody who cannot join records, but intersects the values that the releases offer."""

    attribute: str
    people: Count
    disclosed: Number = None
    half_sure: Number = None
    alone: tuple[SetConfidence, ...] = ()
    curve: tuple[SetConfidence, ...] = ()
    changed: Annotated[int, "people whose value is another one in another release"] | None = None
    contradictory: Annotated[int, "people of whom no value is left"] | None = None
    mistaken: Annotated[int, "people of whom only a wrong value is left"] | None = None


@dataclass(frozen=True)
class SetInvariance(JSONObject):
    """The largest m for which the releases are m-invariant; null if there is none."""

    attribute: str
    m: int | None
    smallest_class: int
    repeated: Annotated[int, "classes of any release in which a value occurs more than once"]
    changing: Annotated[int, "people with another set of values in another release"]


@dataclass(frozen=True)
class Registered(JSONObject):
    """A release of the register that shares something with the one that is checked."""

    title: Spoken
    date: Day
    sha256: Sha256 | None
    recipients: Spoken | None
    verdict: str
    shared_keys: Names
    shared_quasi_identifiers: Names
    shared_sensitive_attributes: Names
    measured: Annotated[bool, "whether the policy names it, so that it was measured"]


@dataclass(frozen=True, kw_only=True)
class ReleasesFacts(JSONObject):
    """Other releases about the same people: how many were measured together with this one, and what they disclose.

    `people` are those of the release that is checked.
    """

    measured: Annotated[Tables, "earlier releases that were measured together with this one"]
    not_measured: Annotated[Tables, "other releases that are known, but were not measured"]
    key: Annotated[str, "the column that names the person"] | None = None
    people: Count = None
    releases: tuple[ReleaseOfSet, ...] = ()
    attacks: tuple[SetAttack, ...] = ()
    unlinked: tuple[SetIntersection, ...] = ()
    m_invariance: tuple[SetInvariance, ...] = ()
    warnings: Names = ()
    registered: Annotated[tuple[Registered, ...], "null without a register"] | None = None


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


def combine_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of several rules. Withheld if one of them is withheld, unless another one fails."""
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
        """The findings, in documents of any version."""
        return self.findings if self.finding is None else (self.finding, *self.findings)

    @property
    def fails(self) -> bool:
        """Whether a finding makes the release fail."""
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


# Keys that depend on the time of the check or are random.
NOT_CONTENT = ("generated", "as_of_given", "salt", "commitments", "content_sha256")


def canonical_json(document: Mapping[str, Any]) -> str:
    """A document in canonical form: sorted keys, an indent of two spaces, each number in its shortest form.

    Lone surrogates, which UTF-8 cannot encode, become question marks.
    """
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    return text.encode("utf-8", "replace").decode("utf-8")


def content_digest(document: CheckDocument) -> str:
    """SHA-256 of the content of a check, without the time and random values."""
    content = {name: value for name, value in document.to_dict().items() if name not in NOT_CONTENT}
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()


SUFFIX = ".json"


@dataclass(frozen=True, kw_only=True)
class Entry(JSONObject):
    """A release that is out: which table, since when, who has it, what its columns are, and how it was judged."""

    schema: Literal["petworks-register/1"]
    date: Day
    title: Spoken
    file: str | None
    sha256: Annotated[Sha256 | None, "of the table; null if it was in memory or on a server"]
    recipients: Spoken | None
    release: ReleaseKind | None
    key: Annotated[str | None, "the column that names the person, in the table or in its original"]
    columns: Annotated[Mapping[str, Role], "each released column and its role"]
    removed: Annotated[tuple[str, ...], "direct identifiers that are not in the release"]
    verdict: Verdict
    rule_verdicts: RuleVerdicts
    policy_sha256: Sha256 | None
    check_sha256: Annotated[Sha256, "the content digest of the check"]
    petworks: Annotated[str, "version of the program", keywords(maxLength=100)]

    @property
    def name(self) -> str:
        """The name of its file: by date, then by the digest of the table."""
        return f"{self.date}-{(self.sha256 or self.check_sha256)[:12]}{SUFFIX}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns by which people may be recognised in this table and in others."""
        identifiers = [column for column, role in self.columns.items() if role == IDENTIFIER]
        return tuple(dict.fromkeys([*([] if self.key is None else [self.key]), *identifiers, *self.removed]))

    def with_role(self, role: str) -> tuple[str, ...]:
        """The columns with a role."""
        return tuple(column for column, actual in self.columns.items() if actual == role)
