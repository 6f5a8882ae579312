# What every executable promises (contracts, section 1), asked of each one in build/bin.
load helper

setup() {
  common_setup
  mapfile -t tools < <(find "$MAGI_BIN" -maxdepth 1 -type f -perm -u+x -printf '%f\n' | sort)
  ((${#tools[@]}))
}

# The subcommands of a command line, one a line, the executable itself first.
commands() {
  echo "$*"
  local subcommand
  for subcommand in $("$@" --help | awk '/^Subcommands:/{on=1; next} /^$/{on=0} on && /^  [a-z]/{print $1}'); do
    commands "$@" "$subcommand"
  done
}

# "NAME KIND" for each long option in a --help: value, optional or flag.
options() {
  "$@" --help | sed -nE 's/^  (  |-., ) *(--[a-z][a-z-]*)(\[=| |$)(.*)/\2|\3|\4/p' | while IFS='|' read -r name mark rest; do
    if [[ $mark == '[=' ]]; then echo "$name optional"
    elif [[ $rest =~ ^[A-Z] ]]; then echo "$name value"
    else echo "$name flag"; fi
  done
}

@test "--help and --version print to stdout and exit 0" {
  for tool in "${tools[@]}"; do
    run_tool "$tool" --help
    assert_equal "$tool $status $stderr" "$tool 0 "
    [[ $output == "Usage: $tool"* ]]
    run_tool "$tool" --version
    assert_equal "$status $stderr" "0 "
    [[ $output =~ ^$tool\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
  done
  assert_equal "$(ls -A "$HOME" "$PWD" 2>/dev/null | grep -v ':$' | tr -d '\n')" ""
}

@test "--help fits 100 columns and has no colour" {
  for tool in "${tools[@]}"; do
    mapfile -t lines < <(commands "$tool")
    for line in "${lines[@]}"; do
      read -ra words <<<"$line"
      run "${words[@]}" --help
      assert_success
      run awk 'length > 100 || /\033/' <<<"$output"
      assert_output ""
    done
  done
}

@test "CLI-09: unknown options and operands of every command are refused" {
  for tool in "${tools[@]}"; do
    mapfile -t lines < <(commands "$tool")
    for line in "${lines[@]}"; do
      read -ra words <<<"$line"
      run_tool "${words[@]}" --no-such-option
      assert_one_error "$tool" 2
      [[ $stderr == *"'--no-such-option'"* ]]
      run_tool "${words[@]}" -Z
      assert_one_error "$tool" 2
    done
  done
  assert_equal "$(find "$HOME" "$PWD" -mindepth 1)" ""
  [[ ! -e $MC_HOME ]]
}

@test "CLI-09: a missing or empty value of every option is exit 2 and names the option" {
  local count=0
  for tool in "${tools[@]}"; do
    mapfile -t lines < <(commands "$tool")
    for line in "${lines[@]}"; do
      read -ra words <<<"$line"
      while read -r option kind; do
        [[ $kind == value ]] || continue
        for values in "" "=" "--help"; do
          case $values in
            '') run_tool "${words[@]}" "$option" </dev/null ;;
            '=') run_tool "${words[@]}" "$option=" </dev/null ;;
            *) run_tool "${words[@]}" "$option" "$values" </dev/null ;;
          esac
          assert_one_error "$tool" 2
          [[ $stderr == *"$option"* ]] || fail "$line $option $values: $stderr"
        done
        count=$((count + 1))
      done < <(options "${words[@]}")
    done
  done
  ((count > 20))
  [[ ! -e $MC_HOME ]]
}

@test "CLI-09: a value of the wrong type, and a value for a flag, are exit 2 and name the option" {
  local count=0
  for tool in "${tools[@]}"; do
    while read -r option kind; do
      case $kind in
        flag) run_tool "$tool" "$option=maybe" </dev/null ;;
        value)
          # Numbers say N or S in --help, modes list their choices.
          "$tool" --help | grep -qE -- "$option ([NS]|MODE)( |\$)" || continue
          run_tool "$tool" "$option" 'x1' </dev/null
          ;;
        *) continue ;;
      esac
      assert_one_error "$tool" 2
      [[ $stderr == *"$option"* ]] || fail "$tool $option: $stderr"
      count=$((count + 1))
    done < <(options "$tool")
  done
  ((count > 20))
}

@test "a relative home is refused, on the command line and in the environment" {
  for tool in "${tools[@]}"; do
    # A session, where one must be named.
    local operand=()
    if [[ $tool == magi-compact || $tool == magi-export ]]; then operand=(some-session); fi
    run_tool "$tool" --home here "${operand[@]}"
    assert_one_error "$tool" 2
    [[ $stderr == *"'here' is not an absolute path"* ]]
  done
}

@test "CLI-05: closed standard streams neither hang a tool nor become its files" {
  for tool in "${tools[@]}"; do
    for closing in '2>&-' '>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
      run bash -c "timeout 2 '$tool' --no-such-option $closing"
      assert_equal "$tool $closing $status" "$tool $closing 2"
      run bash -c "timeout 2 '$tool' --help $closing"
      if [[ $closing == *'>&-'* && $closing != '2>&-' ]]; then
        assert_equal "$tool $closing $status" "$tool $closing 1"
      else
        assert_success
      fi
    done
  done
  assert_equal "$(find "$HOME" "$PWD" -mindepth 1)" ""
}

@test "a full disk behind stdout is an error, a reader that goes away is none" {
  for tool in "${tools[@]}"; do
    run_tool bash -c "'$tool' --help >/dev/full"
    assert_one_error "$tool" 1
    run_tool bash -c "set -o pipefail; '$tool' --help | true"
    assert_equal "$stderr" ""
  done
}

@test "output does not depend on locale or time zone" {
  for tool in "${tools[@]}"; do
    assert_equal "$(LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8 TZ=Asia/Tokyo "$tool" --help)" "$("$tool" --help)"
  done
}
