#!/usr/bin/env bats
# The policy for retries, time-outs and waits, case by case, against the scripted server.
load helper
load fake

setup() {
  common_setup
  export OPENAI_API_KEY=openai-secret-key ANTHROPIC_API_KEY=anthropic-secret-key
  printf '%s\n' '{"type":"request","tools":[{"name":"bash","parameters":{"type":"object","properties":{}}}]}' \
    '{"type":"user","text":"hi"}' '{"type":"end","items":1}' >hi.jsonl
}
teardown() {
  exec 7>&- 8<&-
  stop_fake
}

ask() {
  local wire=$1
  shift
  case $wire in
    chat) run_tool magi-provider --base-url "$FAKE_URL/v1" -m mock-model "$@" <hi.jsonl ;;
    responses) run_tool magi-provider --provider openai --base-url "$FAKE_URL/v1" -m mock-model "$@" <hi.jsonl ;;
    messages) run_tool magi-provider --provider anthropic --base-url "$FAKE_URL" -m mock-model "$@" <hi.jsonl ;;
  esac
}
records() { jq -rc --arg type "$1" 'select(.type == $type)' <<<"$output" | jq -rc "${2:-.}"; }
said() { records text .text | tr -d '\n'; }
delays() { records attempt '.delay_ms // empty'; }

# within N LEAST MOST: of the Nth delay in ms.
within() {
  local delay
  delay=$(delays | sed -n "$1p")
  [ -n "$delay" ] && [ "$delay" -ge "$2" ] && [ "$delay" -le "$3" ] || { echo "delay $1: $delay" >&2; return 1; }
}

serve() {
  mkfifo to from
  magi-provider --base-url "$FAKE_URL/v1" -m mock-model --serve "$@" <to >from 2>serve.err 3>&- &
  served=$!
  exec 7>to 8<from
}
next() {
  local line
  while IFS= read -r -t 10 -u 8 line; do
    [ "$(jq -r .type <<<"$line")" = "$1" ] && { printf '%s\n' "$line"; return 0; }
  done
  return 1
}

@test "retry policy 1: two server errors are waited over for half a second, then one" {
  start_fake '{"turns":[{"text":"ok","fault":[{"status":500},{"status":502}]}]}'
  ask chat
  assert_success
  within 1 375 625
  within 2 750 1250
  # A server that says it is busy gets four times as much.
  set_script '{"turns":[{"text":"ok","fault":[{"status":503},{"status":503}]}]}'
  ask chat --retry-delay-ms 20
  within 1 60 100
  within 2 120 200
}

@test "retry policy 2: a small Retry-After does not shorten our own delay" {
  start_fake '{"turns":[{"text":"ok","fault":{"status":429,"retry_after":1}}]}'
  ask chat
  assert_success
  within 1 1500 2500
}

@test "retry policy 3: a Retry-After of hours ends the attempt with the time" {
  start_fake '{"turns":[{"text":"ok","fault":{"status":429,"retry_after":7200}}]}'
  ask chat
  assert_failure 1
  [[ $(records error .message) == *'the server asks to wait 2 h'* ]]
  assert_equal "$(fake_count)" 1
}

@test "retry policy 4: a date in Retry-After is measured by the server's own clock" {
  start_fake '{"turns":[{"text":"ok","fault":{"status":503,"headers":{"date":"Sun, 06 Nov 1994 08:49:37 GMT","retry-after":"Sun, 06 Nov 1994 08:49:38 GMT"}}}]}'
  ask chat --retry-delay-ms 1
  assert_success
  within 1 1000 1100
}

@test "retry policy 5: x-should-retry false is obeyed" {
  start_fake '{"turns":[{"text":"ok","fault":{"status":500,"headers":{"x-should-retry":"false"}}}]}'
  ask chat
  assert_failure 1
  assert_equal "$(fake_count)" 1
}

@test "retry policy 6: an end behind text is not retried, and the text is there once" {
  start_fake '{"turns":[{"text":"0123456789 0123456789 0123456789 0123456789 0123456789","chunk":4,"fault":{"cut_at":900,"times":9}}]}'
  for wire in responses messages chat; do
    ask $wire
    assert_failure 1
    [[ '0123456789 0123456789 0123456789 0123456789 0123456789' == "$(said)"* && -n $(said) ]]
    assert_equal "$(records error '[.retryable,.partial]')" '[true,true]'
  done
  assert_equal "$(fake_count)" 3
  # The loop asks once to continue, and shows each piece once.
  mkdir repo
  set_script '{"turns":[{"text":"one two three four five six seven eight nine ten","chunk":4,"fault":{"cut_at":900}},{"text":" and the rest."}]}'
  run --separate-stderr magi-code --base-url "$FAKE_URL/v1" -m mock-model -C repo -p hi
  assert_success
  [[ ${output//$'\n'/} == one*' and the rest.' ]]
  assert_equal "$(grep -o 'one two' <<<"$output" | wc -l)" 1
}

@test "retry policy 7: an end behind a complete call neither repeats nor runs it twice" {
  mkdir repo
  # The terminal event is missing: the call has come whole and may be believed only where the format says so.
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"echo ran >>ran.log"}}],"terminal":false,"framing":"close"},{"text":"done"}]}'
  run --separate-stderr magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -C repo -p hi
  assert_success
  assert_equal "$(cat repo/ran.log)" ran
  assert_equal "$(fake_count)" 2
}

@test "retry policy 8: an overload inside the stream is retried before the first delta and not behind it" {
  start_fake '{"turns":[{"sse":"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"}]}'
  ask messages --retries 2 --retry-delay-ms 1
  assert_failure 1
  assert_equal "$(fake_count)" 3
  set_script '{"turns":[{"text":"a","stream_error":{"type":"overloaded_error","message":"Overloaded"}}]}'
  ask messages --retries 2 --retry-delay-ms 1
  assert_failure 1
  assert_equal "$(fake_count)" 4
  assert_equal "$(records error '[.category,.partial]')" '["overloaded",true]'
}

@test "retry policy 9: an exhausted quota is not retried" {
  start_fake '{"turns":[{"text":"ok","fault":{"status":429,"body":{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}}}]}'
  ask chat
  assert_failure 1
  assert_equal "$(records error '[.category,.retryable]')" '["quota",false]'
  assert_equal "$(fake_count)" 1
}

@test "retry policy 10: a conversation that is too long is said so, and not sent again" {
  start_fake '{"turns":[{"text":"ok","fault":{"status":400,"body":{"error":{"code":"context_length_exceeded","message":"too long"}},"times":9}}]}'
  for wire in responses messages chat; do
    ask $wire
    assert_failure 1
    assert_equal "$(records error '[.category,.retryable]')" '["context_overflow",false]'
  done
  assert_equal "$(fake_count)" 3
}

@test "retry policy 11: comments and pings are signs of life, silence is not (bug 42)" {
  local pings='' i
  for i in 1 2 3 4 5 6 7 8; do pings+=': ping\n\n'; done
  start_fake '{"turns":[{"split":8,"split_delay":60,"sse":"'"$pings"'data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"}]}'
  ask chat --idle-timeout-ms 300 --retries 0
  assert_success
  assert_equal "$(said)" ok
  set_script '{"turns":[{"text":"ok","fault":{"stall_ms":3000,"stall_at":0,"times":2}}]}'
  ask chat --idle-timeout-ms 100 --headers-timeout-ms 100 --retries 1 --retry-delay-ms 1
  assert_failure 1
  assert_equal "$(records error '[.category,.retryable]')" '["timeout",true]'
}

@test "retry policy 12: cancelling a wait is answered at once" {
  start_fake '{"turns":[{"text":"ok","fault":{"status":503}}]}'
  serve --retry-delay-ms 60000
  sed 's/"request"/"request","request_id":"a"/' hi.jsonl >&7
  next attempt >/dev/null
  next attempt >/dev/null
  echo '{"type":"cancel","request_id":"a"}' >&7
  assert_equal "$(next done | jq -c '[.request_id,.status]')" '["a","cancelled"]'
}

@test "retry policy 13: a key that is refused is asked with once" {
  start_fake '{"turns":[{"text":"ok","fault":{"status":401,"body":{"error":{"message":"bad key"}},"times":9}}]}'
  ask responses
  assert_failure 1
  assert_equal "$(records error '[.category,.retryable]')" '["auth",false]'
  assert_equal "$(fake_count)" 1
}

@test "retry policy 14: a page in place of an answer is said in few words" {
  start_fake '{"turns":[{"content_type":"text/html","sse":"<html><head><title>Sign in</title></head><body>'"$(printf 'x%.0s' {1..3000})"'</body></html>"}]}'
  ask chat
  assert_failure 1
  assert_equal "$(fake_count)" 1
  [[ $(records error .message) == *'an HTML page instead of an answer: Sign in' ]]
  assert_equal "$(records error .retryable)" false
}

@test "retry policy 15: a reset inside the head of a chunk is a cut" {
  start_fake '{"turns":[{"text":"ok","fault":[{"raw":"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n1"},{"raw":"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"}]}]}'
  ask chat --retry-delay-ms 1
  assert_success
  assert_equal "$(said)" ok
  assert_equal "$(records trace '.attempts | map(.outcome) | join(" ")')" 'stream stream completed'
}

@test "what waits is shown: each attempt is a record with its reason and delay" {
  start_fake '{"turns":[{"text":"ok","fault":[{"status":503},{"cut_at":0}]}]}'
  ask chat --retry-delay-ms 1
  assert_success
  assert_equal "$(records attempt .number | tr '\n' ' ')" '1 2 3 '
  [[ $(records attempt '.reason // empty' | sed -n 1p) == 'overloaded: HTTP 503'* ]]
  [[ $(records attempt '.reason // empty' | sed -n 2p) == stream:* ]]
}

@test "nobody listens on this machine: said within two seconds, not after all retries" {
  local before=${EPOCHREALTIME/./}
  run_tool magi-provider --base-url http://127.0.0.1:1/v1 -m m <hi.jsonl
  assert_failure 1
  assert_equal "$(records attempt .number | tr '\n' ' ')" '1 2 3 '
  [ $((${EPOCHREALTIME/./} - before)) -lt 6000000 ]
}

@test "what a cut attempt used is counted too" {
  start_fake '{"turns":[{"text":"ok","usage":{"input":40,"output":2},"fault":{"cut_at":330}}]}'
  ask messages --retry-delay-ms 1
  assert_success
  assert_equal "$(records usage .input_tokens | tr '\n' ' ')" '40 40 '
}

@test "a model whose call was cut at the output limit is told, and the call is not run (bug 19)" {
  mkdir repo
  for wire in chat responses messages; do
    rm -rf "$MC_HOME/sessions" repo/made
    start_fake '{"turns":[{"calls":[{"name":"bash","arguments":"{\"command\":\"touch ma"}],"finish":"length"},
      {"calls":[{"name":"read","args":{"path":"none"}},{"name":"bash","args":{"command":"touch made"}}],"finish":"length"},{"text":"I see."}]}'
    case $wire in
      chat) set -- --base-url "$FAKE_URL/v1" ;;
      responses) set -- --provider openai --base-url "$FAKE_URL/v1" ;;
      messages) set -- --provider anthropic --base-url "$FAKE_URL" ;;
    esac
    run --separate-stderr magi-code "$@" -m mock-model --permissions full -C repo -p hi
    echo "$wire: $output $stderr"
    assert_success
    [ ! -e repo/made ]
    assert_equal "$(fake_count)" 3
    fake_body 2 | grep -q 'not run: the output limit cut the arguments'
    fake_body 3 | grep -q 'in smaller pieces'
    stop_fake
  done
}

# A response of the Responses API that is cut behind these events.
cut_behind() {
  local event body=''
  for event; do body+="data: $event"$'\n\n'; done
  jq -nc --arg raw $'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'"$body" '{raw: $raw}'
}

@test "R16: a cut behind reasoning alone is tried again, and one behind reasoning and text is continued" {
  local item='{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"A"}}'
  local text='{"type":"response.output_text.delta","output_index":1,"delta":"one two thr"}'
  start_fake '{"turns":[{"text":"ok","fault":'"$(cut_behind "$item")"'}]}'
  ask responses --retry-delay-ms 1
  assert_success
  assert_equal "$(said)" ok
  assert_equal "$(fake_count)" 2
  mkdir repo
  set_script '{"turns":[{"text":"never","fault":'"$(cut_behind "$item" "$text")"'},{"text":"ee four"}],"after":{"text":"more"}}'
  run --separate-stderr magi-code --provider openai --base-url "$FAKE_URL/v1" -m mock-model -C repo -p hi
  assert_success
  assert_equal "${output//$'\n'/}" 'one two three four'
  assert_equal "$(fake_count)" 4
  # The reasoning goes back in front of what it led to, and the halves stand behind each other.
  assert_equal "$(fake_body 4 '[.input[] | .type + ":" + (.role // "")] | join(" ")')" 'message:user reasoning: message:assistant message:user'
  run --separate-stderr magi-code --provider openai --base-url "$FAKE_URL/v1" -m mock-model -C repo --continue -p more
  assert_success
  assert_equal "$(fake_body 5 '[.input[] | select(.role == "assistant") | .content] | join("")')" 'one two three four'
}

@test "every reported bug of other clients has a named case here" {
  # Not here: 62 and 63 (logins), 83 to 89 (the claude program), 90 (MCP).
  local names n missing=''
  names=$(grep -rhoE '(Bug[0-9]+(And[0-9]+|To[0-9]+)*|\(bug [0-9]+\))' "$MAGI_ROOT/tests/unit" "$MAGI_ROOT/tests/bats" | grep -oE '[0-9]+' | sed 's/^0*//' | sort -nu)
  for n in $(seq 1 82); do
    case $n in 62 | 63) continue ;; esac
    grep -qx "$n" <<<"$names" || missing+=" $n"
  done
  assert_equal "$missing" ''
}
