"""Conversion of hierarchies between form fields, declarations and the policy file."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PETWorks.about.hierarchies.dates import CALENDARS, UNITS
from PETWorks.about.hierarchies.declaration import Declaration
from PETWorks.about.hierarchies.groups import OTHER
from PETWorks.about.hierarchies.texts import AREAS, POSTCODE_LEVELS
from PETWorks.errors import HierarchyError
from PETWorks.studio.files.policy_file import Change, number_or_text, set_in
from PETWorks.studio.pages.page import Form, join_items
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.files import path_from

Words = Mapping[str, Any]
Counts = Mapping[str | None, int]
Member = tuple[str, list[str]]  # a value and its groups, the smallest first

# The kinds of hierarchy that have a form, each with its single-line fields.
KINDS: Mapping[str, tuple[str, ...]] = {
    "width": ("width", "start", "bottom", "top", "labels"),
    "cuts": ("labels",),
    "quantiles": ("quantiles", "labels"),
    "dates": ("labels",),
    "prefix": ("prefix",),
    "mask": ("mask",),
    "icd10": (),
    "address": (),
    "uk_postcode": (),
    "groups": (),
    "order": ("sizes",),
    "rare": ("rare", "label"),
}
LISTS = ("width", "quantiles", "prefix", "mask", "sizes", "rare")
DIAGNOSES = ("category", "chapter")
LEVEL_NAMES = ("dates", "icd10", "address", "uk_postcode")  # kinds whose form has a box for each level
CHOICES = {
    "dates": UNITS,
    "icd10": DIAGNOSES,
    "address": AREAS,
    "uk_postcode": POSTCODE_LEVELS,
    "calendar": CALENDARS,
    "day_first": ("", "true", "false"),
}
MAX_VALUE_FIELDS = 60  # values with a field of their own in the form of groups; more are edited as a text
MAX_LISTED = 1_000  # values that a form lists
MAX_TEXT = 40_000  # characters of the listed values
ABOVE = ">"  # between a group and the group that contains it
MAX_ITEMS_ON_LINE = 12  # longer lists are written one item per line

_SEPARATOR = re.compile(r"[\s,;，、；]+")


def kind_of(words: Words) -> str:
    """The kind of form for a declaration; one with only a top or bottom uses the form of intervals."""
    return next((kind for kind in KINDS if kind in words), "width")


def fields_of(words: Words) -> dict[str, Any]:
    """Return the form fields for a declaration."""
    fields: dict[str, Any] = {
        key: str(words[key]) for key in ("start", "bottom", "top", "calendar", "day_first", "labels") if key in words
    }
    fields |= {key: _join(words[key]) for key in LISTS if key in words and key != "rare"}
    fields |= {key: [str(level) for level in _as_list(words[key])] for key in LEVEL_NAMES if key in words}
    if "cuts" in words:
        cuts = _as_list(words["cuts"])
        fields["cuts"] = "\n".join(map(_join, cuts if isinstance(cuts[0], list | tuple) else [cuts]))
    if "order" in words:
        fields["order"] = "\n".join(map(str, _as_list(words["order"])))
    if "groups" in words:
        fields["members"] = list(_members(words["groups"], ()))
    if "rare" in words:
        fields |= {"rare": _join(words["rare"]["fewer_than"]), "label": str(words["rare"].get("label", ""))}
    return fields


def fields_sent(kind: str, form: Form) -> dict[str, Any]:
    """Return the fields of a submitted form, as the user typed them."""
    fields: dict[str, Any] = {
        key: form.text(key) for key in (*KINDS[kind], "cuts", "order", "calendar", "day_first", "rest")
    }
    fields |= {key: form.texts(key) for key in LEVEL_NAMES}
    fields["members"] = _members_sent(form)
    return fields


def words_of(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the declaration that the fields of a form describe; `Declaration.of` validates it."""
    words: dict[str, Any] = {}
    for key in KINDS[kind]:
        text = fields.get(key, "")
        if text and key in LISTS:
            words[key] = [number_or_text(item) for item in _split(text)]
        elif text and key != "label":
            words[key] = number_or_text(text)
    if kind == "cuts" or (kind == "width" and fields.get("cuts", "").strip()):
        lines = [_split(line) for line in fields.get("cuts", "").splitlines() if line.strip()]
        words["cuts"] = [[number_or_text(item) for item in line] for line in lines]
    if kind == "dates":
        words["dates"] = [unit for unit in UNITS if unit in fields.get("dates", ())]
        if fields.get("calendar") == "roc":
            words["calendar"] = "roc"
        if fields.get("day_first"):
            words["day_first"] = fields["day_first"]
    if kind in ("icd10", "address", "uk_postcode"):
        words[kind] = [level for level in CHOICES[kind] if level in fields.get(kind, ())]
    if kind == "order":
        words = {"order": [line.strip() for line in fields.get("order", "").splitlines() if line.strip()], **words}
    if kind == "groups":
        words["groups"] = _nest(fields.get("members", ()), fields.get("rest", ""))
    if kind == "rare":
        limits = words.pop("rare", [])
        label = fields.get("label", "")
        words["rare"] = {"fewer_than": limits, **({"label": label} if label and label != OTHER else {})}
    missing = [key for key, value in words.items() if value in ([], {}, {"fewer_than": []})]
    if missing or not words:
        raise HierarchyError("{kind}: nothing is given; fill in the form", kind=kind)
    return words


def initial_fields(kind: str, counts: Counts, known: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with which a form starts: the known ones, and the values of the column where the form lists them."""
    fields = dict(known)
    values = sorted(
        (value for value in counts if value is not None and value != SUPPRESSED), key=lambda value: (len(value), value)
    )
    fields["is_cut"] = len(values) > MAX_LISTED or sum(map(len, values)) > MAX_TEXT
    if kind == "order" and not fields.get("order") and not fields["is_cut"]:
        fields["order"] = "\n".join(sorted(values))
    if kind == "groups":
        grouped = dict(fields.get("members", ()))
        listed = [] if fields["is_cut"] else sorted(values)
        members = {value: grouped.get(value, []) for value in listed} | grouped
        fields["members"] = list(members.items())[: MAX_LISTED * 2]
        fields["as_fields"] = len(members) <= MAX_VALUE_FIELDS
        fields["members_text"] = "" if fields["as_fields"] else _members_text(fields["members"])
        fields["is_cut"] = fields["is_cut"] or len(fields["members_text"]) > 2 * MAX_TEXT
    return fields


def path_text(groups: Sequence[str]) -> str:
    """The groups of a value as one text, such as "Taipei > North"."""
    return f" {ABOVE} ".join(groups)


def options_of(words: Words) -> list[str] | None:
    """The `petworks hierarchy` options for a declaration; None if the command has no option for it."""
    options: list[str] = []
    for key, value in words.items():
        if key == "cuts":
            levels = _as_list(value)
            levels = levels if isinstance(levels[0], list | tuple) else [levels]
            options += [part for level in levels for part in ("--cuts", join_items(_as_list(level)))]
        elif key == "groups":
            if not all(isinstance(members, list | tuple) for members in value.values()):
                return None
            for name, members in value.items():
                options += ["--group", f"{name}={join_items(members)}"]
        elif key == "rare":
            if "label" in value:
                return None
            options += ["--rare", join_items(_as_list(value["fewer_than"]))]
        else:
            options += [f"--{key.replace('_', '-')}", join_items(_as_list(value))]
    return options


def _members_sent(form: Form) -> list[Member]:
    """Values with their groups, from one field per value or from the lines of a text field."""
    values, groups = form.with_prefix("value-"), form.with_prefix("group-")
    members = [(value, _split_path(groups.get(index, ""))) for index, value in values.items()]
    text = form.text("mapping")
    if text:
        try:
            delimiter = "\t" if "\t" in text and ";" not in text else ";"
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
        except csv.Error:
            raise HierarchyError("groups: a quote is not closed in the list of values") from None
        members += [
            (row[0].strip(), [cell.strip() for cell in row[1:] if cell.strip()])
            for row in rows
            if row and row[0].strip()
        ]
    return members


def _split_path(text: str) -> list[str]:
    return [group.strip() for group in text.split(ABOVE) if group.strip()]


def _nest(members: Iterable[Member], rest: str) -> dict[str, Any]:
    """Nested groups, as in a policy; values without a group go into the group `rest`, if it is given."""
    groups: dict[str, Any] = {}
    for value, value_groups in members:
        path = value_groups or ([rest] if rest else [])
        if not path:
            continue
        inside: Any = groups
        for name in reversed(path[1:]):
            inside = inside.setdefault(name, {}) if isinstance(inside, dict) else None
            if not isinstance(inside, dict):
                raise HierarchyError("groups: a group contains both values and groups; give it one or the other")
        listed = inside.setdefault(path[0], [])
        if not isinstance(listed, list):
            raise HierarchyError("groups: a group contains both values and groups; give it one or the other")
        listed.append(value)
    return groups


def _members(groups: Mapping[Any, Any], above: tuple[str, ...]) -> Iterable[Member]:
    for name, members in groups.items():
        path = (str(name), *above)
        if isinstance(members, Mapping):
            yield from _members(members, path)
        else:
            yield from ((str(value), list(path)) for value in _as_list(members))


def _members_text(members: Iterable[Member]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";", lineterminator="\n").writerows([value, *groups] for value, groups in members)
    return text.getvalue()


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _join(value: Any) -> str:
    return ", ".join(map(str, _as_list(value)))


def _split(text: str) -> list[str]:
    return [item for item in _SEPARATOR.split(text.strip()) if item]


def with_hierarchies(
    new: Mapping[str, Words | None], present: Mapping[str, Declaration | Path], folder: Path
) -> Change:
    """Return a change of the policy that declares the hierarchies of some columns, or removes them.

    new      the declaration for each column; None removes the present one
    present  all present hierarchies, for a policy that names a folder or relies on the file beside the table
    folder   the folder of the policy, to which its paths are relative
    """

    def change(document: Any) -> None:
        from ruamel.yaml.comments import CommentedMap

        if not isinstance(document.get("hierarchies"), dict):
            given = {
                column: path_from(folder.resolve(), hierarchy.resolve())
                if isinstance(hierarchy, Path)
                else _to_yaml(hierarchy.words)
                for column, hierarchy in present.items()
            }
            set_in(document, ("hierarchies",), CommentedMap(given))
        for column, words in new.items():
            set_in(document, ("hierarchies", column), None if words is None else _to_yaml(words))
        if "hierarchies" not in document:
            set_in(document, ("hierarchies",), _to_yaml({}))

    return change


def _to_yaml(words: Any) -> Any:
    """A declaration for the policy: short ones on one line, long lists with one item per line."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    new: Any
    if isinstance(words, Mapping):
        new = CommentedMap({str(key): _to_yaml(item) for key, item in words.items()})
    elif isinstance(words, list | tuple):
        new = CommentedSeq([_to_yaml(item) for item in words])
    else:
        return words
    if _number_of_items(words) <= MAX_ITEMS_ON_LINE:
        new.fa.set_flow_style()
    else:
        new.fa.set_block_style()
    return new


def _number_of_items(words: Any) -> int:
    if isinstance(words, Mapping):
        return sum(map(_number_of_items, words.values()))
    return sum(map(_number_of_items, words)) if isinstance(words, list | tuple) else 1
