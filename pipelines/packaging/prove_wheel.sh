#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the wheel in a clean virtual environment of a bare Debian, then computes a small vessel through the Python module
# and compares the programs' results with what the module reads. Prints the seconds of both.
# As root: prove_wheel.sh WHEEL.whl [SUITE...]    SUITE: default bookworm trixie (Python 3.11, 3.13); NumPy is Debian's
set -euo pipefail
wheel=$(readlink -f "$1")
shift
suites=("${@:-bookworm}")
[ $# -gt 0 ] || suites+=(trixie)
mirror=${MIRROR:-http://deb.debian.org/debian}
command -v mmdebstrap > /dev/null || { echo "prove_wheel: apt-get install mmdebstrap first." >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT

cat > "$folder/first.py" <<'END'
import tessera
tessera.sample("tube", "tube.stl", diameter="2 mm", length="10 mm")
results = tessera.run("tube.stl", unit="mm", across=12, fluid="blood", stop={"converged": 1e-6}, openings=[
    {"id": 1, "kind": "velocity", "profile": "parabolic", "mean": "0.1 m/s"},
    {"id": 2, "kind": "pressure", "value": "0 Pa"}])
# Hagen and Poiseuille: 8 mu L Q / (pi r^4) = 8 mu L U / r^2
poiseuille = 8 * 3.5e-3 * 10e-3 * 0.1 / 1e-3**2
drop = results["pressure_drop_pa"]
print(f"pressure drop {drop:.2f} Pa, Poiseuille {poiseuille:.2f} Pa, nodes {len(results.fields.velocity)}")
assert abs(drop / poiseuille - 1) < 0.1
END

for each in "${suites[@]}"; do
  root=$folder/$each
  mmdebstrap --quiet --variant=minbase --include=python3-venv,python3-numpy "$each" "$root" "$mirror"
  cp "$wheel" "$folder/first.py" "$root/root/"
  in_root() { unshare --mount --pid --fork --root="$root" --mount-proc env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
  in_root sh -ec "cd /root && python3 -m venv --system-site-packages v"
  start=$SECONDS
  in_root sh -ec "cd /root && v/bin/pip install --quiet --no-index ./$(basename "$wheel")"
  installed=$SECONDS
  in_root sh -ec 'cd /root && v/bin/tessera-solver --version > version && v/bin/python first.py' > "$folder/$each.log" 2>&1 ||
    { tail -20 "$folder/$each.log" >&2; echo "prove_wheel: the first run failed on $each." >&2; exit 1; }
  ended=$SECONDS
  echo "== $each: pip install $((installed - start)) s, first numbers $((ended - installed)) s, disk $(du -sm "$root/root/v" | cut -f1) MB:"
  tail -n 3 "$folder/$each.log" | sed 's/^/  | /'
  "$(dirname "$0")/system_row.sh" "bare $(in_root sh -c '. /etc/os-release; echo "$NAME ${VERSION_ID}"' | sed 's, GNU/Linux,,'), wheel" \
    "pip install tessera_lbm-*.whl, a tube in Python" $((installed - start)) $((ended - installed)) "$(du -sm "$root/root/v" | cut -f1)" "$folder/$each.log"
  rm -rf --one-file-system "$root"
done
