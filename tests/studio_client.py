"""A browser for tests that need none: it has the cookie, and sends forms as pages of the server do."""

from starlette.testclient import TestClient

from PETWorks.studio.app import make_app
from PETWorks.studio.security import ENTRANCE, Guard

PORT = 4321
OWN = f"http://127.0.0.1:{PORT}"


def entered(folder):
    """A client that has entered the page of a folder; use it in a `with` statement."""
    app = make_app(folder)
    guard = Guard(app, PORT)
    client = TestClient(guard, base_url=OWN, headers={"Origin": OWN})
    client.get(ENTRANCE, params={"token": guard.token}).raise_for_status()
    client.studio = app.state.studio
    client.guard = guard
    return client
