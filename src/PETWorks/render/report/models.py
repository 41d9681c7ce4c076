"""The regressions that the data are for, as sentences and as tables of coefficients."""

from collections.abc import Sequence

from PETWorks.gate.document import CheckDocument
from PETWorks.measures import numbers
from PETWorks.measures.utility.models import Coefficient, ModelResult
from PETWorks.render.language.language import message_text, percent, shorten_name, value_text

MAX_COEFFICIENTS = 200
HEADINGS = ("head.column", ">head.before", ">models.error", ">head.after", ">models.shift")


def model_texts(results: Sequence[ModelResult], lang: str) -> list[str]:
    """For each model, how well it explains the original if it is fitted on the release, and on the original."""
    texts = []
    for result in results:
        name = shorten_name(result.model.name)
        before, after = (_score(result, score, lang) for score in (result.before, result.after))
        text = message_text(lang, _sentence(result), model=name, before=before, after=after)
        if result.lost:
            text = f"{text} {message_text(lang, 'models.lost', columns=result.lost)}"
        texts.append(text)
    return texts


def texts_of_document(document: CheckDocument, lang: str) -> list[str]:
    """The sentences about the models of a document."""
    return model_texts(document.models, lang)


def _sentence(result: ModelResult) -> str:
    if result.after is None:
        return "models.none"
    if result.kind == "logistic":
        return "models.logistic"
    return "models.worse" if result.after < 0 else "models.linear"


def _score(result: ModelResult, score: float | None, lang: str) -> str:
    if score is None:
        return ""
    both = [found for found in (result.before, result.after) if found is not None]
    return percent(score, lang, both) if result.kind == "linear" else numbers.amount(score, both)


def coefficient_rows(result: ModelResult, lang: str) -> list[list[str]]:
    """The coefficients: term, before, standard error, after, and shift in standard errors."""
    return [
        [_term(coefficient, lang), *(_number(value, lang) for value in _values(coefficient))]
        for coefficient in result.coefficients[:MAX_COEFFICIENTS]
    ]


def _values(coefficient: Coefficient) -> tuple[float | None, ...]:
    return coefficient.before, coefficient.error, coefficient.after, coefficient.shift


def _term(coefficient: Coefficient, lang: str) -> str:
    if coefficient.column is None:
        return message_text(lang, "models.intercept")
    column = shorten_name(coefficient.column)
    return column if coefficient.category is None else f"{column} = {shorten_name(coefficient.category)}"


def _number(value: float | None, lang: str) -> str:
    return "–" if value is None else value_text(float(value), lang)
