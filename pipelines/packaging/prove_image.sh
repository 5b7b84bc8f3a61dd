#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Loads an image into podman, runs the tests of apptainer's definition and the demo in it, without network and in a folder of
# the caller. Prints minutes, disk and the last lines. As root: prove_image.sh IMAGE.oci.tar DEFINITION.def
# DEMO (environment): words for make, such as NODES=4000 for a quicker demo
set -euo pipefail
image=$(readlink -f "$1")
definition=$(readlink -f "$2")
command -v podman > /dev/null || { echo "prove_image: apt-get install podman crun first." >&2; exit 2; }
folder=$(mktemp -d)
engine() { podman --root "$folder/store" --runroot "$folder/run" --storage-driver vfs --cgroup-manager cgroupfs "$@"; }
trap 'engine system reset --force > /dev/null 2>&1 || true; rm -rf "$folder"' EXIT
start=$SECONDS
id=$(engine load --quiet --input "$image" | sed 's/.*: //')
loaded=$SECONDS
mkdir "$folder/work"
inside() { engine run --rm --network none --cgroups disabled --ulimit "nofile=$(ulimit -Sn):$(ulimit -Hn)" --ulimit "nproc=$(ulimit -Su):$(ulimit -Hu)" --volume "$folder/work:/work" --env TMPDIR=/tmp "$id" "$@"; }
sed -n '/^%test/,/^%[^t]/{/^%/d; p}' "$definition" > "$folder/work/test.sh"
[ -s "$folder/work/test.sh" ] || { echo "prove_image: $definition has no %test." >&2; exit 1; }
inside sh -e /work/test.sh
echo "tests of ${definition##*/}: passed"
began=$SECONDS
inside sh -c 'make -C $TESSERA demo OUT=/work/out '"${DEMO:-}" > "$folder/demo.log" 2>&1 || { tail -n 20 "$folder/demo.log" >&2; exit 1; }
demo=$((SECONDS - began))
echo "image $(du -m "$image" | cut -f1) MB, loaded in $((loaded - start)) s as $(engine image inspect --format '{{.Size}}' "$id" |
  awk '{ printf "%d", $1 / 1e6 }') MB; demo $demo s on $(nproc) cores, results $(du -sm "$folder/work/out" | cut -f1) MB; last lines:"
tail -n 25 "$folder/demo.log" | sed 's/^/  | /'
"$(dirname "$0")/system_row.sh" "container (podman)" "podman load -i tessera-*.oci.tar && podman run IMAGE make -C /usr/share/tessera demo" \
  $((loaded - start)) $demo "$(du -sm "$folder/store" | cut -f1)" "$folder/demo.log"
