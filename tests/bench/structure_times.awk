# SPDX-License-Identifier: GPL-3.0-or-later
# Lines of solver/bench/structure_shares.hpp for a GPU from structures.csv of scheme_choice, with at least six geometries:
#   tests/bench/scheme_choice.sh BIN DATA FOLDER
#   awk -f tests/bench/structure_times.awk FOLDER/structures.csv
# For each structure and precision, in the faster order of nodes on each geometry, the step's time is fitted by least
# squares of its relative error; copy is the time of its bytes at COPY (4.25e12 bytes/s), in microseconds:
#   TimesOnGpu      time^2 = copy^2 (a + b x) + d, x what is empty: of tiles, of the box, or of both
#   PartTimesOnGpu  time = copy (a + b (1 / utilisation - 1)) + each parts + start: of tiles in place without start, and
#                   not of geometries where a part takes less than 1.5 times the shortest, which is the least of all; of
#                   moments without b
# -v check=1 prints the errors of the fit.
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
  parts[at] = "parts" in column ? $column["parts"] : ""
  if (parts[at] > 0) ofParts[structure] = 1
  else parts[at] = 0
}
function emptiness(structure, utilisation, porosity) {
  if (index(boxes, " " structure " ")) return sqrt(1 / porosity) - 1
  if (index(both, " " structure " ")) return sqrt((1 / utilisation - 1) * (1 / porosity - 1))
  return 1 / utilisation - 1
}
function kind(structure) {
  return index(boxes, " " structure " ") ? "Box" : index(both, " " structure " ") ? "Both" : "Tiles"
}
# Least squares of three unknowns: sum of m[.,.] over f, whose products with the unknowns are to be 1.
function begin(    i, j) {
  for (i = 1; i <= 3; ++i) for (j = 1; j <= 4; ++j) m[i, j] = 0
}
function add(one, two, three,    i, j, f) {
  f[1] = one; f[2] = two; f[3] = three; f[4] = 1
  for (i = 1; i <= 3; ++i) for (j = 1; j <= 4; ++j) m[i, j] += f[i] * f[j]
}
function solve(    i, j, k, factor) {
  for (i = 1; i <= 3; ++i)
    for (k = 1; k <= 3; ++k) {
      if (k == i) continue
      factor = m[k, i] / m[i, i]
      for (j = 1; j <= 4; ++j) m[k, j] -= factor * m[i, j]
    }
  for (i = 1; i <= 3; ++i) unknown[i] = m[i, 4] / m[i, i]
}
function report(key, r, time,    at) {
  at = key SUBSEP name[key, r]
  if (check) printf "%s %s: %+.1f %%\n", key, name[key, r], 100 * (time / best[at] - 1) > "/dev/stderr"
}
function fitted(key,    r, at, sum) {
  if (rows[key] < 6) return ""
  begin()
  for (r = 1; r <= rows[key]; ++r) {
    at = key SUBSEP name[key, r]
    add((bytes[at] / best[at]) ^ 2, (bytes[at] / best[at]) ^ 2 * empty[at], 1 / best[at] ^ 2)
  }
  solve()
  for (r = 1; r <= rows[key]; ++r) {
    at = key SUBSEP name[key, r]
    sum = bytes[at] ^ 2 * (unknown[1] + unknown[2] * empty[at]) + unknown[3]
    report(key, r, sqrt(sum > 0 ? sum : 0))
  }
  return sprintf("{%.4g, %.4g, %.4g}", unknown[1], unknown[2], unknown[3])
}
function fittedParts(key, inPlace,    r, at, least, sum, used) {
  least = 1e30
  for (r = 1; r <= rows[key]; ++r) {
    at = key SUBSEP name[key, r]
    if (parts[at] > 0 && best[at] / parts[at] < least) least = best[at] / parts[at]
  }
  begin()
  for (r = 1; r <= rows[key]; ++r) {
    at = key SUBSEP name[key, r]
    if (parts[at] == 0 || (inPlace && best[at] <= 1.5 * least * parts[at])) continue
    ++used
    if (inPlace) add(bytes[at] / best[at], bytes[at] * empty[at] / best[at], parts[at] / best[at])
    else add(bytes[at] / best[at], parts[at] / best[at], 1 / best[at])
  }
  if (used < 6) return ""
  solve()
  for (r = 1; r <= rows[key]; ++r) {
    at = key SUBSEP name[key, r]
    if (inPlace) sum = bytes[at] * (unknown[1] + unknown[2] * empty[at]) + unknown[3] * parts[at]
    else sum = unknown[1] * bytes[at] + unknown[2] * parts[at] + unknown[3]
    report(key, r, inPlace && sum < least * parts[at] ? least * parts[at] : sum)
  }
  return inPlace ? sprintf("{%.4g, %.4g, %.4g, 0, %.4g}", unknown[1], unknown[2], unknown[3], least) \
                 : sprintf("{%.4g, 0, %.4g, %.4g, 0}", unknown[1], unknown[2], unknown[3])
}
function line(structure, precision,    key, text) {
  key = structure SUBSEP precision
  text = structure in ofParts ? fittedParts(key, structure == "tiles-in-place") : fitted(key)
  return text == "" ? "?" : text
}
END {
  for (k = 1; k <= count; ++k) {
    f64 = line(order[k], "f64")
    f32 = line(order[k], "f32")
    printf "    {\"%s\", %s%s, %s},\n", order[k], order[k] in ofParts ? "" : "Empty::" kind(order[k]) ", ", f64, f32
  }
}
