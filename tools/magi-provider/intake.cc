#include "tools/magi-provider/intake.h"

#include <utility>

namespace magi::provider {
namespace {

using context::RecordKind;

constexpr std::size_t kReadBytes = 256 * 1024;

}  // namespace

Intake::Intake(context::Framing framing, std::string prompt, NewMapper new_mapper)
    : framing_(framing),
      prompt_(std::move(prompt)),
      new_mapper_(std::move(new_mapper)),
      lines_(context::kMaxStreamLineBytes),
      reader_(framing) {}

Result<void> Intake::read(int fd) {
  char* room = lines_.prepare(kReadBytes);
  MAGI_TRY(const std::size_t bytes, os::read_some(fd, room, kReadBytes));
  lines_.commit(bytes);
  while (true) {
    auto line = lines_.next();
    if (!line)
      refuse(std::move(line.error()));
    else if (*line)
      take_line(**line);
    else
      break;
  }
  if (bytes == 0) close();
  return {};
}

void Intake::close() {
  if (at_end_) return;
  if (const auto rest = lines_.rest()) take_line(*rest);
  at_end_ = true;
  const bool single = framing_ == context::Framing::kSingle;
  // With a prompt there is something to ask even without a conversation.
  if (single && !anything_came_ && !prompt_.empty()) return complete();
  if (auto finished = reader_.finish(); !finished) return refuse(std::move(finished.error()));
  if (mapper_ || (single && !anything_came_)) complete();
}

void Intake::take_line(std::string_view line) {
  auto record = reader_.line(line);
  if (!record) {
    refuse(std::move(record.error()));
    // Its first line showed that the conversation before it was cut off; it is a request of its own.
    if (reader_.line_is_unread()) take_line(line);
    return;
  }
  if (*record) take_record(**record);
}

void Intake::take_record(const context::StreamRecord& record) {
  anything_came_ = true;
  if (record.kind == RecordKind::kCancel) return withdraw(record.root.find("request_id").as_string().value_or(""));
  if (record.kind == RecordKind::kRequest) begin(record);
  if (dropping_) {
    dropping_ = record.kind != RecordKind::kEnd;
    return;
  }
  if (record.kind == RecordKind::kEnd) return complete();
  if (!mapper_) mapper_ = new_mapper_();
  if (auto added = mapper_->add(record); !added) refuse(std::move(added.error()));
}

void Intake::begin(const context::StreamRecord& record) {
  mapper_.reset();
  dropping_ = false;
  request_id_ = record.root.find("request_id").as_string().value_or("");
}

void Intake::withdraw(std::string request_id) {
  if (!mapper_ || request_id != request_id_) return push(Incoming::Kind::kCancel, std::move(request_id));
  mapper_.reset();
  dropping_ = true;
  push(Incoming::Kind::kWithdrawn, std::exchange(request_id_, {}));
}

void Intake::complete() {
  std::unique_ptr<RequestMapper> mapper = std::exchange(mapper_, nullptr);
  if (!mapper) mapper = new_mapper_();
  if (auto finished = mapper->finish(prompt_); !finished)
    push(Incoming::Kind::kBad, std::exchange(request_id_, {}), nullptr, std::move(finished.error()));
  else
    push(Incoming::Kind::kRequest, std::exchange(request_id_, {}), std::move(mapper));
}

void Intake::refuse(Error error) {
  mapper_.reset();
  if (std::exchange(dropping_, true)) return;
  push(Incoming::Kind::kBad, std::exchange(request_id_, {}), nullptr, std::move(error));
}

void Intake::push(Incoming::Kind kind, std::string request_id, std::unique_ptr<RequestMapper> mapper, Error error) {
  anything_came_ = true;
  arrived_.push_back({kind, std::move(request_id), std::move(mapper), std::move(error)});
}

}  // namespace magi::provider
