#!/usr/bin/env bats
# AGENTS.md, CLAUDE.md and skills: what the model is told of them, when, and from whom.

load helper
load fake

setup() {
  common_setup
  mkdir -p "$BATS_TEST_TMPDIR/repo/sub/deep" "$MC_HOME"
  cd "$BATS_TEST_TMPDIR/repo"
  git init -q .
  echo text >sub/deep/a.txt
  echo text >top.txt
}

teardown() { stop_fake; }

code() { magi-code --base-url "$FAKE_URL/v1" -m mock-model "$@" </dev/null; }
session_file() { ls "$MC_HOME"/sessions/*.jsonl; }
system_prompt() { fake_body "${1:-1}" '.messages[0].content'; }
loads() { jq -r 'select(.event_type == "subdir_instruction_load") | .payload.path' "$(session_file)"; }

READ='{"turns":[{"calls":[{"name":"read","args":{"path":"sub/deep/a.txt"}},{"name":"read","args":{"path":"top.txt"}}]},{"calls":[{"name":"grep","args":{"pattern":"text","path":"sub/deep"}}]},{"text":"Done."},{"text":"More."}]}'

@test "instructions of the user and of the repository down to the working directory stand in the prompt" {
  echo 'the user says' >"$MC_HOME/AGENTS.md"
  echo 'the top says' >AGENTS.md
  echo 'sub says' >sub/AGENTS.md
  start_fake '{"turns":[{"text":"Hi."}]}'
  (cd sub && code -q -p hi)
  local text
  text=$(system_prompt)
  [[ $text == *"Instructions of the user"*"the user says"*"Instructions of the project: $PWD/AGENTS.md"*"the top says"*"$PWD/sub/AGENTS.md"*"sub says"* ]]
}

@test "CLAUDE.md is read where no AGENTS.md stands beside it" {
  echo 'claude top' >CLAUDE.md
  echo 'agents sub' >sub/AGENTS.md
  echo 'claude sub' >sub/CLAUDE.md
  start_fake '{"turns":[{"text":"Hi."}]}'
  (cd sub && code -q -p hi)
  local text
  text=$(system_prompt)
  [[ $text == *"claude top"*"agents sub"* ]]
  [[ $text != *"claude sub"* ]]
}

@test "links and odd files of a repository are not read, and the prompt says so" {
  echo 'private words' >"$BATS_TEST_TMPDIR/private"
  ln -s "$BATS_TEST_TMPDIR/private" AGENTS.md
  mkfifo sub/AGENTS.md
  start_fake '{"turns":[{"text":"Hi."}]}'
  (cd sub && timeout 30 magi-code --base-url "$FAKE_URL/v1" -m mock-model -q -p hi </dev/null)
  local text
  text=$(system_prompt)
  [[ $text != *"private words"* ]]
  [[ $text == *"[not read: "*"is a link]"* ]]
  [[ $text == *"is no regular file]"* ]]
  # A link to the CLAUDE.md beside it: that is read.
  echo 'claude words' >CLAUDE.md
  code -q -p hi
  [[ $(system_prompt 2) == *"claude words"* ]]
}

@test "a folder's instructions come when a tool first touches it, behind the results, once" {
  echo 'sub rules' >sub/AGENTS.md
  echo 'deep rules' >sub/deep/CLAUDE.md
  start_fake "$READ"
  code -q -p look
  assert_equal "$(loads)" "$PWD/sub/AGENTS.md"$'\n'"$PWD/sub/deep/CLAUDE.md"
  assert_no_problems
  # Behind the results of the whole group; the rest of the request as it was.
  run fake_body 2 '[.messages[] | .role] | join(" ")'
  assert_output 'system user assistant tool tool user'
  [[ $(fake_body 2 '.messages[5].content') == *"sub/AGENTS.md"*"not the user"*"sub rules"* ]]
  [ "$(fake_body 1 '.messages | @json')" = "$(fake_body 2 '.messages[0:2] | @json')" ]
  [ "$(fake_body 2 '.messages | @json')" = "$(fake_body 3 '.messages[0:6] | @json')" ]
  # A replay sees the same, and a session that goes on does not load them again.
  set_script '{"index":"since_user","turns":[{"calls":[{"name":"read","args":{"path":"sub/deep/a.txt"}}]},{"text":"Again."}]}'
  code -q --continue -p again
  [ "$(fake_body 3 '.messages | @json')" = "$(fake_body 4 '.messages[0:'"$(fake_body 3 '.messages | length')"'] | @json')" ]
  assert_equal "$(loads | wc -l)" 2
}

@test "a folder behind a link, or outside, brings no instructions" {
  mkdir "$BATS_TEST_TMPDIR/else"
  echo 'evil' >"$BATS_TEST_TMPDIR/else/AGENTS.md"
  echo t >"$BATS_TEST_TMPDIR/else/a.txt"
  ln -s "$BATS_TEST_TMPDIR/else" link
  start_fake '{"turns":[{"calls":[{"name":"read","args":{"path":"link/a.txt"}},{"name":"read","args":{"path":"../else/a.txt"}},{"name":"read","args":{"path":"sub/../../else/a.txt"}}]},{"text":"Done."}]}'
  code -q --permissions full -p look
  assert_equal "$(loads)" ""
}

@test "after a compaction the next touch shows a folder's instructions again" {
  echo 'sub rules' >sub/AGENTS.md
  start_fake '{"no_tools":{"text":"A summary of what was done, long enough to be one."},"index":"since_user","turns":[{"calls":[{"name":"read","args":{"path":"sub/deep/a.txt"}}]},{"text":"Done."}]}'
  code -q -p look
  local id
  id=$(basename "$(session_file)" .jsonl)
  magi-compact --base-url "$FAKE_URL/v1" --provider openai-compatible --model mock-model "$id"
  assert_equal "$(jq -rc 'select(.event_type == "compaction") | .payload.carried.instructions' "$(session_file)")" "[\"$PWD/sub/AGENTS.md\"]"
  code -q --continue -p again
  assert_equal "$(loads)" "$PWD/sub/AGENTS.md"
}

skill() { mkdir -p "$1" && printf -- '---\nname: %s\ndescription: %s\n---\n\nHow to: %s.\n' "$2" "$3" "${4:-do it well}" >"$1/SKILL.md"; }

@test "skills of user and project are listed; the user's counts where two have one name" {
  skill "$MC_HOME/skills/pdf" pdf 'reads PDF files'
  skill .magi-code/skills/deploy deploy 'ships it'
  skill .agents/skills/pdf pdf 'another'
  printf 'no front matter\n' | { mkdir -p .agents/skills/bad && cat >.agents/skills/bad/SKILL.md; }
  start_fake '{"turns":[{"text":"Hi."}]}'
  run --separate-stderr code -p hi
  assert_success
  [[ $stderr == *"skill left out: "*"bad/SKILL.md: it does not begin with front matter"* ]]
  [[ $stderr == *"there is another skill named 'pdf'"* ]]
  local text
  text=$(system_prompt)
  [[ $text == *"- deploy (project): ships it [$PWD/.magi-code/skills/deploy/SKILL.md]"* ]]
  [[ $text == *"- pdf (user): reads PDF files [$MC_HOME/skills/pdf/SKILL.md]"* ]]
  [[ $text != *another* ]]
  code -q -p hi --set skills.enabled=false
  [[ $(system_prompt 2) != *"ships it"* ]]
}

@test "a skill is read without asking, says what it is, and the same text again is a reference" {
  skill "$MC_HOME/skills/pdf" pdf 'reads PDF files' 'use pdftotext'
  start_fake '{"turns":[{"calls":[{"name":"read","args":{"path":"'"$MC_HOME"'/skills/pdf/SKILL.md"}}]},{"calls":[{"name":"read","args":{"path":"'"$MC_HOME"'/skills/pdf/SKILL.md"}}]},{"text":"Done."}]}'
  code -q -p look
  run jq -rc 'select(.event_type == "tool_result") | .payload.details.provenance | [.kind, .name, .source]' "$(session_file)"
  assert_line --index 0 '["skill","pdf","user"]'
  [[ $(fake_body 2 '[.messages[] | select(.role == "tool") | .content] | last') == *"use pdftotext"* ]]
  [[ $(fake_body 3 '[.messages[] | select(.role == "tool") | .content] | last') == "[the same text of this skill stands unchanged in the result of call "* ]]
  # Nothing else of the home is read for that.
  set_script '{"index":"since_user","turns":[{"calls":[{"name":"read","args":{"path":"'"$MC_HOME"'/settings.json"}}]},{"text":"Done."}]}'
  echo '{}' >"$MC_HOME/settings.json"
  code -q -p other
  run jq -rc 'select(.event_type == "tool_result") | .payload.status' "$(ls -t "$MC_HOME"/sessions/*.jsonl | head -n 1)"
  assert_output error
}
