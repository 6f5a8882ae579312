#!/usr/bin/env bats
# magi-confine as a process: what a command may touch, and that nothing it starts outlives its host.

load helper

setup() {
  common_setup
  work=$BATS_TEST_TMPDIR/work outside=$BATS_TEST_TMPDIR/outside home=$BATS_TEST_TMPDIR/state
  extra=() supervisor=
  mkdir -p "$work" "$outside" "$home/sessions"
  echo original >"$outside/file"
  echo key >"$home/auth.json"
  echo '{}' >"$home/settings.json"
}

teardown() {
  exec 8>&-
  [ -z "$supervisor" ] || kill -TERM "$supervisor" 2>/dev/null || true
}

# The confinement of a command in mode `workspace`.
confined() {
  magi-confine --write "$work" --hide "$home/auth.json" --hide "$home/sessions" --no-network "${extra[@]}" -- bash -c "cd '$work'; $1"
}

need_landlock() {
  run magi-confine --probe --write "$work" --no-network
  [[ $status -eq 0 || $output != *"cannot confine"* ]] || skip "this kernel cannot confine"
}

# gone PID...: every one of them ends within 2 s.
gone() {
  local deadline=$((SECONDS + 3)) pid
  for pid; do
    while [ -d "/proc/$pid" ] && [ "$(cut -d' ' -f3 "/proc/$pid/stat" 2>/dev/null)" != Z ]; do
      [ $SECONDS -lt $deadline ] || { echo "process $pid lives: $(tr '\0' ' ' <"/proc/$pid/cmdline")"; return 1; }
      sleep 0.02
    done
  done
}

wait_for_file() { wait_until 5 test -s "$1" || fail "no $1"; }

@test "without options it runs the command and takes over its exit status" {
  run magi-confine -- bash -c 'echo out; exit 7'
  [ "$status" -eq 7 ] && [ "$output" = out ]
  run magi-confine -- bash -c 'kill -9 $$'
  [ "$status" -eq 137 ]
}

@test "options of the command are left to the command" {
  run magi-confine -- echo --write -n --help
  [ "$status" -eq 0 ] && [ "$output" = "--write -n --help" ]
}

@test "usage errors are one line, exit 2, and run nothing" {
  local bad
  for bad in "--write relative -- touch ran" "--hide '' -- touch ran" "" "--status-fd 99 -- touch ran" "--host-fd x -- touch ran" \
    "--landlock-abi 99 -- touch ran" "--wriet /tmp -- touch ran"; do
    cd "$work"
    eval "run magi-confine $bad"
    [ "$status" -eq 2 ] || { echo "$bad: $status"; return 1; }
    [[ "$output" == "magi-confine: "* ]]
    [ ! -e ran ]
  done
}

@test "a command that does not exist is named" {
  run magi-confine -- /no/such/command
  [ "$status" -eq 1 ]
  [ "$output" = "magi-confine: cannot start '/no/such/command': No such file or directory" ]
}

@test "the command has no input and no terminal" {
  run bash -c 'echo secret | magi-confine -- cat'
  [ "$status" -eq 0 ] && [ -z "$output" ]
  run magi-confine -- bash -c ': </dev/tty'
  [ "$status" -ne 0 ]
}

@test "writing works beneath the given folder, with modes, times, links and renames" {
  need_landlock
  run confined 'echo a >f && mkdir -p d/e && mv f d/ && ln d/f d/g && ln -s f d/h && chmod 640 d/f && touch -d 2020-01-01 d/f &&
    cp -p d/f d/copy && stat -c "%a %Y" d/f d/copy && rm -r d && echo done'
  [ "$status" -eq 0 ]
  [ "$output" = $'640 1577836800\n640 1577836800\ndone' ]
}

@test "nothing outside can be written, created, removed, renamed or linked in" {
  need_landlock
  local try
  for try in 'echo x >"$o/file"' 'echo x >>"$o/file"' 'rm "$o/file"' 'mkdir "$o/d"' 'touch "$o/new"' 'mv "$o/file" .' 'ln "$o/file" l' \
    'ln -s "$o/file" s && echo x >s' 'cp /etc/passwd "$o/"' 'mkfifo "$o/p"' 'truncate -s0 "$o/file"' 'mv . "$o/moved"'; do
    run confined "o='$outside'; $try"
    [ "$status" -ne 0 ] || { echo "succeeded: $try"; return 1; }
  done
  [ "$(cat "$outside/file")" = original ]
  [ "$(ls "$outside")" = file ]
}

@test "modes, owners and times outside stay as they are" {
  need_landlock
  chmod 644 "$outside/file"
  touch -d 2020-01-01 "$outside/file"
  local try before
  before=$(stat -c '%a %u %g %Y' "$outside/file" "$outside")
  for try in 'chmod 777 "$o/file"' 'chmod 777 "$o"' 'touch "$o/file"' 'chown 1 "$o/file"' 'ln -sf "$o/file" s; chmod 777 s' \
    'touch -h "$o/file"' 'exec 3<"$o/file"; chmod 777 /dev/fd/3' 'exec 3<"$o/file"; chmod 777 /proc/self/fd/3'; do
    run confined "o='$outside'; $try"
    [ "$status" -ne 0 ] || { echo "succeeded: $try"; return 1; }
  done
  [ "$(stat -c '%a %u %g %Y' "$outside/file" "$outside")" = "$before" ]
}

@test "hidden files cannot be read, through links and other names neither" {
  need_landlock
  local try
  echo s >"$home/sessions/s.jsonl"
  for try in 'cat "$h/auth.json"' 'cat "$h/sessions/s.jsonl"' 'cat "$h/../state/auth.json"' 'cat /proc/self/root"$h/auth.json"' \
    'ln -s "$h/auth.json" l; cat l' 'ln "$h/auth.json" l2 && cat l2' 'cp "$h/auth.json" copy' 'mv "$h" moved && cat moved/auth.json' \
    'dd if=/dev/vda of=/dev/null count=1' 'cat </proc/'$$'/environ'; do
    run confined "h='$home'; $try"
    [ "$status" -ne 0 ] || { echo "succeeded: $try"; return 1; }
    [[ "$output" != *key* ]]
  done
  run confined "cat '$home/settings.json'"
  [ "$output" = '{}' ]
}

@test "what appears later in a hidden place is hidden too" {
  need_landlock
  run confined "cat '$home/later/x'"
  [ "$status" -ne 0 ]
  rm "$home/auth.json"
  ( sleep 0.2; echo key >"$home/auth.json" ) &
  run confined "for i in {1..200}; do [ -e '$home/auth.json' ] && break; sleep 0.02; done; cat '$home/auth.json'"
  [ "$status" -ne 0 ] && [[ "$output" != *key* ]]
}

@test "a hidden path beneath a writable folder cannot be had, and then nothing runs" {
  run magi-confine --write "$BATS_TEST_TMPDIR" --hide "$home/auth.json" -- touch "$work/ran"
  [ "$status" -eq 1 ]
  [[ "$output" == "magi-confine: cannot confine: "*auth.json* ]]
  [ ! -e "$work/ran" ]
}

@test "without Landlock nothing runs" {
  run magi-confine --landlock-abi 0 --means landlock --write "$work" -- touch "$work/ran"
  [ "$status" -eq 1 ] && [[ "$output" == "magi-confine: cannot confine: "* ]]
  [ ! -e "$work/ran" ]
}

@test "the rules hold with each older Landlock ABI" {
  need_landlock
  local abi
  for abi in 1 2 3 4 5 6 7; do
    extra=(--landlock-abi "$abi")
    run confined "echo a >f$abi && mkdir d$abi && chmod 600 f$abi && cat f$abi '$home/settings.json'"
    [ "$status" -eq 0 ] || { echo "ABI $abi: $output"; return 1; }
    run confined "echo x >'$outside/file'"
    [ "$status" -ne 0 ]
    run confined "cat '$home/auth.json'"
    [ "$status" -ne 0 ]
    run confined "perl -e 'truncate(\"$outside/file\", 0) or exit 1'"
    [ "$status" -ne 0 ]
    run confined "perl -MFcntl -e 'sysopen(F, \"$outside/file\", O_RDONLY | O_TRUNC) or exit 1'"
    [ "$status" -ne 0 ]
    [ "$(cat "$outside/file")" = original ]
  done
}

@test "no socket of the network can be opened; local ones work beneath the folder only" {
  need_landlock
  run confined 'exec 3<>/dev/tcp/127.0.0.1/9'
  [ "$status" -ne 0 ] && [[ "$output" == *"not permitted"* ]]
  command -v perl >/dev/null || skip "no perl"
  run perl -MIO::Socket::UNIX -e '
    my $s = IO::Socket::UNIX->new(Local => "'"$outside"'/server", Listen => 1) or die;
    exec @ARGV' magi-confine --write "$work" --no-network -- perl -MIO::Socket::UNIX -e '
    my $own = IO::Socket::UNIX->new(Local => "'"$work"'/s", Listen => 1) or die "bind";
    IO::Socket::UNIX->new(Peer => "'"$work"'/s") or die "own: $!";
    print IO::Socket::UNIX->new(Peer => "'"$outside"'/server") ? "connected" : "refused";
    print IO::Socket::UNIX->new(Local => "'"$work"'/d", Type => SOCK_DGRAM) ? " datagram" : " no datagram";'
  [ "$status" -eq 0 ] && [ "$output" = "refused no datagram" ]
}

@test "root's wider capabilities and new namespaces are gone" {
  need_landlock
  run confined 'unshare -U true || unshare -m true || mount -t tmpfs none . || mknod dev b 1 1'
  [ "$status" -ne 0 ]
  run confined 'grep -E "^CapEff" /proc/self/status'
  [ $((0x${output##*[[:space:]]} & ~0xfb)) -eq 0 ]
}

@test "a private TMPDIR is writable and named" {
  need_landlock
  mkdir "$BATS_TEST_TMPDIR/tmp"
  run magi-confine --private-tmp "$BATS_TEST_TMPDIR/tmp" -- bash -c 'f=$(mktemp) && echo "$f"'
  [ "$status" -eq 0 ] && [[ "$output" == "$BATS_TEST_TMPDIR/tmp/"* ]]
  run magi-confine --private-tmp "$BATS_TEST_TMPDIR/tmp" -- touch "$work/x"
  [ "$status" -ne 0 ]
}

@test "--probe says what can be had and runs nothing" {
  need_landlock
  run magi-confine --probe --write "$work" --hide "$home/auth.json" --no-network
  [ "$status" -eq 0 ]
  [[ "$output" == *"writes confined"*"reads hidden"*"network cut"* ]]
  run magi-confine --probe --landlock-abi 0 --means landlock --write "$work"
  [ "$status" -eq 1 ]
}

# host COMMAND: runs it under magi-confine with both descriptors; the host descriptor is held by fd 8 of this shell.
host() {
  mkfifo "$BATS_TEST_TMPDIR/host"
  magi-confine --status-fd 5 --host-fd 6 -- bash -c "$1" 5>"$BATS_TEST_TMPDIR/status" 6<"$BATS_TEST_TMPDIR/host" 3>&- &
  supervisor=$!
  exec 8>"$BATS_TEST_TMPDIR/host"
}

@test "SHL-01: the exit is reported at once while a background child lives on" {
  host "sleep 300 & echo \$! >'$work/pid'; exit 3"
  wait_for_file "$work/pid"
  wait_until 2 grep -q '^exit 3$' "$BATS_TEST_TMPDIR/status"
  [ -d "/proc/$(cat "$work/pid")" ]
  exec 8>&-
  gone "$(cat "$work/pid")" "$supervisor"
}

@test "SHL-03: when the host is gone everything ends, sessions of their own and deaf ones too" {
  host "trap '' TERM HUP INT
    setsid bash -c 'echo \$\$ >$work/a; sleep 300; :' &
    (setsid bash -c 'trap \"\" TERM; echo \$\$ >$work/b; while :; do sleep 60; done' &)
    (while :; do :; done) & echo \$! >$work/c
    echo \$\$ >$work/d; wait"
  wait_for_file "$work/a"; wait_for_file "$work/b"; wait_for_file "$work/c"; wait_for_file "$work/d"
  exec 8>&-
  gone "$(cat "$work/a")" "$(cat "$work/b")" "$(cat "$work/c")" "$(cat "$work/d")" "$supervisor"
}

@test "SIGTERM to the supervisor ends everything" {
  host "setsid sleep 300 & echo \$! >'$work/a'; echo \$\$ >'$work/b'; wait"
  wait_for_file "$work/a"; wait_for_file "$work/b"
  kill -TERM "$supervisor"
  gone "$(cat "$work/a")" "$(cat "$work/b")" "$supervisor"
}

@test "SIGKILL of the supervisor ends the command itself" {
  host "echo \$\$ >'$work/a'; exec sleep 300"
  wait_for_file "$work/a"
  kill -KILL "$supervisor"
  gone "$(cat "$work/a")"
  exec 8>&-
}

@test "byte T asks the command to end" {
  host "trap 'exit 9' TERM; echo \$\$ >'$work/a'; while :; do sleep 0.05; done"
  wait_for_file "$work/a"
  printf T >&8
  wait_until 3 grep -q '^exit 9$' "$BATS_TEST_TMPDIR/status"
  gone "$supervisor"
  exec 8>&-
}

# What must hold by any means: files, hidden paths, the network, the private folder for temporary files.
core_holds() {
  local try
  run confined 'echo a >f && mkdir d && mv f d/f && cat d/f && rm -r d'
  [ "$status" -eq 0 ] && [ "$output" = a ] || { echo "work: $output"; return 1; }
  for try in 'echo x >"$o/file"' 'rm "$o/file"' 'mkdir "$o/d"' ': >"$o/file"' 'truncate -s0 "$o/file"' 'chmod 777 "$o/file"' \
    'touch -d 2001-01-01 "$o/file"' 'ln -s "$o/file" s && echo x >s' 'echo x >/tmp/magi-confine-test-$$' "cat '$home/auth.json'" \
    "ls -A '$home/sessions' && cat '$home/sessions/a.jsonl'" 'exec 3<>/dev/tcp/127.0.0.1/1' 'unshare -Ur true'; do
    run confined "o='$outside'; $try"
    [ "$status" -ne 0 ] || { echo "succeeded: $try"; return 1; }
  done
  [ "$(cat "$outside/file")" = original ] && [ "$(ls "$outside")" = file ]
}

@test "confinement holds with every ABI of Landlock from 1 to 7" {
  need_landlock
  echo '{}' >"$home/sessions/a.jsonl"
  local abi
  for abi in 1 2 3 4 5 6 7; do
    extra=(--landlock-abi "$abi" --means landlock)
    rm -rf "${work:?}"/*
    core_holds || { echo "ABI $abi"; return 1; }
    run magi-confine --probe --landlock-abi "$abi" --write "$work" --no-network
    [[ $output == *"signals "$([ "$abi" -ge 6 ] && echo confined || echo partly)* ]]
  done
}

need_bubblewrap() {
  run magi-confine --probe --means bubblewrap --write "$work" --no-network
  [ "$status" -eq 0 ] || skip "bubblewrap cannot be used here"
}

@test "without Landlock bubblewrap confines as well" {
  need_bubblewrap
  [ "${lines[*]}" = "bubblewrap writes confined reads open network cut modes confined signals confined" ]
  echo '{}' >"$home/sessions/a.jsonl"
  extra=(--means bubblewrap)
  core_holds
  rm -rf "${work:?}"/*
  extra=(--landlock-abi 0)
  core_holds
  run magi-confine --probe --landlock-abi 0 --write "$work"
  [ "${lines[0]}" = bubblewrap ]
}

@test "bubblewrap: what is hidden beneath a writable folder cannot be had either, and then nothing runs" {
  need_bubblewrap
  run magi-confine --means bubblewrap --write "$BATS_TEST_TMPDIR" --hide "$home/auth.json" -- touch "$work/ran"
  [ "$status" -eq 1 ]
  [[ $output == "magi-confine: cannot confine: "*auth.json* ]]
  [ ! -e "$work/ran" ]
}

@test "bubblewrap: processes outside cannot be seen or signalled, and nothing outlives the command" {
  need_bubblewrap
  sleep 1000.21 & local victim=$!
  extra=(--means bubblewrap)
  run confined "kill -9 $victim; pgrep -f 'sleep 1000.2[1]'"
  [ "$status" -ne 0 ]
  kill -0 "$victim"
  kill "$victim"
  run confined '(setsid sleep 1000.22 &) ; echo ok'
  [ "$output" = ok ]
  wait_until 10 no_process_left 'sleep 1000.22'
}

@test "without Landlock and bubblewrap nothing runs" {
  run env PATH="$MAGI_BIN" magi-confine --landlock-abi 0 --means landlock --write "$work" -- touch "$work/ran"
  [ "$status" -eq 1 ]
  [ "$output" = "magi-confine: cannot confine: this kernel has no Landlock" ]
  [ ! -e "$work/ran" ]
}
