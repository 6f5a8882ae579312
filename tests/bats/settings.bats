# Settings as a user meets them: files, --set, warnings and refusals, through magi-code and the fake server.
load helper
load fake

setup() {
  common_setup
  mkdir -p "$MC_HOME" .magi-code
  chmod 700 "$MC_HOME"
  start_fake '{"turns": [{"text": "hello"}]}'
  cat >"$MC_HOME/settings.json" <<END
{"schema_version": 2, "provider": "box", "providers": {"box": {"base_url": "$FAKE_URL/v1", "model": "m"}}}
END
}

teardown() { stop_fake; }

ask() { run_tool timeout 20 magi-code --no-session --no-stdin -p hi "$@"; }

# The run ended with exit 2 and this text on one line, and nothing was sent.
assert_refused() {
  assert_equal "$status" 2
  assert_equal "$output" ""
  assert_equal "$stderr" "magi-code: $1"
  assert_equal "$(fake_count)" 0
}

@test "a provider defined in settings is used" {
  ask
  assert_success
  assert_output hello
  assert_equal "$(fake_body 1 .model)" m
}

@test "project settings and --set override in this order" {
  echo '{"model": "of-project"}' >.magi-code/settings.json
  ask
  assert_equal "$(fake_body 1 .model)" of-project
  ask --set model=of-set
  assert_equal "$(fake_body 2 .model)" of-set
}

@test "CLI-06: a trailing comma, a duplicate key and an empty file" {
  printf '{\n  "model": "m",\n}' >"$MC_HOME/settings.json"
  ask
  assert_refused "$MC_HOME/settings.json: line 3, column 1: a key in double quotes is missing"
  printf '{"model": "a",\n  "model": "b"}' >"$MC_HOME/settings.json"
  ask
  assert_refused "$MC_HOME/settings.json: line 2, column 3: duplicate key 'model'"
  : >"$MC_HOME/settings.json"
  ask --base-url "$FAKE_URL/v1" -m m
  assert_success
  assert_equal "${stderr_lines[0]}" "magi-code: warning: $MC_HOME/settings.json: empty file, counts as no settings"
}

@test "CLI-08: an unknown key is a warning and the others apply" {
  jq '. + {agent: {compaction: {auto: {treshold_percent: 50}}}, model: "x"}' "$MC_HOME/settings.json" >new
  cat new >"$MC_HOME/settings.json"
  ask
  assert_success
  assert_equal "${stderr_lines[0]}" "magi-code: warning: $MC_HOME/settings.json: agent.compaction.auto.treshold_percent: unknown setting (did you mean threshold_percent?); ignored"
  assert_equal "$(fake_body 1 .model)" x
}

@test "TOK-10: a threshold out of bounds stops the program" {
  echo '{"agent": {"compaction": {"auto": {"threshold_percent": 101}}}}' >.magi-code/settings.json
  ask
  assert_refused "$PWD/.magi-code/settings.json: agent.compaction.auto.threshold_percent: must be a whole number from 1 to 100, or null"
  rm .magi-code/settings.json
  ask --set agent.compaction.auto.threshold_percent=0
  assert_refused '--set: agent.compaction.auto.threshold_percent: must be a whole number from 1 to 100, or null'
}

@test "a project cannot send the key elsewhere or widen permissions" {
  echo '{"providers": {"box": {"base_url": "http://127.0.0.1:1/v1"}}, "permissions": {"mode": "full"}}' >.magi-code/settings.json
  ask
  assert_success
  assert_output hello
  [[ $stderr == *'providers.box.base_url: only your own settings can set this; ignored'* ]]
  [[ $stderr == *'1 entries that run code or widen permissions are ignored until you have trusted them'* ]]
}

@test "secrets are refused and not repeated" {
  echo '{"providers": {"box": {"api_key": "sk-ant-api03-abcdefghijklmnopqrstuvwxyz"}}}' >.magi-code/settings.json
  ask
  assert_refused "$PWD/.magi-code/settings.json: providers.box.api_key: secrets are refused in settings: keep it in an environment variable"
  [[ $stderr != *sk-ant* ]]
}

@test "a settings file that others can write is refused" {
  chmod 666 "$MC_HOME/settings.json"
  ask
  assert_refused "$MC_HOME/settings.json: can be written by others: chmod go-w it"
}

@test "CLI-12: a home that cannot be used is one clear error and nothing is created" {
  ln -s "$PWD/nowhere" dangling
  echo text >plain
  for home in dangling plain; do
    MC_HOME=$PWD/$home run_tool timeout 20 magi-code --no-stdin --base-url "$FAKE_URL/v1" -m m -p hi
    ((status == 1 || status == 2))
    assert_equal "$output" ""
    [[ ${stderr_lines[0]} == "magi-code: "*"$home"* ]] || fail "$stderr"
  done
  run_tool env -i PATH="$PATH" timeout 20 magi-code --no-stdin --base-url "$FAKE_URL/v1" -m m -p hi
  assert_equal "$status" 2
  assert_equal "$stderr" 'magi-code: no home directory: set HOME or MC_HOME, or use --home DIR'
  assert_equal "$(fake_count)" 0
  assert_equal "$(ls -A | tr '\n' ' ')" '.magi-code dangling plain '
  [[ ! -e nowhere ]]
}
