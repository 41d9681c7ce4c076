"""The pages of the workflow, in its order."""

from starlette.routing import Route

from PETWorks.studio import opening

ROUTES: list[Route] = [*opening.ROUTES]
