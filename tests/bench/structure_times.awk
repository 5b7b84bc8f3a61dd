# SPDX-License-Identifier: GPL-3.0-or-later
# Lines of solver/bench/structure_shares.hpp for a GPU from structures.csv of scheme_choice, with at least six geometries:
#   tests/bench/scheme_choice.sh BIN DATA FOLDER
#   awk -f tests/bench/structure_times.awk FOLDER/structures.csv
# For each structure and precision, in the faster order of nodes on each geometry, the step's time is fitted by least
# squares of its relative error: time^2 = copy^2 (a + b x) + d, copy the time of its bytes at COPY (4.25e12 bytes/s), in
# microseconds, and x what is empty: of tiles, of the box, or of both. -v check=1 prints the errors of the fit.
BEGIN {
  FS = ","
  if (copy == "") copy = 4.25e12
  boxes = " lists connectivity-matrix "
  both = " dense dense-unpadded fluid-index-array lists-in-place "
}
NR == 1 {
  for (k = 1; k <= NF; ++k) column[$k] = k
  next
}
($column["collision"] == "trt" || $column["collision"] == "regularised") && $column["mflups_median"] > 0 {
  structure = $column["structure"]
  if (!(structure in known)) {
    known[structure] = 1
    order[++count] = structure
  }
  key = structure SUBSEP $column["precision"]
  nodes = $column["fluid_nodes"]
  time = nodes / $column["mflups_median"]
  at = key SUBSEP $column["geometry"]
  if (!(at in best)) name[key, ++rows[key]] = $column["geometry"]
  else if (best[at] <= time) next
  best[at] = time
  bytes[at] = nodes * $column["bytes_per_node"] / copy * 1e6
  empty[at] = emptiness(structure, $column["utilisation"], $column["porosity"])
}
function emptiness(structure, utilisation, porosity) {
  if (index(boxes, " " structure " ")) return sqrt(1 / porosity) - 1
  if (index(both, " " structure " ")) return sqrt((1 / utilisation - 1) * (1 / porosity - 1))
  return 1 / utilisation - 1
}
function kind(structure) {
  return index(boxes, " " structure " ") ? "Box" : index(both, " " structure " ") ? "Both" : "Tiles"
}
# Normal equations of three unknowns by elimination.
function fitted(key,    i, j, k, r, at, f, m, factor, sum, unknown) {
  if (rows[key] < 6) return ""
  for (i = 1; i <= 3; ++i) for (j = 1; j <= 4; ++j) m[i, j] = 0
  for (r = 1; r <= rows[key]; ++r) {
    at = key SUBSEP name[key, r]
    f[1] = (bytes[at] / best[at]) ^ 2
    f[2] = f[1] * empty[at]
    f[3] = 1 / best[at] ^ 2
    f[4] = 1
    for (i = 1; i <= 3; ++i) for (j = 1; j <= 4; ++j) m[i, j] += f[i] * f[j]
  }
  for (i = 1; i <= 3; ++i)
    for (k = 1; k <= 3; ++k) {
      if (k == i) continue
      factor = m[k, i] / m[i, i]
      for (j = 1; j <= 4; ++j) m[k, j] -= factor * m[i, j]
    }
  for (i = 1; i <= 3; ++i) unknown[i] = m[i, 4] / m[i, i]
  if (check)
    for (r = 1; r <= rows[key]; ++r) {
      at = key SUBSEP name[key, r]
      sum = bytes[at] ^ 2 * (unknown[1] + unknown[2] * empty[at]) + unknown[3]
      printf "%s %s: %+.1f %%\n", key, name[key, r], 100 * (sqrt(sum > 0 ? sum : 0) / best[at] - 1) > "/dev/stderr"
    }
  return sprintf("{%.4g, %.4g, %.4g}", unknown[1], unknown[2], unknown[3])
}
END {
  for (k = 1; k <= count; ++k) {
    f64 = fitted(order[k] SUBSEP "f64")
    f32 = fitted(order[k] SUBSEP "f32")
    printf "    {\"%s\", Empty::%s, %s, %s},\n", order[k], kind(order[k]), f64 == "" ? "?" : f64, f32 == "" ? "?" : f32
  }
}
