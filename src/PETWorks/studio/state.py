"""What all pages work on."""

from dataclasses import dataclass, field
from time import monotonic

from PETWorks.studio.desk import Desks
from PETWorks.studio.jobs import Jobs
from PETWorks.studio.workspace import Workspace


@dataclass
class Studio:
    """A folder, what is open of it, and the commands that run."""

    workspace: Workspace
    jobs: Jobs
    desks: Desks = field(default_factory=Desks)
    last_request: float = field(default_factory=monotonic)
