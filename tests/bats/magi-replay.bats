load helper

GOLDEN=$MAGI_ROOT/tests/golden

# event TYPE ID PAYLOAD
event() {
  printf '{"event_type":"%s","event_id":"%s","timestamp":"2026-11-30T10:00:00.000Z","session_id":"s1","cwd":"/p","payload":%s}\n' \
    "$1" "$2" "$3"
}
say() { event user_input "$1" "{\"turn_id\":\"t$1\",\"text\":\"text $1\",\"origin\":\"user\"}"; }

# twenty: a session of twenty visible events, text 1 to text 20.
twenty() { local i; for i in $(seq 20); do say "$i"; done; }

# texts: the texts of the users in $output, joined with spaces.
texts() { jq -r 'select(.type == "user") | .text' <<<"$output" | tr '\n' ' '; }

# in_home ID: stores stdin as a session of the home.
in_home() {
  mkdir -p -m 700 "$MC_HOME" "$MC_HOME/sessions"
  cat >"$MC_HOME/sessions/$1.jsonl"
  chmod 600 "$MC_HOME/sessions/$1.jsonl"
}

@test "golden sessions give their streams and notices, from a file, a pipe and the home" {
  local dir
  for dir in "$GOLDEN"/*/; do
    magi-replay "$dir/in.jsonl" >out 2>err
    cmp out "$dir/out.jsonl"
    sed 's/^/magi-replay: /' "$dir/notices" | cmp - err
    magi-replay - <"$dir/in.jsonl" 2>/dev/null | cmp - "$dir/out.jsonl"
    cat "$dir/in.jsonl" | magi-replay 2>/dev/null | cmp - "$dir/out.jsonl"
    in_home golden <"$dir/in.jsonl"
    magi-replay golden 2>/dev/null | cmp - "$dir/out.jsonl"
  done
}

@test "the digest is over the exact bytes from conversation to before end" {
  magi-replay "$GOLDEN/parallel-calls/in.jsonl" >out
  local digest
  digest=$(jq -r 'select(.type == "end") | .digest' out)
  assert_equal "$digest" "sha256:$(head -n -1 out | sha256sum | cut -d' ' -f1)"
  assert_equal "$(tail -n 1 out | jq .items)" "$(($(wc -l <out) - 2))"
}

@test "SES-01: a line cut in the middle costs itself alone" {
  twenty >full.jsonl
  sed '10s/^\(.\{60\}\).*/\1/' full.jsonl >s.jsonl
  local before
  before=$(sha256sum s.jsonl)
  run_tool magi-replay ./s.jsonl
  assert_success
  assert_equal "$(texts)" "$(seq -f 'text %g' 20 | grep -vx 'text 10' | tr '\n' ' ')"
  assert_equal "${#stderr_lines[@]}" 1
  [[ $stderr == "magi-replay: skipped bad lines: line 10 ("* ]]
  assert_equal "$(sha256sum s.jsonl)" "$before"
}

@test "SES-02: a block of NUL bytes is one bad line" {
  { twenty | head -n 5; head -c 512 /dev/zero; echo; twenty | tail -n +6; } >s.jsonl
  run_tool magi-replay ./s.jsonl
  assert_success
  assert_equal "$(texts)" "$(seq -f 'text %g' 20 | tr '\n' ' ')"
  assert_equal "${#stderr_lines[@]}" 1
  assert_equal "$(jq -c 'select(.type == "end") | .read' <<<"$output")" '{"events":20,"skipped_lines":1,"torn_tail":false}'
}

@test "SES-04: only LF ends a record" {
  local text=$'a\xe2\x80\xa8b\xe2\x80\xa9c\xc2\x85d\xef\xbb\xbfe'  # U+2028 U+2029 U+0085 U+FEFF
  event user_input 1 "{\"turn_id\":\"t\",\"text\":\"$text\\u000bf\"}" >s.jsonl
  run_tool magi-replay ./s.jsonl
  assert_success
  assert_equal "$stderr" ""
  assert_equal "$(jq -r 'select(.type == "user") | .text' <<<"$output")" "$text"$'\vf'
}

@test "SES-08: a session of 1 GiB is streamed, and what a checkpoint replaced is not kept" {
  local line checkpoint
  line=$(event assistant_output 2 "{\"turn_id\":\"t\",\"text\":\"$(printf 'some text %.0s' {1..540})\",\"status\":\"completed\"}")
  checkpoint='{"summary":"so far","generation":1,"archive":{"path":".history/s1/0.jsonl","bytes":1,"sha256":"'$(printf '0%.0s' {1..64})'"}}'
  {
    yes "$line" | head -n 200000
    event compaction 3 "$checkpoint"
    yes "$line" | head -n 200
  } >s.jsonl
  (($(stat -c %s s.jsonl) > 1 << 30))
  local measured
  measured=$("$MAGI_BIN/../tests/magi-measure" --output out "$(command -v magi-replay)" "$PWD/s.jsonl")
  echo "$measured"
  assert_equal "$(jq .exit <<<"$measured")" 0
  (($(jq .rss <<<"$measured") <= 256 << 20))
  assert_equal "$(tail -n 1 out | jq -c '[.items, .read.events]')" '[202,200201]'
  rm s.jsonl
}

@test "SES-10: time grows with the lines and no faster" {
  # Twice the lines may take 2.5 times as long; three doublings stand for the case's two, in CPU time.
  awk 'BEGIN { for (i = 1; i <= 40000; i++) {
    type = i % 5 ? "context_cache" : "user_input"
    printf "{\"event_type\":\"%s\",\"event_id\":\"%x\",\"timestamp\":\"2026-11-30T10:00:00.000Z\",\"session_id\":\"s1\",\"cwd\":\"/p\",\"payload\":{\"turn_id\":\"t%d\",\"text\":\"progress %d of many\",\"hit\":false}}\n", type, i, i, i } }' >all.jsonl
  local n ms=()
  for n in 5000 40000; do
    head -n "$n" all.jsonl >s.jsonl
    local best=100000 try
    for try in 1 2 3 4 5; do
      local t
      t=$({ TIMEFORMAT='%3U %3S'; time magi-replay ./s.jsonl >/dev/null; } 2>&1 | awk '{ print int(($1 + $2) * 1000) }')
      ((t < best)) && best=$t
    done
    ms+=("$best")
  done
  echo "5000 lines: ${ms[0]} ms, 40000 lines: ${ms[1]} ms"
  ((ms[1] <= (ms[0] + 4) * 16))
  ((ms[1] < 4000))
}

@test "CMP-02: no result without its call after two compactions" {
  local archive='"archive":{"path":".history/s1/0.jsonl","bytes":1,"sha256":"'$(printf '0%.0s' {1..64})'"}'
  local call='"name":"read","arguments":"{}"' result='"result_id":"r","status":"success","output":"x"'
  {
    event tool_call 1 "{\"turn_id\":\"t\",\"call_id\":\"A\",$call}"
    event compaction 2 "{\"summary\":\"one\",\"generation\":1,$archive}"
    event tool_call 3 "{\"turn_id\":\"t\",\"call_id\":\"B\",$call}"
    event compaction 4 "{\"summary\":\"two\",\"generation\":2,$archive}"
    event tool_result 5 "{\"turn_id\":\"t\",\"call_id\":\"A\",$result}"
    event tool_result 6 "{\"turn_id\":\"t\",\"call_id\":\"B\",$result}"
    say 7
  } >s.jsonl
  run_tool magi-replay ./s.jsonl
  assert_success
  refute_output --partial tool_
  [[ $stderr == *"results without a call, left out: line 5 ('A'), line 6 ('B')"* ]]
}

@test "a resumed turn whose last call has no result is answered as interrupted and the call is not run" {
  {
    say 1
    event tool_call 2 '{"turn_id":"t1","call_id":"A","name":"bash","arguments":"{}"}'
    event tool_call 3 '{"turn_id":"t1","call_id":"B","name":"bash","arguments":"{}"}'
    event tool_result 4 '{"turn_id":"t1","call_id":"B","result_id":"rB","status":"success","output":"b"}'
  } >s.jsonl
  run_tool magi-replay ./s.jsonl
  assert_success
  assert_equal "$(jq -c 'select(.type == "tool_result") | [.call_id, .status]' <<<"$output" | tr '\n' ' ')" '["A","cancelled"] ["B","success"] '
  [[ $(jq -r 'select(.call_id == "A" and .type == "tool_result") | .output' <<<"$output") == "[interrupted: "* ]]
  [[ $stderr == *"calls without a result, answered as cancelled: line 2 ('A')"* ]]
}

@test "SHL-07: both sides of a cut are whole characters" {
  local lead
  for lead in '' x xx xxx; do
    {
      say 1
      event tool_call 2 '{"turn_id":"t1","call_id":"A","name":"bash","arguments":"{}"}'
      printf '{"event_type":"tool_result","event_id":"3","session_id":"s1","payload":{"turn_id":"t1","call_id":"A","result_id":"r","status":"success","output":"%s' "$lead"
      printf '\360\237\246\212%.0s' {1..30000}
      printf '"}}\n'
      event turn_status 4 '{"turn_id":"t1","status":"completed"}'
    } >s.jsonl
    LC_ALL=C.UTF-8 magi-replay ./s.jsonl >out
    iconv -f UTF-8 -t UTF-8 out >/dev/null
    assert_equal "$(jq -c 'select(.type == "tool_result") | [.omitted_chars, (.output | length) < 12100, (.output | test("\ufffd"))]' out)" \
      "[$((18000 + ${#lead})),true,false]"
  done
}

@test "D1: what is local is in no stream" {
  local kind
  {
    say 1
    for kind in hook_diagnostic hook_lifecycle context_cache session_title diagnostic reasoning_summary provider_stream_trace \
      session_usage rewind abort_recovery session_active_time ttsr_injection skill_suggestion task_scope tool_display_result \
      assistant_chunk code_mode_warning code_mode_assessment never_heard_of; do
      event "$kind" 7 '{"turn_id":"t1","text":"LOCAL","message":"LOCAL","title":"LOCAL","summary":"LOCAL","model":"m"}'
    done
    event assistant_output 9 '{"turn_id":"t1","text":"answer","status":"completed"}'
  } >s.jsonl
  run_tool magi-replay ./s.jsonl
  assert_success
  refute_output --partial LOCAL
  assert_equal "$(jq -r .type <<<"$output" | tr '\n' ' ')" 'conversation user assistant end '
}

@test "--no-digest leaves out the digest and nothing else" {
  local dir
  for dir in "$GOLDEN"/*/; do
    magi-replay --no-digest "$dir/in.jsonl" 2>/dev/null | cmp - <(sed 's/,"digest":"[^"]*"//' "$dir/out.jsonl")
  done
}

@test "--from reads what other agents keep, and refuses what is none of it" {
  cat >codex.jsonl <<'END'
{"timestamp":"T","type":"session_meta","payload":{"id":"abc-1","cwd":"/p"}}
{"timestamp":"T","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}}
{"timestamp":"T","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi."}]}}
END
  run_tool magi-replay --from codex codex.jsonl
  assert_success
  assert_equal "$stderr" ""
  assert_equal "$(jq -r 'select(.text) | .text' <<<"$output" | tr '\n' ' ')" 'hello Hi. '
  assert_equal "$(jq -r 'select(.type == "conversation") | .session_id' <<<"$output")" abc-1
  assert_equal "$output" "$(magi-replay --from codex - <codex.jsonl)"
  assert_equal "$output" "$(cat codex.jsonl | magi-replay --from codex)"
  run_tool magi-replay --from pi codex.jsonl
  assert_one_error magi-replay 1
  printf 'PK\003\004rest' >export.zip
  run_tool magi-replay --from codex export.zip
  assert_one_error magi-replay 1
  [[ $stderr == *ZIP* ]]
  run_tool magi-replay --from cursor codex.jsonl
  assert_one_error magi-replay 2
  run_tool magi-replay --from claude nosuch
  assert_one_error magi-replay 1
}

@test "recorded sessions of other agents become streams that can be counted" {
  local shared=${MAGI_SHARED:-$MAGI_ROOT/../shared} file from
  [ -d "$shared/fixtures/sessions" ] || skip "no recordings: MAGI_SHARED names the folder that holds fixtures/sessions"
  for file in "$shared"/fixtures/sessions/*.jsonl; do
    from=$(basename "$file")
    from=${from%%-*}
    magi-replay --from "${from/claudecode/claude}" "$file" 2>/dev/null | magi-tokens --json 2>/dev/null | jq -e '.total > 0' >/dev/null
  done
}

@test "CLI-02: notices are on stderr, stdout is JSON Lines alone" {
  { say 1; echo broken; say 2; } >s.jsonl
  magi-replay ./s.jsonl 2>err | jq -c . >/dev/null
  assert_equal "$(wc -l <err)" 1
}

@test "--until stops before the event, and an unknown one is an error" {
  twenty | magi-replay --until 4 >out
  assert_equal "$(jq -r 'select(.type == "user") | .text' out | tail -n 1)" "text 3"
  run_tool magi-replay --until zz - < <(twenty)
  assert_one_error magi-replay 1
}

@test "--pretty cannot control the terminal" {
  {
    event user_input 1 '{"turn_id":"t","text":"red \u001b[31m bell \u0007 \u202e txt.exe\nsecond\tline"}'
    event assistant_output 2 '{"turn_id":"t","text":"half","status":"cancelled"}'
  } >s.jsonl
  run_tool magi-replay --pretty ./s.jsonl
  assert_success
  assert_line "  red \\x1b[31m bell \\x07 \\u{202e} txt.exe"
  assert_line $'  second\tline'
  assert_line "assistant (cancelled)"
  refute_output --partial $'\033'
}

@test "child sessions and operands that are files are found" {
  mkdir -p -m 700 "$MC_HOME" "$MC_HOME/sessions" "$MC_HOME/sessions/subagents"
  (umask 077; say 1 >"$MC_HOME/sessions/subagents/kid.jsonl")
  run_tool magi-replay child:kid
  assert_success
  assert_output --partial "text 1"
  say 2 >plain.jsonl
  chmod 644 plain.jsonl
  run_tool magi-replay plain.jsonl
  assert_output --partial "text 2"
}

@test "what cannot be read is one clear error" {
  run_tool magi-replay nosuch
  assert_one_error magi-replay 1
  [[ $stderr == *"no session 'nosuch'"* ]]
  run_tool magi-replay ./nosuch.jsonl
  assert_one_error magi-replay 1
  run_tool magi-replay .
  assert_one_error magi-replay 1
  run_tool magi-replay "bad id"
  assert_one_error magi-replay 2
  run_tool magi-replay child:
  assert_one_error magi-replay 2
  run_tool magi-replay --nonsense
  assert_one_error magi-replay 2
  run_tool magi-replay --until
  assert_one_error magi-replay 2
  run_tool env -u HOME -u MC_HOME magi-replay some
  assert_one_error magi-replay 2
  run_tool magi-replay --home relative some
  assert_one_error magi-replay 2
  mkdir -p -m 700 "$MC_HOME" "$MC_HOME/sessions"
  say 1 >real.jsonl
  ln -s "$PWD/real.jsonl" "$MC_HOME/sessions/linked.jsonl"
  run_tool magi-replay linked
  assert_one_error magi-replay 1
}

@test "CLI-05: closed descriptors end it, and nothing else happens" {
  say 1 >s.jsonl
  local before
  before=$(sha256sum s.jsonl)
  run timeout 5 bash -c 'magi-replay ./nosuch.jsonl 2>&-'
  assert_equal "$status" 1
  run timeout 5 bash -c 'magi-replay ./s.jsonl >&-'
  assert_equal "$status" 1
  run timeout 5 bash -c 'magi-replay ./nosuch.jsonl >&- 2>&-'
  assert_equal "$status" 1
  assert_equal "$(sha256sum s.jsonl)" "$before"
}

@test "a reader that goes away ends it quietly" {
  local i
  for i in $(seq 400); do
    event assistant_output "$i" "{\"turn_id\":\"t\",\"text\":\"$(printf 'x%.0s' {1..2000})\",\"status\":\"completed\"}"
  done >s.jsonl
  run_tool bash -c 'magi-replay ./s.jsonl | head -n 1 >/dev/null; exit "${PIPESTATUS[0]}"'
  assert_equal "$status" 141
  assert_equal "$stderr" ""
}

@test "an empty session is an empty conversation" {
  : >s.jsonl
  run_tool magi-replay ./s.jsonl
  assert_success
  assert_equal "${#lines[@]}" 2
  assert_equal "$(jq -c 'select(.type == "end") | [.items, .read]' <<<"$output")" \
    '[0,{"events":0,"skipped_lines":0,"torn_tail":false}]'
}
