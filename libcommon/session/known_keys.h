// Which secrets a process of ours knows by value: the keys that its environment holds, and the logins of auth.json.
#pragma once

#include "libcommon/config/environment.h"
#include "libcommon/session/paths.h"

namespace magi::session {

// Tells base/known_secrets.h: variables whose names say that they hold a secret, or that `key_variables` names, and
// the tokens of auth.json.  A value that is too short, or a path, is no secret.  Reads one file; what cannot be read
// adds nothing.
void learn_known_keys(const Home& home, const config::Environment& environment,
                      const std::vector<std::string>& key_variables = {});

}  // namespace magi::session
