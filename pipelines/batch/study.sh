#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A parameter study (CSV: see pipelines/study.mk) as Slurm jobs: the geometries, an array with one task per
# case, and the comparison, each waiting for the previous one:
#   pipelines/batch/study.sh cases.csv [case.toml]
# SBATCH_CPU and SBATCH_SOLVE as for chain.sh; a case uses the cores of its task as threads. Results
# are in out/cases (OUT=FOLDER). If a task failed or ran out of time, the others are compared anyway; the
# last job reports the missing ones and fails. Submitting the same line again completes the study from the
# last checkpoints. Prints the number of the last job.
set -eu
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "study.sh: $# arguments were given; expected a CSV with one case per row and, unless it has the same name, the template." >&2
  exit 2
fi
csv=$1
template=${2:-${csv%.csv}.toml}
here=$(cd "$(dirname -- "$0")" && pwd)
. "$here/words.sh"
for file in "$csv" "$template"; do
  case $file in
    *[!a-zA-Z0-9._+,@/=^~$'\x80'-$'\xff'-]* | -*)
      printf 'study.sh: the name %q has a space or another character that make cannot hold; use letters, digits and . _ - + = , @ ^ ~ for it.\n' "$file" >&2
      exit 2 ;;
  esac
done
bin=$(cd "$here/../.." && pwd)/build/release/bin
# When installed, programs are in PREFIX/bin and this script in PREFIX/share/tessera/batch.
[ -x "$bin/tessera-solver" ] || [ ! -x "$here/../../../bin/tessera-solver" ] || bin=$(cd "$here/../../../bin" && pwd)
export TESSERA_BIN=${TESSERA_BIN:-$bin}
case $csv in /*) ;; *) csv=./$csv ;; esac
rows=$(awk -f "$here/../study.awk" -v folder=. -v here=. "$csv")
count=$(grep -c '^STUDY_RUNS' <<< "$rows")
name=$(basename -- "$csv" .csv)
make="make -f $(word "$here/../rules.mk") -f $(word "$here/../study.mk") CSV='$csv' TEMPLATE='$template' \
THREADS=\${SLURM_CPUS_PER_TASK:-1} RESUME=--resume"

job() { sbatch --parsable --kill-on-invalid-dep=yes "$@"; }

# shellcheck disable=SC2086
geometries=$(job --job-name="$name-geometries" ${SBATCH_CPU:-} --wrap "$make study-geometries")
# shellcheck disable=SC2086
cases=$(job --job-name="$name-cases" --dependency="afterok:$geometries" --array="1-$count" \
  ${SBATCH_SOLVE:-} --wrap "$make study-case ROW=\$SLURM_ARRAY_TASK_ID")
results="ended=
for row in \$(seq $count); do
  if $make SOLVE=no study-case ROW=\$row; then ended=\"\$ended \$row\"; fi
done
[ -z \"\$ended\" ] || $make SOLVE=no study ROWS=\"\$ended\" || exit
[ \$(echo \$ended | wc -w) = $count ]"
# shellcheck disable=SC2086
job --job-name="$name-results" --dependency="afterok:$geometries,afterany:$cases" ${SBATCH_CPU:-} \
  --wrap "$results"
