# shellcheck disable=SC2034 # the tests use what is set here
# Helpers for tests of logins: `load accounts` beside `load helper` and `load fake`.  tests/fake/README.md describes the
# programs that are started here.

# start_oauth [SCRIPT]: the account service.  Sets OAUTH_URL, OAUTH_LOG and OAUTH_SCRIPT.
start_oauth() {
  local dir
  dir=$(mktemp -d "${BATS_TEST_TMPDIR:-${TMPDIR:-/tmp}}/oauth.XXXXXX")
  OAUTH_SCRIPT=$dir/script.json OAUTH_LOG=$dir/log.jsonl
  : >"$OAUTH_LOG"
  set_oauth "${1:-"{}"}"
  "$MAGI_BIN/../tests/magi-fake-oauth" --script "$OAUTH_SCRIPT" --log "$OAUTH_LOG" --port-file "$dir/port" \
    --exit-with $$ --max-life 300 </dev/null >"$dir/out" 2>&1 3>&- 4>&- &
  disown $!
  FAKE_PIDS+=($!)
  await_port "$dir" || return 1
  OAUTH_URL=http://127.0.0.1:$(cat "$dir/port")
}

# set_oauth SCRIPT: what the account service does from now on.
set_oauth() {
  printf '%s\n' "$1" >"$OAUTH_SCRIPT.new"
  mv "$OAUTH_SCRIPT.new" "$OAUTH_SCRIPT"
}

# oauth_count GRANT [STATUS]: how many requests for tokens it has answered so.
oauth_count() { jq -c --arg g "$1" --argjson s "${2:-200}" 'select(.ev == $g and .status == $s)' "$OAUTH_LOG" | wc -l; }

# codex_settings: the account service and, if started, the fake model server are the user's own.
codex_settings() {
  mkdir -p "$MC_HOME"
  chmod 700 "$MC_HOME"
  jq -n --arg issuer "$OAUTH_URL" --arg url "${FAKE_URL-http://127.0.0.1:9}/codex" \
    '{accounts: {openai_codex: {issuer: $issuer}}, providers: {"openai-codex": {base_url: $url}}}' \
    >"$MC_HOME/settings.json"
}

# write_login [EXPIRES_IN, 3600] [REFRESH_TOKEN]: somebody is logged in.
write_login() {
  mkdir -p "$MC_HOME"
  chmod 700 "$MC_HOME"
  jq -n --argjson at $(($(date +%s) + ${1:-3600})) --arg refresh "${2-refresh-0}" '{"openai-codex": {access_token:
    "access-0", refresh_token: $refresh, account_id: "acct-1", plan: "plus", expires_at: $at,
    last_refresh: "2026-11-30T10:00:00.000Z"}}' >"$MC_HOME/auth.json"
  chmod 600 "$MC_HOME/auth.json"
}

# login_field NAME: of auth.json.
login_field() { jq -r --arg f "$1" '.["openai-codex"][$f] // empty' "$MC_HOME/auth.json"; }

# install_claude SCRIPT: a claude in PATH.  Sets FAKE_CLAUDE and CLAUDE_LOG.
install_claude() {
  export FAKE_CLAUDE=$BATS_TEST_TMPDIR/claude
  CLAUDE_LOG=$FAKE_CLAUDE/log.jsonl
  mkdir -p "$FAKE_CLAUDE/bin"
  ln -sf "$MAGI_ROOT/tests/fake/claude/claude" "$FAKE_CLAUDE/bin/claude"
  : >"$CLAUDE_LOG"
  printf '%s\n' "$1" >"$FAKE_CLAUDE/script.json"
  [[ $PATH == "$FAKE_CLAUDE/bin:"* ]] || PATH=$FAKE_CLAUDE/bin:$PATH
}

# claude_log JQ-FILTER
claude_log() { jq -rc "$1" "$CLAUDE_LOG"; }
