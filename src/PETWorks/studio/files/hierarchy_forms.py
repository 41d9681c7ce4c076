"""Hierarchies in the fields of a form, and in the policy file."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PETWorks.about.hierarchies.dates import CALENDARS, UNITS
from PETWorks.about.hierarchies.declaration import Declaration
from PETWorks.about.hierarchies.groups import OTHER
from PETWorks.errors import HierarchyError
from PETWorks.studio.files.policy_file import Change
from PETWorks.studio.pages.page import Form
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.files import path_from

Words = Mapping[str, Any]
Counts = Mapping[str | None, int]
Member = tuple[str, list[str]]  # a value, and the groups that it is in, the smallest first

# The kinds of which there is a form, with the fields of a single line that each has.
KINDS: Mapping[str, tuple[str, ...]] = {
    "width": ("width", "start", "bottom", "top"),
    "cuts": (),
    "quantiles": ("quantiles",),
    "dates": (),
    "prefix": ("prefix",),
    "mask": ("mask",),
    "icd10": (),
    "groups": (),
    "order": ("sizes",),
    "rare": ("rare", "label"),
}
LISTS = ("width", "quantiles", "prefix", "mask", "sizes", "rare")
DIAGNOSES = ("category", "chapter")
CHOICES = {"dates": UNITS, "icd10": DIAGNOSES, "calendar": CALENDARS}
WITH_FIELDS = 60  # values that have a field of their own in the form of groups
MOST_LISTED = 1_000  # values that a form lists
MOST_TEXT = 40_000  # characters of them
ABOVE = ">"  # between a group and the one that it is in

_SEPARATOR = re.compile(r"[\s,;，、；]+")


def kind_of(words: Words) -> str:
    """The form in which a declaration is changed; ends alone are in that of intervals."""
    return next((kind for kind in KINDS if kind in words), "width")


def fields_of(words: Words) -> dict[str, Any]:
    """A declaration as the fields of its form."""
    fields: dict[str, Any] = {key: str(words[key]) for key in ("start", "bottom", "top", "calendar") if key in words}
    fields |= {key: _joined(words[key]) for key in LISTS if key in words and key != "rare"}
    fields |= {key: [str(one) for one in _listed(words[key])] for key in ("dates", "icd10") if key in words}
    if "cuts" in words:
        given = _listed(words["cuts"])
        fields["cuts"] = "\n".join(map(_joined, given if isinstance(given[0], list | tuple) else [given]))
    if "order" in words:
        fields["order"] = "\n".join(map(str, _listed(words["order"])))
    if "groups" in words:
        fields["members"] = list(_members(words["groups"], ()))
    if "rare" in words:
        fields |= {"rare": _joined(words["rare"]["fewer_than"]), "label": str(words["rare"].get("label", ""))}
    return fields


def fields_sent(kind: str, form: Form) -> dict[str, Any]:
    """The same of a form that was sent, as the user typed it."""
    fields: dict[str, Any] = {key: form.text(key) for key in (*KINDS[kind], "cuts", "order", "calendar", "rest")}
    fields |= {key: form.texts(key) for key in ("dates", "icd10")}
    fields["members"] = _members_sent(form)
    return fields


def words_of(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What the fields of a form declare; `Declaration.of` finds what is wrong with it."""
    words: dict[str, Any] = {}
    for key in KINDS[kind]:
        text = fields.get(key, "")
        if text and key in LISTS:
            words[key] = [_number(item) for item in _items(text)]
        elif text and key != "label":
            words[key] = _number(text)
    if kind == "cuts":
        lines = [_items(line) for line in fields.get("cuts", "").splitlines() if line.strip()]
        words["cuts"] = [[_number(item) for item in line] for line in lines]
    if kind == "dates":
        words["dates"] = [unit for unit in UNITS if unit in fields.get("dates", ())]
        if fields.get("calendar") == "roc":
            words["calendar"] = "roc"
    if kind == "icd10":
        words["icd10"] = [level for level in DIAGNOSES if level in fields.get("icd10", ())]
    if kind == "order":
        words = {"order": [line.strip() for line in fields.get("order", "").splitlines() if line.strip()], **words}
    if kind == "groups":
        words["groups"] = _nested(fields.get("members", ()), fields.get("rest", ""))
    if kind == "rare":
        limits = words.pop("rare", [])
        label = fields.get("label", "")
        words["rare"] = {"fewer_than": limits, **({"label": label} if label and label != OTHER else {})}
    missing = [key for key, given in words.items() if given in ([], {}, {"fewer_than": []})]
    if missing or not words:
        raise HierarchyError("{kind}: nothing is given; fill in the form", kind=kind)
    return words


def offered(kind: str, counts: Counts, known: Mapping[str, Any]) -> dict[str, Any]:
    """What a form begins with: the fields that are known, and the values where these are to be listed."""
    fields = dict(known)
    values = sorted(
        (value for value in counts if value is not None and value != SUPPRESSED), key=lambda value: (len(value), value)
    )
    fields["is_cut"] = len(values) > MOST_LISTED or sum(map(len, values)) > MOST_TEXT
    if kind == "order" and not fields.get("order") and not fields["is_cut"]:
        fields["order"] = "\n".join(sorted(values))
    if kind == "groups":
        grouped = dict(fields.get("members", ()))
        listed = [] if fields["is_cut"] else sorted(values)
        members = {value: grouped.get(value, []) for value in listed} | grouped
        fields["members"] = list(members.items())[: MOST_LISTED * 2]
        fields["as_fields"] = len(members) <= WITH_FIELDS
        fields["members_text"] = "" if fields["as_fields"] else _as_lines(fields["members"])
        fields["is_cut"] = fields["is_cut"] or len(fields["members_text"]) > 2 * MOST_TEXT
    return fields


def path_text(groups: Sequence[str]) -> str:
    """The groups of a value as one text."""
    return f" {ABOVE} ".join(groups)


def options_of(words: Words) -> list[str] | None:
    """The options with which `petworks hierarchy` shows the same; None if it has none for it."""
    options: list[str] = []
    for key, given in words.items():
        if key == "cuts":
            levels = _listed(given)
            levels = levels if isinstance(levels[0], list | tuple) else [levels]
            options += [part for level in levels for part in ("--cuts", as_items(_listed(level)))]
        elif key == "groups":
            if not all(isinstance(members, list | tuple) for members in given.values()):
                return None
            for name, members in given.items():
                options += ["--group", f"{name}={as_items(members)}"]
        elif key == "rare":
            if "label" in given:
                return None
            options += ["--rare", as_items(_listed(given["fewer_than"]))]
        else:
            options += [f"--{key}", as_items(_listed(given))]
    return options


def _members_sent(form: Form) -> list[Member]:
    """Values with their groups, from a field for each or from lines."""
    values, groups = form.beginning("value-"), form.beginning("group-")
    members = [(values[place], _path(groups.get(place, ""))) for place in values]
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


def _path(text: str) -> list[str]:
    return [group.strip() for group in text.split(ABOVE) if group.strip()]


def _nested(members: Iterable[Member], rest: str) -> dict[str, Any]:
    """Groups of values, and groups of groups, as a policy has them; values without a group are in that of the rest."""
    groups: dict[str, Any] = {}
    for value, own in members:
        path = own or ([rest] if rest else [])
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
            yield from ((str(value), list(path)) for value in _listed(members))


def _as_lines(members: Iterable[Member]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";", lineterminator="\n").writerows([value, *groups] for value, groups in members)
    return text.getvalue()


def as_items(given: Iterable[Any]) -> str:
    """Texts between commas, as options of commands have them."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="").writerow(list(map(str, given)))
    return text.getvalue()


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


def _joined(given: Any) -> str:
    return ", ".join(map(str, _listed(given)))


def _items(text: str) -> list[str]:
    return [item for item in _SEPARATOR.split(text.strip()) if item]


def _number(text: str) -> int | float | str:
    """A number as YAML writes it; any other text as it is, for the error to name."""
    if re.fullmatch(r"[+-]?(0|[1-9]\d{0,17})", text, re.ASCII):
        return int(text)
    if re.fullmatch(r"-?(0|[1-9]\d{0,8})\.\d{1,9}", text, re.ASCII) and str(float(text)) == text:
        return float(text)
    return text


LONG = 12  # items that are listed one below the other
BOUNDS = ("exactly", "at_least", "at_most")


def with_hierarchies(new: Mapping[str, Words | None], given: Mapping[str, Declaration | Path], folder: Path) -> Change:
    """The change that declares the hierarchies of some columns, or removes them.

    new      what is declared for each column; None to remove what is there
    given    all hierarchies as they are now, for a policy that names a folder or leaves it to the file beside the table
    folder   the policy's, from where its paths start
    """

    def change(document: Any) -> None:
        from ruamel.yaml.comments import CommentedMap

        hierarchies = document.get("hierarchies")
        if not isinstance(hierarchies, dict):
            hierarchies = CommentedMap()
            for column, one in given.items():
                hierarchies[column] = _relative(one, folder) if isinstance(one, Path) else _in_yaml(one.words)
            _put(document, "hierarchies", hierarchies)
        below = ""
        for column, words in new.items():
            if words is None:
                below += _remove(hierarchies, _key(hierarchies, column))
            else:
                _put(hierarchies, _key(hierarchies, column), _in_yaml(words))
        if not hierarchies:
            document["hierarchies"] = _in_yaml({})
            _set_comment_below(document, "hierarchies", below)

    return change


def with_bounds(levels: Mapping[str, int], heights: Mapping[str, int], bound: str) -> Change:
    """The change that fixes the levels of columns, or bounds them; a bound that says nothing is removed."""

    def change(document: Any) -> None:
        from ruamel.yaml.comments import CommentedMap

        settings = document.get("anonymize")
        known = settings.get("levels") if isinstance(settings, dict) else None
        bounds = known if isinstance(known, dict) else CommentedMap()
        below = ""
        for column, level in levels.items():
            says_nothing = {"exactly": False, "at_least": level == 0, "at_most": level == heights[column]}[bound]
            if says_nothing:
                below += _remove(bounds, _key(bounds, column))
            else:
                _put(bounds, _key(bounds, column), level if bound == "exactly" else _in_yaml({bound: level}))
        if not bounds and known is not None:
            _set_comment_below(settings, "levels", below)
            below = _remove(settings, "levels")
            if not settings:
                _set_comment_below(document, "anonymize", below)
                _remove(document, "anonymize")
        elif bounds and known is not bounds:
            if not isinstance(settings, dict):
                settings = CommentedMap()
                _put(document, "anonymize", settings)
            _put(settings, "levels", bounds)

    return change


def _key(mapping: Any, column: str) -> Any:
    """The key of a column, which may have blanks around it."""
    return next((key for key in mapping if str(key).strip() == column), column)


def _put(mapping: Any, key: Any, value: Any) -> None:
    """Set a key. A new one comes before the last, which has the comments below it."""
    if key not in mapping:
        mapping.insert(max(len(mapping) - 1, 0), key, value)
        return
    below = _comment_below(mapping, key)
    mapping[key] = value
    mapping.ca.items.pop(key, None)  # at the end of the line: it was about what stood there
    _set_comment_below(mapping, key, below)


def _remove(mapping: Any, key: Any) -> str:
    """Remove a key; comments below it go to the key before, or are returned if there is none."""
    if key not in mapping:
        return ""
    keys = list(mapping)
    below, before = _comment_below(mapping, key), keys[keys.index(key) - 1] if keys[0] != key else None
    del mapping[key]
    mapping.ca.items.pop(key, None)
    if before is None:
        return below
    _set_comment_below(mapping, before, _comment_below(mapping, before) + below, keep=True)
    return ""


def _last(container: Any, key: Any) -> tuple[Any, Any, int]:
    """Where the library keeps the comment behind an entry: at the last scalar in it."""
    value: Any = container[key]
    is_mapping = isinstance(value, dict)
    if hasattr(value, "fa") and value and not value.fa.flow_style():
        return _last(value, list(value)[-1] if is_mapping else len(value) - 1)
    return container, key, 2 if isinstance(container, dict) else 0


def _comment_below(mapping: Any, key: Any) -> str:
    """The comment in the lines behind an entry."""
    container, last, slot = _last(mapping, key)
    token = (container.ca.items.get(last) or [None] * 4)[slot]
    return "" if token is None else str(token.value).partition("\n")[2]


def _set_comment_below(mapping: Any, key: Any, text: str, *, keep: bool = False) -> None:
    """Set the comment in the lines behind an entry; that at the end of its line is kept, or there is none."""
    from ruamel.yaml.error import CommentMark
    from ruamel.yaml.tokens import CommentToken

    container, last, slot = _last(mapping, key)
    tokens = container.ca.items.get(last) or [None, None, None, None]
    first = str(tokens[slot].value).partition("\n")[0] if keep and tokens[slot] is not None else ""
    if first or text:
        mark = tokens[slot].start_mark if first else CommentMark(0)
        tokens[slot] = CommentToken(f"{first}\n{text}", mark, None)
        container.ca.items[last] = tokens


def _in_yaml(given: Any) -> Any:
    """Words as a policy has them: short ones on one line, long lists one item below the other."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    new: Any
    if isinstance(given, Mapping):
        new = CommentedMap({str(key): _in_yaml(one) for key, one in given.items()})
    elif isinstance(given, list | tuple):
        new = CommentedSeq([_in_yaml(one) for one in given])
    else:
        return given
    if _number_of_items(given) <= LONG:
        new.fa.set_flow_style()
    else:
        new.fa.set_block_style()
    return new


def _number_of_items(given: Any) -> int:
    if isinstance(given, Mapping):
        return sum(map(_number_of_items, given.values()))
    return sum(map(_number_of_items, given)) if isinstance(given, list | tuple) else 1


def _relative(path: Path, folder: Path) -> str:
    return path_from(folder.resolve(), path.resolve())
