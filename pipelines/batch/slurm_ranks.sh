#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One case on several GPUs or nodes as a Slurm job, a rank for each GPU:
#   sbatch --nodes=2 --ntasks-per-node=4 --gpus-per-task=1 pipelines/batch/slurm_ranks.sh vessel.tiles rest.toml
# or on CPUs, so many ranks with so many threads each:
#   sbatch --nodes=2 --ntasks-per-node=4 --cpus-per-task=16 pipelines/batch/slurm_ranks.sh vessel.tiles rest.toml
# tessera-solver vessel.tiles --case rest.toml --plan --ranks 8 says before how well that goes.
# Two minutes before its time is up all ranks are told to stop; they leave one checkpoint and 75, and
# the job goes back to the queue to continue from there, on as many ranks as it then has.
# MPI says how srun starts ranks (srun --mpi=list; by default pmix where there is one, else pmi2).
# RESULTS=no leaves tessera-postprocess out; SOLVER_FLAGS as in rules.mk; TESSERA_BIN says where the
# programs are (by default build/release/bin below the folder of sbatch).
#SBATCH --job-name=tessera
#SBATCH --cpus-per-task=8
#SBATCH --time=02:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
if [ $# -ne 2 ]; then
  echo "slurm_ranks.sh: $# arguments were given, expected are a .tiles file and a case." >&2
  exit 2
fi
tiles=$1
name=$(basename "$2" .toml)
bin=${TESSERA_BIN:-$SLURM_SUBMIT_DIR/build/release/bin}
threads=${SLURM_CPUS_PER_TASK:-1}
mpi=${MPI:-}
if [ -z "$mpi" ]; then
  mpi=pmi2
  if srun --mpi=list 2>&1 | grep -qw pmix; then mpi=pmix; fi
fi

# A rank that fails ends the others itself; what still runs two minutes after the first is killed.
# srun does not take the cores of a task over from sbatch.
# shellcheck disable=SC2086
srun --mpi="$mpi" --cpus-per-task="$threads" --wait=120 \
  "$bin/tessera-solver" "$tiles" --case "$2" --threads "$threads" --resume \
  ${SOLVER_FLAGS:-} --report "$name.solver.json" -o "$name.fields"
status=$?
if [ "$status" = 75 ]; then
  echo "slurm_ranks.sh: $name goes back to the queue with its checkpoint."
  scontrol requeue "$SLURM_JOB_ID"
  exit 75
fi
[ "$status" = 0 ] || exit "$status"
[ "${RESULTS:-yes}" = no ] || exec srun --nodes=1 --ntasks=1 --cpus-per-task="$threads" \
  "$bin/tessera-postprocess" "$name.fields" "$tiles" --threads "$threads" -o "$name.out"
