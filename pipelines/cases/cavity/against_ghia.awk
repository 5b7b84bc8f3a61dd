# SPDX-License-Identifier: GPL-3.0-or-later
# Comparison with Ghia et al.: awk -v lid=0.01 -v side=0.01 -f against_ghia.awk ghia.csv lines.csv
# lines.csv of tessera-postprocess with the lines u (up, on x = 1/2) and v (along, on y = 1/2); lid in
# m/s, side in m. Linear between the points of a line.
BEGIN { FS = ","; print "component,place,ghia,ours,difference" }
/^#/ || FNR == 1 || /^component/ { next }
FILENAME == ARGV[1] { kind[++rows] = $1; place[rows] = $2; value[rows] = $3; next }
{ n = ++points[$1]; at[$1, n] = $2 / side; ours[$1, n] = ($1 == "u" ? $6 : $7) / lid }
END {
  for (r = 1; r <= rows; ++r) {
    k = kind[r]
    for (n = 2; n < points[k] && at[k, n] < place[r]; ++n);
    if (points[k] < 2) { print "cavity: no line " k " in the results" > "/dev/stderr"; exit 1 }
    part = (place[r] - at[k, n - 1]) / (at[k, n] - at[k, n - 1])
    found = ours[k, n - 1] + part * (ours[k, n] - ours[k, n - 1])
    difference = found - value[r]
    if (difference < 0 ? -difference > largest : difference > largest)
      largest = difference < 0 ? -difference : difference
    printf "%s,%s,%s,%.5f,%+.5f\n", k, place[r], value[r], found, difference
  }
  printf "# largest difference %.5f of the lid's velocity\n", largest
}
