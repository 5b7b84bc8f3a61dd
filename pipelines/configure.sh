#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Configures build/PRESET of CMakePresets.json where that has not been done, and where CUDA says
# otherwise than the last time.
# Usage: [CUDA=ON|OFF|AUTO] pipelines/configure.sh PRESET [OPTION OF CMAKE...]
# Without CUDA the folder keeps what it has, a new one AUTO: with CUDA where a compiler is found.
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
[ ! -f "$build/build.ninja" ] || ! grep -qsx "$wanted" "$build/CMakeCache.txt" || exit 0
echo "Configuring $build"
cmake --preset "$preset" -Wno-dev --log-level=WARNING "$@" || {
  rm -f "$build/build.ninja" # of other options than the cache now has
  exit 2
}
