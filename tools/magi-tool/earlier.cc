#include "tools/magi-tool/earlier.h"

#include <map>

#include "libcommon/event/session_event.h"
#include "libcommon/json/node.h"
#include "libcommon/os/io.h"

namespace magi::toolbox {
namespace {

// 16 MiB of output are at most 96 MiB of JSON; longer lines are not ours.
constexpr std::size_t kMaxLineBytes = 128u << 20;

using Digests = std::map<std::string, std::string>;

// The observed files of one line; most lines are told from their bytes alone.
void learn_line(json::Parser& parser, std::string_view line, std::string_view root, Digests& digests) {
  if (line.find("\"observed\"") == std::string_view::npos) return;
  const Result<json::Node> parsed = parser.parse_padded(line);
  if (!parsed) return;
  const Result<event::SessionEvent> event = event::parse_session_event(*parsed);
  if (!event || event->event_type != event::name::kToolResult || event->envelope.cwd != root) return;
  const json::Node details = event->payload.find("details");
  for (const json::Node entry : details.find("observed").elements()) {
    Seen seen;
    if (event::parse_fields(entry, seen)) digests[seen.path] = seen.sha256;
  }
}

}  // namespace

void learn_earlier(const session::Home& home, std::string_view id, std::string_view root, Observed& observed) {
  const Result<os::Fd> file = session::open_session_for_reading(home, id);
  if (!file) return;
  os::LineReader lines(file->get(), kMaxLineBytes);
  json::Parser parser;
  Digests digests;
  for (;;) {
    const Result<std::optional<std::string_view>> line = lines.next();
    if (!line && line.error().code == ErrorCode::kLimit) continue;
    if (!line || !*line) break;
    learn_line(parser, **line, root, digests);
  }
  for (auto& [path, sha256] : digests) observed.learn(path, std::move(sha256));
}

}  // namespace magi::toolbox
