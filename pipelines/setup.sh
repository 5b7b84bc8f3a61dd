#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing of pipelines/packages.txt, where that is allowed (root, or sudo without a
# password); else prints the line to give to whoever may, and exits 2.
# Usage: pipelines/setup.sh [GROUP]    GROUP: also the packages of that group (style, fuzz, browser, coverage, oracle)
set -eu
group=${1:-}
list=$(dirname "$0")/packages.txt

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: this is not a Debian machine, so the packages of $list are taken to be there." >&2
  exit 0
fi

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

wanted=$(awk -v group="$group" '!/^#/ && NF && (NF == 1 || $2 == group) { print $1 }' "$list")
missing=""
for package in $wanted; do
  installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root="sudo -n"
else
  echo "setup: packages are missing and this user may not install them; please have this run:" >&2
  echo "  apt-get install --no-install-recommends$missing" >&2
  exit 2
fi

echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A third-party source that does not answer is no reason to stop: the installation decides.
$as_root apt-get update -qq >"$log" 2>&1 || sed 's/^/setup: /' "$log" >&2
if ! $as_root apt-get install --yes --no-install-recommends $missing >"$log" 2>&1 </dev/null; then
  tail -n 20 "$log" >&2
  echo "setup: apt-get could not install$missing; its last lines are above." >&2
  exit 2
fi
echo "setup: done"
