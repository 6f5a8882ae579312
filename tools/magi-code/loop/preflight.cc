#include "tools/magi-code/loop/preflight.h"

#include <utility>

#include "libcommon/json/node.h"

namespace magi::code {
namespace {

// A counter that has not answered by then is not waited for.
constexpr int kPatienceMs = 5000;

}  // namespace

Preflight::Preflight(EventLoop& loop, Command base, bool enabled)
    : loop_(loop), base_(std::move(base)), enabled_(enabled), patience_(loop) {}
Preflight::~Preflight() = default;

bool Preflight::surely_fits(std::size_t bytes) const {
  if (!last_ || over_) return last_.has_value();
  const auto added = bytes > last_->bytes ? static_cast<std::int64_t>(bytes - last_->bytes) : 0;
  return last_->report.total + added <= last_->report.usable;
}

void Preflight::check(const std::string& stream, std::function<void(const TokenReport&)> on_report,
                      std::function<void()> proceed) {
  if (!enabled_ || busy() || surely_fits(stream.size())) return proceed();
  const bool first = !last_.has_value();
  on_report_ = std::move(on_report);
  asked_bytes_ = stream.size();
  // The first count runs beside the request, so that its start-up is not in the user's way.
  if (first) {
    proceed();
    return ask(stream);
  }
  proceed_ = std::move(proceed);
  ask(stream);
}

void Preflight::ask(const std::string& stream) {
  if (!child_) {
    Command command = base_;
    command.args.push_back("--json");
    if (serve_) command.args.push_back("--serve");
    answered_ = false;
    auto on_exit = [this](int status) {
      child_.reset();
      if (!busy()) return;
      if (serve_ && !answered_ && status == kExitUsage) {
        serve_ = false;
        return ask(std::exchange(stream_, {}));
      }
      settle(std::nullopt);
    };
    auto child = CoProcess::start(loop_, command, {[this](std::string_view line) { on_line(line); }, on_exit});
    if (!child) return loop_.post([this] { settle(std::nullopt); });
    child_ = *std::move(child);
  }
  if (!answered_) stream_ = stream;
  patience_.start(kPatienceMs, [this] {
    child_.reset();
    settle(std::nullopt);
  });
  child_->send(stream);
  if (!serve_) child_->close_input();
}

void Preflight::on_line(std::string_view line) {
  json::Parser parser;
  const auto root = parser.parse(line);
  if (!root || !busy()) return;
  answered_ = true;
  stream_.clear();
  TokenReport report;
  report.total = root->find("total").as_int().value_or(0);
  report.usable = root->find("usable").as_int().value_or(0);
  report.method = root->find("method").as_string().value_or("");
  report.fits = root->find("fits").as_bool().value_or(true);
  settle(report);
}

// A counter that fails never holds a request up: the provider has the last word on what fits.
void Preflight::settle(std::optional<TokenReport> report) {
  patience_.cancel();
  const auto on_report = std::exchange(on_report_, nullptr);
  const auto proceed = std::exchange(proceed_, nullptr);
  if (report) {
    over_ = !report->fits;
    last_ = Last{*report, asked_bytes_};
    if (on_report) on_report(*report);
  } else {
    last_ = Last{TokenReport{}, asked_bytes_};
    over_ = true;
  }
  if (proceed) proceed();
}

}  // namespace magi::code
