#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the two commands of the README on a bare Debian 12 created with debootstrap, with only git, make and
# a clone of the committed HEAD. Prints time, disk usage and the last lines of each.
# Usage, as root: pipelines/prove_bare.sh [FOLDER] [demo] [check]
# FOLDER (default /tmp/bare) is created, used for about 3 GB and removed; logs stay in FOLDER.log.
set -euo pipefail
if [ "$(id -u)" != 0 ]; then
  echo "prove_bare: debootstrap and chroot need root; run it as root." >&2
  exit 2
fi
command -v debootstrap >/dev/null || { echo "prove_bare: apt-get install debootstrap first." >&2; exit 2; }

folder=${1:-/tmp/bare}
shift || true
proofs=${*:-demo check}
mirror=${MIRROR:-http://deb.debian.org/debian}
project=$(cd "$(dirname "$0")/.." && pwd)
logs=$folder.log
if [ -e "$folder" ]; then
  echo "prove_bare: $folder exists already; remove it or name another folder." >&2
  exit 2
fi
mkdir -p "$folder" "$logs"

mounted=""
cleanup() {
  for point in $mounted; do umount "$point"; done
  rm -rf --one-file-system "$folder"
}
trap cleanup EXIT

# Copies the network settings for the package mirror: sources, connection, names.
borrow_network() {
  local root=$1
  rm -f "$root/etc/apt/sources.list"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
    if [ -s "$file" ]; then cp "$file" "$root$file"; fi
  done
  grep -lE '^ *Acquire::(http|https|Check)' /etc/apt/apt.conf.d/* 2>/dev/null |
    xargs -r cp -t "$root/etc/apt/apt.conf.d/"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
}

megabytes() { du -sxm "$1" | cut -f1; }

prove() {  # name of the proof, command
  local name=$1 command=$2 root=$folder/$1
  echo "== $command on a bare system"
  cp -a "$folder/base" "$root"
  mount -t proc proc "$root/proc"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  mounted="$root/dev/pts $root/proc"
  git -C "$project" bundle create --quiet "$root/root/tessera.bundle" HEAD
  chroot "$root" sh -ec 'export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq git make && cd /root && git clone -q tessera.bundle tessera' \
    >"$logs/$name-before.log" 2>&1
  local before start status=0
  before=$(megabytes "$root")
  start=$(date +%s)
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    sh -c "cd /root/tessera && $command" >"$logs/$name.log" 2>&1 </dev/null || status=$?
  local seconds=$(($(date +%s) - start))
  for point in $mounted; do umount "$point"; done
  mounted=""
  echo "exit $status after $((seconds / 60)) min $((seconds % 60)) s on $(nproc) cores;" \
    "disk $before MB before, $(megabytes "$root") MB after; last lines of $logs/$name.log:"
  tail -n 30 "$logs/$name.log" | sed 's/^/  | /'
  rm -rf "$root"
  return "$status"
}

debootstrap --variant=minbase bookworm "$folder/base" "$mirror" >"$logs/debootstrap.log" 2>&1
borrow_network "$folder/base"
result=0
for proof in $proofs; do
  case $proof in
    demo) prove demo "make -C pipelines demo" || result=1 ;;
    check) prove check "make -C tests check" || result=1 ;;
    *) echo "prove_bare: unknown proof $proof; known are demo and check." >&2; result=2 ;;
  esac
done
exit "$result"
