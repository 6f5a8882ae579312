#include "tools/magi-tool/publish.h"

namespace magi::toolbox {

Result<struct stat> publish(const Workspace::Slot& slot, os::NewContent content, const FileBytes* old,
                            std::string_view shown) {
  return os::publish(slot.folder.get(), slot.name, content, old != nullptr ? &old->status : nullptr, shown);
}

}  // namespace magi::toolbox
