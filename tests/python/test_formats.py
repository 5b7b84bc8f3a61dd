# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the formats: every section and every key of the files that
the programs write is there, with the right type."""
import re
import struct
import unittest
from pathlib import Path

import numpy as np

import files
import tessera
from tessera import container

PAGES = Path(__file__).resolve().parents[2] / "pipelines/manual/formats"
FILES = {
    "vdb": ["tube.vdb", "rock.vdb", "plane.vdb"],
    "tiles": ["tube.tiles", "rows.tiles", "plane.tiles", "blob.tiles"],
    "fields": ["tube.0001.fields", "pulse.fields", "pulse.0001.fields",
               "rock.fields", "plane.fields"],
    "ckpt": ["tube.ckpt", "half.ckpt", "moments.ckpt", "mixed.ckpt",
             "rows.ckpt", "single.ckpt", "flat.ckpt", "march.ckpt",
             "beat.ckpt"]}
LETTERS = {"text": "text", "unsigned": "u", "signed": "i", "float": "f"}


def rows_of(page):
    """Rows of all tables of a page, as lists of cells."""
    for line in (PAGES / f"{page}.md").read_text("utf-8").splitlines():
        if line.startswith("| `"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def types_of(page):
    """Types of each section of a page: {"meta": ["text"], ...}."""
    return {row[0].strip("`"): re.split(r", | or ", row[1])
            for row in rows_of(page) if len(row) == 4}


def keys_of(page):
    """All words in backquotes of its tables of keys, its own list entries
    included."""
    return {word for row in rows_of(page)
            for word in re.findall(r"`([^`]+)`", " ".join(row))}


def names_in(meta):
    """Keys of an object, of the objects in it, and of those in its
    lists."""
    for key, value in meta.items():
        yield key
        inner = value if isinstance(value, list) else [value]
        if key == "tiles_by_fluid_nodes":
            continue
        for each in inner:
            if isinstance(each, dict):
                yield from names_in(each)


class Pages(unittest.TestCase):
    def test_every_section_has_its_type(self):
        for page, names in FILES.items():
            listed = types_of(page)
            seen = set()
            for name in names:
                for section in tessera.read(files.path(
                        name)).sections.values():
                    # Numbered sections stand by their first one.
                    title = re.sub(r"_\d$", "_0", section.name)
                    seen.add(title)
                    self.assertIn(title, listed, name)
                    self.assertIn(self.type_of(section), listed[title],
                                  (name, section.name))
            self.assertEqual(seen, set(listed), page)

    @staticmethod
    def type_of(section):
        letter = LETTERS[section.type]
        if letter == "text":
            return letter
        vectors = {"velocity": 3, "stress": 6, "mean_velocity": 3,
                   "wall_traction": 3, "surfaceVertex": 3,
                   "surfaceTriangle": 3, "nonEmptyTiles": 3, "cycle_wall": 4}
        several = vectors.get(section.name, 1)
        one = f"{letter}{section.element_bytes // several}"
        return one + (f" x {several}" if several > 1 else "")

    def test_every_key_of_meta_is_listed(self):
        shared = keys_of("container")
        for page, names in FILES.items():
            listed = keys_of(page) | (shared if page in ("vdb", "tiles")
                                      else set())
            for name in names:
                meta = tessera.read(files.path(name)).meta
                self.assertEqual(set(names_in(meta)) - listed, set(), name)

    def test_links_between_pages_lead_somewhere(self):
        def anchors(page):
            headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
            return {re.sub(r"[^a-z0-9 _-]", "", heading.lower())
                    .replace(" ", "-") for heading in headings}

        pages = sorted(PAGES.glob("*.md"))
        self.assertEqual(len(pages), 5)
        for page in pages:
            for target in re.findall(r"\]\(([^)]+)\)",
                                     page.read_text("utf-8")):
                name, _, anchor = target.partition("#")
                other = PAGES / name if name else page
                self.assertTrue(other.is_file(), (page.name, target))
                if anchor:
                    self.assertIn(anchor, anchors(other), page.name)

    def test_code_of_the_pages_runs(self):
        text = (PAGES / "container.md").read_text("utf-8")
        code = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
        self.assertEqual(len(code), 1)
        path = files.path("tube.0001.fields")
        names = {}
        exec(code[0].replace("run.fields", str(path)), names)
        np.testing.assert_allclose(names["pressure"],
                                   tessera.read(path).pressure, rtol=1e-6)

    def test_numbers_of_the_container_are_those_of_its_page(self):
        """Offsets of the page's tables of bytes, by the reader's own
        structures."""
        text = (PAGES / "container.md").read_text("utf-8")
        rows = [(int(a), int(b)) for a, b in re.findall(
            r"^\| (\d+) \| (\d+) \|", text, re.M)]
        header, record = rows[:10], rows[10:]
        for listed, known in ((header, container._HEADER),
                              (record, container._RECORD)):
            sizes = [struct.calcsize("<" + each) for each in
                     re.findall(r"\d*[a-zA-Z]", known.format)]
            self.assertEqual([size for _, size in listed], sizes)
            self.assertEqual([at for at, _ in listed],
                             [sum(sizes[:k]) for k in range(len(sizes))])


if __name__ == "__main__":
    unittest.main()
