#!/usr/bin/env bats
# Attempts to read or write outside the root, through every tool and through commands, looked at from outside.

load helper

setup() {
  common_setup
  work=$PWD
  outside=$BATS_TEST_TMPDIR/outside
  mkdir -p "$outside/folder" "$MC_HOME/sessions" "$MC_HOME/checkpoints"
  chmod 0700 "$MC_HOME" "$MC_HOME/sessions" "$MC_HOME/checkpoints"
  printf 'TREASURE line\n' >"$outside/existing"
  printf 'TREASURE deep\n' >"$outside/folder/deep"
  printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1TREASURE' >"$outside/i.png"
  printf '{"TREASURE": "credential"}\n' >"$MC_HOME/auth.json"
  printf '{"TREASURE": "talk"}\n' >"$MC_HOME/sessions/s.jsonl"
  printf '{"TREASURE": "change"}\n' >"$MC_HOME/checkpoints/s.jsonl"
  chmod 0600 "$MC_HOME/auth.json" "$MC_HOME/sessions/s.jsonl" "$MC_HOME/checkpoints/s.jsonl"
  before=$(state)
}

# All that must stay as it is: names, modes and contents.
state() { (cd "$BATS_TEST_TMPDIR" && find outside mc -printf '%p %y %m %l\n' | sort && find outside mc -type f -exec sha256sum {} + | sort); }
untouched() { [ "$(state)" = "$before" ] || fail "changed outside: $(diff <(echo "$before") <(state))"; }

# call NAME ARGUMENT...: one call; the arguments are those of jq, which makes an object of them.
call() {
  local name=$1 arguments
  shift
  arguments=$(jq -nc "$@")
  run --separate-stderr magi-tool --permissions "${mode:-workspace}" <<<"$(jq -nc --arg n "$name" --arg a "$arguments" '{type: "tool_call", call_id: "c", name: $n, arguments: $a}')"
}

# every_tool PATH [FOLDER]: reads and writes PATH, and lists and searches FOLDER, by each tool; nothing of it comes back.
every_tool() {
  local p=$1 d=${2:-$1}
  call read --arg p "$p" '{path: $p}'; refused
  call read --arg p "$p" '{path: $p, anchors: true}'; refused
  call read --arg p "$p" '{paths: [$p]}'; silent
  call view_image --arg p "$p" '{path: $p}'; refused
  call write --arg p "$p" '{path: $p, content: "broken"}'; refused
  call edit --arg p "$p" '{path: $p, old_text: "TREASURE", new_text: "broken"}'; refused
  call edit --arg p "$p" '{path: $p, edits: [{old_text: "T", new_text: "b"}]}'; refused
  call patch --arg p "$p" '{patch: "*** Begin Patch\n*** Update File: \($p)\n@@\n-TREASURE line\n+broken\n*** End Patch\n"}'; refused
  call patch --arg p "$p" '{patch: "*** Begin Patch\n*** Delete File: \($p)\n*** End Patch\n"}'; refused
  call patch --arg p "$p" '{patch: "--- /dev/null\n+++ \($p)\n@@ -0,0 +1 @@\n+broken\n"}'; refused
  call patch --arg p "$p" '{patch: "*** Begin Patch\n*** Update File: mine\n*** Move to: \($p)\n@@\n-mine\n+broken\n*** End Patch\n"}'; refused
  call grep --arg p "$d" '{pattern: "TREASURE", path: $p, all: true}'; silent
  call find --arg p "$d" '{pattern: "*", path: $p, all: true}'; silent
  call list_files --arg p "$d" '{path: $p}'; silent
  untouched
}
silent() { [[ $output != *TREASURE* && $output != *VFJFQVNVUk* && $output != *deep* ]] || fail "came back: $output"; }
refused() { silent; assert_equal "$(jq -r .status <<<"$output")" error; }

@test "escapes: absolute paths and .. need approval" {
  echo mine >mine; mkdir -p sub
  every_tool "$outside/existing" "$outside"
  every_tool ../outside/existing ../outside
  every_tool sub/../../outside/existing sub/../../outside
  every_tool "$work/../outside/existing" "$work/../outside"
  every_tool ".//./../outside//existing" ".//./../outside/"
  assert_equal "$(cat mine)" mine
}

@test "SEC-04: escapes: links to files and folders outside, by any mode" {
  echo mine >mine
  ln -s "$outside" out; ln -s ../outside relative; ln -s "$outside/existing" file; ln -s "$outside/nothing-yet" dangling
  mkdir sub; ln -s ../out sub/twice; ln -s sub/twice thrice
  local mode
  for mode in workspace full; do
    every_tool out/existing out
    every_tool relative/existing relative
    every_tool file
    every_tool thrice/folder/../existing thrice/folder
    call write '{path: "dangling", content: "x"}'; refused
    call write '{path: "out/new/deep/file", content: "x"}'; refused
    untouched
  done
}

@test "escapes: /proc/self/root, /proc/self/cwd, /proc/self/fd and /dev" {
  echo mine >mine
  ln -s /proc/self/root root; ln -s /proc/self/cwd cwd; ln -s /proc/self/fd fds; ln -s /dev dev; ln -s /proc/1 init
  every_tool "root$outside/existing" "root$outside"
  every_tool "/proc/self/root$outside/existing" "/proc/self/root$outside"
  every_tool "/proc/self/cwd/../outside/existing" "/proc/self/cwd/../outside"
  local fd
  for fd in 0 1 3 4 5 6 7 8; do call read "{path: \"fds/$fd\"}"; refused; call write "{path: \"fds/$fd\", content: \"x\"}"; refused; done
  call write '{path: "dev/shm/magi-escape", content: "x"}'; refused
  [ ! -e /dev/shm/magi-escape ]
  call read '{path: "init/environ"}'; refused
}

@test "escapes: the home's credentials, conversations and checkpoints, by every name" {
  cd "$BATS_TEST_TMPDIR"
  echo mine >mine
  ln -s mc alias; ln -s mc/auth.json link
  local name
  for name in mc/auth.json alias/auth.json link mc/sessions/s.jsonl ./mc/../mc/checkpoints/s.jsonl "$MC_HOME/auth.json"; do
    call read --arg p "$name" '{path: $p}'; refused
    call edit --arg p "$name" '{path: $p, old_text: "TREASURE", new_text: "x"}'; refused
    call write --arg p "$name" '{path: $p, content: "x"}'; refused
    call patch --arg p "$name" '{patch: "*** Begin Patch\n*** Delete File: \($p)\n*** End Patch\n"}'; refused
    call grep --arg p "$name" '{pattern: "TREASURE", path: $p}'; silent
  done
  call grep '{pattern: "credential|talk|change", path: "mc", all: true}'
  [[ $(jq -r .output <<<"$output") == *"no match"* ]]
  call write '{path: "mc/sessions/new.jsonl", content: "x"}'; refused
  call write '{path: "mc/settings.json", content: "{}"}'; refused
  untouched
}

@test "escapes: a hard link to a file outside is not written through, and needs approval" {
  ln "$outside/existing" hard 2>/dev/null || skip "no hard links across these folders"
  before=$(state)
  call edit '{path: "hard", old_text: "TREASURE", new_text: "broken"}'
  assert_equal "$(jq -r .status <<<"$output")" error
  [[ $(jq -r .details.needs_approval <<<"$output") == *"one file with another one outside"* ]]
  call write '{path: "hard", content: "broken"}'; assert_equal "$(jq -r .status <<<"$output")" error
  call patch '{patch: "--- a/hard\n+++ b/hard\n@@ -1 +1 @@\n-TREASURE line\n+broken\n"}'; assert_equal "$(jq -r .status <<<"$output")" error
  untouched
  # Where all names are inside, the file is changed in place and stays one.
  echo one >a; mkdir -p deep/er; ln a deep/er/b
  call edit '{path: "a", old_text: "one", new_text: "two"}'
  assert_equal "$(jq -r .status <<<"$output") $(cat deep/er/b)" "success two"
  [ a -ef deep/er/b ]
}

@test "escapes: unusual names are files like others, and stay inside" {
  local name long
  long=$(printf 'n%.0s' {1..250})
  for name in $'new\nline' '-rf' '--help' ' ' '$(touch x)' '`id`' '*' "it's" $'tab\t' "$long" '.hidden' '%s%n' '\'; do
    call write --arg p "$name" '{path: $p, content: "one\n"}'; assert_equal "$(jq -r .status <<<"$output")" success
    call edit --arg p "$name" '{path: $p, old_text: "one", new_text: "two"}'; assert_equal "$(jq -r .status <<<"$output")" success
    call read --arg p "$name" '{path: $p}'; assert_equal "$(jq -r .output <<<"$output")" $'1\ttwo'
    assert_equal "$(cat -- "./$name")" two
  done
  call write --arg p "$long$long" '{path: $p, content: "x"}'; assert_equal "$(jq -r .status <<<"$output")" error
  call write '{path: "a\u0000b", content: "x"}'; assert_equal "$(jq -r .status <<<"$output")" error
  printf 'secret' >$'bad\xff'
  call find '{pattern: "bad*"}'; jq -e . <<<"$output" >/dev/null
  # A name does not make lines of its own.
  mkdir fake; echo needle >$'fake/x\nother:1:needle'
  call grep '{pattern: "needle", path: "fake"}'
  assert_equal "$(jq -r .output <<<"$output" | grep -c needle)" 1
  untouched
}

@test "escapes: a parent that is renamed or becomes a link in the middle" {
  mkdir -p a/b; echo inside >a/b/f
  mkfifo "$BATS_TEST_TMPDIR/in" "$BATS_TEST_TMPDIR/out"
  magi-tool --serve <"$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/out" 3>&- &
  local host=$!
  exec 7>"$BATS_TEST_TMPDIR/in" 8<"$BATS_TEST_TMPDIR/out"
  ask() { jq -nc --arg n "$1" --arg a "$2" '{type: "tool_call", call_id: "c", name: $n, arguments: $a}' >&7; read -r -t 20 output <&8; }
  ask read '{"path":"a/b/f"}'
  mv a away; ln -s "$outside" a; mkdir -p "$outside/b"; echo TREASURE >"$outside/b/f"; before=$(state)
  ask read '{"path":"a/b/f"}'; refused
  ask write '{"path":"a/b/f","content":"x"}'; refused
  ask edit '{"path":"a/b/f","old_text":"T","new_text":"x"}'; refused
  ask grep '{"pattern":"TREASURE"}'; silent
  rm a; mv away "$BATS_TEST_TMPDIR/elsewhere"
  ask write '{"path":"a/b/f","content":"new"}'
  assert_equal "$(cat a/b/f) $(cat "$BATS_TEST_TMPDIR/elsewhere/b/f")" "new inside"
  exec 7>&- 8<&-
  wait "$host" || true
  untouched
}

@test "escapes: mount points inside the root hold what was mounted and lead no further" {
  unshare -rm true 2>/dev/null || skip "no user namespaces"
  mkdir m
  run unshare -rm bash -c 'mount --bind "$1/folder" m && magi-tool --permissions workspace list_files "m/.." && magi-tool --permissions workspace read m/../../outside/existing' _ "$outside"
  [[ $output != *TREASURE* && $output == *"outside the working directory"* ]]
  untouched
}

# --- commands, with what confines them in force

confined() {
  run magi-confine --probe --write "$work" --no-network --hide "$MC_HOME/auth.json"
  [ "$status" -eq 0 ] || skip "this kernel cannot confine"
}

@test "escapes: confined commands write nothing outside, whatever they try" {
  confined
  ln -s "$outside" out; ln -s "$outside/existing" file
  local command
  while IFS= read -r command; do
    call bash --arg c "${command//OUT/$outside}" '{command: $c, timeout_ms: 20000}'
    untouched
  done <<'END'
echo x >OUT/new
echo x >>OUT/existing
echo x >out/existing
echo x >file
rm -rf OUT/folder
mv OUT/existing here
mv OUT/folder here
ln OUT/existing hard && echo x >hard
ln -f OUT/existing hard; truncate -s 0 hard
cp /etc/hostname OUT/new
mkdir OUT/made
chmod 777 OUT OUT/existing
touch -d 2001-01-01 OUT/existing; truncate -s 0 OUT/existing
echo x >/proc/self/root/OUT/existing
echo x >/proc/$PPID/root/OUT/existing
echo x >/proc/$PPID/cwd/../outside/existing
cd / && echo x >OUT/new
(setsid bash -c 'echo x >OUT/new' &); sleep 0.3
unshare -rm bash -c 'mount --bind OUT . && echo x >existing'
bash -c 'exec 9<OUT; cd /proc/self/fd/9 && echo x >existing'
python3 -c 'import os; os.rename("OUT/existing", "x")'
python3 -c 'import os; d = os.open("OUT", os.O_PATH); os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=d)'
git init -q OUT/repository
ln -s OUT l; echo x >l/new
mknod OUT/null c 1 3
mkfifo OUT/fifo
END
  [ ! -e hard ] || ! cmp -s hard "$outside/existing" || fail "a hard link to a file outside was made"
}

@test "escapes: confined commands read neither credentials nor conversations" {
  confined
  local command
  while IFS= read -r command; do
    call bash --arg c "${command//HOME_DIR/$MC_HOME}" '{command: $c, timeout_ms: 20000}'
    silent
  done <<'END'
cat HOME_DIR/auth.json
cat HOME_DIR/sessions/s.jsonl HOME_DIR/checkpoints/s.jsonl
cat /proc/self/root/HOME_DIR/auth.json
cd HOME_DIR && cat auth.json ./sessions/*
ln HOME_DIR/auth.json a; cat a
ln -s HOME_DIR/auth.json s; cat s
cp HOME_DIR/auth.json c; cat c
grep -r TREASURE HOME_DIR
python3 -c 'print(open("HOME_DIR/auth.json").read())'
tar cf - HOME_DIR | cat
bash -c 'exec 9<HOME_DIR; cat /proc/self/fd/9/auth.json'
END
  untouched
}
