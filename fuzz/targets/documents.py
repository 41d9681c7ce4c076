"""Files in YAML and JSON: the roles beside a table, policies, results of checks, unfinished runs."""

import functools
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import yaml

from fuzz.case import MARKER, Case
from fuzz.mutation import mutate_tree
from fuzz.tables import csv_bytes
from fuzz.targets.base import Target

PEOPLE = {
    "zip": ["1", "1", "2", "2", "*", "*", "1", "1"],
    "age": ["30", "30", "40", "40", "*", "*", "30", ""],
    "sex": ["m", "m", "f", "f", "*", "*", "m", "f"],
    "disease": [f"{MARKER}{n % 3}" for n in range(8)],
    "name": [f"{MARKER}-{n}" for n in range(8)],
}
HIERARCHIES = {
    "h/hierarchy_zip.csv": b"1;1*;*\n2;2*;*\n",
    "h/hierarchy_age.csv": b"30;old;*\n40;old;*\n",
    "h/hierarchy_sex.csv": b"m;*\nf;*\n",
}
SIDECAR = {
    "DATASET": {
        "ATTRIBUTE_TYPE": {
            "IDENTIFIER": ["name"],
            "QUASI_IDENTIFIER": ["zip", "age", "sex"],
            "SENSITIVE_ATTRIBUTE": ["disease"],
        },
        "HIERARCHY": "h",
    }
}
POLICY = {
    "petworks_policy": 1,
    "title": "A table",
    "data": "table.csv",
    "original": "table.csv",
    "hierarchies": "h",
    "population": 1000,
    "separator": ",",
    "encoding": "utf-8",
    "roles": {
        "quasi_identifiers": ["zip", "age", "sex"],
        "sensitive_attributes": ["disease"],
        "insensitive_attributes": ["name"],
    },
    "role_reasons": {"zip": "an address book has it"},
    "no_role": {},
    "regimes": ["hipaa-expert"],
    "sign_off": {
        "approver": "C",
        "role": "office",
        "review_by": "2030-01-01",
        "incident_contact": {"en": "D", "zh-TW": "丁"},
    },
    "treatment": {"missing": "value", "suppressed": "apart", "several_sensitive": "alone"},
    "context": {
        "release": "public",
        "purpose": "research",
        "earlier_releases": [{"what": "last year's table", "date": "2025-01-01", "recipients": "anybody"}],
        "recipients": {"en": "anybody", "zh-TW": "任何人"},
        "adversaries": [{"who": "a neighbour", "knows": ["age", "sex"]}],
        "assumptions": ["None."],
    },
    "cell_size": 3,
    "presets": ["cms-11"],
    "rules": [
        {"measure": "l-diversity", "l": 2, "name": "diverse", "why": "it must be"},
        {"measure": "t-closeness", "t": "1/2"},
        {"measure": "prosecutor-risk", "highest": 0.5, "cell_size": 2},
        {"measure": "precision", "at_least": 0.5},
    ],
    "subsets": {"sizes": "1-2", "limits": {"uniques": 0.01, "highest-risk": "1/5"}},
    "waivers": [{"rule": "diverse", "owner": "A", "reason": "B", "expires": "2030-01-01"}],
}
EARLIER = {name: cells[1:7] for name, cells in PEOPLE.items() if name in ("zip", "disease", "name")}
RELEASES = {
    "key": "name",
    "earlier": [
        {
            "name": {"en": "Last year", "zh-TW": "去年"},
            "data": "earlier.csv",
            "date": "2025-01-01",
            "recipients": "anybody",
            "roles": {"quasi_identifiers": ["zip"], "sensitive_attributes": ["disease"], "identifiers": ["name"]},
        },
        {"sha256": "a" * 64, "recipients": "a newspaper"},
    ],
    "limits": {"re-identification": 0.5, "alone": "1/3", "disclosed": 0.2, "inference:disease": 0.9, "m-invariance": 2},
    "worth": {"disease": {f"{MARKER}1": 2}},
}
DECLARED = (
    {"zip": {"prefix": [1]}, "age": {"width": [5, 10], "start": 0, "bottom": 18, "top": 90}, "sex": {"mask": 1}},
    {"zip": {"cuts": [[1, 2, 3], [2]]}, "age": {"quantiles": [4, 2]}, "sex": {"groups": {"all": {"two": ["m", "f"]}}}},
    {"zip": "h/hierarchy_zip.csv", "age": {"rare": {"fewer_than": [2, 5]}}, "sex": {"order": ["m", "f"], "sizes": [2]}},
    {"zip": {"icd10": ["category", "chapter"]}, "age": {"dates": ["day", "month", "decade"], "calendar": "roc"}},
)  # hierarchies without files
EDITIONS = ("internal", "external", "both")
YAML_TOKENS = (
    b": ",
    b"- ",
    b"&a ",
    b"*a",
    b"!!python/object ",
    b"<<: ",
    b"---\n",
    b"{",
    b"]",
    b"|\n",
    b"\t",
    b"? ",
    b"# ",
)


class TreeTarget(Target):
    """Cases whose file is mutated as a tree or as bytes."""

    tokens = YAML_TOKENS

    def mutate(self, random: Random, case: Case) -> Case:
        """The case with a changed file."""
        name = random.choice(case.mutable)
        content = case.files[name]
        if random.random() < 0.7:
            try:
                tree = yaml.safe_load(content) if name.endswith("yaml") else json.loads(content)
                return case.with_file(name, dump(name, mutate_tree(random, tree)))
            except (ValueError, yaml.YAMLError, RecursionError, TypeError):
                pass  # it is no longer a tree
        return super().mutate(random, case)


def dump(name: str, tree: Any) -> bytes:
    """A tree as YAML or JSON, depending on the file name."""
    text = yaml.safe_dump(tree, allow_unicode=True) if name.endswith("yaml") else json.dumps(tree)
    return text.encode("utf-8", "surrogatepass")


class Sidecar(TreeTarget):
    """The YAML file with the roles beside a table."""

    name = "sidecar"

    def make(self, random: Random) -> Case:
        """The roles and a hierarchy."""
        files = {"table.csv": csv_bytes(PEOPLE), "table.yaml": dump("yaml", SIDECAR)}
        files |= HIERARCHIES
        command = random.choice((["evaluate", "table.csv"], ["attack", "table.csv"], ["init", "table.csv"]))
        case = Case(self.name, files, [command], ["table.yaml"])
        return self.mutate(random, case)


class Policies(TreeTarget):
    """A policy, checked in every edition and format."""

    name = "policy"

    def make(self, random: Random) -> Case:
        """A policy with a random selection of keys."""
        required = ("petworks_policy", "data", "rules")
        policy = {key: value for key, value in POLICY.items() if key in required or random.random() < 0.7}
        if random.random() < 0.4:
            policy["hierarchies"] = random.choice(DECLARED)
        if random.random() < 0.4:
            policy["releases"] = RELEASES
        case = Case(self.name, {**_people(), "policy.yaml": dump("yaml", policy)}, [], ["policy.yaml"])
        if random.random() < 0.2:
            command = ["check", "policy.yaml", "--as-of", "2026-01-01", "--json", "-", "--engine"]
            commands = [[*command, engine] for engine in ("memory", "duckdb")]
            return self.mutate(random, replace(case, commands=commands, agree=True))
        command = ["check", "policy.yaml", "--edition", random.choice(EDITIONS), "--as-of", "2026-01-01"]
        for kind in ("json", "html", "junit", "markdown"):
            command += [f"--{kind}", f"out.{kind}"] if random.random() < 0.4 else []
        command += ["--lang", "zh-TW"] if random.random() < 0.3 else []
        if random.random() < 0.5:
            command += ["--reasons", random.choice(("why.csv", "why.parquet"))]
            command += random.choice(([], ["--below", "3"], ["--below", "11"]))
        return self.mutate(random, replace(case, commands=[command]))


class Register(TreeTarget):
    """An entry of the register of releases, listed and used by a check."""

    name = "register"

    def make(self, random: Random) -> Case:
        """A register with an entry of an earlier release."""
        entry = {
            "schema": "petworks-register/1",
            "date": "2025-01-01",
            "title": {"en": "Last year", "zh-TW": "去年"},
            "file": "earlier.csv",
            "sha256": "a" * 64,
            "recipients": "anybody",
            "release": "public",
            "key": "name",
            "columns": {"name": "identifier", "zip": "quasi_identifier", "disease": "sensitive_attribute"},
            "removed": ["id"],
            "verdict": "pass",
            "rule_verdicts": {"pass": 2, "waived": 0, "fail": 0},
            "policy_sha256": None,
            "check_sha256": "b" * 64,
            "petworks": "0.1.0",
        }
        files = {**_people(), "policy.yaml": dump("yaml", POLICY), "out/entry.json": dump("json", entry)}
        check = ["check", "policy.yaml", "--as-of", "2026-01-01", "--register", "out", "--html", "out.html"]
        listing = ["register", "list", "--register", "out", "--format", random.choice(("table", "json"))]
        return self.mutate(random, Case(self.name, files, [check, listing], ["out/entry.json"]))


NAMES = [
    "a: b",
    "- x",
    "#c",
    "null",
    "'q'",
    'd"q',
    "{x}",
    "&a",
    "*b",
    "!t",
    "%p",
    "a\nb",
    "\u2028z",
    "\x85w",
    "\x07",
    "=1+1",
]
NAMES += [
    "王小明",
    "a,b",
    "x" * 300,
    "~",
    "? k",
    "|",
    "\\n",
    "\ue000",
    "😀",
    "<<",
    "\x1b[31m",
    "a #b",
    "姓名",
    "birth date",
    "zip",
]


class Chain(Target):
    """The policy that init writes for a table with odd names, its check, and the comparison of its results."""

    name = "chain"

    def make(self, random: Random) -> Case:
        """A table with odd names of columns."""
        names = random.sample(NAMES, random.choice((1, 2, 4)))
        cells = [MARKER, "a", "*", "", "A123456789", "a@b.org", "2020-01-01", "31"]
        table = {name: random.choices(cells, k=12) for name in names}
        commands = [["init", "table.csv", "-o", "policy.yaml", "--separator", ","]]
        page = ["--html", "out.html"] if random.random() < 0.2 else []
        commands += [["check", "policy.yaml", *page, "--json", "out.json", "--edition", random.choice(EDITIONS[:2])]]
        commands += [["diff", "out.json", "out.json"]]
        return Case(self.name, {"table.csv": csv_bytes(table)}, commands, ["table.csv"], chain=True)


class Checks(TreeTarget):
    """Two check results, compared."""

    name = "diff"

    def make(self, random: Random) -> Case:
        """A result and a changed copy."""
        tree = json.loads(check_document(random.choice(("internal", "external"))))
        # Short lists, since validating a whole document against the schema is slow.
        for key, value in tree.items():
            tree[key] = random.sample(value, min(2, len(value))) if isinstance(value, list) else value
        document = dump("json", tree)
        files = {"old.json": document, "new.json": document}
        command = ["diff", "old.json", "new.json", *random.choice(([], ["--format", "json"], ["-o", "out.json"]))]
        return self.mutate(random, Case(self.name, files, [command], ["new.json"]))


class Unfinished(TreeTarget):
    """The file of an unfinished attack with subsets, which is continued."""

    name = "resume"

    def make(self, random: Random) -> Case:
        """An unfinished run, with some of its lines."""
        lines = unfinished().splitlines(keepends=True)
        kept = lines[: random.randint(1, len(lines))]
        files = {"table.csv": csv_bytes(PEOPLE), "out.csv.unfinished": b"".join(kept)}
        command = ["attack", "table.csv", "--qi", "zip,age,sex", "--sensitive", "disease", "--subsets", "all"]
        command += ["-o", "out.csv", "--resume"]
        return self.mutate(random, Case(self.name, files, [command], ["out.csv.unfinished"]))

    def mutate(self, random: Random, case: Case) -> Case:
        """The case with a changed line, or other bytes."""
        lines = case.files["out.csv.unfinished"].split(b"\n")
        at = random.randrange(len(lines))
        if random.random() < 0.5:
            try:
                lines[at] = dump("json", mutate_tree(random, json.loads(lines[at])))
                return case.with_file("out.csv.unfinished", b"\n".join(lines))
            except (ValueError, RecursionError):
                pass
        return super().mutate(random, case)


def _people() -> dict[str, bytes]:
    return {"table.csv": csv_bytes(PEOPLE), "earlier.csv": csv_bytes(EARLIER), **HIERARCHIES}


@functools.cache
def check_document(edition: str) -> bytes:
    """The result of a check."""
    from PETWorks import check

    with tempfile.TemporaryDirectory() as folder:
        for name, content in _people().items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        Path(folder, "policy.yaml").write_text(yaml.safe_dump(POLICY), "utf-8")
        result = check(Path(folder, "policy.yaml"), as_of="2026-01-01")
        return str(result.to_format("json", "en", edition)).encode()


@functools.cache
def unfinished() -> bytes:
    """The file of a run that has counted every subset but not written the result."""
    from PETWorks import Release, every_subset

    roles = dict.fromkeys(("zip", "age", "sex"), "quasi_identifier") | {"disease": "sensitive_attribute"}
    with tempfile.TemporaryDirectory() as folder:
        table, path = Path(folder, "table.csv"), Path(folder, "out.csv.unfinished")
        table.write_bytes(csv_bytes(PEOPLE))
        every_subset(Release(table, roles), "all", checkpoint=path)
        return path.read_bytes()


TARGETS = (Sidecar(), Policies(), Register(), Chain(), Checks(), Unfinished())
