#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A row of the table of systems (prove_systems.sh) on stdout, after "row ".
# system_row.sh SYSTEM COMMAND SECONDS-TO-INSTALL SECONDS-OF-RUN DISK-IN-MB LOG [DEMO]   DEMO: words for make of a smaller demo
# Its result is the line with the mean wall shear stress, or the pressure drop, in the log.
set -eu
result=$(grep -m 1 -E 'wall shear stress, mean|pressure drop' "$6" | tr -s ' ' | tr '|' '/' | sed 's/^ *//')
printf 'row | %s | `%s` | %s | %s | %s | %s |\n' "$1" "$2${7:+ ($7)}" "$(echo "$3 60" | awk '{ printf "%.1f", $1 / $2 }')" \
  "$(echo "$4 60" | awk '{ printf "%.1f", $1 / $2 }')" "$5" "$result"
