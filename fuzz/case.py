"""A case: files, and the commands that read them. It is saved as a JSON file that can be read and repeated."""

import base64
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

MARKER = "SECRETxyz"  # part of cells, which must not occur in any message


@dataclass(frozen=True)
class Case:
    """Files by their names, and commands that run in their folder one after the other.

    mutable   the files that may be mutated
    agree     whether all commands must give the same exit code and the same numbers
    chain     whether each command must accept the output of the one before
    """

    target: str
    files: dict[str, bytes]
    commands: list[list[str]]
    mutable: list[str] = field(default_factory=list)
    agree: bool = False
    chain: bool = False

    def with_file(self, name: str, content: bytes) -> "Case":
        """The case with different content of a file."""
        return replace(self, files={**self.files, name: content})

    def save(self, path: Path, failure: str = "") -> None:
        """Write the case; `failure` describes what went wrong."""
        document = {
            "target": self.target,
            "failure": failure,
            "commands": self.commands,
            "mutable": self.mutable,
            "agree": self.agree,
            "chain": self.chain,
            "files": {name: _as_json(content) for name, content in self.files.items()},
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")

    @classmethod
    def load(cls, path: Path) -> "Case":
        """Read a case from a file."""
        document = json.loads(path.read_text("utf-8"))
        files = {name: _as_bytes(content) for name, content in document["files"].items()}
        other_fields = {name: document[name] for name in ("target", "commands", "mutable", "agree", "chain")}
        return cls(files=files, **other_fields)


def _as_json(content: bytes) -> str | dict[str, str]:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _as_bytes(content: str | dict[str, str]) -> bytes:
    return content.encode() if isinstance(content, str) else base64.b64decode(content["base64"])
