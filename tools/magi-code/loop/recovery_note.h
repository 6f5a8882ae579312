// What a person is told of an answer that needed more than one attempt (requirement P4).
#pragma once

#include <optional>
#include <string>

#include "libcommon/event/session_event.h"

namespace magi::code {

// Of the `attempts` of a completed answer's trace.  Nothing for a first attempt that succeeded; one `info` for a
// recovery; one `warning` where an attempt of it reported another model than was asked for.
std::optional<event::Diagnostic> recovery_note(const event::Raw& attempts, const std::string& turn_id);

// False where `reported` is what `requested` names: a dated version of it, or the same behind a vendor's prefix.
bool is_other_model(std::string_view requested, std::string_view reported);

}  // namespace magi::code
