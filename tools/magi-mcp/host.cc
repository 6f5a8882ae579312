#include "tools/magi-mcp/host.h"

#include <algorithm>

#include "libcommon/base/secret_shapes.h"
#include "libcommon/config/secrets.h"
#include "tools/magi-mcp/cache.h"

namespace magi::mcp {
namespace {

constexpr std::string_view kPassedOn[] = {"PATH",
                                          "HOME",
                                          "USER",
                                          "LOGNAME",
                                          "SHELL",
                                          "TERM",
                                          "LANG",
                                          "LANGUAGE",
                                          "TZ",
                                          "TMPDIR",
                                          "SSL_CERT_FILE",
                                          "SSL_CERT_DIR",
                                          "NODE_EXTRA_CA_CERTS",
                                          "http_proxy",
                                          "https_proxy",
                                          "all_proxy",
                                          "no_proxy",
                                          "HTTP_PROXY",
                                          "HTTPS_PROXY",
                                          "ALL_PROXY",
                                          "NO_PROXY"};
constexpr std::string_view kPassedOnStarts[] = {"LC_", "XDG_", "NVM_", "npm_config_", "UV_", "PYENV_", "VIRTUAL_ENV"};

bool is_passed_on(std::string_view name) {
  return std::find(std::begin(kPassedOn), std::end(kPassedOn), name) != std::end(kPassedOn) ||
         std::any_of(std::begin(kPassedOnStarts), std::end(kPassedOnStarts),
                     [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

std::vector<std::string> program_environment(const config::Environment& environment) {
  std::vector<std::string> out;
  for (const std::string& entry : environment.entries()) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view name = std::string_view(entry).substr(0, equals);
    if (is_passed_on(name) && !config::is_secret_name(name) && !find_secret(entry)) out.push_back(entry);
  }
  return out;
}

Host::Host(HostOptions options)
    : options_(std::move(options)),
      home_(options_.home),
      around_{loop_,
              [this] { return http(); },
              program_environment(*options_.environment),
              [environment = options_.environment](std::string_view name) {
                return std::string(environment->get_or(name, ""));
              },
              options_.root,
              options_.on_remark} {
  for (const auto& [name, settings] : options_.servers) {
    if (!settings.enabled) continue;
    servers_.emplace(name, std::make_unique<Server>(around_, name, settings));
    cache_name_.emplace(name, cache_name(name, settings, options_.root));
  }
}

Host::~Host() {
  servers_.clear();
  http_.reset();
}

Result<Http*> Host::http() {
  if (!http_) {
    MAGI_TRY(http_, Http::create(loop_, net::network_options(*options_.environment)));
  }
  return http_.get();
}

Server* Host::find(const std::string& name) const {
  const auto found = servers_.find(name);
  return found == servers_.end() ? nullptr : found->second.get();
}

void Host::start_all() {
  for (const auto& [name, server] : servers_) {
    Server* const one = server.get();
    one->on_tools([this, one] {
      if (one->state() == Server::State::kReady) keep_tools(home_, cache_name_of(*one), one->tools());
    });
    one->start();
  }
}

void Host::await_all(std::int64_t wait_ms) {
  const auto settled = [](const auto& one) {
    return one.second->state() == Server::State::kReady || one.second->state() == Server::State::kFailed;
  };
  loop_.run_until([&] { return std::all_of(servers_.begin(), servers_.end(), settled); }, wait_ms);
}

std::vector<event::ToolDefinition> Host::offer(std::int64_t wait_ms) {
  std::map<std::string, std::vector<RemoteTool>> known;
  for (const auto& [name, server] : servers_)
    if (auto tools = cached_tools(home_, cache_name_of(*server))) known.emplace(name, *std::move(tools));
  const auto settled = [&] {
    return std::all_of(servers_.begin(), servers_.end(), [&](const auto& one) {
      const Server::State state = one.second->state();
      return known.contains(one.first) || state == Server::State::kReady || state == Server::State::kFailed;
    });
  };
  loop_.run_until(settled, wait_ms);
  std::vector<event::ToolDefinition> offered;
  for (const auto& [name, server] : servers_) {
    if (server->state() == Server::State::kReady) {
      known[name] = server->tools();
    } else if (!known.contains(name)) {
      options_.on_remark(name + ": its tools are not offered in this session: " +
                         (server->why().empty() ? "it was not ready in time" : server->why()));
      continue;
    }
    for (const RemoteTool& tool : known[name]) {
      event::ToolDefinition definition;
      definition.name = names_.add(name, tool);
      definition.description = tool.description;
      definition.parameters.json = tool.schema;
      offered.push_back(std::move(definition));
    }
  }
  return offered;
}

void Host::stop_all() {
  for (const auto& [name, server] : servers_) server->hang_up();
  for (const auto& [name, server] : servers_) server->stop();
}

}  // namespace magi::mcp
