"""What a user of the page can do about an error, in the words of the page."""

from collections.abc import Mapping

from PETWorks.errors import PYTHON, Hint, Phrase

HINTS: Mapping[Hint, str] = {
    **PYTHON,
    Hint.IDENTIFIERS: Phrase("see the step Columns"),
    Hint.QUASI_IDENTIFIERS: Phrase("see the step Columns"),
    Hint.SENSITIVE_ATTRIBUTES: Phrase("see the step Columns"),
    Hint.HIERARCHIES: Phrase("see the step Levels"),
    Hint.ROOT: Phrase("put the policy and its files in one folder"),
}
