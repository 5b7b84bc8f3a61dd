#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Debian packages of a build: tessera (programs, man pages, completion, Python module, cases, manual), or
# tessera-cuda of a build with CUDA, and tessera-dev (libraries that read the files, with their headers).
# Usage: deb.sh BUILD OUT    BUILD: a build folder, everything in it built; OUT: folder of the packages
# Dependencies are those of the programs by dpkg-shlibdeps; MPI is loaded when it is there, and only recommended.
# DEBFULLNAME and DEBEMAIL (environment) name who makes the package; otherwise the mail of the last commit does.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
for tool in dpkg-deb dpkg-shlibdeps; do
  command -v $tool > /dev/null || { echo "deb.sh: $tool is required: apt-get install dpkg-dev" >&2; exit 2; }
done
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

version=$(cached CMAKE_PROJECT_VERSION)
if commit=$(git -C "$source" log -1 --format=%cd.%h --date=format:%Y%m%d --abbrev=8 2> /dev/null); then
  version+=+git$commit
fi
date=$(git -C "$source" log -1 --format=%cD 2> /dev/null || date -R)
architecture=$(dpkg --print-architecture)
name=tessera
case $("$build/bin/tessera-solver" --version) in
  *"no CUDA"*) ;;
  *) name=tessera-cuda ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# stage COMPONENT ROOT: what CMake installs of it, under /usr.
stage() {
  DESTDIR=$2 cmake --install "$build" --prefix /usr --component "$1" --strip > "$work/install.log" ||
    { cat "$work/install.log" >&2; exit 1; }
}

# copyright PACKAGE ROOT; changelog too.
legal() {
  local doc=$2/usr/share/doc/$1
  mkdir -p "$doc"
  cat > "$doc/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tessera

Files: *
Copyright: $(date -d "$date" +%Y) The Tessera developers
License: GPL-3+
 This program is free software: you can redistribute it and/or modify it under the terms of the GNU General
 Public License as published by the Free Software Foundation, either version 3 of the License, or (at your
 option) any later version. It comes without any warranty.
 .
 On Debian systems the text of the licence is in /usr/share/common-licenses/GPL-3.
END
  printf 'tessera (%s) unstable; urgency=low\n\n  * See /usr/share/doc/tessera/CHANGELOG.md.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$date" | gzip -9n > "$doc/changelog.gz"
}

# pack PACKAGE ROOT: control from stdin, sums, the package.
pack() {
  local package=$1 root=$2
  mkdir -p "$root/DEBIAN"
  find "$root" -type d -exec chmod 755 {} +
  { printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %s\n' "$package" "$version" \
      "$architecture" "$maintainer" "$(du -sk --exclude=DEBIAN "$root" | cut -f1)"
    cat; } > "$root/DEBIAN/control"
  (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) > "$root/DEBIAN/md5sums"
  dpkg-deb --root-owner-group -Zxz --build "$root" "$out/${package}_${version}_$architecture.deb"
}

# depends FILE...: libraries of programs, by the packages that have them.
depends() {
  mkdir -p "$work/shlibs/debian"
  printf 'Source: tessera\n\nPackage: tessera\nArchitecture: any\n' > "$work/shlibs/debian/control"
  (cd "$work/shlibs" && dpkg-shlibdeps --warnings=0 -O "$@") | sed -n 's/^shlibs:Depends=//p'
}

maintainer="${DEBFULLNAME:-The Tessera developers} <${DEBEMAIL:-$(git -C "$source" log -1 --format=%ce 2> /dev/null || echo root)}>"

# --- tessera --------------------------------------------------------------------------------------
root=$work/tessera
stage programs "$root"
stage help "$root"
# Programs load modules from their own folder, which is no place for them in /usr/bin.
mkdir -p "$root/usr/lib/tessera"
mv "$root"/usr/bin/* "$root/usr/lib/tessera/"
for program in "$root"/usr/lib/tessera/tessera-*; do
  case $program in *-read-*) continue ;; esac  # run by others
  ln -s "../lib/tessera/${program##*/}" "$root/usr/bin/${program##*/}"
done
chmod 644 "$root"/usr/lib/tessera/*.so
mkdir -p "$root/usr/lib/python3/dist-packages"
ln -s ../../../share/tessera/python/tessera "$root/usr/lib/python3/dist-packages/tessera"
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
rm -f "$root/usr/share/doc/tessera/LICENSE"  # in copyright
find "$root/usr/share/man" -type f -exec gzip -9n {} +
find "$root/usr" -type f -exec chmod u+w,go-w {} +
legal "$name" "$root"
[ "$name" = tessera ] || ln -s tessera/CHANGELOG.md "$root/usr/share/doc/CHANGELOG-$name.md"
mapfile -t linked < <(find "$root/usr/lib/tessera" -type f ! -name libtessera_mpi.so)
{
  printf 'Section: science\nPriority: optional\nDepends: %s, make, gawk | mawk, python3, python3-numpy\n' "$(depends "${linked[@]}")"
  printf 'Recommends: fonts-dejavu-core'
  [ ! -f "$root/usr/lib/tessera/libtessera_mpi.so" ] ||
    printf ', openmpi-bin, %s' "$(depends "$root/usr/lib/tessera/libtessera_mpi.so" | tr ',' '\n' | sed -n 's/^ *\(.*mpi\)/\1/p' | paste -sd,)"
  printf '\nSuggests: fonts-droid-fallback, python3-vtk9, paraview\n'
  [ "$name" = tessera ] || printf 'Provides: tessera\nConflicts: tessera\nReplaces: tessera\n'
  printf 'Description: %s\n' "lattice Boltzmann flow through vessels, rock and chips"
  printf ' %s\n' "From a surface mesh or an image to flow rates, pressure drops, wall shear" \
    "stress and permeability: the geometry is covered with small tiles, and only" \
    "they are stored." \
    "$([ "$name" = tessera ] && echo "This build runs on processors." || echo "This build runs on NVIDIA GPUs and on processors.")"
} | pack "$name" "$root"

# --- tessera-dev ----------------------------------------------------------------------------------
[ "$name" = tessera ] || exit 0
root=$work/tessera-dev
stage library "$root"
legal tessera-dev "$root"
{
  printf 'Section: libdevel\nPriority: optional\nDepends: libfmt-dev, libxxhash-dev, libtbb-dev, zlib1g-dev, nlohmann-json3-dev\n'
  printf 'Description: %s\n' "readers of Tessera's files for other programs"
  printf ' %s\n' "Static libraries and headers, found by find_package(tessera)."
} | pack tessera-dev "$root"
