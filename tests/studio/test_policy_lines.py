"""Whatever a policy looks like, it says what it should after an edit, and what nobody changed stays as it was."""

import random

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.studio.files.policy_file import edit_policy

LAID_OUT = """\
petworks_policy: 1  # version
data: x.csv
roles:
  identifiers:  # names
    - a   # first
    # between
    - "b"  # second
  quasi_identifiers: [c, d]  # in brackets
  sensitive_attributes: []  # none
# no_role: {column: reason}  # a comment on it
privacy_unit: a  # person

# behind
rules: []
"""
LISTS = ("identifiers", "quasi_identifiers", "sensitive_attributes", "insensitive_attributes")


def read(text):
    return yaml.load(text, yaml.BaseLoader)


def comments(text):
    return sorted(line[line.index("#") :] for line in text.splitlines() if "#" in line)


def roles(**lists):
    return {"roles": {key: list(value) for key, value in lists.items()}}


def test_a_line_moves_with_its_comment():
    after = edit_policy(LAID_OUT, roles(identifiers="b", quasi_identifiers="cd", sensitive_attributes="a"))
    assert '    # between\n    - "b"  # second\n  quasi' in after
    assert "  sensitive_attributes:  # none\n    - a   # first\n# no_role" in after
    assert comments(after) == comments(LAID_OUT)


def test_an_empty_list_stays_with_its_comment():
    after = edit_policy(LAID_OUT, roles(identifiers="", quasi_identifiers="cdab", sensitive_attributes=""))
    assert "  identifiers: []  # names\n    # between\n  quasi_identifiers: [c, d, a, b]  # in brackets\n" in after


def test_a_key_that_a_comment_shows_takes_its_place():
    after = edit_policy(LAID_OUT, {"no_role": {"e": "why", "f: g": "yes"}})
    assert 'no_role:  # a comment on it\n  e: why\n  "f: g": "yes"\nprivacy_unit: a  # person\n' in after
    assert edit_policy(after, {"no_role": {"f: g": {"en": "no", "zh-TW": "否"}}}).count("\n") == after.count("\n") - 1
    assert "no_role" not in read(edit_policy(after, {"no_role": None}))
    assert "# behind" in edit_policy(after, {"no_role": None, "privacy_unit": None})


ODD = [
    "petworks_policy: 1\nroles: {identifiers: [a], quasi_identifiers: [b]}\n",
    "petworks_policy: 1\nroles:\n  identifiers:\n  - a\n  -   b  # c\n  quasi_identifiers:\n    [c,\n     d]\n",
    '{"petworks_policy": 1, "roles": {"identifiers": ["a"]}, "privacy_unit": "a"}\n',
    "petworks_policy: 1\r\nroles:\r\n  identifiers:\r\n    - a\r\n",
    "petworks_policy: 1\nno_role:\n  a: >\n    long\n    text\n  b: |\n    x\n# end\n",
    "data: x\npetworks_policy: 1\nno_role: {a: b}\nroles: {}",
]


@pytest.mark.parametrize("text", [LAID_OUT, *ODD])
@given(seed=st.integers(0, 10_000))
def test_any_edit_of_any_layout_says_what_it_should(text, seed):
    chance = random.Random(seed)
    before = read(text)
    given_lists = before.get("roles", {})
    columns = ["a", "b", "c", "d", "null", "- x", "k: v # w", "王"]
    now = {column: chance.choice((*LISTS, None)) for column in columns}
    lists = {}
    for key in LISTS:
        kept = [one for one in given_lists.get(key, []) if now[one] == key]
        lists[key] = kept + [one for one in columns if now[one] == key and one not in kept]
    wanted = {
        "roles": {key: value for key, value in lists.items() if value or key in given_lists},
        "no_role": {
            one: chance.choice(["r", "x: y", "#", {"en": "a", "zh-TW": "乙"}]) for one in columns if not now[one]
        }
        or None,
        "privacy_unit": chance.choice([None, "a", "- x"]),
    }
    if not wanted["roles"]:
        del wanted["roles"]
    after = read(edit_policy(text, wanted))
    expected = {key: value for key, value in {**before, **wanted}.items() if value is not None}
    assert after == expected
