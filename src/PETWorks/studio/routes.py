"""The pages of the workflow, in its order."""

from starlette.routing import Route

from PETWorks.studio import comparing, job_pages, opening, risk

ROUTES: list[Route] = [*opening.ROUTES, *risk.ROUTES, *comparing.ROUTES, *job_pages.ROUTES]
