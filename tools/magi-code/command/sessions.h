// `magi-code sessions`: one function a verb, and how a session is written in lists.
#pragma once

#include <string>

#include "libcommon/json/writer.h"
#include "libcommon/session/store.h"
#include "tools/magi-code/command/assembly.h"

namespace magi::code {

// Runs the verb that was chosen: the exit status, or the error that explains it.
Result<int> run_sessions(const Setting& setting);

Result<int> list_sessions(const Setting& setting);
Result<int> search_sessions(const Setting& setting);
Result<int> show_session(const Setting& setting);
Result<int> rename_session(const Setting& setting);
Result<int> delete_sessions(const Setting& setting);
Result<int> fork_session(const Setting& setting);
Result<int> import_session(const Setting& setting);
Result<int> repair_permissions(const Setting& setting);

// Its title, or its first prompt.
std::string title_of(const session::SessionInfo& info);
// A line: ID, time of the newest message, what it is about.
void append_row(std::string& out, const session::SessionInfo& info);
// The members of a list's JSON object; an object must have been begun.
void write_members(json::Writer& out, const session::SessionInfo& info);

}  // namespace magi::code
