"""The files that a check reads, with their digests."""

import hashlib
from pathlib import Path
from typing import Any

from PETWorks.about.sidecar import read_sidecar
from PETWorks.gate.document import Input, PolicyFacts, Use
from PETWorks.gate.policy import Policy
from PETWorks.tables.opening import files_named


def policy_facts(policy: Policy) -> PolicyFacts:
    """The policy file, and what it says about the release."""
    return PolicyFacts(
        file=policy.path.name,
        sha256=_digest(policy.path),
        cell_size=policy.cell_size,
        release=policy.release_kind,
        recipients=policy.recipients,
        assumptions=policy.assumptions,
        subset_sizes=policy.subset_sizes,
        presets=tuple(preset.facts for preset in policy.presets),
    )


def inputs(policy: Policy, data: Any) -> tuple[Input, ...]:
    """The files that were read, the data first; `data` is a path, or any other source of the table."""
    folder = policy.hierarchies
    if folder is None and isinstance(data, Path):
        folder = read_sidecar(data)[1]
    others: dict[Use, Any] = {
        "roles": _roles_file(policy, data),
        "original": policy.original,
        "population": policy.population,
        "hierarchies": folder,
    }
    return (_input("data", data), *(_input(use, path) for use, path in others.items() if isinstance(path, Path)))


def _roles_file(policy: Policy, data: Any) -> Path | None:
    """The YAML file next to the table, unless that is the policy itself."""
    if not isinstance(data, Path):
        return None
    candidates = (data.with_suffix(suffix) for suffix in (".yaml", ".yml"))
    return next((path for path in candidates if path.is_file() and not path.samefile(policy.path)), None)


def _input(use: Use, path: Any) -> Input:
    if not isinstance(path, Path):
        return Input(use, None, None, None)
    files = sorted(path.glob("*hierarchy_*.csv")) if path.is_dir() else files_named(path)
    if path.is_dir() or len(files) > 1:
        # What `sha256sum` prints for the files, so that the digest can be verified without this program.
        listed = "".join(f"{_digest(file)}  {file.name}\n" for file in files)
        digest = hashlib.sha256(listed.encode()).hexdigest()
    else:
        digest = _digest(files[0])
    return Input(use, path.name, sum(file.stat().st_size for file in files), digest)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
