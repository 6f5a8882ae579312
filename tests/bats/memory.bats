# What magi-code keeps of a session in memory (R11, R12), and what it does when the session is not what it left.
load helper
load fake

setup() {
  common_setup
  mkdir -p "$BATS_TEST_TMPDIR/repo"
  cd "$BATS_TEST_TMPDIR/repo"
}

teardown() { stop_fake; }

code() { magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full --verify "$@" </dev/null; }

session_file() { ls "$MC_HOME"/sessions/*.jsonl; }

# call COMMAND: a turn of the script that runs it; $S in it is the session's file.
call() { jq -nc --arg c "S=\$(ls $MC_HOME/sessions/*.jsonl); $1" '{calls: [{name: "bash", args: {command: $c}}]}'; }

# script TURN...: these turns, then "done".
script() { printf '%s\n' "$@" | jq -sc '{turns: (. + [{text: "done"}])}'; }

# told N: what the user's messages of the Nth request say.
told() { fake_body "$1" '[.messages[] | select(.role == "user") | .content | if type == "array" then .[].text else . end] | join(" ")'; }

# seen N TEXT: how often they say TEXT.
seen() { told "$1" | grep -o -- "$2" | wc -l; }

@test "memory equals a fresh replay at each request of a long run" {
  local long='head -c 30000 /dev/zero | tr "\0" x'
  start_fake "$(script "$(call "$long")" "$(call 'echo one; exit 3')" '{"text":"first answer"}' "$(call "$long")")"
  run --separate-stderr code -p 'tell me'
  assert_success
  run --separate-stderr code --continue -p 'go on'
  assert_success
  run --separate-stderr code --continue -p 'and on'
  assert_success
  refute_output --partial differs
  assert_no_problems
}

@test "R11: a session replaced by another file is read again" {
  start_fake "$(script "$(call 'sed s/apples/oranges/ $S > $S.new; chmod 600 $S.new; mv $S.new $S; touch -d "2020-01-01" $S')")"
  run --separate-stderr code -p 'I like apples.'
  assert_success
  [[ $stderr == *"changed by another program"* ]]
  assert_equal "$(seen 1 apples)" 1
  assert_equal "$(seen 2 oranges)" 1
  assert_equal "$(told 2)" 'I like oranges.'
  # The result was appended to the file that stands there now.
  assert_equal "$(magi-replay "$(session_file)" | jq -c 'select(.type == "tool_result") | .status')" '"success"'
}

@test "R11: equal size and times prove nothing" {
  start_fake "$(script "$(call 'touch -r $S ref; at=$(grep -ob "text.:.I like apples" $S | head -n1 | cut -d: -f1); printf plumss | dd of=$S bs=1 seek=$((at + 14)) conv=notrunc 2>/dev/null; touch -r ref $S')")"
  run --separate-stderr code -p 'I like apples.'
  assert_success
  [[ $stderr == *"changed by another program"* ]]
  assert_equal "$(seen 2 plumss)" 1
}

@test "R11: records that someone else appended are read" {
  local event='{"event_type":"user_input","event_id":"ff","timestamp":"2026-11-30T10:00:00.000Z","session_id":"x","cwd":"/","payload":{"turn_id":"tx","text":"from elsewhere"}}'
  start_fake "$(script "$(call "printf '%s\\n' '$event' >> \$S")")"
  run --separate-stderr code -p 'hello'
  assert_success
  assert_equal "$(seen 2 'from elsewhere')" 1
}

@test "R11: a file that was only touched costs one reading and no word" {
  start_fake "$(script "$(call 'touch $S; chmod 600 $S')")"
  run --separate-stderr code -p 'hello'
  assert_success
  [[ $stderr != *"changed by another program"* ]]
}

@test "R11: a checkpoint that took the file's place while the lease was held is what is sent" {
  local checkpoint
  checkpoint='{"event_type":"compaction","event_id":"fe","timestamp":"2026-11-30T10:00:00.000Z","session_id":"x","cwd":"/","payload":{"summary":"what was before","generation":1,"archive":{"path":".history/x/0.jsonl","bytes":1,"sha256":"'$(printf '0%.0s' {1..64})'"}}}'
  # Which turn answers is not read off a history that is gone.
  start_fake "$(script "$(call "tail -n 1 \$S > last; { printf '%s\\n' '$checkpoint'; cat last; } > \$S.new; chmod 600 \$S.new; mv \$S.new \$S")" | jq -c '.index = "request"')"
  run --separate-stderr code -p 'a long story'
  assert_success
  assert_equal "$(seen 2 'a long story')" 0
  assert_equal "$(seen 2 'what was before')" 1
}

@test "R11: a session that is gone ends the run, and nothing is sent" {
  start_fake "$(script "$(call 'mv $S gone')")"
  run --separate-stderr code -p 'hello'
  assert_failure
  assert_equal "$(fake_count)" 1
}

@test "R11: without --verify the file is not read again while it stays as it was" {
  start_fake "$(script "$(call 'echo one')" "$(call 'echo two')")"
  run strace -f -e trace=execve -o trace magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -p hi </dev/null
  assert_success
  assert_equal "$(grep -c 'magi-replay' trace)" 0
}

@test "R12: no snapshot of a conversation is read or written, and old ones stay as they are" {
  mkdir -p -m 700 "$MC_HOME" "$MC_HOME/cache" "$MC_HOME/cache/conversations"
  echo '{"snapshot":1}' >"$MC_HOME/cache/conversations/s1.json"
  touch -d 2020-01-01 "$MC_HOME/cache/conversations/s1.json"
  local before
  before=$(stat -c '%i %Y %Z %s' "$MC_HOME/cache/conversations/s1.json")
  start_fake "$(script "$(call 'echo one')" '{"text":"first"}')"
  local args=(--base-url "$FAKE_URL/v1" -m mock-model --permissions full)
  run strace -f -e trace=file -o trace1 magi-code "${args[@]}" -p hi </dev/null
  assert_success
  run strace -f -e trace=file -o trace2 magi-code "${args[@]}" --continue -p again </dev/null
  assert_success
  magi-replay "$(session_file)" >/dev/null
  assert_equal "$(stat -c '%i %Y %Z %s' "$MC_HOME/cache/conversations/s1.json")" "$before"
  run grep -hE 'conversations|snapshot' trace1 trace2
  assert_output ""
  # What is opened for writing below the home: the session, its sidecar, locks, the counter of IDs, the schema.
  run bash -c "grep -hE '\"$MC_HOME|AT_FDCWD' trace1 trace2 | grep -E 'O_(WRONLY|RDWR)' | grep -F '$MC_HOME' | grep -vE 'sessions|schema|observed|state' "
  assert_output ""
  assert_equal "$(find "$MC_HOME" -type f -newer trace1 | grep -vE '/sessions/|/state/' | wc -l)" 0
}

@test "a torn tail is reported once, not at each replay" {
  start_fake '{"index":"request","turns":[{"text":"one"},{"text":"two"},{"text":"three"},{"text":"four"}]}'
  code -q -p first
  printf '{"event_type":"assistant_output","event_id":"fff","payl' >>"$(session_file)"
  run --separate-stderr code --continue -p second
  assert_success
  [[ $stderr == *"torn tail"* ]]
  run --separate-stderr code --continue -p third
  assert_success
  [[ $stderr != *torn* && $stderr != *"bad line"* ]]
  run_tool magi-replay "$(session_file)"
  assert_equal "$stderr" ""
  assert_equal "$(jq -c 'select(.type == "end") | .read | [.skipped_lines, .torn_tail]' <<<"$output")" '[1,false]'
  assert_equal "$(jq -r 'select(.type == "user") | .text' <<<"$output" | tr '\n' ' ')" 'first second third '
  # A line that was damaged otherwise is named each time.
  sed -i '2s/.$//' "$(session_file)"
  run_tool magi-replay "$(session_file)"
  [[ $stderr == *"skipped bad lines: line 2 ("* ]]
}

# What happens to sessions of other agents is in brackets.

@test "killed while a command runs, then resumed: the call is kept, answered as interrupted, and not run again [dropped]" {
  start_fake "$(script "$(call 'echo ran >> runs; echo $$ > pid; sleep 60')" '{"text":"I see."}')"
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -p 'go' </dev/null >out 2>err 3>&- &
  local pid=$!
  wait_until 10 test -s pid
  kill -KILL "$pid"
  wait "$pid" || true
  run --separate-stderr code --continue -p 'what happened?'
  assert_success
  assert_no_problems
  [[ $(fake_body 2 '[.messages[] | select(.role == "tool")][0].content | if type == "array" then .[0].text else . end') == "[interrupted: "* ]]
  assert_equal "$(seen 2 'what happened?')" 1
  assert_equal "$(cat runs)" ran
  wait_until 5 bash -c "! kill -0 $(cat pid) 2>/dev/null"
}

@test "killed while the answer streams, then resumed: both prompts are kept and nothing is made up [an invented answer]" {
  start_fake '{"index":"request","turns":[{"text":"One two three four five six seven.","chunk":4,"delay":300},{"text":"Here."}]}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model -p 'count' </dev/null >out 2>err 3>&- &
  local pid=$!
  wait_until 10 test -s out
  kill -KILL "$pid"
  wait "$pid" || true
  run --separate-stderr code --continue -p 'are you there?'
  assert_success
  assert_equal "$output" "Here."
  assert_no_problems
  assert_equal "$(echo $(told 2))" 'count are you there?'
  assert_equal "$(fake_body 2 '[.messages[] | select(.role == "assistant")] | length')" 0
}

@test "the last line cut in half, then resumed twice: that record alone is lost [the whole history, at the next resume]" {
  start_fake '{"index":"request","turns":[{"text":"first answer"},{"text":"second answer"},{"text":"third answer"},{"text":"fourth answer"}]}'
  code -q -p first
  code -q --continue -p second
  local file size
  file=$(session_file)
  # Cut the newest answer's own record, and what stands behind it.
  size=$(grep -ob '"assistant_output"' "$file" | tail -n 1 | cut -d: -f1)
  truncate -s $((size + 100)) "$file"
  code -q --continue -p third
  code -q --continue -p fourth
  assert_no_problems
  assert_equal "$(echo $(told 4))" 'first second third fourth'
  assert_equal "$(fake_body 4 '[.messages[] | select(.role == "assistant") | .content | if type == "array" then .[].text else . end] | join("|")')" \
    'first answer|third answer'
}
