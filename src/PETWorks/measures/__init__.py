"""Measures and attacks: pure functions of counts, one folder per family, one file per group of measures."""

# Importing any module of this folder fills the whole catalogue.
from PETWorks.measures import attacks, privacy, risk, utility  # noqa: F401
