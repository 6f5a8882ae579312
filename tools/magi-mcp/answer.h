// From what became of a call to the record that leaves: valid text, no secrets, bounded view.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcommon/event/answers.h"
#include "tools/magi-mcp/server.h"

namespace magi::mcp {

// What the user is asked to allow, as magi-tool(1) has it: `subject` is "SERVER/TOOL".
struct WantedApproval {
  std::string kind = "mcp", subject;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("kind", self.kind);
    v.required("subject", self.subject);
  }
};

// What is recorded of every call.
struct CallDetails {
  std::string server, tool, needs_approval;
  std::optional<WantedApproval> approval = {};  // with `needs_approval`
  std::string provenance = "mcp";

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("server", self.server);
    v.optional("tool", self.tool);
    v.optional("needs_approval", self.needs_approval);
    v.optional("approval", self.approval);
    v.optional("provenance", self.provenance);
  }
};

// What a server may have changed is not known; that it was asked is.
struct CallEffects {
  std::string kind = "none";
  std::int64_t mutations = 0, shell_calls = 0;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("kind", self.kind);
    v.required("mutations", self.mutations);
    v.required("shell_calls", self.shell_calls);
  }
};

event::ToolAnswer make_answer(const std::string& call_id, CallOutcome outcome, const CallDetails& details,
                              const CallEffects& effects, std::int64_t started_ns);

// Why the user is to be asked before this call; empty where not.
std::string approval_reason(std::string_view mode, bool approved, bool read_only, const Server& server,
                            const std::string& tool);

}  // namespace magi::mcp
