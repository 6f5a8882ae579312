// magi-mcp: a client of MCP servers, as a host of tools.  See magi-mcp(1).
#include "tools/magi-mcp/program.h"

int main(int argc, char** argv, char** envp) {
  return magi::tool::run_main("magi-mcp", argc, argv, envp, magi::mcp::run);
}
