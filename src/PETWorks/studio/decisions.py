"""What is decided in a policy, as fields of forms: rules, waivers, context, regimes and sign-off.

Each form gives a change of the YAML document. A value that the user did not touch stays as it is written.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from PETWorks.errors import InputError, PETWorksError, Phrase
from PETWorks.gate.presets import presets
from PETWorks.gate.regimes import regimes
from PETWorks.measures.catalogue import Metric, catalogue, find
from PETWorks.studio.page import Form
from PETWorks.studio.policy_file import Change

Content = Mapping[str, Any]
WAIVER = ("rule", "owner", "reason", "expires")
EARLIER = ("what", "date", "recipients")
SIGN_OFF = ("approver", "role", "review_by", "incident_contact")
LIMITS = ("highest-risk", "average-risk", "uniques", "inference")
KINDS = ("", "public", "controlled", "internal")
SPOKEN = ("owner", "reason", "what", "recipients", "why", "purpose", "approver", "role", "incident_contact")
MOST_ROWS = 100
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,15})")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,15})\.[0-9]{1,15}")


def text_in(value: Any, lang: str) -> str:
    """A value as a field shows it: a text in the language of the page, if the policy has it in several."""
    if isinstance(value, Mapping):
        value = value.get(lang, next(iter(value.values()), ""))
    return "" if value is None else str(value)


def known_measure(name: Any) -> Metric | None:
    """The measure that a rule names; None if there is none of that name."""
    try:
        return find(str(name))
    except PETWorksError:
        return None


def rules_change(form: Form, content: Content, lang: str) -> Change:
    """Presets, rules of the policy's own, and limits on every subset."""

    def change(document: Any) -> None:
        _choose(document, "presets", form.texts("preset"), presets())
        own, said = _rows(document, "rules"), _rows(content, "rules")
        for place in reversed(range(len(own))):
            if form.text(f"rule-{place}-remove"):
                del own[place]
            else:
                _set_rule(own[place], said[place], form, f"rule-{place}-", lang)
        measure = form.text("new-measure")
        if measure:
            if measure not in catalogue:
                raise InputError("choose a measure of the list")
            own.append({"measure": measure})
            _set_rule(own[-1], {}, form, "new-", lang)
        _attach(document, "rules", own)
        _subsets(document, form, content)

    return change


def _set_rule(rule: Any, said: Content, form: Form, start: str, lang: str) -> None:
    """Parameters, the name and the reason of a rule."""
    measure = known_measure(rule["measure"])
    for name in () if measure is None else measure.parameters:
        _set(rule, said, name, form, f"{start}p-{name}")
    _set(rule, said, "name", form, f"{start}name")
    _set_spoken(rule, said, "why", form, f"{start}why", lang)


def _subsets(document: Any, form: Form, content: Content) -> None:
    section, said = _mapping(document, "subsets"), _mapping(content, "subsets")
    limits, said_limits = _mapping(section, "limits"), _mapping(said, "limits")
    for place, name in enumerate(limit_names(content)):
        _set(limits, said_limits, name, form, f"limit-{place}")
    _set(section, said, "sizes", form, "sizes")
    if limits and "sizes" not in section:
        section["sizes"] = "all"
    _attach(section, "limits", limits)
    _attach(document, "subsets", section)


def limit_names(content: Content) -> list[str]:
    """The limits on subsets that a form shows: those that there are, and those of the policy, `inference:income`."""
    given = _mapping(_mapping(content, "subsets"), "limits")
    return [*LIMITS, *(name for name in given if name not in LIMITS)]


def waivers_change(form: Form, content: Content, lang: str) -> Change:
    """Rules that need not hold until a day."""

    def change(document: Any) -> None:
        rows = _rows(document, "waivers")
        _set_rows(rows, _rows(content, "waivers"), form, "waiver", WAIVER, lang)
        _attach(document, "waivers", rows)

    return change


def context_change(form: Form, content: Content, lang: str) -> Change:
    """Who gets the release, what for, and what is assumed."""

    def change(document: Any) -> None:
        section, said = _mapping(document, "context"), _mapping(content, "context")
        _set(section, said, "release", form, "release")
        for name in ("purpose", "recipients"):
            _set_spoken(section, said, name, form, name, lang)
        _set_lines(section, "assumptions", form.text("assumptions"), lang)
        earlier = _rows(section, "earlier_releases")
        _set_rows(earlier, _rows(said, "earlier_releases"), form, "earlier", EARLIER, lang)
        if earlier or form.text("none-earlier"):
            if section.get("earlier_releases") is not earlier:
                section["earlier_releases"] = earlier
        else:
            section.pop("earlier_releases", None)
        _attach(document, "context", section)

    return change


def regimes_change(form: Form, _content: Content, _lang: str) -> Change:
    """Standards and laws whose checklist applies."""
    return lambda document: _choose(document, "regimes", form.texts("regime"), regimes())


def sign_off_change(form: Form, content: Content, lang: str) -> Change:
    """Who answers for the release."""

    def change(document: Any) -> None:
        section, said = _mapping(document, "sign_off"), _mapping(content, "sign_off")
        for name in SIGN_OFF:
            if name in SPOKEN:
                _set_spoken(section, said, name, form, name, lang)
            else:
                _set(section, said, name, form, name)
        _attach(document, "sign_off", section)

    return change


CHANGES = {
    "rules": rules_change,
    "waivers": waivers_change,
    "context": context_change,
    "regimes": regimes_change,
    "sign-off": sign_off_change,
}


def _choose(document: Any, key: str, wanted: Sequence[str], known: Mapping[str, Any]) -> None:
    """A list of names: those that stay keep their place, new ones come last."""
    unknown = [name for name in wanted if name not in known]
    if unknown:
        choose = {"presets": Phrase("choose presets of the list"), "regimes": Phrase("choose regimes of the list")}
        raise InputError(choose[key])
    names = _rows(document, key)
    for place in reversed(range(len(names))):
        if names[place] not in wanted:
            del names[place]
    names.extend(name for name in dict.fromkeys(wanted) if name not in names)
    _attach(document, key, names)


def _set_rows(rows: Any, said: Sequence[Any], form: Form, kind: str, keys: Sequence[str], lang: str) -> None:
    """Rows of a table of fields: some are changed or removed, and one may be new."""
    for place in reversed(range(len(rows))):
        if form.text(f"{kind}-{place}-remove"):
            del rows[place]
        else:
            _set_row(rows[place], said[place], form, f"{kind}-{place}-", keys, lang)
    if any(form.text(f"{kind}-new-{key}") for key in keys):
        if len(rows) >= MOST_ROWS:
            raise InputError("the page shows at most {most}; edit the policy file for more", most=MOST_ROWS)
        rows.append({})
        _set_row(rows[-1], {}, form, f"{kind}-new-", keys, lang)


def _set_row(row: Any, said: Content, form: Form, start: str, keys: Sequence[str], lang: str) -> None:
    for key in keys:
        if key in SPOKEN:
            _set_spoken(row, said, key, form, f"{start}{key}", lang)
        else:
            _set(row, said, key, form, f"{start}{key}")


def _set(section: Any, said: Content, key: str, form: Form, field: str) -> None:
    """Set a key to what a field has, unless that is what the policy says already; an empty field removes it."""
    if field not in form.fields or isinstance(said.get(key), Mapping):
        return
    text = form.text(field)
    if text == str(said.get(key, "")).strip():
        return
    if text:
        section[key] = _scalar(text)
    else:
        section.pop(key, None)


def _set_spoken(section: Any, said: Content, key: str, form: Form, field: str, lang: str) -> None:
    """The same for a text that may be there in several languages: that of the page is changed."""
    if field not in form.fields:
        return
    text = form.text(field).replace("\r\n", "\n")
    if text == text_in(said.get(key), lang).strip():
        return
    now = section.get(key)
    if isinstance(now, dict):
        if text:
            now[lang] = text
        else:
            now.pop(lang, None)
        _attach(section, key, now)
    elif text:
        section[key] = text
    else:
        section.pop(key, None)


def _set_lines(section: Any, key: str, text: str, lang: str) -> None:
    """A list of texts, one on each line; those that stay keep their translation."""
    rows = _rows(section, key)
    known = {" ".join(text_in(row, lang).split()): row for row in rows}
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if lines != list(known):
        rows[:] = [known.get(line, line) for line in lines]
        _attach(section, key, rows)


def _scalar(text: str) -> int | float | str:
    """What YAML has for a text: a number where it is one, so that it needs no quotes."""
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _rows(section: Any, key: str) -> Any:
    rows = section.get(key)
    return rows if isinstance(rows, list) else []


def _mapping(section: Any, key: str) -> Any:
    mapping = section.get(key)
    return mapping if isinstance(mapping, dict) else {}


def _attach(section: Any, key: str, value: Any) -> None:
    """Put a list or a mapping in its place if it is not there, and remove it if it is empty."""
    if not value:
        section.pop(key, None)
    elif section.get(key) is not value:
        section[key] = value
