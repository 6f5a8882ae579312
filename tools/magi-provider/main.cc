// magi-provider: sends a conversation to a model and writes its answer.  See magi-provider(1).
#include "libcommon/tool/run_main.h"
#include "tools/magi-provider/provider.h"

int main(int argc, char** argv, char** envp) {
  return magi::tool::run_main("magi-provider", argc, argv, envp, magi::provider::run);
}
