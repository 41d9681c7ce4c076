"""Texts by id: every id in code and templates has one, and every text is used; how numbers stand in sentences."""

import ast
import re
from typing import get_args, get_type_hints

from conftest import ROOT
from messages import fields
from PETWorks.about.column_names import IDENTIFYING, QUASI_IDENTIFYING, SENSITIVE
from PETWorks.about.hierarchies.declaration import KINDS, KINDS_WITH_LEVEL_NAMES
from PETWorks.about.kinds import GENERALISED
from PETWorks.about.kinds import KINDS as KINDS_OF_RELEASE
from PETWorks.about.personal_details import KINDS as DETAILS
from PETWorks.about.roles import ROLES
from PETWorks.about.treatment import SUPPRESSED_RECORDS
from PETWorks.anonymizer.anonymization_facts import WhyGlobal
from PETWorks.anonymizer.objectives import AGGREGATES
from PETWorks.gate.check.advice import STEP_BY_FINDING, STEP_BY_OBSTACLE
from PETWorks.gate.check.facts import ITEM_TESTS
from PETWorks.gate.check.may_go_out import Obstacle
from PETWorks.gate.diff import Change
from PETWorks.gate.document import FindingKind, Notice, Use
from PETWorks.gate.policy.policy_rules import ALL_RELEASES, BUILT_IN_RULES, SUBSETS, presets
from PETWorks.gate.suggest.starter import PRESET_BY_KIND
from PETWorks.gate.suggest.suggestion import LOOKS, MIXED, REASONS
from PETWorks.json_types import Bound
from PETWorks.measures.catalogue import NEEDS, catalogue
from PETWorks.render.charts.plots import STATE_MEASURES as COMPARED
from PETWorks.render.language.language import message_text, percent, source_date
from PETWorks.render.language.texts import TEXTS, Plural
from PETWorks.render.report.front_page import KINDS as KINDS_OF_COLUMNS
from PETWorks.render.report.making import STATE_FACTS
from PETWorks.render.report.prose import CAVEATS, LIKELY_VALUE, TERMS
from PETWorks.render.report.sections import SECTIONS
from PETWorks.studio.pages.compare import FACT_LABELS
from PETWorks.studio.pages.decide import KINDS as RELEASE_KINDS
from PETWorks.studio.pages.hierarchies import PROPOSED, SAVED, TRIED
from PETWorks.studio.pages.hierarchy_forms import CHOICES
from PETWorks.studio.pages.hierarchy_forms import KINDS as FORMS
from PETWorks.studio.pages.job import PHASES
from PETWorks.studio.pages.make_safe import BOUNDS, METHODS, ORDERS
from PETWorks.studio.pages.open import SEPARATORS
from PETWorks.studio.pages.page import STEPS as PAGES
from PETWorks.tables.further_content import KINDS as FURTHER

RENDER = ROOT / "src/PETWorks/render"
STUDIO = ROOT / "src/PETWorks/studio"
CLI = ROOT / "src/PETWorks/cli"
GROUPS = {name.partition(".")[0] for name in TEXTS}


def named_ids():
    """Ids that stand in the code and the templates, or begin there and are completed by a value."""
    code = (path for folder in (RENDER, ROOT / "src/PETWorks/api", STUDIO, CLI) for path in folder.rglob("*.py"))
    for path in (path for path in code if path.name != "texts.py"):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value.removeprefix(">")
    for path in (*(RENDER / "templates").glob("*.html"), *(STUDIO / "templates").glob("*.html")):
        text = path.read_text("utf-8")
        yield from re.findall(r'">?([^"\n]*)"', text) + re.findall(r"'([^'\n]*)'", text)


def is_id(text):
    group, dot, rest = text.partition(".")
    return group in GROUPS and bool(dot) and re.fullmatch(r"[a-z_ .-]+", rest) is not None


def completed_ids():
    """Ids that are made of a beginning and a word of the document or the catalogue."""
    yield from (f"section.{section}" for section in SECTIONS)
    yield from (f"front.{block}" for block in ("contents", "losses", "both", "remaining"))
    yield from (f"front.means.{verdict}" for verdict in ("pass", "waived", "fail"))
    yield from (f"front.kind.{kind}" for kind in KINDS_OF_COLUMNS)
    yield from (
        text for text in TEXTS if text.partition(".")[0] == "plain" and text.split(".")[1] in (*catalogue, SUBSETS)
    )
    for group in ("advice", "studio.advice"):
        kinds = (f"{group}.{kind}" for kind in get_args(get_type_hints(Notice)["notice"]))
        yield from (kind for kind in kinds if kind in TEXTS)
    yield from (f"example.shown.{way}" for way in ("mean", "median"))
    yield from (f"studio.columns.{found}" for found in ("spellings", "unread-dates"))
    yield from (f"front.to.{kind}" for kind in ("public", "controlled", "internal"))
    yield "front.means.waived-outside"
    yield from (f"column.state.{state}" for state in ("kept", "coarser", "starred", "little", "lost"))
    yield from (text for text in TEXTS if text.partition(".")[0] == "wanted")
    yield from (f"kind.{kind}" for kind in KINDS_OF_RELEASE if kind != GENERALISED)
    yield from (f"residual.{excess}-limit" for excess in ("excess", "no-excess"))
    yield from (f"context.{name}" for name in ("sample", "population", "no-population"))
    yield from ("scenario.weighted", "scenario.without-register")
    yield "finding.perhaps known, judged as secret"
    yield from (f"studio.bar.{kind}" for kind in ("original", "release"))
    yield from (f"studio.verdict.{caveat}" for caveat in CAVEATS.values())
    yield from (f"studio.columns.reason.{asked}" for asked in ("role", "none", "known"))
    yield from (f"studio.columns.role.{role}" for role in (*ROLES, "none"))
    yield from (f"studio.step.{step}" for step in PAGES)
    yield from (f"studio.compare.change.{change}" for change in ("same", *get_args(Change)))
    yield from FACT_LABELS.values()
    yield from (f"studio.job.title.{state}" for state in ("running", "done", "cancelled", "failed"))
    yield from (f"studio.job.ended.{state}" for state in ("cancelled", "failed"))
    yield from (f"studio.job.doing.{word}" for word in ("starting", *PHASES))
    yield from (f"studio.safe.method.{method}{end}" for method in METHODS for end in ("", ".about"))
    yield from (f"studio.safe.{end}" for end in ("low", "high"))
    yield from (f"studio.safe.order.{order}" for order in ORDERS)
    yield from (f"studio.safe.show.{what}" for what in ("usual", "interval", "columns"))
    yield from (f"studio.safe.suppressed-records.{what}" for what in SUPPRESSED_RECORDS)
    yield from levels_ids()
    yield from (f"studio.safe.kept.{choice}" for choice in ("cheap", "keep", "may_lose"))
    yield from (f"anonymize.shown.{way}" for way in ("mean", "median"))
    yield from (f"{group}.{method}" for group in ("choice", "frontier", "models") for method in METHODS)
    yield from (f"choice.why.{why.replace(' ', '-')}" for why in get_args(WhyGlobal))
    yield from ("models.next-best", "frontier.own-both", "frontier.own-limit-both")
    yield from (f"init.known.{how_well}" for how_well in ("usually", "often", "unclear"))
    yield from (f"head.{head}" for head in ("outsiders-know", "as-many-values"))
    yield from (f"anonymize.{how}-no-better" for how in ("local", "local-stopped"))
    yield from (f"studio.decide.kind.{kind}" for kind in RELEASE_KINDS if kind)
    yield from (f"term.{term}{end}" for terms in TERMS.values() for term in terms for end in ("", ".meaning"))
    yield from (f"need.{need}" for need in NEEDS)
    yield from (f"notice.{kind}" for kind in get_args(get_type_hints(Notice)["notice"]) if kind != LIKELY_VALUE)
    yield from (f"obstacle.{obstacle}" for obstacle in get_args(Obstacle))
    yield from (f"verdict.{verdict}" for verdict in ("pass", "waived", "fail", "withheld"))
    yield from (f"waiver.{state}" for state in ("active", "expired", "not needed"))
    yield from (f"context.kind.{kind}" for kind in KINDS_OF_RELEASE if kind != GENERALISED)
    yield from (f"studio.open.kind.{kind}" for kind in KINDS_OF_RELEASE)
    yield from (f"release.{kind}" for kind in ("unknown", "public", "controlled", "internal"))
    yield from (f"summary.{verdict}" for verdict in ("pass", "waived", "fail"))
    yield from (f"withheld.{why}" for why in ("small class", "few records", "tells counts"))
    yield from (f"file.{use}" for use in get_args(Use))
    yield from (f"attack.{attack}" for attack in ("re-identification", "attribute-inference", "gain", "chance"))
    yield from command_ids()
    yield from (f"cli.in-order.{why}" for why in ("asked", "database", "engine", "rule", "large"))
    yield from (f"distance.{kind}" for kind in ("numeric", "hierarchical", "equal"))
    yield from (f"attributes.{key}" for key in ("prior", "posterior", "distance"))
    yield from (f"head.{head}" for head in ("rule", "measure", "found", "wanted", "verdict"))
    yield from (f"head.{kind}" for kind in ("highest", "median", "lowest", "chance", "certain", "disclosed"))
    yield from (f"head.{head}" for head in ("level", "one-finer", "levels", "loss", "suppressed", "before", "after"))
    yield from (f"state.{fact}" for fact in STATE_FACTS)
    yield from (f"plot.{fact}" for fact in COMPARED)
    yield from (f"aggregate.{name}" for name in AGGREGATES)
    yield from (f"level.{kind}" for kind in KINDS_WITH_LEVEL_NAMES if f"level.{kind}" in TEXTS)
    yield from (f"sees.{entry.sees}" for entry in catalogue.values() if entry.sees is not None)
    yield from (f"stated.{way}" for way in ("cell size", "probability", "probability and cell size"))
    yield from (
        f"rule.{rule}"
        for rule in ("every-subset", "every-subset-limit", ALL_RELEASES, f"{ALL_RELEASES}-limit", *BUILT_IN_RULES)
    )
    yield from (f"finding.{kind}" for kind in get_args(FindingKind))
    yield from (f"init.{kind}" for kind in ("unit", "together", "part-of-values"))
    yield from (f"item.{item}" for item in ITEM_TESTS)
    yield from (f"subject.{subject}" for subject in (*IDENTIFYING, *QUASI_IDENTIFYING, *SENSITIVE, "a date"))
    yield from (f"look.{look}" for look in (*LOOKS, *DETAILS, *FURTHER, MIXED))
    yield from (f"reason.{kind}" for kind in REASONS)
    yield from (f"studio.columns.scheme.{kind}" for kind in KINDS)
    yield from (f"studio.columns.help.{role}" for role in (*ROLES, "none"))
    yield from (f"studio.columns.{column}" for column in ("sampling_weight", "household"))
    yield from (f"studio.open.release.{kind}" for kind in PRESET_BY_KIND)
    yield from (f"studio.open.separator.{word}" for word in SEPARATORS.values())
    roles = ("identifier", "quasi_identifier", "sensitive_attribute", "insensitive_attribute")
    yield from (f"role.{role}" for role in ("none", "privacy_unit", *roles))
    steps = {entry.remedy for entry in catalogue.values()} | set(other_steps())
    yield from (f"step.{step}" for step in steps)
    for entry in catalogue.values():
        if entry.by_column is not None and entry.by_column.name != "missing":
            yield f"column.{entry.by_column.name}"
        if entry.scenario is not None:
            yield f"scenario.{entry.name}"


def command_ids():
    """Those of what the command prints."""
    heads = ("attack", "prior", "posterior", "times-better", "difference")
    yield from (f"attack.head.{head}" for head in heads)
    yield from (f"attack.{unit}" for unit in ("excess", "share"))
    yield from (f"attack.{how}" for how in ("not-better", "hardly-better", "better"))
    yield from (f"head.{head}" for head in ("parameters", "reason", "group", "values", "records", "column", "role"))
    yield from (f"family.{entry.family}" for entry in catalogue.values())
    yield from (f"better.{entry.better}" for entry in catalogue.values())
    yield from (f"diff.{change}" for change in get_args(Change))
    yield from (f"diff.head.{head}" for head in ("rule", "measure", "table", "old", "new", "change"))
    titles = ("linked", "curve", "added", "unlinked", "invariance", "limits")
    columns = ("guessing", "focal-alone", "all-releases", "certain-focal", "certain-all")
    yield from (f"compose.{one}" for one in (*titles, *columns))
    yield from (f"progress.{word}" for word in doings())
    yield from (f"demo.{step}" for step in ("table", "roles", "raw", "anonymize", "released", "report", "own"))


def doings():
    """What a spinner may say, as the commands name it."""
    for path in CLI.glob("*.py"):
        yield from re.findall(r'\bprogress\("(\w+)"', path.read_text("utf-8"))
    yield from re.findall(r'\bstep\("(\w+)"', (ROOT / "src/PETWorks/gate/staged_release.py").read_text("utf-8"))


def levels_ids():
    """Those of the step Levels and its forms."""
    fields = {field for fields in FORMS.values() for field in fields}
    completed = {
        "kind": FORMS,
        "about": FORMS,
        "field": {*fields, "cuts", "dates", "icd10", "address", "uk_postcode"},
        "hint": fields,
        "unit": {*CHOICES["dates"], *CHOICES["icd10"], *CHOICES["address"], *CHOICES["uk_postcode"]},
        "calendar": CHOICES["calendar"],
        "day-first": [order or "none" for order in CHOICES["day_first"]],
        "status": ("file", "none"),
        "shown": (SAVED, PROPOSED, TRIED, "none"),
        "bound": BOUNDS,
    }
    yield from (f"studio.levels.{start}.{end}" for start, ends in completed.items() for end in ends)


def other_steps():
    """Steps of the gate that are not about a measure."""
    steps = "remove-identifiers unlink merge-classes cannot-hold waiver-expired waiver-ends waiver-not-needed"
    steps += " rule-for-values fitting-rules fitting-rules-unsaid explain-unique-values judge-all"
    steps += " nothing-left suppressed-class plan-anew count-people remove-key blur-together withdraw measure-together"
    return [
        *steps.split(),
        "withheld-outside",
        "earlier-edition",
        "give-roles",
        "make-again",
        "declare-releases",
        "anonymize",
        "many-suppressed",
        "try-subsets",
        *STEP_BY_FINDING.values(),
        *STEP_BY_OBSTACLE.values(),
        "synthesise-anew",
        "compare-columns",
        "compare-on-levels",
        "limit-excess",
        "leave-out-sample",
        "look-again",
        "personal-details",
        "round-values",
        "protect",
        "write-anew",
        "release-values",
        "export-table",
        "protect-declared",
        "leave-out",
        "review-overdue",
        "regime-lacks",
        "name-approver",
    ]


def test_every_id_in_code_and_templates_exists():
    named = {text for text in named_ids() if is_id(text)}
    known = set(TEXTS)
    beginnings = {*(text for text in named if text.endswith(".")), "studio.advice"}  # notice_texts adds the dot
    templates = {path.name for folder in (RENDER / "templates", STUDIO / "static") for path in folder.iterdir()}
    assert sorted(named - known - beginnings - templates) == []
    assert sorted(set(completed_ids()) - known) == []
    assert sorted(known - named - set(completed_ids()) - {"needs", "footer"}) == [], "texts that nobody uses"


def test_one_of_something():
    for name, text in TEXTS.items():
        if isinstance(text, Plural):
            assert fields(text.one) | {"n"} == fields(text.many), name
    without = message_text("en", "step.without", column=["age"], n=1)
    assert without == " If the column age were left out, 1 record would still be in such a group."
    assert message_text("en", "summary.waived", n=1, all=6) == "1 of 6 rules fails, but is waived."
    assert message_text("en", "summary.waived", n=2, all=6) == "2 of 6 rules fail, but are waived."
    assert message_text("zh-TW", "summary.waived", n=1, all=6) == "6 條規則中有 1 條未符合，但已獲豁免。"


def test_numbers_that_are_not_exact_in_a_sentence():
    chance = percent(Bound(about=0.057), "zh-TW")
    assert message_text("zh-TW", "residual.attributes", chance=chance) == "猜中敏感屬性值的機率約為 5.7%。"
    assert message_text("zh-TW", "residual.attributes", chance=percent(Bound(at_most=0.2), "zh-TW")).endswith(
        "機率至多為 20%。"
    )
    assert message_text("zh-TW", "residual.attributes", chance="5.7%") == "猜中敏感屬性值的機率為 5.7%。"


def test_a_source_without_a_date():
    assert [source_date(presets()["cprd-5"], code) for code in ("en", "zh-TW")] == ["date unknown", "日期不詳"]
    assert source_date(presets()["nics-0.09"], "zh-TW") == "2025"
