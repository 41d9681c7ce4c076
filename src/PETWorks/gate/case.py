"""A case: a policy with its table, the findings about it, its verdict and its document, each computed once."""

import os
import re
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, RLock
from typing import Any, TypeVar

from PETWorks import __version__
from PETWorks.about.kinds import GENERALISED
from PETWorks.anonymizer.plan import Plan
from PETWorks.anonymizer.reasons import reasons_of_release
from PETWorks.anonymizer.rules import MeasureRule
from PETWorks.counting.codes import Column
from PETWorks.counting.release import Release
from PETWorks.errors import ParameterError, quoted
from PETWorks.gate.anonymising import locating_errors, locating_models
from PETWorks.gate.check.advice import next_steps
from PETWorks.gate.check.built_in_rules import (
    check_is_generalised,
    check_one_record_each,
    check_people_are_declared,
)
from PETWorks.gate.check.composed_releases import compose_releases
from PETWorks.gate.check.facts import (
    add_measures,
    adversary_facts,
    column_facts,
    payout_curve_of,
    sign_off,
    small_classes,
)
from PETWorks.gate.check.findings import examined_columns
from PETWorks.gate.check.inputs import Inputs, policy_facts, shown_table
from PETWorks.gate.check.may_go_out import changed_since_made, registered_of_same_original
from PETWorks.gate.check.notices import (
    LONG_WAIVER,
    is_unexplained,
    notices,
    rejected_for_values,
    worst_case_questions,
)
from PETWorks.gate.check.verdict import (
    count_verdicts,
    judge_rules,
    measure_all,
    options_of_check,
    other_releases,
    subset_answers,
    table_facts,
    title_of_check,
)
from PETWorks.gate.document import (
    FORMAT,
    INTERNAL,
    WAIVED,
    CheckDocument,
    ColumnFacts,
    MeasureResult,
    Notice,
    RuleResult,
    combine_verdicts,
)
from PETWorks.gate.example_rows import ExampleRows, example_rows
from PETWorks.gate.plans import note_placed_cells, plan_of_release
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.policy.policy_rules import NOT_ALONE, UP_TO_DATE
from PETWorks.gate.release_files import other_releases_of
from PETWorks.measures.attacks.subsets import SubsetAnswers, Subsets, every_subset
from PETWorks.measures.catalogue import all_measures
from PETWorks.measures.disclosure.subsets import LookupAnswers, LookupSubsets, look_up_subsets
from PETWorks.measures.evaluation import answer_questions_of_measures
from PETWorks.measures.utility.models import ModelResult, compare_models_of
from PETWorks.releases.composition import Composition
from PETWorks.tables.files import FilesRead
from PETWorks.tables.source import Source

Made = TypeVar("Made")


class Case:
    """A policy and the table that it judges. Everything is computed when it is first needed; threads may share a case.

    policy            the policy
    data              other data than the table of the policy
    as_of             the time to judge by; now by default
    salt              of the commitments in the external edition; random by default
    progress          called with the number of counted subsets and of all subsets
    people            the person of each record, if the table no longer has a column for it
    sampled           in the same way, the columns of sampling weight and household, or a table that has them too
    release           the table, if it is already open
    protected         the columns that were made coarser; by default those in the plan of the release
    made_here         whether the table has just been made of another one, in which people were looked for
    original          the table on which models are judged, if the policy does not name it
    engine, memory_limit, temp_folder   as in `Release`
    """

    def __init__(
        self,
        policy: Policy,
        data: Any = None,
        as_of: datetime | str | None = None,
        salt: str | None = None,
        progress: Callable[[int, int], None] | None = None,
        people: Column | None = None,
        release: Release | None = None,
        protected: Collection[str] | None = None,
        *,
        sampled: Mapping[str, Column] | Source | None = None,
        made_here: bool = False,
        original: Source | None = None,
        engine: str = "auto",
        memory_limit: int | str | None = None,
        temp_folder: str | os.PathLike[str] | None = None,
    ) -> None:
        self.policy = policy
        self.moment, self._as_of_given = _parse_moment(as_of), as_of is not None
        self._salt = _check_salt(salt)
        self._data = _other_data(data, policy)
        self._progress, self._people, self._protected = progress, people, protected
        self._sampled = sampled
        self._made_here, self._original = made_here, original
        self._engine_settings: dict[str, Any] = {
            "engine": engine,
            "memory_limit": memory_limit,
            "temp_folder": temp_folder,
        }
        self.files = FilesRead.current()
        self._made: dict[str, Any] = {} if release is None else {"release": release}
        self._locks: defaultdict[str, RLock] = defaultdict(RLock)
        self._lock = Lock()

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """Return what `make` computes for this name, computed once; other threads that ask for it wait."""
        with self._lock:
            lock = self._locks[name]
        with lock, self.files.shared():
            if name not in self._made:
                self._made[name] = make()
            made: Made = self._made[name]
            return made

    def is_made(self, name: str) -> bool:
        """Whether something was already computed."""
        return name in self._made

    @property
    def inputs(self) -> Inputs:
        """The files that are read, with their states before."""
        return self.once("inputs", lambda: Inputs(self.policy, self.policy.data if self._data is None else self._data))

    @property
    def release(self) -> Release:
        """The table, opened with its roles and hierarchies."""
        return self.once("release", self._open)

    def _open(self) -> Release:
        _ = self.inputs  # their states are noted before anything is read
        release = self.policy.release(self._data, self._people, self._sampled, **self._engine_settings)
        if self.policy.shown:
            note_placed_cells(release, self._plan_of(release))
        return release

    @property
    def plan(self) -> Plan | None:
        """The plan of the policy, if the table is the release made by it."""
        return self._plan_of(self.release)

    def renew_plan(self, path: Path) -> None:
        """Read the plan again: what the case found was added to its file."""
        self._made.pop("plan", None)
        self.inputs.renew(path)

    def _plan_of(self, release: Release) -> Plan | None:
        return self.once("plan", lambda: plan_of_release(self.policy, release.source))

    @property
    def columns(self) -> tuple[ColumnFacts, ...]:
        """The columns with the findings about them, without the results of measures."""
        return self.once(
            "columns",
            lambda: examined_columns(
                self.release, column_facts(self.release, (), self.policy.shown), self.policy.no_role
            ),
        )

    @property
    def composition(self) -> Composition | None:
        """The disclosure by this release together with earlier ones."""
        return self.once("composition", lambda: compose_releases(self.release, self.policy, self._engine_settings))

    @property
    def subsets(self) -> tuple[SubsetAnswers | LookupAnswers | None, list[str]]:
        """The attacks by every subset of the quasi-identifiers, and these columns by their contribution."""
        return self.once("subsets", lambda: subset_answers(self.counted_subsets, self.policy))

    @property
    def counted_subsets(self) -> Subsets | LookupSubsets | None:
        """Every subset of the quasi-identifiers that the policy asks for; None if it asks for none."""
        return self.once("counted subsets", self._count_subsets)

    def _count_subsets(self) -> Subsets | LookupSubsets | None:
        if self.policy.subset_sizes is None:
            return None
        release, sizes = self.release, self.policy.subset_sizes
        with self.policy.located("subsets"):
            if release.kind == GENERALISED:
                return every_subset(release, sizes, progress=self._progress)
            return look_up_subsets(release, sizes, levels=self.policy.levels_compared, progress=self._progress)

    @property
    def rules(self) -> tuple[RuleResult, ...]:
        """The results of the rules; raise if people with several records are not declared.

        Every interface asks here, so a table is judged the same whether it is checked or has just been made.
        """
        return self.once("rules", self._judge)

    def _people_were_looked_for(self) -> bool:
        """Whether people were looked for in the original: a release may have lost the ages that distinguish them."""
        return self._made_here or self.plan is not None

    def _judge(self) -> tuple[RuleResult, ...]:
        if self.policy.kind == GENERALISED:
            self._check_generalised()
        else:
            check_one_record_each(self.release, self.policy.no_privacy_unit)
        subsets = self.subsets[0] if self.policy.limits else None
        today, lineage = self.moment.date(), self._lineage()
        return judge_rules(
            self.release, self.policy, subsets, self.composition, self.columns, today, lineage, plan=self.plan
        )

    def _lineage(self) -> dict[str, tuple[str, ...]]:
        """What speaks against a release because of where it comes from, by rule: other settings, other releases."""
        if self._data is not None:
            return {}
        found: dict[str, tuple[str, ...]] = {}
        if not self._made_here and (changed := changed_since_made(self.policy)):
            found[UP_TO_DATE] = changed
        if undeclared := registered_of_same_original(self.policy):
            found[NOT_ALONE] = undeclared
        return found

    def _check_generalised(self) -> None:
        """Raise if people with several records are not declared, or the table was not generalised from its original."""
        if self.policy.stated_kind is None and not self._made_here:
            with self.policy.located("data"):
                check_is_generalised(self.release, {*self.policy.shown, *self.release.view.replaced_labels})
        if self.policy.privacy_unit is None and not self._people_were_looked_for():
            check_people_are_declared(self.release, self.policy.no_privacy_unit, also_identifiers=False)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The notices beside the verdict."""
        return self.once("notices", self._find_notices)

    def _find_notices(self) -> tuple[Notice, ...]:
        today = self.moment.date()
        found = notices(
            self.release, self.policy, self.columns, self.rules, self._protected, plan=self.plan, today=today
        )
        others = () if self._data is not None else other_releases_of(self.policy)
        beside = [Notice("other-releases", files=tuple(other.release.name for other in others))] if others else []
        return (*beside, *found)

    @property
    def notices_of_release(self) -> tuple[Notice, ...]:
        """The notices for those who make the release: without those about waivers."""
        return tuple(notice for notice in self.notices if notice.notice != LONG_WAIVER)

    @property
    def models(self) -> tuple[ModelResult, ...]:
        """The models of the policy, fitted on the original and on the release; empty without an original."""
        return self.once("models", self._compare_models)

    def _compare_models(self) -> tuple[ModelResult, ...]:
        original = self._original or self.release.original_source
        if original is None or self.release.engine.name == "spark":
            return ()
        with locating_models(self.policy):
            release = self.release
            return compare_models_of(
                self.policy.models, original, release.source, release.hierarchies, release.declared
            )

    @property
    def example_rows(self) -> ExampleRows | None:
        """A few records before and after; for insiders who look at the page or the internal report."""
        return self.once(
            "example rows",
            lambda: example_rows(
                self.release,
                self._original or self.release.original_source,
                self.policy.privacy_unit,
                self.policy.shown,
            ),
        )

    @property
    def columns_to_look_at(self) -> tuple[str, ...]:
        """The columns with findings that the policy does not explain."""
        rejected = rejected_for_values(self.rules)
        return tuple(
            column.column
            for column in self.columns
            if column.column not in rejected and is_unexplained(column, self.policy)
        )

    @property
    def document(self) -> CheckDocument:
        """The check: the verdict with everything that a report needs."""
        return self.once("document", self._check)

    def _check(self) -> CheckDocument:
        policy, release, today = self.policy, self.release, self.moment.date()
        composition, (subsets, drivers) = self.composition, self.subsets
        # Counted together, so that rules and overview share their counts.
        ruled = [(rule.measure, rule.parameters) for rule in policy.rules if rule.measure is not None]
        measures = [*ruled, *((entry, entry.check({})) for entry in all_measures())]
        has_classes = release.kind == GENERALISED
        answer_questions_of_measures(release.view, measures, worst_case_questions(release.view) if has_classes else ())
        overview = measure_all(release, policy)
        columns = add_measures(self.columns, overview.results)
        rules, found = self.rules, self.notices
        signed = sign_off(release, policy, today)
        files = self.inputs.facts()
        others = other_releases(release, policy, composition, self._data, files)
        return CheckDocument(
            schema=FORMAT,
            petworks=__version__,
            generated=self.moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            as_of_given=self._as_of_given,
            edition=INTERNAL,
            title=policy.title if self._data is None else title_of_check(policy, shown_table(self._data)),
            verdict=combine_verdicts([rule.verdict for rule in rules]),
            rule_verdicts=count_verdicts(rules),
            policy=policy_facts(policy),
            inputs=files,
            table=table_facts(release, overview, policy),
            columns=columns,
            rules=rules,
            small_classes=small_classes(release, policy.cell_size) if has_classes else (),
            adversaries=adversary_facts(release, policy.adversaries) if has_classes else (),
            subsets=subsets if isinstance(subsets, SubsetAnswers) else None,
            lookups=subsets if isinstance(subsets, LookupAnswers) else None,
            payout_curve=payout_curve_of(release, overview.results),
            results=tuple(MeasureResult.from_dict(result.to_dict()) for result in overview.results),
            # Without hints, because their words depend on the interface.
            not_applicable={name: error.message for name, error in overview.reasons.items()},
            next_steps=next_steps(release, policy, rules, columns, signed, today, drivers, others),
            notices=found,
            sign_off=signed,
            models=self.models,
            releases=others,
            options=dict(options_of_check(policy, self._data, release)),
            salt=self._salt,
        )

    def reasons(self, below: int | None) -> Any:
        """The records in classes that break unwaived rules of the policy, as an Arrow table.

        The loss by generalisation is measured by the objective of the policy.
        """
        policy = self.policy
        waived = {result.name for result in self.rules if result.verdict == WAIVED}
        rules = [
            MeasureRule(rule.measure, rule.parameters, rule.name)
            for rule in policy.rules
            if rule.measure is not None and rule.measure.tests is not None and rule.name not in waived
        ]
        settings = {
            name: policy.anonymize[name] for name in ("objective", "aggregate", "weights") if name in policy.anonymize
        }
        with locating_errors(policy, {}):
            return reasons_of_release(self.release, rules, below, **settings)


def _other_data(data: Any, policy: Policy) -> Any:
    """Data that is not the table of the policy; None if it is."""
    address = isinstance(data, str) and "://" in data
    other = Path(data) if isinstance(data, str | os.PathLike) and not address else data
    both_files = isinstance(other, Path) and isinstance(policy.data, Path) and other.is_file() and policy.data.is_file()
    return None if both_files and other.samefile(policy.data) else other


def _parse_moment(as_of: datetime | str | None) -> datetime:
    """A time in UTC; times without a zone are taken as UTC."""
    try:
        moment = datetime.fromisoformat(as_of.strip()) if isinstance(as_of, str) else as_of or datetime.now(UTC)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError, AttributeError):
        raise ParameterError(
            "as_of is like 2026-11-16 or 2026-11-16T08:00:00Z, got {given}", given=quoted([str(as_of)])
        ) from None


def _check_salt(salt: str | None) -> str:
    """The salt of the commitments: as given, or random."""
    if salt is not None and not re.fullmatch("[0-9a-f]{32}", salt):
        raise ParameterError("salt is 32 hexadecimal digits, got {given}", given=quoted([salt]))
    return salt or secrets.token_hex(16)
