#include "tools/magi-code/stage/provider_stage.h"

#include <csignal>

namespace magi::code {
namespace {

namespace name = event::name;

// A provider that does not answer a cancel record within this time is ended; the record is due within 50 ms.
constexpr int kCancelGraceMs = 1000;

template <class Record>
Result<ProviderRecord> parse_as(const json::Node& root) {
  MAGI_TRY(Record record, event::parse_record<Record>(root));
  return ProviderRecord(std::move(record));
}

// Error kNotFound marks a type that is not ours to know: it is ignored.
Result<ProviderRecord> parse(const json::Node& root) {
  const auto type = event::record_type(root);
  if (!type) return make_error(ErrorCode::kBadRecord, "a record without type");
  if (*type == name::kText) return parse_as<event::Text>(root);
  if (*type == name::kReasoning) return parse_as<event::Reasoning>(root);
  if (*type == name::kToolProgress) return parse_as<event::ToolProgress>(root);
  if (*type == name::kToolCall) return parse_as<event::ToolCall>(root);
  if (*type == name::kProviderItem) return parse_as<event::ProviderItem>(root);
  if (*type == name::kUsage) return parse_as<event::Usage>(root);
  if (*type == name::kTrace) return parse_as<event::Trace>(root);
  if (*type == name::kAttempt) return parse_as<event::Attempt>(root);
  if (*type == name::kDone) return parse_as<event::Done>(root);
  if (*type == name::kError) return parse_as<event::ProviderError>(root);
  return make_error(ErrorCode::kNotFound, "unknown type");
}

}  // namespace

ProviderStage::ProviderStage(EventLoop& loop, Command base, NoticeHandler on_notice)
    : loop_(loop), base_(std::move(base)), on_notice_(std::move(on_notice)), cancel_guard_(loop) {}
ProviderStage::~ProviderStage() = default;

Result<void> ProviderStage::start() {
  Command command = base_;
  if (serve_) command.args.push_back("--serve");
  answered_ = false;
  last_notice_.clear();
  auto on_notice = [this](std::string_view line) {
    last_notice_ = line;
    // Before its first answer a failing child says why in what becomes the error; later lines are shown as they come.
    if (answered_) on_notice_(line);
  };
  MAGI_TRY(child_, CoProcess::start(loop_, command,
                                    {[this](std::string_view line) { on_line(line); },
                                     [this](int status) { on_exit(status); }, on_notice}));
  return {};
}

void ProviderStage::ask(std::string request_id, std::shared_ptr<const std::string> stream, OnRecord on_record) {
  request_id_ = std::move(request_id);
  on_record_ = std::move(on_record);
  open_ = true;
  partial_ = cancelled_ = false;
  // Kept until the child has answered once: until then it may turn out not to serve.
  if (!answered_) stream_ = stream;
  if (!child_) {
    if (auto started = start(); !started) {
      loop_.post([this, what = started.error().what] { fail(what); });
      return;
    }
  }
  child_->send(std::move(stream));
  if (!serve_) child_->close_input();
}

void ProviderStage::cancel() {
  if (!open_ || cancelled_) return;
  cancelled_ = true;
  if (!child_) return;
  if (serve_) {
    std::string line;
    event::append_record(line, event::Cancel{request_id_, {}});
    child_->send(std::move(line));
  } else {
    child_->kill(SIGTERM);
  }
  cancel_guard_.start(kCancelGraceMs, [this] {
    if (open_ && child_) child_->kill(SIGKILL);
  });
}

void ProviderStage::on_line(std::string_view line) {
  const auto root = parser_.parse_padded(line);
  // Nothing may come before it is asked: a child that talks out of turn is replaced when it is needed.
  if (!open_ && !answered_) return child_.reset();
  if (!open_) return;
  auto record = root ? parse(*root) : Result<ProviderRecord>(root.error());
  if (!record) {
    if (record.error().code == ErrorCode::kNotFound) return;
    child_.reset();
    return fail("magi-provider wrote what is not a record: " + record.error().what);
  }
  // With --serve an answer to an earlier request may still be on its way.
  const bool stale =
      std::visit([&](const auto& r) { return !r.request_id.empty() && r.request_id != request_id_; }, *record);
  if (stale) return;
  answered_ = true;
  stream_.reset();
  deliver(*record);
}

void ProviderStage::deliver(const ProviderRecord& record) {
  const bool output = std::holds_alternative<event::Text>(record) || std::holds_alternative<event::ToolCall>(record) ||
                      std::holds_alternative<event::ProviderItem>(record);
  partial_ |= output;
  const bool last = std::holds_alternative<event::Done>(record) || std::holds_alternative<event::ProviderError>(record);
  if (!last) return on_record_(record);
  open_ = false;
  cancel_guard_.cancel();
  // A child that does not serve has done its work; the next request needs another.
  if (!serve_) child_.reset();
  const OnRecord on_record = std::exchange(on_record_, nullptr);
  on_record(record);
}

void ProviderStage::on_exit(int status) {
  child_.reset();
  if (!open_) return;
  if (cancelled_) return deliver(event::Done{request_id_, "cancelled", ""});
  if (serve_ && !answered_ && status == kExitUsage) {
    serve_ = false;
    return ask(request_id_, std::exchange(stream_, nullptr), std::exchange(on_record_, nullptr));
  }
  const std::string reason = last_notice_.empty() ? "" : ": " + last_notice_;
  if (!answered_ && status == kExitUsage) {
    event::ProviderError error;
    error.request_id = request_id_;
    error.category = category_name(ErrorCode::kConfig);
    error.message = last_notice_.empty() ? "magi-provider cannot be used as it is set up" : last_notice_;
    return deliver(error);
  }
  fail("magi-provider ended before its answer did (status " + std::to_string(status) + ")" + reason);
}

void ProviderStage::fail(std::string message) {
  if (!open_) return;
  deliver(event::ProviderError{request_id_, "upstream", std::move(message), "", true, partial_, {}});
}

}  // namespace magi::code
