"""Standards and laws that ask a data holder to write something down, by name."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from typing import Any

from PETWorks.errors import unknown
from PETWorks.gate.mistakes import Mistakes
from PETWorks.tables.yamlfile import read_yaml


@dataclass(frozen=True)
class Regime:
    """A standard or a law: its source, and where in it, in our reading, each item is asked for."""

    name: str
    organisation: str
    title: str
    date: str
    source: str
    note: str
    chinese: str
    items: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The same as a plain dict."""
        return {**vars(self), "items": dict(self.items)}


@cache
def regimes() -> dict[str, Regime]:
    """All regimes, by name."""
    with as_file(files("PETWorks.gate") / "regimes.yaml") as path:
        content = read_yaml(path).content
    return {name: Regime(name=name, **entry) for name, entry in content.items()}


def chosen_regimes(mistakes: Mistakes) -> Iterator[Regime]:
    """The regimes that a policy file names."""
    known = regimes()
    for place, name in enumerate(mistakes.file.content.get("regimes", ())):
        if name in known:
            yield known[name]
        else:
            mistakes.add(("regimes", place), str(unknown("regime", name, known)))
