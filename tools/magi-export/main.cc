// magi-export: a session with all that belongs to it as one ZIP.  See magi-export(1).
#include "tools/magi-export/command_line.h"

int main(int argc, char** argv, char** envp) {
  return magi::tool::run_main("magi-export", argc, argv, envp, magi::exporting::run);
}
