"""Plain YAML files: mappings, lists and texts as they stand there, and the line on which each began."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PETWorks.errors import InputError

LARGEST_FILE = 1 << 20

Key = tuple[str | int, ...]


@dataclass(frozen=True)
class YAMLFile:
    """The content of a file; `lines` has the line of everything in it, by the keys that lead there."""

    name: str
    content: Any
    lines: Mapping[Key, int]

    def error(self, key: Key, text: str) -> InputError:
        """An error that names the file, the line and the key."""
        return InputError(self.located(key, text))

    def located(self, key: Key, text: str) -> str:
        """`policy.yaml, line 7, rules[2].k: text`."""
        while key and key not in self.lines:
            key = key[:-1]
        dotted = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in key).lstrip(".")
        shown = dotted if len(dotted) <= 80 else dotted[:77] + "..."
        return f"{self.name}, line {self.lines.get(key, 1)}{f', {shown}' if shown else ''}: {text}"


def read_yaml(path: Path) -> YAMLFile:
    """A file of at most 1 MiB without tags, aliases or keys that stand there twice; every scalar is a text."""
    import yaml

    class Loader(yaml.BaseLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.peek_event()  # type: ignore[no-untyped-call]
            tag = getattr(event, "tag", None)
            if isinstance(event, yaml.AliasEvent) or tag not in (None, "!"):
                what = "an alias" if isinstance(event, yaml.AliasEvent) else "a tag"
                raise InputError(f"{path.name}, line {event.start_mark.line + 1}: {what}, which is not allowed")
            return super().compose_node(parent, index)

    lines: dict[Key, int] = {}

    def made(node: Any, key: Key) -> Any:
        lines.setdefault(key, node.start_mark.line + 1)
        if isinstance(node, yaml.SequenceNode):
            return [made(item, (*key, place)) for place, item in enumerate(node.value)]
        if not isinstance(node, yaml.MappingNode):
            return str(node.value)
        found: dict[str, Any] = {}
        for name, value in node.value:
            line = name.start_mark.line + 1
            if not isinstance(name, yaml.ScalarNode) or name.value in found:
                raise InputError(f"{path.name}, line {line}: a key that stands there twice, or is not a name")
            lines[(*key, str(name.value))] = line
            found[str(name.value)] = made(value, (*key, str(name.value)))
        return found

    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{path.name}: larger than {LARGEST_FILE >> 10} KiB")
        root = yaml.compose(path.read_text("utf-8-sig"), Loader)
        return YAMLFile(path.name, None if root is None else made(root, ()), lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise InputError(f"{path.name}{where}: not plain YAML ({error.problem})") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise InputError(f"{path.name}: not a YAML file in UTF-8") from None
    except RecursionError:
        raise InputError(f"{path.name}: nested too deeply") from None
    except OSError as error:
        raise InputError(f"cannot read {path.name}: {error.strerror}") from None
