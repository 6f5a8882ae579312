#include "tools/magi-code/tui/app/mailbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace magi::code::tui {
namespace {

// True where `event` was joined to the one before it.
template <class Delta>
bool join(EngineEvent& last, EngineEvent& event) {
  Delta* const before = std::get_if<Delta>(&last);
  const Delta* const now = std::get_if<Delta>(&event);
  if (!before || !now) return false;
  before->text += now->text;
  return true;
}

}  // namespace

Mailbox::Mailbox() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Mailbox::push(EngineEvent event) {
  std::lock_guard guard(mutex_);
  if (!events_.empty() && (join<TextDelta>(events_.back(), event) || join<ReasoningDelta>(events_.back(), event)))
    return;
  events_.push_back(std::move(event));
  if (events_.size() > 1) return;
  const std::uint64_t one = 1;
  // A full counter is readable all the same.
  if (write(wake_.get(), &one, sizeof one) < 0) return;
}

std::vector<EngineEvent> Mailbox::take() {
  std::lock_guard guard(mutex_);
  std::uint64_t count = 0;
  if (read(wake_.get(), &count, sizeof count) < 0) count = 0;
  return std::exchange(events_, {});
}

}  // namespace magi::code::tui
