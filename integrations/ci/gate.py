"""The step of action.yml that judges releases. Its settings are environment variables, as actions pass them."""

import glob
import os
import secrets
import sys

from PETWorks import PETWorksError, check
from PETWorks.gate.check.may_go_out import EXIT_CODES
from PETWorks.render.language.language import said

FAIL_ON = ("fail", "waived", "never")
ERROR = "error"  # what the output says if something could not be judged
WORST_LAST = ("pass", "waived", "withheld", "fail", ERROR)
WORST_CODES = (2, 1, 4, 0)  # the first of these that a policy has is that of all


def main(settings):
    """The exit code: 0; 1 if a release does not pass; 2 for mistakes in the input; 4 if a verdict is not shown.

    It depends only on what the edition shows: whoever sees the log also sees whether the job passed. A job that judges
    nothing does not pass.
    """
    verdicts = [ERROR]  # until all is judged, whatever happens
    try:
        codes, verdicts = judged(settings)
    finally:
        append(settings["GITHUB_OUTPUT"], f"verdict={max(verdicts, key=WORST_LAST.index)}\n")
    return next(code for code in WORST_CODES if code in codes)


def judged(settings):
    """The exit codes and the verdicts of all policies."""
    if settings.get("FAIL_ON") not in FAIL_ON:
        print(f"fail-on is one of {', '.join(FAIL_ON)}, got {settings.get('FAIL_ON')!r}", file=sys.stderr)
        return {2}, [ERROR]
    named = list(policies(settings.get("POLICY", "")))
    if not named:
        print(
            "petworks: policy names no file, so nothing would be judged; give a policy file or a pattern in each line "
            "(a variable that is not set is empty)",
            file=sys.stderr,
        )
        return {2}, [ERROR]
    lang, edition = settings["SPOKEN"], settings["EDITION"]
    verdicts, codes = [], set()
    for policy in named:
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
            print(f"petworks: {policy}: {said(lang, 'cli.verdict-withheld')}", file=sys.stderr)
            append(settings["GITHUB_STEP_SUMMARY"], f"{said(lang, 'cli.verdict-withheld')}\n")
        failing = 1 if verdict == settings["FAIL_ON"] else EXIT_CODES[verdict]
        codes.add(0 if settings["FAIL_ON"] == "never" else failing)
    return codes, verdicts


def policies(lines):
    """The files that lines name, patterns expanded; a line that matches nothing is an error of the check."""
    for line in filter(None, map(str.strip, lines.splitlines())):
        yield from sorted(glob.glob(line, recursive=True)) or [line]


def append(file, text):
    with open(file, "a", encoding="utf-8") as opened:
        opened.write(text)


if __name__ == "__main__":
    # Names of columns are printed. Whoever made a table may call one like a command of the runner, so none is obeyed.
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    code = main(os.environ)
    print(f"::{token}::", flush=True)
    sys.exit(code)
