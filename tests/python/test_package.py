# SPDX-License-Identifier: GPL-3.0-or-later
"""The package as a whole: style, types, documentation, installation."""
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import files
import tessera

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "pipelines/python/tessera"
SOURCES = sorted(PACKAGE.glob("*.py"))


def functions_of(path):
    """Functions and methods of a module that others may call."""
    tree = ast.parse(path.read_text("utf-8"))
    for parent in [tree] + [node for node in tree.body
                            if isinstance(node, ast.ClassDef)]:
        for node in parent.body:
            if isinstance(node, ast.FunctionDef):
                yield parent, node


class Style(unittest.TestCase):
    def test_every_file_has_its_licence_and_purpose(self):
        for path in SOURCES:
            lines = path.read_text("utf-8").splitlines()
            self.assertEqual(lines[0],
                             "# SPDX-License-Identifier: GPL-3.0-or-later")
            self.assertTrue(lines[1].startswith('"""'), path)
            self.assertLessEqual(len(lines), 400, path)
            self.assertLess(max(map(len, lines)), 80, path)

    def test_functions_have_types_and_documentation(self):
        for path in SOURCES:
            for parent, node in functions_of(path):
                arguments = node.args.args + node.args.kwonlyargs
                for argument in arguments:
                    if argument.arg not in ("self", "cls"):
                        self.assertIsNotNone(argument.annotation,
                                             (path.name, node.name))
                self.assertIsNotNone(node.returns, (path.name, node.name))
                if not node.name.startswith("_"):
                    self.assertIsNotNone(ast.get_docstring(node),
                                         (path.name, node.name))
                if isinstance(parent, ast.ClassDef):
                    self.assertIsNotNone(ast.get_docstring(parent))

    def test_checkers_find_nothing(self):
        """pycodestyle, pyflakes3 and mypy, where they are installed."""
        commands = [command for command in (
            ["pycodestyle", PACKAGE, Path(__file__).parent],
            ["pyflakes3", PACKAGE],
            ["mypy", "--ignore-missing-imports", "--check-untyped-defs",
             "--cache-dir", os.devnull, PACKAGE])
            if shutil.which(command[0])]
        if not commands:
            self.skipTest("pycodestyle, pyflakes3 and mypy are not installed")
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_names_that_are_offered_exist(self):
        for name in tessera.__all__:
            self.assertTrue(hasattr(tessera, name), name)

    def test_the_version_of_pip_is_that_of_the_programs(self):
        text = (ROOT / "pipelines/python/pyproject.toml").read_text()
        cmake = (ROOT / "CMakeLists.txt").read_text()
        self.assertEqual(
            re.search(r'^version = "([\d.]+)"', text, re.M).group(1),
            re.search(r"project\(tessera VERSION ([\d.]+)", cmake).group(1))


class Tables(unittest.TestCase):
    def test_pandas_takes_a_table(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("python3-pandas is not installed")
        table = tessera.read(files.path("tube.out")).tables["openings"]
        frame = table.to_pandas()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame.columns), list(table))
        np.testing.assert_array_equal(frame["area[m2]"], table["area"])

    def test_kinds_of_columns(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "x.csv")
            path.write_text('id,name,v[m/s],gap\n1,"a, b",1.5,\n2,é,2e3,1\n')
            table = tessera.read(path)
            self.assertEqual(table["id"].tolist(), [1, 2])
            self.assertEqual(table["name"].tolist(), ["a, b", "é"])
            self.assertEqual(table["v"].tolist(), [1.5, 2000])
            self.assertTrue(np.isnan(table["gap"][0]))
            self.assertEqual(table.records()[1]["name"], "é")
            self.assertIn("a, b", repr(table))
            path.write_text("a,b\n1\n")
            with self.assertRaisesRegex(tessera.FileError, "rows differ"):
                tessera.read(path)
            path.write_text("a,b\n")
            self.assertEqual(tessera.read(path).rows, 0)


class Installed(unittest.TestCase):
    def test_the_installed_package_finds_its_programs(self):
        build = Path(os.environ.get("TESSERA_BIN", ".")).resolve().parent
        if not (build / "help/made").exists() or not shutil.which("cmake"):
            self.skipTest("the programs are not built with their help pages")
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run(["cmake", "--install", build, "--component",
                            "help", "--prefix", prefix], check=True,
                           capture_output=True)
            Path(prefix, "bin").symlink_to(build / "bin")
            python = Path(prefix, "share/tessera/python")
            environment = {**os.environ, "PYTHONPATH": str(python),
                           "PATH": "/nowhere",
                           "PYTHONDONTWRITEBYTECODE": "1"}
            environment.pop("TESSERA_BIN")
            said = subprocess.run(
                [sys.executable, "-c",
                 "import tessera; from tessera import programs; "
                 "print(tessera.__file__, programs.find('solver'), "
                 "tessera.program_version())"],
                check=True, capture_output=True, text=True, cwd=prefix,
                env=environment).stdout.split()
            self.assertEqual(said[0], str(python / "tessera/__init__.py"))
            self.assertEqual(said[1], f"{prefix}/bin/tessera-solver")
            self.assertEqual(said[2], "tessera-solver")
            self.assertEqual(list(python.rglob("*.pyc")), [])


if __name__ == "__main__":
    unittest.main()
