# claude-subscription: real processes, with a stand-in for the claude command line (tests/fake/claude).
load helper
load accounts

setup() {
  common_setup
  FAKE_PIDS=()
}

ask() { magi-provider --provider claude-subscription "$@"; }
text_of() { jq -rj 'select(.type == "text").text' <<<"$output"; }
last_of() { jq -c 'select(.type == "done" or .type == "error")' <<<"$output"; }

@test "bug 87, claude: a prompt, its answer, its usage; no tools, settings, servers or keys of its own" {
  install_claude '{"turns": [{"thinking": "hm", "pieces": ["He", "llo 界."]}]}'
  export ANTHROPIC_API_KEY=secret-a OPENAI_API_KEY=secret-o MC_API_KEY=secret-m CLAUDECODE=1
  run_tool ask --prompt hi </dev/null
  assert_success
  assert_equal "$(text_of)" 'Hello 界.'
  assert_equal "$(jq -r 'select(.type == "reasoning").text' <<<"$output")" hm
  assert_equal "$(jq -c 'select(.type == "usage") | [.input_tokens, .cached_tokens, .output_tokens]' <<<"$output")" '[100,90,5]'
  assert_equal "$(last_of)" '{"type":"done","status":"completed","stop_reason":"end_turn"}'
  assert_equal "$(claude_log 'select(.ev == "start").args[0]' | xargs)" 'auth -p'
  run claude_log 'select(.ev == "start" and .args[0] == "-p").args | join(" ")'
  assert_output --partial '--output-format stream-json --input-format stream-json --verbose --include-partial-messages'
  assert_output --partial '--model sonnet --tools  --strict-mcp-config --setting-sources= --no-session-persistence'
  refute_output --partial ' --mcp-config'
  run claude_log 'select(.ev == "start").env[]'
  refute_output --regexp 'API_KEY|CLAUDECODE'
  assert_equal "$(claude_log 'select(.record.type == "user").record.message.content | tojson')" '[{"type":"text","text":"[user]\nhi"}]'
  run no_process_left "$FAKE_CLAUDE"
  assert_success
}

@test "claude: our tools are offered to it, and what it calls is a call, not run by it" {
  install_claude '{"turns": [{"text": "Looking.", "calls": [{"name": "read", "args": {"path": "a"}}, {"name": "bash",
    "args": {"command": "ls"}}]}]}'
  cat >stream <<'JSON'
{"type":"request","request_id":"r1","instructions":"Be brief.","tools":[{"name":"read","description":"d","parameters":{"type":"object","properties":{"path":{"type":"string"}}}},{"name":"bash","description":"d","parameters":{"type":"object"}}]}
{"type":"conversation","version":1,"session_id":"s"}
{"type":"user","text":"first \"quoted\" ☃"}
{"type":"assistant","text":"ok","status":"completed","turn_id":"t1"}
{"type":"tool_call","call_id":"c1","name":"read","arguments":"{\"path\":\"x\"}","turn_id":"t1"}
{"type":"tool_result","call_id":"c1","result_id":"r","status":"error","output":"no such file"}
{"type":"user","text":"again"}
{"type":"end","items":5,"digest":"sha256:0"}
JSON
  run_tool ask <stream
  assert_success
  assert_equal "$(jq -c 'select(.type == "tool_call") | [.name, .arguments]' <<<"$output")" \
    $'["read","{\\"path\\": \\"a\\"}"]\n["bash","{\\"command\\": \\"ls\\"}"]'
  assert_equal "$(last_of | jq -r .stop_reason)" 'tool_use'
  assert_equal "$(claude_log 'select(.ev == "tools").names | tojson')" '["read","bash"]'
  assert_equal "$(claude_log 'select(.ev == "tools").tools[0].inputSchema.properties.path.type')" string
  run claude_log 'select(.record.type == "user").record.message.content[].text'
  assert_line --index 0 '[user]'
  assert_line 'first "quoted" ☃'
  assert_line '[assistant]'
  assert_line '[assistant calls read, c1]'
  assert_line '{"path":"x"}'
  assert_line '[failed result of c1]'
  assert_line 'no such file'
  run claude_log 'select(.ev == "start" and .args[0] == "-p").args | join(" ")'
  assert_output --partial 'Be brief.'
  assert_output --partial '"type":"sdk"'
  # It waits for a result that never comes, and is gone all the same.
  run no_process_left "$FAKE_CLAUDE"
  assert_success
}

@test "claude: instructions that fit into no argument go another way" {
  install_claude '{"turns": [{"text": "ok"}]}'
  jq -nc '{type: "request", instructions: ("x" * 300000)}' >stream
  printf '%s\n' '{"type":"conversation","version":1}' '{"type":"user","text":"hi"}' '{"type":"end","items":1,"digest":"d"}' >>stream
  run_tool ask <stream
  assert_success
  [ "$(claude_log 'select(.ev == "prompt").size')" -gt 300000 ]
}

@test "claude: nobody logged in, an old claude, none at all" {
  run_tool ask --prompt hi
  assert_failure 2
  [[ $stderr == *'needs an installed claude'* ]]
  install_claude '{"auth": {"loggedIn": false}, "auth_exit": 1, "turns": []}'
  run_tool ask --prompt hi </dev/null
  assert_failure 2
  [[ $stderr == *'claude is not logged in'*'claude auth login'* ]]
  run_tool ask --status
  assert_line 'login: nobody is logged in: claude auth login'
  install_claude '{"auth": "what?", "auth_stderr": "error: unknown command auth\n", "auth_exit": 1, "turns": []}'
  run_tool ask --prompt hi </dev/null
  assert_failure 2
  [[ $stderr == *'`claude auth status` failed: error: unknown command auth'* ]]
  install_claude '{"auth": "logged in", "turns": [{"text": "ok"}]}'
  run_tool ask --prompt hi </dev/null
  assert_success
  install_claude '{"turns": []}'
  run_tool ask --status
  assert_line 'login: logged in, plan max'
}

failed() {
  install_claude "{\"turns\": [$1]}"
  run_tool ask --prompt hi </dev/null
  assert_failure 1
  jq -c 'select(.type == "error") | [.category, .retryable, .partial]' <<<"$output"
}

@test "bugs 83, 88: failures of claude are told apart, a success that is an error included" {
  local synthetic='{"type": "assistant", "message": {"model": "<synthetic>", "content": [{"type": "text", "text": "TEXT"}]}}'
  local result='{"type": "result", "subtype": "success", "is_error": true, "result": "TEXT"}' text
  check() {
    assert_equal "$2: $(failed "{\"lines\": [${synthetic/TEXT/$2}, ${result/TEXT/$2}]}")" "$2: $1"
    assert_equal "$2: $(failed "{\"lines\": [${result/TEXT/$2}]}")" "$2: $1"
  }
  check '["context_overflow",false,false]' 'Prompt is too long'
  check '["context_overflow",false,false]' 'API Error: 400 prompt is too long: 210000 tokens > 200000 maximum'
  check '["auth",false,false]' 'Invalid API key · Please run /login'
  check '["quota",false,false]' 'Credit balance is too low'
  check '["quota",false,false]' "You've hit your weekly limit · resets 3pm"
  check '["overloaded",true,false]' 'API Error: Repeated 529 Overloaded errors'
  assert_equal "$(failed '{"lines": [{"type": "result", "subtype": "success", "is_error": true, "api_error_status": 429, "result": "slow"}]}')" '["rate_limit",true,false]'
  assert_equal "$(failed '{"lines": [{"type": "assistant", "error": "authentication_failed", "message": {"model": "x", "content": [{"type": "text", "text": "no"}]}}, {"type": "result", "subtype": "success", "is_error": true}]}')" '["auth",false,false]'
  assert_equal "$(failed '{"lines": [{"type": "result", "subtype": "error_during_execution", "is_error": true, "errors": ["it broke"]}]}' | cut -d, -f3)" 'false]'
  assert_equal "$(failed '{"stderr": "Error: boom\n", "exit": 1}' | cut -d, -f3)" 'false]'
  install_claude '{"turns": [{"lines": [{"type": "result", "subtype": "success", "is_error": true, "result": "the reason"}], "exit": 1}]}'
  run_tool ask --prompt hi </dev/null
  [[ $stderr == *'the reason'* ]]
}

@test "bug 28: a line of claude may be cut inside of a character" {
  install_claude '{"turns": [{"text": "界面🎉 語", "piece_bytes": 1}]}'
  run_tool ask --prompt hi </dev/null
  assert_success
  assert_equal "$(text_of)" '界面🎉 語'
}

@test "bug 84: a result that failed is no success, and calls are taken from the content" {
  local call='{"type": "assistant", "message": {"id": "m", "model": "x", "content": [{"type": "tool_use", "id": "t1", "name": "mcp__magi__read", "input": {"path": "a"}}]}}'
  install_claude "{\"turns\": [{\"lines\": [$call, {\"type\": \"result\", \"subtype\": \"error_during_execution\", \"is_error\": false}]}]}"
  run_tool ask --prompt hi </dev/null
  assert_failure 1
  assert_equal "$(jq -r 'select(.type == "error").message' <<<"$output")" 'claude ended with error_during_execution'
  jq -c '{type: "request", tools: [{name: "read", description: "d", parameters: {type: "object"}}]}' <<<null >stream
  printf '%s\n' '{"type":"conversation","version":1}' '{"type":"user","text":"hi"}' '{"type":"end","items":1,"digest":"d"}' >>stream
  install_claude "{\"turns\": [{\"lines\": [$call, {\"type\": \"user\", \"message\": {\"role\": \"user\", \"content\": []}}]}]}"
  run_tool ask <stream
  assert_success
  assert_equal "$(jq -c 'select(.type == "tool_call") | [.name, .arguments]' <<<"$output")" '["read","{\"path\": \"a\"}"]'
}

@test "bug 85: an end without a result keeps the text and is an error" {
  local said='{"type": "assistant", "message": {"id": "m", "model": "x", "content": [{"type": "text", "text": "all of it"}]}}'
  assert_equal "$(failed "{\"lines\": [$said]}")" '["stream",true,true]'
  install_claude "{\"turns\": [{\"lines\": [$said]}]}"
  run_tool ask --prompt hi </dev/null
  assert_equal "$(text_of)" 'all of it'
}

@test "bug 86: unknown or broken lines of claude do no harm; an end in the middle is partial" {
  local start='{"type":"stream_event","event":{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":1,"output_tokens":0}}}}'
  local block='{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"half"}}}'
  assert_equal "$(failed "{\"lines\": [$start, $block]}")" '["stream",true,true]'
  install_claude "{\"turns\": [{\"lines\": [{\"type\": \"rate_limit_event\", \"rate_limit_info\": {}}, {\"type\": \"from_the_future\"}, \"not json\", \"\", {\"type\": \"control_request\", \"request_id\": \"q\", \"request\": {\"subtype\": \"hook_callback\"}}], \"text\": \"fine\"}]}"
  run_tool ask --prompt hi </dev/null
  assert_success
  assert_equal "$(text_of)" fine
}

@test "bug 89: a claude that falls silent is given up, one that is cancelled is gone" {
  install_claude '{"turns": [{"lines": [{"type": "stream_event", "event": {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "half"}}}], "stall": true}]}'
  run_tool ask --prompt hi --idle-timeout-ms 400 </dev/null
  assert_failure 1
  assert_equal "$(jq -r 'select(.type == "error").category' <<<"$output")" timeout
  run no_process_left "$FAKE_CLAUDE"
  assert_success
  coproc ask --serve 2>/dev/null
  local line pid=$COPROC_PID
  printf '%s\n' '{"type":"request","request_id":"a"}' '{"type":"conversation","version":1}' '{"type":"user","text":"hi"}' '{"type":"end","items":1,"digest":"d"}' >&"${COPROC[1]}"
  while read -r line <&"${COPROC[0]}"; do [[ $line == *'"half"'* ]] && break; done
  echo '{"type":"cancel","request_id":"a"}' >&"${COPROC[1]}"
  while read -r line <&"${COPROC[0]}"; do [[ $line == *'"done"'* ]] && break; done
  assert_equal "$line" '{"type":"done","request_id":"a","status":"cancelled"}'
  eval "exec ${COPROC[1]}>&-"
  wait "$pid"
  run no_process_left "$FAKE_CLAUDE"
  assert_success
}

@test "claude: a recorded session without events gives its text and usage" {
  local recording=${MAGI_SHARED:-$MAGI_ROOT/../shared}/fixtures/streams/claude-cli/basic_conversation.jsonl
  [ -e "$recording" ] || skip "no recordings here"
  install_claude "{\"turns\": [{\"lines_file\": \"$recording\"}]}"
  run_tool ask --prompt hi </dev/null
  assert_success
  assert_equal "$(text_of)" "$(jq -rj 'select(.message.type == "result").message.result' "$recording")"
  assert_equal "$(jq -r 'select(.type == "usage").output_tokens' <<<"$output")" \
    "$(jq -r 'select(.message.type == "result").message.usage.output_tokens' "$recording")"
}

@test "claude: a run of magi-code, with a tool in between" {
  install_claude '{"turns": [{"text": "Looking.", "calls": [{"name": "bash", "args": {"command": "echo from-the-tool"}}]},
    {"text": "It says so."}]}'
  run_tool magi-code --provider claude-subscription --permissions full -p 'what does it say?' </dev/null
  assert_success
  assert_output --partial 'It says so.'
  run claude_log 'select(.record.type == "user").record.message.content | tojson'
  assert_equal "${#lines[@]}" 2
  [[ ${lines[1]} == *'what does it say?'*'[assistant]'*'Looking.'*'[assistant calls bash'*'echo from-the-tool'*'[result of'*'from-the-tool'* ]]
  # The second begins with the bytes of the first.
  [[ ${lines[1]} == "${lines[0]%]}"* ]]
}
