# A real terminal for tests: tmux on a socket of the test's own, driven by keys and read as text.  `load terminal` beside
# ../bats/helper and ../bats/fake; call close_terminal in teardown.

tmux_() { LC_ALL=C.UTF-8 tmux -S "$BATS_TEST_TMPDIR/tmux" -f /dev/null "$@"; }

# open_terminal COLUMNS ROWS COMMAND...: COMMAND is a shell line.  What it leaves behind is in $BATS_TEST_TMPDIR/after: its status,
# and the modes of the terminal.
open_terminal() {
  local columns=$1 rows=$2
  shift 2
  cat >"$BATS_TEST_TMPDIR/session" <<SESSION
cd "$PWD"
stty -g >"$BATS_TEST_TMPDIR/stty.before"
$*
echo "\$?" >"$BATS_TEST_TMPDIR/status"
stty -g >"$BATS_TEST_TMPDIR/stty.after"
printf '\nTHE SHELL AGAIN\n'
exec sleep 1000
SESSION
  tmux_ start-server \; set -g default-terminal tmux-256color \; set -g status off \; set -g escape-time 5 \; \
    set -g history-limit 50000 \; set -g remain-on-exit on \; set -g focus-events on \; \
    new-session -d -x "$columns" -y "$rows" "bash $BATS_TEST_TMPDIR/session" \; set -s exit-empty off
}

close_terminal() {
  tmux_ kill-server 2>/dev/null || true
}

screen() { tmux_ capture-pane -p; }
# With colours and attributes.
screen_with_looks() { tmux_ capture-pane -p -e; }

shows() { screen | grep -qF -- "$1"; }
hides() { ! screen | grep -qF -- "$1"; }

# see TEXT [SECONDS]: until the screen shows it.
see() {
  wait_until "${2:-15}" shows "$1" && return
  printf 'never seen: %s\non the screen:\n%s\n' "$1" "$(screen)" >&2
  return 1
}
# gone TEXT: until the screen shows it no more.
gone() {
  wait_until 15 hides "$1" && return
  printf 'still seen: %s\non the screen:\n%s\n' "$1" "$(screen)" >&2
  return 1
}

keys() { tmux_ send-keys "$@"; }
# type TEXT: as from the keyboard.
type_text() { tmux_ send-keys -l -- "$1"; }
# say TEXT: a prompt and Enter.
say() {
  type_text "$1"
  keys Enter
}
# paste FILE: as the terminal pastes, bracketed where that was asked for.
paste() {
  tmux_ load-buffer "$1"
  tmux_ paste-buffer -p -r
}
resize() { tmux_ resize-window -x "$1" -y "$2"; }

# The process of magi-code in the terminal.
interface_pid() {
  local shell
  shell=$(tmux_ display-message -p '#{pane_pid}')
  pgrep -P "$shell" -x magi-code
}

ended() { [ -s "$BATS_TEST_TMPDIR/stty.after" ]; }

# left_clean: the program has ended, and the terminal is as it was before.
left_clean() {
  wait_until 15 ended || { echo "the program did not end; on the screen:"; screen; return 1; } >&2
  cmp "$BATS_TEST_TMPDIR/stty.before" "$BATS_TEST_TMPDIR/stty.after" || return 1
  see 'THE SHELL AGAIN'
  [ "$(tmux_ display-message -p '#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{bracket_paste_flag}')" = '0 1 0 0' ] ||
    [ "$(tmux_ display-message -p '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = '0 1 0' ]
}

# mission ARGUMENT...: the command line of the interface against the fake server, as a shell line.
mission() {
  printf '%q ' magi-code --base-url "$FAKE_URL/v1" --provider openai-compatible -m mock-model "$@"
}

# record FILE: from now on all bytes that the program writes to the terminal go to FILE too.
record() { tmux_ pipe-pane -o "cat >'$1'"; }
