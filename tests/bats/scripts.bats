# The scripts that hold the tree and the pages to the rules must themselves be able to fail.
load helper

@test "setup knows its options and lists packages" {
  run "$MAGI_ROOT/scripts/setup" --list
  assert_success
  assert_line libboost1.81-dev
  assert_line bats
  run "$MAGI_ROOT/scripts/setup" --bogus
  assert_failure 2
}

# A tree with one clean module.
make_tree() {
  mkdir -p tree/libcommon/{base,event,os} tree/tools/magi-a tree/tools/magi-b tree/tests
  printf '#pragma once\nint f();\n' >tree/libcommon/base/f.h
  printf '#pragma once\ninline constexpr std::string_view kToolCall = "tool_call";\ninline constexpr std::string_view kText = "text";\n' \
    >tree/libcommon/event/names.h
  printf '#include "libcommon/base/f.h"\n' >tree/tools/magi-a/main.cc
}

offence() {
  printf '%s\n' "$2" >"tree/$1"
  run "$MAGI_ROOT/scripts/check-layers.sh" tree
  rm "tree/$1"
  assert_failure 1
  assert_line --partial "$1:1: $3"
}

@test "check-layers accepts a clean tree and names each offence" {
  make_tree
  run "$MAGI_ROOT/scripts/check-layers.sh" tree
  assert_success
  assert_output ""
  offence libcommon/base/x.cc '#include "libcommon/os/fd.h"' 'base may not use os'
  offence libcommon/os/x.cc '#include "tools/magi-a/a.h"' 'libcommon includes a tool'
  offence libcommon/os/x.cc '#include "fd.h"' 'include from the root of the repository: fd.h'
  offence tools/magi-a/x.cc '#include "tools/magi-b/b.h"' 'one tool includes another'
  offence tools/magi-a/x.cc '#include "tests/fake/server.h"' 'product code includes a test'
  offence tools/magi-a/x.cc '#include <CLI/CLI.hpp>' 'CLI/ may not be included here'
  offence tools/magi-a/x.cc '#include <simdjson.h>' 'simdjson may not be included here'
  offence tools/magi-a/x.cc '#include <curl/curl.h>' 'curl/ may not be included here'
  offence tools/magi-a/x.cc 'auto x = getenv("HOME");' 'the environment is read in main only'
  offence libcommon/os/x.cc 'void f() { std::cout << 1; }' 'output goes through libcommon/tool'
  offence libcommon/os/x.cc 'void f() { exit(1); }' 'only main ends the process'
  offence libcommon/os/x.cc 'void f() { throw 1; }' 'errors are values'
  offence libcommon/os/x.cc 'auto x = "tool_call";' 'names of events and records stand in libcommon/event/names.h'
  offence tools/magi-a/x.cc 'bool f(T type) { return type == "text"; }' 'names of events and records stand in libcommon/event/names.h'
  offence tools/magi-a/x.cc 'auto x = "sessions/.locks";' 'paths come from libcommon/session/paths.h'
  offence tools/magi-a/x.cc 'int x;  // FIXME' 'unfinished'
  offence libcommon/os/x.h 'int x;' 'no #pragma once'
  offence tools/magi-a/main.cc "$(seq -f '// %g' 50)" 'main.cc over 40 lines'
  offence libcommon/os/x.cc "$(seq -f '// %g' 510)" 'over 500 lines'
  printf 'v.required("text", x); out.key("tool_call_id"); // type == "text"\n' >tree/tools/magi-a/x.cc
  run "$MAGI_ROOT/scripts/check-layers.sh" tree
  assert_success
}

@test "check-man runs the examples of a page and shows what differs" {
  cat >magi-x.7 <<'END'
.Dd November 30, 2026
.Dt MAGI-X 7
.Os
.Sh NAME
.Nm magi-x
.Nd page for a test
.Sh DESCRIPTION
Text.
.Sh EXAMPLES
Words before.
.Bd -literal -offset indent
$ echo one; echo two >&2
one
two
$ pwd | sed 's,.*/,,'
scratch
.Ed
.Pp
Words between.
.Bd -literal -offset indent
example that cannot run alone
.Ed
.Sh SEE ALSO
.Xr cat 1
END
  run "$MAGI_ROOT/scripts/check-man.sh" "$PWD/magi-x.7"
  assert_line '4 passed, 0 failed'
  sed -i 's/^two$/three/' magi-x.7
  run "$MAGI_ROOT/scripts/check-man.sh" "$PWD/magi-x.7"
  assert_failure
  assert_line --partial '-three'
  assert_line '3 passed, 1 failed'
  sed -i 's/^\.Sh DESCRIPTION/.Sh DESCRIPTIO/; s/^three/two/' magi-x.7
  run "$MAGI_ROOT/scripts/check-man.sh" "$PWD/magi-x.7"
  assert_failure
}

# A tree in which scripts/test finds a build that is done and runners of every kind.
make_test_tree() {
  mkdir -p tree/{scripts,tests/bats,tests/golden,build/tests,build/bin}
  cp "$MAGI_ROOT/scripts/test" tree/scripts/
  printf '#!/bin/sh\n' >tree/scripts/build
  cat >tree/build/tests/unit_a <<'END'
#!/bin/sh
for a; do case $a in --gtest_output=json:*) out=${a#*json:} ;; esac; done
printf '%s' '{"tests":3,"testsuites":[{"name":"S","testsuite":[{"name":"A","result":"COMPLETED"},{"name":"B","result":"COMPLETED"},{"name":"C","result":"SKIPPED"}]}]}' >"$out"
END
  printf '@test "good" { true; }\n@test "left out" { skip here; }\n' >tree/tests/bats/a.bats
  printf '#!/bin/sh\necho "4 passed, 0 failed"\n' >tree/tests/golden/run
  printf '#!/bin/sh\n' >tree/scripts/check-one.sh
  chmod +x tree/scripts/* tree/build/tests/* tree/tests/golden/run
}

run_test_tree() { MAGI_SETUP=skip MAGI_BUILD=$PWD/tree/build run tree/scripts/test "$@"; }

@test "the test run counts every runner, and a failure in any of them fails it" {
  make_test_tree
  run_test_tree
  assert_success
  assert_equal "${lines[-1]}" '8 passed, 0 failed'
  run_test_tree golden
  assert_equal "${lines[-1]}" '4 passed, 0 failed'
  echo 'exit 3' >>tree/build/tests/unit_a
  printf '@test "bad" { false; }\n' >>tree/tests/bats/a.bats
  printf '#!/bin/sh\necho "1 passed, 3 failed"; exit 1\n' >tree/tests/golden/run
  printf '#!/bin/sh\nexit 1\n' >tree/scripts/check-one.sh
  run_test_tree
  assert_failure
  assert_line 'failed: unit_a: ended with status 3'
  assert_line --partial 'failed: bats: bad'
  assert_line 'failed: golden'
  assert_line 'failed: check-one'
  assert_equal "${lines[-1]}" '4 passed, 6 failed'
  printf '#!/bin/sh\nexit 1\n' >tree/scripts/build
  run_test_tree
  assert_failure
  assert_equal "${lines[-1]}" '0 passed, 1 failed'
}
