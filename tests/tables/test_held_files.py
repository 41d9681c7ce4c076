"""Files that are read once: how much of them stays in memory."""

from PETWorks.tables.files import FilesRead


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
