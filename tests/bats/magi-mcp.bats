#!/usr/bin/env bats
# magi-mcp: servers of tools over standard streams and HTTP, honest and not; and what magi-code does with them.
load helper
load fake

setup() {
  common_setup
  LOG=$BATS_TEST_TMPDIR/server.log
  : >"$LOG"
  FAKE_SERVER=$MAGI_ROOT/tests/fake/mcp/stdio_server.py
  mkdir -p "$MC_HOME"
  chmod 700 "$MC_HOME"
}
teardown() {
  exec 7>&- 8<&-
  stop_fake
  wait_until 10 no_process_left "$LOG"
}

# configure JSON: the settings' servers.  @LOG@ and @SERVER@ stand for the fake server's files.
configure() {
  local json=${1//@LOG@/$LOG}
  (umask 077 && printf '{"mcp_servers": %s}\n' "${json//@SERVER@/$FAKE_SERVER}" >"$MC_HOME/settings.json")
}
# one [OPTION...]: the fake server, with options of its own.
one() {
  local options='' option
  for option; do options+=", \"$option\""; done
  configure "{\"fake\": {\"command\": \"python3\", \"timeout_ms\": ${LIMIT_MS-20000}, \"args\": [\"@SERVER@\", \"--log\", \"@LOG@\"$options]}}"
}
# http MODE [FIELDS]: the fake server over HTTP.  Sets HTTP_URL; its log is $LOG.
http() {
  local dir
  dir=$(mktemp -d "$BATS_TEST_TMPDIR/http.XXXXXX")
  python3 "$MAGI_ROOT/tests/fake/mcp/http_server.py" --mode "$1" --port-file "$dir/port" --log "$LOG" --exit-with $$ \
    </dev/null >"$dir/out" 2>&1 3>&- 4>&- &
  disown $!
  FAKE_PIDS+=($!)
  await_port "$dir" || return 1
  HTTP_URL=http://127.0.0.1:$(cat "$dir/port")/mcp
  configure "{\"web\": {\"url\": \"$HTTP_URL\"${2:+, $2}}}"
}
# call ID NAME [ARGUMENTS [MORE FIELDS]]: a record.
call() { jq -nc --arg id "$1" --arg name "$2" --arg arguments "${3-}" "{type:\"tool_call\",call_id:\$id,name:\$name,arguments:\$arguments${4+,$4}}"; }
# serve OPTION... <RECORDS: with permissions full unless said otherwise.
serve() { run_tool magi-mcp --serve --permissions full "$@"; }
field() { jq -r "$@" <<<"$output"; }

@test "a person calls a tool with an object or with plain text, and sees what came back" {
  one
  run_tool magi-mcp fake/echo '{"text": "an\nobject"}'
  assert_success
  assert_equal "$output" $'an\nobject'
  run_tool magi-mcp fake/echo 'plain text'
  assert_output 'plain text'
  run_tool magi-mcp fake/structured
  assert_output '{"temperature":21,"unit":"C"}'
  run_tool magi-mcp fake/image
  assert_output "a pixel
[image image/png, 1 x 1, 70 bytes]
[resource file:///a.txt]
inside
[resource file:///b.bin, application/x, 3 bytes: not text]
c <file:///c>
[audio: not text]"
  run_tool magi-mcp fake/fail
  assert_failure 1
  assert_equal "$output|$stderr" "it cannot be done|magi-mcp: fake/fail: error"
  run_tool magi-mcp fake/nothing
  assert_failure 2
  run_tool magi-mcp nobody/echo
  assert_failure 2
  run_tool magi-mcp fake/structured 'plain'
  assert_failure 2
}

@test "--status says what each server is, or why it is not" {
  configure '{"good": {"command": "python3", "args": ["@SERVER@", "--log", "@LOG@"]},
    "gone": {"command": "no-such-program-here"}, "off": {"command": "x", "enabled": false},
    "unset": {"command": "python3", "env": {"A": "${NOT_SET_ANYWHERE}"}}}'
  run_tool magi-mcp --status --json
  assert_failure 1
  assert_equal "$(field -c '[.server, .state, (.tools | length)]')" '["gone","failed",0]
["good","ready",15]
["unset","failed",0]'
  assert_equal "$(field -r 'select(.server == "unset") | .why')" "the variable 'NOT_SET_ANYWHERE' is not set"
  [[ $(field -r 'select(.server == "gone") | .why') == "no executable 'no-such-program-here'"* ]]
  configure '{}'
  run_tool magi-mcp --status
  assert_success
  assert_output "no MCP servers are configured; see magi-settings(5)"
}

@test "definitions have names that providers take, in one order, whatever the server does" {
  one --mode bad-list --pages 4
  run_tool magi-mcp --list
  assert_success
  local first=$output
  assert_equal "$(field .name | sort)" "$(field .name)"
  assert_equal "$(field -s 'all(.[]; .name | test("^[a-zA-Z0-9_-]{1,64}$"))')" true
  assert_equal "$(field -s 'map(.name) | (length == (unique | length)) and any(startswith("mcp__fake__weird_name"))')" true
  assert_equal "$(field -s 'all(.[]; .parameters.type == "object")')" true
  [[ $stderr == *"a tool with a name of 5000 bytes is left out"* && $stderr == *"'big' is left out: its schema has"* ]]
  run_tool magi-mcp --list
  assert_equal "$output" "$first"
  one --mode many --pages 7
  run magi-mcp --list
  assert_equal "$(grep -c tool_definition <<<"$output")" 128
}

@test "calls are answered in their order, each once, with what was observed" {
  one
  serve < <(call a mcp__fake__echo '{"text":"one"}'; call b mcp__fake__nothing; call c mcp__fake__echo '[1]'
    call d mcp__fake__echo '{'; call e mcp__fake__fail; call f mcp__fake__image; call g mcp__fake__echo $'{"text":\n"two"}')
  assert_success
  assert_equal "$(field -c '[.call_id, .status]')" '["a","success"]
["b","error"]
["c","error"]
["d","error"]
["e","error"]
["f","success"]
["g","success"]'
  assert_equal "$(field -c 'select(.call_id == "a") | .details, .effects.kind')" '{"server":"fake","tool":"echo","provenance":"mcp"}
read'
  assert_equal "$(field -r 'select(.call_id == "f") | .parts[0].media_type')" image/png
  assert_equal "$(field -r 'select(.call_id == "g") | .output')" two
}

@test "a tool is not called without the user's word, unless the mode or the settings say so" {
  one
  local mode
  for mode in workspace ask read-only; do
    run magi-mcp --serve --permissions $mode < <(call a mcp__fake__echo '{"text":"x"}')
    assert_equal "$(field -r .details.needs_approval)" "this calls 'echo' of the MCP server 'fake', which is not confined"
    assert_equal "$(field -c .details.approval)" '{"kind":"mcp","subject":"fake/echo"}'
    assert_equal "$(field -r .effects.kind)" none
  done
  run grep -c '^call' "$LOG"
  assert_output 0
  run magi-mcp --serve --permissions ask < <(call a mcp__fake__echo '{"text":"x"}' 'approved:true')
  assert_equal "$(field -r .output)" x
  # The server's word that a tool only reads counts where the user has said that it does, and in mode workspace alone.
  configure '{"fake": {"command": "python3", "args": ["@SERVER@", "--log", "@LOG@"], "allow_read_only": true}}'
  run magi-mcp --serve --permissions workspace < <(call a mcp__fake__echo '{"text":"x"}'; call b mcp__fake__fail)
  assert_equal "$(field -r '.details.needs_approval // "-"')" "-
this calls 'fail' of the MCP server 'fake', which is not confined"
  run magi-mcp --serve --permissions ask < <(call a mcp__fake__echo '{"text":"x"}')
  assert_equal "$(field -r '.details.needs_approval // "-"')" "this calls 'echo' of the MCP server 'fake', which is not confined"
}

@test "the server is asked for roots and told that nothing else is offered" {
  one
  run_tool magi-mcp fake/roots
  assert_success
  assert_equal "$(field '.[0].result.roots[0].uri')" "file://$PWD"
  assert_equal "$(field -c '.[1].error.code')" -32601
}

@test "SHL-13: a server's environment has no key, and what the settings say" {
  configure '{"fake": {"command": "python3", "args": ["@SERVER@"], "env": {"EXTRA": "<${MY_VALUE}>", "PLAIN": "p"}}}'
  export OPENAI_API_KEY=k1 ANTHROPIC_API_KEY=k2 GITHUB_TOKEN=k3 SOMETHING=k4 MY_VALUE=v
  run_tool magi-mcp fake/env
  assert_success
  refute_output --regexp 'k[1234]'
  assert_line "EXTRA=<v>"
  assert_line "PLAIN=p"
  assert_line "HOME=$HOME"
}

@test "a call tells how far it is, and is cancelled with its server told" {
  one
  mkfifo in
  magi-mcp --serve --permissions full <in >out &
  local pid=$!
  exec 7>in
  call a mcp__fake__slow '{"seconds":30}' >&7
  wait_until 20 grep -q 'step 0' out
  call b mcp__fake__slow '{"seconds":30}' >&7
  echo '{"type":"cancel","call_id":"b"}' >&7
  echo '{"type":"cancel","call_id":"a"}' >&7
  wait_until 20 grep -q '"call_id":"b","result_id"' out
  assert_equal "$(jq -rc 'select(.type == "tool_result") | [.call_id, .status]' out)" '["a","cancelled"]
["b","cancelled"]'
  kill "$pid"
  wait "$pid" || true
  assert_equal "$(grep -c '^call slow' "$LOG")" 1
}

@test "a server that dies costs one result, and is started again" {
  one
  serve < <(call a mcp__fake__count; call b mcp__fake__die; call c mcp__fake__count)
  assert_success
  assert_equal "$(field -c '[.call_id, .status]')" '["a","success"]
["b","error"]
["c","success"]'
  [[ $(field -r 'select(.call_id == "b") | .output') == *"lost during this call: it ended with status 9: about to die."* ]]
  assert_equal "$(grep -c '^start' "$LOG")" 2
}

@test "a server that hangs costs one result within its limit" {
  LIMIT_MS=1000 one
  serve < <(call a mcp__fake__hang; call b mcp__fake__echo '{"text":"alive"}' )
  assert_success
  assert_equal "$(field -r 'select(.call_id == "a") | .status')" timed_out
  # Whether the second call waits for a new server or is told that none is ready, it does not hang.
  [[ $(field -r 'select(.call_id == "b") | .status') =~ success|timed_out|error ]]
}

@test "a server that floods costs one result, in bounded memory" {
  one
  (
    ulimit -v 800000
    magi-mcp --serve --permissions full < <(call a mcp__fake__flood; call b mcp__fake__lines; call c mcp__fake__echo '{"text":"dry"}') >out
  )
  assert_equal "$(jq -rc '[.call_id, .status]' out)" '["a","error"]
["b","error"]
["c","success"]'
  grep -q "a message of more than 32 MiB" out
  grep -q "floods its output" out
}

@test "a server that lies or talks nonsense is not believed" {
  one
  serve < <(call a mcp__fake__liar; call b mcp__fake__junk; call c mcp__fake__wrong; call d mcp__fake__echo '{"text":"fine"}')
  assert_success
  assert_equal "$(field -r .output)" "the truth
after junk
server 'fake': it answered with what is no result of a call
fine"
}

@test "a server that cannot start is tried a few times and then left" {
  one --mode die-at-start
  serve < <(call a mcp__fake__echo '{"text":"x"}')
  assert_equal "$(field -r .output)" "no tool 'mcp__fake__echo'"
  : >"$LOG"
  # The tries have an end.
  run_tool magi-mcp --status --set "mcp_servers.fake.args=[\"$FAKE_SERVER\",\"--log\",\"$LOG\",\"--mode\",\"die-at-start\"]"
  assert_failure 1
  assert_output --partial "fake: failed: it ended with status 3 (started 4 times)"
  assert_equal "$(grep -c start "$LOG")" 4
  run_tool magi-mcp --status --set "mcp_servers.fake.args=[\"$FAKE_SERVER\",\"--mode\",\"new-version\"]"
  assert_output --partial "it speaks version '2199-01-01' of the protocol"
}

@test "what servers offered is kept: the first request need not wait, and nothing is started to list it" {
  one
  run_tool magi-mcp --list --wait-ms 0
  assert_success
  assert_output ""
  [[ $stderr == *"fake: its tools are not offered in this session"* ]]
  run_tool magi-mcp --list
  local listed=$output
  : >"$LOG"
  run_tool magi-mcp --list --wait-ms 0
  assert_output "$listed"
  assert_equal "$(cat "$LOG")" ""
  run find "$MC_HOME/cache" -type f -not -perm 600
  assert_output ""
  # Another configuration is another server.
  one --extra more
  run_tool magi-mcp --list --wait-ms 0
  assert_output ""
  # A damaged file is as good as none.
  one
  for file in "$MC_HOME"/cache/mcp/*; do echo '{"x":' >"$file"; done
  run_tool magi-mcp --list --wait-ms 0
  assert_success
  assert_output ""
  run_tool magi-mcp --list
  assert_output "$listed"
}

@test "secrets in results are masked before they leave" {
  one
  local secret
  secret=sk-ant-api03-$(printf 'Ab1%.0s' {1..31})AA
  serve < <(call a mcp__fake__echo "{\"text\":\"key $secret end\"}")
  refute_output --partial "$secret"
  [[ $(field .output) == "key "*" end" ]]
  assert_equal "$(field .masked_secrets)" 1
}

@test "HTTP: JSON answers, a session that is kept and closed, headers with variables" {
  export WEB_TOKEN=t0ken
  http json '"headers": {"Authorization": "Bearer ${WEB_TOKEN}"}'
  run_tool magi-mcp web/echo 'over http'
  assert_success
  assert_output 'over http'
  wait_until 5 grep -q DELETE "$LOG"
  assert_equal "$(grep -v '^GET' "$LOG")" "POST 200 - initialize Bearer t0ken
POST 202 s1 notifications/initialized Bearer t0ken
POST 200 s1 tools/list Bearer t0ken
POST 200 s1 tools/call Bearer t0ken
DELETE 200 s1 - Bearer t0ken"
}

@test "HTTP: answers as events" {
  http sse
  run_tool magi-mcp web/echo 'over events'
  assert_success
  assert_output 'over events'
}

@test "HTTP: an answer that breaks off is asked for again, behind its last event" {
  http resume
  run_tool magi-mcp web/echo 'second half'
  assert_success
  assert_output 'second half'
  grep -q 'resumed-after-0' "$LOG"
}

@test "bug 90: HTTP 429 with Retry-After is waited for and tried again, 503 too" {
  http busy
  local begun=$EPOCHREALTIME
  run_tool magi-mcp web/echo 'at last'
  assert_success
  assert_output 'at last'
  assert_equal "$(grep -c 'POST 429' "$LOG")" 2
  [[ $stderr == *"the server is busy (HTTP 429); trying again in 1 s"* ]]
  # Never before the server's second is over, twice.
  ((${EPOCHREALTIME/./} - ${begun/./} >= 2000000))
  stop_fake
  : >"$LOG"
  http overloaded
  run_tool magi-mcp web/echo 'again'
  assert_output 'again'
  assert_equal "$(grep -c 'POST 503' "$LOG")" 1
}

@test "HTTP: a wait that is too long is told, not taken" {
  http patient
  run_tool magi-mcp web/echo x
  assert_failure 1
  assert_equal "$stderr" "magi-mcp: web/echo: HTTP 429; it asks to wait 3600 s"
}

@test "HTTP: a session that has expired is opened again, and the call is not lost" {
  http expire
  run_tool magi-mcp web/echo 'still here'
  assert_success
  assert_output 'still here'
  assert_equal "$(grep -c initialize "$LOG" )" 4
}

@test "HTTP: refusals, redirects and broken answers are told" {
  http denied
  run_tool magi-mcp --status
  assert_failure 1
  assert_output --partial 'HTTP 401: who are you; it wants a header that proves who asks'
  stop_fake
  http moved '"headers": {"X-Key": "abc"}'
  run_tool magi-mcp --status
  assert_output --partial "it moved to 'http://127.0.0.1:1/elsewhere'; headers are sent to the configured address alone"
  stop_fake
  http broken
  run_tool magi-mcp web/echo x
  assert_failure 1
  assert_equal "$stderr" "magi-mcp: web/echo: HTTP 500: <html>oops</html>"
  stop_fake
  http huge
  run_tool magi-mcp web/echo x
  assert_failure 1
  [[ $stderr == *"more than 32 MiB"* ]]
}

# code ARG...: one run against a fake provider.
code() { magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full "$@" </dev/null; }

@test "magi-code offers the tools of servers behind its own and routes calls to them" {
  one
  echo inside >file.txt
  start_fake '{"turns":[{"calls":[{"name":"mcp__fake__echo","args":{"text":"from the server"}},{"name":"read","args":{"path":"file.txt"}}]},{"text":"Done."}]}'
  run --separate-stderr code -p go
  assert_success
  assert_equal "$output" "Done."
  run fake_body 1 '[.tools[].function.name] | (index("read") < index("mcp__fake__echo")) and (map(select(startswith("mcp__"))) == (map(select(startswith("mcp__"))) | sort))'
  assert_output true
  run fake_body 2 '[.messages[] | select(.role == "tool") | .content] | join("|")'
  assert_output --partial "from the server|"
  assert_output --partial "inside"
  # A second run asks nobody what there is: the prompt that a provider has cached stays the same.
  run fake_body 1 '.tools | tojson'
  local before=$output
  code -q -p again
  run fake_body 3 '.tools | tojson'
  assert_output "$before"
}

@test "magi-code starts nothing where no server is configured, and goes on without one that is broken" {
  start_fake '{"turns":[{"repeat":9,"text":"Fine."}]}'
  strace -f -qq -e trace=execve -o calls magi-code --base-url "$FAKE_URL/v1" -m mock-model -q -p hi </dev/null
  run grep -c magi-mcp calls
  assert_output 0
  configure '{"fake": {"command": "no-such-program-here"}}'
  run --separate-stderr code -p hi
  assert_success
  assert_output "Fine."
  configure '{"off": {"command": "python3", "enabled": false}}'
  strace -f -qq -e trace=execve -o calls magi-code --base-url "$FAKE_URL/v1" -m mock-model -q -p hi </dev/null
  run grep -c magi-mcp calls
  assert_output 0
}

@test "in magi-code a call of a server is refused without an answer to the question, and the model is told" {
  one
  start_fake '{"turns":[{"calls":[{"name":"mcp__fake__fail","args":{}}]},{"text":"Done."}]}'
  run --separate-stderr magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions workspace -p go </dev/null
  assert_success
  run fake_body 2 '[.messages[] | select(.role == "tool") | .content] | join("|")'
  assert_output --partial "not done: this calls 'fail' of the MCP server 'fake'"
  run grep -c '^call' "$LOG"
  assert_output 0
}

@test "in magi-code an allow rule names a tool of a server, or all of them, and no other" {
  local rule
  one
  start_fake '{"turns":[{"repeat":9,"calls":[{"name":"mcp__fake__echo","args":{"text":"passed on"}}]},{"text":"Done."}]}'
  for rule in mcp__fake__echo 'mcp__fake__*' mcp__fake__fail; do
    run --separate-stderr magi-code --base-url "$FAKE_URL/v1" -m mock-model --json --max-turns 1 --allow "$rule" -p go </dev/null
    jq -r --arg rule "$rule" 'select(.type == "tool_result") | [$rule, .status] | join(" ")' <<<"${output}" >>results 2>/dev/null
  done
  run cat results
  assert_output 'mcp__fake__echo success
mcp__fake__* success
mcp__fake__fail error'
}
@test "a server that dies or hangs costs magi-code one result" {
  LIMIT_MS=1500 one
  start_fake '{"turns":[{"calls":[{"name":"mcp__fake__die","args":{}}]},{"calls":[{"name":"mcp__fake__hang","args":{}}]},{"text":"Done."}]}'
  run --separate-stderr code -p go
  assert_success
  assert_equal "$output" "Done."
  run jq -rc 'select(.event_type == "tool_result") | .payload.status' "$MC_HOME"/sessions/*.jsonl
  assert_output "error
timed_out"
}

@test "servers end with magi-code, also when it is killed" {
  one
  start_fake '{"turns":[{"calls":[{"name":"mcp__fake__slow","args":{"seconds":60}}]},{"text":"Done."}]}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -q -p go </dev/null &
  local pid=$!
  wait_until 20 grep -q 'call slow' "$LOG"
  kill -KILL "$pid"
  wait "$pid" || true
  wait_until 10 no_process_left "$LOG"
}

@test "the reference servers of npm: every tool can be called" {
  local modules=${MAGI_MCP_NPM-}
  [[ -n $modules && -d $modules/@modelcontextprotocol ]] || skip "MAGI_MCP_NPM names no node_modules with @modelcontextprotocol"
  mkdir files
  echo hello >files/a.txt
  configure "{\"everything\": {\"command\": \"node\", \"args\": [\"$modules/@modelcontextprotocol/server-everything/dist/index.js\"]},
    \"filesystem\": {\"command\": \"node\", \"args\": [\"$modules/@modelcontextprotocol/server-filesystem/dist/index.js\", \"$PWD/files\"]}}"
  assert_equal "$(magi-mcp everything/echo hi)" "Echo: hi"
  assert_equal "$(magi-mcp everything/get-sum '{"a":2,"b":3}')" "The sum of 2 and 3 is 5."
  assert_equal "$(magi-mcp filesystem/read_text_file "$PWD/files/a.txt")" hello
}
