#include "tools/magi-tool/permissions.h"

#include <array>
#include <string>
#include <utility>

#include "tools/magi-tool/session.h"

namespace magi::toolbox {
namespace {

constexpr std::array<std::pair<std::string_view, Mode>, 4> kModes{
    {{"workspace", Mode::kWorkspace}, {"ask", Mode::kAsk}, {"read-only", Mode::kReadOnly}, {"full", Mode::kFull}}};

// `allowed_by`: besides the user's approval of this one call.
Error needs_approval(Call& call, std::string reason, std::string_view allowed_by) {
  call.details.needs_approval = reason;
  return make_error(ErrorCode::kDenied, "not done: ", reason, ". It needs the user's approval; ", allowed_by,
                    " would allow it too.");
}

}  // namespace

std::optional<Mode> parse_mode(std::string_view name) {
  for (const auto& [known, mode] : kModes)
    if (known == name) return mode;
  return std::nullopt;
}

std::string_view mode_name(Mode mode) {
  for (const auto& [name, known] : kModes)
    if (known == mode) return name;
  return "";
}

Result<void> allow_read(Call& call, const Place& place) {
  if (!place.outside || call.approved || call.session.mode == Mode::kFull) return {};
  return needs_approval(call, quoted(place.shown) + " is outside the working directory",
                        "--add-dir or --permissions full");
}

Result<void> allow_write(Call& call, const Place& place) {
  const Mode mode = call.session.mode;
  if (call.approved || mode == Mode::kFull) return {};
  if (place.outside)
    return needs_approval(call, quoted(place.shown) + " is outside the working directory",
                          "--add-dir or --permissions full");
  if (mode == Mode::kWorkspace) return {};
  return needs_approval(call,
                        "permissions are " + std::string(mode_name(mode)) + " and this writes " + quoted(place.shown),
                        "--permissions workspace");
}

Result<void> allow_web(Call& call, std::string_view host) {
  const Mode mode = call.session.mode;
  if (call.approved || mode == Mode::kFull) return {};
  if (mode == Mode::kWorkspace && call.session.shell.settings().network) return {};
  return needs_approval(call, "this fetches a page from " + quoted(host),
                        "the rule web(" + std::string(host) + ") or --permissions full");
}

Result<bool> allow_command(Call& call, const Result<void>& confinable, bool wants_out) {
  const Mode mode = call.session.mode;
  if (mode == Mode::kFull) return false;
  const bool confine = confinable && !wants_out;
  if (call.approved) return confine;
  if (!confinable)
    return needs_approval(call, "commands cannot be confined here (" + confinable.error().what + ")",
                          "--permissions full");
  if (wants_out) return needs_approval(call, "the command is to run without confinement", "--permissions full");
  if (mode == Mode::kAsk)
    return needs_approval(call, "permissions are ask and this runs a command", "--permissions workspace");
  return confine;
}

}  // namespace magi::toolbox
