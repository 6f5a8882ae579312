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
  assert_output "$(printf 'a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdbcdefg' | magi-tokens --text)"
  [[ $stderr == *"3 bytes are not UTF-8"* ]]
}

@test "--text counts files like wc, exactly, with any number of threads" {
  printf 'hello world' >a
  printf 'h\xc3\xa9llo, world' >b
  run_tool magi-tokens --text a b
  assert_success
  assert_equal "$output" $'2 a\n4 b\n6 total'
  assert_equal "$stderr" ""
  run_tool magi-tokens --text --json a b
  assert_equal "$output" '{"total":6,"method":"o200k_base","replaced_bytes":0,"files":[{"name":"a","tokens":2},{"name":"b","tokens":4}]}'
  run_tool magi-tokens --text a nosuch b
  assert_equal "$status" 1
  assert_equal "$output" $'2 a\n4 b\n6 total'
  run_tool magi-tokens --text <a
  assert_output 2
  run_tool magi-tokens --text -m gpt-5 --provider openai - <a
  assert_output "2 -"
  seq 200000 | sed 's/$/ lines of text, and no end/' >long
  local one
  one=$(magi-tokens --text --threads 1 long)
  assert_equal "$(magi-tokens --text --threads 3 long)" "$one"
  assert_equal "$(magi-tokens --ids long | wc -w) long" "$one"
}

@test "--ids and --decode are each other's inverse, and special tokens are ordinary text" {
  printf 'a <|endoftext|>\n\n  \xe6\xbc\xa2\xe5\xad\x97 1234567\t' >a
  : >empty
  run_tool magi-tokens --ids a empty
  assert_success
  assert_equal "${#lines[@]}" 1
  assert_equal "$(magi-tokens --ids a empty | wc -l)" 2
  magi-tokens --ids a | magi-tokens --decode >back
  cmp a back
  assert_equal "$(echo '[13225, 2375]' | magi-tokens --decode)" "Hello world"
  assert_equal "$(echo 199999 | magi-tokens --decode)" "<|endoftext|>"
  local bad
  for bad in x 199998 -1 99999999999999999999999; do
    run_tool magi-tokens --decode <<<"$bad"
    assert_one_error magi-tokens 1
    [[ $stderr == *"not a token"* ]]
  done
}

@test "--truncate writes the longest prefix within its tokens that ends on a character" {
  assert_equal "$(printf 'the quick brown fox' | magi-tokens --truncate 3)" "the quick brown"
  assert_equal "$(printf 'the quick' | magi-tokens --truncate 300)" "the quick"
  # Each of these is two tokens, of which one alone is no character.
  printf '\xf0\x9f\xab\xa0\xf0\x9f\xab\xa0' >f
  magi-tokens --truncate 4 f | head -c 4 >one
  assert_equal "$(magi-tokens --text <one)" 3
  assert_equal "$(magi-tokens --truncate 2 f)" ""
  assert_equal "$(magi-tokens --truncate 3 f)" "$(cat one)"
  # It reads no more than it needs.
  assert_equal "$(yes | magi-tokens --truncate 4)" $'y\ny'
}

@test "TOK-01: long runs and unbroken texts take time in proportion to their length" {
  local char size
  for char in a _ ' ' $'\u6f22'; do
    for size in 1 2; do
      printf "%0$((size * 1048576 / ${#char}))d" 0 | sed "s/0/$char/g" | LC_ALL=C head -c $((size * 1048575)) >"run$size"
      timeout 20 magi-tokens --text <"run$size" >"count$size"
    done
    # Twice the length is twice the tokens: nothing was given up on.
    (($(<count2) >= 2 * $(<count1) - 2 && $(<count2) <= 2 * $(<count1) + 2))
  done
  # The counts of the reference vectors.
  assert_equal "$(head -c 1048576 /dev/zero | tr '\0' a | magi-tokens --text)" 131072
  assert_equal "$(head -c 1048576 /dev/zero | tr '\0' ' ' | magi-tokens --text)" 8192
}

@test "TOK-02: strings of special tokens are ordinary text" {
  run_tool magi-tokens --ids < <(printf '<|endoftext|><|im_start|>')
  assert_success
  assert_output "27 91 419 1440 919 91 3784 91 321 10949 91 29"
  run_tool magi-tokens --json < <(conversation '<|endoftext|><|im_start|>' openai-codex gpt-5-codex)
  assert_success
  assert_equal "$(field '[.method, .kinds.user] | @json')" '["o200k_base",16]'
}

@test "TOK-04: a result of 1 MiB of base64 counts as exactly the tokens that it is" {
  local text=blob
  head -c 786432 /dev/urandom | base64 -w 0 >"$text"
  {
    printf '{"type":"conversation","version":1,"provider":"openai-codex","model":"gpt-5-codex"}\n{"type":"tool_result","call_id":"c","output":"'
    cat "$text"
    printf '"}\n{"type":"end"}\n'
  } >stream
  run_tool magi-tokens --json <stream
  assert_success
  assert_equal "$(field '[.method, .kinds.tool_result] | @json')" "[\"o200k_base\",$(($(magi-tokens --text <"$text") + 4))]"
  (($(field .total) > 600000))
}

@test "TOK-11: five hundred checks of a growing session count each record once" {
  local i
  for ((i = 0; i < 500; i++)); do printf '{"type":"user","text":"turn %d %s"}\n' "$i" "$(characters 400)"; done >history
  for ((i = 1; i <= 500; i++)); do
    echo '{"type":"conversation","version":1,"provider":"openai-codex","model":"gpt-5-codex"}'
    head -n "$i" history
    echo '{"type":"end"}'
  done | timeout 60 magi-tokens --serve >reports
  assert_equal "$(wc -l <reports)" 500
  assert_equal "$(tail -n 1 reports | jq .total)" \
    "$({ echo '{"type":"conversation","version":1,"provider":"openai-codex","model":"gpt-5-codex"}'; cat history; echo '{"type":"end"}'; } | magi-tokens --json | jq .total)"
}

@test "where exact counting is needed and cannot be had, that is said" {
  local args
  printf 'x' >f
  for args in '--ids' '--decode' '--truncate 5' '--text' '--text --strict'; do
    # shellcheck disable=SC2086
    run_tool magi-tokens $args --provider anthropic -m claude-x f
    assert_one_error magi-tokens 2
    [[ $stderr == *"no exact table for 'anthropic/claude-x'"* ]]
  done
  run_tool magi-tokens --strict < <(conversation hi)
  assert_one_error magi-tokens 2
  [[ $stderr == *"no exact table for 'openai/x'"* ]]
  run_tool magi-tokens --strict --json < <(conversation hi openai gpt-5)
  assert_success
  assert_equal "$(field .method)" o200k_base
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
  for args in --nonsense --model --truncate '--truncate 0' '--truncate x' '--ids --text' '--serve --check' 'file' '--text --check' '--text --serve' '--ids --json' '--truncate 3 a b' '--threads 0'; do
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

@test "the reference vectors of o200k_base agree" {
  local check=${MAGI_SHARED:-$MAGI_ROOT/../shared}/bench/check-tokens.py
  [[ -f $check ]] || skip "no vectors: MAGI_SHARED names the folder that holds bench/check-tokens.py"
  run python3 "$check" "$(command -v magi-tokens)"
  assert_success
}
