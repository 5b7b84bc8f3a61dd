#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the commands of one page of the manual with the built programs. Usage: run_page.sh SOURCE BIN quick|whole PAGE
set -eu
source=$1 bin=$2 form=$3 page=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# sbatch in place of Slurm's: runs the jobs at once.
mkdir "$work/bin"
install -m 755 "$source/tests/chain/sbatch_at_once.sh" "$work/bin/sbatch"
export PATH=$bin:$work/bin:$PATH TESSERA_BIN=$bin TESSERA=$source/pipelines
flags=()
[ "$form" != quick ] || flags+=(--quick)
bash "$source/pipelines/manual/lesson.sh" "${flags[@]}" --keep "$work/here" "$source/pipelines/manual/$page"
# Jobs that failed, if there were any.
for end in "$work"/here/jobs/*; do
  case $end in *.log | *'*') continue ;; esac
  [ "$(cat "$end")" = 0 ] || { cat "$end.log" >&2; echo "a job of $page failed: $(cat "$end")" >&2; exit 1; }
done
