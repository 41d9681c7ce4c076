"""Standards and laws that ask a data holder to write something down, by name."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import as_file, files

from PETWorks.errors import unknown
from PETWorks.gate.mistakes import Mistakes
from PETWorks.gate.sign_off_document import Regime, RegimeItem
from PETWorks.tables.yamlfile import read_yaml

APPROVER_ITEM = "approver"  # of a checklist


@cache
def regimes() -> dict[str, Regime]:
    """All regimes, by name, with nothing on their checklists given yet."""
    with as_file(files("PETWorks.gate") / "regimes.yaml") as path:
        content = read_yaml(path).content
    return {
        name: Regime(name=name, **{**entry, "items": _checklist(entry["items"])}) for name, entry in content.items()
    }


def asking_for(item: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the regimes with these names that ask for an item."""
    known = regimes()
    return tuple(name for name in names if name in known and item in (entry.item for entry in known[name].items))


def _checklist(items: Mapping[str, str]) -> tuple[RegimeItem, ...]:
    return tuple(RegimeItem(item, where, given=False) for item, where in items.items())


def chosen_regimes(mistakes: Mistakes) -> Iterator[Regime]:
    """The regimes that a policy file names."""
    known = regimes()
    for place, name in enumerate(mistakes.file.content.get("regimes", ())):
        if name in known:
            yield known[name]
        else:
            mistakes.add(("regimes", place), unknown("regime", name, known).message)
