# magi-prune as a process (requirements N1-N4).
load helper
load fake

teardown() { stop_fake; }

setup() {
  common_setup
  sessions=$MC_HOME/sessions
  mkdir -p "$sessions"
  chmod 700 "$MC_HOME" "$sessions"
}

# session ID AGE_DAYS [FOLDER]: one event of that age; the file itself is new.
session() {
  local file=${3-$sessions}/$1.jsonl
  event "$1" "$(date -u -d "$2 days ago" +%FT%T.000Z)" user_input >"$file"
  chmod 600 "$file"
}

# event SESSION TIMESTAMP TYPE
event() {
  printf '{"event_type":"%s","event_id":"1","timestamp":"%s","session_id":"%s","cwd":"/w","payload":{"turn_id":"t","text":"hi"}}\n' "$3" "$2" "$1"
}

# with_company ID: the sidecar and two archives.
with_company() {
  mkdir -p -m 700 "$sessions/.history"
  mkdir -p -m 700 "$sessions/.history/$1"
  touch "$sessions/$1.meta.json" "$sessions/.history/$1/0.jsonl" "$sessions/.history/$1/1.jsonl"
  chmod 600 "$sessions/$1.meta.json" "$sessions/.history/$1"/*
}

# hold ID: takes the session's lease as a writer does, until `let_go`.
hold() {
  mkdir -p -m 700 "$sessions/.locks"
  python3 - "$sessions/.locks/$1.lease" >held <<'PY' &
import fcntl, os, struct, sys, time
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
fcntl.fcntl(fd, 37, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
print("held", flush=True)
time.sleep(60)
PY
  holder=$!
  for _ in {1..100}; do [ -s held ] && return; sleep 0.05; done
  fail "the lease was not taken"
}
let_go() { kill "$holder"; wait "$holder" 2>/dev/null || true; }

field() { jq -c "$1" <<<"$output"; }

@test "N1, N3: what has expired goes with all that is its own, the rest stays" {
  session old 31; with_company old
  session edge 29; with_company edge
  session new 0
  echo '{"schema_version":2}' >"$MC_HOME/settings.json"
  echo '{}' >"$MC_HOME/auth.json"
  run_tool magi-prune
  assert_success
  assert_output "deleted 1, skipped-active 0, failed 0"
  assert_equal "$(cd "$sessions" && find . -type f | sort | xargs)" \
    "./.history/edge/0.jsonl ./.history/edge/1.jsonl ./edge.jsonl ./edge.meta.json ./new.jsonl"
  [ ! -e "$sessions/.history/old" ]
  [ -e "$MC_HOME/auth.json" ] && [ -e "$MC_HOME/settings.json" ]
  run_tool magi-prune 7
  assert_output "deleted 1, skipped-active 0, failed 0"
  assert_equal "$(cd "$sessions" && find . -type f)" ./new.jsonl
}

@test "SEC-15: an argument that is no number of days deletes nothing" {
  session old 100
  local days
  for days in 0 -1 30d 1e9 3.5 99999999999999999999 '' ' 30' +30 0x1e; do
    run_tool magi-prune -- "$days"
    assert_one_error magi-prune 2
  done
  run_tool magi-prune 30 30
  assert_one_error magi-prune 2
  run_tool magi-prune 30 --no-such
  assert_one_error magi-prune 2
  [ -e "$sessions/old.jsonl" ]
}

@test "SEC-16: a session with a live writer is skipped, and goes once it is closed" {
  session open 40; with_company open
  hold open
  run_tool magi-prune 30
  assert_success
  assert_output "deleted 0, skipped-active 1, failed 0"
  run_tool magi-prune 30 --dry-run
  assert_output "would delete 0, skipped-active 1, failed 0"
  [ -e "$sessions/open.meta.json" ]
  let_go
  run_tool magi-prune 30
  assert_output "deleted 1, skipped-active 0, failed 0"
  assert_equal "$(find "$sessions" -type f)" ""
}

@test "SEC-19: age is the latest valid timestamp of any event, else the file's time" {
  session none 0
  event none not-a-time user_input >"$sessions/none.jsonl"
  touch -d '40 days ago' "$sessions/none.jsonl"
  { event far 2020-01-01T00:00:00.000Z user_input; event far 2099-01-01T00:00:00.000Z user_input; event far 2020-01-01T00:00:00.000Z user_input; } >"$sessions/far.jsonl"
  { event local 2020-01-01T00:00:00.000Z user_input; event local "$(date -u +%FT%TZ)" diagnostic; } >"$sessions/local.jsonl"
  { echo garbage; event torn 2020-01-01T00:00:00.000Z user_input; printf '{"event_type":"user_inp'; } >"$sessions/torn.jsonl"
  touch -d '2001-01-01' "$sessions/far.jsonl" "$sessions/local.jsonl"
  chmod 600 "$sessions"/*.jsonl
  run_tool magi-prune --json
  assert_success
  assert_equal "$(field '[.days, .deleted, .kept, .failed]')" '[30,2,2,0]'
  assert_equal "$(cd "$sessions" && ls)" $'far.jsonl\nlocal.jsonl'
}

@test "SEC-19: an event of today in the middle of a long session keeps it" {
  {
    event long 2020-01-01T00:00:00.000Z user_input
    for _ in {1..40}; do printf '{"event_type":"diagnostic","event_id":"2","timestamp":"2020-01-01T00:00:00Z","payload":{"text":"%s"}}\n' "$(head -c 50000 /dev/zero | tr '\0' x)"; done
    event long "$(date -u +%FT%TZ)" diagnostic
    for _ in {1..60}; do printf '{"event_type":"diagnostic","event_id":"2","timestamp":"2020-01-01T00:00:00Z","payload":{"text":"%s"}}\n' "$(head -c 50000 /dev/zero | tr '\0' x)"; done
  } >"$sessions/long.jsonl"
  chmod 600 "$sessions/long.jsonl"
  run_tool magi-prune
  assert_output "deleted 0, skipped-active 0, failed 0"
}

@test "SEC-03: names that are no session IDs are names, never patterns or options" {
  session 'fresh1' 1; session 'fresh2' 2; with_company fresh1
  session '*' 90; session '-rf' 90; session $'new\nline' 90; session '..' 90
  run_tool magi-prune 30 --json
  assert_success
  assert_equal "$(field '[.deleted, .failed, .left_alone]')" '[0,0,{"other_name":4}]'
  [ -e "$sessions/*.jsonl" ] && [ -e "$sessions/-rf.jsonl" ] && [ -e "$sessions/fresh1.meta.json" ]
}

@test "hostile home: nothing is followed, nothing outside is touched, no path is printed" {
  local outside=$BATS_TEST_TMPDIR/outside
  mkdir -p "$outside/h"
  chmod 700 "$outside"
  session victim 90 "$outside"
  ln -s "$outside/victim.jsonl" "$sessions/link.jsonl"
  ln -s /nowhere "$sessions/dangling.jsonl"
  mkdir "$sessions/folder.jsonl"
  mkfifo "$sessions/fifo.jsonl"
  session wide 90; chmod 644 "$sessions/wide.jsonl"
  session plain 90
  mkdir -p -m 700 "$sessions/.history"
  ln -s "$outside/h" "$sessions/.history/plain"
  touch "$outside/h/0.jsonl"
  session other 90
  mkdir -p -m 700 "$sessions/.history/other"
  touch "$sessions/.history/other/0.jsonl" "$sessions/.history/other/notes"
  chmod 600 "$sessions/.history/other/0.jsonl"
  mkdir -p "$sessions/nested"; session deep 90 "$sessions/nested"
  run_tool strace -f -e trace=openat,unlinkat,unlink,rename,mkdirat -o trace magi-prune --json
  assert_failure 1
  assert_equal "$(field '[.deleted, .failed, .failures, .left_alone]')" '[2,0,{"unknown_entry":1,"unsafe":1},{"unsafe":5}]'
  assert_equal "${#stderr_lines[@]}" 1
  [[ $output$stderr != *"$MC_HOME"* && $output$stderr != *plain* ]]
  [ -e "$outside/victim.jsonl" ] && [ -e "$outside/h/0.jsonl" ] && [ -e "$sessions/nested/deep.jsonl" ] && [ -e "$sessions/.history/other/notes" ]
  refute grep -F "$outside" trace
}

@test "N3: a session's ledger goes with it, and the blobs that no other ledger names" {
  local id
  mkdir -p w
  for id in one two; do
    printf '%s\n' shared >w/f; echo "of $id" >w/g
    session "$id" 90
    for file in f g; do
      printf '{"type":"tool_call","call_id":"%s","turn_id":"t","name":"write","arguments":"{\\"path\\":\\"%s\\",\\"content\\":\\"x\\"}"}\n' "$file" "$file"
    done | magi-tool --root w --session "$id" --serve >/dev/null
  done
  assert_equal "$(find "$MC_HOME/checkpoints/blobs" -type f | wc -l)" 3
  touch "$sessions/.keep"
  event two "$(date -u +%FT%TZ)" user_input >"$sessions/two.jsonl"
  run_tool magi-prune --dry-run
  assert_equal "$(find "$MC_HOME/checkpoints/blobs" -type f | wc -l)" 3
  run_tool magi-prune
  assert_success
  assert_output "deleted 1, skipped-active 0, failed 0"
  assert_equal "$(find "$MC_HOME/checkpoints/blobs" -type f | wc -l)" 2
  assert_equal "$(find "$MC_HOME/checkpoints" -maxdepth 1 -name '*.jsonl' -printf '%f')" two.jsonl
  event two 2020-01-01T00:00:00Z user_input >"$sessions/two.jsonl"
  # A damaged ledger still keeps what it names; one that cannot be read keeps everything.
  local named
  named=$(printf 'of two\n' | sha256sum | cut -d' ' -f1)
  printf 'damaged "sha256":"%s"\n{}\n' "$named" >"$MC_HOME/checkpoints/three.jsonl"
  chmod 600 "$MC_HOME/checkpoints/three.jsonl"
  ln -s three.jsonl "$MC_HOME/checkpoints/link.jsonl"
  run_tool magi-prune
  assert_failure 1
  assert_line "deleted 1, skipped-active 0, failed 0"
  assert_line "failures: unsafe 1"
  assert_equal "$(find "$MC_HOME/checkpoints/blobs" -type f | wc -l)" 2
  rm "$MC_HOME/checkpoints/link.jsonl"
  echo '{"sessions":{"retention_days":7}}' >"$MC_HOME/settings.json"
  run_tool magi-prune --background
  assert_success
  assert_equal "$(find "$MC_HOME/checkpoints/blobs" -type f -printf '%f')" "$named"
}

@test "--dry-run changes nothing and counts the same" {
  session old 90; with_company old; session new 1
  local before
  before=$(find "$MC_HOME" -printf '%p %s %T@ %C@\n' | sort)
  run_tool magi-prune --dry-run
  assert_output "would delete 1, skipped-active 0, failed 0"
  assert_equal "$(find "$MC_HOME" -printf '%p %s %T@ %C@\n' | sort)" "$before"
}

@test "N4: --background keeps to the settings, takes child sessions too and is silent" {
  session old 10
  mkdir -p -m 700 "$sessions/subagents"
  session child 10 "$sessions/subagents"
  touch -d '3 days ago' "$sessions/.tmp.left"; touch "$sessions/.tmp.fresh"
  run_tool magi-prune --background
  assert_success
  assert_output ""
  [ -e "$sessions/old.jsonl" ]
  echo '{"sessions":{"retention_days":7}}' >"$MC_HOME/settings.json"
  run_tool env -i MC_HOME="$MC_HOME" "$MAGI_BIN/magi-prune" --background </dev/null
  assert_success
  assert_output ""
  assert_equal "$stderr" ""
  assert_equal "$(cd "$sessions" && find . -type f)" ./.tmp.fresh
}

@test "N4: --background ends deletions that were cut short, and leaves what is younger or in use" {
  local id
  session new 0; with_company new
  mkdir -p -m 700 "$sessions/.locks" "$MC_HOME/checkpoints"
  for id in gone young held; do
    with_company "$id"
    touch "$sessions/.locks/$id.mutation" "$sessions/$id.review.json" "$MC_HOME/checkpoints/$id.jsonl"
  done
  echo keep >"$sessions/notes.meta.txt"
  find "$MC_HOME" -type f -exec chmod 600 {} +
  find "$MC_HOME" -name '*gone*' -o -name '*held*' | xargs touch -d '40 days ago'
  touch -d '40 days ago' "$sessions/.history/gone" "$sessions/.history/held" "$sessions/notes.meta.txt"
  hold held
  echo '{"sessions":{"retention_days":30}}' >"$MC_HOME/settings.json"
  run_tool magi-prune --background
  let_go
  assert_success
  assert_equal "$(find "$MC_HOME" -name '*gone*')" ""
  assert_equal "$(find "$sessions" "$MC_HOME/checkpoints" -name '*young*' -o -name '*held*' | wc -l)" 11
  [ -e "$sessions/.history/new/0.jsonl" ] && [ -e "$sessions/notes.meta.txt" ]
}

@test "hostile home: sessions that are swapped for links while they are pruned" {
  local outside=$BATS_TEST_TMPDIR/outside i
  mkdir -m 700 "$outside" fresh
  session victim 90 "$outside"; touch "$outside/0.jsonl"; chmod 600 "$outside/0.jsonl"
  before=$(find "$outside" -printf '%p %s %T@ %i\n' | sort)
  python3 - "$sessions" "$outside" <<'PY' &
import os, sys
sessions, outside = sys.argv[1:]
while True:
    for i in range(40):
        for name, target in ((f"{sessions}/s{i}.jsonl", f"{outside}/victim.jsonl"), (f"{sessions}/.history/s{i}", outside)):
            try: os.symlink(target, f"{sessions}/swap"); os.rename(f"{sessions}/swap", name)
            except OSError:
                try: os.unlink(f"{sessions}/swap")
                except OSError: pass
PY
  swapper=$!
  for i in {1..8}; do
    for j in {0..39}; do session "s$j" 90 fresh; mv -T "fresh/s$j.jsonl" "$sessions/s$j.jsonl"; rm -f "$sessions/.history/s$j"; done
    run_tool magi-prune --json
    [[ $status == [01] && $output$stderr != *"$outside"* ]]
  done
  kill "$swapper"; wait "$swapper" || true
  assert_equal "$(find "$outside" -printf '%p %s %T@ %i\n' | sort)" "$before"
}

@test "a home that is not there has nothing to prune; an unusable one is said" {
  rm -rf "$MC_HOME"
  run_tool magi-prune
  assert_success
  assert_output "deleted 0, skipped-active 0, failed 0"
  [ ! -e "$MC_HOME" ]
  mkdir -p "$MC_HOME/sessions"
  chmod 777 "$MC_HOME/sessions"
  run_tool magi-prune
  assert_one_error magi-prune 1
}

@test "N4: magi-code starts the clean-up where the settings ask for it, and does not wait" {
  session old 10
  start_fake '{"turns":[{"text":"Hello."}]}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --no-session -p hi </dev/null >/dev/null 2>&1
  [ -e "$sessions/old.jsonl" ]
  echo '{"sessions":{"retention_days":7}}' >"$MC_HOME/settings.json"
  mkdir slow
  printf '#!/bin/sh\nsleep 1\nexec "%s/magi-prune" "$@"\n' "$MAGI_BIN" >slow/magi-prune
  chmod +x slow/magi-prune
  MAGI_TOOL_PATH=$PWD/slow magi-code --base-url "$FAKE_URL/v1" -m mock-model --no-session -p hi </dev/null >out 2>/dev/null
  assert_equal "$(cat out)" "Hello."
  local i
  for i in {1..100}; do [ -e "$sessions/old.jsonl" ] || break; sleep 0.05; done
  [ ! -e "$sessions/old.jsonl" ]
}
