#include "tools/magi-code/review/expand.h"

#include <algorithm>

#include "tools/magi-code/review/comment_store.h"

namespace magi::code::review {
namespace {

// Some 60,000 tokens: what is more would crowd out the conversation that it is about.
constexpr std::size_t kMostExpandedBytes = 256 * 1024;

bool continues_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-' ||
         (c & 0x80);
}

Expansion failed(std::string_view why) {
  return {{}, {std::string(kDiffChangesTag).append(": ").append(why).append("; the prompt is sent as typed")}};
}

void append_lines(std::string& out, std::string_view lead, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.append(lead).append(text.substr(0, end)) += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string place_of(const PlacedComment& placed) {
  const Anchor& anchor = placed.comment.anchor;
  const std::string was = std::to_string(anchor.line);
  if (!placed.line) return anchor.path + " (was line " + was + "; " + placed.lost_why + ")";
  const std::string now = anchor.path + ':' + std::to_string(*placed.line);
  return anchor.side == kOldSide ? now + " (a removed line, " + was + " before the change)" : now;
}

std::string entry_of(std::size_t number, const PlacedComment& placed) {
  std::string out = '\n' + std::to_string(number) + ". " + place_of(placed) + '\n';
  append_lines(out, "   > ", placed.comment.anchor.quoted);
  append_lines(out, "   ", placed.comment.text);
  return out;
}

std::string counted(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " unresolved review comment" : " unresolved review comments");
}

std::string lost_notice(const PlacedComment& placed) {
  return std::string(kDiffChangesTag) + ": the place of a comment is lost: " + place_of(placed);
}

}  // namespace

bool holds_tag(std::string_view text) {
  for (std::size_t at = text.find(kDiffChangesTag); at != std::string_view::npos;
       at = text.find(kDiffChangesTag, at + 1)) {
    const std::size_t end = at + kDiffChangesTag.size();
    const bool begins = at == 0 || !(continues_word(text[at - 1]) || text[at - 1] == '#' || text[at - 1] == '/');
    if (begins && (end == text.size() || !continues_word(text[end]))) return true;
  }
  return false;
}

Expansion expand_with(std::string_view text, const std::vector<PlacedComment>& unresolved) {
  if (!holds_tag(text)) return {};
  if (unresolved.empty()) return failed("this session has no unresolved review comments");
  Expansion expansion;
  std::string entries;
  std::size_t number = 0;
  for (const PlacedComment& placed : unresolved) {
    std::string entry = entry_of(number + 1, placed);
    if (entries.size() + entry.size() > kMostExpandedBytes) break;
    entries += entry;
    ++number;
    if (!placed.line) expansion.notices.push_back(lost_notice(placed));
  }
  expansion.text.append(text).append(text.ends_with('\n') ? "\n" : "\n\n");
  expansion.text.append(kDiffChangesTag).append(": ").append(counted(number));
  expansion.text.append(" on changes in the working tree\n").append(entries);
  if (number < unresolved.size()) {
    const std::string left_out = counted(unresolved.size() - number) + " did not fit and " +
                                 (unresolved.size() - number == 1 ? "is" : "are") + " left out";
    expansion.text.append("\n").append(left_out).append("\n");
    expansion.notices.push_back(std::string(kDiffChangesTag) + ": " + left_out);
  }
  return expansion;
}

Expansion expand_tags(std::string_view text, const session::Home& home, const std::string& session_id) {
  if (!holds_tag(text)) return {};
  if (session_id.empty()) return failed("no session is kept, so there are no review comments");
  auto comments = CommentStore(home, session_id).read();
  if (!comments) return failed(comments.error().what);
  std::erase_if(*comments, [](const Comment& comment) { return comment.is_resolved(); });
  return expand_with(text, place_comments(*std::move(comments)));
}

}  // namespace magi::code::review
