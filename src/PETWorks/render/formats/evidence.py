"""The evidence folder of a check: everything that shows how a release was judged, and none of the tables.

Files for recipients are in a separate folder, if the release may go out. If the external edition withholds the verdict,
the folder has the same files for every verdict, and its README.txt does not reveal it either. The digests are those of
all files in the folder, in the format of `sha256sum`, and those of the tables, which stay where they are.
"""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from PETWorks.errors import InputError, printable
from PETWorks.gate.check.may_go_out import Obstacle, find_obstacle
from PETWorks.gate.document import EXTERNAL, INTERNAL
from PETWorks.gate.policy.plan_files import read_plan
from PETWorks.gate.policy.policy import Policy
from PETWorks.gate.release_files import ReleaseFiles
from PETWorks.locale import LANGUAGES
from PETWorks.render.check_result import Check
from PETWorks.render.language.language import message_text
from PETWorks.tables.files import read_small
from PETWorks.tables.yaml_files import LARGEST_FILE

KINDS = ("html", "json")
OUT = "for_recipients"
INSIDE = "internal"
EXTERNAL_INSIDE = "report.external"  # used if it may not go out, or if the folder must not reveal whether it may
DIGESTS = "SHA256SUMS"
README = "README.txt"


def evidence_files(check: Check, policy: Policy, lang: str) -> dict[str, bytes]:
    """The content of each file of the folder, by its path in it."""
    check = replace(check, example=None)  # no cells
    text = read_small(policy.path, LARGEST_FILE)
    if sha256(text).hexdigest() != check.content.policy.sha256:
        raise InputError("{file}: the file changed while it was checked; check again", file=policy.path.name)
    files = {f"{INSIDE}/{policy.path.name}": text}
    outside = f"{OUT}/report" if _obstacle(check) is None else f"{INSIDE}/{EXTERNAL_INSIDE}"
    for report, edition in ((outside, EXTERNAL), (f"{INSIDE}/report", INTERNAL)):
        for name in KINDS:
            files[f"{report}.{name}"] = check.to_format(name, lang, edition).encode("utf-8", "replace")
    plan = _plan(policy, check)
    if plan is not None:
        files[f"{INSIDE}/{plan.name}"] = plan.read_bytes()
    files[README] = _readme(check, lang).encode("utf-8", "replace")
    lines = [f"{sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items())]
    return {**files, DIGESTS: "".join(lines).encode("utf-8")}


def write_evidence(folder: Path, files: dict[str, bytes]) -> None:
    """Write the files to an empty folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)


def _plan(policy: Policy, check: Check) -> Path | None:
    """The plan beside the release, if this file was made by it."""
    if not isinstance(policy.data, Path):
        return None
    path = ReleaseFiles(policy.data).plan
    checked = next(file.sha256 for file in check.content.inputs if file.use == "data")
    return path if path.is_file() and read_plan(path).release_sha256 == checked else None


def _obstacle(check: Check) -> Obstacle | None:
    """The obstacle to handing out the table, as far as outsiders may know it."""
    return find_obstacle(check.file(EXTERNAL)) or find_obstacle(check.content)


def recipients_files(folder: Path) -> list[Path]:
    """The unchanged files of an evidence folder that go out with the table, if the table does."""
    digests = dict(_digests(folder / DIGESTS))
    names = [f"{report}.{kind}" for report in (f"{OUT}/report", f"{INSIDE}/{EXTERNAL_INSIDE}") for kind in KINDS]
    files = [folder / name for name in names if name in digests]
    return [path for path in files if _digest(path) == digests[path.relative_to(folder).as_posix()]]


def _digests(path: Path) -> Iterator[tuple[str, str]]:
    for line in read_small(path, LARGEST_FILE).decode("utf-8", "replace").splitlines() if path.is_file() else ():
        digest, _, name = line.partition("  ")
        yield name, digest


def _digest(path: Path) -> str | None:
    is_file = path.is_file() and not path.is_symlink()
    return sha256(path.read_bytes()).hexdigest() if is_file else None


def _readme(check: Check, lang: str) -> str:
    """The content of the folder, the files that may go out, and the digests of the tables, in all languages."""
    document, against, shown = check.content, _obstacle(check), check.file(EXTERNAL).verdict
    paragraphs = []
    for code in (lang, *(other for other in LANGUAGES if other != lang)):
        tables = [
            f"{file.sha256}  {printable(file.file)}"
            for file in document.inputs
            if file.sha256 is not None and file.file is not None
        ]
        paragraphs += [
            message_text(code, "evidence.what", verdict=message_text(code, f"verdict.{shown}")),
            _out(against, code),
            f"{INSIDE}/\n  {message_text(code, 'evidence.inside')}",
            message_text(code, "evidence.digests", file=DIGESTS),
            "\n".join([message_text(code, "evidence.tables"), *tables]),
        ]
    return "\n\n".join(paragraphs) + "\n"


def _out(against: Obstacle | None, lang: str) -> str:
    """The parts of the folder that may go to the recipients."""
    if against is None:
        return f"{OUT}/\n  {message_text(lang, 'evidence.out')}"
    if against == "withheld":
        return message_text(lang, "evidence.not-told", file=f"{INSIDE}/{EXTERNAL_INSIDE}")
    return message_text(lang, "evidence.nothing-out", why=message_text(lang, f"obstacle.{against}"))
