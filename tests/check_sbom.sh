#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The bill of materials of a build lists every library package of packages.txt, by its headers or by the library that is
# loaded, and a loaded library that no package has. Usage: check_sbom.sh SOURCE FOLDER_OF_PROGRAMS
set -eu
source=$1
programs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v dpkg-query > /dev/null || { echo "no dpkg-query here: skipped"; exit 77; }
# A copy of libfmt is loaded in place of the packaged one.
packaged=$(ldd "$programs/tessera-tiler" | sed -n 's/.*libfmt[^ ]* => \([^ ]*\) .*/\1/p')
[ -n "$packaged" ] || { echo "tessera-tiler does not load libfmt: skipped"; exit 77; }
cp "$packaged" "$work/"
LD_LIBRARY_PATH=$work python3 "$source/pipelines/packaging/sbom.py" "$programs" 1.2.3 0123456789ab > "$work/copy.json"
python3 "$source/pipelines/packaging/sbom.py" "$programs" 1.2.3 0123456789ab > "$work/bill.json"
sed -n 's/^\([a-z0-9.+-]*-dev\)$/\1/p' "$source/pipelines/packages.txt" > "$work/needed"
cat > "$work/check.py" << 'END'
import hashlib, json, os, pathlib, re, subprocess, sys

work, library = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
bill, copy = (json.loads((work / name).read_text()) for name in ("bill.json", "copy.json"))
names = {package["name"]: package for package in bill["packages"]}
wrong = []


def owned(*arguments):
    return subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True, check=False).stdout.splitlines()


for needed in (work / "needed").read_text().split():
    # Some are empty and depend on the one that has the files.
    depends = "".join(owned("-W", "-f=${Depends}", needed))
    files = owned("-L", needed, *[name for name in re.findall(r"[a-z0-9.+-]+", depends) if name.endswith("-dev")])
    libraries = {os.path.realpath(file) for file in files if file.endswith(".so")}
    paths = {name for file in libraries for name in (file, file.removeprefix("/usr"))}
    owners = {line.split(":")[0] for line in (owned("-S", *paths) if paths else [])}
    if files and needed not in names and not owners & set(names):
        wrong.append(f"{needed} is not listed, nor is a package of its libraries")
for document in (bill, copy):
    ids = [package["SPDXID"] for package in document["packages"]]
    if len(set(ids)) != len(ids):
        wrong.append("an SPDXID is there twice")
    related = {relation["relatedSpdxElement"] for relation in document["relationships"]}
    if related != set(ids):
        wrong.append("packages and relations differ")
name = os.path.basename(os.path.realpath(library))
checksum = hashlib.sha256(library.read_bytes()).hexdigest()
found = [package for package in copy["packages"] if package["name"] == name]
if [package["checksums"][0]["checksumValue"] for package in found] != [checksum]:
    wrong.append(f"{name}, which no package has, is not listed with its checksum")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
END
python3 "$work/check.py" "$work" "$work/$(basename "$packaged")"
