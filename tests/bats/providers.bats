# What magi-code makes of providers: routing and traces (P2-P4), usage (K8), catalogs (P5), titles (S9), doctor.
load helper
load fake
load accounts

setup() {
  common_setup
  start_oauth
}
teardown() { stop_fake; }

code() { magi-code --retry-delay-ms 1 "$@"; }
session_file() { find "$MC_HOME/sessions" -maxdepth 1 -name '*.jsonl' | sort | tail -1; }
events() { jq -c --arg t "$1" 'select(.event_type == $t).payload' "$(session_file)"; }

codex() { magi-code --provider openai-codex --permissions full -p "$@" </dev/null; }

@test "P2: session and thread are stable, and the routing value lives for one turn" {
  start_fake '{"turns": [
    {"calls": [{"name": "bash", "args": {"command": "true"}}], "headers": {"x-codex-turn-state": "route-1"}},
    {"text": "one", "headers": {"x-codex-turn-state": "route-2"}},
    {"text": "two"}]}'
  codex_settings
  write_login
  run_tool codex 'first'
  assert_success
  local id
  id=$(basename "$(session_file)" .jsonl)
  run_tool magi-code --provider openai-codex --resume "$id" -p 'second' </dev/null
  assert_success
  assert_equal "$(fake_count)" 3
  local n
  for n in 1 2 3; do
    assert_equal "$(fake_request $n '.headers["session-id"]')" "$id"
    assert_equal "$(fake_request $n '.headers["thread-id"]')" "$id"
  done
  assert_equal "$(fake_request 1 '.headers["x-codex-turn-state"] // "none"')" none
  assert_equal "$(fake_request 2 '.headers["x-codex-turn-state"] // "none"')" route-1
  assert_equal "$(fake_request 3 '.headers["x-codex-turn-state"] // "none"')" none
  run grep -r 'route-[12]' "$MC_HOME"
  assert_failure
}

@test "P2: retries of a turn carry the value, another account does not get it" {
  start_fake '{"no_tools": null, "turns": [{"text": "x", "fault": {"status": 503, "headers": {"x-codex-turn-state": "route-1"}, "body": {"error": {"message": "busy"}}}}]}'
  codex_settings
  write_login
  mkfifo in
  magi-provider --provider openai-codex --retry-delay-ms 1 --serve <in >out 2>err 3>&- &
  local pid=$!
  exec 7>in
  send() {
    printf '%s\n' "{\"type\":\"request\",\"request_id\":\"$1\",\"session_id\":\"s\",\"thread_id\":\"child\",\"run_id\":\"r\",\"turn_id\":\"t\"}" \
      '{"type":"conversation","version":1}' '{"type":"user","text":"hi"}' '{"type":"end","items":1,"digest":"d"}' >&7
    wait_until 10 grep -q "\"done\",\"request_id\":\"$1\"" out
  }
  send a
  send b
  jq '.["openai-codex"].account_id = "acct-2"' "$MC_HOME/auth.json" >new && cat new >"$MC_HOME/auth.json"
  send c
  exec 7>&-
  wait "$pid"
  assert_equal "$(for n in 1 2 3 4; do fake_request $n '.headers["x-codex-turn-state"] // "none"'; done | xargs)" \
    'none route-1 route-1 none'
  assert_equal "$(fake_request 1 '.headers["session-id"] + " " + .headers["thread-id"]')" 's child'
}

@test "P3: traces have fingerprints that compare within a turn, and no raw values" {
  start_fake '{"turns": [
    {"calls": [{"name": "bash", "args": {"command": "echo hi"}}], "headers": {"x-codex-turn-state": "route-1"}},
    {"text": "one"}]}'
  codex_settings
  write_login
  run_tool codex 'SECRET-PROMPT'
  assert_success
  run events provider_stream_trace
  assert_equal "${#lines[@]}" 2
  local first=${lines[0]} second=${lines[1]} key
  assert_equal "$(jq -c '[.request_sequence, .response_identity.cache.attempt, .response_identity.cache.turn == .turn_id]' <<<"$first")" '[1,1,true]'
  assert_equal "$(jq -c '.response_identity.cache | [.input_prefix_preserved, .configuration_preserved]' <<<"$first")" '[null,null]'
  assert_equal "$(jq -c '.response_identity.cache | [.input_prefix_preserved, .configuration_preserved]' <<<"$second")" '[true,true]'
  assert_equal "$(jq -c '.response_identity.cache.routing' <<<"$first")" \
    '{"session_id":true,"thread_id":true,"turn_state_sent":false,"turn_state_received":true}'
  assert_equal "$(jq -c '.response_identity.cache.routing.turn_state_sent' <<<"$second")" true
  for key in instructions tools configuration; do
    assert_equal "$(jq -r ".response_identity.cache.fingerprints.$key" <<<"$first")" \
      "$(jq -r ".response_identity.cache.fingerprints.$key" <<<"$second")"
  done
  assert_equal "$(jq -r '.response_identity.cache.fingerprints.input | length' <<<"$first")" 64
  [[ $first$second != *SECRET-PROMPT* && $first$second != *acct-1* ]]
  # Usage and trace join.
  assert_equal "$(events session_usage | jq -c '[.run_id, .request_sequence]')" \
    "$(events provider_stream_trace | jq -c '[.run_id, .request_sequence]')"
  # Another turn of the same conversation has other fingerprints, also of what is the same.
  run_tool magi-code --provider openai-codex --continue -p more </dev/null
  assert_success
  assert_equal "$(events provider_stream_trace | jq -r .response_identity.cache.fingerprints.tools | sort -u | wc -l)" 2
}

@test "P4: a first success is silent, a recovery informs once, another model warns, a failure is one error" {
  local busy='"fault": {"status": 503, "body": {"error": {"message": "busy"}}}'
  start_fake "{\"no_tools\": null, \"turns\": [{\"text\": \"x\"}]}"
  export OPENAI_API_KEY=k
  ask() { magi-code --provider openai -m gpt-5 --no-tools --base-url "$FAKE_URL/v1" -p "$@" </dev/null; }
  run_tool ask hi --quiet
  assert_success
  assert_equal "$(events diagnostic)" ''
  set_script "{\"no_tools\": null, \"turns\": [{\"text\": \"x\", $busy}]}"
  rm -rf "$MC_HOME/sessions"
  run_tool ask hi
  assert_success
  assert_equal "$(events diagnostic | jq -c '[.level, .category]')" '["info","provider_recovery"]'
  assert_equal "$(grep -c 'came with attempt 2' <<<"$stderr")" 1
  assert_equal "$(events provider_stream_trace | jq -c '[.attempts[] | [.number, .outcome, .model, .reported_model]]')" \
    '[[1,"overloaded","gpt-5",null],[2,"completed","gpt-5","gpt-5"]]'
  local other='{"type":"response.completed","response":{"id":"r","model":"gpt-4-mini","status":"completed","output":[],"usage":null}}'
  local text='{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"x"}'
  set_script "$(jq -nc --arg sse "data: $text"$'\n\n'"data: $other"$'\n\n' '{no_tools: null, turns: [{sse: $sse, fault: {status: 503, body: {error: {message: "busy"}}}}]}')"
  rm -rf "$MC_HOME/sessions"
  run_tool ask hi
  assert_success
  assert_equal "$(events diagnostic | jq -r .level)" warning
  [[ $stderr == *'answered by gpt-4-mini instead of gpt-5'* ]]
  # Local only (D1): the next request holds nothing of it.
  run magi-code --provider openai --base-url "$FAKE_URL/v1" request "$(basename "$(session_file)" .jsonl)" --prompt y
  refute_output --partial gpt-4-mini
  refute_output --partial provider_recovery
  set_script '{"no_tools": null, "turns": [{"text": "x", "fault": {"status": 400, "body": {"error": {"message": "no such thing"}}}}]}'
  rm -rf "$MC_HOME/sessions"
  run_tool ask hi
  assert_failure
  assert_equal "$(events diagnostic)" ''
  assert_equal "$(grep -c 'no such thing' <<<"$stderr")" 1
}

@test "K8: usage events are recorded, and sessions show totals them" {
  start_fake '{"turns": [{"calls": [{"name": "bash", "args": {"command": "true"}}], "usage": {"input": 100, "output": 10}},
    {"text": "x", "usage": {"input": 150, "output": 20}}]}'
  export OPENAI_API_KEY=k
  run_tool magi-code --provider openai --permissions full --base-url "$FAKE_URL/v1" -p hi </dev/null
  assert_success
  assert_equal "$(events session_usage | jq -c '[.request_sequence, .input_tokens, .output_tokens]' | xargs)" '[1,100,10] [2,150,20]'
  run_tool magi-code sessions show "$(basename "$(session_file)" .jsonl)"
  assert_success
  assert_output --regexp '2 requests, 250 tokens in.*, 30 out'
}

@test "P5: --list-models keeps a sanitised catalog, and models lists it" {
  start_fake '{"turns": [{"text": "x"}], "models": ["m1", "m 2", "m3"]}'
  export MC_API_KEY=secret-key-of-mine
  run_tool magi-provider --base-url "$FAKE_URL/v1" --list-models
  assert_success
  assert_output $'m1\nm3'
  local catalog=$MC_HOME/cache/model-catalog/openai-compatible.json
  assert_equal "$(jq -c '[.models[].id]' "$catalog")" '["m1","m3"]'
  assert_equal "$(stat -c %a "$catalog")" 600
  run grep -c -e secret -e data -e created "$catalog"
  assert_output 0
  run_tool magi-code --base-url "$FAKE_URL/v1" models
  assert_success
  assert_output $'m1\nm3'
  # A list that cannot be kept is still a list.
  rm -r "$MC_HOME/cache/model-catalog"
  ln -s /nowhere "$MC_HOME/cache/model-catalog"
  run_tool magi-provider --base-url "$FAKE_URL/v1" --list-models
  assert_success
  assert_output $'m1\nm3'
  [[ $stderr == *'the list is not kept'* ]]
}

@test "P5: the catalog of an account, with its login" {
  start_fake '{"turns": [{"text": "x"}], "models": ["gpt-5-codex"]}'
  codex_settings
  write_login 5
  run_tool magi-provider --provider openai-codex --list-models
  assert_success
  assert_output gpt-5-codex
  assert_equal "$(oauth_count refresh_token)" 1
  run jq -c . "$MC_HOME/cache/model-catalog/openai-codex.json"
  assert_output '{"models":[{"id":"gpt-5-codex","display_name":"gpt-5-codex"}]}'
  install_claude '{"turns": []}'
  run_tool magi-provider --provider claude-subscription --list-models
  assert_line sonnet
}

@test "S9: a session is called by its first prompt, or by the model that settings name" {
  start_fake '{"turns": [{"text": "x"}]}'
  run_tool magi-code --base-url "$FAKE_URL/v1" -m m -p $'\n  Mend   the parser\nplease' </dev/null
  assert_success
  assert_equal "$(events session_title)" '{"title":"Mend the parser"}'
  rm -rf "$MC_HOME/sessions"
  set_script '{"no_tools": {"text": "\"Parser repair\"\n"}, "turns": [{"text": "x"}]}'
  local title=(--set title.provider=openai-compatible --set title.model=cheap --set "providers.openai-compatible.base_url=$FAKE_URL/v1")
  run_tool magi-code "${title[@]}" --base-url "$FAKE_URL/v1" -m m -p 'Mend the parser' </dev/null
  assert_success
  assert_equal "$(events session_title | jq -r .title)" $'Mend the parser\nParser repair'
  assert_equal "$(fake_requests | jq -r .body.model | tail -1)" cheap
  run magi-code sessions list
  assert_output --partial 'Parser repair'
  # Never replayed, and asked for once.
  run_tool magi-code "${title[@]}" --base-url "$FAKE_URL/v1" -m m --continue -p 'more' </dev/null
  assert_success
  run fake_body 3 tojson
  refute_output --partial 'Parser repair'
  assert_equal "$(fake_requests | jq -r .body.model | grep -c cheap)" 1
}

@test "S9: a title that fails is silent" {
  start_fake '{"no_tools": {"text": "t", "fault": {"status": 500, "times": 9}}, "turns": [{"text": "x"}]}'
  run_tool magi-code --set title.provider=openai --set title.model=cheap --base-url "$FAKE_URL/v1" -m m --quiet -p hi </dev/null
  assert_success
  assert_equal "$stderr" ''
  assert_equal "$(events session_title | jq -r .title)" hi
  run_tool magi-code --set title.provider=openai-compatible --set title.model=cheap \
    --set "providers.openai-compatible.base_url=$FAKE_URL/v1" --base-url "$FAKE_URL/v1" -m m --quiet -p ho </dev/null
  assert_success
  assert_equal "$stderr" ''
}

@test "doctor says who is logged in" {
  run magi-code doctor
  assert_output --partial 'openai-codex: nobody is logged in'
  write_login
  install_claude '{"turns": []}'
  run magi-code doctor
  assert_output --partial 'ok    openai-codex: logged in, account acct-1, plan plus'
  assert_output --partial 'ok    claude-subscription: logged in, plan max'
  assert_output --partial 'ok    provider openai-codex, model gpt-5-codex'
}

@test "an account's run: two requests, tools in between, tokens nowhere but in auth.json" {
  start_fake '{"turns": [{"calls": [{"name": "bash", "args": {"command": "env; cat $MC_HOME/auth.json; ls -la $MC_HOME"}}]}, {"text": "done"}]}'
  codex_settings
  write_login
  jq '.["openai-codex"].access_token = "ACCESS-UNIQUE-0" | .["openai-codex"].refresh_token = "REFRESH-UNIQUE-0"' \
    "$MC_HOME/auth.json" >new && cat new >"$MC_HOME/auth.json" && rm new
  run_tool magi-code --provider openai-codex -p hi </dev/null
  assert_success
  assert_no_problems
  run grep -rlE 'ACCESS-UNIQUE|REFRESH-UNIQUE' "$MC_HOME" .
  assert_output "$MC_HOME/auth.json"
}

@test "providers of the settings: their format, headers, and a key of their variable or none" {
  start_fake '{"no_tools": null, "turns": [{"text": "hello"}]}'
  mkdir -p "$MC_HOME"
  chmod 700 "$MC_HOME"
  jq -n --arg url "$FAKE_URL/v1" '{providers: {
    team: {api: "responses", base_url: $url, api_key_env: "TEAM_KEY", model: "t1", headers: {"X-Team": "blue"}},
    box: {base_url: $url, model: "b1"}}}' >"$MC_HOME/settings.json"
  export TEAM_KEY=team-key OPENAI_API_KEY=other MC_API_KEY=another
  run_tool magi-provider --provider team --prompt hi </dev/null
  assert_success
  assert_equal "$(fake_request 1 '.path + " " + .body.model + " " + .headers["x-team"]')" '/v1/responses t1 blue'
  assert_equal "$(fake_request 1 .headers.authorization)" "$(fake_hash 'Bearer team-key')"
  run_tool magi-provider --provider box --prompt hi </dev/null
  assert_success
  assert_equal "$(fake_request 2 '.path + " " + .body.model + " " + (.headers.authorization // "no key")')" '/v1/chat/completions b1 no key'
  assert_no_problems
}
