"""Base class of the objects in JSON documents: conversion to and from plain values, and their JSON Schema."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeVar, get_args

import msgspec
from msgspec import Meta

from PETWorks.locale import LANGUAGES

Part = TypeVar("Part", bound=msgspec.Struct)
Real = int | float  # a number that keeps its form: msgspec would read 5 as 5.0 for a float alone


def described(text: str, **constraints: Any) -> Meta:
    """A description for `Annotated`, with constraints of `msgspec.Meta` if there are any."""
    return Meta(description=text, **constraints)


def keys(names: Any) -> Meta:
    """The allowed keys of a mapping, for its schema; msgspec checks the keys of a Literal but leaves them out there."""
    return Meta(extra_json_schema={"propertyNames": {"enum": list(get_args(names))}})


class JSONObject(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The base class of all objects of JSON documents; a key whose value is the default is left out.

    A key that is null is read as one that is left out. A key that may be left out *and* be null has the default UNSET.
    """

    SCHEMA: ClassVar[Mapping[str, Any]] = {}  # keywords of JSON Schema that do not follow from the fields

    def to_dict(self) -> dict[str, Any]:
        """The object as plain dicts, lists, numbers and strings."""
        content: dict[str, Any] = _with_lists(msgspec.to_builtins(self, enc_hook=_convert))
        return content

    def part(self, base: type[Part]) -> Part:
        """The fields that this object has from a base class, as an object of that class."""
        return base(**{name: getattr(self, name) for name in base.__struct_fields__})

    @classmethod
    def from_dict(cls, content: Any) -> Self:
        """The object made of plain values; raises msgspec.ValidationError if they do not fit its type."""
        return msgspec.convert(content, cls)

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """The JSON Schema of the class, with a definition for every class that it uses."""
        _, found = msgspec.json.schema_components([cls])
        classes = {known.__name__: known for known in _subclasses(JSONObject)}
        definitions = {name: {**_tidy(found[name]), **classes[name].SCHEMA} for name in sorted(found)}
        return {**definitions.pop(cls.__name__), "$defs": definitions}


def _subclasses(cls: type[JSONObject]) -> list[type[JSONObject]]:
    return [found for child in cls.__subclasses__() for found in (child, *_subclasses(child))]


def _convert(value: Any) -> Any:
    """Convert a value of a type that msgspec does not know: another mapping, a phrase, a NumPy float."""
    for kind, convert in _CONVERTERS.items():
        if isinstance(value, kind):
            return convert(value)
    raise TypeError(f"no JSON for {type(value).__name__}")


_CONVERTERS: Mapping[type, Callable[[Any], Any]] = {Mapping: dict, str: str.__str__, float: float}


def _with_lists(value: Any) -> Any:
    """A value with lists instead of tuples, at any depth."""
    if isinstance(value, dict):
        return {key: _with_lists(item) for key, item in value.items()}
    return [_with_lists(item) for item in value] if isinstance(value, list | tuple) else value


def _tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """Convert a schema of msgspec to the published form: docstrings become one line, titles and default nulls go."""
    tidy = {key: value for key, value in schema.items() if key not in ("title", "default", "anyOf")}
    if "description" in tidy:
        tidy["description"] = tidy["description"].partition("\n")[0]
    if "properties" in tidy:
        tidy["properties"] = {name: _tidy(value) for name, value in tidy["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(tidy.get(key), dict):
            tidy[key] = _tidy(tidy[key])
    if "propertyNames" in tidy:
        names, values = tidy.pop("propertyNames")["enum"], tidy["additionalProperties"]
        tidy |= {"properties": dict.fromkeys(names, values), "additionalProperties": False}
    if len(tidy.get("enum", ())) == 1:
        (tidy["const"],) = tidy.pop("enum")
    options = [_tidy(option) for option in schema.get("anyOf", ())]
    # An optional key is left out instead of null; every integer is a number as well.
    redundant = [{"type": "null"}] if schema.get("default", "") is None else []
    redundant += [{**option, "type": "integer"} for option in options if option.get("type") == "number"]
    options = [option for option in options if option not in redundant]
    if len(options) == 1:
        return {**options[0], **tidy}
    if options and all(option.keys() == {"type"} for option in options):
        return {**tidy, "type": [option["type"] for option in options]}
    return {**tidy, "anyOf": options} if options else tidy


Withheld = Literal["small class", "few records", "tells counts"]  # reasons not to publish a number


class Bound(JSONObject, frozen=True):
    """A limit that the external edition gives instead of a number, or the reason why it gives none."""

    SCHEMA: ClassVar[Mapping[str, Any]] = {"minProperties": 1, "maxProperties": 1}

    below: Real | None = None
    above: Real | None = None
    at_most: Real | None = None
    at_least: Real | None = None
    about: Real | None = None
    withheld: Withheld | None = None

    def __post_init__(self) -> None:
        """Raise if it says nothing, or more than one thing."""
        if sum(getattr(self, name) is not None for name in self.__struct_fields__) != 1:
            raise ValueError("a bound is one limit, or why there is none")


Number = Real | Bound | None
Count = Annotated[int, Meta(ge=0)] | Bound | None
Names = tuple[str, ...]
if TYPE_CHECKING:
    LanguageCode = str
else:
    LanguageCode = Literal[tuple(LANGUAGES)]
MultilingualText = Annotated[
    str | Annotated[Mapping[LanguageCode, str], keys(LanguageCode)],
    described("a text of the policy, in one language or in several"),
]
Day = Annotated[str, Meta(extra_json_schema={"format": "date"})]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


def text_in(value: Any, lang: str) -> str:
    """A value of a policy as a text, in this language if there are several."""
    if isinstance(value, Mapping):
        value = value.get(lang, next(iter(value.values()), ""))
    return "" if value is None else str(value)
