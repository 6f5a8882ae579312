#include "tools/magi-code/stage/tool_stage.h"

#include <algorithm>
#include <csignal>

#include "libcommon/json/writer.h"

namespace magi::code {
namespace {

namespace name = event::name;

// A call is given up this long after its own limit: the host has had its chance to end it.
constexpr int kWatchdogGraceMs = 30'000;
// The limit of calls that name none; above every tool's own default.
constexpr int kDefaultCallLimitMs = 600'000;
// A cancelled command is given its own grace by the host; a host that takes longer is ended.
constexpr int kCancelGraceMs = 8000;

int call_limit_ms(const event::ToolCall& call) {
  json::Parser parser;
  const auto arguments = parser.parse(call.arguments);
  const auto limit = arguments ? arguments->find("timeout_ms").as_int() : std::nullopt;
  return static_cast<int>(std::clamp<std::int64_t>(limit.value_or(kDefaultCallLimitMs), 0, 24LL * 3600 * 1000)) +
         kWatchdogGraceMs;
}

}  // namespace

ToolStage::ToolStage(EventLoop& loop, Command base, NoticeHandler on_notice)
    : loop_(loop), base_(std::move(base)), on_notice_(std::move(on_notice)), watchdog_(loop), list_limit_(loop) {}
ToolStage::~ToolStage() = default;

void ToolStage::list(std::function<void(Result<std::string>)> on_done) {
  Command command = base_;
  command.args.push_back("--list");
  list_lines_ = "[";
  auto on_line = [this](std::string_view line) {
    json::Parser parser;
    const auto root = parser.parse(line);
    add_definition(root ? *root : json::Node());
  };
  auto on_exit = [this, on_done](int status) {
    if (status == 0 && !list_failed_) return on_done(list_lines_ + "]");
    on_done(make_error(
        status == kExitUsage ? ErrorCode::kConfig : ErrorCode::kUpstream,
        last_notice_.empty() ? "magi-tool --list failed with status " + std::to_string(status) : last_notice_));
  };
  auto on_notice = [this](std::string_view line) { last_notice_ = line; };
  auto child = CoProcess::start(loop_, command, {std::move(on_line), std::move(on_exit), on_notice});
  if (!child) return loop_.post([on_done, error = child.error()] { on_done(error); });
  lister_ = std::move(*child);
  lister_->close_input();
}

void ToolStage::add_definition(const json::Node& node) {
  const auto definition = event::parse_record<event::ToolDefinition>(node);
  if (!definition) {
    last_notice_ = "magi-tool --list wrote what is no tool definition: " + definition.error().what;
    list_failed_ = true;
    return;
  }
  if (list_lines_.size() > 1) list_lines_ += ',';
  json::Writer out(list_lines_);
  out.begin_object();
  event::print_fields(out, *definition);
  out.end_object();
}

void ToolStage::list_from_host(int limit_ms, std::function<void(Result<std::string>)> on_done) {
  list_lines_ = "[";
  on_host_list_ = std::move(on_done);
  if (auto started = start(); !started) return loop_.post([this, error = started.error()] { end_host_list(error); });
  list_limit_.start(limit_ms,
                    [this] { end_host_list(make_error(ErrorCode::kUpstream, "it did not list its tools in time")); });
}

void ToolStage::end_host_list(Result<std::string> outcome) {
  list_limit_.cancel();
  if (const auto on_done = std::exchange(on_host_list_, nullptr)) on_done(std::move(outcome));
}

Result<void> ToolStage::start() {
  if (host_) return {};
  Command command = base_;
  if (serve_) command.args.push_back("--serve");
  host_answered_ = exited_ = false;
  MAGI_TRY(host_, CoProcess::start(loop_, command,
                                   {[this](std::string_view line) { on_line(line); },
                                    [this](int status) { on_exit(status); }, on_notice_}));
  host_is_new_ = true;
  return {};
}

void ToolStage::call(event::ToolCall call, ToolHandlers handlers) {
  pending_.push_back({std::move(call), std::move(handlers)});
  loop_.post([this] { send_front(); });
}

// One call at a time is with the host, so that what a crash may have begun is known and nothing is ever run twice.
void ToolStage::send_front() {
  if (pending_.empty() || front_sent_) return;
  front_sent_ = true;
  if (cancelled_) return answer_front("cancelled", "cancelled by the user before it ran");
  if (auto started = start(); !started) return answer_front("error", started.error().what);
  event::ToolCall& call = pending_.front().call;
  if (std::exchange(host_is_new_, false)) call.observed.json = observed_json();
  std::string line;
  event::append_record(line, call);
  host_->send(std::move(line));
  if (!serve_) host_->close_input();
  arm_watchdog();
}

void ToolStage::arm_watchdog() {
  watchdog_.start(call_limit_ms(pending_.front().call), [this] {
    if (host_) host_->kill(SIGKILL);
  });
}

void ToolStage::on_line(std::string_view line) {
  const auto root = parser_.parse_padded(line);
  const auto type = root ? event::record_type(*root) : std::nullopt;
  if (on_host_list_ && type == name::kToolDefinition) return add_definition(*root);
  if (on_host_list_ && type == name::kEnd) return end_host_list(list_lines_ + "]");
  if (!type || !front_sent_) return;
  host_answered_ = true;
  if (*type == name::kToolProgress) {
    if (auto progress = event::parse_record<event::ToolProgress>(*root);
        progress && pending_.front().handlers.on_progress)
      pending_.front().handlers.on_progress(*progress);
  } else if (*type == name::kToolResult) {
    auto result = event::parse_record<event::ToolAnswer>(*root);
    if (!result) return answer_front("error", "magi-tool wrote a result that cannot be read: " + result.error().what);
    if (result->call_id == pending_.front().call.call_id) answer(*std::move(result));
  }
}

void ToolStage::on_exit(int status) {
  host_.reset();
  exited_ = true;
  watchdog_.cancel();
  end_host_list(make_error(ErrorCode::kUpstream, "it ended with status ", std::to_string(status)));
  if (!front_sent_) return;
  if (serve_ && !host_answered_ && status == kExitUsage) {
    serve_ = front_sent_ = false;
    return send_front();
  }
  if (cancelled_) return answer_front("cancelled", "cancelled by the user");
  answer_front("error", "the tool host ended while it ran this call (status " + std::to_string(status) +
                            "); its background jobs are lost. Look at what the call may have left half done.");
}

void ToolStage::answer_front(std::string_view status, std::string text) {
  event::ToolAnswer record;
  record.call_id = pending_.front().call.call_id;
  record.status = status;
  record.output = std::move(text);
  answer(std::move(record));
}

void ToolStage::answer(event::ToolAnswer record) {
  watchdog_.cancel();
  remember_observed(record);
  const Pending done = std::move(pending_.front());
  pending_.pop_front();
  front_sent_ = false;
  if (pending_.empty()) cancelled_ = false;
  if (!serve_) host_.reset();
  done.handlers.on_result(std::move(record));
  send_front();
}

void ToolStage::remember_observed(const event::ToolAnswer& answer) {
  if (answer.details.empty()) return;
  json::Parser parser;
  const auto details = parser.parse(answer.details.json);
  if (!details) return;
  for (const json::Node entry : details->find("observed").elements()) {
    const auto path = entry.find("path").as_string();
    const auto digest = entry.find("sha256").as_string();
    if (path && digest) observed_[*path] = *digest;
  }
}

std::string ToolStage::observed_json() const {
  if (observed_.empty()) return {};
  std::string json;
  json::Writer out(json);
  out.begin_array();
  for (const auto& [path, digest] : observed_)
    out.begin_object().key("path").string(path).key("sha256").string(digest).end_object();
  out.end_array();
  return json;
}

void ToolStage::cancel() {
  if (pending_.empty() || cancelled_) return;
  cancelled_ = true;
  if (!front_sent_ || !host_) return;
  std::string line;
  event::append_record(line, event::Cancel{{}, pending_.front().call.call_id});
  host_->send(std::move(line));
  watchdog_.start(kCancelGraceMs, [this] {
    if (host_) host_->kill(SIGKILL);
  });
}

void ToolStage::shutdown(int limit_ms) {
  if (!host_) return;
  host_->close_input();
  watchdog_.start(limit_ms, [this] { exited_ = true; });
  loop_.run_until([this] { return exited_; });
}

}  // namespace magi::code
