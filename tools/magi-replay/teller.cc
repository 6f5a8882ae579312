#include "tools/magi-replay/teller.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "libcommon/os/io.h"

namespace magi::replay {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

std::string hex(std::int64_t number) {
  char text[16];
  const auto end = std::to_chars(text, text + sizeof text, number, 16).ptr;
  return std::string(text, end);
}

}  // namespace

void Teller::session(std::string_view id, std::string_view cwd) {
  if (event::is_valid_session_id(id)) envelope_.session_id = id;
  if (!cwd.empty()) envelope_.cwd = cwd;
}

template <class Payload>
void Teller::tell(const Payload& payload) {
  envelope_.event_id = hex(++events_);
  buffer_ += event::session_line(envelope_, payload);
  if (buffer_.size() < kBufferBytes || !state_) return;
  state_ = os::write_all(file_.get(), buffer_);
  written_ += buffer_.size();
  buffer_.clear();
}

void Teller::prompt(std::string text, std::vector<event::Part> parts, bool steering) {
  if (!steering || !turn_open_) ++turns_;
  event::UserInput input;
  input.turn_id = turn_id();
  input.text = std::move(text);
  input.origin = steering && turn_open_ ? "steering" : "user";
  input.parts = std::move(parts);
  turn_open_ = true;
  last_was_text_ = false;
  tell(input);
}

void Teller::say(std::string text, std::string_view status) {
  if (text.empty()) return;
  event::AssistantOutput output;
  output.turn_id = turn_id();
  output.text = std::move(text);
  output.status = status;
  turn_open_ = last_was_text_ = true;
  tell(output);
}

void Teller::call(std::string id, std::string name, std::string arguments) {
  event::ToolCallEvent call;
  call.turn_id = turn_id();
  call.call_id = std::move(id);
  call.name = std::move(name);
  call.arguments = std::move(arguments);
  turn_open_ = true;
  last_was_text_ = false;
  tell(call);
}

void Teller::result(std::string id, std::string_view status, std::string output, std::vector<event::Part> parts) {
  event::ToolResultEvent result;
  result.turn_id = turn_id();
  result.call_id = std::move(id);
  result.result_id = "r" + std::to_string(++results_);
  result.status = status;
  result.output = std::move(output);
  result.parts = std::move(parts);
  last_was_text_ = false;
  tell(result);
}

void Teller::end_turn(std::string_view status) {
  if (!turn_open_) return;
  event::TurnStatus end;
  end.turn_id = turn_id();
  end.status = status;
  turn_open_ = false;
  tell(end);
}

void Teller::checkpoint(std::string summary) {
  event::Compaction checkpoint;
  checkpoint.summary = std::move(summary);
  checkpoint.generation = ++generation_;
  checkpoint.trigger = "manual";
  // There is no archive; replay looks at its form alone.
  checkpoint.archive = {"elsewhere", std::string(64, '0'), 0};
  tell(checkpoint);
}

Teller::Mark Teller::mark() const { return {written_ + buffer_.size(), events_, turns_, turn_open_, last_was_text_}; }

void Teller::back_to(const Mark& mark) {
  if (mark.offset >= written_) {
    buffer_.resize(mark.offset - written_);
  } else {
    buffer_.clear();
    const auto offset = static_cast<off_t>(mark.offset);
    if (state_ && (::ftruncate(file_.get(), offset) != 0 || ::lseek(file_.get(), offset, SEEK_SET) < 0))
      state_ = errno_error("cannot write the temporary file", errno);
    written_ = mark.offset;
  }
  events_ = mark.events;
  turns_ = mark.turns;
  turn_open_ = mark.turn_open;
  last_was_text_ = mark.last_was_text;
}

Result<os::Fd> Teller::finish() {
  end_turn(last_was_text_ ? "completed" : "cancelled");
  MAGI_CHECK(std::move(state_));
  MAGI_CHECK(os::write_all(file_.get(), buffer_));
  if (::lseek(file_.get(), 0, SEEK_SET) < 0) return errno_error("cannot read the temporary file", errno);
  return std::move(file_);
}

}  // namespace magi::replay
