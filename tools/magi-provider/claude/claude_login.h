// Whether the installed claude is logged in, asked by `claude auth status`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libcommon/config/environment.h"
#include "libcommon/config/settings.h"
#include "tools/magi-provider/claude/claude_process.h"
#include "tools/magi-provider/failure.h"

namespace magi::provider {

struct ClaudeLogin {
  bool logged_in = false;
  std::string plan;     // "max"; empty: not said
  std::string problem;  // why it could not be told; empty: it could
};

// Of what `claude auth status` printed and how it ended.
ClaudeLogin read_claude_login(std::string_view output, int exit_status, std::string_view complaint);

// The environment of a claude that is to use its own login: no key of any provider, and nothing that makes it believe
// that it runs inside another claude.
std::vector<std::string> claude_environment(const config::Settings& settings, const config::Environment& environment);

// Started when asked, awaited by step().
class ClaudeLoginCheck {
 public:
  static Result<ClaudeLoginCheck> start(const std::string& program, const std::vector<std::string>& env);
  // Nothing while it runs.
  std::optional<ClaudeLogin> step();
  void watch(std::vector<pollfd>& watched) const { process_.watch(watched); }
  std::int64_t deadline_ns() const { return deadline_ns_; }

 private:
  explicit ClaudeLoginCheck(ClaudeProcess process);
  ClaudeProcess process_;
  std::string output_;
  std::int64_t deadline_ns_;
};

// One line for --status; waits for at most ten seconds.
std::string claude_login_state(const config::Environment& environment);

}  // namespace magi::provider
