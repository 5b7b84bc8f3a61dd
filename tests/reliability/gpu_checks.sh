#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The solver on a GPU under compute-sanitizer (memcheck, racecheck, initcheck, synccheck), and repeats
# that have to give the same bytes. Small runs that step every kind of kernel.
#   gpu_checks.sh --prepare PROGRAMS FOLDER     where Tessera is built: tiles and cases into FOLDER
#   gpu_checks.sh PROGRAMS FOLDER [quick|full]  on a machine with a GPU; PROGRAMS needs only
#                                               tessera-solver
# quick (some two minutes): memcheck on all runs, the other tools and 20 repeats on two of them;
# full: all on all, and at the end the GPU tests of test_solver under memcheck, each by itself, those of
# Step and Walls of 30 steps, if it is in PROGRAMS.
# REPEATS: default 20. JOBS: such tests at a time, default 4. COMPUTE_SANITIZER: its path, default
# from PATH.
# Prints a table; ends with 1 when anything was found, with 0 and a notice without a device.
set -euo pipefail

fluid() {
  printf '[fluid]\ndensity = 1000\nviscosity = "4e-3 Pa.s"\n[solver]\nlattice_velocity = 0.05\nramp = 0\n%s\n' "$1"
}
steady='[[opening]]
id = 1
kind = "velocity"
mean = "0.05 m/s"
[[opening]]
id = 2
kind = "pressure"
value = 0
[output]
monitor_every = 7'
# A cycle short enough for its means to be recorded within the steps of run().
pulse='[[opening]]
id = 1
kind = "velocity"
waveform = "inlet.csv"
periodic = true
period = "4 ms"
[[opening]]
id = 2
kind = "windkessel"
resistance_proximal = 1e8
compliance = 1e-11
resistance_distal = 1e9
[time]
period = "4 ms"
cycles = 2
cycle_converged = 0
phases = 2
[output]
monitor_every = 7'

prepare() {
  programs=$1 folder=$2
  mkdir -p "$folder"
  "$programs/tessera-sample" tube --quiet --diameter "2 mm" --length "4 mm" -o "$folder/tube.stl"
  "$programs/tessera-preprocess" "$folder/tube.stl" --quiet --unit mm --across 10 -o "$folder/tube.vdb"
  "$programs/tessera-tiler" "$folder/tube.vdb" --quiet -o "$folder/tube.tiles"
  "$programs/tessera-tiler" "$folder/tube.vdb" --quiet --placement rows -o "$folder/rows.tiles"
  { fluid 'walls = "single-node"'; printf '%s\n' "$pulse"; } >"$folder/pulse.toml"
  { fluid ''; printf '%s\n' "$steady"; } >"$folder/steady.toml"
  { fluid 'collision = "regularised"'; printf '%s\n' "$steady"; } >"$folder/moments.toml"
  printf 'time[s],velocity[m/s]\n0,0\n0.001,0.06\n0.003,0.02\n0.004,0\n' >"$folder/inlet.csv"
  # Periodic spheres, a body force: two steps in a pass.
  "$programs/tessera-sample" spheres --quiet --size 40,36,44 --diameter 14 -o "$folder/pack.raw"
  "$programs/tessera-preprocess" "$folder/pack.raw" --quiet --dims 40,36,44 --type u8 --pore 0 --voxel 10um \
    --periodic xyz -o "$folder/pack.vdb"
  "$programs/tessera-tiler" "$folder/pack.vdb" --quiet -o "$folder/pack.tiles"
  cat >"$folder/columns.toml" <<'END'
[fluid]
density = 1000
viscosity = "1e-3 Pa.s"
[solver]
tau = 0.8
collision = "regularised"
body_force = [20, -5, 10]
[output]
monitor_every = 7
END
  rm -f "$folder/tube.stl" "$folder/tube.vdb" "$folder/pack.raw" "$folder/pack.vdb"
}

if [ "${1:-}" = --prepare ] && [ $# = 3 ]; then
  prepare "$2" "$3"
  exit 0
fi
if [ $# -lt 2 ] || [ "${1#-}" != "$1" ]; then
  sed -n '3,13s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
programs=$(cd "$1" && pwd)
folder=$(cd "$2" && pwd)
form=${3:-quick}
repeats=${REPEATS:-20}
solver=$programs/tessera-solver
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# The runs, by name: populations with interpolated walls, a Windkessel and means; two nodes a
# thread; moments at openings, and in 28 bytes a node; moments by two steps in a pass; one copy of the
# state; tiles in rows.
names="populations half moments mixed columns one-copy rows"
arguments() {
  case $1 in
    populations) echo "tube.tiles --case pulse.toml --precision f32" ;;
    half) echo "tube.tiles --case steady.toml --precision f16" ;;
    moments) echo "tube.tiles --case moments.toml --state moments --precision f32" ;;
    mixed) echo "tube.tiles --case moments.toml --precision m32/16" ;;
    columns) echo "pack.tiles --case columns.toml --state moments --precision f64" ;;
    one-copy) echo "tube.tiles --case steady.toml --precision f64 --copies 1" ;;
    rows) echo "rows.tiles --case steady.toml --precision f32" ;;
  esac
}
# run NAME TARGET STEPS [TOOL...]
run() {
  local target=$2 steps=$3 name=$1
  shift 3
  # shellcheck disable=SC2046 # the arguments are words
  (cd "$folder" && "$@" "$solver" $(arguments "$name") --backend cuda --quiet --steps "$steps" -o "$target")
}

code=0
run half "$out/first.fields" 10 >"$out/said" 2>&1 || code=$?
if [ $code = 5 ]; then
  echo "gpu_checks: nothing was checked, since $(tail -n 1 "$out/said")"
  exit 0
elif [ $code != 0 ]; then
  echo "gpu_checks: the first run ended with $code: $(tail -n 1 "$out/said")" >&2
  exit 1
fi

failed=0
printf '%-12s %-22s %8s %s\n' check run seconds found
row() { printf '%-12s %-22s %8d %s\n' "$1" "$2" "$3" "$4"; }

# checked TOOL NAME COMMAND...
checked() {
  local tool=$1 name=$2 start=$SECONDS code=0
  shift 2
  "$@" >"$out/said" 2>&1 || code=$?
  judged "$tool" "$name" $((SECONDS - start)) $code "$out/said"
}

# judged TOOL NAME SECONDS CODE SAID
judged() {
  local found
  found=$(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$5" | tail -n 1 | sed 's/=* *//' || true)
  row "$1" "$2" "$3" "${found:-no summary}, exit code $4"
  if [ "$4" != 0 ] || [ -z "$found" ]; then
    failed=1
    head -n 40 "$5" >&2
  fi
}

# The GPU tests under memcheck, some at a time.
checked_tests() {
  local k
  local -a tests
  mapfile -t tests < <("$programs/test_solver" --list-test-names-only "[gpu]" | sed '/^$/d')
  for k in "${!tests[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-4}" ]; do wait -n || true; done
    (
      start=$SECONDS code=0
      # Commas separate names there.
      TESSERA_DEVICE_STEPS=30 "$sanitizer" --tool memcheck --error-exitcode 9 --print-limit 3 "$programs/test_solver" \
        "${tests[k]//,/\\,}" >"$out/test.$k" 2>&1 || code=$?
      echo "$((SECONDS - start)) $code" >"$out/end.$k"
    ) &
  done
  wait
  for k in "${!tests[@]}"; do
    # shellcheck disable=SC2046 # two words
    judged memcheck "${tests[k]:0:60}" $(cat "$out/end.$k") "$out/test.$k"
  done
  [ ${#tests[@]} -gt 0 ] || { echo "gpu_checks: no GPU test was found" >&2; failed=1; }
}

sanitizer=""
for place in ${COMPUTE_SANITIZER:-} compute-sanitizer "$programs/compute-sanitizer" \
  /usr/local/cuda/bin/compute-sanitizer; do
  [ -n "$sanitizer" ] || sanitizer=$(command -v "$place" || true)
done
if [ -z "$sanitizer" ]; then
  echo "gpu_checks: no compute-sanitizer was found, so its checks are left out; set COMPUTE_SANITIZER to where it is."
else
  export CUDA_MODULE_LOADING=LAZY
  for tool in memcheck racecheck initcheck synccheck; do
    chosen=$names
    [ "$form" = full ] || [ $tool = memcheck ] || chosen="populations moments"
    for name in $chosen; do
      checked $tool "$name" run "$name" "$out/checked.fields" 12 \
        "$sanitizer" --tool $tool --error-exitcode 9 --print-limit 3
    done
  done
fi

chosen=$names
[ "$form" = full ] || chosen="populations moments"
for name in $chosen; do
  start=$SECONDS
  for ((k = 0; k < repeats; ++k)); do
    run "$name" "$out/repeat.fields" 300 >"$out/said" 2>&1 || { cat "$out/said" >&2; exit 1; }
    sha256sum <"$out/repeat.fields"
  done | sort -u >"$out/hashes"
  different=$(wc -l <"$out/hashes")
  row repeats "$name" $((SECONDS - start)) "$different different files of $repeats"
  [ "$different" = 1 ] || failed=1
done
if [ "$form" = full ] && [ -n "$sanitizer" ] && [ -x "$programs/test_solver" ]; then checked_tests; fi
exit $failed
