# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Names of files and flags as words of the shell that runs a job; nothing in them is expanded or run. For
# chain.sh and study.sh, in bash.
export LC_ALL=C

# quoted TEXT: one word of a POSIX shell.
quoted() {
  printf "'%s'" "${1//\'/\'\\\'\'}"
}

# word NAME: the name of a file, never taken for an option. Names with control characters end the script.
word() {
  case $1 in
    *[[:cntrl:]]*)
      printf '%s: the name %q has a line break or another control character; rename the file.\n' "${0##*/}" "$1" >&2
      exit 2 ;;
    -*) quoted "./$1" ;;
    *) quoted "$1" ;;
  esac
}

# words FLAGS: each flag as one word, with quotes and backslashes read as in a shell.
words() {
  local flag
  if ! xargs -r printf '' <<< "$1" 2> /dev/null; then
    printf '%s: a quote in the flags %q does not end; close it.\n' "${0##*/}" "$1" >&2
    exit 2
  fi
  xargs -r printf '%s\0' <<< "$1" | while IFS= read -r -d '' flag; do
    printf ' '
    quoted "$flag"
  done
}
