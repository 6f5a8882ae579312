// Everything that a run stands on, put together in the order that gets a request out soonest: the provider is started
// before anything that it does not need.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/config/environment.h"
#include "libcommon/config/provider_choice.h"
#include "libcommon/config/settings.h"
#include "libcommon/session/paths.h"
#include "libcommon/tool/tool_path.h"
#include "tools/magi-code/cli/options.h"
#include "tools/magi-code/loop/folder_instructions.h"
#include "tools/magi-code/hook/hooks.h"
#include "tools/magi-code/loop/journal.h"
#include "tools/magi-code/loop/memory_guard.h"
#include "tools/magi-code/loop/protection.h"
#include "tools/magi-code/loop/run.h"
#include "tools/magi-code/loop/skill_access.h"
#include "tools/magi-code/stage/assess_stage.h"
#include "tools/magi-code/stage/compact_stage.h"
#include "tools/magi-code/stage/event_loop.h"
#include "tools/magi-code/stage/provider_stage.h"
#include "tools/magi-code/stage/replay_stage.h"
#include "tools/magi-code/stage/token_stage.h"
#include "tools/magi-code/stage/tool_router.h"
#include "tools/magi-code/stage/tool_stage.h"

namespace magi::code {

// What the process was started with, resolved but not acted upon.
struct Setting {
  const Options& options;
  const config::Environment& environment;
  session::Home home;
  std::string cwd;  // absolute, as the user named it
  config::Settings settings;
  bool explicit_home = false;  // not where the tools would look by themselves in a new shell

  // Errors are the user's to mend (kUsage, kConfig): nothing has been touched.
  static Result<Setting> resolve(const Options& options, const tool::OptionParser& parser,
                                 const config::Environment& environment);
  std::string permissions() const {
    return options.permissions.empty() ? settings.permissions.mode : options.permissions;
  }
  // Without the variables that hold provider keys.
  std::vector<std::string> environment_without_keys() const;
  tool::ToolPath tool_path() const;
};

// The real path of a folder that can be worked in.  kUsage where it cannot.
Result<std::string> working_folder(const std::string& folder);

class Assembly {
 public:
  enum class Purpose {
    kRun,      // a conversation that goes on
    kPreview,  // `request`: what would be sent; nothing is written, started or locked
  };
  // `sink` (may be null) is told what the tools say on their standard error.  `provider_args` are given to
  // magi-provider besides.
  static Result<std::unique_ptr<Assembly>> create(const Setting& setting, Purpose purpose, Sink* sink = nullptr,
                                                  std::vector<std::string> provider_args = {});

  // Runs the loop until definitions and history are there.  `see_history` is given what magi-replay wrote, before it is
  // taken over.
  Result<void> load(const std::function<void(std::string_view)>& see_history = {});
  RunSettings run_settings(bool can_ask) const;
  RunParts parts(Sink& sink);
  // Ends the tool host in good order.
  void shutdown();
  Hooks& hooks() { return *hooks_; }

  // Starts magi-provider, with the environment that holds the keys.
  Result<Command> provider_command() const;

  EventLoop& loop() { return loop_; }
  Journal& journal() { return journal_; }
  const Journal& journal() const { return journal_; }
  const config::ProviderChoice& provider() const { return choice_; }

 private:
  explicit Assembly(const Setting& setting) : setting_(setting) {}
  Result<void> choose_session();
  Result<void> start_stages(Purpose purpose, const NoticeHandler& notice, std::vector<std::string> provider_args);
  Result<void> start_provider(Purpose purpose, const NoticeHandler& notice, std::vector<std::string> provider_args);
  Result<void> start_tools(Purpose purpose, const NoticeHandler& notice);
  Result<void> start_servers(Purpose purpose, const NoticeHandler& notice);
  Result<Command> command(std::string_view program) const;
  Result<Command> replay_command(const std::string& id) const;
  Result<Command> compact_command();
  Result<Command> assess_command() const;
  void start_guards(const NoticeHandler& notice);
  Result<void> open_journal(Purpose purpose);
  Result<void> take_definitions(const std::string& own, const std::string& servers);

  const Setting& setting_;
  EventLoop loop_;
  config::ProviderChoice choice_;
  Journal journal_;
  Decisions decisions_;
  std::string resumed_id_, instructions_, tools_json_;
  std::unordered_set<std::string> tool_names_;
  std::unique_ptr<ProviderStage> provider_;
  std::unique_ptr<ToolStage> tools_, servers_;  // servers_: magi-mcp, where servers are configured
  std::unique_ptr<ToolRouter> router_;
  std::unique_ptr<Hooks> hooks_;
  permit::Permissions permissions_;
  std::unique_ptr<SkillAccess> skills_;
  std::unique_ptr<AssessStage> assessor_;
  std::unique_ptr<Protection> protection_;
  std::unique_ptr<FolderInstructions> folder_instructions_;
  std::unique_ptr<TokenStage> tokens_;
  std::unique_ptr<ReplayStage> replay_;
  std::unique_ptr<MemoryGuard> memory_;
  std::unique_ptr<CompactStage> compactor_;

  std::optional<Result<Replayed>> replayed_;
  std::optional<Result<std::string>> definitions_;
  std::optional<std::string> server_definitions_;
  std::vector<std::string> call_ids_;
};

}  // namespace magi::code
