#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels of a built program as a table (CSV): registers, stack, local and shared memory, blocks and
# occupancy by registers and static shared memory, SASS instructions by kind.
# Usage: kernel_table.sh FILE [KERNELS]
# FILE: a program, object or cubin, read with cuobjdump (CUOBJDUMP, PATH, or where CUDA is
# installed); or output of "nvcc -Xptxas -v" or cuobjdump, which fills fewer columns.
# KERNELS: a pattern for the names (default: those that step, see below). THREADS: of a block where FILE
# has no number (128).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
file=${1:?usage: kernel_table.sh FILE [KERNELS]}
kernels=${2:-step[A-Za-z]*Kernel|momentKernel|readWriteKernel}
[ -r "$file" ] || { echo "kernel_table: $file cannot be read." >&2; exit 3; }

tool=""
if head -c 4 "$file" | grep -q ELF; then
  for place in ${CUOBJDUMP:-} cuobjdump /usr/local/cuda/bin/cuobjdump /opt/cuda/bin/cuobjdump; do
    [ -n "$tool" ] || tool=$(command -v "$place" || true)
  done
  if [ -z "$tool" ]; then
    echo "kernel_table: no cuobjdump was found; set CUOBJDUMP to where it is, or give what nvcc -Xptxas -v printed." >&2
    exit 5
  fi
fi

dump() {
  [ -n "$tool" ] || { cat "$file"; return; }
  "$tool" --dump-resource-usage "$file"
  "$tool" --dump-elf "$file" | grep -E '^Fatbin|^arch =|\.nv\.info\.|EIATTR_MAX_THREADS|Value:' || true
  "$tool" --dump-sass "$file"
}
demangler=$(command -v c++filt || command -v cu++filt || command -v llvm-cxxfilt || echo cat)
dump | awk -v threads="${THREADS:-128}" -f "$here/kernel_table.awk" | "$demangler" |
  awk -v kernels="$kernels" -f "$here/kernel_names.awk"
