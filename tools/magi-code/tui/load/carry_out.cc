#include "tools/magi-code/tui/load/carry_out.h"

#include "tools/magi-code/history/session_actions.h"
#include "tools/magi-code/review/anchor.h"
#include "tools/magi-code/review/comment_store.h"
#include "tools/magi-code/tui/load/git.h"
#include "tools/magi-code/tui/load/loaders.h"

namespace magi::code::tui {
namespace {

Result<review::Anchor> anchor_of_edit(const Source& source, const EditComment& edit) {
  MAGI_TRY(const Git git, Git::open(source));
  review::Anchor anchor{git.root(), edit.path, edit.side, edit.line, review::anchor_text(edit.quoted), {}, {}};
  for (const std::string& line : edit.before) anchor.before.push_back(review::anchor_text(line));
  for (const std::string& line : edit.after) anchor.after.push_back(review::anchor_text(line));
  return anchor;
}

Result<void> change_comments(const Source& source, const EditComment& edit) {
  if (source.session_id.empty())
    return make_error(ErrorCode::kUsage, "comments are kept with a session, and this one is not kept");
  review::CommentStore store(source.home, source.session_id);
  switch (edit.kind) {
    case EditComment::Kind::kAdd: {
      MAGI_TRY(review::Anchor anchor, anchor_of_edit(source, edit));
      MAGI_TRY([[maybe_unused]] const review::Comment added, store.add(std::move(anchor), edit.text));
      return {};
    }
    case EditComment::Kind::kChange: return store.change(edit.id, edit.text);
    case EditComment::Kind::kResolve: return store.set_resolved(edit.id, true);
    case EditComment::Kind::kReopen: return store.set_resolved(edit.id, false);
    case EditComment::Kind::kDelete: return store.remove(edit.id);
  }
  return {};
}

Result<PanelData> comments_after(const Source& source, const EditComment& edit) {
  MAGI_CHECK(change_comments(source, edit));
  MAGI_TRY(std::vector<ReviewComment> comments, load_comments(source));
  return PanelData(CommentsData{std::move(comments)});
}

Result<PanelData> sessions_after(const Source& source, const Result<void>& done) {
  if (!done) return done.error();
  return load_sessions(source);
}

Result<void> remove(const Source& source, const DeleteSession& removal) {
  SessionRemover remover(source.home);
  MAGI_CHECK(remover.remove(removal.id));
  return remover.finish();
}

}  // namespace

Loaded carry_out(const Source& source, const EditComment& edit) {
  return {"diff", "comment", comments_after(source, edit)};
}

Loaded carry_out(const Source& source, const RenameSession& rename) {
  return {"sessions", "rename",
          sessions_after(source, rename_stored_session(source.home, rename.id, rename.title, source.cwd))};
}

Loaded carry_out(const Source& source, const DeleteSession& removal) {
  return {"sessions", "delete", sessions_after(source, remove(source, removal))};
}

}  // namespace magi::code::tui
