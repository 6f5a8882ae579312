#include "tools/magi-tool/publish.h"

namespace magi::toolbox {

Result<Stamp> publish(const Workspace::Slot& slot, std::string_view content, const FileBytes* old,
                      std::string_view shown, os::BeforeVisible before_visible) {
  os::NewContent fresh{content};
  fresh.before_visible = std::move(before_visible);
  MAGI_TRY(const struct stat status,
           os::publish(slot.folder.get(), slot.name, fresh, old != nullptr ? &old->status : nullptr, shown));
  return stamp_of(status);
}

}  // namespace magi::toolbox
