"""Record everything that users can see of PETWorks, and show differences later, for changes that must not be visible.

python tests/guard.py record DIR [PART ...]     record the present state into DIR, outside the repository
python tests/guard.py compare DIR [PART ...]    record it again and print what differs; exit code 1 if anything does

PART is the name of a part, or its beginning (`check`, `studio`, `api`); all of them by default. DIR gets a folder for
each part: the output of commands (in `guard_commands.py`), their exit codes, the texts of files, and digests.
Reference tables are those of PETWORKS_REFERENCE_DATA; parts about them are skipped if there are none.
"""

import difflib
import gc
import hashlib
import importlib
import inspect
import json
import os
import pkgutil
import re
import runpy
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from datetime import datetime
from pathlib import Path

# The only internals that this file uses; `studio_client` logs into the studio.
import PETWorks
from guard_commands import BAD_FILES, COUNTED, ONCE, RAW, SPOKEN
from PETWorks.cli.main import main as petworks_main
from studio_client import entered, fields_of, make_app

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = Path(os.environ.get("PETWORKS_REFERENCE_DATA", ROOT.parent / "shared/data/petworks")).resolve()
LANGUAGES = ("en", "zh-TW")
ENGINES = ("memory", "duckdb")
NOW = (2026, 11, 16, 12)  # waivers of the gallery depend on it
TEXTS = {".csv", ".html", ".json", ".md", ".txt", ".xml", ".yaml", ""}
LARGEST_TEXT = 400_000  # bytes; of larger files only the digest is kept
LONGEST = 300  # seconds a command may take
NOT_IMPORTED = ("PETWorks.__main__", "PETWorks.pytest_plugin")
BUILT_IN = (object, BaseException, Exception, ValueError, dict, str, tuple)


# Varying output ---------------------------------------------------------------------------------------------------


class _AnyDatetime(type(datetime)):
    def __instancecheck__(cls, value):
        return isinstance(value, datetime)


class FixedClock(datetime, metaclass=_AnyDatetime):
    """A datetime whose present never moves."""

    @classmethod
    def now(cls, tz=None):
        return cls(*NOW, tzinfo=tz)


def fix_time_and_chance():
    """Fix the day, the salts and the seeds."""
    secrets.token_hex = lambda size=16: "5a" * size
    secrets.token_urlsafe = lambda size=32: "token" * (size // 4)
    secrets.randbits = lambda bits: 7
    for name, module in list(sys.modules.items()):
        if name.startswith("PETWorks") and vars(module).get("datetime") is datetime:
            module.datetime = FixedClock
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH", "NUMBA_CACHE_DIR") if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, LC_ALL="C.UTF-8", TZ="UTC", PETWORKS_LANG="en")
    time.tzset()


VARYING = (
    (r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "TIME UTC"),  # when a file was written
    (r" at 0x[0-9a-f]+", " at ADDRESS"),
    (r"\b(PETWorks|PETWorks(\.\w+)+)\.(?=_*[A-Z])", ""),  # the module of a class, in annotations
)


def normalize(text, folder):
    """Replace everything in a text that differs from run to run, or only in internal names."""
    for place, name in ((folder, "FOLDER"), (ROOT, "ROOT"), (REFERENCE, "REFERENCE"), (tempfile.gettempdir(), "TMP")):
        text = text.replace(str(place), name)
    for pattern, plain in VARYING:
        text = re.sub(pattern, plain, text)
    return text


def reduce_html(text):
    """A page with one tag per line; styles and scripts are replaced by their digests."""

    def digest_only(found):
        return f"<{found[1]}{found[2]}>{digest(found[3].encode())}</{found[1]}>"

    text = re.sub(r"<(style|script)([^>]*)>(.+?)</\1>", digest_only, text, flags=re.DOTALL)
    text = re.sub(r"'sha256-[\w+/=]+'", "'sha256-DIGEST'", text)
    lines = (line.strip() for line in text.replace("<", "\n<").splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def digest(content):
    return hashlib.sha256(content).hexdigest()[:16]


# Commands ----------------------------------------------------------------------------------------------------------


def run_forked(task, folder):
    """Exit code, standard output and standard error of a task in a forked process."""
    with tempfile.TemporaryDirectory() as elsewhere:
        files = [Path(elsewhere, name) for name in ("stdout", "stderr")]
        sys.stdout.flush()
        child = os.fork()
        if not child:
            _become(task, folder, files)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return code, *(path.read_bytes().decode("utf-8", "replace") for path in files)


def _become(task, folder, files):
    """Continue as the task, with its own outputs, and exit."""
    signal.alarm(LONGEST)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, path in enumerate(files, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    os.environ["TMPDIR"] = tempfile.tempdir = str(files[0].parent)  # files left there are removed
    os.chdir(folder)
    code = 0
    try:
        task()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:  # noqa: BLE001 - it is part of the recording
        traceback.print_exc()
        code = 99
    finally:
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
        sys.stdout.flush()
        os._exit(code)


def petworks(arguments, folder):
    def task():
        sys.argv = ["petworks", *arguments]
        subprocess.run = _subprocess_run
        petworks_main()

    return run_forked(task, folder)


def _subprocess_run(command, cwd, env, **_):
    """Run commands that a command starts, such as `demo`, with the same fixed time and random values."""
    os.environ.update(env)
    arguments = command[command.index("PETWorks") + 1 :]
    return subprocess.CompletedProcess(command, *petworks(arguments, Path.cwd() / cwd))


# Parts -------------------------------------------------------------------------------------------------------------


def parts():
    """The name of each part, and the function that records it: given a working folder, it yields names and texts."""
    for name, lines in SPOKEN.items():
        for lang in LANGUAGES:
            yield f"{name}.{lang}", commands(lines, ["--lang", lang])
    for name, lines in COUNTED.items():
        if name == "reference" and not REFERENCE.is_dir():
            print(f"guard: no reference tables at {REFERENCE}", file=sys.stderr)
            continue
        for engine in ENGINES:
            yield f"{name}.{engine}", commands(lines.replace("ENGINE", engine))
    for name, lines in ONCE.items():
        yield name, commands(lines)
    yield "examples", examples
    yield "api", api
    for lang in LANGUAGES:
        yield f"objects.{lang}", objects(lang)
        yield f"studio.{lang}", studio(lang)


def commands(lines, before=()):
    """A part that runs commands and records their output and files."""

    def record(folder):
        for name, text in BAD_FILES.items():
            Path(folder, name).write_text(text, "utf-8")
        digests_before = {path: digest(path.read_bytes()) for path in sorted(folder.rglob("*")) if path.is_file()}
        for place, line in enumerate(lines.replace("\\\n", " ").strip().splitlines(), 1):
            arguments = shlex.split(line.replace("REFERENCE", str(REFERENCE)))
            code, output, errors = petworks([*before, *arguments], folder)
            name = re.sub(r"[^\w.-]+", "_", line)[:60]
            text = f"$ petworks {' '.join([*before, *shlex.split(line)])}\nexit code {code}\n"
            yield f"{place:03}_{name}.txt", f"{text}--- stdout\n{output}--- stderr\n{errors}"
        yield from written_files(folder, digests_before)

    return record


def written_files(folder, digests_before):
    """The texts of new or changed files, and digests of all; of pages, only the text."""
    digests = [f"{path.relative_to(folder)}: gone" for path in digests_before if not path.exists()]
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content, name = path.read_bytes(), str(path.relative_to(folder))
        if digests_before.get(path) == digest(content):
            continue
        is_text = path.suffix in TEXTS and len(content) <= LARGEST_TEXT
        is_page = path.suffix == ".html" or path.name == "SHA256SUMS"  # which has digests of pages
        digests.append(f"{name}: {'written' if is_page else digest(content)}")
        if is_text:
            text = content.decode("utf-8", "replace")
            yield f"files/{name}", reduce_html(text) if path.suffix == ".html" else text
    yield "digests.txt", "\n".join(digests) + "\n"


def examples(folder):
    """The output of the programs in `examples`, which use the Python interface."""
    for path in sorted((ROOT / "examples").glob("*.py")):

        def task(path=path):
            sys.argv = [str(path)]
            runpy.run_path(str(path), run_name="__main__")

        code, output, errors = run_forked(task, folder)
        yield f"{path.stem}.txt", f"exit code {code}\n--- stdout\n{output}--- stderr\n{errors}"


def results():
    """An object of each kind that the Python interface returns."""
    adult = {"roles": PETWorks.Release("data/adult.csv").roles, "hierarchies": "data/adult_hierarchy"}
    rules = {"k-anonymity": {"k": 5}}
    released = PETWorks.Release("data/adult_anonymized.csv", original="data/adult.csv")
    schools = PETWorks.Releases(["data/school_2022.csv", "data/school_2023.csv"], key="pupil")
    yield "release", released
    yield "evaluation", PETWorks.evaluate(released)
    yield "result", PETWorks.catalogue["t-closeness"](released, t=0.2)
    yield "subsets", PETWorks.every_subset(released)
    yield "uniques", PETWorks.minimal_uniques(released)
    yield "risks", PETWorks.risks_per_record(released)
    yield "check", PETWorks.check("data/adult_policy.yaml")
    original = PETWorks.Release("data/adult.csv", **adult)
    yield "anonymization", PETWorks.anonymize(original, rules, suppression=0.05)
    yield "levels", PETWorks.apply_levels(original, {"age": 4, "education": 2}, rules)
    yield "frontier", PETWorks.frontier(original, rules, suppression=0)
    yield "releases", schools
    yield "composition", schools.compose()
    yield "hierarchy", PETWorks.build_hierarchy(range(18, 90), {"width": [5, 10, 20]})
    yield "policy", PETWorks.read_policy("data/adult_policy.yaml")


def objects(lang):
    """A part with the views of results in notebooks: text, HTML and picture."""

    def task():
        os.environ["PETWORKS_LANG"] = lang
        warnings.formatwarning = lambda message, *_, **__: f"{message}\n"  # without the line of this file
        for name, value in results():
            print(f"== {name}\n{value!r}")
            if hasattr(value, "_repr_html_"):
                print(reduce_html(value._repr_html_()))
                try:
                    print(reduce_html(value.plot()._repr_svg_()))
                except PETWorks.PETWorksError as error:
                    print(error)

    def record(folder):
        code, output, errors = run_forked(task, folder)
        yield "shown.txt", f"exit code {code}\n--- stdout\n{output}--- stderr\n{errors}"

    return record


def api(_folder):
    """Signatures of the Python interface: everything that the package exports, and everything that documents import."""
    names = {f"PETWorks.{name}" for name in PETWorks.__all__}
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.py")):
        for module, imported in re.findall(r"from (PETWorks[\w.]*) import (\w+(?:, \w+)*)", path.read_text("utf-8")):
            names |= {f"{module}.{name}" for name in imported.split(", ")}
    for name in sorted(names):
        module, _, attribute = name.rpartition(".")
        try:
            lines = describe(attribute, getattr(importlib.import_module(module), attribute))
        except (ImportError, AttributeError):
            lines = ["there is none"]
        yield f"{name}.txt", "".join(line + "\n" for line in lines)
    plugin = dir(importlib.import_module("PETWorks.pytest_plugin"))
    hooks = [name for name in plugin if name.startswith(("pytest_", "assert_"))]
    yield "names.txt", "\n".join([*sorted(PETWorks.__all__), PETWorks.__version__, *hooks]) + "\n"


def describe(name, value):
    """Lines about a public name: its signature with types; for a class, also those of its members."""
    if inspect.isclass(value):
        yield f"class {name}({', '.join(base.__name__ for base in value.__mro__ if base in BUILT_IN)})"
        yield f"  {signature(value)}"
        for member in sorted(dir(value)):
            static = inspect.getattr_static(value, member)
            is_special = member.startswith("_") and not (member.startswith("__") and inspect.isroutine(static))
            if is_special or any(member in vars(base) for base in BUILT_IN if issubclass(value, base)):
                continue
            kind = type(static).__name__
            static = (
                getattr(static, "fget", None) or getattr(static, "func", None) or getattr(static, "__func__", static)
            )
            yield f"  {kind} {member}{signature(static)}"
    elif callable(value):
        yield f"{type(value).__name__} {name}{signature(value)}"
    else:
        yield f"{name}: {type(value).__name__} = {value!r}"


def signature(value):
    try:
        return str(inspect.signature(value)).replace("'", "")
    except (TypeError, ValueError):
        return ""


def studio(lang):
    """A part with the routes of the studio, its pages for a few policies, and the files that its forms write."""
    policies = {"raw": RAW, "released": "data/released_policy.yaml", "wards": "gallery/wards/first_policy.yaml"}
    parameters = {"release": "released.csv", "other": RAW, "table": "data/adult.csv", "file": "report.html"}
    parameters |= {"column": "1", "wait": "1"}
    new = {"policy": "new_policy.yaml", "release": "public"}
    forms = {"/columns": ["/columns"], "/levels/column": ["/levels/save"], "/safe": ["/safe/run"]}
    forms["/decide"] = ["/decide/save"]

    def pages(folder):
        routes = [(route.path, sorted(route.methods)) for route in make_app(folder).routes]
        yield "routes", "".join(f"{path} {' '.join(methods)}\n" for path, methods in sorted(routes))
        with entered(folder) as client:
            client.post("/language", data={"lang": lang, "back": "/"})
            for name, policy in policies.items():
                for path, methods in routes:
                    if "GET" in methods and "{" not in path and not path.endswith("/events"):
                        query = {**parameters, "policy": policy} | (new if path == "/open" else {})
                        yield f"{name}{path}", shown(client.get(path, params=query))
            for path, actions in forms.items():
                for action in actions:
                    query = {**parameters, "policy": RAW}
                    fields = fields_of(client.get(path, params=query).text, action) | {"do": "save"}
                    answer = client.post(action, params=query, data=fields, follow_redirects=False)
                    yield f"saved{action}", shown(answer) + Path(folder, RAW).read_text("utf-8")

    def shown(answer):
        kept = [f"{name}: {answer.headers[name]}\n" for name in ("content-type", "location") if name in answer.headers]
        return f"{answer.status_code}\n{''.join(kept)}{reduce_html(answer.text)}"

    def record(folder):
        kept = "--json data/released_report.json --reasons data/released_reasons_internal.csv"
        petworks(["anonymize", RAW, "-o", "data/released.csv", "--seed", "7", *kept.split()], folder)
        petworks(["check", RAW, "--html", "report.html"], folder)
        code, output, errors = run_forked(lambda: print(json.dumps(dict(pages(folder)))), folder)
        yield "outcome.txt", f"exit code {code}\n{errors}"
        for name, text in json.loads(output or "{}").items():
            yield f"{name.replace('/', '_')}.txt", text

    return record


# Recording and comparing ---------------------------------------------------------------------------------------------


def prepare():
    """Import everything that commands import, and compile what they call, so that each command is quick."""
    modules = [found.name for found in pkgutil.walk_packages(PETWorks.__path__, "PETWorks.")]
    for name in (
        *(name for name in modules if not name.startswith(NOT_IMPORTED)),
        "duckdb",
        "pyarrow.dataset",
        "jsonschema",
    ):
        importlib.import_module(name)
    table, roles = {"a": ["x", "y"] * 2}, {"a": "quasi_identifier"}
    release = PETWorks.Release(table, roles, {"a": [("x", "*"), ("y", "*")]})
    PETWorks.every_subset(release)
    PETWorks.anonymize(release, {"k-anonymity": {"k": 2}})
    fix_time_and_chance()
    gc.freeze()


def record(target, wanted):
    """Write the wanted parts below a folder."""
    for name, part in parts():
        if wanted and not name.startswith(wanted):
            continue
        begun, shown = time.monotonic(), target / name
        shutil.rmtree(shown, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="guard-") as elsewhere:
            folder = Path(elsewhere).resolve()
            shutil.copytree(ROOT / "data", folder / "data")
            shutil.copytree(ROOT / "docs/gallery", folder / "gallery", ignore=shutil.ignore_patterns("*.html", "*.md"))
            for file, text in part(folder):
                path = shown / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(normalize(text, folder), "utf-8")
        print(f"guard: {name}: {time.monotonic() - begun:.1f} s", file=sys.stderr)


def differences(old, new, wanted):
    """A unified diff of the parts that both recordings have; other parts are reported on standard error."""
    for name in sorted({path.name for path in (*old.iterdir(), *new.iterdir())}):
        if wanted and not name.startswith(wanted):
            continue
        if not ((old / name).is_dir() and (new / name).is_dir()):
            print(f"guard: {name}: not compared, only one recording has it", file=sys.stderr)
            continue
        files = {path.relative_to(at) for at in (old, new) for path in (at / name).rglob("*") if path.is_file()}
        for file in sorted(files):
            before, after = (lines_of(at / file) for at in (old, new))
            yield from difflib.unified_diff(before, after, f"before/{file}", f"after/{file}", lineterm="")


def lines_of(path):
    return path.read_bytes().decode().split("\n") if path.is_file() else ["(no such file)"]


def main(do, target, *wanted):
    prepare()
    if do == "record":
        if Path(target).resolve().is_relative_to(ROOT):
            sys.exit("guard: recordings belong outside the repository")
        record(Path(target), wanted)
        return 0
    if not Path(target).is_dir():
        sys.exit(f"guard: there is no recording at {target}")
    with tempfile.TemporaryDirectory(prefix="guard-now-") as now:
        record(Path(now), wanted)
        lines = list(differences(Path(target), Path(now), wanted))
    print("\n".join(lines), end="\n" if lines else "")
    files = sum(line.startswith("+++ ") for line in lines)
    print(f"guard: {files} files differ" if files else "guard: nothing differs", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("record", "compare"):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], *sys.argv[3:]))
