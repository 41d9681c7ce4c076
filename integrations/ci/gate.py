"""The step of action.yml that judges releases. Its settings are environment variables, as actions pass them."""

import glob
import os
import secrets
import sys

from PETWorks import PETWorksError, check

FAIL_ON = ("fail", "waived", "never")
WORST_LAST = ("pass", "waived", "withheld", "fail")


def main(settings):
    """The exit code: 0, 1 if a release does not pass, 2 if something is wrong with the input."""
    if settings["FAIL_ON"] not in FAIL_ON:
        print(f"fail-on is one of {', '.join(FAIL_ON)}, got {settings['FAIL_ON']!r}", file=sys.stderr)
        return 2
    lang, edition = settings["SPOKEN"], settings["EDITION"]
    verdicts, codes = [], [0]
    for policy in policies(settings["POLICY"]):
        try:
            result = check(policy, data=settings["DATA"] or None)
            text, summary = (result.to_format(name, lang, edition) for name in ("text", "markdown"))
        except PETWorksError as error:
            print(f"petworks: {policy}: {error}", file=sys.stderr)
            codes.append(2)
            continue
        print(text)
        append(settings["GITHUB_STEP_SUMMARY"], f"{summary}\n")
        verdicts.append(result.file(edition).verdict)
        refused = not result.passed or (result.verdict == "waived" and settings["FAIL_ON"] == "waived")
        codes.append(int(refused and settings["FAIL_ON"] != "never"))
    if verdicts:
        append(settings["GITHUB_OUTPUT"], f"verdict={max(verdicts, key=WORST_LAST.index)}\n")
    return max(codes)


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
