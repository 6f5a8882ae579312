#include "tools/magi-provider/script_answerer.h"

#include <poll.h>

#include <algorithm>
#include <vector>

#include "libcommon/base/clock.h"

namespace magi::provider {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;

}  // namespace

void ScriptAnswerer::begin(std::unique_ptr<RequestMapper> mapper, AnswerWriter& out) {
  out_ = &out;
  const std::size_t turn = static_cast<const TurnCounter&>(*mapper).turns();
  if (turn >= answers_.size()) {
    const Failure failure{FailureKind::kScript,
                          "the script has " + std::to_string(answers_.size()) +
                              " answers, and the conversation asks for number " + std::to_string(turn + 1),
                          {},
                          {},
                          {},
                          {}};
    end_ = AnswerEnd::kFailed;
    failure_text_ = failure.message;
    return write_error(out, failure);
  }
  playing_ = &answers_[turn];
  next_ = 0;
  due_ns_ = monotonic_ns();
  if (playing_->front().type != event::Attempt::kType) out.record(event::Attempt{{}, {}, model_, 1, {}});
  schedule();
}

void ScriptAnswerer::schedule() { due_ns_ += (*playing_)[next_].delay_ms * kNsPerMs; }

void ScriptAnswerer::step() {
  while (playing_ && monotonic_ns() >= due_ns_) {
    const ScriptLine& line = (*playing_)[next_++];
    play(line);
    if (next_ == playing_->size())
      playing_ = nullptr;
    else
      schedule();
  }
}

void ScriptAnswerer::play(const ScriptLine& line) {
  out_->raw_record(line.type, line.members);
  if (line.type == event::ProviderError::kType) {
    end_ = AnswerEnd::kFailed;
    failure_text_ = "the script ends this answer with an error";
  } else {
    end_ = AnswerEnd::kDone;
  }
}

void ScriptAnswerer::cancel() {
  if (!std::exchange(playing_, nullptr)) return;
  end_ = AnswerEnd::kCancelled;
  write_done(*out_, "cancelled", {});
}

void ScriptAnswerer::wait(std::span<const int> readable, int watched) {
  std::vector<pollfd> states;
  for (const int fd : readable) states.push_back({fd, POLLIN, 0});
  states.push_back({watched, 0, 0});
  std::int64_t timeout_ms = -1;
  if (playing_) timeout_ms = std::max<std::int64_t>(0, (due_ns_ - monotonic_ns() + kNsPerMs - 1) / kNsPerMs);
  poll(states.data(), states.size(), static_cast<int>(timeout_ms));
}

}  // namespace magi::provider
