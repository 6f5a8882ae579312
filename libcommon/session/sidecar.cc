#include "libcommon/session/sidecar.h"

#include "libcommon/event/fields.h"
#include "libcommon/event/session_event.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/session/paths.h"

namespace magi::session {

bool Sidecar::describes(const os::FileStamp& stamp) const {
  return describes_start_of(stamp) && static_cast<std::uint64_t>(length) == stamp.length && mtime_ns == stamp.mtime_ns;
}

bool Sidecar::describes_start_of(const os::FileStamp& stamp) const {
  return static_cast<std::uint64_t>(inode) == stamp.inode && length >= 0 &&
         static_cast<std::uint64_t>(length) <= stamp.length;
}

std::optional<Sidecar> read_sidecar(const os::Dir& sessions, std::string_view id) {
  json::Parser parser;
  return read_sidecar(sessions, id, parser);
}

std::optional<Sidecar> read_sidecar(const os::Dir& sessions, std::string_view id, json::Parser& parser) {
  constexpr std::size_t kLargest = 64 * 1024;
  const auto text = os::read_file(sessions, file::sidecar(id), kLargest);
  if (!text) return std::nullopt;
  const auto root = parser.parse(*text);
  Sidecar sidecar;
  if (!root || !event::parse_fields(*root, sidecar) || sidecar.schema != kSidecarSchema) return std::nullopt;
  return sidecar;
}

Result<void> write_sidecar(const os::Dir& sessions, std::string_view id, const Sidecar& sidecar) {
  return os::replace_file(sessions, file::sidecar(id), event::payload_json(sidecar) + '\n', os::Sync::kNone);
}

Result<SessionFacts> facts_of(const os::Dir& sessions, std::string_view id, const os::FileStamp& stamp) {
  json::Parser parser;
  return facts_of(sessions, id, stamp, parser);
}

Result<SessionFacts> facts_of(const os::Dir& sessions, std::string_view id, const os::FileStamp& stamp,
                              json::Parser& parser) {
  auto sidecar = read_sidecar(sessions, id, parser);
  if (sidecar && sidecar->describes(stamp)) return std::move(sidecar->facts);
  const std::string name = file::session(id), path = sessions.path_of(name);
  MAGI_TRY(const os::Fd fd, sessions.open_file(name, os::FileUse::kRead));
  MAGI_TRY(const os::FileStamp now, os::stamp_of(fd.get(), path));
  if (sidecar && sidecar->describes_start_of(now) && static_cast<std::uint64_t>(sidecar->length) < now.length)
    return scan_facts_from(std::move(sidecar->facts), static_cast<std::uint64_t>(sidecar->length), fd.get(), now.length,
                           path);
  return scan_facts(fd.get(), now.length, path);
}

}  // namespace magi::session
