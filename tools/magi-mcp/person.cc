#include "tools/magi-mcp/person.h"

#include <unistd.h>

#include <algorithm>

#include "libcommon/base/harmless.h"
#include "libcommon/base/shown_text.h"
#include "libcommon/json/writer.h"
#include "libcommon/os/signals.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"

namespace magi::mcp {
namespace {

constexpr std::string_view kName = "magi-mcp";
constexpr std::int64_t kStatusMs = 90'000;

bool is_settled(const Server& server) {
  return server.state() == Server::State::kReady || server.state() == Server::State::kFailed;
}

// The one text that a tool must be given, where it is that simple.
std::string only_required(const RemoteTool& tool) {
  json::Parser parser;
  const auto schema = parser.parse(tool.schema);
  if (!schema) return {};
  std::string name;
  for (const json::Node one : schema->find("required").elements()) {
    if (!name.empty()) return {};
    name = one.as_string().value_or("");
  }
  return schema->find("properties").find(name).find("type").as_string() == "string" ? name : std::string();
}

Result<std::string> arguments_of(const RemoteTool& tool, const std::optional<std::string>& argument) {
  if (!argument) return std::string("{}");
  json::Parser parser;
  const auto given = parser.parse(*argument);
  std::string out;
  if (given && given->is(json::Kind::kObject)) {
    json::append_compact(out, given->raw());
    return out;
  }
  const std::string name = only_required(tool);
  if (name.empty() || argument->starts_with("{\""))
    return make_error(ErrorCode::kUsage, "the arguments of ", quoted(tool.name), " must be a JSON object");
  json::Writer(out).begin_object().key(name).string(*argument).end_object();
  return out;
}

Result<Server*> ready_server(Host& host, const std::string& name, const std::function<bool()>& stopped) {
  Server* const server = host.find(name);
  if (!server)
    return make_error(ErrorCode::kUsage, "no MCP server ", quoted(name),
                      " is configured and enabled; see magi-settings(5)");
  server->start();
  host.loop().run_until([&] { return is_settled(*server) || stopped(); }, kStatusMs);
  if (server->state() == Server::State::kReady) return server;
  return make_error(ErrorCode::kUpstream, "server ", quoted(name), ": ",
                    server->why().empty() ? "it does not answer" : server->why());
}

std::string state_name(const Server& server) {
  if (server.state() == Server::State::kReady) return "ready";
  return server.state() == Server::State::kFailed ? "failed" : "no answer";
}

}  // namespace

Result<int> call_for_person(Host& host, const std::string& tool, const std::optional<std::string>& argument) {
  const std::size_t slash = tool.find('/');
  if (slash == std::string::npos) return make_error(ErrorCode::kUsage, quoted(tool), " is not SERVER/TOOL");
  os::ignore_sigpipe();
  MAGI_TRY(const os::StopSignals signals, os::StopSignals::catch_signals());
  host.loop().watch(signals.fd(), POLLIN, [](short) {});
  const auto stopped = [&] { return signals.received() != 0; };
  MAGI_TRY(Server* const server, ready_server(host, tool.substr(0, slash), stopped));
  const std::string name = tool.substr(slash + 1);
  const auto& tools = server->tools();
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const RemoteTool& one) { return one.name == name; });
  if (found == tools.end()) {
    std::string known;
    for (const RemoteTool& one : tools) known.append(known.empty() ? "" : ", ").append(one.name);
    return make_error(ErrorCode::kUsage, "server ", quoted(server->name()), " has no tool ", quoted(name), "; it has ",
                      known.empty() ? "none" : known);
  }
  MAGI_TRY(std::string arguments, arguments_of(*found, argument));
  std::optional<CallOutcome> outcome;
  server->call(name, std::move(arguments),
               {[](const std::string& text) { tool::notice(kName, text.substr(0, text.find('\n'))); },
                [&](CallOutcome done) { outcome = std::move(done); }});
  host.loop().run_until([&] { return outcome || stopped(); });
  if (!outcome) server->cancel();
  host.stop_all();
  if (!outcome->result) {
    if (stopped()) return 128 + signals.received();
    return make_error(ErrorCode::kUpstream, tool, ": ", outcome->failure.why);
  }
  tool::Stdout out;
  std::string text = visible(std::move(outcome->result->output));
  if (isatty(STDOUT_FILENO)) text = harmless(text);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  MAGI_CHECK(out.write(text));
  MAGI_CHECK(out.flush());
  if (!outcome->result->is_error) return kExitOk;
  tool::notice(kName, tool + ": error");
  return kExitFailed;
}

Result<int> show_status(Host& host, bool as_json) {
  os::ignore_sigpipe();
  MAGI_TRY(const os::StopSignals signals, os::StopSignals::catch_signals());
  host.loop().watch(signals.fd(), POLLIN, [](short) {});
  host.start_all();
  const auto& servers = host.servers();
  host.loop().run_until(
      [&] {
        return signals.received() != 0 ||
               std::all_of(servers.begin(), servers.end(), [](const auto& one) { return is_settled(*one.second); });
      },
      kStatusMs);
  std::string text;
  bool all_ready = true;
  for (const auto& [name, server] : servers) {
    const bool ready = server->state() == Server::State::kReady;
    all_ready = all_ready && ready;
    if (as_json) {
      json::Writer writer(text);
      writer.begin_object().key("server").string(name).key("state").string(state_name(*server));
      writer.key("transport").string(server->settings().url.empty() ? "stdio" : "http");
      writer.key("title").string(server->title()).key("why").string(server->why()).key("tools").begin_array();
      for (const RemoteTool& tool : server->tools()) writer.string(tool.name);
      writer.end_array().end_object();
      text += '\n';
      continue;
    }
    text += name + ": " + state_name(*server);
    if (ready) text += ", " + server->title() + ", " + std::to_string(server->tools().size()) + " tools\n";
    if (!ready) text += (server->why().empty() ? "" : ": " + server->why()) + "\n";
    for (const RemoteTool& tool : server->tools())
      text += "  " + tool.name + (tool.read_only ? " (reads only)\n" : "\n");
  }
  if (servers.empty() && !as_json) text = "no MCP servers are configured; see magi-settings(5)\n";
  host.stop_all();
  tool::Stdout out;
  MAGI_CHECK(out.write(as_json ? text : harmless(text)));
  MAGI_CHECK(out.flush());
  if (signals.received() != 0) return 128 + signals.received();
  return all_ready ? kExitOk : kExitFailed;
}

}  // namespace magi::mcp
