"""Dataclasses as JSON, and the schema made from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal

import pytest
from jsonschema import Draft202012Validator

from PETWorks.gate.document import anonymization_document, check_document, plan_document
from PETWorks.gate.document.check_document import Bound, CheckFile, Entry
from PETWorks.gate.document.plan_document import Plan
from PETWorks.gate.document.typed_json import ABSENT, Absent, JSONObject, keywords

DOCUMENTS = (
    *(anonymization_document, check_document, check_document, plan_document, check_document, check_document),
    *(check_document, check_document, check_document),
)


@dataclass(frozen=True)
class Leaf(JSONObject):
    """A leaf."""

    number: float | Bound | None
    name: str = field(metadata={"key": "is"})


@dataclass(frozen=True, kw_only=True)
class Tree(JSONObject):
    """A tree.

    More about trees.
    """

    leaves: Annotated[tuple[Leaf, ...], "its leaves", keywords(maxItems=3)]
    colour: Literal["green", "red"] | None = None
    age: int | Absent | None = ABSENT
    texts: Mapping[Literal["en", "zh-TW"], str] | str
    more: Mapping[str, Any]


TREE = Tree(leaves=(Leaf(1, "a"), Leaf(Bound(below=3), "b"), Leaf(None, "c")), age=None, texts={"en": "x"}, more={})
PLAIN = {
    "leaves": [{"number": 1, "is": "a"}, {"number": {"below": 3}, "is": "b"}, {"number": None, "is": "c"}],
    "age": None,
    "texts": {"en": "x"},
    "more": {},
}


def test_to_a_dict_and_back():
    assert TREE.to_dict() == PLAIN
    assert list(TREE.to_dict()) == ["leaves", "age", "texts", "more"], "in the order of the fields"
    assert Tree.from_dict(PLAIN) == TREE
    red = {**PLAIN, "colour": "red", "texts": "x"}
    del red["age"]
    assert Tree.from_dict(red).age is ABSENT
    assert Tree.from_dict(red).to_dict() == red


def test_schema():
    schema = Tree.json_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["description"] == "A tree."
    assert schema["required"] == ["leaves", "texts", "more"]
    assert schema["properties"]["colour"] == {"enum": ["green", "red"]}
    assert schema["properties"]["age"] == {"type": ["integer", "null"]}
    leaves = {"type": "array", "items": {"$ref": "#/$defs/Leaf"}, "description": "its leaves", "maxItems": 3}
    assert schema["properties"]["leaves"] == leaves
    assert Draft202012Validator(schema).is_valid(PLAIN)


@pytest.mark.parametrize(
    "wrong",
    [
        {"extra": 1},
        {"colour": None},
        {"colour": "blue"},
        {"age": "x"},
        {"texts": {"fr": "x"}},
        {"more": []},
        {"leaves": PLAIN["leaves"] + PLAIN["leaves"][:1]},
        {"leaves": [{"number": 1}]},
        {"leaves": [{"number": {"below": 3, "above": 1}, "is": "a"}]},
        {"leaves": [{"number": {}, "is": "a"}]},
        {"leaves": [{"number": {"withheld": "secret"}, "is": "a"}]},
    ],
)
def test_what_the_schema_rejects(wrong):
    assert not Draft202012Validator(Tree.json_schema()).is_valid({**PLAIN, **wrong})


def test_every_class_of_a_document_is_described_and_used():
    definitions = {**CheckFile.json_schema()["$defs"], **Plan.json_schema()["$defs"], **Entry.json_schema()["$defs"]}
    classes = {
        name: one
        for module in DOCUMENTS
        for name, one in vars(module).items()
        if isinstance(one, type) and issubclass(one, JSONObject) and one.__module__ == module.__name__
    }
    assert set(classes) == set(definitions) | {"CheckDocument", "CheckFile", "Plan", "Entry"}
    for name, one in classes.items():
        assert not (one.__doc__ or "").startswith(f"{name}("), "dataclass writes that if there is no docstring"
        assert fields(one)
