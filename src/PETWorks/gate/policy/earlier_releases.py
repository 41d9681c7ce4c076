"""The earlier releases that a policy names, and the limits on what they may disclose together with its own table."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from PETWorks.about.roles import roles_from_lists
from PETWorks.errors import quoted
from PETWorks.gate.document.check_document import Spoken
from PETWorks.gate.policy.accountability import checked_day
from PETWorks.gate.policy.mistakes import Mistakes
from PETWorks.gate.policy.sources import named_source
from PETWorks.tables.databases import shown_address
from PETWorks.tables.yaml_files import Key, YAMLFile

THIS = "this release"  # what messages call the table of the policy


@dataclass(frozen=True)
class EarlierTable:
    """A release about the same people that is already out.

    data         where its table is; None if only its digest is known
    original     the table that it was made from, if that has the key
    order        in which its records are, compared with the original; seed: of that order, if it is random
    plan         the file that lists which records of the original left it
    roles        None if the YAML file beside the table says
    """

    key_of_policy: Key
    name: Spoken | None
    data: Path | str | None
    original: Path | str | None
    order: str | None
    seed: int | None
    plan: Path | None
    roles: Mapping[str, str] | None
    reading: Mapping[str, str]
    key: str | None
    sha256: str | None
    date: str | None
    recipients: Spoken | None

    @property
    def label(self) -> str:
        """What messages call it: its name, its file, or the start of its digest."""
        if self.name is not None:
            return self.name if isinstance(self.name, str) else next(iter(self.name.values()))
        if self.data is None:
            return (self.sha256 or "")[:12]
        return shown_address(self.data) if isinstance(self.data, str) else self.data.name


@dataclass(frozen=True)
class ReleaseSet:
    """What a policy says about other releases; the oldest first."""

    key: str | None = None
    earlier: tuple[EarlierTable, ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)
    worth: Mapping[str, Mapping[str | None, Any]] = field(default_factory=dict)

    @property
    def measured(self) -> tuple[EarlierTable, ...]:
        """Those whose tables are there."""
        return tuple(one for one in self.earlier if one.data is not None)


class OtherPolicy(Protocol):
    """What is used of the policy of an earlier release."""

    @property
    def file(self) -> YAMLFile:
        """Its content."""

    @property
    def title(self) -> Spoken:
        """What it calls the release."""

    @property
    def data(self) -> Path | str:
        """Its table."""

    @property
    def original(self) -> Path | str | None:
        """The table that it was made from."""

    @property
    def order(self) -> str | None:
        """In which order its records are."""

    @property
    def seed(self) -> int | None:
        """The seed of that order."""

    @property
    def plan(self) -> Path | None:
        """How it was made."""

    @property
    def roles(self) -> Mapping[str, str] | None:
        """The roles of its columns."""

    @property
    def reading(self) -> Mapping[str, str]:
        """How to read CSV files."""

    @property
    def recipients(self) -> Spoken | None:
        """Who has it."""


Read = Callable[[Path], OtherPolicy]


def releases_of(mistakes: Mistakes, folder: Path, root: Path, read: Read, *, network: bool) -> ReleaseSet:
    """What the file says about other releases; `read` reads the policy of one of them."""
    given: Mapping[str, Any] = mistakes.file.content.get("releases", {})
    key = given.get("key", "").strip() or None
    reader = _Reader(mistakes, folder, root, read, network)
    earlier = tuple(reader.tables(given.get("earlier", ()), key))
    found = ReleaseSet(key, earlier, given.get("limits", {}), given.get("worth", {}))
    labels = Counter([THIS, *(one.label for one in earlier)])
    for one in earlier:
        if labels[one.label] > 1:
            mistakes.add(
                (*one.key_of_policy, "name"),
                "two releases are called {release}; give one of them another 'name'",
                release=quoted([one.label]),
            )
            labels[one.label] = 0
    if found.measured and key is None:
        mistakes.add(("releases",), "the key 'key' is missing: the column that names the person")
    for setting in ("limits", "worth"):
        if given.get(setting) and not found.measured and not mistakes:
            mistakes.add(("releases", setting), "there is no earlier release to measure; give the 'data' of one")
    return found


@dataclass(frozen=True)
class _Reader:
    mistakes: Mistakes
    folder: Path
    root: Path
    read: Read
    network: bool

    def tables(self, given: Sequence[Mapping[str, Any]], key: str | None) -> Iterator[EarlierTable]:
        """The earlier releases without mistakes."""
        for place, one in enumerate(given):
            at = ("releases", "earlier", place)
            with self.mistakes.at(*at):
                yield self._table(one, at, key)

    def _table(self, given: Mapping[str, Any], at: Key, key: str | None) -> EarlierTable:
        own = None
        if "policy" in given:
            path = named_source(self.mistakes, (*at, "policy"), given["policy"], self.folder, self.root, network=False)
            own = self.read(Path(path))
        elif not {"data", "sha256"} & given.keys():
            raise self.mistakes.file.error(at, "which table was it? Give its 'data', its 'policy' or its 'sha256'")
        if own is not None and "data" in given:
            self.mistakes.add((*at, "data"), "the policy of that release says where its table is")
        recipients = given.get("recipients", None if own is None else own.recipients)
        if recipients is None:
            self.mistakes.add(at, "the key 'recipients' is missing: who has that table")
        if "date" in given:
            checked_day(self.mistakes, (*at, "date"), given["date"])
        title = None if own is None or "title" not in own.file.content else own.title
        return EarlierTable(
            key_of_policy=at,
            name=given.get("name", title),
            data=self._source(at, "data", given) if own is None else own.data,
            original=self._source(at, "original", given) or (None if own is None else own.original),
            order=given.get("order", None if own is None else own.order),
            seed=int(given["seed"]) if "seed" in given else None if own is None else own.seed,
            plan=None if own is None else own.plan,
            roles=self._roles(at, given) or (None if own is None else own.roles),
            reading=self._reading(given) if own is None else own.reading,
            key=given.get("key", "").strip() or key,
            sha256=given.get("sha256", "").lower() or None,
            date=given.get("date"),
            recipients=recipients,
        )

    def _source(self, at: Key, key: str, given: Mapping[str, Any]) -> Path | str | None:
        if key not in given:
            return None
        return named_source(self.mistakes, (*at, key), str(given[key]), self.folder, self.root, network=self.network)

    def _reading(self, given: Mapping[str, Any]) -> dict[str, str]:
        said = {**{name: self.mistakes.file.content.get(name) for name in ("separator", "encoding")}, **given}
        return {key: said[key].replace(r"\t", "\t") for key in ("separator", "encoding") if said[key] is not None}

    def _roles(self, at: Key, given: Mapping[str, Any]) -> dict[str, str] | None:
        if "roles" not in given:
            return None
        roles, twice = roles_from_lists(given["roles"])
        for key, place in twice:
            column = quoted([given["roles"][key][place]])
            self.mistakes.add((*at, "roles", key, place), "the column {column} has two roles", column=column)
        return roles
