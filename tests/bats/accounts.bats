# Logins of openai-codex: real processes against an account service that checks every step, the test playing the browser.
load helper
load fake
load accounts
load edge

setup() {
  common_setup
  start_oauth
}
teardown() {
  stop_fake
  local pid
  for pid in "${LOGIN_PIDS[@]}"; do kill "$pid" 2>/dev/null || true; done
}

# begin_login [INPUT]: a login in the background.  Sets LOGIN_URL, LOGIN_PID; its output is in login.out, login.err.
begin_login() {
  codex_settings
  rm -f login.in
  mkfifo login.in
  magi-provider --login --login-port 0 <login.in >login.out 2>login.err 3>&- 4>&- &
  LOGIN_PID=$!
  LOGIN_PIDS+=("$LOGIN_PID")
  exec 7>login.in
  wait_until 10 grep -q '^http' login.err || fail "no address: $(cat login.err)"
  LOGIN_URL=$(grep '^http' login.err)
}

# Sets LOGIN_STATUS.
end_login() {
  LOGIN_STATUS=0
  exec 7>&-
  wait "$LOGIN_PID" || LOGIN_STATUS=$?
}

# The address to which the account service sends the browser.
agreed() { curl -sS --max-time 10 -o /dev/null -w '%{redirect_url}' "$LOGIN_URL"; }

@test "login: the browser brings a code, and the tokens are in auth.json alone, 0600" {
  begin_login
  [[ $LOGIN_URL == "$OAUTH_URL/oauth/authorize?"* ]]
  run curl -sS --max-time 10 "$(agreed)"
  assert_output --partial 'Logged in to magi-code'
  end_login
  assert_equal "$LOGIN_STATUS" 0
  assert_equal "$(cat login.out)" 'logged in to openai-codex: account acct-1, plan plus'
  assert_equal "$(stat -c %a "$MC_HOME/auth.json")" 600
  assert_equal "$(login_field refresh_token)" refresh-1
  assert_equal "$(login_field account_id)" acct-1
  [ "$(login_field expires_at)" -gt "$(date +%s)" ]
  local token
  token=$(login_field access_token)
  [ -n "$token" ]
  run grep -rlF -- "$token" "$MC_HOME" login.out login.err
  assert_output "$MC_HOME/auth.json"
  run_tool magi-provider --provider openai-codex --status
  assert_success
  assert_line 'login: logged in, account acct-1, plan plus'
  [[ $output$stderr != *"$token"* ]]
  assert_equal "$(stat -c %a "$MC_HOME/.locks/auth")" 600
}

@test "login: a pasted address, code#state or bare code does without the port" {
  local address code state
  for form in address pair code; do
    begin_login
    address=$(agreed)
    code=$(sed -n 's/.*[?&]code=\([^&]*\).*/\1/p' <<<"$address")
    state=$(sed -n 's/.*[?&]state=\([^&]*\).*/\1/p' <<<"$address")
    case $form in
      address) echo "  $address" >&7 ;;
      pair) echo "$code#$state" >&7 ;;
      code) echo "$code" >&7 ;;
    esac
    end_login
    assert_equal "$form $LOGIN_STATUS" "$form 0"
  done
  assert_equal "$(oauth_count authorization_code)" 3
}

@test "login: who does not know the state is turned away, and the login goes on" {
  begin_login
  local address port
  address=$(agreed)
  port=$(sed -n 's|http://localhost:\([0-9]*\)/.*|\1|p' <<<"$address")
  run curl -sS -w '%{http_code}' "http://127.0.0.1:$port/auth/callback?code=stolen&state=guess"
  assert_output --partial 400
  run curl -sS -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/other"
  assert_output 404
  run curl -sS -o /dev/null -w '%{http_code}' -X POST "http://127.0.0.1:$port/auth/callback"
  assert_output 405
  run curl -sS -o /dev/null -w '%{http_code}' -H "x: $(printf '%020000d' 0)" "http://127.0.0.1:$port/auth/callback"
  assert_output 431
  # Twenty that connect and say nothing do not keep the browser out.
  for _ in {1..20}; do exec {fd}<>"/dev/tcp/127.0.0.1/$port"; done
  echo "$address" | sed 's/state=.*/state=another\&code=x/' >&7
  wait_until 5 grep -q 'belongs to another login' login.err
  run curl -sS --max-time 10 "$address"
  assert_output --partial 'Logged in'
  end_login
  assert_equal "$LOGIN_STATUS" 0
}

@test "login: a refusal, a wrong code, a broken answer and a taken port change nothing" {
  set_oauth '{"deny": true}'
  begin_login
  curl -sS -o /dev/null "$(agreed)"
  end_login
  assert_equal "$LOGIN_STATUS" 1
  run tail -1 login.err
  assert_output 'magi-provider: cannot log in: the person said no'
  set_oauth '{}'
  begin_login
  echo wrong-code >&7
  end_login
  assert_equal "$LOGIN_STATUS" 1
  assert_equal "$(oauth_count authorization_code 400)" 1
  local fault
  for fault in '{"status": 200, "body": "<html>"}' '{"status": 200, "body": "{\"access_token\": \"a b\"}"}' \
    '{"status": 200, "body": "{\"access_token\": 7}"}' '{"status": 200, "body": "{\"access_token\": \"no-account\"}"}' \
    '{"status": 500, "body": "down"}'; do
    set_oauth "{\"fault\": $fault}"
    begin_login
    curl -sS -o /dev/null "$(agreed)"
    end_login
    assert_equal "$fault $LOGIN_STATUS" "$fault 1"
    assert_equal "$(cat login.out)" ''
  done
  [ ! -e "$MC_HOME/auth.json" ]
  begin_login
  run_tool magi-provider --login --login-port "$(agreed | sed -n 's|http://localhost:\([0-9]*\)/.*|\1|p')"
  assert_one_error magi-provider 1
}

@test "login: over TLS, with a certificate that is trusted and no other" {
  make_certificates ca
  start_tls ca "${OAUTH_URL##*:}"
  OAUTH_URL=https://localhost:$TLS_PORT
  begin_login
  curl -sS --cacert ca/ca.pem -o /dev/null "$(curl -sS --cacert ca/ca.pem -o /dev/null -w '%{redirect_url}' "$LOGIN_URL")"
  end_login
  assert_equal "$LOGIN_STATUS" 1
  run tail -1 login.err
  assert_output --partial "cannot reach $OAUTH_URL"
  [ ! -e "$MC_HOME/auth.json" ]
  export SSL_CERT_FILE=$PWD/ca/ca.pem
  begin_login
  curl -sS --cacert ca/ca.pem -o /dev/null "$(curl -sS --cacert ca/ca.pem -o /dev/null -w '%{redirect_url}' "$LOGIN_URL")"
  end_login
  assert_equal "$LOGIN_STATUS" 0
  assert_equal "$(login_field refresh_token)" refresh-1
}

@test "login: names that have none, and what stands in the way" {
  run_tool magi-provider --login=anthropic
  assert_one_error magi-provider 2
  run_tool magi-provider --login=claude-subscription
  assert_equal "$status" 2
  [[ $stderr == *'claude auth login'* ]]
  write_login
  chmod 644 "$MC_HOME/auth.json"
  run_tool magi-provider --login --login-port 0
  assert_failure
  assert_equal "$output" ''
  [[ $stderr == *auth.json* && $stderr != *http* ]]
}

@test "logout: forgets the tokens and keeps what is not ours" {
  write_login
  jq '.other = {"keep": "me"}' "$MC_HOME/auth.json" >new && cat new >"$MC_HOME/auth.json"
  run_tool magi-provider --logout
  assert_success
  assert_output 'logged out of openai-codex'
  assert_equal "$(cat "$MC_HOME/auth.json" | jq -c .)" '{"other":{"keep":"me"}}'
  assert_equal "$(stat -c %a "$MC_HOME/auth.json")" 600
  run_tool magi-provider --logout
  assert_output 'nobody was logged in to openai-codex'
}

# shellcheck disable=SC2120 # bats runs it
ask() { magi-provider --provider openai-codex --retry-delay-ms 1 --prompt hi "$@" </dev/null; }

@test "codex: a request carries the login, the account and the conversation" {
  start_fake '{"no_tools": null, "turns": [{"text": "hello"}]}'
  codex_settings
  write_login
  run_tool ask
  assert_success
  assert_equal "$(jq -rj 'select(.type == "text").text' <<<"$output")" hello
  assert_equal "$(fake_request 1 .path)" /codex/responses
  assert_equal "$(fake_request 1 .headers.authorization)" "$(fake_hash 'Bearer access-0')"
  assert_equal "$(fake_request 1 '.headers["chatgpt-account-id"]')" acct-1
  assert_equal "$(fake_request 1 .headers.originator)" magi-code
  [ -n "$(fake_request 1 '.headers["session-id"] // empty')" ]
  [ -n "$(fake_request 1 '.headers["thread-id"] // empty')" ]
  assert_equal "$(fake_body 1 .store)" false
  [ -n "$(fake_body 1 '.instructions // empty')" ]
  [[ $output$stderr != *access-0* ]]
  assert_equal "$(oauth_count refresh_token)" 0
}

@test "bug 62: a login that is about to end is renewed first, once for two processes" {
  start_fake '{"no_tools": null, "turns": [{"text": "hello"}]}'
  codex_settings
  write_login 10
  set_oauth '{"delay_ms": 400}'
  local first second
  ask >first.out 2>first.err 3>&- &
  first=$!
  ask >second.out 2>second.err 3>&- &
  second=$!
  wait "$first"
  wait "$second"
  assert_equal "$(oauth_count refresh_token)" 1
  assert_equal "$(oauth_count refresh_token 401)" 0
  assert_equal "$(login_field refresh_token)" refresh-1
  assert_equal "$(fake_count)" 2
  local token
  token=$(fake_hash "Bearer $(login_field access_token)")
  assert_equal "$(fake_request 1 .headers.authorization)" "$token"
  assert_equal "$(fake_request 2 .headers.authorization)" "$token"
  cat first.out second.out | jq -s -e 'all(.[] | select(.type == "done"); .status == "completed")' >/dev/null
}

@test "codex: a refused login is read anew, then renewed, then given up" {
  start_fake '{"no_tools": null, "turns": [{"text": "hello", "fault": {"status": 401, "body":
    {"error": {"message": "expired", "code": "token_expired"}}}}]}'
  codex_settings
  write_login
  run_tool ask
  assert_success
  assert_equal "$(oauth_count refresh_token)" 1
  assert_equal "$(fake_count)" 2
  assert_equal "$(fake_request 2 .headers.authorization)" "$(fake_hash "Bearer $(login_field access_token)")"
  assert_equal "$(jq -c 'select(.type == "attempt").number' <<<"$output" | xargs)" '1 2'

  set_script '{"no_tools": null, "turns": [{"text": "hello", "fault": {"status": 401, "times": 9, "body":
    {"error": {"message": "revoked"}}}}]}'
  run_tool ask
  assert_failure 1
  assert_equal "$(oauth_count refresh_token)" 2
  assert_equal "$(fake_count)" 4
  assert_equal "$(jq -r 'select(.type == "error").category' <<<"$output")" auth
}

@test "codex: another process's fresh login is used without asking for one" {
  start_fake '{"no_tools": null, "turns": [{"text": "hello", "fault": [{"status": 401, "stall_ms": 600, "body":
    {"error": {"message": "expired"}}}]}]}'
  codex_settings
  write_login
  ask >out 2>err 3>&- &
  local pid=$!
  wait_for_requests 1
  jq '.["openai-codex"].access_token = "access-1"' "$MC_HOME/auth.json" >new && cat new >"$MC_HOME/auth.json"
  wait "$pid"
  assert_equal "$(fake_request 2 .headers.authorization)" "$(fake_hash 'Bearer access-1')"
  assert_equal "$(oauth_count refresh_token)" 0
}

@test "codex: a login that has ended says so, names nothing, and stays as it was" {
  start_fake '{"no_tools": null, "turns": [{"text": "hello"}]}'
  codex_settings
  write_login -5
  local before code
  before=$(sha256sum "$MC_HOME/auth.json")
  for code in refresh_token_expired refresh_token_reused refresh_token_invalidated; do
    set_oauth "{\"fault\": {\"status\": 401, \"body\": \"{\\\"error\\\": {\\\"code\\\": \\\"$code\\\", \\\"message\\\": \\\"ended: refresh-0\\\"}}\"}}"
    run_tool ask
    assert_failure 1
    [[ $stderr == *'the login has ended'*'magi-provider --login'* ]]
    [[ $output$stderr != *access-0* ]]
  done
  assert_equal "$(oauth_count refresh_token 401)" 3
  assert_equal "$(fake_count)" 0
  assert_equal "$(sha256sum "$MC_HOME/auth.json")" "$before"
  write_login -5 ''
  run_tool ask
  assert_failure 1
  [[ $stderr == *'the login has ended'* ]]
}

@test "bugs 62, 63: an account service that fails for the moment is asked again, one that may have taken the token is not" {
  start_fake '{"no_tools": null, "turns": [{"text": "hello"}]}'
  codex_settings
  write_login -5
  set_oauth '{"fault": {"status": 503, "body": "busy"}}'
  run_tool ask --retries 2
  assert_failure 1
  assert_equal "$(oauth_count refresh_token 503)" 3
  local status
  for status in 429 408; do
    set_oauth "{\"fault\": {\"status\": $status, \"body\": \"{\\\"error\\\": \\\"slow down\\\"}\"}}"
    run_tool ask --retries 0
    assert_failure 1
    assert_equal "$(jq -c 'select(.type == "error").retryable' <<<"$output")" true
    [[ $stderr != *'has ended'* ]]
  done
  # What still works is used.
  write_login 30
  run_tool ask
  assert_success
  assert_equal "$(fake_request 1 .headers.authorization)" "$(fake_hash 'Bearer access-0')"
  write_login -5
  set_oauth '{"fault": {"status": 200, "body": "{}"}}'
  run_tool ask --retries 2
  assert_failure 1
  assert_equal "$(oauth_count refresh_token 200)" 1
}

@test "codex: an auth.json that cannot be trusted is not used, whatever is wrong with it" {
  start_fake '{"no_tools": null, "turns": [{"text": "hello"}]}'
  codex_settings
  local text
  write_login
  chmod 644 "$MC_HOME/auth.json"
  run_tool ask
  assert_failure
  [[ $stderr == *auth.json* ]]
  rm "$MC_HOME/auth.json"
  echo '{"openai-codex": {"access_token": "stolen"}}' >elsewhere
  chmod 600 elsewhere
  ln -s "$PWD/elsewhere" "$MC_HOME/auth.json"
  run_tool ask
  assert_failure
  rm "$MC_HOME/auth.json"
  mkdir "$MC_HOME/auth.json"
  run_tool ask
  assert_failure
  rmdir "$MC_HOME/auth.json"
  mkfifo -m 600 "$MC_HOME/auth.json"
  run_tool timeout 5 magi-provider --provider openai-codex --prompt hi
  assert_failure
  [ "$status" -ne 124 ]
  rm "$MC_HOME/auth.json"
  for text in '' '{' '[]' 'null' '{"openai-codex": []}' '{"openai-codex": {"access_token": ""}}' \
    '{"openai-codex": {"access_token": "a\r\nX-Evil: 1"}}' '{"openai-codex": {"access_token": 5}}' \
    "$(printf '%01048600d' 0)" $'\xff\xfe\x00'; do
    printf '%s' "$text" >"$MC_HOME/auth.json"
    chmod 600 "$MC_HOME/auth.json"
    run_tool ask
    assert_failure 2
    [[ $output$stderr != *Evil* ]]
  done
  assert_equal "$(fake_count)" 0
}

@test "codex: cancelled during a renewal, the answer ends at once and what the renewal brings is kept" {
  start_fake '{"no_tools": null, "turns": [{"text": "hello"}]}'
  codex_settings
  write_login -5
  set_oauth '{"delay_ms": 3000}'
  mkfifo in
  magi-provider --provider openai-codex --serve <in >out 2>err 3>&- &
  local pid=$! before
  exec 7>in
  say() { printf '%s\n' "{\"type\":\"request\",\"request_id\":\"$1\"}" '{"type":"conversation","version":1}' '{"type":"user","text":"hi"}' '{"type":"end","items":1,"digest":"d"}' >&7; }
  say a
  wait_until 5 grep -q '"attempt"' out
  before=$(date +%s%N)
  echo '{"type":"cancel","request_id":"a"}' >&7
  wait_until 5 grep -q '"done","request_id":"a","status":"cancelled"' out
  [ $((($(date +%s%N) - before) / 1000000)) -lt 2500 ]
  say b
  wait_until 10 grep -q '"done","request_id":"b","status":"completed"' out
  exec 7>&-
  wait "$pid"
  assert_equal "$(oauth_count refresh_token)" 1
  assert_equal "$(fake_count)" 1
  assert_equal "$(login_field refresh_token)" refresh-1
}
