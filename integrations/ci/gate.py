"""The step of action.yml that checks releases. Its settings are environment variables, as actions pass them."""

import glob
import os
import secrets
import sys

from PETWorks import PETWorksError, check
from PETWorks.gate.check.may_go_out import EXIT_CODES
from PETWorks.render.language.language import message_text

FAIL_ON = ("fail", "waived", "never")
ERROR = "error"  # the output if something could not be checked
WORST_LAST = ("pass", "waived", "withheld", "fail", ERROR)
WORST_CODES = (2, 1, 4, 0)  # the first of these that a policy gets is the exit code of the step


def main(settings):
    """The exit code: 0; 1 if a release does not pass; 2 for mistakes in the input; 4 if a verdict is not shown.

    It depends only on what the edition shows: people who see the log also see whether the job passed. A job that checks
    nothing does not pass.
    """
    verdicts = [ERROR]  # until everything is checked, whatever happens
    try:
        codes, verdicts = check_all(settings)
    finally:
        append(settings["GITHUB_OUTPUT"], f"verdict={max(verdicts, key=WORST_LAST.index)}\n")
    return next(code for code in WORST_CODES if code in codes)


def check_all(settings):
    """The exit codes and the verdicts of all policies."""
    if settings.get("FAIL_ON") not in FAIL_ON:
        print(f"fail-on is one of {', '.join(FAIL_ON)}, got {settings.get('FAIL_ON')!r}", file=sys.stderr)
        return {2}, [ERROR]
    paths = list(policies(settings.get("POLICY", "")))
    if not paths:
        print(
            "petworks: policy names no file, so nothing would be judged; give a policy file or a pattern in each line "
            "(a variable that is not set is empty)",
            file=sys.stderr,
        )
        return {2}, [ERROR]
    lang, edition = settings["SPOKEN"], settings["EDITION"]
    verdicts, codes = [], set()
    for policy in paths:
        try:
            result = check(policy, data=settings["DATA"] or None)
            text, summary = (result.to_format(name, lang, edition) for name in ("text", "markdown"))
        except PETWorksError as error:
            print(f"petworks: {policy}: {error}", file=sys.stderr)
            codes.add(2)
            verdicts.append(ERROR)
            continue
        print(text)
        append(settings["GITHUB_STEP_SUMMARY"], f"{summary}\n")
        verdict = result.file(edition).verdict
        verdicts.append(verdict)
        if verdict == "withheld":
            print(f"petworks: {policy}: {message_text(lang, 'cli.verdict-withheld')}", file=sys.stderr)
            append(settings["GITHUB_STEP_SUMMARY"], f"{message_text(lang, 'cli.verdict-withheld')}\n")
        exit_code = 1 if verdict == settings["FAIL_ON"] else EXIT_CODES[verdict]
        codes.add(0 if settings["FAIL_ON"] == "never" else exit_code)
    return codes, verdicts


def policies(lines):
    """The files that the lines name, with patterns expanded; a line that matches nothing is returned as it is."""
    for line in filter(None, map(str.strip, lines.splitlines())):
        yield from sorted(glob.glob(line, recursive=True)) or [line]


def append(file, text):
    with open(file, "a", encoding="utf-8") as opened:
        opened.write(text)


if __name__ == "__main__":
    # Column names are printed, and one may look like a command of the runner: so commands are disabled meanwhile.
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    code = main(os.environ)
    print(f"::{token}::", flush=True)
    sys.exit(code)
