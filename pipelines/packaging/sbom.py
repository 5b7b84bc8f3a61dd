#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Software bill of materials (SPDX 2.3, JSON) of built programs on Debian: the libraries that they load and the
header libraries that are compiled into them, by the packages that have them.

Usage: sbom.py FOLDER_OF_PROGRAMS VERSION COMMIT > tessera.spdx.json
"""
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

# Compiled into the programs (pipelines/packages.txt).
HEADERS = ["libcli11-dev", "nlohmann-json3-dev", "libtomlplusplus-dev", "libcgal-dev", "libeigen3-dev", "libboost-dev"]


def output(*command):
    """Standard output of a command; empty where it fails."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def libraries(folder):
    """Files that the programs and modules of a folder load, without those of the folder."""
    found = set()
    for file in sorted(folder.iterdir()):
        if file.name.startswith("tessera-") or file.suffix == ".so":
            found.update(re.findall(r"=> (/\S+)", output("ldd", str(file))))
    return sorted(os.path.realpath(path) for path in found if pathlib.Path(path).parent != folder)


def package_of(path):
    """Debian package that has a file, which it may know by the name before the merge of /usr."""
    for name in (path, path.removeprefix("/usr")):
        owner = output("dpkg-query", "-S", name).split(":")[0]
        if owner:
            return owner
    return None


def described(package):
    """Entry of a Debian package, or None where it is not installed."""
    version = output("dpkg-query", "-W", "-f=${Version}", package)
    if not version:
        return None
    return {
        "name": package,
        "SPDXID": "SPDXRef-" + re.sub("[^A-Za-z0-9.-]", "-", package),
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "filesAnalyzed": False,
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{package}@{version}",
        }],
    }


def main():
    folder, version, commit = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    linked = {package_of(path) for path in libraries(folder)} - {None}
    entries = {name: described(name) for name in sorted(linked | set(HEADERS))}
    entries = {name: entry for name, entry in entries.items() if entry}
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
    for name, entry in entries.items():
        relations.append({"spdxElementId": "SPDXRef-tessera",
                          "relationshipType": "CONTAINS" if name in HEADERS else "DYNAMIC_LINK",
                          "relatedSpdxElement": entry["SPDXID"]})
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
