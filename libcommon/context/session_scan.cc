#include "libcommon/context/session_scan.h"

#include "libcommon/context/line_blocks.h"
#include "libcommon/event/names.h"

namespace magi::context {
namespace {

bool is_torn_tail_report(const event::EventHead& event) {
  return event.event_type.raw_string() == event::name::kDiagnostic &&
         event.payload.find("category").as_string() == kTornTailCategory;
}

class Scanner {
 public:
  Scanner(int fd, std::string_view until, ReplayIndex& index) : blocks_(fd), until_(until), index_(index) {}

  Result<SessionScan> run() {
    while (!reached_) {
      MAGI_TRY(const LineBlock* block, blocks_.next());
      if (!block) break;
      for (std::size_t i = 0; i < block->lines.size() && !reached_; ++i) take(*block, block->lines[i]);
    }
    if (!until_.empty() && !reached_) return make_error(ErrorCode::kNotFound, "no event ", quoted(until_));
    return finish();
  }

 private:
  void take(const LineBlock& block, const ParsedLine& line) {
    ++number_;
    if (!line.problem.empty()) return line.torn ? tear() : skip(line.problem);
    auto event = event::parse_event_head(block.tape.node(line.value));
    if (!event) return line.torn ? tear() : skip(event.error().what);
    if (!until_.empty() && event->event_id.raw_string() == until_) {
      reached_ = true;
      return;
    }
    if (bad_line_ + 1 == number_ && is_torn_tail_report(*event)) skipped_.take_back();
    if (auto added = index_.add(*event, {line.offset, number_, line.text}); !added) return skip(added.error().what);
    ++scan_.read.events;
  }

  void skip(std::string_view why) {
    ++scan_.read.skipped_lines;
    bad_line_ = number_;
    skipped_.add(line_place(number_, why));
  }

  void tear() {
    scan_.read.torn_tail = true;
    torn_line_ = number_;
  }

  SessionScan finish() {
    if (skipped_.count()) scan_.notices.push_back(skipped_.text());
    if (scan_.read.torn_tail)
      scan_.notices.push_back("left out the incomplete last record (torn tail): line " + std::to_string(torn_line_));
    for (std::string& notice : index_.notices()) scan_.notices.push_back(std::move(notice));
    return std::move(scan_);
  }

  LineBlocks blocks_;
  std::string_view until_;
  ReplayIndex& index_;
  std::uint64_t number_ = 0, bad_line_ = 0, torn_line_ = 0;
  bool reached_ = false;
  SessionScan scan_;
  Notice skipped_{"skipped bad lines"};
};

}  // namespace

Result<SessionScan> scan_session(int fd, std::string_view until, ReplayIndex& index) {
  return Scanner(fd, until, index).run();
}

}  // namespace magi::context
