"""Open: the tables and policies below the folder, and a look at a table before anything is written."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.counting.codes import Encoder
from PETWorks.errors import InputError, PETWorksError, Phrase
from PETWorks.gate.suggest.starter import PRESET, starter_policy, suggestions
from PETWorks.render.language.language import said
from PETWorks.render.report.prose import spoken_comments
from PETWorks.studio.files.policy_file import PolicyFile
from PETWorks.studio.files.workspace import POLICIES, Found, Workspace
from PETWorks.studio.pages.page import Form, computed, error_text, form_of, language, page, part, petworks, see, studio
from PETWorks.studio.server.case import LastVerdict, known
from PETWorks.tables.cells import SUPPRESSED
from PETWorks.tables.csv.read import CSV, dictionary_array
from PETWorks.tables.formats.json_lines import JSONLines
from PETWorks.tables.formats.packed import unpacked_path
from PETWorks.tables.formats.parquet import Parquet
from PETWorks.tables.formats.text_tables import TextTable
from PETWorks.tables.formats.workbooks import sheet_names
from PETWorks.tables.frames import Frame
from PETWorks.tables.headers import count_suspicious_names, has_header_line, looks_like_data
from PETWorks.tables.opening import open_one, open_source
from PETWorks.tables.source import Source

ROWS = 4
MOST_COLUMNS = 150  # of the sample
LONGEST = 24  # characters of a cell
SHAPES = {"Lu": "X", "Lt": "X", "Ll": "x", "Nd": "9", "Nl": "9", "No": "9", "Zs": " "}
WIDE = "○"  # a letter of a script without small and capital ones, as names are masked in Taiwan
OTHER = "·"
SIGNS = "-/.:,@()+_%#'&"
OF_DATES = re.compile("(?<=9)[年月日]")  # they stay behind a digit


@dataclass(frozen=True)
class Preview:
    """What a user sees of a table before it is opened.

    sample        for the first columns their first cells, masked; None where one is missing
    has_no_names  whether the first line of the file looks like data; names that do are masked too
    """

    format: str
    encoding: str | None
    separator: str | None
    columns: int
    records: int | None
    sample: list[tuple[str, list[str | None]]]
    has_no_names: bool


def preview(path: Path, separator: str | None = None, encoding: str | None = None) -> Preview:
    """A look at a table, of which only the beginning is read."""
    source = open_source(open_one(path, separator, encoding), Phrase("the table"))
    strange = has_header_line(source) and 2 * count_suspicious_names(source) >= len(source.names)
    sample = [(masked(name) if strange or looks_like_data(name) else name, cells) for name, cells in _sample(source)]
    return Preview(_kind(source), source.encoding, source.separator, len(source.names), source.rows, sample, strange)


def _kind(source: Source) -> str:
    if isinstance(source, TextTable):
        return source.kind
    kinds = {CSV: "CSV", Parquet: "Parquet", Frame: "Feather", JSONLines: "JSON lines"}
    return next((name for kind, name in kinds.items() if isinstance(source, kind)), "")


def _sample(source: Source) -> list[tuple[str, list[str | None]]]:
    found = []
    for name, pieces in _beginning(source, tuple(source.names[:MOST_COLUMNS])).items():
        encoder = Encoder(spaced_quotes=source.separator is not None)
        for piece in pieces:
            encoder.add(piece)
        column = encoder.finish()
        found.append((name, [_masked(column.values[code]) for code in column.codes.tolist()]))
    return found


def _beginning(source: Source, names: tuple[str, ...]) -> dict[str, list[Any]]:
    """The first records of each column, as Arrow arrays; of a CSV file only these are read if they are whole."""
    rows = source.beginning(ROWS) if isinstance(source, CSV) else []
    if rows and all(len(row) == len(source.names) for row in rows):
        return {name: [dictionary_array([row[place] for row in rows])] for place, name in enumerate(names)}
    first = next(source.read(names, in_pieces=True), None)
    columns = [] if first is None else first.slice(0, ROWS).columns
    return {name: cells.chunks for name, cells in zip(names, columns, strict=False) if cells.num_chunks}


def _masked(cell: str | None) -> str | None:
    return cell if cell is None else masked(cell)


def masked(cell: str) -> str:
    """The shape of a cell: capital letters are X, small ones x, others ○, digits 9; signs between them stay.

    >>> masked("Ann Lee"), masked("2024-03-31"), masked("王小明"), masked("+")
    ('Xxx Xxx', '9999-99-99', '○○○', '·')
    """
    if cell == SUPPRESSED:
        return cell
    plain = unicodedata.normalize("NFKC", cell)[: LONGEST + 1]
    stays = {found.start() for found in OF_DATES.finditer(re.sub(r"\d", "9", plain))}
    shape = "".join(sign if place in stays else _shape(sign) for place, sign in enumerate(plain))
    if not any(sign in "Xx9○" for sign in shape):  # a sign alone may be all that there is to know: + or -
        shape = OTHER * len(shape)
    return shape if len(shape) <= LONGEST else f"{shape[:LONGEST]}…"


def _shape(sign: str) -> str:
    if sign in SIGNS:
        return sign
    kind = unicodedata.category(sign)
    return SHAPES.get(kind, WIDE if kind.startswith("L") else OTHER)


MOST_SHOWN = 400  # files on the page
MOST_POLICIES = 100  # that are read
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
    """The files of a folder: tables, and files that only serve other ones."""

    path: str
    tables: list[Found] = field(default_factory=list)
    others: list[Found] = field(default_factory=list)


@dataclass(frozen=True)
class Choice:
    """A table and how it is to be opened, as a form says."""

    table: str
    release: str
    separator: str
    encoding: str
    policy: str

    @property
    def reading(self) -> tuple[str | None, str | None]:
        """Separator and encoding, None where the reader shall find out."""
        return ("\t" if self.separator == r"\t" else self.separator) or None, self.encoding or None


async def show(request: Request) -> Response:
    """The files that can be opened."""
    shown: Response = await computed(_list, request)
    return shown


def _list(request: Request) -> Response:
    workspace = studio(request).workspace
    tables, policies, more = workspace.files()
    found = _known(workspace, policies)
    return page(
        request,
        "open",
        folders=_folders(tables[:MOST_SHOWN]),
        policies=found,
        of_table=_by_table(workspace, found),
        more=more or len(tables) > MOST_SHOWN or len(policies) > MOST_POLICIES,
        command=petworks("init", said(language(request), "studio.open.your-table")),
    )


def _known(workspace: Workspace, policies: Iterable[Found]) -> list[LastVerdict]:
    listed = list(policies)[:MOST_POLICIES]
    return [known(workspace.path(one.path), one.path) for one in listed]


def _by_table(workspace: Workspace, policies: Iterable[LastVerdict]) -> dict[str, LastVerdict]:
    """The first policy of each table below the folder."""
    tables: dict[str, LastVerdict] = {}
    for one in policies:
        if one.table is not None and one.table.resolve().is_relative_to(workspace.root):
            tables.setdefault(workspace.relative(one.table), one)
    return tables


def _folders(tables: Sequence[Found]) -> list[Folder]:
    """The files by folder; hierarchies and texts, which seldom are what somebody wants to open, are apart."""
    folders: dict[str, Folder] = {}
    for one in tables:
        path = PurePosixPath(one.path)
        parent = "" if path.parent == PurePosixPath(".") else path.parent.as_posix()
        folder = folders.setdefault(parent, Folder(parent))
        (folder.others if serves_others(path) else folder.tables).append(one)
    return sorted(folders.values(), key=lambda one: (not one.tables, one.path))


def serves_others(path: PurePosixPath) -> bool:
    """Whether a file belongs to another one, or is a text."""
    own = "hierarchy_" in path.name or path.name.endswith("_reasons_internal.csv")
    return own or path.suffix.lower() == ".txt"


async def choose(request: Request) -> Response:
    """A table, looked at; nothing is written yet."""
    choice = _choice(Form(request.url.query.encode()), studio(request).workspace)
    shown: Response = await computed(_chosen, request, choice)
    return shown


async def look(request: Request) -> Response:
    """The same with other options, before anything is written."""
    choice = _choice(await form_of(request), studio(request).workspace)
    looked = await computed(_look, request, choice)
    return part(request, "preview.html", **looked)


def _chosen(request: Request, choice: Choice, error: PETWorksError | None = None) -> Response:
    workspace = studio(request).workspace
    path = workspace.table(choice.table)
    policies = _known(workspace, workspace.files()[1])
    return page(
        request,
        "chosen",
        status=200 if error is None else 400,
        nav_step="open",
        mistake=None if error is None else error_text(error, request),
        choice=choice,
        file=path,
        begun=[one for one in policies if one.table is not None and one.table.resolve() == path],
        releases=list(PRESET),
        presets=PRESET,
        separators=SEPARATORS,
        encodings=ENCODINGS,
        **_look(request, choice),
    )


def _look(request: Request, choice: Choice) -> dict[str, Any]:
    """What a table looks like, or why it cannot be read, and the command that opens it."""
    workspace = studio(request).workspace
    path = workspace.table(choice.table)
    sheets: list[str] = []
    try:
        found, problem = preview(path, *choice.reading), None
    except PETWorksError as error:
        found, problem = None, error_text(error, request)
        with suppress(PETWorksError):
            sheets = sheet_names(path)
    options = ["--release", choice.release]
    options += ["--separator", choice.separator] if choice.separator else []
    options += ["--encoding", choice.encoding] if choice.encoding else []
    if choice.policy != _policy_name(path.name):
        options += ["-o", workspace.argument(path.with_name(choice.policy))]
    return {
        "found": found,
        "problem": problem,
        "sheets": [(name, f"{choice.table}#{name}") for name in sheets if len(sheets) > 1],
        "encoding_names": ENCODINGS,
        "separator_names": {key.replace(r"\t", "\t"): text for key, text in SEPARATORS.items()},
        "rows": ROWS,
        "init": petworks("init", workspace.argument(path), *options),
    }


def _choice(form: Form, workspace: Workspace) -> Choice:
    path = workspace.table(form.text("table"))
    release = form.text("release") or next(iter(PRESET))
    if release not in PRESET:
        raise InputError("the form names a kind of release that there is not; look at the page again")
    return Choice(
        workspace.relative(path), release, form.text("separator"), form.text("encoding"), _new_policy(form, path)
    )


def _new_policy(form: Form, table: Path) -> str:
    """The name of the policy file; one that is free if the user gives none."""
    name = form.text("policy")
    if not name:
        numbers = (f"_{number}" if number > 1 else "" for number in range(1, 1_000))
        free = (_policy_name(table.name, number) for number in numbers)
        return next((one for one in free if not table.with_name(one).exists()), _policy_name(table.name))
    plain = name == Path(name).name and "\\" not in name and name.isprintable() and not name.startswith(".")
    if not plain or not name.lower().endswith(POLICIES) or len(name) > LONGEST_NAME:
        raise InputError("expected the name of a policy file that ends in .yaml, without a folder")
    return name


async def begin(request: Request) -> Response:
    """Open a table with a new policy, which is the one that `petworks init` would write."""
    works, form = studio(request), await form_of(request)
    table = works.workspace.table(form.text("table"))
    beside = table.with_name(_policy_name(table.name))
    if "policy" not in form.fields and beside.exists():
        return see(request, "/columns", await computed(works.desks.of, beside))
    choice = _choice(form, works.workspace)
    policy = works.workspace.path(works.workspace.relative(table.parent / choice.policy))
    try:
        await computed(_start, table, policy, choice, language(request))
    except PETWorksError as error:
        shown: Response = await computed(_chosen, request, choice, error)
        return shown
    return see(request, "/columns", await computed(works.desks.of, policy))


def _start(table: Path, policy: Path, choice: Choice, lang: str) -> None:
    if policy.exists():
        raise InputError("{file!r} already exists; give the new policy another name", file=policy.name)
    separator, encoding = choice.reading
    roles, unit = suggestions(table, separator, encoding)
    if not roles:
        raise InputError("{table}: the table has no columns", table=table.name)
    text = starter_policy(
        table,
        policy,
        roles,
        unit,
        release=choice.release,
        separator=separator,
        encoding=encoding,
        **spoken_comments(lang),
    )
    PolicyFile(policy).write(text)


def _policy_name(table: str, number: str = "") -> str:
    return f"{unpacked_path(Path(table)).stem}_policy{number}.yaml"


ROUTES = [
    Route("/", show),
    Route("/open", choose),
    Route("/open", begin, methods=["POST"]),
    Route("/open/look", look, methods=["POST"]),
]
