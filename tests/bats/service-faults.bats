# What a whole run of magi-code makes of a service that fails, a fault a test: waits that the server asks for, one answer
# in the end, and no request after an answer that another one cannot change.

load helper
load fake

setup() { common_setup; }
teardown() { stop_fake; }

# run_against SCRIPT: one run; $status, $output and $stderr are its own.
run_against() {
  start_fake "$1"
  run_tool magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -p hi </dev/null
}

# The session holds the prompt once, whatever came of it.
assert_session_is_whole() {
  local id
  id=$(basename "$MC_HOME"/sessions/*.jsonl .jsonl)
  run_tool magi-replay "$id"
  assert_success
  assert_equal "$(jq -rs '[.[] | select(.type == "user").text] | @json' <<<"$output")" '["hi"]'
}

# seconds_between A B: of the arrival of two requests, whole.
seconds_between() {
  jq -s --argjson a "$1" --argjson b "$2" '[.[] | select(.ev == "request").t_req] | (.[$b] - .[$a]) / 1e9 | floor' "$FAKE_LOG"
}

@test "429 with Retry-After, twice: both waits are kept, then the answer" {
  run_against '{"turns":[{"text":"At last.","fault":[{"status":429,"retry_after":2},{"status":429,"retry_after":2}]}]}'
  assert_success
  assert_output "At last."
  assert_equal "$(fake_count)" 3
  [ "$(seconds_between 0 1)" -ge 2 ]
  [ "$(seconds_between 1 2)" -ge 2 ]
  assert_session_is_whole
}

@test "500 and 503, once each: asked again" {
  run_against '{"turns":[{"text":"At last.","fault":[{"status":500},{"status":503}]}]}'
  assert_success
  assert_output "At last."
  assert_equal "$(fake_count)" 3
}

@test "a stream that is cut behind 700 bytes: the answer goes on where it was, each word once" {
  run_against '{"turns":[{"text":"The quick brown fox jumps over the lazy dog.","chunk":5,"fault":{"cut_at":700}},{"text":" And the rest."}]}'
  assert_success
  assert_equal "$(fake_count)" 2
  [[ $output == "The quick brown"*"And the rest." ]]
  assert_equal "$(grep -o 'The quick' <<<"$output" | wc -l)" 1
  assert_session_is_whole
}

@test "a broken event amid the stream is passed over" {
  local sse
  sse=$'data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"one "}}]}\n\ndata: {"id":"c","choices":[{"index":0,"delta":{"content":"bro\n\ndata: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"two"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
  run_against "$(jq -n --arg sse "$sse" '{turns: [{sse: $sse}]}')"
  assert_success
  assert_output "one two"
  assert_equal "$(fake_count)" 1
}

@test "400 for ever, the conversation is too long: no loop of summaries and requests" {
  run_against '{"turns":[{"text":"never","fault":{"status":400,"body":{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}},"times":1000}}]}'
  assert_failure
  [ "$(fake_count)" -le 3 ]
  [[ $stderr == *"context"* ]]
  assert_session_is_whole
}

@test "401 for ever: asked once" {
  run_against '{"turns":[{"text":"never","fault":{"status":401,"times":1000}}]}'
  assert_failure
  assert_equal "$(fake_count)" 1
  [[ $stderr == *401* ]]
  assert_session_is_whole
}

@test "500 for ever: so many requests as --retries says, then an end" {
  start_fake '{"turns":[{"text":"never","fault":{"status":500,"times":1000}}]}'
  run_tool timeout 60 magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -p hi </dev/null
  assert_failure 1
  assert_equal "$(fake_count)" 6
  [[ $stderr == *500* ]]
  assert_session_is_whole
}
