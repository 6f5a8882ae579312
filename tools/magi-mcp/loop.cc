#include "tools/magi-mcp/loop.h"

#include <algorithm>
#include <vector>

#include "libcommon/base/clock.h"

namespace magi::mcp {
namespace {

constexpr std::int64_t kLongestWaitMs = 60'000;

}  // namespace

Loop::Token Loop::watch(int fd, short events, std::function<void(short)> handler) {
  watches_.emplace(++last_, Watch{fd, events, std::move(handler)});
  return last_;
}

void Loop::set_events(Token token, short events) {
  if (const auto found = watches_.find(token); found != watches_.end()) found->second.events = events;
}

void Loop::unwatch(Token token) { watches_.erase(token); }

Loop::Token Loop::after(std::int64_t delay_ms, std::function<void()> handler) {
  timers_.emplace(++last_, Timer{monotonic_ns() + delay_ms * 1'000'000, std::move(handler)});
  return last_;
}

void Loop::cancel(Token timer) { timers_.erase(timer); }

void Loop::run_timers() {
  const std::int64_t now = monotonic_ns();
  std::vector<Token> due;
  for (const auto& [token, timer] : timers_)
    if (timer.at_ns <= now) due.push_back(token);
  for (const Token token : due) {
    auto node = timers_.extract(token);
    if (node) node.mapped().handler();
  }
}

void Loop::step(std::int64_t most_ms) {
  std::int64_t wait_ms = std::min(most_ms, kLongestWaitMs);
  const std::int64_t now = monotonic_ns();
  for (const auto& [token, timer] : timers_)
    wait_ms = std::min(wait_ms, std::max<std::int64_t>(0, (timer.at_ns - now + 999'999) / 1'000'000));
  std::vector<pollfd> fds;
  std::vector<Token> tokens;
  for (const auto& [token, watch] : watches_) {
    if (watch.events == 0) continue;
    fds.push_back({watch.fd, watch.events, 0});
    tokens.push_back(token);
  }
  if (waiter_.wait)
    waiter_.wait(fds, static_cast<int>(wait_ms));
  else
    ::poll(fds.data(), fds.size(), static_cast<int>(wait_ms));
  if (waiter_.work) waiter_.work();
  for (std::size_t i = 0; i < fds.size(); ++i) {
    if (fds[i].revents == 0) continue;
    const auto found = watches_.find(tokens[i]);
    if (found == watches_.end()) continue;
    const auto handler = found->second.handler;  // it may remove itself
    handler(fds[i].revents);
  }
  run_timers();
}

bool Loop::run_until(const std::function<bool()>& done, std::int64_t limit_ms) {
  const std::int64_t deadline = monotonic_ns() + limit_ms * 1'000'000;
  while (!done()) {
    const std::int64_t left_ms = (deadline - monotonic_ns() + 999'999) / 1'000'000;
    if (left_ms <= 0) return false;
    step(left_ms);
  }
  return true;
}

void Loop::run_until(const std::function<bool()>& done) {
  while (!done()) step(kLongestWaitMs);
}

}  // namespace magi::mcp
