// The tools, one source file each.  registry.cc lists them.
#pragma once

#include "tools/magi-tool/call.h"

namespace magi::toolbox {

extern const Tool kRead, kWrite, kEdit, kPatch, kGrep, kFind, kListFiles, kBash, kBashJob, kOpen, kViewImage;

}  // namespace magi::toolbox
