# SPDX-License-Identifier: GPL-3.0-or-later
# Flows of bars.sh with known answers. make_flow ACROSS, in the folder of a trial, from the array given:
#   source     arguments of tessera-preprocess
#   case.toml  the case, with default settings but for tau, walls, precision, collision, lattice and equilibrium if given
#   exact      lines of a number of summary.json, as tessera-compare names it, and its true value
# The fluid is water; the height of every section and the side of every cell is 2 mm, of ACROSS spacings.
#
#   section (shape=tube|duct|ellipse|triangle|annulus, direction, drive=velocity|pressure|flow, re, ratio, length):
#       a straight conduit; re by the mean velocity and the height, ratio: width or outer over inner diameter, length in
#       heights. Hagen & Poiseuille; F. M. White, Viscous Fluid Flow, 1974, 3-3
#   plane (drive, re, length): plane channel, an image
#   couette (re): plane channel with a sliding wall, an image
#   cylinders (solid): square array of cylinders, an image; A. S. Sangani & A. Acrivos, Int. J. Multiphase Flow 8
#       (1982) 193, table 1
#   spheres (cell=sc|bcc|fcc, solid, as=image|smooth): cubic arrays, voxels or their smoothed surface; A. A. Zick &
#       G. M. Homsy, J. Fluid Mech. 115 (1982) 13, table 2
#   pulse (shape=tube|plane, alpha, direction): the flow into a tube, the pressure across a plane channel, swings about
#       half of its amplitude; J. R. Womersley 1955

# The settings a trial names, and the rest of the case from stdin.
write_case() {
  local key
  printf '[fluid]\ndensity = 1000\nviscosity = "1e-6 m2/s"\n[solver]\n'
  for key in walls precision collision lattice equilibrium state; do
    [ -z "${given[$key]:-}" ] || printf '%s = "%s"\n' "$key" "${given[$key]}"
  done
  [ -z "${given[tau]:-}" ] || printf 'tau = %s\n' "${given[tau]}"
  cat
}

# compute FORMAT EXPRESSION...: printf of expressions of awk.
compute() {
  local format=$1 list=
  shift
  for expression in "$@"; do list+=", $expression"; done
  awk "BEGIN { pi = atan2(0, -1); printf \"$format\"$list }"
}

# surface: section.stl, an open prism, of an annulus with its named ends.
surface() {
  awk -v shape="${given[shape]}" -v direction="${given[direction]:-1,2,3}" -v ratio="${given[ratio]:-2}" \
    -v along="${given[length]:-3}" '
    function point(x, y, z) {
      return sprintf("vertex %.9g %.9g %.9g\n", x * a[1] + y * b[1] + z * d[1], x * a[2] + y * b[2] + z * d[2],
        x * a[3] + y * b[3] + z * d[3])
    }
    function facet(p, q, r) { printf "facet normal 0 0 0\nouter loop\n%s%s%sendloop\nendfacet\n", p, q, r }
    function wall(name, out,   i, k, z) {  # out: the fluid is inside
      print "solid " name
      for (i = 0; i < n; ++i) for (k = 0; k < pieces; ++k) {
        m = (i + 1) % n; z = length_ * k / pieces; top = length_ * (k + 1) / pieces
        if (out) { facet(point(x[i], y[i], z), point(x[m], y[m], z), point(x[m], y[m], top))
          facet(point(x[i], y[i], z), point(x[m], y[m], top), point(x[i], y[i], top)) }
        else { facet(point(x[i], y[i], z), point(x[m], y[m], top), point(x[m], y[m], z))
          facet(point(x[i], y[i], z), point(x[i], y[i], top), point(x[m], y[m], top)) }
      }
      print "endsolid " name
    }
    function round(width, height,   i, same) {  # of the area of the ellipse
      n = 256; same = sqrt(2 * pi / n / sin(2 * pi / n))
      for (i = 0; i < n; ++i) { x[i] = width / 2 * same * cos(2 * pi * (i + 0.5) / n)
        y[i] = height / 2 * same * sin(2 * pi * (i + 0.5) / n) }
    }
    function ring(name, z, up,   i, m) {
      print "solid " name
      for (i = 0; i < n; ++i) {
        m = (i + 1) % n
        if (up) { facet(point(x[i], y[i], z), point(x[m], y[m], z), point(x[m] / ratio, y[m] / ratio, z))
          facet(point(x[i], y[i], z), point(x[m] / ratio, y[m] / ratio, z), point(x[i] / ratio, y[i] / ratio, z)) }
        else { facet(point(x[i], y[i], z), point(x[m] / ratio, y[m] / ratio, z), point(x[m], y[m], z))
          facet(point(x[i], y[i], z), point(x[i] / ratio, y[i] / ratio, z), point(x[m] / ratio, y[m] / ratio, z)) }
      }
      print "endsolid " name
    }
    BEGIN {
      pi = atan2(0, -1); height = 2; length_ = along * height; pieces = 12
      split(direction, d, ","); norm = sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
      for (i = 1; i <= 3; ++i) d[i] /= norm
      # Two axes across it, the first as tessera-sample has it for x: along y.
      t[1] = -d[2]; t[2] = d[1] ^ 2 > 0.01 || d[2] ^ 2 > 0.01 ? d[1] : 1; t[3] = 0
      norm = sqrt(t[1] ^ 2 + t[2] ^ 2)
      for (i = 1; i <= 3; ++i) a[i] = t[i] / norm
      b[1] = d[2] * a[3] - d[3] * a[2]; b[2] = d[3] * a[1] - d[1] * a[3]; b[3] = d[1] * a[2] - d[2] * a[1]
      if (shape == "duct") {
        n = 4; split("-1 1 1 -1", sx); split("-1 -1 1 1", sy)
        for (i = 0; i < n; ++i) { x[i] = sx[i + 1] * ratio * height / 2; y[i] = sy[i + 1] * height / 2 }
      } else if (shape == "triangle") {
        n = 24; r = height * 2 / 3  # eight parts a side
        for (i = 0; i < n; ++i) {
          corner = 2 * pi * int(i / 8) / 3; part = i % 8 / 8
          x[i] = r * ((1 - part) * cos(corner) + part * cos(corner + 2 * pi / 3))
          y[i] = r * ((1 - part) * sin(corner) + part * sin(corner + 2 * pi / 3))
        }
      } else round(shape == "ellipse" ? ratio * height : height, height)
      wall(shape == "annulus" ? "outer" : "wall", 1)
      if (shape == "annulus") {
        ring("face1", 0, 0); ring("face2", length_, 1)
        for (i = 0; i < n; ++i) { x[i] /= ratio; y[i] /= ratio }
        wall("inner", 0)
      }
    }' > section.stl
}

# section_facts: area (m2), perimeter (m), pressure gradient over viscosity and mean velocity (1/m2).
section_facts() {
  awk -v shape="${given[shape]}" -v k="${given[ratio]:-2}" '
    function tanh(x) { return x > 20 ? 1 : 1 - 2 / (exp(2 * x) + 1) }
    BEGIN {
      pi = atan2(0, -1); h = 2e-3
      if (shape == "tube") print pi * h ^ 2 / 4, pi * h, 32 / h ^ 2
      if (shape == "duct") {
        for (n = 1; n < 200; n += 2) sum += tanh(n * pi * k / 2) / n ^ 5
        print k * h * h, 2 * (k + 1) * h, 12 / h ^ 2 / (1 - 192 / (pi ^ 5 * k) * sum)
      }
      if (shape == "ellipse") {
        a = k * h / 2; b = h / 2; m = 2000
        for (i = 0; i < m; ++i) { t = 2 * pi * (i + 0.5) / m; p += sqrt((a * sin(t)) ^ 2 + (b * cos(t)) ^ 2) * 2 * pi / m }
        print pi * a * b, p, 4 * (a ^ 2 + b ^ 2) / (a * b) ^ 2
      }
      if (shape == "triangle") { s = 2 * h / sqrt(3); print sqrt(3) / 4 * s ^ 2, 3 * s, 80 / s ^ 2 }
      if (shape == "annulus") {
        R = h / 2; r = R / k
        print pi * (R ^ 2 - r ^ 2), 2 * pi * (R + r), 8 / (R ^ 2 + r ^ 2 - (R ^ 2 - r ^ 2) / log(k))
      }
    }'
}

# two_openings MEAN FLOW DROP: m/s, m3/s, Pa; one of them drives the flow.
two_openings() {
  case ${given[drive]} in
    velocity) printf '[[opening]]\nid = 1\nkind = "velocity"\nmean = "%s m/s"\n' "$1" ;;
    flow) printf '[[opening]]\nid = 1\nkind = "flow-rate"\nvalue = "%s m3/s"\n' "$2" ;;
    pressure) printf '[[opening]]\nid = 1\nkind = "pressure"\nvalue = %s\n' "$3" ;;
  esac
  [ "${given[drive]}" = pressure ] || [ "${given[shape]:-plane}" = tube ] || printf 'profile = "developed"\n'
  printf '[[opening]]\nid = 2\nkind = "pressure"\nvalue = 0\n[stop]\nsteps = 400000\nconverged = 1e-5\n'
}

section() {
  local area perimeter gradient mean drop
  surface
  echo "section.stl --unit mm --spacing $(compute "%.9gmm" "2 / $1")" \
    "$([ "${given[shape]}" != annulus ] || echo --open 1 --open 2)" > source
  read -r area perimeter gradient <<< "$(section_facts)"
  mean=$(compute "%.9g" "${given[re]:-20} * 1e-6 / 2e-3")
  gradient=$(compute "%.9g" "$gradient * 1e-3 * $mean")
  drop=$(compute "%.9g" "$gradient * ${given[length]:-3} * 2e-3")
  two_openings "$mean" "$(compute "%.9g" "$mean * $area")" "$drop" | write_case > case.toml
  {
    if [ "${given[drive]}" = pressure ]; then
      compute "openings[2].flow_rate_m3_s %.9g\n" "$mean * $area"
    else
      echo "pressure_drop_pa $drop"
    fi
    compute "wss_pa.mean %.9g\n" "$gradient * $area / $perimeter"
    [ "${given[shape]}" != tube ] || compute "wss_pa.p95 %.9g\n" "$gradient * $area / $perimeter"
    [ "${given[shape]}" = annulus ] || awk -v direction="${given[direction]:-1,2,3}" -v total="$drop" -v area="$area" '
      function size(x) { return x < 0 ? -x : x }
      BEGIN { split(direction, d, ","); at = 1; for (i = 2; i <= 3; ++i) if (size(d[i]) > size(d[at])) at = i
        printf "forces_n.wall.total.%s %.9g\n", substr("xyz", at, 1),
          total * area * d[at] / sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2) }'
  } > exact
}

plane() {
  local mean drop long=${given[length]:-3}
  "$programs/tessera-sample" channel2d --size "$((long * $1)),$(($1 + 2))" --quiet -o plane.pgm
  echo "plane.pgm --pore 0 --faces x-,x+ --voxel $(compute "%.9gmm" "2 / $1")" > source
  mean=$(compute "%.9g" "${given[re]:-20} * 1e-6 / 2e-3")
  drop=$(compute "%.9g" "12 * 1e-3 * $mean / 4e-6 * $long * 2e-3")
  two_openings "$mean" "0" "$drop" | write_case > case.toml
  {
    if [ "${given[drive]}" = pressure ]; then echo "openings[2].mean_velocity_m_s $mean"; else echo "pressure_drop_pa $drop"; fi
    compute "wss_pa.mean %.9g\n" "6 * 1e-3 * $mean / 2e-3"
  } > exact
}

couette() {
  "$programs/tessera-sample" box2d --size "$1,$1" --quiet -o box.pgm
  echo "box.pgm --pore 0 --periodic x --wall y+=lid --voxel $(compute "%.9gmm" "2 / $1")" > source
  printf '[[wall]]\nname = "lid"\nkind = "moving"\nvelocity = ["%s m/s", 0, 0]\n[stop]\nsteps = 400000\nconverged = 1e-5\n' \
    "$(compute "%.9g" "${given[re]:-20} * 1e-6 / 2e-3")" | write_case > case.toml
  compute "wss_pa.mean %.9g\n" "1e-3 * ${given[re]:-20} * 1e-6 / 4e-6" > exact
}

# Driven by a force; creeping.
medium() {
  printf 'body_force = [%s, 0, 0]\n[stop]\nsteps = 400000\nconverged = 1e-5\n' "$1" | write_case > case.toml
}

cylinders() {
  local drag radius
  case ${given[solid]} in
    0.05) drag=15.56 ;; 0.1) drag=24.83 ;; 0.2) drag=51.53 ;; 0.3) drag=102.90 ;; 0.4) drag=217.89 ;; 0.5) drag=532.55 ;;
  esac
  awk -v n="$1" -v solid="${given[solid]}" 'BEGIN {
    r = n * sqrt(solid / atan2(0, -1)); c = (n - 1) / 2
    printf "P2\n%d %d\n255\n", n, n
    for (y = 0; y < n; ++y) { for (x = 0; x < n; ++x) printf "%d ", (x - c) ^ 2 + (y - c) ^ 2 < r ^ 2 ? 255 : 0; print "" }
  }' > cell.pgm
  echo "cell.pgm --pore 0 --periodic xy --voxel $(compute "%.9gmm" "2 / $1")" > source
  medium "$(compute "%.9g" "$drag * 1e-3 * 1e-4 / 4e-6")"
  compute "permeability_m2 %.9g\n" "4e-6 / $drag" > exact
}

spheres() {
  local drag cell=${given[cell]:-sc} count
  case $cell-${given[solid]} in
    sc-0.027) drag=2.008 ;; sc-0.064) drag=2.810 ;; sc-0.125) drag=4.292 ;; sc-0.216) drag=7.442 ;;
    sc-0.343) drag=15.4 ;; sc-0.45) drag=28.1 ;;
  esac
  local permeability
  permeability=$(compute "%.9g" "4e-6 * exp(log(4 * pi / (3 * ${given[solid]})) / 3) / (6 * pi * $drag)")
  "$programs/tessera-sample" lattice --lattice "$cell" --solid "${given[solid]}" --nodes "$1" --quiet -o cell.raw
  echo "cell.raw --dims $1,$1,$1 --type u8 --pore 0 --periodic xyz --voxel $(compute "%.9gmm" "2 / $1")" \
    "$([ "${given[as]}" = image ] || echo --smooth)" > source
  medium "$(compute "%.9g" "1e-3 * 1e-4 / $permeability")"
  echo "permeability_m2 $permeability" > exact
}

# pulse_facts SHAPE ALPHA: complex amplitude of the mean wall shear in units of density, viscosity and amplitude of the
# mean velocity over half the height, magnitude of the pressure gradient over that and half the height, and the time
# average of the magnitude of the shear whose steady part belongs to half of that gradient, at rest for a plane
# channel, or to half of that velocity for a tube.
pulse_facts() {
  awk -v shape="$1" -v alpha="$2" '
    function times(ar, ai, br, bi) { re = ar * br - ai * bi; im = ar * bi + ai * br }
    function over(ar, ai, br, bi,   s) { s = br * br + bi * bi; re = (ar * br + ai * bi) / s; im = (ai * br - ar * bi) / s }
    function bessel(order,   k, tr, ti, sr, si) {  # I_order(z) over (z / 2)^order, z^2 = i alpha^2
      tr = 1; for (k = 2; k <= order; ++k) tr /= k
      for (k = 1; k < 80; ++k) { sr += tr; si += ti; times(tr, ti, 0, alpha ^ 2 / 4 / k / (k + order)); tr = re; ti = im }
      re = sr; im = si
    }
    BEGIN {
      pi = atan2(0, -1)
      if (shape == "tube") {
        bessel(1); br = re; bi = im; bessel(2); cr = re; ci = im
        over(2 * br, 2 * bi, cr, ci); shear_r = re; shear_i = im  # z I1 / I2
        steady = 2; gradient = sqrt((2 * shear_r) ^ 2 + (2 * shear_i + alpha ^ 2) ^ 2)
      } else {  # of a gradient of 1: shear tanh(z) / z, z = alpha i^1/2
        x = alpha / sqrt(2)
        over(exp(x) * cos(x) - exp(-x) * cos(x), exp(x) * sin(x) + exp(-x) * sin(x),
          exp(x) * cos(x) + exp(-x) * cos(x), exp(x) * sin(x) - exp(-x) * sin(x)); over(re, im, x, x)
        shear_r = re; shear_i = im; steady = 0.5; gradient = 1
      }
      n = 4000
      for (k = 0; k < n; ++k) { t = 2 * pi * k / n; s = steady + shear_r * cos(t) - shear_i * sin(t); mean += (s < 0 ? -s : s) / n }
      print shear_r, shear_i, gradient, mean
    }'
}

pulse() {
  local alpha=${given[alpha]} shear gradient unused mean period what unit drop
  period=$(compute "%.9g" "2 * pi * 1e-6 / ($alpha ^ 2 * 1e-6)")
  read -r unused unused gradient shear <<< "$(pulse_facts "${given[shape]}" "$alpha")"
  mean=0.01 what=velocity unit="m/s"
  if [ "${given[shape]}" = tube ]; then
    given[length]=1.5
    surface
    echo "section.stl --unit mm --spacing $(compute "%.9gmm" "2 / $1")" > source
    compute "tawss_away_pa.mean %.9g\n" "$shear * 1e-3 * $mean / 1e-3" > exact
  else
    "$programs/tessera-sample" channel2d --size "$((2 * $1)),$(($1 + 2))" --quiet -o plane.pgm
    echo "plane.pgm --pore 0 --faces x-,x+ --voxel $(compute "%.9gmm" "2 / $1")" > source
    # As steep as drives that velocity at rest.
    mean=$(compute "%.9g" "3 * 1e-3 * $mean / 1e-6 * 4e-3") what=pressure unit=Pa
    compute "tawss_pa.mean %.9g\n" "$shear * $mean / 4e-3 * 1e-3" > exact
  fi
  awk -v period="$period" -v swing="$mean" -v name="$what[$unit]" 'BEGIN { print "time[s]," name; pi = atan2(0, -1)
    for (k = 0; k <= 200; ++k) printf "%.12g,%.12g\n", period * k / 200, swing * (0.5 + sin(2 * pi * k / 200)) }' > inlet.csv
  {
    printf '[[opening]]\nid = 1\nkind = "%s"\nwaveform = "inlet.csv"\ninterpolation = "cubic"\nperiodic = true\n' "$what"
    [ "${given[shape]}" != tube ] || printf 'profile = "womersley"\n'
    printf '[[opening]]\nid = 2\nkind = "pressure"\nvalue = 0\n[time]\ncycles = 8\ncycle_converged = 1e-3\n'
  } | write_case > case.toml
}
