"""Thresholds that regulators and data holders have published, by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from typing import Any

from PETWorks.gate.document import PresetFacts
from PETWorks.tables.yamlfile import read_yaml


@dataclass(frozen=True)
class Preset:
    """A published threshold: who set it, its source and date, and the rules that it amounts to.

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
    rules: tuple[Mapping[str, str], ...]

    @property
    def facts(self) -> PresetFacts:
        """What a report says about it."""
        return PresetFacts(**{name: value for name, value in vars(self).items() if name != "rules"})

    def to_dict(self) -> dict[str, Any]:
        """The same as a plain dict."""
        return self.facts.to_dict()


@cache
def presets() -> dict[str, Preset]:
    """All presets, by name."""
    with as_file(files("PETWorks.gate") / "presets.yaml") as path:
        content = read_yaml(path).content
    return {
        name: Preset(
            name=name,
            **{
                **entry,
                "cell_size": int(entry["cell_size"]),
                "rule_of_thumb": entry["rule_of_thumb"] == "yes",
                "rules": tuple(entry["rules"]),
            },
        )
        for name, entry in content.items()
    }
