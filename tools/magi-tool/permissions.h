// What the mode allows (contracts, section 6).  magi-code decides and asks; this is where it is enforced.
#pragma once

#include <optional>
#include <string_view>

#include "libcommon/base/result.h"
#include "tools/magi-tool/call.h"
#include "tools/magi-tool/workspace.h"

namespace magi::toolbox {

enum class Mode { kWorkspace, kAsk, kReadOnly, kFull };
std::optional<Mode> parse_mode(std::string_view name);
std::string_view mode_name(Mode mode);

// Each returns kDenied, with the reason in the call's `needs_approval`, when the mode wants the user asked and the call
// is not approved.
Result<void> allow_read(Call& call, const Place& place);
Result<void> allow_write(Call& call, const Place& place);

// Fetching from a host of the Web, "docs.example.org".
Result<void> allow_web(Call& call, std::string_view host);

// `confinable`: what confines commands here, for people, or why nothing does.  `wants_out`: the call itself asks for no
// confinement.  The value: whether to confine the command.
Result<bool> allow_command(Call& call, const std::string& command, const Result<std::string>& confinable,
                           bool wants_out);

}  // namespace magi::toolbox
