#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Unpacks the relocatable archive in bare Debian systems and runs the demo from it, as a user would, after moving it once.
# Prints minutes, disk and the last lines. An emulated processor without AVX2 must get the launcher's message.
# As root: prove_tarball.sh ARCHIVE.tar.gz [SUITE...]    SUITE: default bullseye bookworm trixie (Debian 11, 12, 13)
# DEMO (environment): words for make, such as NODES=4000 for a quicker demo
set -euo pipefail
archive=$(readlink -f "$1")
shift
suites=("${@:-bullseye}")
[ $# -gt 0 ] || suites+=(bookworm trixie)
DEMO=${DEMO:-}
mirror=${MIRROR:-http://deb.debian.org/debian}
for tool in mmdebstrap:mmdebstrap qemu-x86_64:qemu-user python3:python3; do
  command -v "${tool%:*}" > /dev/null || { echo "prove_tarball: apt-get install ${tool#*:} first." >&2; exit 2; }
done
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
name=$(basename "$archive" .tar.gz)

tar -C "$folder" -xzf "$archive"
"$(dirname "$0")/check_tarball.sh" "$folder/$name"
case $name in
  *x86-64-v[34]*)
    status=0
    said=$(qemu-x86_64 -cpu Nehalem "$folder/$name/bin/tessera-solver" --version 2>&1) || status=$?
    if [ $status != 5 ]; then
      echo "prove_tarball: on a processor without AVX2 the launcher exits $status, expected 5: $said" >&2
      exit 1
    fi
    echo "processor without AVX2: $said" ;;
esac

# A cube, which another program reads (tessera-read-3mf).
python3 - "$folder/cube.3mf" << 'END'
import itertools, sys, zipfile
corners = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in itertools.product((0, 9), repeat=3))
faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
triangles = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/><triangle v1="{a}" v2="{c}" v3="{d}"/>' for a, b, c, d in faces)
core = "http://schemas.microsoft.com/3dmanufacturing"
package = "http://schemas.openxmlformats.org/package/2006"
with zipfile.ZipFile(sys.argv[1], "w") as out:
    out.writestr("[Content_Types].xml", f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
                 '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" ContentType='
                 '"application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>')
    out.writestr("_rels/.rels", f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" Target='
                 f'"/3D/3dmodel.model" Type="{core}/2013/01/3dmodel"/></Relationships>')
    out.writestr("3D/3dmodel.model", f'<model unit="millimeter" xmlns="{core}/core/2015/02"><resources><object id="1" '
                 f'type="model"><mesh><vertices>{corners}</vertices><triangles>{triangles}</triangles></mesh></object>'
                 '</resources><build><item objectid="1"/></build></model>')
END

for each in "${suites[@]}"; do
  root=$folder/$each
  mmdebstrap --quiet --variant=minbase --include=make "$each" "$root" "$mirror"
  cp "$archive" "$folder/cube.3mf" "$root/root/"
  before=$(du -sm "$root" | cut -f1)
  in_root() { unshare --mount --pid --fork --root="$root" --mount-proc env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
  start=$SECONDS
  in_root sh -ec "cd /root && tar -xzf $name.tar.gz && mkdir -p /opt && mv $name /opt/t"
  unpacked=$SECONDS
  in_root sh -ec 'cd /root && make -C /opt/t/share/tessera demo OUT=/root/out '"$DEMO" > "$folder/$each.log" 2>&1 ||
    { tail -20 "$folder/$each.log" >&2; echo "prove_tarball: the demo failed on $each." >&2; exit 1; }
  demo=$((SECONDS - unpacked))
  in_root sh -ec 'cd /root && /opt/t/bin/tessera-preprocess cube.3mf --quiet --longest 20 -o cube.vdb > /dev/null 2>&1 && /opt/t/bin/tessera-info --check cube.vdb'
  echo "== $each ($(in_root sh -c '. /etc/os-release; echo "$PRETTY_NAME"; ldd --version | sed -n "1s/.*) /glibc /p"' | paste -sd' ')):" \
    "unpacked in $((unpacked - start)) s, demo $((demo / 60)) min $((demo % 60)) s on $(nproc) cores," \
    "disk $before MB before, $(du -sm "$root" | cut -f1) MB after; last lines:"
  tail -n 25 "$folder/$each.log" | sed 's/^/  | /'
  "$(dirname "$0")/system_row.sh" "bare $(in_root sh -c '. /etc/os-release; echo "$NAME ${VERSION_ID}"' | sed 's, GNU/Linux,,'), tarball" \
    "tar -xzf tessera-*.tar.gz && make -C tessera-*/share/tessera demo" $((unpacked - start)) $demo "$(du -sm "$root" | cut -f1)" "$folder/$each.log"
  rm -rf --one-file-system "$root"
done
