#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# OCI image of a Debian package: a bare Debian 12, the package, fonts and what else is named, as one layer.
# As root: image.sh PACKAGE.deb OUT [DEBIAN-PACKAGE...]
# Writes OUT/NAME-VERSION.oci.tar, which podman, docker, skopeo and apptainer load, and apptainer's definition next to it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
package=$(readlink -f "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
mirror=${MIRROR:-http://deb.debian.org/debian}
for tool in mmdebstrap umoci; do
  command -v $tool > /dev/null || { echo "image.sh: apt-get install $tool first." >&2; exit 2; }
done
name=$(dpkg-deb -f "$package" Package)
version=$(dpkg-deb -f "$package" Version)
tag=${version//+/-}  # + is not allowed in a tag
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Dates of all files, so that one package and one state of Debian give one image.
SOURCE_DATE_EPOCH=$(date -d "$(dpkg-deb --ctrl-tarfile "$package" | tar -tv --full-time --utc | awk 'NR == 1 { print $4, $5 }') UTC" +%s)
export SOURCE_DATE_EPOCH
mmdebstrap --quiet --variant=minbase --include="$(IFS=,; echo "fonts-dejavu-core make $*" | tr -s ' ' ,)" \
  --customize-hook="copy-in $package /tmp" \
  --customize-hook="chroot \$1 apt-get install -y -qq --no-install-recommends /tmp/${package##*/} > /dev/null" \
  --customize-hook="rm \$1/tmp/${package##*/}" bookworm "$work/layer.tar" "$mirror"
layout=$work/image
umoci init --layout "$layout"
umoci new --image "$layout:$tag"
umoci raw add-layer --image "$layout:$tag" --history.created "@$SOURCE_DATE_EPOCH" "$work/layer.tar" 2> /dev/null ||
  umoci raw add-layer --image "$layout:$tag" "$work/layer.tar"
# The variables of NVIDIA's container runtime: all devices that are given, with CUDA and nvidia-smi.
umoci config --image "$layout:$tag" --architecture "$(dpkg-deb -f "$package" Architecture)" --os linux \
  --config.workingdir /work --config.cmd /bin/bash --config.env TESSERA=/usr/share/tessera \
  --config.env NVIDIA_VISIBLE_DEVICES=all --config.env NVIDIA_DRIVER_CAPABILITIES=compute,utility \
  --config.label org.opencontainers.image.title="$name" --config.label org.opencontainers.image.version="$version" \
  --config.label org.opencontainers.image.licenses=GPL-3.0-or-later
umoci gc --layout "$layout" > /dev/null
file=$name-$tag.oci.tar
tar -C "$layout" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf "$out/$file" .
sed "s|@IMAGE@|$file|" "$here/apptainer.def.in" > "$out/$name.def"
echo "$out/$file: $(du -m "$out/$file" | cut -f1) MB; $out/$name.def"
