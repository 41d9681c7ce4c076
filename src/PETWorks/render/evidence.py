"""The evidence folder of a check: everything that shows how a release was judged, and none of the tables.

What recipients may see is in a folder of its own, if the release may go out. The digests are those of all files in the
folder, as `sha256sum` prints them, and those of the tables, which stay where they are.
"""

from hashlib import sha256
from pathlib import Path

from PETWorks.errors import InputError, printable
from PETWorks.gate.document import EXTERNAL, INTERNAL
from PETWorks.gate.may_go_out import obstacle
from PETWorks.gate.plan_files import read_plan
from PETWorks.gate.policy import Policy
from PETWorks.render.checks import Check
from PETWorks.render.language import said
from PETWorks.render.languages import LANGUAGES
from PETWorks.tables.small_files import read_small
from PETWorks.tables.yamlfile import LARGEST_FILE

OUT = "for_recipients"
INSIDE = "internal"
DIGESTS = "SHA256SUMS"
README = "README.txt"


def evidence_files(check: Check, policy: Policy, lang: str) -> dict[str, bytes]:
    """The content of each file of the folder, by its path in it."""
    text = read_small(policy.path, LARGEST_FILE)
    if sha256(text).hexdigest() != check.content.policy.sha256:
        raise InputError("{file}: the file changed while it was checked; check again", file=policy.path.name)
    files = {f"{INSIDE}/{policy.path.name}": text}
    outside = f"{OUT}/report" if obstacle(check.content) is None else f"{INSIDE}/report.external"
    for report, edition in ((outside, EXTERNAL), (f"{INSIDE}/report", INTERNAL)):
        for name in ("html", "json"):
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
    """The plan beside the release, if it is the one by which this very file was made."""
    if not isinstance(policy.data, Path):
        return None
    path = policy.data.with_name(f"{policy.data.stem}_plan.json")
    checked = next(one.sha256 for one in check.content.inputs if one.use == "data")
    return path if path.is_file() and read_plan(path).release_sha256 == checked else None


def _readme(check: Check, lang: str) -> str:
    """What is in the folder, what may go out, and the digests of the tables, in all languages."""
    document, against = check.content, obstacle(check.content)
    paragraphs = []
    for code in (lang, *(one for one in LANGUAGES if one != lang)):
        tables = [
            f"{one.sha256}  {printable(one.file)}"
            for one in document.inputs
            if one.sha256 is not None and one.file is not None
        ]
        paragraphs += [
            said(code, "evidence.what", verdict=said(code, f"verdict.{document.verdict}")),
            f"{OUT}/\n  {said(code, 'evidence.out')}"
            if against is None
            else said(code, "evidence.nothing-out", why=said(code, f"obstacle.{against}")),
            f"{INSIDE}/\n  {said(code, 'evidence.inside')}",
            said(code, "evidence.digests", file=DIGESTS),
            "\n".join([said(code, "evidence.tables"), *tables]),
        ]
    return "\n\n".join(paragraphs) + "\n"
