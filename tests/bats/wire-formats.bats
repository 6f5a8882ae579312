#!/usr/bin/env bats
# The main job on each wire format, against a server that fails in the usual ways: text, parallel calls, an error from a
# tool, a retry after 503 and a cut stream.  What counts is what was sent and what lies on disk afterwards.
load helper
load fake

setup() {
  common_setup
  mkdir repo && cd repo && echo 'a note' >note.txt
  export OPENAI_API_KEY=test-key ANTHROPIC_API_KEY=test-key
}
teardown() { stop_fake; }

SCRIPT='{"usage":{"input":1000,"output":10},"turns":[
  {"text":"Looking at both files. ","chunk":4,"split":5,"thinking":"hm","calls":[
    {"name":"read","args":{"path":"note.txt"}},
    {"name":"bash","args":{"command":"echo ran >>ran.log; printf \"out-%s\" 1"}},
    {"name":"read","args":{"path":"missing.txt"}}]},
  {"text":"Grüße, now I write. 🎉 ","chunk":3,"fault":{"status":503},"calls":[
    {"name":"write","args":{"path":"made.txt","content":"made\n"}}]},
  {"text":"one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen","chunk":4,"fault":{"cut_at":1700}},
  {"text":" and this is the end."}]}'

# run_code WIRE ARGUMENTS...: magi-code against the fake server.
run_code() {
  local wire=$1 provider url=$FAKE_URL/v1
  shift
  case $wire in
    chat) provider=openai-compatible ;;
    responses) provider=openai ;;
    messages) provider=anthropic url=$FAKE_URL ;;
  esac
  run --separate-stderr magi-code --provider $provider --base-url "$url" -m mock-model --permissions full "$@"
}

session_file() { ls "$MC_HOME"/sessions/*.jsonl; }

# Payloads of one kind of event, in file order.
events() { jq -c --arg kind "$1" 'select(.event_type == $kind) | .payload' "$(session_file)"; }

spoken() { events assistant_output | jq -rj .text; }

# One run with all troubles, and what must be true after it.
whole_run() {
  local wire=$1 cut_text='one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen'
  start_fake "$SCRIPT"
  run_code "$wire" -p 'do the work'
  echo "$output" "$stderr"
  [ "$status" -eq 0 ]
  assert_no_problems

  # 0: first turn; 1: 503, 2: its retry; 3: the cut stream, 4: picked up.
  [ "$(fake_count)" -eq 5 ]
  [ "$(fake_answer 2 .status)" = 503 ]
  [ "$(fake_body 2)" = "$(fake_body 3)" ]
  [ "$(fake_answer 4 .outcome)" = cut ]

  # Each character once: a piece of the cut text, and everything else whole.
  local all before='Looking at both files. Grüße, now I write. 🎉 ' after=' and this is the end.'
  all=$(spoken)
  [[ $all == "$before"*"$after" ]]
  local piece=${all#"$before"}
  piece=${piece%"$after"}
  [ -n "$piece" ]
  [[ $cut_text == "$piece"* ]]
  [ "$piece" != "$cut_text" ]
  # On stdout answers stand on lines of their own.
  local flat=${output//$'\n'/}
  [[ $flat == *"$before"* && $flat == *"$piece$after"* ]]

  # Every call with its one result, in the order of the calls; the failed read is an error that the model saw.
  [ "$(events tool_call | jq -r .call_id)" = "$(events tool_result | jq -r .call_id)" ]
  [ "$(events tool_result | jq -r .status | tr '\n' ' ')" = 'success success error success ' ]
  [ "$(cat made.txt)" = made ]
  [ "$(cat ran.log)" = ran ]
  fake_body 2 | grep -q 'a note'
  fake_body 2 | grep -q 'out-1'
  [ "$(events user_input | jq -r .text)" = 'do the work' ]
  [ "$(events turn_status | jq -r .status)" = completed ]

  # The shell sees what the model remembers, and the session goes on.
  local id
  id=$(basename "$(session_file)" .jsonl)
  magi-replay "$id" | jq -es 'last.type == "end"'
  magi-replay "$id" | magi-tokens
  set_script '{"turns":[{"text":"unused"}],"after":{"text":"Going on."}}'
  run_code "$wire" --continue -p 'go on'
  [ "$status" -eq 0 ]
  [ "$(fake_count)" -eq 6 ]
  assert_no_problems
  [ "$(spoken)" = "${all}Going on." ]
  [ "$(session_file | wc -l)" -eq 1 ]
}

@test "Chat Completions: text, parallel calls, an error, a 503 and a cut stream" { whole_run chat; }

@test "Responses: text, parallel calls, an error, a 503 and a cut stream" { whole_run responses; }

@test "Messages: text, parallel calls, an error, a 503 and a cut stream" { whole_run messages; }

@test "a stream that is cut for ever ends the run with what was received stored once" {
  for wire in chat responses messages; do
    rm -rf "$MC_HOME/sessions"
    start_fake '{"turns":[{"text":"alpha beta gamma delta epsilon zeta eta theta iota kappa","chunk":3,"fault":{"cut_at":1200}},
                          {"text":" lambda mu nu xi omicron pi rho sigma tau upsilon phi","chunk":3,"fault":{"cut_at":1200}}]}'
    run_code $wire -p 'speak'
    [ "$status" -eq 1 ]
    [ "$(fake_count)" -eq 2 ]
    assert_no_problems
    [ "$(events turn_status | jq -r .status)" = failed ]
    [ "$(events user_input | wc -l)" -eq 1 ]
    local all
    all=$(magi-replay "$(basename "$(session_file)" .jsonl)" | jq -rj 'select(.type == "assistant") | .text')
    [[ $all == alpha*lambda* ]]
    [ "$(grep -o alpha <<<"$all" | wc -l)" -eq 1 ]
    [ "$(grep -o lambda <<<"$all" | wc -l)" -eq 1 ]
  done
}

@test "a refused request is reported once and not repeated, and the prompt is kept" {
  start_fake '{"turns":[{"text":"never","fault":{"status":400,"body":{"error":{"message":"no such thing","type":"invalid_request_error"}},"times":99}}]}'
  run_code chat -p 'speak'
  [ "$status" -eq 1 ]
  [ "$(fake_count)" -eq 1 ]
  [[ $stderr == *'no such thing'* ]]
  [ "$(events user_input | jq -r .text)" = speak ]
  [ "$(events turn_status | jq -r .status)" = failed ]
}
