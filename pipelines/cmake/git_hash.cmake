# SPDX-License-Identifier: GPL-3.0-or-later
# Run at every build (cmake -DSOURCE=... -DTEMPLATE=... -DOUTPUT=... -P): puts the commit, marked
# -dirty where files under version control were changed, into the header; touches it only then. In an archive
# of a release, which has no history, commit.txt has it.
file(STRINGS ${SOURCE}/pipelines/cmake/commit.txt commit LIMIT_COUNT 1)
if(commit MATCHES "^[0-9a-f]+$")
  string(SUBSTRING ${commit} 0 12 TESSERA_GIT_HASH)
else()
  execute_process(
    COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE TESSERA_GIT_HASH
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET
    RESULT_VARIABLE failed)
  if(failed)
    set(TESSERA_GIT_HASH "unknown")
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
