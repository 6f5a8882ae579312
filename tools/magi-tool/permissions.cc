#include "tools/magi-tool/permissions.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "tools/magi-tool/session.h"

namespace magi::toolbox {
namespace {

constexpr std::array<std::pair<std::string_view, Mode>, 4> kModes{
    {{"workspace", Mode::kWorkspace}, {"ask", Mode::kAsk}, {"read-only", Mode::kReadOnly}, {"full", Mode::kFull}}};

std::string name_of(const WantedApproval& wanted) {
  return wanted.kind + (wanted.unconfined ? "!" : "") + ' ' + wanted.subject;
}

// An approval is for what was asked, and for nothing else that the call turns out to do: a link that leads elsewhere
// meanwhile, a second file.  A call that is approved without having been asked for comes from someone who decides by
// themselves.
bool is_approved(const Call& call, const WantedApproval& wanted) {
  if (!call.approved) return false;
  const auto asked = call.session.asked.find(call.call_id);
  return asked == call.session.asked.end() || asked->second.contains(name_of(wanted));
}

// `allowed_by`: besides the user's approval of this one call.
Error needs_approval(Call& call, WantedApproval wanted, std::string reason, std::string_view allowed_by) {
  call.session.asked[call.call_id].insert(name_of(wanted));
  call.details.needs_approval = reason;
  call.details.approval = std::move(wanted);
  return make_error(ErrorCode::kDenied, "not done: ", reason, ". It needs the user's approval; ", allowed_by,
                    " would allow it too.");
}

// Links resolved as far as the path exists.
std::string resolved(const std::string& path) {
  std::string existing = path, rest;
  while (existing.size() > 1) {
    if (const std::unique_ptr<char, void (*)(void*)> real(::realpath(existing.c_str(), nullptr), std::free); real)
      return (rest.empty() || std::string_view(real.get()) != "/" ? std::string(real.get()) : std::string()) + rest;
    const std::size_t slash = existing.find_last_of('/');
    rest = existing.substr(slash) + rest;
    existing.resize(slash);
  }
  return path;
}

std::string real_path(const Call& call, const Place& place) {
  if (place.outside) return resolved(place.relative);
  if (place.shown.starts_with('/')) return place.shown;
  const std::string& root = call.session.workspace.root();
  return place.shown == "." ? root : root + '/' + place.shown;
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
  if (!place.outside || call.session.mode == Mode::kFull) return {};
  WantedApproval wanted{"read", real_path(call, place)};
  if (is_approved(call, wanted)) return {};
  return needs_approval(call, std::move(wanted), quoted(place.shown) + " is outside the working directory",
                        "--add-dir or --permissions full");
}

Result<void> allow_write(Call& call, const Place& place) {
  const Mode mode = call.session.mode;
  if (mode == Mode::kFull || (mode == Mode::kWorkspace && !place.outside)) return {};
  WantedApproval wanted{"write", real_path(call, place)};
  if (is_approved(call, wanted)) return {};
  if (place.outside)
    return needs_approval(call, std::move(wanted), quoted(place.shown) + " is outside the working directory",
                          "--add-dir or --permissions full");
  return needs_approval(call, std::move(wanted),
                        "permissions are " + std::string(mode_name(mode)) + " and this writes " + quoted(place.shown),
                        "--permissions workspace");
}

Result<void> allow_web(Call& call, std::string_view host) {
  const Mode mode = call.session.mode;
  if (mode == Mode::kFull || (mode == Mode::kWorkspace && call.session.shell.settings().network)) return {};
  WantedApproval wanted{"web", std::string(host)};
  if (is_approved(call, wanted)) return {};
  return needs_approval(call, std::move(wanted), "this fetches a page from " + quoted(host),
                        "the rule web(" + std::string(host) + ") or --permissions full");
}

Result<bool> allow_command(Call& call, const std::string& command, const Result<std::string>& confinable,
                           bool wants_out) {
  const Mode mode = call.session.mode;
  if (mode == Mode::kFull) return false;
  const bool confine = confinable && !wants_out;
  WantedApproval wanted{"command", command, wants_out, !confine};
  wanted.confinement = confine ? *confinable : "none: it may do whatever you may";
  if (is_approved(call, wanted)) return confine;
  if (!confinable)
    return needs_approval(call, std::move(wanted), "commands cannot be confined here (" + confinable.error().what + ")",
                          "--permissions full");
  if (wants_out)
    return needs_approval(call, std::move(wanted), "the command is to run without confinement", "--permissions full");
  if (mode == Mode::kAsk)
    return needs_approval(call, std::move(wanted), "permissions are ask and this runs a command",
                          "--permissions workspace");
  return confine;
}

}  // namespace magi::toolbox
