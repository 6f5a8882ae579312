#include "tools/magi-code/command/assembly.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "libcommon/json/writer.h"
#include "libcommon/session/store.h"
#include "tools/magi-code/prompt/system_prompt.h"

namespace magi::code {
namespace {

namespace name = event::name;

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

bool is_record_of(std::string_view line, std::string_view type) {
  return line.starts_with("{\"type\":\"") && line.substr(9).starts_with(type) &&
         line.substr(9 + type.size()).starts_with('"');
}

}  // namespace

Result<std::string> enter_folder(const std::string& folder) {
  char path[PATH_MAX];
  if (!realpath(folder.c_str(), path) || chdir(path) != 0)
    return make_error(ErrorCode::kUsage, errno_error("cannot work in " + quoted(folder), errno).what);
  return std::string(path);
}

Result<Setting> Setting::resolve(const Options& options, const tool::OptionParser& parser,
                                 const config::Environment& environment) {
  MAGI_TRY(std::string root, environment.state_home(parser.home()));
  session::Home home(std::move(root));
  MAGI_CHECK(session::check_home(home));
  MAGI_TRY(std::string cwd, enter_folder(options.cwd.empty() ? "." : options.cwd));
  MAGI_TRY(config::Settings settings, config::load_settings({home.settings(), cwd, options.overlay}));
  return Setting{options, environment, std::move(home), std::move(cwd), std::move(settings), parser.home().has_value()};
}

std::vector<std::string> Setting::environment_without_keys() const {
  std::vector<std::string_view> keys{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "MC_API_KEY"};
  for (const auto& [id, provider] : settings.providers)
    if (!provider.api_key_env.empty()) keys.push_back(provider.api_key_env);
  return environment.entries_without(keys);
}

ToolPath Setting::tool_path() const {
  return {environment.get_or("MAGI_TOOL_PATH", ""), environment.get_or("PATH", "")};
}

Result<std::unique_ptr<Assembly>> Assembly::create(const Setting& setting, Purpose purpose,
                                                   std::vector<std::string> provider_args) {
  std::unique_ptr<Assembly> assembly(new Assembly(setting));
  const Options& o = setting.options;
  auto choice = config::choose_provider(setting.settings, setting.environment, {o.provider, o.model, o.base_url});
  if (!choice && purpose == Purpose::kRun) return choice.error();
  if (choice) assembly->choice_ = *std::move(choice);
  MAGI_CHECK(assembly->choose_session());
  const bool stored = purpose == Purpose::kRun && !o.no_session;
  session::WriterOptions writer_options;
  writer_options.cwd = setting.cwd;
  if (stored && assembly->resumed_id_.empty())
    assembly->journal_ = Journal(session::Writer::create(setting.home, writer_options));
  MAGI_CHECK(assembly->start_stages(purpose, std::move(provider_args)));
  if (stored && assembly->resumed_id_.empty()) {
    MAGI_CHECK(assembly->journal_.writer()->prepare());
  } else if (stored) {
    MAGI_TRY(session::Writer writer, session::Writer::open(setting.home, assembly->resumed_id_, writer_options));
    assembly->journal_ = Journal(std::move(writer));
  }
  // Only the lease holder's view of a session is final, so it is read after the lease was taken.
  if (!assembly->resumed_id_.empty()) assembly->start_replay();
  MAGI_TRY(assembly->instructions_, build_instructions({setting.home.root(), setting.cwd, o.system_prompt_file,
                                                        o.append_system_prompt, setting.permissions()}));
  return assembly;
}

Result<void> Assembly::choose_session() {
  const Options& o = setting_.options;
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
  return {};
}

Result<void> Assembly::start_stages(Purpose purpose, std::vector<std::string> provider_args) {
  const Options& o = setting_.options;
  const ToolPath path = setting_.tool_path();
  const std::vector<std::string> home_args{"--home", setting_.home.root()};
  const std::vector<std::string> clean_env = setting_.environment_without_keys();

  MAGI_TRY(std::string provider, path.find("magi-provider"));
  Command provider_command{std::move(provider), home_args, setting_.environment.entries(), setting_.cwd};
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    provider_command.args.push_back(option);
    provider_command.args.push_back(value);
  };
  add("--provider", choice_.id);
  add("--model", choice_.model);
  add("--base-url", o.base_url);
  provider_command.args.insert(provider_command.args.end(), provider_args.begin(), provider_args.end());
  provider_ = std::make_unique<ProviderStage>(loop_, std::move(provider_command));
  if (purpose == Purpose::kRun) MAGI_CHECK(provider_->start());

  MAGI_TRY(std::string tool, path.find("magi-tool"));
  Command tool_command{std::move(tool), home_args, clean_env, setting_.cwd};
  tool_command.args.insert(tool_command.args.end(), {"--root", setting_.cwd, "--permissions", setting_.permissions()});
  if (const std::string id = resumed_id_.empty() ? journal_.session_id() : resumed_id_; !id.empty())
    tool_command.args.insert(tool_command.args.end(), {"--session", id});
  for (const std::string& dir : o.add_dirs) tool_command.args.insert(tool_command.args.end(), {"--add-dir", dir});
  tools_ = std::make_unique<ToolStage>(loop_, std::move(tool_command));
  if (o.no_tools)
    definitions_ = Result<std::string>(std::string("[]"));
  else
    tools_->list([this](Result<std::string> json) { definitions_ = std::move(json); });

  MAGI_TRY(std::string tokens, path.find("magi-tokens"));
  Command tokens_command{std::move(tokens), home_args, clean_env, setting_.cwd};
  if (!choice_.id.empty()) tokens_command.args.insert(tokens_command.args.end(), {"--provider", choice_.id});
  if (!choice_.model.empty()) tokens_command.args.insert(tokens_command.args.end(), {"--model", choice_.model});
  preflight_ = std::make_unique<Preflight>(loop_, std::move(tokens_command), setting_.settings.context.enabled);

  if (!resumed_id_.empty()) {
    MAGI_TRY(std::string replay, path.find("magi-replay"));
    replay_command_ = Command{std::move(replay), home_args, clean_env, setting_.cwd};
    replay_command_.args.push_back(resumed_id_);
  }
  return {};
}

void Assembly::start_replay() {
  auto on_exit = [this](int status) {
    replay_.reset();
    if (status != 0)
      replay_result_ = make_error(ErrorCode::kUpstream, "magi-replay failed with status ", std::to_string(status));
    else
      replay_result_ = Result<void>();
  };
  auto child =
      CoProcess::start(loop_, replay_command_, {[this](std::string_view line) { on_replay_line(line); }, on_exit});
  if (!child) {
    replay_result_ = child.error();
    return;
  }
  replay_ = *std::move(child);
  replay_->close_input();
}

void Assembly::on_replay_line(std::string_view line) {
  if (is_record_of(line, name::kToolCall)) {
    json::Parser parser;
    const auto root = parser.parse_padded(line);
    if (root) call_ids_.push_back(root->find("call_id").as_string().value_or(""));
  }
  replayed_.append(line) += '\n';
}

Result<void> Assembly::take_definitions(const std::string& json) {
  json::Parser parser;
  MAGI_TRY(const json::Node all, parser.parse(json));
  const auto wanted = split_list(setting_.options.tools.value_or(""));
  json::Writer out(tools_json_);
  out.begin_array();
  for (const json::Node definition : all.elements()) {
    const std::string tool = definition.find("name").as_string().value_or("");
    if (setting_.options.tools && !wanted.contains(tool)) continue;
    out.raw(definition.raw());
    tool_names_.insert(tool);
  }
  out.end_array();
  for (const std::string& tool : wanted)
    if (!tool_names_.contains(tool)) return make_error(ErrorCode::kUsage, "--tools: no tool named ", quoted(tool));
  return {};
}

Result<void> Assembly::load() {
  loop_.run_until([this] { return definitions_ && (resumed_id_.empty() || replay_result_); });
  if (!definitions_->has_value()) return definitions_->error();
  MAGI_CHECK(take_definitions(**definitions_));
  if (!resumed_id_.empty()) {
    MAGI_CHECK(*replay_result_);
    MAGI_CHECK(journal_.load(std::exchange(replayed_, {})));
  }
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
  settings.can_ask = can_ask;
  return settings;
}

RunParts Assembly::parts(Sink& sink) { return {loop_, *provider_, *tools_, *preflight_, journal_, sink, decisions_}; }

}  // namespace magi::code
