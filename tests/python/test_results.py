# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of results."""
import shutil
import tempfile
import unittest
from pathlib import Path

import numpy as np

import files
import tessera


class Folders(unittest.TestCase):
    def test_summary_and_tables(self):
        results = tessera.read(files.path("tube.out"))
        self.assertEqual(dict(results), results.summary)
        self.assertIn("openings", results.tables)
        self.assertEqual(set(results.tables), {
            path.stem for path in files.path("tube.out").glob("*.csv")})
        for table in results.tables.values():
            self.assertGreater(table.rows, 0)
        np.testing.assert_array_equal(
            results.monitor["step"],
            tessera.read(files.path("tube.monitor.csv"))["step"])
        with self.assertRaises(KeyError):
            results.tables["none"]

    def test_fields_are_found_by_name_and_hash(self):
        results = tessera.read(files.path("blob.out"))
        self.assertEqual(results.fields.hash,
                         tessera.read(files.path("blob.fields")).hash)
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        shutil.copytree(files.path("blob.out"), folder / "blob.out")
        with self.assertRaisesRegex(tessera.FileError, "cannot be opened"):
            tessera.read(folder / "blob.out").fields
        shutil.copy(files.path("rock.fields"), folder / "blob.fields")
        with self.assertRaisesRegex(tessera.FileError, "hashes differ"):
            tessera.read(folder / "blob.out").fields

    def test_a_foreign_table_in_the_folder_does_no_harm(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        shutil.copytree(files.path("blob.out"), folder / "x.out")
        (folder / "x.out/mine.csv").write_text("a,b\n1\n")
        results = tessera.read(folder / "x.out")
        self.assertGreater(results.tables["openings"].rows, 0)
        with self.assertRaises(tessera.FileError):
            results.tables["mine"]

    def test_a_damaged_summary_is_refused(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        for text in ("", "[1]", '{"a": NaN}', '{"a": ' + "[" * 100000):
            (folder / "summary.json").write_text(text)
            with self.assertRaises(tessera.FileError):
                tessera.read(folder)

    def test_a_monitor_that_is_being_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.monitor.csv")
            path.write_text("step,time[s]\n1,0.5\n2,1.0\n3,1.")
            self.assertEqual(tessera.read(path)["time"].tolist(), [0.5, 1.0])

    def test_names_from_files_do_not_reach_the_terminal_raw(self):
        table = tessera.Table({"name\x1b[31m": ["\x1b]0;x\x07", "µm"]})
        self.assertNotIn("\x1b", repr(table))
        self.assertIn("µm", repr(table))
        table = tessera.Table({"<b>": ["<script>"]})
        self.assertIn("&lt;script&gt;", table._repr_html_())
        self.assertNotIn("<b>", table._repr_html_())
        self.assertIn("30 rows", tessera.Table({"a": range(30)})
                      ._repr_html_())
        self.assertNotIn("\x1b", str(tessera.FileError("a\x1b[31m")))


if __name__ == "__main__":
    unittest.main()
