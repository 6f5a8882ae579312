#include "tools/magi-code/stage/token_stage.h"

#include <algorithm>
#include <utility>

#include "libcommon/json/node.h"

namespace magi::code {
namespace {

// A counter that has not answered by then is not waited for.
constexpr int kPatienceMs = 5000;
// After so many failures in a row it is not asked again.
constexpr int kMaxFailures = 3;

}  // namespace

TokenStage::TokenStage(EventLoop& loop, Command base, bool enabled, bool count_all, NoticeHandler on_notice)
    : loop_(loop),
      base_(std::move(base)),
      enabled_(enabled),
      count_all_(count_all),
      on_notice_(std::move(on_notice)),
      patience_(loop) {}
TokenStage::~TokenStage() = default;

Result<void> TokenStage::start() {
  if (child_) return {};
  Command command = base_;
  command.args.push_back("--json");
  if (serve_) command.args.push_back("--serve");
  answered_ = false;
  MAGI_TRY(child_, CoProcess::start(loop_, command,
                                    {[this](std::string_view line) { on_line(line); },
                                     [this](int status) { on_exit(status); }, on_notice_}));
  return {};
}

// Nothing is near a limit while what came since the last count cannot have used up the rest.
std::optional<Verdict> TokenStage::without_counting(std::size_t bytes) const {
  if (!enabled_ || failures_ >= kMaxFailures) return Verdict{};
  if (!last_ || count_all_) return std::nullopt;
  const auto added = bytes > last_->bytes ? static_cast<std::int64_t>(bytes - last_->bytes) : 0;
  const std::int64_t limit = std::min(last_->report.usable, last_->report.compaction_cutoff.value_or(INT64_MAX) - 1);
  if (last_->report.total + added <= limit) return Verdict{};
  return std::nullopt;
}

void TokenStage::check(std::shared_ptr<const std::string> stream, std::function<void(const Verdict&)> on_verdict) {
  if (const auto verdict = without_counting(stream->size())) return on_verdict(*verdict);
  count(std::move(stream), std::move(on_verdict));
}

void TokenStage::count(std::shared_ptr<const std::string> stream, std::function<void(const Verdict&)> on_verdict) {
  on_verdict_ = std::move(on_verdict);
  patience_.start(kPatienceMs, [this] {
    child_.reset();
    settle({Verdict::Kind::kUnknown, std::nullopt, "magi-tokens does not answer"});
  });
  ask(std::move(stream));
}

void TokenStage::ask(std::shared_ptr<const std::string> stream) {
  if (auto started = start(); !started) {
    loop_.post([this, what = started.error().what] { settle({Verdict::Kind::kUnknown, std::nullopt, what}); });
    return;
  }
  stream_ = stream;
  child_->send(std::move(stream));
  if (!serve_) child_->close_input();
}

void TokenStage::on_line(std::string_view line) {
  json::Parser parser;
  const auto root = parser.parse(line);
  if (!on_verdict_) return;
  const auto total = root ? root->find("total").as_int() : std::nullopt;
  if (!total) {
    child_.reset();
    return settle({Verdict::Kind::kUnknown, std::nullopt, "magi-tokens wrote what is no report"});
  }
  answered_ = true;
  TokenReport report;
  report.total = *total;
  report.fixed_overhead = root->find("fixed_overhead").as_int().value_or(0);
  report.max_tokens = root->find("max_tokens").as_int().value_or(0);
  report.usable = root->find("usable").as_int().value_or(0);
  report.compaction_cutoff = root->find("compaction_cutoff").as_int();
  report.percent = root->find("percent").as_double().value_or(0);
  report.json = line;
  report.method = root->find("method").as_string().value_or("");
  report.fits = root->find("fits").as_bool().value_or(true);
  failures_ = 0;
  last_ = Last{report, stream_->size()};
  settle({report.fits ? Verdict::Kind::kFits : Verdict::Kind::kOver, report, {}});
}

void TokenStage::on_exit(int status) {
  child_.reset();
  if (!on_verdict_) return;
  if (serve_ && !answered_ && status == kExitUsage) {
    serve_ = false;
    return ask(std::exchange(stream_, nullptr));
  }
  settle({Verdict::Kind::kUnknown, std::nullopt, "magi-tokens ended with status " + std::to_string(status)});
}

void TokenStage::settle(Verdict verdict) {
  patience_.cancel();
  stream_.reset();
  if (!serve_) child_.reset();
  if (verdict.kind == Verdict::Kind::kUnknown) ++failures_;
  if (const auto on_verdict = std::exchange(on_verdict_, nullptr)) on_verdict(verdict);
}

void TokenStage::cancel() {
  patience_.cancel();
  on_verdict_ = nullptr;
  // Its answer would be taken for that to the next request.
  child_.reset();
}

}  // namespace magi::code
