// magi-perms: makes sessions private again.  See magi-perms(1).
#include "tools/magi-perms/command_line.h"

int main(int argc, char** argv, char** envp) {
  return magi::tool::run_main("magi-perms", argc, argv, envp, magi::perms::run);
}
