# SPDX-License-Identifier: GPL-3.0-or-later
# Make rules of a parameter study. The CSV has a header and one case per row; study.mk documents the
# columns.
#   awk -f study.awk -v folder=OUT -v here=FOLDER cases.csv        rules, one block per case
#   awk -f study.awk -v row=NAME -v template=case.toml -v here=FOLDER cases.csv
#                                                  the template with @column@ filled in for one case
# On errors: exit status 2 and a sentence with file and line.

function refuse(sentence) {
  printf "study: %s:%d %s\n", FILENAME, FNR, sentence > "/dev/stderr"
  failed = 1
  exit 2
}

# RFC 4180 on one line: cells[1..n]; quotes around cells with commas or quotes.
function split_cells(line, cells,    n, c, i, inside) {
  n = 1; cells[1] = ""; inside = 0
  for (i = 1; i <= length(line); ++i) {
    c = substr(line, i, 1)
    if (inside && c == "\"" && substr(line, i + 1, 1) == "\"") { cells[n] = cells[n] c; ++i }
    else if (c == "\"") inside = !inside
    else if (c == "," && !inside) cells[++n] = ""
    else cells[n] = cells[n] c
  }
  if (inside) refuse("has a quote that does not end; close it on the same line.")
  for (i = 1; i <= n; ++i) gsub(/^[ \t]+|[ \t]+$/, "", cells[i])
  return n
}

function value(column) { return (column in place) ? cell[place[column]] : "" }

# Flags are passed literally through make and the shell; special characters are refused, and so are the
# names of outputs, which the study chooses.
function flags(column,    text, bare, unquoted) {
  bare = text = value(column)
  gsub(/"[^"]*"|'[^']*'/, "", bare)
  if (bare ~ /["']/) refuse("has " column " with a quote that does not end; close it.")
  bare = text
  gsub(/["']/, "", bare)
  if (bare ~ /(^|[ \t])(-o|--output|--report)/) refuse("has " column " with an output; the study names its files, leave it out.")
  unquoted = text
  gsub(/"[^"]*"|'[^']*'/, "", unquoted)
  if (unquoted ~ /[()*?[~]/) refuse("has " column " with one of ( ) * ? [ ~, which the shell would change; put it in quotes.")
  if (text ~ /[$#\\`;&|<>%]/) refuse("has " column " with one of $ # \\ ` ; & | < > %, which make and the shell would change; leave it out.")
  return text
}

# Two rows with the same source and flags share one geometry of this name.
function geometry_name(source, how,    name) {
  name = source
  sub(/.*\//, "", name)
  sub(/\.[A-Za-z]+(\.gz)?$/, "", name)
  if (how != "") name = name "-" how
  gsub(/[^A-Za-z0-9.]+/, "-", name)
  sub(/-+$/, "", name)
  if ((name in made_of) && made_of[name] != source "\n" how)
    refuse("needs a geometry called " name ", which an earlier row uses for another source; rename its file.")
  return name
}

function rules_of_row(    name, source, how, geometry, run) {
  name = value("name")
  source = value("geometry")
  if (source ~ /[^A-Za-z0-9._+,@\/=^~\200-\377-]/)
    refuse("has a geometry with a space or another character that make cannot hold; rename the file, with letters, digits and . _ - + = , @ ^ ~.")
  if (source !~ /^\//) source = here "/" source
  how = flags("preprocess")
  geometry = geometry_name(source, how)
  run = folder "/" name
  if (!(geometry in made_of)) {
    made_of[geometry] = source "\n" how
    geometry = folder "/" geometry
    print geometry ".vdb: override PREPROCESS_FLAGS += " how
    print geometry ".vdb: PREPROCESS_NOTE = " source
    print geometry ".vdb: " source " $$(tessera-options) ; $(tessera-preprocess)"
    print geometry ".tiles: " geometry ".vdb $$(tessera-options) ; $(tessera-tile)"
    print "STUDY_GEOMETRIES += " geometry
  } else geometry = folder "/" geometry
  print run ".fields: override SOLVER_FLAGS += " flags("solver")
  print run ".fields: " geometry ".tiles " run ".toml $$(call tessera-inputs," run ".toml) $$(tessera-options) ; $(tessera-solve)"
  print run ".out/summary.json: " run ".fields " geometry ".tiles ; $(tessera-reduce)"
  print run ".toml: STUDY_ROW = " name
  print "STUDY_RUNS += " run
}

# Literal replacement of every @column@; a placeholder without a column, or a column without a placeholder,
# is an error.
function fill_template(    line, before, name, used, i) {
  while ((status = (getline line < template)) > 0) {
    while (match(line, /@[A-Za-z_][A-Za-z0-9_-]*@/)) {
      name = substr(line, RSTART + 1, RLENGTH - 2)
      if (name != "here" && !(name in place))
        refuse("has no column for @" name "@ of " template "; add the column or remove the placeholder.")
      used[name] = 1
      printf "%s%s", substr(line, 1, RSTART - 1), name == "here" ? here : value(name)
      line = substr(line, RSTART + RLENGTH)
    }
    print line
  }
  if (status < 0) refuse("needs the template " template ", which cannot be read; set TEMPLATE=FILE.")
  for (i = 1; i <= columns; ++i)
    if (!(header[i] ~ /^(name|geometry|preprocess|solver)$/) && !(header[i] in used))
      refuse("has a column " header[i] " that " template " does not use; write @" header[i] "@ in the template, or remove the column.")
}

{ sub(/\r$/, "") }
/^[ \t]*(#|$)/ { next }
!columns {
  columns = split_cells($0, header)
  for (i = 1; i <= columns; ++i) {
    if (header[i] in place) refuse("has two columns called " header[i] "; rename one.")
    place[header[i]] = i
  }
  if (!("name" in place) || !("geometry" in place))
    refuse("is the header without column " (("name" in place) ? "geometry" : "name") "; name and geometry are required.")
  next
}
{
  found = split_cells($0, cell)
  if (found != columns) refuse("has " found " cells; expected " columns " as in the header.")
  if (value("name") !~ /^[A-Za-z0-9][A-Za-z0-9._-]*$/)
    refuse("has the name \"" value("name") "\"; expected letters, digits and . _ -.")
  if (value("name") in seen) refuse("has the name " value("name") " of an earlier row; rename it.")
  seen[value("name")] = 1
  if (value("geometry") == "") refuse("has no geometry; name a surface or an image.")
  if (row == "") rules_of_row()
  else if (value("name") == row) { fill_template(); done = 1; exit }
}
END {
  if (failed || done) exit failed ? 2 : 0
  if (!length(seen)) refuse("is the last line, and no case was found; write one row per case.")
}
