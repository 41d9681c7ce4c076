"""The earlier releases in a policy, and the limits on what all releases together may disclose."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from PETWorks.about.roles import roles_from_lists
from PETWorks.errors import quoted
from PETWorks.gate.policy.accountability import parse_day
from PETWorks.gate.policy.mistakes import Mistakes
from PETWorks.gate.policy.sources import resolve_source
from PETWorks.json_types import MultilingualText
from PETWorks.tables.databases import shown_address
from PETWorks.tables.yaml_files import Key, YAMLFile

THIS_RELEASE = "this release"  # the policy's own table, in messages


@dataclass(frozen=True)
class EarlierTable:
    """A release about the same people that is already out.

    data         the location of its table; None if only its digest is known
    original     the table that it was made from, if that has the key
    order, seed  the order of its records compared with the original, and the seed of that order if it is random
    plan         the file that lists the records of the original that were removed
    roles        None if they are in the YAML file beside the table
    """

    key_of_policy: Key
    name: MultilingualText | None
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
    recipients: MultilingualText | None

    @property
    def label(self) -> str:
        """Its label in messages: name, file, or the start of its digest."""
        if self.name is not None:
            return self.name if isinstance(self.name, str) else next(iter(self.name.values()))
        if self.data is None:
            return (self.sha256 or "")[:12]
        return shown_address(self.data) if isinstance(self.data, str) else self.data.name


@dataclass(frozen=True)
class ReleaseSet:
    """The policy's settings about other releases; the oldest release first."""

    key: str | None = None
    earlier: tuple[EarlierTable, ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)
    worth: Mapping[str, Mapping[str | None, Any]] = field(default_factory=dict)

    @property
    def measured(self) -> tuple[EarlierTable, ...]:
        """The earlier releases whose tables are available."""
        return tuple(release for release in self.earlier if release.data is not None)


class OtherPolicy(Protocol):
    """The policy of an earlier release, as far as it is used here; `policy.py` imports this module."""

    @property
    def file(self) -> YAMLFile:
        """The policy file."""

    @property
    def title(self) -> MultilingualText:
        """The title of the release."""

    @property
    def data(self) -> Path | str:
        """The released table."""

    @property
    def original(self) -> Path | str | None:
        """The table that the release was made from."""

    @property
    def order(self) -> str | None:
        """The order of its records, compared with the original."""

    @property
    def seed(self) -> int | None:
        """The seed of that order."""

    @property
    def plan(self) -> Path | None:
        """The file of its plan."""

    @property
    def roles(self) -> Mapping[str, str] | None:
        """The roles of its columns."""

    @property
    def reading(self) -> Mapping[str, str]:
        """The options for reading CSV files."""

    @property
    def recipients(self) -> MultilingualText | None:
        """The recipients of the release."""


PolicyReader = Callable[[Path], OtherPolicy]


def parse_release_set(mistakes: Mistakes, folder: Path, root: Path, read: PolicyReader, *, network: bool) -> ReleaseSet:
    """The policy's settings about other releases; `read` reads the policy of an earlier release."""
    settings: Mapping[str, Any] = mistakes.file.content.get("releases", {})
    key = settings.get("key", "").strip() or None
    reader = _Reader(mistakes, folder, root, read, network)
    earlier = tuple(reader.tables(settings.get("earlier", ()), key))
    release_set = ReleaseSet(key, earlier, settings.get("limits", {}), settings.get("worth", {}))
    labels = Counter([THIS_RELEASE, *(release.label for release in earlier)])
    for release in earlier:
        if labels[release.label] > 1:
            mistakes.add(
                (*release.key_of_policy, "name"),
                "two releases are called {release}; give one of them another 'name'",
                release=quoted([release.label]),
            )
            labels[release.label] = 0
    if release_set.measured and key is None:
        mistakes.add(("releases",), "the key 'key' is missing: the column that names the person")
    for setting in ("limits", "worth"):
        if settings.get(setting) and not release_set.measured and not mistakes:
            mistakes.add(("releases", setting), "there is no earlier release to measure; give the 'data' of one")
    return release_set


@dataclass(frozen=True)
class _Reader:
    """Reads the entries about earlier releases, and notes their mistakes."""

    mistakes: Mistakes
    folder: Path
    root: Path
    read: PolicyReader
    network: bool

    def tables(self, entries: Sequence[Mapping[str, Any]], key: str | None) -> Iterator[EarlierTable]:
        """The earlier releases that have no mistake."""
        for index, entry in enumerate(entries):
            at = ("releases", "earlier", index)
            with self.mistakes.at(*at):
                yield self._table(entry, at, key)

    def _table(self, entry: Mapping[str, Any], at: Key, key: str | None) -> EarlierTable:
        policy = None
        if "policy" in entry:
            path = resolve_source(
                self.mistakes, (*at, "policy"), entry["policy"], self.folder, self.root, network=False
            )
            policy = self.read(Path(path))
        elif not {"data", "sha256"} & entry.keys():
            raise self.mistakes.file.error(at, "which table was it? Give its 'data', its 'policy' or its 'sha256'")
        if policy is not None and "data" in entry:
            self.mistakes.add((*at, "data"), "the policy of that release says where its table is")
        recipients = entry.get("recipients", None if policy is None else policy.recipients)
        if recipients is None:
            self.mistakes.add(at, "the key 'recipients' is missing: who has that table")
        if "date" in entry:
            parse_day(self.mistakes, (*at, "date"), entry["date"])
        title = None if policy is None or "title" not in policy.file.content else policy.title
        return EarlierTable(
            key_of_policy=at,
            name=entry.get("name", title),
            data=self._source(at, "data", entry) if policy is None else policy.data,
            original=self._source(at, "original", entry) or (None if policy is None else policy.original),
            order=entry.get("order", None if policy is None else policy.order),
            seed=int(entry["seed"]) if "seed" in entry else None if policy is None else policy.seed,
            plan=None if policy is None else policy.plan,
            roles=self._roles(at, entry) or (None if policy is None else policy.roles),
            reading=self._reading(entry) if policy is None else policy.reading,
            key=entry.get("key", "").strip() or key,
            sha256=entry.get("sha256", "").lower() or None,
            date=entry.get("date"),
            recipients=recipients,
        )

    def _source(self, at: Key, key: str, entry: Mapping[str, Any]) -> Path | str | None:
        if key not in entry:
            return None
        return resolve_source(self.mistakes, (*at, key), str(entry[key]), self.folder, self.root, network=self.network)

    def _reading(self, entry: Mapping[str, Any]) -> dict[str, str]:
        options = {**{name: self.mistakes.file.content.get(name) for name in ("separator", "encoding")}, **entry}
        return {key: options[key].replace(r"\t", "\t") for key in ("separator", "encoding") if options[key] is not None}

    def _roles(self, at: Key, entry: Mapping[str, Any]) -> dict[str, str] | None:
        if "roles" not in entry:
            return None
        roles, repeated = roles_from_lists(entry["roles"])
        for key, index in repeated:
            column = quoted([entry["roles"][key][index]])
            self.mistakes.add((*at, "roles", key, index), "the column {column} has two roles", column=column)
        return roles
