#!/usr/bin/env bats
# magi-provider as a process, against the scripted server: what it asks, what it answers, and how it fails.

load helper
load fake

setup() {
  common_setup
  export OPENAI_API_KEY=openai-secret-key ANTHROPIC_API_KEY=anthropic-secret-key
  tools='[{"name":"bash","description":"Run a command.","parameters":{"type":"object","properties":{"command":{"type":"string"}}}}]'
  request q1 '{"type":"user","text":"hi"}' >hi.jsonl
}

teardown() {
  exec 7>&- 8<&-
  stop_fake
}

# request ID RECORD...: one whole request.
request() {
  echo '{"type":"request","request_id":"'"$1"'","session_id":"s1","instructions":"Be brief.","tools":'"$tools"'}'
  echo '{"type":"conversation","version":1,"session_id":"s1","generation":0}'
  printf '%s\n' "${@:2}"
  echo '{"type":"end","items":'$(($# - 1))'}'
}

# ask WIRE ARGUMENTS...: one conversation to the fake server.
ask() {
  local wire=$1
  shift
  case $wire in
    chat) run_tool magi-provider --base-url "$FAKE_URL/v1" -m mock-model "$@" ;;
    responses) run_tool magi-provider --provider openai --base-url "$FAKE_URL/v1" -m mock-model "$@" ;;
    messages) run_tool magi-provider --provider anthropic --base-url "$FAKE_URL" -m mock-model "$@" ;;
  esac
}

# records TYPE [FILTER]: of the last run's output.
records() { jq -rc --arg type "$1" 'select(.type == $type)' <<<"$output" | jq -rc "${2:-.}"; }
types() { jq -r .type <<<"$output" | uniq | tr '\n' ' '; }
said() { records text .text | tr -d '\n'; }

# serve ARGUMENTS...: a provider to talk to: write to fd 7, `next TYPE` reads up to a record of that type.
serve() {
  mkfifo to from
  magi-provider --base-url "$FAKE_URL/v1" -m mock-model --serve "$@" <to >from 2>serve.err 3>&- &
  served=$!
  exec 7>to 8<from
}
next() {
  local line
  while IFS= read -r -t 10 -u 8 line; do
    printf '%s\n' "$line" >>served.jsonl
    if [ "$(jq -r .type <<<"$line")" = "$1" ]; then
      printf '%s\n' "$line"
      return 0
    fi
  done
  return 1
}
# True once the server's process is gone; its status is in $served_status.
ended() {
  exec 7>&-
  wait_until 10 bash -c "! kill -0 $served 2>/dev/null"
  wait "$served" && served_status=0 || served_status=$?
}

turn_with_calls='{"turns":[{"text":"Grüße 🎉 I look.","thinking":"hm","chunk":3,"split":7,"calls":[{"name":"bash","args":{"command":"ls"}},{"name":"bash","args":{"command":"pwd"}}],"usage":{"input":40,"output":9}}]}'

@test "each wire format streams text, calls and usage, and sends what a server accepts" {
  start_fake "$turn_with_calls"
  for wire in responses messages chat; do
    ask $wire <hi.jsonl
    assert_success
    assert_equal "$(said)" 'Grüße 🎉 I look.'
    assert_equal "$(records tool_call .arguments)" $'{"command":"ls"}\n{"command":"pwd"}'
    assert_equal "$(records tool_progress .call_id)" "$(records tool_call .call_id)"
    assert_equal "$(records usage '[.input_tokens,.output_tokens]')" '[40,9]'
    assert_equal "$(records done '[.request_id,.status,.stop_reason]')" '["q1","completed","tool_use"]'
    assert_equal "$(records trace '.attempts | length')" 1
    assert_equal "$stderr" ""
  done
  assert_no_problems
}

@test "a whole turn with calls, results and opaque items goes back in the form that the server wants" {
  start_fake "$turn_with_calls"
  for wire in responses messages chat; do
    ask $wire <hi.jsonl
    {
      echo '{"type":"user","text":"hi"}'
      records text | jq -rcs '{type:"assistant",text:(map(.text) | join(""))}'
      records provider_item
      records tool_call
      records tool_call '{type:"tool_result",call_id,status:"success",output:"ok"}'
    } >turn.jsonl
    mapfile -t turn <turn.jsonl
    request q2 "${turn[@]}" >second.jsonl
    ask $wire <second.jsonl
    assert_success
    assert_equal "$(said)" done
  done
  assert_no_problems
  assert_equal "$(fake_body 2 '.input | map(.type) | join(" ")')" 'message message reasoning function_call function_call function_call_output function_call_output'
  assert_equal "$(fake_body 4 '.messages[1].content | map(.type) | join(" ")')" 'text thinking tool_use tool_use'
  assert_equal "$(fake_body 6 '.messages[2].reasoning_content')" hm
}

@test "an answer sent in one piece, with or without event lines, in CRLF, closed early: all the same" {
  for extra in '"split":1' '"line_end":"crlf"' '"line_end":"cr"' '"event_lines":false' '"framing":"close"' '"framing":"length"'; do
    start_fake '{"turns":[{"text":"One two.","calls":[{"name":"bash","args":{"command":"ls"}}],'"$extra"'}]}'
    for wire in responses messages chat; do
      ask $wire <hi.jsonl
      assert_success
      assert_equal "$(said)" 'One two.'
      assert_equal "$(records tool_call .arguments)" '{"command":"ls"}'
    done
    stop_fake
  done
}

@test "a whole JSON answer in place of a stream is read too" {
  start_fake '{"turns":[{"content_type":"application/json","sse":"{\"choices\":[{\"message\":{\"content\":\"whole\"},\"finish_reason\":\"stop\"}]}"}]}'
  ask chat <hi.jsonl
  assert_success
  assert_equal "$(said)" whole
}

@test "a busy server is asked again, later, with the same bytes" {
  start_fake '{"turns":[{"text":"ok","fault":[{"status":503},{"status":500}]}]}'
  ask chat --retry-delay-ms 20 <hi.jsonl
  assert_success
  assert_equal "$(said)" ok
  assert_equal "$(fake_body 1)" "$(fake_body 3)"
  assert_equal "$(records attempt .number | tr '\n' ' ')" '1 2 3 '
  # 4 x 20 ms for the busy server, then 2 x 20 ms, each within a quarter.
  records attempt '.delay_ms // empty' | { read -r first && [ "$first" -ge 60 ] && [ "$first" -le 100 ] && read -r second && [ "$second" -ge 30 ] && [ "$second" -le 50 ]; }
  assert_equal "$(records attempt '.reason // empty' | head -n 1 | cut -c1-20)" 'overloaded: HTTP 503'
  assert_equal "$(records trace '.attempts | map(.outcome) | join(" ")')" 'overloaded server completed'
}

@test "retry-after is waited for, and a long one is said instead" {
  start_fake '{"turns":[{"text":"ok","fault":{"status":429,"retry_after":1}}]}'
  ask chat --retry-delay-ms 1 <hi.jsonl
  assert_success
  [ "$(records attempt '.delay_ms // empty')" -ge 1000 ]
  stop_fake
  start_fake '{"turns":[{"text":"ok","fault":{"status":429,"retry_after":7200}}]}'
  ask chat <hi.jsonl
  assert_failure 1
  assert_equal "$(records error '[.category,.retryable,.http_status]')" '["rate_limit",true,429]'
  [[ $(records error .message) == *'the server asks to wait 2 h'* ]]
  assert_equal "$(fake_count)" 1
}

@test "what cannot succeed is asked once" {
  for code in 400 401 403 404 422; do
    start_fake '{"turns":[{"text":"ok","fault":{"status":'$code',"body":{"error":{"message":"no: openai-secret-key"}}}}]}'
    ask responses <hi.jsonl
    assert_failure 1
    assert_equal "$(fake_count)" 1
    assert_equal "$(records error '[.retryable,.partial,.http_status]')" "[false,false,$code]"
    assert_equal "${#stderr_lines[@]}" 1
    stop_fake
  done
}

@test "the key is in no output, whatever the server says" {
  start_fake '{"turns":[{"fault":[{"status":401,"body":{"error":{"message":"Incorrect key: openai-secret-key"}}}]}]}'
  ask responses <hi.jsonl
  assert_failure 1
  [[ $(records error .message) == *'Incorrect key: [key]'* ]]
  [[ $output$stderr != *secret* ]]
  run_tool magi-provider --provider openai --status
  [[ $output$stderr == *'OPENAI_API_KEY is set'* && $output$stderr != *secret* ]]
}

@test "a redirect is not followed" {
  start_fake '{"turns":[{"text":"ok","fault":{"status":307,"headers":{"location":"http://127.0.0.1:1/elsewhere?x"}}}]}'
  ask responses <hi.jsonl
  assert_failure 1
  [[ $(records error .message) == *'redirects to http://127.0.0.1:1;'* ]]
  assert_equal "$(fake_count)" 1
}

@test "retries end, and the error names the last failure" {
  start_fake '{"turns":[{"fault":{"status":500,"times":9}}]}'
  ask chat --retries 2 --retry-delay-ms 5 <hi.jsonl
  assert_failure 1
  assert_equal "$(fake_count)" 3
  [[ $(records error .message) == *'(after 3 attempts)' ]]
  assert_equal "$(records error '[.category,.retryable,.partial]')" '["server",true,false]'
  ask chat --retries 0 <hi.jsonl
  assert_equal "$(fake_count)" 4
}

@test "CLI-15: a stream cut behind text is not asked again, and its text is written once" {
  start_fake '{"turns":[{"text":"0123456789 0123456789 0123456789 0123456789 0123456789","chunk":4,"fault":{"cut_at":900}}]}'
  for wire in responses messages chat; do
    set_script "$(cat "$FAKE_SCRIPT")"
    ask $wire <hi.jsonl
    assert_failure 1
    [[ '0123456789 0123456789 0123456789 0123456789 0123456789' == "$(said)"* && -n $(said) ]]
    assert_equal "$(records error '[.category,.retryable,.partial]')" '["stream",true,true]'
  done
  assert_equal "$(fake_count)" 3
}

@test "CLI-15: a call whose arguments were cut is never a call" {
  local arguments='{"command":"echo 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789"}'
  start_fake '{"turns":[{"chunk":4,"calls":[{"name":"bash","args":'"$arguments"'}],"fault":{"cut_at":1000,"times":9}}]}'
  for wire in responses messages chat; do
    ask $wire <hi.jsonl
    assert_failure 1
    assert_equal "$(records tool_progress .name)" bash
    assert_equal "$(records tool_call)" ""
    assert_equal "$(records error .partial)" true
  done
  set_script '{"turns":[{"calls":[{"name":"bash","arguments":"{\"command\":\"rm -"}],"finish":"length"}]}'
  for wire in responses messages chat; do
    ask $wire <hi.jsonl
    assert_failure 1
    assert_equal "$(records tool_call)" ""
    assert_equal "$(records error '[.category,.retryable,.partial]')" '["truncated",true,true]'
  done
}

@test "a connection that breaks before the answer is tried again on a new one" {
  start_fake '{"turns":[{"text":"ok","fault":[{"cut_at":0},{"cut_at":0,"reset":true},{"raw":"nonsense"}]}]}'
  ask chat --retry-delay-ms 1 <hi.jsonl
  assert_success
  assert_equal "$(said)" ok
  assert_equal "$(fake_requests | jq -r .conn | sort -u | wc -l)" 4
}

@test "errors inside a 200 have their kind" {
  start_fake '{"turns":[{"text":"a","stream_error":{"type":"overloaded_error","message":"Overloaded"}}]}'
  for wire in responses messages chat; do
    ask $wire --retries 0 <hi.jsonl
    assert_failure 1
    assert_equal "$(records error '[.category,.message,.partial]')" '["overloaded","Overloaded",true]'
  done
  set_script '{"turns":[{"content_type":"text/html","sse":"<html><title>Sign in</title></html>"}]}'
  ask chat --retries 0 <hi.jsonl
  assert_failure 1
  [[ $(records error .message) == *'an HTML page instead of an answer: Sign in' ]]
}

@test "silence ends: before the head, and inside the stream" {
  start_fake '{"turns":[{"text":"0123456789 0123456789","chunk":2,"fault":{"stall_ms":3000,"stall_at":700}}]}'
  ask chat --idle-timeout-ms 100 <hi.jsonl
  assert_failure 1
  assert_equal "$(records error '[.category,.message,.partial]')" '["timeout","the server fell silent",true]'
  stop_fake
  start_fake '{"turns":[{"text":"ok","fault":{"status":500,"stall_ms":3000}}]}'
  ask chat --headers-timeout-ms 100 --retry-delay-ms 1 <hi.jsonl
  assert_success
  [[ $(records attempt '.reason // empty') == 'timeout: the server did not answer in time'* ]]
}

@test "no server: one line, and the error as a record" {
  run_tool magi-provider --base-url http://127.0.0.1:1/v1 -m m --retries 0 <hi.jsonl
  assert_failure 1
  assert_equal "$stderr" 'magi-provider: openai-compatible: cannot reach http://127.0.0.1:1: Connection refused'
  assert_equal "$(records error '[.request_id,.category,.retryable]')" '["q1","connect",true]'
}

@test "a large request has its length, and does not wait for a continue" {
  start_fake '{"turns":[{"text":"ok"}]}' --max-body 8000000
  head -c 3000000 /dev/zero | tr '\0' x >big.txt
  request q1 '{"type":"user","text":"'"$(cat big.txt)"'"}' >big.jsonl
  ask chat <big.jsonl
  assert_success
  assert_equal "$(fake_request 1 '.headers | [has("content-length"), has("transfer-encoding"), has("expect")]')" '[true,false,false]'
  assert_equal "$(fake_request 1 .bytes)" "$(fake_request 1 '.headers["content-length"]')"
  assert_equal "$(fake_body 1 '.messages[1].content | length')" 3000000
}

@test "requests are answered one after another on one connection" {
  start_fake '{"index":"request","turns":[{"text":"first"},{"text":"second"}]}'
  serve
  request a '{"type":"user","text":"1"}' >&7
  assert_equal "$(next done | jq -c '[.request_id,.status]')" '["a","completed"]'
  request b '{"type":"user","text":"2"}' >&7
  assert_equal "$(next done | jq -c '[.request_id,.status]')" '["b","completed"]'
  ended
  assert_equal "$served_status" 0
  assert_equal "$(jq -rs 'map(select(.type == "text") | .request_id + ":" + .text) | join(" ")' served.jsonl)" 'a:first b:second'
  assert_equal "$(fake_requests | jq -r .conn | uniq | wc -l)" 1
}

@test "requests that have come before the end of input are all answered" {
  start_fake '{"index":"request","turns":[{"text":"first"},{"text":"second"}]}'
  { request a '{"type":"user","text":"1"}'; request b '{"type":"user","text":"2"}'; } >two.jsonl
  run_tool magi-provider --base-url "$FAKE_URL/v1" -m mock-model --serve <two.jsonl
  assert_success
  assert_equal "$(records done .request_id | tr '\n' ' ')" 'a b '
}

@test "cancel is answered at once while text streams, and the next request works" {
  start_fake '{"index":"request","turns":[{"text":"0123456789 0123456789 0123456789","chunk":1,"delay":100},{"text":"ok"}]}'
  serve
  request a '{"type":"user","text":"1"}' >&7
  next text >/dev/null
  local before=${EPOCHREALTIME/./}
  echo '{"type":"cancel","request_id":"a"}' >&7
  assert_equal "$(next done | jq -c '[.request_id,.status]')" '["a","cancelled"]'
  [ $((${EPOCHREALTIME/./} - before)) -lt 1000000 ]
  request b '{"type":"user","text":"2"}' >&7
  assert_equal "$(next done | jq -c '[.request_id,.status]')" '["b","completed"]'
  ended
}

@test "cancel is answered at once while it waits, before the head, and in the queue" {
  start_fake '{"turns":[{"text":"ok","fault":[{"status":503},{"status":500,"stall_ms":5000}]}]}'
  serve --retry-delay-ms 60000
  local before=${EPOCHREALTIME/./}
  request a '{"type":"user","text":"1"}' >&7
  next attempt >/dev/null
  next attempt >/dev/null
  request c '{"type":"user","text":"2"}' >&7
  echo '{"type":"cancel","request_id":"c"}' >&7
  assert_equal "$(next done | jq -c '[.request_id,.status]')" '["c","cancelled"]'
  echo '{"type":"cancel","request_id":"a"}' >&7
  assert_equal "$(next done | jq -c '[.request_id,.status]')" '["a","cancelled"]'
  request b '{"type":"user","text":"1"}' >&7
  next attempt >/dev/null
  wait_for_requests 2
  echo '{"type":"cancel"}' >&7
  assert_equal "$(next done | jq -c '[.request_id,.status]')" '["b","cancelled"]'
  # Cancelling what is over is no error.
  echo '{"type":"cancel","request_id":"a"}' >&7
  [ $((${EPOCHREALTIME/./} - before)) -lt 4000000 ]
  ended
  assert_equal "$served_status" 0
}

@test "a bad request costs itself alone" {
  start_fake '{"turns":[{"text":"ok"}]}'
  {
    request a '{"type":"nonsense"}'
    request b '{"type":"assistant","text":"x"}'
    request c '{"type":"user","text":"1"}'
  } >three.jsonl
  run_tool magi-provider --base-url "$FAKE_URL/v1" -m mock-model --serve <three.jsonl
  assert_success
  assert_equal "$(records error '[.request_id,.category,.message]')" '["a","request","line 3: unknown record type '"'nonsense'"'"]
["b","request","the conversation ends with the assistant: give --prompt"]'
  assert_equal "$(records done .request_id)" c
}

@test "a provider whose reader is gone ends, even while the model is silent" {
  start_fake '{"turns":[{"text":"0123456789","chunk":1,"fault":{"stall_ms":20000,"stall_at":500}}]}'
  magi-provider --base-url "$FAKE_URL/v1" -m mock-model <hi.jsonl 2>/dev/null | head -n 1 >/dev/null &
  local pipeline=$!
  wait_until 5 bash -c "! kill -0 $pipeline 2>/dev/null"
  wait_until 5 no_process_left "$FAKE_URL/v1"
}

@test "input that is no conversation: one line, exit 1, and nothing sent" {
  start_fake '{"turns":[{"text":"ok"}]}'
  ask chat </dev/null
  assert_one_error magi-provider 1
  assert_equal "$stderr" 'magi-provider: no conversation on stdin'
  head -n 3 hi.jsonl >torn.jsonl
  ask chat <torn.jsonl
  assert_one_error magi-provider 1
  assert_equal "$stderr" 'magi-provider: the conversation is truncated: it has no end record'
  ask chat <<<'not json'
  assert_one_error magi-provider 1
  ask chat <<<'{"type":"surprise"}'
  assert_one_error magi-provider 1
  assert_equal "$(fake_count)" 0
}

@test "a conversation that asks nothing is a usage error unless there is a prompt" {
  start_fake '{"no_tools":null,"turns":[{"text":"zero"},{"text":"one"}]}'
  printf '%s\n' '{"type":"user","text":"hi"}' '{"type":"assistant","text":"yes?"}' >answered.jsonl
  ask chat <answered.jsonl
  assert_one_error magi-provider 2
  assert_equal "$stderr" 'magi-provider: the conversation ends with the assistant: give --prompt'
  assert_equal "$(fake_count)" 0
  ask chat --prompt 'go on' <answered.jsonl
  assert_success
  assert_equal "$(said)" one
  assert_equal "$(fake_body 1 '.messages[-1].content')" 'go on'
  ask chat --prompt 'only this' </dev/null
  assert_equal "$(said)" zero
}

@test "the only model of a local server needs no name, and one of several does" {
  start_fake '{"models":["tiny"],"turns":[{"text":"ok"}]}'
  run_tool magi-provider --base-url "$FAKE_URL/v1" <hi.jsonl
  assert_success
  assert_equal "$(fake_body 1 .model)" tiny
  assert_equal "$(fake_request 1 '.headers | has("authorization")')" false
  set_script '{"models":["a","b"],"turns":[{"text":"ok"}]}'
  run_tool magi-provider --base-url "$FAKE_URL/v1" <hi.jsonl
  assert_failure 2
  assert_equal "$stderr" 'magi-provider: openai-compatible: choose a model with --model; the server has a, b'
  assert_equal "$(records error '[.category,.retryable]')" '["config",false]'
  run_tool magi-provider --base-url "$FAKE_URL/v1" --list-models
  assert_equal "$output" $'a\nb'
}

@test "settings name a provider, its address, key, model and headers" {
  start_fake '{"turns":[{"text":"ok"}]}'
  mkdir -p "$MC_HOME"
  echo '{"schema_version":2,"provider":"mine","providers":{"mine":{"api":"messages","base_url":"'"$FAKE_URL"'","api_key_env":"MINE_KEY","model":"own","headers":{"x-team":"blue"}}}}' >"$MC_HOME/settings.json"
  chmod 700 "$MC_HOME" && chmod 600 "$MC_HOME/settings.json"
  MINE_KEY=k run_tool magi-provider <hi.jsonl
  assert_success
  assert_equal "$(fake_request 1 .path)" /v1/messages
  assert_equal "$(fake_body 1 .model)" own
  assert_equal "$(fake_request 1 '.headers["x-team"]')" blue
  assert_no_problems
}

@test "no key: exit 2, naming the variable" {
  unset OPENAI_API_KEY ANTHROPIC_API_KEY
  run_tool magi-provider --provider anthropic <hi.jsonl
  assert_failure 2
  [[ $stderr == *ANTHROPIC_API_KEY* && $output == "" ]]
  run_tool magi-provider <hi.jsonl
  assert_failure 2
  [[ $stderr == *ANTHROPIC_API_KEY*OPENAI_API_KEY* && $output == "" ]]
}

@test "an account that nobody has logged in to is exit 2, and says how" {
  for provider in openai-codex claude-subscription; do
    run_tool magi-provider --provider $provider <hi.jsonl
    assert_failure 2
    [[ $stderr == *"'$provider'"*needs* && $output == "" ]]
  done
}

@test "CLI-09: every option with a wrong value is exit 2 and names the option" {
  for option in --provider --model --base-url --script --prompt --retries --retry-delay-ms --connect-timeout-ms --headers-timeout-ms --idle-timeout-ms --home; do
    run_tool magi-provider $option
    assert_one_error magi-provider 2
    [[ $stderr == *"$option"* ]]
  done
  for option in --retries --retry-delay-ms --connect-timeout-ms --headers-timeout-ms --idle-timeout-ms; do
    for value in -1 x 1.5 99999999999 ''; do
      run_tool magi-provider $option "$value" </dev/null
      assert_one_error magi-provider 2
      [[ $stderr == *"$option"* ]]
    done
  done
  run_tool magi-provider --no-such-option
  assert_one_error magi-provider 2
  run_tool magi-provider operand
  assert_one_error magi-provider 2
  for url in h ftp://h/ http:// http://user:pass-word@h/v1; do
    run_tool magi-provider --base-url "$url" -m m </dev/null
    assert_failure 2
    [[ $output == "" && $stderr != *pass-word* ]]
  done
}

@test "CLI-05: closed descriptors end it within 2 s, and are not taken for files" {
  start_fake '{"turns":[{"text":"ok"}]}'
  closing() { run timeout 5 bash -c 'magi-provider --base-url "$0" -m mock-model <hi.jsonl '"$1" "$FAKE_URL/v1"; }
  closing '>&-'
  assert_failure 1
  closing '2>&-'
  assert_success
  closing '>&- 2>&-'
  assert_failure 1
  closing '<&-'
  assert_failure 1
  closing '<&- >&- 2>&-'
  assert_failure 1
  assert_equal "$(request q1 '{"type":"user","text":"hi"}')" "$(cat hi.jsonl)"
}

@test "CLI-11: proxies of the environment, their exceptions, and no password in any message" {
  start_fake '{"turns":[{"text":"ok"}]}'
  for name in http_proxy HTTP_PROXY all_proxy; do
    local proxy=("$name=http://user:proxy-word@127.0.0.1:$FAKE_PORT")
    run --separate-stderr env "${proxy[@]}" magi-provider --base-url http://model.test/v1 -m mock-model <hi.jsonl
    assert_success
    assert_equal "$(said)" ok
    assert_equal "$(fake_requests | tail -n 1 | jq -r .path)" http://model.test/v1/chat/completions
    # This machine, and what NO_PROXY names, is reached directly: nothing listens there.
    run --separate-stderr env "${proxy[@]}" magi-provider --base-url http://127.0.0.1:1/v1 -m m --retries 0 <hi.jsonl
    assert_failure 1
    for exception in no_proxy NO_PROXY; do
      run --separate-stderr env "${proxy[@]}" "$exception=other.test,model.test" magi-provider --base-url http://model.test:1/v1 -m m --retries 0 <hi.jsonl
      assert_failure 1
      [[ $output$stderr != *proxy-word* ]]
    done
  done
  assert_equal "$(fake_count)" 3
  run --separate-stderr env "HTTPS_PROXY=http://user:proxy-word@127.0.0.1:$FAKE_PORT" magi-provider --base-url https://model.test/v1 -m m --retries 0 <hi.jsonl
  assert_failure 1
  assert_equal "$(jq -r 'select(.method == "CONNECT") | .path' "$FAKE_LOG")" model.test:443
  [[ $output$stderr != *proxy-word* ]]
}

@test "a script answers by the number of the turn, with its pauses, and can be cancelled" {
  cat >script.jsonl <<'SCRIPT'
{"type":"text","text":"I look. ","delay_ms":1}
{"type":"tool_call","call_id":"c1","name":"read","arguments":"{\"path\":\"a\"}"}
{"type":"done","status":"completed","stop_reason":"tool_use"}
{"type":"text","text":"Done."}
SCRIPT
  run_tool magi-provider --script script.jsonl <hi.jsonl
  assert_success
  assert_equal "$(types)" 'attempt text tool_call done '
  assert_equal "$(records done .request_id)" q1
  printf '%s\n' '{"type":"user","text":"hi"}' '{"type":"tool_call","call_id":"c1","name":"read","arguments":"{}"}' '{"type":"tool_result","call_id":"c1","output":"o"}' >second.jsonl
  run_tool magi-provider --provider scripted --script script.jsonl <second.jsonl
  assert_equal "$(said)" Done.
  assert_equal "$(records done .stop_reason)" end_turn

  # What was answered once is a script too.
  run_tool magi-provider --script script.jsonl --prompt x </dev/null
  printf '%s\n' "$output" >again.jsonl
  run_tool magi-provider --script again.jsonl --prompt x </dev/null
  assert_equal "$output" "$(cat again.jsonl)"

  echo '{"type":"text","text":"late","delay_ms":60000}' >slow.jsonl
  start_fake '{"turns":[]}'
  mkfifo to from
  magi-provider --script slow.jsonl --serve <to >from 3>&- &
  exec 7>to 8<from
  cat hi.jsonl >&7
  next attempt >/dev/null
  echo '{"type":"cancel","request_id":"q1"}' >&7
  assert_equal "$(next done | jq -r .status)" cancelled
}

@test "a script that is none is exit 2 with its line" {
  printf '{"type":"text","text":"a"}\n{"type":"user","text":"b"}\n' >bad.jsonl
  run_tool magi-provider --script bad.jsonl <hi.jsonl
  assert_one_error magi-provider 2
  [[ $stderr == *"'bad.jsonl'"*'line 2'* ]]
  run_tool magi-provider --script missing.jsonl <hi.jsonl
  assert_one_error magi-provider 2
  run_tool magi-provider --provider scripted <hi.jsonl
  assert_one_error magi-provider 2
}

@test "a script's error is the tool's failure" {
  echo '{"type":"error","category":"overloaded","message":"busy","retryable":true,"partial":false}' >script.jsonl
  run_tool magi-provider --script script.jsonl <hi.jsonl
  assert_failure 1
  assert_equal "$(records error .message)" busy
}
