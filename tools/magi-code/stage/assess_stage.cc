#include "tools/magi-code/stage/assess_stage.h"

#include <utility>

#include "libcommon/event/stream.h"

namespace magi::code {
namespace {

// Rules take milliseconds, for the largest result seconds; a model behind an external command may take its time.
constexpr int kPatienceMs = 60'000, kExternalPatienceMs = 120'000;

}  // namespace

AssessStage::AssessStage(EventLoop& loop, std::function<Result<Command>()> command, bool is_external,
                         NoticeHandler on_notice)
    : loop_(loop),
      command_(std::move(command)),
      is_external_(is_external),
      on_notice_(std::move(on_notice)),
      patience_(loop) {}
AssessStage::~AssessStage() = default;

void AssessStage::assess(const event::Assess& request, Done done) {
  request_ = request;
  done_ = std::move(done);
  patience_.start(is_external_ ? kExternalPatienceMs : kPatienceMs, [this] {
    child_.reset();
    settle(make_error(ErrorCode::kUpstream, "the assessor does not answer"));
  });
  send();
}

Result<void> AssessStage::start() {
  if (child_) return {};
  MAGI_TRY(Command command, command_());
  if (!is_external_) {
    if (serve_)
      command.args.emplace_back("--serve");
    else
      command.args.insert(command.args.end(), {"--json", "--policy", request_.policy});
  }
  answered_ = false;
  MAGI_TRY(child_, CoProcess::start(loop_, command,
                                    {[this](std::string_view line) { on_line(line); },
                                     [this](int status) { on_exit(status); }, on_notice_}));
  return {};
}

void AssessStage::send() {
  if (auto started = start(); !started) {
    loop_.post([this, error = started.error()] { settle(error); });
    return;
  }
  if (!serve_) {
    child_->send(request_.output);
    return child_->close_input();
  }
  std::string line;
  event::append_record(line, request_);
  child_->send(std::move(line));
}

void AssessStage::on_line(std::string_view line) {
  if (!done_) return;
  json::Parser parser;
  const auto root = parser.parse(line);
  const auto type = root ? event::record_type(*root) : std::nullopt;
  if (!type || *type != event::AssessmentAnswer::kType) {
    child_.reset();
    return settle(make_error(ErrorCode::kUpstream, "the assessor wrote what is no assessment"));
  }
  answered_ = true;
  auto answer = event::parse_record<event::AssessmentAnswer>(*root);
  if (answer && serve_ && answer->result_id != request_.result_id) {
    child_.reset();
    return settle(make_error(ErrorCode::kUpstream, "the assessor answered about another result"));
  }
  settle(std::move(answer));
}

void AssessStage::on_exit(int status) {
  child_.reset();
  if (!done_) return;
  if (serve_ && !is_external_ && !answered_ && status == kExitUsage) {
    serve_ = false;
    return send();
  }
  settle(make_error(ErrorCode::kUpstream, "the assessor ended with status ", std::to_string(status)));
}

void AssessStage::settle(Result<event::AssessmentAnswer> answer) {
  patience_.cancel();
  if (!serve_) child_.reset();
  request_ = {};
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(answer));
}

void AssessStage::cancel() {
  if (!done_) return;
  // Its answer would be taken for one about the next result.
  child_.reset();
  settle(make_error(ErrorCode::kCancelled, "cancelled"));
}

}  // namespace magi::code
