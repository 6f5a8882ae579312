# #diff-changes (requirements L5, R14): what a person has written on lines of the working tree's changes, sent once.

load helper
load fake

setup() {
  common_setup
  mkdir -p "$BATS_TEST_TMPDIR/repo"
  cd "$BATS_TEST_TMPDIR/repo" || return 1
  printf 'alpha\nbeta\ngamma\n' >a.txt
}

teardown() { stop_fake; }

code() { magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full "$@" </dev/null; }

session_file() { ls "$MC_HOME"/sessions/*.jsonl; }
session_id() { basename "$(session_file)" .jsonl; }

# comment TEXT LINE QUOTED [RESOLVED]: one comment on a.txt, as the only one.
comment() {
  local file
  file=$MC_HOME/sessions/$(session_id).review.json
  jq -n --arg root "$PWD" --arg text "$1" --argjson line "$2" --arg quoted "$3" --arg resolved "${4-}" '{schema: 1, comments: [
    {id: "c1", anchor: {root: $root, path: "a.txt", side: "new", line: $line, quoted: $quoted}, text: $text,
     created_at: "2026-12-01T00:00:00.000Z", resolved_at: $resolved}]}' >"$file.new"
  chmod 600 "$file.new"
  mv "$file.new" "$file"
}

inputs() { jq -c 'select(.event_type == "user_input") | .payload | [.text, .expanded_text]' "$(session_file)"; }
# What the Nth request says as the user, whole.
said() { fake_body "$1" '[.messages[] | select(.role == "user") | .content | if type == "string" then . else (map(.text // "") | join("")) end] | join("|")'; }

@test "L5: #diff-changes sends file, line, quoted line and comment, and the prompt is stored with it" {
  start_fake '{"turns":[{"text":"Hello."},{"text":"Mended."}]}'
  code -p hi
  comment 'say it in words' 2 beta
  printf 'new\nalpha\nbeta\ngamma\n' >a.txt
  code --continue -p 'mend #diff-changes now'
  [[ $(said 2) == *'mend #diff-changes now'* ]]
  [[ $(said 2) == *'1. a.txt:3'*'> beta'*'say it in words'* ]]
  [[ $(said 2) != *gamma* ]]
  run inputs
  assert_line --index 0 '["hi",null]'
  [[ ${lines[1]} == '["mend #diff-changes now","mend #diff-changes now'*'say it in words'* ]]
  assert_no_problems
}

@test "R14: a comment that is resolved later rewrites no earlier message" {
  start_fake '{"turns":[{"text":"Hello."},{"text":"Mended."},{"text":"Bye."}]}'
  code -p hi
  comment 'say it in words' 2 beta
  code --continue -p '#diff-changes'
  comment 'say it in words' 2 beta 2026-12-01T01:00:00.000Z
  rm a.txt
  run --separate-stderr code --continue -p 'and #diff-changes'
  [ "$status" -eq 0 ]
  [[ $stderr == *'#diff-changes: this session has no unresolved review comments'* ]]
  [[ $(said 3) == *'say it in words'*'|and #diff-changes' ]]
  run inputs
  [[ ${lines[1]} == *'say it in words'* ]]
  assert_line --index 2 '["and #diff-changes",null]'
}

@test "L5: a lost place and comments that cannot be read are told, and the prompt goes out" {
  start_fake '{"turns":[{"text":"Hello."},{"text":"One."},{"text":"Two."},{"text":"Three."}]}'
  code -p hi
  comment why 2 'not there'
  run --separate-stderr code --continue -p '#diff-changes'
  [[ $stderr == *'the place of a comment is lost: a.txt (was line 2; the line is gone)'* ]]
  [[ $(said 2) == *'a.txt (was line 2; the line is gone)'*'> not there'*why* ]]
  echo '{' >"$MC_HOME/sessions/$(session_id).review.json"
  run --separate-stderr code --continue -p '#diff-changes'
  [ "$status" -eq 0 ]
  [[ $stderr == *'#diff-changes: cannot read the review comments'* ]]
  run --separate-stderr code --no-session -p '#diff-changes'
  [[ $stderr == *'no session is kept'* ]]
  assert_equal "$(said 4)" '#diff-changes'
}

@test "L5: steering is expanded when it is consumed, and what tools print never is" {
  start_fake '{"turns":[{"text":"Hello."},{"calls":[{"name":"bash","args":{"command":"echo \"#diff-changes\"; for i in $(seq 200); do [ -e go ] && break; sleep 0.05; done"}}]},{"text":"Done."}]}'
  code -p hi
  comment 'say it in words' 2 beta
  mkfifo in
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full --json --control --continue <in >out 2>err &
  local pid=$!
  exec 7>in
  echo '{"type":"prompt","id":"p1","text":"begin"}' >&7
  wait_for_requests 2
  echo '{"type":"steer","id":"s1","text":"#diff-changes taken back"}' >&7
  echo '{"type":"steer","id":"s2","text":"#diff-changes"}' >&7
  echo '{"type":"recall","id":"s1"}' >&7
  wait_until 10 grep -q '"recall"' out
  : >go
  exec 7>&-
  wait "$pid"
  run jq -rc 'select(.type == "accepted" and .action == "recall") | .text' out
  assert_output '#diff-changes taken back'
  run inputs
  assert_line --index 1 '["begin",null]'
  [[ ${lines[2]} == '["#diff-changes","#diff-changes'*'say it in words'* ]]
  run jq -r 'select(.event_type == "tool_result") | .payload.output' "$(session_file)"
  [[ $output != *'say it in words'* ]]
  assert_no_problems
}

@test "L5: no shell, no scan of the working tree: the commented file alone is opened" {
  command -v strace >/dev/null || skip "strace is not there"
  start_fake '{"turns":[{"text":"Hello."},{"text":"Mended."}]}'
  code -p hi
  comment 'say it in words' 2 beta
  mkdir sub
  echo other >other.txt
  echo other >sub/other.txt
  strace -qq -e trace=openat,execve,getdents64 -e signal=none -y -o trace \
    magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -q --no-tools --continue -p '#diff-changes' </dev/null
  grep -q "$PWD/a.txt" trace
  run grep -E "other.txt|getdents64\([0-9]+<$PWD[/>]|/bin/(ba)?sh" trace
  assert_failure
}
