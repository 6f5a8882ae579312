#!/bin/bash
# The manual says what the programs do: pages are lint-clean, there is one per executable and no other, --help and
# OPTIONS name the same options, exit statuses are those of the house, and every "$ command" of EXAMPLES prints what the
# page shows.    scripts/check-man.sh [PAGE...]     Last line: "N passed, N failed".
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${MAGI_BIN:-$root/build/bin}
pages=("$@")
((${#pages[@]})) || pages=("$root"/man/*.[1-8])
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# check NAME COMMAND...: one test; its output is shown when it fails.
check() {
  local name=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: $name"
    sed 's/^/  /' "$work/out"
  fi
}

lint() { mandoc -T lint -W warning "$1"; }

sections() {
  local wanted missing=0
  for wanted in NAME DESCRIPTION 'SEE ALSO'; do
    grep -q "^\.Sh $wanted\$" "$1" || { echo "no section $wanted"; missing=1; }
  done
  if [[ $1 == *.1 ]]; then
    for wanted in SYNOPSIS OPTIONS 'EXIT STATUS' EXAMPLES; do
      grep -q "^\.Sh $wanted\$" "$1" || { echo "no section $wanted"; missing=1; }
    done
  fi
  return $missing
}

pages_and_executables() {
  diff <(for page in "$root"/man/*.1; do basename "$page" .1; done | sort) \
    <(for tool in "$bin"/*; do [[ -x $tool && -f $tool ]] && basename "$tool"; done | sort) |
    sed -n 's/^</page without executable:/p; s/^>/executable without page:/p' | { ! grep .; }
}

# The options in a --help: "-m", "--model".
help_options() { sed -nE 's/^  {1,6}(-.*)/\1/p' | sed -E 's/  .*//' | grep -oE '(^|[ ,])--?[A-Za-z0-9][A-Za-z0-9-]*' | tr -d ' ,'; }
# The same for an executable and all of its subcommands.
all_help_options() {
  "$bin/$1" "${@:2}" --help | help_options
  local subcommand
  for subcommand in $("$bin/$1" "${@:2}" --help | awk '/^Subcommands:/{on=1; next} /^$/{on=0} on && /^  [a-z]/{print $1}'); do
    all_help_options "$1" "${@:2}" "$subcommand"
  done
}
# In the page: the words behind Fl on lines of lists, up to the next macro.
page_options() {
  awk '/^\.It /{ fl = 0; for (i = 2; i <= NF; i++) {
    if ($i == "Fl") fl = 1
    else if ($i ~ /^[A-Z][a-z]$/) fl = 0
    else if (fl && $i ~ /^-?[A-Za-z0-9]/) print "-" $i } }' "$1" | sort -u
}

same_options() {
  diff <(page_options "$2") <(all_help_options "$1" | sort -u) |
    sed -n 's/^</in the page only:/p; s/^>/in --help only:/p' | { ! grep .; }
}

exit_statuses() {
  sed -n '/^\.Sh EXIT STATUS/,/^\.Sh [^E]/p' "$1" | sed -nE 's/^\.It (Li |Sy )?([0-9]+).*/\2/p' |
    { ! grep -vxE '0|1|2|3|4|130|141|143'; } && sed -n '/^\.Sh EXIT STATUS/,/^\.Sh [^E]/p' "$1" | grep -qE '^\.It|^\.Ex'
}

# The literal examples of a page as two files a piece: N.command, N.expected.
split_examples() {
  mandoc -T ascii -O width=240 "$1" | sed 's,.\x08,,g' | awk -v dir="$2" '
    /^[A-Z]/ { on = ($0 == "EXAMPLES"); flush_block(); next }
    !on { next }
    { match($0, /^ */); depth = RLENGTH }
    substr($0, depth + 1, 2) == "$ " { flush_block(); open = 1; indent = depth; n++; print substr($0, depth + 3) > (dir "/" n ".command"); text = ""; blank = ""; next }
    open && /^ *$/ { blank = blank "\n"; next }
    open && depth < indent { flush_block(); next }
    open { text = text blank substr($0, indent + 1) "\n"; blank = "" }
    END { flush_block() }
    function flush_block() { if (open) { printf "%s", text > (dir "/" n ".expected"); open = 0 } }
  '
}

run_example() {
  (
    cd "$1/scratch" || exit 1
    env -i PATH="$bin:/usr/bin:/bin" HOME="$1/home" MC_HOME="$1/home/.magi-code" LC_ALL=C.UTF-8 TZ=UTC COLUMNS=80 \
      timeout -k 2 30 bash -c "$(cat "$2.command")" </dev/null >"$1/actual" 2>&1
  )
  diff -u --label 'in the page' --label 'printed' "$2.expected" "$1/actual"
}

examples() {
  local dir=$work/${1##*/} number
  mkdir -p "$dir/scratch" "$dir/home"
  split_examples "$1" "$dir"
  for ((number = 1; ; number++)); do
    [[ -e $dir/$number.command ]] || break
    check "${1##*/}: example: $(cat "$dir/$number.command")" run_example "$dir" "$dir/$number"
  done
}

for page in "${pages[@]}"; do
  [[ -e $page ]] || continue
  name=${page##*/}
  check "$name: lint" lint "$page"
  check "$name: sections" sections "$page"
  if [[ $page == *.1 && -x $bin/${name%.1} ]]; then
    check "$name: options" same_options "${name%.1}" "$page"
    check "$name: exit statuses" exit_statuses "$page"
  fi
  examples "$page"
done
(($#)) || check 'a page for each executable' pages_and_executables
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
