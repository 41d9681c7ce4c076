"""The gallery can be made again, and comes out as it is shown."""

import re
import subprocess
import sys

import pytest

from conftest import ROOT

GALLERY = ROOT / "docs/gallery"


def shown(path):
    """A file without the digest of the JSON, whose last figures may differ from machine to machine."""
    return re.sub(r'內容雜湊值為</span> <span class="digest">[0-9a-f]{64}', "", path.read_text("utf-8"))


@pytest.mark.slow
def test_the_gallery_is_up_to_date(tmp_path):
    subprocess.run([sys.executable, GALLERY / "make_gallery.py", tmp_path], check=True, capture_output=True)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    there = sorted(path.relative_to(GALLERY) for path in GALLERY.rglob("*/*") if path.is_file())
    assert made == [path for path in there if path.suffix != ".pyc"]
    for path in made:
        assert shown(tmp_path / path) == shown(GALLERY / path), f"run: make gallery ({path})"
