#include "libcommon/session/ledger.h"

#include <cerrno>
#include <optional>

#include "libcommon/json/node.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/os/disk.h"
#include "libcommon/os/io.h"
#include "libcommon/os/mutation_lock.h"
#include "libcommon/os/retry.h"
#include "libcommon/session/blob_store.h"

namespace magi::session {
namespace {

// Two paths of 4 KiB, each byte escaped, and room for the rest.
constexpr std::size_t kLongestRecord = 64 * 1024;

Error about_ledger(std::string_view id, const Error& why) {
  return make_error(why.code, "checkpoint ledger of session ", quoted(id), ": ", why.what);
}

std::string line_of(const Change& change) {
  Change stored = change;
  stored.root = path_to_text(change.root);
  stored.path = path_to_text(change.path);
  std::string line;
  event::append_record(line, stored);
  return line;
}

// Nothing for a record of another kind.
Result<std::optional<Change>> parse_change(const json::Node& root) {
  const auto type = event::record_type(root);
  if (!type) return make_error(ErrorCode::kBadRecord, "no record");
  if (*type != Change::kType) return std::optional<Change>();
  MAGI_TRY(Change change, event::parse_record<Change>(root));
  change.root = path_from_text(change.root);
  change.path = path_from_text(change.path);
  if (change.root.empty() || change.root.front() != '/' || change.path.empty())
    return make_error(ErrorCode::kBadRecord, "no path");
  return std::optional(std::move(change));
}

Result<LedgerContents> read_open_ledger(int fd, std::string_view id) {
  MAGI_TRY(const os::FileStamp stamp, os::stamp_of(fd, id));
  LedgerContents contents;
  os::LineReader lines(fd, kLongestRecord);
  json::Parser parser;
  std::optional<std::uint64_t> bad_at;
  for (std::uint64_t number = 1;; ++number) {
    auto line = lines.next();
    if (!line && line.error().code != ErrorCode::kLimit) return about_ledger(id, line.error());
    if (line && !*line) break;
    if (bad_at)
      return make_error(ErrorCode::kBadRecord, "checkpoint ledger of session ", quoted(id), " is corrupt at line ",
                        std::to_string(number - 1));
    const auto root = line ? parser.parse_padded(**line) : Result<json::Node>(line.error());
    auto change = root ? parse_change(*root) : Result<std::optional<Change>>(root.error());
    if (!change)
      bad_at = lines.offset();
    else if (*change)
      contents.changes.push_back(**std::move(change));
  }
  if (bad_at) contents.torn_bytes = stamp.length - *bad_at;
  return contents;
}

Result<std::string> read_end(int fd, std::uint64_t length) {
  std::string end(std::min<std::uint64_t>(length, kLongestRecord + 1), '\0');
  std::size_t done = 0;
  while (done < end.size()) {
    const std::uint64_t at = length - end.size() + done;
    const ssize_t count =
        os::retry([&] { return os::disk().pread(fd, end.data() + done, end.size() - done, static_cast<off_t>(at)); });
    if (count < 0) return errno_error("cannot read it", errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  end.resize(done);
  return end;
}

// What a writer that did not finish left at the end of the ledger: nothing, a whole record without its LF, or rubbish.
struct Tail {
  std::uint64_t whole_end = 0;
  bool lacks_lf = false;
};

Result<Tail> look_at_tail(int fd, std::uint64_t length) {
  Tail tail{length, false};
  if (length == 0) return tail;
  MAGI_TRY(std::string end, read_end(fd, length));
  const bool ends_in_lf = end.ends_with('\n');
  if (ends_in_lf) end.pop_back();
  const std::size_t lf = end.rfind('\n');
  if (lf == std::string::npos && end.size() >= kLongestRecord)
    return make_error(ErrorCode::kBadRecord, "corrupt at its end");
  const std::string_view last = std::string_view(end).substr(lf == std::string::npos ? 0 : lf + 1);
  json::Parser parser;
  const auto root = parser.parse(last);
  if (root && parse_change(*root)) {
    tail.lacks_lf = !ends_in_lf;
    return tail;
  }
  tail.whole_end = length - last.size() - (ends_in_lf ? 1 : 0);
  return tail;
}

Result<void> cut(int fd, std::uint64_t length) {
  if (os::retry([&] { return os::disk().ftruncate(fd, static_cast<off_t>(length)); }) == 0) return {};
  return errno_error("cannot cut off an unfinished record", errno);
}

Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = os::retry([&] { return os::disk().write(fd, bytes.data(), bytes.size()); });
    if (count <= 0) return errno_error("cannot append", count < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

Result<LedgerContents> read_ledger(const Home& home, std::string_view session_id) {
  MAGI_CHECK(check_session_id(session_id));
  const auto folder = open_checkpoints(home, os::IfMissing::kFail);
  if (!folder && folder.error().code == ErrorCode::kNotFound) return LedgerContents();
  if (!folder) return folder.error();
  const auto file = folder->open_file(file::ledger(session_id), os::FileUse::kRead);
  if (!file && file.error().code == ErrorCode::kNotFound) return LedgerContents();
  if (!file) return file.error();
  return read_open_ledger(file->get(), session_id);
}

Result<std::string> read_saved(const Home& home, const std::string& sha256) {
  MAGI_TRY(const os::Dir folder, open_checkpoints(home, os::IfMissing::kFail));
  MAGI_TRY(const BlobStore blobs, BlobStore::open(folder, os::IfMissing::kFail));
  return blobs.get(sha256);
}

Result<void> Ledger::record(Change& change, std::string_view before_bytes) {
  committed_undurable_ = false;
  MAGI_CHECK(check_session_id(id_));
  MAGI_TRY(const os::Dir top, os::Dir::open_top(home_.root(), os::IfMissing::kCreate));
  MAGI_TRY(const os::Dir folder, open_checkpoints(home_, os::IfMissing::kCreate));
  MAGI_TRY(const os::Dir locks, open_locks(folder));
  MAGI_TRY(os::MutationLock lock, os::MutationLock::open(locks, file::kLedgersLock));
  MAGI_TRY(const os::MutationLock::Held held, lock.acquire(os::MutationLock::Mode::kExclusive));
  MAGI_CHECK(learn_turns());
  if (!folders_synced_) {
    MAGI_TRY(const BlobStore blobs, BlobStore::open(folder, os::IfMissing::kCreate));
    MAGI_CHECK(top.sync());
    MAGI_CHECK(folder.sync());
    folders_synced_ = true;
  }
  MAGI_CHECK(record_locked(folder, change, before_bytes));
  turns_[change.absolute()] = change.turn_id;
  return {};
}

// What this process did not record itself, another may have in the same turn, before it was killed.
Result<void> Ledger::learn_turns() {
  if (turns_known_) return {};
  MAGI_TRY(LedgerContents contents, read_ledger(home_, id_));
  for (Change& change : contents.changes) turns_[change.absolute()] = std::move(change.turn_id);
  turns_known_ = true;
  return {};
}

Result<void> Ledger::record_locked(const os::Dir& folder, Change& change, std::string_view before_bytes) {
  const auto last = turns_.find(change.absolute());
  const bool first_in_turn = change.turn_id.empty() || last == turns_.end() || last->second != change.turn_id;
  change.saved = first_in_turn && change.before && !change.before->sha256.empty();
  change.at = format_rfc3339(now_ms_());
  if (change.saved) {
    MAGI_TRY(const BlobStore blobs, BlobStore::open(folder, os::IfMissing::kCreate));
    MAGI_CHECK(blobs.put(change.before->sha256, before_bytes));
  }
  const std::string line = line_of(change);
  if (line.size() > kLongestRecord) return make_error(ErrorCode::kLimit, "the path is too long to be recorded");
  if (auto appended = append(folder, line); !appended) return about_ledger(id_, appended.error());
  return {};
}

Result<void> Ledger::append(const os::Dir& folder, const std::string& line) {
  const std::string name = file::ledger(id_);
  auto file = folder.open_file(name, os::FileUse::kAppend);
  const bool is_new = !file && file.error().code == ErrorCode::kNotFound;
  if (is_new) file = folder.open_file(name, os::FileUse::kAppendNew);
  if (!file) return file.error();
  const int fd = file->get();
  MAGI_TRY(const os::FileStamp stamp, os::stamp_of(fd, folder.path_of(name)));
  MAGI_TRY(const Tail tail, look_at_tail(fd, stamp.length));
  if (tail.whole_end < stamp.length) MAGI_CHECK(cut(fd, tail.whole_end));
  if (auto written = write_all(fd, tail.lacks_lf ? '\n' + line : line); !written) {
    committed_undurable_ = !cut(fd, tail.whole_end);
    return written;
  }
  auto synced =
      os::retry([&] { return os::disk().fdatasync(fd); }) == 0 ? Result<void>() : errno_error("cannot sync it", errno);
  if (synced && (is_new || !name_synced_)) {
    synced = folder.sync();
    name_synced_ = synced.has_value();
  }
  committed_undurable_ = !synced;
  if (!synced) return make_error(synced.error().code, "committed, but not durable: ", synced.error().what);
  return {};
}

Result<void> copy_ledger(const Home& home, std::string_view from, std::string_view to, std::size_t count) {
  if (count == 0) return {};
  MAGI_CHECK(check_session_id(to));
  MAGI_TRY(const os::Dir folder, open_checkpoints(home, os::IfMissing::kFail));
  MAGI_TRY(const os::Dir locks, open_locks(folder));
  MAGI_TRY(os::MutationLock lock, os::MutationLock::open(locks, file::kLedgersLock));
  MAGI_TRY(const os::MutationLock::Held held, lock.acquire(os::MutationLock::Mode::kExclusive));
  MAGI_TRY(const LedgerContents contents, read_ledger(home, from));
  const std::string name = file::ledger(to);
  const auto existing = folder.stamp(name);
  if (existing) return make_error(ErrorCode::kBusy, "session ", quoted(to), " has a checkpoint ledger already");
  if (existing.error().code != ErrorCode::kNotFound) return existing.error();
  std::string lines;
  for (std::size_t at = 0; at < std::min(count, contents.changes.size()); ++at) lines += line_of(contents.changes[at]);
  return os::replace_file(folder, name, lines, os::Sync::kDurable);
}

}  // namespace magi::session
