"""Attacks by an adversary who knows the quasi-identifiers of a target; every file here is part of the catalogue."""

from PETWorks.measures.attacks import inference, reidentification

__all__ = ["inference", "reidentification"]
