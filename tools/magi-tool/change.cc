#include "tools/magi-tool/change.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "libcommon/digest/sha256.h"
#include "libcommon/session/mask.h"
#include "tools/magi-tool/hard_links.h"
#include "tools/magi-tool/publish.h"
#include "tools/magi-tool/session.h"

namespace magi::toolbox {
namespace {

Result<void> find_slot(Call& call, Target& target, bool make) {
  std::vector<std::string> made;
  Result<Workspace::Slot> slot = call.session.workspace.slot(target.place, make, made);
  for (std::string& folder : made) {
    call.effects.changed(folder);
    target.folders_made.push_back(std::move(folder));
  }
  if (!slot) return slot.error();
  target.slot = *std::move(slot);
  return {};
}

Result<struct stat> remove_file(Call& call, const Target& target, const os::BeforeVisible& checkpoint) {
  const std::string& shown = target.place.shown;
  MAGI_CHECK(os::withdraw(target.slot.folder.get(), target.slot.name, target.old->status, shown, checkpoint));
  call.effects.changed(shown);
  call.session.observed.forget(shown);
  return target.old->status;
}

// Innermost first: what holds something else stays.
void remove_folders(const Call& call, const Target& target) {
  for (auto folder = target.folders_made.rbegin(); folder != target.folders_made.rend(); ++folder) {
    const Result<Place> place = call.session.workspace.locate(*folder);
    std::vector<std::string> none;
    if (!place) return;
    const Result<Workspace::Slot> slot = call.session.workspace.slot(*place, false, none);
    if (!slot || ::unlinkat(slot->folder.get(), slot->name.c_str(), AT_REMOVEDIR) != 0) return;
  }
}

}  // namespace

Result<Target> prepare_change(Call& call, std::string_view path, Folders folders) {
  const Workspace& workspace = call.session.workspace;
  Target target;
  MAGI_TRY(target.place, workspace.locate(path));
  MAGI_CHECK(allow_write(call, target.place));
  call.details.provenance = target.place.outside ? provenance::kOutside : provenance::kWorkspace;
  Result<os::Fd> file = open_regular(workspace, target.place);
  if (file) {
    MAGI_TRY(target.old, read_whole(file->get(), target.place.shown));
    MAGI_CHECK(check_hard_links(call, target.place, target.old->status));
  } else if (file.error().code != ErrorCode::kNotFound) {
    return file.error();
  }
  const Result<void> found = find_slot(call, target, folders == Folders::kMake);
  if (!found && (folders != Folders::kLater || found.error().code != ErrorCode::kNotFound)) return found.error();
  return target;
}

Result<void> make_folders(Call& call, Target& target) {
  return target.slot.folder ? Result<void>() : find_slot(call, target, true);
}

Result<void> check_fresh(const Call& call, const Target& target) {
  if (!target.old) return {};
  return call.session.observed.check(call.observed, target.place.shown, target.old->stamp(), target.old->sha256);
}

Result<struct stat> apply_change(Call& call, const Target& target, const Change& change) {
  const std::string& shown = target.place.shown;
  call.effects.kind = change.kind;
  std::string sha256;
  if (change.content && static_cast<std::int64_t>(change.content->size()) <= kLargestHashed)
    sha256 = sha256_hex(*change.content);
  const auto checkpoint = [&](mode_t mode) {
    return call.session.checkpoints.take(call, target, change.content, sha256, mode);
  };
  if (!change.content) return remove_file(call, target, checkpoint);
  os::NewContent fresh{*change.content};
  fresh.mode = change.mode;
  fresh.before_visible = checkpoint;
  MAGI_TRY(const struct stat status,
           publish(target.slot, std::move(fresh), target.old ? &*target.old : nullptr, shown));
  call.effects.changed(shown);
  if (!sha256.empty()) call.details.observed.push_back({shown, sha256});
  call.session.observed.saw(shown, stamp_of(status), std::move(sha256));
  return status;
}

Result<void> take_back(Call& call, const Target& target, const Change& change, const struct stat& written) {
  Target back;
  back.place = target.place;
  back.slot = {os::Fd(::fcntl(target.slot.folder.get(), F_DUPFD_CLOEXEC, 0)), target.slot.name};
  if (change.content) back.old = FileBytes{std::string(*change.content), written, sha256_hex(*change.content)};
  Change undo{.content = {}, .kind = change.kind};
  if (target.old) {
    undo.content = target.old->bytes;
    undo.mode = target.old->status.st_mode & 07777;
  }
  MAGI_TRY(const struct stat status, apply_change(call, back, undo));
  (void)status;
  remove_folders(call, target);
  return {};
}

Result<void> refuse_masks(std::string_view argument, std::string_view text) {
  if (!session::holds_mask(text)) return {};
  return make_error(ErrorCode::kDenied, quoted(argument),
                    " holds a masked secret; the file was not touched, since the mask is not what it holds");
}

}  // namespace magi::toolbox
