// The servers of one process: which there are, what they offer, and where a call goes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/config/environment.h"
#include "libcommon/config/settings.h"
#include "libcommon/event/answers.h"
#include "libcommon/session/paths.h"
#include "tools/magi-mcp/loop.h"
#include "tools/magi-mcp/server.h"

namespace magi::mcp {

struct HostOptions {
  std::string home, root;  // absolute
  std::map<std::string, config::McpServerSettings> servers;
  const config::Environment* environment = nullptr;  // must outlive the host
  std::function<void(std::string)> on_remark;
};

class Host {
 public:
  explicit Host(HostOptions options);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  Loop& loop() { return loop_; }
  // By name, disabled ones left out.
  const std::map<std::string, std::unique_ptr<Server>>& servers() const { return servers_; }
  Server* find(const std::string& name) const;

  // Starts every server; their lists are kept in the cache when they come.
  void start_all();

  // Until each is ready or has failed for good, or the time is over.
  void await_all(std::int64_t wait_ms);

  // What is offered, in a fixed order: what the cache knows at once, else what comes within `wait_ms`.
  std::vector<event::ToolDefinition> offer(std::int64_t wait_ms);
  // Of an offered name.  Requires: offer().
  const Names::Target* target(const std::string& offered) const { return names_.find(offered); }

  // Ends every server in good order; blocks for some seconds at most.
  void stop_all();

 private:
  Result<Http*> http();
  std::string cache_name_of(const Server& server) const { return cache_name_.at(server.name()); }

  HostOptions options_;
  session::Home home_;
  Loop loop_;
  std::unique_ptr<Http> http_;
  Surroundings around_;
  std::map<std::string, std::unique_ptr<Server>> servers_;
  std::map<std::string, std::string> cache_name_;
  Names names_;
};

// What a program of a server is given of our environment: what programs need to run, and nothing that is a secret.
std::vector<std::string> program_environment(const config::Environment& environment);

}  // namespace magi::mcp
