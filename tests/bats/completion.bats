# Completion scripts, in the shells that are here.
load helper

setup() {
  common_setup
  mapfile -t tools < <(find "$MAGI_BIN" -maxdepth 1 -type f -perm -u+x -printf '%f\n' | sort)
}

# complete_bash WORD...: what bash offers for the last word.
complete_bash() {
  bash --norc -c '
    source "$1"; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    "$(complete -p "$1" | sed "s/.*-F \([^ ]*\).*/\1/")"
    printf "%s\n" "${COMPREPLY[@]}"' bash "$BATS_TEST_TMPDIR/script" "$@"
}

@test "every executable prints scripts that bash accepts" {
  for tool in "${tools[@]}"; do
    "$tool" --completion bash >"$BATS_TEST_TMPDIR/script"
    run bash -n "$BATS_TEST_TMPDIR/script"
    assert_success
    run complete_bash "$tool" --hel
    assert_output "--help"
  done
}

@test "bash completes options, choices, subcommands and their options" {
  magi-code --completion bash >"$BATS_TEST_TMPDIR/script"
  run complete_bash magi-code --permissions w
  assert_output workspace
  run complete_bash magi-code --permissions = r
  assert_output read-only
  run complete_bash magi-code sess
  assert_output sessions
  run complete_bash magi-code sessions li
  assert_output list
  run complete_bash magi-code sessions show --h
  assert_line --help
  refute_line --provider
  run complete_bash magi-code --model x
  assert_output ""
  mkdir folder
  run complete_bash magi-code --cd fol
  assert_output folder
}

@test "fish completes the same" {
  command -v fish >/dev/null || skip "fish is not installed"
  magi-code --completion fish >script.fish
  run fish --no-config -c 'source script.fish; complete -C "magi-code --permissions r"'
  assert_output --regexp '^read-only\s'
  run fish --no-config -c 'source script.fish; complete -C "magi-code sess"'
  assert_line --partial sessions
  run fish --no-config -c 'source script.fish; complete -C "magi-code sessions li"'
  assert_line --partial list
  for tool in "${tools[@]}"; do
    "$tool" --completion fish >script.fish
    run fish --no-config --no-execute script.fish
    assert_success
  done
}

@test "zsh completes the same" {
  command -v zsh >/dev/null || skip "zsh is not installed"
  for tool in "${tools[@]}"; do
    "$tool" --completion zsh >"_$tool"
    run zsh -f -n "_$tool"
    assert_success
  done
  # A pseudo-terminal, as completion is the line editor's business.
  cat >drive.zsh <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1='%% '; fpath=($PWD \$fpath); autoload -U compinit; compinit -u -D; zstyle ':completion:*' menu no; print RE''ADY"
zpty -r z seen '*READY*'
zpty -w -n z $'magi-code --permissions rea\t'
zpty -r z seen '*d-only*' && print -r -- "$seen"
zpty -d z
END
  run timeout 20 zsh -f drive.zsh
  assert_output --partial 'd-only'
}
