"""Files that are read once: how much of them stays in memory."""

import sys

import pytest

from PETWorks.tables.files import FilesRead, HeldFile


def test_the_limit_is_for_all_files_together(tmp_path, monkeypatch):
    monkeypatch.setattr("PETWorks.tables.files.MAX_BYTES", 10)
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_bytes(path.name.encode() * 6)
    files = FilesRead()
    first, second = files.hold(paths[0]), files.hold(paths[1])
    assert (first.content, second.content) == (b"aaaaaa", None)
    with second.open() as file:
        assert file.read() == b"bbbbbb"
    del first
    assert files.hold(paths[2]).content == b"cccccc"


@pytest.mark.parametrize("reader", [HeldFile.for_arrow, HeldFile.mapped])
def test_threads_of_arrow_hold_nothing_of_python(tmp_path, reader):
    """A thread that released a buffer of Python's while the interpreter shuts down would abort the process."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"a;b\n1;2\n")
    held = HeldFile(path)
    before = sys.getrefcount(held.content)
    opened = reader(held)
    after = sys.getrefcount(held.content)  # not in the assertion, which keeps what it compares
    assert after == before
    assert opened.read() == held.content
