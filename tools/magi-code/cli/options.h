// The command line of magi-code (contracts, section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/tool/options.h"
#include "tools/magi-code/cli/rewind_options.h"
#include "tools/magi-code/cli/sessions_options.h"

namespace magi::code {

struct Options {
  // what to run
  std::optional<std::string> print;   // -p TEXT; "-": from stdin
  std::optional<std::string> prompt;  // --prompt TEXT: first input of a conversation
  bool json = false, control = false;

  // session
  bool continue_latest = false, no_session = false, fork = false;
  std::optional<std::string> resume;

  // model
  std::string provider, model, base_url;
  std::vector<std::string> images;
  std::optional<std::string> system_prompt_file, append_system_prompt;

  // place and permissions
  std::string cwd;
  std::vector<std::string> add_dirs;
  std::string permissions;
  std::vector<std::string> allow;  // rules, as in permissions.allow
  std::optional<std::string> tools;
  bool no_tools = false;

  // limits and output
  std::int64_t max_turns = 0, max_tokens_total = 0, timeout_s = 0;
  std::optional<std::string> output_last_message;
  bool verify = false;
  bool use_stdin = false, no_stdin = false, quiet = false, verbose = false;
  std::vector<std::string> overlay;

  // subcommands and their operands
  enum class Command { kRun, kRequest, kSessions, kModels, kChanges, kRewind, kDemo, kDoctor, kCompletion, kTrust };
  Command command = Command::kRun;
  SessionsOptions sessions;
  RewindOptions rewind;
  std::optional<std::string> session_operand, shell_operand;
  std::string demo_folder;
  bool trust_show = false, trust_revoke = false;
};

// Fills `options` and, through `parser`, the home.  Nothing where the caller should go on; else the exit status.
std::optional<int> parse_options(tool::OptionParser& parser, int argc, const char* const* argv, Options& options);

}  // namespace magi::code
