"""What all pages work on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from PETWorks.render.spoken import language
from PETWorks.studio.desk import Desks
from PETWorks.studio.jobs import Jobs
from PETWorks.studio.table_facts import Tables
from PETWorks.studio.workspace import Workspace


@dataclass
class Studio:
    """A folder, what is open of it, and the commands that run.

    is_ending   whether the server is about to end, which answers that are still being sent must not delay
    lang        the language of the command that started it
    lang_chosen whether the user asked for that language, rather than the system
    """

    workspace: Workspace
    jobs: Jobs
    desks: Desks = field(default_factory=Desks)
    tables: Tables = field(default_factory=Tables)
    last_request: float = field(default_factory=monotonic)
    is_ending: Callable[[], bool] = lambda: False
    lang: str = field(default_factory=language)
    lang_chosen: bool = False
