#!/usr/bin/env bats
# scripts/bench measures and says what it could not measure; the figures themselves are no test's business.
load helper

bench() { run --separate-stderr python3 -B "$MAGI_ROOT/scripts/bench" --build "$MAGI_BIN/.." --home-dir "$BATS_TEST_TMPDIR" "$@"; }

@test "one table of figures, the same as JSON, with another command beside ours" {
  local other="$MAGI_BIN/magi-code --home {home} --base-url {url} -m mock-model --permissions full -p"
  bench --runs 1 --only start,turn,disk --json figures.json --beside other "$other"
  assert_success
  [[ ${lines[0]} == figure*goal*magi-code*other ]]
  refute_output --partial 'note: magi-code'
  refute_output --partial 'note: other'
  for label in 'start: magi-code --version, ms' 'one turn: wall, ms' 'one turn: exec to request, ms' \
    'one turn: peak RSS of the tree, MB' 'fdatasync of an append, ms'; do
    [[ $output == *"$label"* ]]
    [ "$(jq --arg l "$label" '.[$l]["magi-code"] | type' figures.json)" = '"number"' ]
  done
  [ "$(jq '.["one turn: wall, ms"].other > 0' figures.json)" = true ]
}

@test "a command that cannot be measured is a note, not a figure" {
  bench --runs 1 --only turn --beside broken 'false'
  assert_success
  assert_output --partial 'note: broken, one turn: exit 1'
}

@test "an unknown part is refused" {
  bench --only nonsense
  assert_equal "$status" 2
}

@test "magi-measure counts processes that a command leaves behind" {
  run "$MAGI_BIN/../tests/magi-measure" --grace 50 sh -c 'sleep 30 & exit 3'
  assert_success
  [ "$(jq -c '[.exit, .left]' <<<"$output")" = '[3,1]' ]
}
