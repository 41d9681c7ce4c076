"""Thresholds that regulators and data holders have published, by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files

from PETWorks.gate.document import PresetFacts
from PETWorks.tables.yamlfile import read_yaml

UNDATED = "unknown"  # instead of the date of a source


@dataclass(frozen=True)
class Preset(PresetFacts):
    """A published threshold, and the rules that it amounts to."""

    rules: tuple[Mapping[str, str], ...]

    @property
    def facts(self) -> PresetFacts:
        """What a report says about it."""
        return PresetFacts(**{name: value for name, value in vars(self).items() if name != "rules"})


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
