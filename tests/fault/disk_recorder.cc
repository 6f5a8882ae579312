#include "tests/fault/disk_recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "tests/unit/scratch.h"

namespace magi::test {
namespace {

using Kind = DiskOp::Kind;
using Key = std::pair<dev_t, ino_t>;

struct State {
  const os::Disk* lower = nullptr;
  DiskTrace trace;
  std::map<Key, int> nodes;  // files and folders by what they are now
};
State* state = nullptr;

const os::Disk& lower() { return *state->lower; }

std::int64_t mtime_of(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

int add_node(const struct stat& status) {
  Image& image = state->trace.before;
  const int node = static_cast<int>(image.nodes.size());
  image.nodes.push_back({S_ISDIR(status.st_mode), status.st_mode & 07777, status.st_ino, mtime_of(status), {}, {}});
  state->nodes[{status.st_dev, status.st_ino}] = node;
  return node;
}

int take_tree(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) std::abort();
  const int node = add_node(status);
  if (S_ISREG(status.st_mode)) state->trace.before.nodes[static_cast<std::size_t>(node)].bytes = slurp(path);
  if (!S_ISDIR(status.st_mode)) return node;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const int child = take_tree(entry.path().string());
    state->trace.before.nodes[static_cast<std::size_t>(node)].entries[entry.path().filename().string()] = child;
  }
  return node;
}

// -1: not below the folder.
int node_of(const struct stat& status) {
  const auto found = state->nodes.find({status.st_dev, status.st_ino});
  return found == state->nodes.end() ? -1 : found->second;
}

int node_of(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 ? node_of(status) : -1;
}

struct Place {
  int dir = -1;
  std::string name;
};

Place place_of(int dir, const char* path) {
  const std::string text(path);
  const std::size_t slash = text.rfind('/');
  if (slash == std::string::npos && dir != AT_FDCWD) return {node_of(dir), text};
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : text.substr(0, slash);
  struct stat status {};
  if (::fstatat(dir, folder.c_str(), &status, 0) != 0) return {};
  return {node_of(status), text.substr(slash == std::string::npos ? 0 : slash + 1)};
}

void record(DiskOp op) { state->trace.ops.push_back(std::move(op)); }

void count(const char* name) { state->trace.calls.push_back({state->trace.ops.size(), name}); }

void record_entry(const Place& place, int node) {
  DiskOp op{.kind = Kind::kEnter, .node = node, .dir = place.dir};
  op.name = place.name;
  record(std::move(op));
}

// After something was made at `place`.
void record_new(int dir, const char* path, const Place& place) {
  struct stat status {};
  if (place.dir >= 0 && ::fstatat(dir, path, &status, AT_SYMLINK_NOFOLLOW) == 0) record_entry(place, add_node(status));
}

int open_at(int dir, const char* path, int flags, mode_t mode) {
  count("openat");
  struct stat status {};
  const bool was_there = ::fstatat(dir, path, &status, AT_SYMLINK_NOFOLLOW) == 0;
  const int fd = lower().openat(dir, path, flags, mode);
  if (fd < 0) return fd;
  const int why = errno;
  // Without a name as yet.
  if ((flags & O_TMPFILE) == O_TMPFILE && ::fstatat(dir, path, &status, 0) == 0 && node_of(status) >= 0) {
    struct stat unnamed {};
    if (::fstat(fd, &unnamed) == 0) add_node(unnamed);
  }
  if (!was_there && (flags & O_CREAT) != 0) record_new(dir, path, place_of(dir, path));
  if (const int node = node_of(fd); was_there && (flags & O_TRUNC) != 0 && node >= 0)
    record({.kind = Kind::kTruncate, .node = node});
  errno = why;
  return fd;
}

int make_dir_at(int dir, const char* path, mode_t mode) {
  count("mkdirat");
  const int result = lower().mkdirat(dir, path, mode);
  if (result == 0) record_new(dir, path, place_of(dir, path));
  return result;
}

// Pages reach the disk one by one: a long write is recorded as its first page, its last one and what lies between.
void record_pieces(int node, std::uint64_t offset, std::string_view bytes, std::int64_t mtime_ns) {
  const std::uint64_t first_end = (offset / kPageBytes + 1) * kPageBytes;
  const std::uint64_t last_begin = (offset + bytes.size() - 1) / kPageBytes * kPageBytes;
  while (!bytes.empty()) {
    const std::uint64_t end = offset < first_end ? first_end : offset < last_begin ? last_begin : offset + bytes.size();
    const std::size_t size = std::min<std::size_t>(end - offset, bytes.size());
    record({.kind = Kind::kWrite,
            .node = node,
            .bytes = std::string(bytes.substr(0, size)),
            .offset = offset,
            .mtime_ns = mtime_ns});
    bytes.remove_prefix(size);
    offset += size;
  }
}

ssize_t record_write(int fd, const void* bytes, ssize_t written, off_t offset) {
  const int node = node_of(fd);
  if (written <= 0 || node < 0) return written;
  struct stat status {};
  ::fstat(fd, &status);
  if ((::fcntl(fd, F_GETFL) & O_APPEND) != 0) offset = status.st_size - written;
  record_pieces(node, static_cast<std::uint64_t>(offset),
                {static_cast<const char*>(bytes), static_cast<std::size_t>(written)}, mtime_of(status));
  return written;
}

ssize_t write_to(int fd, const void* bytes, std::size_t size) {
  count("write");
  const off_t offset = ::lseek(fd, 0, SEEK_CUR);
  const ssize_t written = lower().write(fd, bytes, size);
  return record_write(fd, bytes, written, offset);
}

ssize_t write_at(int fd, const void* bytes, std::size_t size, off_t offset) {
  count("pwrite");
  return record_write(fd, bytes, lower().pwrite(fd, bytes, size, offset), offset);
}

int truncate_to(int fd, off_t length) {
  count("ftruncate");
  const int result = lower().ftruncate(fd, length);
  if (const int node = node_of(fd); result == 0 && node >= 0)
    record({.kind = Kind::kTruncate, .node = node, .offset = static_cast<std::uint64_t>(length)});
  return result;
}

int record_sync(int fd, int result) {
  const int why = errno;
  // Interrupted is not failed: the data is as it was before.
  if (const int node = node_of(fd); node >= 0 && (result == 0 || why != EINTR))
    record({.kind = result == 0 ? Kind::kSync : Kind::kFailedSync, .node = node});
  errno = why;
  return result;
}

// `call` renames or exchanges.
template <class Call>
int record_rename(Kind kind, int from_dir, const char* from, int to_dir, const char* to, const Call& call) {
  const Place source = place_of(from_dir, from), target = place_of(to_dir, to);
  struct stat status {};
  const bool known = ::fstatat(from_dir, from, &status, AT_SYMLINK_NOFOLLOW) == 0;
  const int result = call();
  if (result != 0 || !known || source.dir < 0 || target.dir < 0) return result;
  DiskOp op{.kind = kind, .node = node_of(status), .dir = source.dir, .to_dir = target.dir};
  op.name = source.name;
  op.to_name = target.name;
  record(std::move(op));
  return result;
}

int rename_at(int from_dir, const char* from, int to_dir, const char* to) {
  count("renameat");
  return record_rename(Kind::kRename, from_dir, from, to_dir, to,
                       [&] { return lower().renameat(from_dir, from, to_dir, to); });
}

int rename_at2(int from_dir, const char* from, int to_dir, const char* to, unsigned flags) {
  count("renameat2");
  return record_rename((flags & RENAME_EXCHANGE) != 0 ? Kind::kExchange : Kind::kRename, from_dir, from, to_dir, to,
                       [&] { return lower().renameat2(from_dir, from, to_dir, to, flags); });
}

int link_at(int from_dir, const char* from, int to_dir, const char* to, int flags) {
  count("linkat");
  const int result = lower().linkat(from_dir, from, to_dir, to, flags);
  if (result != 0) return result;
  const Place target = place_of(to_dir, to);
  struct stat status {};
  if (target.dir >= 0 && ::fstatat(to_dir, to, &status, AT_SYMLINK_NOFOLLOW) == 0)
    record_entry(target, node_of(status) >= 0 ? node_of(status) : add_node(status));
  return result;
}

int unlink_at(int dir, const char* path, int flags) {
  count("unlinkat");
  const Place place = place_of(dir, path);
  const int result = lower().unlinkat(dir, path, flags);
  if (result != 0 || place.dir < 0) return result;
  DiskOp op{.kind = Kind::kRemove, .dir = place.dir};
  op.name = place.name;
  record(std::move(op));
  return result;
}

constexpr os::Disk kRecording = {
    .openat = &open_at,
    .mkdirat = &make_dir_at,
    .fstat = [](int fd, struct stat* out) { return count("fstat"), lower().fstat(fd, out); },
    .fstatat = [](int dir, const char* path, struct stat* out,
                  int flags) { return count("fstatat"), lower().fstatat(dir, path, out, flags); },
    .pread = [](int fd, void* out, std::size_t size,
                off_t offset) { return count("pread"), lower().pread(fd, out, size, offset); },
    .write = &write_to,
    .pwrite = &write_at,
    .ftruncate = &truncate_to,
    .fdatasync = [](int fd) { return count("fdatasync"), record_sync(fd, lower().fdatasync(fd)); },
    .fsync = [](int fd) { return count("fsync"), record_sync(fd, lower().fsync(fd)); },
    .renameat = &rename_at,
    .renameat2 = &rename_at2,
    .linkat = &link_at,
    .unlinkat = &unlink_at,
    .ofd_setlk = [](int fd, struct flock* lock) { return count("ofd_setlk"), lower().ofd_setlk(fd, lock); },
};

}  // namespace

DiskRecorder::DiskRecorder(const std::string& folder) : scope_((state = new State{&os::disk(), {}, {}}, kRecording)) {
  take_tree(folder);
}

DiskRecorder::~DiskRecorder() { delete std::exchange(state, nullptr); }

void DiskRecorder::acknowledge(std::string what) {
  state->trace.acknowledged.push_back({state->trace.ops.size(), std::move(what)});
}

DiskTrace DiskRecorder::take() { return std::move(state->trace); }

std::string describe(const DiskOp& op) {
  const std::string node = " node " + std::to_string(op.node);
  switch (op.kind) {
    case Kind::kEnter: return "enter '" + op.name + "'";
    case Kind::kRename: return "rename '" + op.name + "' to '" + op.to_name + "'";
    case Kind::kExchange: return "exchange '" + op.name + "' and '" + op.to_name + "'";
    case Kind::kRemove: return "remove '" + op.name + "'";
    case Kind::kWrite:
      return "write" + node + " +" + std::to_string(op.bytes.size()) + " at " + std::to_string(op.offset);
    case Kind::kTruncate: return "truncate" + node + " to " + std::to_string(op.offset);
    case Kind::kSync: return "sync" + node;
    case Kind::kFailedSync: return "failed sync" + node;
  }
  return "";
}

}  // namespace magi::test
