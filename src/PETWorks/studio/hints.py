"""What a user of the page can do about an error, in the words of the page."""

from collections.abc import Mapping

from PETWorks.errors import PYTHON, Hint

HINTS: Mapping[Hint, str] = {
    **PYTHON,
    Hint.IDENTIFIERS: "see the step Columns",
    Hint.QUASI_IDENTIFIERS: "see the step Columns",
    Hint.SENSITIVE_ATTRIBUTES: "see the step Columns",
    Hint.HIERARCHIES: "see the step Levels",
    Hint.ROOT: "put the policy and its files in one folder",
}
