#include "tools/magi-export/readable.h"

#include <unistd.h>

#include <algorithm>
#include <unordered_map>

#include "libcommon/base/utf8.h"
#include "libcommon/context/elision.h"
#include "libcommon/os/io.h"
#include "libcommon/session/each_event.h"
#include "libcommon/session/mask.h"
#include "libcommon/session/store.h"
#include "tools/magi-export/page.h"

namespace magi::exporting {
namespace {

namespace name = event::name;

// As much of a tool's output as replay keeps of a long one.
std::string shortened(std::string text) {
  const std::size_t characters = utf8::count(text);
  if (characters <= context::kLongOutputCharacters) return text;
  const std::string omitted = std::to_string(characters - 2 * context::kKeptCharacters);
  return text.substr(0, utf8::prefix_bytes(text, context::kKeptCharacters)) + "\n[" + omitted +
         " characters left out]\n" + text.substr(utf8::suffix_offset(text, context::kKeptCharacters));
}

// The events of a session, told to a page.
class Telling {
 public:
  Telling(Page& page, bool redact, std::int64_t& masked) : page_(page), redact_(redact), masked_(masked) {}

  void tell(std::string& out, const event::SessionEvent& said);

 private:
  // A field as it is shown: valid UTF-8, masked where that is wanted.
  std::string text(const event::SessionEvent& said, std::string_view key) {
    std::string value = utf8::sanitize(said.payload.find(key).as_string().value_or(""));
    if (redact_) masked_ += static_cast<std::int64_t>(session::mask_secrets(value));
    return value;
  }
  void tell_user(std::string& out, const event::SessionEvent& said);
  void tell_result(std::string& out, const event::SessionEvent& said);
  void tell_turn_end(std::string& out, const event::SessionEvent& said);

  Page& page_;
  bool redact_;
  std::int64_t& masked_;
  std::unordered_map<std::string, std::string> open_calls_;  // by ID: the tool's name
};

void Telling::tell_user(std::string& out, const event::SessionEvent& said) {
  const std::string origin = text(said, "origin");
  std::string words = text(said, "text");
  for (const json::Node part : said.payload.find("parts").elements())
    words += "\n\n[" + utf8::sanitize(part.find("type").as_string().value_or("part")) + " " +
             utf8::sanitize(part.find("media_type").as_string().value_or("")) + "]";
  page_.message(out, origin == "automatic_compaction" ? "You (automatic)" : "You", said.envelope.timestamp, words, "");
}

void Telling::tell_result(std::string& out, const event::SessionEvent& said) {
  const auto call = open_calls_.find(text(said, "call_id"));
  const std::string tool = call == open_calls_.end() ? "a call that is not recorded" : call->second;
  if (call != open_calls_.end()) open_calls_.erase(call);
  page_.tool_result(out, tool, text(said, "status"), shortened(text(said, "output")));
}

void Telling::tell_turn_end(std::string& out, const event::SessionEvent& said) {
  const std::string status = text(said, "status"), partial = text(said, "partial_text");
  if (status == "completed") return;
  if (!partial.empty()) page_.message(out, "Assistant", said.envelope.timestamp, partial, status);
  std::string why = utf8::sanitize(said.payload.find("error").find("message").as_string().value_or(""));
  if (redact_) masked_ += static_cast<std::int64_t>(session::mask_secrets(why));
  page_.note(out, "The turn was not completed: " + status, said.envelope.timestamp, why);
}

void Telling::tell(std::string& out, const event::SessionEvent& said) {
  const std::string& type = said.event_type;
  const std::string& time = said.envelope.timestamp;
  if (type == name::kUserInput) return tell_user(out, said);
  if (type == name::kAssistantOutput) {
    const std::string status = text(said, "status");
    return page_.message(out, "Assistant", time, text(said, "text"), status == "completed" ? "" : status);
  }
  if (type == name::kToolCall) {
    const std::string tool = text(said, "name");
    open_calls_[text(said, "call_id")] = tool;
    return page_.tool_call(out, tool, time, shortened(text(said, "arguments")));
  }
  if (type == name::kToolResult) return tell_result(out, said);
  if (type == name::kTurnStatus) return tell_turn_end(out, said);
  if (type == name::kCompaction)
    return page_.note(out, "The model went on with this summary of what stands above", time, text(said, "summary"));
  if (type == name::kSubagentSession)
    page_.note(out, "Child session " + text(said, "child_id") + ": " + text(said, "status"), time,
               text(said, "summary"));
}

// The files of the session itself, oldest first.
std::vector<const Member*> history_of(const Contents& contents) {
  std::vector<const Member*> history;
  for (const Member& member : contents.members)
    if (member.role == role::kGeneration) history.push_back(&member);
  std::sort(history.begin(), history.end(),
            [](const Member* a, const Member* b) { return a->generation < b->generation; });
  history.push_back(&contents.members.front());
  return history;
}

bool is_of_history(const Warning& warning) {
  return warning.role == role::kSession || warning.role == role::kGeneration;
}

// The events as they are stored; what is no event would spoil the stream for its reader.
Result<void> copy_lines(const Member& member, bool redact, tool::Stdout& out, const std::function<bool()>& go_on,
                        Readable& done) {
  os::LineReader lines(member.file.get(), session::kMaxSessionLineBytes);
  json::Parser parser;
  std::string line;
  while (go_on()) {
    MAGI_TRY(const auto next, lines.next());
    if (!next || lines.offset() >= member.bytes) return {};
    const auto root = parser.parse_padded(*next);
    if (!root || !event::parse_session_event(*root)) {
      ++done.skipped_lines;
      continue;
    }
    ++done.events;
    line.assign(*next);
    if (redact) done.masked += static_cast<std::int64_t>(session::mask_secrets(line));
    out.buffer().append(line) += '\n';
    MAGI_CHECK(out.settle());
  }
  return make_error(ErrorCode::kCancelled, "interrupted");
}

Result<void> tell_member(const Member& member, Telling& telling, tool::Stdout& out, const std::function<bool()>& go_on,
                         Readable& done) {
  Result<void> written;
  MAGI_TRY(const session::UnreadLines unread,
           session::each_event(member.file.get(), {.length = member.bytes}, [&](const event::SessionEvent& said) {
             ++done.events;
             telling.tell(out.buffer(), said);
             written = out.settle();
             return written && go_on();
           }));
  MAGI_CHECK(written);
  if (!go_on()) return make_error(ErrorCode::kCancelled, "interrupted");
  done.skipped_lines += unread.skipped + (unread.torn ? 1 : 0);
  return {};
}

std::unique_ptr<Page> page_of(Format format) { return format == Format::kHtml ? html_page() : markdown_page(); }

PageHead head_of(const session::SessionInfo& info, bool redact, std::int64_t& masked) {
  PageHead head{info.id, info.facts.title.empty() ? info.facts.first_prompt : info.facts.title, info.facts.cwd,
                info.facts.provider, info.facts.model};
  if (redact) masked += static_cast<std::int64_t>(session::mask_secrets(head.title) + session::mask_secrets(head.cwd));
  return head;
}

}  // namespace

Result<Readable> write_readable(const session::Home& home, const std::string& id, Format format, bool redact,
                                tool::Stdout& out, const std::function<bool()>& go_on) {
  Locks locks;
  MAGI_TRY(Contents contents, gather(home, id, locks));
  Readable done;
  for (const Warning& warning : contents.warnings)
    if (is_of_history(warning)) done.warnings.push_back(warning);
  const std::vector<const Member*> history = history_of(contents);
  for (const Member* member : history)
    if (::lseek(member->file.get(), 0, SEEK_SET) < 0) return errno_error("cannot read a session", errno);
  if (format == Format::kJsonl) {
    for (const Member* member : history) MAGI_CHECK(copy_lines(*member, redact, out, go_on, done));
    return done;
  }
  MAGI_TRY(const session::SessionInfo info, session::find_session(home, id));
  const std::unique_ptr<Page> page = page_of(format);
  page->begin(out.buffer(), head_of(info, redact, done.masked));
  Telling telling(*page, redact, done.masked);
  for (const Member* member : history) MAGI_CHECK(tell_member(*member, telling, out, go_on, done));
  page->end(out.buffer());
  return done;
}

}  // namespace magi::exporting
