#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Hostile names through what users type: commands, options, quotes, globs, line breaks and any other byte that a
# file system allows, as names of surfaces, cases and tiles.
#   name_trials.sh COUNT [SEED [ROUTE...]]
# Routes: make (rules.mk), run (make run), study (make study), chain (batch/chain.sh), jobs (batch/study.sh), batch
# (tessera.sub), slurm (slurm.sh). In place of the programs and of sbatch stand scripts that record their arguments.
# Each name must arrive at the solver as one argument, or be refused with a sentence and an exit status other than
# 0; nothing in it may run, and nothing outside its own results may change. Prints a table; exit status 1 and the
# names where that fails.
# shellcheck disable=SC2016,SC2317,SC1003
set -u
export LC_ALL=C
unset OUT MAKEFLAGS MFLAGS MAKELEVEL
count=${1:-20}
RANDOM=${2:-1}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- make run study chain jobs batch slurm
source=$(cd "$(dirname "$0")/../.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
mkdir "$room/bin"

cat > "$room/bin/program" << 'PROGRAM'
#!/bin/bash
case $1 in --inputs | *.ckpt) exit 0 ;; esac
output=
args=("$@")
for ((i = 0; i < $#; ++i)); do [ "${args[i]}" != -o ] || output=${args[i + 1]}; done
case $0 in *postprocess | *compare) mkdir -p -- "$output" && output=$output/summary.json ;; esac
printf '%s\0' "$@" > "$output"
PROGRAM
for program in sample preprocess tiler solver postprocess compare info; do cp "$room/bin/program" "$room/bin/tessera-$program"; done
cp "$source/tests/chain/sbatch_at_once.sh" "$room/bin/sbatch"
for tool in srun scontrol squeue; do printf '#!/bin/sh\nexit 0\n' > "$room/bin/$tool"; done
chmod +x "$room/bin"/*
export PATH=$room/bin:$PATH TESSERA_BIN=$room/bin SLURM_JOB_ID=1

fragments=('$(touch PWN)' '`touch PWN`' ';touch PWN;' '|touch PWN|' '&touch PWN&' '&& touch PWN #' $'\ntouch PWN\n'
  $';touch\tPWN;' "'" '"' "';touch PWN;'" '";touch PWN;"' "'\$(touch PWN)'" '$(shell touch PWN)' '${shell touch PWN}'
  '$$(shell touch PWN)' $'\'\ntouch PWN #' '>PWN' '<PWN' '-' '--eval=$(shell touch PWN)' '-f' '--report' '-o' ' ' $'\t'
  $'\n' $'\r' '\' '\\' '*' '?' '[a]' '{a,b}' '~' '!' '!!' '#' '%' ':' '::' '=' '+=' ',' '.' '..' '@' '$@' '$<' '$' '$$'
  $'\xff' $'\x1b[31m' '()' '(PWN)' '.vdb' '.tiles' '%.stl' '@here@' '@mean@' 'PWN;')
ordinary=('a' 'vessel' 'Müller' "O'Brien" '.' ',' '@' '~' '_' '-' '^' '+' '2026-11')
hostile_name() {
  local parts=$((1 + RANDOM % 4)) byte kind=$((RANDOM % 4))
  name=
  while ((kind == 0 && parts-- > 0)); do name+=${ordinary[RANDOM % ${#ordinary[@]}]}; done
  while ((parts-- > 0)); do
    if ((RANDOM % 8)); then
      name+=${fragments[RANDOM % ${#fragments[@]}]}
    else
      byte=$(printf '\\x%02x' $((1 + RANDOM % 255)))
      [ "$byte" = '\x2f' ] || printf -v name "%s$byte" "$name"
    fi
  done
  # Cut where a file system would.
  name=${name:0:80}
}

# arrived FILE: whether the recorded arguments of the solver have the tiles and the case of this name.
arrived() {
  local args
  [ -f "$1" ] || return 1
  mapfile -d '' args < "$1"
  local found=0 arg
  for arg in "${args[@]}"; do
    case $arg in "$2" | "./$2" | "$PWD/$2") found=$((found + 1)) ;; esac
  done
  [ "$found" = 1 ]
}

# The fields that a route makes, and the name of the case that the solver receives.
route_make() { make -s -f "$room/rules" -- "$name.out/summary.json" && arrived "./$name.fields" "$name.toml"; }
route_run() {
  make -s -C "$source/pipelines" -o build "TESSERA_BIN=$room/bin" run "STL=$name.stl" "CASE=$name.toml" UNIT=mm OUT="$PWD/out" &&
    arrived "$(find out -name '*.fields')" "$name.toml"
}
route_study() {
  { printf 'name,geometry,preprocess,mean\n'; printf '%s\n' "$row"; } > "cases.csv"
  echo 'mean = "@mean@"' > cases.toml
  make -s -C "$source/pipelines" -o build "TESSERA_BIN=$room/bin" study CSV=cases.csv OUT="$PWD/out" && [ -n "$(find out -name '*.fields')" ]
}
route_jobs() {
  { printf 'name,geometry,preprocess,mean\n'; printf '%s\n' "$row"; } > "./$name.csv"
  echo 'mean = "@mean@"' > "./$name.toml"
  # Every job must have ended well.
  "$source/pipelines/batch/study.sh" "$name.csv" && ! find jobs -type f ! -name '*.log' -exec grep -qv 0 {} + &&
    [ -n "$(find . -name '*.fields')" ]
}
route_chain() {
  "$source/pipelines/batch/chain.sh" "$name.stl" "--unit mm --note $flag" "$name.toml" &&
    arrived "./$name.fields" "$name.toml"
}
route_batch() { sh "$source/pipelines/batch/tessera.sub" "$name.tiles" "$name.toml" && arrived "./$name.fields" "$name.toml"; }
route_slurm() {
  SLURM_SUBMIT_DIR=$PWD bash "$source/pipelines/batch/slurm.sh" "$name.tiles" "$name.toml" &&
    arrived "./$name.fields" "$name.toml"
}
printf 'include %s/pipelines/rules.mk\n' "$source" > "$room/rules"

failed=0
printf '%-8s %8s %8s %8s\n' route taken refused wrong
for route in "$@"; do
  taken=0 refused=0 wrong=0
  for ((trial = 0; trial < count; ++trial)); do
    hostile_name
    first=$name
    hostile_name
    flag=$name
    # One cell of the row is hostile, or all.
    case $((RANDOM % 5)) in
      0) row="$first,tube.stl,,1" ;;
      1) row="a,$first.stl,,1" ;;
      2) row="a,tube.stl,$first,1" ;;
      3) row="a,tube.stl,,$first" ;;
      *) row="$first,$first.stl,$flag,$flag" ;;
    esac
    name=$first
    # make takes NAME=VALUE as a variable, whatever the rules.
    [ "$route" != make ] || name=${name//=/}
    [ -n "$name" ] || name=a
    rm -rf "$room/box" && mkdir "$room/box" && cd "$room/box" || exit
    for ending in stl toml tiles; do : > "./$name.$ending"; : > "./tube.$ending"; done
    echo mine > PRECIOUS
    "route_$route" > "$room/said" 2>&1
    status=$?
    if [ -n "$(find . "$source/pipelines" -name PWN)" ] || [ "$(cat PRECIOUS)" != mine ]; then
      verdict=ran
    elif [ $status = 0 ]; then
      verdict=taken
    elif grep -qaE 'cannot hold|control character|expand|No rule to make|has (a|no) |study: |does not end|\.\s+Stop\.' "$room/said" jobs/*.log 2> /dev/null; then
      verdict=refused
    else
      verdict=unclear
    fi
    case $verdict in
      taken) taken=$((taken + 1)) ;;
      refused) refused=$((refused + 1)) ;;
      *)
        wrong=$((wrong + 1)) failed=1
        printf '%s, %s: name %q row %q flag %q\n' "$route" "$verdict" "$name" "$row" "$flag" >&2
        head -c 600 "$room/said" | cat -v >&2 ;;
    esac
    cd "$room" || exit
  done
  printf '%-8s %8d %8d %8d\n' "$route" $taken $refused $wrong
done
exit $failed
