#include "tools/magi-compact/compact.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <future>

#include "libcommon/config/provider_choice.h"
#include "libcommon/config/settings.h"
#include "libcommon/context/budget.h"
#include "libcommon/context/evidence.h"
#include "libcommon/context/session_ledger.h"
#include "libcommon/os/io.h"
#include "libcommon/session/known_keys.h"
#include "libcommon/session/rotation.h"
#include "libcommon/session/store.h"
#include "libcommon/session/worktree.h"
#include "libcommon/tool/prompts.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "libcommon/tool/tool_path.h"
#include "tools/magi-compact/exchange.h"
#include "tools/magi-compact/progress.h"
#include "tools/magi-compact/report.h"
#include "tools/magi-compact/summary.h"
#include "tools/magi-compact/summary_request.h"

namespace magi::compact {
namespace {

constexpr std::string_view kChildPrefix = "child:";
// Of an answer that was cut on its way.
constexpr int kAttempts = 2;
// A conversation of a few words is smaller than any summary; what such a summary wastes does not matter.
constexpr std::int64_t kAlwaysSmallEnough = 64;

constexpr std::string_view kAsk = "Write the summary of the conversation above now, as your instructions say.";
constexpr std::string_view kWaysOut =
    "\nchoose a larger model (--provider and --model, or agent.compaction.provider and agent.compaction.model), or "
    "start "
    "a new session (/new)";

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

std::string working_directory() {
  char path[PATH_MAX];
  return ::getcwd(path, sizeof path) ? path : "";
}

std::string evidence_of(const context::EffectsLedger& effects) {
  json::Parser parser;
  const auto node = parser.parse(effects.json());
  return context::evidence_text(node ? *node : json::Node());
}

// Who is asked for the summary (C1): the command line, else agent.compaction, else the active provider and model, which
// without a word in settings are those that the session used last.
config::ProviderWish wish_of(const Options& options, const config::Settings& settings,
                             const session::SessionFacts& facts) {
  config::ProviderWish wish{options.provider, options.model, options.base_url};
  const bool silent = wish.provider.empty() && wish.model.empty() && wish.base_url.empty();
  if (silent && !settings.compaction.provider.empty())
    return {settings.compaction.provider, settings.compaction.model, ""};
  if (silent && settings.provider.empty()) wish.provider = facts.provider;
  const std::string provider = !wish.provider.empty() || wish.base_url.empty() ? wish.provider : "openai-compatible";
  if (wish.model.empty() && settings.model.empty() && provider == facts.provider) wish.model = facts.model;
  return wish;
}

Result<void> check_override(const config::CompactionSettings& compaction) {
  if (is_blank(compaction.provider) == is_blank(compaction.model)) {
    if (!is_blank(compaction.provider) || (compaction.provider.empty() && compaction.model.empty())) return {};
    return make_error(ErrorCode::kConfig, "agent.compaction.provider and agent.compaction.model are blank");
  }
  return make_error(ErrorCode::kConfig, "agent.compaction.",
                    is_blank(compaction.provider) ? "provider is missing beside agent.compaction.model"
                                                  : "model is missing beside agent.compaction.provider");
}

class Compaction {
 public:
  Compaction(const Options& options, const tool::Invocation& invocation, session::Home home, config::Settings settings,
             Watch& watch)
      : options_(options),
        invocation_(invocation),
        home_(std::move(home)),
        settings_(std::move(settings)),
        watch_(watch),
        progress_(invocation.name),
        tools_(invocation.environment.get_or("MAGI_TOOL_PATH", ""), invocation.environment.get_or("PATH", "")),
        id_(*options.session) {
    if (!id_.starts_with(kChildPrefix)) return;
    family_ = session::Family::kChild;
    id_.erase(0, kChildPrefix.size());
  }

  Compaction(const Compaction&) = delete;
  Compaction& operator=(const Compaction&) = delete;
  ~Compaction() { abandoned_ = true; }

  Result<int> run() {
    MAGI_CHECK(prepare());
    MAGI_CHECK(open_session());
    MAGI_TRY(context::SessionLedger ledger, read_session());
    MAGI_CHECK(check_size());
    if (options_.dry_run) return finish();
    MAGI_TRY(report_.summary, ask_model());
    MAGI_CHECK(check_gain(ledger));
    MAGI_CHECK(rotate(ledger));
    return finish();
  }

 private:
  // Everything that can be wrong before anything is read.
  Result<void> prepare() {
    MAGI_CHECK(session::check_session_id(id_));
    MAGI_CHECK(check_override(settings_.compaction));
    MAGI_TRY(replay_, program("magi-replay", false));
    MAGI_TRY(provider_, program("magi-provider", true));
    MAGI_TRY(prompt_, tool::load_prompt(home_.prompts(), "compact"));
    MAGI_TRY(const session::SessionInfo info, session::find_session(home_, id_, family_));
    MAGI_TRY(choice_,
             config::choose_provider(settings_, invocation_.environment, wish_of(options_, settings_, info.facts)));
    known_ = context::budget_of(settings_, home_, choice_.id, choice_.model);
    if (!known_.notice.empty()) tool::notice(invocation_.name, "ignored: " + known_.notice);
    const auto add = [&](const char* option, const std::string& value) {
      if (!value.empty()) provider_.args.insert(provider_.args.end(), {option, value});
    };
    add("--provider", choice_.id);
    add("--model", choice_.model);
    add("--base-url", options_.base_url);
    return {};
  }

  Result<Program> program(std::string_view name, bool with_keys) {
    Program made;
    MAGI_TRY(made.path, tools_.find(name));
    made.args = {"--home", home_.root()};
    const std::vector<std::string> keys = config::provider_key_variables(settings_);
    made.env = with_keys ? invocation_.environment.entries()
                         : invocation_.environment.entries_without({keys.begin(), keys.end()});
    // magi-replay reads no settings.
    if (with_keys)
      for (const std::string& entry : options_.overlay) made.args.insert(made.args.end(), {"--set", entry});
    return made;
  }

  Result<void> open_session() {
    if (options_.dry_run) {
      MAGI_TRY(file_, session::open_session_for_reading(home_, id_, family_));
      MAGI_TRY(const os::FileStamp stamp, os::stamp_of(file_.get(), home_.session(id_, family_)));
      bytes_ = stamp.length;
      return {};
    }
    std::optional<os::Fd> lent;
    if (options_.lent_fd) {
      const int fd = static_cast<int>(*options_.lent_fd);
      if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
        return make_error(ErrorCode::kUsage, errno_error("--lease-fd", errno).what);
      lent.emplace(fd);
    }
    MAGI_TRY(session::Rotation begun, session::Rotation::begin(home_, id_, family_, std::move(lent)));
    rotation_.emplace(std::move(begun));
    bytes_ = rotation_->snapshot_bytes();
    return {};
  }

  int session_fd() const { return rotation_ ? rotation_->fd() : file_.get(); }

  // The replay and what a checkpoint must carry, both from the session, at the same time.
  Result<context::SessionLedger> read_session() {
    progress_.show("reading the session");
    // The copy for the archive is made meanwhile and while the model writes; where nothing comes of it, it goes.
    if (rotation_)
      archiving_ = std::async(std::launch::async, [this] {
        return rotation_->archive([this](std::uint64_t done) {
          archived_bytes_ = done;
          return !abandoned_ && watch_.go_on();
        });
      });
    auto reading = std::async(std::launch::async, [this] {
      return context::read_ledger(session_fd(), bytes_, [this] { return watch_.go_on(); });
    });
    // What the request says besides is known only when the ledger is: it is counted then.
    request_.emplace(tokens::counter_for(choice_.id, choice_.model),
                     known_.budget.enabled ? known_.budget.summary_limit : INT64_MAX);
    Program replay = replay_;
    replay.args.push_back(*options_.session);
    auto replayed = exchange(replay, "", [&](std::string_view line) { return request_->take(line); });
    auto ledger = reading.get();
    if (replayed) replayed = request_->finish();
    if (!replayed) return std::move(replayed.error());
    if (!ledger) return watch_.go_on() ? std::move(ledger.error()) : watch_.why();
    request_->complete({id_, prompt_, ask_text(*ledger)});
    describe(*ledger);
    return ledger;
  }

  std::string ask_text(const context::SessionLedger& ledger) const {
    std::string ask = std::string(kAsk) + "\n\n" + evidence_of(ledger.effects());
    if (options_.instructions && !is_blank(*options_.instructions))
      ask += "\n\nWhat the user asks of this summary besides: " + *options_.instructions;
    return ask;
  }

  void describe(const context::SessionLedger& ledger) {
    report_.session_id = id_;
    report_.trigger = options_.trigger;
    report_.provider = choice_.id;
    report_.model = choice_.model;
    report_.method = request_->method();
    report_.is_exact = tokens::counter_for(choice_.id, choice_.model).is_exact();
    report_.dry_run = options_.dry_run;
    report_.generation = ledger.generation() + 1;
    report_.tokens_before = request_->conversation_tokens();
    report_.request_tokens = request_->request_tokens();
    report_.limit = known_.budget.summary_limit;
    report_.fits = request_->fits();
    report_.archive.bytes = static_cast<std::int64_t>(bytes_);
    report_.archive_path = home_.archive(id_, ledger.generation(), family_);
  }

  Result<void> check_size() {
    if (!request_->has_news())
      return make_error(ErrorCode::kNotFound, "session ", quoted(id_), " holds nothing that could be summarised");
    if (request_->fits() || options_.dry_run) return {};
    return make_error(ErrorCode::kLimit, "cannot summarise session ", quoted(id_), ": the request is ",
                      std::to_string(request_->request_tokens()), " tokens (", std::string(request_->method()),
                      "), above the ", std::to_string(known_.budget.summary_limit), " that ", choice_.id, " ",
                      choice_.model, " may be sent", kWaysOut);
  }

  Result<std::string> ask_model() {
    const std::string stream = request_->stream();
    for (int attempt = 1;; ++attempt) {
      progress_.show("waiting for the summary of " + std::to_string(report_.tokens_before) + " tokens");
      Answer answer;
      std::optional<Error> failed;
      auto asked = exchange(provider_, stream, [&](std::string_view line) -> Result<void> {
        if (auto taken = answer.take(line); !taken && !failed) failed = taken.error();
        return {};
      });
      report_.usage = answer.usage();
      if (!watch_.go_on()) return watch_.why();
      if (failed && answer.may_retry() && attempt < kAttempts) continue;
      if (failed) return *std::move(failed);
      if (!asked) return std::move(asked.error());
      return answer.summary();
    }
  }

  Result<void> check_gain(const context::SessionLedger& ledger) {
    const std::int64_t tokens = request_->tokens_of(report_.summary);
    if (tokens >= std::max(report_.tokens_before, kAlwaysSmallEnough))
      return make_error(ErrorCode::kUpstream, "the model wrote no usable summary: its ", std::to_string(tokens),
                        " tokens are no less than the ", std::to_string(report_.tokens_before),
                        " that they would replace; the session is as it was");
    report_.tokens_after = tokens + request_->tokens_of(evidence_of(ledger.effects()));
    return {};
  }

  Result<void> rotate(context::SessionLedger& ledger) {
    while (archiving_.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready)
      progress_.show_share("archiving", archived_bytes_, bytes_);
    auto archived = archiving_.get();
    if (!watch_.go_on()) return watch_.why();
    MAGI_CHECK(std::move(archived));
    progress_.show("replacing the session");
    context::Carried& carried = ledger.carried();
    if (carried.worktree.empty()) carried.worktree = session::worktree_of(ledger.cwd());
    carried.usage += report_.usage;
    event::Compaction checkpoint;
    checkpoint.summary = report_.summary;
    checkpoint.trigger = options_.trigger;
    checkpoint.provider = choice_.id;
    checkpoint.model = choice_.model;
    checkpoint.execution_effects.json = ledger.effects().json();
    checkpoint.carried.json = event::payload_json(carried);
    auto published = rotation_->publish(checkpoint, ledger.generation(), ledger.cwd());
    if (!published && rotation_->was_published())
      return make_error(published.error().code, "session ", quoted(id_),
                        " is compacted, but the disk does not confirm it: ", published.error().what);
    if (!published) return std::move(published.error());
    report_.summary = checkpoint.summary;
    report_.generation = checkpoint.generation;
    report_.archive = checkpoint.archive;
    report_.archive_path = home_.sessions(family_) + "/" + checkpoint.archive.path;
    return {};
  }

  Result<int> finish() {
    progress_.clear();
    tool::Stdout out;
    if (options_.json)
      append_json(out.buffer(), report_);
    else
      append_text(out.buffer(), report_);
    MAGI_CHECK(out.flush());
    return kExitOk;
  }

  Result<void> exchange(const Program& program, std::string_view input,
                        const std::function<Result<void>(std::string_view)>& on_line) {
    return run_program(program, input, watch_, on_line, [this](std::string_view notice) {
      progress_.clear();
      static_cast<void>(os::write_all(STDERR_FILENO, std::string(notice) + "\n"));
    });
  }

  const Options& options_;
  const tool::Invocation& invocation_;
  session::Home home_;
  config::Settings settings_;
  Watch& watch_;
  Progress progress_;
  tool::ToolPath tools_;
  std::string id_, prompt_;
  session::Family family_ = session::Family::kPrimary;
  Program replay_, provider_;
  config::ProviderChoice choice_;
  context::KnownBudget known_;
  os::Fd file_;  // of a dry run
  std::optional<session::Rotation> rotation_;
  std::atomic<std::uint64_t> archived_bytes_ = 0;
  std::atomic<bool> abandoned_ = false;
  std::future<Result<void>> archiving_;  // waits when it is destroyed
  std::uint64_t bytes_ = 0;
  std::optional<SummaryRequest> request_;
  Report report_;
};

}  // namespace

Result<int> run(const Options& options, const tool::Invocation& invocation) {
  if (!options.session)
    return make_error(ErrorCode::kUsage, "no session: `magi-code sessions list` shows what there is");
  MAGI_TRY(std::string root, invocation.environment.state_home(options.home));
  session::Home home(std::move(root));
  MAGI_CHECK(session::check_home(home));
  MAGI_TRY(config::Settings settings, config::load_settings({home.settings(), working_directory(), options.overlay}));
  // Who lends its lease has read the same files and has said it.
  if (!options.lent_fd)
    for (const std::string& warning : settings.warnings) tool::notice(invocation.name, warning);
  session::learn_known_keys(home, invocation.environment, config::provider_key_variables(settings));
  os::ignore_sigpipe();
  MAGI_TRY(Watch watch, Watch::begin(options.lent_fd.has_value()));
  Result<int> status = Compaction(options, invocation, std::move(home), std::move(settings), watch).run();
  if (status || status.error().code != ErrorCode::kCancelled || watch.exit_status() == 0) return status;
  tool::report(invocation.name, status.error());
  return watch.exit_status();
}

}  // namespace magi::compact
