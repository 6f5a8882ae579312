# magi-code sessions: lists, searches, reports, changes, forks and imports; and what other agents did to theirs.

load helper
load fake

setup() {
  common_setup
  mkdir -p "$BATS_TEST_TMPDIR/repo"
  cd "$BATS_TEST_TMPDIR/repo"
  MAGI_SHARED=${MAGI_SHARED:-$MAGI_ROOT/../shared}
}

teardown() { stop_fake; }

code() { magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full "$@" </dev/null; }
# For the background: $! is the process itself.
become_code() { exec magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full "$@" </dev/null; }

session_id() { basename "$(ls -t "$MC_HOME"/sessions/*.jsonl | head -n 1)" .jsonl; }
session_text() { cat "$MC_HOME/sessions/$1.jsonl"; }

# said N: what the Nth request held, in order: prompts (several may stand in one message) and answers.
said() {
  fake_body "$1" '[.messages[] | select(.role != "system") | .content // "" | if type == "array" then .[].text else . end | split("\n\n")[]] | join("|")'
}

# put_session ID EVENT_ID TIME TEXT [TITLE]: a stored session of one prompt, without a sidecar.
put_session() {
  mkdir -p -m 700 "$MC_HOME" "$MC_HOME/sessions"
  local head='"session_id":"'$1'","cwd":"'$PWD'"'
  {
    printf '{"event_type":"user_input","event_id":"%s","timestamp":"%s",%s,"payload":{"turn_id":"t1","text":"%s"}}\n' "$2" "$3" "$head" "$4"
    [ -z "${5-}" ] || printf '{"event_type":"session_title","event_id":"%sf","timestamp":"%s",%s,"payload":{"title":"%s"}}\n' "$2" "$3" "$head" "$5"
  } >"$MC_HOME/sessions/$1.jsonl"
  chmod 600 "$MC_HOME/sessions/$1.jsonl"
}

@test "list: newest first, title before prompt, and as JSON" {
  put_session old 1 2026-11-28T10:00:00.000Z 'fix the parser' 'Parser work'
  put_session new 2 2026-11-29T10:00:00.000Z 'write a test'
  run_tool magi-code sessions list
  assert_output - <<'END'
new  2026-11-29T10:00Z  write a test
old  2026-11-28T10:00Z  Parser work
END
  run jq -rc '[.session_id, .title, .first_prompt, .cwd, .newest] | join(" ")' <(magi-code sessions list --json)
  assert_line --index 1 "old Parser work fix the parser $PWD 2026-11-28T10:00:00.000Z"
}

@test "search: titles, first and later prompts, capitals or not" {
  put_session a 1 2026-11-28T10:00:00.000Z 'nothing here' 'The Lexer'
  put_session b 2 2026-11-29T10:00:00.000Z 'also nothing'
  printf '{"event_type":"user_input","event_id":"9","timestamp":"2026-11-29T10:01:00.000Z","session_id":"b","cwd":"/","payload":{"turn_id":"t2","text":"now look at\\nthe LEXER of \\u00e9t\\u00e9"}}\n' >>"$MC_HOME/sessions/b.jsonl"
  printf '{"event_type":"assistant_output","event_id":"a","timestamp":"2026-11-29T10:02:00.000Z","session_id":"b","cwd":"/","payload":{"turn_id":"t2","text":"tokenizer","status":"completed"}}\n' >>"$MC_HOME/sessions/b.jsonl"
  run_tool magi-code sessions search lexer
  assert_output - <<'END'
b  2026-11-29T10:02Z  also nothing
    now look at the LEXER of été
a  2026-11-28T10:00Z  The Lexer
    The Lexer
END
  run_tool magi-code sessions search 'LEXER of été'
  assert_equal "${#lines[@]}" 2
  run_tool magi-code sessions search tokenizer
  assert_success
  assert_output ''
  run jq -r '.session_id + " " + .match' <(magi-code sessions search --json Nothing)
  assert_line --index 0 'b also nothing'
}

@test "show: everything about a session, and its transcript" {
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"echo out-of-tool"}}]},{"text":"Hello."}]}'
  code -q -p 'what is this about'
  local id; id=$(session_id)
  run_tool magi-code sessions show "$id"
  assert_success
  assert_line "session     $id"
  assert_line 'title       what is this about'
  assert_line "folder      $PWD"
  assert_line --regexp '^usage       2 requests, [0-9]+ tokens in'
  assert_output --partial out-of-tool
  assert_output --partial Hello.
  run jq -rc '[.session_id, .path, .counts.tool_call, (.prompts | map(.text)[0]), .busy, .torn_tail, .usage.requests] | map(tostring) | join(" ")' \
    <(magi-code sessions show --json "$id")
  assert_output "$id $MC_HOME/sessions/$id.jsonl 1 what is this about false false 2"
  run_tool magi-code sessions show nope
  assert_one_error magi-code 1
  run_tool magi-code sessions show ../x
  assert_one_error magi-code 2
}

@test "rename: the title is seen, the order is not changed, and a blank one is refused" {
  put_session old 1 2026-11-28T10:00:00.000Z one
  put_session new 2 2026-11-29T10:00:00.000Z two
  magi-code sessions rename old $'  A\ttitle \n'
  run_tool magi-code sessions list
  assert_line --index 1 'old  2026-11-28T10:00Z  A title'
  run_tool magi-code sessions rename old ' '
  assert_one_error magi-code 2
  run_tool magi-code sessions rename none title
  assert_one_error magi-code 1
}

@test "delete: the session with all that is its own, and nothing else" {
  put_session a 1 2026-11-28T10:00:00.000Z one
  put_session b 2 2026-11-29T10:00:00.000Z two
  magi-code sessions rename a title
  mkdir -p -m 700 "$MC_HOME/sessions/.history" "$MC_HOME/sessions/.history/a"
  (umask 077; echo x >"$MC_HOME/sessions/.history/a/0.jsonl")
  magi-code sessions delete a
  run find "$MC_HOME" -name 'a.*' -o -path '*/a/*' -o -name a
  assert_output ''
  run_tool magi-code sessions list
  assert_output 'b  2026-11-29T10:00Z  two'
  run_tool magi-code sessions delete a b
  assert_one_error magi-code 1
  run_tool magi-code sessions list
  assert_output ''
}

@test "rename and delete of a session that is in use end with status 3 within 2 seconds" {
  start_fake '{"turns":[{"text":"Slow answer here, letter by letter, for as long as it takes.","delay":200,"chunk":1}]}'
  code -q -p hi &
  local first=$!
  wait_for_requests 1
  local id; id=$(session_id)
  run_tool magi-code sessions rename "$id" title
  assert_one_error magi-code 3
  run_tool magi-code sessions delete "$id"
  assert_one_error magi-code 3
  run jq .busy <(magi-code sessions show --json "$id")
  assert_output true
  wait "$first"
  magi-code sessions delete "$id"
}

@test "fork: a copy with its own IDs that goes on by itself" {
  start_fake '{"index":"request","turns":[{"text":"First."},{"text":"Second."},{"text":"Third."}]}'
  code -q -p one
  local source fork before; source=$(session_id); before=$(session_text "$source" | sha256sum)
  fork=$(magi-code sessions fork "$source")
  [ "$fork" != "$source" ]
  code -q --resume "$fork" -p two
  run said 2
  assert_output 'one|First.|two'
  run jq -s 'map(.event_id) | length == (unique | length)' "$MC_HOME/sessions/$source.jsonl" "$MC_HOME/sessions/$fork.jsonl"
  assert_output true
  run jq -r .session_id "$MC_HOME/sessions/$fork.jsonl"
  assert_equal "$(printf '%s\n' "${lines[@]}" | sort -u)" "$fork"
  assert_equal "$(session_text "$source" | sha256sum)" "$before"
  local event; event=$(jq -r 'select(.event_type == "user_input") | .event_id' "$MC_HOME/sessions/$fork.jsonl" | tail -n 1)
  run jq -r '.events' <(magi-code sessions fork --json --before "$event" "$fork")
  [ "$output" -gt 1 ]
}

@test "--fork: --continue and --resume go on in a copy" {
  start_fake '{"index":"request","turns":[{"text":"First."},{"text":"Second."},{"text":"Third."}]}'
  code -q -p one
  local source before; source=$(session_id); before=$(session_text "$source" | sha256sum)
  code -q --continue --fork -p two
  run said 2
  assert_output 'one|First.|two'
  code -q --resume "$source" --fork -p three
  run said 3
  assert_output 'one|First.|three'
  assert_equal "$(session_text "$source" | sha256sum)" "$before"
  assert_equal "$(ls "$MC_HOME"/sessions/*.jsonl | wc -l)" 3
  run_tool code --fork -p four
  assert_one_error magi-code 2
  run_tool code --fork --no-session -p four
  assert_one_error magi-code 2
}

@test "import: what codex, claude and pi have stored becomes a session that goes on" {
  [ -d "$MAGI_SHARED/fixtures/sessions" ] || skip 'no recorded sessions of other programs here'
  start_fake '{"index":"request","turns":[{"text":"Going on."}]}'
  local file id from
  for file in "$MAGI_SHARED"/fixtures/sessions/*.jsonl; do
    run_tool magi-code sessions import --json "$file"
    [ "$status" -eq 0 ] || fail "$file: $stderr"
    from=$(jq -r .from <<<"$output") id=$(jq -r .session_id <<<"$output")
    [[ ${file##*/} == "$from"* ]] || fail "$file was taken for one of $from"
    # The same conversation, whichever way it is read.
    diff <(magi-replay --from "$from" "$file" 2>/dev/null | jq -c 'select(.type | IN("user", "assistant", "tool_call", "tool_result", "summary")) | [.type, .text, .call_id, .output]') \
      <(magi-replay "$id" 2>/dev/null | jq -c 'select(.type | IN("user", "assistant", "tool_call", "tool_result", "summary")) | [.type, .text, .call_id, .output]') || fail "$file"
  done
  id=$(magi-code sessions import "$MAGI_SHARED/fixtures/sessions/codex-2-20-interrupted-turn.jsonl")
  code -q --resume "$id" -p 'go on'
  assert_no_problems
  run_tool magi-code sessions list
  assert_line --index 0 --partial "$id"
}

@test "X1: import refuses our own ZIP, our own sessions and what is none, and leaves nothing" {
  printf 'PK\3\4rest' >export.zip
  run_tool magi-code sessions import export.zip
  assert_one_error magi-code 2
  put_session a 1 2026-11-28T10:00:00.000Z one
  run_tool magi-code sessions import "$MC_HOME/sessions/a.jsonl"
  assert_one_error magi-code 2
  echo '{"x":1}' >other.jsonl
  run_tool magi-code sessions import other.jsonl
  assert_one_error magi-code 2
  run_tool magi-code sessions import missing.jsonl
  assert_one_error magi-code 1
  run_tool magi-code sessions import --from pi other.jsonl
  [ "$status" -ne 0 ]
  assert_equal "$(ls "$MC_HOME/sessions")" a.jsonl
}

# What other agents did to their sessions, and what is right (one test a column of that table).

@test "two resumes at once: the second is refused, and the first loses nothing" {
  start_fake '{"index":"request","turns":[{"text":"One."},{"text":"Slow answer, letter by letter, for a while yet.","delay":100,"chunk":1},{"text":"Three."}]}'
  code -q -p first
  local id; id=$(session_id)
  code -q --resume "$id" -p AAA &
  local holder=$!
  wait_for_requests 2
  run_tool code --resume "$id" -p BBB
  assert_equal "$status" 3
  wait "$holder"
  code -q --resume "$id" -p after
  run said 3
  assert_output 'first|One.|AAA|Slow answer, letter by letter, for a while yet.|after'
}

@test "the last line cut in half: that record alone is lost, and every later resume has the rest" {
  start_fake '{"index":"request","turns":[{"text":"One."},{"text":"Two."},{"text":"Three."},{"text":"Four."}]}'
  code -q -p first
  local id file; id=$(session_id) file=$MC_HOME/sessions/$id.jsonl
  code -q --resume "$id" -p second
  # Up to the middle of the last answer.
  local line; line=$(grep -n '"assistant_output"' "$file" | tail -n 1 | cut -d: -f1)
  head -n "$line" "$file" | head -c -40 >cut; cat cut >"$file"
  run_tool code --resume "$id" -p third
  assert_success
  [[ $stderr == *torn* || $stderr == *unfinished* ]] || fail "the fragment was not reported: $stderr"
  run said 3
  assert_output 'first|One.|second|third'
  run_tool code --resume "$id" -p fourth
  [[ $stderr != *torn* && $stderr != *unfinished* ]] || fail "the fragment was reported twice: $stderr"
  run said 4
  assert_output 'first|One.|second|third|Three.|fourth'
}

@test "kill -9 while a tool runs: the call keeps its place with an interrupted result, and its process is gone" {
  start_fake '{"index":"request","turns":[{"text":"I look.","calls":[{"name":"bash","args":{"command":"sleep 31.7731"}}]},{"text":"Two."}]}'
  become_code -q -p first &
  local agent=$!
  wait_until 10 pgrep -f 'sleep 31.7731'
  kill -9 "$agent"
  wait "$agent" || true
  wait_until 10 no_process_left 'sleep 31.7731'
  code -q --resume "$(session_id)" -p second
  run fake_body 2 '[.messages[] | select(.role == "tool") | .content] | join("|")'
  assert_output --partial interrupted
  run fake_body 2 '[.messages[] | select(.tool_calls) | .tool_calls[].function.name] | join("|")'
  assert_output bash
  assert_no_problems
}

@test "kill -9 while the answer streams: both prompts are kept, and no answer is invented" {
  start_fake '{"index":"request","turns":[{"text":"A slow answer, letter by letter, that is never finished.","delay":100,"chunk":1},{"text":"Two."}]}'
  become_code -q -p first &
  local agent=$!
  wait_for_requests 1
  sleep 0.5
  kill -9 "$agent"
  wait "$agent" || true
  code -q --resume "$(session_id)" -p second
  run said 2
  assert_output 'first|second'
  assert_no_problems
}

needs_mounts() {
  [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip 'needs a mount namespace'
}

@test "SES-17: on a full disk a stored session is not harmed, and nothing is promised" {
  needs_mounts
  mkdir full
  start_fake '{"turns":[{"text":"One."},{"text":"never"}]}'
  run --separate-stderr unshare -m bash -c '
    mount -t tmpfs -o size=1m,mode=0700 none full && export MC_HOME=$PWD/full/home && mkdir -m 700 "$MC_HOME" || exit 99
    go() { magi-code --base-url "$1/v1" -m mock-model "${@:2}" </dev/null; }
    go "$1" -q -p one || exit 98
    session=$(ls "$MC_HOME"/sessions/*.jsonl); before=$(sha256sum <"$session")
    head -c 2000000 /dev/zero >full/fill 2>/dev/null
    go "$1" --continue -p "$(head -c 100000 /dev/zero | tr "\\0" x)"; status=$?
    [ "$before" = "$(sha256sum <"$session")" ] || exit 97
    rm full/fill
    go "$1" -q --continue -p "room again" || exit 96
    exit "$status"' _ "$FAKE_URL"
  assert_equal "$status" 1
  [[ $stderr == *"No space left"* ]] || fail "$stderr"
  [[ $stderr != *"--resume"* ]] || fail "$stderr"
  assert_equal "$(fake_count)" 2
}

@test "SES-19: a lock service that fails or hangs is an error within 10 seconds, and nothing is sent or written" {
  local shim=$MAGI_BIN/../tests/liblock_shim.so mode start
  [ -e "$shim" ] || skip 'no lock_shim here'
  put_session a 1 2026-11-28T10:00:00.000Z one
  start_fake '{"turns":[{"text":"never"}]}'
  for mode in enolck hang; do
    start=$SECONDS
    LD_PRELOAD=$shim LOCK_SHIM=$mode run --separate-stderr code --resume a -p two
    assert_equal "$status" 1
    [[ $stderr == *"locking not available"* ]] || fail "$stderr"
    ((SECONDS - start <= 10))
  done
  assert_equal "$(wc -l <"$MC_HOME/sessions/a.jsonl")" 1
  assert_equal "$(fake_count)" 0
}

@test "a home that cannot be written: sessions are listed and read, a run ends before any request" {
  needs_mounts
  start_fake '{"turns":[{"text":"One."},{"text":"never"}]}'
  code -q -p one
  local id; id=$(session_id)
  run --separate-stderr unshare -m bash -c '
    mount --bind "$MC_HOME" "$MC_HOME" && mount -o remount,ro,bind "$MC_HOME" || exit 99
    magi-code sessions list && magi-code sessions show "$2" && magi-replay "$2" >/dev/null || exit 98
    magi-code --base-url "$1/v1" -m mock-model --continue -p two </dev/null' _ "$FAKE_URL" "$id"
  [ "$status" -eq 1 ]
  [[ $stderr == *"Read-only file system"* ]]
  [[ $stderr != *"--resume"* ]]
  assert_equal "$(fake_count)" 1
}

@test "SES-11: a huge session beside a small one is hardly read" {
  start_fake '{"turns":[{"text":"Hello."}]}'
  put_session small 1 2026-11-29T10:00:00.000Z one
  put_session huge 2 2026-11-28T10:00:00.000Z two
  # A hole is as good as records: nobody may look.
  truncate -s 4G "$MC_HOME/sessions/huge.jsonl"
  strace -f -qq -y -e trace=read,pread64,readv,preadv,mmap -o trace magi-code --base-url "$FAKE_URL/v1" -m mock-model -q --continue -p two </dev/null
  run said 1
  assert_output 'one|two'
  local read; read=$(grep 'huge.jsonl' trace | sed -n 's/.* = \([0-9]*\)$/\1/p' | paste -sd+ | bc)
  [ "${read:-0}" -lt $((4 << 20)) ]
}

@test "20,000 sessions are listed from their sidecars, without opening one" {
  python3 - "$MC_HOME" <<'END'
import json, os, sys
folder = sys.argv[1] + "/sessions"
os.umask(0o077)
os.makedirs(folder)
for i in range(20000):
    name = f"{folder}/20261130-100000-{i:010x}"
    with open(name + ".jsonl", "w") as f:
        f.write("{}\n")
    status = os.stat(name + ".jsonl")
    with open(name + ".meta.json", "w") as f:
        json.dump({"schema": 1, "inode": status.st_ino, "length": status.st_size, "mtime_ns": status.st_mtime_ns,
                   "first_prompt": f"prompt {i}", "cwd": "/p", "newest_visible_ms": 1796032800000 + i, "eligible": True}, f)
END
  strace -f -qq -e trace=openat -o trace magi-code sessions list >list
  assert_equal "$(wc -l <list)" 20000
  run head -n 1 list
  assert_output '20261130-100000-0000004e1f  2026-11-30T10:00Z  prompt 19999'
  run grep -c '\.jsonl"' trace
  assert_output 0
}
