"""The English texts of reports, page and command, by id: the source of their translations in `locale/`.

Code and templates name a text by its id, since many ids are completed by a word of a document (`verdict.pass`). A text
about a number of things is a `Plural`; {n} decides. A text whose English has another meaning elsewhere is a `Homonym`:
translators see its id. A comment that begins with "Translators:" is shown to them, too. Texts of errors, help texts and
comments of policies stand where they are used.
"""

from typing import NamedTuple

from PETWorks.gate.suggest.suggestion import REASONS


class Plural(NamedTuple):
    """A text about one thing, and about any other number of things, {n}."""

    one: str
    many: str
    is_homonym: bool = False


class Homonym(str):
    """A text whose English has another meaning elsewhere."""

    __slots__ = ()


TEXTS: dict[str, str | Plural] = {
    # how things are written
    # Translators: a parameter of a measure, on the axis of a chart
    "write.threshold": "{measure}, {name}",
    # Translators: the default of a parameter, after its name
    "write.default": " ({value})",
    "write.attack": "{attack} of {column}",
    "write.exact": "{value} ({exact})",
    "write.suppressed": "{share} suppressed",
    "write.set-aside": Plural("1 record set aside", "{n} records set aside"),
    "write.labelled": "{label}: {text}",
    "write.kilobytes": "{n} kB",
    # verdicts and words of the tables
    "verdict.pass": "pass",
    "verdict.waived": Homonym("waived"),
    "verdict.fail": "fail",
    "verdict.withheld": "not shown",
    "write.of-measure": "{rule} ({measure})",
    "lint.passed": "{file}: no mistakes (rules: {n})",
    "refusal.limit": "{rule}: found {found}, required {required}",
    "refusal.found": "{rule}: found {found}",
    # Translators: no value, or no entry in a list
    "word.none": "none",
    "word.yes": "yes",
    "word.no": "no",
    # Translators: the end of a list that is cut
    "word.more": "and {n} more",
    "word.language": "language",
    "word.contents": "contents",
    "head.rules": "rules",
    "head.rule": "rule",
    "head.measures": "measures",
    "head.measure": "measure",
    "head.value": "value",
    "head.meaning": "what it is",
    "head.found": "found",
    "head.wanted": Homonym("required"),
    "head.verdict": "verdict",
    "head.files": "files",
    "head.file": "file",
    "head.use": "used as",
    "head.digest": "SHA-256",
    "head.commitment": "Salted fingerprint",
    "file.policy": "policy",
    "file.data": "released table",
    "file.roles": "roles",
    "file.original": "original table",
    "file.control": "control people",
    "file.population": "population table",
    "file.hierarchies": Homonym("hierarchies"),
    "file.plan": "plan of the release",
    "file.release": "earlier release",
    "file.register": "register of releases",
    "file.memory": "a table in memory",
    "attack.re-identification": "re-identification",
    "attack.attribute-inference": "attribute-inference",
    "word.inside": "Not shown in this edition.",
    "withheld.small class": "withheld (small group)",
    "withheld.tells counts": "withheld (reveals counts)",
    "withheld.few records": "withheld (few records)",
    "note.cut": "Shown are {n} of {all}; the JSON file has all of them.",
    "edition.internal": "this report is the internal edition and must not be passed on",
    "edition.external": "this report is the external edition and may be passed on",
    "kind.synthetic": "synthetic table",
    "kind.perturbed": "perturbed table",
    # rules that are not measures
    "rule.known": "known: {columns}",
    "rule.exact-values": "values as they are",
    "rule.no-direct-identifiers": "no direct identifiers",
    "rule.no-hidden-identifiers": "no hidden identifiers",
    "rule.every-column-has-a-role": "every column has a plausible role",
    "rule.settings-unchanged": "the settings it was made with have not changed",
    "rule.other-releases-declared": "registered releases of the same original are judged together with it",
    "rule.approver-named": "an approver is named",
    "rule.sensitive-columns-have-rules": "sensitive columns have rules",
    "rule.rules-fit-the-release": "rules fit the release",
    "rule.no-unique-values": "no unique amounts, dates, texts",
    "rule.no-hidden-differences": "no hidden differences",
    "rule.people-are-counted": "people are counted",
    "rule.no-linked-records": "no linked records",
    "rule.records-left": "enough records are left",
    "rule.every-subset": "every subset",
    "rule.every-subset-limit": "every-subset: {limit}",
    "rule.all-releases": "all releases",
    "rule.all-releases-limit": "all-releases: {limit}",
    # summary
    "rules.built-in": "built-in rules",
    "rules.all-hold": "all {n} met",
    "rules.others-hold": "the other {n} met",
    "summary.fail": Plural("1 of {all} rules fails.", "{n} of {all} rules fail."),
    "summary.fail-at-least": Plural(
        "At least 1 of {all} rules fails; the results of {more} more are not shown.",
        "At least {n} of {all} rules fail; the results of {more} more are not shown.",
    ),
    "summary.waived": Plural("1 of {all} rules fails, but is waived.", "{n} of {all} rules fail, but are waived."),
    "summary.fail-outside": (
        "The file does not meet its rules. Which rules failed is not disclosed, to protect the people in the table."
    ),
    "summary.withheld": Plural(
        "This edition gives no overall result: 1 of {all} results would reveal a small number of people.",
        "This edition gives no overall result: {n} of {all} results would reveal small numbers of people.",
    ),
    "summary.pass": Plural("The only rule is met.", "All {n} rules are met."),
    "summary.table": "Records: {records}; columns that outsiders may know: {known}; sensitive columns: {sensitive}.",
    "summary.people": Plural("The records belong to one person.", "The records belong to {n} people."),
    "summary.skipped": Plural(
        "1 column without a role was not measured.", "{n} columns without a role were not measured."
    ),
    "summary.unit": (
        "{file} contains {column}, which identifies people: it is the file that was checked and that the digest "
        "belongs to, not the file to release. Release it without that column."
    ),
    "summary.unit-in-memory": (
        "The table that was checked contains {column}, which identifies people: release it without that column."
    ),
    "waiver.active": "Exception until {expires}. Reason: {reason}.",
    "waiver.expired": "The exception expired on {expires}. Reason: {reason}.",
    "waiver.not needed": "The exception until {expires} is not needed. Reason: {reason}.",
    # Translators: who answers for a waiver, after its reason
    "waiver.owner": "Answers for it: {owner}.",
    # the first page
    "front.kind": "Release check",
    "front.means.pass": "The file meets every rule set for this release.",
    "front.means.waived": Plural(
        (
            "This file does not meet 1 of the rules set for this release: below is why, who answers for this "
            "exception, and until when. After that date a new check fails; a file that is already out does not come "
            "back."
        ),
        (
            "This file does not meet {n} of the rules set for this release: below is why, who answers for these "
            "exceptions, and until when. After these dates a new check fails; a file that is already out does not "
            "come back."
        ),
    ),
    "front.means.waived-outside": Plural(
        (
            "This file does not meet 1 of the rules set for this release (below). An exception was made for it, "
            "until the date given."
        ),
        (
            "This file does not meet {n} of the rules set for this release (below). Exceptions were made for "
            "them, until the dates given."
        ),
    ),
    "front.means.review-later": "The review ({date}) comes after an exception has ended.",
    "front.means.fail": "The file does not meet the rules set for this release, so it must not go out as it is.",
    "front.means.no-promise": (
        "Meeting the rules does not guarantee that nobody can be identified, and this report is not legal advice. "
        "What could still happen is listed below."
    ),
    "front.means.to-decide": "Whoever signs decides whether that is acceptable.",
    "front.figure.records": "Records in the file",
    "front.figure.records-before": "original: {n}",
    "front.figure.people": Plural("about 1 person", "about {n} people"),
    "front.figure.rounded": "rounded on purpose",
    "front.figure.rounded-between": "rounded on purpose: between {low} and {high}",
    "front.figure.risk": "Highest chance to find one person",
    "front.figure.alike": "groups of at least {n} who look the same",
    "front.figure.alike-required": "groups of at least {n} who look the same (required: {required})",
    "front.figure.alike-waived": "groups of at least {n} who look the same (required: {required}, waived)",
    "front.figure.without": "assuming that no outsider knows the values of {columns}",
    "front.figure.only-ones": Plural("1 person looks like nobody else", "{n} people look like nobody else"),
    "front.figure.risk-before": "original: {share}",
    "front.figure.by-weights": (
        "{low} by the sampling weights, if nobody knows who is in the sample; {share} for a person who is known to be "
        "in it"
    ),
    "front.figure.from-to": "{low} to {high}",
    "front.figure.between": "over {share}, at most {most}",
    "front.figure.kept": "Information left",
    "front.figure.kept-of": Plural(
        "in the column that outsiders may know", "on average in the {n} columns that outsiders may know"
    ),
    "front.rules": "Rules: {rules}; and {n} that apply to every release (section Rules).",
    "front.contents": "What the file contains now",
    "front.losses": "What was lost",
    "front.both": "What the file contains now, and what was lost",
    "front.remaining": "What could still happen, and to whom",
    "front.next": "What to do next",
    "front.more-steps": Plural(
        "1 more step is at the end of this report.", "{n} more steps are at the end of this report."
    ),
    "front.declaration": "Declaration",
    # Translators: head of a column: what others can do with a column of the table
    "head.kind": "kind of column",
    "front.kind.known": "outsiders may know it",
    "front.kind.sensitive": "sensitive: must not be traced to a person",
    "front.kind.for-check": "for the check only: must not go out",
    "front.kind.other": "neither helps nor harms",
    "front.kind.none": "not judged",
    "front.kind.identifier": "names a person: must not go out",
    "front.kind.left-out": "not in the file",
    "front.made-up": (
        "By its policy, the table is synthetic: its records are meant to be made up, none of them a real person's."
    ),
    # Translators: what follows is a list of columns
    "front.known": Plural(
        "1 column that outsiders may know: {columns}.", "{n} columns that outsiders may know: {columns}."
    ),
    "front.sensitive": Plural(
        "1 column that nobody should be able to link to a person: {columns}.",
        "{n} columns that nobody should be able to link to a person: {columns}.",
    ),
    "front.other": Plural("1 other column: {columns}.", "{n} other columns: {columns}."),
    "front.identifiers": Plural(
        "1 column that names a person, which must not be released: {columns}.",
        "{n} columns that name a person, which must not be released: {columns}.",
    ),
    "front.for-check": Plural(
        "1 column for the check only, which must not be released: {columns}.",
        "{n} columns for the check only, which must not be released: {columns}.",
    ),
    "front.left-out": "Not in the file: {columns}.",
    "front.removed": Plural(
        "1 of {records} records ({share}) was removed.", "{n} of {records} records ({share}) were removed."
    ),
    "front.blanked": Plural(
        "1 of {records} records ({share}) has only * in place of what outsiders may know.",
        "{n} of {records} records ({share}) have only * in place of what outsiders may know.",
    ),
    "front.none-removed": "No record was removed.",
    "front.found": Plural(
        (
            "Somebody who knows a person's {columns} finds their record with a chance of {average} on average, "
            "and of {share} at worst (1 person)."
        ),
        (
            "Somebody who knows a person's {columns} finds their record with a chance of {average} on average, "
            "and of {share} at worst ({n} people)."
        ),
    ),
    "front.found-alike": Plural(
        "Somebody who knows a person's {columns} finds their record with a chance of {average}.",
        "Somebody who knows a person's {columns} finds their record with a chance of {average} ({n} people).",
    ),
    "front.known-columns": "data in all {n} columns that outsiders may know",
    "front.outside": "How many people this concerns is shown in the internal edition only.",
    "front.outside-guess": "How well {columns} can be guessed is not shown either.",
    "front.outside-compared": (
        "What the table tells about the people it was made from is shown in the internal edition only."
    ),
    "front.outside-compared-met": (
        "What the table tells about the people it was made from is shown in the internal edition only; the "
        "rules about it are met."
    ),
    "front.more": Plural(
        "1 more remark is in the section {section}.", "{n} more remarks are in the section {section}."
    ),
    "front.sign": (
        "I have read the first page of this report. I approve the release of {file} (file fingerprint, SHA-256: "
        "{digest}…) to: {recipients}."
    ),
    "front.sign.without": "The column {column} is removed before that.",
    "front.sign.although": "I know that the file does not meet: {rules}.",
    "front.sign.until": "exception until {expires}",
    "front.sign.to-name": "{line} ({who})",
    "front.smaller": Plural("1 record is in a smaller group.", "{n} records are in smaller groups."),
    "front.sign.accept": "I accept the remaining risk described above.",
    "front.to.public": "the public",
    "front.to.controlled": "recipients who are known and bound by terms of use",
    "front.to.internal": "people within the organisation",
    "front.prepared": "Prepared by",
    "front.approved": "Approved by",
    "front.print": "Print or save as PDF",
    "rules.no-exception": "no exception",
    "rules.judged-when-made": "measured when the release was made ({path})",
    "wanted.k-anonymity.k": "at least {n} people in each group",
    "wanted.prosecutor-risk.cell_size": "at least {n} people in the smallest group",
    "wanted.l-diversity.l": "at least {n} different values in each group",
    "wanted.rules-fit-the-release.records": "rules that demand groups of at least {n}",
    "wanted.rules-fit-the-release.excess": "rules that allow an excess of at most {share}",
    "wanted.excess": "an excess of at most {share}",
    "wanted.no-unique-values.at_most": "at most {share} of the records found by one exact value",
    # Translators: what a rule is about, on the first page
    "plain.k-anonymity": "The smallest number of people who look the same.",
    "plain.prosecutor-risk": (
        "How easily the person who is easiest to find is found, which is how many look the same at least."
    ),
    "plain.average-risk": "How easily a person is found on average.",
    "plain.re-identification": "How easily a person is found on average.",
    "plain.sample-uniqueness": "How many people are unique.",
    "plain.l-diversity": "The smallest number of different values among people who look the same.",
    "plain.entropy-l-diversity": (
        "The smallest number of different, equally frequent values among people who look the same."
    ),
    "plain.t-closeness": "How much the values of people who look the same may tell that those of all do not.",
    "plain.attribute-inference": "How often a value that nobody should learn is guessed right.",
    "plain.certain.excess": (
        "How often the table tells a person's sensitive value for certain, beyond what it tells about people whose "
        "data were not used: at most, with a margin for chance."
    ),
    "plain.best-guess.excess": (
        "How often a sensitive value is guessed right, beyond what is guessed about people whose data were not used: "
        "at most, with a margin for chance."
    ),
    "plain.copies.excess": (
        "How many people's records are in the table, beyond those that are there by chance: at most, with a margin for "
        "chance."
    ),
    "plain.individual-risk": (
        "Highest chance that a record of a sample is that of the person it seems to be, by its sampling weight; "
        "expected is how many records would be found if somebody looked for all."
    ),
    "plain.every-subset": "For every combination of the columns that outsiders may know.",
    "rules.besides": "What else to know beside the rules",
    "section.rules": "Rules: what was required, and what was found",
    # context
    "section.context": "Context and assumptions",
    "release.unknown": "The policy does not say who will receive the table.",
    "release.public": "The release is public: anyone may try to find someone in it.",
    "release.controlled": "The release is controlled: recipients are known and bound by terms of use.",
    "release.internal": "The release is internal: it stays within the organisation.",
    "context.purpose": "Purpose: {purpose}.",
    "context.review": "The release is to be reviewed by {date}.",
    "context.recipients": "Recipients: {who}.",
    "context.known": "An adversary may know all of these columns: {columns}.",
    "context.unknown": "It is assumed that nobody knows: {columns}.",
    "context.adversary": "Assumed adversary: {who}. Known columns: {columns}.",
    "treatment.missing.value": "A missing quasi-identifier counts as a value of its own.",
    "treatment.missing.apart": "Records with a missing quasi-identifier are excluded from class-based checks.",
    "treatment.suppressed.apart": (
        "Suppressed records are excluded from class-based checks, but are included in the attacks."
    ),
    "treatment.suppressed.class": "Suppressed records form a class of their own.",
    "treatment.several_sensitive.alone": "Each sensitive attribute is assessed separately.",
    "treatment.several_sensitive.quasi-identifiers": (
        "The adversary is assumed to know the other sensitive attributes too."
    ),
    "treatment.sensitive_values.exact": "Sensitive values count as they are written; a missing one counts as a value.",
    "treatment.sensitive_values.folded": (
        "Sensitive values that differ only in spelling (case, character width, invisible characters, blanks) count "
        'as one; missing ones are left out, and so are words for "not known" (n/a, unknown, ?).'
    ),
    "context.unit": "Several records of the same person (identified by {column}) count once in each class.",
    "context.kind.synthetic": (
        "The policy calls this table synthetic: its records are meant to belong to nobody. Whether it still "
        "tells about the people of the original, beyond what it tells about other people, is what was "
        "measured, by lookups in it."
    ),
    "context.kind.perturbed": (
        "The table is perturbed: its values were swapped, noised, randomised or drawn anew. It is judged by what a "
        "lookup in it tells about the people of the original beyond other people."
    ),
    "context.control": Plural(
        "It is compared with 1 control person, whose data were not used to make it.",
        "It is compared with {n} control people, whose data were not used to make it.",
    ),
    "context.levels": "The numbers below compare columns on levels of their hierarchies: {levels}.",
    "context.levels-of-rules": (
        "The tables below compare columns on levels of their hierarchies: {levels}. Rules are judged on each "
        "level that the policy names: what was found is the upper end of the 95 % interval on the level "
        "where it is highest, and the numbers of the first page are those of that level."
    ),
    "context.compared-at": "{column} on level {level}",
    "context.no-population": (
        "No population was given, so the person an adversary looks for is assumed to be in the table."
    ),
    "context.sample": (
        "The table is a sample: how many people of the population look the same is estimated from the sampling weights."
    ),
    "context.population": "The population has {n} people.",
    "context.amounts": (
        "Amounts per record, as the rules set them: an attack costs {adversary_cost} and gains {adversary_gain}; "
        "the publisher loses {publisher_loss} and earns {publisher_benefit}."
    ),
    "context.no-other-table": "It is assumed that no other table about the same people has been released.",
    "context.no-other-table-unsaid": (
        "It is assumed that no other table about the same people has been released (the policy does not say)."
    ),
    "context.together": Plural(
        "1 earlier release about the same people was measured together with this one; no further one is assumed to "
        "be released.",
        "{n} earlier releases about the same people were measured together with this one; no further one is "
        "assumed to be released.",
    ),
    "context.together-partly": Plural(
        "1 earlier release about the same people was measured together with this one.",
        "{n} earlier releases about the same people were measured together with this one.",
    ),
    "context.not-together": Plural(
        "1 other table about the same people has been released, but was not measured together with this one: the "
        "numbers assume that nobody uses it.",
        "{n} other tables about the same people have been released, but were not measured together with this one: "
        "the numbers assume that nobody uses them.",
    ),
    "head.presets": "Presets",
    "head.preset": "preset",
    "head.source": "source",
    "head.cell-size": "cell size",
    "head.probability": "probability",
    "head.stated-as": "stated as",
    "stated.cell size": "cell size",
    "stated.probability": "probability",
    "stated.probability and cell size": "probability and cell size",
    "word.rule-of-thumb": "rule of thumb",
    "word.undated": "date unknown",
    "word.foreign": "threshold suggested abroad",
    # columns
    "section.columns": "Columns",
    "head.column": "column",
    "head.role": "role",
    "head.outsiders-know": "do outsiders know it?",
    "head.as-many-values": "effective number of values",
    # Translators: head of a column: number of distinct values
    "head.values": Homonym("values"),
    "head.unique-values": "records with a unique value",
    "head.missing": "missing or *",
    "head.missing-or-removed": "missing, * or removed (of the original's records)",
    "role.none": "no role",
    "role.privacy_unit": "privacy unit",
    "role.identifier": "direct identifier",
    "role.left-out": "left out of the release",
    "role.quasi_identifier": "quasi-identifier",
    "role.sensitive_attribute": "sensitive attribute",
    "role.insensitive_attribute": "insensitive attribute",
    "finding.direct identifier": "identifies people",
    "finding.named like an identifier": "named like an identifier",
    "finding.some personal values": "has personal values",
    "finding.personal details": "has personal details inside its texts",
    "finding.detail": "{what}: {n}",
    "finding.details in its name": "its name has personal details",
    "finding.nearly unique": "nearly every record has a unique value",
    "finding.often unique": "on average, at most two records share a value",
    "finding.long texts": "long texts, in which people may be named",
    "finding.perhaps known": "an outsider may know it, and no measure looks at it",
    "finding.perhaps known, judged as secret": "an outsider may know it, and the measures assume that nobody does",
    "finding.perhaps sensitive": "may be sensitive, and no measure looks at it",
    "finding.points-to": "the name points to {what}",
    "finding.looks-like": "{share} of the values look like {what}",
    "subject.a person's name": "a person's name",
    "subject.a number given to one person": "a number given to one person",
    "subject.a number given to a household": "a number given to a household",
    "subject.a number given to a record": "a number given to a record",
    "subject.a way to reach a person": "a way to reach a person",
    "subject.an address": "an address",
    "subject.an account, a card or a plate": "an account, a card or a plate",
    "subject.a device, or a trace on the net": "a device or an online identifier",
    "subject.sex": "sex",
    "subject.age or birth": "age or birth",
    "subject.a place": "a place",
    "subject.origin, language or family": "origin, language or family",
    "subject.work or schooling": "work or schooling",
    "subject.how a person is built": "a physical characteristic",
    "subject.where or when a person was seen": "where or when a person was seen",
    "subject.a date": "a date",
    "subject.health": "health",
    "subject.money": "money",
    "subject.belief, opinion or private life": "belief, opinion or private life",
    "subject.crime or violence": "crime or violence",
    "subject.results of a person": "results of a person",
    "look.e-mail addresses": "email addresses",
    "look.national identity numbers": "national identity numbers",
    "look.payment card numbers": "payment card numbers",
    "look.phone numbers": "phone numbers",
    "look.bank account numbers": "bank account numbers",
    "look.record numbers": "record numbers",
    "look.vehicle plates": "vehicle plates",
    "look.names of people": "names of people",
    "look.network addresses": "network addresses",
    "look.links": "links",
    "look.generated keys": "generated keys",
    "look.Chinese names of people": "Chinese names of people",
    "look.English names of people": "English names of people",
    "look.given names of people": "given names of people",
    "look.street addresses": "street addresses",
    "look.exact coordinates": "exact coordinates",
    "look.dates or times": "dates or times",
    "look.numbers or addresses of people": "ID, card or phone numbers or email addresses",
    "look.further sheets": "further sheets",
    "look.comments": "comments",
    "look.pictures or charts": "pictures or charts",
    "look.pivot tables": "pivot tables",
    "look.defined names": "defined names",
    "look.macros": "macros",
    "look.further parts": "further parts",
    "look.document properties": "document properties",
    "look.further elements": "further elements",
    "look.formulas": "formulas",
    "look.formats of single cells or rows": "formats of single cells or rows",
    "look.author": "the author of the document",
    "look.row heights": "heights of single rows",
    "look.hidden rows": "hidden rows",
    "look.number formats": "number formats of single cells",
    "look.fonts": "fonts of single cells",
    "look.fills": "fills of single cells",
    "look.borders": "borders of single cells",
    "look.alignments": "alignments of single cells",
    "look.cells that keep the same value in another way": "cells that keep the same value in another way",
    "look.bytes outside the table": "bytes outside the table",
    "look.further files": "further files",
    "look.other file names": "other file names",
    "look.names with personal details": "names with personal details",
    "look.files with a part of the records each": "files with a part of the records each",
    "look.lines with characters in unusual bytes": "lines with characters in unusual bytes",
    "look.files of a kind that is not looked through": "files of a kind that is not looked through",
    "look.metadata": "entries of metadata",
    "look.values that no record has": "values that no record has",
    **{f"reason.{kind}": text for kind, text in REASONS.items()},
    # identity
    "section.identity": "Identity risk: can a person be found?",
    "identity.histogram": "Records by the size of their equivalence class",
    "identity.required": "required: at least {size}",
    "identity.small": "Records in small classes",
    "identity.red-by-rule": (
        "Red: classes smaller than {n}. A rule of this release asks for at least {required} (section Rules)."
    ),
    "identity.red": (
        "Red: classes smaller than {n}, the size below which the external edition shows no number of people. That "
        "alone is no fault: what classes this release must have is in the section Rules."
    ),
    "identity.scenarios": "Three adversaries",
    "identity.adversaries": "Assumed adversaries",
    "head.class-size": "class size",
    "head.classes": "classes",
    "head.records": "records",
    "head.people": "people",
    "head.share": "share",
    "head.smaller-than": "smaller than",
    "head.scenario": "scenario",
    "head.target": "target",
    "head.highest": "highest",
    "head.average": "average",
    "head.lowest": "lowest",
    "head.median": "median",
    "head.who": "adversary",
    "head.knows": "knows",
    "head.finds": "finds the record",
    # Translators: head of a column of shares
    "head.unique": Homonym("unique records"),
    "scenario.prosecutor-risk": "someone known to be in the table",
    "scenario.journalist-risk": "anyone in the population, using a register",
    "scenario.marketer-risk": "as many people as possible",
    "scenario.without-register": "no register given: same as for one known person",
    "scenario.weighted": "anyone in the population, estimated from the sampling weights",
    # drivers
    "section.disclosure": "Lookups: what does the table tell about the people of the original?",
    "disclosure.text": (
        "Somebody who knows the quasi-identifiers of a person looks them up in this table as if it were the "
        "original. What they get right about people who had no part in it is statistics; what they get right "
        "beyond that is what the table discloses: the excess, as a share of what remains to be guessed (of "
        "copies, the plain difference), with its interval at 95 %."
    ),
    "disclosure.no-control": (
        "There are no control people, so what is right about anybody cannot be told from what the table discloses."
    ),
    "disclosure.found": (
        "“{found}” says only that the table has any record with these values. Where nearly all control people are "
        "found as well, its excess is a share of the few who are not."
    ),
    "disclosure.found-no-rule": "No rule of this release limits it.",
    "disclosure.known": "Most successful lookups, by number of known columns",
    "disclosure.excess": "{share} ({low} to {high})",
    "head.lookups": "What lookups tell",
    "head.original-people": "People of the original",
    "head.control-people": "Control people",
    "head.without-keys": "Without any lookup",
    "head.excess": "Excess",
    "section.drivers": "What drives the risk",
    "drivers.counted": Plural(
        "1 combination of the columns that outsiders may know was tried.",
        "{n} combinations of the columns that outsiders may know were tried.",
    ),
    "drivers.chart": "Chance of success by number of known attributes: {attack}",
    "drivers.chart-highest": "Chance of success with the riskiest combination of known columns",
    "drivers.axis": "number of columns the adversary knows",
    "drivers.limit": "limit: {share}",
    "drivers.limit-highest": "limit of the highest risk: {share}",
    "drivers.each": "What each column adds to the chance of each attack",
    "drivers.columns": "What each column adds: {attack}",
    "drivers.risky": "The smallest sets of columns with which a limit is exceeded",
    "drivers.guessing": "none needed: guessing alone exceeds it",
    "drivers.not-risky": "No combination of columns exceeds a limit.",
    "drivers.unit": "Subsets are counted in records, so they are not available together with a privacy unit.",
    "drivers.not-counted": (
        "Subsets of the quasi-identifiers were not counted; add 'subsets' to the policy to count them."
    ),
    "head.chart": "numbers of the chart",
    "head.known": "known columns",
    "head.riskiest": "the riskiest",
    "head.adds": "adds to the chance",
    "head.without": "chance without it",
    "head.limit": "limit",
    "head.attributes": "attributes",
    # attributes, presence, profit
    "section.attributes": "Attribute disclosure: can something be learned about a person?",
    "head.by-attribute": "by sensitive attribute",
    "attributes.prior": " (before)",
    "attributes.posterior": " (after)",
    "attributes.distance": " (distance)",
    "distance.numeric": "numeric",
    "distance.hierarchical": "hierarchical",
    "distance.equal": "equal",
    "section.presence": "Presence: can anyone tell who is in the table?",
    # other releases
    "section.releases": "Other releases: what do they disclose together?",
    "releases.identity": (
        "Someone who can join a person's records in {n} releases picks their record with a chance of {together}; "
        "with this release alone, {alone}."
    ),
    "releases.identity-outside": (
        "Someone who can join a person's records in {n} releases picks their record with a chance of {together}."
    ),
    "releases.alone": "{certain} of the people look like nobody else then; with this release alone, {alone}.",
    "releases.attribute": (
        "The value of {column} can be guessed with a chance of {together}; with this release alone, {alone}."
    ),
    "releases.disclosed": (
        "Someone who cannot join records, but intersects the values of {column} that the releases offer, is left "
        "with one value for {share} of {people} people; with this release alone, for {alone}."
    ),
    "releases.not-measured": Plural(
        "1 other release is known, but was not measured. What it adds to the risk is not in these numbers.",
        "{n} other releases are known, but were not measured. What they add to the risk is not in these numbers.",
    ),
    "releases.registered": Plural(
        "1 release of the register shares a key or quasi-identifiers with this one.",
        "{n} releases of the register share a key or quasi-identifiers with this one.",
    ),
    "releases.none-registered": "No release of the register shares a key or quasi-identifiers with this one.",
    "releases.unnamed": "release {n}",
    "releases.this": "{name} (this release)",
    "releases.list": "The releases, each of them alone",
    "releases.names": "The releases",
    "releases.curve": "With one release after the other: {attack}",
    "releases.axis": "number of releases that are out, in the order of the list",
    "releases.shares": "What each release adds, and what withdrawing it would save: {attack}",
    "releases.unlinked": "Someone who cannot join records, but intersects the values that releases offer",
    "releases.invariance": (
        "m-invariance: a person's classes offer the same values in every release, each of them once"
    ),
    "releases.register": "Releases of the register that share something with this one",
    "releases.all": "all of them",
    "releases.only": "{name} alone",
    "releases.changed": (
        "{column}: the value of {changed} people changed between releases; of {contradictory} no value is left, of "
        "{mistaken} only a wrong one."
    ),
    "releases.no-m": (
        "none: {repeated} classes have a value more than once; {changing} people have other values in another release"
    ),
    "releases.unmeasured": Homonym("not measured"),
    "releases.gain": "{column}: expected gain {prior} before, {alone} with this release, {together} with all.",
    "head.number": "no.",
    "head.up-to": "up to release",
    "head.in-common": "also here",
    "head.alone": "alone in their class",
    "head.chance": "chance",
    "head.certain": "certain",
    "head.disclosed": "disclosed",
    "head.half-sure": "at most two values left",
    "head.saves": "saves",
    "head.with": "with",
    "head.attribute": "attribute",
    "head.largest-m": "largest m",
    "head.shared-keys": "shared key",
    "head.shared-known": "shared quasi-identifiers",
    "head.shared-sensitive": "shared sensitive attributes",
    "head.measured": "measured",
    "section.profit": "Profitability: is an attack worth its cost?",
    "profit.chart": "The publisher's payout by the gain of an attack per unit of cost",
    "profit.axis": "gain of an attack per unit of cost",
    "head.gain": "gain per cost, above",
    "head.payout": "payout",
    # utility
    "section.utility": "Utility: how useful is the table still?",
    "head.by-column": "By column",
    "head.values-before": "values before",
    "head.values-after": "values after",
    "summary.removed": "Suppressed records that left the table: {removed}.",
    "summary.shown": (
        "Instead of an interval, all who look the same show one value, which need not be their own: {columns}."
    ),
    "utility.deleted": Plural(
        "1 of the original's {before} records ({share}) is not in the release, which has {after}.",
        "{n} of the original's {before} records ({share}) are not in the release, which has {after}.",
    ),
    "utility.added": Plural(
        "The release has {after} records, 1 more than the original, which has {before} ({share} more).",
        "The release has {after} records, {n} more than the original, which has {before} ({share} more).",
    ),
    "utility.same-rows": (
        "Original and release have the same number of records, {before}. Whether records were replaced or swapped "
        "is not known."
    ),
    "utility.blind": (
        "These columns were recoded: {columns}. Measures that do not see how coarse they became: {measures}."
    ),
    "utility.no-hierarchies": (
        "Measures of the loss, such as precision and granularity, need hierarchies for these columns: {columns}."
    ),
    "sees.class-sizes": "Sees class sizes only, not how coarse the values are.",
    "sees.suppression": "Sees suppressed and missing cells only, not how coarse the values are.",
    "sees.labels": "Compares labels: a recoded value counts as a different one, however close it is.",
    "column.changed": "cells changed, at least",
    "column.information_kept": "information kept",
    "column.precision": "precision",
    "column.granularity": "granularity",
    "column.non_uniform_entropy": "non-uniform entropy",
    "column.total_variation": "total variation",
    "utility.scale": "1 means as in the original, 0 means nothing is left.",
    "utility.scale-reverse": (
        "1 means as in the original, 0 means nothing is left; for total variation it is the reverse."
    ),
    "utility.scale-other": "0 means as in the original.",
    "utility.bars": "The bars show {what}.",
    "found.whole-file": "the file, besides the table",
    # records before and after
    "example.title": "Five records before and after: for insiders only",
    "example.not-printed": "Five records before and after are shown on the screen only: they are not printed.",
    # Translators: {before} are columns with their values: birth 1989, sex female
    "example.story": Plural(
        "For example, {before}: 1 person in the original.", "For example, {before}: {n} people in the original."
    ),
    "example.story-after": Plural("Now it says {after}: 1 person.", "Now it says {after}: {n} people."),
    "example.alike": "people who look the same: before → now",
    "example.shown.mean": "mean of those who look the same",
    "example.shown.median": "median of those who look the same",
    "example.note": (
        "Records from all over the original, without identifiers; old values are struck out. Records that were "
        "removed are not shown. Only what outsiders may know counts for looking the same."
    ),
    # what became of the columns
    "head.state": "in this file",
    "column.state.kept": "kept as it was",
    "column.state.coarser": "coarser",
    "column.state.starred": Plural("blank (*) in 1 record", "blank (*) in {n} records"),
    "column.state.little": "almost nothing left",
    "column.state.lost": "lost",
    "columns.kept": "Unchanged in every record ({n}): {columns}.",
    "columns.coarser": "Coarser ({n}): {columns}.",
    "columns.lost": "Lost, as next to nothing is left ({n}): {columns}.",
    "columns.reason": "The policy says: {reason}",
    # models
    "models.linear": (
        "The model {model}, fitted on the release, explains {after} of the variance in the original; fitted on the "
        "original, {before}."
    ),
    "models.logistic": (
        "The model {model}, fitted on the release, has an area under the ROC curve of {after} on the original; fitted "
        "on the original, {before}."
    ),
    "models.worse": (
        "The model {model}, fitted on the release, predicts the original worse than its mean does; fitted on the "
        "original, it explains {before} of the variance."
    ),
    "models.none": "The model {model} cannot be fitted on the release, in which the outcome is not usable.",
    "models.shifted": "The coefficient of {column} moves most: by {shift} standard errors.",
    "models.effect-left": (
        "The effect of {column} moves most: it is {left} of that in the original, a shift of {shift} standard errors."
    ),
    "models.lost": "The release says nothing about {columns}.",
    "models.local": (
        "Taken because of the models, of {n} releases that were compared: record by record, {kept} of what they "
        "explain in the original is kept; by the others, at most {other}."
    ),
    "models.global": (
        "Taken because of the models, of {n} releases that were compared: on the best levels, {kept} of what they "
        "explain in the original is kept; by the others, at most {other}."
    ),
    "models.next-best": (
        "Taken because of the models, of {n} releases that were compared: on next-best levels, {kept} of what they "
        "explain in the original is kept; by the others, at most {other}."
    ),
    "models.steadier": (
        "As they explain about as much, the coefficients decided: here they move by at most {shift} standard errors, "
        "by the others by more."
    ),
    "models.means": "Means and medians of classes answer them better than intervals; `show` decides otherwise.",
    "models.intervals": "Intervals answer them better than means and medians of classes; `show` decides otherwise.",
    "models.coefficients": "Coefficients before and after: for insiders only",
    "models.scale": (
        "On the original and on the release, in units of the original; the shift is in standard errors of the "
        "original. Intervals count by their middle; a category of the release stands for all of its members."
    ),
    "models.error": "standard error",
    "models.shift": "shift",
    "models.intercept": "intercept",
    # steps
    "section.steps": "Next steps",
    "steps.none": "The numbers call for no further step.",
    "head.residual": "Residual risk and next steps",
    "residual.identity": (
        "Someone who knows all that outsiders may know about a person (columns: {known}) finds the right record in "
        "{chance} of cases on average."
    ),
    "residual.identity-highest": (
        "Someone who knows all that outsiders may know about a person (columns: {known}) finds the right record in "
        "{chance} of cases on average; for the person most at risk, in {highest}."
    ),
    "residual.attribute": (
        "The value of {column} can be guessed with a chance of {posterior}; without the table, {prior}."
    ),
    "residual.attribute-at-worst": (
        "Whoever knows all that outsiders may know guesses {column} right in {posterior} of cases on average "
        "({prior} without the table), and in {highest} at worst."
    ),
    "residual.attribute-also": (
        "The value of {column} is guessed right in {posterior} of cases ({prior} without the table), and in {highest} "
        "at worst."
    ),
    "residual.attribute-likely": Plural(
        "For 1 person it is {likely} or more.", "For {n} people it is {likely} or more."
    ),
    "residual.attributes": "The sensitive value can be guessed with a chance of {chance}.",
    "residual.copies": (
        "For {share} of the people of the original, the table has a record that equals theirs in every column."
    ),
    "residual.copies-control": (
        "For {share} of the people of the original, the table has a record that equals theirs in every "
        "column; for people whose data were not used, by chance, {control}."
    ),
    "residual.copies-coarser": (
        "For {share} of the people of the original, the table has a record that equals theirs in every column once "
        "values are made coarser ({levels})."
    ),
    "residual.copies-coarser-control": (
        "For {share} of the people of the original, the table has a record that equals theirs in every column once "
        "values are made coarser ({levels}); for people whose data were not used, by chance, {control}."
    ),
    "residual.copies-as-they-are": "With the values as they are, it is {share}.",
    "residual.copies-as-they-are-control": "With the values as they are, it is {share}, and by chance {control}.",
    "residual.coarser": "Values were made coarser for this: {levels}.",
    "residual.guess": (
        "Whoever looks a person of the original up in this table guesses {column} right in {share} of cases; without "
        "the table, in {prior}. Without control people nobody can say how much of this the table discloses."
    ),
    "residual.guess-control": (
        "Whoever knows all columns that outsiders may know guesses {column} right for {share} of the people of the "
        "original, and for {control} of people whose data were not used."
    ),
    "residual.excess-fewer": (
        "Whoever knows only {columns} may do better: then it is {share} (at most {high}), the highest of {n} "
        "combinations of columns; no rule limits this."
    ),
    "residual.excess": (
        "So of the guesses that would otherwise be wrong, the table itself makes {share} right (at most {high}, with a "
        "margin for chance): that much it gives away."
    ),
    "residual.excess-limit": (
        "So of the guesses that would otherwise be wrong, the table itself makes {share} right (at most {high}, with a "
        "margin for chance; allowed: {limit}): that much it gives away."
    ),
    "residual.excess-people": "That is about {n} of the {all} people of the original (at most about {most}).",
    "residual.no-excess": (
        "So the table gives away nothing that could be told from chance (at most {high} of the guesses that would "
        "otherwise be wrong)."
    ),
    "residual.no-excess-limit": (
        "So the table gives away nothing that could be told from chance (at most {high} of the guesses that would "
        "otherwise be wrong; allowed: {limit})."
    ),
    "residual.none": "No risk was measured.",
    "step.anonymize": "To fix this, run: {command} (it looks for a release that keeps the rules and loses little).",
    "step.by-hand": Plural(
        "By hand: leave out the 1 record ({share}) that breaks a rule, or choose coarser levels first.",
        "By hand: leave out the {n} records ({share}) that break a rule, or choose coarser levels first.",
    ),
    "step.raise": Plural(
        " {column} on level {level} leaves 1 record that breaks a rule, and loses {loss}.",
        " {column} on level {level} leaves {n} records that break a rule, and loses {loss}.",
    ),
    "step.merge-classes": Plural(
        "1 record ({share}) is in a group of fewer than {size} that look the same ({rules}): make values coarser,"
        " or leave the record out.",
        "{n} records ({share}) are in groups of fewer than {size} that look the same ({rules}): make values "
        "coarser, or leave the records out.",
    ),
    "step.merge-some-classes": (
        "Some records are in groups of fewer than {size} that look the same ({rules}): make values coarser, or "
        "leave the records out."
    ),
    "step.without": Plural(
        " If the column {column} were left out, 1 record would still be in such a group.",
        " If the column {column} were left out, {n} records would still be in such groups.",
    ),
    "step.begin": " Start with {columns}.",
    "step.other": "Change the release until the rule holds, or have the decision waived.",
    "step.remove-identifiers": "Remove the direct identifiers from the release: {columns}.",
    "step.unlink": (
        "{columns} tells which records are of one person, and so do numbers in its place: remove it. petworks "
        "anonymize counts people by it and leaves it out."
    ),
    "step.count-people": (
        "The rules have to count people, and the table does not have {columns}: check the file that petworks "
        "anonymize made, with the policy and the plan beside it, or a table that has the column."
    ),
    "step.remove-key": "{columns} joins this table with other releases: remove it before the release.",
    "step.name-control": (
        "The rules {rules} compare with control people, and there are none: keep people aside before the table is made "
        "(petworks split), and name them as control."
    ),
    "step.more-control": (
        "The control people are too few for the rules {rules}: about {size} would suffice, if they are guessed right "
        "as often as these."
    ),
    "step.separate-control": (
        "The control people of the rules {rules} are in the original: control people must have no part in making the "
        "table (petworks split keeps some aside)."
    ),
    "step.synthesise-anew": (
        "The table tells too much about the people of the original ({rules}): make another one, with a method that "
        "learns less of single records, with more noise, or with coarser columns."
    ),
    "step.compare-columns": (
        "{columns}: unique values of the original are in this table, and no rule compares them. Make them quasi-"
        "identifiers or sensitive attributes, or leave the columns out."
    ),
    "step.compare-on-levels": (
        "A little noise in {columns} would hide a copy of the original, as lookups compare exact values, of which "
        "there are many: give each a hierarchy, and compare it on a level of that (compare_at: {{column: 1}})."
    ),
    "step.limit-excess": (
        "Rules of a table that is not generalised limit what it tells beyond control people, of copies and of each "
        "sensitive attribute, to at most {share}. Add: {policy}"
    ),
    "step.blur-together": (
        "Together with earlier releases, too much can be learned ({rules}): make {columns} coarser, leave a "
        "column out, or group values as the earlier releases do."
    ),
    "step.withdraw": (
        "If {releases} could be withdrawn, the chance to pick a person's record would be {share}: ask whether its "
        "recipients can delete it, and do not give both to the same recipient."
    ),
    "step.measure-together": (
        "The register has releases that share a key with this one, but were not measured together with it: "
        "{releases}. Name them in the policy ('releases')."
    ),
    "step.cannot-hold": (
        "{rules} cannot hold: {columns} has fewer distinct values in the whole table than each class must have."
    ),
    "step.more-values": (
        "People who look the same have too few different sensitive values ({rules}): make {columns} coarser, so "
        "that more people look the same."
    ),
    "step.diversify": (
        "The values of people who look the same tell too much about each of them ({rules}): make {columns} "
        "coarser, so that more people look the same, or make the sensitive values coarser."
    ),
    "step.hide-presence": (
        "It can be inferred who is in the table ({rules}): make {columns} coarser, or release only a sample."
    ),
    "step.blur": "Too many records can be told apart ({rules}): make {columns} coarser, or leave a column out.",
    "step.refine": "Too much information was lost ({rules}): use finer levels where the risk allows it.",
    "step.waiver-expired": "Expired waivers: {rules}. Fix the release, or renew the decision.",
    "step.waiver-ends": "Waivers that expire within a month: {rules}.",
    "step.waiver-not-needed": "Waivers that are no longer needed: {rules}. Remove them from the policy.",
    "step.earlier-edition": (
        "There is an earlier external edition about another state of this table; {size} of its numbers and "
        "verdicts differ from those of the new one. Whoever has both can learn from the difference who was added "
        "or removed, and what they have. If few records differ, do not publish a second edition."
    ),
    "step.withheld-outside": (
        "The external edition does not show the verdict of {rules}, which would reveal a small number of people. "
        "Unless another rule fails, it therefore shows no verdict of the whole check either. If outsiders must see "
        "it, change or remove rules; the description of the external edition says which ones exclude each other."
    ),
    "step.plan-anew": (
        "The plan does not fit this table any more, since too many records had to be suppressed: make a new plan "
        "with petworks anonymize."
    ),
    "step.judge-all": (
        "{records} records are judged by no rule about classes, because the policy sets them aside. Count them: "
        "'treatment: {{missing: value, suppressed: class}}', or without these keys. If the rules are enough "
        "nevertheless, say why in 'context' ('rules_reason')."
    ),
    "step.nothing-left": (
        "Every record is suppressed, so nothing is left to judge or to hand out: allow coarser levels or less "
        "suppression, or loosen the rules, and make the release again."
    ),
    "step.make-again": (
        "Make the release again: the settings that it was made with have changed. Until then, nobody should sign it."
    ),
    "step.declare-releases": (
        "A registered release of the same original is out: name it under 'releases: earlier' in the policy, so that "
        "both are judged together."
    ),
    "step.give-roles": (
        "Columns without a role were not measured: {columns}. Give them a role, or a reason under 'no_role'."
    ),
    "step.leave-out-sample": (
        "{columns}: sampling weight and household are for the check and must not be in the file that goes "
        "out. petworks anonymize leaves them out."
    ),
    "step.hidden-identifiers": (
        "Columns that identify people although their role does not say so: {columns}. Remove them from the release."
    ),
    "step.personal-details": (
        "The texts of {columns} have personal details ({details}), whatever its role is: remove them from the "
        "texts or leave the column out. Only a waiver with an owner and a date lets them pass."
    ),
    "step.write-anew": (
        "Blanks, invisible characters, quotes, line ends, the order of keys, or null beside empty cells tell records "
        "apart that the measures or readers take for the same: up to {records} records in {columns}. Write the table "
        "anew with one program and one quoting rule, without blanks around cells and invisible characters, and with "
        "one missing value; petworks anonymize and petworks apply do so."
    ),
    "step.release-values": (
        "The file has more than the table that was judged, and whoever gets it gets that too ({details}). Save the "
        "table as CSV and release that, or the file that petworks anonymize writes: both have only its values."
    ),
    "step.export-table": (
        "A file of this kind can have more than the table (deleted records, comments, formats, other tables), and "
        "nothing here looks through it. Release the CSV file that petworks anonymize writes, or export the table as "
        "CSV, Parquet or .xlsx, and check that file."
    ),
    "step.rule-for-values": (
        "No rule in force protects the values of {columns}: everybody in a class may have the same. Put a line "
        "under 'rules' in the policy, such as - {policy}, or say in 'no_rule' why none is needed. A limit that "
        "accepts a class with one rare value (t-closeness from 0.95, basic-beta-likeness from 19) does not count."
    ),
    "step.fitting-rules": (
        "For this release, rules in force must demand classes of at least {size} records. Put this into the "
        "policy, or a rule that demands it: {policy}. If smaller classes are enough, say why in 'context' "
        "('rules_reason')."
    ),
    "step.fitting-rules-unsaid": (
        "The policy does not say who gets the table, and whoever it is, rules in force must demand classes of at "
        "least {size} records. Say it in 'context' ('release': public, controlled or internal), and put this into "
        "the policy, or a rule that demands it: {policy}. If smaller classes are enough, say why there "
        "('rules_reason')."
    ),
    "step.explain-unique-values": (
        "The policy lets exact values single out more records than usual but gives no reason, so that {share} "
        "applies. Make the values coarser; or, if nobody outside can know them, say why: {policy}."
    ),
    "step.protect": (
        "Whoever knows the exact value of {columns} finds the record: up to {share} of the records have a value "
        "that no other has. Put this under 'anonymize' in the policy and run petworks anonymize: {policy}"
    ),
    "step.protect-declared": (
        "Whoever knows the exact value of {columns} finds the record: up to {share} of the records have a value "
        "that no other has. Making the release rounds or groups the values, as the policy declares."
    ),
    "step.leave-out": (
        "Whoever knows the exact value of {columns} finds the record: up to {share} of the records have a value "
        "that no other has, and rounding does not help. Leave the column out (roles: identifiers)."
    ),
    "step.rename-column": (
        "The names of columns have personal details: {columns}. Rename them in the source and in the policy."
    ),
    "step.unmeasured-values": (
        "Nearly every record has a unique value in {columns}, by which it is found, and no measure takes that into "
        "account: make the column a quasi-identifier, group its values in the source, or leave it out (roles: "
        "identifiers)."
    ),
    "step.round-values": (
        "Nearly every record has a unique value in {columns}, by which someone who knows it finds the record: "
        "round or group the values in the source and run again, or explain under 'role_reasons' why no outsider "
        "knows them."
    ),
    "step.nearly-unique": "Nearly every record has a unique value in {columns}: make it coarser, or remove it.",
    "step.measure-or-explain": (
        "An outsider may know {columns}, by which records can be found: make such columns quasi-identifiers or "
        "leave them out, or explain under 'role_reasons' why nobody outside knows them."
    ),
    "step.look-again": "Check whether these columns contain personal details (section Columns): {columns}.",
    "step.suppressed-class": (
        "Let suppressed records count as a class, so that they keep {rules}, too: write 'treatment: {{suppressed: "
        "class}}' into the policy and make the release again; or allow no suppression."
    ),
    "step.secret-or-explain": (
        "To judge by the name, {columns} may be sensitive: give such columns that role, leave them out, or explain "
        "under 'role_reasons' why they are not."
    ),
    "step.many-suppressed": (
        "{share} of the records are suppressed (only * in place of what outsiders may know): the others may not "
        "be representative."
    ),
    "step.review-overdue": "The review date has passed: review the release, and set a new date in the policy.",
    "step.name-approver": "{regime} asks for an approver: name who approves the release (sign_off: approver, role).",
    "step.regime-lacks": "{regime} also asks for: {items}. See the section Sign-off.",
    "step.try-subsets": (
        "It is not known which columns an adversary knows: check every combination of them ('subsets' in the policy)."
    ),
    # sign-off
    "section.anonymization": "How the release was made",
    "anonymize.optimal": (
        "Proved: no other levels keep the rules and lose less ({checked} of {nodes} combinations of levels had to be "
        "looked at)."
    ),
    "anonymize.optimal-every": (
        "Proved: no other allowed levels keep every column and the rules and lose less ({checked} of {nodes} "
        "combinations of levels had to be looked at)."
    ),
    "anonymize.optimal-fewest": (
        "Proved: no other allowed levels keep the rules and as many columns and lose less ({checked} of {nodes} "
        "combinations of levels had to be looked at)."
    ),
    "anonymize.optimal-keeping": (
        "Proved: no other allowed levels keep {columns}, the rules and as many of the other columns and lose less "
        "({checked} of {nodes} combinations of levels had to be looked at)."
    ),
    # Translators: a command line option such as --keep age, or several
    "anonymize.keep-costs": (
        "To keep {columns} costs much: a loss of {other} instead of {loss}, with {records} suppressed records. If that "
        "is worth it: {options}"
    ),
    "anonymize.keep-costs-local": (
        "To keep {columns}, too, one level per column has a loss of {other} instead of {loss} and {records} suppressed "
        "records (columns lost: {lost}); record by record may lose less. If that is worth it: {options}"
    ),
    "anonymize.cannot-keep": "No levels keep the rules and {columns}, with so few suppressed records.",
    "anonymize.loss-saved": (
        "If next to nothing of {columns} may be left, less is lost: {other} instead of {loss}, with {records} "
        "suppressed records: {options}"
    ),
    "anonymize.not-least": (
        "These are not the levels with the least loss, {loss}, which is proved: only the releases named below were "
        "compared by the models."
    ),
    "anonymize.stopped": (
        "The search was not finished ({checked} of {nodes} combinations of levels): other levels may lose less, but "
        "no less than {bound}."
    ),
    "anonymize.optimal-allowed": (
        "Proved: of the levels that you allowed, no others keep the rules and lose less ({checked} of {nodes} "
        "combinations of levels had to be looked at)."
    ),
    "anonymize.stopped-allowed": (
        "The search was not finished ({checked} of {nodes} combinations of the levels that you allowed): others of "
        "these may lose less, but no less than {bound}."
    ),
    "anonymize.gap": "So this release loses at most {gap} more than the best one.",
    "anonymize.no-gap": "How far this release is from the best one is not known.",
    "anonymize.improving": (
        "It was found after {found} of {seconds} seconds: a longer search may well find a better one."
    ),
    "anonymize.settled": (
        "It was found after {found} of {seconds} seconds: a longer search will rather prove more than find a "
        "better one."
    ),
    "anonymize.waived": "Waived, and so not demanded of the release: {rules}.",
    "anonymize.in-order": (
        "The records are in the order of the original table: someone who knows that order can tell whose record is "
        "whose."
    ),
    "anonymize.shuffled": "The records are in random order.",
    "anonymize.weighted": "The loss is weighted: {weights}; 1 otherwise.",
    "anonymize.weight": "{name} counts {weight}",
    "anonymize.above-one": "A weighted loss is no share: it can be above 1, and compares with the same weights only.",
    "anonymize.local": (
        "Recoded record by record: each value is only as coarse as it must be for enough people to look the same "
        "({n} combinations of levels)."
    ),
    "anonymize.local-no-better": (
        "Local recoding is not possible with these rules, or no better than one level for each column: that is the "
        "release. Its loss is {loss}."
    ),
    "anonymize.local-stopped": (
        "Recoded record by record: each value is only as coarse as it must be for enough people to look the same "
        "({n} combinations of levels). The search was not finished: another release may lose less. One level for "
        "each column loses {loss}."
    ),
    "anonymize.local-stopped-no-better": (
        "Local recoding ended before it was better than one level for each column: that is the release. Its loss is "
        "{loss}."
    ),
    "choice.title": "Two ways to recode the table",
    "choice.global": "one level per column",
    "choice.local": "record by record",
    "choice.made-local": (
        "Record by record keeps more; one level per column is simpler to analyse, and its levels are proved to be the "
        "best: --global."
    ),
    "choice.made-local-unproved": "Record by record keeps more; one level per column is simpler to analyse: --global.",
    "choice.average": (
        "Record by record, fewer people look the same: the average risk is higher under the same rules ({local} "
        "instead of {all})."
    ),
    "choice.made-global": "Record by record usually keeps more: --local.",
    "choice.explained": (
        "Next-best levels, and what each rule costs, are known for one level per column: --global --explain."
    ),
    "choice.why.fixed": "One level per column, because every level is given.",
    "choice.why.objective": (
        "One level per column, because non-uniform entropy is not defined for values on several levels."
    ),
    "choice.why.not-possible": "One level per column, because the rules cannot be kept record by record.",
    "choice.why.not-keeping": (
        "One level per column, because no release was found that keeps {columns} and the rules record by record."
    ),
    "choice.why.no-better": "One level per column, because record by record would keep no more.",
    "choice.why.stopped": "One level per column, because the search ended before record by record kept more.",
    "choice.why.one-level-per-column": (
        "One level per column, because a rule compares the classes with those of another table, which needs the same "
        "levels."
    ),
    "choice.why.rows": (
        "One level per column, because there are too many distinct rows to recode them record by record."
    ),
    "choice.why.other-releases": (
        "One level per column, because other releases about the same people are measured together with this one."
    ),
    "head.recoding": "recoding",
    "head.lost": "columns lost",
    "head.option": "option",
    "anonymize.loss": "Loss ({objective}): {loss}.",
    "anonymize.aggregated": "{objective}, {how} of the columns",
    "aggregate.geometric": "geometric mean",
    "aggregate.arithmetic": "arithmetic mean",
    "aggregate.sum": "sum",
    "aggregate.maximum": "maximum",
    "anonymize.suppressed": Plural(
        "1 of {records} records ({share}) is suppressed; at most {limit} were allowed.",
        "{n} of {records} records ({share}) are suppressed; at most {limit} were allowed.",
    ),
    "anonymize.none-suppressed": "No record is suppressed; at most {limit} were allowed.",
    "anonymize.all-suppressed": Plural(
        "The only record counts as suppressed, because every quasi-identifier is * in it.",
        "All {n} records count as suppressed, because every quasi-identifier is * in them.",
    ),
    "anonymize.nothing-left": (
        "Warning: nothing is left of the quasi-identifiers. A release that says more needs weaker rules, more "
        "suppression, or other hierarchies."
    ),
    "notice.people-counted-before": (
        "The table does not have {columns} any more, so nobody can count people in it: what the rules found is "
        "what was counted by people when this very file was made (its plan has the digest). Everything else counts "
        "records."
    ),
    "notice.no-privacy-unit": (
        "Records count as people: the policy says why {columns} does not name the people the table is about."
    ),
    "notice.too-many-suppressed": Plural(
        "1 record ({average}) was suppressed, and the plan allows at most {share}.",
        "{n} records ({average}) were suppressed, and the plan allows at most {share}.",
    ),
    "notice.set-aside": Plural(
        "The rules about how many must look alike were not applied to 1 record ({share}), as the policy says: whoever "
        "sees the table finds this person, too.",
        "The rules about how many must look alike were not applied to {n} records ({share}), as the policy says: "
        "whoever sees the table finds their people, too.",
    ),
    "advice.set-aside": "The policy sets them aside: 'treatment: apart'.",
    "notice.people-not-counted": (
        "The table does not have {columns}, which names the person: records are counted, not people, and several "
        "records of one person count several times."
    ),
    "notice.individual-risk": (
        "By the sampling weights, the chance that a record is that of the person it seems to be is {average} "
        "on average; at worst it is {share}."
    ),
    "notice.individual-risk-when-made": (
        "This file is a sample of {n} people. By the sampling weights, the chance that a record is that of "
        "the person it seems to be is {average} on average and {share} at worst; this was measured when the "
        "file was made, because the weights are not in it."
    ),
    "notice.highest-risk-in-sample": Plural(
        "The chance to find a person who is known to be in the sample is higher: {average} on average; at worst it is "
        "{share}, for 1 person.",
        "The chance to find a person who is known to be in the sample is higher: {average} on average; at worst it is "
        "{share}, for {n} people.",
    ),
    "notice.weights-released": (
        "Whoever knows how the sample was drawn may read the stratum of a person from the sampling weight "
        "(column {columns}): round it, or leave it out."
    ),
    "notice.weights-below-one": Plural(
        "The sampling weight {columns} is below 1 in 1 record, which then stands for less than itself.",
        "The sampling weight {columns} is below 1 in {n} records, which then stand for less than themselves.",
    ),
    "cli.column-left-out": "the table has no column {column}, which its policy names: the numbers do without it",
    "cli.weights-below-one": Plural(
        "the sampling weight {column} is below 1 in 1 record", "the sampling weight {column} is below 1 in {n} records"
    ),
    "notice.highest-risk": Plural(
        "The chance to find a person is {average} on average; at worst it is {share}, for 1 person.",
        "The chance to find a person is {average} on average; at worst it is {share}, for {n} people.",
    ),
    "notice.certain-value": Plural(
        "For 1 person {columns} is certain: whoever finds them knows it.",
        (
            "For {n} people {columns} is certain: all who look like them have the same value, so anybody who "
            "narrows the search to their group knows it."
        ),
    ),
    "notice.certain-values": (
        "For some people these values are certain: {certain}. All who look like them have the same value, or nobody "
        "looks like them, so anybody who narrows the search to their group knows it."
    ),
    "notice.certain-of": Plural("{columns} for 1 person", "{columns} for {n} people"),
    "notice.near-value": Plural(
        "For 1 person {columns} is nearly certain: there are several numbers, but they differ by at most 1 % of their "
        "size, or of the range of the column.",
        "For {n} people {columns} is nearly certain: all who look like them have numbers that differ by at most 1 % of "
        "their size, or of the range of the column.",
    ),
    "advice.near-value": (
        "Rules about diversity count each number as another value. Make {columns} coarser ('protect' under "
        "'anonymize': round or intervals), or demand t-closeness, which measures how far numbers are apart."
    ),
    "studio.advice.near-value": (
        "Rules about diversity count each number as another value. Round or group {columns} (Make it safe, More "
        "settings)."
    ),
    "notice.no-control": (
        "There are no control people: what is right about anybody cannot be told from what the table discloses."
    ),
    "notice.control-in-original": Plural(
        "1 control person ({share}) is equal to a record of the original in every column.",
        "{n} control people ({share}) are equal to a record of the original in every column.",
    ),
    "notice.own-values": (
        "{share} of the values of {columns} in the table do not occur in the original, so lookups find fewer people: "
        "compare it on a level of a hierarchy (compare_at)."
    ),
    "notice.outside-compared": (
        "What was measured stays inside: figures about the people of the original could tell something about them."
    ),
    "notice.rule-always-holds": "Without meaning here: {rules}. Every table keeps it with this limit.",
    "notice.rule-about-one-value": (
        "Without meaning here: {rules}. {columns} has one value in the whole table, which everybody knows then."
    ),
    "notice.rule-about-nothing": (
        "Without meaning here: {rules}. Nothing is left of what an adversary may know: {columns}."
    ),
    "notice.not-covered": (
        "The verdict does not consider somebody who already knows a person's {columns}, or who has other "
        "tables about the same people."
    ),
    "notice.not-covered-columns": "The verdict does not consider somebody who already knows a person's {columns}.",
    "notice.not-covered-tables": "The verdict does not consider somebody who has other tables about the same people.",
    "notice.outside": (
        "The worst case, and how many people it concerns, is shown in the internal edition only: it would reveal "
        "small numbers."
    ),
    "notice.outside-highest": (
        "At worst, the chance to find a person is {share}. How many people this concerns is shown in the "
        "internal edition only."
    ),
    "notice.identifiers-left": "The table still has direct identifiers: {columns}.",
    "notice.suppressed-class": Plural(
        "The suppressed record is in no class, but keeps its other columns: whoever sees that a person fits no "
        "class has found it. If it counted as a class, {rules} would not hold.",
        "The {n} suppressed records are in no class, but keep their other columns: whoever sees that a person fits "
        "no class knows that the record is one of them. If they counted as a class, {rules} would not hold.",
    ),
    "notice.perhaps-sensitive": "No rule looks at {columns}, which may be sensitive: the values go out unchanged.",
    "notice.perhaps-sensitive-coarser": (
        "No rule looks at {columns}, which may be sensitive; the values were made coarser."
    ),
    "notice.found-by-amount": (
        "Whoever knows the exact value of {columns}, too, knows which record is whose for {share} of the records."
    ),
    "advice.found-by-amount": (
        "Make {columns} coarser (anonymize.protect), or say under 'role_reasons' why no outsider knows it."
    ),
    "studio.advice.found-by-amount": (
        "Round or group {columns} (Make it safe, More settings), or say under Columns why no outsider knows it."
    ),
    "notice.unfinished": (
        "The search for this release was not finished: it keeps the rules as they were judged here, but another one "
        "may lose less."
    ),
    "advice.unfinished": "Go on with the search (--resume; on the page, Make it safe), or accept what this one loses.",
    "notice.explained": Plural(
        "Figures and any pass hold only if no outsider knows the values of {columns}. Reason given: “{reason}”. If "
        "somebody knows them as well, 1 record looks like no other, and {below} are in groups of fewer than {size}.",
        "Figures and any pass hold only if no outsider knows the values of {columns}. Reason given: “{reason}”. If "
        "somebody knows them as well, {n} records look like no other, and {below} are in groups of fewer than {size}.",
    ),
    "notice.explained-alone": "Figures and any pass hold only if no outsider knows the values of {columns}.",
    "notice.few-removed": Plural(
        "Only 1 record was removed: whoever knows that a person was in the original, and finds nobody here who looks "
        "like them, knows that it is theirs.",
        "Only {n} records were removed: whoever knows that a person was in the original, and finds nobody here who "
        "looks like them, knows that they are one of these few.",
    ),
    "advice.few-removed": "Coarser levels for all records, or no suppression, avoid that.",
    "notice.removed-alike": (
        "All of the {n} records that were removed have the same value of {columns}: whoever knows the totals of the "
        "original learns it."
    ),
    "notice.minimality": (
        "{n} records were removed or made coarser although enough others look like them, only because all of them "
        "have the same value of {columns}: whoever knows that a release is no coarser than it must be can conclude "
        "that value (a minimality attack)."
    ),
    "advice.minimality": (
        "Choose coarser levels for everybody, or coarser values of {columns}, or leave the column out."
    ),
    "notice.other-releases": (
        "Other releases were made of the same original: {files}. Two of them together can identify people of whom each "
        "alone does not."
    ),
    "advice.other-releases": (
        "Give out only one of them. If another one is already out, name its policy under 'releases: earlier' in the "
        "policy of this one and check again: then they are judged together."
    ),
    "notice.one-value": "Only one value is left of {columns}.",
    "notice.perhaps-known": (
        "An outsider may know {columns}, and no rule takes that into account: the verdict says nothing about someone "
        "who does."
    ),
    "notice.nearly-unique": "Nearly every record has a unique value in {columns}: whoever knows it finds the record.",
    "notice.nothing-left": "Nothing is left of {columns}: every cell is *.",
    "notice.little-left": "Little is left of {columns}: more than 90 % of the records have its most general value.",
    "notice.differences-unseen": (
        "Whether the files have more than the table, such as metadata, was not looked at: they stay in the cluster."
    ),
    "notice.formulas": (
        "{n} cells of {columns} begin with =, +, - or @ and are no numbers: a spreadsheet may run them as formulas."
    ),
    "advice.formulas": "petworks anonymize --spreadsheet-safe writes an apostrophe before such cells.",
    "notice.no-rule": "The verdict relies on the policy's reasons why no rule is about the values of {columns}.",
    "notice.rules-reason": "The verdict relies on the policy's reason why its rules are enough for this release.",
    "notice.unique-values-reason": (
        "The verdict relies on the policy's reason why exact values of {columns} may single out up to {share} of "
        "the records."
    ),
    "notice.long-waiver": "Waived for more than two years from today: {rules}.",
    "notice.no-class-size": "No rule limits how few records may look alike: a person may look like nobody else.",
    "anonymize.look-at": "Before the release goes out, look at {columns}: values are nearly unique, or look personal.",
    "anonymize.levels": "Levels: 0 is the original value, the highest level says nothing.",
    "anonymize.levels-of-records": "Records on each combination of levels",
    "anonymize.other-levels": Plural(
        "and 1 more combination ({records} records)", "and {n} more combinations ({records} records)"
    ),
    "anonymize.level": "{level} of {height}",
    "anonymize.level-and-top": "{level}, {height} of {height}",
    # Translators: what a level has, after its number
    "write.level-named": " ({what})",
    "level.width": "width {n}",
    "level.prefix": Plural("first character", "first {n} characters"),
    "level.mask": Plural("last character masked", "last {n} characters masked"),
    "anonymize.level-top": "{height} of {height}, only *",
    "anonymize.allowed": "; allowed {low} to {high}",
    "anonymize.fixed": "; fixed",
    "anonymize.not-allowed": "not allowed",
    "anonymize.finest": "stays as it is",
    "anonymize.breaks": "breaks {reasons}",
    "anonymize.broken": Plural("{rule} (1 record)", "{rule} ({n} records)"),
    "anonymize.finer": Plural("1 record suppressed, loss {loss}", "{n} records suppressed, loss {loss}"),
    "frontier.title": "What other rules would cost",
    "frontier.what": "The least loss for each threshold and suppression limit, proved.",
    "frontier.what-both": (
        "For each threshold and suppression limit the loss of the release record by record that was found, and the "
        "least loss with one level per column, proved."
    ),
    "frontier.stopped": "Time ran out: a loss after ≤ may be smaller with more time (--time).",
    "frontier.local": "Loss record by record",
    "frontier.global": "Loss with one level per column",
    # Translators: a way to recode the table, and what of it: record by record: loss
    "frontier.head": "{way}: {what}",
    "frontier.left-out": "Lines that are no stricter and lose no less than another are left out.",
    "frontier.own": "The rules ({rule}: {threshold}; suppression limit {limit}) are at a loss of {loss}.",
    "frontier.own-limit": "The rules (suppression limit {limit}) are at a loss of {loss}.",
    "frontier.own-both": (
        "The rules ({rule}: {threshold}; suppression limit {limit}) are at a loss of {local} record by record, {loss} "
        "with one level per column."
    ),
    "frontier.own-limit-both": (
        "The rules (suppression limit {limit}) are at a loss of {local} record by record, {loss} with one level per "
        "column."
    ),
    "frontier.own-none": "Nothing keeps the rules themselves within their suppression limit.",
    "frontier.chart": "The least loss, one line for each suppression limit; the ring is where the rules are",
    "frontier.chart-local": (
        "The loss record by record, one line for each suppression limit; the ring is where the rules are"
    ),
    "frontier.mark": "the rules",
    "head.suppression-limit": "suppression limit",
    "plot.too-small": "smaller than required",
    "plot.large-enough": "large enough",
    "plot.pairs": "Chance of success with two attributes, and with one on the diagonal: {attack}",
    "plot.contributions": "What each release adds: {attack}",
    "plot.before-after": "Before and after: risks and what is left of the values",
    "plot.what": "measure",
    "plot.highest_risk": "highest risk",
    "plot.unique": "unique records",
    "plot.suppressed": "suppressed records",
    "plot.granularity": "granularity kept",
    "plot.precision": "precision kept",
    "view.release": Plural("Release of 1 record", "Release of {n} records"),
    "view.hierarchy": "highest level",
    "view.not-counted": "Classes are not counted for a view where another engine counts: evaluate(release) does.",
    "view.records-in-classes": "records in classes",
    "view.largest-class": "largest class",
    "view.evaluation": Plural("Evaluation of 1 record", "Evaluation of {n} records"),
    "view.known": "Quasi-identifiers: {columns}",
    "view.asked": "parameters",
    "view.holds": "holds",
    "view.fails": "does not hold",
    "view.not-applicable": "does not apply because",
    "view.details": "details",
    "view.subsets": Plural("1 subset of {all} quasi-identifiers", "{n} subsets of {all} quasi-identifiers"),
    "view.made": "The best release",
    "view.made-local": "The release by local recoding",
    "view.on-levels": "The table on these levels",
    "view.frontier": Homonym("What other rules would cost"),
    "view.several": "{n} releases, {people} people of {focal}",
    "view.together": "What {n} releases disclose together about {people} people of {focal}",
    "view.attack": "attack",
    "view.prior": "by guessing",
    "view.with-all": "with all releases",
    "view.more": "{n} more rows: to_pandas() or to_polars() has all of them.",
    "anonymize.next-best": "The next-best levels",
    "anonymize.without": "Without {rule} the loss would be {loss}.",
    "anonymize.without-none": "Without {rule} nothing keeps the other rules either.",
    "head.level": "level",
    "head.one-finer": "one level finer",
    "head.levels": "levels",
    "head.loss": "loss",
    "head.suppressed": "suppressed",
    "head.before": "before",
    "head.after": "after",
    "state.records": "records",
    "state.suppressed": "suppressed records",
    "state.classes": "equivalence classes",
    "state.smallest_class": "smallest class",
    "state.highest_risk": "highest risk of re-identification",
    "state.unique": "unique records",
    "state.granularity": "granularity",
    "state.precision": "precision",
    "state.not-measured": "not measured",
    "anonymize.protected": (
        "Coarser values in {column} ({how}): {changed} of them changed, and {kept} of the variance is kept."
    ),
    "anonymize.shown": (
        "Shown instead of intervals: {columns}. A class shares it, so that it stands for at least {k} records; whoever "
        "knows the values of all but one of them can calculate the last one."
    ),
    "anonymize.shown.mean": "{column} (mean)",
    "anonymize.shown.median": "{column} (median)",
    "anonymize.labels-kept": Plural(
        "{n} class shows intervals, as its means would be those of another and a rule would not hold.",
        "{n} classes show intervals, as their means would be those of others and a rule would not hold.",
    ),
    "anonymize.labels-kept-for": (
        "Means are not shown, but intervals: {rules} compare labels with hierarchies or another table, or would not "
        "hold with means."
    ),
    "anonymize.protected-texts": "Coarser values in {column} ({how}): {changed} of them changed.",
    "anonymize.kept": "Each column before and after",
    "anonymize.kept-scale": (
        "Values per cell: how many of the values a released cell may stand for, on average; 1 means unchanged. "
        "Information kept, which the bars show: 100 % if every cell is unchanged, 0 % if every cell may be any value; "
        "a removed record counts as wholly lost. Distribution shift: how far the shares of the values move if each "
        "released cell counts in equal parts for all values that it may stand for."
    ),
    "anonymize.losses": "What is lost by each objective",
    "anonymize.undefined": "Not defined for values on several levels: {objectives}.",
    "column.protected": "{column} (after {how})",
    "column.values_per_cell": "values per cell",
    "column.shift": "distribution shift",
    "head.objective": "loss by objective",
    "head.all-suppressed": "if all is suppressed",
    "section.sign-off": "Sign-off",
    "head.entry": "entry",
    "head.stated": "stated in the policy",
    "head.release": "release",
    "head.date": "date",
    "head.recipients": "recipients",
    "head.item": "asked for",
    "head.where": "where, in our reading",
    "head.name": "name",
    "head.office": "position",
    "head.signature": "signature",
    "sign-off.purpose": "Purpose",
    "sign-off.approver": "Approver",
    "sign-off.role": "Approver's position",
    "sign-off.review": "Review by",
    "sign-off.overdue": "overdue",
    "sign-off.contact": "Contact for incidents",
    "sign-off.earlier": "Earlier releases about the same people",
    "sign-off.none-earlier": "None, according to the policy.",
    "sign-off.not-stated": "not stated",
    # Translators: whether the policy has what a regime asks for
    "sign-off.given": Homonym("yes"),
    "sign-off.missing": "missing",
    "sign-off.no-certificate": (
        "This is a checklist of what a policy can state, not a certificate of conformity. Whether what is stated "
        "is sufficient, and what else the source asks for, is for the reader to judge."
    ),
    "sign-off.signatures": "Signatures",
    # Translators: where a standard asks for something, if not in a clause of its own
    "item.general": "in general",
    "item.purpose": "the purpose of the release",
    "item.release_kind": "how the table is shared",
    "item.recipients": "the recipients",
    "item.adversaries": "assumed adversaries",
    "item.role_reasons": "a reason for the role of every column",
    "item.earlier_releases": "earlier releases",
    "item.risk_threshold": "a threshold for the risk",
    "item.utility": "the effect on utility",
    "item.approver": "an approver with a position",
    "item.review_by": "a review date",
    "item.incident_contact": "a contact for incidents",
    # method
    "section.method": "Method and sources",
    "method.exact": "Counts are integers, and thresholds are compared exactly; a value equal to the limit meets it.",
    "method.seed": "The check uses no random numbers: the same files always give the same results.",
    "method.version": "PETWorks {version}; format {schema}; evaluated as of {moment}.",
    "method.version-as-of": "PETWorks {version}; format {schema}; evaluated as of {moment} (specified by the user).",
    "method.repeat": (
        "To repeat this check (adjust the paths): {command} FILE; the fingerprint of its content must be the same."
    ),
    "method.repeat-in-python": (
        "To repeat it in Python, with the same table in memory: check({policy!r}, data=table, "
        "as_of={moment!r}).to_json({edition!r}); the fingerprint of its content must be the same."
    ),
    "method.external": (
        "External edition: no value of the table, no class, and no count of people below {n} is shown. All numbers "
        "are computed from counts that were rounded to ranges. Do not publish two editions about nearly the same "
        "table: their difference can reveal what one alone does not."
    ),
    "method.commitment": (
        "The salted fingerprints below differ from the SHA-256 of the files on purpose: each is the SHA-256 "
        "of a secret number and the SHA-256 of the file. Whoever has the internal edition can verify with "
        "'petworks verify' that this report is about these files; nobody else can guess a cell by trial."
    ),
    "method.digest": "Fingerprint of the content of this check (SHA-256, also in its JSON file):",
    "method.not-measured": "Not measured",
    "method.sources": "Sources of the measures",
    "needs": "needs {what}",
    "needs.amounts": Homonym("needs amounts: a rule of the policy that sets them"),
    "needs.other": "does not apply to this release; the JSON file of the internal edition gives the reason",
    "need.quasi-identifiers": "quasi-identifiers",
    "need.a sensitive attribute": "a sensitive attribute",
    "need.the original table": "the original table",
    "need.a population table": "a population table",
    "need.sampling weights": "sampling weights",
    "need.the population or its size": Homonym("the population or its size"),
    "need.hierarchies": Homonym("hierarchies"),
    "need.records in the order of the input": Homonym("records in the order of the input"),
    "need.records in the order of the original": "records in the order of the original",
    "footer": "Made by PETWorks {version}, which computes on the machine where it runs and sends nothing to anybody.",
    "footer.network": (
        "Made by PETWorks {version}, which computes on the machine where it runs and sends nothing to "
        "anybody; it read a table from a server that the policy names."
    ),
    # terms, explained where they occur first
    "term.class": "equivalence class",
    "term.class.meaning": "The records that have the same quasi-identifiers: an adversary cannot tell them apart.",
    "term.known": "quasi-identifier",
    "term.known.meaning": (
        "A column whose value for a person an adversary may know from elsewhere, such as age or postcode."
    ),
    "term.sensitive": "sensitive attribute",
    "term.sensitive.meaning": "A column whose value for a person nobody should learn, such as a diagnosis.",
    "term.identifier": "direct identifier",
    "term.identifier.meaning": "A column that identifies a person on its own, such as a name or an ID number.",
    "term.cell-size": "cell size",
    "term.cell-size.meaning": (
        "The smallest number of people that outsiders may be told; a release needs groups of this size only if a "
        "rule asks for it."
    ),
    "term.scenarios": "prosecutor, journalist, marketer",
    "term.scenarios.meaning": (
        "Adversaries who look for one person they know to be in the table, for anyone, or for everyone."
    ),
    "term.excess": "excess",
    "term.excess.meaning": "What an attack gains over guessing, as a share of the cases that guessing misses.",
    "term.shapley": "Shapley share",
    "term.shapley.meaning": (
        "What a column adds to the chance of an attack, averaged over all orders in which columns may become known."
    ),
    "term.treatment": "generalisation, suppression",
    "term.treatment.meaning": "Replacing exact values with coarser ones; leaving out values or records.",
    "term.waiver": "waiver",
    "term.waiver.meaning": (
        "A decision, with somebody who answers for it and an expiry date, to release the table although a "
        "rule is not met."
    ),
    # the page for stewards
    "studio.skip": "Skip to the content",
    "studio.steps": "Steps",
    "studio.step.open": "Open",
    "studio.step.columns": "Columns",
    "studio.step.risk": "Risk",
    "studio.step.levels": "Levels",
    "studio.step.safe": "Make it safe",
    "studio.step.compare": "Compare",
    "studio.step.decide": "Decide",
    "studio.next": "Next: {step}",
    "studio.lost": (
        "The page does not answer any more: petworks studio has ended. What was saved is safe. Start it again and "
        "open the new address."
    ),
    "studio.is-release": "This table is a release already. To make it in another way, use the policy of the original:",
    "studio.counting": "counting …",
    "studio.command": "The same on the command line",
    "studio.copy": "Copy",
    "studio.copied": "Copied",
    "studio.undo": "Undo the last change ({n} can be undone)",
    "studio.local": "Everything stays on this machine.",
    "studio.error": "That did not work",
    "studio.error.back": "Back: what you typed is still there",
    "studio.error.nowhere": "There is no such page. Go back to the files and choose a step from there.",
    "studio.error.internal": (
        "This is an error of the program itself. Nothing was changed. The terminal shows where it happened, "
        "without any of your data."
    ),
    "studio.back": "Back to the files",
    "studio.bar.original": "original",
    "studio.bar.release": "release",
    "studio.bar.here": "this page is about it",
    "studio.bar.no-release": "→ no release yet",
    "studio.bar.more": Plural("1 other release", "{n} other releases"),
    "studio.bar.outdated": "outdated",
    "studio.bar.make-again": "the settings have changed since it was made: make it again",
    "studio.bar.records": Plural("1 record", "{n} records"),
    "studio.bar.risk": "highest risk {risk}",
    "studio.open.intro": (
        "Choose a table. It stays where it is; what you decide is kept in a policy file beside it: do not delete that."
    ),
    "studio.open.size": "size",
    "studio.open.begin": "Begin",
    "studio.open.continue": "Go on",
    "studio.open.nothing": (
        "There is no table in this folder or below it. Tables are files that end in .csv, .xlsx, .ods, .sav, .dta, "
        ".parquet and the like."
    ),
    "studio.open.sheets": (
        "The workbook has several sheets. One is worked on at a time; the others are neither checked nor "
        "released. If they are one list, join them first. Choose one:"
    ),
    "studio.open.garbled": "The text of {columns} looks as if it was read in a wrong encoding: choose another one.",
    "studio.open.more": "There are more files than are shown; open the page with a smaller folder.",
    "studio.open.policies": "Policies",
    "studio.job.title.running": "Working",
    "studio.job.title.cancelled": "Cancelled",
    "studio.job.title.failed": "That did not work",
    "studio.job.title.done": "Done",
    "studio.job.doing.starting": "Starting …",
    "studio.job.doing.reading": "Reading the table …",
    "studio.job.doing.searching": "Searching …",
    "studio.job.doing.explaining": "Finding out what would happen on other levels …",
    "studio.job.doing.measuring": "Measuring the table as it was …",
    "studio.job.doing.writing": "Writing the release …",
    "studio.job.doing.checking": "Checking the rules …",
    "studio.job.doing.subsets": "Attacking with every subset of the quasi-identifiers …",
    "studio.job.doing.reasons": "Looking for the reasons of each record …",
    "studio.job.stopping": "It stops as soon as it has found a first release.",
    "studio.job.bar": "Progress",
    "studio.job.bound-bar": "How close the best release so far is to the best possible one",
    "studio.job.time": "time",
    "studio.job.checked": "combinations of levels tried",
    "studio.job.best": "best loss so far",
    "studio.job.none-yet": "nothing keeps the rules yet",
    "studio.job.bound": "no release loses less than",
    "studio.job.gap": "gap",
    "studio.job.stop": "Stop and keep the best so far",
    "studio.job.cancel": "Cancel",
    "studio.job.about-stop": (
        "Stop: the best release so far is written, with what it may lose more than the best possible one."
    ),
    "studio.job.about-cancel": "Cancel: the command ends and writes nothing.",
    "studio.job.about-leave": "You can close this page: the work goes on, and every page links back to it.",
    "studio.job.running": "Working …",
    "studio.job.ended.cancelled": "The command was cancelled. Nothing was written.",
    "studio.job.ended.failed": (
        "No file was made: a release in the bar above, if any, is an earlier one. This is what the program said:"
    ),
    "studio.job.back": "Back to the step {step}",
    # the page: risk
    "studio.risk.counting": "Counting who can be found in the table …",
    "studio.risk.no-script": "Wait for the numbers",
    "studio.risk.counting-sets": "Looking for the smallest sets …",
    "studio.risk.cut": "{n} of {all} are shown.",
    "studio.risk.rules": "Rules",
    "studio.risk.steps": "Next steps",
    "studio.risk.do": "Do it",
    "studio.risk.go": "{step} →",
    "studio.risk.sets": "The smallest sets that break the limit",
    "studio.risk.anonymize": "One button finds the release that keeps the rules and loses least.",
    "studio.risk.report": "What drives the risk, sensitive values, every measure and its meaning.",
    "studio.risk.sets-note": Plural(
        "With this set of columns, somebody is in a class of fewer than {size} records. Knowing less of it is not "
        "enough for that.",
        "With each of these {n} sets of columns, somebody is in a class of fewer than {size} records. Knowing less "
        "of a set is not enough for that.",
    ),
    "studio.risk.no-sets": Plural(
        "No set of columns breaks the limit: all classes have at least {size} records.",
        "No set of columns breaks the limit: with each of the {n} sets, all classes have at least {size} records.",
    ),
    "studio.risk.look": "Look",
    "studio.risk.known": "What if they know …",
    "studio.risk.known-note": "Choose what somebody may know of a person; the numbers follow at once.",
    "studio.risk.they-know": "The adversary knows",
    "studio.risk.show": "Show",
    "studio.risk.knows-nothing": "Somebody who knows nothing can only guess: one of {n}.",
    "studio.risk.example": "For example:",
    "studio.risk.example-found": Plural("1 person", "{n} people"),
    "studio.risk.too-small": "too small",
    "studio.risk.large-enough": Homonym("large enough"),
    "studio.risk.small": Plural(
        "1 record ({share}) is in a class of fewer than {size}.",
        "{n} records ({share}) are in classes of fewer than {size}.",
    ),
    "studio.risk.no-small": "Every class has at least {size} records.",
    "studio.risk.chance": "chance to pick a person's record",
    "studio.risk.highest": "the same, for whoever is easiest to find",
    "studio.risk.smallest": "smallest class",
    "studio.risk.unique": Homonym("unique records"),
    "studio.risk.unsaved": "Changes in the step Columns are not saved yet; the numbers here do not have them.",
    "studio.risk.guess": "chance to guess {column}",
    "studio.risk.instead-of": "instead of {share} without knowing anything",
    "studio.risk.in-one": (
        "One click on Make it safe does all this: it leaves out the columns that name people, writes all "
        "cells in one way, and makes values coarser until the rules hold."
    ),
    "studio.risk.in-one-steps": Plural("What it does: 1 step", "What it does: {n} steps"),
    "studio.risk.known-sizes": "Records by the size of their class, for this knowledge",
    # the page: compare
    "studio.compare.intro": (
        "See what changed since another check, and what this release discloses together with earlier ones."
    ),
    "studio.compare.two": "Compare with something else",
    "studio.compare.with": "Compare with",
    "studio.compare.choose": "choose …",
    "studio.compare.policies": "policies",
    "studio.compare.checks": "results of earlier checks",
    "studio.compare.compare": "Compare",
    "studio.compare.nothing": (
        "There is no other policy and no result of a check (petworks check --json) in this folder."
    ),
    "studio.compare.checking": "Checking both …",
    "studio.compare.same-rules": Plural("1 rule with the same result", "{n} rules with the same result"),
    "studio.compare.sizes": "Records by the size of their class",
    "studio.compare.change": "change",
    "studio.compare.change.same": "same",
    "studio.compare.change.better": "▲ better",
    "studio.compare.change.worse": "▼ worse",
    "studio.compare.change.changed": "changed",
    "studio.compare.change.new": "new",
    "studio.compare.change.new built-in rule": "new built-in rule",
    "studio.compare.change.waived": "waived",
    "studio.compare.change.other threshold": "! another threshold",
    "studio.compare.no-rule": "no such rule",
    "studio.compare.not-measured": "not measured",
    "studio.compare.different": "The numbers cannot be compared directly, because these differ: {what}.",
    "studio.compare.equal": "No rule, measure or fact of the table has changed.",
    "studio.compare.curve": "Highest chance of re-identification by number of known attributes",
    "studio.compare.measures": "Measures",
    "studio.compare.same": Plural("1 measure is the same", "{n} measures are the same"),
    "studio.compare.facts": "The tables",
    "studio.compare.digest": "digest: {what}",
    "studio.compare.fact.quasi_identifiers": "quasi-identifiers",
    "studio.compare.fact.sensitive_attributes": "sensitive attributes",
    "studio.compare.fact.treatment": "how records are counted",
    "studio.compare.fact.population": "population",
    "studio.compare.fact.cell_size": "cell size",
    "studio.compare.fact.petworks": "version of PETWorks",
    "studio.compare.fact.records_in_classes": Homonym("records in classes"),
    "studio.compare.fact.smallest_class": "smallest class",
    "studio.compare.fact.largest_class": "largest class",
    "studio.compare.fact.suppressed_records": "suppressed records",
    "studio.compare.fact.incomplete_records": "incomplete records",
    "studio.compare.several": "Together with earlier releases about the same people",
    "studio.compare.several-note": (
        "Each release may be safe alone, and yet they tell more together. This joins the records of a person by a "
        "column that all of the tables have."
    ),
    "studio.compare.earlier": "Earlier releases",
    "studio.compare.order": (
        "They count as released in this order; {table} comes last, and its people are the targets."
    ),
    "studio.compare.key": "Column that names the person",
    "studio.compare.attack": "Attack them together",
    "studio.compare.no-tables": "There is no other table in this folder.",
    "studio.compare.no-file": "This needs a table that is a single file in this folder.",
    "studio.compare.together": "What these {n} releases disclose together",
    "studio.compare.identity": (
        "Someone who can join the records of a person in all {n} releases picks their record with a chance of "
        "{together}; with this release alone, {alone}."
    ),
    "studio.compare.alone": (
        "{together} of the people are then alone in their class; with this release alone, {alone}."
    ),
    "studio.compare.inference": (
        "The value of {column} is guessed with a chance of {together}; with this release alone, {alone}."
    ),
    "studio.compare.disclosed": (
        "Someone who cannot join records, but compares the possible values of {column}, is left with a single one "
        "for {together} of the people; with this release alone, {alone}."
    ),
    "studio.compare.after-each": "With one release after the other",
    "studio.compare.chart": "Chance and share of people alone, by number of releases",
    "studio.compare.line-chance": "chance",
    "studio.compare.line-alone": "alone",
    "studio.compare.axis": "releases out, in the order of the list",
    "studio.compare.number": "no.",
    "studio.compare.up-to": "up to",
    "studio.compare.chance": "chance to pick the record",
    "studio.compare.share-alone": Homonym("alone in their class"),
    "studio.compare.guess": "guess {column}",
    "studio.compare.is-disclosed": "{column} disclosed",
    "studio.compare.each-alone": "Each release alone",
    "studio.compare.release": "release",
    "studio.compare.in-common": "also in this one",
    "studio.compare.withdrawing": "What each release adds, and what withdrawing it would save",
    "studio.compare.without-unit": (
        "{column} was left out of the release. The rules were counted by it when the file was made; the "
        "other figures on the right count records."
    ),
    "studio.compare.adds": Homonym("What each release adds: {attack}"),
    "studio.compare.saves": "saves",
    "studio.compare.unlinked": "Someone who cannot join records, but compares the values that the releases offer",
    "studio.compare.from": "with",
    "studio.compare.all": "all of them",
    "studio.compare.one-left": "one value left",
    "studio.compare.two-left": "at most two left",
    "studio.compare.invariance": "m-invariance",
    "studio.compare.no-m": (
        "none: {repeated} classes have a value more than once, {changing} people have other values in another release"
    ),
    "studio.compare.no-key": (
        "This release has no column that names people, as it should be. Several releases are attacked "
        "together on the tables before that: choose a column that both have only if it tells people "
        "apart."
    ),
    "studio.job.doing.attacking": "Attacking …",
    # the page: make it safe, decide
    "studio.folder": "Folder:",
    "studio.save": "Save",
    "studio.saved": "✓ Saved",
    "studio.unsaved": "Not saved yet",
    "studio.typed": "You had typed:",
    "studio.kept.title": "What became of each column",
    "studio.kept.state": "in the release",
    "studio.kept.stars-in": Plural(
        "1 of {all} records ({share}) only has * in the columns that outsiders may know.",
        "{n} of {all} records ({share}) only have * in the columns that outsiders may know.",
    ),
    "studio.kept.stars": "{share} are *",
    "studio.kept.keep": "Keep {column}",
    "studio.kept.about-keep": (
        "Keep: looks for a release that still tells something in this column. It gets a name of its own, so that you "
        "can compare both; other columns or more records may be lost for it."
    ),
    "studio.kept.gone": Plural(
        "Not in the release: 1 column ({columns}).", "Not in the release: {n} columns ({columns})."
    ),
    "studio.kept.removed": Plural(
        "1 of {all} records ({share}) is not in the release.",
        "{n} of {all} records ({share}) are not in the release.",
    ),
    "studio.result.how": "How it was made",
    "studio.result.other-ways": "Other ways to make it",
    "studio.inside": "internal",
    "studio.out": "may go out once signed off",
    "studio.about-out": "For the recipients, once someone has signed off.",
    "studio.about-inside": (
        "For those who may see the original: these files list its values or say which records stand out."
    ),
    "studio.safe.intro": (
        "PETWorks searches for the release that keeps your rules and loses least and, with one level per "
        "column, proves that there is no better one. The original is not changed."
    ),
    "studio.safe.lacking": "Without a hierarchy, values of these columns stay as they are or become '*': {columns}.",
    "studio.safe.to-levels": "Give them one in the step Levels.",
    "studio.levels.carried": "The levels that you choose here go along.",
    "studio.levels.replace": "Replace it if there is one of this name already",
    "studio.safe.carried": "From the step Levels",
    "studio.safe.carried-level": "{column}: level {level}",
    "studio.safe.not-carried": "not used",
    "studio.safe.replace": "Replace {file}, which is there already",
    "studio.safe.made": "Releases so far",
    "studio.safe.see": "See how it was made",
    "studio.safe.lost": (
        "What you entered under Decide is only in the release {release}; it is lost when you make the release again."
    ),
    "studio.safe.adopt": "Take it along to the new release",
    "studio.safe.settings": "More settings",
    "studio.safe.suppression": "Records that may be left out",
    "studio.safe.about-suppression": "Leaving out a few outliers often keeps far more detail in all other records.",
    "studio.safe.suppressed-records": "What becomes of records that are left out",
    "studio.safe.suppressed-records.remove": "leave the table",
    "studio.safe.suppressed-records.stars": "stay, with *",
    "studio.safe.about-suppressed-records": (
        "Records that stay have * in place of what outsiders may know, and keep all other cells. Together they "
        "must keep the rules, too."
    ),
    "studio.safe.objective": "What is to be lost least",
    "studio.safe.about-objective": "Granularity, the default, is how fine the values stay.",
    "studio.safe.protect": "Values to be rounded or grouped",
    "studio.safe.about-protect": (
        "Where exact values of sensitive or insensitive columns give people away, round or group them: "
        "cost=round:1000,top:250000; day=dates:month; wage=groups_of:11"
    ),
    "studio.safe.minutes": "Time limit in minutes",
    "studio.safe.about-minutes": (
        "Empty: search until the best release is proved. When time is up, the best one so far is written."
    ),
    "studio.safe.about-models": (
        "Of several releases, the one is taken that answers these best; the report compares the "
        "coefficients before and after."
    ),
    "studio.safe.show": "Numbers and dates of a class",
    "studio.safe.show.usual": "record by record as means and medians, otherwise as intervals",
    "studio.safe.show.interval": "as intervals",
    "studio.safe.show.columns": "as the policy says, by column",
    "studio.safe.about-show": "A mean stays a number, so that recipients can calculate with it.",
    "studio.safe.order": "Order of the records",
    "studio.safe.order.shuffled": "random",
    "studio.safe.order.original": "as in the original",
    "studio.safe.about-order": "Someone who knows the order of the original can tell whose record is whose.",
    "studio.safe.method": "Recoding",
    "studio.safe.method.global": "Global",
    "studio.safe.method.global.about": "One level for each column: easy to analyse, and proved to be the best.",
    "studio.safe.method.local": "Local",
    "studio.safe.method.local.about": (
        "Each record on levels of its own: far less is lost, but a column has values of several levels."
    ),
    "studio.safe.more": "Weights and bounds of single columns",
    "studio.safe.models": "What will the recipients fit? (regressions)",
    "studio.safe.aggregate": "How the columns are put together",
    "studio.safe.about-columns": "A column with a higher weight is kept finer. Levels: 0 is the original value.",
    "studio.safe.weight": "weight",
    "studio.safe.low": "lowest level",
    "studio.safe.log": "explain log(1 + outcome)",
    "studio.safe.high": "highest level",
    # Translators: whether a release keeps something of a column
    "studio.safe.kept": "Column is kept",
    "studio.safe.kept.cheap": "if that costs little",
    "studio.safe.kept.keep": "always",
    "studio.safe.kept.may_lose": "not necessarily",
    "studio.safe.name": "File of the release",
    "studio.safe.about-name": (
        "It comes into the folder of the policy, with its own policy, plan, hierarchies and report beside it."
    ),
    "studio.safe.reasons": "Also write why each record is suppressed, and what would save it",
    "studio.safe.below": "Instead of suppressed records, list all in classes of fewer records than",
    "studio.safe.unfinished": "A search for this release was not finished",
    "studio.safe.use": "Use this one",
    "studio.safe.resume": "Go on with it",
    "studio.safe.over": "Start over",
    "studio.safe.outcome": "Outcome",
    "studio.safe.on": "explained by",
    "studio.safe.run": Homonym("Make it safe"),
    "studio.safe.frontier": "What would other rules cost?",
    "studio.safe.about-frontier": (
        "Compares the least loss for several suppression limits and thresholds. You can then choose a point and "
        "make its release."
    ),
    "studio.safe.limits": "Suppression limits in per cent",
    "studio.safe.varied": "Threshold to vary",
    "studio.safe.values": "Its values",
    "studio.safe.run-frontier": "Compare",
    "studio.result.title": "The release {release}",
    "studio.result.report": "Open the report",
    "studio.result.rounding": "rounded to {step}, {top} and more together",
    "studio.result.again": "Other settings",
    "studio.result.about-others": (
        "These levels keep the rules, too. Choose one if a column matters more to you; the release is then made "
        "again on these levels."
    ),
    "studio.result.choose": "Choose",
    "studio.result.coarser": "Make {column} coarser:",
    "studio.result.files": "Files",
    "studio.result.values-left": Plural("1 value left", "{n} values left"),
    "studio.frontier.choose": (
        "Click a point, or choose a line of the table: the release is made with its threshold and limit."
    ),
    # Translators: a button: make the release with one level per column
    "studio.frontier.global": "One level per column",
    "studio.frontier.looser": "less than your rules demand: the release will not pass",
    "studio.frontier.nothing": "Nothing keeps the rules for any of these thresholds and limits.",
    "evidence.what": "Evidence of a check by PETWorks. Verdict: {verdict}.",
    "evidence.out": "may go to the recipients: the external edition, without cells, classes or small counts.",
    "evidence.inside": "stays inside: the policy, the plan and the internal edition of the report.",
    "evidence.nothing-out": (
        "Nothing here may go to the recipients: {why}. Until that is solved, the external edition "
        "(report.external) stays inside as well."
    ),
    "evidence.not-told": (
        "The external edition does not show the verdict, so this folder has the same files whatever it is. The "
        "internal report tells it: if the release may go out, {file} goes out with it; otherwise it stays inside."
    ),
    "obstacle.fails": "a rule does not hold",
    "obstacle.withheld": "this edition does not show the verdict",
    "obstacle.changed": "it is not the file that was judged",
    "obstacle.outdated": (
        "what it is judged by has changed since it was made or judged; make it again, or check it again if only "
        "its own policy has changed"
    ),
    "studio.not-out": "{file} may not go out: {why}.",
    "studio.none-out": "nothing may go out",
    "studio.no-promise": (
        "Keeping rules is no promise that nobody can be found. Whoever signs decides whether what is "
        "left is acceptable."
    ),
    "evidence.digests": "{file} has the digests of all files here; sha256sum -c compares them.",
    "evidence.tables": "The tables are not in this folder. Their digests (SHA-256):",
    "studio.open.action": "action",
    "studio.open.policy": "policy",
    "studio.open.table": "table",
    "studio.open.tables": "Tables",
    "studio.open.state": "state",
    "studio.open.mistake": "has a mistake",
    "studio.open.checked": "checked on {day}, unchanged since",
    "studio.open.changed": "on {day}; changed since, or another day: check again",
    "studio.open.unchecked": "not checked yet",
    "studio.open.others": Plural("1 other file: a hierarchy or a text", "{n} other files: hierarchies and texts"),
    "studio.open.kind": "The table is simulated (synthetic), or its values were changed on purpose",
    "studio.open.kind.note": (
        "Then it is judged by what it tells about the people it was made of, compared with control people who had no "
        "part in it."
    ),
    "studio.open.made": "How it was made",
    "studio.open.kind.generalised": "from real records, as they are or coarser",
    "studio.open.kind.synthetic": "synthetic: its records belong to nobody",
    "studio.open.kind.perturbed": "perturbed: swapped, noised or drawn anew",
    "studio.open.no-table": "none",
    "studio.open.receives": "Who will receive the table?",
    "studio.open.release": Homonym("release"),
    "studio.open.release.public": "public",
    "studio.open.release.controlled": "controlled",
    "studio.open.release.internal": Homonym("internal"),
    "studio.open.preset": Plural("(groups of at least 1 person)", "(groups of at least {n} people)"),
    "studio.open.nothing-written": "Check that the table is read correctly. Nothing is written before you begin.",
    "studio.open.begun": "There is a policy for this table already. Go on with:",
    "studio.open.reading": "Is the table read wrongly? Separator and encoding",
    "studio.open.detect": "find out",
    "studio.open.mended": "Repair the file, save it, and look again.",
    "studio.open.look": "Look again",
    "studio.open.format": "format",
    "studio.open.format.workbook": "workbook",
    "studio.open.your-table": "TABLE.csv",
    "studio.open.encoding": "encoding",
    "studio.open.separator": "separator",
    "studio.open.separator.comma": "comma ,",
    "studio.open.separator.semicolon": "semicolon ;",
    "studio.open.separator.tab": "tab",
    "studio.open.separator.bar": "bar |",
    "studio.open.columns": "columns",
    "studio.open.sample": "How the cells look",
    "studio.open.sample.note": (
        "Masked: X and x are letters, é letters with accents, ○ common Chinese characters, ◇ rare ones, 9 digits; � is "
        "no character at all. No cell is shown."
    ),
    "studio.open.no-header": "The first line looks like data, not like names of columns. Add a line with the names.",
    "studio.open.record": "record {number}",
    "studio.open.missing": Homonym("missing"),
    "studio.other-releases": Plural(
        (
            "Another release of the same people is in this folder: {files}. Give out only one of them, unless they "
            "were evaluated together: both together can identify people whom each alone does not."
        ),
        (
            "{n} other releases of the same people are in this folder: {files}. Give out only one of them, unless they "
            "were evaluated together: several together can identify people whom each alone does not."
        ),
    ),
    "studio.columns.intro": (
        "Say what each column is. What it says about people decides how the table may be released."
    ),
    "studio.columns.help.identifier": "names one person (a name, a number), or nobody needs it. It is left out.",
    "studio.columns.help.quasi_identifier": "others may know it of a person: age, sex, place. It must get coarser.",
    "studio.columns.help.sensitive_attribute": (
        "nobody may learn it about a person: a diagnosis. It goes out as it is."
    ),
    "studio.columns.help.insensitive_attribute": "none of these: it neither helps to find people nor harms them.",
    "studio.columns.help.none": "not judged at all. Give a reason.",
    "studio.columns.help": "What the roles mean",
    "studio.columns.contradictions": Plural("A column contradicts its role", "{n} columns contradict their role"),
    # Translators: the role of a column, after its name and before its values
    "write.with-role": " ({role}): ",
    "studio.columns.worth-a-look": Plural("A column is worth a look", "{n} columns are worth a look"),
    "studio.columns.no-contradiction": "No role contradicts the name or the values of its column.",
    "studio.columns.contradictions.short": Plural("1 contradiction", "{n} contradictions"),
    "studio.columns.saved": "All changes are saved.",
    "studio.columns.unsaved": Plural("1 change is not saved yet.", "{n} changes are not saved yet."),
    "studio.columns.many": Homonym("and {n} more"),
    "studio.columns.find": "Find a column",
    "studio.columns.show": "Show",
    "studio.columns.show.all": "all columns",
    "studio.columns.show.attention": "columns that need a look",
    "studio.columns.filter": "Filter",
    "studio.columns.shown": "{n} of {all} columns",
    "studio.columns.none-shown": "No column is like that.",
    "studio.columns.page": "Page {n} of {all}",
    "studio.columns.previous": "Previous page",
    "studio.columns.next": "Next page",
    "studio.columns.head.pick": "choose",
    "studio.columns.head.unique": "occur once",
    "studio.columns.head.suggested": "suggestion",
    "studio.columns.head.hierarchy": "hierarchy",
    "studio.columns.head.values": "distinct",
    "studio.columns.number": "numbers",
    "studio.columns.date": "dates",
    "studio.columns.text": "text",
    "studio.columns.empty": "no values",
    "studio.columns.missing": "{share} missing",
    "studio.columns.unread-dates": "which number is the month? Declare it under Levels",
    "studio.columns.spellings": "perhaps one value in several spellings",
    "studio.columns.as-suggested": "as suggested",
    "studio.columns.about-household": (
        "If the table has a sampling weight, too, the report says how easily a household is found, whose members are "
        "found together. The column leaves the release."
    ),
    "studio.columns.take": "Take",
    "studio.columns.take-all": Plural("Take the suggestion", "Take all {n} suggestions"),
    "studio.columns.levels": Plural("1 coarser level", "{n} coarser levels"),
    "studio.columns.in-file": "from {file}",
    "studio.columns.declared": "declared",
    "studio.columns.no-hierarchy": "none yet",
    "studio.columns.scheme.width": "intervals of equal width",
    "studio.columns.scheme.cuts": "intervals",
    "studio.columns.scheme.quantiles": "intervals with equally many records",
    "studio.columns.scheme.dates": "periods of time",
    "studio.columns.scheme.prefix": "first characters",
    "studio.columns.scheme.mask": "masked characters",
    "studio.columns.scheme.icd10": "chapters of ICD-10",
    "studio.columns.scheme.address": "places in Taiwan",
    "studio.columns.scheme.uk_postcode": "British postcodes",
    "studio.columns.scheme.order": "neighbouring values",
    "studio.columns.scheme.groups": "named groups",
    "studio.columns.scheme.rare": "rare values together",
    "studio.columns.scheme.top": "large values together",
    "studio.columns.scheme.bottom": "small values together",
    "studio.columns.strange": Plural("1 value without a place", "{n} values without a place"),
    # Translators: after a number, on small screens
    "studio.columns.values": Homonym("values"),
    "studio.columns.unit": "Who is one person?",
    "studio.columns.unit.intro": (
        "If people have several records, choose the column that names the person: they count once. It is no "
        "quasi-identifier, and has a value in every record."
    ),
    "studio.columns.unit.none": "each record is another person",
    "studio.columns.unit.suggested": "{column} looks like it: some records have the same value.",
    "studio.columns.not-people": "Columns that repeat but name nobody the table is about",
    "studio.columns.not-people.intro": (
        "Some columns repeat for other reasons: the phone of a ward, the number of a school class. Say why, and "
        "records count as people although the column looks like the person. Reports name the column. An empty "
        "field removes the reason."
    ),
    "studio.columns.not-people.column": "column that names nobody the table is about",
    "studio.columns.not-people.choose": "choose a column",
    "studio.columns.not-people.reason": "why it names none of these people",
    "studio.columns.unit.subsets": (
        "Combinations of columns are counted by record; once a column is chosen here, that check is switched off."
    ),
    "studio.columns.sample": "Is the table a sample?",
    "studio.columns.sample.intro": (
        "With the number of people that each record stands for, the risk is estimated for the "
        "population. The column has no other role and leaves the release."
    ),
    "studio.columns.sample.none": "no column",
    "studio.columns.sampling_weight": "sampling weight",
    "studio.columns.household": "People of one household share the column",
    "studio.columns.removed": "Named as direct identifiers, but not in the table: {columns}.",
    "studio.columns.reason.role": Homonym("Reason"),
    "studio.columns.reason.none": "Why has it no role?",
    "studio.columns.reason.known": "If it is not a quasi-identifier: why does no outsider know this column?",
    "studio.columns.reason.hint": (
        "“Needed for research” is no reason. If outsiders may know it, it is a quasi-identifier."
    ),
    "studio.columns.many-known": (
        "{n} columns are quasi-identifiers: so many leave little of each, and the search may be long. Decide first: "
        "does an outsider really know {columns}?"
    ),
    "studio.columns.role.identifier": "direct identifier (left out)",
    "studio.columns.role.insensitive_attribute": "insensitive attribute (neither)",
    "studio.columns.role.quasi_identifier": "quasi-identifier (others may know it)",
    "studio.columns.role.sensitive_attribute": "sensitive attribute (to be protected)",
    "studio.columns.role.none": "no role (not judged)",
    "studio.columns.bulk": "Give the chosen columns the role",
    "studio.columns.bulk.do": "Set",
    "studio.columns.save": "Save",
    "studio.columns.next-step": "Save and see the risk",
    "studio.columns.outdates": (
        "Once changes are saved here, the release {file} is outdated and has to be made again."
    ),
    # the step Levels
    "studio.levels.counting": "Counting the different rows of the table. Everything after that is immediate.",
    "studio.levels.no-script": "Wait for the numbers",
    "studio.levels.intro": (
        "Each column has levels, from its values as they are (0) up to the level that says nothing. Move the "
        "sliders: the numbers follow at once, and nothing is written until you say so."
    ),
    "studio.levels.columns": "Columns and their levels",
    "studio.levels.figures": "Result",
    "studio.levels.status.file": "from a file",
    "studio.levels.status.none": "no hierarchy",
    "studio.levels.bounded": "the search may use {bounds}",
    "studio.levels.edit": "Look and change",
    "studio.levels.repair": "Repair",
    "studio.levels.level-own": "Level 0 of {height}: {n} values as they are, such as {example}",
    "studio.levels.level": "Level {level} of {height}: {n} groups, such as {example}",
    "studio.levels.level-top": "Level {level} of {height}: only {label}",
    "studio.levels.fixed": "Stays as it is.",
    "studio.levels.without": Plural(
        "One column has no hierarchy and stays as it is: {columns}.",
        "{n} columns have no hierarchy and stay as they are: {columns}.",
    ),
    "studio.levels.propose": "Use the proposal",
    "studio.levels.propose-all": Plural("Use the proposal", "Use the proposals for {n} columns", is_homonym=True),
    "studio.levels.more-columns": (
        "{n} more columns are not shown here and stay as they are; use the command for them."
    ),
    "studio.levels.suppress": "Leave out the records whose group breaks a rule",
    "studio.levels.recount": "Count again",
    "studio.levels.make": "Make the release",
    "studio.levels.release-name": "Name of the release",
    "studio.levels.apply": "Apply these levels",
    "studio.levels.bound-how": "How are these levels used?",
    "studio.levels.bound.exactly": "exactly these",
    "studio.levels.bound.at_least": "at least this coarse",
    "studio.levels.bound.at_most": "at most this coarse",
    "studio.levels.before": "as it is",
    "studio.levels.after": "on these levels",
    "studio.levels.bars": "as it is and on these levels, as bars",
    "studio.levels.highest": "highest risk",
    "studio.levels.average": "average risk",
    "studio.levels.unique-people": "unique people",
    "studio.levels.affected": "records in classes that break a rule",
    "studio.levels.loss": "loss ({objective})",
    "studio.levels.by-size": "Records by the size of their class",
    "studio.levels.too-small": Homonym("too small"),
    "studio.levels.later": "checked when the release is made",
    "studio.levels.said": "Smallest group: {k}; easiest to find: {risk}; information kept: {kept}.",
    "studio.levels.said-nothing": "Nothing is left: every record is suppressed.",
    "studio.levels.said-affected": Plural(
        "1 record ({share}) is in a class that breaks a rule.",
        "{n} records ({share}) are in classes that break a rule.",
    ),
    "studio.levels.said-suppressed": Plural(
        "1 record ({share}) is suppressed.", "{n} records ({share}) are suppressed."
    ),
    "studio.levels.said-none": "No class breaks a rule.",
    "studio.levels.of": "Levels of {column}",
    "studio.levels.back": "Back to all levels",
    "studio.levels.column-note": "{n} different values.",
    "studio.levels.from-file": "The hierarchy comes from the file {file}. What you save here replaces it.",
    "studio.levels.declared": "Declared in the policy:",
    "studio.levels.declare": "How values become coarser",
    "studio.levels.kinds": "Kinds of hierarchies",
    "studio.levels.kind.width": "Intervals",
    "studio.levels.kind.cuts": "Own intervals",
    "studio.levels.kind.quantiles": "Quantiles",
    "studio.levels.kind.dates": "Dates",
    "studio.levels.kind.prefix": "First characters",
    "studio.levels.kind.mask": "Masked characters",
    "studio.levels.kind.icd10": "ICD-10",
    "studio.levels.kind.address": "Places in Taiwan",
    "studio.levels.kind.uk_postcode": "British postcodes",
    "studio.levels.kind.groups": "Groups",
    "studio.levels.kind.order": "Ordered values",
    "studio.levels.kind.rare": "Rare values",
    "studio.levels.about.width": (
        "For numbers: intervals of the same width, wider on each level. Very small and very large numbers can be "
        "one group each; without a width, these are all."
    ),
    "studio.levels.about.cuts": "For numbers: you say where intervals begin.",
    "studio.levels.about.quantiles": (
        "For numbers: intervals with about the same number of records. The limits are values of the table; choose "
        "your own intervals if nobody may see them."
    ),
    "studio.levels.about.dates": "For dates: a longer period on each level.",
    "studio.levels.about.prefix": "For codes such as postcodes: fewer first characters stay on each level.",
    "studio.levels.about.mask": "For codes: more of the last characters become * on each level.",
    "studio.levels.about.icd10": "For diagnoses as codes of ICD-10.",
    "studio.levels.about.address": "For addresses in Taiwan, or the names of its districts and counties.",
    "studio.levels.about.uk_postcode": "Of LS1 2AB the sector LS1 2, the district LS1, the area LS; LS10 is another.",
    "studio.levels.about.groups": "For names: which values belong together, such as towns of a region.",
    "studio.levels.about.order": "For values in an order, such as degrees: neighbours become one group.",
    "studio.levels.about.rare": "For anything: values that few records have become one group.",
    "studio.levels.field.width": "Widths, one for each level",
    "studio.levels.hint.width": "such as 5, 10, 20; each a multiple of the one before",
    "studio.levels.field.labels": "How labels are written",
    "studio.levels.hint.labels": (
        "20–39 for whole numbers, 20–<40 for others, 20~39 without special signs; 民國113年 for dates"
    ),
    "studio.levels.field.start": "Intervals begin at",
    "studio.levels.hint.start": "if not at 0",
    "studio.levels.field.bottom": "Smaller numbers are one group",
    "studio.levels.hint.bottom": "such as 18: the group is < 18",
    "studio.levels.field.top": "This number and larger ones are one group",
    "studio.levels.hint.top": "such as 90: the group is >= 90",
    "studio.levels.field.cuts": "Where intervals begin, a line for each level",
    "studio.levels.field.cuts-above": "Levels above these: where intervals begin, a line for each level",
    "studio.levels.hint.cuts-above": "such as 20, 60: below 20, 20 to below 60, from 60; multiples of the last width",
    "studio.levels.hint.cuts": (
        "such as 18, 40, 65 and below it 65; each level has some of the numbers of the level before"
    ),
    "studio.levels.field.quantiles": "Number of intervals, one for each level",
    "studio.levels.hint.quantiles": "such as 8, 4, 2; each a multiple of the next",
    "studio.levels.field.dates": "Periods, one for each level",
    "studio.levels.field.icd10": "Levels",
    "studio.levels.field.address": "Levels",
    "studio.levels.field.uk_postcode": "Levels",
    "studio.levels.field.calendar": "Years of two digits are",
    "studio.levels.calendar.gregorian": Homonym("not allowed"),
    "studio.levels.calendar.roc": "of the calendar of Taiwan (民國)",
    "studio.levels.field.day-first": "03/04/2024 is",
    "studio.levels.day-first.none": "not read",
    "studio.levels.day-first.true": "3 April",
    "studio.levels.day-first.false": "4 March",
    "studio.levels.unit.day": "day",
    "studio.levels.unit.week": "week",
    "studio.levels.unit.month": "month",
    "studio.levels.unit.quarter": "quarter",
    "studio.levels.unit.half-year": "half-year",
    "studio.levels.unit.year": "year",
    "studio.levels.unit.5-years": "5 years",
    "studio.levels.unit.decade": Homonym("decade"),
    "studio.levels.unit.20-years": "20 years",
    "studio.levels.unit.district": "district",
    "studio.levels.unit.unit": "unit",
    "studio.levels.unit.sector": "sector",
    "studio.levels.unit.area": "area",
    "studio.levels.unit.county": "county or city",
    "studio.levels.unit.region": "region",
    "studio.levels.unit.category": "category, such as I21",
    "studio.levels.unit.chapter": "chapter, such as I00-I99",
    "studio.levels.field.prefix": "Characters that stay, one number for each level",
    "studio.levels.hint.prefix": "such as 3, 1",
    "studio.levels.field.mask": "Characters that are masked, one number for each level",
    "studio.levels.hint.mask": "such as 1, 2",
    "studio.levels.field.order": "All values in their order, one on each line",
    "studio.levels.hint.order": "from the lowest to the highest",
    "studio.levels.field.sizes": "How many neighbours make a group, one number for each level",
    "studio.levels.hint.sizes": "such as 2, 4; each a multiple of the one before",
    "studio.levels.hint.groups": (
        "For several levels, write the smaller group first: Taipei {above} North. Values without a group go where "
        "you say below."
    ),
    "studio.levels.field.mapping": "A line for each value: the value; its group; a larger group",
    "studio.levels.hint.mapping": "separated by semicolons, or pasted from a spreadsheet",
    "studio.levels.field.rest": "Group of all other values in the list",
    "studio.levels.hint.rest": "if values have no group of their own",
    "studio.levels.many-values": (
        "There are too many values to list them here: paste all of them with their groups, or name a hierarchy "
        "file in the policy."
    ),
    "studio.levels.field.rare": "Values in fewer records than this, a number for each level",
    "studio.levels.hint.rare": "such as 20, or 20, 100",
    "studio.levels.field.label": "Their group is called",
    "studio.levels.hint.label": "other, if you say nothing",
    "studio.levels.save": "Save in the policy",
    "studio.levels.preview": "Show the levels",
    "studio.levels.remove": "Remove the hierarchy",
    "studio.levels.proposal": "Proposed for these values:",
    "studio.levels.levels": "Levels",
    "studio.levels.shown.saved": "As it is saved.",
    "studio.levels.shown.proposed": "A proposal, not saved yet.",
    "studio.levels.shown.tried": "As in the form, not saved yet.",
    "studio.levels.shown.none": "There is no hierarchy yet. Fill in the form to see what it would make.",
    "studio.levels.has-levels": "{n} levels, the values themselves included.",
    "studio.levels.strange": Plural("1 value has no place.", "{n} values have no place."),
    "studio.levels.value": Homonym("value"),
    "studio.levels.group": "group",
    "studio.levels.tree": "All {n} levels, with the number of records",
    "studio.levels.records": Plural("1 record", "{n} records", is_homonym=True),
    "studio.levels.level-head": "Level {level}",
    "studio.levels.groups": Plural("1 group", "{n} groups"),
    "studio.levels.values": Plural("1 value", "{n} values"),
    "studio.levels.smallest-group": Plural("smallest: 1 record", "smallest: {n} records"),
    "studio.levels.skip": "You can skip this: the next step finds the best levels.",
    "studio.levels.more-levels": "{n} more levels are not shown.",
    "studio.levels.rules": "Rules",
    "studio.levels.affected-records": "affected records",
    # the page: decide
    "studio.decide.original": "This policy is about the original table. Decide about a release that was made of it:",
    "studio.decide.no-release": (
        "This policy is about a table as it is. If it does not pass, make a release of it first:"
    ),
    "studio.decide.verdict": "Verdict",
    "studio.decide.rules": "Rules",
    "studio.decide.presets": "Thresholds of regulators",
    "studio.decide.own": "Rules of your own",
    "studio.decide.no-own": "There are none yet.",
    "studio.decide.by-attribute": "one for each attribute; edit the policy file to change them",
    "studio.decide.name": "name of the rule",
    "studio.decide.why": "why this rule",
    "studio.decide.remove": "Remove when saving",
    "studio.decide.new": "New rule: {measure}",
    "studio.decide.subsets": "Every subset of the quasi-identifiers",
    "studio.decide.about-subsets": (
        "What someone may achieve at most who knows only some of the columns; shares from 0 to 1. Empty: no limit."
    ),
    "studio.decide.sizes": "how many columns they know (all, 2, 1-3)",
    "studio.decide.add": "Another rule about",
    "studio.decide.add-button": "Add",
    "studio.decide.waivers": "Waivers",
    "studio.decide.about-waivers": "A rule that need not hold, up to and including a day. Someone answers for it.",
    "studio.decide.waiver": "Waiver of {rule}",
    "studio.decide.new-waiver": "New waiver",
    "studio.decide.owner": "who answers for it",
    "studio.decide.reason": "reason",
    "studio.decide.expires": "last day",
    "studio.decide.context": "Context",
    "studio.decide.kind.public": "public: anyone may get it",
    "studio.decide.kind.controlled": "controlled: known recipients under terms of use",
    "studio.decide.kind.internal": "internal: within the organisation",
    "studio.decide.anyway": "Export it without an approver; it has to stay inside",
    "studio.decide.more": "Assumptions and earlier releases",
    "studio.decide.rules-reason": "why these rules are enough, if they ask for less than usual",
    "studio.decide.no-rule": "Sensitive columns that no rule protects",
    "studio.decide.about-no-rule": "Why a column needs no rule. Leave it empty where a rule protects the column.",
    "studio.decide.assumptions": "assumptions, one on each line",
    "studio.decide.accepted-unfinished": (
        "The search for this release was not finished; what it loses compared with a better one is accepted."
    ),
    "studio.decide.none-earlier": "Nothing about these people was released before",
    "studio.decide.regimes": "Standards and laws",
    "studio.decide.about-regimes": (
        "Their checklists appear under the verdict: what they ask you to write down, and what is still missing."
    ),
    "studio.decide.about-export": (
        "The policy and the release are files beside each other already; keep every version of the policy."
    ),
    "studio.decide.evidence": "Make the reports and the evidence folder",
    "studio.decide.about-evidence": (
        "{folder}: the policy, the plan, the reports for you and for the recipients, and checksums. The "
        "tables are not copied."
    ),
    "studio.decide.versions": "Versions of the policy ({n})",
    "studio.decide.lacking": "Not among what is saved: {what}.",
    "studio.exported.title": "Exported",
    "studio.exported.title-not-out": "Exported, but it may not go out",
    "studio.exported.passes": "Every rule holds or is waived.",
    "studio.exported.fails": "So do not hand out the release. The reports say why.",
    "studio.exported.folder": "The reports are in the folder {folder}; the table itself stays where it is: {table}.",
    "studio.exported.open": "Open {file}",
    "studio.exported.open-to-sign": "Open the report to be signed",
    "studio.exported.sign": (
        "Next: print page 1 of the internal report and have it signed. Then hand over the files marked for that."
    ),
    "studio.exported.sign-by": (
        "Next: print page 1 of the internal report and have {who} sign it. Then hand over the files marked for that."
    ),
    "studio.versions.title": "Versions of the policy",
    "studio.versions.intro": (
        "Each change that was made on this page, the last one first. Lines with + were added, lines with - "
        "removed. Going back is a change, too: it can be undone."
    ),
    "studio.versions.change": "Change {number}, {when}",
    "studio.versions.same": "Nothing differs.",
    "studio.versions.restore": "Go back to before this change",
    "studio.versions.none": "This policy was not changed on this page.",
    "studio.versions.older": "Older ones",
    "studio.verdict.assumed": "passes on an assumption",
    "studio.verdict.warned": "pass, with a warning",
    # the command
    "write.bracketed": "({text})",
    "word.holds": Homonym("holds"),
    "word.does-not-hold": Homonym("does not hold"),
    "head.parameters": "parameters",
    "head.reason": "reason",
    "head.group": Homonym("group"),
    "attack.gain": "gain",
    "attack.chance": "chance",
    # evaluate, measures
    "write.named": "{id} ({name})",
    "evaluate.nobody": "No record is in a class, so limits on classes hold: there is nobody to assess.",
    "evaluate.people": "Several records of one person count once in each class: class sizes are people.",
    "evaluate.not-applicable": "not applicable: {measure}: ",
    "evaluate.no-control": "Without control people, what is right about anybody is not told from what the release "
    "discloses: keep some aside before synthesis (petworks split).",
    "evaluate.overlap": "{records} of {of} control people are equal to a record of the original in all columns; nobody "
    "of the original should be among them.",
    "evaluate.more": "More of each: --measure NAME, or --format json.",
    "evaluate.read-as": "{encoding}, separator {separator}",
    "family.privacy": "privacy",
    "family.risk": "risk",
    "family.attack": "attack",
    "family.disclosure": "disclosure",
    "family.utility": "utility",
    "better.higher": "higher",
    "better.lower": "lower",
    "better.between": "between",
    "better.mixed": "mixed",
    # Translators: family of a measure, and which of its values are better
    "write.kind": "({family}, better: {better})",
    # attack
    "attack.head.attack": "attack",
    "attack.head.prior": "prior",
    "attack.head.posterior": "posterior",
    "attack.head.times-better": "x better than a guess",
    "attack.head.difference": "difference",
    "attack.head.known": "they know",
    "attack.head.risk": "risk",
    "attack.excess": "excess over control people",
    "attack.share": Homonym("share of people"),
    "attack.head.control": "control people",
    "attack.head.excess": "excess",
    "attack.head.interval": "95 % interval",
    "attack.all-known": "If they know all of the attributes",
    "attack.some-known": "If they know some of the attributes: {attack}",
    "attack.risky-sets": "Minimal risky sets, among the subsets counted",
    "attack.drivers": "What drives the risk: {attack}",
    # Translators: any value of a column
    "attack.any": "any",
    "attack.all-the-same": "all the same",
    "attack.smallest": "smallest sets of attributes beyond it",
    "attack.by-guessing": "none needed: by guessing alone",
    "attack.more": "and {n} more (--format json has all)",
    "attack.adds": "adds to the {what}",
    "attack.without": "{what} without it",
    "attack.gains": "{gain}; guessing gains {guessing}",
    "attack.one-in": "1 in {number}",
    "attack.in-hundred": "{number} in 100",
    "attack.not-better": "no better than guessing",
    "attack.hardly-better": "hardly better than guessing",
    "attack.better": "{times} times better than guessing",
    # compose
    "compose.targets": "{n} releases; the targets are the {people} people of {focal}",
    "compose.linked": "An adversary who can join the records of a person",
    "compose.curve": "With one release after the other",
    "compose.added": "What each release adds, and what withdrawing it would save",
    "compose.unlinked": "An adversary who cannot join records, but intersects the values they offer",
    "compose.invariance": "m-invariance",
    "compose.limits": "Limits",
    "compose.release-alone": "release alone",
    "compose.among-them": "targets among them",
    "compose.alone": "alone",
    "compose.guessing": "guessing",
    "compose.focal-alone": "focal release alone",
    "compose.all-releases": Homonym("all releases"),
    "compose.certain-focal": "certain: focal alone",
    "compose.certain-all": "certain: all",
    "compose.inference": "inference",
    "compose.gain": "gain by guessing {column}",
    "compose.disclosed": Homonym("{column} disclosed"),
    "compose.adds": "adds, on average",
    "compose.confidence": "confidence >= {level}",
    "compose.changed": (
        "{column}: the value of {changed} of {people} people changed between releases; of {contradictory} no value "
        "is left, of {mistaken} only a wrong one"
    ),
    "compose.why-none": "why none holds",
    # apply, diff, verify, init, regimes, register, hierarchy
    "apply.suppressed": "{n} of {all} records are suppressed.",
    "apply.plan": "plan",
    "apply.now": "now",
    "apply.at-most": "suppressed at most",
    "apply.too-many": "More records are suppressed than the plan allows, which is {limit}.",
    "apply.advice": "if that many may be suppressed, add {option}; otherwise make a new plan with petworks anonymize",
    "apply.without-place": "values without a place",
    "apply.not-placed": "Records suppressed because a value has no place: {n}.",
    "apply.swept": "Records suppressed because no levels of the plan keep the rules: {n}.",
    "apply.failing": "Records in classes that break {rule}, which are suppressed: {n}.",
    "apply.missing": "Columns of the plan that the table lacks: {columns}.",
    "diff.different": "Not comparable: different {what}.",
    "diff.same": Homonym("No rule, measure or fact of the table has changed."),
    # Translators: a rule in an earlier or a later check: its verdict, what was found, and what was required
    "write.state": "{verdict}: {value} ({asked})",
    "diff.head.rule": "rule",
    "diff.head.measure": "measure",
    "diff.head.table": "table",
    "diff.head.old": "old",
    "diff.head.new": Homonym("new"),
    "diff.head.change": "change",
    "diff.better": "better",
    "diff.worse": "worse",
    "diff.changed": Homonym("changed"),
    "diff.new": "new",
    "diff.new built-in rule": "new built-in rule",
    "diff.new built-in rules": (
        "New built-in rules that the earlier check did not judge: {rules}. They do not count as worse here; the "
        "check itself gives their verdict."
    ),
    "diff.waived": "waived",
    "diff.other threshold": "other threshold",
    "verify.matches": "matches",
    "verify.does-not-match": "DOES NOT MATCH",
    "init.more-columns": "and {n} more columns",
    "init.no-quasi-identifier": "No column looks like a quasi-identifier: name one in the policy, and add rules.",
    "init.many-known": (
        "{n} columns are taken for quasi-identifiers. With more than {many}, little is left of each, or many records "
        "are suppressed. Decide first about those at the top: does an outsider really know them?"
    ),
    "init.known.usually": "usually",
    "init.known.often": "often",
    "init.known.unclear": "not clear: a guess",
    "init.lines-to-change": (
        "For a column that no outsider knows, move its line in the policy, and say why; for example:"
    ),
    "init.reason": "why no outsider knows it",
    "init.unread-dates": (
        "Not read as dates: {columns}. Their values do not show which number is the day (3/4/2024), or contradict "
        "each other, or have years of two digits. In the policy, declare under hierarchies {{dates: [month, year, "
        "decade], day_first: true}}, or false where the month comes first; or write them as yyyy-mm-dd in the source."
    ),
    "init.spellings": (
        "Perhaps one value in several spellings: {columns}. Labels differ only in case, blanks or punctuation, or one "
        "is the initial of another. Write them in one way in the source, or declare groups: small groups cost detail."
    ),
    "init.one-record": "The table has only 1 record: is this the right file, or the right sheet?",
    "init.unit": "{column} identifies the person: several records of one person count once.",
    "init.unit-missing": Plural(
        "In 1 record {column} is empty: fill it in, or delete the record, before you check the table.",
        "In {n} records {column} is empty: fill it in, or delete these records, before you check the table.",
    ),
    "init.together": (
        "People have several records, and {columns} name them together. Add one column to the table that has the "
        'values of both (in a spreadsheet: =A2&"/"&B2), and name it as the privacy_unit; without it, no release is '
        "made."
    ),
    "init.part-of-values": (
        "People have several records, and a part of the values of {column} names them, as A17 does in A17-1 and A17-2. "
        "Add a column to the table that has this part only, and name it as the privacy_unit; without it, no release is "
        "made."
    ),
    "regimes.regime": "regime",
    "regimes.asks": "asks for, in our reading",
    "register.key": Homonym("key"),
    "register.known": "quasi-identifiers",
    "register.sensitive": "sensitive",
    "register.digest": "SHA-256",
    "hierarchy.more": "and {n} more groups",
    # what commands say beside their results
    "cli.warning": "warning: {command}",
    "cli.wrote": "wrote {path}",
    "cli.split": "{records} records to make a synthetic table of; {aside} records of {people} control people, who must "
    "have no part in it, in {path}; chosen by --seed {command}",
    "cli.split.few": "warning: fewer than {fewest} control people are too few for a verdict",
    "cli.declared": "In a policy, under 'hierarchies': {line}",
    "cli.replaced": "{path} was there already: it is replaced, and so is what came beside it",
    "cli.two-levels": "without a hierarchy, values stay as they are or become '*': {columns}",
    # Translators: after: without a hierarchy, values stay as they are or become '*'
    "cli.two-levels.proposed": "; under 'hierarchies' this might do for {column}: {words}",
    "cli.verdict-withheld": (
        "the external edition does not show the verdict, so the exit code is 4 whatever the data; to learn it, run "
        "the check inside with --edition internal"
    ),
    "cli.do-not-release": "{path} does not pass: do not hand it out",
    "cli.subsets-kept": "{n} of {all} subsets are in {path}; continue with --resume",
    "cli.of-the-frontier": "for the release of one of them, give instead of --frontier: {command}",
    "cli.for-insiders": (
        "{path} is for insiders: it tells which records stand out, and by what; do not pass it on with the release"
    ),
    "cli.stopped": "the search is not finished; this is the best release so far",
    "cli.search-kept": "what was found is in {path}; go on with --resume",
    "cli.not-explained": "the explanation was stopped; the release is written without it",
    "cli.outside": "the policy names files outside its folder: check it with --root {path}",
    "cli.unit-dropped": "people were counted by the column {column}, which is left out",
    "cli.unit-kept": (
        "the column {column} has numbers instead of its values, as the policy asks; they tell which records are of "
        "one person"
    ),
    "python.proposed": (
        "no hierarchy is given for {columns}; proposed ones are used: look at them, and declare them as "
        "Release(..., {words})"
    ),
    "python.fails": "the release does not keep the rule {rule}: {found}",
    "python.fails-limit": "the release does not keep the rule {rule}: found {found}, required {required}",
    "python.not-judged": (
        "the engine {engine} does not have the release in memory, so nobody has looked at its columns: write it "
        "and check the file by a policy"
    ),
    "cli.in-order": (
        "the records are in the order of the original table{why}: someone who knows that order can tell whose "
        "record is whose"
    ),
    # Translators: {why} in: the records are in the order of the original table{why}
    "cli.in-order.asked": ", as asked",
    "cli.in-order.database": " (as the database gives them)",
    "cli.in-order.engine": " (the engine {engine} cannot shuffle them)",
    "cli.in-order.rule": " ({rules} compares them one by one)",
    "cli.in-order.large": " (the table is large; shuffling reads all of it into memory)",
    "cli.shuffled": "the records are in random order; {path} has its seed, and stays inside",
    "cli.registered-already": "already registered: {path}",
    "cli.registered-failing": "warning: the check of this release failed; the entry says so",
    "cli.none-registered": "no release is registered in {path}",
    "cli.page-opened": "The address works once, for you alone. Ctrl-C ends the page.",
    "cli.policy-written": "Written: {path}",
    "cli.look-then-check": "Look at the roles in it, then: {command}",
    "cli.if-it-fails": "If it fails: {command}",
    "cli.proposed": "Proposed ({why}): {command}",
    "demo.table": (
        "1. A hospital wants to share a table of 2,000 stays (made up): names, record numbers, dates of birth, "
        "diagnoses.\n   "
        "May it? And if not as it is, in which form?"
    ),
    "demo.roles": (
        "2. First, what is each column? `init` looks at the table and writes a policy: a text file with roles and "
        "rules.\n   "
        "Guesses come with their reason. With your own table, you would look at each of them; here, nobody edits "
        "anything."
    ),
    "demo.raw": (
        "3. Is the raw table safe? `check` judges it by the policy. It fails, of course: it names people.\n   "
        "And even without the names, people are recognised by their date of birth and the day on which they came."
    ),
    "demo.anonymize": (
        "4. One command makes it safe: each value becomes only as coarse as its class needs, and the records are "
        "shuffled.\n   "
        "A small table compares that with one level per column, which is simpler and keeps less."
    ),
    "demo.released": (
        "5. Anybody who has the policy can check the release again, now or in a year.\n   "
        "It passes, and this is what recipients get:"
    ),
    "demo.report": (
        "6. The report, in English and 正體中文, is for those who decide and those who audit; open it in a "
        "browser.\n   "
        "The same by mouse, from the raw table to the release, is on a page that is served to your browser alone:"
    ),
    "demo.own": (
        "7. Now your own table, CSV, Excel or Parquet; nothing leaves this machine. Begin with one of the commands "
        "below.\n   "
        "It writes the policy beside your table and says how to go on."
    ),
    "demo.more": "... and {n} more lines",
    "demo.your-table": "your_table",
    # Translators: what a command does, beside a spinner
    "progress.reading": "reading {what}",
    "progress.checking": "checking {what}",
    "progress.evaluating": "evaluating {what}",
    "progress.attacking": "attacking {what}",
    "progress.recoding": "recoding {what}",
    "progress.explaining": "explaining {what}",
    "progress.measuring": "measuring {what}",
    "progress.writing": "writing {what}",
    "progress.records": "each record of {what}",
    "progress.reasons": "the reasons of each record{what}",
    "progress.searching": "searching",
    "progress.none-yet": "{tried} tried, nothing keeps the rules yet",
    "progress.best": "{tried} tried, best loss {best}, none below {bound} (Ctrl-C stops)",
    "progress.subsets": "subsets",
    "progress.left": "left",
}

# Names of details of measures and of facts of a table, as JSON has them, and words among their values; in English they
# are shown with blanks for underscores.
DETAILS = (
    "records",
    "quasi_identifiers",
    "sensitive_attributes",
    "identifiers_in_the_release",
    "columns_without_a_role",
    "read_as",
    "counted_with",
    "people",
    "population",
    "treatment",
    "records_in_classes",
    "classes",
    "smallest_class",
    "largest_class",
    "suppressed_records",
    "incomplete_records",
    "petworks",
    "cell_size",
    "missing",
    "suppressed",
    "several_sensitive",
    "sensitive_values",
    "records_with_a_value",
    "columns_with_a_reason",
    "folded",
    "privacy_unit",
    "value",
    "apart",
    "class",
    "alone",
    "quasi-identifiers",
    "additive_leakage",
    "multiplicative_leakage",
    "alpha",
    "beta",
    "delta",
    "theta",
    "at_risk",
    "attributes",
    "average",
    "benefit",
    "break_even_gain_per_cost",
    "cells",
    "class_size_not_worth_attacking",
    "class_sizes",
    "columns",
    "exact",
    "excess",
    "expected",
    "expected_finds",
    "estimated_population",
    "households",
    "riskiest_class",
    "expected_loss",
    "highest",
    "lowest",
    "highest_expected_gain",
    "highest_risk",
    "information_loss_used",
    "largest_gain",
    "levels",
    "linked_with",
    "max",
    "min",
    "model_used",
    "normalised",
    "original_classes",
    "original_records",
    "original_records_absent_from_the_release",
    "pairs",
    "payout_by_gain_per_cost",
    "posterior",
    "prior",
    "raw",
    "records_at_risk",
    "records_attacked",
    "records_by_payout",
    "records_left_out",
    "records_not_outweighed",
    "records_paying_less_than_nothing",
    "records_worth_attacking",
    "sampling_fraction",
    "unique_records",
    "ambiguous_cells",
    "cells_not_from_their_original",
    "change",
    "classes_beyond_the_bound",
    "classes_with_too_few_values",
    "distance",
    "granularity",
    "height",
    "jensen_shannon_distance",
    "non_uniform_entropy",
    "original",
    "released",
    "payout",
    "precision",
    "records_beyond_the_bound",
    "share",
    "total_variation",
    "within_the_bound",
    "worst_class_size",
    "gain",
    "worth",
    "cell size",
    "probability",
    "compared_as",
    "holds",
    "limit",
    "limits",
    "measured",
    "population_of_the_released_classes",
    "share_counted_in_the_population",
    "smallest_class_wanted",
    "classes_below_k",
    "records_below_k",
    "classes_below_l",
    "records_below_l",
    "classes_beyond_alpha",
    "records_beyond_alpha",
    "classes_beyond_beta",
    "records_beyond_beta",
    "classes_beyond_c",
    "records_beyond_c",
    "classes_beyond_delta",
    "records_beyond_delta",
    "classes_beyond_t",
    "records_beyond_t",
    "numeric",
    "hierarchical",
    "equal",
    "the release itself",
    "the population",
    "number",
    "text",
    "true|false",
    "function",
    "worth of values",
    "distances",
    "k_marginal_score",
    "largest",
    "largest_of",
    "mean",
    "of",
    "sets",
    "yes",
    "no",
    "control",
    "control_exact",
    "control_prior",
    "control_needed",
    "control_records",
    "excess_exact",
    "interval",
    "over_prior",
    "released_records",
    "unjudged",
    "no control people",
    "few control people",
    "control people are in the original",
    "kind",
    "compared_at",
    "without_counterpart",
)

# Messages of operating systems that errors quote, as far as they are translated.
SYSTEM_MESSAGES = (
    "the system rejected it",
    "Permission denied",
    "No such file or directory",
    "File exists",
    "No space left on device",
    "File name too long",
    "Is a directory",
    "Not a directory",
    "Too many levels of symbolic links",
    "Read-only file system",
    "Too many open files",
    "Input/output error",
    "File too large",
    "Invalid argument",
    "Operation not permitted",
    "Device or resource busy",
    "Disk quota exceeded",
    "No such device or address",
    "Broken pipe",
    "Directory not empty",
    "Cannot allocate memory",
    "Stale file handle",
    "Connection refused",
    "Connection timed out",
    "Resource temporarily unavailable",
    "Text file busy",
    "Invalid cross-device link",
)
