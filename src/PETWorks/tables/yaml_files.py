"""Plain YAML files: mappings, lists and texts, the line where each begins, and how they are written."""

import codecs
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PETWorks.errors import Hint, InputError, Phrase, printable, quoted
from PETWorks.tables.files import read_small

LARGEST_FILE = 1 << 20
DEEPEST = 50

LINES_BEFORE = 2  # the parser may notice a mistake this many lines later

# Common mistakes, and advice.
MISTAKES = [
    (re.compile(pattern), advice)
    for pattern, advice in (
        (r" *\t", Phrase("indent with blanks, not with tabs")),
        (r"\s*(- *)?[^\s#\"':：]+ *：", Phrase("the colon is full-width; write a half-width one and a blank")),
        (r"\s*-[^\s\d.-]", Phrase("write a blank behind '-'")),
        (r"\s*(- +)?[^\s#\"':]+:(?!//)[^\s:]", Phrase("write a blank behind ':'")),
    )
]
_PLAIN = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
LOOK_AT = Phrase(
    "look at the indentation, for quotes and brackets that are not closed, and for blanks behind '-' and half-width ':'"
)

Key = tuple[str | int, ...]


class Place(Phrase):
    """A position in a file, in words; `line` is the line number."""

    __slots__ = ()

    @property
    def line(self) -> int:
        """The line number."""
        return int(self.values["line"])


_FULL_WIDTH = re.compile("[：，［］｛｝“”‘’\u3000０-９]")


@dataclass(frozen=True)
class YAMLFile:
    """The content of a file; `lines` has the line of every item, by the keys that lead to it."""

    name: str
    content: Any
    lines: Mapping[Key, int]
    sha256: str  # of the bytes that were read
    full_width: Mapping[int, str] = field(default_factory=dict)  # by line, full-width characters of Chinese keyboards
    first_line: str = ""

    def error(self, key: Key, /, *parts: str | Hint, **values: Any) -> InputError:
        """An error that names the file, the line and the key."""
        return InputError(*parts, where=self.place(key), **values)

    def place(self, key: Key) -> Place:
        """The position of a key: `policy.yaml, line 7, rules[2].k`."""
        while key and key not in self.lines:
            key = key[:-1]
        dotted = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in key).lstrip(".")
        shown = printable(dotted if len(dotted) <= 80 else dotted[:77] + "...")
        line = self.lines.get(key, 1)
        file = printable(self.name)
        if line in self.full_width:
            return Place(
                "{file}, line {line}, {key} (on this line, '{signs}' may have to be of half width)",
                file=file,
                line=line,
                key=shown,
                signs=self.full_width[line],
            )
        if not shown:
            return Place("{file}, line {line}", file=file, line=line)
        return Place("{file}, line {line}, {key}", file=file, line=line, key=shown)


def read_yaml(path: Path) -> YAMLFile:
    """Read a file of at most 1 MiB without tags, aliases or duplicate keys; every scalar is a text."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    lines: dict[Key, int] = {}
    try:
        raw = read_small(path, LARGEST_FILE)
        text = raw.decode("utf-8-sig")
        events = yaml.parse(text, loader)
        document, digest = _document(events, path.name, lines), hashlib.sha256(raw).hexdigest()
        return YAMLFile(path.name, document, lines, digest, _full_width(text), text.partition("\n")[0].rstrip())
    except yaml.MarkedYAMLError as error:
        line, advice = _mistake(text, error)
        place = Place("{file}, line {line}", file=path.name, line=line)
        raise InputError("{place}: not plain YAML: {advice}", place=place, advice=advice) from None
    except UnicodeDecodeError:
        raise InputError(
            "{file}: its text is not in UTF-8{guess}; save it as UTF-8 (Notepad: File, Save as, Encoding)",
            file=path.name,
            guess=_other_encoding(raw),
        ) from None
    except yaml.YAMLError:
        raise InputError("{file}: not a YAML file in UTF-8", file=path.name) from None


def _other_encoding(raw: bytes) -> str:
    """The likely encoding of a file, as part of a sentence."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Phrase(", but in {encoding}", encoding="UTF-16")
    try:
        raw.decode("big5hkscs")
    except UnicodeDecodeError:
        return ""
    return Phrase(", but perhaps in {encoding}", encoding="Big5")


def _mistake(text: str, error: Any) -> tuple[int, Phrase]:
    """The line with the mistake, and advice; the parser notices some mistakes only on a later line."""
    noticed = error.problem_mark or error.context_mark
    last = noticed.line if noticed else 0
    # For something not closed, the mistake is where it begins; but a mapping may begin far above.
    if error.context_mark and "block" not in (error.context or ""):
        last = error.context_mark.line
    lines = text.rstrip().splitlines() or [""]
    last = min(last, len(lines) - 1)
    for place in range(last, max(last - LINES_BEFORE, 0) - 1, -1):
        for pattern, advice in MISTAKES:
            if pattern.match(lines[place]):
                return place + 1, advice
    signs = _full_width(text).get(last + 1)
    if signs is not None:
        return last + 1, Phrase("'{signs}' may have to be of half width, as the sign : is", signs=signs)
    return last + 1, LOOK_AT


def _full_width(text: str) -> dict[int, str]:
    """By line, full-width characters that YAML does not treat as their half-width equivalents; not in comments."""
    found = {place: _FULL_WIDTH.findall(line.partition("#")[0]) for place, line in enumerate(text.splitlines(), 1)}
    return {place: " ".join(dict.fromkeys(signs)) for place, signs in found.items() if signs}


def _document(events: Iterator[Any], name: str, lines: dict[Key, int]) -> Any:
    """The only document of a file; None if it has none."""
    import yaml

    content, documents = None, 0
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise InputError("{name}: the file has more than one YAML document", name=name)
        elif isinstance(event, yaml.NodeEvent):
            content = _build(event, events, (), name, lines)
    return content


def _build(event: Any, events: Iterator[Any], key: Key, name: str, lines: dict[Key, int]) -> Any:
    """Build the content that begins with an event; consumes the events that belong to it."""
    import yaml

    line = event.start_mark.line + 1
    if isinstance(event, yaml.AliasEvent) or event.tag not in (None, "!"):
        what = Phrase("an alias") if isinstance(event, yaml.AliasEvent) else Phrase("a tag")
        raise InputError("{name}, line {line}: {thing} is not allowed", name=name, line=line, thing=what)
    if len(key) > DEEPEST:
        raise InputError("{name}, line {line}: the content is nested too deeply", name=name, line=line)
    lines.setdefault(key, line)
    if isinstance(event, yaml.ScalarEvent):
        return str(event.value)
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[Any] = []
        while not isinstance(inner := next(events), yaml.SequenceEndEvent):
            items.append(_build(inner, events, (*key, len(items)), name, lines))
        return items
    mapping: dict[str, Any] = {}
    while not isinstance(inner := next(events), yaml.MappingEndEvent):
        line = inner.start_mark.line + 1
        if not isinstance(inner, yaml.ScalarEvent) or inner.tag not in (None, "!"):
            raise InputError("{name}, line {line}: a key is not a name", name=name, line=line)
        if inner.value in mapping:
            raise InputError(
                "{name}, line {line}: the key {key} is a duplicate", name=name, line=line, key=quoted([inner.value])
            )
        lines[(*key, inner.value)] = line
        mapping[inner.value] = _build(next(events), events, (*key, inner.value), name, lines)
    return mapping


def yaml_text(text: str) -> str:
    """The text as a YAML scalar: plain if possible, otherwise quoted."""
    if _PLAIN.fullmatch(text) and text.casefold() not in ("true", "false", "yes", "no", "on", "off", "null", "y", "n"):
        return text
    import yaml

    dumped: str = yaml.dump(text, default_style='"', allow_unicode=True, width=1 << 30)
    return dumped.strip()


def in_yaml(words: Mapping[str, Any]) -> str:
    """The words of a declaration on one line, as in a policy."""

    def text_of(value: Any) -> str:
        if isinstance(value, Mapping):
            return f"{{{', '.join(f'{key}: {text_of(item)}' for key, item in value.items())}}}"
        return f"[{', '.join(map(text_of, value))}]" if isinstance(value, list) else str(value)

    return text_of(words)
