"""Open: the list of tables and policies below the folder, and a preview of a table before anything is written."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from PETWorks.about.kinds import GENERALISED, KINDS
from PETWorks.errors import InputError, PETWorksError
from PETWorks.gate.policy.policy_rules import presets
from PETWorks.gate.suggest.starter import (
    PRESET_BY_KIND,
    ComparisonTables,
    starter_policy,
    suggest_for_comparison,
    suggest_for_file,
)
from PETWorks.gate.suggest.table_preview import SAMPLE_ROWS, preview
from PETWorks.render.language.language import message_text
from PETWorks.render.report.prose import comment_translators
from PETWorks.studio.files.policy_file import PolicyFile
from PETWorks.studio.files.workspace import POLICY_SUFFIXES, ListedFile, Workspace, free_name
from PETWorks.studio.pages.page import (
    Form,
    Routes,
    error_text,
    language,
    page,
    part,
    petworks_command,
    redirect,
    studio,
)
from PETWorks.studio.server.open_case import LastVerdict, last_verdict
from PETWorks.tables.formats.packed import unpacked_path
from PETWorks.tables.formats.workbooks import sheet_names

ROUTES = Routes()

BINARY_FORMATS = (".xlsx", ".xls", ".ods", ".parquet", ".feather", ".arrow")  # without separator or encoding to choose
MAX_SHOWN = 400  # files listed on the page
MAX_POLICIES = 100  # policies read for the list
LONGEST_NAME = 120
SEPARATORS = {",": "comma", ";": "semicolon", r"\t": "tab", "|": "bar"}
ENCODINGS = {
    "utf-8": "UTF-8",
    "cp950": "Big5 (CP950)",
    "gb18030": "GB 18030",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252",
    "shift_jis": "Shift JIS",
}


@dataclass
class Folder:
    """The files of a folder: tables, and files that only belong to other files."""

    path: str
    tables: list[ListedFile] = field(default_factory=list)
    others: list[ListedFile] = field(default_factory=list)


@dataclass(frozen=True)
class Choice:
    """A table and the options to open it, from a form."""

    table: str
    release: str
    separator: str
    encoding: str
    policy: str
    kind: str = GENERALISED
    original: str = ""
    control: str = ""

    @property
    def reading(self) -> tuple[str | None, str | None]:
        """Separator and encoding, None where they are to be detected."""
        return ("\t" if self.separator == r"\t" else self.separator) or None, self.encoding or None


@ROUTES.get("/")
def show(request: Request) -> Response:
    """The list of files that can be opened."""
    workspace = studio(request).workspace
    tables, policies, more = workspace.files()
    verdicts = _last_verdicts(workspace, policies)
    return page(
        request,
        "open",
        folders=_folders(tables[:MAX_SHOWN]),
        policies=verdicts,
        of_table=_by_table(workspace, verdicts),
        more=more or len(tables) > MAX_SHOWN or len(policies) > MAX_POLICIES,
        command=petworks_command("init", message_text(language(request), "studio.open.your-table")),
    )


def _last_verdicts(workspace: Workspace, policies: Iterable[ListedFile]) -> list[LastVerdict]:
    listed = list(policies)[:MAX_POLICIES]
    return [last_verdict(workspace.path(policy.path), policy.path) for policy in listed]


def _by_table(workspace: Workspace, policies: Iterable[LastVerdict]) -> dict[str, LastVerdict]:
    """The first policy of each file with a table below the folder."""
    tables: dict[str, LastVerdict] = {}
    for policy in policies:
        if policy.table is not None and policy.table.resolve().is_relative_to(workspace.root):
            tables.setdefault(workspace.relative(policy.table).partition("#")[0], policy)
    return tables


def _folders(tables: Sequence[ListedFile]) -> list[Folder]:
    """The files by folder; hierarchies and text files, which are rarely opened, are listed separately."""
    folders: dict[str, Folder] = {}
    for file in tables:
        path = PurePosixPath(file.path)
        parent = "" if path.parent == PurePosixPath(".") else path.parent.as_posix()
        folder = folders.setdefault(parent, Folder(parent))
        (folder.others if is_companion_file(path) else folder.tables).append(file)
    return sorted(folders.values(), key=lambda folder: (not folder.tables, folder.path))


def is_companion_file(path: PurePosixPath) -> bool:
    """Whether a file belongs to another one, or is a text file."""
    is_companion = "hierarchy_" in path.name or path.name.endswith(("_reasons_internal.csv", "_codebook.csv"))
    return is_companion or path.suffix.lower() == ".txt"


@ROUTES.get("/open")
def preview_page(request: Request, form: Form) -> Response:
    """The page with the preview of a table; nothing is written yet."""
    return _choose_page(request, _choice(form, studio(request).workspace))


@ROUTES.post("/open/look")
def update_preview(request: Request, form: Form) -> Response:
    """The preview with other options; nothing is written yet."""
    choice = _choice(form, studio(request).workspace)
    return part(request, "preview.html", **_preview_values(request, choice))


def _choose_page(request: Request, choice: Choice, mistake: PETWorksError | None = None) -> Response:
    workspace = studio(request).workspace
    path = workspace.table(choice.table)
    tables, policies, _ = workspace.files()
    verdicts = _last_verdicts(workspace, policies)
    return page(
        request,
        "chosen",
        mistake=mistake,
        nav_step="open",
        choice=choice,
        file=path,
        begun=[policy for policy in verdicts if policy.table is not None and policy.table.resolve() == path],
        sheets=_sheets(choice, workspace),
        is_text=unpacked_path(path).suffix.lower().partition("#")[0] not in BINARY_FORMATS,
        kinds=KINDS,
        other_tables=[
            file.path
            for file in tables[:MAX_SHOWN]
            if file.path != choice.table and not is_companion_file(PurePosixPath(file.path))
        ],
        releases=list(PRESET_BY_KIND),
        presets={kind: presets()[name] for kind, name in PRESET_BY_KIND.items()},
        separators=SEPARATORS,
        encodings=ENCODINGS,
        **_preview_values(request, choice),
    )


def _preview_values(request: Request, choice: Choice) -> dict[str, Any]:
    """The preview of a table, or why it cannot be read, and the command that opens it."""
    workspace = studio(request).workspace
    path = workspace.table(choice.table)
    try:
        found, problem = preview(path, *choice.reading), None
    except PETWorksError as error:
        found, problem = None, error_text(error, request)
    options = ["--release", choice.release]
    options += ["--separator", choice.separator] if choice.separator else []
    options += ["--encoding", choice.encoding] if choice.encoding else []
    options += ["--kind", choice.kind] if choice.kind != GENERALISED else []
    for name, other in (("--original", choice.original), ("--control", choice.control)):
        options += [name, workspace.argument(workspace.table(other))] if other else []
    if choice.policy != _policy_name(path.name):
        options += ["-o", workspace.argument(path.with_name(choice.policy))]
    return {
        "found": found,
        "problem": problem,
        "encoding_names": ENCODINGS,
        "separator_names": {key.replace(r"\t", "\t"): text for key, text in SEPARATORS.items()},
        "rows": SAMPLE_ROWS,
        "init": petworks_command("init", workspace.argument(path), *options),
    }


def _sheets(choice: Choice, workspace: Workspace) -> list[tuple[str, str]]:
    """The sheets of a workbook that has several, each with its address as a table."""
    file, sheets = choice.table.partition("#")[0], list[str]()
    with suppress(PETWorksError):
        sheets = sheet_names(workspace.table(file))
    return [(name, f"{file}#{name}") for name in sheets] if len(sheets) > 1 else []


def _choice(form: Form, workspace: Workspace) -> Choice:
    path = workspace.table(form.text("table"))
    release = form.text("release") or next(iter(PRESET_BY_KIND))
    kind = form.text("kind") or GENERALISED
    if release not in PRESET_BY_KIND or kind not in KINDS:
        raise InputError("the form names a kind of release that there is not; look at the page again")
    compared = [form.text(name) if kind != GENERALISED else "" for name in ("original", "control")]
    return Choice(
        workspace.relative(path),
        release,
        form.text("separator"),
        form.text("encoding"),
        _new_policy(form, path),
        kind,
        *(name and workspace.relative(workspace.table(name)) for name in compared),
    )


def _new_policy(form: Form, table: Path) -> str:
    """The name of the new policy file; a free one if the user gives none."""
    name = form.text("policy")
    if not name:
        return free_name(_policy_name(table.name), ".yaml", lambda name: table.with_name(name).exists())
    is_plain = name == Path(name).name and "\\" not in name and name.isprintable() and not name.startswith(".")
    if not is_plain or not name.lower().endswith(POLICY_SUFFIXES) or len(name) > LONGEST_NAME:
        raise InputError("expected the name of a policy file that ends in .yaml, without a folder")
    return name


@ROUTES.post("/open")
def open_with_new_policy(request: Request, form: Form) -> Response:
    """Open a table with a new policy, the one that `petworks init` would write."""
    state = studio(request)
    table = state.workspace.table(form.text("table"))
    beside = table.with_name(_policy_name(table.name))
    if "policy" not in form.fields and beside.exists():
        return redirect(request, "/columns", state.cases.of(beside))
    choice = _choice(form, state.workspace)
    policy = state.workspace.path(state.workspace.relative(table.parent / choice.policy))
    try:
        comparison = _comparison(choice, state.workspace)
        _write_new_policy(table, policy, choice, comparison, language(request))
    except PETWorksError as error:
        return _choose_page(request, choice, error)
    return redirect(request, "/columns", state.cases.of(policy))


def _comparison(choice: Choice, workspace: Workspace) -> ComparisonTables | None:
    """What a table that is not generalised is compared with."""
    if choice.kind == GENERALISED:
        return None
    if not choice.original:
        raise InputError("choose the original table: a table that is not generalised is judged by what it was made of")
    control = workspace.table(choice.control) if choice.control else None
    return ComparisonTables(choice.kind, workspace.table(choice.original), control)


def _write_new_policy(
    table: Path, policy: Path, choice: Choice, comparison: ComparisonTables | None, lang: str
) -> None:
    if policy.exists():
        raise InputError("{file!r} already exists; give the new policy another name", file=policy.name)
    separator, encoding = choice.reading
    people = None
    if comparison is None:
        roles, people = suggest_for_file(table, separator, encoding)
    else:
        roles, comparison = suggest_for_comparison(table, comparison, separator, encoding)
    if not roles:
        raise InputError("{table}: the table has no columns", table=table.name)
    text = starter_policy(
        table,
        policy,
        roles,
        people,
        release=choice.release,
        comparison=comparison,
        separator=separator,
        encoding=encoding,
        **comment_translators(lang),
    )
    PolicyFile(policy).write(text)


def _policy_name(table: str) -> str:
    return f"{unpacked_path(Path(table)).stem}_policy.yaml"
