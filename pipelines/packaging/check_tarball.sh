#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks an unpacked relocatable archive: launchers are static, every library comes from the archive, and no file asks
# for a newer C library than the one in it. Prints the floor. Usage: check_tarball.sh FOLDER
set -euo pipefail
lib=$(cd "$1/lib/tessera" && pwd)
loader=$(echo "$lib"/ld-linux-*)
fail() { echo "check_tarball: $1" >&2; exit 1; }

for launcher in "$lib"/../../bin/tessera-* "$lib"/tessera-read-*; do
  ! readelf -lW "$launcher" | grep -q INTERP || fail "$launcher is not static."
done
for file in "$lib"/programs/* "$lib"/*.so*; do
  case $file in *ld-linux-* | */libtessera_mpi.so) continue ;; esac
  resolved=$("$loader" --library-path "$lib" --list "$file")
  # The page of the kernel has no file, and the loader is the running one.
  strange=$(grep -vE "=> $lib/|linux-vdso|^\s*$lib/|ld-linux|statically linked" <<< "$resolved" || true)
  [ -z "$strange" ] || fail "$file loads a library from outside of the archive:$strange"
done
# Largest version of GLIBC symbols that files ask for, of those that the C library has.
newest() { grep -o 'GLIBC_[0-9][0-9.]*' | sort -uV | tail -n 1; }
asked=$(objdump -p "$lib"/programs/* "$lib"/*.so* | sed -n '/required from/,/^$/p' | newest)
has=$(objdump -p "$lib/libc.so.6" | sed -n '/Version definitions/,/^$/p' | newest)
[ "$(printf '%s\n' "$asked" "$has" | sort -V | tail -n 1)" = "$has" ] || fail "files ask for $asked, the C library has $has."
kernel=$(readelf -n "$lib/libc.so.6" | sed -n 's/.*OS: Linux, ABI: //p')
echo "symbols: $asked at most, from the archive's own $has; of the machine only Linux $kernel or newer is needed"
