#include "tools/magi-tool/checkpoint.h"

#include "tools/magi-tool/change.h"
#include "tools/magi-tool/session.h"

namespace magi::toolbox {
namespace {

static_assert(session::kLargestSaved <= kLargestHashed);

// The file's own path, below the innermost folder of the workspace that holds it.
void place(const Workspace& workspace, const Workspace::Slot& slot, session::Change& change) {
  const std::string folder = Workspace::path_of(slot.folder.get());
  const std::string file = (folder == "/" ? "" : folder) + '/' + slot.name;
  change.root = "/";
  for (const std::string& top : workspace.folders())
    if (top.size() > change.root.size() && file.starts_with(top) && file[top.size()] == '/') change.root = top;
  change.path = file.substr(change.root == "/" ? 1 : change.root.size() + 1);
}

session::FileState state(std::int64_t bytes, const std::string& sha256, mode_t mode) {
  return {bytes <= session::kLargestSaved ? sha256 : std::string(), bytes, session::mode_text(mode)};
}

}  // namespace

Result<void> Checkpoints::take(Call& call, const Target& target, std::optional<std::string_view> content,
                               const std::string& sha256, mode_t mode) {
  if (!ledger_) return {};
  session::Change change;
  change.turn_id = call.turn_id;
  change.call_id = call.call_id;
  change.by = call.effects.kind;
  place(call.session.workspace, target.slot, change);
  change.folders_made = static_cast<std::int64_t>(target.folders_made.size());
  if (target.old) change.before = state(target.old->status.st_size, target.old->sha256, target.old->status.st_mode);
  if (content) change.after = state(static_cast<std::int64_t>(content->size()), sha256, mode);
  if (auto recorded = ledger_->record(change, target.old ? std::string_view(target.old->bytes) : std::string_view());
      !recorded)
    return make_error(recorded.error().code, quoted(target.place.shown),
                      " was not changed, since its checkpoint failed: ", recorded.error().what);
  if ((change.before && change.before->sha256.empty()) || (change.after && change.after->sha256.empty()))
    call.remark = "larger than 64 MiB: no checkpoint holds it, and rewind cannot restore it";
  return {};
}

}  // namespace magi::toolbox
