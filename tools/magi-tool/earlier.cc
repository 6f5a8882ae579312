#include "tools/magi-tool/earlier.h"

#include <map>

#include "libcommon/session/each_event.h"

namespace magi::toolbox {

void learn_earlier(const session::Home& home, std::string_view id, std::string_view root, Observed& observed) {
  const Result<os::Fd> file = session::open_session_for_reading(home, id);
  if (!file) return;
  session::EachEvent options;
  // 16 MiB of output are at most 96 MiB of JSON; longer lines are not ours.
  options.max_line_bytes = 128u << 20;
  options.wanted = [](std::string_view line) { return line.find("\"observed\"") != std::string_view::npos; };
  std::map<std::string, std::string> digests;  // path -> what was seen last
  const auto look = [&](const event::SessionEvent& event) {
    if (event.event_type != event::name::kToolResult || event.envelope.cwd != root) return true;
    for (const json::Node entry : event.payload.find("details").find("observed").elements()) {
      Seen seen;
      if (event::parse_fields(entry, seen)) digests[seen.path] = seen.sha256;
    }
    return true;
  };
  // What was read before an error is still true.
  static_cast<void>(session::each_event(file->get(), options, look));
  for (auto& [path, sha256] : digests) observed.learn(path, std::move(sha256));
}

}  // namespace magi::toolbox
