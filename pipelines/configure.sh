#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Configures build/PRESET of CMakePresets.json where that has not been done, where CUDA says otherwise
# than the last time, and where the folder has the rows of the demo alone.
# Usage: [CUDA=ON|OFF|AUTO] [ROWS=demo] pipelines/configure.sh PRESET [OPTION OF CMAKE...]
# Without CUDA the folder keeps what it has, a new one AUTO: with CUDA where a compiler is found.
# ROWS=demo: a new folder gets only those of solver/demo_variants.def and no comparators; one that has all keeps them.
set -eu
preset=$1
shift
cd "$(dirname "$0")/.."
case ${CUDA:-} in
  ON | OFF | AUTO) wanted="TESSERA_CUDA:STRING=$CUDA" && set -- "-DTESSERA_CUDA=$CUDA" "$@" ;;
  "" | /*) wanted="TESSERA_CUDA:STRING=.*" ;; # a folder is somebody else's variable
  *)
    echo "configure: CUDA is $CUDA, expected ON, OFF or AUTO." >&2
    exit 2
    ;;
esac
build=build/$preset
demo=solver/demo_variants.def
cache=$build/CMakeCache.txt
isConfigured() { [ -f "$build/build.ninja" ] && grep -qsx "$wanted" "$cache"; }
if [ "${ROWS:-}" = demo ]; then
  ! isConfigured || exit 0
  [ -f "$cache" ] || set -- "-DTESSERA_VARIANTS=$demo" -DTESSERA_COMPARED=solver/comparators/no_variants.def "$@"
elif grep -qs "^TESSERA_VARIANTS:[A-Z]*=$demo\$" "$cache"; then
  set -- -UTESSERA_VARIANTS -UTESSERA_COMPARED "$@"
elif isConfigured; then
  exit 0
fi
echo "Configuring $build"
cmake --preset "$preset" -Wno-dev --log-level=WARNING "$@" || {
  rm -f "$build/build.ninja" # of other options than the cache now has
  exit 2
}
