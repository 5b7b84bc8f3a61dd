#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Relocatable archive of a build, with its libraries and their loader, for any Linux on such a processor:
#   bin/ (launchers)  lib/tessera/ (loader, libraries, modules)  lib/tessera/programs/  share/ as installed
# Usage: tarball.sh BUILD OUT    BUILD: a build folder, everything in it built; OUT: folder of the archive
# MPI is that of the machine, if there is one, and is not part of the archive.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
version=$(cached CMAKE_PROJECT_VERSION)
isa=$(cached TESSERA_ISA)
case $isa in
  x86-64 | x86-64-v[234]) ;;
  *) echo "tarball: TESSERA_ISA is $isa, expected x86-64, x86-64-v2, x86-64-v3 or x86-64-v4; configure it so." >&2; exit 2 ;;
esac
name=tessera-$version-linux-$isa
"$build/bin/tessera-solver" --version | grep -q '^build:.*no CUDA' || name+=-cuda
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
for part in programs help; do
  cmake --install "$build" --prefix "$root" --component $part --strip > "$work/install.log" ||
    { cat "$work/install.log" >&2; exit 1; }
done

lib=$root/lib/tessera
mkdir -p "$lib/programs" "$lib/fonts"
mv "$root"/bin/*.so "$lib"
mv "$root"/bin/* "$lib/programs"

# --- launchers: one file with many names ----------------------------------------------------------
loader=$(readelf -p .interp "$lib/programs/tessera-solver" | sed -n 's/.*\] *//p')
g++ -std=c++20 -O2 -march=x86-64 -static -s -Wall -Wextra -Werror -DTESSERA_ISA="\"$isa\"" \
  -DTESSERA_LOADER="\"$(basename "$loader")\"" "$source/pipelines/packaging/launch.cpp" -o "$work/launch"
for program in "$lib"/programs/*; do
  each=$(basename "$program")
  # Readers of formats are run by other programs, which look in the folder of the loader.
  case $each in tessera-read-*) ln "$work/launch" "$lib/$each" ;; *) ln "$work/launch" "$root/bin/$each" ;; esac
done

# --- libraries ------------------------------------------------------------------------------------
mapfile -t loading < <(find "$lib" -maxdepth 1 -name '*.so' ! -name libtessera_mpi.so; find "$lib/programs" -type f)
needed=$(ldd "${loading[@]}")
! grep 'not found' <<< "$needed" || { echo "tarball: libraries above are missing." >&2; exit 1; }
mapfile -t libraries < <(sed -n 's/^\t.* => \(\/[^ ]*\) .*/\1/p' <<< "$needed" | sort -u)
# The other parts of the C library: libraries of the machine, such as a GPU driver, ask for them.
system=$(dirname "$(grep '/libc\.so\.6$' <<< "$(printf '%s\n' "${libraries[@]}")")")
for part in libdl.so.2 libpthread.so.0 librt.so.1 libutil.so.1 libresolv.so.2; do libraries+=("$system/$part"); done
mapfile -t libraries < <(printf '%s\n' "${libraries[@]}" | sort -u)
cp -L "$loader" "${libraries[@]}" "$lib"
for font in dejavu/DejaVuSans.ttf dejavu/DejaVuSans-Bold.ttf droid/DroidSansFallbackFull.ttf; do
  cp "/usr/share/fonts/truetype/$font" "$lib/fonts"
done
# Licences of what is copied, by the Debian packages that have it.
for file in "$loader" "${libraries[@]}" /usr/share/fonts/truetype/{dejavu,droid}/*Sans*.ttf; do
  real=$(readlink -f "$file")
  dpkg-query -S "$real" 2> /dev/null || dpkg-query -S "${real#/usr}"
done | sed 's/:.*//' | sort -u | while read -r package; do
  mkdir -p "$root/share/doc/tessera/libraries"
  cp -L "/usr/share/doc/$package/copyright" "$root/share/doc/tessera/libraries/$package"
done

"$source/pipelines/packaging/check_tarball.sh" "$root"
date=$(git -C "$source" log -1 --format=%ct 2> /dev/null || date +%s)
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$date" -cf - "$name" | gzip -9n > "$out/$name.tar.gz"
echo "$out/$name.tar.gz: $(du -m "$out/$name.tar.gz" | cut -f1) MB, unpacked $(du -sm "$root" | cut -f1) MB"
