"""The sentences of a report, in either language."""

from collections.abc import Mapping
from typing import Any

from PETWorks.measures.catalogue import NEEDS
from PETWorks.render.language import measure_name, own, percent, said
from PETWorks.render.sections import UTILITY_KEYS, utility_keys

GLOSSARY = (
    ("equivalence class", "The records that agree in all quasi-identifiers: an adversary cannot tell them apart."),
    ("quasi-identifier", "A column that an adversary may know of a person from elsewhere, as age or postcode."),
    ("sensitive attribute", "A column of which nobody may learn a person's value, as a diagnosis."),
    ("direct identifier", "A column that names a person by itself, as a name or a number."),
    ("cell size", "The fewest people that a published group may have."),
    (
        "prosecutor, journalist, marketer",
        "Adversaries who look for one person they know to be there, for anybody, or for everybody.",
    ),
    ("excess", "What an attack gains beyond guessing, as a share of what guessing leaves."),
    (
        "Shapley share",
        "What a column adds to the chance of an attack, averaged over all orders in which columns may become known.",
    ),
    ("generalisation, suppression", "Coarser values instead of exact ones; values or records that are left out."),
    ("waiver", "A decision, with an owner and an end, to release although a rule does not hold."),
)


def verdict(document: Mapping[str, Any], lang: str) -> str:
    """The verdict in a sentence."""
    number = len(document["rules"])
    failing = document["rule_verdicts"]["fail"]
    waived = document["rule_verdicts"]["waived"]
    if failing:
        return said(lang, "{n} of {all} rules do not hold.", n=failing, all=number)
    if waived:
        return said(lang, "What does not hold is waived: {n} of {all} rules.", n=waived, all=number)
    return said(lang, "All rules hold ({n}).", n=number)


def table(document: Mapping[str, Any], lang: str) -> str:
    """What was looked at."""
    described = document["table"]
    text = said(
        lang,
        "Records: {records}; quasi-identifiers: {known}; sensitive attributes: {sensitive}.",
        records=described["records"],
        known=len(described["quasi_identifiers"]),
        sensitive=len(described["sensitive_attributes"]),
    )
    people = said(lang, "The records are of {n} people.", n=described["people"]) if "people" in described else ""
    unseen = [
        column for column in described["columns_without_a_role"] if column != described["treatment"]["privacy_unit"]
    ]
    skipped = said(lang, "Not looked at: {n} columns without a role.", n=len(unseen)) if unseen else ""
    return _together(lang, text, people, skipped)


def moment(document: Mapping[str, Any]) -> str:
    """The moment a check was made for, as people write it."""
    return str(document["generated"]).replace("T", " ").replace("Z", " UTC")


def presence(document: Mapping[str, Any], lang: str) -> str:
    """Why presence was not measured."""
    needs = document["not_applicable"].get("delta-presence", "needs the original table")
    if needs.startswith("needs "):
        return said(lang, "Not measured: it needs the original table, of which this is a part.")
    return said(lang, "Not measured: it does not apply to this release and its original.")


def summary(document: Mapping[str, Any], lang: str) -> str:
    """The verdict and what was looked at."""
    return _together(lang, verdict(document, lang), table(document, lang))


def _together(lang: str, *sentences: str) -> str:
    return (" " if lang == "en" else "").join(filter(None, sentences))


def bars(document: Mapping[str, Any], lang: str) -> str:
    """What the bars beside the columns' utility are."""
    keys = utility_keys(document)
    return said(lang, "The bars show: {what}.", what=said(lang, UTILITY_KEYS[keys[0]])) if keys else ""


def waiver(given: Mapping[str, Any], lang: str) -> str:
    """A waiver in a line."""
    states = {
        "active": "Waived until {expires}: {reason}",
        "expired": "The waiver expired on {expires}: {reason}",
        "not needed": "The waiver until {expires} is not needed: {reason}",
    }
    text = said(lang, states[given["state"]], expires=given["expires"], reason=own(given["reason"], lang))
    return text if given["owner"] is None else text + said(lang, " ({owner})", owner=own(given["owner"], lang))


def assumptions(document: Mapping[str, Any], lang: str) -> list[str]:
    """What the numbers rest on, one sentence each."""
    policy, described = document["policy"], document["table"]
    kinds = {
        None: "The policy does not say who will get the table.",
        "public": "The release is public: anybody may try to find somebody in it.",
        "controlled": "The release is controlled: recipients are known and bound by terms.",
        "internal": "The release is internal: it stays within the organisation.",
    }
    found = [said(lang, kinds[policy["release"]])]
    if policy["recipients"]:
        found.append(said(lang, "Recipients: {who}.", who=own(policy["recipients"], lang)))
    found.append(said(lang, "An adversary may know all of: {columns}.", columns=described["quasi_identifiers"]))
    found += [
        said(lang, "Assumed adversary: {who}, who knows {columns}.", who=own(one["who"], lang), columns=one["knows"])
        for one in document["adversaries"]
    ]
    treatment = described["treatment"]
    ways = {
        ("missing", "value"): "A missing quasi-identifier is a value of its own.",
        ("missing", "apart"): "Records that miss a quasi-identifier stand aside from class-based checks.",
        ("suppressed", "apart"): "Suppressed records stand aside from class-based checks; attacks see them.",
        ("suppressed", "class"): "Suppressed records are one more class.",
        ("several_sensitive", "alone"): "Each sensitive attribute is judged alone.",
        (
            "several_sensitive",
            "quasi-identifiers",
        ): "The other sensitive attributes count among what the adversary knows.",
    }
    found += [said(lang, text) for (name, value), text in ways.items() if treatment[name] == value]
    if treatment["privacy_unit"]:
        unit = [treatment["privacy_unit"]]
        found.append(said(lang, "Several records of one person count once in each class, by {column}.", column=unit))
    found.append(
        said(lang, "Without a population, whoever is looked for is assumed to be in the table.")
        if described["population"] is None
        else said(lang, "The population has {n} people.", n=described["population"])
    )
    payout = next((one["parameters"] for one in document["results"] if one["measure"] == "publisher-payout"), None)
    if payout is not None:
        amounts = ("adversary_cost", "adversary_gain", "publisher_loss", "publisher_benefit")
        text = (
            "Amounts, of the measure unless a rule gives others: an attack costs {adversary_cost} and gains "
            "{adversary_gain}; the publisher loses {publisher_loss} and has {publisher_benefit} of each record."
        )
        found.append(said(lang, text, **{name: payout[name] for name in amounts}))
    return found + [own(text, lang) for text in policy["assumptions"]]


def residual(document: Mapping[str, Any], lang: str) -> str:
    """What risk is left, in a sentence or two."""
    results = {result["measure"]: result for result in document["results"]}
    sentences = []
    if "re-identification" in results:
        text = "Who knows all quasi-identifiers of a random person picks the right record with a chance of {chance}."
        sentences.append(said(lang, text, chance=percent(results["re-identification"]["value"], lang)))
    if "attribute-inference" in results:
        attributes = results["attribute-inference"]["details"].get("attributes", {})
        if attributes:
            column = max(attributes, key=lambda name: attributes[name]["posterior"])
            chances = {name: percent(attributes[column][name], lang) for name in ("posterior", "prior")}
            text = "The value of {column} is guessed with a chance of {posterior}, without the table with {prior}."
            sentences.append(said(lang, text, column=[column], **chances))
        else:
            text = "The sensitive value is guessed with a chance of {chance}."
            sentences.append(said(lang, text, chance=percent(results["attribute-inference"]["value"], lang)))
    return _together(lang, *sentences) or said(lang, "No risk was measured.")


def steps(document: Mapping[str, Any], lang: str) -> list[str]:
    """What to do next."""
    return [_step(step, lang) for step in document["next_steps"]]


def _step(step: Mapping[str, Any], lang: str) -> str:
    if step["step"] == "merge-classes":
        if "records" in step:
            text = said(
                lang,
                "{records} records ({share}) are in classes smaller than {size} ({rules}): generalise further, or "
                "suppress them.",
                **_only(step, "records", "size", "rules"),
                share=percent(step["share"], lang),
            )
            text += "".join(
                said(lang, " Without {column} it would be {records}.", column=[row["column"]], records=row["records"])
                for row in step["without"][:3]
                if row["records"] < step["records"]
            )
            return text
        text = said(
            lang,
            "Some records are in classes smaller than {size} ({rules}): generalise further, or suppress them.",
            **_only(step, "size", "rules"),
        )
        columns = [row["column"] for row in step["without"][:3]]
        return text + (said(lang, " Begin with {columns}.", columns=columns) if columns else "")
    texts = {
        "remove-identifiers": "Remove the direct identifiers from the release: {columns}.",
        "unlink": "{columns} links the records of a person: remove it before the release, or put a random number "
        "there.",
        "cannot-hold": "{rules} cannot hold: {columns} has fewer different values in the whole table than every class "
        "should have.",
        "more-values": "Classes have too few different sensitive values ({rules}): merge classes by generalising "
        "{columns}.",
        "diversify": "Classes tell too much of a sensitive attribute ({rules}): merge classes by generalising "
        "{columns}, or coarsen the sensitive values.",
        "hide-presence": "Presence can be told ({rules}): generalise {columns}, or release a sample.",
        "blur": "Too many records can be told apart ({rules}): generalise or remove {columns}.",
        "refine": "Too much was lost ({rules}): use finer levels where the risk allows it.",
        "waiver-expired": "Waivers that have expired: {rules}. Mend the release, or decide again.",
        "waiver-ends": "Waivers that end within a month: {rules}.",
        "waiver-not-needed": "Waivers that are no longer needed: {rules}. Remove them from the policy.",
        "tells-outside": "Readers of the external edition see from the verdict of {rules} that classes are below or "
        "above it: the threshold is smaller than the cell size.",
        "give-roles": "Columns without a role were not looked at: {columns}.",
        "many-suppressed": "{share} of the records are suppressed: the rest may no longer stand for the whole.",
        "try-subsets": "Nobody knows what an adversary knows: ask for every subset of "
        "the quasi-identifiers ('subsets' in the policy).",
    }
    values = {name: value for name, value in step.items() if name != "step"}
    if "share" in values:
        values["share"] = percent(values["share"], lang)
    return said(lang, texts[step["step"]], **values) if values else said(lang, texts[step["step"]])


def _only(step: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: step[name] for name in names}


def method(document: Mapping[str, Any], lang: str) -> list[str]:
    """How the numbers were made."""
    found = [
        said(lang, "Counts are whole numbers, and thresholds are compared exactly; a value on the limit keeps it."),
        said(lang, "Nothing here is random: there is no seed, and the same files give the same numbers."),
        said(
            lang,
            "PETWorks {version}; format {schema}; judged as of {moment}, a moment that was given."
            if document["as_of_given"]
            else "PETWorks {version}; format {schema}; judged as of {moment}.",
            version=document["petworks"],
            schema=document["schema"],
            moment=moment(document),
        ),
        said(
            lang,
            "To repeat it: petworks check {policy} --as-of {moment} --edition {edition} --json FILE; the content "
            "digest must be the same.",
            policy=document["policy"]["file"],
            edition=document["edition"],
            moment=document["generated"],
        ),
    ]
    if document["edition"] == "external":
        found.append(
            said(
                lang,
                "External edition: no value of the table, no class, and no count of people below {n} is shown; "
                "numbers are rounded.",
                n=document["policy"]["cell_size"],
            )
        )
    return found


def not_measured(document: Mapping[str, Any], lang: str) -> list[str]:
    """The measures that do not apply, with the reason."""
    return [
        said(lang, "{measure}: {reason}", measure=measure_name(measure, lang), reason=_reason(reason, lang))
        for measure, reason in document["not_applicable"].items()
    ]


def _reason(text: str, lang: str) -> str:
    needs = [need for need in NEEDS if need in text] if text.startswith("needs ") else []
    if needs:
        return said(lang, "needs {what}", what=[said(lang, need) for need in needs])
    return said(lang, "does not apply to this release; the JSON file of the internal edition tells why")
