#include "tools/magi-code/front/line_input.h"

#include <unistd.h>

#include <thread>

#include "libcommon/os/io.h"

namespace magi::code {
namespace {

constexpr std::size_t kMaxLineBytes = 16u * 1024 * 1024;

}  // namespace

void read_stdin_lines(EventLoop& loop, std::function<void(std::optional<std::string>)> on_line) {
  std::thread([&loop, on_line = std::move(on_line)] {
    os::LineReader reader(STDIN_FILENO, kMaxLineBytes);
    while (true) {
      auto line = reader.next();
      if (!line && line.error().code == ErrorCode::kLimit) continue;
      const bool ended = !line || !line->has_value();
      std::optional<std::string> text;
      if (!ended) text.emplace(**line);
      loop.post([on_line, text = std::move(text)] { on_line(text); });
      if (ended) return;
    }
  }).detach();
}

}  // namespace magi::code
