#include "tools/magi-code/hook/hook_process.h"

#include "libcommon/base/clock.h"

namespace magi::code {

void HookProcess::start(const Command& command, std::string input, int timeout_ms,
                        std::function<void(HookEnd)> on_end) {
  on_end_ = std::move(on_end);
  end_ = {};
  began_ns_ = monotonic_ns();
  CoProcess::Handlers handlers{[this](std::string_view line) { take(end_.output, line); },
                               [this](int status) { end(HookEnd::How::kExited, status); },
                               [this](std::string_view line) { take(end_.errors, line); }};
  handlers.max_line_bytes = kMostHookOutput;
  handlers.on_flood = [this] { end(HookEnd::How::kFlooded); };
  auto started = CoProcess::start(loop_, command, std::move(handlers));
  if (!started) {
    end_.why = started.error().what;
    return end(HookEnd::How::kNotStarted);
  }
  process_ = *std::move(started);
  process_->send(std::move(input));
  process_->close_input();
  limit_.start(timeout_ms, [this] { end(HookEnd::How::kTimedOut); });
}

void HookProcess::take(std::string& into, std::string_view line) {
  if (!running()) return;
  (into += line) += '\n';
  if (into.size() > kMostHookOutput) end(HookEnd::How::kFlooded);
}

// The process is given up here: its destruction kills the whole group.
void HookProcess::end(HookEnd::How how, int status) {
  if (!running()) return;
  limit_.cancel();
  end_.how = how;
  end_.status = status;
  end_.duration_ms = (monotonic_ns() - began_ns_) / 1'000'000;
  // Posted, since its own callbacks lead here.
  loop_.post([on_end = std::exchange(on_end_, nullptr), ended = std::move(end_),
              process = std::shared_ptr<CoProcess>(std::move(process_))]() mutable {
    process.reset();
    on_end(std::move(ended));
  });
}

}  // namespace magi::code
