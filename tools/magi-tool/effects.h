// The record of what a call may have changed (requirements T1, L4).  It is evidence, not proof: shell commands are
// counted, what they changed is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace magi::toolbox {

// `effects` of a result.  Every call that was dispatched has one.
struct Effects {
  std::string kind = "none";       // "none", "write", "edit", "shell"
  std::int64_t mutations = 0;      // files changed, created folders included
  std::vector<std::string> paths;  // the first kMaxPaths of them
  bool partial = false;            // the call failed after it had changed something
  std::int64_t shell_calls = 0;
  std::optional<bool> confined, network;  // of a shell call: what was in force

  static constexpr std::size_t kMaxPaths = 100;

  void changed(std::string path) {
    ++mutations;
    if (paths.size() < kMaxPaths) paths.push_back(std::move(path));
  }

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("kind", self.kind);
    v.required("mutations", self.mutations);
    v.optional("paths", self.paths);
    v.optional("partial", self.partial);
    v.required("shell_calls", self.shell_calls);
    v.optional("confined", self.confined);
    v.optional("network", self.network);
  }
};

}  // namespace magi::toolbox
