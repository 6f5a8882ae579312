#include "tools/magi-code/stage/compact_stage.h"

#include <signal.h>

#include <utility>

#include "libcommon/base/utf8.h"
#include "libcommon/json/node.h"

namespace magi::code {
namespace {

// Contracts, section 5: it finishes or rolls back within this time.
constexpr int kInterruptGraceMs = 5000;
constexpr std::size_t kMaxErrorCharacters = 500;
constexpr std::string_view kOwnName = "magi-compact: ";

std::int64_t integer(const json::Node& object, std::string_view key) { return object.find(key).as_int().value_or(0); }

Result<CompactionReport> read_report(std::string_view line) {
  json::Parser parser;
  MAGI_TRY(const json::Node root, parser.parse(line));
  CompactionReport report;
  const auto generation = root.find("generation").as_int();
  if (!generation) return make_error(ErrorCode::kBadRecord, "no generation");
  report.generation = *generation;
  report.tokens_before = integer(root, "tokens_before");
  report.tokens_after = integer(root, "tokens_after");
  report.method = root.find("method").as_string().value_or("");
  report.summary = root.find("summary").as_string().value_or("");
  const json::Node usage = root.find("usage");
  report.requests = integer(usage, "requests");
  report.usage.input_tokens = integer(usage, "input_tokens");
  report.usage.output_tokens = integer(usage, "output_tokens");
  report.usage.cached_tokens = integer(usage, "cached_tokens");
  report.usage.cache_write_tokens = integer(usage, "cache_write_tokens");
  report.usage.reasoning_tokens = integer(usage, "reasoning_tokens");
  return report;
}

ErrorCode code_of(int status) {
  if (status == kExitUsage) return ErrorCode::kConfig;
  if (status == kExitBusy) return ErrorCode::kBusy;
  if (status == kExitLimit) return ErrorCode::kLimit;
  return status == kExitInterrupted || status == kExitTerminated ? ErrorCode::kCancelled : ErrorCode::kUpstream;
}

}  // namespace

void CompactStage::start(const CompactionWish& wish, std::function<void(Result<CompactionReport>)> on_done) {
  on_done_ = std::move(on_done);
  last_error_.clear();
  report_ = make_error(ErrorCode::kUpstream, "magi-compact wrote no report");
  auto command = command_();
  if (!command) return loop_.post([this, error = command.error()] { std::exchange(on_done_, nullptr)(error); });
  command->args.insert(command->args.end(), {"--trigger", wish.trigger});
  if (!wish.instructions.empty()) command->args.insert(command->args.end(), {"--instructions", wish.instructions});
  auto child =
      CoProcess::start(loop_, *command,
                       {[this](std::string_view line) { on_line(line); }, [this](int status) { on_exit(status); },
                        [this](std::string_view line) { on_notice(line); }});
  if (!child) return loop_.post([this, error = child.error()] { std::exchange(on_done_, nullptr)(error); });
  // Its input stays open: that it ends tells the child that we have.
  child_ = *std::move(child);
}

void CompactStage::on_line(std::string_view line) {
  auto report = read_report(line);
  report_ = report ? std::move(report)
                   : make_error(ErrorCode::kUpstream, "magi-compact wrote what is no report: ", report.error().what);
}

// Its error may have further lines that say what to do.
void CompactStage::on_notice(std::string_view line) {
  if (line.starts_with(kOwnName))
    last_error_ = line.substr(kOwnName.size());
  else if (!line.starts_with("magi-"))
    last_error_.append(last_error_.empty() ? "" : "; ").append(line);
}

Error CompactStage::failure(int status) const {
  std::string what = utf8::sanitize(last_error_);
  what.resize(utf8::prefix_bytes(what, kMaxErrorCharacters));
  if (what.empty()) what = "magi-compact failed with status " + std::to_string(status);
  return make_error(code_of(status), what);
}

void CompactStage::on_exit(int status) {
  patience_.cancel();
  child_.reset();
  if (!on_done_) return;
  if (status != 0) return std::exchange(on_done_, nullptr)(failure(status));
  std::exchange(on_done_, nullptr)(std::move(report_));
}

void CompactStage::cancel() {
  if (!child_) return;
  child_->kill(SIGINT);
  patience_.start(kInterruptGraceMs, [this] {
    if (child_) child_->kill(SIGKILL);
  });
}

}  // namespace magi::code
