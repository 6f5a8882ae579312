#include "tools/magi-provider/host.h"

#include <poll.h>

#include <algorithm>

#include "libcommon/tool/report.h"

namespace magi::provider {
namespace {

bool reader_is_gone(int fd) {
  pollfd state{fd, 0, 0};
  return poll(&state, 1, 0) > 0 && (state.revents & (POLLERR | POLLHUP | POLLNVAL));
}

}  // namespace

Host::Host(HostOptions options, Answerer& answerer, tool::Stdout& out)
    : options_(std::move(options)),
      answerer_(answerer),
      out_(out),
      intake_(options_.serve ? context::Framing::kServe : context::Framing::kSingle, options_.prompt,
              [&answerer] { return answerer.new_mapper(); }) {}

Result<int> Host::run() {
  if (options_.input_fd < 0) intake_.close();
  while (true) {
    take_arrivals();
    answerer_.step();
    if (const std::string waiting = answerer_.take_notice(); !waiting.empty() && options_.show_waiting)
      tool::notice(options_.name, waiting);
    if (!answerer_.busy()) start_next();
    MAGI_CHECK(out_.flush());
    if (finished()) break;
    MAGI_CHECK(take_input());
  }
  if (refusal_) return *std::move(refusal_);
  return status();
}

// Waits, and reads what has come.
Result<void> Host::take_input() {
  const bool listens = !intake_.at_end() && options_.input_fd >= 0;
  const bool wants_input = listens && (options_.serve || !answered_);
  const int fd = options_.input_fd;
  answerer_.wait(wants_input ? std::span<const int>(&fd, 1) : std::span<const int>(), options_.output_fd);
  if (reader_is_gone(options_.output_fd)) return out_.write("\n");
  if (!wants_input) return {};
  pollfd state{fd, POLLIN, 0};
  if (poll(&state, 1, 0) > 0) return intake_.read(fd);
  return {};
}

void Host::take_arrivals() {
  for (Incoming& incoming : intake_.arrived()) {
    switch (incoming.kind) {
      case Incoming::Kind::kCancel: cancel(incoming.request_id); break;
      case Incoming::Kind::kWithdrawn: answer_cancelled(incoming.request_id); break;
      case Incoming::Kind::kRequest:
      case Incoming::Kind::kBad: waiting_.push_back(std::move(incoming));
    }
  }
  intake_.arrived().clear();
}

// Without an id: whatever is being answered.
void Host::cancel(const std::string& request_id) {
  if (answerer_.busy() && (request_id.empty() || request_id == current_id_)) return answerer_.cancel();
  const auto at = std::find_if(waiting_.begin(), waiting_.end(),
                               [&](const Incoming& incoming) { return incoming.request_id == request_id; });
  if (at == waiting_.end()) return;
  answer_cancelled(at->request_id);
  waiting_.erase(at);
}

void Host::answer_cancelled(const std::string& request_id) {
  AnswerWriter writer(out_.buffer(), request_id);
  write_done(writer, "cancelled", {});
}

void Host::start_next() {
  while (!waiting_.empty() && !answerer_.busy()) {
    if (answered_ && !options_.serve) return waiting_.clear();
    Incoming next = std::move(waiting_.front());
    waiting_.pop_front();
    answered_ = true;
    if (next.kind == Incoming::Kind::kBad) {
      refuse(next);
      continue;
    }
    // Who serves has made the conversation itself, and would see the same notices with each request.
    if (!options_.serve) show_notices(*next.mapper);
    current_id_ = next.request_id;
    answerer_.begin(std::move(next.mapper), writer_.emplace(out_.buffer(), next.request_id));
    answerer_.step();
  }
}

void Host::refuse(const Incoming& bad) {
  if (!options_.serve) {
    refusal_ = bad.error;
    return;
  }
  AnswerWriter writer(out_.buffer(), bad.request_id);
  write_error(writer, Failure{FailureKind::kRequest, bad.error.what, {}, {}, {}, {}});
}

void Host::show_notices(const RequestMapper& mapper) {
  for (const std::string& text : mapper.notices()) tool::notice(options_.name, text);
}

bool Host::finished() const {
  if (answerer_.busy() || !waiting_.empty()) return false;
  return options_.serve ? intake_.at_end() : answered_;
}

int Host::status() const {
  if (options_.serve) return kExitOk;
  switch (answerer_.end()) {
    case AnswerEnd::kDone: return kExitOk;
    case AnswerEnd::kCancelled: return kExitInterrupted;
    case AnswerEnd::kFailed:
      return tool::report(options_.name, make_error(ErrorCode::kUpstream, answerer_.failure_text()));
    case AnswerEnd::kMisconfigured:
      return tool::report(options_.name, make_error(ErrorCode::kConfig, answerer_.failure_text()));
  }
  return kExitFailed;
}

}  // namespace magi::provider
