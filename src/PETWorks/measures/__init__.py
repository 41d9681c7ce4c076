"""Measures and attacks: pure functions of counts, one folder per family, one file per group of measures.

May import: tables, about, counting.
"""

# Whoever imports a module of this folder finds the whole catalogue.
from PETWorks.measures import attacks, privacy, risk, utility  # noqa: F401
