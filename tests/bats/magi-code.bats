# magi-code as a process: command line, one-shot runs, sessions, limits, control.

load helper
load fake

setup() {
  common_setup
  mkdir -p "$BATS_TEST_TMPDIR/repo"
  cd "$BATS_TEST_TMPDIR/repo"
}

teardown() { stop_fake; }

# code ARG...: one run against the fake server, quietly and with stdin empty.
code() { magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full "$@" </dev/null; }

session_file() { ls "$MC_HOME"/sessions/*.jsonl; }

@test "an answer goes to stdout and the resume hint to stderr" {
  start_fake '{"turns":[{"text":"Hello there."}]}'
  run --separate-stderr code -p hi
  [ "$status" -eq 0 ]
  [ "$output" = "Hello there." ]
  [[ $stderr == *"--resume "* ]]
  assert_no_problems
}

@test "a session holds the input, the answer and how the turn ended" {
  start_fake '{"turns":[{"text":"Hello."}]}'
  code -q -p hi
  run jq -rc '[.event_type, (.payload.text // .payload.status // "")] | join(" ")' "$(session_file)"
  [[ $output == *"user_input hi"* ]]
  [[ $output == *"assistant_output Hello."* ]]
  [ "${lines[-1]}" = "turn_status completed" ]
}

@test "SEC-01: what a run leaves is private whatever the umask" {
  start_fake '{"turns":[{"text":"Hello."}]}'
  (umask 000; code -q -p hi)
  run find "$MC_HOME" -type f -perm /077
  [ -z "$output" ]
  run find "$MC_HOME" -type d -perm /077
  [ -z "$output" ]
}

@test "parallel calls run in order and their results follow in call order" {
  echo one > a.txt; echo two > b.txt
  start_fake '{"strict":true,"turns":[{"text":"I look.","calls":[{"name":"read","args":{"path":"a.txt"}},{"name":"read","args":{"path":"missing.txt"}},{"name":"bash","args":{"command":"cat b.txt"}}]},{"text":"Done."}]}'
  run --separate-stderr code -p look
  [ "$status" -eq 0 ]
  assert_no_problems
  run fake_body 2 '[.messages[] | select(.role == "tool") | .content] | map(test("one"), test("two")) | @json'
  [ "$output" = '[true,false,false,false,false,true]' ]
  run jq -rc 'select(.event_type == "tool_result") | .payload.status' "$(session_file)"
  [ "${lines[*]}" = "success error success" ]
}

@test "--continue goes on with what was said, and replay agrees with what was sent" {
  start_fake '{"turns":[{"text":"First."},{"text":"Second."}]}'
  code -q -p one
  code -q --continue -p two
  run fake_body 2 '[.messages[] | select(.role != "system") | .content | if type == "array" then map(.text) | join("") else . end] | join("|")'
  [ "$output" = "one|First.|two" ]
  [ "$(session_file | wc -l)" -eq 1 ]
}

@test "what memory sends in a tool turn is what a replay gives" {
  head -c 40000 /dev/zero | tr '\0' x > long.txt
  start_fake '{"turns":[{"text":"I look.","calls":[{"name":"bash","args":{"command":"head -c 30000 long.txt; echo"}},{"name":"bash","args":{"command":"printf a; exit 3"}}]},{"text":"Done."},{"text":"More.","calls":[{"name":"bash","args":{"command":"echo z"}}]},{"text":"End."}]}'
  printf '%s\n' '{"type":"prompt","id":"1","text":"one"}' > "$BATS_TEST_TMPDIR/in"
  (cat "$BATS_TEST_TMPDIR/in"; sleep 1; echo '{"type":"prompt","id":"2","text":"two"}') |
    magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full --json --control > "$BATS_TEST_TMPDIR/out"
  local id; id=$(jq -r 'select(.type == "session") | .session_id' "$BATS_TEST_TMPDIR/out")
  fake_body 3 '.messages[1:]' > live
  start_fake '{"index":"request","turns":[{"text":"x"}]}'
  # The same conversation replayed, cut where the third request was made.
  local until; until=$(jq -r 'select(.event_type == "assistant_output" and .payload.text == "More.") | .event_id' "$MC_HOME/sessions/$id.jsonl")
  magi-replay --until "$until" "$id" | magi-provider --base-url "$FAKE_URL/v1" --model mock-model > /dev/null
  fake_body 1 '[.messages[] | select(.role != "system")]' > replayed
  diff live replayed
}

@test "--no-session keeps nothing and cannot be combined with attaching" {
  start_fake '{"turns":[{"text":"Hello."}]}'
  run code -q --no-session -p hi
  [ "$status" -eq 0 ]
  [ ! -e "$MC_HOME/sessions" ]
  run code --no-session --continue -p hi
  [ "$status" -eq 2 ]
}

@test "without key or server -p exits 2 and says how to set one up" {
  run --separate-stderr magi-code -p hi
  [ "$status" -eq 2 ]
  [ -z "$output" ]
  [ "$(wc -l <<<"$stderr")" -eq 3 ]
  [ ! -e "$MC_HOME" ]
}

@test "TUI-13: without a terminal and without -p it says so and exits 2" {
  run --separate-stderr setsid magi-code </dev/null
  [ "$status" -eq 2 ]
  [ -z "$output" ]
  [[ $stderr == *"a terminal or -p"* ]]
}

@test "a second writer is refused with status 3" {
  start_fake '{"turns":[{"text":"Slow answer here, letter by letter.","delay":200,"chunk":1}]}'
  code -q -p hi &
  local first=$!
  wait_for_requests 1
  local id; id=$(basename "$(session_file)" .jsonl)
  run --separate-stderr code --resume "$id" -p again
  [ "$status" -eq 3 ]
  wait "$first"
}

@test "CLI-15: a cut stream is continued once, and its text is stored once" {
  start_fake '{"turns":[{"text":"The quick brown fox jumps over the lazy dog.","chunk":5,"fault":{"cut_at":700}},{"text":" And the rest."}]}'
  run --separate-stderr code -p tell
  [ "$status" -eq 0 ]
  [ "$(fake_count)" -eq 2 ]
  run fake_body 2 '.messages[-1].content | if type == "array" then .[0].text else . end'
  [ "$output" = "Continue" ]
  run jq -c 'select(.event_type == "user_input")' "$(session_file)"
  [ "${#lines[@]}" -eq 1 ]
  magi-replay "$(session_file)" > stream
  local stored; stored=$(jq -rj 'select(.type == "assistant") | .text' stream)
  [[ $stored == The\ quick*" And the rest." ]]
  [ "$(grep -o quick <<<"$stored" | wc -l)" -eq 1 ]
}

@test "CLI-15: a second cut ends the run with an error and keeps each part once" {
  start_fake '{"turns":[{"text":"first part of an answer that is long enough","chunk":5,"fault":{"cut_at":600,"times":9}},{"text":"second part of an answer that is long enough","chunk":5,"fault":{"cut_at":600,"times":9}}]}'
  run --separate-stderr code -p tell
  [ "$status" -eq 1 ]
  [ "$(fake_count)" -eq 2 ]
  run jq -rc 'select(.event_type == "turn_status") | .payload.status' "$(session_file)"
  [ "$output" = "failed" ]
  magi-replay "$(session_file)" > stream
  [ "$(jq -rj 'select(.type == "assistant") | .text' stream | grep -o 'first' | wc -l)" -eq 1 ]
  [ "$(jq -rj 'select(.type == "assistant") | .text' stream | grep -o 'second' | wc -l)" -eq 1 ]
}

@test "CLI-15: a call whose arguments were cut is never executed" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"touch ran-it; echo a long command line to be cut somewhere in the middle of it"}}],"chunk":5,"fault":{"cut_at":900,"times":9}},{"text":"gave up"}]}'
  run --separate-stderr code -p go
  [ ! -e ran-it ]
}

@test "a retry after 503 is the provider's business and costs nothing" {
  start_fake '{"turns":[{"text":"Hello.","fault":{"status":503,"body":{"error":{"message":"busy"}},"headers":{"retry-after-ms":"1"}}}]}'
  run --separate-stderr code -p hi
  [ "$status" -eq 0 ]
  [ "$output" = "Hello." ]
  [ "$(fake_count)" -eq 2 ]
}

@test "an interrupt cancels the turn, keeps the partial text and exits 130" {
  start_fake '{"turns":[{"text":"One two three four five six seven eight nine ten.","chunk":4,"delay":200}]}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model -p count </dev/null >out 2>err &
  local pid=$!
  for _ in $(seq 100); do [ -s out ] && break; sleep 0.05; done
  kill -INT "$pid"
  local status=0; wait "$pid" || status=$?
  [ "$status" -eq 130 ]
  run jq -rc 'select(.event_type == "turn_status") | .payload | .status + ":" + .partial_text' "$(session_file)"
  [[ $output == cancelled:One* ]]
  [ "$(magi-replay "$(session_file)" | jq -rj 'select(.type == "assistant") | .status')" = cancelled ]
}

@test "an interrupt during a command ends it, and its call has a result" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"echo $$ > pid; sleep 100 & wait"}}]},{"text":"x"}]}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -p go </dev/null >out 2>err &
  local pid=$!
  for _ in $(seq 100); do [ -s pid ] && break; sleep 0.05; done
  kill -INT "$pid"
  local status=0; wait "$pid" || status=$?
  [ "$status" -eq 130 ]
  run jq -rc 'select(.event_type == "tool_result") | .payload.status' "$(session_file)"
  [ "$output" = cancelled ]
  for _ in $(seq 40); do kill -0 "$(cat pid)" 2>/dev/null || break; sleep 0.05; done
  ! kill -0 "$(cat pid)" 2>/dev/null
}

@test "limits end a run with status 4" {
  start_fake '{"turns":[{"repeat":9,"calls":[{"name":"bash","args":{"command":"true"}}]}],"usage":{"input":100,"output":10}}'
  run --separate-stderr code --max-turns 2 -p go
  [ "$status" -eq 4 ]
  [ "$(fake_count)" -eq 2 ]
  run --separate-stderr code --max-tokens-total 300 -p go
  [ "$status" -eq 4 ]
  start_fake '{"turns":[{"text":"slow and slower","delay":400,"chunk":1}]}'
  run --separate-stderr code --timeout 1 -p go
  [ "$status" -eq 4 ]
}

@test "--json ends with a result, also after failure" {
  start_fake '{"turns":[{"text":"Hello.","usage":{"input":7,"output":3}}]}'
  code --json -p hi > out
  [ "$(head -n 1 out | jq -r .type)" = session ]
  [ "$(tail -n 1 out | jq -c '[.type, .status, .text, .usage.input_tokens, .exit_status]')" = '["result","completed","Hello.",7,0]' ]
  local wrong
  for wrong in "" --no-such-option "--set modle=x" "--set permissions.mode=none" "--max-turns none" "-C /nowhere"; do
    # shellcheck disable=SC2086 # words
    run --separate-stderr magi-code --json $wrong -p hi
    [ "$status" -eq 2 ]
    [ "$(jq -c '[.type, .status, .exit_status]' <<<"$output")" = '["result","failed",2]' ]
    jq -e '.error.message != ""' <<<"$output"
  done
  run --separate-stderr magi-code sessions list --json --no-such-option
  assert_equal "$status $output" "2 "
}

@test "control: steering is delivered at the next boundary, and only after its append" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"for i in $(seq 100); do [ -e go ] && break; sleep 0.05; done"}}]},{"text":"Done."}]}'
  mkfifo in
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full --json --control <in >out 2>err &
  local pid=$!
  exec 7>in
  echo '{"type":"prompt","id":"p1","text":"begin"}' >&7
  wait_for_requests 1
  echo '{"type":"prompt","id":"p2","text":"too early"}' >&7
  echo '{"type":"steer","id":"s1","text":"left"}' >&7
  echo '{"type":"steer","id":"s2","text":"right"}' >&7
  echo '{"type":"recall","id":"s1"}' >&7
  echo '{"type":"what","id":"w"}' >&7
  echo 'not json' >&7
  for _ in $(seq 100); do [ "$(grep -c '"refused"' out)" -ge 3 ] && break; sleep 0.05; done
  : > go
  exec 7>&-
  wait "$pid"
  run jq -rc 'select(.type == "accepted" or .type == "delivered" or .type == "refused") | .type + " " + (.id // "")' out
  [ "${lines[*]}" = "accepted p1 delivered p1 refused p2 accepted s1 accepted s2 accepted s1 refused w refused  delivered s2" ]
  run jq -r 'select(.event_type == "user_input") | .payload | .origin + " " + .text' "$(session_file)"
  [ "${lines[*]}" = "user begin steering right" ]
  assert_no_problems
}

@test "control: an approval that the user gives runs the call, a refusal does not" {
  start_fake '{"turns":[{"calls":[{"name":"write","args":{"path":"f","content":"x"}}]},{"text":"Done."}]}'
  mkfifo in
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions ask --json --control <in >out 2>err &
  local pid=$!
  exec 7>in
  echo '{"type":"prompt","id":"p1","text":"begin"}' >&7
  for _ in $(seq 100); do grep -q approval_request out && break; sleep 0.05; done
  [ ! -e f ]
  local call; call=$(jq -r 'select(.type == "approval_request") | .call_id' out)
  echo "{\"type\":\"approve\",\"id\":\"a\",\"call_id\":\"$call\",\"decision\":\"allow\"}" >&7
  exec 7>&-
  wait "$pid"
  [ "$(cat f)" = x ]
  rm f
  run code --permissions ask -p again
  [ ! -e f ]
}

@test "CLI-03: a pipe that stays silent is left alone, an empty or closed stdin too" {
  start_fake '{"index":"request","turns":[{"text":"a"},{"text":"b"},{"text":"c"}]}'
  mkfifo silent
  exec 8<>silent
  run --separate-stderr magi-code --base-url "$FAKE_URL/v1" -m mock-model -p hi <&8
  [ "$status" -eq 0 ]
  [[ $stderr == *"left alone"* ]]
  exec 8>&-
  run --separate-stderr bash -c 'exec 0<&-; magi-code --base-url "$0" -m mock-model -p hi' "$FAKE_URL/v1"
  [ "$status" -eq 0 ]
}

@test "standard input stands before the prompt" {
  start_fake '{"turns":[{"text":"ok"}]}'
  printf 'some diff\n' | magi-code --base-url "$FAKE_URL/v1" -m mock-model -q -p 'review this'
  run fake_body 1 '.messages[-1].content | if type == "array" then .[0].text else . end'
  [ "$output" = 'some diff

review this' ]
}

@test "SES-17: a full disk is told before any request, and nothing is promised" {
  [ "$(id -u)" -eq 0 ] || skip "needs a mount"
  mkdir -p "$BATS_TEST_TMPDIR/full"
  unshare -m true 2>/dev/null || skip "needs a mount namespace"
  start_fake '{"turns":[{"text":"never"}]}'
  run --separate-stderr unshare -m bash -c '
    mount -t tmpfs -o size=64k,mode=0700 none "$1" && export MC_HOME=$1/home && mkdir -m 700 "$MC_HOME" &&
    { head -c 200000 /dev/zero > "$1/fill" 2>/dev/null; true; } &&
    magi-code --base-url "$2" -m mock-model -p hi </dev/null' _ "$BATS_TEST_TMPDIR/full" "$FAKE_URL/v1"
  [ "$status" -ne 0 ]
  [[ $stderr == *"No space left"* ]]
  [[ $stderr != *"--resume"* ]]
  [ "$(fake_count)" -eq 0 ]
}

@test "SES-02: a session with a block of NUL bytes goes on" {
  start_fake '{"turns":[{"text":"First."},{"text":"Second."}]}'
  code -q -p one
  local file; file=$(session_file)
  head -n 2 "$file" > new; head -c 512 /dev/zero >> new; echo >> new; tail -n +3 "$file" >> new
  cat new > "$file"
  run --separate-stderr code --continue -p two
  [ "$status" -eq 0 ]
  run fake_body 2 '[.messages[] | select(.role != "system") | .content | if type == "array" then .[0].text else . end] | join("|")'
  [ "$output" = "one|First.|two" ]
}

@test "SES-20 SES-14 SES-13: --continue takes the session with the newest message" {
  start_fake '{"index":"request","turns":[{"text":"A."},{"text":"B."},{"text":"C."}]}'
  code -q -p first; local first; first=$(session_file)
  sleep 0.01
  code -q -p second
  touch "$first"
  printf '{"event_type":"diagnostic","event_id":"1","timestamp":"2099-01-01T00:00:00.000Z","session_id":"x","cwd":"%s","payload":{"level":"info","message":"m"}}\n' "$PWD" > "$MC_HOME/sessions/x.jsonl"
  printf '{"event_type":"session_title","event_id":"2","timestamp":"2099-01-01T00:00:00.000Z","session_id":"y","cwd":"%s","payload":{"title":"late"}}\n' "$PWD" >> "$first"
  chmod 600 "$MC_HOME"/sessions/*.jsonl
  code -q --continue -p third
  run fake_body 3 '[.messages[] | select(.role == "user") | .content | if type == "array" then .[0].text else . end] | join("|")'
  [ "$output" = "second|third" ]
}

@test "SES-16: a home behind a link is found both ways; sessions/ as a link is refused" {
  start_fake '{"turns":[{"text":"A."},{"text":"B."}]}'
  mkdir real; ln -s "$PWD/real" lnk
  MC_HOME=$PWD/lnk/home code -q -p one
  MC_HOME=$PWD/real/home code -q --continue -p two
  mv real/home/sessions real/home/elsewhere; ln -s elsewhere real/home/sessions
  MC_HOME=$PWD/real/home run --separate-stderr code --continue -p three
  [ "$status" -ne 0 ]
  [ "$(fake_count)" -eq 2 ]
}

@test "SHL-13: commands do not see provider keys" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"env"}}]},{"text":"ok"}]}'
  OPENAI_API_KEY=k1-secret ANTHROPIC_API_KEY=k2-secret MC_API_KEY=k3-secret code -q -p go
  run fake_body 2 '.messages[-1].content'
  [[ $output != *-secret* ]]
  [[ $output == *PATH=* ]]
}

@test "SEC-13: without a terminal a command beyond the mode is refused, and the model is told" {
  start_fake '{"turns":[{"calls":[{"name":"write","args":{"path":"/tmp/magi-outside","content":"x"}}]},{"text":"ok"}]}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model -q -p go </dev/null
  [ ! -e /tmp/magi-outside ]
  run jq -r 'select(.event_type == "tool_result") | .payload.status' "$(session_file)"
  [ "$output" = error ]
}

@test "CLI-06 CLI-08: broken settings stop it, an unknown key is named" {
  start_fake '{"turns":[{"text":"ok"}]}'
  mkdir -p -m 700 "$MC_HOME"
  printf '{"model":"x",}' > "$MC_HOME/settings.json"
  run --separate-stderr code -p hi
  [ "$status" -eq 2 ]
  [[ $stderr == *settings.json*"line 1, column"* ]]
  [ "$(fake_count)" -eq 0 ]
  printf '{"agent":{"compaction":{"auto":{"treshold_percent":50}}}}' > "$MC_HOME/settings.json"
  run --separate-stderr code -p hi
  [ "$status" -eq 0 ]
  [[ $stderr == *agent.compaction.auto.treshold_percent* ]]
}

@test "CLI-12: a home that is a dangling link or a file is one clear error" {
  start_fake '{"turns":[{"text":"ok"}]}'
  ln -s nowhere dangling; : > file
  MC_HOME=$PWD/dangling run --separate-stderr code -p hi
  [ "$status" -ne 0 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  MC_HOME=$PWD/file run --separate-stderr code -p hi
  [ "$status" -ne 0 ]
  run --separate-stderr env -i "PATH=$PATH" magi-code -p hi
  [ "$status" -eq 2 ]
  [ "$(fake_count)" -eq 0 ]
}

@test "request prints the next request as a stream and writes nothing" {
  magi-code request --prompt 'hello' > stream
  [ "$(head -n 1 stream | jq -r .type)" = request ]
  [ "$(tail -n 1 stream | jq -r .type)" = end ]
  [ "$(jq -r 'select(.type == "user") | .text' stream)" = hello ]
  magi-tokens < stream
  [ ! -e "$MC_HOME" ]
}

@test "the first request is below 3,000 tokens with all tools" {
  run bash -c 'magi-code request --prompt hello | magi-tokens --json | jq .total'
  [ "$output" -lt 3000 ]
}

@test "each tool can be replaced by a script on MAGI_TOOL_PATH, and is called" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"echo hi"}}]},{"text":"Done."},{"text":"Again."}]}'
  code -q -p zero
  local tool real
  for tool in magi-replay magi-tokens magi-provider magi-tool; do
    real=$(command -v "$tool")
    mkdir -p "over/$tool"
    printf '#!/bin/sh\necho "$@" >> "%s"\nexec "%s" "$@"\n' "$PWD/over/$tool.log" "$real" > "over/$tool/$tool"
    chmod +x "over/$tool/$tool"
    run --separate-stderr env "MAGI_TOOL_PATH=$PWD/over/$tool" magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full --continue -p go </dev/null
    [ "$status" -eq 0 ]
    [ -s "over/$tool.log" ]
  done
}

@test "a provider that does not serve is run once a request" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"echo hi"}}]},{"text":"Done."}]}'
  mkdir over
  printf '#!/bin/sh\nfor a; do [ "$a" = --serve ] && exit 2; done\necho x >> "%s"\nexec "%s" "$@"\n' "$PWD/calls" "$(command -v magi-provider)" > over/magi-provider
  chmod +x over/magi-provider
  run --separate-stderr env "MAGI_TOOL_PATH=$PWD/over" magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -p go </dev/null
  [ "$status" -eq 0 ]
  [ "$output" = "Done." ]
  [ "$(wc -l < calls)" -eq 2 ]
}

@test "a tool host that crashes costs one result" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"kill -9 $(ps -o ppid= -p $PPID)"}},{"name":"bash","args":{"command":"echo still here"}}]},{"text":"Done."}]}'
  run --separate-stderr code -p go
  [ "$status" -eq 0 ]
  run jq -r 'select(.event_type == "tool_result") | .payload.status' "$(session_file)"
  [ "${lines[*]}" = "error success" ]
  assert_no_problems
}

@test "sessions list and show" {
  start_fake '{"turns":[{"text":"Hello."}]}'
  code -q -p 'what is this about'
  run --separate-stderr magi-code sessions list
  [[ $output == *"what is this about" ]]
  run magi-code sessions show "$(basename "$(session_file)" .jsonl)"
  [[ $output == *Hello.* ]]
  run magi-code sessions show nope
  [ "$status" -eq 1 ]
  run magi-code sessions show ../x
  [ "$status" -eq 2 ]
}

@test "demo mends a bug, its test passes, and the commands it prints work" {
  run --separate-stderr magi-code demo --dir "$BATS_TEST_TMPDIR/demo"
  [ "$status" -eq 0 ]
  sh "$BATS_TEST_TMPDIR/demo/test.sh"
  local command count=0
  while read -r command; do
    eval "$command" > /dev/null
    count=$((count + 1))
  done < <(grep -E '^  [^ ]*magi-' <<<"$output")
  [ "$count" -eq 3 ]
}

@test "doctor finds the tools and names a way to a model" {
  run --separate-stderr magi-code doctor
  [[ $output == *"ok    "*magi-replay* ]]
  [[ $output != *FAIL* ]]
}

@test "CLI-09: wrong options name the flag, exit 2 and leave nothing" {
  local arguments
  for arguments in '--max-turns 0 -p x' '--max-turns abc -p x' '--timeout -p x' '--permissions loose -p x' '--nonsense' \
    '--model= -p x' '-p' '--tools read --no-tools -p x' '--control' '--resume=../x -p x' '--set nonsense -p x' '--home relative -p x'; do
    # shellcheck disable=SC2086
    run --separate-stderr magi-code $arguments </dev/null
    [ "$status" -eq 2 ] || { echo "$arguments: $status"; false; }
    [ "${#stderr_lines[@]}" -ge 1 ]
  done
  [ ! -e "$MC_HOME" ]
}

@test "SES-05: output with line ends and control characters is one line of the session" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"printf \"a\\nb\\r\\n\\tc\\001\\033[0m\""}}]},{"text":"ok"}]}'
  code -q -p go
  jq -c . "$(session_file)" > parsed
  [ "$(wc -l < parsed)" -eq "$(wc -l < "$(session_file)")" ]
  run jq -c 'select(.event_type == "tool_result") | .payload.output' "$(session_file)"
  [ "${#lines[@]}" -eq 1 ]
  [[ $output == *'a\nb'* ]]
}

@test "CLI-17: a disk that fills during a run is one error of its own, with the usage so far" {
  [ "$(id -u)" -eq 0 ] || skip "needs a mount"
  mkdir -p "$BATS_TEST_TMPDIR/small"
  unshare -m true 2>/dev/null || skip "needs a mount namespace"
  start_fake '{"usage":{"input":100,"output":10},"turns":[{"calls":[{"name":"bash","args":{"command":"echo one"}}]},{"calls":[{"name":"bash","args":{"command":"head -c 9000000 /dev/zero > fill; head -c 20000 /dev/zero | tr \"\\\\0\" x"}}]},{"text":"never"}]}'
  run --separate-stderr unshare -m bash -c '
    mount -t tmpfs -o size=1m,mode=0700 none "$1" && mkdir -m 700 "$1/home" "$1/repo" && cd "$1/repo" &&
    MC_HOME=$1/home magi-code --json --base-url "$2" -m mock-model --permissions full -p hi </dev/null' _ "$BATS_TEST_TMPDIR/small" "$FAKE_URL/v1"
  [ "$status" -eq 1 ]
  [ "$(tail -n 1 <<<"$output" | jq -c '[.type, .status, .usage.input_tokens, .exit_status]')" = '["result","failed",200,1]' ]
  [[ "$(tail -n 1 <<<"$output" | jq -r '.error.category + " " + .error.message')" == *"No space left"* ]]
  [ "$(fake_count)" -eq 2 ]
}

@test "instructions of the user and of the repository are sent, links are not followed" {
  mkdir -p -m 700 "$MC_HOME"
  echo 'always say please' > "$MC_HOME/AGENTS.md"
  mkdir -p .git sub secret
  echo 'top rules' > AGENTS.md
  echo 'the secret' > secret/file
  ln -s ../secret/file sub/AGENTS.md
  run bash -c 'cd sub && magi-code request --prompt hi | head -n 1 | jq -r .instructions'
  [[ $output == *'always say please'* ]]
  [[ $output == *'top rules'* ]]
  [[ $output != *'the secret'* ]]
}

@test "each call of an answer is executed once, with one host and with a host a call" {
  start_fake '{"index":"since_user","turns":[{"calls":[{"name":"bash","args":{"command":"echo one >> log"}},{"name":"bash","args":{"command":"echo two >> log"}},{"name":"bash","args":{"command":"echo three >> log"}}]},{"text":"Done."}]}'
  code -q -p go
  [ "$(paste -sd' ' log)" = "one two three" ]
  rm log
  mkdir over
  printf '#!/bin/sh\nfor a; do [ "$a" = --serve ] && exit 2; done\nexec "%s" "$@"\n' "$(command -v magi-tool)" > over/magi-tool
  chmod +x over/magi-tool
  MAGI_TOOL_PATH=$PWD/over code -q -p again
  [ "$(paste -sd' ' log)" = "one two three" ]
}

@test "a provider run once a request can be continued after a cut" {
  start_fake '{"turns":[{"text":"The quick brown fox jumps over the lazy dog.","chunk":5,"fault":{"cut_at":700}},{"text":" And the rest."}]}'
  mkdir over
  printf '#!/bin/sh\nfor a; do [ "$a" = --serve ] && exit 2; done\nexec "%s" "$@"\n' "$(command -v magi-provider)" > over/magi-provider
  chmod +x over/magi-provider
  MAGI_TOOL_PATH=$PWD/over run --separate-stderr code -p tell
  [ "$status" -eq 0 ]
  [ "$(fake_count)" -eq 2 ]
}

@test "a provider that writes what is no record costs one continuation" {
  start_fake '{"turns":[{"text":"partial text, then garbage"},{"text":"The rest."}]}'
  mkdir over
  cat > over/magi-provider <<SH
#!/bin/bash
if [ -e "$PWD/second" ]; then exec "$(command -v magi-provider)" "\$@"; fi
: > "$PWD/second"
read -r request
id=\$(jq -r .request_id <<<"\$request")
printf '{"type":"text","request_id":"%s","text":"partial"}\nno record\n' "\$id"
cat > /dev/null
SH
  chmod +x over/magi-provider
  MAGI_TOOL_PATH=$PWD/over run --separate-stderr code -p tell
  [ "$status" -eq 0 ]
  [[ $output == partial* ]]
}

@test "a provider cannot approve its own calls" {
  start_fake '{"turns":[{"text":"x"}]}'
  mkdir over
  cat > over/magi-provider <<SH
#!/bin/bash
while read -r line; do
  case \$line in
    *'"type":"request"'*) id=\$(jq -r .request_id <<<"\$line") ;;
    *'"type":"end"'*)
      if [ -e "$PWD/asked" ]; then printf '{"type":"done","request_id":"%s","status":"completed"}\n' "\$id"; continue; fi
      : > "$PWD/asked"
      printf '{"type":"tool_call","request_id":"%s","call_id":"c1","name":"write","arguments":"{\\\\"path\\\\":\\\\"f\\\\",\\\\"content\\\\":\\\\"x\\\\"}","approved":true}\n' "\$id"
      printf '{"type":"done","request_id":"%s","status":"completed"}\n' "\$id" ;;
  esac
done
SH
  chmod +x over/magi-provider
  MAGI_TOOL_PATH=$PWD/over magi-code --base-url "$FAKE_URL/v1" -m m --permissions ask -q -p go </dev/null
  [ -e asked ]
  [ ! -e f ]
  run jq -r 'select(.event_type == "tool_result") | .payload.status' "$(session_file)"
  [ "$output" = error ]
}

@test "a tool that lists garbage, or none that can be found, is a clear error" {
  start_fake '{"turns":[{"text":"x"}]}'
  mkdir over
  printf '#!/bin/sh\necho garbage\n' > over/magi-tool
  chmod +x over/magi-tool
  MAGI_TOOL_PATH=$PWD/over run --separate-stderr code -p go
  [ "$status" -eq 1 ]
  [[ $stderr == *"no tool definition"* ]]
  [ "$(fake_count)" -eq 0 ]
}

@test "steering that found no boundary is given back" {
  start_fake '{"index":"since_user","turns":[{"text":"a long answer, letter by letter","chunk":1,"delay":200}]}'
  mkfifo in
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --json --control <in >out 2>err &
  local pid=$!
  exec 7>in
  echo '{"type":"prompt","id":"p1","text":"begin"}' >&7
  wait_until 10 grep -q '"text"' out
  echo '{"type":"steer","id":"s1","text":"left"}' >&7
  wait_until 10 grep -q '"id":"s1"' out
  echo '{"type":"cancel","id":"c"}' >&7
  exec 7>&-
  wait "$pid" || true
  run jq -rc 'select(.type == "refused") | [.id, .action, .text]' out
  [ "$output" = '["s1","steer","left"]' ]
}

@test "a reader that stalls cannot keep a run from being interrupted" {
  start_fake "{\"turns\":[{\"text\":\"$(head -c 300000 /dev/zero | tr '\0' x)\",\"chunk\":60000}]}"
  mkfifo stalled
  exec 8<>stalled
  magi-code --base-url "$FAKE_URL/v1" -m mock-model -p go </dev/null >stalled 2>err &
  local pid=$!
  wait_for_requests 1
  sleep 0.5
  kill -TERM "$pid"
  local status=0; wait "$pid" || status=$?
  exec 8>&-
  [ "$status" -eq 143 ]
}

@test "a wrong base URL, added folder or output file is exit 2 and leaves nothing" {
  local arguments
  for arguments in '--base-url foo' '--base-url ftp://x/' '--base-url http://u:p@127.0.0.1/' '--add-dir /nonexistent --base-url http://127.0.0.1:1/v1' \
    '-o /nonexistent/x --base-url http://127.0.0.1:1/v1'; do
    # shellcheck disable=SC2086
    run --separate-stderr magi-code -m m $arguments -p hi </dev/null
    [ "$status" -eq 2 ] || { echo "$arguments: $status"; false; }
    [ "${#stderr_lines[@]}" -eq 1 ]
    [ ! -e "$MC_HOME" ]
  done
}

@test "the resume command that is printed goes on with the run" {
  start_fake '{"turns":[{"text":"First."},{"text":"Second."}]}'
  code -p one 2>err
  local command; command=$(sed -n 's/.*resume with: //p' err)
  run bash -c "${command/\'...\'/two} </dev/null 2>/dev/null"
  [ "$output" = "Second." ]
}

@test "control: when nobody is left to ask, an approval is a refusal" {
  start_fake '{"turns":[{"calls":[{"name":"write","args":{"path":"f","content":"x"}}]},{"text":"Done."}]}'
  echo '{"type":"prompt","id":"p1","text":"begin"}' > in
  run --separate-stderr timeout 20 magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions ask --json --control <in
  [ "$status" -eq 0 ]
  [ ! -e f ]
  [ "$(tail -n 1 <<<"$output" | jq -r .status)" = completed ]
}

@test "a file that changed since it was read is not overwritten, also by a new tool host" {
  echo old > a.txt
  start_fake '{"turns":[{"calls":[{"name":"read","args":{"path":"a.txt"}}]},{"calls":[{"name":"bash","args":{"command":"kill -9 $(ps -o ppid= -p $PPID)"}}]},{"calls":[{"name":"bash","args":{"command":"echo changed by the user > a.txt"}}]},{"calls":[{"name":"write","args":{"path":"a.txt","content":"lost"}}]},{"text":"Done."}]}'
  run --separate-stderr code -p go
  [ "$status" -eq 0 ]
  [ "$(cat a.txt)" = "changed by the user" ]
}

@test "a wrapped tool host that hangs is ended with its group" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"true","timeout_ms":1000}}]},{"text":"Done."}]}'
  mkdir over
  printf '#!/bin/sh\nfor a; do [ "$a" = --list ] && exec "%s" "$@"; done\nsh -c "echo \\$\\$ > %s; cat > /dev/null; sleep 300"\n' "$(command -v magi-tool)" "$PWD/pid" > over/magi-tool
  chmod +x over/magi-tool
  MAGI_TOOL_PATH=$PWD/over magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -p go </dev/null >out 2>err &
  local pid=$!
  wait_until 10 test -s pid
  kill -INT "$pid"
  local status=0; wait "$pid" || status=$?
  [ "$status" -eq 130 ]
  wait_until 5 bash -c "! kill -0 $(cat pid) 2>/dev/null"
}

@test "--set reaches the tools too" {
  start_fake '{"turns":[{"text":"ok"}]}'
  run --separate-stderr code --set agent.context.reserve_tokens=1500 --set agent.context.max_tokens=2000 -p hi
  [ "$status" -eq 4 ]
  [[ $stderr == *"these alone reach"* ]]
  run --separate-stderr code --set agent.context.max_tokens=x -p hi
  [ "$status" -eq 2 ]
  [ "$(fake_count)" -eq 0 ]
}
