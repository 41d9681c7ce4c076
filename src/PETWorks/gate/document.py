"""The check document: the content of its JSON file and of the reports, as frozen types; and how JSON files are read."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from PETWorks.about.kinds import GENERALISED
from PETWorks.anonymizer.anonymization_facts import AnonymizationFacts
from PETWorks.anonymizer.plan import Plan
from PETWorks.attributetypes import IDENTIFIER
from PETWorks.errors import Hint, InputError, Phrase
from PETWorks.json_types import Bound, Count, Day, JSONObject, MultilingualText, Names, Number, Real, Sha256, described
from PETWorks.locale import ENGLISH, LANGUAGES
from PETWorks.measures.attacks.subsets import SubsetAnswers
from PETWorks.measures.disclosure.subsets import LookupAnswers
from PETWorks.measures.utility.models import ModelResult
from PETWorks.releases.disclosure_facts import ReleasesFacts
from PETWorks.tables.files import read_small

FEW_RECORDS = Bound(withheld="few records")
TELLS_COUNTS = Bound(withheld="tells counts")


class EarlierRelease(JSONObject, frozen=True):
    """A table about the same people that has been handed out before."""

    what: MultilingualText
    date: Day | None
    recipients: MultilingualText


class RegimeItem(JSONObject, frozen=True):
    """Something that a regime asks for, where it does so in our reading, and whether the policy has it."""

    item: str
    where: str
    given: bool


class Regime(JSONObject, frozen=True):
    """A standard or a law, its source, and its checklist."""

    name: str
    organisation: str
    title: str
    date: str
    source: str
    note: str
    chinese: str
    items: tuple[RegimeItem, ...]


class SignOff(JSONObject, frozen=True):
    """The approver of the release, the decisions, and the items of checklists that are still open."""

    approver: MultilingualText | None
    role: MultilingualText | None
    review_by: Day | None
    overdue: Annotated[bool, described("whether the review date has passed")]
    incident_contact: MultilingualText | None
    role_reasons: Mapping[str, MultilingualText]
    earlier_releases: tuple[EarlierRelease, ...] | None
    regimes: tuple[Regime, ...]


class WithoutColumn(JSONObject, frozen=True):
    """The records in small classes if a column were removed."""

    column: str
    records: int | None = None


class RaisedLevel(JSONObject, frozen=True):
    """The records in classes that fail if a column were on this level, and what that loses (granularity)."""

    column: str
    level: int
    records: int
    loss: Real


class Notice(JSONObject, frozen=True):
    """Something that the reader of the verdict should know besides."""

    notice: Literal[
        "people-counted-before",
        "people-not-counted",
        "no-privacy-unit",
        "too-many-suppressed",
        "set-aside",
        "individual-risk",
        "individual-risk-when-made",
        "highest-risk",
        "highest-risk-in-sample",
        "weights-released",
        "weights-below-one",
        "certain-value",
        "likely-value",
        "near-value",
        "identifiers-left",
        "suppressed-class",  # only in documents of earlier versions: rules judge suppressed records now
        "unfinished",
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
        "little-left",
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
        "no-control",
        "control-in-original",
        "own-values",
        "other-releases",
    ]
    columns: tuple[str, ...] | None = None
    records: int | None = None
    rules: tuple[str, ...] | None = None
    share: Annotated[Real, described("of the records; of 'highest-risk', the chance to find a person")] | None = None
    average: Annotated[Real, described("the same on average")] | None = None
    reason: Annotated[MultilingualText, described("the policy's reason why no outsider knows the column")] | None = None
    below: (
        Annotated[int, described("records in classes below `size` for someone who knows it; `records`: unique ones")]
        | None
    ) = None
    size: int | None = None
    files: Annotated[tuple[str, ...], described("other releases of the same original")] | None = None


class NextStep(JSONObject, frozen=True):
    """A step to take next; its text is chosen by `step` and filled from the other fields."""

    step: str
    size: Real | None = None
    records: Annotated[int, Meta(ge=0)] | Bound | None = None
    share: Real | Bound | None = None
    rules: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    without: tuple[WithoutColumn, ...] | None = None
    raised: tuple[RaisedLevel, ...] | None = None
    policy: Annotated[str, described("a line for the policy")] | None = None
    regime: str | None = None
    items: Annotated[tuple[str, ...], described("items that the policy lacks")] | None = None
    releases: Annotated[tuple[MultilingualText, ...], described("earlier releases, by name")] | None = None
    details: (
        Annotated[
            Mapping[str, int],
            described("how many personal details, or things besides the table, of each kind were found"),
        ]
        | None
    ) = None


FORMAT: Final = "petworks-check/1"
PASS: Final = "pass"  # noqa: S105 - a verdict
WAIVED: Final = "waived"
FAIL: Final = "fail"
WITHHELD: Final = "withheld"  # from outsiders
JUDGED_WHEN_MADE: Final = "judged_when_made"  # among the details of a rule whose result is that of the plan
INTERNAL: Final = "internal"
EXTERNAL: Final = "external"

Verdict = Literal["pass", "waived", "fail", "withheld"]
Edition = Literal["internal", "external"]
Use = Literal["data", "roles", "original", "control", "population", "hierarchies", "plan", "release", "register"]
WaiverState = Literal["active", "expired", "not needed"]
Role = Literal["identifier", "quasi_identifier", "sensitive_attribute", "insensitive_attribute", None]
ReleaseKind = Literal["public", "controlled", "internal"]
Treatment = Annotated[Mapping[str, str | None], described("how records were counted where there is more than one way")]
MeasureName = Annotated[
    str, described("a measure of the catalogue, every-subset, all-releases, or a rule of every policy")
]
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
    Real | str | bool | Bound | tuple[Real | str | Bound | None, ...] | None,
    described(
        "the tightest threshold that the release satisfies, or the measured number; null where no threshold can hold"
    ),
]
Details = Annotated[
    Mapping[str, Any], described("further results, which differ by measure; empty in the external edition")
]


def combine_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of several rules. Withheld if one of them is withheld, unless another one fails."""
    worst: tuple[Verdict, ...] = (FAIL, WITHHELD, WAIVED)
    return next((verdict for verdict in worst if verdict in verdicts), PASS)


class RuleVerdicts(JSONObject, frozen=True):
    """The number of rules with each verdict."""

    passed: Annotated[int, Meta(ge=0)] = field(name=PASS)
    waived: Annotated[int, Meta(ge=0)]
    failed: Annotated[int, Meta(ge=0)] = field(name=FAIL)
    withheld: int | None = None


class PresetFacts(JSONObject, frozen=True):
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


class PolicyFacts(JSONObject, frozen=True):
    """The policy: its file, and its statements about the release."""

    file: str
    sha256: Sha256 | None
    cell_size: Annotated[int, Meta(ge=1)]
    release: ReleaseKind | None
    recipients: MultilingualText | None
    assumptions: tuple[MultilingualText, ...]
    subset_sizes: str | None
    presets: tuple[PresetFacts, ...]
    purpose: MultilingualText | None = None
    review_by: Day | None = None
    kind: Annotated[str, described("how the release was made from the original")] = GENERALISED


class Input(JSONObject, frozen=True):
    """A file or folder that was read; without a file, a table in memory."""

    use: Use = field(name="is")
    file: str | None
    bytes: int | None
    sha256: Sha256 | None


class Commitments(JSONObject, frozen=True):
    """Digests of the checksums with a salt that only the internal edition has."""

    data: Sha256 | None
    policy: Sha256 | None


class Classes(JSONObject, frozen=True):
    """The equivalence classes, and the records that belong to none."""

    records_in_classes: int
    classes: int
    smallest_class: int | None
    largest_class: int | None
    suppressed_records: int
    incomplete_records: int


class TableFacts(JSONObject, frozen=True, kw_only=True):
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
    original_highest_risk: (
        Annotated[Real, described("the chance to find the person who was easiest to find in the original")] | None
    ) = None
    removed_records: (
        Annotated[int, described("suppressed records that left it, if its plan lists them")] | Bound | None
    ) = None
    shown: (
        Annotated[Mapping[str, str], described("what classes show instead of labels, by column: mean or median")] | None
    ) = None
    sampling_weight: str | None = None
    household: str | None = None
    kind: Annotated[str, described("how the release was made from the original, if it is not generalised")] | None = (
        None
    )
    control_records: Annotated[int, described("people who had no part in the release")] | None = None
    control_in_the_original: (
        Annotated[int, described("those of them who are equal to a record of the original in all columns")] | None
    ) = None
    compared_at: Annotated[Mapping[str, int], described("levels on which columns are compared")] | None = None
    without_counterpart: (
        Annotated[
            Mapping[str, Mapping[str, Real]],
            described("share of the cells of release and control people whose value the original lacks, by column"),
        ]
        | None
    ) = None
    identifiers_in_the_release: Names
    columns_without_a_role: Names
    encoding: str | UnsetType | None = UNSET
    separator: str | UnsetType | None = UNSET


class ColumnFinding(JSONObject, frozen=True):
    """A contradiction between a column's role and its name or values; `fails` if the release may not pass."""

    kind: FindingKind
    fails: bool
    points_to: Annotated[str, described("the kind of data that its name points to")] | None = None
    looks_like: Annotated[str, described("the kind of data that its values look like")] | None = None
    share: Annotated[Real, described("the share of its distinct values, or of a sample of them, that do")] | None = None
    details: Annotated[Mapping[str, int], described("how many personal details of each kind its texts have")] | None = (
        None
    )


class ColumnFacts(JSONObject, frozen=True):
    """A column: its role, its values, and the information left after anonymization."""

    column: str
    role: Role
    released: bool
    distinct: int | None = None
    missing: Real | Bound | None = None
    precision: Real | Bound | None = None
    granularity: Real | Bound | None = None
    non_uniform_entropy: Real | Bound | None = None
    total_variation: Real | Bound | None = None
    distinct_before: int | None = None
    recoded: Annotated[bool, described("whether it has values that the original does not have")] | None = None
    changed: Annotated[Real, described("share of the cells that changed, at least")] | None = None
    stars: Annotated[int, described("its cells that are `*`, if the original is known")] | None = None
    information_kept: (
        Annotated[Real, described("share of the information of the original's values that the cells still tell")] | None
    ) = None
    entropy_kept: Annotated[Real, described("in documents of earlier versions only")] | None = None
    unique: Annotated[Real, described("share of the records that have a unique value")] | None = None
    alone: Annotated[int, described("records with a unique value that has digits, or a unique long text")] | None = None
    finding: Annotated[
        ColumnFinding | None, described("the worst one: in documents of earlier versions, which kept no others")
    ] = None
    findings: Annotated[tuple[ColumnFinding, ...], described("contradictions to the role, the worst first")] = ()
    no_role: MultilingualText | None = None
    level: Annotated[int, described("of its hierarchy, if all values are on one level")] | None = None
    height: Annotated[int, described("the highest level of its hierarchy")] | None = None

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


class WaiverFacts(JSONObject, frozen=True):
    """A waiver of a rule, and whether it is in force."""

    owner: MultilingualText | None
    reason: MultilingualText
    expires: Annotated[str, Meta(extra_json_schema={"format": "date"})]
    state: WaiverState


class RuleResult(JSONObject, frozen=True):
    """A rule of the policy with its verdict."""

    name: str
    preset: str | None
    why: MultilingualText | None
    verdict: Verdict
    measure: MeasureName
    parameters: Mapping[str, Any]
    value: Value
    compared: Annotated[
        str | None, described("the limit that the value is compared with, if it is not the measure's own value")
    ]
    satisfied: bool | None
    details: Details
    waiver: WaiverFacts | None


class SmallClasses(JSONObject, frozen=True):
    """The records in classes below a size."""

    size: int
    records: Count
    share: Number


class AdversaryFacts(JSONObject, frozen=True, kw_only=True):
    """Success of an assumed adversary who sees every record."""

    who: MultilingualText
    knows: Names
    classes: int | None = None
    smallest_class: int | None = None
    unique_records: int | None = None
    unique_share: Number
    chance: Number


class PayoutStep(JSONObject, frozen=True):
    """A point of the publisher's payout curve."""

    gain_per_cost: Real
    payout: Real


class MeasureResult(JSONObject, frozen=True):
    """The result of a measure with its default parameters."""

    measure: MeasureName
    value: Value
    satisfied: bool | None
    parameters: Mapping[str, Any]
    treatment: Treatment
    details: Details


class CheckDocument(JSONObject, frozen=True, kw_only=True):
    """A release judged by a policy: the verdict, the facts it depends on, and all results."""

    schema: Literal["petworks-check/1"]
    petworks: Annotated[str, described("version of the program")]
    generated: Annotated[
        str,
        described("the moment of the check, by which waivers are judged", extra_json_schema={"format": "date-time"}),
    ]
    as_of_given: Annotated[bool, described("whether the user gave that moment")]
    edition: Edition
    title: MultilingualText
    verdict: Verdict
    rule_verdicts: RuleVerdicts
    policy: PolicyFacts
    inputs: Annotated[tuple[Input, ...], Meta(min_length=1)]
    table: TableFacts
    columns: tuple[ColumnFacts, ...]
    rules: Annotated[tuple[RuleResult, ...], Meta(min_length=1, max_length=500)]
    small_classes: tuple[SmallClasses, ...]
    adversaries: tuple[AdversaryFacts, ...]
    subsets: SubsetAnswers | None
    lookups: (
        Annotated[LookupAnswers, described("of a release that is not generalised: lookups by every subset")] | None
    ) = None
    payout_curve: tuple[PayoutStep, ...] | None
    results: tuple[MeasureResult, ...]
    not_applicable: Annotated[Mapping[str, str], described("the measures that do not apply, each with the reason")]
    next_steps: tuple[NextStep, ...]
    notices: Annotated[tuple[Notice, ...], described("further facts for readers of the verdict; internal only")] = ()
    sign_off: SignOff | None = None
    anonymization: AnonymizationFacts | None = None
    models: Annotated[
        tuple[ModelResult, ...], described("regressions fitted on the original and on the release; internal only")
    ] = ()
    releases: ReleasesFacts | None = None
    options: Annotated[
        Mapping[str, str | None],
        described("the options of the command, besides edition and time, that the result depends on"),
    ]
    salt: Annotated[str, described("random; internal edition only", pattern="^[0-9a-f]{32}$")] | None = None
    commitments: Commitments | None = None


class CheckFile(CheckDocument, frozen=True, kw_only=True):
    """A release judged by a policy: the verdict, the facts it depends on, and all results."""

    content_sha256: Annotated[
        Sha256,
        described(
            "SHA-256 of this document in canonical form without 'generated', 'as_of_given', 'salt', 'commitments' "
            "and this key"
        ),
    ]


# Keys that depend on the time of the check or are random.
NOT_CONTENT = ("generated", "as_of_given", "salt", "commitments", "content_sha256")


def canonical_json(document: Mapping[str, Any]) -> str:
    """A document in canonical form: sorted keys, an indent of two spaces, each number in its shortest form.

    Lone surrogates, which UTF-8 cannot encode, become question marks.
    """
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, allow_nan=False)
    # With an indent, Python's encoder would be several times slower.
    return msgspec.json.format(text.encode("utf-8", "replace"), indent=2).decode() + "\n"


def content_digest(document: CheckDocument) -> str:
    """SHA-256 of the content of a check, without the time and random values."""
    content = {name: value for name, value in document.to_dict().items() if name not in NOT_CONTENT}
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()


SUFFIX = ".json"


class Entry(JSONObject, frozen=True, kw_only=True):
    """A release that is out: which table, since when, who has it, what its columns are, and how it was judged."""

    schema: Literal["petworks-register/1"]
    date: Day
    title: MultilingualText
    file: str | None
    sha256: Annotated[Sha256 | None, described("of the table; null if it was in memory or on a server")]
    recipients: MultilingualText | None
    release: ReleaseKind | None
    key: Annotated[str | None, described("the column that names the person, in the table or in its original")]
    columns: Annotated[Mapping[str, Role], described("each released column and its role")]
    removed: Annotated[tuple[str, ...], described("direct identifiers that are not in the release")]
    verdict: Verdict
    rule_verdicts: RuleVerdicts
    policy_sha256: Sha256 | None
    check_sha256: Annotated[Sha256, described("the content digest of the check")]
    petworks: Annotated[str, described("version of the program", max_length=100)]
    original_sha256: Annotated[Sha256, described("of the table that it was made from")] | None = None

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


NAMES = ("policy", "check", "plan", "register")
_ENGLISH_TEXT = '"en": {"$ref": "#/$defs/text"}'  # in the schema of a policy, where every language may be given
_DOCUMENT_TYPES: Mapping[str, type[JSONObject]] = {"check": CheckFile, "plan": Plan, "register": Entry}
Document = TypeVar("Document", bound=JSONObject)
LARGEST_FILE = 1 << 26


def read_json(path: Path, expected: Phrase, hint: Hint, largest: int = LARGEST_FILE) -> Any:
    """The content of a JSON file; raises an error that says what was expected if it is not JSON."""
    try:
        text = read_small(path, largest).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("{file}: not JSON in UTF-8", file=path.name) from None
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        raise InputError("{file}: not JSON; expected {expected}", hint, file=path.name, expected=expected) from None


def _finite(text: str) -> float:
    """The number; NaN and infinity raise ValueError."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


def parse_document(kind: type[Document], content: Any) -> Document | Phrase:
    """The document in JSON content, or its mistake: the place, and the rule of its schema that is violated."""
    try:
        return kind.from_dict(content)
    except (msgspec.ValidationError, RecursionError) as error:
        return _violation(kind, content, error)


def schema_text(name: str) -> str:
    """A published schema: that of a policy is a file, the others are derived from the types."""
    if name in _DOCUMENT_TYPES:
        head = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"urn:petworks:{name}:1",
            "title": f"PETWorks {name}, version 1",
        }
        return json.dumps({**head, **_DOCUMENT_TYPES[name].json_schema()}, indent=2, ensure_ascii=False) + "\n"
    text = (files("PETWorks.gate") / "schemas" / f"{name}.json").read_text("utf-8")
    return text.replace(_ENGLISH_TEXT, ", ".join(_ENGLISH_TEXT.replace(ENGLISH, code, 1) for code in LANGUAGES))


def _violation(kind: type[JSONObject], content: Any, error: Exception) -> Phrase:
    """The best match of jsonschema among all violations: unlike errors of msgspec, it quotes no value."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    best = best_match(Draft202012Validator(kind.json_schema()).iter_errors(content))
    if best is None:  # such as 5.0 for an integer
        path, rule = str(error).rpartition("$")[2].strip("`").strip("."), "type"
    else:
        path, rule = ".".join(map(str, best.absolute_path)), str(best.validator)
    return Phrase("{place} violates {rule!r} of the schema", place=path[:80] or Phrase("the document"), rule=rule)
