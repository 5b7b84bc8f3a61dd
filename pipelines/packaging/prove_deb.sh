#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the package in a bare Debian 12 and runs the demo from it, as a user would. Prints minutes, disk and the last
# lines. As root: prove_deb.sh PACKAGE.deb [FOLDER]    FOLDER (default /tmp/bare-deb) is created and removed
# DEMO (environment): words for make, such as NODES=4000 for a quicker demo
set -euo pipefail
package=$(readlink -f "$1")
folder=${2:-/tmp/bare-deb}
mirror=${MIRROR:-http://deb.debian.org/debian}
for tool in mmdebstrap lintian; do
  command -v $tool > /dev/null || { echo "prove_deb: apt-get install $tool first." >&2; exit 2; }
done
[ ! -e "$folder" ] || { echo "prove_deb: $folder exists already; remove it or name another folder." >&2; exit 2; }
lintian --fail-on error "$package" && echo "lintian: no errors"
trap 'umount -q "$folder/proc" "$folder/dev" || true; rm -rf --one-file-system "$folder"' EXIT
mmdebstrap --quiet --variant=minbase bookworm "$folder" "$mirror"
mount -t proc proc "$folder/proc" && mount --bind /dev "$folder/dev"
rm -f "$folder/etc/resolv.conf"
cp /etc/resolv.conf "$folder/etc/"
for file in /etc/apt/apt.conf.d/*; do
  ! grep -qE '^ *Acquire::(http|https|Check)' "$file" || cp "$file" "$folder/etc/apt/apt.conf.d/"
done
cp "$package" "$folder/tessera.deb"
in_root() { chroot "$folder" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
start=$SECONDS
in_root apt-get -qq update
in_root apt-get install -y -qq --no-install-recommends /tessera.deb > "$folder/tmp/install.log" 2>&1 ||
  { tail -20 "$folder/tmp/install.log" >&2; exit 1; }
installed=$SECONDS
in_root sh -c 'cd /root && make -C /usr/share/tessera demo OUT=/root/out '"${DEMO:-}" > "$folder/tmp/demo.log" 2>&1 ||
  { tail -20 "$folder/tmp/demo.log" >&2; exit 1; }
demo=$((SECONDS - installed))
in_root python3 -c 'import tessera'
echo "installation $((installed - start)) s, demo $demo s, $(nproc) processors"
echo "disk with everything that it needs: $(du -sm --one-file-system "$folder" | cut -f1) MB"
tail -25 "$folder/tmp/demo.log"
"$(dirname "$0")/system_row.sh" "bare Debian 12, package" "apt-get install ./tessera_*.deb && make -C /usr/share/tessera demo" \
  $((installed - start)) $demo "$(du -sm --one-file-system "$folder" | cut -f1)" "$folder/tmp/demo.log"
