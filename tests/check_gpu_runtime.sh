#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_gpu_runtime.sh ROOT: names of a vendor stand in few files of solver/ and tests/. The runtimes, their driver APIs and
# the launch syntax: runtime.hpp and hip_names.hpp of solver/backend/gpu. Compilers, instructions and the number of lanes that
# exchange values: intrinsics.hpp there, device_arithmetic.hpp and platform.hpp of solver/model. The emulation of the tests has
# both. Lists the lines of other files that name one, and fails.
set -u
cd "${1:?the root of the tree is required}" || exit 2
gpu=solver/backend/gpu
emulation='tests/solver/backend/emulated_(gpu|threads)\.hpp'
failed=0

# check PATTERN "FILE..." NAME...: each NAME, a pattern of what a FILE may contain, has to be recognised there.
check() {
  local pattern=$1 files=$2
  shift 2
  for name in "$@"; do
    # shellcheck disable=SC2086
    cat $files | grep -E "$pattern" | grep -qE "$name" || {
      echo "check_gpu_runtime: no $name was recognised in $files; correct this script" >&2
      exit 2
    }
  done
  local found
  found=$(grep -rnE "$pattern" solver tests --include='*.[ch]pp' --include='*.cu' --include='*.cuh' --include='*.[ch]*.in' |
    grep -vE "^(${files// /|}|$emulation):")
  [ -z "$found" ] && return
  echo "$found"
  echo "check_gpu_runtime: use the functions of $files, or add one there" >&2
  failed=1
}

check '\bcuda[A-Z]|\bcu[A-Z]|\bCU(_[A-Z]|[a-z])|\bhip[A-Z]|<cuda(_runtime\w*)?\.h>|<hip/\w+\.h>|<<<' \
  "$gpu/runtime.hpp $gpu/hip_names.hpp solver/model/platform.hpp" \
  '\bcudaMalloc\(' '\bcuMemCreate\b' '<cuda_runtime\.h>' '<<<' '\bhipMalloc\b' '<hip/hip_runtime\.h>'
check '\b__(shfl|ballot|any|all|activemask|syncwarp|ldg|ldcg|fdividef|[df]mul_rn|popc|lane_id|half)\w*\(|__CUDA|__HIP|\basm\b|__launch_bounds__\([^()]*,' \
  "$gpu/intrinsics.hpp $gpu/runtime.hpp solver/model/device_arithmetic.hpp solver/model/platform.hpp" \
  '__shfl_sync\(' '__ballot\(' '__CUDACC__' '__HIP__' 'asm volatile' '__launch_bounds__\('
# Threads of a block are counted in teams of teamLanes.
check 'threadIdx\.x *(/|%|&|>>) *(31|32|0x1f|5)U?\b|0x[fF]{8}U?\b, |\b(warp|wave)(Size|Lanes)\b' "$gpu/intrinsics.hpp" '0xffffffffU, '
exit $failed
