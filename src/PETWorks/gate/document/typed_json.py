"""Frozen dataclasses as JSON and back, their JSON Schema, and reading of JSON files."""

import json
import math
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, Self, Union, get_args, get_origin, get_type_hints

from PETWorks.errors import Hint, InputError, Phrase
from PETWorks.tables.files import read_small


class Absent(Enum):
    """The default of an optional key whose value may be null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

_TYPES = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    types.NoneType: {"type": "null"},
    Any: {},
}


@dataclass(frozen=True)
class Keywords:
    """Keywords of JSON Schema that do not follow from the type alone."""

    pairs: tuple[tuple[str, Any], ...]


def keywords(**pairs: Any) -> Keywords:
    """Keywords for `Annotated`, such as `keywords(minimum=0)`."""
    return Keywords(tuple(pairs.items()))


@dataclass(frozen=True)
class JSONObject:
    """The base class of all dataclasses that are objects in a JSON document."""

    SCHEMA: ClassVar[Mapping[str, Any]] = {}  # keywords for the object as a whole

    def to_dict(self) -> dict[str, Any]:
        """The object as plain dicts, lists, numbers and strings."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        return {_key(field): _to_plain(value) for field, value in values if value is not field.default}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The object made of a dict that fits the schema."""
        hints, known = _hints(cls), {_key(field): field.name for field in fields(cls)}
        return cls(**{name: _to_typed(hints[name], content[key]) for key, name in known.items() if key in content})

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """The JSON Schema of the class, with a definition for every class that it uses."""
        definitions: dict[str, Any] = {}
        schema = _object_schema(cls, definitions)
        return {**schema, "$defs": {name: definitions[name] for name in sorted(definitions)}}


def _to_plain(value: Any) -> Any:
    if isinstance(value, JSONObject):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: _to_plain(item) for key, item in value.items()}
    return [_to_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _to_typed(hint: Any, value: Any) -> Any:
    """A value of a JSON document in the type of its hint; a union has at most one object type and one list type."""
    for member in _members(hint):
        if isinstance(value, Mapping) and _is_object(member):
            return member.from_dict(value)
        if isinstance(value, list) and get_origin(member) is tuple:
            return tuple(_to_typed(get_args(member)[0], item) for item in value)
        if isinstance(value, Mapping) and get_args(member):
            return {key: _to_typed(get_args(member)[1], item) for key, item in value.items()}
    return value


def _members(hint: Any) -> Iterator[Any]:
    """The types in a hint, without their annotations."""
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _members(get_args(hint)[0])
    elif origin in (Union, types.UnionType):
        for member in get_args(hint):
            yield from _members(member)
    else:
        yield hint


def _is_object(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, JSONObject)


def _key(field: Field[Any]) -> str:
    """The JSON key of a field: its name, unless that is a Python keyword."""
    return str(field.metadata.get("key", field.name))


_hints: Callable[[Any], dict[str, Any]] = cache(partial(get_type_hints, include_extras=True))


def _object_schema(cls: type[JSONObject], definitions: dict[str, Any]) -> dict[str, Any]:
    hints = _hints(cls)
    return {
        "description": (cls.__doc__ or "").partition("\n")[0],
        "type": "object",
        "required": [_key(field) for field in fields(cls) if not _is_optional(field)],
        "properties": {_key(field): _schema(_type_without_default(field, hints), definitions) for field in fields(cls)},
        "additionalProperties": False,
        **cls.SCHEMA,
    }


def _is_optional(field: Field[Any]) -> bool:
    return field.default is not MISSING


def _type_without_default(field: Field[Any], hints: Mapping[str, Any]) -> Any:
    """The type of a field without its default, for which the key is omitted."""
    hint = hints[field.name]
    if field.default is not None and field.default is not ABSENT:
        return hint
    return Union[tuple(member for member in get_args(hint) if member is not type(field.default))]  # noqa: UP007 - made at run time


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type hint; classes become definitions."""
    origin, arguments = get_origin(hint), get_args(hint)
    if _is_object(hint):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = {}  # a class may contain itself
            definitions[hint.__name__] = _object_schema(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if origin is Annotated:
        schema = _schema(arguments[0], definitions)
        for note in arguments[1:]:
            schema |= {"description": note} if isinstance(note, str) else dict(note.pairs)
        return schema
    if origin in (Union, types.UnionType):
        return _any_of([_schema(member, definitions) for member in arguments])
    if origin is Literal:
        return {"enum": list(arguments)} if len(arguments) > 1 else {"const": arguments[0]}
    if origin is tuple:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_schema(arguments[0], arguments[1], definitions)
    return dict(_TYPES[hint])


def _mapping_schema(keys: Any, values: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    schema = _schema(values, definitions)
    if get_origin(keys) is Literal:
        return {"type": "object", "properties": dict.fromkeys(get_args(keys), schema), "additionalProperties": False}
    return {"type": "object", "additionalProperties": schema} if schema else {"type": "object"}


def _any_of(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    if all(schema.keys() == {"type"} for schema in schemas):
        return {"type": [schema["type"] for schema in schemas]}
    return {"anyOf": schemas}


LARGEST_FILE = 1 << 26


def read_json(path: Path, expected: Phrase, hint: Hint, largest: int = LARGEST_FILE) -> Any:
    """The content of a JSON file; raises with a message about what was expected if it is not JSON."""
    try:
        text = read_small(path, largest).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("{file}: not JSON in UTF-8", file=path.name) from None
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        raise InputError("{file}: not JSON; expected {expected}", hint, file=path.name, expected=expected) from None


def _finite(text: str) -> float:
    """The number; NaN and infinity raise ValueError."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number
