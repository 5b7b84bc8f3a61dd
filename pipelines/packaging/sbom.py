#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Software bill of materials (SPDX 2.3, JSON) of built programs on Debian: the libraries that they load and the
header libraries that are compiled into them, by the packages that have them. A library that no package has, or that
is not there, is listed by its file.

Usage: sbom.py FOLDER_OF_PROGRAMS VERSION COMMIT > tessera.spdx.json
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

# Compiled into the programs (pipelines/packages.txt).
HEADERS = ["libcli11-dev", "nlohmann-json3-dev", "libtomlplusplus-dev", "libcgal-dev", "libeigen3-dev", "libboost-dev",
           "libxxhash-dev"]


def output(*command):
    """Standard output of a command; empty where it fails."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def libraries(folder):
    """Files that the programs and modules of a folder load, without those of the folder, and the names of missing ones."""
    found, missing = set(), set()
    for file in sorted(folder.iterdir()):
        if file.name.startswith("tessera-") or file.suffix == ".so":
            loaded = output("ldd", str(file))
            found.update(re.findall(r"=> (/.*) \(0x", loaded))
            missing.update(re.findall(r"(\S+) => not found", loaded))
    own = {file.name for file in folder.iterdir()}
    return sorted(os.path.realpath(path) for path in found if pathlib.Path(path).parent != folder), sorted(missing - own)


def owners_of(paths):
    """Debian packages of files by their paths, which they may know by the names before the merge of /usr."""
    names = {name: path for path in paths for name in (path, path.removeprefix("/usr"))}
    owners = {}
    for line in output("dpkg-query", "-S", *names).splitlines() if names else []:
        packages, _, name = line.partition(": ")
        if name in names:
            owners[names[name]] = packages.split(",")[0].split(":")[0]
    return owners


def entry(name, **known):
    """Entry of a part by its name and what is known of it."""
    return {
        "name": name,
        "SPDXID": "SPDXRef-" + re.sub("[^A-Za-z0-9.-]", "-", name),
        **known,
        "downloadLocation": "NOASSERTION",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "filesAnalyzed": False,
    }


def of_package(package):
    """Entry of a Debian package; one that is not installed has no version."""
    version = output("dpkg-query", "-W", "-f=${Version}", package)
    if not version:
        return entry(package)
    return entry(package, versionInfo=version, externalRefs=[{
        "referenceCategory": "PACKAGE-MANAGER",
        "referenceType": "purl",
        "referenceLocator": f"pkg:deb/debian/{package}@{version}",
    }])


def of_file(path):
    """Entry of a library that no package has."""
    checksum = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    name = pathlib.Path(path).name
    return entry(name, packageFileName=name, checksums=[{"algorithm": "SHA256", "checksumValue": checksum}])


def main():
    folder, version, commit = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    files, missing = libraries(folder)
    packages, entries = set(HEADERS), {name: entry(name, packageFileName=name) for name in missing}
    owners = owners_of(files)
    packages.update(owners.values())
    entries.update((pathlib.Path(path).name, of_file(path)) for path in files if path not in owners)
    entries.update((name, of_package(name)) for name in sorted(packages))
    own = {
        "name": "tessera",
        "SPDXID": "SPDXRef-tessera",
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "licenseConcluded": "GPL-3.0-or-later",
        "licenseDeclared": "GPL-3.0-or-later",
        "copyrightText": "The Tessera developers",
        "filesAnalyzed": False,
    }
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": "SPDXRef-tessera"}]
    for name, one in entries.items():
        relations.append({"spdxElementId": "SPDXRef-tessera",
                          "relationshipType": "CONTAINS" if name in HEADERS else "DYNAMIC_LINK",
                          "relatedSpdxElement": one["SPDXID"]})
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", "0")) or None
    created = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc) if moment else datetime.datetime.now(
        datetime.timezone.utc)
    json.dump({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"tessera-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/tessera-{version}-{commit}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: sbom.py"]},
        "packages": [own, *entries.values()],
        "relationships": relations,
    }, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
