# Helpers for tests that need a model server: `load fake` beside `load helper`.  tests/fake/README.md describes the
# scripts and the log.  The server listens on a free port of 127.0.0.1, and dies with the test's process.

# start_fake SCRIPT [SERVER OPTIONS]: SCRIPT is a file, or JSON text.  Sets FAKE_URL (no path: OpenAI and chat clients
# may add /v1), FAKE_PORT, FAKE_LOG, FAKE_SCRIPT and FAKE_PID.  A second call starts a second server.
start_fake() {
  local script=$1 root dir
  shift
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
  dir=$(mktemp -d "${BATS_TEST_TMPDIR:-${TMPDIR:-/tmp}}/fake.XXXXXX")
  FAKE_SCRIPT=$script
  case $script in
    '{'*) FAKE_SCRIPT=$dir/script.json; printf '%s\n' "$script" >"$FAKE_SCRIPT" ;;
  esac
  FAKE_LOG=$dir/log.jsonl
  : >"$FAKE_LOG"
  FAKE_LOGS+=("$FAKE_LOG")
  "${MAGI_FAKE:-${MAGI_BIN:-$root/build/bin}/../tests/magi-fake-provider}" --script "$FAKE_SCRIPT" --log "$FAKE_LOG" \
    --port-file "$dir/port" --exit-with $$ --max-life 300 "$@" </dev/null >"$dir/out" 2>&1 3>&- 4>&- &
  FAKE_PID=$!
  disown "$FAKE_PID"
  FAKE_PIDS+=("$FAKE_PID")
  await_port "$dir" || return 1
  FAKE_PORT=$(cat "$dir/port")
  FAKE_URL=http://127.0.0.1:$FAKE_PORT
}

# await_port DIR: until the server that was started last has written DIR/port.
await_port() {
  local waited=0
  until [ -s "$1/port" ]; do
    if ! kill -0 "${FAKE_PIDS[-1]}" 2>/dev/null || [ $((waited += 1)) -gt 500 ]; then
      echo "the server did not start: $(cat "$1/out")" >&2
      return 1
    fi
    sleep 0.01
  done
}

# Stops every server that this test started; call it in teardown.  Fails where a provider would have refused a request.
stop_fake() {
  local pid log problems=''
  for pid in "${FAKE_PIDS[@]}"; do kill "$pid" 2>/dev/null || true; done
  for log in "${FAKE_LOGS[@]}"; do
    problems+=$(jq -rc 'select(.ev == "request" and .method == "POST") | "\(.id): \(.problems[]?)"' "$log" 2>/dev/null)
  done
  FAKE_PIDS=() FAKE_LOGS=()
  [ -z "$problems" ] || [ -n "${FAKE_PROBLEMS_EXPECTED-}" ] || {
    printf 'a provider would refuse:\n%s\n' "$problems" >&2
    return 1
  }
}

# For a test that sends bad requests on purpose.
expect_problems() { FAKE_PROBLEMS_EXPECTED=yes; }

# set_script JSON: the next request is answered by this script; faults count anew.
set_script() {
  printf '%s\n' "$1" >"$FAKE_SCRIPT.new"
  mv "$FAKE_SCRIPT.new" "$FAKE_SCRIPT"
}

# The log's records of requests to a model, one JSON object a line, in order of arrival.
fake_requests() { jq -c 'select(.ev == "request" and .method == "POST")' "$FAKE_LOG"; }

fake_count() { fake_requests | wc -l | tr -d ' '; }

# fake_request N [JQ FILTER]: of the Nth request's record (from 1): .path, .headers, .problems, .assistantTurns, ...
fake_request() { fake_requests | jq -rc -s --argjson n "$1" ".[\$n - 1] | ${2:-.}"; }

# fake_body N [JQ FILTER]: of the Nth request's body.
fake_body() { fake_request "$1" ".body | ${2:-.}"; }

# fake_answer N [JQ FILTER]: of the record of what was sent for the Nth request: .status, .sent, .outcome, .turn
fake_answer() {
  local id
  id=$(fake_request "$1" .id)
  jq -c --argjson id "$id" 'select(.ev == "response" and .id == $id)' "$FAKE_LOG" | jq -rc "${2:-.}"
}

# What a provider would have refused, "N: problem" a line; nothing when all requests were right.
fake_problems() { fake_requests | jq -rc '"\(.id): \(.problems[]?)"'; }

assert_no_problems() {
  local problems
  problems=$(fake_problems)
  [ -z "$problems" ] || { printf 'a provider would refuse:\n%s\n' "$problems" >&2; return 1; }
}

# wait_for_requests N [SECONDS, 10]: until the log holds N requests.
wait_for_requests() {
  local end=$((SECONDS + ${2:-10}))
  until [ "$(fake_count)" -ge "$1" ]; do
    [ "$SECONDS" -lt "$end" ] || { echo "only $(fake_count) of $1 requests came" >&2; return 1; }
    sleep 0.02
  done
}

# The value that the log holds in place of a credential header: fake_hash 'Bearer test-key'
fake_hash() { printf 'sha256:%.16s\n' "$(printf %s "$1" | sha256sum)"; }
