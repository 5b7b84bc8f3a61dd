#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Loads an image into podman, runs the tests of apptainer's definition and the demo in it, without network and in a folder of
# the caller. Where podman cannot start a container (within one that may not set limits), the image is unpacked by umoci and
# entered by unshare and chroot. Prints minutes, disk and the last lines. As root: prove_image.sh IMAGE.oci.tar DEFINITION.def
# DEMO (environment): words for make, such as NODES=4000 for a quicker demo
set -euo pipefail
image=$(readlink -f "$1")
definition=$(readlink -f "$2")
command -v podman > /dev/null || { echo "prove_image: apt-get install podman crun first." >&2; exit 2; }
folder=$(mktemp -d)
engine() { podman --root "$folder/store" --runroot "$folder/run" --storage-driver vfs --cgroup-manager cgroupfs "$@"; }
trap 'engine system reset --force > /dev/null 2>&1 || true; rm -rf "$folder"' EXIT
image_size() { engine image inspect --format '{{.Size}}' "$id"; }
mkdir "$folder/work"
start=$SECONDS
id=$(engine load --quiet --input "$image" | sed 's/.*: //')
loaded=$SECONDS
inside() { engine run --rm --network none --cgroups disabled --ulimit "nofile=$(ulimit -Sn):$(ulimit -Hn)" --ulimit "nproc=$(ulimit -Su):$(ulimit -Hu)" --volume "$folder/work:/work" --env TMPDIR=/tmp "$id" "$@"; }
system="container (podman)" command="podman load -i tessera-*.oci.tar && podman run IMAGE make -C /usr/share/tessera demo"
disk=$folder/store
if ! said=$(inside true 2>&1); then
  echo "podman cannot start a container here: $said"
  command -v umoci > /dev/null || { echo "prove_image: apt-get install umoci first." >&2; exit 2; }
  start=$SECONDS
  mkdir "$folder/layout"
  tar -xf "$image" -C "$folder/layout"
  umoci unpack --image "$folder/layout:$(umoci ls --layout "$folder/layout" | head -n 1)" "$folder/bundle" > /dev/null
  loaded=$SECONDS
  system="container (umoci, unshare)" command="umoci unpack --image LAYOUT:TAG BUNDLE && chroot BUNDLE/rootfs make -C /usr/share/tessera demo"
  disk=$folder/bundle
  image_size() { du -sb "$folder/bundle/rootfs" | cut -f1; }
  mkdir -p "$folder/bundle/rootfs/work"
  # No network, processes of its own, and the environment that the image sets.
  inside() {
    unshare --mount --net --pid --fork sh -ec 'root=$1 work=$2
      shift 2
      mount --bind "$work" "$root/work" && mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev"
      cd "$root/work"
      exec chroot "$root" env -i -C /work PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TMPDIR=/tmp \
        TESSERA=/usr/share/tessera "$@"' sh "$folder/bundle/rootfs" "$folder/work" "$@"
  }
fi
sed -n '/^%test/,/^%[^t]/{/^%/d; p}' "$definition" > "$folder/work/test.sh"
[ -s "$folder/work/test.sh" ] || { echo "prove_image: $definition has no %test." >&2; exit 1; }
inside sh -e /work/test.sh
echo "tests of ${definition##*/}: passed"
began=$SECONDS
inside sh -c 'make -C $TESSERA demo OUT=/work/out '"${DEMO:-}" > "$folder/demo.log" 2>&1 || { tail -n 20 "$folder/demo.log" >&2; exit 1; }
demo=$((SECONDS - began))
echo "image $(du -m "$image" | cut -f1) MB, loaded in $((loaded - start)) s as $(image_size |
  awk '{ printf "%d", $1 / 1e6 }') MB; demo $demo s on $(nproc) cores, results $(du -sm "$folder/work/out" | cut -f1) MB; last lines:"
tail -n 25 "$folder/demo.log" | sed 's/^/  | /'
"$(dirname "$0")/system_row.sh" "$system" "$command" \
  $((loaded - start)) $demo "$(du -sm "$disk" | cut -f1)" "$folder/demo.log"
