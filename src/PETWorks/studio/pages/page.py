"""Helpers that all pages share: templates, the user's language, links, forms and error pages."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

from msgspec import structs
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from PETWorks import __version__
from PETWorks.about.kinds import GENERALISED
from PETWorks.errors import PYTHON, Hint, InputError, NotApplicable, PETWorksError, Phrase, of_system, printable
from PETWorks.gate.check.may_go_out import Obstacle
from PETWorks.gate.document import CheckDocument
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.release_files import came_with_release, existing_releases_of, origins_of
from PETWorks.json_types import text_in
from PETWorks.locale import ENGLISH, LANGUAGES
from PETWorks.measures.numbers import count
from PETWorks.render.charts.charts import bar_length
from PETWorks.render.language.language import (
    attack_name,
    found_value,
    limit_name,
    measure_name,
    message_text,
    objective_name,
    organisation_name,
    percent,
    policy_text,
    rule_name,
    shorten_name,
    thresholds,
    value_text,
    value_with_fraction,
)
from PETWorks.render.language.messages import translated
from PETWorks.render.report.prose import caveat_of, finding, notices, waiver
from PETWorks.render.terminal import command_line
from PETWorks.studio.server.jobs import Job
from PETWorks.studio.server.open_case import LastVerdict, OpenCase, Studio, last_verdict, remember_verdict

HINTS: Mapping[Hint, str] = {
    **PYTHON,
    Hint.IDENTIFIERS: Phrase("see the step Columns"),
    Hint.QUASI_IDENTIFIERS: Phrase("see the step Columns"),
    Hint.SENSITIVE_ATTRIBUTES: Phrase("see the step Columns"),
    Hint.HIERARCHIES: Phrase("see the step Levels"),
    Hint.ROOT: Phrase("put the policy and its files in one folder"),
}
STEPS = ("open", "columns", "risk", "levels", "safe", "compare", "decide")
STEPS_OF_COMPARED = ("open", "columns", "risk", "decide")  # of tables that are not generalised
ABOUT_RELEASES = ("compare", "decide")  # if there is one; the other steps are about the original
LANGUAGE_COOKIE = "petworks-language"
MAX_FIELDS = 20_000
# A report is a separate page with its style and script inline. It may load nothing else.
REPORT_POLICY = (
    "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)
# What templates call with a value, in the language of the page.
IN_LANGUAGE: tuple[Callable[..., str], ...] = (
    *(attack_name, found_value, limit_name, measure_name, objective_name, percent, policy_text, rule_name, thresholds),
    *(value_text, value_with_fraction, waiver, finding, organisation_name),
)


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


def case_of(request: Request) -> OpenCase:
    """The case of the policy that the address names; this reads files, so not in the event loop."""
    state = studio(request)
    return state.cases.of(state.workspace.path(request.query_params.get("policy", "")))


def is_release(policy: Policy) -> bool:
    """Whether the policy is about a release, and not about the table that releases are made from."""
    return policy.original is not None or came_with_release(policy.path)


@dataclass(frozen=True)
class Flow:
    """The policies of the original and of its release; None if there is none.

    others   the names of further releases of the same table
    """

    original: Path | None = None
    release: Path | None = None
    others: Sequence[str] = ()

    def of_step(self, step: str) -> Path | None:
        """The policy that a step is about."""
        found = (self.release, self.original)
        return next(filter(None, found if step in ABOUT_RELEASES else reversed(found)), None)


def flow_of(policy: Policy, wanted: str = "") -> Flow:
    """The original and the release that belong together with a policy: the release that is wanted, or the last one."""
    if is_release(policy):
        origin = next(origins_of(policy), None)
        found = () if origin is None else existing_releases_of(origin)
        others = [files.release.name for files in found if files.release != policy.data]
        return Flow(None if origin is None else origin.path, policy.path, others)
    made = existing_releases_of(policy)
    made.sort(key=lambda files: (files.release.name == wanted, files.release.stat().st_mtime_ns))
    return Flow(policy.path, made[-1].policy if made else None, [files.release.name for files in made[:-1]])


@dataclass(frozen=True)
class BarTable:
    """A table in the bar at the top; `is_here` if the page is about it."""

    kind: str
    facts: LastVerdict
    is_here: bool


def tables_of_bar(request: Request, flow: Flow, about: str, *, check: bool) -> list[BarTable]:
    """The tables in the bar, with verdicts that are known; `check` finds out the others, which may take a while."""
    state, tables = studio(request), []
    for kind, path in (("original", flow.original), ("release", flow.release)):
        if path is not None:
            facts = last_verdict(path, state.workspace.relative(path))
            if check and not facts.is_current and facts.mistake is None:
                facts = replace(facts, is_current=True, **remember_verdict(state.cases.of(path)))
            tables.append(BarTable(kind, facts, about in (kind, "both")))
    return tables


def bar_values(request: Request, case: OpenCase | None, about: str = "", *, check: bool = False) -> dict[str, Any]:
    """The template values for the bar at the top, and the policy that each step is about."""
    if case is None:
        return {"bar_tables": [], "policy_of_step": {}, "other_releases": ()}
    flow = flow_of(case.policy, request.query_params.get("release", ""))
    about = about or ("release" if case.file.path == flow.release else "original")
    policies = {step: flow.of_step(step) for step in STEPS[1:]}
    return {
        "bar_tables": tables_of_bar(request, flow, about, check=check),
        "about": about,
        "policy_of_step": {step: studio(request).workspace.relative(path) for step, path in policies.items() if path},
        "other_releases": flow.others,
    }


def place_values(request: Request, case: OpenCase) -> dict[str, str]:
    """The place of the open policy below the folder of the page, and its folder, with a slash and as a whole path."""
    workspace, folder = studio(request).workspace, case.file.path.parent
    below = workspace.relative_folder(folder)
    return {
        "policy_path": workspace.relative(case.file.path),
        "folder_of": f"{below}/" if below else "",
        "folder_path": str(folder),
    }


def link(path: str, case: OpenCase | None, request: Request, **values: str | list[str]) -> str:
    """The address of a page about the open policy; a value that is a list appears several times."""
    return _address(path, None if case is None else case.file.path, request, values)


def job_link(path: str, job: Job, request: Request, /, **values: str) -> str:
    """The address of a page about the policy that a job was started for."""
    return _address(path, job.purpose.policy, request, values)


def _address(path: str, policy: Path | None, request: Request, values: Mapping[str, str | list[str]]) -> str:
    about = {} if policy is None else {"policy": studio(request).workspace.relative(policy)}
    return f"{path}?{urlencode({**about, **values}, doseq=True)}" if about or values else path


def policy_argument(request: Request, case: OpenCase) -> str:
    """The open policy as an argument of a command."""
    return studio(request).workspace.argument(case.file.path)


def petworks_command(*arguments: str) -> str:
    """The command line of `petworks` with these arguments, as users type it."""
    return command_line(["petworks", *arguments])


def join_items(items: Iterable[Any]) -> str:
    """Join texts with commas, quoted as command options expect."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="").writerow(list(map(str, items)))
    return text.getvalue()


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
            steps=steps_of(case),
            here=_current_address(request),
            saved="saved" in request.query_params,
            **({} if case is None else place_values(request, case)),
            running=studio(request).jobs.running,
            job_link=lambda job: job_link("/job", job, request, id=job.id),
            link=lambda path, **more: link(path, case, request, **more),
            _=partial(message_text, lang),
            count=count,
            name=shorten_name,
            printable=printable,
            bar_length=bar_length,
            caveat_of=caveat_of,
            text_in=partial(text_in, lang=lang),
            translated=lambda text: printable(translated(text, lang)),
            **{function.__name__: partial(function, lang=lang) for function in IN_LANGUAGE},
            **values,
        )
    )
    return text


def steps_of(case: OpenCase | None) -> tuple[str, ...]:
    """The steps that a table needs; one that is not generalised is judged as it is."""
    return STEPS if case is None or case.policy.kind == GENERALISED else STEPS_OF_COMPARED


def page(
    request: Request,
    step: str,
    case: OpenCase | None = None,
    status: int = 200,
    mistake: PETWorksError | None = None,
    **values: Any,
) -> Response:
    """A whole page: the template with the name of the step. A form with a mistake is shown again."""
    if step not in steps_of(case) and step in STEPS:
        raise NotApplicable("this step is for generalised tables, and the table is said to be another one", what="kind")
    if mistake is not None:
        status, values["mistake"] = 400, error_text(mistake, request)
    defaults = {**bar_values(request, case, values.pop("about", "")), "mistake": None, "failed": status >= 400}
    values = defaults | values
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


class Fields:
    """The content of the fields of a page: what the policy has, or what was typed if the form is shown again."""

    def __init__(self, form: Form | None, lang: str) -> None:
        self._form, self._lang = form, lang

    def text(self, field: str, saved: Any = None) -> str:
        """The content of a text field; of a text in several languages, that of the page."""
        if self._form is None or field not in self._form.fields:
            return text_in(saved, self._lang)
        return self._form.text(field)

    def chosen(self, field: str, saved: Sequence[str]) -> Sequence[str]:
        """The checked boxes of a list."""
        return saved if self._form is None else self._form.texts(field)

    def is_checked(self, field: str, *, saved: bool = False) -> bool:
        """Whether a single box is checked."""
        return saved if self._form is None else bool(self._form.text(field))


Answer = TypeVar("Answer", bound=Callable[..., Response])


class Routes(list[Route]):
    """Addresses, each with the function that answers it.

    A function gets what its parameters name: `request`, `case` (of the policy in the address) and `form` (the fields
    that were sent, or the query of an address that is only read). It runs outside the event loop, as it may read files.
    """

    def get(self, path: str) -> Callable[[Answer], Answer]:
        """Let a function answer an address that is read."""
        return partial(self._add, path, "GET")

    def post(self, path: str) -> Callable[[Answer], Answer]:
        """Let a function answer a form that is sent to an address."""
        return partial(self._add, path, "POST")

    def _add(self, path: str, method: str, answer: Answer) -> Answer:
        wanted = signature(answer).parameters

        def respond(request: Request, fields: bytes) -> Response:
            known: dict[str, Callable[[], Any]] = {
                "request": lambda: request,
                "case": lambda: case_of(request),
                "form": lambda: Form(fields),
            }
            return answer(**{name: find() for name, find in known.items() if name in wanted})

        async def endpoint(request: Request) -> Response:
            fields = await request.body() if method == "POST" else request.url.query.encode()
            return await run_in_threadpool(respond, request, fields)

        self.append(Route(path, endpoint, methods=[method]))
        return answer


def error_text(error: Exception, request: Request) -> str:
    """The message of an error in the language of the user, with hints in the words of the page."""
    if isinstance(error, PETWorksError):
        text = error.worded(HINTS)
    elif isinstance(error, OSError):
        text = of_system(error, lambda path: Path(path).name)
    else:
        text = Phrase("not enough memory")
    return "\n".join(map(printable, translated(text, language(request)).split("\n")))  # one line per error


async def show_error(request: Request, error: Exception) -> Response:
    """The page for input that cannot be used."""
    message = error_text(error, request).replace(f"{studio(request).workspace.root}/", "")  # pages show relative paths
    return error_page(request, message, 400)


def page_notices(document: CheckDocument, lang: str) -> list[str]:
    """The notices of a check in the words of the page, without that of other releases, which all pages show above."""
    shown = (notice for notice in document.notices if notice.notice != "other-releases")
    return notices(structs.replace(document, notices=tuple(shown)), lang, "studio.advice.")


def obstacle_text(file: str, obstacle: Obstacle, lang: str) -> str:
    """The reason why a file may not go out."""
    return message_text(lang, "studio.not-out", file=shorten_name(file), why=message_text(lang, f"obstacle.{obstacle}"))


def error_page(request: Request, message: str, status: int) -> Response:
    """The page, or the part of one, for a failure."""
    if request.headers.get("x-part"):
        return HTMLResponse(render(request, "error_part.html", message=message), status)
    return page(request, "error", status=status, message=message, is_form=request.method == "POST")
