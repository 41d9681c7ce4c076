"""Helpers that all pages share: templates, the user's language, links, forms and error pages."""

import csv
import io
from collections.abc import Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from PETWorks import __version__
from PETWorks.errors import PYTHON, Hint, InputError, PETWorksError, Phrase, of_system, printable
from PETWorks.gate.check.may_go_out import Obstacle
from PETWorks.locale import ENGLISH, LANGUAGES
from PETWorks.measures.numbers import count
from PETWorks.render.charts.charts import bar_length
from PETWorks.render.language.language import (
    found_value,
    measure_name,
    message_text,
    objective_name,
    percent,
    policy_text,
    rule_name,
    shorten_name,
    thresholds,
    value_text,
)
from PETWorks.render.language.messages import translated
from PETWorks.render.terminal import command_line
from PETWorks.studio.server.jobs import Job
from PETWorks.studio.server.open_case import OpenCase, Studio

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
MAX_FIELDS = 20_000


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
    """The language that the user chose on the page or for the command, otherwise the one that the browser asks for."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    state, accepted = studio(request), request.headers.get("accept-language", "").strip().lower()
    if state.lang_chosen or accepted in ("", "*"):
        return state.lang
    return next((code for code, known in LANGUAGES.items() if accepted.startswith(known.browsers)), ENGLISH)


def studio(request: Request) -> Studio:
    """The state of the server."""
    state: Studio = request.app.state.studio
    return state


async def case_of(request: Request) -> OpenCase:
    """The case of the policy that the address names."""
    return await run_in_threadpool(find_case, request)


def find_case(request: Request) -> OpenCase:
    """The case of the policy that the address names; this reads files, so not in the event loop."""
    state = studio(request)
    return state.cases.of(state.workspace.path(request.query_params.get("policy", "")))


def link(path: str, case: OpenCase | None, request: Request, **values: str | list[str]) -> str:
    """The address of a page about the open policy; a value that is a list appears several times."""
    parameters = (
        dict(values) if case is None else {"policy": studio(request).workspace.relative(case.file.path), **values}
    )
    return f"{path}?{urlencode(parameters, doseq=True)}" if parameters else path


def petworks_command(*arguments: str) -> str:
    """The command line of `petworks` with these arguments, as users type it."""
    return command_line(["petworks", *arguments])


def join_items(items: Iterable[Any]) -> str:
    """Join texts with commas, quoted as command options expect."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="").writerow(list(map(str, items)))
    return text.getvalue()


def job_link(path: str, job: Job, request: Request, /, **values: str) -> str:
    """The address of a page about the policy that a job was started for."""
    policy = job.purpose.policy
    parameters = {} if policy is None else {"policy": studio(request).workspace.relative(policy)}
    return f"{path}?{urlencode({**parameters, **values})}"


def _current_address(request: Request) -> str:
    """The address of the page that the user sees; after a form was sent, that of the page with the form."""
    url = urlsplit(str(request.url) if request.method == "GET" else request.headers.get("referer", "/"))
    return (url.path or "/") + (f"?{url.query}" if url.query else "")


def render(request: Request, template: str, case: OpenCase | None = None, **values: Any) -> str:
    """Render a template, or a part of a page, in the language of the user."""
    lang = language(request)
    text: str = (
        _environment()
        .get_template(template)
        .render(
            lang=lang,
            languages=[LANGUAGES[lang]],
            all_languages=LANGUAGES.values(),
            version=__version__,
            case=case,
            steps=STEPS,
            here=_current_address(request),
            running=studio(request).jobs.running,
            job_link=lambda job: job_link("/job", job, request, id=job.id),
            link=lambda path, **more: link(path, case, request, **more),
            _=partial(message_text, lang),
            count=count,
            name=shorten_name,
            printable=printable,
            policy_text=lambda text: policy_text(text, lang),
            value_text=lambda value: value_text(value, lang),
            bar_length=bar_length,
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


def page(request: Request, step: str, case: OpenCase | None = None, status: int = 200, **values: Any) -> Response:
    """A whole page: the template with the name of the step."""
    return HTMLResponse(render(request, f"{step}.html", case, step=step, **values), status)


def part(request: Request, template: str, case: OpenCase | None = None, **values: Any) -> Response:
    """A part of a page, which the script inserts."""
    return HTMLResponse(render(request, template, case, **values))


def redirect(request: Request, path: str, case: OpenCase | None = None, **values: str) -> Response:
    """Redirect to another page, after a change."""
    return RedirectResponse(link(path, case, request, **values), 303)


class Form:
    """The fields of a submitted form."""

    def __init__(self, body: bytes) -> None:
        try:
            self.fields = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
        except ValueError:
            raise InputError("the form cannot be read") from None

    def text(self, name: str) -> str:
        """The text of a field; empty if it is missing."""
        return self.fields.get(name, [""])[-1].strip()

    def texts(self, name: str) -> list[str]:
        """The texts of all fields with this name."""
        return self.fields.get(name, [])

    def with_prefix(self, prefix: str) -> dict[str, str]:
        """The fields whose name has this prefix, by the rest of their name."""
        return {name.removeprefix(prefix): texts[-1] for name, texts in self.fields.items() if name.startswith(prefix)}


async def form_of(request: Request) -> Form:
    """The fields of the form that was sent."""
    return Form(await request.body())


def error_text(error: Exception, request: Request) -> str:
    """The message of an error in the language of the user, with hints in the words of the page."""
    text = Phrase("not enough memory")
    if isinstance(error, PETWorksError):
        text = error.worded(HINTS)
    elif isinstance(error, OSError):
        text = of_system(error, lambda path: Path(path).name)
    return "\n".join(map(printable, translated(text, language(request)).split("\n")))  # one line per error


async def show_error(request: Request, error: Exception) -> Response:
    """The page for input that cannot be used."""
    message = error_text(error, request).replace(f"{studio(request).workspace.root}/", "")  # pages show relative paths
    return error_page(request, message, 400)


def obstacle_text(file: str, obstacle: Obstacle, lang: str) -> str:
    """The reason why a file may not go out."""
    return message_text(lang, "studio.not-out", file=shorten_name(file), why=message_text(lang, f"obstacle.{obstacle}"))


def error_page(request: Request, message: str, status: int) -> Response:
    """The page, or the part of one, for a failure."""
    if request.headers.get("x-part"):
        return HTMLResponse(render(request, "error_part.html", message=message), status)
    return page(request, "error", status=status, message=message)
