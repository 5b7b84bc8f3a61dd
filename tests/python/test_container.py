# SPDX-License-Identifier: GPL-3.0-or-later
"""The container: hashes, section table, every kind of damage."""
import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import files
import tessera
from tessera import programs, xxh3

KINDS = "tube.vdb", "tube.tiles", "rows.tiles", "tube.0001.fields", "tube.ckpt"
# XXH3-128 of the first n bytes of b"Tessera tiles" * 100, by xxhsum 0.8.
VECTORS = {
    0: "99aa06d3014798d86001c324468d497f",
    1: "1d33c0bd3511c80d20948828081ddcb4",
    3: "63e29fc4baae607d3a36b18a0c26efc6",
    4: "c309107e7f919ce70521253bfbd3ec51",
    8: "45439fa7d90b5de2891a918c0ee1329d",
    9: "7f59fda51a87ef5148af6067a8b0033c",
    16: "80aca96f3158fc94906f006ba9a4df43",
    17: "6e112cd479272f26c568123356be0ace",
    32: "a0d7b3c89ad8ae7bc18439cccbb5bc49",
    33: "c543ee957fac551e1a246c8622c6481b",
    64: "f2e05aff51f23ba8e516c687a42ae7e7",
    65: "8b12907131171ae5ede70825ce10ab01",
    96: "af529807d72c3603917f3b28f2a618e9",
    97: "8c75972c7e3853888db2da414f0598f5",
    128: "729103d65b92db4c8f71dd11b84d2382",
    129: "5fdc3447d9ba4d02b13efd7eaf36d6b3",
    160: "9aa169569c936befa8d21dadf70a6f6c",
    240: "482471347b437c882198db0d35361b81",
    241: "d8637be03f209308580f1e50348b23c6",
    256: "fd8c5f70f9dd5b107072fc0798df5f47",
    512: "9245e5ffd1ef0606f15bd5c6c739bcbb",
    1024: "1b4e459cc914b5d3818ac1ac4e551b26",
    1025: "c2a36952df38d6d801fff0516be1bf4c",
    1300: "081522c86ae56c9148c29fa4e180f94e",
}


def container_start(path):
    """Where the container begins: behind the OpenVDB part of a .vdb."""
    data = Path(path).read_bytes()
    if data[:4] == b" BDV":
        return struct.unpack("<Q", data[-40:-32])[0]
    return 0


def read_all(path):
    """Everything that the reader gives of a file."""
    with tessera.read(path) as file:
        for name in ("provenance", "node_index", "links", "surface",
                     "tile_map", "tile_flags"):
            getattr(file, name, None)
        for name in ("pressure", "stress", "monitor", "state", "forces"):
            if hasattr(type(file), name):
                getattr(file, name)
        file.verify()


class Hashes(unittest.TestCase):
    def test_hash_is_that_of_xxhash(self):
        data = b"Tessera tiles" * 100
        with mock.patch.object(xxh3, "xxhash", None):
            for size, digest in VECTORS.items():
                self.assertEqual(xxh3.digest(data[:size]).hex(), digest, size)

    def test_chunks_are_hashed_as_one_by_one(self):
        data = np.random.default_rng(1).integers(0, 256, 70001, np.uint8)
        with mock.patch.object(xxh3, "xxhash", None):
            for chunk in (100, 1000, 4096, 70001, 100000):
                self.assertEqual(
                    xxh3.digests(data, chunk),
                    [xxh3.digest(data[k:k + chunk].tobytes())
                     for k in range(0, len(data), chunk)])
            self.assertEqual(xxh3.digests(data[:0], 100), [])

    def test_the_module_xxhash_gives_the_same(self):
        if xxh3.xxhash is None:
            self.skipTest("python3-xxhash is not installed")
        data = np.random.default_rng(2).integers(0, 256, 3000000, np.uint8)
        fast = xxh3.digests(data, 1 << 20)
        with mock.patch.object(xxh3, "xxhash", None):
            self.assertEqual(xxh3.digests(data, 1 << 20), fast)


class SectionTable(unittest.TestCase):
    def test_table_meta_and_provenance_are_those_of_tessera_info(self):
        for name in KINDS:
            path = files.path(name)
            said = json.loads(subprocess.run(
                [programs.find("info"), "--json", path], check=True,
                capture_output=True).stdout)
            file = tessera.read(path)
            self.assertEqual(file.kind, said["kind"])
            self.assertEqual("%d.%d" % file.version, said["format"])
            self.assertEqual(file.hash, said["hash"])
            self.assertEqual(file.meta, said["meta"])
            start = container_start(path)
            self.assertEqual(
                [{"name": s.name, "type": s.type, "offset": start + s.offset,
                  "element_bytes": s.element_bytes, "count": s.count}
                 for s in file.sections.values()], said["sections"])
            step = said["provenance"]
            self.assertEqual(file.provenance[0].program, step["program"])
            self.assertEqual(file.provenance[0].options, step["options"])
            self.assertEqual([(i.name, i.hash) for i in
                              file.provenance[0].inputs],
                             [(i["name"], i["hash"]) for i in step["inputs"]])
            self.assertEqual(len(file.provenance),
                             1 + len(step.get("history", [])))


class History(unittest.TestCase):
    @staticmethod
    def step(program, **more):
        return {"program": program, "version": "0.1.0", "git": "x",
                "build": "y", "options": {}, "inputs": [], **more}

    def test_history_of_both_versions(self):
        nested = self.step("c", history=self.step(
            "b", history=self.step("a")))
        listed = self.step("c", history=[self.step("b"), self.step("a")])
        for json_ in (nested, listed):
            provenance = tessera.Provenance.of(json_, "x")
            self.assertEqual([each.program for each in provenance],
                             ["c", "b", "a"])

    def test_a_history_without_end_is_refused(self):
        deep = self.step("a")
        for _ in range(500):
            deep = self.step("a", history=deep)
        long = self.step("a", history=[self.step("a")] * 500)
        for json_ in (deep, long, {}, [], self.step("a", inputs=[1])):
            with self.assertRaises(tessera.FileError):
                tessera.Provenance.of(json_, "x")


class Damage(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def changed(self, name, change):
        data = bytearray(files.path(name).read_bytes())
        other = change(data)
        path = self.folder / name
        path.write_bytes(data if other is None else other)
        return path

    def test_every_kind_is_whole_before(self):
        for name in KINDS:
            read_all(files.path(name))

    def test_any_altered_byte_is_found(self):
        rng = np.random.default_rng(3)
        for name in KINDS:
            size = files.path(name).stat().st_size
            start = container_start(files.path(name))
            spots = [*rng.integers(0, size, 40), start, start + 9, start + 17,
                     start + 70, size - 1, size - 20, size - 40]
            for at in spots:
                def flip(data, at=int(at)):
                    data[at] ^= 1 << int(rng.integers(8))
                path = self.changed(name, flip)
                with self.assertRaises(tessera.FileError, msg=(name, at)):
                    read_all(path)

    def test_sections_of_several_chunks(self):
        for name in ("box.tiles", "box.vdb"):
            box = tessera.read(files.path(name))
            self.assertEqual(len(box.node_index), 128 * 120 * 128)
            self.assertTrue((box.to_grid() != 0).all())
            box.verify()
        section = tessera.read(files.path("box.tiles")).sections["nodeType"]
        self.assertGreater(section.size, 1 << 20)
        for at in (0, 1 << 20, section.size - 1):
            def flip(data, at=at):
                data[section.offset + at] ^= 2
            with self.assertRaisesRegex(tessera.DamagedFile, '"nodeType"'):
                tessera.read(self.changed("box.tiles", flip)).node_index

    def test_any_truncation_is_found(self):
        for name in KINDS:
            size = files.path(name).stat().st_size
            for length in [0, 1, 7, 47, 63, 64, 100, size // 2, size - 64,
                           size - 48, size - 1]:
                path = self.changed(name, lambda data: data[:length])
                with self.assertRaises(tessera.FileError,
                                       msg=(name, length)):
                    read_all(path)

    def test_bytes_after_the_end_are_found(self):
        for name in KINDS:
            path = self.changed(name, lambda data: data + b"more")
            with self.assertRaises(tessera.FileError, msg=name):
                read_all(path)

    def test_counts_are_bounded_by_the_file(self):
        """Huge counts with right hashes: refused without their memory."""
        def count_of_first_section(data):
            struct.pack_into("<Q", data, 64 + 40, 1 << 60)
            self.resealed(data)
        path = self.changed("tube.tiles", count_of_first_section)
        with self.assertRaisesRegex(tessera.DamagedFile, "should end"):
            tessera.read(path)

        def sections_of_header(data):
            struct.pack_into("<I", data, 24, (1 << 32) - 1)
            self.resealed(data)
        path = self.changed("tube.tiles", sections_of_header)
        with self.assertRaisesRegex(tessera.DamagedFile, "counts"):
            tessera.read(path)

    @staticmethod
    def resealed(data):
        directory = struct.unpack_from("<Q", data, 40)[0]
        trailer = struct.pack("<8sQ16s", b"TESSEND\n", len(data),
                              xxh3.digest(bytes(data[:directory])))
        data[-48:] = trailer + xxh3.digest(trailer)

    def test_damage_behind_right_hashes_ends_in_one_sentence(self):
        """Payload altered and hashed anew: what is read is refused with
        FileError, or is read."""
        rng = np.random.default_rng(4)
        refused = 0
        for name in ("tube.tiles", "rows.tiles", "tube.0001.fields",
                     "pulse.fields", "tube.ckpt", "blob.vdb"):
            with tessera.read(files.path(name)) as whole:
                sections = list(whole.sections.values())
            start = container_start(files.path(name))

            def alter(data):
                section = sections[int(rng.integers(len(sections)))]
                if section.name == "meta" or rng.integers(2):
                    section = sections[0]
                for _ in range(int(rng.integers(1, 4))):
                    at = start + section.offset + int(
                        rng.integers(section.size or 1))
                    data[at] = int(rng.choice(list(b"0919-e,[]{}\"\xff\x80")))
                self.hashed_anew(data, start, sections)

            for _ in range(40):
                path = self.changed(name, alter)
                tiles = files.path("tube.tiles")
                try:
                    with tessera.read(path, tiles=tiles) as file:
                        for key in dir(type(file)):
                            if not key.startswith(("_", "to_", "verify",
                                                   "close", "at_")):
                                getattr(file, key)
                except tessera.FileError:
                    refused += 1
        self.assertGreater(refused, 60)

    @staticmethod
    def hashed_anew(data, start, sections):
        """Checksums, trailers and hashes of an altered container."""
        end = len(data) - (48 if start else 0)
        directory = struct.unpack_from("<Q", data, start + 40)[0]
        table = start + 64 + 64 * len(sections)
        for section in sections:
            first = start + section.offset
            for k, digest in enumerate(xxh3.digests(np.frombuffer(
                    bytes(data[first:first + section.size]), np.uint8),
                    1 << 20)):
                at = table + 16 * (section.first_chunk + k)
                data[at:at + 16] = digest
        trailer = struct.pack("<8sQ16s", b"TESSEND\n", end - start,
                              xxh3.digest(bytes(data[start:start
                                                     + directory])))
        data[end - 48:end] = trailer + xxh3.digest(trailer)
        if start:
            data[-16:] = xxh3.digest(bytes(data[:-16]))

    def test_newer_versions_are_refused(self):
        def newer(data):
            struct.pack_into("<H", data, 20, 99)
            self.resealed(data)
        path = self.changed("tube.tiles", newer)
        with self.assertRaisesRegex(tessera.FileError, "update Tessera"):
            tessera.read(path)

    def test_foreign_files_are_refused_by_name(self):
        for name, content, words in (
                ("x.tiles", b"solid cube\n", "no file of Tessera"),
                ("x.vdb", b" BDV" + bytes(100), "another program"),
                ("x.fields", b"TESSERA\nother\0\0\0" + bytes(200),
                 "unknown kind")):
            path = self.folder / name
            path.write_bytes(content)
            with self.assertRaisesRegex(tessera.FileError, words) as caught:
                tessera.read(path)
            self.assertIn(str(path), str(caught.exception))
        with self.assertRaisesRegex(tessera.FileError, "cannot be opened"):
            tessera.read(self.folder / "none.tiles")
        with self.assertRaisesRegex(tessera.FileError, "no summary.json"):
            tessera.read(self.folder)

    def test_a_pipe_is_refused_without_waiting(self):
        os.mkfifo(self.folder / "pipe.tiles")
        with self.assertRaisesRegex(tessera.FileError, "regular file"):
            tessera.read(self.folder / "pipe.tiles")

    def test_another_kind_is_refused(self):
        with self.assertRaisesRegex(tessera.FileError, 'expected "tiles"'):
            tessera.Tiles(files.path("tube.ckpt"))

    def test_without_verify_only_the_frame_is_checked(self):
        section = tessera.read(files.path("tube.tiles")).sections["nodeType"]

        def change(data):
            data[section.offset] ^= 1
        path = self.changed("tube.tiles", change)
        with self.assertRaisesRegex(tessera.DamagedFile, '"nodeType"'):
            tessera.read(path).tile_node_type
        self.assertEqual(tessera.read(path, verify=False)
                         .tile_node_type.shape[1], 64)


if __name__ == "__main__":
    unittest.main()
