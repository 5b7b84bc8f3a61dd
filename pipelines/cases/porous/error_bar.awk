# SPDX-License-Identifier: GPL-3.0-or-later
# awk -f error_bar.awk SPACINGS.cmp/comparison.csv TAUS.cmp/comparison.csv: permeability with its error.
# From three spacings the finest value with its grid convergence index, or half the range if they do not
# converge (reported). Exit status 1 if a run has no permeability.
BEGIN { FS = "," }
FNR == 1 { delete at; for (c = 1; c <= NF; ++c) at[$c] = c; runs = (at["half_range"] - 2) / 2; next }
$1 != "permeability_m2" { next }
{
  for (c = 2; c <= runs + 1; ++c) if ($c == "") missing = 1
  if (missing || runs < 1) exit
  ++found
}
FNR == NR {
  low = high = $2
  for (c = 2; c <= runs + 1; ++c) {
    if ($c < low) low = $c
    if ($c > high) high = $c
    finest = $c
  }
  approach = $at["approach"]
  error = $at["uncertainty"] == "" ? (high - low) / 2 : $at["uncertainty"]
  printf "permeability       (%.4g +- %.2g) m2, %.4g mD, from %d spacings%s", finest, error,
    finest / 9.869233e-16, runs, approach == "" ? "" : ": " approach
  if ($at["order"] != "") printf ", order %.2f, %.4g m2 by extrapolation", $at["order"], $at["extrapolated"]
  if ($at["uncertainty"] == "") printf ", so the error is half their range and no bound"
  print ""
  next
}
{
  mean = 0
  for (c = 2; c <= runs + 1; ++c) mean += $c / runs
  printf "relaxation times   (%.4g +- %.2g) m2, half the range of %d\n", mean, $at["half_range"], runs
}
END {
  if (missing || !found) {
    print "error_bar.awk: a run has no permeability, of which there is none where nothing passes" > "/dev/stderr"
    exit 1
  }
}
