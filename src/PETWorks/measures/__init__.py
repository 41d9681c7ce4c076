"""Measures and attacks: pure functions of counts, one folder per family, one file per group of measures.

Each measure can be imported from here by the name of its function: `from PETWorks.measures import k_anonymity`.
"""

# Importing any module of this folder fills the whole catalogue.
from PETWorks.measures import attacks, disclosure, privacy, risk, utility  # noqa: F401
from PETWorks.measures.catalogue import Metric as _Metric
from PETWorks.measures.catalogue import catalogue as _entries


def __getattr__(name: str) -> _Metric:
    entry = _entries.get(name.replace("_", "-"))
    if entry is None or "-" in name:
        raise AttributeError(f"module 'PETWorks.measures' has no attribute {name!r}")
    return entry


def __dir__() -> list[str]:
    return sorted({*globals(), *(name.replace("-", "_") for name in _entries)})
