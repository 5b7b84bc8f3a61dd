# SPDX-License-Identifier: GPL-3.0-or-later
# Tables of time.sh from time_settings.txt and its rows: flow, setting, nodes across, backend, fluid nodes, steps,
# seconds of the program and of its steps, pressure drop, wall shear: mean, 5th and 95th percentile.
# Errors: of the pressure drop; of the wall shear of the pipe, at the 95th percentile of the wall (5th or 95th of the
# shear, whichever is further off), else of its mean or 95th percentile, whichever is further off. References: Hagen &
# Poiseuille; a line FLOW reference DROP MEAN P95 among the rows; else the mean of the limits with two wall schemes,
# whose errors are taken to fall as 1 / nodes^2.
# A target is reached at the coarsest spacing from which on the error stays below it; seconds and updates there are
# interpolated, linear in the logarithms, from the spacing before. "<": below it at the coarsest spacing already, or at
# the one after a run that failed (a line FLOW SETTING NODES BACKEND failed).

function size(x) { return x < 0 ? -x : x }
function larger(a, b) { return size(a) > size(b) ? size(a) : size(b) }

# Limit of a quantity with the wall scheme of a setting, Richardson's from the two finest spacings; "": there are none.
function limit(flow, setting, what,    k, n, last, value) {
  for (k = spacings[flow]; k >= 1; --k) {
    n = spacing[flow, k]
    if (!((flow, setting, n, what) in fine)) continue
    if (last) return value + (value - fine[flow, setting, n, what]) / ((last / n) ^ 2 - 1)
    last = n; value = fine[flow, setting, n, what]
  }
  return ""
}

function references(flow,    q, a, b, apart) {
  if (flow == "pipe") {
    reference[flow, "drop"] = 32e-3 * 0.01 * 6e-3 / 4e-6
    reference[flow, "mean"] = reference[flow, "low"] = reference[flow, "high"] = 8e-3 * 0.01 / 2e-3
    printf "pipe: pressure drop %.5g Pa, wall shear %.5g Pa, exact\n", reference[flow, "drop"], reference[flow, "mean"]
    return 1
  }
  for (q = 1; q <= 3; ++q) {
    a = limit(flow, "mrt-27", quantity[q]); b = limit(flow, "bouzidi-mrt-27", quantity[q])
    if ((flow, quantity[q]) in given) reference[flow, quantity[q]] = given[flow, quantity[q]]
    else if (a == "" || b == "") {
      printf "%s: no reference; it follows from runs at two spacings (FINE)\n", flow
      return 0
    } else reference[flow, quantity[q]] = (a + b) / 2
    printf "%s: %s %.5g Pa%s", flow, called[q], reference[flow, quantity[q]],
      (flow, quantity[q]) in given ? ", by finite elements" : ""
    if (a != "" && b != "") printf "; limits of multireflection %+.2f %%, Bouzidi %+.2f %% off",
      100 * relative(flow, quantity[q], a), 100 * relative(flow, quantity[q], b)
    apart = size(a - b) > 0.002 * reference[flow, quantity[q]]
    print !((flow, quantity[q]) in given) && apart ? ": finer runs are required (FINE)" : ""
  }
  return 1
}

function relative(flow, quantity, value) { return value / reference[flow, quantity] - 1 }

function errors(row, what,    c) {
  split(row, c, " ")
  if (what == "drop") return size(relative(c[1], "drop", c[9]))
  if (c[1] == "pipe") return larger(relative(c[1], "low", c[11]), relative(c[1], "high", c[12]))
  return larger(relative(c[1], "mean", c[10]), relative(c[1], "high", c[12]))
}

# Seconds in at[1], updates in at[2] where the error of a setting is below a target; at[0]: "", "<" or "-".
function reach(flow, setting, backend, what, target, at,    i, k, n, c, e, before, old, have) {
  at[0] = "-"
  for (k = 1; k <= spacings[flow]; ++k) {
    n = spacing[flow, k]
    if (!((flow, setting, n, backend) in rows)) continue
    split(rows[flow, setting, n, backend], c, " ")
    if (c[5] == "failed") { at[0] = "-"; have = 0; continue }
    e = errors(rows[flow, setting, n, backend], what)
    if (e > target) at[0] = "-"
    else if (at[0] == "-") {
      at[0] = have ? "" : "<"; at[1] = c[7]; at[2] = c[5] * c[6]
      for (i = 1; have && i <= 2; ++i)
        at[i] = exp(log(old[i]) + (log(at[i]) - log(old[i])) * log(before / target) / log(before / e))
    }
    before = e; old[1] = c[7]; old[2] = c[5] * c[6]; have = 1
  }
}

function cell(at, value) { return at[0] == "-" ? "-" : sprintf(value < 100 ? "%s%.3g" : "%s%.0f", at[0], value) }

# Line of the default's seconds over the least of each column.
function verdict(of, least, whose,    w, t, key) {
  printf "default over fastest %s:", of
  for (w = 1; w <= 2; ++w) for (t = 1; t <= 3; ++t) {
    key = w SUBSEP t
    if (key in least) printf "  %s (%s)", key in own ? sprintf("%.2f", own[key] / least[key]) : "-", whose[key]
    else printf "  -"
  }
  print ""
}

function table(flow, backend,    s, w, t, at, line, other, key, best, who, any, anyone) {
  printf "\n%s, %s\n%-16s%24s%24s  |%24s%24s\n%-16s", flow, backend, "", "seconds: pressure drop", "wall shear",
    "10^6 updates: drop", "wall shear", ""
  for (t = 1; t <= 12; ++t) printf "%s%6d %%", t == 7 ? "  |" : "", 100 * goal[(t - 1) % 3 + 1]
  print ""
  delete own
  for (s = 1; s <= settings; ++s) {
    if (!((flow, setting[s], backend) in ran)) continue
    line = other = ""
    for (w = 1; w <= 2; ++w) for (t = 1; t <= 3; ++t) {
      key = w SUBSEP t
      reach(flow, setting[s], backend, w == 1 ? "drop" : "shear", goal[t], at)
      line = line sprintf("%8s", cell(at, at[1])); other = other sprintf("%8s", cell(at, at[2] / 1e6))
      if (at[0] == "-") continue
      if (setting[s] == "default") own[key] = at[1]
      if (s <= choices && (!(key in best) || at[1] < best[key])) { best[key] = at[1]; who[key] = setting[s] }
      if (!(key in any) || at[1] < any[key]) { any[key] = at[1]; anyone[key] = setting[s] }
    }
    printf "%-16s%s  |%s\n", setting[s], line, other
  }
  verdict("wall, collision, precision and state", best, who)
  verdict("of all", any, anyone)
}

BEGIN {
  split("drop mean high", quantity)
  split("pressure drop,wall shear: mean,wall shear: 95th percentile", called, ",")
  split("0.05 0.02 0.01", goal)
}
# Settings; the last ones are no choice of wall, collision, precision or state.
NR == FNR {
  if (!/^#/) { setting[++settings] = $1; if (!/lattice_velocity|acceleration/) choices = settings }
  next
}
$2 == "reference" { for (q = 1; q <= 3; ++q) given[$1, quantity[q]] = $(q + 2); next }
{
  rows[$1, $2, $3, $4] = $0
  backends[$1, $4] = ran[$1, $2, $4] = 1
  if ($5 != "failed") { fine[$1, $2, $3, "drop"] = $9; fine[$1, $2, $3, "mean"] = $10; fine[$1, $2, $3, "high"] = $12 }
  if (!(($1, $3) in seen)) {  # kept in order
    seen[$1, $3] = 1
    for (k = ++spacings[$1]; k > 1 && spacing[$1, k - 1] > $3; --k) spacing[$1, k] = spacing[$1, k - 1]
    spacing[$1, k] = $3
  }
}
END {
  split("pipe bend stenosis", flows)
  for (f = 1; f <= 3; ++f) {
    if (!(flows[f] in spacings) || !references(flows[f])) continue
    split("cpu cuda", on)
    for (b = 1; b <= 2; ++b) if ((flows[f], on[b]) in backends) table(flows[f], on[b])
    print ""
  }
}
