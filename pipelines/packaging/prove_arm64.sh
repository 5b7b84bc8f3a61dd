#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the programs and unit tests for arm64 on another machine, against the libraries of a bare Debian 12 for arm64, and
# runs them by qemu-user: unit tests, and the demo from the programs. Lists the tests that ran, then minutes, disk and the last lines.
# prove_arm64.sh [TEST...]    TEST: programs of unit tests (default all of them); "none" for the demo alone
# FOLDER (environment, default /tmp/arm64) keeps root and build, so that a second call is quick; DEMO: words for make; CASES: a regular
# expression of the tests to run of these programs
# Programs that run others need the kernel's binfmt_misc, where the script, as root, enters qemu while it runs.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=${FOLDER:-/tmp/arm64}
mirror=${MIRROR:-http://deb.debian.org/debian}
DEMO=${DEMO:-NODES=4000 SOLVER_FLAGS=--steps=500}
for tool in mmdebstrap:mmdebstrap qemu-aarch64-static:qemu-user-static aarch64-linux-gnu-g++:g++-aarch64-linux-gnu; do
  command -v "${tool%:*}" > /dev/null || { echo "prove_arm64: apt-get install ${tool#*:} first." >&2; exit 2; }
done
root=$folder/root
build=$folder/build
start=$SECONDS
mkdir -p "$folder"

# --- root: unpacked packages, of which no script is run ---------------------------------------------
if [ ! -f "$folder/unpacked" ]; then
  rm -rf --one-file-system "$root"
  packages=$(awk '!/^#/ && NF == 1 && !/^(g\+\+|cmake|ninja-build|libopenmpi-dev|openmpi-bin|python3-.*)$/' "$source/pipelines/packages.txt" | paste -sd,)
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="libc6-dev,libstdc++-12-dev,$packages" bookworm "$root" "$mirror"
  touch "$folder/unpacked"
fi

# --- build --------------------------------------------------------------------------------------------
cat > "$folder/toolchain.cmake" << END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT $root)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_\${kind} ONLY)
endforeach()
# The compiler wrapper on the PATH is of this machine.
set(HDF5_C_COMPILER_EXECUTABLE HDF5_C_COMPILER_EXECUTABLE-NOTFOUND)
set(HDF5_ROOT $root/usr/lib/aarch64-linux-gnu/hdf5/serial)
set(HDF5_C_INCLUDE_DIR $root/usr/include/hdf5/serial)
END
export QEMU_LD_PREFIX=$root
launcher=$(command -v ccache || true)
[ -f "$build/build.ninja" ] || cmake -S "$source" -B "$build" -G Ninja -Wno-dev --log-level=WARNING \
  -DCMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release -DTESSERA_CUDA=OFF -DTESSERA_MPI=OFF \
  -DTESSERA_VARIANTS=tests/reliability/few_variants.def ${launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER="$launcher"}
programs=$(sed -n 's/^PROGRAMS := \$(addprefix tessera-,\(.*\))/\1/p' "$source/pipelines/Makefile")
mapfile -t tests < <(printf '%s\n' "$@" | grep -v '^none$' || true)
targets=()
[ $# = 0 ] || mapfile -t targets < <(printf 'tessera-%s\n' $programs "${tests[@]}" | sed 's/^tessera-test_/test_/')
ninja -C "$build" "${targets[@]}" > "$folder/build.log" 2>&1 || { grep -A 20 FAILED "$folder/build.log" >&2; exit 1; }
built=$SECONDS

# --- programs that run programs -------------------------------------------------------------------------
entry=/proc/sys/fs/binfmt_misc/tessera-aarch64
registered=no
runsPrograms() { "$build/bin/tessera-info" --version > /dev/null 2>&1; }
if ! runsPrograms && [ -w /proc/sys/fs/binfmt_misc/register ]; then
  sed 's/^:[^:]*:/:tessera-aarch64:/' /usr/lib/binfmt.d/qemu-aarch64.conf > /proc/sys/fs/binfmt_misc/register && registered=yes
fi
trap '[ $registered = no ] || echo -1 > "$entry"' EXIT

file=$(file -b "$build/bin/tessera-solver" 2> /dev/null | cut -d, -f1-2 || true)
vectors=$(aarch64-linux-gnu-objdump -d "$build/bin/tessera-solver" | grep -cE '\bf(add|sub|mul|mla|mls)\s+v[0-9]+\.(2d|4s)' || true)
echo "tessera-solver: ${file:-arm64}, $vectors additions and products of NEON vectors"
[ "$vectors" -gt 0 ] || { echo "prove_arm64: the solver has no vectors." >&2; exit 1; }

# --- tests ------------------------------------------------------------------------------------------------
status=0
if [ $# = 0 ] || [ ${#tests[@]} -gt 0 ]; then
  chosen=()
  if [ -n "${CASES:-}" ]; then
    chosen=(-R "$CASES")
  elif [ $# != 0 ]; then
    chosen=(-R "^($(IFS='|'; echo "${tests[*]}"))\.")
  fi
  excluded=()
  runsPrograms || { excluded=(-E 'program|child|signal|launch'); echo "without binfmt_misc: tests that run programs are left out"; }
  # Emulated, a test takes some thirty times as long.
  ctest --test-dir "$build" -L unit "${chosen[@]}" "${excluded[@]}" --timeout 3600 -j "$(nproc)" --output-on-failure > "$folder/tests.log" 2>&1 || status=1
  sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \(.*\) \.\.*\(.*\)/\2: \1/p' "$folder/tests.log" | sed 's/^ *//' | sort
  grep 'tests passed' "$folder/tests.log" || tail -n 20 "$folder/tests.log"
fi
tested=$SECONDS

# --- demo ---------------------------------------------------------------------------------------------------
last="no demo: it needs binfmt_misc"
if runsPrograms; then
  # shellcheck disable=SC2086
  make -C "$source/pipelines" demo TESSERA_BIN="$build/bin" OUT="$folder/out" $DEMO > "$folder/demo.log" 2>&1 ||
    { tail -n 20 "$folder/demo.log" >&2; echo "prove_arm64: the demo failed." >&2; exit 1; }
  tail -n 25 "$folder/demo.log" | sed 's/^/  | /'
  "$(dirname "$0")/system_row.sh" "arm64 under qemu-user" "pipelines/packaging/prove_arm64.sh" $((built - start)) $((SECONDS - tested)) \
    "$(du -sm "$folder" | cut -f1)" "$folder/demo.log" "${DEMO:-}"
  last="demo $(((SECONDS - tested) / 60)) min $(((SECONDS - tested) % 60)) s"
fi
echo "== arm64 under qemu-user: built in $(((built - start) / 60)) min, tests $(((tested - built) / 60)) min, $last on $(nproc) cores," \
  "disk $(du -sm "$folder" | cut -f1) MB"
exit $status
