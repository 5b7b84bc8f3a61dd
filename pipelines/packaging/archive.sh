#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Release archive of the committed HEAD, which builds without git, with checksums and, of a build, the bill of materials.
# Usage: archive.sh OUT [BUILD]    KEY=ID (environment): the checksums are signed by gpg with it
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
version=$(sed -n 's/^project(tessera VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
commit=$(git -C "$source" rev-parse --short=12 HEAD)
name=tessera-$version
[ -z "$(git -C "$source" status --porcelain)" ] || echo "archive.sh: changes that are not committed are left out." >&2
git -C "$source" archive --format=tar --prefix="$name/" HEAD | gzip -9n > "$out/$name.tar.gz"
files=("$name.tar.gz")
if [ $# -gt 1 ]; then
  SOURCE_DATE_EPOCH=$(git -C "$source" log -1 --format=%ct) \
    python3 "$source/pipelines/packaging/sbom.py" "$2/bin" "$version" "$commit" > "$out/$name.spdx.json"
  files+=("$name.spdx.json")
fi
cd "$out"
# Packages of this version; an older signature does not match.
for package in tessera*_"$version"*.deb; do [ ! -e "$package" ] || files+=("$package"); done
rm -f SHA256SUMS.asc
sha256sum "${files[@]}" > SHA256SUMS
[ -z "${KEY:-}" ] || gpg --batch --yes --local-user "$KEY" --armor --detach-sign SHA256SUMS
cat SHA256SUMS
