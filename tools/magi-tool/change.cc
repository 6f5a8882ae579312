#include "tools/magi-tool/change.h"

#include "libcommon/digest/sha256.h"
#include "libcommon/session/mask.h"
#include "tools/magi-tool/publish.h"
#include "tools/magi-tool/session.h"

namespace magi::toolbox {

Result<Target> prepare_change(Call& call, std::string_view path, bool make_folders) {
  const Workspace& workspace = call.session.workspace;
  Target target;
  MAGI_TRY(target.place, workspace.locate(path));
  MAGI_CHECK(allow_write(call, target.place));
  Result<os::Fd> file = open_regular(workspace, target.place);
  if (file) {
    MAGI_TRY(target.old, read_whole(file->get(), target.place.shown));
  } else if (file.error().code != ErrorCode::kNotFound) {
    return file.error();
  }
  std::vector<std::string> made;
  Result<Workspace::Slot> slot = workspace.slot(target.place, make_folders, made);
  target.folders_made = static_cast<std::int64_t>(made.size());
  for (std::string& folder : made) call.effects.changed(std::move(folder));
  if (!slot) return slot.error();
  target.slot = *std::move(slot);
  call.details.provenance = target.place.outside ? provenance::kOutside : provenance::kWorkspace;
  return target;
}

Result<void> check_fresh(const Call& call, const Target& target) {
  if (!target.old) return {};
  return call.session.observed.check(call.observed, target.place.shown, target.old->stamp(), target.old->sha256);
}

Result<void> apply_change(Call& call, const Target& target, std::string_view content, std::string_view kind) {
  const std::string& shown = target.place.shown;
  call.effects.kind = kind;
  std::string sha256 =
      static_cast<std::int64_t>(content.size()) <= kLargestHashed ? sha256_hex(content) : std::string();
  const auto checkpoint = [&](mode_t mode) {
    return call.session.checkpoints.take(call, target, content, sha256, mode);
  };
  MAGI_TRY(const Stamp stamp, publish(target.slot, content, target.old ? &*target.old : nullptr, shown, checkpoint));
  call.effects.changed(shown);
  if (!sha256.empty()) call.details.observed.push_back({shown, sha256});
  call.session.observed.saw(shown, stamp, std::move(sha256));
  return {};
}

Result<void> refuse_masks(std::string_view argument, std::string_view text) {
  if (!session::holds_mask(text)) return {};
  return make_error(ErrorCode::kDenied, quoted(argument),
                    " holds a masked secret; the file was not touched, since the mask is not what it holds");
}

}  // namespace magi::toolbox
