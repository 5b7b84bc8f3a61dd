# SPDX-License-Identifier: GPL-3.0-or-later
"""Reader of Tessera's container (manual: formats/container.md).

Every count is compared with the file's size before memory is allocated, and
every section with its checksums when it is read.
"""
from __future__ import annotations

import json
import os
import stat
import struct
import weakref
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Iterator, Optional, Sequence

import numpy as np

from . import xxh3
from .errors import DamagedFile, FileError

_HEADER = struct.Struct("<8s8sIHHIIQQ16s")
_RECORD = struct.Struct("<32sIIQQQ")
_TRAILER = struct.Struct("<8sQ16s16s")
_ENDIAN = 0x0A0B0C0D
_CHUNK = 1 << 20
_ALIGN = 64
_TYPES = "text", "unsigned", "signed", "float"
_LETTERS = {"u": 1, "i": 2, "f": 3}


@dataclass(frozen=True)
class Section:
    """One entry of the section table; offset counts from the container."""

    name: str
    type: str  # text, unsigned, signed, float
    element_bytes: int
    count: int
    offset: int
    first_chunk: int

    @property
    def size(self) -> int:
        """Bytes."""
        return self.element_bytes * self.count


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGN) * _ALIGN


def _padded(name: bytes) -> str:
    return name.split(b"\0", 1)[0].decode("ascii", "replace")


def open_descriptor(path: str | os.PathLike[str]) -> int:
    """Descriptor of a regular file, never of a pipe or a device."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK
                             | os.O_CLOEXEC)
    except OSError as error:
        raise FileError(f"{os.fspath(path)} cannot be opened: "
                        f"{error.strerror}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileError(f"{os.fspath(path)} is not a regular file")
    return descriptor


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """A regular file opened for reading."""
    return os.fdopen(open_descriptor(path), "rb")


def parse_json(text: bytes, where: str) -> Any:
    """JSON without NaN and infinity, which Tessera does not write."""
    def refuse(word: str) -> None:
        raise ValueError(f"{word} is not a number of JSON")

    try:
        return json.loads(text.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{where} is not JSON ({error})") from error


class Container:
    """An open container: its sections by name, read on demand.

    path: the file. kind: "lattice", "tiles", "fields" or "ckpt"; None: any.
    major: newest major version that is understood. offset, end_padding:
    bytes of the file before and after the container. verify: compare what
    is read with its checksums. close(): closes the file; what was read
    stays.
    """

    def __init__(self, path: str | os.PathLike[str], kind: Optional[str],
                 major: int, offset: int = 0, end_padding: int = 0,
                 verify: bool = True) -> None:
        self.path = os.fspath(path)
        self._verify = verify
        self._descriptor = open_descriptor(path)
        self.close = weakref.finalize(self, os.close, self._descriptor)
        self._start = offset
        self._size = (os.fstat(self._descriptor).st_size - offset
                      - end_padding)
        try:
            if self._size < 0:
                self._damaged("is truncated")
            self._read_header(kind, major)
            self._read_table()
        except BaseException:
            self.close()
            raise

    def __contains__(self, name: str) -> bool:
        return name in self.sections

    def _damaged(self, finding: str) -> None:
        raise DamagedFile(f"{self.path} {finding}; regenerate the file")

    def _refuse(self, finding: str) -> None:
        raise FileError(f"{self.path} {finding}")

    def _bytes(self, offset: int, size: int) -> np.ndarray:
        """Bytes [offset, offset + size) of the container, u8 (size,)."""
        if not self.close.alive:
            raise ValueError(f"{self.path} was closed")
        out = np.empty(size, np.uint8)
        done = 0
        while done < size:
            try:
                got = os.preadv(self._descriptor, [out.data[done:]],
                                self._start + offset + done)
            except OSError as error:
                raise FileError(f"{self.path} cannot be read: "
                                f"{error.strerror}") from error
            if got == 0:
                self._damaged("became shorter while it was read")
            done += got
        return out

    def _read_header(self, kind: Optional[str], major: int) -> None:
        if self._size < _HEADER.size:
            self._damaged("is not a Tessera file, or is truncated in its "
                          "header")
        (magic, name, endian, self.major, self.minor, sections, chunk,
         self._checksums, self._directory, _) = _HEADER.unpack(
             self._bytes(0, _HEADER.size).tobytes())
        if magic != b"TESSERA\n":
            self._damaged("is not a Tessera file: its header does not begin "
                          "with TESSERA")
        self.kind = _padded(name)
        if endian != _ENDIAN:
            self._damaged("has a header with a damaged or foreign byte order "
                          "mark")
        if kind is not None and self.kind != kind:
            self._refuse(f'is of kind "{self.kind}" by its header; expected '
                         f'"{kind}"')
        if self.major > major:
            self._refuse(f"has format version {self.major}.{self.minor}, "
                         f"newer than {major}.x known here; update Tessera")
        if (chunk != _CHUNK or self._directory != _HEADER.size
                + sections * _RECORD.size + 16 * self._checksums):
            self._damaged("has a damaged header: its counts do not agree")
        if self._directory > self._size - _TRAILER.size:
            self._damaged("is truncated or its header damaged: its section "
                          f"table should take {self._directory} bytes of "
                          f"{self._size}")
        self._count = sections

    def _read_table(self) -> None:
        directory = self._bytes(0, self._directory)
        trailer = self._bytes(self._size - _TRAILER.size, _TRAILER.size)
        magic, size, content, own = _TRAILER.unpack(trailer.tobytes())
        whole = (magic == b"TESSEND\n" and size == self._size
                 and own == xxh3.digest(trailer[:32].tobytes()))
        if whole and content != xxh3.digest(directory):
            self._damaged("was altered in its header, section table or "
                          "checksums")
        table_end = _HEADER.size + self._count * _RECORD.size
        self.sections = self._sections(directory[_HEADER.size:table_end])
        self._sums = directory[table_end:].reshape(-1, 16)
        self.hash = content.hex()
        last = list(self.sections.values())[-1:]
        end = last[0].offset + last[0].size if last else self._directory
        if self._size != _aligned(end) + _TRAILER.size:
            self._damaged("is truncated in its trailer or has bytes after it")
        if not whole:
            self._damaged("was altered in its trailer")

    def _sections(self, table: np.ndarray) -> dict[str, Section]:
        sections: dict[str, Section] = {}
        end, chunk = self._directory, 0
        for record in _RECORD.iter_unpack(table.tobytes()):
            name, code, element, count, offset, first = record
            text = _padded(name)
            if (code >= len(_TYPES) or element == 0 or first != chunk
                    or offset != _aligned(end) or text in sections):
                self._damaged(f'is damaged in its section table at "{text}"')
            section = Section(text, _TYPES[code], element, count, offset,
                              first)
            end = offset + section.size
            if end > self._size:
                self._damaged(f'is truncated or altered: section "{text}" '
                              "should end beyond the file's "
                              f"{self._size} bytes")
            chunk += -(-section.size // _CHUNK)
            sections[text] = section
        if chunk != self._checksums:
            self._damaged("is damaged in the number of its checksums")
        return sections

    def _payload(self, section: Section, verify: bool) -> np.ndarray:
        data = self._bytes(section.offset, section.size)
        if verify:
            found = b"".join(xxh3.digests(data, _CHUNK))
            first = 16 * section.first_chunk
            if found != self._sums.tobytes()[first:first + len(found)]:
                self._damaged(f'was altered in section "{section.name}"')
            end = section.offset + section.size
            if self._bytes(end, _aligned(end) - end).any():
                self._damaged("was altered in the padding after section "
                              f'"{section.name}"')
        return data

    def text(self, name: str) -> bytes:
        """The bytes of a section of text."""
        section = self.sections.get(name)
        if section is None or section.type != "text":
            self._refuse(f'has no section "{name}" of text')
        assert section is not None
        return self._payload(section, self._verify).tobytes()

    def json(self, name: str) -> Any:
        """A section of JSON, parsed."""
        return parse_json(self.text(name), f'{self.path}: section "{name}"')

    def array(self, name: str, dtype: str, count: Optional[int] = None,
              item: Sequence[int] = ()) -> np.ndarray:
        """Elements of a section, (count, *item) of dtype ("u8", "f4", ...
        little-endian; NumPy's names). Refused if the section is absent, of
        another type or has another count."""
        section = self.sections.get(name)
        if section is None:
            self._refuse(f'has no section "{name}"')
        assert section is not None
        scalar = np.dtype("<" + dtype)
        size = scalar.itemsize * int(np.prod(item, dtype=int))
        if (section.type != _TYPES[_LETTERS[dtype[0]]]
                or section.element_bytes != size):
            self._refuse(f'has in section "{name}" elements {section.type} '
                         f"of {section.element_bytes} bytes; expected "
                         f"{_TYPES[_LETTERS[dtype[0]]]} of {size}")
        if count is not None and section.count != count:
            self._refuse(f'has {section.count} elements in section "{name}"; '
                         f"expected {count}")
        data = self._payload(section, self._verify)
        return data.view(scalar).reshape(section.count, *item)

    def verify(self) -> None:
        """Reads and checks every byte; raises DamagedFile."""
        directory = self._directory
        if self._bytes(directory, _aligned(directory) - directory).any():
            self._damaged("was altered in the padding after its checksums")
        for section in self.sections.values():
            self._payload(section, True)


@contextmanager
def described_by(path: str, name: str) -> Iterator[None]:
    """Turns a missing or impossible entry of a description into one
    sentence."""
    try:
        yield
    except FileError:
        raise
    except (KeyError, TypeError, ValueError, IndexError,
            OverflowError) as error:
        raise FileError(f"{path}: {name} does not hold what is needed "
                        f"({type(error).__name__}: {error})") from error


def require(holds: bool, path: str, finding: str) -> None:
    """Raises FileError unless it holds."""
    if not holds:
        raise FileError(f"{path}: {finding}; regenerate the file")
