#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_gpu_runtime.sh ROOT: solver/backend/gpu/runtime.hpp is the only file of solver/ and tests/
# that names the CUDA runtime, its driver API or the launch syntax. Lists the lines that do, and
# fails.
set -u
cd "${1:?the root of the tree is required}" || exit 2
runtime=solver/backend/gpu/runtime.hpp
names='\bcuda[A-Z]|\bcu[A-Z]|\bCU(_[A-Z]|[a-z])|<cuda(_runtime\w*)?\.h>|<<<'

# The pattern has to recognise the one file that may use these names.
for name in '\bcudaMalloc\(' '\bcuMemCreate\b' '<cuda_runtime\.h>' '<<<'; do
  grep -E "$names" "$runtime" | grep -qE "$name" || {
    echo "check_gpu_runtime: no $name was recognised in $runtime; correct this script" >&2
    exit 2
  }
done

found=$(grep -rnE "$names" solver tests --include='*.[ch]pp' --include='*.cu' --include='*.cuh' \
  --include='*.[ch]*.in' | grep -v "^$runtime:")
[ -z "$found" ] && exit 0
echo "$found"
echo "check_gpu_runtime: use the functions of $runtime, or add one there" >&2
exit 1
