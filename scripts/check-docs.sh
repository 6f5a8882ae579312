#!/bin/bash
# The documentation points at things that exist: relative links, scripts and man pages named in Markdown, options of
# commands in code blocks.      scripts/check-docs.sh      Last line: "N passed, N failed".
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${MAGI_BIN:-$root/build/bin}
cd "$root" || exit 1
passed=0 failed=0

verdict() {
  if [[ -z $2 ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL: %s\n%s\n' "$1" "$2"
  fi
}

# Links to files, relative to the page; an anchor is cut off.
broken_links() {
  local target
  grep -oE '\]\([^)#[:space:]]+' "$1" | sed 's/^](//' | grep -vE '^[a-z]+:' | while read -r target; do
    [[ -e $(dirname "$1")/$target ]] || echo "  no such file: $target"
  done
}

# `scripts/x` and `docs/x` in code spans and blocks.
missing_files() {
  local target
  grep -oE '\b(scripts|docs|prompts|tests|libcommon|tools|man)/[A-Za-z0-9_.{},/-]*[A-Za-z0-9_]' "$1" | sort -u | while read -r target; do
    [[ $target == *[{}]* || -e $target ]] || compgen -G "$target*" >/dev/null || echo "  no such file: $target"
  done
}

# name(1) needs man/name.1.
missing_pages() {
  local page
  grep -oE '\bmagi-[a-z]+\([1-8]\)' "$1" | sort -u | sed -E 's/\(([1-8])\)/.\1/' | while read -r page; do
    [[ -e man/$page ]] || echo "  no such page: man/$page"
  done
}

# --options on lines that call one of our executables, against its --help (subcommands included).
unknown_options() {
  local tool rest option
  sed 's/magi-/\nmagi-/g' "$1" | grep -oE '^magi-[a-z]+ [^|`]*' | while read -r tool rest; do
    [[ -x $bin/$tool ]] || continue
    grep -oE -- '(^| )--[a-z][a-z-]+' <<<"$rest" | while read -r option; do
      all_help "$tool" | grep -qE -- "$option\b" || echo "  $tool has no $option"
    done
  done | sort -u
}

all_help() {
  "$bin/$1" "${@:2}" --help 2>/dev/null
  local subcommand
  for subcommand in $("$bin/$1" "${@:2}" --help | awk '/^Subcommands:/{on=1; next} /^$/{on=0} on && /^  [a-z]/{print $1}'); do
    all_help "$1" "${@:2}" "$subcommand"
  done
}

# docs/conformance.md: the tests that it names are there, and so are the cases behind the name of a Bats file.
missing_tests() {
  local name file cases id
  grep -oE '\b(unit|fault)/[a-z-]+(/[a-z_]+_test)?\b' "$1" | sort -u | while read -r name; do
    [[ -e tests/$name.cc || -e tests/$name ]] || echo "  no such test: $name"
  done
  grep -oE '\bgolden/[a-z-]+' "$1" | sort -u | while read -r name; do
    [[ -d tests/$name ]] || echo "  no such session: $name"
  done
  grep -oE '\b[a-z-]+\.bats( \([^)]*\))?' "$1" | sort -u | while read -r file cases; do
    found=$(ls tests/bats/"$file" tests/tui/"$file" 2>/dev/null) || true
    [[ -n $found ]] || { echo "  no such file: $file"; continue; }
    grep -oE '\b[A-Z]{3}-[0-9]{2}\b' <<<"$cases" | while read -r id; do
      grep -q "$id" "$found" || echo "  $file has no case $id"
    done
  done
}

while read -r page; do
  verdict "$page: links" "$(broken_links "$page")"
  verdict "$page: files" "$(missing_files "$page")"
  verdict "$page: man pages" "$(missing_pages "$page")"
  verdict "$page: options" "$(unknown_options "$page")"
  [[ $page != docs/conformance.md ]] || verdict "$page: tests" "$(missing_tests "$page")"
done < <(find README.md CONTRIBUTING.md docs -name '*.md' 2>/dev/null | sort)
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
