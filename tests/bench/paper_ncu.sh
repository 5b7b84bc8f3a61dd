#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Table 5 of Tomczak & Szafran 2017 as Nsight Compute counts it: transactions of 32 bytes between
# kernels and second-level cache, and between that and memory, and instructions a warp executes.
# Usage: paper_ncu.sh PAPER_GPU TABLE.csv
# Prints a notice and writes nothing where ncu (NCU: its path) is missing or cannot read the counters.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=${1:?usage: paper_ncu.sh PAPER_GPU TABLE.csv}
table=${2:?usage: paper_ncu.sh PAPER_GPU TABLE.csv}
ncu=${NCU:-$(command -v ncu || true)}
if [ -z "$ncu" ]; then
  echo "paper_ncu: no ncu was found, so $table is not made; the rest is." >&2
  exit 0
fi
metrics=lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,dram__sectors_read.sum
metrics=$metrics,dram__sectors_write.sum,smsp__inst_executed.sum,smsp__warps_launched.sum
counted=$table.ncu
if ! "$ncu" --clock-control none --kernel-name 'regex:step|readWrite' --print-kernel-base demangled \
  --metrics "$metrics" --csv --page raw --print-units base \
  "$program" --profile --backend cuda >"$counted" 2>&1 || ! grep -q '^"ID"' "$counted"; then
  echo "paper_ncu: ncu could not count, so $table is not made; it said:" >&2
  tail -n 3 "$counted" >&2
  rm -f "$counted"
  exit 0
fi
awk -f "$here/paper_ncu.awk" "$counted" >"$table.part"
rm -f "$counted"
mv "$table.part" "$table"
echo "Counted by ncu: $table"
