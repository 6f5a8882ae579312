# Checkpoints of what tools change, `magi-code changes` and `magi-code rewind`.

load helper
load fake

setup() {
  common_setup
  mkdir -p "$BATS_TEST_TMPDIR/repo" "$MC_HOME/sessions"
  chmod 700 "$MC_HOME" "$MC_HOME/sessions"
  cd "$BATS_TEST_TMPDIR/repo" || return 1
  S=20261130-100000-0123456789
  SESSION=$MC_HOME/sessions/$S.jsonl
  N=256
}

teardown() { stop_fake; }

# event TYPE PAYLOAD: one more event of the session; its ID in $EVENT.
event() {
  N=$((N + 1))
  EVENT=$(printf '%x' "$N")
  jq -cn --arg t "$1" --argjson p "$2" --arg e "$EVENT" --arg s "$S" --arg cwd "$PWD" \
    '{event_type: $t, event_id: $e, timestamp: "2026-11-30T10:00:00.000Z", session_id: $s, cwd: $cwd, payload: $p}' \
    >>"$SESSION"
  chmod 600 "$SESSION"
}

# turn TURN TOOL ARGUMENTS...: a prompt whose calls are run as a session's tools run them.  $EVENT is the prompt's.
turn() {
  local turn=$1
  shift
  event user_input "$(jq -cn --arg t "$turn" '{turn_id: $t, text: "prompt of \($t)"}')"
  local prompt=$EVENT n
  for ((n = 1; n <= $# / 2; ++n)); do
    event tool_call "{\"turn_id\":\"$turn\",\"call_id\":\"$turn-$n\",\"name\":\"write\",\"arguments\":\"{}\"}"
  done
  EVENT=$prompt
  calls "$turn" "$@"
}

calls() {
  local turn=$1 n=0
  shift
  while (($# > 0)); do
    jq -cn --arg t "$turn" --arg n "$1" --arg a "$2" --arg c "$turn-$((n += 1))" \
      '{type: "tool_call", call_id: $c, name: $n, arguments: $a, turn_id: $t}'
    shift 2
  done | magi-tool --root . --session "$S" --permissions full >"$BATS_TEST_TMPDIR/results"
  ! grep -v '"status":"success"' "$BATS_TEST_TMPDIR/results"
}

write() { jq -cn --arg p "$1" --arg c "$2" '{path: $p, content: $c}'; }
rewind() { run --separate-stderr magi-code rewind "$S" "$@" </dev/null; }
# The state of a tree: kinds, modes, times and bytes.
tree() { (cd "$1" && find . -printf '%P %y %m %T@ %l\n' | sort && find . -type f -exec sha256sum {} + | sort -k2); }

@test "F1: changes lists turns, relative paths, statuses and counts" {
  echo one >a.txt
  turn t1 write "$(write a.txt two)" write "$(write a.txt three)" write "$(write new/x.txt x)"
  run --separate-stderr magi-code changes "$S"
  [ "$status" -eq 0 ]
  [[ $output == *"prompt of t1"* ]]
  [[ $output == *"modified  a.txt  (2 changes)"* ]]
  [[ $output == *"created   new/x.txt"* ]]
  [[ $output == *"2 files in 1 turn"* ]]
  run --separate-stderr magi-code changes --json
  jq -e --arg e "$EVENT" '.counts == {"turns": 1, "files": 2, "created": 1, "modified": 1, "deleted": 0} and
    .turns[0].event_id == $e and .turns[0].files[0] == {"path": "a.txt", "status": "modified", "changes": 2,
    "bytes_before": 4, "bytes_after": 5}' <<<"$output"
}

@test "rewind gives files their old bytes and modes and removes what the tools made" {
  echo one >a.txt
  chmod 751 a.txt
  turn t1 write "$(write a.txt two)" edit '{"path":"a.txt","old_text":"two","new_text":"three"}' write "$(write n/d/x y)"
  rewind --files
  [ "$status" -eq 0 ]
  [[ ${lines[-1]} == completed ]]
  [ "$(cat a.txt)" = one ]
  [ "$(stat -c %a a.txt)" = 751 ]
  [ ! -e n ]
  [[ $output == *"shell commands changed is not covered"* ]]
}

@test "a dry run lists and changes nothing" {
  echo one >a.txt
  turn t1 write "$(write a.txt two)"
  before=$(tree .; tree "$MC_HOME")
  rewind --dry-run
  [ "$status" -eq 0 ]
  [[ $output == *"restore      a.txt"* ]]
  [[ ${lines[-1]} == planned ]]
  [ "$(tree .; tree "$MC_HOME")" = "$before" ]
}

@test "UND-01: untracked and ignored files that no tool touched stay" {
  git init -q .
  echo .env >.gitignore
  echo data >data.out
  echo key >.env
  echo one >a.txt
  before=$(stat -c '%n %Y %s %i' data.out .env)
  turn t1 write "$(write a.txt two)"
  rewind --files
  [ "$(cat a.txt)" = one ]
  [ "$(stat -c '%n %Y %s %i' data.out .env)" = "$before" ]
}

@test "UND-03: uncommitted edits of other files stay" {
  git init -q .
  echo a >a.txt
  echo b >b.txt
  git add . && git -c user.name=x -c user.email=x commit -qm x
  echo dirty >>b.txt
  turn t1 write "$(write a.txt two)"
  before=$(git status --porcelain b.txt; cat b.txt)
  rewind --files
  [ "$(git status --porcelain b.txt; cat b.txt)" = "$before" ]
  [ "$(cat a.txt)" = a ]
}

@test "UND-04: nothing of a repository is used or touched" {
  git init -q .
  printf '1\n2\n' >a.txt
  git add . && git -c user.name=x -c user.email=x commit -qm x
  echo 3 >>a.txt
  git add a.txt
  index=$(git diff --cached)
  objects=$(git count-objects)
  for n in 1 2 3 4 5 6 7 8 9 10; do turn "t$n" write "$(write a.txt "$n")"; done
  rewind --files --to t1
  [ "$status" -eq 0 ]
  [ "$(git diff --cached)" = "$index" ]
  [ "$(git count-objects)" = "$objects" ]
  [ -z "$(git stash list)" ]
  [ "$(cat a.txt)" = "$(printf '1\n2\n3')" ]
}

@test "UND-06: GIT_DIR in the environment means nothing" {
  git init -q --bare "$BATS_TEST_TMPDIR/other.git"
  mkdir "$BATS_TEST_TMPDIR/o"
  before=$(tree "$BATS_TEST_TMPDIR/other.git")
  export GIT_DIR=$BATS_TEST_TMPDIR/other.git GIT_WORK_TREE=$BATS_TEST_TMPDIR/o GIT_INDEX_FILE=$BATS_TEST_TMPDIR/o/i
  echo one >a.txt
  turn t1 write "$(write a.txt two)"
  rewind --files
  [ "$(cat a.txt)" = one ]
  [ "$(tree "$BATS_TEST_TMPDIR/other.git")" = "$before" ]
  [ -z "$(ls -A "$BATS_TEST_TMPDIR/o")" ]
}

@test "UND-07: nested repositories are restored and links lead nowhere" {
  mkdir -p sub1 sub2 "$BATS_TEST_TMPDIR/out"
  git init -q sub1
  echo "gitdir: ../.git/modules/sub2" >sub2/.git
  echo f >sub1/f
  echo g >sub2/g
  echo secret >"$BATS_TEST_TMPDIR/out/s"
  ln -s "$BATS_TEST_TMPDIR/out" ext
  turn t1 write "$(write sub1/f 1)" write "$(write sub2/g 2)"
  before=$(tree sub1/.git; tree "$BATS_TEST_TMPDIR/out"; cat sub2/.git)
  rewind --files
  [ "$(cat sub1/f sub2/g)" = "$(printf 'f\ng')" ]
  [ "$(tree sub1/.git; tree "$BATS_TEST_TMPDIR/out"; cat sub2/.git)" = "$before" ]
}

@test "UND-09: a later edit by the user is a conflict, kept and listed; --force names it" {
  echo f >f
  echo g >g
  turn t1 write "$(write f agent)" write "$(write g agent)"
  echo mine >f
  rewind --files --json
  [ "$status" -eq 1 ]
  [ "$(cat f g)" = "$(printf 'mine\ng')" ]
  jq -e '.status == "partial" and .counts.conflicts == 1 and .counts.restored == 1 and
    (.files[] | select(.path == "f") | .status == "conflict" and (.reason | length > 0))' <<<"$output"
  rewind --files --force
  [ "$status" -eq 0 ]
  [[ $output == *"restored     f: changed since the tools did (forced)"* ]]
  [ "$(cat f)" = f ]
  # What the user had written is kept all the same.
  undo=$(jq -r 'select(.event_type == "rewind") | .event_id' "$SESSION" | tail -1)
  rewind --to "$undo"
  [ "$(cat f)" = mine ]
}

@test "UND-09: an edit by the user between the tools' edits, a change of mode, a deletion and a rename are conflicts" {
  for name in between mode gone moved; do echo old >"$name"; done
  turn t1 write "$(write between 1)" write "$(write mode 1)" write "$(write gone 1)" write "$(write moved 1)"
  echo mine >>between
  calls t1 edit '{"path":"between","old_text":"mine","new_text":"theirs"}'
  chmod 600 mode
  rm gone
  mv moved elsewhere
  before=$(tree .)
  rewind --files
  [ "$status" -eq 1 ]
  [[ ${lines[-1]} == partial ]]
  [ "$(tree .)" = "$before" ]
  [[ $output == *"4 conflicts"* ]]
}

@test "UND-10: created files and folders go; one that the user changed is kept and reported" {
  turn t1 write "$(write new/dir/x.txt x)"
  rewind --files
  [ ! -e new ]
  turn t2 write "$(write new/dir/x.txt x)"
  echo mine >>new/dir/x.txt
  rewind --files
  [ "$status" -eq 1 ]
  [ "$(cat new/dir/x.txt)" = xmine ]
  [[ $output == *"conflict     new/dir/x.txt"* ]]
}

@test "a folder with something of the user's in it stays" {
  turn t1 write "$(write new/dir/x.txt x)"
  echo mine >new/y
  rewind --files
  [ "$(find new -mindepth 1)" = new/y ]
}

@test "UND-12: a rewind that is cancelled at its question leaves nothing armed" {
  echo one >a.txt
  turn t1 write "$(write a.txt two)"
  before=$(tree .; cat "$SESSION"; cat "$MC_HOME/checkpoints/$S.jsonl")
  run bash -c "printf 'n\n' | script -qec 'magi-code rewind $S' /dev/null"
  [[ $output == *"Do it? [y/N]"* ]]
  [ "$(tree .; cat "$SESSION"; cat "$MC_HOME/checkpoints/$S.jsonl")" = "$before" ]
  run timeout 20 script -qec "timeout -s INT 1 magi-code rewind $S" /dev/null </dev/null
  [ "$(tree .; cat "$SESSION"; cat "$MC_HOME/checkpoints/$S.jsonl")" = "$before" ]
  start_fake '{"turns":[{"text":"Hello."}]}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model -q -p hi </dev/null
  [ "$(cat a.txt)" = two ]
}

@test "UND-13: only the session's own folder, not the rest of the repository" {
  mkdir -p app lib
  git init -q .
  echo z >lib/z
  echo a >app/a
  cd app
  turn t1 write "$(write a changed)"
  echo mine >../lib/z
  rewind --files --dry-run --json
  [ "$(jq -c '[.files[].path]' <<<"$output")" = '["a"]' ]
  rewind --files
  [ "$(cat a ../lib/z)" = "$(printf 'a\nmine')" ]
}

@test "UND-15: back over several turns, and forward again" {
  echo e >e.txt
  turn t1 write "$(write n.txt n)"
  first=$EVENT
  turn t2 write "$(write e.txt changed)" write "$(write n.txt more)"
  rewind --to "$first" --files
  [ "$status" -eq 0 ]
  [ ! -e n.txt ]
  [ "$(cat e.txt)" = e ]
  undo=$(jq -r 'select(.event_type == "rewind") | .event_id' "$SESSION")
  [[ $output == *"undo: magi-code rewind $S --to $undo"* ]]
  rewind --to "$undo"
  [ "$status" -eq 0 ]
  [ "$(cat n.txt e.txt)" = morechanged ]
  rewind --files
  [ "$(cat n.txt)" = n ]
}

@test "the last turn is the default, and a turn that changed nothing says so" {
  echo one >a.txt
  turn t1 write "$(write a.txt two)"
  turn t2
  rewind --files
  [ "$status" -eq 0 ]
  [[ $output == *"no tool changed a file since"* ]]
  [ "$(cat a.txt)" = two ]
  rewind --files --to t1
  [ "$(cat a.txt)" = one ]
}

@test "F2: a conversation rewind forks before the prompt and leaves the source as it is" {
  echo one >a.txt
  turn t1 write "$(write a.txt two)"
  event assistant_output '{"turn_id":"t1","text":"done","status":"completed"}'
  event session_usage '{"run_id":"r","request_sequence":1,"input_tokens":5,"cached_tokens":0,"cache_write_tokens":0,"output_tokens":1,"reasoning_tokens":0}'
  event tool_result_assessment "{\"result_id\":\"r1\",\"call_id\":\"c1\",\"session_id\":\"$S\",\"enforcement\":\"observe\",\"coverage\":\"complete\",\"verdict\":\"allow\",\"stored_sha256\":\"x\"}"
  turn t2 write "$(write a.txt three)"
  before=$(cat "$SESSION")
  rewind --conversation --json
  [ "$status" -eq 0 ]
  fork=$(jq -r .fork_session_id <<<"$output")
  [ "$(cat "$SESSION")" = "$before" ]
  [ "$(cat a.txt)" = three ]
  new=$MC_HOME/sessions/$fork.jsonl
  [ "$(jq -r .event_type "$new" | tr '\n' ' ')" = "user_input tool_call assistant_output session_usage tool_result_assessment diagnostic " ]
  [ "$(jq -r .session_id "$new" | sort -u)" = "$fork" ]
  [ "$(jq -r 'select(.event_type == "tool_result_assessment") | .payload.session_id' "$new")" = "$fork" ]
  [ -z "$(jq -r .event_id "$SESSION" "$new" | sort | uniq -d)" ]
  jq -e --arg s "$S" --arg e "$EVENT" 'select(.event_type == "diagnostic") | .payload |
    .source_session_id == $s and .source_event_id == $e and .draft == "prompt of t2"' "$new"
  # Local alone.
  ! magi-replay "$fork" | grep 'prompt of t2'
  # Earlier checkpoint references, blobs shared.
  [ "$(jq -r .turn_id "$MC_HOME/checkpoints/$fork.jsonl")" = t1 ]
  [ "$(magi-replay "$fork" | jq -r 'select(.type == "user") | .text')" = "prompt of t1" ]
}

@test "F2: both is the default: files go back and a fork goes on, which can be rewound further" {
  echo one >a.txt
  turn t1 write "$(write a.txt two)"
  turn t2 write "$(write a.txt three)"
  rewind
  [ "$status" -eq 0 ]
  [ "$(cat a.txt)" = two ]
  fork=$(sed -n 's/^conversation: session \([^;]*\);.*/\1/p' <<<"$output")
  run --separate-stderr magi-code rewind "$fork" --files </dev/null
  [ "$status" -eq 0 ]
  [ "$(cat a.txt)" = one ]
}

@test "F2: before the first prompt a fork is empty but for its note" {
  turn t1 write "$(write a.txt two)"
  rewind --conversation --json
  [ "$status" -eq 0 ]
  [ "$(jq -r .event_type "$MC_HOME/sessions/$(jq -r .fork_session_id <<<"$output").jsonl")" = diagnostic ]
}

@test "F2: where the checkpoints cannot be copied, the error names the fork and no file is restored" {
  echo one >a.txt
  turn t1 write "$(write a.txt two)"
  turn t2 write "$(write a.txt three)"
  chmod 755 "$MC_HOME/checkpoints/.locks"
  rewind
  [ "$status" -eq 1 ]
  fork=$(ls "$MC_HOME/sessions" | grep jsonl | grep -v "^$S")
  [[ $stderr == *"session '${fork%.jsonl}' is there"*"no file was restored"* ]]
  [ "$(cat a.txt)" = three ]
}

@test "F1: the rewind event names relative paths and statuses, and nothing that looks secret" {
  echo one >a.txt
  echo KEY=1 >.env
  echo key >id_rsa
  echo x >"$BATS_TEST_TMPDIR/outside"
  turn t1 write "$(write a.txt two)" write "$(write .env KEY=2)" write "$(write id_rsa k)" \
    write "$(write "$BATS_TEST_TMPDIR/outside" y)"
  rewind --files
  [ "$status" -eq 0 ]
  [ "$(cat .env id_rsa "$BATS_TEST_TMPDIR/outside")" = "$(printf 'KEY=1\nkey\nx')" ]
  payload=$(jq -c 'select(.event_type == "rewind") | .payload' "$SESSION")
  jq -e '.files == [{"path": "a.txt", "status": "restored"}] and .unlisted == 3 and .counts.restored == 4 and
    .turns == ["t1"] and .status == "completed"' <<<"$payload"
  ! grep -E 'KEY|id_rsa|outside|[0-9a-f]{64}' <<<"$payload"
}

@test "a live writer makes a rewind of files busy" {
  echo one >a.txt
  start_fake '{"turns":[{"calls":[{"name":"write","args":{"path":"a.txt","content":"two"}}]},{"text":"x","fault":{"stall_ms":30000,"stall_at":0}}]}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -q -p hi </dev/null >/dev/null 2>&1 3>&- &
  pid=$!
  wait_for_requests 2
  S=$(basename "$(ls "$MC_HOME"/sessions/*.jsonl)" .jsonl)
  rewind --files
  busy=$status
  rewind --files --dry-run
  kill "$pid" 2>/dev/null || true
  wait "$pid" || true
  [ "$busy" -eq 3 ]
  [ "$status" -eq 0 ]
  [ "$(cat a.txt)" = two ]
}

@test "usage errors touch nothing" {
  echo one >a.txt
  turn t1 write "$(write a.txt two)"
  before=$(tree .; cat "$SESSION" "$MC_HOME/checkpoints/$S.jsonl")
  for arguments in "--files --both" "--to nothing" "--to t9 --conversation"; do
    # shellcheck disable=SC2086
    rewind $arguments
    [ "$status" -ne 0 ]
    [ "$(grep -c '^magi-code: ' <<<"$stderr")" -eq 1 ]
  done
  run --separate-stderr magi-code rewind ../x
  [ "$status" -eq 2 ]
  run --separate-stderr magi-code rewind none
  [ "$status" -eq 1 ]
  [ "$(tree .; cat "$SESSION" "$MC_HOME/checkpoints/$S.jsonl")" = "$before" ]
}

@test "F3: a torn ledger is read and reported, a corrupt one refused" {
  echo one >a.txt
  turn t1 write "$(write a.txt two)"
  ledger=$MC_HOME/checkpoints/$S.jsonl
  printf '{"type":"chan' >>"$ledger"
  run --separate-stderr magi-code changes "$S"
  [ "$status" -eq 0 ]
  [[ $stderr == *"incomplete (13 bytes)"* ]]
  rewind --files
  [ "$(cat a.txt)" = one ]
  sed -i '1s/^{/[/' "$ledger"
  run --separate-stderr magi-code changes "$S"
  assert_one_error magi-code 1
  [[ $stderr == *"corrupt at line 1"* ]]
}

@test "a blob that is gone or damaged is never written over a file" {
  echo one >a.txt
  echo one1 >b.txt
  turn t1 write "$(write a.txt two)" write "$(write b.txt two)"
  a=$(echo one | sha256sum | cut -d' ' -f1)
  b=$(echo one1 | sha256sum | cut -d' ' -f1)
  rm "$MC_HOME/checkpoints/blobs/$a"
  echo evil >"$MC_HOME/checkpoints/blobs/$b"
  rewind --files --json
  [ "$status" -eq 1 ]
  [ "$(cat a.txt b.txt)" = twotwo ]
  jq -e '.status == "partial" and .counts.unavailable == 1 and .counts.failed == 1' <<<"$output"
}

@test "links and folders that took a file's place are left alone, even with --force" {
  mkdir d
  for f in link folder d/way; do echo old >"$f"; done
  turn t1 write "$(write link 1)" write "$(write folder 1)" write "$(write d/way 1)"
  mkdir "$BATS_TEST_TMPDIR/out"
  printf 1 >"$BATS_TEST_TMPDIR/out/way"
  printf 1 >"$BATS_TEST_TMPDIR/out/f"
  rm -r link folder d
  ln -s "$BATS_TEST_TMPDIR/out/f" link
  mkdir folder
  ln -s "$BATS_TEST_TMPDIR/out" d
  before=$(tree . ; tree "$BATS_TEST_TMPDIR/out")
  rewind --files --force
  [ "$status" -eq 1 ]
  [[ $output == *"3 unavailable"* ]]
  [ "$(tree . ; tree "$BATS_TEST_TMPDIR/out")" = "$before" ]
}

@test "without a session nothing is kept, and with one the home alone holds it" {
  echo one >a.txt
  magi-tool write "$(write a.txt two)" >/dev/null
  [ ! -e "$MC_HOME/checkpoints" ]
  start_fake '{"turns":[{"calls":[{"name":"write","args":{"path":"a.txt","content":"three"}}]},{"text":"Done."}]}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model -q --no-session -p go </dev/null
  [ "$(cat a.txt)" = three ]
  [ ! -e "$MC_HOME/checkpoints" ]
}

@test "a run's own checkpoints: from -p to rewind" {
  echo one >a.txt
  start_fake '{"turns":[{"calls":[{"name":"write","args":{"path":"a.txt","content":"two"}},{"name":"bash","args":{"command":"echo x > shell.txt"}}]},{"text":"Done."}]}'
  magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full -q -p go </dev/null
  id=$(basename "$(ls "$MC_HOME"/sessions/*.jsonl)" .jsonl)
  run --separate-stderr magi-code rewind "$id" --json </dev/null
  [ "$status" -eq 0 ]
  [ "$(cat a.txt)" = one ]
  [ "$(cat shell.txt)" = x ]
  jq -e '.status == "completed" and .shell_calls == 1 and .shell_effects_covered == false' <<<"$output"
  run find "$MC_HOME" -type f -perm /077 -o -type d -perm /077
  [ -z "$output" ]
}

@test "a file that is too large is changed, said so, and not restored" {
  truncate -s 70M big
  turn t1 write "$(write big small)"
  [[ $(jq -r .view "$BATS_TEST_TMPDIR/results") == *"no checkpoint holds it"* ]]
  rewind --files
  [ "$status" -eq 1 ]
  [[ $output == *"unavailable  big: larger than 64 MiB"* ]]
  [ "$(du -sk "$MC_HOME/checkpoints" | cut -f1)" -lt 1000 ]
}

@test "a checkpoint that fails leaves the file as it was" {
  echo one >a.txt
  turn t1 write "$(write a.txt two)"
  sed -i '1s/^{/[/; $a {}' "$MC_HOME/checkpoints/$S.jsonl"
  run calls t2 write "$(write a.txt three)"
  [ "$status" -ne 0 ]
  [[ $output == *"was not changed, since its checkpoint failed"* ]]
  [ "$(cat a.txt)" = two ]
}
