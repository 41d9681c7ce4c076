"""Decide whether a case has failed."""

import io
import json
import math
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fuzz.case import MARKER, Case
from fuzz.worker import MEMORY_BYTES, CommandResult, Outcome
from PETWorks.errors import PETWorksError
from PETWorks.tables.opening import open_table

GOOD_CODES = (0, 1, 2)
BAD_INPUT = 2
OUTPUTS = ("-o", "--output", "--json", "--junit", "--markdown", "--html", "--per-record", "--reasons")
FOREIGN = (
    "packed",
    "json-lines",
    "workbook",
    "statistics",
)  # targets in whose files a mutation may turn a cell into a name
# Keys that may differ between engines, formats and runs.
MAY_DIFFER = ("engine", "encoding", "separator", "not_applicable", "generated", "salt", "commitments")


def failures(case: Case, outcome: Outcome) -> list[str]:
    """The failures of a case; the first line of each names its kind."""
    if outcome.died:
        return [outcome.died]
    found = []
    if outcome.memory > MEMORY_BYTES:
        found.append(f"memory\n{outcome.memory >> 20} MiB\n{case.commands}")
    for command, result in zip(case.commands, outcome.ended, strict=True):
        found += [
            f"{failure}\n$ petworks {command}\n{result.stderr[-3000:]}"
            for failure in _of_command(case, command, result)
        ]
    if case.chain:
        found += _rejections(case, outcome)
    if case.agree:
        found += _disagreements(case, outcome)
    return found


def _of_command(case: Case, command: list[str], result: CommandResult) -> Iterator[str]:
    if result.code not in GOOD_CODES or "Traceback" in result.stderr:
        yield f"exit code {result.code}{_place(result.stderr)}"
    elif "Warning:" in result.stderr:
        yield f"warning: {_shape(result.stderr)}"
    yield from (
        f"leak: a cell is in {where}"
        for where, text in _public(command, result)
        if MARKER in text and not _may_be_name(case)
    )
    if set(result.changed) - _outputs(command) and "--resume" not in command:
        yield "input changed"
    for name, content in result.created.items():
        if ".petworks-" in name or name.endswith(".partial"):
            yield "half-written file left"
        elif result.code == BAD_INPUT:
            yield "file written in spite of an error"
        elif _has_format_of_name(command, name) and not _is_complete(name, content):
            yield f"output is not whole: {name.rpartition('.')[2]}"
    if result.code in (0, 1) and _prints_json(command) and not _is_complete(".json", result.stdout.encode()):
        yield "output is not whole: json that is printed"


def _outputs(command: list[str]) -> set[str]:
    """The files that a command may replace: its outputs, unless it also reads them."""
    after = [*zip(["", *command], command, strict=False)]
    read = {argument for option, argument in after if option not in OUTPUTS}
    return (
        {argument for option, argument in after if option in OUTPUTS}
        - read
        - ({"table.csv"} if command[0] == "check" else set())
    )


def _place(stderr: str) -> str:
    """The line of PETWorks where an error was raised, which distinguishes defects."""
    places = re.findall(r'PETWorks/(\S+\.py)", line (\d+)', stderr)
    kinds = re.findall(r"petworks: (\w+): an error in the program", stderr)
    return "".join([*(f" at {file}:{line}" for file, line in places[-1:]), *(f" ({kind})" for kind in kinds[-1:])])


def _shape(text: str) -> str:
    """A message without its details."""
    return re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "_", text)[:150].replace("\n", " ")


def _public(command: list[str], result: CommandResult) -> Iterator[tuple[str, str]]:
    """Texts that must not contain a cell."""
    yield "standard error", result.stderr
    if result.code == BAD_INPUT:
        yield "standard output", result.stdout
    for name, content in result.created.items():
        if ".external." in name:
            yield "the external edition", content.decode("utf-8", "replace")
    if command[0] == "init" or ("check" in command and "external" in command):
        yield f"what {command[0]} prints", result.stdout
        yield from (
            (f"what {command[0]} writes", content.decode("utf-8", "replace")) for content in result.created.values()
        )


def _may_be_name(case: Case) -> bool:
    """Whether the marker may be a name of a column, a table or a file, which messages may contain."""
    if MARKER in str(case.commands) or MARKER in str(list(case.files)):
        return True
    if case.target in FOREIGN and any(MARKER in name for file in case.mutable for name in _names(file, case)):
        return True
    for name in case.mutable:
        # A quote in the header may make a cell part of it.
        head = re.split(
            rb"[\r\n]", case.files[name].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe\r\n\t "), maxsplit=1
        )[0]
        if name.endswith(".csv") and "hierarchy_" not in name and (MARKER.encode() in head or b'"' in head):
            return True
    return False


def _names(file: str, case: Case) -> tuple[str, ...]:
    """The column names of a file; none if it cannot be opened."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, file)
        path.write_bytes(case.files[file])
        try:
            return open_table(path).names
        except PETWorksError:
            return ()


def _prints_json(command: list[str]) -> bool:
    if "table" in command:  # the last --format decides
        return False
    together = " ".join(command)
    to_file = any(option in command for option in ("-o", "--output")) and "check" not in command
    return ("--format json" in together and not to_file) or "--json -" in together


def _has_format_of_name(command: list[str], name: str) -> bool:
    """Whether the format of a file is that of its name, and not one chosen by an option."""
    if command[0] == "check":
        option = command[command.index(name) - 1] if name in command else ""
        return not option.startswith("--") or name.endswith(f".{option.removeprefix('--')}")
    return "--format" not in command and "out.html" not in command


def _is_complete(name: str, content: bytes) -> bool:
    """Whether a written file is complete, as far as its format shows it."""
    if name.endswith(".json"):
        try:
            json.loads(content, parse_constant=_no_constant)
        except ValueError:
            return False
    if name.endswith(".html"):
        return content.rstrip().endswith(b"</html>")
    if name.endswith(".parquet"):
        from pyarrow import ArrowException, parquet

        try:
            parquet.read_table(io.BytesIO(content))
        except (ArrowException, OSError):
            return False
    return True


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _rejections(case: Case, outcome: Outcome) -> Iterator[str]:
    """Commands that do not accept the output of the one before."""
    pairs = zip(outcome.ended, case.commands[1:], outcome.ended[1:], strict=False)
    for before, command, result in pairs:
        incomplete = "no quasi-identifier" in result.stderr  # the user must decide
        if before.code in (0, 1) and result.code == BAD_INPUT and not incomplete:
            yield f"{command[0]} rejects what was written\n$ petworks {command}\n{result.stderr}"


def _disagreements(case: Case, outcome: Outcome) -> Iterator[str]:
    """Commands that should give the same answer and do not."""
    # An engine may refuse what only the one in memory supports.
    able = [
        (command, result)
        for command, result in zip(case.commands, outcome.ended, strict=True)
        if not (result.code == BAD_INPUT and "--engine memory" in result.stderr)
    ]
    for command, result in able[1:]:
        first_command, first = able[0]
        commands = f"$ petworks {first_command}\n{first.stderr}\n$ petworks {command}\n{result.stderr}"
        if result.code != first.code:
            yield f"different exit codes {first.code} and {result.code}\n{commands}"
        elif result.code != BAD_INPUT:
            where = _difference(json.loads(first.stdout), json.loads(result.stdout))
            if where is not None:
                yield f"different answers at {where}\n{commands}"


def _difference(first: Any, second: Any, path: str = "") -> str | None:
    """The path where two documents differ; None if they are equal."""
    if isinstance(first, dict) and isinstance(second, dict):
        keys = [key for key in {**first, **second} if key not in MAY_DIFFER]
        inner = (_difference(first.get(key), second.get(key), f"{path}.{key}") for key in keys)
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        inner = (_difference(*pair, f"{path}[]") for pair in zip(first, second, strict=True))
    elif isinstance(first, float) and isinstance(second, float | int):
        return None if math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12) else path
    else:
        return None if first == second else path
    return next((where for where in inner if where is not None), None)
