"""Random arguments on the command line, and attacks."""

import functools
from random import Random

from fuzz.case import Case
from fuzz.mutation import NUMBERS, TEXTS
from fuzz.tables import csv_bytes, duckdb_bytes, parquet_bytes, random_table
from fuzz.targets.base import Target
from fuzz.targets.documents import HIERARCHIES, PEOPLE, POLICY, SIDECAR, check_document, dump

VALUES = [
    "table.csv",
    "table.parquet",
    "base.duckdb#people",
    "policy.yaml",
    "old.json",
    "h",
    ".",
    "/",
    "-",
    "nothing.csv",
]
VALUES += [
    "out.csv",
    "out.json",
    "out.html",
    "out.parquet",
    "new/out.json",
    "*.csv",
    "/dev/null",
    "table.csv/x",
    "old.json#x",
]
VALUES += [
    "zip",
    "age,sex",
    "disease",
    "zip,zip",
    '"zip",age',
    '"',
    ",",
    "name",
    "all",
    "1-2",
    "1-",
    "0",
    "3,1",
    "2GB",
    "1KB",
]
VALUES += [
    "memory",
    "duckdb",
    "json",
    "utf-8",
    "big5",
    "hex",
    "idna",
    "\t",
    r"\t",
    ";;",
    "2026-02-30",
    "2026-01-01T00:00:00Z",
]
VALUES += [
    "k-anonymity:k=2",
    "k-anonymity:k=",
    "t-closeness:t=1/2",
    "l-diversity:l=2,x=1",
    "uniques=0.1",
    "highest-risk=1/0",
]
VALUES += [
    "inference:disease=0.5",
    "x://y",
    "ftp://x/y",
    "internal",
    "external",
    "both",
    "zh-TW",
    "en",
    "policy",
    "check",
]
VALUES += ["\udcff", "a\udc80.csv", "--", "--help", *NUMBERS, *(text for text in TEXTS if "\0" not in text)]


class CommandLine(Target):
    """A command with random options and values."""

    name = "command-line"

    def make(self, random: Random) -> Case:
        """A command, usually with an argument and options that it has."""
        commands = _options()
        command = random.choice(list(commands))
        usual = {"diff": ["old.json", "old.json"], "check": ["policy.yaml"]}.get(command, ["table.csv"])
        arguments = [command, *(argument if random.random() < 0.85 else random.choice(VALUES) for argument in usual)]
        if random.random() < 0.6 and command in ("evaluate", "attack"):
            arguments += ["--qi", "zip,age", "--sensitive", "disease"]
        for _ in range(random.choice((0, 1, 2, 3, 6))):
            arguments += self._option(random, commands[command])
        return Case(self.name, _files(), [arguments])

    def _option(self, random: Random, options: dict[str, list[str] | None]) -> list[str]:
        if not options or random.random() < 0.05:
            return [random.choice(VALUES)]
        name = random.choice(list(options))
        values = options[name]
        if values is None:
            return [name]
        return [name, random.choice(values) if values and random.random() < 0.8 else random.choice(VALUES)]

    def mutate(self, random: Random, case: Case) -> Case:
        """The arguments with one added, removed or replaced."""
        arguments = list(case.commands[0])
        for _ in range(random.choice((1, 1, 2))):
            at = random.randint(1, len(arguments))
            added = random.choice(([], [random.choice(VALUES)], self._option(random, _options().get(arguments[0], {}))))
            arguments[at : at + random.choice((0, 1))] = added
        return Case(self.name, case.files, [arguments])


class Attacks(Target):
    """Attacks on random tables, whose results are written in every format."""

    name = "attack"

    def make(self, random: Random) -> Case:
        """A table, and an attack by both engines or one that writes files."""
        table = random_table(random)
        *known, last = [f'"{name}"' for name in table]
        command = ["attack", "table.csv", "--separator", ",", "--qi", ",".join(known or [last])]
        command += ["--sensitive", last] if known else []
        command += ["--subsets", random.choice(("all", "1", "1-2", "2"))] if random.random() < 0.7 else []
        if "--subsets" in command:
            command += random.choice(([], ["--limit", "uniques=0.1"], ["--limit", "highest-risk=1/2"]))
        files = {"table.csv": csv_bytes(table)}
        if random.random() < 0.6:
            commands = [[*command, "--format", "json", "--engine", engine] for engine in ("memory", "duckdb")]
            return Case(self.name, files, commands, ["table.csv"], agree=True)
        if random.random() < 0.7:
            command += ["--per-record", random.choice(("risks.csv", "risks.parquet"))]
            command += random.choice(([], ["--below", "3"], ["--below", "11"]))
        command += ["-o", random.choice(("out.csv", "out.parquet", "out.json", "out.txt"))]
        return Case(self.name, files, [command], ["table.csv"])


@functools.cache
def _options() -> dict[str, dict[str, list[str] | None]]:
    """The options of each command with their values: None for a flag, an empty list if any text will do."""
    import click

    from PETWorks.cli.main import COMMANDS, main

    commands: dict[str, dict[str, list[str] | None]] = {}
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        options = commands[name] = {}
        for option in command.params:
            if isinstance(option, click.Option):
                choices = list(option.type.choices) if isinstance(option.type, click.Choice) else []
                # Starting Java takes longer than a case may take.
                values = None if option.is_flag else [str(choice) for choice in choices if choice != "spark"]
                options |= dict.fromkeys(option.opts, values)
    return commands


@functools.cache
def _files() -> dict[str, bytes]:
    return {
        "table.csv": csv_bytes(PEOPLE),
        "table.yaml": dump("yaml", SIDECAR),
        "table.parquet": parquet_bytes(PEOPLE),
        "base.duckdb": duckdb_bytes(table=PEOPLE),
        "policy.yaml": dump("yaml", POLICY),
        "old.json": check_document("internal"),
        **HIERARCHIES,
    }


TARGETS = (CommandLine(), Attacks())
