"""Long runs: interrupted, gone on with, refused."""

import json
import os
from itertools import permutations

import pytest

from people import DOCUMENT, release_of
from PETWorks.counting.subsets import subset_counts as lattice
from PETWorks.errors import InputError
from PETWorks.measures.attacks.subsets import every_subset

TABLE = {
    "a": list("uuvvwwxx"),
    "b": list("uvuvuvuv"),
    "c": list("uuuuvvvv"),
    "d": list("uuuvvvww"),
    "s": list("xyxxyyxx"),
    "t": list("kkkkklll"),
}
REST = '"uniques": 0, "smallest_class": 1, "right_guesses": {"s": 1, "t": 1}}'
KNOWN, SENSITIVE = list("abcd"), ["s", "t"]


@pytest.fixture(autouse=True)
def small_families(monkeypatch):
    monkeypatch.setattr("PETWorks.counting.subsets.subset_counts.FREE", 1)


class StoppedError(Exception):
    pass


def stopped_after(path, finished, sizes="all"):
    def progress(done, total):
        if done >= finished:
            raise StoppedError

    with pytest.raises(StoppedError):
        every_subset(release_of(TABLE, KNOWN, SENSITIVE), sizes, checkpoint=path, progress=progress)


@pytest.mark.parametrize("memory", [None, 200])
@pytest.mark.parametrize("finished", range(0, 15, 2))
def test_going_on_gives_the_same(tmp_path, finished, memory):
    path = tmp_path / "run"
    stopped_after(path, finished)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len(lines) - 1 >= finished
    whole = every_subset(release_of(TABLE, KNOWN, SENSITIVE))
    for line in lines[1:]:
        row = whole.row(line["attributes"])
        assert {name: row[name] for name in ("classes", "uniques", "smallest_class")}.items() <= line.items()
    told = []
    again = every_subset(
        release_of(TABLE, KNOWN, SENSITIVE),
        checkpoint=path,
        resume=True,
        memory=memory,
        progress=lambda *done: told.append(done),
    )
    assert again.counts == whole.counts
    assert told[0] == (len(lines) - 1, 15)
    assert told[-1] == (15, 15)


def test_nothing_is_counted_again(tmp_path, monkeypatch):
    path = tmp_path / "run"
    whole = every_subset(release_of(TABLE, KNOWN, SENSITIVE), checkpoint=path)
    monkeypatch.setattr(lattice, "count_subsets", None)
    again = every_subset(release_of(TABLE, KNOWN, SENSITIVE), checkpoint=path, resume=True)
    assert again.counts == whole.counts


def test_a_line_that_was_cut_off_is_counted_again(tmp_path):
    path = tmp_path / "run"
    stopped_after(path, 6)
    path.write_bytes(path.read_bytes()[:-9])
    again = every_subset(release_of(TABLE, KNOWN, SENSITIVE), checkpoint=path, resume=True)
    assert again.counts == every_subset(release_of(TABLE, KNOWN, SENSITIVE)).counts
    assert len([json.loads(line) for line in path.read_text("utf-8").splitlines()]) == 16


def test_an_unfinished_run_is_not_written_over(tmp_path):
    path = tmp_path / "run"
    stopped_after(path, 6)
    before = path.read_bytes()
    with pytest.raises(
        InputError, match=r"an unfinished run; remove it to start over, or resume the run \(resume=True\)"
    ):
        every_subset(release_of(TABLE, KNOWN, SENSITIVE), checkpoint=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("release", "sizes", "other"),
    [
        (release_of({**TABLE, "a": list("uuvvwwxy")}, KNOWN, SENSITIVE), "all", "table"),
        (release_of({**TABLE, "t": list("kkkkkmmm")}, KNOWN, SENSITIVE), "all", "table"),
        (release_of({name: values[:7] for name, values in TABLE.items()}, KNOWN, SENSITIVE), "all", "records, table"),
        (release_of(TABLE, KNOWN[::-1], SENSITIVE), "all", "quasi identifiers, table"),
        (release_of(TABLE, KNOWN, ["s"]), "all", "sensitive attributes, table"),
        (release_of(TABLE, KNOWN, SENSITIVE), "1-2", "sizes"),
    ],
)
def test_a_run_of_other_data_or_options_is_refused(tmp_path, release, sizes, other):
    path = tmp_path / "run"
    stopped_after(path, 6)
    with pytest.raises(InputError, match=f"of another run, with different {other};"):
        every_subset(release, sizes, checkpoint=path, resume=True)


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\n",
        b"\xff\xfe\n",
        b"[]\n",
        b"{}\n",
        b"null\n",
        b"[" * 100_000 + b"\n",
        "{head}\n{{}}\n",
        '{head}\n{{"attributes": ["a"], "classes": 4}}\n',
        '{head}\n{{"attributes": ["z"], "classes": 4, {rest}\n',
        '{head}\n{{"attributes": ["a"], "classes": 4.5, {rest}\n',
        '{head}\n{{"attributes": [], "classes": 4, {rest}\n',
        '{head}\n{{"attributes": ["a", "a"], "classes": 1, {rest}\n',
        '{head}\n{{"attributes": ["a"], "classes": 0, {rest}\n',
        '{head}\n{{"attributes": ["a"], "classes": -4, {rest}\n',
        '{head}\n{{"attributes": ["a"], "classes": 2, {rest}\n',
        '{head}\n{{"attributes": ["a"], "classes": 9, {rest}\n',
        '{head}\n{{"attributes": ["a"], "classes": 1000000000000000000000000, {rest}\n',
    ],
)
def test_a_damaged_file_is_refused(tmp_path, damage):
    path = tmp_path / "run"
    stopped_after(path, 6)
    head = path.read_text("utf-8").splitlines()[0]
    content = damage if isinstance(damage, bytes) else damage.format(head=head, rest=REST).encode()
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"not a file of finished subsets, or damaged|of another run"):
        every_subset(release_of(TABLE, KNOWN, SENSITIVE), checkpoint=path, resume=True)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot write"):
        every_subset(release_of(DOCUMENT, ["age"]), checkpoint=tmp_path / "none/run")


@pytest.mark.parametrize(("kept", "lacking"), list(permutations(KNOWN, 2)))
def test_going_on_from_any_part(tmp_path, monkeypatch, kept, lacking):
    monkeypatch.setattr(lattice, "CHUNK_ROWS", 2)
    path = tmp_path / "run"
    whole = every_subset(release_of(TABLE, KNOWN, SENSITIVE), checkpoint=path)
    head, *lines = path.read_text("utf-8").splitlines()
    subsets = [json.loads(line)["attributes"] for line in lines]
    lines = [line for line, names in zip(lines, subsets, strict=True) if kept in names and lacking not in names]
    path.write_text("\n".join([head, *lines, ""]), "utf-8")
    again = every_subset(release_of(TABLE, KNOWN, SENSITIVE), checkpoint=path, resume=True)
    assert again.counts == whole.counts


def test_only_a_file_is_gone_on_from(tmp_path):
    path = tmp_path / "run"
    path.symlink_to(tmp_path / "important")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("run", "pipe", "folder"):
        for resume in (False, True):
            with pytest.raises(InputError, match=f"{name}: expected a regular file"):
                every_subset(release_of(TABLE, KNOWN), checkpoint=tmp_path / name, resume=resume)
    assert not (tmp_path / "important").exists()


def test_gains_are_kept_and_belong_to_their_worth(tmp_path):
    path = tmp_path / "run.unfinished"
    worth = {SENSITIVE[0]: {TABLE[SENSITIVE[0]][0]: 7}}
    whole = every_subset(release_of(TABLE, KNOWN, SENSITIVE), worth=worth, checkpoint=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    again = every_subset(release_of(TABLE, KNOWN, SENSITIVE), worth=worth, checkpoint=path, resume=True)
    assert again.counts == whole.counts
    worth[SENSITIVE[0]] = {TABLE[SENSITIVE[0]][0]: 8}
    with pytest.raises(InputError, match="the file of another run, with different worth"):
        every_subset(release_of(TABLE, KNOWN, SENSITIVE), worth=worth, checkpoint=path, resume=True)
