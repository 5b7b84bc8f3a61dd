#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python wheel of a relocatable archive: the module tessera, the programs, their libraries and user files.

Usage: wheel.py ARCHIVE.tar.gz OUT    OUT: folder of the wheel

pip puts the module into site-packages, the launchers into bin, lib/tessera and share next to it. The tag is
linux_x86_64: the programs bring their C library, so no version of that of the machine is required.
"""
import base64
import hashlib
import pathlib
import re
import sys
import tarfile
import tomllib
import zipfile

MODULE = "share/tessera/python/"


def members(archive):
    """Path without the first folder, bytes, and whether it is executable, of every file; links as files."""
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() or member.islnk():
                yield member.name.split("/", 1)[1], tar.extractfile(member).read(), bool(member.mode & 0o100)


def place(path, data):
    """Path in the wheel of a path in the archive; None for what only the archive needs."""
    if path.startswith(MODULE):
        inside = path.removeprefix(MODULE)
        return inside if inside.startswith("tessera/") else None
    return f"{data}/scripts/{path.removeprefix('bin/')}" if path.startswith("bin/") else f"{data}/data/{path}"


def metadata(project, readme):
    """METADATA of the wheel, by the module's pyproject.toml."""
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}",
             f"Requires-Python: {project['requires-python']}", "Description-Content-Type: text/markdown"]
    lines += [f"Requires-Dist: {each}" for each in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f'Requires-Dist: {each} ; extra == "{extra}"' for each in needs]
    return "\n".join(lines) + "\n\n" + readme


def main():
    archive, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    files = {path: (content, executable) for path, content, executable in members(archive)}
    project = tomllib.loads(files[MODULE + "pyproject.toml"][0].decode())["project"]
    version = re.match(r"tessera-([0-9.]+)-", archive.name)[1]
    if project["version"] != version:
        sys.exit(f"wheel.py: pyproject.toml has version {project['version']}, the archive {version}; they must agree.")
    stem = f"{project['name'].replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    inside = {place(path, f"{stem}.data"): file for path, file in files.items() if place(path, f"{stem}.data")}
    inside[f"{info}/METADATA"] = metadata(project, files[MODULE + "README.md"][0].decode()).encode(), False
    inside[f"{info}/WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: wheel.py\nRoot-Is-Purelib: false\n"
                               b"Tag: py3-none-linux_x86_64\n", False)
    record = ""
    for path, (content, _) in inside.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    inside[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode(), False

    wheel = out / f"{stem}-py3-none-linux_x86_64.whl"
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for path, (content, executable) in inside.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, content)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.0f} MB, {len(inside)} files")


if __name__ == "__main__":
    main()
