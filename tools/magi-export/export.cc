#include "tools/magi-export/export.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "libcommon/base/clock.h"
#include "libcommon/os/disk.h"
#include "tools/magi-export/exports_folder.h"
#include "tools/magi-export/manifest.h"
#include "tools/magi-export/redact.h"
#include "tools/magi-export/stream_hash.h"
#include "tools/magi-export/zip_archive.h"

namespace magi::exporting {
namespace {

// The members of an export as libzip asks for them, one after the other.
class Writing {
 public:
  Writing(Contents& contents, bool redact) : contents_(contents), redact_(redact), written_(contents.members.size()) {}

  std::vector<ZipMember> members(const std::string& session_id, std::int64_t now_ms);
  const std::vector<Written>& written() const { return written_; }

 private:
  Result<void> open(std::size_t index);
  Result<std::size_t> read(std::size_t index, char* out, std::size_t size);
  Result<std::size_t> read_file(const Member& member, char* out, std::size_t size);
  ZipMember manifest_member(const std::string& session_id, std::int64_t now_ms);

  Contents& contents_;
  bool redact_;
  std::vector<Written> written_;
  std::optional<RedactingReader> redacting_;
  std::uint64_t offset_ = 0;
  StreamHash hash_;
  std::string manifest_;
  std::size_t manifest_used_ = 0;
};

Result<void> Writing::open(std::size_t index) {
  const Member& member = contents_.members[index];
  offset_ = 0;
  redacting_.reset();
  if (!redact_) return {};
  if (::lseek(member.file.get(), 0, SEEK_SET) < 0) return errno_error("cannot read a session", errno);
  redacting_.emplace(member.file.get(), member.bytes);
  return {};
}

Result<std::size_t> Writing::read_file(const Member& member, char* out, std::size_t size) {
  const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, member.bytes - offset_));
  ssize_t count = 0;
  do count = os::disk().pread(member.file.get(), out, wanted, static_cast<off_t>(offset_));
  while (count < 0 && errno == EINTR);
  if (count < 0) return errno_error("cannot read a session", errno);
  if (count == 0 && wanted > 0) return make_error(ErrorCode::kIo, "a session became shorter while it was read");
  offset_ += static_cast<std::uint64_t>(count);
  return static_cast<std::size_t>(count);
}

Result<std::size_t> Writing::read(std::size_t index, char* out, std::size_t size) {
  MAGI_TRY(const std::size_t count,
           redact_ ? redacting_->read(out, size) : read_file(contents_.members[index], out, size));
  Written& written = written_[index];
  if (count > 0) {
    hash_.update({out, count});
    written.bytes += count;
  } else if (written.sha256.empty()) {
    written.sha256 = hash_.finish();
    if (redacting_) written.masked = redacting_->masked();
    contents_.members[index].file.reset();
  }
  return count;
}

// Stands last: only then is known what it tells.
ZipMember Writing::manifest_member(const std::string& session_id, std::int64_t now_ms) {
  ZipMember member;
  member.name = kManifestName;
  member.mtime_s = now_ms / 1000;
  member.open = [this, session_id, now_ms]() -> Result<void> {
    manifest_ = manifest(contents_, written_, session_id, now_ms, redact_);
    manifest_used_ = 0;
    return {};
  };
  member.read = [this](char* out, std::size_t size) -> Result<std::size_t> {
    const std::size_t part = std::min(size, manifest_.size() - manifest_used_);
    std::memcpy(out, manifest_.data() + manifest_used_, part);
    manifest_used_ += part;
    return part;
  };
  return member;
}

std::vector<ZipMember> Writing::members(const std::string& session_id, std::int64_t now_ms) {
  std::vector<ZipMember> members;
  for (std::size_t i = 0; i < contents_.members.size(); ++i) {
    const Member& member = contents_.members[i];
    members.push_back({member.path, member.mtime_s, [this, i] { return open(i); },
                       [this, i](char* out, std::size_t size) { return read(i, out, size); }});
  }
  members.push_back(manifest_member(session_id, now_ms));
  return members;
}

}  // namespace

Result<Exported> export_session(const session::Home& home, const std::string& id, bool redact,
                                const std::function<bool(double)>& go_on) {
  Locks locks;
  MAGI_TRY(Contents contents, gather(home, id, locks));
  MAGI_TRY(Unpublished archive, Unpublished::create(home));
  const std::int64_t now_ms = unix_time_ms();
  Writing writing(contents, redact);
  MAGI_CHECK(write_zip(archive.fd(), writing.members(id, now_ms), go_on));
  Exported exported;
  MAGI_TRY(const os::FileStamp stamp, os::stamp_of(archive.fd(), "the archive"));
  MAGI_TRY(exported.path, archive.publish(id, now_ms));
  exported.bytes = stamp.length;
  exported.files = static_cast<std::int64_t>(contents.members.size());
  for (const Written& one : writing.written()) exported.masked += one.masked;
  exported.warnings = std::move(contents.warnings);
  return exported;
}

}  // namespace magi::exporting
