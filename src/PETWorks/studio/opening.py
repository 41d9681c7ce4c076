"""Open: the tables and policies below the folder."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.errors import InputError
from PETWorks.gate.starter import starter_policy, suggestions
from PETWorks.studio.page import computed, form_of, page, see, studio
from PETWorks.studio.policy_file import PolicyFile


async def show(request: Request) -> Response:
    """The files that can be opened."""
    tables, policies, more = await computed(studio(request).workspace.files)
    known = {one.path for one in policies}
    return page(
        request, "open", tables=[(one, _policy_of(one.path) in known) for one in tables], policies=policies, more=more
    )


async def begin(request: Request) -> Response:
    """Open a table: with the policy beside it, or with a new one that `petworks init` would write."""
    works, form = studio(request), await form_of(request)
    table = works.workspace.table(form.text("table"))
    policy = works.workspace.path(_policy_of(form.text("table")))
    if not policy.exists():
        await computed(_start, table, policy)
    return see(request, "/columns", works.desks.of(policy))


def _start(table: Path, policy: Path) -> None:
    roles, unit = suggestions(table, None, None)
    if not roles:
        raise InputError(f"{table.name}: the table has no columns")
    PolicyFile(policy).write(starter_policy(table, policy, roles, unit))


def _policy_of(table: str) -> str:
    path = Path(table)
    return path.with_name(f"{path.stem}_policy.yaml").as_posix()


ROUTES = [Route("/", show), Route("/open", begin, methods=["POST"])]
