// write: a whole file.
#include "tools/magi-tool/change.h"
#include "tools/magi-tool/edited.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {{"path", Type::kString, true, ""}, {"content", Type::kString, true, ""}};

Result<Outcome> run(Call& call) {
  MAGI_CHECK(refuse_masks("content", *call.arguments.text("content")));
  MAGI_TRY(const Target target, prepare_change(call, *call.arguments.text("path"), Folders::kMake));
  MAGI_CHECK(check_fresh(call, target));
  std::string content = *call.arguments.text("content"), kept;
  if (target.old) {
    MAGI_TRY(content, in_form_of(target.old->bytes, std::move(content), kept));
  }
  MAGI_CHECK(apply_change(call, target, {.content = content, .kind = "write"}));
  Outcome outcome;
  outcome.output = (target.old ? "replaced " : "created ") + target.place.shown + " (" +
                   counted(static_cast<std::int64_t>(content.size()), "byte", "bytes") +
                   (kept.empty() ? ")" : "; it keeps " + kept + ")");
  return outcome;
}

}  // namespace

const Tool kWrite{"write", "Create or replace a file, with missing folders.", kParameters, "", run};

}  // namespace magi::toolbox
