#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Compiles the solver with every kernel for AMD devices, by the clang that Debian's hipcc calls, with few_variants.def, and
# looks for the kernels of the sources in the program. Needs hipcc, libamdhip64-dev and rocm-device-libs, and no device: nothing
# is run on one.
# check_hip.sh [ARCHITECTURE [FOLDER]]    ARCHITECTURE: default gfx90a; FOLDER: of the build, default build/hip
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
architecture=${1:-gfx90a}
build=${2:-$source/build/hip}
for tool in clang++-15:hipcc hipconfig:hipcc; do
  command -v "${tool%:*}" > /dev/null || { echo "check_hip: apt-get install ${tool#*:} libamdhip64-dev rocm-device-libs first." >&2; exit 2; }
done
launcher=$(command -v ccache || true)
start=$SECONDS
cmake -S "$source" -B "$build" -G Ninja -Wno-dev --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_C_COMPILER=clang-15 -DCMAKE_CXX_COMPILER=clang++-15 ${launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER="$launcher"} \
  -DTESSERA_HIP="$architecture" -DTESSERA_MPI=OFF -DTESSERA_TESTS=OFF -DTESSERA_VARIANTS=tests/reliability/few_variants.def
ninja -C "$build" --quiet tessera-solver tessera_layouts

solver=$build/bin/tessera-solver
"$solver" --version | grep -q "HIP $architecture" || { echo "check_hip: the solver does not say that it was built for $architecture." >&2; exit 1; }
kernels=$(mktemp)
trap 'rm -f "$kernels"' EXIT
objcopy -O binary --only-section=.hip_fatbin "$solver" "$kernels"
objects=$(grep -ao "hipv4-amdgcn-amd-amdhsa--$architecture" "$kernels" | wc -l)
names=$(grep -aoE '_Z[A-Za-z0-9_]+Kernel[A-Za-z0-9_]*\.kd' "$kernels" | sort -u)
defined=$(grep -rhoE '\b[a-z][A-Za-z0-9]*Kernel\(' "$source/solver" --include='*.cu' --include='*.cuh' | tr -d '(' | grep -v '^launchKernel$' | sort -u)
for kernel in $defined; do
  grep -qE "[0-9]$kernel" <<< "$names" || { echo "check_hip: $solver has no $kernel." >&2; exit 1; }
done
echo "check_hip: $(wc -l <<< "$names") kernels for $architecture in $objects objects, built in $(((SECONDS - start) / 60)) min"
