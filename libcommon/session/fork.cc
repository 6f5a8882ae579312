#include "libcommon/session/fork.h"

#include <algorithm>
#include <set>

#include "libcommon/os/io.h"
#include "libcommon/session/ledger.h"
#include "libcommon/session/each_event.h"

namespace magi::session {
namespace {

// Reads the source line by line: events up to `before` into the draft, of those behind it the calls.
class Copying {
 public:
  Copying(int fd, const ForkOptions& options, Draft& draft, Forked& forked)
      : lines_(fd, kMaxSessionLineBytes), options_(options), draft_(draft), forked_(forked) {}

  // False where `before` was not there.
  Result<bool> run() {
    while (true) {
      const auto line = lines_.next();
      if (!line && line.error().code != ErrorCode::kLimit) return line.error();
      if (line && !*line) return options_.before.empty() || at_end_;
      MAGI_CHECK(take(line ? parser_.parse(**line) : Result<json::Node>(line.error())));
    }
  }

  // How many of the changes were made by calls that were copied, or before all that the source still holds.
  std::size_t inherited(const std::vector<Change>& changes) const {
    const auto left_out = [&](const Change& change) { return calls_left_out_.contains(change.call_id); };
    return static_cast<std::size_t>(std::find_if(changes.begin(), changes.end(), left_out) - changes.begin());
  }

 private:
  Result<void> take(const Result<json::Node>& root) {
    const auto head = root ? event::parse_event_head(*root) : Result<event::EventHead>(root.error());
    at_end_ |= head && !options_.before.empty() && head->event_id.as_string() == options_.before;
    if (at_end_) {
      if (const json::Node call = head ? head->payload.find("call_id") : json::Node())
        calls_left_out_.insert(call.as_string().value_or(""));
      return {};
    }
    if (!head) {
      ++forked_.skipped_lines;
      return {};
    }
    MAGI_CHECK(draft_.add_copy(*root));
    ++forked_.events;
    return {};
  }

  os::LineReader lines_;
  json::Parser parser_;
  const ForkOptions& options_;
  Draft& draft_;
  Forked& forked_;
  bool at_end_ = false;
  std::set<std::string> calls_left_out_;
};

Result<void> copy_changes(const Home& home, std::string_view source, const Draft& draft, const Copying& copying) {
  MAGI_TRY(const LedgerContents ledger, read_ledger(home, source));
  return copy_ledger(home, source, draft.id(), copying.inherited(ledger.changes));
}

}  // namespace

Result<Forked> fork_session(const Home& home, std::string_view source_id, const ForkOptions& options) {
  MAGI_TRY(const os::Fd source, open_session_for_reading(home, source_id, options.family));
  MAGI_TRY(Draft draft, Draft::create(home, options.family, options.now_ms));
  Forked forked;
  Copying copying(source.get(), options, draft, forked);
  MAGI_TRY(const bool complete, copying.run());
  if (!complete)
    return make_error(ErrorCode::kNotFound, "no event ", quoted(options.before), " in session ", quoted(source_id));
  if (forked.events == 0 && !options.finish)
    return make_error(ErrorCode::kBadRecord, "session ", quoted(source_id), " holds nothing to fork");
  if (options.finish) MAGI_CHECK(options.finish(draft));
  if (auto published = draft.publish(); !published) {
    if (!draft.was_published()) return std::move(published.error());
    return make_error(published.error().code, "session ", quoted(draft.id()),
                      " is there, but a crash may undo it: ", published.error().what);
  }
  if (auto copied = copy_changes(home, source_id, draft, copying); !copied)
    return make_error(copied.error().code, "session ", quoted(draft.id()), " is there, but without the files that ",
                      quoted(source_id), " changed: ", copied.error().what);
  forked.id = draft.id();
  return forked;
}

}  // namespace magi::session
