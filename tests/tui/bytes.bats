# The bytes that reach the terminal: nothing hostile, no flicker, not too many.

load ../bats/helper
load ../bats/fake
load terminal

setup() {
  common_setup
  mkdir -p "$BATS_TEST_TMPDIR/repo"
  cd "$BATS_TEST_TMPDIR/repo"
}

teardown() {
  close_terminal
  stop_fake
}

@test "SEC-06: escapes in answers, results, file names and titles never reach the terminal" {
  local evil='\u001b]0;pwned-title\u0007\u001b]52;c;cHduZWQ=\u0007\u001b[2J\u001b[6n\u009b31m\u001bP1$r\u001b\\'
  printf 'x\033]0;pwned-file\007\033[5n' >out.txt
  start_fake '{"turns":[{"text":"'"$evil"'before","calls":[{"name":"bash","args":{"command":"cat out.txt; printf '"'"'\\033]0;pwned-tool\\007\\033[?1000h'"'"'"}}]},
    {"text":"'"$evil"'the end of it"}]}'
  open_terminal 100 30 "$(mission --permissions full)"
  see 'Current Ctx'
  record "$BATS_TEST_TMPDIR/bytes"
  say 'go'
  see 'the end of it'
  sleep 0.3
  run ! grep -aqF $'\x1b]0;' "$BATS_TEST_TMPDIR/bytes"
  run ! grep -aqF $'\x1b]52' "$BATS_TEST_TMPDIR/bytes"
  run ! grep -aqF $'\x1b[2J' "$BATS_TEST_TMPDIR/bytes"
  run ! grep -aqF $'\x1b[6n' "$BATS_TEST_TMPDIR/bytes"
  run ! grep -aqF $'\x1b[5n' "$BATS_TEST_TMPDIR/bytes"
  run ! grep -aqF $'\x1bP1$r' "$BATS_TEST_TMPDIR/bytes"
  run ! grep -aqF $'\x1b[?1000h' "$BATS_TEST_TMPDIR/bytes"
  run ! grep -aqP '\xc2[\x80-\x9f]' "$BATS_TEST_TMPDIR/bytes"
  run ! grep -aqP '(?<![\xc2-\xf4\x80-\xbf])[\x80-\x9f]' "$BATS_TEST_TMPDIR/bytes"
}

@test "TUI-10: streaming clears no screen, and writes little more than the text" {
  start_fake '{"turns":[{"text":"'"$(for n in {1..400}; do printf 'line %03d of the answer, with some words in it\\n\\n' "$n"; done)"'the end of it.","chunk":40,"delay":4}]}'
  open_terminal 80 24 "$(mission)"
  see 'Current Ctx'
  record "$BATS_TEST_TMPDIR/bytes"
  say 'go'
  see 'the end of it.' 30
  sleep 0.2
  run ! grep -aqE $'\x1b\\[[23]J' "$BATS_TEST_TMPDIR/bytes"
  # 400 lines of 46 bytes were shown: three times that, and the frames of a spinner.
  local size
  size=$(wc -c <"$BATS_TEST_TMPDIR/bytes")
  [ "$size" -lt 80000 ] || fail "$size bytes"
}

@test "TUI-15: a warning is shown once for each turn" {
  start_fake '{"turns":[{"repeat":12,"calls":[{"name":"bash","args":{"command":"echo {{i}}"}}],"usage":{"input":125000,"output":10}},{"text":"All done."}]}'
  open_terminal 100 40 "$(mission --permissions full --no-session --set agent.context.max_tokens=20000 --set agent.context.reserve_tokens=1000 --set agent.compaction.auto.threshold_tokens=100)"
  see 'Current Ctx'
  say 'go'
  see 'All done.' 30
  keys Tab
  keys g
  sleep 0.2
  [ "$(screen | grep -ci 'compact.*not stored\|cannot be compacted')" -le 1 ]
}
