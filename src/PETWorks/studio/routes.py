"""The pages of the workflow, in its order."""

from starlette.routing import Route

from PETWorks.studio import (
    columns,
    comparing,
    deciding,
    exporting,
    hierarchy_editing,
    job_pages,
    levels,
    making_safe,
    opening,
    risk,
    safe_results,
)

ROUTES: list[Route] = [
    *opening.ROUTES,
    *columns.ROUTES,
    *risk.ROUTES,
    *levels.ROUTES,
    *hierarchy_editing.ROUTES,
    *making_safe.ROUTES,
    *safe_results.ROUTES,
    *comparing.ROUTES,
    *deciding.ROUTES,
    *exporting.ROUTES,
    *job_pages.ROUTES,
]
