load helper

# settings JSON: the user's settings.
settings() {
  mkdir -p -m 700 "$MC_HOME"
  printf '%s\n' "$1" >"$MC_HOME/settings.json"
  chmod 600 "$MC_HOME/settings.json"
}

# conversation TEXT [PROVIDER MODEL]: a stream of one user.
conversation() {
  printf '{"type":"conversation","version":1,"provider":"%s","model":"%s"}\n' "${2-openai}" "${3-x}"
  printf '{"type":"user","text":"%s"}\n{"type":"end"}\n' "$1"
}

# request N: a request record with N tools.
request() {
  printf '{"type":"request","instructions":"be brief","tools":[%s]}\n' \
    "$(for ((i = 0; i < $1; i++)); do printf '{"name":"tool%d","description":"d","parameters":{"type":"object"}},' "$i"; done | sed 's/,$//')"
}

# characters N: N letters.
characters() { head -c "$1" /dev/zero | tr '\0' a; }

field() { jq -r "$1" <<<"$output"; }

@test "the report has the keys of its man page, and the kinds add up" {
  run_tool bash -c 'magi-replay "$1" | magi-tokens --json' - "$MAGI_ROOT/tests/golden/parallel-calls/in.jsonl"
  assert_success
  assert_equal "$stderr" ""
  assert_equal "$(field 'keys_unsorted | join(" ")')" "total method fixed_overhead kinds max_tokens reserve_tokens usable compaction_cutoff percent fits sources replaced_bytes"
  assert_equal "$(field '.total - ([.kinds[]] | add)')" 0
  assert_equal "$(field '[.method, .fixed_overhead, .fits, .usable] | @json')" '["characters",null,true,111616]'
}

@test "the text report says what it is and that the fixed part is missing" {
  run_tool magi-tokens < <(conversation hello)
  assert_success
  assert_line --regexp '^total +6  estimate: characters$'
  assert_line --partial "not included: the stream has no request record"
  assert_line "fits"
}

@test "TOK-05: the window of the catalog is the maximum, an output limit never" {
  mkdir -p "$MC_HOME/cache/model-catalog"
  echo '{"models":[{"id":"y","max_output_tokens":9},{"id":"x","context_window":400000,"max_output_tokens":32000}]}' \
    >"$MC_HOME/cache/model-catalog/openai.json"
  run_tool magi-tokens --json < <(conversation "$(characters 399984)")
  assert_equal "$(field '[.total, .max_tokens, .percent, .sources.max_tokens] | @json')" '[100000,400000,25,"model catalog"]'
  run_tool magi-tokens --json -m y < <(conversation hi)
  assert_equal "$(field .max_tokens)" 128000
  run_tool magi-tokens --json --provider ../../openai < <(conversation hi)
  assert_equal "$(field .max_tokens)" 128000
  echo 'not json' >"$MC_HOME/cache/model-catalog/openai.json"
  run_tool magi-tokens --json < <(conversation hi)
  assert_success
  assert_equal "$(field .max_tokens)" 128000
  [[ $stderr == "magi-tokens: ignored: model catalog "* ]]
}

@test "TOK-07: tools cost exactly their definitions, and nothing left is never less than nothing" {
  local none forty
  none=$({ request 0; conversation hi; } | magi-tokens --json)
  forty=$({ request 40; conversation hi; } | magi-tokens --json)
  assert_equal "$(jq -n "$forty.total - $none.total")" "$(jq -n "$forty.kinds.tools")"
  assert_equal "$(jq -n "$forty.fixed_overhead - $none.fixed_overhead")" "$(jq -n "$forty.kinds.tools")"
  run_tool magi-tokens < <(conversation "$(characters 600000)")
  assert_success
  assert_line --regexp '^left +0 '
  assert_line "does not fit"
  run_tool magi-tokens < <(conversation "$(characters 399984)")
  assert_line --regexp '^left +28000  78.1% used$'
}

@test "TOK-08: an override, reserve included, is for exactly its model" {
  settings '{"agent":{"context":{"model_overrides":{"openai/x":{"max_tokens":64000,"reserve_tokens":16000}}}}}'
  local model
  for model in x:48000 x-mini:111616; do
    run_tool magi-tokens --json -m "${model%:*}" < <(conversation hi)
    assert_equal "$(field .usable)" "${model#*:}"
  done
  run_tool magi-tokens --json --provider other < <(conversation hi)
  assert_equal "$(field .usable)" 111616
  conversation "$(characters 200000)" | magi-tokens --check -m x-mini >/dev/null
  run -4 bash -c 'magi-tokens --check >/dev/null' < <(conversation "$(characters 200000)")
}

@test "TOK-10: the cut-off is rounded up, and thresholds out of bounds are errors that name the key" {
  settings '{"agent":{"context":{"max_tokens":100001}}}'
  run_tool magi-tokens --json < <(conversation hi)
  assert_equal "$(field .compaction_cutoff)" 80001
  local bad
  for bad in 0 101 '"80"' 'null,"threshold_tokens":null'; do
    settings "{\"agent\":{\"compaction\":{\"auto\":{\"threshold_percent\":$bad}}}}"
    run_tool magi-tokens --json < <(conversation hi)
    assert_equal "$status" 2
    assert_equal "$output" ""
    [[ $stderr == *agent.compaction.auto* ]]
  done
}

@test "half a conversation is an error, and so are unknown records" {
  run_tool magi-tokens </dev/null
  assert_one_error magi-tokens 1
  [[ $stderr == *"no conversation on stdin" ]]
  run_tool magi-tokens --json < <(conversation hi | head -n 2)
  assert_one_error magi-tokens 1
  [[ $stderr == *truncated* ]]
  run_tool magi-tokens < <(request 1)
  assert_one_error magi-tokens 1
  run_tool magi-tokens < <(echo '{"type":"news"}')
  assert_one_error magi-tokens 1
  run_tool magi-tokens < <(echo '{"type":"user","text":"a"}'; echo '{"type":"news","optional":true}')
  assert_success
  run_tool magi-tokens < <(echo 'plain text')
  assert_one_error magi-tokens 1
}

@test "input that is not UTF-8 counts as its replacement, and the report says so" {
  run_tool magi-tokens --json < <(printf '{"type":"user","text":"a\xff\xfe\xfdbcdefg"}\n')
  assert_success
  assert_equal "$(field '[.total, .replaced_bytes] | @json')" '[7,3]'
  run_tool magi-tokens --text < <(printf 'a\xff\xfe\xfdbcdefg')
  assert_output 3
  [[ $stderr == *"3 bytes are not UTF-8"* ]]
}

@test "--text counts files like wc and calls its counts estimates" {
  printf 'four' >a
  printf 'h\xc3\xa9llo, world' >b
  run_tool magi-tokens --text a b
  assert_success
  assert_equal "$output" $'1 a\n3 b\n4 total'
  [[ $stderr == *"estimated by characters"* ]]
  run_tool magi-tokens --text --json a b
  assert_equal "$(field '[.total, .method, .files[1].tokens] | @json')" '[4,"characters",3]'
  run_tool magi-tokens --text a nosuch b
  assert_equal "$status" 1
  assert_equal "$output" $'1 a\n3 b\n4 total'
  run_tool magi-tokens --text <a
  assert_output 1
}

@test "where exact counting is needed and cannot be had, that is said" {
  local args
  printf 'x' >f
  for args in '--ids f' '--decode f' '--truncate 5 f' '--text -m gpt-5 f' '--text --strict f'; do
    # shellcheck disable=SC2086
    run_tool magi-tokens $args
    assert_one_error magi-tokens 2
    [[ $stderr == *"no exact table"* ]]
  done
  run_tool magi-tokens --strict < <(conversation hi)
  assert_one_error magi-tokens 2
  [[ $stderr == *"no exact table for 'openai/x'"* ]]
}

@test "--serve answers each stream with one report and survives a bad one" {
  {
    request 2
    conversation hello
    conversation hello
    conversation hello | head -n 2
    request 1
    conversation hello
    echo '{"type":"user"'
    echo '{"type":"end"}'
    conversation good
  } | magi-tokens --serve >out
  assert_equal "$(jq -c '[.total, .error.category]' out | tr '\n' ' ')" \
    '[54,null] [6,null] [null,"bad_record"] [33,null] [null,"bad_record"] [5,null] '
}

@test "--serve answers while its input stays open" {
  mkfifo in
  magi-tokens --serve <in >out 3>&- &
  local pid=$!
  exec 8>in
  conversation one >&8
  wait_until 5 test -s out
  conversation two >&8
  wait_until 5 bash -c '(($(wc -l <out) == 2))'
  exec 8>&-
  wait "$pid"
}

@test "wrong options and broken settings are one clear error" {
  local args
  for args in --nonsense --model --truncate '--truncate 0' '--truncate x' '--ids --text' '--serve --check' 'file' '--text --check' '--text --serve'; do
    # shellcheck disable=SC2086
    run_tool magi-tokens $args </dev/null
    assert_one_error magi-tokens 2
  done
  settings '{"agent":}'
  run_tool magi-tokens < <(conversation hi)
  assert_one_error magi-tokens 2
  run_tool env -u HOME -u MC_HOME magi-tokens < <(conversation hi)
  assert_one_error magi-tokens 2
}
