#!/usr/bin/env bats
# Hooks: told of what happens, able to refuse calls, bounded, recorded, and never a hole when they fail.

load helper
load fake

setup() {
  common_setup
  mkdir -p "$BATS_TEST_TMPDIR/repo" "$MC_HOME"
  chmod 700 "$MC_HOME"
  cd "$BATS_TEST_TMPDIR/repo"
}

teardown() { stop_fake; }

code() { magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full "$@" </dev/null; }
session_file() { ls "$MC_HOME"/sessions/*.jsonl; }
events() { jq -c "select(.event_type == \"$1\") | .payload" "$(session_file)"; }
# How hooks ended; before that each was recorded as started.
outcomes() { events hook_lifecycle | jq -c 'select(.outcome != "started")'; }
hooks() { jq -n --argjson h "$1" '{hooks: $h}' >"$MC_HOME/settings.json"; }
one_call() {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"touch ran"}}]},{"text":"Done."}]}'
}

@test "a hook sees the call, passes it, and is recorded" {
  hooks '{"log":{"event":"before_tool","command":"cat >../seen"}}'
  one_call
  run code -p go
  [ -e ran ]
  run jq -r '.event, .name, .arguments.command, .cwd' ../seen
  [ "${lines[*]}" = "before_tool bash touch ran $PWD" ]
  run jq -r '.hook + " " + .event + " " + .outcome' <<<"$(outcomes)"
  [ "$output" = "log before_tool passed" ]
  [ "$(events hook_lifecycle | head -n 1 | jq -r .outcome)" = started ]
  assert_no_problems
}

@test "status 2 refuses with what the hook wrote, and so does its word" {
  hooks '{"guard":{"event":"before_tool","tools":["ba*"],"command":"echo no touching >&2; exit 2"}}'
  one_call
  run code -p go
  [ ! -e ran ]
  [ "$(events tool_result | jq -r '.status + ": " + .output')" = "error: refused by the hook guard: no touching" ]
  [ "$(outcomes | jq -r .outcome)" = refused ]
  rm -r "$MC_HOME"/sessions
  hooks '{"guard":{"event":"before_tool","command":"echo {\\\"decision\\\":\\\"deny\\\",\\\"reason\\\":\\\"quiet hours\\\"}"}}'
  one_call
  run code -p go
  [ ! -e ran ]
  [ "$(events tool_result | jq -r .output)" = "refused by the hook guard: quiet hours" ]
}

@test "a hook for other tools is left alone" {
  hooks '{"guard":{"event":"before_tool","tools":["write","mcp__*"],"command":"exit 2"}}'
  one_call
  run code -p go
  [ -e ran ]
  [ -z "$(outcomes)" ]
}

@test "SEC-09 (b): a blocking hook that cannot be run refuses the call, and the reason is recorded" {
  local hook
  for hook in '{"event":"before_tool","command":"/no/such/guard"}' '{"event":"before_tool","argv":["/no/such/guard"]}' \
    '{"event":"before_tool","command":"exit 1"}' '{"event":"before_tool","command":"kill -9 $$"}' '{"event":"before_tool","command":"echo no json"}' \
    '{"event":"before_tool","command":"head -c 200000 /dev/zero | tr \"\\0\" \"x\""}'; do
    rm -rf "$MC_HOME"/sessions
    hooks "{\"guard\":$hook}"
    one_call
    run --separate-stderr code -p go
    [ ! -e ran ] || { echo "ran under $hook"; return 1; }
    [[ $stderr == *"hook guard "* ]]
    [ "$(events hook_diagnostic | jq -r '.hook + " " + (.blocked | tostring)')" = "guard true" ]
    [[ $(events tool_result | jq -r .output) == "not run: the hook guard"* ]]
  done
  # One that is not blocking is only recorded.
  rm -r "$MC_HOME"/sessions
  hooks '{"guard":{"event":"before_tool","blocking":false,"command":"exit 127"}}'
  one_call
  run code -p go
  [ -e ran ]
  [ "$(events hook_diagnostic | jq -r .message)" = "ended with status 127" ]
}

@test "SEC-09 (c), CLI-14: a hook that hangs is ended at its limit with its group, and refuses the call" {
  hooks '{"slow":{"event":"before_tool","timeout_ms":300,"command":"sleep 1000.17 & sleep 1000.17"}}'
  one_call
  run timeout 60 magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -p go </dev/null
  [ "$status" -eq 0 ]
  [ ! -e ran ]
  wait_until 10 no_process_left 'sleep 1000.17'
  [ "$(events hook_diagnostic | jq -r .message)" = "took longer than 300 ms and was killed" ]
  [ "$(outcomes | jq -r .outcome)" = timed_out ]
  # Nothing of it is sent, but the refusal is.
  ! grep -q hook_diagnostic "$FAKE_LOG"
  grep -q 'not run: the hook slow' "$FAKE_LOG"
  assert_no_problems
}

@test "CLI-14: one that is not blocking lets the run go on" {
  hooks '{"slow":{"event":"after_message","timeout_ms":300,"command":"sleep 1000.18 & sleep 1000.18"}}'
  one_call
  run timeout 60 magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -p go </dev/null
  [ "$status" -eq 0 ]
  [ -e ran ]
  wait_until 10 no_process_left 'sleep 1000.18'
  [ "$(events hook_diagnostic | jq -r '.event + " " + .hook')" = "after_message slow" ]
}

@test "SEC-09 (a): a repository's hook runs nothing, is warned of, and runs once it is trusted" {
  mkdir .magi-code
  echo '{"hooks":{"guard":{"event":"before_tool","command":"touch ../hooked; exit 2"}}}' >.magi-code/settings.json
  one_call
  run --separate-stderr code -p go
  [ ! -e ../hooked ] && [ -e ran ]
  [[ $stderr == *"ignored until you have trusted them"* ]]
  rm ran
  run magi-code trust
  [ "$status" -eq 0 ]
  one_call
  run --separate-stderr code -p go
  [ -e ../hooked ] && [ ! -e ran ]
}

@test "context of hooks reaches the model with the results, and at the next turn" {
  hooks '{"a":{"event":"after_tool","command":"echo {\\\"context\\\":\\\"tests are slow today\\\"}"},"b":{"event":"session_start","command":"echo {\\\"context\\\":\\\"branch is main\\\"}"}}'
  one_call
  run code -p go
  [ "$(events hook_context_injection | jq -r .text)" = $'branch is main\ntests are slow today' ]
  grep -q 'branch is main' "$FAKE_LOG"
  grep -q 'tests are slow today' "$FAKE_LOG"
  assert_no_problems
}

@test "after a tool, after a message and at both ends of a session hooks are told" {
  hooks '{"a":{"event":"after_tool","command":"cat >>../seen"},"m":{"event":"after_message","command":"cat >>../seen"},
    "s":{"event":"session_start","command":"cat >>../seen"},"e":{"event":"session_end","command":"cat >>../seen"}}'
  one_call
  run code -p go
  run jq -r '.event + " " + (.status // .text // "")' ../seen
  [ "${lines[*]}" = "session_start  after_tool success after_message Done. session_end completed" ]
  [ "$(outcomes | wc -l)" -eq 4 ]
}

@test "hooks get no keys" {
  hooks '{"a":{"event":"before_tool","command":"env >../seen"}}'
  one_call
  export OPENAI_API_KEY=k-one-42 MC_API_KEY=k-two-42
  run code -p go
  [ -s ../seen ]
  ! grep -q 'k-one-42\|k-two-42' ../seen
}

@test "an interrupt ends a hook at once" {
  hooks '{"slow":{"event":"before_tool","timeout_ms":60000,"command":"touch ../began; sleep 1000.19"}}'
  one_call
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -p go </dev/null >out 2>err &
  local pid=$!
  wait_until 20 [ -e ../began ]
  kill -INT "$pid"
  local status=0
  wait "$pid" || status=$?
  [ "$status" -eq 130 ]
  [ ! -e ran ]
  wait_until 10 no_process_left 'sleep 1000.19'
  [ "$(events tool_result | jq -r .status)" = cancelled ]
}
