"""What all pages share: templates, the user's language, the bar at the top, and errors with hints."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from PETWorks import __version__
from PETWorks.errors import PYTHON, Hint, InputError, PETWorksError, Phrase, of_system, printable
from PETWorks.gate.check.may_go_out import Obstacle
from PETWorks.measures.numbers import count
from PETWorks.render.language.language import (
    found_value,
    measure_name,
    name,
    objective_name,
    own,
    percent,
    put,
    rule_name,
    said,
    thresholds,
    translated,
)
from PETWorks.render.languages import ENGLISH, LANGUAGES
from PETWorks.render.terminal import command_line
from PETWorks.studio.server.case import Desk, Studio
from PETWorks.studio.server.jobs import Job

HINTS: Mapping[Hint, str] = {
    **PYTHON,
    Hint.IDENTIFIERS: Phrase("see the step Columns"),
    Hint.QUASI_IDENTIFIERS: Phrase("see the step Columns"),
    Hint.SENSITIVE_ATTRIBUTES: Phrase("see the step Columns"),
    Hint.HIERARCHIES: Phrase("see the step Levels"),
    Hint.ROOT: Phrase("put the policy and its files in one folder"),
}


STEPS = ("open", "columns", "risk", "levels", "safe", "compare", "decide")
LANGUAGE_COOKIE = "petworks-language"
MOST_FIELDS = 20_000
Made = TypeVar("Made")


@cache
def _environment() -> Any:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader("PETWorks.studio"), PackageLoader("PETWorks.render")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def language(request: Request) -> str:
    """The language that the user has chosen on the page or for the command, or that the browser asks for."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    works, asked = studio(request), request.headers.get("accept-language", "").strip().lower()
    if works.lang_chosen or asked in ("", "*"):
        return works.lang
    return "zh-TW" if asked.startswith("zh") else ENGLISH


def studio(request: Request) -> Studio:
    """What the server works on."""
    found: Studio = request.app.state.studio
    return found


async def desk_of(request: Request) -> Desk:
    """The desk of the policy that the address names."""
    return await run_in_threadpool(find_desk, request)


def find_desk(request: Request) -> Desk:
    """The same, where waiting is allowed."""
    works = studio(request)
    return works.desks.of(works.workspace.path(request.query_params.get("policy", "")))


def link(path: str, desk: Desk | None, request: Request, **values: str | list[str]) -> str:
    """The address of a page about the policy that is open; a value that is a list is there several times."""
    given = dict(values) if desk is None else {"policy": studio(request).workspace.relative(desk.file.path), **values}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def petworks(*arguments: str) -> str:
    """A command as users type it."""
    return command_line(["petworks", *arguments])


def job_link(path: str, job: Job, request: Request, /, **values: str) -> str:
    """The address of a page about the policy that a job was started for."""
    policy = job.purpose.policy
    named = {} if policy is None else {"policy": studio(request).workspace.relative(policy)}
    return f"{path}?{urlencode({**named, **values})}"


def _here(request: Request) -> str:
    """The address of the page that the user sees; a form that has a mistake is shown at the address it was sent to."""
    url = urlsplit(str(request.url) if request.method == "GET" else request.headers.get("referer", "/"))
    return (url.path or "/") + (f"?{url.query}" if url.query else "")


def rendered(request: Request, template: str, desk: Desk | None = None, **values: Any) -> str:
    """A template, or a part of a page, in the language of the user."""
    lang = language(request)
    text: str = (
        _environment()
        .get_template(template)
        .render(
            lang=lang,
            languages=[LANGUAGES[lang]],
            all_languages=LANGUAGES.values(),
            version=__version__,
            desk=desk,
            steps=STEPS,
            here=_here(request),
            running=studio(request).jobs.running,
            job_link=lambda job: job_link("/job", job, request, id=job.id),
            link=lambda path, **more: link(path, desk, request, **more),
            _=partial(said, lang),
            count=count,
            name=name,
            printable=printable,
            own=lambda text: own(text, lang),
            put=lambda value: put(value, lang),
            percent=lambda share: percent(share, lang),
            measure=lambda measure: measure_name(measure, lang),
            objective=lambda objective: objective_name(objective, lang),
            rule_name=lambda rule: rule_name(rule, lang),
            translated=lambda text: printable(translated(text, lang)),
            found_value=lambda rule: found_value(rule, lang),
            thresholds=lambda rule: thresholds(rule, lang),
            **values,
        )
    )
    return text


def page(request: Request, step: str, desk: Desk | None = None, status: int = 200, **values: Any) -> Response:
    """A whole page: the template with the name of the step."""
    return HTMLResponse(rendered(request, f"{step}.html", desk, step=step, **values), status)


def part(request: Request, template: str, desk: Desk | None = None, **values: Any) -> Response:
    """A part of a page, which the script puts in its place."""
    return HTMLResponse(rendered(request, template, desk, **values))


def see(request: Request, path: str, desk: Desk | None = None, **values: str) -> Response:
    """Go on with another page, after something was changed."""
    return RedirectResponse(link(path, desk, request, **values), 303)


class Form:
    """The fields of a form that was sent."""

    def __init__(self, body: bytes) -> None:
        try:
            self.fields = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
        except ValueError:
            raise InputError("the form cannot be read") from None

    def text(self, name: str) -> str:
        """A field; empty if it is not there."""
        return self.fields.get(name, [""])[-1].strip()

    def texts(self, name: str) -> list[str]:
        """All fields with a name."""
        return self.fields.get(name, [])

    def beginning(self, start: str) -> dict[str, str]:
        """The fields whose name begins so, by the rest of their name."""
        return {name.removeprefix(start): texts[-1] for name, texts in self.fields.items() if name.startswith(start)}


async def form_of(request: Request) -> Form:
    """The fields of the form that was sent."""
    return Form(await request.body())


def error_text(error: Exception, request: Request) -> str:
    """What is wrong, in the language of the user and with the words of the page for what could be done."""
    text = Phrase("not enough memory")
    if isinstance(error, PETWorksError):
        text = error.worded(HINTS)
    elif isinstance(error, OSError):
        text = of_system(error, lambda path: Path(path).name)
    return "\n".join(map(printable, translated(text, language(request)).split("\n")))  # a line for each mistake


async def show_error(request: Request, error: Exception) -> Response:
    """The page for input that cannot be used."""
    message = error_text(error, request).replace(f"{studio(request).workspace.root}/", "")  # as pages name files
    return error_page(request, message, 400)


def not_out_text(file: str, against: Obstacle, lang: str) -> str:
    """Why a file may not go out."""
    return said(lang, "studio.not-out", file=name(file), why=said(lang, f"obstacle.{against}"))


def error_page(request: Request, message: str, status: int) -> Response:
    """The page, or the part of one, for something that did not work."""
    if request.headers.get("x-part"):
        return HTMLResponse(rendered(request, "error_part.html", message=message), status)
    return page(request, "error", status=status, message=message)


async def computed(work: Callable[..., Made], *arguments: Any) -> Made:
    """The result of something that takes time, while other requests are answered."""
    return await run_in_threadpool(work, *arguments)
