#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole chain as Slurm jobs, each waiting for the previous one:
#   pipelines/batch/chain.sh vessel.stl "--unit mm --across 30" rest.toml [walk.toml ...]
# Geometry and results run on CPU nodes (SBATCH_CPU="--partition=cpu"), the solver by SBATCH_SOLVE
# ("--partition=gpu --gres=gpu:1"). Several cases share the geometry and run as one array. If the geometry
# fails, dependent jobs are removed from the queue. If a case fails, the results of the others are made
# anyway; the last job reports the missing ones and fails. Prints the number of the last job.
set -eu
if [ $# -lt 3 ]; then
  echo "chain.sh: $# arguments were given; expected a surface or image, flags of tessera-preprocess in quotes, and cases." >&2
  exit 2
fi
here=$(cd "$(dirname -- "$0")" && pwd)
. "$here/words.sh"
surface=$(word "$1")
flags=$(words "$2")
base=$(basename -- "$1")
shift 2
bin=$(cd "$here/../.." && pwd)/build/release/bin
# When installed, programs are in PREFIX/bin and this script in PREFIX/share/tessera/batch.
[ -x "$bin/tessera-solver" ] || [ ! -x "$here/../../../bin/tessera-solver" ] || bin=$(cd "$here/../../../bin" && pwd)
export TESSERA_BIN=${TESSERA_BIN:-$bin}
programs=$(word "$TESSERA_BIN")
name=${base%%.*}
vdb=$(word "$name.vdb")
tiles=$(word "$name.tiles")

# Fields older than the geometry belong to an earlier chain.
results="status=0"
for case_file in "$@"; do
  run=$(basename -- "$case_file" .toml)
  fields=$(word "$run.fields")
  results="$results
   if [ -e $fields ] && ! [ $tiles -nt $fields ]; then
     $programs/tessera-postprocess $fields $tiles -o $(word "$run.out") || status=1
   else
     printf 'chain.sh: %s has no fields, because its solver task failed or was stopped; see its messages.\\n' $(word "$run") >&2
     status=1
   fi"
done

job() { sbatch --parsable --kill-on-invalid-dep=yes "$@"; }

# shellcheck disable=SC2086
geometry=$(job --job-name="$name-geometry" ${SBATCH_CPU:-} --wrap \
  "set -e; $programs/tessera-preprocess $surface$flags -o $vdb
   $programs/tessera-tiler $vdb -o $tiles")
# shellcheck disable=SC2086
solve=$(RESULTS=no job --job-name="$name-solve" --dependency="afterok:$geometry" --array=1-$# \
  ${SBATCH_SOLVE:-} "$here/slurm.sh" "$name.tiles" "$@")
# shellcheck disable=SC2086
job --job-name="$name-results" --dependency="afterok:$geometry,afterany:$solve" ${SBATCH_CPU:-} \
  --wrap "$results
   exit \$status"
