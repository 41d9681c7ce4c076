"""The build hook: compile the translations, which packages have instead of their sources."""

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

EPOCH = datetime.fromtimestamp(0, UTC)


class CompileTranslations(BuildHookInterface):
    """Write a `.mo` file beside each `.po` file, also for editable installations."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - of hatchling
        """Compile the translations of every language."""
        for source in sorted(Path(self.root, "src/PETWorks/locale").glob("*/LC_MESSAGES/*.po")):
            with source.open("rb") as file:
                catalogue = read_po(file)
            catalogue.creation_date = EPOCH  # not the present: the same source gives the same file
            content, compiled = io.BytesIO(), source.with_suffix(".mo")
            write_mo(content, catalogue)
            if not compiled.exists() or compiled.read_bytes() != content.getvalue():
                unfinished = compiled.with_suffix(".mo.new")
                unfinished.write_bytes(content.getvalue())
                unfinished.replace(compiled)  # at once: others may be reading
