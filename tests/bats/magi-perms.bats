# magi-perms as a process (requirement M1).
load helper

setup() {
  common_setup
  sessions=$MC_HOME/sessions
  mkdir -p "$sessions/.history/a" "$sessions/.locks" "$sessions/subagents" "$MC_HOME/checkpoints/blobs" "$MC_HOME/checkpoints/.locks"
  touch "$sessions/a.jsonl" "$sessions/a.meta.json" "$sessions/a.review.json" "$sessions/.history/a/0.jsonl" "$sessions/.locks/a.lease" \
    "$sessions/.locks/a.mutation" "$sessions/.locks/event-ids" "$sessions/event-id-sequence" "$sessions/subagents/c.jsonl" \
    "$MC_HOME/checkpoints/a.jsonl" "$MC_HOME/checkpoints/.locks/ledgers" \
    "$MC_HOME/checkpoints/blobs/$(printf '' | sha256sum | cut -d' ' -f1)" "$MC_HOME/settings.json"
  find "$MC_HOME" -type d -exec chmod 700 {} +
  find "$MC_HOME" -type f -exec chmod 600 {} +
}

modes() { find "$MC_HOME" -mindepth 1 -printf '%m %P\n' | sort; }

@test "a private home has nothing to repair" {
  run_tool magi-perms --dry-run
  assert_success
  assert_output "0 to repair, 0 to look at, of 20"
  run_tool magi-perms --yes
  assert_success
}

@test "SEC-18: what others can use is listed, then repaired" {
  chmod 755 "$sessions" "$sessions/.history/a"
  chmod 644 "$sessions/a.jsonl"; chmod 666 "$sessions/.locks/a.lease"; chmod 640 "$MC_HOME/checkpoints/a.jsonl"
  chmod 644 "$MC_HOME/settings.json"; chmod 400 "$sessions/a.meta.json"
  local before
  before=$(modes)
  run_tool magi-perms --dry-run
  assert_success
  assert_line "0644  0600  sessions/a.jsonl"
  assert_line "0755  0700  sessions/"
  assert_line "0755  0700  sessions/.history/a/"
  assert_line "5 to repair, 0 to look at, of 20"
  assert_equal "$(modes)" "$before"
  run_tool magi-perms --yes
  assert_success
  assert_line "repaired 5"
  assert_equal "$(find "$sessions" "$MC_HOME/checkpoints" -perm /077)" ""
  assert_equal "$(stat -c %a "$MC_HOME/settings.json" "$sessions/a.meta.json" | xargs)" "644 400"
}

@test "SEC-18: unknown and unsafe entries are named, and nothing is repaired beside them" {
  chmod 644 "$sessions/a.jsonl"
  echo mine >"$sessions/notes.txt"
  ln -s /etc/passwd "$sessions/link.jsonl"
  mkfifo "$sessions/pipe.jsonl"
  mkdir "$sessions/folder.jsonl" "$sessions/unknown"
  ln "$sessions/a.jsonl" "$BATS_TEST_TMPDIR/other-name"
  touch "$sessions/subagents/"$'x\n\e[2J.jsonl' "$sessions/.history/a/notes"
  if ((EUID == 0)); then touch "$sessions/theirs.jsonl"; chown 12345 "$sessions/theirs.jsonl"; fi
  local before
  before=$(modes)
  run_tool magi-perms --dry-run
  assert_success
  assert_line "look at sessions/notes.txt: not a name that belongs here"
  assert_line "look at sessions/link.jsonl: a link"
  assert_line "look at sessions/pipe.jsonl: not a regular file"
  assert_line "look at sessions/folder.jsonl: not a regular file"
  assert_line "look at sessions/unknown: not a name that belongs here"
  assert_line "look at sessions/a.jsonl: has another name (hard link)"
  assert_line "look at sessions/.history/a/notes: not a name that belongs here"
  ((EUID != 0)) || assert_line "look at sessions/theirs.jsonl: owned by another user"
  refute_output --partial $'\e'
  run_tool magi-perms --yes
  assert_failure 1
  assert_equal "${#stderr_lines[@]}" 1
  assert_equal "$(modes)" "$before"
  run_tool magi-perms --yes --json
  assert_failure 1
  jq -e '.repaired == null and (.to_look_at | length) >= 8' <<<"$output"
}

@test "both flags, no flag without a terminal, and operands are usage errors" {
  chmod 644 "$sessions/a.jsonl"
  run_tool magi-perms --dry-run --yes
  assert_one_error magi-perms 2
  run_tool magi-perms </dev/null
  assert_one_error magi-perms 2
  run_tool magi-perms --yes a
  assert_one_error magi-perms 2
  assert_equal "$(stat -c %a "$sessions/a.jsonl")" 644
}

@test "on a terminal it asks, and only yes is yes" {
  chmod 644 "$sessions/a.jsonl"
  local answer
  for answer in n '' yess; do
    echo "$answer" | script -qec "magi-perms" /dev/null >screen
    grep -q 'Repair 1? \[y/N\]' screen
    assert_equal "$(stat -c %a "$sessions/a.jsonl")" 644
  done
  echo y | script -qec "magi-perms" /dev/null >screen
  assert_equal "$(stat -c %a "$sessions/a.jsonl")" 600
}

@test "links are not followed, and an entry that is swapped meanwhile is not repaired" {
  local outside=$BATS_TEST_TMPDIR/outside round
  mkdir "$outside"; touch "$outside/a.jsonl"; chmod 644 "$outside/a.jsonl"; chmod 755 "$outside"
  chmod 644 "$sessions/a.jsonl"
  ( while :; do
      mv "$sessions" "$MC_HOME/real" && ln -s "$outside" "$sessions"; rm "$sessions" && mv "$MC_HOME/real" "$sessions"
    done 2>/dev/null ) 3>&- &
  local swapper=$!
  for round in {1..60}; do magi-perms --yes >/dev/null 2>&1 || true; done
  kill "$swapper"; wait "$swapper" 2>/dev/null || true
  assert_equal "$(stat -c %a "$outside/a.jsonl" "$outside" | xargs)" "644 755"
}

@test "no home is nothing to repair; one that is no folder is an error" {
  rm -rf "$MC_HOME"
  run_tool magi-perms --yes
  assert_success
  assert_output "0 to repair, 0 to look at, of 0"
  touch "$MC_HOME"
  run_tool magi-perms --yes
  assert_one_error magi-perms 2
}

@test "M1: magi-code sessions repair-permissions is the same" {
  chmod 644 "$sessions/a.jsonl"
  run_tool magi-code sessions repair-permissions --dry-run
  assert_success
  assert_line "1 to repair, 0 to look at, of 20"
  run_tool magi-code sessions repair-permissions </dev/null
  assert_failure 2
  run_tool magi-code sessions repair-permissions --yes --dry-run
  assert_one_error magi-code 2
  run_tool magi-code sessions repair-permissions --yes
  assert_success
  assert_line "repaired 1"
}
