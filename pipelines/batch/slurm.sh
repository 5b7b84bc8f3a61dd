#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Cases on one geometry as a Slurm job, each named after its case file:
#   sbatch pipelines/batch/slurm.sh vessel.tiles rest.toml
#   sbatch --array=1-3 pipelines/batch/slurm.sh vessel.tiles rest.toml walk.toml run.toml
# On a GPU with sbatch --gres=gpu:1; --backend auto takes what Slurm gave. Other limits the same way:
# --time, --cpus-per-task, --mem.
# Two minutes before its time is up the job is told to stop; the solver then leaves a checkpoint and
# 75, and the job goes back to the queue to continue from there.
# RESULTS=no leaves tessera-postprocess out; SOLVER_FLAGS as in rules.mk; TESSERA_BIN says where the
# programs are (by default build/release/bin below the folder of sbatch).
#SBATCH --job-name=tessera
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --time=02:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
tiles=$1
shift
case_file=${1:-}
[ -z "${SLURM_ARRAY_TASK_ID:-}" ] || case_file=${!SLURM_ARRAY_TASK_ID:-}
if [ -z "$case_file" ]; then
  echo "slurm.sh: there is no case for task ${SLURM_ARRAY_TASK_ID:-1}; name as many as the array has tasks." >&2
  exit 2
fi
name=$(basename "$case_file" .toml)
bin=${TESSERA_BIN:-$SLURM_SUBMIT_DIR/build/release/bin}
threads=${SLURM_CPUS_PER_TASK:-1}

# --resume starts afresh when there is no checkpoint.
srun "$bin/tessera-solver" "$tiles" --case "$case_file" --threads "$threads" --resume \
  ${SOLVER_FLAGS:-} --report "$name.solver.json" -o "$name.fields"
status=$?
if [ "$status" = 75 ]; then
  echo "slurm.sh: $name goes back to the queue with its checkpoint."
  scontrol requeue "$SLURM_JOB_ID"
  exit 75
fi
[ "$status" = 0 ] || exit "$status"
[ "${RESULTS:-yes}" = no ] || exec srun "$bin/tessera-postprocess" "$name.fields" "$tiles" \
  --threads "$threads" -o "$name.out"
