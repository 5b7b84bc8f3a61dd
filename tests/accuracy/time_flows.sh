# SPDX-License-Identifier: GPL-3.0-or-later
# Flows of time.sh, of water: vessels of 2 mm along (1, 2, 3), parabolic inflow, pressure outlet; lengths in mm.
#   pipe      three diameters long, Re 20: Hagen and Poiseuille
#   bend      one diameter straight, quarter of a torus with an axis of two diameters, two diameters straight;
#             Re 100, Dean number 50
#   stenosis  one diameter straight, two diameters narrowed to half of it by a cosine, two diameters straight; Re 50

mean_velocity() {
  case $1 in pipe) echo 0.01 ;; bend) echo 0.05 ;; stenosis) echo 0.025 ;; esac
}

# swept bend|stenosis: ASCII STL of circles (polygons of their area) across a path.
swept() {
  awk -v flow="$1" '
    # Tangent t and centre p in the plane of the path, and radius, after a way of s.
    function path(s,    a, rest) {
      a = flow == "bend" ? (s < 2 ? 0 : s < 2 + arc ? (s - 2) / turn : pi / 2) : 0
      rest = s < 2 || flow != "bend" ? s : s < 2 + arc ? 2 : s - arc
      t[1] = cos(a); t[2] = sin(a)
      p[1] = a == 0 ? rest : 2 + turn * sin(a)
      p[2] = turn * (1 - cos(a)) + (a == 0 ? 0 : rest - 2)
      radius = flow == "stenosis" && s > 2 && s < 6 ? 1 - 0.25 * (1 - cos(pi * (s - 2) / 2)) : 1
    }
    function point(k, i,    angle, along, across, up, text, j) {
      path(way * k / rings)
      angle = 2 * pi * (i % sides) / sides
      along = p[1] - t[2] * same * radius * cos(angle)
      across = p[2] + t[1] * same * radius * cos(angle)
      up = same * radius * sin(angle)
      text = "vertex"
      for (j = 1; j <= 3; ++j) text = text sprintf(" %.7f", along * e[j] + across * f[j] + up * g[j])
      return text "\n"
    }
    function facet(a, b, c) { printf "facet normal 0 0 0\nouter loop\n%s%s%sendloop\nendfacet\n", a, b, c }
    BEGIN {
      pi = atan2(0, -1); sides = 128; rings = 240; turn = 4; arc = pi / 2 * turn
      same = sqrt(2 * pi / sides / sin(2 * pi / sides))
      way = flow == "bend" ? arc + 6 : 10
      split("1 2 3", e); split("-2 1 0", f); split("-3 -6 5", g)
      for (j = 1; j <= 3; ++j) { e[j] /= sqrt(14); f[j] /= sqrt(5); g[j] /= sqrt(70) }
      print "solid wall"
      for (k = 0; k < rings; ++k) for (i = 0; i < sides; ++i) {
        facet(point(k, i), point(k, i + 1), point(k + 1, i + 1))
        facet(point(k, i), point(k + 1, i + 1), point(k + 1, i))
      }
      print "endsolid wall"
    }'
}

# flow_tiles FLOW NODES TILES: unless it exists.
flow_tiles() (
  [ ! -f "$3" ] || exit 0
  mkdir -p "$3.made" && cd "$3.made"
  if [ "$1" = pipe ]; then
    tube_tiles 1,2,3 "$2" made.tiles
  else
    swept "$1" > flow.stl
    "$programs/tessera-preprocess" flow.stl --unit mm --across "$2" --quiet -o flow.vdb > preprocess.log 2>&1
    "$programs/tessera-tiler" flow.vdb --quiet -o made.tiles > tiler.log
  fi
  mv made.tiles "$3" && rm -rf "$3.made"
)

# flow_case FLOW NODES KEY=VALUE...: the case on standard output, keys of [solver]. Half precision does not come to rest
# and ends by its steps.
flow_case() {
  local word steps=1000000
  [[ " $* " != *=f16* ]] || steps=$((1500 * $2))
  printf '[fluid]\ndensity = 1000\nviscosity = "1e-6 m2/s"\n[solver]\n'
  for word in "${@:3}"; do
    case $word in
      lattice_velocity=*) echo "${word%%=*} = ${word#*=}" ;;
      *) echo "${word%%=*} = \"${word#*=}\"" ;;
    esac
  done
  printf '[[opening]]\nid = 1\nkind = "velocity"\nmean = "%s m/s"\n' "$(mean_velocity "$1")"
  printf '[[opening]]\nid = 2\nkind = "pressure"\nvalue = 0\n'
  printf '[stop]\nsteps = %d\nconverged = %s\n' "$steps" "${CONVERGED:-1e-5}"
}
