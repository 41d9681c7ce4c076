"""The pages of the workflow, in its order."""

from starlette.routing import Route

from PETWorks.studio import job_pages, opening, risk

ROUTES: list[Route] = [*opening.ROUTES, *risk.ROUTES, *job_pages.ROUTES]
