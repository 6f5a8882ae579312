#include "tools/magi-export/redact.h"

#include <algorithm>
#include <cstring>

#include "libcommon/session/each_event.h"
#include "libcommon/session/mask.h"

namespace magi::exporting {
RedactingReader::RedactingReader(int fd, std::uint64_t bytes)
    : lines_(fd, session::kMaxSessionLineBytes), bytes_(bytes) {}

Result<std::size_t> RedactingReader::read(char* out, std::size_t size) {
  if (used_ == line_.size()) {
    MAGI_TRY(const auto line, lines_.next());
    if (!line || lines_.offset() >= bytes_) return std::size_t{0};
    line_.assign(*line);
    // The file may have grown since it was measured: no byte behind.
    const std::uint64_t room = bytes_ - lines_.offset();
    if (line_.size() > room) line_.resize(room);
    masked_ += static_cast<std::int64_t>(session::mask_secrets(line_));
    if (!lines_.last_was_torn() && line->size() < room) line_ += '\n';
    used_ = 0;
  }
  const std::size_t part = std::min(size, line_.size() - used_);
  std::memcpy(out, line_.data() + used_, part);
  used_ += part;
  return part;
}

}  // namespace magi::exporting
