"""Types of JSON documents: as plain values and back, and the schema made from them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import pytest
from jsonschema import Draft202012Validator
from msgspec import UNSET, UnsetType, field

from PETWorks.anonymizer.plan import Plan
from PETWorks.errors import Phrase
from PETWorks.gate.diff import Comparison
from PETWorks.gate.document import CheckFile, Entry, parse_document
from PETWorks.json_types import Bound, JSONObject, Real, described, keys


class Leaf(JSONObject, frozen=True):
    """A leaf."""

    number: Real | Bound | None
    name: str = field(name="is")


class Tree(JSONObject, frozen=True, kw_only=True):
    """A tree.

    More about trees.
    """

    leaves: Annotated[tuple[Leaf, ...], described("its leaves", max_length=3)]
    colour: Literal["green", "red"] | None = None
    age: int | UnsetType | None = UNSET
    texts: Annotated[Mapping[Literal["en", "zh-TW"], str], keys(Literal["en", "zh-TW"])] | str
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
    assert Tree.from_dict(red).age is UNSET
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
    content = {**PLAIN, **wrong}
    assert not Draft202012Validator(Tree.json_schema()).is_valid(content)
    if wrong == {"colour": None}:  # read as a key that is left out
        assert Tree.from_dict(content) == TREE
    else:
        with pytest.raises(msgspec.ValidationError):
            Tree.from_dict(content)
        assert "violates" in parse_document(Tree, content)


def test_what_msgspec_does_not_know_becomes_plain():
    tree = Tree(leaves=(), texts="x", more=MappingProxyType({"a": Phrase("b"), "c": (np.float64(1.5),)}))
    assert tree.to_dict()["more"] == {"a": "b", "c": [1.5]}
    assert [type(value) for value in (tree.to_dict()["more"]["a"], *tree.to_dict()["more"]["c"])] == [str, float]


def test_numbers_keep_their_form():
    for number in (5, 5.0, 10**30, -0.0):
        assert repr(Leaf.from_dict({"number": number, "is": "a"}).number) == repr(number)


def test_an_integer_with_a_decimal_point_is_reported_with_its_place():
    assert parse_document(Tree, {**PLAIN, "age": 5.0}) == "age violates 'type' of the schema"


def test_every_class_of_a_document_is_described_and_used():
    documents = (CheckFile, Plan, Entry)
    definitions = {name: schema for one in documents for name, schema in one.json_schema()["$defs"].items()}
    assert {**definitions, "Plan": 0}.keys() >= {"Bound", "AnonymizationFacts", "PlannedRule", "ReleasesFacts", "Plan"}
    for schema in (*definitions.values(), *(one.json_schema() for one in (*documents, Comparison))):
        assert schema["description"].endswith((".", "kept", ":"))
        assert schema["properties"]
