#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole chain as Slurm jobs, each waiting for the one before:
#   pipelines/batch/chain.sh vessel.stl "--unit mm --across 30" rest.toml [walk.toml ...]
# Geometry and results on CPU nodes (SBATCH_CPU="--partition=cpu"), the solver where SBATCH_SOLVE
# says (SBATCH_SOLVE="--partition=gpu --gres=gpu:1"). Several cases share the geometry and run as one
# array. When a job fails, those that wait for it are taken from the queue.
# Prints the number of the last job, for dependencies of one's own.
set -eu
if [ $# -lt 3 ]; then
  echo "chain.sh: $# arguments were given, expected are a surface or image, flags of tessera-preprocess in quotes, and cases." >&2
  exit 2
fi
surface=$1
flags=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$here/../.." && pwd)/build/release/bin
# Installed, the programs are in PREFIX/bin and this in PREFIX/share/tessera/batch.
[ -x "$bin/tessera-solver" ] || [ ! -x "$here/../../../bin/tessera-solver" ] || bin=$(cd "$here/../../../bin" && pwd)
export TESSERA_BIN=${TESSERA_BIN:-$bin}
base=$(basename "$surface")
name=${base%%.*}

job() { sbatch --parsable --kill-on-invalid-dep=yes "$@"; }

# shellcheck disable=SC2086
geometry=$(job --job-name="$name-geometry" ${SBATCH_CPU:-} --wrap \
  "set -e; '$TESSERA_BIN/tessera-preprocess' '$surface' $flags -o '$name.vdb'
   '$TESSERA_BIN/tessera-tiler' '$name.vdb' -o '$name.tiles'")
# shellcheck disable=SC2086
solve=$(RESULTS=no job --job-name="$name-solve" --dependency="afterok:$geometry" --array=1-$# \
  ${SBATCH_SOLVE:-} "$here/slurm.sh" "$name.tiles" "$@")
results="set -e"
for case_file in "$@"; do
  run=$(basename "$case_file" .toml)
  results="$results; '$TESSERA_BIN/tessera-postprocess' '$run.fields' '$name.tiles' -o '$run.out'"
done
# shellcheck disable=SC2086
job --job-name="$name-results" --dependency="afterok:$solve" ${SBATCH_CPU:-} --wrap "$results"
