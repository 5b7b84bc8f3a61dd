#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Cases on one geometry as a Slurm job, each named after its case file:
#   sbatch pipelines/batch/slurm.sh vessel.tiles rest.toml
#   sbatch --array=1-3 pipelines/batch/slurm.sh vessel.tiles rest.toml walk.toml run.toml
# On a GPU with sbatch --gres=gpu:1, which --backend auto uses. Other limits in the same way:
# --time, --cpus-per-task, --mem.
# One case on several GPUs or nodes, one rank per GPU, or ranks with several threads each:
#   sbatch --nodes=2 --ntasks-per-node=4 --gpus-per-node=4 pipelines/batch/slurm.sh vessel.tiles rest.toml
#   sbatch --nodes=2 --ntasks-per-node=4 --cpus-per-task=16 pipelines/batch/slurm.sh vessel.tiles rest.toml
# Not with --gpus-per-task, which hides the GPUs of a node from each other.
# tessera-solver vessel.tiles --case rest.toml --plan --ranks 8 predicts the efficiency.
# Two minutes before its time limit the job receives a signal; the solver writes a checkpoint and exits with
# 75, and the job is requeued to continue, on any number of ranks. A requeued job that is stopped before it
# makes progress is not requeued again (message, 75), nor is one ended by a file STOP. A finished run newer
# than its inputs is not repeated.
# MPI: mpirun, or a word of srun --mpi=list (default: pmix if srun has it, otherwise mpirun). RESULTS=no
# omits tessera-postprocess; SOLVER_FLAGS as in rules.mk; TESSERA_BIN: folder of the programs (default:
# build/release/bin below the folder of sbatch, otherwise the PATH).
#SBATCH --job-name=tessera
#SBATCH --cpus-per-task=8
#SBATCH --time=02:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
if [ $# -lt 2 ]; then
  echo "slurm.sh: $# arguments were given; expected a .tiles file and a case, or one case per task of an array." >&2
  exit 2
fi
tiles=$1
shift
task=${SLURM_ARRAY_TASK_ID:-1}
case_file=
[ "$task" = 0 ] || case_file=${!task:-}
if [ -z "$case_file" ] || { [ $# -gt 1 ] && [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; }; then
  echo "slurm.sh: $# cases were given, the array's task is ${SLURM_ARRAY_TASK_ID:-none}; sbatch --array=1-$# runs them all." >&2
  exit 2
fi
name=$(basename -- "$case_file" .toml)
case $tiles$case_file in
  *[[:cntrl:]]*)
    echo "slurm.sh: a name has a line break or another control character; rename the file." >&2
    exit 2 ;;
esac
# Names that begin with a dash are no options.
case $tiles in -*) tiles=./$tiles ;; esac
case $case_file in -*) case_file=./$case_file ;; esac
case $name in -*) run=./$name ;; *) run=$name ;; esac
bin=$SLURM_SUBMIT_DIR/build/release/bin
[ -x "$bin/tessera-solver" ] || ! on_path=$(command -v tessera-solver) || bin=$(dirname "$on_path")
bin=${TESSERA_BIN:-$bin}
threads=${SLURM_CPUS_PER_TASK:-1}

start=()
if [ "${SLURM_NTASKS:-${SLURM_JOB_NUM_NODES:-1}}" -gt 1 ]; then
  mpi=${MPI:-}
  if [ -z "$mpi" ]; then
    mpi=mpirun
    if srun --mpi=list 2>&1 | grep -qw pmix; then mpi=pmix; fi
  fi
  # A failing rank ends the others itself; tasks still running two minutes after the first are killed.
  # srun does not inherit the cores per task from sbatch, and mpirun would bind to one core.
  start=(srun --mpi="$mpi" --cpus-per-task="$threads" --wait=120)
  [ "$mpi" != mpirun ] || start=(mpirun --bind-to none)
fi

# Whether the fields are newer than all their inputs and no checkpoint is left. Flags are recorded as in
# rules.mk.
finished() {
  note=.$name.fields.options
  [ "$(cat "$note" 2>/dev/null)" = "${SOLVER_FLAGS:-}" ] || printf '%s\n' "${SOLVER_FLAGS:-}" > "$note"
  # Identifies the inputs, in case other files have the same name or age.
  files="$tiles $case_file $(cksum < "$case_file" 2>/dev/null)"
  [ "$(cat ".$name.run" 2>/dev/null)" = "$files" ] || printf '%s\n' "$files" > ".$name.run"
  if [ ! -e "$run.fields" ] || [ -e "$run.ckpt" ] || [ -e "$run.ckpt.prev" ]; then return 1; fi
  {
    # Flags may name files (--initial).
    # shellcheck disable=SC2086
    printf '%s\n' "$tiles" "$case_file" "$note" ".$name.run" ${SOLVER_FLAGS:-}
    # Waveforms and tables that the case names.
    "$bin/tessera-info" --inputs "$case_file" 2> /dev/null
  } | while IFS= read -r input; do
    [ ! -e "$input" ] || [ "$run.fields" -nt "$input" ] || exit 1
  done
}

results() {
  [ "${RESULTS:-yes}" = no ] || "$bin/tessera-postprocess" "$run.fields" "$tiles" \
    --threads "${SLURM_CPUS_ON_NODE:-$threads}" -o "$run.out"
}
solver=
told=
trap 'told=yes; [ -z "$solver" ] || kill -USR1 $solver' USR1 TERM USR2 HUP XCPU
if finished; then
  echo "slurm.sh: $name.fields is newer than its inputs, so the solver is not started; remove it to repeat the run."
  results
  exit
fi

# Retries for a minute, because the controller does not always answer.
patiently() {
  for pause in 5 10 20 25; do
    "$@" && return
    sleep "$pause"
  done
  "$@"
}

# Step of the newest checkpoint; 0 without one.
step_kept() {
  kept=$("$bin/tessera-info" "$run.ckpt" 2>/dev/null | awk '$1 == "step" { print $2 }')
  echo "${kept:-0}"
}
before=$(step_kept)
ended_by_file() { grep -qs '"stopped_by": "the file ' "$run.solver.json"; }
# Report of an earlier start.
! ended_by_file || rm "$run.solver.json"
# A crashed host may keep the lock on the monitor, which is rewritten; a requeued job has ended everywhere.
[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || rm -f "$run.monitor.csv"

# --resume starts from the beginning without a checkpoint. srun and mpirun forward USR1 to all ranks.
# shellcheck disable=SC2086
${start[@]+"${start[@]}"} "$bin/tessera-solver" "$tiles" --case "$case_file" --threads "$threads" --resume \
  ${SOLVER_FLAGS:-} --report "$run.solver.json" -o "$run.fields" &
solver=$!
[ -z "$told" ] || kill -USR1 $solver
# A signal ends wait early, so it is repeated.
wait $solver
status=$?
while [ -n "$told" ] && [ "$status" -gt 128 ]; do
  told=
  wait $solver
  status=$?
done
solver=
# Signalled before its handler was installed; srun and mpirun then return 75 themselves, or fail.
[ "$status" != $((128 + $(kill -l USR1))) ] || status=75
if [ "$status" = 75 ] && ended_by_file; then
  echo "slurm.sh: $name was ended by the file STOP; its checkpoint is kept; submit it again to continue."
  exit 75
fi
if [ "$status" = 75 ] && state=$(patiently squeue -h -j "$SLURM_JOB_ID" -o %T) &&
  [ "$state" != RUNNING ]; then
  echo "slurm.sh: the job of $name was cancelled; its checkpoint is kept; submit it again to continue."
  exit 75
fi
# A solver that is stopped before its first step makes up to ten steps; repeated, this would never end.
made=$(($(step_kept) - before))
if [ "$status" = 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] && [ "$made" -le 10 ]; then
  echo "slurm.sh: $name was requeued and made only $made steps: the time of the job is spent by its start. It is not requeued again; submit it with a longer --time to continue from its checkpoint." >&2
  exit 75
fi
if [ "$status" = 75 ]; then
  echo "slurm.sh: $name goes back to the queue with its checkpoint."
  patiently scontrol requeue "$SLURM_JOB_ID" ||
    echo "slurm.sh: Slurm does not take $name back; submit it again to continue." >&2
  exit 75
fi
[ "$status" = 0 ] || exit "$status"
results
