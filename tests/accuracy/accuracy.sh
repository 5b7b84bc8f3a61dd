#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables of the accuracy of the shipped programs: accuracy.sh PROGRAMS FOLDER [TABLE]...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- walls tau pressures forces balance pulse cavity cavity3d plate sampson setups cases steady
for table in "$@"; do
  case $table in
    walls | tau) "$here/tubes.sh" "$programs" "$folder/tubes" "$table" ;;
    pressures) "$here/pressures.sh" "$programs" "$folder/pressures" ;;
    forces) "$here/forces.sh" "$programs" "$folder/forces" ;;
    pulse) "$here/pulse.sh" "$programs" "$folder/pulse" ;;
    cavity | cavity3d) "$here/cavity.sh" "$programs" "$folder/cavity" "$table" ;;
    sampson | plate) "$here/orifice.sh" "$programs" "$folder/orifice" "$table" ;;
    cases) "$here/cases.sh" "$programs" "$folder/cases" ;;
    balance) "$here/balance.sh" "$programs" "$folder/balance" ;;
    vessels) "$here/vessels.sh" "$programs" "$folder/vessels" ;;
    setups) "$here/setups.sh" "$programs" "$folder/setups" ;;
    steady) "$here/steady.sh" "$programs" "$folder/steady" ;;
    time) "$here/time.sh" "$programs" "$folder/time" ;;
    *) echo "accuracy.sh: unknown table $table; expected walls, tau, pressures, forces, balance, pulse, cavity, cavity3d, plate, sampson, setups, vessels, cases, steady or time" >&2; exit 2 ;;
  esac
done
