#include "tools/magi-code/loop/memory_guard.h"

#include <utility>

namespace magi::code {
namespace {

// Of reading a session that someone else keeps changing.
constexpr int kMostAttempts = 5;

// The records of a stream, without its end, which also says what reading a file was like.
std::string_view records_of(std::string_view stream) {
  const std::size_t end = stream.rfind("\n{\"type\":\"end\"");
  return end == std::string_view::npos ? stream : stream.substr(0, end + 1);
}

// The number of the first line that differs, from 1; 0: none.
std::size_t first_difference(std::string_view one, std::string_view other) {
  if (one == other) return 0;
  std::size_t line = 1;
  for (std::size_t i = 0; i < one.size() && i < other.size() && one[i] == other[i]; ++i) line += one[i] == '\n';
  return line;
}

}  // namespace

void MemoryGuard::refresh_expected(OnReady on_ready) {
  is_expected_ = true;
  refresh([this, on_ready = std::move(on_ready)](Result<std::vector<std::string>> call_ids) {
    is_expected_ = false;
    on_ready(std::move(call_ids));
  });
}

void MemoryGuard::refresh(OnReady on_ready) {
  attempts_ = 0;
  replacing_ = !journal_.memory_holds();
  if (!replacing_ && (mode_ == Mode::kReuse || !journal_.persistent())) return on_ready(std::vector<std::string>());
  on_ready_ = std::move(on_ready);
  read_again();
}

void MemoryGuard::read_again() {
  auto command = replay_();
  const auto round = ++round_;
  // A stage is in its own callback when it ends, so what follows, which may replace it, waits for the loop; by then
  // another reading may have begun.
  const auto settle = [this, round](Result<Replayed> replayed) {
    loop_.post([this, round, replayed = std::move(replayed)]() mutable {
      if (round == round_) on_replayed(std::move(replayed));
    });
  };
  if (!command) return settle(std::move(command.error()));
  if (replacing_) journal_.begin_reload();
  stage_ = std::make_unique<ReplayStage>(loop_, *std::move(command), on_notice_);
  if (const session::Writer* writer = journal_.writer()) stage_->expect(writer->stamp().length);
  stage_->start(settle);
}

void MemoryGuard::on_replayed(Result<Replayed> replayed) {
  stage_.reset();
  if (!on_ready_) return;
  const auto on_ready = std::exchange(on_ready_, nullptr);
  if (!replayed) return on_ready(std::move(replayed.error()));
  auto taken = take(*std::move(replayed));
  if (taken || journal_.memory_holds() || ++attempts_ == kMostAttempts) return on_ready(std::move(taken));
  on_ready_ = on_ready;
  replacing_ = true;
  read_again();
}

Result<std::vector<std::string>> MemoryGuard::take(Replayed replayed) {
  MAGI_TRY(const std::string known, journal_.conversation());
  const std::size_t line = first_difference(records_of(known), records_of(replayed.stream));
  if (!replacing_) {
    if (line == 0) return std::vector<std::string>();
    return make_error(ErrorCode::kInternal,
                      "the conversation in memory is not what a replay of the session gives: ", "record ",
                      std::to_string(line), " differs");
  }
  if (line != 0 && on_notice_ && !is_expected_)
    on_notice_("the session was changed by another program and has been read again");
  MAGI_CHECK(journal_.finish_reload(std::move(replayed.stream)));
  return std::move(replayed.call_ids);
}

void MemoryGuard::cancel() {
  ++round_;
  is_expected_ = false;
  on_ready_ = nullptr;
  stage_.reset();
}

}  // namespace magi::code
