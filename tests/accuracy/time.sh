#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Time to accuracy of the shipped programs: wall-clock time of tessera-solver and updates of nodes until pressure drop
# and wall shear are within 5, 2 and 1 %, for settings (time_settings.txt) of three flows (time_flows.sh).
#   time.sh PROGRAMS FOLDER [FLOW]...    pipe, bend, stenosis; default: all
# SETTINGS (names), NODES (across; 7 10 14 20 28), FINE (those of the runs from which references follow; 40 56),
# BACKENDS (cpu, and cuda where there is one), THREADS (all cores), CONVERGED (1e-5), JOBS (runs at a time, of which one
# a flow and backend is in the solver; 1) replace the defaults. Finished runs of FOLDER are not made again; each is a
# line in a file FLOW.SETTING.NODES.BACKEND.row there; PRINT=no leaves out the table, of all in FOLDER: time_table.awk.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
. "$here/time_flows.sh"
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"
folder=$PWD
shift 2
[ $# -gt 0 ] || set -- pipe bend stenosis
settings=${SETTINGS:-$(awk '!/^#/ { print $1 }' "$here/time_settings.txt")}
backends=${BACKENDS:-cpu$(! command -v nvidia-smi > /dev/null || echo " cuda")}
threads=${THREADS:-$(nproc)}

# run FLOW SETTING NODES BACKEND: its row: these, fluid nodes, steps, seconds, then of the results pressure drop,
# mean, 5th and 95th percentile of the wall shear; or a file .failed with the last line of a program.
run() {
  local flow=$1 setting=$2 nodes=$3 backend=$4 name=$1.$2.$3.$4 start seconds
  local -a options=(--backend "$4" --threads "$threads") keys
  read -ra keys <<< "$(awk -v name="$setting" '$1 == name { $1 = ""; print }' "$here/time_settings.txt")"
  if [[ " ${keys[*]} " = *" copies=1 "* ]]; then
    [ "$backend" = cuda ] || return 0
    options+=(--copies 1) keys=()
  fi
  [ ! -f "$name.row" ] && [ ! -f "$name.failed" ] || return 0
  flow_case "$flow" "$nodes" "${keys[@]}" > "$name.toml"
  exec 9> "$flow.$backend.lock" && flock 9
  start=$(date +%s.%N)
  if ! "$programs/tessera-solver" "$flow.$nodes.tiles" --case "$name.toml" "${options[@]}" --quiet -o "$name.fields" \
      --report "$name.json" > "$name.log" 2>&1; then
    tail -n 1 "$name.log" > "$name.failed"
    return 0
  fi
  seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.3f", b - a }')
  exec 9>&-
  nice -n 19 "$programs/tessera-postprocess" "$name.fields" "$flow.$nodes.tiles" --threads 1 --quiet -o "$name.out" \
    > "$name.log" 2>&1 || { tail -n 1 "$name.log" > "$name.failed"; return 0; }
  local summary=$name.out/summary.json
  echo "$flow $setting $nodes $backend $(number "$name.json" fluid_nodes) $(number "$name.json" steps_made) $seconds" \
    "$(number "$name.json" seconds) $(number "$summary" pressure_drop_pa) $(number "$summary" wss_pa mean)" \
    "$(number "$summary" wss_pa p05) $(number "$summary" wss_pa p95)" > "$name.part"
  mv "$name.part" "$name.row" && rm -rf "$name.out" "$name.fields" "$name.monitor.csv" "$name.log" "$name.toml"
}

# runs FLOW NODES BACKENDS SETTINGS: coarse ones first; lists are words.
runs() {
  local nodes backend setting
  for nodes in $2; do
    flow_tiles "$1" "$nodes" "$folder/$1.$nodes.tiles"
    for backend in $3; do
      for setting in $4; do
        while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-1}" ]; do wait -n || true; done
        run "$1" "$setting" "$nodes" "$backend" &
      done
    done
  done
  wait
}

for flow in "$@"; do
  [ "$flow" = pipe ] || runs "$flow" "${FINE-40 56}" "${backends##* }" "mrt-27 bouzidi-mrt-27"
  runs "$flow" "${NODES:-7 10 14 20 28}" "$backends" "$settings"
done
[ "${PRINT:-yes}" != no ] || exit 0
if [ ! -f stenosis.reference ] && [ -x "$programs/stenosis_reference" ]; then
  echo "stenosis reference $("$programs/stenosis_reference")" > reference.part && mv reference.part stenosis.reference
fi
{
  cat -- *.row ./*.reference 2> /dev/null || true
  for failed in *.failed; do [ ! -f "$failed" ] || tr . ' ' <<< "$failed"; done
} | awk -f "$here/time_table.awk" "$here/time_settings.txt" -
for failed in *.failed; do
  [ ! -f "$failed" ] || echo "${failed%.failed}: $(cut -c1-90 "$failed")"
done
