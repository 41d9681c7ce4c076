"""Mutations of bytes, of texts and of trees (JSON, YAML)."""

import copy
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

NUMBERS = ["0", "-1", "1", "2", "1e308", "1e999", "nan", "inf", "1/0", "1/3", "9" * 40, "0.1", "00", "+1", "1_000", "٣"]
TEXTS = [
    "",
    " ",
    "*",
    "\0",
    "a" * 5000,
    "é",
    "王小明",
    "\ud7ff",
    "\u202e",
    "\x1b[31m",
    "{}",
    "[",
    "'",
    '"',
    "\n",
    "%s",
    "../x",
]
INTERESTING = [text.encode() for text in (*NUMBERS, *TEXTS)]
INTERESTING += [
    b"\xff",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\xa4\xa4",
    b"\x80",
    b"\r\n",
    b"\r",
    b"\n\n",
    b'""',
    b"\x00" * 8,
]
LARGEST = 1 << 16  # bytes of a file; larger ones only make cases slow


def mutate_bytes(random: Random, content: bytes, tokens: Sequence[bytes] = ()) -> bytes:
    """The content with a few changes; `tokens` are meaningful pieces in its format."""
    most = max(LARGEST, len(content))
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        content = random.choice(BYTE_MUTATIONS)(random, content, tokens)
    return content[:most]


def _flip_bit(random: Random, content: bytes, _tokens: Sequence[bytes]) -> bytes:
    if not content:
        return content
    at = random.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << random.randrange(8))]) + content[at + 1 :]


def _replace_byte(random: Random, content: bytes, _tokens: Sequence[bytes]) -> bytes:
    at = random.randint(0, len(content))
    return content[:at] + bytes([random.randrange(256)]) + content[at + 1 :]


def _remove(random: Random, content: bytes, _tokens: Sequence[bytes]) -> bytes:
    start, end = _span(random, content)
    return content[:start] + content[end:]


def _repeat(random: Random, content: bytes, _tokens: Sequence[bytes]) -> bytes:
    start, end = _span(random, content)
    return content[:end] + content[start:end] * random.choice((1, 1, 2, 50)) + content[end:]


def _blow_up(random: Random, content: bytes, _tokens: Sequence[bytes]) -> bytes:
    """Repeat a short span until the file has the maximum size: thousands of columns, levels, keys."""
    start = random.randint(0, len(content))
    span = content[start : start + random.choice((1, 1, 2, 3, 5, 20))]
    return (
        content[:start] + span * (LARGEST // max(len(span), 1)) + content[start:] if random.random() < 0.2 else content
    )


def _move(random: Random, content: bytes, _tokens: Sequence[bytes]) -> bytes:
    start, end = _span(random, content)
    rest = content[:start] + content[end:]
    at = random.randint(0, len(rest))
    return rest[:at] + content[start:end] + rest[at:]


def _cut(random: Random, content: bytes, _tokens: Sequence[bytes]) -> bytes:
    return content[: random.randint(0, len(content))]


def _insert(random: Random, content: bytes, tokens: Sequence[bytes]) -> bytes:
    at = random.randint(0, len(content))
    piece = random.choice([*tokens, *tokens, *INTERESTING])
    return content[:at] + piece + content[at + random.choice((0, 0, len(piece))) :]


def _change_line(random: Random, content: bytes, _tokens: Sequence[bytes]) -> bytes:
    """Duplicate, remove, empty or move a line."""
    lines = content.split(b"\n")
    at = random.randrange(len(lines))
    line = lines.pop(at)
    for _ in range(random.choice((0, 1, 2))):
        lines.insert(random.randint(0, len(lines)), random.choice((line, line, b"", line[: len(line) // 2])))
    return b"\n".join(lines)


def _span(random: Random, content: bytes) -> tuple[int, int]:
    start = random.randint(0, len(content))
    return start, min(len(content), start + random.choice((1, 2, 4, 16, 64, 256)))


Mutation = Callable[[Random, bytes, Sequence[bytes]], bytes]
BYTE_MUTATIONS: list[Mutation] = [
    _flip_bit, _replace_byte, _remove, _repeat, _blow_up, _move, _cut, _insert, _insert, _change_line,
]  # fmt: skip


def mutate_tree(random: Random, tree: Any) -> Any:
    """A tree of dicts, lists and scalars with a few changes."""
    root = {"": copy.deepcopy(tree)}
    for _ in range(random.choice((1, 1, 2, 4))):
        holder, key = random.choice(list(_places(root)))
        _change(random, root, holder, key)
    return root.get("")


def _places(holder: Any) -> Any:
    items = list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder))
    for key, value in items:
        yield holder, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _change(random: Random, root: Any, holder: Any, key: Any) -> None:
    value = holder[key]
    action = random.choice(("like", "like", "like", "scalar", "remove", "wrap", "graft", "rename", "number"))
    if action == "remove" and holder is not root:
        del holder[key]
    elif action == "wrap":
        holder[key] = random.choice(([value], {"a": value}, [value, value], [[value]]))
    elif action == "like":
        values = (other[place] for other, place in _places(root))
        holder[key] = copy.deepcopy(
            random.choice([candidate for candidate in values if type(candidate) is type(value)])
        )
    elif action == "graft":
        other, place = random.choice(list(_places(root)))
        holder[key] = copy.deepcopy(other[place])
    elif action == "rename" and isinstance(holder, dict) and holder is not root:
        holder[random.choice(TEXTS) or str(key) * 2] = holder.pop(key)
    elif action == "number" and isinstance(value, int | float):
        holder[key] = random.choice((0, -1, value + 1, -value, 0.5, 1e308, 2**63, 10**400, 1e-320))
    else:
        holder[key] = random.choice((None, True, 0, -1, 1.5, [], {}, *TEXTS, *NUMBERS))
