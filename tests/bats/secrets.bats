#!/usr/bin/env bats
# Secrets that pass by are on no disk: 200 synthetic ones, through every path.

load helper
load fake

setup() {
  common_setup
  mkdir -p "$BATS_TEST_TMPDIR/repo" "$MC_HOME"
  cd "$BATS_TEST_TMPDIR/repo"
  python3 "$BATS_TEST_DIRNAME/../data/secrets.py" >"$BATS_TEST_TMPDIR/secrets.jsonl"
  # As they stand in texts: a password in an address.
  jq -r 'if .kind == "password" then "postgres://app:" + .secret + "@db.example/x" else .secret end' \
    "$BATS_TEST_TMPDIR/secrets.jsonl" >"$BATS_TEST_TMPDIR/texts"
}

teardown() { stop_fake; }

code() { magi-code --base-url "$FAKE_URL/v1" -m mock-model --permissions full "$@" </dev/null; }
session_file() { ls "$MC_HOME"/sessions/*.jsonl; }

# none_stored [FOLDER]: no secret stands in any file there but auth.json, whole or in its telling part.
none_stored() {
  python3 - "${1:-$MC_HOME}" "$BATS_TEST_TMPDIR/secrets.jsonl" <<'PY'
import json, pathlib, sys, zipfile
secrets = [json.loads(line)["secret"] for line in open(sys.argv[2])]
marks = {s.split("\n")[1] if "\n" in s else s: s for s in secrets}
bad = 0
def look(name, data):
    global bad
    for mark in marks:
        if mark.encode() in data:
            bad += 1
            print(f"{name} holds {mark[:20]}...")
for path in pathlib.Path(sys.argv[1]).rglob("*"):
    if not path.is_file() or path.name == "auth.json":
        continue
    look(path, path.read_bytes())
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                look(f"{path}:{name}", archive.read(name))
sys.exit(bad > 0)
PY
}

@test "SEC-10: secrets in a tool's output are masked on disk and in what is sent; calls and digests hold" {
  cp "$BATS_TEST_TMPDIR/texts" keys.txt
  start_fake '{"turns":[{"calls":[{"name":"read","args":{"path":"keys.txt"}},{"name":"bash","args":{"command":"cat keys.txt; cat keys.txt >&2"}},{"name":"grep","args":{"pattern":".","path":"keys.txt"}}]},{"text":"Done."}]}'
  code -q -p look
  none_stored
  mkdir "$BATS_TEST_TMPDIR/sent"
  fake_requests | jq -c .body >"$BATS_TEST_TMPDIR/sent/bodies"
  none_stored "$BATS_TEST_TMPDIR/sent"
  magi-replay "$(basename "$(session_file)" .jsonl)" >replayed
  assert_equal "$(jq -rs 'map(select(.type == "tool_call" or .type == "tool_result")) | map(.type) | join(" ")' replayed)" \
    'tool_call tool_call tool_call tool_result tool_result tool_result'
  assert_equal "$(jq -r 'select(.type == "end") | .digest' replayed)" \
    "sha256:$(grep -v '^{"type":"end"' replayed | sha256sum | cut -d' ' -f1)"
  # Counted once, though a shell's output stands in its details too.
  run jq -rc 'select(.event_type == "tool_result") | .payload.masked_secrets' "$(session_file)"
  assert_line --index 0 200
  # A bounded copy may have cut one in two.
  ((lines[1] >= 200 && lines[1] <= 202))
}

@test "secrets in prompts, answers, arguments, errors and reasoning are masked on disk, split over deltas or not" {
  local all
  all=$(jq -Rs . <"$BATS_TEST_TMPDIR/texts")
  start_fake '{"turns":[{"text":'"$all"',"thinking":'"$all"',"chunk":7,"calls":[{"name":"bash","args":{"command":'"$(jq -Rs '"cat <<X\n" + . + "\nX"' <"$BATS_TEST_TMPDIR/texts")"'}},{"name":"read","args":{"path":'"$(head -n 1 "$BATS_TEST_TMPDIR/texts" | jq -R .)"'}}]},{"text":"Done.","chunk":3}]}'
  code -q -p "$(cat "$BATS_TEST_TMPDIR/texts")" >/dev/null
  none_stored
  # The title of the session, its sidecar and what lists it.
  magi-code sessions list --json >"$BATS_TEST_TMPDIR/listed"
  run jq -r 'select(.event_type == "session_title") | .payload.title' "$(session_file)"
  assert_output --partial '[masked secret: '
}

@test "a turn that fails or is cut keeps no secret, nor half of one" {
  local key body
  key=$(head -n 1 "$BATS_TEST_TMPDIR/texts")
  # Cut in the middle of it, and gone on with the rest.
  start_fake '{"turns":[{"text":"The key is '"${key:0:40}"'","terminal":false},{"text":"'"${key:40}"', that was it."}]}'
  code -q -p look || true
  none_stored
  run grep -c -e "${key:0:40}" -e "${key:40}" "$(session_file)"
  assert_output 0
  run jq -r 'select(.event_type == "assistant_output") | .payload.text' "$(session_file)"
  assert_line --index 0 'The key is [masked secret: cut off]'
  assert_line --index 1 '[masked secret: rest of one], that was it.'
}

@test "keys of the environment and of logins are masked by value, also encoded; children never get them" {
  local key=Plain9-key-without-any-shape-1234567 login=login-token-without-shape-7654321 other=Tok3n-of-another-service
  printf '{"openai-codex":{"access_token":"%s","refresh_token":"r-%s","account_id":"a"}}' "$login" "$login" >"$MC_HOME/auth.json"
  chmod 600 "$MC_HOME/auth.json"
  printf '%s\n' "$key" "$login" >keys.txt
  { base64 -w 20 keys.txt; printf 'x%s' "$key" | base64; printf %s "$key" | xxd -p; printf %s "$login" | sed 's/-/%2D/g'; } >encoded.txt
  start_fake '{"turns":[{"calls":[{"name":"bash","args":{"command":"cat keys.txt encoded.txt; env; echo '"$other"'"}}]},{"text":"It is '"$key"'."}]}'
  MC_API_KEY=$key MY_SERVICE_TOKEN=$other code -q -p "use $key"
  run grep -rcF -e "$key" -e "$login" -e "$other" "$MC_HOME/sessions" "$MC_HOME/state"
  refute_output --regexp ':[1-9]'
  run grep -o 'known key' "$(session_file)"
  [ "${#lines[@]}" -ge 6 ]
  run jq -r 'select(.event_type == "tool_result") | .payload.output' "$(session_file)"
  refute_output --partial "$(printf %s "$key" | base64 | cut -c1-20)"
  refute_output --partial MY_SERVICE_TOKEN
  refute_output --partial MC_API_KEY
}

@test "exports and summaries hold none either" {
  cp "$BATS_TEST_TMPDIR/texts" keys.txt
  local all
  all=$(head -n 5 "$BATS_TEST_TMPDIR/texts" | jq -Rs .)
  start_fake '{"no_tools":{"text":'"$all"'},"turns":[{"calls":[{"name":"bash","args":{"command":"cat keys.txt; seq 2000"}}]},{"text":"Done."}]}'
  code -q -p look
  local id
  id=$(basename "$(session_file)" .jsonl)
  magi-compact --base-url "$FAKE_URL/v1" --provider openai-compatible --model mock-model "$id" >/dev/null
  magi-export --redact "$id" >/dev/null
  magi-export --redact --format md "$id" >"$MC_HOME/exports/readable.md"
  magi-export --redact --format html "$id" >"$MC_HOME/exports/readable.html"
  none_stored
}
