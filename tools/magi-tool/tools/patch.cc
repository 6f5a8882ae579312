// patch: several files changed, made, removed and renamed together, or none of them.
#include <vector>

#include "tools/magi-tool/change_set.h"
#include "tools/magi-tool/edited.h"
#include "tools/magi-tool/patch_text.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {{"patch", Type::kString, true, "unified diff, or *** Begin Patch form"}};

// How each line of the result begins.
constexpr char kChanged = 'M', kCreated = 'A', kRemoved = 'D', kRenamed = 'R';

Result<Target> existing(Call& call, const std::string& path) {
  MAGI_TRY(Target target, prepare_change(call, path, Folders::kLeave));
  if (!target.old) return make_error(ErrorCode::kNotFound, quoted(target.place.shown), ": no such file");
  MAGI_CHECK(check_fresh(call, target));
  return target;
}

Result<Target> fresh(Call& call, const std::string& path) {
  MAGI_TRY(Target target, prepare_change(call, path, Folders::kLater));
  if (target.old) return make_error(ErrorCode::kUsage, quoted(target.place.shown), " exists already");
  return target;
}

Result<std::string> patched(std::string_view bytes, const std::vector<Hunk>& hunks) {
  MAGI_TRY(const EditableText editable, EditableText::of(bytes));
  for (const Hunk& hunk : hunks)
    for (const PatchLine& line : hunk.lines)
      if (line.kind == '+') MAGI_CHECK(editable.check_new(line.text));
  MAGI_TRY(std::string text, apply_hunks(editable.text(), hunks));
  return editable.bytes_of(std::move(text));
}

Result<void> plan_removal(Call& call, const FilePatch& file, ChangeSet& set, std::string& report) {
  MAGI_TRY(Target target, existing(call, file.path));
  if (!file.hunks.empty()) {
    MAGI_TRY(const std::string left, patched(target.old->bytes, file.hunks));
    if (!left.empty()) return make_error(ErrorCode::kUsage, "it holds more than the lines that the patch removes");
  }
  report.append({kRemoved, ' '}).append(one_line(target.place.shown)).push_back('\n');
  return set.add({std::move(target), std::nullopt, std::nullopt});
}

Result<void> plan_change(Call& call, const FilePatch& file, ChangeSet& set, std::string& report) {
  MAGI_TRY(Target target, existing(call, file.path));
  MAGI_TRY(std::string content, patched(target.old->bytes, file.hunks));
  if (file.new_path.empty()) {
    report.append({kChanged, ' '}).append(one_line(target.place.shown)).push_back('\n');
    return set.add({std::move(target), std::move(content), file.mode});
  }
  MAGI_TRY(Target to, fresh(call, file.new_path));
  report.append({kRenamed, ' '}).append(one_line(target.place.shown)).append(" -> ");
  report.append(one_line(to.place.shown)).push_back('\n');
  const mode_t mode = file.mode.value_or(target.old->status.st_mode & 07777);
  MAGI_CHECK(set.add({std::move(to), std::move(content), mode}));
  return set.add({std::move(target), std::nullopt, std::nullopt});
}

Result<void> plan_creation(Call& call, const FilePatch& file, ChangeSet& set, std::string& report) {
  MAGI_TRY(Target target, fresh(call, file.path));
  MAGI_TRY(std::string content, apply_hunks({}, file.hunks));
  report.append({kCreated, ' '}).append(one_line(target.place.shown)).push_back('\n');
  // Executable for whom it is readable; else the mode is the system's to give.
  const bool executable = file.mode && (*file.mode & 0111) != 0;
  return set.add({std::move(target), std::move(content), executable ? file.mode : std::nullopt});
}

Result<void> plan(Call& call, const FilePatch& file, ChangeSet& set, std::string& report) {
  const auto planned = [&] {
    switch (file.kind) {
      case FilePatch::Kind::kCreate: return plan_creation(call, file, set, report);
      case FilePatch::Kind::kRemove: return plan_removal(call, file, set, report);
      case FilePatch::Kind::kChange: break;
    }
    return plan_change(call, file, set, report);
  }();
  if (planned) return {};
  const std::string& what = planned.error().what;
  const bool named = what.starts_with(quoted(file.path)) || !call.details.needs_approval.empty();
  const bool says_so = what.find("nothing was changed") != std::string::npos || !call.details.needs_approval.empty();
  return make_error(planned.error().code, named ? "" : quoted(file.path) + ": ", what,
                    says_so ? "" : "\nNothing was changed, in no file.");
}

Result<Outcome> run(Call& call) {
  const std::string& text = *call.arguments.text("patch");
  MAGI_CHECK(refuse_masks("patch", text));
  MAGI_TRY(const std::vector<FilePatch> files, parse_patch(text));
  call.effects.kind = "edit";
  ChangeSet set(call);
  Outcome outcome;
  for (const FilePatch& file : files) MAGI_CHECK(plan(call, file, set, outcome.output));
  MAGI_CHECK(set.publish("edit"));
  return outcome;
}

}  // namespace

const Tool kPatch{"patch", "Change, create, delete and rename files by a patch, all or nothing.", kParameters, "patch",
                  run};

}  // namespace magi::toolbox
