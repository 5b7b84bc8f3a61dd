# SPDX-License-Identifier: GPL-3.0-or-later
# A page of Markdown as a man page of section 5: headings, paragraphs, lists, code, tables.
#   awk -v name=tessera-case -v what="the case file" -v version=0.2.0 -f md_to_man.awk PAGE.md
function roff(text) {
  gsub(/\\([|*_<>`\[\]])/, "\001&", text)      # escapes of Markdown
  gsub(/\001\\/, "", text)
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  while (match(text, /\[[^\]]*\]\([^)]*\)/)) {   # links: their text
    link = substr(text, RSTART + 1, RLENGTH - 2)
    sub(/\]\(.*/, "", link)
    text = substr(text, 1, RSTART - 1) link substr(text, RSTART + RLENGTH)
  }
  while (match(text, /\*\*[^*]+\*\*/)) text = substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART + 2, RLENGTH - 4) "\\fR" substr(text, RSTART + RLENGTH)
  while (match(text, /`[^`]+`/)) text = substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART + 1, RLENGTH - 2) "\\fR" substr(text, RSTART + RLENGTH)
  return text
}
function line(text) { if (text ~ /^[.']/) text = "\\&" text; print text }
function plain() { if (code) { print ".fi\n.RE"; code = 0 } table = 0 }
BEGIN {
  shown = toupper(name)
  gsub(/-/, "\\-", name)
  printf ".TH %s 5 \"\" \"Tessera %s\" \"File Formats\"\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n", shown, version, name, what
}
/^```/ { if (fence) { print ".fi\n.RE"; fence = 0 } else { plain(); print ".RS 4\n.nf"; fence = 1 } next }
fence { line(gensub_roff($0)); next }
function gensub_roff(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); return text }
/^    [^ ]/ && !item { if (!code) { plain(); print ".RS 4\n.nf"; code = 1 } line(gensub_roff(substr($0, 5))); next }
code && NF { plain() }
/^# / { plain(); item = 0; next }
/^##+ / { plain(); item = 0; level = index($0, " ") - 1; sub(/^#+ /, ""); print (level == 2 ? ".SH " toupper(roff($0)) : ".SS " roff($0)); next }
/^\|[-| :]+\|$/ { next }
/^\|/ {
  text = $0
  gsub(/\\\|/, "\002", text)
  sub(/^\| */, "", text); sub(/ *\| *$/, "", text)
  count = split(text, cell, / *\| */)
  for (k = 1; k <= count; ++k) gsub(/\002/, "|", cell[k])
  if (!table) { table = 1; heading = text; next }       # the heading row
  first = cell[1]
  if (first != "") last = first
  # Rows are tagged by their first cell; of three cells or more the second belongs to the tag.
  tag = count > 2 ? (first == "" ? last : first) " " cell[2] : first
  print ".TP"
  line(roff(tag))
  text = ""
  for (k = count > 2 ? 3 : 2; k <= count; ++k) text = text (text == "" ? "" : ". ") cell[k]
  line(text == "" ? "\\&" : roff(text))
  next
}
/^[-*] / { plain(); item = 1; print ".IP \\(bu 2"; line(roff(substr($0, 3))); next }
!NF { if (!table && !code) print ".PP"; table = 0; item = 0; next }
/^<!--/ { next }
{ table = 0; sub(/^ +/, ""); line(roff($0)) }
END { plain() }
