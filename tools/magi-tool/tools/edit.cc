// edit: exact text replaced by exact text, all of the replacements or none.
#include <vector>

#include "tools/magi-tool/change.h"
#include "tools/magi-tool/edited.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {
    {"path", Type::kString, true, ""},
    {"old_text", Type::kString, false, "exact, with enough context to occur once"},
    {"new_text", Type::kString, false, ""},
    {"replace_all", Type::kBoolean, false, ""},
    {"edits", Type::kEdits, false, "instead: several, all or none; an anchor of read names a line to replace"},
};

Result<std::vector<Edit>> edits_of(const Arguments& arguments) {
  const std::string* const old_text = arguments.text("old_text");
  const std::string* const new_text = arguments.text("new_text");
  if (const auto* list = arguments.edits("edits")) {
    if (old_text || new_text || arguments.has("replace_all"))
      return make_error(ErrorCode::kUsage, "argument 'edits' excludes old_text, new_text and replace_all");
    return *list;
  }
  if (!old_text) return make_error(ErrorCode::kUsage, "argument 'old_text' is missing");
  if (!new_text) return make_error(ErrorCode::kUsage, "argument 'new_text' is missing");
  return std::vector{Edit{*old_text, *new_text}};
}

Result<Outcome> run(Call& call) {
  MAGI_TRY(const std::vector<Edit> edits, edits_of(call.arguments));
  for (const Edit& edit : edits) {
    MAGI_CHECK(refuse_masks("old_text", edit.old_text));
    MAGI_CHECK(refuse_masks("new_text", edit.new_text));
  }
  MAGI_TRY(const Target target, prepare_change(call, *call.arguments.text("path"), Folders::kLeave));
  if (!target.old)
    return make_error(ErrorCode::kNotFound, quoted(target.place.shown), ": no such file; use write to create it");
  MAGI_CHECK(check_fresh(call, target));
  MAGI_TRY(const Replaced replaced, edit_bytes(target.old->bytes, edits, call.arguments.flag("replace_all")));
  MAGI_CHECK(apply_change(call, target, {.content = replaced.content, .kind = "edit"}));
  Outcome outcome;
  outcome.output =
      "edited " + target.place.shown + ": " +
      counted(static_cast<std::int64_t>(replaced.lines.size()), "replacement at line ", "replacements at lines ");
  for (std::size_t at = 0; at < replaced.lines.size() && at < kMostLinesNamed; ++at)
    outcome.output.append(at ? ", " : "").append(std::to_string(replaced.lines[at]));
  if (replaced.lines.size() > kMostLinesNamed) outcome.output += ", ...";
  return outcome;
}

}  // namespace

const Tool kEdit{"edit", "Replace exact text in a file; the rest stays byte for byte.", kParameters, "", run};

}  // namespace magi::toolbox
