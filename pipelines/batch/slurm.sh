#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One case on a geometry as a Slurm job; several cases are several jobs on the same .tiles:
#   for case in rest exercise; do sbatch pipelines/batch/slurm.sh vessel.tiles $case.toml $case; done
# Two minutes before its time is up the job is told to stop; the solver then leaves a checkpoint and
# 75, and the job goes back to the queue to continue from there.
#SBATCH --job-name=tessera
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --gres=gpu:1
#SBATCH --time=02:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue
set -u
tiles=$1
case_file=$2
name=$3
bin=${TESSERA_BIN:-$SLURM_SUBMIT_DIR/build/release/bin}

# --backend auto takes the GPU that Slurm gave, or the CPU cores when there is none; --resume starts
# afresh when there is no checkpoint.
srun "$bin/tessera-solver" "$tiles" --case "$case_file" --threads "$SLURM_CPUS_PER_TASK" --resume \
  -o "$name.fields"
status=$?
if [ "$status" = 75 ]; then
  scontrol requeue "$SLURM_JOB_ID"
  exit 75
fi
[ "$status" = 0 ] || exit "$status"
"$bin/tessera-postprocess" "$name.fields" "$tiles" --threads "$SLURM_CPUS_PER_TASK" -o "$name.out"
