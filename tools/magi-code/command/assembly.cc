#include "tools/magi-code/command/assembly.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "libcommon/json/writer.h"
#include "libcommon/os/io.h"
#include "libcommon/session/fork.h"
#include "libcommon/session/known_keys.h"
#include "libcommon/session/store.h"
#include "tools/magi-code/loop/control_tool.h"
#include "tools/magi-code/prompt/system_prompt.h"

namespace magi::code {
namespace {

// "a,b" as a set; empty entries are left out.
std::unordered_set<std::string> split_list(std::string_view list) {
  std::unordered_set<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (comma != 0) names.emplace(list.substr(0, comma));
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return names;
}

}  // namespace

Result<std::string> working_folder(const std::string& folder) {
  char path[PATH_MAX];
  struct stat info {};
  if (!realpath(folder.c_str(), path) || stat(path, &info) != 0 || access(path, X_OK) != 0)
    return make_error(ErrorCode::kUsage, errno_error("cannot work in " + quoted(folder), errno).what);
  if (!S_ISDIR(info.st_mode)) return make_error(ErrorCode::kUsage, "cannot work in ", quoted(folder), ": not a folder");
  return std::string(path);
}

Result<Setting> Setting::resolve(const Options& options, const tool::OptionParser& parser,
                                 const config::Environment& environment) {
  MAGI_TRY(std::string root, environment.state_home(parser.home()));
  session::Home home(std::move(root));
  MAGI_CHECK(session::check_home(home));
  MAGI_TRY(std::string cwd, working_folder(options.cwd.empty() ? "." : options.cwd));
  for (const std::string& dir : options.add_dirs)
    if (auto folder = working_folder(dir); !folder)
      return make_error(ErrorCode::kUsage, "--add-dir: ", folder.error().what);
  MAGI_TRY(config::Settings settings, config::load_settings({home.settings(), cwd, options.overlay}));
  session::learn_known_keys(home, environment, config::provider_key_variables(settings));
  return Setting{options, environment, std::move(home), std::move(cwd), std::move(settings), parser.home().has_value()};
}

std::vector<std::string> Setting::environment_without_keys() const {
  const std::vector<std::string> keys = config::provider_key_variables(settings);
  return environment.entries_without({keys.begin(), keys.end()});
}

tool::ToolPath Setting::tool_path() const {
  return {environment.get_or("MAGI_TOOL_PATH", ""), environment.get_or("PATH", "")};
}

Result<std::unique_ptr<Assembly>> Assembly::create(const Setting& setting, Purpose purpose, Sink* sink,
                                                   std::vector<std::string> provider_args) {
  std::unique_ptr<Assembly> assembly(new Assembly(setting));
  const Options& o = setting.options;
  auto choice = config::choose_provider(setting.settings, setting.environment, {o.provider, o.model, o.base_url},
                                        setting.home.auth());
  if (!choice && purpose == Purpose::kRun) return choice.error();
  if (choice) assembly->choice_ = *std::move(choice);
  assembly->permissions_ = permit::Permissions(setting.cwd);
  MAGI_CHECK(assembly->permissions_.add(setting.settings.permissions.allow, "permissions.allow"));
  MAGI_CHECK(assembly->permissions_.add(o.allow, "--allow"));
  MAGI_CHECK(assembly->choose_session());
  const NoticeHandler notice = [sink](std::string_view line) {
    if (sink)
      sink->diagnostic({"notice", std::string(line), "tool"});
    else
      (void)os::write_all(STDERR_FILENO, std::string(line) + "\n");
  };
  MAGI_CHECK(assembly->start_stages(purpose, notice, std::move(provider_args)));
  MAGI_CHECK(assembly->open_journal(purpose));
  // Only the lease holder's view of a session is final, so it is read after the lease was taken.
  Assembly* const self = assembly.get();
  if (self->replay_) {
    self->journal_.begin_reload();
    if (const session::Writer* writer = self->journal_.writer()) self->replay_->expect(writer->stamp().length);
    self->replay_->start([self](Result<Replayed> replayed) { self->replayed_ = std::move(replayed); });
  }
  const auto mode = o.verify ? MemoryGuard::Mode::kVerify : MemoryGuard::Mode::kReuse;
  self->memory_ = std::make_unique<MemoryGuard>(
      self->loop_, self->journal_, mode, [self] { return self->replay_command(self->journal_.session_id()); }, notice);
  assembly->start_guards(notice);
  if (purpose == Purpose::kRun)
    self->hooks_ = std::make_unique<Hooks>(
        self->loop_, HookSetup{setting.settings.hooks, setting.cwd, setting.environment_without_keys()},
        self->journal_);
  self->hooks_->tell(sink);
  MAGI_TRY(assembly->instructions_,
           build_instructions({setting.home.root(), setting.cwd, o.system_prompt_file, o.append_system_prompt,
                               setting.permissions(), skills_section(assembly->skills_->skills())}));
  return assembly;
}

Result<void> Assembly::choose_session() {
  const Options& o = setting_.options;
  if (o.fork && !o.continue_latest && !o.resume)
    return make_error(ErrorCode::kUsage, "--fork needs --continue or --resume");
  if (o.continue_latest) {
    MAGI_TRY(const auto latest, session::latest_eligible(setting_.home, setting_.cwd));
    if (!latest) return make_error(ErrorCode::kNotFound, "no session of this worktree to continue");
    resumed_id_ = latest->id;
  } else if (o.resume || o.session_operand) {
    resumed_id_ = o.resume.value_or(o.session_operand.value_or(""));
    if (resumed_id_.empty())
      return make_error(ErrorCode::kUsage, "--resume needs a session ID here; `magi-code sessions list` shows them");
    MAGI_CHECK(session::check_session_id(resumed_id_));
    MAGI_TRY(const session::SessionInfo found, session::find_session(setting_.home, resumed_id_));
    resumed_id_ = found.id;
  }
  if (!o.fork || resumed_id_.empty()) return {};
  MAGI_TRY(const session::Forked forked, session::fork_session(setting_.home, resumed_id_, {}));
  resumed_id_ = forked.id;
  return {};
}

// The journal of a new session touches nothing yet: its ID is needed before, the disk after the children are started.
Result<void> Assembly::open_journal(Purpose purpose) {
  if (purpose != Purpose::kRun || setting_.options.no_session) return {};
  if (journal_.persistent()) return journal_.writer()->prepare();
  session::WriterOptions writer_options;
  writer_options.cwd = setting_.cwd;
  MAGI_TRY(session::Writer writer, session::Writer::open(setting_.home, resumed_id_, std::move(writer_options)));
  journal_ = Journal(std::move(writer), setting_.home);
  return {};
}

Result<Command> Assembly::command(std::string_view program) const {
  MAGI_TRY(std::string path, setting_.tool_path().find(program));
  Command command{std::move(path), {"--home", setting_.home.root()}, setting_.environment_without_keys(), setting_.cwd};
  // These read no settings.
  if (program != "magi-replay" && program != "magi-assess")
    for (const std::string& entry : setting_.options.overlay) command.args.insert(command.args.end(), {"--set", entry});
  return command;
}

Result<Command> Assembly::replay_command(const std::string& id) const {
  MAGI_TRY(Command replay, command("magi-replay"));
  replay.args.push_back(id);
  return replay;
}

Result<void> Assembly::start_stages(Purpose purpose, const NoticeHandler& notice,
                                    std::vector<std::string> provider_args) {
  const bool stored = purpose == Purpose::kRun && !setting_.options.no_session;
  if (stored && resumed_id_.empty()) {
    session::WriterOptions writer_options;
    writer_options.cwd = setting_.cwd;
    journal_ = Journal(session::Writer::create(setting_.home, std::move(writer_options)), setting_.home);
  }
  MAGI_CHECK(start_provider(purpose, notice, std::move(provider_args)));
  MAGI_CHECK(start_tools(purpose, notice));
  MAGI_TRY(Command tokens, command("magi-tokens"));
  if (!choice_.id.empty()) tokens.args.insert(tokens.args.end(), {"--provider", choice_.id});
  if (!choice_.model.empty()) tokens.args.insert(tokens.args.end(), {"--model", choice_.model});
  const bool counts = setting_.settings.context.enabled;
  tokens_ =
      std::make_unique<TokenStage>(loop_, std::move(tokens), counts, UsageCalibration::applies_to(choice_.id), notice);
  if (purpose == Purpose::kRun && counts) MAGI_CHECK(tokens_->start());
  compactor_ = std::make_unique<CompactStage>(loop_, [this] { return compact_command(); });
  if (resumed_id_.empty()) return {};
  MAGI_TRY(Command replay, replay_command(resumed_id_));
  replay_ = std::make_unique<ReplayStage>(loop_, std::move(replay), notice);
  return {};
}

Result<Command> Assembly::provider_command() const {
  MAGI_TRY(Command provider, command("magi-provider"));
  provider.env = setting_.environment.entries();
  return provider;
}

// Works under our lease, with the keys that the provider has.  Where settings name who writes summaries, they rule.
Result<Command> Assembly::compact_command() {
  constexpr int kLeaseNumber = 3;
  MAGI_TRY(Command compact, command("magi-compact"));
  compact.env = setting_.environment.entries();
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) compact.args.insert(compact.args.end(), {option, value});
  };
  if (setting_.settings.compaction.provider.empty() && setting_.settings.compaction.model.empty()) {
    add("--provider", choice_.id);
    add("--model", choice_.model);
    add("--base-url", setting_.options.base_url);
  }
  session::Writer& writer = *journal_.writer();
  compact.args.insert(compact.args.end(), {"--json", "--lease-fd", std::to_string(kLeaseNumber)});
  compact.fds.emplace_back(writer.lease_fd(), kLeaseNumber);
  compact.args.push_back((writer.family() == session::Family::kChild ? "child:" : "") + writer.id());
  return compact;
}

Result<void> Assembly::start_provider(Purpose purpose, const NoticeHandler& notice,
                                      std::vector<std::string> provider_args) {
  MAGI_TRY(Command provider, provider_command());
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    provider.args.push_back(option);
    provider.args.push_back(value);
  };
  add("--provider", choice_.id);
  add("--model", choice_.model);
  add("--base-url", setting_.options.base_url);
  provider.args.insert(provider.args.end(), provider_args.begin(), provider_args.end());
  provider_ = std::make_unique<ProviderStage>(loop_, std::move(provider), notice);
  return purpose == Purpose::kRun ? provider_->start() : Result<void>();
}

Result<void> Assembly::start_tools(Purpose purpose, const NoticeHandler& notice) {
  const Options& o = setting_.options;
  MAGI_TRY(Command tool, command("magi-tool"));
  tool.args.insert(tool.args.end(), {"--root", setting_.cwd, "--permissions", setting_.permissions()});
  if (const std::string id = resumed_id_.empty() ? journal_.session_id() : resumed_id_; !id.empty())
    tool.args.insert(tool.args.end(), {"--session", id});
  for (const std::string& dir : o.add_dirs) tool.args.insert(tool.args.end(), {"--add-dir", dir});
  tools_ = std::make_unique<ToolStage>(loop_, std::move(tool), notice);
  if (o.no_tools)
    definitions_ = Result<std::string>(std::string("[]"));
  else
    tools_->list([this](Result<std::string> json) { definitions_ = std::move(json); });
  router_ = std::make_unique<ToolRouter>(*tools_);
  return start_servers(purpose, notice);
}

void Assembly::start_guards(const NoticeHandler& notice) {
  const bool lists_skills = setting_.settings.skills.enabled && !setting_.options.no_tools;
  Skills skills = lists_skills ? find_skills(setting_.home, setting_.cwd) : Skills();
  for (const std::string& problem : skills.problems) notice("skill left out: " + problem);
  skills_ = std::make_unique<SkillAccess>(*router_, std::move(skills), setting_.cwd);
  const bool is_external = !setting_.settings.protection.assessor.empty();
  assessor_ = std::make_unique<AssessStage>(
      loop_, [this] { return assess_command(); }, is_external, notice);
  hooks_ = std::make_unique<Hooks>(loop_, HookSetup(), journal_);
  folder_instructions_ = std::make_unique<FolderInstructions>(setting_.cwd, journal_);
}

// A command of the user's own may ask a model, and so has the keys.
Result<Command> Assembly::assess_command() const {
  const std::string& external = setting_.settings.protection.assessor;
  if (external.empty()) return command("magi-assess");
  return Command{"/bin/sh", {"-c", external}, setting_.environment.entries(), setting_.cwd};
}

// Servers of tools that the user has configured.  What becomes of them never stops a run: it goes on without.
Result<void> Assembly::start_servers(Purpose purpose, const NoticeHandler& notice) {
  const auto& servers = setting_.settings.mcp_servers;
  const bool any =
      std::any_of(servers.begin(), servers.end(), [](const auto& server) { return server.second.enabled; });
  if (!any || setting_.options.no_tools) {
    server_definitions_ = "[]";
    return {};
  }
  // The first request waits so long for servers of which nothing is known from an earlier session.
  constexpr const char* kWaitMs = "5000";
  constexpr int kListLimitMs = 8'000;
  MAGI_TRY(Command host, command("magi-mcp"));
  host.args.insert(host.args.end(), {"--root", setting_.cwd, "--permissions", setting_.permissions()});
  const bool starts = purpose == Purpose::kRun;
  host.args.insert(host.args.end(), {"--wait-ms", starts ? kWaitMs : "0"});
  if (starts) host.args.emplace_back("--list");
  servers_ = std::make_unique<ToolStage>(loop_, std::move(host), notice);
  const auto take = [this, notice](Result<std::string> json) {
    if (!json) notice("magi-mcp: " + json.error().what + "; the tools of MCP servers are not offered");
    server_definitions_ = std::move(json).value_or("[]");
  };
  if (starts)
    servers_->list_from_host(kListLimitMs, take);
  else
    servers_->list(take);
  router_->add(kMcpPrefix, *servers_);
  return {};
}

void Assembly::shutdown() {
  constexpr int kServersMs = 2'000;  // they may have servers of their own to end
  if (servers_) servers_->shutdown(kServersMs);
  tools_->shutdown();
}

Result<void> Assembly::take_definitions(const std::string& own, const std::string& servers) {
  const auto wanted = split_list(setting_.options.tools.value_or(""));
  json::Writer out(tools_json_);
  out.begin_array();
  // Ours first and in their order, so that what a provider has cached of them stays good.
  for (const std::string* list : {&own, &servers}) {
    json::Parser parser;
    MAGI_TRY(const json::Node all, parser.parse(*list));
    for (const json::Node definition : all.elements()) {
      const std::string tool = definition.find("name").as_string().value_or("");
      if (setting_.options.tools && !wanted.contains(tool)) continue;
      out.raw(definition.raw());
      tool_names_.insert(tool);
    }
  }
  const bool controls = setting_.options.tools ? wanted.contains(std::string(kControlTool)) : !tool_names_.empty();
  if (controls) {
    out.raw(kControlDefinition);
    tool_names_.emplace(kControlTool);
  }
  out.end_array();
  for (const std::string& tool : wanted)
    if (!tool_names_.contains(tool)) return make_error(ErrorCode::kUsage, "--tools: no tool named ", quoted(tool));
  return {};
}

Result<void> Assembly::load(const std::function<void(std::string_view)>& see_history) {
  loop_.run_until([this] { return definitions_ && server_definitions_ && (!replay_ || replayed_); });
  if (!definitions_->has_value()) return definitions_->error();
  MAGI_CHECK(take_definitions(**definitions_, *server_definitions_));
  hooks_->session_start();
  loop_.run_until([this] { return hooks_->idle(); });
  if (!replay_) return {};
  if (!replayed_->has_value()) return replayed_->error();
  Replayed& replayed = **replayed_;
  if (see_history) see_history(replayed.stream);
  MAGI_CHECK(journal_.finish_reload(std::move(replayed.stream)));
  call_ids_ = std::move(replayed.call_ids);
  replayed_.reset();
  replay_.reset();
  return {};
}

RunSettings Assembly::run_settings(bool can_ask) const {
  RunSettings settings;
  settings.instructions = instructions_;
  settings.tools_json = tools_json_ == "[]" ? std::string() : tools_json_;
  settings.tool_names = tool_names_;
  settings.preferences.provider = choice_.id;
  settings.preferences.model = choice_.model;
  settings.preferences.permissions = setting_.permissions();
  settings.known_call_ids = call_ids_;
  settings.max_requests = setting_.options.max_turns;
  settings.max_tokens_total = setting_.options.max_tokens_total;
  settings.max_compactions = setting_.settings.compaction.automatic.max_compactions_per_run;
  settings.can_ask = can_ask;
  settings.permissions = permissions_;
  if (hooks_->any()) settings.take_contexts = [this] { return hooks_->take_contexts(); };
  return settings;
}

RunParts Assembly::parts(Sink& sink) {
  std::vector<std::string> added;
  for (const std::string& dir : setting_.options.add_dirs)
    if (auto folder = working_folder(dir)) added.push_back(*std::move(folder));
  ProtectedTools tools(setting_.settings.protection.tools, setting_.cwd, std::move(added));
  protection_ =
      std::make_unique<Protection>(setting_.settings.protection, std::move(tools), journal_, *assessor_, sink);
  RunParts parts{loop_, *provider_, *skills_, *tokens_, journal_, *memory_, *compactor_, sink, decisions_};
  hooks_->tell(&sink);
  if (hooks_->any()) parts.guards = {hooks_.get()};
  for (ToolGuard* const guard :
       std::initializer_list<ToolGuard*>{skills_.get(), protection_.get(), folder_instructions_.get()})
    parts.guards.push_back(guard);
  return parts;
}

}  // namespace magi::code
