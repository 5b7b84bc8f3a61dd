# SPDX-License-Identifier: GPL-3.0-or-later
# Shortens the first column, a kernel's full name in quotes, to the name without arguments and
# namespaces: header first, then the requested kernels in order.
function shortened(name,   i, c, depth) {
  gsub(/\(anonymous namespace\)::/, "", name)
  gsub(/tessera::/, "", name)
  sub(/^void /, "", name)
  depth = 0
  for (i = 1; i <= length(name); i++) {
    c = substr(name, i, 1)
    if (c == "<") depth++
    if (c == ">") depth--
    if (c == "(" && depth == 0) return substr(name, 1, i - 1)
  }
  return name
}
NR == 1 { print; next }
{
  end = index(substr($0, 2), "\"")
  name = shortened(substr($0, 2, end - 1))
  if (name ~ kernels) print "\"" name "\"" substr($0, end + 2) | "LC_ALL=C sort"
}
