#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# In place of Slurm's sbatch: runs a job, or the tasks of an array, at once. jobs/N.log has the output
# of job N, jobs/N its end: 0, 1, or cancelled when the job that it depends on failed.
wrap=
tasks=
dependencies=
while [ $# -gt 0 ]; do
  case $1 in
    --wrap) wrap=$2; shift ;;
    --array=*) tasks=${1#*=} ;;
    --dependency=*) dependencies=${1#*=} ;;
    -*) ;;
    *) break ;;
  esac
  shift
done
mkdir -p jobs
job=$(($(find jobs -type f ! -name "*.log" | wc -l) + 1))
echo $job
for dependency in ${dependencies//,/ }; do
  if [ "${dependency%:*}" = afterok ] && [ "$(cat "jobs/${dependency#*:}")" != 0 ]; then
    echo cancelled > jobs/$job
    exit
  fi
done
status=0
export SLURM_JOB_ID=$job SLURM_SUBMIT_DIR=$PWD SLURM_CPUS_PER_TASK=1
for task in $(seq "${tasks%-*}" "${tasks#*-}" 2>/dev/null || echo none); do
  [ "$task" = none ] || export SLURM_ARRAY_TASK_ID=$task
  if [ -n "$wrap" ]; then sh -c "$wrap"; else bash "$@"; fi >> jobs/$job.log 2>&1 || status=1
done
echo $status > jobs/$job
