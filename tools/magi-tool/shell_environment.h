// What a command finds in its environment: the user's, without secrets, and with nothing that would ask a person.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/config/environment.h"

namespace magi::toolbox {

// Left out: variables whose name says that they hold a secret (OPENAI_API_KEY, GITHUB_TOKEN, AWS_SECRET_ACCESS_KEY,
// ...), whose value has the shape of one, and those in `removed`; BASH_ENV and ENV, which would run code. Set: editors
// and pagers that return at once, no prompts for credentials; with `private_tmp`, TMPDIR and the caches that programs
// would else look for in the home.
std::vector<std::string> shell_environment(const config::Environment& environment,
                                           const std::vector<std::string>& removed, const std::string& private_tmp);

}  // namespace magi::toolbox
