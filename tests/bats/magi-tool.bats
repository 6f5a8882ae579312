#!/usr/bin/env bats
# magi-tool as a process: the stream, each tool, permissions, and commands with everything they start.

load helper

setup() {
  common_setup
  work=$PWD
  mkdir -p "$BATS_TEST_TMPDIR/outside" "$MC_HOME/sessions"
  outside=$BATS_TEST_TMPDIR/outside
  host_pid=
}

teardown() {
  exec 7>&- 8<&-
  [ -n "$host_pid" ] || return 0
  { kill -KILL "$host_pid"; wait "$host_pid"; } 2>/dev/null || true
}

# record NAME ARGUMENTS [EXTRA]: one tool_call line; its call_id is the tool's name.
record() { jq -nc --arg n "$1" --arg a "$2" --argjson x "${3:-null}" '{type: "tool_call", call_id: $n, name: $n, arguments: $a} + ($x // {})'; }

# one NAME ARGUMENTS [EXTRA]: runs one call over the stream; its result is in $output.
one() { run --separate-stderr bash -c 'printf "%s\n" "$1" | magi-tool "${@:2}"' _ "$(record "$1" "$2" "${3:-null}")" "${tool_options[@]}"; }
field() { jq -r "$1" <<<"$output"; }

# start_host OPTION...: a --serve process; write to fd 7, read from fd 8.
start_host() {
  mkfifo "$BATS_TEST_TMPDIR/in" "$BATS_TEST_TMPDIR/out"
  magi-tool --serve "$@" <"$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
  host_pid=$!
  exec 7>"$BATS_TEST_TMPDIR/in" 8<"$BATS_TEST_TMPDIR/out"
}
ask() { record "$@" >&7; }
# answer: the next tool_result, in $output; progress is skipped.
answer() {
  while read -r -t 20 output <&8; do
    [[ $output == '{"type":"tool_result"'* ]] && return
  done
  fail "no answer"
}

need_confinement() {
  run magi-confine --probe --write "$work" --no-network
  [ "$status" -eq 0 ] || skip "this kernel cannot confine"
}

# gone PID...: each ends within 2 s.
process_runs() { [ -d "/proc/$1" ] && [ "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null)" != Z ]; }
gone() {
  local pid
  for pid; do wait_until 3 bash -c "$(declare -f process_runs); ! process_runs $pid" || fail "process $pid lives"; done
}

# --- the command line and the stream

@test "--list: a definition a line, with a schema that allows nothing else" {
  run magi-tool --list
  assert_success
  for name in read write edit grep find list_files bash; do
    jq -se --arg n "$name" '.[] | select(.name == $n) | .type == "tool_definition" and (.description | length) > 0 and
      .parameters.type == "object" and .parameters.additionalProperties == false' <<<"$output" >/dev/null || fail "$name"
  done
}

@test "usage errors are one line, exit 2" {
  run_tool magi-tool --permissions none
  assert_one_error magi-tool 2
  run_tool magi-tool --root /no/such/folder
  assert_one_error magi-tool 2
  run_tool magi-tool nonesuch
  assert_one_error magi-tool 2
  run_tool magi-tool --serve read
  assert_one_error magi-tool 2
  run_tool magi-tool --session ../x
  assert_one_error magi-tool 2
  run_tool env -u HOME -u MC_HOME magi-tool read x
  assert_one_error magi-tool 2
}

@test "a person's call: plain text or JSON, output on stdout, exit 0 or 1" {
  echo hello >f
  run_tool magi-tool bash 'ls -l | wc -l'
  assert_success; assert_output 2
  run_tool magi-tool read '{"path":"f"}'
  assert_success; assert_output $'1\thello'
  run_tool magi-tool read missing
  assert_one_error magi-tool 1
  run_tool magi-tool bash 'echo out; exit 4'
  assert_equal "$status" 1; assert_output out
  [[ $stderr == *"exit code 4"* ]]
  run_tool magi-tool bash '{ echo braces; }'
  assert_success; assert_output braces
}

@test "one result a call, in call order, with ids and effects" {
  echo x >f
  run --separate-stderr bash -c '{ echo "$1"; echo "$2"; echo "$3"; } | magi-tool' _ "$(record bash '{"command":"sleep 0.3; echo slow"}')" \
    "$(record read '{"path":"f"}')" "$(record nonesuch '{}')"
  assert_success
  # On a slow machine progress comes between.
  output=$(jq -c 'select(.type == "tool_result")' <<<"$output")
  assert_equal "$(jq -r '.call_id' <<<"$output" | xargs)" "bash read nonesuch"
  assert_equal "$(jq -r '.status' <<<"$output" | xargs)" "success success error"
  assert_equal "$(jq -r '.result_id' <<<"$output" | sort -u | wc -l)" 3
  assert_equal "$(jq -c '.effects.shell_calls' <<<"$output" | xargs)" "1 0 0"
}

@test "a malformed line ends the stream with its number, after the results of the calls before" {
  echo x >f
  run_tool bash -c '{ echo "$1"; echo "{broken"; } | magi-tool' _ "$(record read '{"path":"f"}')"
  assert_equal "$status" 1
  assert_equal "${#lines[@]}" 1
  [[ $stderr == "magi-tool: stdin line 2: "* ]]
  run_tool bash -c 'echo "{\"type\":\"tool_call\",\"call_id\":\"1\"}" | magi-tool'
  assert_one_error magi-tool 1
}

@test "records of unknown types and blank lines are passed over" {
  echo x >f
  run_tool bash -c '{ echo; echo "{\"type\":\"later\"}"; echo "$1"; } | magi-tool' _ "$(record read '{"path":"f"}')"
  assert_success
  assert_equal "${#lines[@]}" 1
}

@test "unknown, duplicate, missing and mistyped arguments are errors that name the field" {
  local pair
  for pair in '{"path":"f","lines":3}|lines' '{"path":"f","path":"g"}|path' '{"path":7}|path' '{"path":"f","limit":"9"}|limit' \
    '{"path":"f","offset":0}|offset' '{"path":"f","offset":1.5}|offset' '{"path":null}|path' '{"paths":[]}|paths' '[1]|object' '{"path":|JSON'; do
    one read "${pair%|*}"
    assert_equal "$(field .status)" error
    [[ $(field .output) == *"${pair##*|}"* ]] || fail "$pair: $output"
  done
  one write '{"path":"f"}'
  [[ $(field .output) == *"content"*missing* ]]
  [ ! -e f ]
}

@test "SES-05: any output is one line of strict JSON" {
  one bash '{"command":"printf \"a\\nb\\r\\n\\tc\\001\\033[0m\""}'
  assert_equal "${#lines[@]}" 1
  assert_equal "$(jq -r '.output | @json' <<<"$output")" '"a\nb\r\n\tc\u0001\u001b[0m"'
}

# --- read

@test "read: numbered lines, windows, several files" {
  seq 1 5000 >f
  printf 'a\nb' >g
  one read '{"path":"f","offset":10,"limit":2}'
  assert_equal "$(field .output | head -2)" $'10\t10\n11\t11'
  [[ $(field .output) == *"5000 lines"*"offset 12"* ]]
  one read '{"path":"f"}'
  [ "$(field .output | wc -m)" -le 24000 ]
  [[ $(field '.view // "none"') == none ]]
  one read '{"paths":["g","missing","f"]}'
  assert_equal "$(field .status)" success
  [[ $(field .output) == *"==> g <=="*$'1\ta\n2\tb'*"No such file"*"==> f <=="* ]]
  one read '{"path":"g","offset":9}'
  [[ $(field .output) == *"no line 9"*"2 lines"* ]]
}

@test "read: empty files, long lines, CRLF, invalid bytes and binaries are described" {
  : >empty
  head -c 100000 /dev/zero | tr '\0' x >long
  printf 'a\r\nb\r\n' >crlf
  printf 'x\xff\xff\xff\n' >other
  printf 'ELF\0\1\2' >binary
  one read '{"path":"empty"}'; assert_equal "$(field .output)" "[empty file]"
  one read '{"path":"long"}'; [[ $(field .output) == *"a line of 100000 bytes"* ]] && [ "$(field .output | wc -m)" -lt 3000 ]
  one read '{"path":"crlf"}'; [[ $(field .output) == $'1\ta\n2\tb\n'*CRLF* ]]
  one read '{"path":"other"}'; [[ $(field .output) == *"x���"*"not valid UTF-8"* ]]
  one read '{"path":"binary"}'; [[ $(field .output) == *"binary file, 6 bytes"*"454c 4600"* ]]
}

@test "read: an image comes as a part" {
  printf '\x89PNG\r\n\x1a\nrest' >i.png
  one read '{"path":"i.png"}'
  assert_equal "$(field '.parts[0] | [.type, .media_type, .bytes] | @csv')" '"image","image/png",12'
  assert_equal "$(field '.parts[0].data' | base64 -d | sha256sum | cut -d' ' -f1)" "$(sha256sum <i.png | cut -d' ' -f1)"
}

@test "FIL-15: special files are refused at once, a giant one is a bounded window" {
  mkfifo fifo
  truncate -s 10G giant
  one read '{"path":"fifo"}'
  assert_equal "$(field .status)" error; [[ $(field .output) == *"not a regular file"* ]]
  run_tool timeout 5 magi-tool read /dev/zero
  assert_one_error magi-tool 1
  [[ $stderr == *"not a regular file"* ]]
  run_tool timeout 5 magi-tool read giant
  assert_success
  [[ $output == *10737418240* ]]
  printf 'first\n' | dd of=giant conv=notrunc status=none
  yes 'a line of text' | head -c 30000000 >big
  run_tool timeout 5 magi-tool read '{"path":"big","offset":1000000,"limit":1}'
  [[ $output == *$'1000000\ta line of text'* ]]
}

# --- write and edit

@test "write: creates with folders, replaces, and says what it changed" {
  one write '{"path":"a/b/c.txt","content":"one\n"}'
  assert_equal "$(field .status)" success
  assert_equal "$(cat a/b/c.txt)" one
  assert_equal "$(field '.effects.paths | join(" ")')" "a/ a/b/ a/b/c.txt"
  assert_equal "$(field '.details.observed[0].sha256')" "$(sha256sum <a/b/c.txt | cut -d' ' -f1)"
  chmod 640 a/b/c.txt
  one write '{"path":"a/b/c.txt","content":"two"}'
  assert_equal "$(cat a/b/c.txt) $(stat -c %a a/b/c.txt)" "two 640"
  assert_equal "$(field '.effects | "\(.kind) \(.mutations)"')" "write 1"
  assert_equal "$(ls -A a/b)" c.txt
}

@test "edit: exact replacement, all or nothing for several" {
  printf 'alpha\nbeta\ngamma\n' >f
  one edit '{"path":"f","old_text":"beta","new_text":"BETA"}'
  assert_equal "$(cat f)" $'alpha\nBETA\ngamma'
  one edit '{"path":"f","edits":[{"old_text":"alpha","new_text":"1"},{"old_text":"gamma","new_text":"3"}]}'
  assert_equal "$(cat f)" $'1\nBETA\n3'
  one edit '{"path":"f","edits":[{"old_text":"1","new_text":"x"},{"old_text":"nowhere","new_text":"y"}]}'
  assert_equal "$(field .status)" error
  [[ $(field .output) == *"edit 2"*"not found"* ]]
  assert_equal "$(cat f)" $'1\nBETA\n3'
  assert_equal "$(field '.effects.mutations')" 0
  one edit '{"path":"f","edits":[{"old_text":"1\nB","new_text":"x"},{"old_text":"BETA","new_text":"y"}]}'
  [[ $(field .output) == *overlaps* ]]
  one edit '{"path":"missing","old_text":"a","new_text":"b"}'
  assert_equal "$(field .status)" error; [ ! -e missing ]
}

@test "FIL-06: overlapping matches are ambiguous, with their lines" {
  printf 'x = 1\nx = 1\nx = 1\n' >f
  one edit '{"path":"f","old_text":"x = 1\nx = 1","new_text":"y"}'
  assert_equal "$(field .status)" error
  [[ $(field .output) == *"ambiguous: 2 matches, at lines 1, 2"* ]]
  assert_equal "$(cat f)" $'x = 1\nx = 1\nx = 1'
  one edit '{"path":"f","old_text":"x = 1","new_text":"y","replace_all":true}'
  assert_equal "$(cat f)" $'y\ny\ny'
}

@test "edit: a text that is not there gets the nearest candidate" {
  printf 'int main() {\n\treturn 0;\n}\n' >f
  one edit '{"path":"f","old_text":"int main() {\n    return 0;\n}","new_text":"x"}'
  [[ $(field .output) == *"Lines 1-3 differ from it in white space only"* ]]
  one edit '{"path":"f","old_text":"int main() {\n\treturn 1;","new_text":"x"}'
  [[ $(field .output) == *"nearest candidate is lines 1-2, where 1 of 2 lines agree"*$'-\t\treturn 1;\n+2\t\treturn 0;'* ]]
  one edit '{"path":"f","old_text":"1\tint main() {","new_text":"x"}'
  [[ $(field .output) == *"line numbers"* ]]
}

@test "FIL-02: line endings that are not edited stay, byte for byte" {
  printf 'lf\ncrlf\r\nlone\rcr\nend' >f
  printf 'LF\ncrlf\r\nlone\rcr\nend' >want
  one edit '{"path":"f","old_text":"lf\nc","new_text":"LF\nc"}'
  cmp f want
  printf 'one\r\ntwo\r\n' >g
  printf 'one\r\n2\r\n3\r\n' >want
  one edit '{"path":"g","old_text":"two\n","new_text":"2\n3\n"}'
  cmp g want
}

@test "FIL-03: bytes that are not UTF-8 stay" {
  printf 'x = 1\ncaf\xe9\n' >f
  printf 'x = 2\ncaf\xe9\n' >want
  one edit '{"path":"f","old_text":"x = 1","new_text":"x = 2"}'
  cmp f want
  # Bytes beyond ASCII whose encoding cannot be told: only ASCII can be put beside them.
  printf 'x = 2\n\xff\xff\xff\xff\n' | tee f >want
  one edit '{"path":"f","old_text":"x = 2","new_text":"x = é"}'
  assert_equal "$(field .status)" error
  [[ $(field .output) == *"not valid UTF-8"* ]]
  cmp f want
}

@test "FIL-03: other encodings are read as text, and edited and written in the same encoding" {
  printf 'x = 1\ncaf\xe9\n' >latin
  one read '{"path":"latin"}'
  [[ $(field .output) == *$'2\tcafé\n'*"Latin-1, as it seems"* ]]
  one edit '{"path":"latin","old_text":"x = 1\ncafé","new_text":"é = 1\ncafé"}'
  printf '\xe9 = 1\ncaf\xe9\n' | cmp - latin
  one edit '{"path":"latin","old_text":"café","new_text":"5 €"}'
  [[ $(field .output) == *"Latin-1 has no character '€'; nothing was changed"* ]]
  printf '\xe9 = 1\ncaf\xe9\n' | cmp - latin
  printf 'Grüße\r\nzwei\r\n' | iconv -f UTF-8 -t UTF-16LE | { printf '\xff\xfe'; cat; } >wide
  one read '{"path":"wide"}'; [[ $(field .output) == $'1\tGrüße\n2\tzwei\n'*"UTF-16 LE"* ]]
  one edit '{"path":"wide","edits":[{"old_text":"zwei\n","new_text":"2\n3\n"}]}'
  { printf '\xff\xfe'; printf 'Grüße\r\n2\r\n3\r\n' | iconv -f UTF-8 -t UTF-16LE; } | cmp - wide
  one write '{"path":"wide","content":"neu\n"}'
  [[ $(field .output) == *"it keeps CRLF line ends, UTF-16 LE"* ]]
  { printf '\xff\xfe'; printf 'neu\r\n' | iconv -f UTF-8 -t UTF-16LE; } | cmp - wide
  printf '\xef\xbb\xbfone\n' >mark
  one read '{"path":"mark"}'; assert_equal "$(field .output)" $'1\tone'
  one edit '{"path":"mark","old_text":"one","new_text":"two"}'
  printf '\xef\xbb\xbftwo\n' | cmp - mark
}

@test "edit: anchors from read name lines, and notice when they are others" {
  printf 'one\ntwo\nthree\n' >f
  one read '{"path":"f","anchors":true}'
  local -a anchors
  mapfile -t anchors < <(field .output | cut -d'|' -f1)
  assert_equal "$(field .output | cut -d'|' -f2 | xargs)" "one two three"
  one edit "$(jq -nc --arg a "${anchors[1]}" '{path: "f", edits: [{anchor: $a, new_text: "2\n2b"}, {anchor: $a, new_text: "end", insert: "after"}]}')"
  assert_equal "$(cat f)" $'one\n2\n2b\nend\nthree'
  one edit "$(jq -nc --arg a "${anchors[2]}" '{path: "f", edits: [{anchor: $a, new_text: "3"}]}')"
  assert_equal "$(field .status)" error
  [[ $(field .output) == *"That line is now:"*"|2b"*"probably now:"*"|three"* ]]
  assert_equal "$(cat f)" $'one\n2\n2b\nend\nthree'
  one edit '{"path":"f","edits":[{"anchor":"1:0000","old_text":"x","new_text":"y"}]}'
  [[ $(field .output) == *"'edits' must be"* ]]
}

@test "patch: several files changed, made, removed and renamed" {
  mkdir src; printf 'int a;\nint b;\n' >src/a.c; echo old >gone; printf 'x\ny\n' >from; chmod 750 from
  one patch "$(jq -nc '{patch: "diff --git a/src/a.c b/src/a.c\n--- a/src/a.c\n+++ b/src/a.c\n@@ -1,2 +1,3 @@\n int a;\n-int b;\n+int c;\n+int d;\ndiff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n--- /dev/null\n+++ b/new/deep/file\n@@ -0,0 +1 @@\n+made\n"}')"
  assert_equal "$(field .output)" $'M src/a.c\nD gone\nA new/deep/file'
  assert_equal "$(cat src/a.c new/deep/file | xargs) $(ls)" "int a; int c; int d; made from"$'\nnew\nsrc'
  assert_equal "$(field '.effects | .kind, .mutations, (.paths | join(" "))' | xargs)" "edit 5 src/a.c gone new/ new/deep/ new/deep/file"
  one patch '{"patch":"*** Begin Patch\n*** Update File: from\n*** Move to: to\n@@\n x\n-y\n+z\n*** End Patch\n"}'
  assert_equal "$(field .output)" "R from -> to"
  assert_equal "$(xargs <to) $(stat -c %a to)" "x z 750"
  [ ! -e from ]
}

@test "patch: all or nothing, checked first, and put back where publishing fails" {
  printf 'one\n' >a; printf 'two\n' >b; printf 'three\n' >c; chmod 0400 c
  before=$(sha256sum a b c; stat -c '%n %a' a b c)
  same() { assert_equal "$(sha256sum a b c; stat -c '%n %a' a b c)" "$before"; assert_equal "$(ls -A | xargs)" "a b c"; }
  one patch '{"patch":"*** Update File: a\n@@\n-one\n+1\n*** Update File: b\n@@\n-zwei\n+2\n"}'
  assert_equal "$(field .status)" error
  [[ $(field .output) == "'b': hunk 1 (line 6 of the patch): its lines were not found."*"Nothing was changed"* ]]
  assert_equal "$(field .effects.mutations)" 0
  same
  # The mode of the last file forbids it, which shows when the others are written.
  one patch '{"patch":"*** Add File: x/new\n+new\n*** Update File: a\n@@\n-one\n+1\n*** Delete File: b\n*** Update File: c\n@@\n-three\n+3\n"}'
  assert_equal "$(field .status)" error
  [[ $(field .output) == *"'c' is read-only"*"were put back; nothing was changed" ]]
  assert_equal "$(field '.effects | "\(.kind) \(.mutations)"')" "edit 0"
  same
  one patch '{"patch":"*** Add File: a\n+new\n"}'; [[ $(field .output) == *"'a' exists already"* ]]
  one patch '{"patch":"*** Delete File: none\n"}'; [[ $(field .output) == *"No such file"* || $(field .output) == *"no such file"* ]]
  one patch '{"patch":"*** Update File: a\n@@\n-one\n+1\n*** Update File: ./a\n@@\n-one\n+2\n"}'; [[ $(field .output) == *"named twice"* ]]
  one patch '{"patch":"hello"}'; [[ $(field .output) == *"no patch"* ]]
  same
}

@test "patch: stale files are refused, and rewind can take a patch back" {
  mkdir -p "$MC_HOME/checkpoints"; chmod 0700 "$MC_HOME" "$MC_HOME/sessions" "$MC_HOME/checkpoints"
  start_host --session s
  printf 'one\n' >a; printf 'two\n' >b
  ask read '{"paths":["a","b"]}'; answer
  echo more >>b
  ask patch '{"patch":"*** Update File: a\n@@\n-one\n+1\n*** Update File: b\n@@\n-two\n+2\n"}'; answer
  [[ $(field .output) == *"changed since read"* ]]
  assert_equal "$(cat a)" one
  ask read '{"path":"b"}'; answer
  ask patch '{"patch":"*** Update File: a\n@@\n-one\n+1\n*** Delete File: b\n*** Add File: n\n+n\n"}'; answer
  assert_equal "$(field .status)" success
  assert_equal "$(jq -r 'select(.type == "change") | "\(.path) \(.before.bytes) \(.after.bytes)"' "$MC_HOME/checkpoints/s.jsonl" | xargs)" "a 4 2 b 9 null n null 2"
}

@test "FIL-05: final newline and blank lines stay" {
  printf 'a\nb' >f; printf 'a\nb\n\n\n' >g
  one edit '{"path":"f","old_text":"a","new_text":"A"}'
  one edit '{"path":"g","old_text":"a","new_text":"A"}'
  printf 'A\nb' | cmp - f
  printf 'A\nb\n\n\n' | cmp - g
}

@test "FIL-08: the new text is inserted literally" {
  echo 'before MARK after' >f
  one edit "$(jq -nc '{path: "f", old_text: "MARK", new_text: "$& $1 $$ \\1 \\n %s ${x}"}')"
  assert_equal "$(cat f)" 'before $& $1 $$ \1 \n %s ${x} after'
}

@test "FIL-09: modes, links and hard links stay; a read-only file is refused" {
  local mode
  for mode in 755 640 400; do echo old >"f$mode"; chmod $mode "f$mode"; one edit "{\"path\":\"f$mode\",\"old_text\":\"old\",\"new_text\":\"new\"}"; done
  assert_equal "$(field .status)" error
  assert_equal "$(stat -c %a f755 f640 f400 | xargs) $(cat f755 f640 f400 | xargs)" "755 640 400 new new old"
  echo old >real; ln -s real link; ln real hard
  one edit '{"path":"link","old_text":"old","new_text":"new"}'
  [ -L link ] && [ real -ef hard ] && [ "$(cat hard)" = new ]
}

@test "FIL-11: a file that changed since the model read it is not written" {
  start_host
  echo one >f
  ask read '{"path":"f"}'; answer
  echo two >>f
  ask write '{"path":"f","content":"old view\n"}'; answer
  assert_equal "$(field .status)" error
  [[ $(field .output) == *"changed since read"* ]]
  ask edit '{"path":"f","old_text":"one","new_text":"1"}'; answer
  assert_equal "$(field .status)" error
  assert_equal "$(cat f)" $'one\ntwo'
  ask read '{"path":"f"}'; answer
  ask edit '{"path":"f","old_text":"one","new_text":"1"}'; answer
  assert_equal "$(field .status) $(head -1 f)" "success 1"
  ask write '{"path":"f","content":"mine\n"}'; answer
  assert_equal "$(field .status)" success
}

@test "FIL-11: what the caller says was seen counts across processes" {
  echo one >f
  local seen
  seen=$(sha256sum <f | cut -d' ' -f1)
  one write '{"path":"f","content":"x"}' "{\"observed\":[{\"path\":\"f\",\"sha256\":\"$seen\"}]}"
  assert_equal "$(field .status)" success
  one write '{"path":"f","content":"y"}' "{\"observed\":[{\"path\":\"f\",\"sha256\":\"$seen\"}]}"
  [[ $(field .output) == *"changed since read"* ]]
  assert_equal "$(cat f)" x
}

@test "FIL-11: what the session records as seen counts in a new process" {
  mkdir -p "$MC_HOME/sessions"
  chmod 0700 "$MC_HOME" "$MC_HOME/sessions"
  echo one | tee f >g
  result() { # result ID CWD PATH
    printf '{"event_type":"tool_result","event_id":"%s","timestamp":"2026-01-01T00:00:00.000Z","session_id":"s","cwd":"%s","payload":%s}\n' "$1" "$2" \
      "{\"turn_id\":\"t\",\"call_id\":\"c$1\",\"result_id\":\"r$1\",\"status\":\"success\",\"output\":\"\",\"details\":{\"observed\":[{\"path\":\"$3\",\"sha256\":\"$(sha256sum <f | cut -d' ' -f1)\"}]}}"
  }
  { result 1 "$(pwd -P)" f; result 2 /elsewhere g; echo '{"observed":'; } >"$MC_HOME/sessions/s.jsonl"
  chmod 0600 "$MC_HOME/sessions/s.jsonl"
  local call='{"type":"tool_call","call_id":"w","name":"write","arguments":"{\"path\":\"f\",\"content\":\"x\"}"}'
  run_tool magi-tool --session s <<<"$call"
  assert_equal "$(jq -r .status <<<"$output") $(cat f)" "success x"
  echo later >>f; echo later >>g
  run_tool magi-tool --session s <<<"$call"
  [[ $(jq -r .output <<<"$output") == *"changed since read"* ]]
  run_tool magi-tool --session s <<<"${call//f/g}"
  assert_equal "$(jq -r .status <<<"$output")" success
}

@test "FIL-17: killed at any point, a write leaves the old content or the new" {
  head -c 20000000 /dev/zero | tr '\0' o >old
  head -c 20000000 /dev/zero | tr '\0' n >new
  jq -Rsc '{type: "tool_call", call_id: "w", name: "write", arguments: ({path: "f", content: .} | tojson)}' new >call
  local round
  for round in {1..12}; do
    cp old f
    magi-tool <call >/dev/null 2>&1 3>&- &
    sleep "0.$(printf %03d $((RANDOM % 250)))"
    kill -KILL $! 2>/dev/null || true
    wait $! || true
    cmp -s f old || cmp -s f new || fail "a mixture"
  done
  magi-tool <call >/dev/null
  cmp f new
  assert_equal "$(ls -A | xargs)" "call f new old"
}

@test "a masked secret is neither edited nor written back" {
  echo "token = ghp_$(printf 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8')" >f
  one read '{"path":"f"}'
  [[ $(field .output) != *ghp_* ]]
  assert_equal "$(field .masked_secrets)" 1
  local shown
  shown=$(field .output | head -1 | cut -f2)
  one edit "$(jq -nc --arg t "$shown" '{path: "f", old_text: $t, new_text: "x"}')"
  assert_equal "$(field .status)" error
  [[ $(field .output) == *"masked secret"* ]]
  grep -q ghp_ f
}

# --- where the tools may go

@test "SEC-04: a link inside that leads out is not followed, by any tool or mode" {
  echo keep >"$outside/existing"
  ln -s "$outside" out
  ln -s "$outside/existing" file
  local mode
  for mode in workspace full; do
    tool_options=(--permissions $mode)
    one write '{"path":"out/x","content":"1"}'; assert_equal "$(field .status)" error
    one edit '{"path":"out/existing","old_text":"keep","new_text":"lost"}'; assert_equal "$(field .status)" error
    one read '{"path":"out/existing"}'; assert_equal "$(field .status)" error
    one read '{"path":"file"}'; assert_equal "$(field .status)" error
    one write '{"path":"file","content":"1"}'; assert_equal "$(field .status)" error
    one list_files '{"path":"out"}'; assert_equal "$(field .status)" error
    one grep '{"pattern":"keep"}'; [[ $(field .output) != *existing* ]]
  done
  assert_equal "$(ls "$outside") $(cat "$outside/existing")" "existing keep"
}

@test "links that stay inside are followed" {
  mkdir real; echo in >real/f; ln -s real rel; ln -s "$work/real" abs
  one read '{"path":"rel/f"}'; assert_equal "$(field .output)" $'1\tin'
  one read '{"path":"abs/f"}'; assert_equal "$(field .output)" $'1\tin'
  one edit '{"path":"abs/f","old_text":"in","new_text":"out"}'; assert_equal "$(cat real/f)" out
}

@test "outside paths need approval; added folders do not" {
  echo text >"$outside/f"
  local path
  for path in "$outside/f" ../outside/f /etc/hostname; do
    one read "{\"path\":\"$path\"}"
    assert_equal "$(field .status)" error
    [[ $(field .details.needs_approval) == *"outside"* ]] || fail "$output"
  done
  one write "{\"path\":\"$outside/g\",\"content\":\"\"}"
  assert_equal "$(field .status)" error; [ ! -e "$outside/g" ]
  one read "{\"path\":\"$outside/f\"}" '{"approved":true}'
  assert_equal "$(field '.output + .details.provenance')" $'1\ttext\noutside'
  tool_options=(--add-dir "$outside")
  one read '{"path":"../outside/f"}'; assert_equal "$(field .status)" success
  one write "{\"path\":\"$outside/g\",\"content\":\"1\"}"; assert_equal "$(cat "$outside/g")" 1
}

@test "read-only and ask want the user for changes and say so" {
  echo x >f
  tool_options=(--permissions read-only)
  one read '{"path":"f"}'; assert_equal "$(field .status)" success
  one write '{"path":"f","content":"y"}'
  [[ $(field .details.needs_approval) == *read-only* ]]
  one write '{"path":"f","content":"y"}' '{"approved":true}'; assert_equal "$(cat f)" y
  tool_options=(--permissions ask)
  one bash '{"command":"touch ran"}'
  [[ $(field .details.needs_approval) == *command* ]] && [ ! -e ran ]
  need_confinement
  one bash '{"command":"touch ran; touch /var/ran 2>/dev/null || echo confined"}' '{"approved":true}'
  assert_equal "$(field '.output + (.effects.confined | tostring)')" $'confined\ntrue'
  tool_options=(--permissions read-only)
  one bash '{"command":"touch no 2>/dev/null || echo kept; touch $TMPDIR/yes && echo tmp"}'
  assert_equal "$(field .output)" $'kept\ntmp'
}

@test "settings give the mode" {
  mkdir -p "$MC_HOME"
  echo '{"schema_version":2,"permissions":{"mode":"read-only"}}' >"$MC_HOME/settings.json"
  one write '{"path":"f","content":"y"}'
  [[ $(field .details.needs_approval) == *read-only* ]]
}

@test "credentials and conversations are opened by nobody, even inside the root" {
  echo '{"k":"secretkey"}' >"$MC_HOME/auth.json"
  echo '{"t":"secretkey"}' >"$MC_HOME/sessions/s.jsonl"
  tool_options=(--root "$BATS_TEST_TMPDIR")
  local path
  for path in mc/auth.json mc/sessions/s.jsonl; do
    one read "{\"path\":\"$path\"}" '{"approved":true}'; assert_equal "$(field .status)" error
    one write "{\"path\":\"$path\",\"content\":\"\"}" '{"approved":true}'; assert_equal "$(field .status)" error
  done
  one grep '{"pattern":"secretkey"}'; assert_equal "$(field .output)" "no match"
  one bash '{"command":"true"}'
  [[ $(field .details.needs_approval) == *"cannot be confined"* ]]
}

@test "SEC-13: without confinement and approval no command runs" {
  mkdir bin
  printf '#!/bin/sh\nexec %q --means landlock --landlock-abi 0 "$@"\n' "$(command -v magi-confine)" >bin/magi-confine
  chmod +x bin/magi-confine
  export MAGI_TOOL_PATH=$work/bin
  one bash '{"command":"touch inj"}'
  assert_equal "$(field .status)" error
  [[ $(field .details.needs_approval) == *"cannot be confined"*Landlock* ]]
  assert_equal "$(field .effects.shell_calls)" 0
  [ ! -e inj ]
  one bash '{"command":"touch ok"}' '{"approved":true}'
  assert_equal "$(field '.status + (.effects.confined | tostring)')" successfalse
  [ -e ok ]
}

@test "nothing is written in the home, unless permissions are full" {
  tool_options=(--root "$BATS_TEST_TMPDIR")
  local path
  for path in mc/settings.json mc/prompts/new/x.md "$MC_HOME/AGENTS.md"; do
    one write "{\"path\":\"$path\",\"content\":\"\"}" '{"approved":true}'
    assert_equal "$(field .status)" error
    [[ $(field .output) == *"home of this program"* ]] || fail "$output"
  done
  [ "$(ls "$MC_HOME")" = sessions ]
  tool_options+=(--permissions full)
  one write '{"path":"mc/AGENTS.md","content":"x"}'
  assert_equal "$(field .status)" success
}

@test "file_path and filePath stand for path; both are fine when they agree" {
  echo x >f
  one read '{"file_path":"f"}'; assert_equal "$(field .status)" success
  one read '{"path":"f","filePath":"f"}'; assert_equal "$(field .status)" success
  one read '{"path":"f","filePath":"g"}'; assert_equal "$(field .status)" error
  one read '{"path":"f","path":"f"}'; assert_equal "$(field .status)" error
  one grep '{"file":"f","pattern":"x"}'; [[ $(field .output) == *"'file'"* ]]
}

@test "a command too long for the kernel is a clear error" {
  run --separate-stderr bash -c 'head -c 140000 /dev/zero | tr "\0" " " | jq -Rc "{type: \"tool_call\", call_id: \"1\", name: \"bash\", arguments: ({command: (\"true\" + .)} | tojson)}" | magi-tool'
  assert_equal "$(field .status)" error
  [[ $(field .output) == *"at most 131071"* ]]
}

# --- grep, find, list_files

@test "grep: lines with file and number, glob, single files, RE2 errors" {
  mkdir src; printf 'one\ntwo needle\n' >src/a.cc; printf 'needle\n' >src/b.txt
  one grep '{"pattern":"need[l]e"}'
  assert_equal "$(field .output)" $'src/a.cc:2:two needle\nsrc/b.txt:1:needle'
  one grep '{"pattern":"^needle$","path":"src","glob":"*.{txt,md}"}'
  assert_equal "$(field .output)" "src/b.txt:1:needle"
  one grep '{"pattern":"needle","path":"src/a.cc"}'
  assert_equal "$(field .output)" "src/a.cc:2:two needle"
  one grep '{"pattern":"(","path":"src"}'
  assert_equal "$(field .status)" error; [[ $(field .output) == *"'pattern'"* ]]
  one grep '{"pattern":"absent"}'
  assert_equal "$(field '.status + " " + .output')" "success no match"
}

@test "grep and find ignore what git ignores" {
  git init -q .
  mkdir -p keep/sub build node_modules/x logs
  printf 'build/\n*.log\n!important.log\n/only-here\n' >.gitignore
  printf '*.tmp\n' >keep/.gitignore
  echo 'excluded' >.git/info/exclude
  local f
  for f in keep/a keep/sub/b.tmp build/c x.log important.log only-here keep/only-here excluded node_modules/x/d logs/e; do echo needle >"$f"; done
  one grep '{"pattern":"needle"}'
  assert_equal "$(field .output | grep -v skipped: | cut -d: -f1 | xargs)" "important.log keep/a keep/only-here logs/e"
  assert_equal "$(field .output | grep skipped:)" "[skipped: 2 hidden, 6 ignored (all: true takes them)]"
  one find '{"pattern":"*"}'
  assert_equal "$(field .output | grep -v skipped: | xargs)" "important.log keep/ keep/a keep/only-here keep/sub/ logs/ logs/e"
  one find '{"pattern":".gitignore"}'
  assert_equal "$(field .output | grep -v skipped: | xargs)" ".gitignore keep/.gitignore"
  one grep '{"pattern":"needle","all":true}'
  assert_equal "$(field .output | cut -d: -f1 | xargs)" \
    "build/c excluded important.log keep/a keep/only-here keep/sub/b.tmp logs/e node_modules/x/d only-here x.log"
  cd keep; one grep '{"pattern":"needle"}'
  assert_equal "$(field .output | grep -v skipped: | cut -d: -f1 | xargs)" "a only-here"
}

@test "FIL-12: a change between the tool's own reading and publishing stands" {
  mkdir -p "$MC_HOME/checkpoints/.locks"; chmod 0700 "$MC_HOME" "$MC_HOME/sessions" "$MC_HOME/checkpoints" "$MC_HOME/checkpoints/.locks"
  echo one >f
  # A lock that it waits for just before it publishes holds it there.
  local lock=$MC_HOME/checkpoints/.locks/ledgers
  : >"$lock"; chmod 0600 "$lock"
  mkfifo go
  python3 -c 'import fcntl, sys; f = open(sys.argv[1], "r+"); fcntl.lockf(f, fcntl.LOCK_EX); print("held", flush=True); open("go").read()' "$lock" >held 3>&- &
  local holder=$!
  wait_until 5 grep -q held held
  magi-tool --session s >result <<<"$(record edit '{"path":"f","old_text":"one","new_text":"mine"}')" 3>&- &
  local tool=$!
  sleep 0.5
  echo theirs >>f
  echo >go; wait "$holder"; wait "$tool"
  assert_equal "$(jq -r .status result)" error
  [[ $(jq -r .output result) == *conflict* ]]
  assert_equal "$(cat f)" $'one\ntheirs'
}

@test "FIL-14: node_modules, FIFOs, binaries and loops neither hang nor count" {
  mkdir -p node_modules/m src; (cd node_modules/m && seq 50000 | xargs touch)
  echo needle >node_modules/m/x.js; echo needle >src/a
  mkfifo fifo; ln -s . loop; ln -s loop src/loop
  { printf '\0'; truncate -s 200M /dev/stdout; } >big.bin; echo needle >>big.bin
  one grep '{"pattern":"needle"}'
  assert_equal "$(field .status)" success
  assert_equal "$(field .output | head -1)" "src/a:1:needle"
  assert_equal "$(field .output | grep -c needle)" 1
  assert_equal "$(field .output | grep skipped)" "[skipped: 1 ignored (all: true takes them), 1 binary]"
}

@test "grep: case, names only, hidden files, .ignore, the user's own excludes, more than fits" {
  mkdir -p a/.hid; echo Needle >a/one; printf 'needle\nneedle\n' >a/two; echo needle >.dot; echo needle >a/.hid/x
  one grep '{"pattern":"NEEDLE","ignore_case":true}'
  assert_equal "$(field .output | grep -v skipped | xargs)" "a/one:1:Needle a/two:1:needle a/two:2:needle"
  assert_equal "$(field .output | grep skipped)" "[skipped: 2 hidden (all: true takes them)]"
  one grep '{"pattern":"needle","names_only":true,"all":true}'
  assert_equal "$(field .output)" $'.dot: 1 line\na/.hid/x: 1 line\na/two: 2 lines'
  one grep '{"pattern":"needle","path":"a/.hid"}'; [[ $(field .output) == "a/.hid/x:1:needle"* ]]
  echo two >a/.ignore; mkdir -p "$HOME/.config/git"; echo one >"$HOME/.config/git/ignore"
  unset XDG_CONFIG_HOME
  one grep '{"pattern":"needle","ignore_case":true}'; [[ $(field .output) == $'no match\n'*"3 hidden, 2 ignored"* ]]
  echo '!one' >a/.rgignore
  one grep '{"pattern":"needle","ignore_case":true}'; [[ $(field .output) == "a/one:1:Needle"* ]]
  printf '[core]\n\texcludesFile = ~/mine\n' >"$HOME/.gitconfig"; echo three >"$HOME/mine"; echo needle >three
  one grep '{"pattern":"needle"}'; [[ $(field .output) != *three* ]]
  mkdir many; local n
  for n in {1..400}; do printf 'needle %0150d\n' $n >many/$n; done
  one grep '{"pattern":"needle","path":"many"}'
  [[ $(field .output) == many/1:1:*"[400 matches in 400 files; the first "*" are shown"* ]]
  [ "$(field .output | wc -m)" -le 24000 ]
}

@test "find and list_files" {
  mkdir -p a/b; touch a/x.cc a/b/y.cc a/b/z.h; ln -s x a/l
  one find '{"pattern":"*.cc"}'; assert_equal "$(field .output)" $'a/b/y.cc\na/x.cc'
  one find '{"pattern":"a/**/z.*"}'; assert_equal "$(field .output)" a/b/z.h
  one find '{"pattern":"y*","path":"a"}'; assert_equal "$(field .output)" a/b/y.cc
  one list_files '{"path":"a"}'; assert_equal "$(field .output)" $'b/\nl@\nx.cc 0'
  one list_files '{"path":"nowhere"}'; assert_equal "$(field .status)" error
}

# --- bash

@test "SHL-01: a background child that holds the output is not waited for" {
  local command start
  for command in 'sleep 300 & echo ok' '(setsid sleep 300 &) ; echo ok'; do
    start=$SECONDS
    run_tool magi-tool bash "$command"
    assert_success; assert_output ok
    [ $((SECONDS - start)) -le 2 ]
  done
  no_process_left "sleep 300"
  start_host
  ask bash '{"command":"(setsid sleep 301 &) ; echo ok"}'; answer
  assert_equal "$(field '.output + (.details.left_running | tostring)')" $'ok\ntrue'
  exec 7>&-
  wait_until 3 no_process_left "sleep 301"
}

@test "SHL-03: at the time limit the whole group ends" {
  one bash '{"command":"for i in 1 2 3; do (while :; do : mark-shl-03; done) & done; wait","timeout_ms":1000}'
  assert_equal "$(field .status)" timed_out
  [[ $(field .view) == *"timed out after 1000 ms"* ]]
  wait_until 3 no_process_left mark-shl-03
}

@test "SHL-04: a command deaf to SIGTERM ends too" {
  local start=$SECONDS
  one bash "$(jq -nc '{command: "trap \"\" TERM INT HUP; sleep 1004 & wait", timeout_ms: 1000}')"
  assert_equal "$(field .status)" timed_out
  [ $((SECONDS - start)) -le 6 ]
  no_process_left "sleep 1004"
}

@test "SHL-06: NUL and invalid bytes become visible" {
  one bash '{"command":"printf \"a\\0b\"; head -c 4096 /dev/urandom"}'
  iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
  [[ $(field .output) == "a␀b"* ]]
  run bash -c 'jq -j .output <<<"$1" | LC_ALL=C tr -dc "\0" | wc -c' _ "$output"
  assert_output 0
}

@test "SHL-07: no character is cut in half" {
  local pad
  for pad in '' x xx xxx; do
    one bash "$(jq -nc --arg p "$pad" '{command: ("printf %s " + ($p | @sh) + "; for i in {1..30000}; do printf \"\\xf0\\x9f\\x98\\x80\"; done")}')"
    assert_equal "$(field '.output | length')" $((30000 + ${#pad}))
    assert_equal "$(field '.view | split("😀") | join("") | test("^x*\n\\[... [0-9]+ characters omitted ...\\]\n$")')" true
    [[ $(field .view) == *"$((30000 + ${#pad} - 22000)) characters omitted"* ]]
  done
}

@test "output of 24,000 characters is shown whole, one more is not" {
  one bash '{"command":"head -c 24000 /dev/zero | tr \"\\\\0\" y"}'
  assert_equal "$(field '.view // "none"')" none
  one bash '{"command":"head -c 24001 /dev/zero | tr \"\\\\0\" y"}'
  [[ $(field .view) == *"2001 characters omitted"* ]]
}

@test "SHL-09: the shell's own exit code is reported, as a number" {
  local command
  for command in 'false | tail -1' 'yes | head -1' 'grep zzz /etc/hosts | wc -l'; do
    one bash "$(jq -nc --arg c "$command" '{command: $c}')"
    assert_equal "$(field '.status, .details.exit_code, (.details.exit_code | type)' | xargs)" "success 0 number"
  done
  one bash '{"command":"echo x; exit 3"}'
  assert_equal "$(field '[.status, .details.exit_code, .output, .view] | @json')" '["error",3,"x\n","x\n[exit code 3]"]'
  one bash '{"command":"kill -SEGV $$"}'
  assert_equal "$(field .details.signal)" SIGSEGV
}

@test "SHL-10: every call starts in the root; a root that is gone is a clear error until it is back" {
  mkdir "$BATS_TEST_TMPDIR/root"
  start_host --root "$BATS_TEST_TMPDIR/root" --permissions full
  ask bash '{"command":"mkdir -p t && cd t && rm -rf ../t"}'; answer
  ask bash '{"command":"pwd"}'; answer
  assert_equal "$(field .output)" "$BATS_TEST_TMPDIR/root"
  rmdir "$BATS_TEST_TMPDIR/root"
  ask bash '{"command":"pwd"}'; answer
  [[ $(field .output) == *"working directory missing"* ]]
  mkdir "$BATS_TEST_TMPDIR/root"
  ask bash '{"command":"pwd"}'; answer
  assert_equal "$(field .output)" "$BATS_TEST_TMPDIR/root"
}

@test "SHL-12: nothing waits for a person" {
  git init -q . && git -c user.name=n -c user.email=e commit -q --allow-empty -m first
  export EDITOR=vim VISUAL=vim
  local command
  for command in 'echo a >a; git add a; git -c user.name=n -c user.email=e commit' 'read x; echo "got:$x"' \
    'git ls-remote https://127.0.0.1:9/x' cat 'sudo -k true </dev/tty'; do
    run_tool timeout 5 magi-tool bash "$command"
    [ "$status" -ne 124 ] || fail "waited: $command"
  done
}

@test "SHL-13: keys and tokens do not reach commands" {
  export OPENAI_API_KEY=k1 ANTHROPIC_API_KEY=k2 MC_API_KEY=k3 GITHUB_TOKEN=k4 MY_SECRET=k5 EXTRA=k6 LANG=C.UTF-8 \
    SHAPED="sk-ant-api03-$(printf 'a%.0s' {1..90})"
  run_tool magi-tool --unset-env EXTRA bash env
  assert_success
  ! grep -E '=k[1-6]$|sk-ant' <<<"$output"
  for name in PATH HOME LANG; do grep -q "^$name=" <<<"$output"; done
}

@test "SHL-15: long output has head, tail and count for the model and is complete in the record" {
  one bash '{"command":"seq 1 400000"}'
  assert_equal "$(field '.output | (.[-7:] | @json) + " " + (length | tostring)')" '"400000\n" 2688895'
  [[ $(field .view) == $'1\n2\n'*"characters omitted"*$'\n400000'* ]]
  [ "$(field '.view | length')" -le 24000 ]
}

@test "SHL-16: a full temporary folder does not matter" {
  unshare -m true 2>/dev/null || skip "no mount namespace"
  mkdir "$BATS_TEST_TMPDIR/full"
  run --separate-stderr unshare -m bash -c 'mount -t tmpfs -o size=64k none "$1" && dd if=/dev/zero of="$1/x" 2>/dev/null
    export TMPDIR=$1; magi-tool bash "df ."' _ "$BATS_TEST_TMPDIR/full"
  assert_success
  [[ $output == *Filesystem* ]]
}

@test "output beyond 16 MiB is counted, and a flood is bounded" {
  one bash '{"command":"yes 0123456789abcde | head -c 20000000"}'
  [ "$(field .omitted_bytes)" -gt 3000000 ]
  [ "$(field '.output | length')" -lt 16800000 ]
}

# most_kib COMMAND...: its peak of resident memory, in KiB; what it prints goes to the file `printed`.
most_kib() { python3 -c 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=open("printed", "w"), stdin=open("input")); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }

@test "memory: a flood of output stays under 30 MB" {
  record bash '{"command":"yes","timeout_ms":2000}' >input
  local kib
  kib=$(most_kib magi-tool)
  jq -e 'select(.type == "tool_result") | .status == "timed_out" and .omitted_bytes > 10000000' printed
  echo "$kib KiB"
  [ "$kib" -lt 30000 ]
}

@test "memory: an edit of 100 MB needs three times the file, whatever is edited" {
  yes 'a line of text' | head -c 100000005 >f
  echo 'MARK' >>f
  record edit '{"path":"f","edits":[{"old_text":"MARK","new_text":"done"},{"anchor":"1:'"$(printf 'a line of text\n' >one; magi-tool read '{"path":"one","anchors":true}' | cut -d: -f2 | cut -d'|' -f1)"'","new_text":"first\nsecond"}]}' >input
  local kib
  kib=$(most_kib magi-tool)
  assert_equal "$(jq -r .status printed)" success
  assert_equal "$(head -2 f | xargs) $(tail -1 f)" "first second done"
  echo "$kib KiB"
  [ "$kib" -lt 300000 ]
}

@test "progress is shown while a command runs" {
  start_host
  ask bash '{"command":"echo first; sleep 1; echo last"}'
  read -r -t 10 output <&8
  assert_equal "$(field '.type, .call_id, .text' | xargs)" "tool_progress bash first"
  answer
  assert_equal "$(field .output)" $'first\nlast'
}

@test "a command is confined: no writes elsewhere, no network, TMPDIR of its own that goes with the process" {
  need_confinement
  start_host
  ask bash "{\"command\":\"echo x >'$outside/f'; echo y >here; exec 3<>/dev/tcp/127.0.0.1/1; echo \$TMPDIR; echo t >\$TMPDIR/t\"}"; answer
  assert_equal "$(field '.effects | "\(.confined) \(.network)"')" "true false"
  [ ! -e "$outside/f" ] && [ -e here ]
  local tmp
  tmp=$(field .details.stdout | tail -1)
  [ -e "$tmp/t" ] && [ "$(stat -c %a "$tmp")" = 700 ]
  exec 7>&-; gone "$host_pid"
  [ ! -e "$tmp" ]
}

@test "the next process removes what a killed one has left in the temporary folder" {
  need_confinement
  start_host
  ask bash '{"command":"echo $TMPDIR; touch $TMPDIR/x"}'; answer
  local tmp
  tmp=$(field .details.stdout)
  kill -KILL "$host_pid"; wait "$host_pid" 2>/dev/null || true
  [ -e "$tmp/x" ]
  one bash '{"command":"true"}'
  [ ! -e "$tmp" ]
}

@test "asking for no confinement needs approval" {
  one bash '{"command":"touch ran","unconfined":true}'
  [[ $(field .details.needs_approval) == *"without confinement"* ]] && [ ! -e ran ]
  one bash '{"command":"touch ran","unconfined":true}' '{"approved":true}'
  assert_equal "$(field .effects.confined)" false; [ -e ran ]
}

@test "background jobs: started, read, waited for, stopped, listed" {
  start_host
  ask bash '{"command":"echo one; while [ ! -e go ]; do sleep 0.05; done; echo two","background":true}'; answer
  assert_equal "$(field .details.job)" j1
  wait_until 5 bash -c 'true'
  ask bash '{"command":"sleep 400 & sleep 400","background":true}'; answer
  ask bash_job '{}'; answer
  [[ $(field .output) == *"j1 (running)"*"j2 (running)"* ]]
  touch go
  ask bash_job '{"job":"j1","action":"wait","timeout_ms":10000}'; answer
  assert_equal "$(field .output)" $'one\ntwo'
  [[ $(field .view) == *"job j1: exit code 0"* ]]
  ask bash_job '{"job":"j2","action":"stop"}'; answer
  [[ $(field .view) == *"job j2: stopped"* ]]
  ask bash '{"command":"trap \"echo tidy; exit 3\" TERM; echo up; while :; do sleep 0.05; done","background":true}'; answer
  ask bash_job '{"job":"j3","action":"wait","timeout_ms":300}'; answer
  [[ $(field .view) == *up*"job j3: running"* ]]
  ask bash_job '{"job":"j3","action":"stop"}'; answer
  [[ $(field .output) == *tidy ]] && [ "$(field .details.exit_code)" = 3 ]
  no_process_left "sleep 400"
  ask bash_job '{"job":"j9"}'; answer
  assert_equal "$(field .status)" error
  ask bash_job '{"job":"j1","action":"dance"}'; answer
  [[ $(field .output) == *"'action' must be one of"* ]]
}

@test "a job has its time limit" {
  start_host
  ask bash '{"command":"sleep 500","background":true,"timeout_ms":300}'; answer
  ask bash_job '{"job":"j1","action":"wait","timeout_ms":8000}'; answer
  [[ $(field .view) == *"job j1: timed out"* ]]
  wait_until 3 no_process_left "sleep 500"
}

# --- cancellation and sudden ends

@test "cancel ends a running call at once, and one that has not begun" {
  start_host
  ask bash '{"command":"echo begun; sleep 600 & sleep 600"}'
  ask read '{"path":"missing"}'
  read -r -t 10 output <&8   # progress: it runs
  local start=$SECONDS
  echo '{"type":"cancel","call_id":"read"}' >&7
  echo '{"type":"cancel","call_id":"bash"}' >&7
  answer
  assert_equal "$(field '.call_id, .status, .output' | xargs)" "bash cancelled begun"
  [ $((SECONDS - start)) -le 2 ]
  answer
  assert_equal "$(field '.call_id, .status' | xargs)" "read cancelled"
  no_process_left "sleep 600"
  ask bash '{"command":"echo alive"}'; answer
  assert_equal "$(field .output)" alive
}

@test "SIGTERM ends the process and its commands" {
  start_host
  ask bash '{"command":"echo begun; setsid sleep 700 & sleep 700"}'
  read -r -t 10 output <&8
  kill -TERM "$host_pid"
  local code=0; wait "$host_pid" || code=$?
  assert_equal "$code" 143
  wait_until 3 no_process_left "sleep 700"
}

@test "when the host is gone its commands end" {
  mkfifo "$BATS_TEST_TMPDIR/in" "$BATS_TEST_TMPDIR/out"
  magi-tool --serve <"$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/out" 3>&- &
  host_pid=$!
  exec 7>"$BATS_TEST_TMPDIR/in" 8<"$BATS_TEST_TMPDIR/out"
  ask bash '{"command":"echo begun; (setsid sleep 800 &); sleep 800"}'
  read -r -t 10 output <&8
  exec 7>&- 8<&-
  gone "$host_pid"
  wait_until 2 no_process_left "sleep 800"
}

@test "kill -9 of magi-tool or magi-confine leaves no process of the call" {
  local round victim
  for round in {1..6}; do
    rm -f "$BATS_TEST_TMPDIR/in" "$BATS_TEST_TMPDIR/out"
    start_host
    ask bash '{"command":"(setsid sleep 900 &); sleep 900 & (while :; do sleep 0.1; done) & sleep 900"}'
    sleep "0.$(printf %02d $((RANDOM % 15)))"
    victim=$host_pid
    if ((round % 2)); then
      victim=$(pgrep -P "$host_pid" -x magi-confine || echo "$host_pid")
    fi
    kill -KILL "$victim" 2>/dev/null || true
    if [ "$victim" != "$host_pid" ]; then
      answer
      assert_equal "$(field .status)" error
    fi
    wait_until 2 no_process_left "sleep 900" || fail "round $round: $(ps -eo pid,ppid,args | grep 'sleep 900')"
    exec 7>&- 8<&-
    gone "$host_pid"
  done
}
