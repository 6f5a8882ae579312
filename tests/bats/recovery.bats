load helper

FAKE=${MAGI_FAKE:-$MAGI_BIN/../tests/magi-fake-provider}

# cut KIND STEP
cut_everywhere() {
  run timeout 110 python3 -B "$MAGI_ROOT/tests/recovery/cut_everywhere.py" "$MAGI_BIN/magi-code" "$FAKE" "$BATS_TEST_TMPDIR" "$@"
  echo "$output"
  assert_success
}

@test "CLI-15: text cut behind each of its bytes is stored once and continued once" { cut_everywhere text 1; }

@test "CLI-15: a call cut behind each byte of its arguments runs whole or not at all" { cut_everywhere call 1; }

@test "CLI-15: a call behind text, cut at every fifth byte" { cut_everywhere both 5; }
