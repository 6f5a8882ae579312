#include "tools/magi-compact/progress.h"

#include <unistd.h>

#include "libcommon/os/io.h"

namespace magi::compact {

Progress::Progress(std::string_view name) : name_(name), enabled_(::isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::string_view what) { draw(name_ + ": " + std::string(what)); }

void Progress::show_share(std::string_view what, std::uint64_t done, std::uint64_t all) {
  draw(name_ + ": " + std::string(what) + " " + std::to_string(all == 0 ? 100 : done * 100 / all) + "%");
}

void Progress::clear() { draw({}); }

void Progress::draw(std::string line) {
  if (!enabled_ || line == shown_) return;
  static_cast<void>(os::write_all(STDERR_FILENO, "\r\x1b[K" + line));
  shown_ = std::move(line);
}

}  // namespace magi::compact
