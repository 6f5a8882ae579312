// The review comments of a session: `sessions/<id>.review.json` (magi-session(5)), 0600.  The process that holds the
// session's lease changes it; readers take no lock and see one state or the next.  Blocking: disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/clock.h"
#include "libcommon/base/result.h"
#include "libcommon/session/paths.h"
#include "tools/magi-code/review/comment.h"

namespace magi::code::review {

inline constexpr std::size_t kMostComments = 1000;
inline constexpr std::size_t kMostTextBytes = 16 * 1024;

class CommentStore {
 public:
  CommentStore(session::Home home, std::string session_id, std::int64_t (*now_ms)() = &unix_time_ms)
      : home_(std::move(home)), id_(std::move(session_id)), now_ms_(now_ms) {}

  // In the order in which they were made.  None where there is no file; kBadRecord where it cannot be read as comments,
  // kUnsafe (S5).
  Result<std::vector<Comment>> read() const;

  // Each is on the disk when it returns, or nothing has changed.  Texts must not be blank; kLimit where there are too
  // many or one is too long.
  Result<Comment> add(Anchor anchor, std::string_view text);
  Result<void> change(std::string_view comment_id, std::string_view text);  // kNotFound
  Result<void> set_resolved(std::string_view comment_id, bool resolved);    // kNotFound
  Result<void> remove(std::string_view comment_id);                         // kNotFound

 private:
  Result<void> write(const std::vector<Comment>& comments) const;
  template <class Change>
  Result<void> change_one(std::string_view comment_id, const Change& change);

  session::Home home_;
  std::string id_;
  std::int64_t (*now_ms_)();
};

}  // namespace magi::code::review
