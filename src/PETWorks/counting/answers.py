"""Answers that are remembered, so that nothing is counted twice, and many questions that are asked at once."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

from PETWorks.counting.questions import Question

Summary = TypeVar("Summary")


class Answers:
    """The answers of a view."""

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}
        self._answers: dict[Hashable, dict[Hashable, Any]] = {}  # by question, then by limit

    def remembered(self, key: Hashable, make: Callable[[], Summary]) -> Summary:
        """Something that is made once."""
        if key not in self._made:
            self._made[key] = make()
        made: Summary = self._made[key]
        return made

    def to(self, question: Question[Summary]) -> Summary:
        """The answer to a question; without a limit, the answer with any limit will do."""
        if not self.know(question):
            self._keep(question, question.table.ask([question])[0])
        by_limit = self._answers[question.key]
        answer: Summary = by_limit[question.limit] if question.limit in by_limit else next(iter(by_limit.values()))
        return answer

    def prepare(self, wanted: Iterable[Question[Any]]) -> None:
        """Answer questions that have not been answered, those to one table together."""
        by_table: dict[int, dict[tuple[Hashable, Hashable], Question[Any]]] = {}
        for question in sorted(wanted, key=lambda question: question.limit is None):
            asked = by_table.setdefault(id(question.table), {})
            covered = question.limit is None and any(key == question.key for key, _ in asked)
            if not covered and not self.know(question):
                asked[question.key, question.limit] = question
        for asked in by_table.values():
            if asked:
                answers = next(iter(asked.values())).table.ask(list(asked.values()))
                for question, answer in zip(asked.values(), answers, strict=True):
                    self._keep(question, answer)

    def know(self, question: Question[Any]) -> bool:
        """Whether a question has been answered."""
        by_limit = self._answers.get(question.key, {})
        return question.limit in by_limit or (question.limit is None and bool(by_limit))

    def _keep(self, question: Question[Any], answer: Any) -> None:
        self._answers.setdefault(question.key, {})[question.limit] = answer
