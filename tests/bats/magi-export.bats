# magi-export as a process (requirements X1-X3).
load helper

setup() {
  common_setup
  sessions=$MC_HOME/sessions
  mkdir -p "$sessions/subagents"
  chmod -R 700 "$MC_HOME"
}

# event TYPE PAYLOAD
event() {
  printf '{"event_type":"%s","event_id":"1","timestamp":"2026-01-01T00:00:00.000Z","session_id":"a","cwd":"/w","payload":%s}\n' "$1" "$2"
}
user() { event user_input "{\"turn_id\":\"t\",\"text\":\"$1\"}"; }
child() { event subagent_session "{\"child_id\":\"$1\",\"parent_id\":\"a\",\"status\":\"completed\",\"summary\":\"s\"}"; }
private() { find "$MC_HOME" -type f -exec chmod 600 {} +; find "$MC_HOME" -type d -exec chmod 700 {} +; }

# A session with a sidecar, two generations, a child with a generation of its own, and a grandchild.
full_session() {
  mkdir -p "$sessions/.history/a" "$sessions/subagents/.history/c1"
  { user now; child c1; event compaction '{"summary":"s","generation":2,"carried":{"children":["c3"]}}'; } >"$sessions/a.jsonl"
  echo '{}' >"$sessions/a.meta.json"
  user zero >"$sessions/.history/a/0.jsonl"; { user one; child c3; } >"$sessions/.history/a/1.jsonl"
  { user deep; child c2; } >"$sessions/subagents/c1.jsonl"; echo '{}' >"$sessions/subagents/c1.meta.json"
  user before >"$sessions/subagents/.history/c1/0.jsonl"
  user deeper >"$sessions/subagents/c2.jsonl"; user of-an-archive >"$sessions/subagents/c3.jsonl"
  user other >"$sessions/b.jsonl"; user unrelated >"$sessions/subagents/d.jsonl"
  private
}

export_of() { run_tool magi-export "$@"; assert_success; zip=$output; }
manifest() { unzip -p "$zip" manifest.json | jq -c "$1"; }

# Every member is what the manifest says, read by a program that is not ours.
assert_manifest_holds() {
  local path bytes sha256 count=0
  unzip -tqq "$zip"
  python3 -m zipfile -t "$zip" >/dev/null
  7z t "$zip" >/dev/null
  while IFS=$'\t' read -r path bytes sha256; do
    assert_equal "$(unzip -p "$zip" "$path" | wc -c)" "$bytes"
    assert_equal "$(unzip -p "$zip" "$path" | sha256sum | cut -d' ' -f1)" "$sha256"
    count=$((count + 1))
  done < <(manifest '.files[]' | jq -r '[.path, .bytes, .sha256] | @tsv')
  assert_equal "$(unzip -Z1 "$zip" | wc -l)" $((count + 1))
}

@test "X1, X2: a session with all that belongs to it, byte for byte, and a manifest" {
  full_session
  local before
  before=$(find "$sessions" -name '*.json*' -printf '%p %s %T@\n' | sort)
  export_of a
  assert_equal "$(ls "$MC_HOME/exports")" "$(basename "$zip")"
  [[ $zip =~ /exports/a-[0-9]{8}T[0-9]{6}Z\.zip$ ]]
  assert_equal "$(stat -c %a "$zip" "$MC_HOME/exports" | xargs)" "600 700"
  assert_manifest_holds
  assert_equal "$(unzip -Z1 "$zip" | sort | xargs)" "$(cd "$MC_HOME" && echo manifest.json \
    sessions/.history/a/0.jsonl sessions/.history/a/1.jsonl sessions/a.jsonl sessions/a.meta.json \
    sessions/subagents/.history/c1/0.jsonl sessions/subagents/c1.jsonl sessions/subagents/c1.meta.json sessions/subagents/c2.jsonl sessions/subagents/c3.jsonl)"
  unzip -p "$zip" sessions/.history/a/1.jsonl | cmp - "$sessions/.history/a/1.jsonl"
  assert_equal "$(manifest '[.complete, .redacted, (.children | map([.id, .parent_id, .included]) | sort)]')" \
    '[true,false,[["c1","a",true],["c2","c1",true],["c3","a",true]]]'
  assert_equal "$(manifest '[.files[] | select(.generation == 1) | .role]')" '["generation"]'
  assert_equal "$(find "$sessions" -name '*.json*' -printf '%p %s %T@\n' | sort)" "$before"
  [[ $stderr == *"not encrypted"* ]]
}

@test "X1: an archive is never overwritten" {
  full_session
  local i
  for i in {1..6}; do magi-export a 2>/dev/null; done | sort >names
  assert_equal "$(sort -u names | wc -l)" 6
  while read -r zip; do unzip -tqq "$zip"; done <names
}

@test "X3: a descendant that is missing or unsafe is left out with a warning, never followed" {
  full_session
  local outside=$BATS_TEST_TMPDIR/outside
  mkdir "$outside"; user secret >"$outside/x.jsonl"
  rm "$sessions/subagents/c2.jsonl"
  ln -sf "$outside/x.jsonl" "$sessions/subagents/c3.jsonl"
  chmod 644 "$sessions/a.meta.json"
  rm "$sessions/.history/a/1.jsonl"; mkfifo "$sessions/.history/a/1.jsonl"
  echo junk >"$sessions/.history/a/notes"
  child '../../../etc/passwd' >>"$sessions/a.jsonl"
  run_tool strace -f -o trace -e trace=openat,open,stat magi-export a
  assert_success
  zip=$output
  assert_manifest_holds
  assert_equal "$(manifest '[.complete, (.warnings | map(.category + " " + .role) | sort)]')" \
    '[false,["invalid_id child_session","missing child_session","unsafe child_session","unsafe generation","unsafe metadata"]]'
  refute grep -F "$outside" trace
  refute grep -F passwd trace
  [[ $stderr == *"not complete: child_session missing"* && $stderr != *"$MC_HOME"* ]]
  [ ! -e "$sessions/subagents/.locks/c2.mutation" ]
}

@test "X3: a primary that is missing or unsafe ends the export, and nothing is left" {
  full_session
  local bad
  run_tool magi-export nosuch
  assert_one_error magi-export 1
  for bad in ../a a/b '' '*'; do
    run_tool magi-export -- "$bad"
    assert_one_error magi-export 2
  done
  run_tool magi-export a b
  assert_one_error magi-export 2
  chmod 644 "$sessions/a.jsonl"
  run_tool magi-export a
  assert_one_error magi-export 1
  rm "$sessions/a.jsonl"; ln -s b.jsonl "$sessions/a.jsonl"
  run_tool magi-export a
  assert_one_error magi-export 1
  [ ! -e "$MC_HOME/exports" ] || [ -z "$(ls -A "$MC_HOME/exports")" ]
}

@test "an export beside a live writer is a prefix of whole records" {
  user first >"$sessions/a.jsonl"; private
  mkdir -p -m 700 "$sessions/.locks"
  python3 - "$sessions" <<'PY' &
import fcntl, os, struct, sys, time
fd = os.open(sys.argv[1] + "/.locks/a.lease", os.O_RDWR | os.O_CREAT, 0o600)
fcntl.fcntl(fd, 37, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
out = os.open(sys.argv[1] + "/a.jsonl", os.O_WRONLY | os.O_APPEND)
line = b'{"event_type":"diagnostic","event_id":"2","payload":{"text":"' + b"x" * 5000 + b'"}}\n'
end = time.time() + 60
while time.time() < end:
    os.write(out, line[:3000]); time.sleep(0.0005); os.write(out, line[3000:])
PY
  local writer=$! i
  for i in {1..100}; do [ "$(wc -c <"$sessions/a.jsonl")" -gt 20000 ] && break; sleep 0.05; done
  for i in {1..5}; do
    export_of a
    assert_manifest_holds
    unzip -p "$zip" sessions/a.jsonl >prefix
    [ "$(tail -c 1 prefix)" = "" ]
    jq -e .event_type prefix >/dev/null
    cmp -n "$(wc -c <prefix)" prefix "$sessions/a.jsonl"
  done
  kill "$writer"; wait "$writer" 2>/dev/null || true
}

@test "hostile home: what is swapped for links, folders and FIFOs during an export never gets into it" {
  full_session
  local outside=$BATS_TEST_TMPDIR/outside good=0
  mkdir -m 700 "$outside"; user stolen >"$outside/x.jsonl"; cp "$outside/x.jsonl" "$outside/0.jsonl"; chmod 600 "$outside"/*
  python3 - "$sessions" "$outside" <<'PY' &
import os, sys
sessions, outside = sys.argv[1:]
names = ("subagents/c1.jsonl", "subagents/c2.jsonl", ".history/a/0.jsonl", "a.meta.json", "a.jsonl")
while True:
    for name in names:
        path, kept, bad = f"{sessions}/{name}", f"{outside}/kept", f"{sessions}/.swap"
        for make in (lambda: os.symlink(f"{outside}/x.jsonl", bad), lambda: os.mkfifo(bad), lambda: os.link(f"{outside}/x.jsonl", bad)):
            os.rename(path, kept); make(); os.rename(bad, path); os.rename(kept, path)
PY
  swapper=$!
  for _ in {1..60}; do
    run_tool magi-export a
    if [ "$status" = 0 ]; then
      zip=$output good=$((good + 1))
      unzip -tqq "$zip"
      run bash -c "unzip -p '$zip' | grep -c stolen"
      assert_output 0
    else
      assert_equal "$status" 1
    fi
  done
  kill "$swapper"; wait "$swapper" || true
  [ "$good" -gt 0 ]
  [ "$(cat "$outside/x.jsonl")" = "$(user stolen)" ]
}

@test "--redact masks secrets of known shapes, counts them, and leaves valid JSON" {
  local key=sk-ant-api03-$(head -c 60 /dev/zero | tr '\0' A)
  { user "key $key"; user plain; event tool_result "{\"output\":\"\\\"$key\\\"\"}"; } >"$sessions/a.jsonl"; private
  export_of a --redact
  assert_manifest_holds
  refute grep -F "$key" <(unzip -p "$zip")
  assert_equal "$(unzip -p "$zip" sessions/a.jsonl | jq -s length)" 3
  assert_equal "$(manifest '[.redacted, .masked_secrets, .files[0].masked_secrets]')" '[true,2,2]'
  [[ $stderr == *"masked 2 secrets"* ]]
  assert_equal "$(unzip -p "$zip" sessions/a.jsonl | sed -n 2p)" "$(user plain)"
}

@test "--json says what was made; interrupted, nothing is left" {
  full_session
  run_tool magi-export a --json
  assert_success
  assert_equal "$(jq -c '[.files, .warnings, (.path | endswith(".zip"))]' <<<"$output")" '[9,[],true]'
  yes "$(user "$(head -c 2000 /dev/urandom | base64 -w0)")" | head -c 150000000 >"$sessions/a.jsonl"; private
  rm -rf "$MC_HOME/exports"
  magi-export a >out 2>err &
  local pid=$! status=0
  sleep 0.3
  kill -INT "$pid"
  wait "$pid" || status=$?
  [ "$status" -eq 130 ] || { [ "$status" -eq 0 ] && skip "the machine was faster"; }
  assert_equal "$(ls -A "$MC_HOME/exports")" ""
  assert_equal "$(cat out)" ""
}

@test "many children, and an empty session" {
  : >"$sessions/a.jsonl"
  local i
  for ((i = 0; i < 600; i++)); do child "c$i" >>"$sessions/a.jsonl"; user "$i" >"$sessions/subagents/c$i.jsonl"; done
  private
  (ulimit -Sn 256 && magi-export a 2>/dev/null) >path
  zip=$(cat path)
  assert_equal "$(unzip -Z1 "$zip" | wc -l)" 602
  unzip -tqq "$zip"
  : >"$sessions/a.jsonl"
  export_of a
  assert_manifest_holds
}

# A conversation with two generations, hostile texts, a call with a long result, and a turn that was cancelled.
told_session() {
  mkdir -p "$sessions/.history/a"
  { event user_input '{"turn_id":"t1","text":"first question"}'
    event assistant_output '{"turn_id":"t1","status":"completed","text":"first answer"}'
  } >"$sessions/.history/a/0.jsonl"
  { event compaction '{"summary":"of the first","generation":1,"archive":{"path":".history/a/0.jsonl","bytes":1,"sha256":"x"}}'
    event session_title '{"title":"Sums & <b>differences</b>"}'
    event user_input '{"turn_id":"t2","text":"see <script>alert(1)</script> \u001b]0;title\u0007"}'
    event assistant_output '{"turn_id":"t2","status":"completed","text":"**bold** [bad](javascript:alert(1)) [good](https://example.org/?a=1&b=\"2) ![p](http://example.org/p.png)\n\n<img src=x onerror=alert(2)>\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n"}'
    event tool_call '{"turn_id":"t2","call_id":"c","name":"bash","arguments":"{\"command\":\"ls\"}"}'
    event tool_result "{\"turn_id\":\"t2\",\"call_id\":\"c\",\"result_id\":\"r\",\"status\":\"error\",\"output\":\"\`\`\`\`\nhead $(printf 'x%.0s' {1..30000})tail sk-ant-api03-$(printf 'A%.0s' {1..93})AA\"}"
    event provider_stream_trace '{"run_id":"r","turn_id":"t2","request_sequence":1}'
    printf 'not an event\n'
    event turn_status '{"turn_id":"t2","status":"cancelled","partial_text":"half an ans"}'
  } >"$sessions/a.jsonl"
  private
}

@test "--format md: the whole history as one text that nothing in it can break" {
  told_session
  run_tool magi-export --format md a
  assert_success
  assert_line --index 0 '# Sums & \<b\>differences\</b\>'
  assert_line --partial 'first question'
  assert_line --partial 'first answer'
  assert_output --partial 'of the first'
  assert_output --partial '\x1b]0;title\x07'
  assert_line '`````'
  assert_output --partial '[18123 characters left out]'
  assert_output --partial 'half an ans'
  assert_output --partial 'sk-ant-api03-'
  refute_output --partial $'\e'
  assert_equal "$stderr" 'magi-export: 1 lines that are no events were left out'
  # Oldest first.
  assert [ "$(grep -n 'first answer' <<<"$output" | cut -d: -f1)" -lt "$(grep -n 'bold' <<<"$output" | cut -d: -f1)" ]
}

@test "--format html: one file that loads and runs nothing" {
  told_session
  magi-export --format html a >page.html 2>/dev/null
  python3 - page.html <<'P'
import html.parser, sys
class Check(html.parser.HTMLParser):
    stack, void, seen, words = [], {"meta", "br", "hr"}, [], ""
    def handle_starttag(self, tag, attributes):
        assert tag not in {"script", "img", "iframe", "object", "link", "form"}, tag
        for name, value in attributes:
            assert not name.startswith("on"), name
            assert name not in {"src", "srcset", "style"}, name
            assert name != "href" or value.split(":")[0] in {"http", "https", "mailto"}, value
        if tag not in self.void: self.stack.append(tag)
        self.seen.append(tag)
    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, tag
    def handle_data(self, data): self.words += data
check = Check(); check.feed(open(sys.argv[1], encoding="utf-8").read()); check.close()
assert check.stack == [], check.stack
for tag in ("strong", "table", "td", "a", "details", "pre"): assert tag in check.seen, tag
for text in ("first question", "<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "half an ans", "bad"): assert text in check.words, text
P
  assert grep -q "default-src 'none'" page.html
}

@test "--format jsonl: every event once, oldest first, and none that is broken" {
  told_session
  magi-export --format jsonl a >events.jsonl 2>/dev/null
  assert_equal "$(jq -r .event_type events.jsonl | tr '\n' ' ')" 'user_input assistant_output compaction session_title user_input assistant_output tool_call tool_result provider_stream_trace turn_status '
}

@test "--format with --redact masks, and says how often" {
  told_session
  local format
  for format in md html jsonl; do
    run_tool magi-export --redact --format "$format" a
    assert_success
    refute_output --partial 'sk-ant-api03-'
    assert_output --partial 'masked secret'
    [[ $stderr == *'masked 1 secrets'* ]]
  done
}

@test "--format: what cannot be" {
  told_session
  run_tool magi-export --format pdf a
  assert_failure 2
  run_tool magi-export --format md --json a
  assert_failure 2
  run_tool magi-export --format md nothing
  assert_one_error magi-export 1
}
