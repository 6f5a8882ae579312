#include "tests/fault/crash_states.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include "tests/unit/scratch.h"

namespace magi::test {
namespace {

using Kind = DiskOp::Kind;

enum class Tear { kNone, kHalf, kLastByte, kZeros };
constexpr Tear kTears[] = {Tear::kHalf, Tear::kLastByte, Tear::kZeros};
constexpr const char* kTearNames[] = {"", "half of ", "all but a byte of ", "NUL for "};

bool is_data(const DiskOp& op) { return op.kind == Kind::kWrite || op.kind == Kind::kTruncate; }
bool is_sync(const DiskOp& op) { return op.kind == Kind::kSync || op.kind == Kind::kFailedSync; }

bool same_page(const DiskOp& a, const DiskOp& b) {
  const auto last = [](const DiskOp& op) {
    return (op.offset + std::max<std::size_t>(op.bytes.size(), 1) - 1) / kPageBytes;
  };
  return a.offset / kPageBytes <= last(b) && b.offset / kPageBytes <= last(a);
}

bool folder_synced(const DiskTrace& trace, std::size_t at, std::size_t ops, int folder) {
  for (std::size_t i = at + 1; i < ops; ++i)
    if (trace.ops[i].kind == Kind::kSync && trace.ops[i].node == folder) return true;
  return false;
}

bool data_synced(const DiskTrace& trace, std::size_t at, std::size_t ops) {
  const DiskOp& op = trace.ops[at];
  bool dirty = true;
  for (std::size_t i = at + 1; i < ops; ++i) {
    const DiskOp& later = trace.ops[i];
    if (later.node != op.node) continue;
    if (later.kind == Kind::kSync && dirty) return true;
    if (later.kind == Kind::kFailedSync) dirty = false;
    if (later.kind == Kind::kWrite && same_page(op, later)) dirty = true;
    if (later.kind == Kind::kTruncate) dirty = true;
  }
  return false;
}

bool is_sure(const DiskTrace& trace, std::size_t at, std::size_t ops) {
  const DiskOp& op = trace.ops[at];
  if (is_data(op)) return data_synced(trace, at, ops);
  return folder_synced(trace, at, ops, op.dir) && (op.to_dir < 0 || folder_synced(trace, at, ops, op.to_dir));
}

std::string torn(const DiskOp& op, std::size_t length, Tear tear) {
  const std::size_t size = op.bytes.size();
  switch (tear) {
    case Tear::kNone: return op.bytes;
    case Tear::kHalf: return op.bytes.substr(0, size / 2);
    case Tear::kLastByte: return op.bytes.substr(0, size - 1);
    case Tear::kZeros: break;
  }
  // Bytes that were there before are written over in place, so only new length may come without its bytes.
  const std::size_t old = length > op.offset ? std::min<std::size_t>(length - op.offset, size) : 0;
  return op.bytes.substr(0, old) + std::string(size - old, '\0');
}

void apply(Image& image, const DiskOp& op, Tear tear) {
  const auto node = [&](int which) -> Image::Node& { return image.nodes[static_cast<std::size_t>(which)]; };
  switch (op.kind) {
    case Kind::kEnter: node(op.dir).entries[op.name] = op.node; break;
    case Kind::kRemove: node(op.dir).entries.erase(op.name); break;
    case Kind::kRename:
      node(op.dir).entries.erase(op.name);
      node(op.to_dir).entries[op.to_name] = op.node;
      break;
    case Kind::kExchange: {
      auto& target = node(op.to_dir).entries;
      const auto displaced = target.find(op.to_name);
      if (displaced == target.end())
        node(op.dir).entries.erase(op.name);
      else
        node(op.dir).entries[op.name] = displaced->second;
      target[op.to_name] = op.node;
      break;
    }
    case Kind::kWrite: {
      Image::Node& file = node(op.node);
      const std::string bytes = torn(op, file.bytes.size(), tear);
      if (file.bytes.size() < op.offset + bytes.size()) file.bytes.resize(op.offset + bytes.size());
      file.bytes.replace(op.offset, bytes.size(), bytes);
      file.mtime_ns = op.mtime_ns;
      break;
    }
    case Kind::kTruncate: node(op.node).bytes.resize(op.offset); break;
    case Kind::kSync:
    case Kind::kFailedSync: break;
  }
}

// One prefix of a trace.
class Prefix {
 public:
  Prefix(const DiskTrace& trace, std::size_t ops) : trace_(trace), ops_(ops) {
    for (std::size_t i = 0; i < ops; ++i)
      if (!is_sync(trace.ops[i]) && !is_sure(trace, i, ops)) unsure_.push_back(i);
  }

  using Subset = std::vector<bool>;  // which of the unsure operations are there
  std::size_t unsure() const { return unsure_.size(); }

  Image state(const Subset& kept, std::optional<std::size_t> torn = std::nullopt, Tear tear = Tear::kNone) const {
    Image image = trace_.before;
    for (std::size_t i = 0, next = 0; i < ops_; ++i) {
      const bool is_unsure = next < unsure_.size() && unsure_[next] == i;
      if (is_unsure && !kept[next++]) continue;
      apply(image, trace_.ops[i], torn && is_unsure && next - 1 == *torn ? tear : Tear::kNone);
    }
    return image;
  }

  std::string about(const Subset& kept, std::optional<std::size_t> torn = std::nullopt, Tear tear = Tear::kNone) const {
    std::string text = "crash after operation " + std::to_string(ops_) + ", unsynced:";
    for (std::size_t i = 0; i < unsure_.size(); ++i)
      text += std::string(i > 0 ? ";" : "") + (kept[i] ? " kept " : " lost ") +
              (torn == i ? kTearNames[static_cast<int>(tear)] : "") + describe(trace_.ops[unsure_[i]]);
    return unsure_.empty() ? text + " nothing" : text;
  }

  bool is_write(std::size_t which) const { return trace_.ops[unsure_[which]].kind == Kind::kWrite; }

 private:
  const DiskTrace& trace_;
  std::size_t ops_;
  std::vector<std::size_t> unsure_;
};

std::vector<Prefix::Subset> subsets_of(std::size_t count, std::size_t most) {
  std::vector<Prefix::Subset> subsets;
  if (count < 16 && (std::size_t{1} << count) <= most) {
    for (std::size_t bits = 0; bits < std::size_t{1} << count; ++bits) {
      Prefix::Subset subset(count);
      for (std::size_t i = 0; i < count; ++i) subset[i] = (bits >> i & 1) != 0;
      subsets.push_back(std::move(subset));
    }
    return subsets;
  }
  const auto filled = [&](std::size_t prefix) {
    Prefix::Subset subset(count);
    std::fill_n(subset.begin(), prefix, true);
    return subset;
  };
  subsets = {filled(count), filled(0)};
  for (std::size_t prefix = 1; prefix < count; ++prefix) subsets.push_back(filled(prefix));
  for (std::size_t i = 0; i < count; ++i) {
    for (const bool alone : {false, true}) {
      Prefix::Subset subset = filled(alone ? 0 : count);
      subset[i] = alone;
      subsets.push_back(std::move(subset));
    }
  }
  std::mt19937 random(static_cast<unsigned>(count));
  while (subsets.size() < most) {
    Prefix::Subset subset(count);
    for (std::size_t i = 0; i < count; ++i) subset[i] = random() % 2 == 0;
    subsets.push_back(std::move(subset));
  }
  if (subsets.size() > most) subsets.resize(most);
  return subsets;
}

void fingerprint(const Image& image, int which, std::string& text) {
  const Image::Node& node = image.nodes[static_cast<std::size_t>(which)];
  text += std::to_string(node.mode) + '/' + std::to_string(node.bytes.size()) + ':' + node.bytes;
  for (const auto& [name, child] : node.entries) {
    text += '(' + name + ' ';
    fingerprint(image, child, text);
    text += ')';
  }
}

void materialise(const Image& image, int which, const std::string& path) {
  for (const auto& [name, child] : image.nodes[static_cast<std::size_t>(which)].entries) {
    const Image::Node& node = image.nodes[static_cast<std::size_t>(child)];
    const std::string place = path + '/' + name;
    if (node.is_folder) {
      ::mkdir(place.c_str(), node.mode);
      materialise(image, child, place);
      continue;
    }
    spill(place, node.bytes, node.mode);
    const timespec time{node.mtime_ns / 1'000'000'000, node.mtime_ns % 1'000'000'000};
    const timespec times[] = {time, time};
    ::utimensat(AT_FDCWD, place.c_str(), times, 0);
  }
}

struct Numbers {
  const os::Disk* lower = nullptr;
  std::map<ino_t, ino_t> recorded;  // by real number
};
Numbers numbers;

void collect(const Image& image, int which, const std::string& path) {
  struct stat status {};
  const Image::Node& node = image.nodes[static_cast<std::size_t>(which)];
  if (::lstat(path.c_str(), &status) == 0) numbers.recorded[status.st_ino] = node.number;
  for (const auto& [name, child] : node.entries) collect(image, child, path + '/' + name);
}

int renumbered(int result, struct stat* status) {
  if (result != 0) return result;
  const auto found = numbers.recorded.find(status->st_ino);
  if (found != numbers.recorded.end()) status->st_ino = found->second;
  return result;
}

os::Disk renumbering() {
  os::Disk table = os::disk();
  table.fstat = [](int fd, struct stat* out) { return renumbered(numbers.lower->fstat(fd, out), out); };
  table.fstatat = [](int dir, const char* path, struct stat* out, int flags) {
    return renumbered(numbers.lower->fstatat(dir, path, out, flags), out);
  };
  return table;
}

const os::Disk& renumbering_table(const Image& image, const std::string& folder) {
  static os::Disk table;
  numbers = {&os::disk(), {}};
  collect(image, 0, folder);
  return table = renumbering();
}

}  // namespace

void each_crash_state(const DiskTrace& trace, std::size_t ops, std::size_t most, bool tears,
                      const std::function<void(const Image&, const std::string& about)>& visit) {
  const Prefix prefix(trace, ops);
  for (const Prefix::Subset& kept : subsets_of(prefix.unsure(), most)) {
    visit(prefix.state(kept), prefix.about(kept));
    for (std::size_t i = 0; i < prefix.unsure() && tears; ++i)
      if (kept[i] && prefix.is_write(i))
        for (const Tear tear : kTears) visit(prefix.state(kept, i, tear), prefix.about(kept, i, tear));
  }
}

std::size_t fingerprint(const Image& image) {
  std::string text;
  fingerprint(image, 0, text);
  return std::hash<std::string>{}(text);
}

void materialise(const Image& image, const std::string& folder) { materialise(image, 0, folder); }

SameInodes::SameInodes(const Image& image, const std::string& folder) : scope_(renumbering_table(image, folder)) {}

SameInodes::~SameInodes() = default;

}  // namespace magi::test
