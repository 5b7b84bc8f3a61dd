# SPDX-License-Identifier: GPL-3.0-or-later
# Lines of solver/bench/structure_shares.hpp for a CPU from a table of compare_structures.sh:
#   tests/bench/compare_structures.sh SOLVER spheres:160 vessel:300 dense:128 > table.csv
#   awk -f tests/bench/structure_shares.awk table.csv
# or from structures.csv of scheme_choice with these three, -v collision=trt.
# Takes for each structure the line of that collision (bgk), of moments their own, in the faster order of nodes on each
# geometry; structures that miss one of the geometries are left out.
BEGIN {
  FS = ","
  if (collision == "") collision = "bgk"
  split("spheres:160 vessel:300 dense:128", geometries, " ")
}
NR == 1 {
  for (k = 1; k <= NF; ++k) column[$k] = k
  next
}
$column["collision"] == collision || $column["collision"] == "regularised" {
  structure = $column["structure"]
  if (!(structure in known)) {
    known[structure] = 1
    order[++count] = structure
  }
  key = structure SUBSEP $column["precision"] SUBSEP $column["geometry"]
  if ($column["bound_fraction"] + 0 > share[key] + 0) share[key] = $column["bound_fraction"]
}
function listed(structure, precision,    k, key, text) {
  for (k = 1; k <= 3; ++k) {
    key = structure SUBSEP precision SUBSEP geometries[k]
    if (!(key in share)) return ""
    text = text (k > 1 ? ", " : "") sprintf("%.3f", share[key])
  }
  return "{" text "}"
}
END {
  for (n = 1; n <= count; ++n) {
    doubles = listed(order[n], "f64")
    singles = listed(order[n], "f32")
    if (doubles != "" && singles != "")
      printf "    {\"%s\", %s, %s},\n", order[n], doubles, singles
  }
}
