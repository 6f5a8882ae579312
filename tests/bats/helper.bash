# What every Bats file loads: a fixed locale and time zone, a home of its own, and the built executables on PATH.
# Overridable: MAGI_BIN (folder of the executables).

bats_require_minimum_version 1.5.0
load /usr/lib/bats/bats-support/load.bash
load /usr/lib/bats/bats-assert/load.bash

MAGI_ROOT=$(cd "${BATS_TEST_DIRNAME}/../.." && pwd)
MAGI_BIN=${MAGI_BIN:-$MAGI_ROOT/build/bin}

# Called by Bats before each test; a file with a setup of its own calls `common_setup` there.
common_setup() {
  export LC_ALL=C TZ=UTC PATH="$MAGI_BIN:/usr/bin:/bin:/usr/sbin:/sbin"
  export HOME="$BATS_TEST_TMPDIR/home" MC_HOME="$BATS_TEST_TMPDIR/mc"
  export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
  # Nothing of the caller's may reach a test: no key, no proxy, no tool path.
  local name
  for name in OPENAI_API_KEY ANTHROPIC_API_KEY MC_API_KEY MAGI_TOOL_PATH NO_COLOR TMPDIR \
    http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY; do
    unset "$name"
  done
  mkdir -p "$HOME" "$BATS_TEST_TMPDIR/work"
  umask 022
  cd "$BATS_TEST_TMPDIR/work" || return 1
}

setup() { common_setup; }

# wait_until SECONDS COMMAND...: polls until the command succeeds; fails when it never does.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

# no_process_left MARK: true when no process has MARK in its command line or environment.
no_process_left() {
  local mark=$1 pid
  for pid in /proc/[0-9]*; do
    [[ ${pid#/proc/} == "$$" || ${pid#/proc/} == "$BASHPID" ]] && continue
    if tr '\0' '\n' 2>/dev/null <"$pid/cmdline" | grep -qF -- "$mark"; then return 1; fi
  done
}

# run_tool TOOL ARG...: `run` with stderr apart, in $stderr.
run_tool() { run --separate-stderr "$@"; }

# assert_one_error TOOL STATUS: the last run printed nothing to stdout and one line "TOOL: ..." to stderr.
assert_one_error() {
  assert_equal "$status" "$2"
  assert_equal "$output" ""
  assert_equal "${#stderr_lines[@]}" 1
  [[ ${stderr_lines[0]} == "$1: "* ]] || fail "not a message of $1: ${stderr_lines[0]}"
}
