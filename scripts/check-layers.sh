#!/bin/bash
# Holds the sources to the house's shape: layers, the one place of each library, names and paths, and file sizes.
#   scripts/check-layers.sh [ROOT]      prints each offence as FILE:LINE: RULE; exit 1 when there is one
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

offences=$(mktemp)
trap 'rm -f "$offences"' EXIT
mapfile -t sources < <(find libcommon tools tests -name '*.cc' -o -name '*.h' | sort)
mapfile -t products < <(printf '%s\n' "${sources[@]}" | grep -v '^tests/' || true)
((${#products[@]})) || {
  echo "no sources here" >&2
  exit 1
}

# A module of libcommon may include its own files and those of a lower rank; libcommon never tools/; no tool another.
awk '
  BEGIN {
    n = split("base=0 digest=1 os=2 json=3 event=4 config=5 net=6 session=6 tokens=6 context=7 tool=8", ranks, " ")
    for (i = 1; i <= n; i++) { split(ranks[i], pair, "="); rank[pair[1]] = pair[2] }
  }
  FNR == 1 { split(FILENAME, part, "/") }
  !/^#include "/ { next }
  {
    split($2, name, "\""); split(name[2], to, "/")
    where = FILENAME ":" FNR ": "
    if (to[1] != "libcommon" && to[1] != "tools" && to[1] != "tests") print where "include from the root of the repository: " name[2]
    if (to[1] == "libcommon" && !(to[2] in rank)) print where "unknown module " to[2]
    if (part[1] == "tests") next
    if (to[1] == "tests") print where "product code includes a test"
    if (part[1] == "libcommon") {
      if (to[1] == "tools") print where "libcommon includes a tool"
      else if (!(part[2] in rank)) print where "module without a rank: " part[2]
      else if (part[2] != to[2] && rank[to[2]] >= rank[part[2]]) print where part[2] " may not use " to[2]
    }
    if (part[1] == "tools" && to[1] == "tools" && part[2] != to[2]) print where "one tool includes another"
  }
' "${sources[@]}" >>"$offences"

# confine WHAT WHERE: an #include <WHAT...> (a regular expression) stands in files that match WHERE only.
confine() {
  { grep -nE "^ *# *include *[<\"]($1)" "${products[@]}" || true; } | { grep -vE "^($2)" || true; } |
    sed -E "s#^([^:]*:[0-9]*):.*#\1: $1 may not be included here#" >>"$offences"
}
confine 'CLI/' 'libcommon/tool/options\.cc:'
confine 'simdjson' 'libcommon/json/(parser|valid_utf8)\.cc:'
confine 'boost/json' 'libcommon/json/'
confine 'boost/interprocess' 'libcommon/os/mutation_lock\.cc:'
confine 'curl/' 'libcommon/net/|tools/magi-(provider|web|mcp)/'
confine 'openssl/' 'libcommon/digest/|tools/magi-(provider|web|mcp)/'
confine 're2/' 'tools/magi-tool/'
confine 'utf8proc' 'tools/(magi-assess|magi-code/tui/text)/'
confine 'md4c' 'tools/magi-code/tui/transcript/|tools/magi-export/markdown_html\.cc:'
confine 'gumbo' 'tools/magi-web/'
confine 'vterm' 'nowhere'
confine '(iostream|regex|locale|fstream|sstream)>' 'nowhere'

# forbid PATTERN WHERE RULE: code (comments aside) that matches PATTERN stands in files that match WHERE only.
forbid() {
  { grep -nE "$1" "${products[@]}" || true; } | { grep -vE "^($2)|^[^:]*:[0-9]*: *//" || true; } |
    sed -E "s,^([^:]*:[0-9]*):.*,\1: $3," >>"$offences"
}
forbid '\b(getenv|secure_getenv|setenv|putenv)\(|\benviron\b' 'tools/magi-confine/' 'the environment is read in main only'
forbid '\bstd::(cout|cerr|clog)\b|\b(printf|puts|perror)\(' 'nowhere' 'output goes through libcommon/tool'
# Beside main: what runs between fork and exec, the launcher of commands, and the second Ctrl-C.
forbid '(^|[^.>~_a-z])(_exit|exit|quick_exit)\(|\bstd::abort\(' \
  'libcommon/tool/|libcommon/os/child|tools/magi-confine/|tools/magi-code/command/interrupts\.cc|tools/magi-code/tui/app/interface\.cc' 'only main ends the process'
forbid '(^|[^"])\bthrow\b' 'nowhere' 'errors are values'
forbid '\bsystem\(|\bpopen\(' 'nowhere' 'children are started by os::spawn'
forbid '"[^"]*(\.locks|\.history|event-id-sequence|\.meta\.json|settings\.schema\.json|\.lease)[^"]*"' \
  'libcommon/session/paths\.' 'paths come from libcommon/session/paths.h'
forbid '\b(TODO|FIXME|XXX)\b' 'nowhere' 'unfinished'

# The name of an event or record stands in names.h only.  The same word as the name of a field is another thing, and so
# is a provider's wire format or another program's file.
names=$(sed -nE 's/.*std::string_view k[A-Za-z]+ = "([a-z_]+)";.*/\1/p' libcommon/event/names.h | paste -sd '|')
if [[ -n $names ]]; then
  # Words with an underscore mean nothing else; plain ones ("text", "model") count where they are compared with a type.
  long=$(tr '|' '\n' <<<"$names" | grep _ | paste -sd '|')
  fields='(required|optional|find|key|is|contains|at|option|flag|operand|subcommand|string)\([^"]*"'
  {
    grep -nE "\"($long)\"" "${products[@]}" || true
    grep -nE "(type|kType|kind)[a-z_]*(\(\))? *(==|!=|=) *\"($names)\"" "${products[@]}" || true
  } | { grep -vE "^libcommon/event/names\.h:|^tools/magi-provider/(responses|messages|chat)_|^tools/magi-replay/from_|^[^:]*:[0-9]*: *//|$fields($names)\"" || true; } |
    sed -E 's,^([^:]*:[0-9]*):.*,\1: names of events and records stand in libcommon/event/names.h,' >>"$offences"
fi

# Sizes: no file over 500 lines, no main.cc over 40.
wc -l "${sources[@]}" | awk '$2 != "total" && $1 > 500 { print $2 ":1: over 500 lines (" $1 ")" }
  $2 ~ /^tools\/.*\/main\.cc$/ && $1 > 40 { print $2 ":1: main.cc over 40 lines (" $1 ")" }' >>"$offences"
for header in $(printf '%s\n' "${sources[@]}" | grep '\.h$'); do
  grep -q '^#pragma once' "$header" || echo "$header:1: no #pragma once" >>"$offences"
done

sort -t: -k1,1 -k2,2n "$offences" | uniq
[[ ! -s $offences ]]
