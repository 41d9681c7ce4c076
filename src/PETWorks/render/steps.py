"""What to do next, in any language."""

from dataclasses import replace

from PETWorks.gate.bounds import Count
from PETWorks.gate.document import CheckDocument, RuleResult
from PETWorks.gate.rule_names import ALL_ROLES, APPROVER, NO_HIDDEN, NO_IDENTIFIERS, RECORDS_LEFT
from PETWorks.gate.steps_document import NextStep
from PETWorks.measures import numbers
from PETWorks.render.language import percent, said
from PETWorks.render.prose import file_argument, personal_details
from PETWorks.render.shell_words import command_line

# The steps that concern rules about roles, which they do not name.
STEPS_FOR_ROLES = {
    NO_IDENTIFIERS: ("remove-identifiers",),
    NO_HIDDEN: ("hidden-identifiers", "personal-details", "unmeasured-values", "rename-column"),
    ALL_ROLES: ("give-roles", "measure-or-explain", "secret-or-explain"),
    APPROVER: ("name-approver",),
    RECORDS_LEFT: ("nothing-left", "plan-anew"),
}
MOST_REMOVALS = 3  # quasi-identifiers for which a step describes the effect of removal
ALLOWING = ("root", "network")  # options of a check without which the policy cannot be read


def step_texts(document: CheckDocument, lang: str) -> list[str]:
    """The next steps, one text each."""
    return [_step(step, lang, document) for step in document.next_steps]


def steps_for(document: CheckDocument, rule: RuleResult, lang: str) -> list[str]:
    """What to do about a rule, in texts that name no other rule; always at least one."""
    found = [replace(step, rules=(rule.name,)) for step in document.next_steps if rule.name in (step.rules or ())]
    found += [step for step in document.next_steps if step.step in STEPS_FOR_ROLES.get(rule.measure, ())]
    return [_step(step, lang, document) for step in found] or [said(lang, "step.other")]


def _step(step: NextStep, lang: str, document: CheckDocument) -> str:
    if step.step == "merge-classes":
        return _merge_classes(step, lang)
    if step.step == "anonymize":
        return _anonymize(step, lang, document)
    values = {name: value for name, value in vars(step).items() if name != "step" and value is not None}
    if step.items is not None:
        values["items"] = [said(lang, f"item.{item}") for item in step.items]
    if step.details is not None:
        values["details"] = personal_details(step.details, lang)
    if step.share is not None:
        values["share"] = percent(step.share, lang)
    return said(lang, f"step.{step.step}", **values)


def _merge_classes(step: NextStep, lang: str) -> str:
    """The step to larger classes; the external edition names the columns that help, without numbers of records."""
    removals = (step.without or ())[:MOST_REMOVALS]
    if step.records is None:
        text = said(lang, "step.merge-some-classes", size=step.size, rules=step.rules)
        columns = [row.column for row in removals]
        return text + (said(lang, "step.begin", columns=columns) if columns else "")
    share = percent(step.share, lang)
    text = said(lang, "step.merge-classes", n=step.records, share=share, size=step.size, rules=step.rules)
    return text + "".join(
        said(lang, "step.without", column=[row.column], records=row.records)
        for row in removals
        if _fewer(row.records, step.records)
    )


def fixing_command(document: CheckDocument) -> str:
    """The command that makes a release that keeps the rules."""
    options = [part for name in ALLOWING if name in document.options for part in (f"--{name}", document.options[name])]
    given = [file_argument(document.policy.file), *(part for part in options if part is not None)]
    return command_line(["petworks", "anonymize", *given, "-o", "RELEASED.csv"])


def _anonymize(step: NextStep, lang: str, document: CheckDocument) -> str:
    """The command that fixes it, and what could be done by hand."""
    command = fixing_command(document)
    if step.records is None:
        return said(lang, "step.anonymize-table", command=command)
    text = said(lang, "step.anonymize", n=step.records, share=percent(step.share, lang), command=command)
    return text + "".join(
        said(lang, "step.raise", column=[one.column], level=one.level, n=one.records, loss=numbers.amount(one.loss))
        for one in step.raised or ()
    )


def _fewer(records: Count, than: Count) -> bool:
    """Whether a count is lower than another; a bound cannot be compared."""
    return isinstance(records, int) and isinstance(than, int) and records < than
