#include "tools/magi-code/front/line_input.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "libcommon/os/io.h"

namespace magi::code {
namespace {

constexpr std::size_t kMaxLineBytes = 16u * 1024 * 1024;
constexpr int kMaxAhead = 64;

}  // namespace

// Shared by the reading thread, the loop's callbacks and the owner; the owner closes it.
struct LineInput::Channel {
  std::mutex mutex;
  std::condition_variable room;
  EventLoop* loop;  // null once the owner is gone
  std::function<void(const std::optional<InputLine>&)> on_line;
  int ahead = 0;

  // False when nobody listens any more.
  bool deliver(const std::shared_ptr<Channel>& self, std::optional<InputLine> line) {
    std::unique_lock lock(mutex);
    room.wait(lock, [this] { return ahead < kMaxAhead || !loop; });
    if (!loop) return false;
    ++ahead;
    loop->post([self, line = std::move(line)] {
      {
        std::lock_guard guard(self->mutex);
        --self->ahead;
        if (!self->loop) return;
      }
      self->room.notify_one();
      self->on_line(line);
    });
    return true;
  }
};

LineInput::LineInput(EventLoop& loop, std::function<void(const std::optional<InputLine>&)> on_line)
    : channel_(std::make_shared<Channel>()) {
  channel_->loop = &loop;
  channel_->on_line = std::move(on_line);
  std::thread([channel = channel_] {
    os::LineReader reader(STDIN_FILENO, kMaxLineBytes);
    while (true) {
      const auto line = reader.next();
      const bool too_long = !line && line.error().code == ErrorCode::kLimit;
      if (!too_long && (!line || !line->has_value())) break;
      InputLine input;
      if (!too_long) input.text.emplace(**line);
      if (!channel->deliver(channel, std::move(input))) return;
    }
    channel->deliver(channel, std::nullopt);
  }).detach();
}

LineInput::~LineInput() {
  std::lock_guard guard(channel_->mutex);
  channel_->loop = nullptr;
  channel_->room.notify_one();
}

}  // namespace magi::code
