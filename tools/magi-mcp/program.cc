#include "tools/magi-mcp/program.h"

#include <limits.h>
#include <stdlib.h>

#include "libcommon/tool/options.h"
#include "libcommon/tool/report.h"
#include "tools/magi-mcp/person.h"
#include "tools/magi-mcp/serve.h"

namespace magi::mcp {
namespace {

constexpr std::int64_t kListMs = 60'000, kServeMs = 5'000;

struct CommandLine {
  std::string root = ".";
  std::vector<std::string> overlay;
  std::optional<std::string> permissions, session_id, tool, argument;
  std::optional<std::int64_t> wait_ms;
  bool list = false, serve = false, status = false, json = false;
};

struct Parsed {
  CommandLine line;
  std::optional<int> exit_status;
  std::string home;
};

Result<Parsed> parse(tool::Invocation& invocation) {
  Parsed parsed;
  CommandLine& line = parsed.line;
  tool::OptionParser parser(invocation.name, "Call the tools of MCP servers that the settings name.");
  parser.flag("--json", line.json, "with --status: one JSON object a server").needs("--status");
  parser.flag("--list", line.list, "print the definitions of the servers' tools");
  parser.option("--permissions", line.permissions, "MODE", "workspace, ask, read-only or full")
      .choices({"workspace", "ask", "read-only", "full"});
  parser.option("--root", line.root, "DIR", "working directory of the servers (default: the present one)");
  parser.flag("--serve", line.serve, "serve a host process until it closes standard input");
  parser.option("--session", line.session_id, "ID", "the session that the calls belong to");
  parser.option("--set", line.overlay, "KEY=VALUE", "override a setting");
  parser.flag("--status", line.status, "start every server and say what it offers")
      .conflicts_with({"--list", "--serve"});
  parser.option("--wait-ms", line.wait_ms, "N", "how long --list waits for servers that are not known yet")
      .range(0, 600'000);
  parser.operand("SERVER/TOOL", line.tool, "call this tool once, for a person");
  parser.operand("ARGUMENT", line.argument, "its arguments: a JSON object, or plain text where it takes one text");
  parsed.exit_status = parser.parse(invocation.argc, invocation.argv);
  if (parsed.exit_status) return parsed;
  if (line.session_id) MAGI_CHECK(session::check_session_id(*line.session_id));
  MAGI_TRY(parsed.home, invocation.environment.state_home(parser.home()));
  MAGI_CHECK(session::check_home(session::Home(parsed.home)));
  const int chosen = line.tool.has_value() + (line.list || line.serve) + line.status;
  if (chosen != 1)
    return make_error(ErrorCode::kUsage, "give either SERVER/TOOL, --status, --list or --serve; see --help");
  return parsed;
}

}  // namespace

Result<int> run(tool::Invocation& invocation) {
  MAGI_TRY(const Parsed parsed, parse(invocation));
  if (parsed.exit_status) return *parsed.exit_status;
  const CommandLine& line = parsed.line;
  char root[PATH_MAX];
  if (!realpath(line.root.c_str(), root))
    return make_error(ErrorCode::kUsage, errno_error("--root " + quoted(line.root), errno).what);
  MAGI_TRY(const config::Settings settings,
           config::load_settings({session::Home(parsed.home).settings(), root, line.overlay}));
  // Who serves has a parent that read the same files and has said it.
  if (!line.serve)
    for (const std::string& warning : settings.warnings) tool::notice(invocation.name, warning);
  HostOptions options{parsed.home, root, settings.mcp_servers, &invocation.environment,
                      [name = invocation.name](const std::string& text) { tool::notice(name, text); }};
  Host host(std::move(options));
  if (line.status) return show_status(host, line.json);
  if (line.tool) return call_for_person(host, *line.tool, line.argument);
  if (!line.serve) return list(host, line.wait_ms.value_or(kListMs));
  return serve(host,
               {line.permissions.value_or(settings.permissions.mode), line.list, line.wait_ms.value_or(kServeMs)});
}

}  // namespace magi::mcp
