#!/usr/bin/env bats
# The scripted provider server itself: other tests trust what it sends, refuses and records.
load fake

setup() {
  expect_problems
  cd "$BATS_TEST_TMPDIR" || return
}
teardown() { stop_fake; }

# The body that each API's client would send for one prompt with one tool.
body() {
  local schema='{"type":"object","properties":{}}'
  case $1 in
    responses) echo '{"model":"m","stream":true,"store":false,"input":[{"role":"user","content":"hi"}],"tools":[{"type":"function","name":"bash","strict":false,"parameters":'$schema'}]}' ;;
    v1/messages) echo '{"model":"m","stream":true,"max_tokens":9,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"bash","input_schema":'$schema'}]}' ;;
    chat/completions) echo '{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"bash","parameters":'$schema'}}]}' ;;
  esac
}

ask() {
  local path=$1
  shift
  curl -sS -H 'content-type: application/json' -H 'anthropic-version: 2023-06-01' -H 'authorization: Bearer test-key' \
    "$FAKE_URL/$path" -d "$(body "$path")" "$@"
}

# The text that a stream of each API spells out.
spelled() {
  sed -n 's/\r$//; s/^data: //p' | grep -v '^\[DONE\]' | jq -rj '
    if .type == "response.output_text.delta" then .delta
    elif .type == "content_block_delta" then (.delta.text // "")
    else (.choices[0]?.delta.content // "") end'
}

@test "each API streams text, calls and a stop" {
  start_fake '{"turns":[{"text":"Grüße aus 🎉!","thinking":"hm","chunk":3,"calls":[{"name":"bash","args":{"command":"ls"}}]}]}'
  for path in responses v1/messages chat/completions; do
    ask $path >out
    [ "$(spelled <out)" = 'Grüße aus 🎉!' ]
    grep -qE 'response.completed|message_stop|\[DONE\]' out
    grep -q 'call_0_0' out
  done
  [ "$(fake_count)" = 3 ]
  assert_no_problems
}

@test "without stream the answer is one JSON object" {
  start_fake '{"turns":[{"text":"hello"}]}'
  curl -sS -H content-type:application/json "$FAKE_URL/v1/chat/completions" \
    -d '{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]}' >out
  [ "$(jq -r .choices[0].message.content out)" = hello ]
}

@test "models are listed" {
  start_fake '{"models":["one","two"]}'
  [ "$(curl -sS "$FAKE_URL/v1/models" | jq -rc '[.data[].id]')" = '["one","two"]' ]
}

@test "credentials are recorded as hashes only" {
  start_fake '{"turns":[{"text":"x"}]}'
  ask responses >out
  [ "$(fake_request 1 .headers.authorization)" = "$(fake_hash 'Bearer test-key')" ]
  run grep -q test-key "$FAKE_LOG"
  [ "$status" -eq 1 ]
}

@test "a retry is answered after its faults, in order" {
  start_fake '{"turns":[{"text":"ok","fault":[{"status":503},{"status":429,"retry_after":7,"body":{"error":{"message":"slow down"}}}]}]}'
  [ "$(ask responses -o out -w '%{http_code}')" = 503 ]
  [ "$(ask responses -D head -o out -w '%{http_code}')" = 429 ]
  grep -qi '^retry-after: 7' head
  [ "$(jq -r .error.message out)" = 'slow down' ]
  [ "$(ask responses -o out -w '%{http_code}')" = 200 ]
  [ "$(fake_request 3 .conn)" != "$(fake_request 1 .conn)" ]
}

@test "a cut ends the connection at that byte of the body" {
  start_fake '{"turns":[{"text":"a long enough text","fault":{"cut_at":250}}]}'
  run ask responses -o out
  [ "$status" -eq 18 ]
  [ "$(wc -c <out)" -eq 250 ]
  [ "$(fake_answer 1 .outcome)" = cut ]
}

@test "a reset is a reset" {
  start_fake '{"turns":[{"text":"a long enough text","fault":{"cut_at":250,"reset":true}}]}'
  run ask responses -o out
  [ "$status" -eq 56 ]
}

@test "packets of any size spell the same stream" {
  start_fake '{"turns":[{"text":"Grüße aus 🎉!"}]}'
  for split in 1 2 7; do
    set_script '{"turns":[{"text":"Grüße aus 🎉!","split":'$split'}]}'
    for path in responses v1/messages chat/completions; do [ "$(ask $path | spelled)" = 'Grüße aus 🎉!' ]; done
  done
  set_script '{"turns":[{"text":"Grüße aus 🎉!","split_at":[3,200],"line_end":"crlf"}]}'
  ask responses >out
  grep -q $'\r$' out
  [ "$(spelled <out)" = 'Grüße aus 🎉!' ]
}

@test "injected bytes, HTML, garbage and fixtures are sent as they are" {
  start_fake '{"turns":[{"text":"x","fault":[{"inject":"data: {broken\n\n"},{"status":200,"body":"<html>","content_type":"text/html"},{"raw":"no http\n"}]}]}'
  ask responses | head -1 | grep -q '^data: {broken$'
  [ "$(ask responses -w ' %{content_type}')" = '<html> text/html' ]
  run ask responses
  [ "$status" -ne 0 ]
  printf 'data: 1\n\n' >fixture.sse
  printf '{"turns":[{"sse_file":"fixture.sse","framing":"close"}]}\n' >script.json
  start_fake "$PWD/script.json"
  [ "$(ask responses)" = 'data: 1' ]
}

@test "a stall lasts, and ends at once when the client leaves" {
  start_fake '{"turns":[{"text":"x","fault":{"stall_ms":30000,"stall_at":100}}]}'
  run ask responses -o out --max-time 0.3
  [ "$status" -eq 28 ]
  for _ in $(seq 100); do [ -n "$(fake_answer 1)" ] && break; sleep 0.02; done
  [ "$(fake_answer 1 .outcome)" = 'client left' ]
}

@test "connections are kept alive" {
  start_fake '{"turns":[{"text":"x"}]}'
  curl -sS -H content-type:application/json "$FAKE_URL/responses" -d "$(body responses)" -o a --next \
    -sS -H content-type:application/json "$FAKE_URL/responses" -d "$(body responses)" -o b
  [ "$(fake_request 2 .conn)" = "$(fake_request 1 .conn)" ]
}

@test "a large body with Expect is taken and recorded" {
  start_fake '{"turns":[{"text":"x"}]}'
  { printf '{"model":"m","stream":true,"messages":[{"role":"user","content":"'; head -c 3000000 /dev/zero | tr '\0' x; printf '"}]}'; } >big
  curl -sS -H content-type:application/json "$FAKE_URL/chat/completions" -d @big -o out
  [ "$(fake_body 1 '.messages[0].content | length')" = 3000000 ]
}

@test "what a provider would refuse is recorded, and refused when strict" {
  start_fake '{"strict":true,"turns":[{"text":"x"}]}'
  curl -sS -H content-type:application/json "$FAKE_URL/v1/messages" -d '{"model":"m","max_tokens":1,"messages":[]}' >out
  [ "$(jq -r .error.type out)" = invalid_request_error ]
  fake_problems | grep -q 'anthropic-version is missing'
  fake_problems | grep -q 'messages: is missing or empty'
  run assert_no_problems
  [ "$status" -eq 1 ]
}

@test "a body that is no JSON is 400 and recorded as text" {
  start_fake '{"turns":[{"text":"x"}]}'
  [ "$(curl -sS -H content-type:application/json "$FAKE_URL/responses" -d '{"model":' -o out -w '%{http_code}')" = 400 ]
  [ "$(fake_request 1 .body_text)" = '{"model":' ]
  fake_problems | grep -q 'not valid JSON'
}

is_gone_soon() {
  for _ in $(seq 200); do kill -0 "$1" 2>/dev/null || return 0; sleep 0.02; done
  return 1
}

@test "it ends with its parent, with stdin, and in any case" {
  start_fake '{"turns":[]}' --max-life 0.2
  is_gone_soon "$FAKE_PID"
  sleep 30 3>&- &
  local parent=$!
  start_fake '{"turns":[]}' --exit-with $parent
  kill $parent
  is_gone_soon "$FAKE_PID"
}

@test "a wrong option or script is one line and exit 2 or 1" {
  local server=${MAGI_FAKE:-${MAGI_BIN:-$BATS_TEST_DIRNAME/../../build/bin}/../tests/magi-fake-provider}
  run "$server" --nonsense
  [ "$status" -eq 2 ]
  run "$server" --script /nonexistent
  [ "$status" -eq 1 ]
  [ "${#lines[@]}" -eq 1 ]
}
