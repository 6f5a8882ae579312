#include "tools/magi-tool/command_line.h"

#include "libcommon/config/settings.h"
#include "libcommon/event/answers.h"
#include "libcommon/session/known_keys.h"
#include "libcommon/session/paths.h"
#include "libcommon/tool/options.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-tool/earlier.h"
#include "tools/magi-tool/person.h"
#include "tools/magi-tool/serve.h"

namespace magi::toolbox {
namespace {

// What must be known before a session can begin.
struct Setup {
  Mode mode = Mode::kWorkspace;
  ShellSettings shell;
};

Result<Setup> set_up(const tool::Invocation& invocation, const ParsedLine& parsed) {
  const CommandLine& line = parsed.line;
  MAGI_TRY(const config::Settings settings,
           config::load_settings({session::Home(parsed.home).settings(), line.root, line.overlay}));
  // Who serves has a parent that read the same files and has said it.
  if (!line.serve)
    for (const std::string& warning : settings.warnings) tool::notice(invocation.name, warning);
  Setup setup;
  const std::string mode = line.permissions ? *line.permissions : line.tool ? "full" : settings.permissions.mode;
  if (const auto known = parse_mode(mode))
    setup.mode = *known;
  else
    return make_error(ErrorCode::kConfig, "permissions ", quoted(mode), ": no such mode");
  setup.shell.network = line.network || settings.permissions.network;
  setup.shell.means = settings.permissions.confinement;
  setup.shell.writes_root = setup.mode != Mode::kReadOnly;
  setup.shell.removed = line.removed;
  for (const auto& [id, provider] : settings.providers)
    if (!provider.api_key_env.empty()) setup.shell.removed.push_back(provider.api_key_env);
  if (line.timeout_ms) setup.shell.timeout_ms = *line.timeout_ms;
  return setup;
}

Result<int> list_tools() {
  tool::Stdout out;
  for (const Tool& tool : all_tools()) {
    event::ToolDefinition definition;
    definition.name = tool.name;
    definition.description = tool.description;
    definition.parameters.json = parameters_schema(tool.parameters);
    event::append_record(out.buffer(), definition);
  }
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace

Result<ParsedLine> parse_command_line(tool::Invocation& invocation) {
  ParsedLine parsed;
  CommandLine& line = parsed.line;
  tool::OptionParser parser(invocation.name, "Run the tools of an agent: read and edit files, search, run commands.");
  parser.option("--root", line.root, "DIR", "working directory (default: the present one)");
  parser.option("--add-dir", line.added, "DIR", "a further folder to work in");
  parser.option("--permissions", line.permissions, "MODE", "workspace, ask, read-only or full")
      .choices({"workspace", "ask", "read-only", "full"});
  parser.flag("--allow-network", line.network, "let confined commands use the network");
  parser.flag("--allow-private", line.allow_private, "let open fetch from this machine and private networks");
  parser.option("--timeout-ms", line.timeout_ms, "N", "time limit of commands that ask for none (default: 120000)")
      .range(1, 86'400'000);
  parser.option("--unset-env", line.removed, "NAME", "keep a variable from commands");
  parser.option("--set", line.overlay, "KEY=VALUE", "override a setting");
  parser.option("--session", line.session_id, "ID", "the session that the calls belong to");
  parser.flag("--list", line.list, "print the definitions of the tools");
  parser.flag("--serve", line.serve, "serve a host process until it closes standard input").conflicts_with({"--list"});
  parser.operand("NAME", line.tool, "run this tool once, for a person, with permissions full");
  parser.operand("ARGUMENT", line.argument, "its arguments: a JSON object, or plain text");
  parsed.exit_status = parser.parse(invocation.argc, invocation.argv);
  if (parsed.exit_status) return parsed;
  if (line.session_id) MAGI_CHECK(session::check_session_id(*line.session_id));
  if (line.tool && (line.serve || line.list))
    return make_error(ErrorCode::kUsage, "a tool's name goes with neither --serve nor --list");
  if (line.tool && find_tool(*line.tool) == nullptr)
    return make_error(ErrorCode::kUsage, "no tool ", quoted(*line.tool), "; see --list");
  if (line.list) return parsed;
  MAGI_TRY(parsed.home, invocation.environment.state_home(parser.home()));
  return parsed;
}

Result<int> run_program(const tool::Invocation& invocation, const ParsedLine& parsed) {
  const CommandLine& line = parsed.line;
  if (line.list) return list_tools();
  MAGI_TRY(Setup setup, set_up(invocation, parsed));
  const session::Home home(parsed.home);
  session::learn_known_keys(home, invocation.environment);
  std::vector<std::string> hidden;
  if (setup.mode != Mode::kFull) hidden = {home.auth(), home.sessions(), home.checkpoints()};
  const std::string kept = setup.mode != Mode::kFull ? home.root() : std::string();
  Result<Workspace> workspace = Workspace::open(line.root, line.added, std::move(hidden), kept);
  if (!workspace) return make_error(ErrorCode::kUsage, workspace.error().what);
  EventLoop loop;
  Session session{invocation.environment,
                  setup.mode,
                  *std::move(workspace),
                  {},
                  loop,
                  Shell(loop, invocation.environment, std::move(setup.shell)),
                  {}};
  session.allow_private = line.allow_private;
  if (line.session_id) session.checkpoints = Checkpoints(home, *line.session_id);
  if (line.session_id)
    session.observed.set_earlier(
        [&](Observed& observed) { learn_earlier(home, *line.session_id, session.workspace.root(), observed); });
  if (line.tool) return run_for_person(session, *line.tool, line.argument);
  return serve(session, {line.serve});
}

}  // namespace magi::toolbox
