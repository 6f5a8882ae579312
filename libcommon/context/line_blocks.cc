#include "libcommon/context/line_blocks.h"

#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include "libcommon/context/block_reader.h"

namespace magi::context {
namespace {

// Enough that neither thread waits for the other.
constexpr std::size_t kSlots = 6;
// With more than this on the way, the next block waits: long lines do not add up.
constexpr std::size_t kMaxBytesAhead = 4 << 20;

std::size_t memory_of(const RawBlock& raw) { return raw.bytes.capacity(); }

}  // namespace

struct LineBlocks::Impl {
  enum class State { kFree, kTaken, kReady };
  struct Slot {
    State state = State::kFree;
    RawBlock raw;
    LineBlock block;
    std::optional<Error> error;
    bool last = false;
  };

  Impl(int fd, std::size_t max_line) : reader(fd, kBlockBytes, max_line), max_line_bytes(max_line) {}

  BlockReader reader;  // of whoever is `reading`
  std::size_t max_line_bytes;
  std::array<Slot, kSlots> slots;
  json::Parser own_parser;

  std::mutex mutex;  // guards what follows and the slots' states
  std::condition_variable changed;
  std::size_t next_to_fill = 0, next_to_give = 0;  // numbers of blocks
  std::size_t bytes_ahead = 0;
  bool reading = false, ended = false, stopped = false, given = false;
  std::thread helper;

  Slot& slot(std::size_t number) { return slots[number % kSlots]; }

  void parse(Slot& slot, json::Parser& parser);
  bool work(std::unique_lock<std::mutex>& lock, json::Parser& parser);
  void fill_and_parse(Slot& slot, std::unique_lock<std::mutex>& lock, json::Parser& parser);
  void help();
  void start_helper();
  void take_back(std::size_t number);
};

void LineBlocks::Impl::parse(Slot& slot, json::Parser& parser) {
  LineBlock& block = slot.block;
  block.lines.clear();
  block.tape.clear();
  const RawBlock& raw = slot.raw;
  for (const std::uint64_t offset : raw.skipped) block.lines.push_back({offset, {}, 0, false, "too long"});
  std::string_view rest(raw.bytes.data(), raw.size);
  while (!rest.empty()) {
    const std::size_t lf = rest.find('\n');
    ParsedLine line;
    line.offset = raw.offset + (raw.size - rest.size());
    line.text = rest.substr(0, lf);
    line.torn = lf == std::string_view::npos;
    rest.remove_prefix(line.torn ? rest.size() : lf + 1);
    if (line.text.size() > max_line_bytes) {
      line.problem = "too long";
      line.torn = false;
      line.text = {};
    } else if (auto value = parser.parse_onto(block.tape, line.text); value) {
      line.value = *value;
    } else {
      line.problem = std::move(value.error().what);
    }
    block.lines.push_back(std::move(line));
  }
}

// Takes the next block that nobody has taken.  False where there is none, or someone else is reading it.
bool LineBlocks::Impl::work(std::unique_lock<std::mutex>& lock, json::Parser& parser) {
  Slot& next = slot(next_to_fill);
  if (reading || ended || next.state != State::kFree) return false;
  if (bytes_ahead > kMaxBytesAhead) return false;
  next.state = State::kTaken;
  ++next_to_fill;
  reading = true;
  lock.unlock();
  try {
    fill_and_parse(next, lock, parser);
  } catch (const std::bad_alloc&) {
    if (!lock.owns_lock()) lock.lock();
    reading = false;
    ended = true;
    next.error = make_error(ErrorCode::kInternal, "out of memory");
  }
  next.state = State::kReady;
  changed.notify_all();
  return true;
}

// Called without the lock, returns with it.
void LineBlocks::Impl::fill_and_parse(Slot& slot, std::unique_lock<std::mutex>& lock, json::Parser& parser) {
  auto filled = reader.fill(slot.raw);
  lock.lock();
  reading = false;
  slot.last = ended = reader.at_end() || !filled;
  bytes_ahead += memory_of(slot.raw);
  if (!filled) {
    slot.error = std::move(filled.error());
    return;
  }
  changed.notify_all();
  lock.unlock();
  parse(slot, parser);
  lock.lock();
}

void LineBlocks::Impl::help() {
  std::unique_lock lock(mutex);
  json::Parser parser;
  while (!stopped && !ended)
    if (!work(lock, parser)) changed.wait(lock);
}

// A file of one block is read sooner than a thread starts.
void LineBlocks::Impl::start_helper() {
  try {
    helper = std::thread([this] { help(); });
  } catch (const std::system_error&) {
    // No thread to be had: the caller does it all.
  }
}

void LineBlocks::Impl::take_back(std::size_t number) {
  Slot& used = slot(number);
  bytes_ahead -= memory_of(used.raw);
  if (memory_of(used.raw) > 4 * kBlockBytes) {
    used.raw.bytes.shrink(0);
    used.block = LineBlock();
  }
  used.state = State::kFree;
}

LineBlocks::LineBlocks(int fd, std::size_t max_line_bytes) : impl_(std::make_unique<Impl>(fd, max_line_bytes)) {}

LineBlocks::~LineBlocks() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopped = true;
  }
  impl_->changed.notify_all();
  if (impl_->helper.joinable()) impl_->helper.join();
}

Result<const LineBlock*> LineBlocks::next() {
  Impl& impl = *impl_;
  std::unique_lock lock(impl.mutex);
  if (impl.given) {
    const bool was_last = impl.slot(impl.next_to_give).last;
    if (was_last) return nullptr;
    impl.take_back(impl.next_to_give++);
    impl.changed.notify_all();
    if (!impl.helper.joinable()) {
      lock.unlock();
      impl.start_helper();
      lock.lock();
    }
  }
  impl.given = true;
  Impl::Slot& wanted = impl.slot(impl.next_to_give);
  while (wanted.state != Impl::State::kReady)
    if (!impl.work(lock, impl.own_parser)) impl.changed.wait(lock);
  if (wanted.error) return *wanted.error;
  return &wanted.block;
}

}  // namespace magi::context
