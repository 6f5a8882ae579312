# The interface on a real terminal: first frame, turns, steering, interruption, approvals, sessions.

load ../bats/helper
load ../bats/fake
load terminal

setup() {
  common_setup
  mkdir -p "$BATS_TEST_TMPDIR/repo"
  cd "$BATS_TEST_TMPDIR/repo"
}

teardown() {
  close_terminal
  stop_fake
}

session_file() { ls "$MC_HOME"/sessions/*.jsonl; }
idle() { hides 'working' && hides 'opening'; }
await_idle() { wait_until 15 idle; }

@test "the first frame has a prompt, and typing works before anything else is there" {
  # No tool is found, so nothing but the interface itself can come up.
  mkdir "$BATS_TEST_TMPDIR/tools"
  FAKE_URL=http://127.0.0.1:9
  cp "$(command -v magi-code)" "$BATS_TEST_TMPDIR/tools/"
  MAGI_TOOL_PATH=$BATS_TEST_TMPDIR/none PATH=/usr/bin:/bin open_terminal 80 24 "$BATS_TEST_TMPDIR/tools/$(mission)"
  see 'F1 help'
  type_text 'hello there'
  see 'hello there'
  see 'no session'
  keys C-c
  gone 'hello there'
  keys C-d
  left_clean
}

@test "a turn with tools is shown as it runs, and ends with a hint" {
  start_fake '{"turns":[{"text":"I will look.","calls":[{"name":"bash","args":{"command":"echo from-the-tool"}}]},
    {"text":"# Done\n\nThe tool said **from-the-tool**, and `code` stays.\n\n- one\n- two"}]}'
  open_terminal 100 30 "$(mission --permissions full)"
  see 'F1 help'
  say 'please look'
  see 'from-the-tool'
  see 'The tool said from-the-tool'
  screen >"$BATS_TEST_TMPDIR/screen"
  grep -q 'please look' "$BATS_TEST_TMPDIR/screen"
  grep -q 'I will look' "$BATS_TEST_TMPDIR/screen"
  grep -q 'bash' "$BATS_TEST_TMPDIR/screen"
  # Markdown is rendered: no marks are left of the heading and of the bold words.
  run ! grep -qF '**' "$BATS_TEST_TMPDIR/screen"
  see 'Current Ctx'
  see 'Compact'
  await_idle
  say '/quit'
  left_clean
  see 'to go on: magi-code'
  [ "$(cat "$BATS_TEST_TMPDIR/status")" -eq 0 ]
  assert_no_problems
}

@test "input during a turn is steering: shown, taken back with Alt-C, delivered in order" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"while [ ! -e go ]; do sleep 0.05; done"}}]},{"text":"All done."}]}'
  open_terminal 100 30 "$(mission --permissions full)"
  see 'F1 help'
  say 'work'
  wait_for_requests 1
  see 'bash'
  say 'first remark'
  say 'second remark'
  say 'third remark'
  see 'third remark'
  see 'Alt-C'
  keys M-c
  # It stands in the editor again.
  see '❯ third remark'
  keys C-c
  gone 'third remark'
  touch go
  see 'All done.'
  [[ $(fake_body 2 '[.messages[] | select(.role == "user") | .content | tostring] | join("|")') == *'first remark'*'second remark'* ]]
  [[ $(fake_body 2 '.messages | tostring') != *'third remark'* ]]
}

@test "TUI-09: Escape closes what is open first, and only then stops the turn" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"sleep 60"}}]},{"text":"never"}]}'
  open_terminal 100 30 "$(mission --permissions full)"
  see 'F1 help'
  say 'work'
  wait_for_requests 1
  see 'sleep 60'
  keys F1
  see '/compact'
  keys Escape
  gone '/compact'
  see 'working'
  keys Escape
  gone 'working'
  see 'interrupted'
  [ "$(fake_count)" -eq 1 ]
  [ "$(jq -r 'select(.event_type == "turn_status").payload.status' "$(session_file)")" = cancelled ]
}

@test "Ctrl-C clears the prompt, then stops the turn, and twice leaves" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"sleep 60"}}]},{"text":"never"}]}'
  open_terminal 100 30 "$(mission --permissions full)"
  see 'F1 help'
  say 'work'
  wait_for_requests 1
  see 'sleep 60'
  type_text 'half a thought'
  see 'half a thought'
  keys C-c
  gone 'half a thought'
  see 'working'
  # This one stops the turn, and the next one leaves.
  keys C-c
  gone 'working'
  keys C-c
  left_clean
}

@test "an approval shows what would run; it is allowed, or refused with a reason that the model reads" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"echo yes > allowed"}}]},
    {"calls":[{"name":"bash","args":{"command":"echo no > refused"}}]},{"text":"All done."}]}'
  open_terminal 100 30 "$(mission --permissions ask)"
  see 'F1 help'
  say 'try it'
  see 'echo yes > allowed'
  see 'allow once'
  sleep 0.5
  keys y
  see 'echo no > refused'
  see 'allow once'
  sleep 0.5
  keys n
  say 'not in this folder'
  see 'All done.'
  [ -e allowed ]
  [ ! -e refused ]
}

@test "commands: help lists them, an unknown one never reaches the model, a path does" {
  start_fake '{"turns":[{"text":"A path, then."}]}'
  open_terminal 100 40 "$(mission)"
  see 'Current Ctx'
  say '/hlep'
  see 'no command /hlep'
  keys C-c
  say '/help'
  see '/compact'
  keys Escape
  gone '/compact'
  say '/usr/bin is full'
  see 'A path, then.'
  [ "$(fake_count)" -eq 1 ]
  [[ $(fake_body 1 '.messages[-1].content | tostring') == *'/usr/bin is full'* ]]
}

@test "!command runs here, is shown, and is not for the model" {
  start_fake '{"turns":[{"text":"Fine."}]}'
  open_terminal 100 30 "$(mission)"
  see 'Current Ctx'
  say '!echo local-$((40 + 2))'
  see 'local-42'
  say 'hello'
  see 'Fine.'
  [[ $(fake_body 1 '.messages | tostring') != *'local-42'* ]]
}

@test "a session is reopened as it was, and /new begins another one" {
  start_fake '{"index":"request","turns":[{"text":"The first answer."},{"text":"The second answer."},{"text":"A new one."}]}'
  open_terminal 100 30 "$(mission)"
  see 'Current Ctx'
  say 'first question'
  see 'The first answer.'
  await_idle
  keys C-d
  left_clean
  close_terminal
  rm "$BATS_TEST_TMPDIR/stty.after"
  open_terminal 100 30 "$(mission --continue)"
  see 'The first answer.'
  shows 'first question'
  say 'second question'
  see 'The second answer.'
  await_idle
  say '/new'
  gone 'The second answer.'
  see 'Current Ctx'
  say 'third question'
  see 'A new one.'
  [ "$(find "$MC_HOME/sessions" -maxdepth 1 -name '*.jsonl' | wc -l)" -eq 2 ]
  [[ $(fake_body 3 '.messages | tostring') != *'first question'* ]]
}

@test "V1: a compaction by hand is one card, without any continuation" {
  start_fake '{"strict":true,"no_tools":{"text":"SUMMARY: a greeting."},"turns":[],"after":{"text":"Hello to you, and welcome to this long conversation."}}'
  open_terminal 100 40 "$(mission)"
  see 'Current Ctx'
  say 'hi, this is the beginning of a conversation'
  see 'welcome to this long'
  await_idle
  say '/compact keep greetings'
  see 'SUMMARY: a greeting.'
  # CMP-13
  [ "$(fake_count)" -eq 2 ]
  [[ $(fake_body 2 '.messages[-1].content | tostring') == *'keep greetings'* ]]
  [ "$(jq -r .event_type "$(session_file)")" = compaction ]
}

@test "without a key the interface opens all the same and says what helps" {
  open_terminal 100 30 "magi-code --provider openai"
  see '/login'
  see 'no session'
  say 'hello'
  see '❯ hello'
  keys C-c
  say '/quit'
  left_clean
}

@test "a prompt history is kept for the next time, the user's alone" {
  start_fake '{"turns":[],"after":{"text":"ok"}}'
  open_terminal 100 30 "$(mission)"
  see 'Current Ctx'
  say 'remember this prompt'
  see 'ok'
  await_idle
  keys C-d
  left_clean
  close_terminal
  rm "$BATS_TEST_TMPDIR/stty.after"
  [ "$(stat -c %a "$MC_HOME/state/prompt-history.jsonl")" = 600 ]
  open_terminal 100 30 "$(mission)"
  see 'Current Ctx'
  keys Up
  see '❯ remember this prompt'
}

@test "F1, F2: /changes lists what tools changed, and /rewind goes back to before a prompt, which stands in the editor" {
  echo one >a.txt
  start_fake '{"index":"request","turns":[{"calls":[{"name":"write","args":{"path":"a.txt","content":"two"}}]},{"text":"Written."},{"text":"Another answer."}]}'
  open_terminal 100 40 "$(mission --permissions full)"
  see 'Current Ctx'
  say 'write it'
  see 'Written.'
  await_idle
  say '/changes'
  see 'a.txt'
  see 'modified'
  keys Escape
  gone 'modified'
  say '/rewind'
  see 'write it'
  keys Enter
  see 'Conversation'
  keys Escape Escape
}

@test "V3, N1: /export and /prune-sessions work while idle, and are refused while a turn runs" {
  start_fake '{"index":"request","turns":[{"text":"An answer."},{"calls":[{"name":"bash","args":{"command":"sleep 60"}}]},{"text":"never"}]}'
  open_terminal 100 40 "$(mission --permissions full)"
  see 'Current Ctx'
  say 'hello'
  see 'An answer.'
  await_idle
  say '/export'
  see 'exported'
  [ "$(find "$MC_HOME/exports" -name '*.zip' | wc -l)" -eq 1 ]
  say '/prune-sessions 0'
  see 'nothing was deleted'
  say '/prune-sessions 10'
  see 'pruned'
  say 'work'
  see 'sleep 60'
  say '/export'
  see 'has to wait'
  [ "$(find "$MC_HOME/exports" -name '*.zip' | wc -l)" -eq 1 ]
}
