"""Files that may be packed (.gz, .zst, or a .zip with one file in it): their bytes are unpacked while they are read.

Nothing is unpacked to disk, because the content is personal data.
"""

import io
import lzma
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa

from PETWorks.errors import InputError
from PETWorks.tables.files import HeldFile, hold_file

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

GZIP, ZSTD, ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
STREAMS = {GZIP: "gzip", ZSTD: "zstd"}
SUFFIXES = (".gz", ".zst", ".zip")
USUAL_SIZE, LARGEST_RATIO = 1 << 30, 200  # of the unpacked content: in bytes, and relative to the file

# Errors of Python's zip reader for files that are damaged, encrypted or packed in another way.
DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
)


class Content:
    """The bytes of a file, unpacked if it is packed.

    name    the name of the file without the suffix for packing; for a zip file, the name of the file in it
    member  of a zip file, the file in it
    packed  whether the bytes differ from those on disk
    size    of the file on disk
    """

    def __init__(self, path: Path | HeldFile) -> None:
        self.file = path if isinstance(path, HeldFile) else hold_file(path)
        self.path = path = self.file.path
        with self.file.open() as file:
            start = file.read(4)
        self._codec = next((codec for sign, codec in STREAMS.items() if start.startswith(sign)), None)
        self._member = self._only_member() if start == ZIP else None
        self.packed = bool(self._codec or self._member)
        self.member = None if self._member is None else self._member.filename
        self.name = PurePosixPath(self._member.filename).name if self._member else unpacked_path(path).name
        self.size = self.file.size
        self._largest = max(USUAL_SIZE, LARGEST_RATIO * self.size)

    def open(self) -> BinaryIO:
        """Open the bytes for reading from the start."""
        if self._codec:
            packed = pa.OSFile(str(self.path)) if self.file.content is None else self.file.for_arrow()
            stream: Any = pa.CompressedInputStream(packed, self._codec)
            return io.BufferedReader(_Unpacked(stream, self.path.name, self._largest))
        if self._member:
            stream = self._open_member(self._member)
            return io.BufferedReader(_Unpacked(stream, self.path.name, self._largest))
        return self.file.open()

    def text(self, encoding: str) -> io.TextIOWrapper:
        """Open the text for reading, with its line ends unchanged."""
        return io.TextIOWrapper(self.open(), encoding, newline="")

    def for_arrow(self) -> Any:
        """A file object or path that PyArrow can read the bytes from."""
        return self.open() if self.packed else self.file.for_arrow()

    def _only_member(self) -> zipfile.ZipInfo:
        """The only file in a zip file."""
        listed = members(self.file)
        if len(listed) != 1:
            raise InputError(
                "{file}: expected one table in the zip file, got {files}; unpack it first",
                file=self.path.name,
                files=len(listed),
            )
        if listed[0].flag_bits & 1:
            raise InputError("{file}: the zip file is protected by a password; unpack it first", file=self.path.name)
        return listed[0]

    def _open_member(self, member: zipfile.ZipInfo) -> BinaryIO:
        try:
            with zipfile.ZipFile(self.file.for_zip()) as archive:  # the stream keeps the file open
                return archive.open(member)  # type: ignore[return-value] # sufficient for the uses here
        except DAMAGES:
            raise _damaged_file_error(self.path.name) from None


def unpacked_path(path: Path) -> Path:
    """A path without the suffix for packing, if another suffix precedes it.

    >>> unpacked_path(Path("people.csv.gz")).name, unpacked_path(Path("people.zip")).name
    ('people.csv', 'people.zip')
    """
    plain = path.with_suffix("") if path.suffix.lower() in SUFFIXES else path
    return plain if plain.suffix else path


def members(path: Path | HeldFile) -> list[zipfile.ZipInfo]:
    """The files in a zip file, without folders and the files that macOS adds."""
    file = path if isinstance(path, Path) else path.for_zip()
    try:
        with zipfile.ZipFile(file) as archive:
            listed = archive.infolist()
    except DAMAGES:
        raise _damaged_file_error(Path(path).name) from None
    return [
        member
        for member in listed
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and PurePosixPath(member.filename).name[:1] != "."
    ]


def check_size(name: str, size: int, largest: int) -> None:
    """Raise for a file that becomes disproportionately large when it is unpacked."""
    if size > largest:
        raise InputError(
            "{file}: the file is more than {times} times as large when it is unpacked, and larger than {size} GiB; if "
            "it is meant to be, unpack it first",
            file=name,
            times=LARGEST_RATIO,
            size=USUAL_SIZE >> 30,
        )


def _damaged_file_error(name: str) -> InputError:
    return InputError("{file}: the file cannot be unpacked; it may be truncated or damaged", file=name)


class _Unpacked(io.RawIOBase):
    """A stream of unpacked bytes that converts errors."""

    def __init__(self, stream: Any, name: str, largest: int) -> None:
        self._stream, self._name, self._largest = stream, name, largest
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        target = memoryview(buffer)
        try:
            block = self._stream.read(len(target))
        except (OSError, pa.ArrowException, *DAMAGES):
            raise _damaged_file_error(self._name) from None
        self._size += len(block)
        check_size(self._name, self._size, self._largest)
        target[: len(block)] = block
        return len(block)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()
