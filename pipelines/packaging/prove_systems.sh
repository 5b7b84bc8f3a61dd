#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Table of systems in the manual's page on installation: runs the proofs that are asked for and puts their rows in place; other
# rows are kept. As root, from the packages that make -C pipelines deb, tarball and wheel, and image.sh have written:
# prove_systems.sh [deb|tarball|image|wheel|arm64]... [PACKAGES]    default: all; PACKAGES: their folder, default out/packages
# DEMO (environment): words for make, such as NODES=4000 for a quicker demo, which the rows then say
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
page=$here/../manual/install.md
packages=$here/../../out/packages
asked=()
for word in "$@"; do
  case $word in
    deb | tarball | image | wheel | arm64) asked+=("$word") ;;
    *) packages=$word ;;
  esac
done
[ ${#asked[@]} -gt 0 ] || asked=(deb tarball image wheel arm64)
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
newest() {
  local found
  found=$(ls -t "$packages"/$1 2> /dev/null | head -n 1)
  [ -n "$found" ] || { echo "prove_systems: $packages has no $1; make -C pipelines $2 first." >&2; exit 2; }
  echo "$found"
}
: > "$log/rows"
status=0
for each in "${asked[@]}"; do
  case $each in
    deb) command=("$here/prove_deb.sh" "$(newest 'tessera_*.deb' deb)") ;;
    tarball) command=("$here/prove_tarball.sh" "$(newest 'tessera-*-linux-*.tar.gz' tarball)") ;;
    image) command=("$here/prove_image.sh" "$(newest 'tessera-*.oci.tar' deb)" "$(newest 'tessera*.def' deb)") ;;
    wheel) command=("$here/prove_wheel.sh" "$(newest 'tessera_lbm-*.whl' wheel)") ;;
    arm64) command=("$here/prove_arm64.sh" ${ARM64_TESTS:-}) ;;
  esac
  echo "== $each"
  "${command[@]}" 2>&1 | tee "$log/$each" || { status=1; echo "prove_systems: $each failed; its rows are as before." >&2; continue; }
  said=
  case $each in deb | tarball | image) said=${DEMO:+, $DEMO} ;; esac  # arm64 says it in its row, a wheel has no demo
  sed -n "s/^row //p" "$log/$each" | sed "s/ |\$/$said |/" >> "$log/rows"
done
# A new row replaces the one of its system, or comes last.
awk -F ' *[|] *' -v rows="$log/rows" '
  BEGIN {
    while ((getline line < rows) > 0) { split(line, part, / *[|] */); if (!(part[2] in new)) order[++count] = part[2]; new[part[2]] = line }
  }
  /^<!-- systems -->/ { inside = 1 }
  inside && /^[|]/ && $2 in new { print new[$2]; used[$2] = 1; next }
  inside && /^<!-- end of systems -->/ {
    for (k = 1; k <= count; ++k) if (!(order[k] in used)) print new[order[k]]
    inside = 0
  }
  { print }' "$page" > "$log/page"
cat "$log/page" > "$page"
sed -n '/^<!-- systems -->/,/^<!-- end of systems -->/{/^<!--/d; p}' "$page"
exit $status
