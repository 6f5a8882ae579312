# Automatic compaction in the loop of magi-code: what is sent, when it compacts, what the session holds.

load helper
load fake
load accounts

setup() {
  common_setup
  FAKE_PIDS=()
  mkdir -p "$BATS_TEST_TMPDIR/repo"
  cd "$BATS_TEST_TMPDIR/repo"
  # Each call prints some 4,000 tokens; from the LASTth on the same.
  cat >step <<'STEP'
#!/bin/bash
n=$(($(cat n 2>/dev/null || echo 0) + 1))
echo "$n" >n
last=$(cat last)
((n < last)) || n=$last
echo "STEP $n DONE"
head -c 15980 /dev/zero | tr '\0' x
STEP
  chmod +x step
}

teardown() { stop_fake; }

code() { magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full "$@" </dev/null; }
session_file() { ls "$MC_HOME"/sessions/*.jsonl; }
session_id() { basename "$(session_file)" .jsonl; }

# steps LAST [MORE KEYS]: a model that calls ./step until it has seen step LAST.
steps() {
  echo "$1" >last
  start_fake "{\"strict\":true,\"when\":[{\"contains\":\"STEP $1 DONE\",\"text\":\"The answer is 42.\"}],
    \"no_tools\":{\"text\":\"SUMMARY: steps are being made; go on with ./step.\"},
    \"turns\":[],\"after\":{\"text\":\"Next.\",\"calls\":[{\"name\":\"bash\",\"args\":{\"command\":\"./step\"}}]}${2:+,$2}}"
}

# Calls and results of a session file are as many.
assert_settled() {
  local calls results
  calls=$(jq -c 'select(.event_type == "tool_call")' "$1" | wc -l)
  results=$(jq -c 'select(.event_type == "tool_result")' "$1" | wc -l)
  [ "$calls" -eq "$results" ] || fail "$1: $calls calls, $results results"
}

assert_all_settled() {
  local file
  assert_settled "$(session_file)"
  for file in "$MC_HOME/sessions/.history/$(session_id)"/*.jsonl; do assert_settled "$file"; done
  run --separate-stderr magi-replay "$(session_id)"
  [ "$status" -eq 0 ]
  [ -z "$stderr" ]
}

@test "CMP-11: sixty calls of 4,000 tokens in a window of 128,000 end with the right answer" {
  steps 60
  run --separate-stderr code -p 'make sixty steps'
  [ "$status" -eq 0 ]
  [[ $output == *'The answer is 42.' ]]
  assert_no_problems
  # Characters over four, with all of JSON's own: never above what is usable.
  [ "$(fake_requests | jq -s 'map(.bytes / 4) | max < 115000')" = true ]
  [ "$(find "$MC_HOME/sessions/.history" -type f | wc -l)" -ge 2 ]
  [[ $stderr == *'compacted (automatic)'*'you [automatic]: continue'* ]]
  assert_all_settled
  run jq -rc 'select(.event_type == "user_input") | [.payload.text, .payload.origin] | join(" ")' "$(session_file)"
  [ "${lines[0]}" = 'continue automatic_compaction' ]
}

@test "a window of 16,000 and a cap of 1 end with one clear error and an intact session" {
  steps 60
  run --separate-stderr code -q --set agent.context.max_tokens=16000 --set agent.context.reserve_tokens=2000 \
    --set agent.compaction.auto.max_compactions_per_run=1 -p 'make sixty steps'
  [ "$status" -eq 4 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  [[ $stderr == 'magi-code: the request is '*'above the 14000'*'/new'* ]]
  [ "$(fake_requests | jq -s 'map(.bytes / 4) | max < 15500')" = true ]
  [ "$(find "$MC_HOME/sessions/.history" -type f | wc -l)" -eq 1 ]
  assert_all_settled
}

@test "what memory sends after a compaction is what a replay gives" {
  steps 5
  code -q --set agent.context.max_tokens=20000 --set agent.context.reserve_tokens=2000 -p 'make five steps'
  local last; last=$(fake_count)
  fake_body "$last" '[.messages[] | select(.role != "system")]' >live
  local id; id=$(session_id)
  local until; until=$(jq -r 'select(.event_type == "assistant_output" and .payload.text == "The answer is 42.") | .event_id' "$(session_file)")
  start_fake '{"index":"request","turns":[{"text":"x"}]}'
  magi-replay --until "$until" "$id" | magi-provider --base-url "$FAKE_URL/v1" --model mock-model >/dev/null
  fake_body 1 '[.messages[] | select(.role != "system")]' >replayed
  diff live replayed
}

@test "magi-compact replaced through MAGI_TOOL_PATH is what automatic compaction calls" {
  mkdir "$BATS_TEST_TMPDIR/wrap"
  cat >"$BATS_TEST_TMPDIR/wrap/magi-compact" <<WRAP
#!/bin/sh
echo "\$@" >>"$BATS_TEST_TMPDIR/calls"
exec "$MAGI_BIN/magi-compact" "\$@"
WRAP
  chmod +x "$BATS_TEST_TMPDIR/wrap/magi-compact"
  steps 5
  MAGI_TOOL_PATH="$BATS_TEST_TMPDIR/wrap" code -q --set agent.context.max_tokens=20000 --set agent.context.reserve_tokens=2000 -p go
  [ "$(wc -l <"$BATS_TEST_TMPDIR/calls")" -ge 1 ]
  grep -q -- '--lease-fd 3' "$BATS_TEST_TMPDIR/calls"
  grep -q -- '--trigger automatic' "$BATS_TEST_TMPDIR/calls"
  [ "$(jq -r 'select(.event_type == "compaction") | .payload.trigger' "$(session_file)")" = automatic ]
}

@test "--json tells of a compaction and of the automatic input" {
  steps 5
  run --separate-stderr code --json --set agent.context.max_tokens=20000 --set agent.context.reserve_tokens=2000 -p go
  [ "$status" -eq 0 ]
  [ "$(jq -rc 'select(.type == "compaction") | [.status, .trigger, .generation] | @json' <<<"$output" | head -2 | tr '\n' ' ')" = '["started","automatic",null] ["completed","automatic",1] ' ]
  [[ $(jq -r 'select(.type == "compaction" and .status == "completed") | .summary' <<<"$output") == SUMMARY* ]]
  [ "$(jq -r 'select(.type == "automatic_user_prompt") | .text' <<<"$output" | head -1)" = continue ]
  magi-code sessions show "$(session_id)" | grep -q 'SUMMARY: steps are being made'
}

@test "A5: a summary that fails stops the run; the session is as it was, and nothing more is sent" {
  echo 60 >last
  start_fake '{"no_tools":{"text":"   "},"turns":[],"after":{"text":"Next.","calls":[{"name":"bash","args":{"command":"./step"}}]}}'
  run --separate-stderr code -q --set agent.context.max_tokens=20000 --set agent.context.reserve_tokens=2000 -p go
  [ "$status" -eq 1 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  [[ $stderr == *'compaction failed'*'blank'* ]]
  [ "$(fake_requests | jq -s '.[-1].tools')" = 0 ]
  [ ! -e "$MC_HOME/sessions/.history/$(session_id)/0.jsonl" ]
  assert_settled "$(session_file)"
  [ "$(tail -1 "$(session_file)" | jq -rc '[.event_type, .payload.status] | join(" ")')" = 'turn_status failed' ]
}

@test "CMP-05: after a change to a small model the input waits for a compaction, and is sent once" {
  steps 12
  code -q -p 'make twelve steps'
  local before; before=$(fake_count)
  start_fake '{"strict":true,"no_tools":{"text":"SUMMARY: twelve steps were made."},"turns":[],"after":{"text":"Here."}}'
  run --separate-stderr code --continue \
    --set 'agent.context.model_overrides={"openai-compatible/mock-model":{"max_tokens":32000,"reserve_tokens":4000}}' \
    --set agent.compaction.provider=big --set agent.compaction.model=large --set "providers.big.base_url=$FAKE_URL/v1" -p 'and now?'
  [ "$status" -eq 0 ]
  [[ $output == *Here.* ]]
  [ "$(fake_count)" -eq 2 ]
  [ "$(fake_body 1 .model)" = large ]
  [ "$(fake_request 2 '.bytes / 4 < 28000')" = true ]
  run jq -rc 'select(.event_type == "user_input") | [.payload.text, .payload.origin] | join(" ")' "$(session_file)"
  [ "$output" = 'and now? user' ]
  [ "$(jq -r 'select(.event_type == "compaction") | .payload.trigger' "$(session_file)")" = preflight ]
}

@test "an input that does not fit even without history is refused before it is stored" {
  start_fake '{"turns":[{"text":"Hi."}]}'
  code -q -p hello
  local length; length=$(stat -c %s "$(session_file)")
  run --separate-stderr code -q --continue --set agent.context.max_tokens=16000 --set agent.context.reserve_tokens=2000 \
    -p "$(head -c 80000 /dev/zero | tr '\0' w)"
  [ "$status" -eq 4 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  [[ $stderr == *'even without the history'* ]]
  [ "$(fake_count)" -eq 1 ]
  [ "$(stat -c %s "$(session_file)")" -eq "$length" ]
}

@test "CMP-01: instructions above the cut-off end in one error that names their size" {
  head -c 60000 /dev/zero | tr '\0' 'i' >AGENTS.md
  start_fake '{"turns":[{"text":"Hi."}]}'
  run --separate-stderr code --set agent.compaction.auto.threshold_tokens=12000 -p hello
  [ "$status" -eq 4 ]
  [[ $stderr == *'of them instructions and tools'* ]]
  [ "$(fake_count)" -eq 1 ]
  [ ! -e "$MC_HOME/sessions/.history" ]
}

@test "TUI-15: without a session the run goes on to the hard budget, and says so once" {
  steps 60
  run --separate-stderr code --no-session --set agent.context.max_tokens=30000 --set agent.context.reserve_tokens=2000 \
    --set agent.compaction.auto.threshold_percent=50 -p go
  [ "$status" -eq 4 ]
  [ "$(grep -c 'should be compacted' <<<"$stderr")" -eq 1 ]
  [ "$(fake_requests | jq -s 'map(select(.tools == 0)) | length')" -eq 0 ]
}

@test "a run at its own limit ends with its turn: nothing is compacted for what may not follow" {
  start_fake '{"turns":[],"after":{"text":"An answer of some length to a question."}}'
  run --separate-stderr code --set agent.compaction.auto.threshold_tokens=4000 --max-turns 1 -p "$(head -c 16000 /dev/zero | tr '\0' w)"
  [ "$status" -eq 0 ]
  [ "$(fake_count)" -eq 1 ]
}

@test "CMP-10: steering that comes while the session is compacted goes first, once" {
  echo 60 >last
  start_fake '{"strict":true,"when":[{"contains":"stop now","text":"Stopped."}],"no_tools":{"text":"SUMMARY: steps.","fault":{"stall_ms":1500,"stall_at":0,"times":9}},
    "turns":[],"after":{"text":"Next.","calls":[{"name":"bash","args":{"command":"./step"}}]}}'
  mkfifo actions
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full --json --control \
    --set agent.context.max_tokens=20000 --set agent.context.reserve_tokens=2000 <actions >out 2>err 3>&- &
  local pid=$!
  exec 7>actions
  echo '{"type":"prompt","id":"p","text":"go"}' >&7
  wait_until 20 grep -q '"type":"compaction","status":"started"' out
  echo '{"type":"steer","id":"s","text":"stop now"}' >&7
  wait_until 20 grep -q '"type":"result"\|"status":"completed"}' out
  wait_until 20 grep -q 'Stopped.' out
  exec 7>&-
  wait "$pid"
  # Accepted at once, delivered after the checkpoint.
  [ "$(jq -rc 'select((.type == "delivered" and .id == "s") or (.type == "compaction" and .status == "completed")) | .type' out | tr '\n' ' ')" = 'compaction delivered ' ]
  run jq -rc 'select(.event_type == "user_input") | .payload.text' "$(session_file)"
  [ "$output" = 'stop now' ]
  [ "$(fake_requests | jq -s '[.[] | select(.tools > 0) | .body.messages[] | select(.role == "user" and (.content | tostring | contains("stop now")))] | length')" -eq 1 ]
}

@test "an interrupt during a compaction leaves the session as it was" {
  echo 60 >last
  start_fake '{"no_tools":{"text":"late","fault":{"stall_ms":20000,"stall_at":0,"times":9}},"turns":[],"after":{"text":"Next.","calls":[{"name":"bash","args":{"command":"./step"}}]}}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full --json \
    --set agent.context.max_tokens=20000 --set agent.context.reserve_tokens=2000 -p go </dev/null >out 2>err 3>&- &
  local pid=$!
  wait_until 20 grep -q '"type":"compaction","status":"started"' out
  sleep 0.3
  kill -INT "$pid"
  local ended=0
  wait "$pid" || ended=$?
  [ "$ended" -eq 130 ]
  [ ! -e "$MC_HOME/sessions/.history/$(session_id)/0.jsonl" ]
  assert_settled "$(session_file)"
  wait_until 5 no_process_left "$FAKE_URL"
}

@test "the death of magi-code ends a compaction within five seconds, and the session can be used" {
  echo 60 >last
  start_fake '{"no_tools":{"text":"late","fault":{"stall_ms":20000,"stall_at":0,"times":9}},"turns":[],"after":{"text":"Next.","calls":[{"name":"bash","args":{"command":"./step"}}]}}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full --json \
    --set agent.context.max_tokens=20000 --set agent.context.reserve_tokens=2000 -p go </dev/null >out 2>err 3>&- &
  local pid=$!
  wait_until 20 grep -q '"type":"compaction","status":"started"' out
  sleep 0.3
  kill -KILL "$pid"
  wait_until 5 no_process_left "$FAKE_URL"
  start_fake '{"turns":[],"after":{"text":"Here again."}}'
  run code -q --continue -p hello
  [ "$status" -eq 0 ]
  [[ $output == *'Here again.' ]]
}

@test "the model asks how full its context is, and for a compaction" {
  start_fake '{"strict":true,"index":"request","no_tools":{"text":"SUMMARY: asked."},"turns":[
    {"calls":[{"name":"magi_control","args":{"action":"context_usage"}},{"name":"magi_control","args":{"action":"nonsense"}}]},
    {"calls":[{"name":"magi_control","args":{"action":"compact","instructions":"keep the number 7"}}]},
    {"text":"unused"},{"text":"Done."}]}'
  run --separate-stderr code -p 'a question of some length, so that there is something to summarise, and a little more of it'
  [ "$status" -eq 0 ]
  [ "$output" = 'Done.' ]
  assert_no_problems
  run fake_body 2 '[.messages[] | select(.role == "tool") | .content] | .[0] | fromjson | [.used > 0, .max_tokens, .usable, .compaction_cutoff, .method] | @json'
  [ "$output" = '[true,128000,111616,102400,"characters"]' ]
  [[ $(fake_body 3 '.messages[-1].content | tostring') == *'keep the number 7'* ]]
  [ "$(fake_request 3 .tools)" = 0 ]
  [[ $(fake_body 4 '.messages | tostring') == *'SUMMARY: asked.'*'continue'* ]]
}

@test "K8: what anthropic reports counts, not the estimate alone" {
  export ANTHROPIC_API_KEY=test
  start_fake '{"strict":true,"index":"request","no_tools":{"text":"SUMMARY: one call was made."},"turns":[
    {"text":"I look.","calls":[{"name":"bash","args":{"command":"echo hello"}}],"usage":{"input":150000,"output":50}}],"after":{"text":"Done.","usage":{"input":2000,"output":5}}}'
  run --separate-stderr magi-code --provider anthropic --base-url "$FAKE_URL" -m claude-x --permissions full \
    --set 'agent.context.model_overrides={"anthropic/claude-x":{"max_tokens":180000}}' -p 'go, and tell what you have seen in some words' </dev/null
  [ "$status" -eq 0 ]
  [[ $stderr == *'compacted (automatic)'* ]]
  [ "$(fake_count)" -eq 3 ]
}

# claude_turns TURN...: "long" is a rejection, anything else an answer; then one prompt is run.
claude_turns() {
  local turns=() turn
  for turn; do
    if [ "$turn" = long ]; then
      turns+=('{"lines":[{"type":"result","subtype":"success","is_error":true,"result":"Prompt is too long"}]}')
    else
      turns+=("{\"text\":\"$turn\"}")
    fi
  done
  install_claude "{\"turns\":[$(IFS=,; echo "${turns[*]}")]}"
  run --separate-stderr magi-code --provider claude-subscription -p 'please do what I ask for at some length here' </dev/null
}

@test "A7: a prompt that claude finds too long is compacted once, and the run goes on" {
  claude_turns long 'SUMMARY: the user asks.' 'Done as asked.'
  [ "$status" -eq 0 ]
  [ "$output" = 'Done as asked.' ]
  run jq -rc '[.event_type, (.payload.text // .payload.trigger // "")] | join(" ")' "$(session_file)"
  [ "${lines[0]}" = 'compaction automatic' ]
  [[ $output == *'user_input continue'*'assistant_output Done as asked.'* ]]
}

@test "A7: a second rejection stops the run, and one of the summary leaves the history" {
  claude_turns long 'SUMMARY: the user asks.' long 'never'
  [ "$status" -eq 1 ]
  [ "$(claude_log 'select(.record.type == "user").ev' | wc -l)" -eq 3 ]
  [ "$(find "$MC_HOME/sessions/.history" -type f | wc -l)" -eq 1 ]
  rm -rf "$MC_HOME"
  claude_turns long long 'never'
  [ "$status" -eq 4 ]
  [[ $stderr == *'too long to summarise'* ]]
  [ "$(find "$MC_HOME/sessions/.history" -type f | wc -l)" -eq 0 ]
}
