#include "tools/magi-perms/command_line.h"

#include "libcommon/tool/options.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-perms/confirm.h"
#include "tools/magi-perms/repair.h"
#include "tools/magi-perms/report.h"

namespace magi::perms {
namespace {

struct Wishes {
  bool dry_run = false, yes = false, json = false;
};

Result<int> look_and_repair(const Wishes& wishes, const std::string& home) {
  if (!wishes.dry_run && !wishes.yes && !can_ask())
    return make_error(ErrorCode::kUsage, "nobody can be asked without a terminal: say --dry-run or --yes");
  MAGI_TRY(const Inventory inventory, take_inventory(home));
  tool::Stdout out;
  if (!wishes.json) MAGI_CHECK(out.write(as_table(inventory)));
  MAGI_CHECK(out.flush());
  std::optional<std::int64_t> repaired;
  Result<int> status = kExitOk;
  const std::string question = "Repair " + std::to_string(inventory.repairs.size()) + "?";
  if (!wishes.dry_run && !inventory.doubts.empty()) {
    status = make_error(ErrorCode::kUnsafe, "nothing was repaired: ", std::to_string(inventory.doubts.size()),
                        " must be looked at by hand first");
  } else if (!wishes.dry_run && !inventory.repairs.empty() && (wishes.yes || confirm(question))) {
    MAGI_TRY(repaired, repair_all(home, inventory));
    if (!wishes.json) MAGI_CHECK(out.write("repaired " + std::to_string(*repaired) + "\n"));
  }
  if (wishes.json) MAGI_CHECK(out.write(as_json(inventory, repaired)));
  MAGI_CHECK(out.flush());
  return status;
}

}  // namespace

Result<int> run(tool::Invocation& invocation) {
  Wishes wishes;
  tool::OptionParser parser(invocation.name, "Give sessions back the permissions that keep others out.");
  parser.flag("--dry-run", wishes.dry_run, "list what would be repaired, and change nothing");
  parser.flag("--yes", wishes.yes, "repair without asking").conflicts_with({"--dry-run"});
  parser.flag("--json", wishes.json, "one JSON object instead of a table");
  if (const auto status = parser.parse(invocation.argc, invocation.argv)) return *status;
  MAGI_TRY(const std::string home, invocation.environment.state_home(parser.home()));
  return look_and_repair(wishes, home);
}

}  // namespace magi::perms
