# magi-compact as a process: what is sent, what is taken, what the disk holds afterwards.

load helper
load fake

setup() {
  common_setup
  mkdir -m 700 -p "$MC_HOME/sessions"
}

teardown() { stop_fake; }

# event TYPE N PAYLOAD: a line of session s1.
event() {
  printf '{"event_type":"%s","event_id":"%x","timestamp":"2026-11-30T10:%02d:%02d.000Z","session_id":"s1","cwd":"/project","payload":%s}\n' \
    "$1" "$2" $(($2 / 60 % 60)) $(($2 % 60)) "$3"
}

# turns FROM TO: whole turns, each with an edit.
turns() {
  local n
  for ((n = $1; n <= $2; n++)); do
    event user_input $((n * 10)) "{\"turn_id\":\"t$n\",\"text\":\"question $n, which is long enough to be worth a summary\",\"origin\":\"user\"}"
    event tool_call $((n * 10 + 1)) "{\"turn_id\":\"t$n\",\"call_id\":\"c$n\",\"name\":\"edit\",\"arguments\":\"{}\"}"
    event tool_result $((n * 10 + 2)) "{\"turn_id\":\"t$n\",\"call_id\":\"c$n\",\"result_id\":\"r$n\",\"status\":\"success\",\"output\":\"edited\",\"execution_effects\":{\"kind\":\"edit\",\"mutations\":1,\"paths\":[\"file$n.c\"],\"shell_calls\":0}}"
    event assistant_output $((n * 10 + 3)) "{\"turn_id\":\"t$n\",\"text\":\"answer $n\",\"status\":\"completed\"}"
    event turn_status $((n * 10 + 4)) "{\"turn_id\":\"t$n\",\"status\":\"completed\"}"
  done
}

SESSION() { printf '%s' "$MC_HOME/sessions/s1.jsonl"; }

# make_session [TURNS]
make_session() {
  turns 1 "${1:-10}" >"$(SESSION)"
  chmod 600 "$(SESSION)"
  cp "$(SESSION)" "$BATS_TEST_TMPDIR/before"
}

# summary TEXT [MORE]: a server that answers requests without tools with TEXT.
summary() { start_fake "{\"strict\":true,\"no_tools\":{\"text\":$(jq -n --arg t "$1" '$t')${2:+,$2}},\"turns\":[{\"text\":\"not asked\"}]}"; }

compact() { magi-compact --base-url "$FAKE_URL/v1" -m mock-model "$@" </dev/null; }

assert_untouched() {
  cmp "$(SESSION)" "$BATS_TEST_TMPDIR/before"
  [ ! -e "$MC_HOME/sessions/.history/s1/0.jsonl" ]
  run find "$MC_HOME" -name '.tmp*'
  [ -z "$output" ]
}

@test "CMP-07: the request holds all turns with calls and results, no tools, and the prompt" {
  make_session
  summary 'All ten questions were answered.'
  run_tool compact s1 --instructions 'keep the numbers'
  [ "$status" -eq 0 ]
  assert_no_problems
  [ "$(fake_count)" -eq 1 ]
  [ "$(fake_request 1 .tools)" = 0 ]
  [ "$(fake_body 1 'has("tools")')" = false ]
  [ "$(fake_body 1 '[.messages[] | select(.role == "user")] | length')" -eq 11 ]
  [ "$(fake_body 1 '[.messages[] | select(.role == "tool")] | length')" -eq 10 ]
  [[ $(fake_body 1 '.messages[0].content | tostring') == *'replaces a coding agent'* ]]
  [[ $(fake_body 1 '.messages[-1].content | tostring') == *'Recorded evidence'*'file1.c'*'keep the numbers'* ]]
}

@test "CMP-07: a blank answer, a refusal or a cut one changes nothing" {
  make_session
  local answer
  for answer in '"text":""' '"text":"   \n "' '"text":"I'"'"'m sorry, but I cannot help with that."' \
    '"text":"There is no conversation to summarise."' '"text":"half a summary","finish":"length"' \
    '"calls":[{"name":"bash","args":{}}]'; do
    start_fake "{\"no_tools\":{$answer},\"turns\":[{\"text\":\"x\"}]}"
    run_tool compact s1
    assert_one_error magi-compact 1
    assert_untouched
  done
}

@test "a summary must be smaller than what it replaces" {
  make_session
  summary "$(head -c 20000 /dev/zero | tr '\0' w)"
  run_tool compact s1
  assert_one_error magi-compact 1
  [[ $stderr == *'no less than'* ]]
  assert_untouched
}

@test "the archive has the old bytes, the session the checkpoint, and both are private" {
  make_session
  summary 'All ten questions were answered.'
  umask 000
  run_tool compact s1 --json
  [ "$status" -eq 0 ]
  cmp "$MC_HOME/sessions/.history/s1/0.jsonl" "$BATS_TEST_TMPDIR/before"
  [ "$(jq -r .archive.sha256 <<<"$output")" = "$(sha256sum <"$BATS_TEST_TMPDIR/before" | cut -d' ' -f1)" ]
  [ "$(jq -r .archive.path <<<"$output")" = "$MC_HOME/sessions/.history/s1/0.jsonl" ]
  [ "$(jq .generation <<<"$output")" = 1 ]
  [ "$(jq '.tokens_before > .tokens_after' <<<"$output")" = true ]
  [ "$(wc -l <"$(SESSION)")" -eq 1 ]
  run jq -rc '[.event_type, .payload.summary, .payload.trigger, .payload.archive.path, .payload.archive.bytes] | @tsv' "$(SESSION)"
  [ "$output" = "compaction	All ten questions were answered.	manual	.history/s1/0.jsonl	$(stat -c %s "$BATS_TEST_TMPDIR/before")" ]
  # SEC-01
  run find "$MC_HOME" \( -type f ! -perm 600 -o -type d ! -perm 700 \) ! -path "$MC_HOME"
  [ -z "$output" ]
}

@test "CMP-16: listing, replay and accounting go on under the same ID" {
  make_session
  {
    event session_title 900 '{"title":"Ten questions"}'
    event session_usage 901 '{"run_id":"r","request_sequence":1,"input_tokens":1000,"output_tokens":50}'
  } >>"$(SESSION)"
  summary 'All ten questions were answered.' '"usage":{"input":70,"output":7}'
  compact s1
  run magi-code sessions list
  [[ $output == s1*'Ten questions' ]]
  run jq -rc '.payload.carried | [.title, .first_prompt[0:10], .worktree, .usage.requests, .usage.input_tokens, .usage.output_tokens] | join(",")' "$(SESSION)"
  [ "$output" = "Ten questions,question 1,/project,2,1070,57" ]
  run jq -c '[.inode, .length]' "$MC_HOME/sessions/s1.meta.json"
  [ "$output" = "[$(stat -c %i,%s "$(SESSION)")]" ]
  magi-code sessions show s1 >shown
  grep -q 'All ten questions were answered' shown
  grep -q '^usage       2 requests, 1070 tokens in' shown
}

@test "CMP-17: effects name every path, and the next request says what a clean tree does not prove" {
  turns 1 2 >"$(SESSION)"
  event tool_call 501 '{"turn_id":"t3","call_id":"c3","name":"edit","arguments":"{}"}' >>"$(SESSION)"
  event tool_result 502 '{"turn_id":"t3","call_id":"c3","result_id":"r3","status":"error","output":"half","execution_effects":{"kind":"edit","mutations":1,"paths":["file3.c"],"partial":true,"shell_calls":0}}' >>"$(SESSION)"
  chmod 600 "$(SESSION)"
  summary 'Three files were edited.'
  compact s1
  run jq -c '.payload.execution_effects | [.complete, .mutations, .partial_calls, .paths, .partial_paths]' "$(SESSION)"
  [ "$output" = '[true,3,1,["file1.c","file2.c","file3.c"],["file3.c"]]' ]
  run magi-replay s1
  [[ $output == *'a clean diff or status does not mean that nothing was written'* ]]
}

@test "CMP-14: twenty compactions: bounded session, immutable generations, counters that add up" {
  make_session 1
  summary 'What was said so far.'
  local n first
  for ((n = 1; n <= 20; n++)); do
    compact s1 >/dev/null
    [ "$n" -gt 1 ] || first=$(stat -c %s "$(SESSION)")
    [ "$n" -eq 20 ] || turns $((n + 1)) $((n + 1)) >>"$(SESSION)"
    sha256sum "$MC_HOME/sessions/.history/s1/$((n - 1)).jsonl" >>sums
  done
  [ "$(stat -c %s "$(SESSION)")" -lt $((3 * first)) ]
  [ "$(find "$MC_HOME/sessions/.history/s1" -type f | wc -l)" -eq 20 ]
  sha256sum --quiet -c sums
  run jq -c '.payload | [.generation, .execution_effects.mutations, .execution_effects.results, (.execution_effects.paths | length)]' "$(SESSION)"
  [ "$output" = '[20,20,20,20]' ]
}

@test "CMP-04: a history that is too large is not sent, and the way out is named" {
  make_session 200
  summary 'never'
  run_tool compact s1 --set agent.context.max_tokens=4000 --set agent.context.reserve_tokens=1000
  [ "$status" -eq 4 ]
  [ "$(fake_count)" -eq 0 ]
  [[ $stderr == *'above the 3000'* && $stderr == *'/new'* && $stderr == *'agent.compaction.provider'* ]]
  assert_untouched
}

@test "a dry run sends and changes nothing, and says what would be done" {
  make_session
  summary 'never'
  run_tool compact s1 --dry-run --json
  [ "$status" -eq 0 ]
  [ "$(jq -c '[.dry_run, .generation, .fits, .tokens_after, .provider, .model]' <<<"$output")" = '[true,1,true,null,"openai-compatible","mock-model"]' ]
  [ "$(fake_count)" -eq 0 ]
  assert_untouched
  [ ! -e "$MC_HOME/sessions/.locks" ]
}

@test "a session that is missing, in use or without anything to summarise" {
  summary 'x'
  run_tool compact nosuch
  assert_one_error magi-compact 1
  run_tool compact '../x'
  assert_one_error magi-compact 2
  event session_title 1 '{"title":"empty"}' >"$(SESSION)"
  chmod 600 "$(SESSION)"
  run_tool compact s1
  assert_one_error magi-compact 1
  [[ $stderr == *'nothing that could be summarised'* ]]
  make_session
  compact s1
  run_tool compact s1
  assert_one_error magi-compact 1
  [ "$(fake_count)" -eq 1 ]
}

@test "C1: half an override, an unknown provider or a missing key is refused before anything is touched" {
  make_session
  summary 'x'
  run_tool compact s1 --set agent.compaction.model=big
  assert_one_error magi-compact 2
  [[ $stderr == *agent.compaction.provider* ]]
  run_tool magi-compact s1 --provider nosuch
  assert_one_error magi-compact 2
  run_tool magi-compact s1 --provider anthropic
  assert_one_error magi-compact 2
  [ "$(fake_count)" -eq 0 ]
  assert_untouched
}

@test "C1: agent.compaction names who writes the summary" {
  make_session
  summary 'All ten questions were answered.'
  run_tool magi-compact s1 --set "providers.other.base_url=$FAKE_URL/v1" --set agent.compaction.provider=other --set agent.compaction.model=large
  [ "$status" -eq 0 ]
  [ "$(fake_body 1 .model)" = large ]
  [ "$(jq -r '.payload.provider + " " + .payload.model' "$(SESSION)")" = 'other large' ]
}

@test "C2: the user's own prompt replaces the bundled one" {
  make_session
  mkdir -p "$MC_HOME/prompts"
  echo 'Own prompt.' >"$MC_HOME/prompts/compact.md"
  summary 'All ten questions were answered.'
  compact s1
  [[ $(fake_body 1 '.messages[0].content | tostring') == 'Own prompt.'* ]]
}

@test "a failing provider leaves the session; a cut answer is asked for once more" {
  make_session
  start_fake '{"no_tools":{"fault":{"status":401,"body":{"error":{"message":"bad key"}},"times":9}},"turns":[{"text":"x"}]}'
  run_tool compact s1
  [ "$status" -ne 0 ]
  assert_untouched
  start_fake '{"no_tools":{"text":"All ten questions were answered, one by one.","fault":{"cut_at":400}},"turns":[{"text":"x"}]}'
  run_tool compact s1
  [ "$status" -eq 0 ]
  [ "$(jq -r .payload.summary "$(SESSION)")" = 'All ten questions were answered, one by one.' ]
}

@test "CMP-08: an interrupt while the model writes leaves everything as it was" {
  make_session
  start_fake '{"no_tools":{"text":"late","fault":{"stall_ms":20000,"stall_at":0,"times":9}},"turns":[{"text":"x"}]}'
  local signal requests=0
  for signal in 130:INT 143:TERM; do
    magi-compact --base-url "$FAKE_URL/v1" -m mock-model s1 </dev/null >/dev/null 2>err 3>&- &
    local pid=$! ended=0
    wait_for_requests $((requests += 1))
    kill -"${signal#*:}" "$pid"
    wait "$pid" || ended=$?
    [ "$ended" -eq "${signal%:*}" ]
    assert_untouched
  done
  wait_until 5 no_process_left "$FAKE_URL"
}

@test "CMP-08: kill -9 at any moment leaves the old session, or the new one with its archive" {
  make_session 40
  summary 'Forty questions were answered.'
  local n killed=0
  for ((n = 0; n < 25; n++)); do
    cp "$BATS_TEST_TMPDIR/before" "$(SESSION)"
    rm -rf "$MC_HOME/sessions/.history"
    timeout -s KILL "0.0$((n * 4 / 10))$((n * 4 % 10))" magi-compact --base-url "$FAKE_URL/v1" -m mock-model s1 </dev/null >/dev/null 2>&1 || killed=$((killed + 1))
    if ! cmp -s "$(SESSION)" "$BATS_TEST_TMPDIR/before"; then
      [ "$(wc -l <"$(SESSION)")" -eq 1 ]
      cmp "$MC_HOME/sessions/.history/s1/0.jsonl" "$BATS_TEST_TMPDIR/before"
    fi
  done
  [ "$killed" -gt 0 ]
  cp "$BATS_TEST_TMPDIR/before" "$(SESSION)"
  compact s1
  run find "$MC_HOME" -name '.tmp*'
  [ -z "$output" ]
}

@test "--lease-fd: a descriptor that is not the session's lease is refused" {
  make_session
  summary 'x'
  run_tool bash -c 'exec magi-compact --base-url "$0" -m m --lease-fd 7 s1 7</dev/null' "$FAKE_URL/v1"
  assert_one_error magi-compact 2
  run_tool bash -c 'exec magi-compact --base-url "$0" -m m --lease-fd 9 s1' "$FAKE_URL/v1"
  assert_one_error magi-compact 2
  assert_untouched
}

@test "a child session is compacted in its own folder" {
  mkdir -m 700 -p "$MC_HOME/sessions/subagents"
  turns 1 3 >"$MC_HOME/sessions/subagents/s1.jsonl"
  make_session
  chmod 600 "$MC_HOME/sessions/subagents/s1.jsonl"
  summary 'Three questions were answered.'
  compact child:s1
  [ -e "$MC_HOME/sessions/subagents/.history/s1/0.jsonl" ]
  [ "$(jq -r .event_type "$MC_HOME/sessions/subagents/s1.jsonl")" = compaction ]
  cmp "$(SESSION)" "$BATS_TEST_TMPDIR/before"
}

@test "CLI-02: notices stay off stdout" {
  make_session
  echo 'no event' >>"$(SESSION)"
  summary 'All ten questions were answered.'
  run_tool compact s1 --json
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 1 ]
  jq -e . <<<"$output" >/dev/null
  [[ $stderr == *'skipped bad lines'* ]]
  [ "$(jq -r .payload.execution_effects.complete "$(SESSION)")" = false ]
}
