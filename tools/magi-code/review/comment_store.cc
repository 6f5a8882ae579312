#include "tools/magi-code/review/comment_store.h"

#include <algorithm>

#include "libcommon/base/utf8.h"
#include "libcommon/event/fields.h"
#include "libcommon/os/atomic_file.h"

namespace magi::code::review {
namespace {

constexpr std::size_t kMostFileBytes = 64u << 20;  // kMostComments of the longest, with every byte escaped

struct Document {
  std::int64_t schema = 1;
  std::vector<Comment> comments;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("schema", self.schema);
    v.required("comments", self.comments);
  }
};

Result<std::string> checked_text(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return make_error(ErrorCode::kUsage, "the comment is empty");
  if (text.size() > kMostTextBytes) return make_error(ErrorCode::kLimit, "the comment is longer than 16 KiB");
  return utf8::sanitize(text);
}

std::int64_t number_of(const Comment& comment) {
  std::int64_t number = 0;
  for (const char c : std::string_view(comment.id).substr(std::min<std::size_t>(1, comment.id.size())))
    if (c >= '0' && c <= '9' && number < 1'000'000'000) number = number * 10 + (c - '0');
  return number;
}

// Never one that another comment has.
std::string next_id(const std::vector<Comment>& comments) {
  std::int64_t highest = 0;
  for (const Comment& comment : comments) highest = std::max(highest, number_of(comment));
  return "c" + std::to_string(highest + 1);
}

}  // namespace

Result<std::vector<Comment>> CommentStore::read() const {
  MAGI_CHECK(session::check_session_id(id_));
  const auto absent = [](const Error& error) { return error.code == ErrorCode::kNotFound; };
  auto folder = session::open_sessions(home_, session::Family::kPrimary, os::IfMissing::kFail);
  if (!folder && absent(folder.error())) return std::vector<Comment>();
  if (!folder) return std::move(folder.error());
  auto text = os::read_file(*folder, session::file::review(id_), kMostFileBytes);
  if (!text && absent(text.error())) return std::vector<Comment>();
  if (!text) return std::move(text.error());
  json::Parser parser;
  const auto root = parser.parse(*text);
  Document document;
  const auto parsed = root ? event::parse_fields(*root, document) : Result<void>(root.error());
  if (parsed && document.schema == 1) return std::move(document.comments);
  return make_error(ErrorCode::kBadRecord, "cannot read the review comments in ",
                    quoted(folder->path_of(session::file::review(id_))), ": ",
                    parsed ? "written by another version" : parsed.error().what);
}

Result<void> CommentStore::write(const std::vector<Comment>& comments) const {
  MAGI_TRY(const os::Dir folder, session::open_sessions(home_, session::Family::kPrimary, os::IfMissing::kCreate));
  std::string text = event::payload_json(Document{1, comments});
  text += '\n';
  return os::replace_file(folder, session::file::review(id_), text, os::Sync::kDurable);
}

Result<Comment> CommentStore::add(Anchor anchor, std::string_view text) {
  Comment comment;
  MAGI_TRY(comment.text, checked_text(text));
  MAGI_TRY(std::vector<Comment> comments, read());
  if (comments.size() >= kMostComments)
    return make_error(ErrorCode::kLimit, "the session has 1,000 review comments already");
  comment.id = next_id(comments);
  comment.anchor = std::move(anchor);
  comment.created_at = format_rfc3339(now_ms_());
  comments.push_back(comment);
  MAGI_CHECK(write(comments));
  return comment;
}

template <class Change>
Result<void> CommentStore::change_one(std::string_view comment_id, const Change& change) {
  MAGI_TRY(std::vector<Comment> comments, read());
  const auto found =
      std::find_if(comments.begin(), comments.end(), [&](const Comment& comment) { return comment.id == comment_id; });
  if (found == comments.end()) return make_error(ErrorCode::kNotFound, "no review comment ", quoted(comment_id));
  change(comments, found);
  return write(comments);
}

Result<void> CommentStore::change(std::string_view comment_id, std::string_view text) {
  MAGI_TRY(std::string checked, checked_text(text));
  return change_one(comment_id, [&](auto&, auto found) { found->text = std::move(checked); });
}

Result<void> CommentStore::set_resolved(std::string_view comment_id, bool resolved) {
  return change_one(comment_id, [&](auto&, auto found) {
    found->resolved_at = resolved ? format_rfc3339(now_ms_()) : std::string();
  });
}

Result<void> CommentStore::remove(std::string_view comment_id) {
  return change_one(comment_id, [](auto& comments, auto found) { comments.erase(found); });
}

}  // namespace magi::code::review
