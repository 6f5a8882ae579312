#include "libcommon/context/session_scan.h"

#include <optional>

#include "libcommon/os/io.h"

namespace magi::context {
namespace {

static_assert(os::kLinePadding >= json::kPadding);

class Scanner {
 public:
  Scanner(int fd, std::string_view until, ReplayIndex& index)
      : lines_(fd, kMaxSessionLineBytes), until_(until), index_(index) {}

  Result<SessionScan> run() {
    while (!reached_) {
      auto line = lines_.next();
      ++number_;
      if (!line) {
        if (line.error().code != ErrorCode::kLimit) return std::move(line.error());
        skip("too long");
      } else if (!*line) {
        break;
      } else {
        take(**line);
      }
    }
    if (!until_.empty() && !reached_) return make_error(ErrorCode::kNotFound, "no event ", quoted(until_));
    return finish();
  }

 private:
  void take(std::string_view text) {
    auto root = parser_.parse_padded(text);
    if (!root) return lines_.last_was_torn() ? tear() : skip(root.error().what);
    auto event = event::parse_event_head(*root);
    if (!event) return lines_.last_was_torn() ? tear() : skip(event.error().what);
    if (!until_.empty() && event->event_id.raw_string() == until_) {
      reached_ = true;
      return;
    }
    if (auto added = index_.add(*event, {lines_.offset(), number_, text}); !added) return skip(added.error().what);
    ++scan_.read.events;
  }

  void skip(std::string_view why) {
    ++scan_.read.skipped_lines;
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

  os::LineReader lines_;
  std::string_view until_;
  ReplayIndex& index_;
  json::Parser parser_;
  std::uint64_t number_ = 0, torn_line_ = 0;
  bool reached_ = false;
  SessionScan scan_;
  Notice skipped_{"skipped bad lines"};
};

}  // namespace

Result<SessionScan> scan_session(int fd, std::string_view until, ReplayIndex& index) {
  return Scanner(fd, until, index).run();
}

}  // namespace magi::context
