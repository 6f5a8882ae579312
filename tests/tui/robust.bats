# What terminals and people do to an interface: sizes, pastes, scripts, signals, hostile texts.

load ../bats/helper
load ../bats/fake
load terminal

setup() {
  common_setup
  mkdir -p "$BATS_TEST_TMPDIR/repo"
  cd "$BATS_TEST_TMPDIR/repo"
}

teardown() {
  close_terminal
  stop_fake
}

@test "TUI-01: whatever ends it, the terminal is as it was" {
  start_fake '{"turns":[],"after":{"text":"ok"}}'
  local signal
  for signal in TERM HUP QUIT INT SEGV ABRT; do
    open_terminal 80 24 "ulimit -c 0; $(mission)"
    see 'Current Ctx'
    kill "-$signal" "$(interface_pid)"
    left_clean || { echo "after SIG$signal" >&2; return 1; }
    close_terminal
    rm -f "$BATS_TEST_TMPDIR"/stty.* "$BATS_TEST_TMPDIR/tmux"
  done
}

@test "Ctrl-Z stops it and gives the terminal back, and it draws itself again" {
  start_fake '{"turns":[{"text":"An answer."}]}'
  # What a shell does when its job has stopped: it goes on, here by recording the modes and taking the job up again.
  open_terminal 80 24 "set -m; $(mission); stty -g >'$BATS_TEST_TMPDIR/stty.stopped'; fg"
  see 'Current Ctx'
  say 'hello'
  see 'An answer.'
  keys C-z
  wait_until 10 test -s "$BATS_TEST_TMPDIR/stty.stopped"
  cmp "$BATS_TEST_TMPDIR/stty.before" "$BATS_TEST_TMPDIR/stty.stopped"
  see 'An answer.'
  type_text 'again'
  see 'again'
}

# no_row_beyond COLUMNS: nothing that is drawn is wider.
no_row_beyond() { ! screen | LC_ALL=C.UTF-8 grep -qE "^.{$(($1 + 1)),}"; }

@test "TUI-04: storms of sizes leave no debris, and the prompt stays on the screen" {
  start_fake '{"turns":[{"text":"'"$(printf 'word %.0s' {1..400})"'the end of it.","chunk":10,"delay":5}]}'
  open_terminal 200 50 "$(mission)"
  see 'Current Ctx'
  say 'many words'
  see 'word word'
  local n
  for n in {1..10}; do
    resize 20 5
    resize 200 50
    resize 60 20
    resize 100 10
  done
  resize 60 20
  see 'the end of it.'
  no_row_beyond 60
  type_text 'still here'
  see 'still here'
  resize 20 5
  see 'still here'
  no_row_beyond 20
  resize 120 40
  see 'Current Ctx'
  [ "$(screen | grep -c 'Current Ctx')" -eq 1 ]
  [ "$(screen | grep -c 'still here')" -eq 1 ]
}

@test "TUI-06: line ends of a paste send nothing; Enter sends it whole" {
  start_fake '{"turns":[{"text":"Three lines."}]}'
  open_terminal 80 24 "$(mission)"
  see 'Current Ctx'
  printf 'a\nb\r\nc' >pasted
  paste pasted
  see '❯ a'
  sleep 1
  [ "$(fake_count)" -eq 0 ]
  keys Enter
  see 'Three lines.'
  [ "$(fake_body 1 '.messages[-1].content | if type == "string" then . else map(.text) | join("") end')" = $'a\nb\nc' ]
}

@test "a paste of 2 MB is one chip, and arrives whole" {
  start_fake '{"turns":[{"text":"Much."}]}' --max-body 8000000
  open_terminal 80 24 "$(mission --set agent.context.max_tokens=4000000 --set agent.context.reserve_tokens=1000)"
  see 'Current Ctx'
  seq -f 'line %05.0f of a paste that is very long indeed, yes' 40000 | head -c 2000000 >pasted
  paste pasted
  see 'lines' 20
  run ! shows 'line 39000'
  keys Enter
  see 'Much.' 40
  [ "$(fake_body 1 '.messages[-1].content | if type == "string" then . else map(.text) | join("") end' | sha256sum)" = "$(cat pasted <(echo) | sha256sum)" ]
}

@test "CJK, emoji, combining marks and right-to-left text stand where they belong" {
  start_fake '{"turns":[{"text":"日本語のテキスト|\n\nמילים בעברית|\n\ncafe\u0301|\n\n🎉🎉|\n\n| 名前 | n |\n|---|---|\n| 東京 | 1 |"}]}'
  open_terminal 60 24 "$(mission)"
  see 'Current Ctx'
  say '日本語で'
  see '日本語のテキスト|'
  see $'cafe\u0301|'
  see '🎉🎉|'
  see 'מילים בעברית|'
  see '東京'
  type_text '漢字x'
  see '❯ 漢字x'
  keys BSpace BSpace
  gone '漢字'
  see '❯ 漢'
}

@test "TUI-12: with NO_COLOR no colour is drawn" {
  start_fake '{"turns":[{"text":"# A heading\n\n```sh\necho hi\n```"}]}'
  NO_COLOR=1 open_terminal 80 24 "$(mission)"
  see 'Current Ctx'
  say 'hello'
  see 'A heading'
  # SGR 3x, 4x, 9x as tmux would write them for coloured cells.
  run ! grep -qE $'\x1b\\[([0-9;]*;)?(3[0-8]|4[0-8]|9[0-7]|10[0-7])(;[0-9;]*)?m' <(screen_with_looks)
}

@test "TUI-13: without a terminal it says what is needed, and exits with 2" {
  run --separate-stderr setsid timeout 5 magi-code </dev/null
  [ "$status" -eq 2 ]
  [ "$output" = "" ]
  [[ $stderr == *'a terminal or -p TEXT is needed'* ]]
}
