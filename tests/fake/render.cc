#include "tests/fake/render.h"

#include "libcommon/base/utf8.h"
#include "libcommon/json/writer.h"

namespace magi::fake {

std::vector<std::string> pieces(const std::string& text, std::size_t characters) {
  std::vector<std::string> out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t bytes = std::max<std::size_t>(utf8::prefix_bytes(rest, characters), 1);
    out.emplace_back(rest.substr(0, bytes));
    rest.remove_prefix(bytes);
  }
  return out;
}

Event sse_event(const Turn& turn, std::string_view name, std::string_view data, bool delta) {
  const std::string_view end = turn.line_end == LineEnd::kLf ? "\n" : turn.line_end == LineEnd::kCr ? "\r" : "\r\n";
  std::string bytes;
  if (!name.empty() && turn.event_lines) bytes.append("event: ").append(name).append(end);
  bytes.append("data: ").append(data).append(end).append(end);
  return {std::move(bytes), delta};
}

std::string quote(std::string_view text) {
  std::string out;
  json::append_quoted(out, text);
  return out;
}

Answer render(Api api, const Turn& turn, const Rendering& how) {
  if (turn.sse) return {{Event{*turn.sse, false}}, *turn.sse};
  switch (api) {
    case Api::kResponses: return render_responses(turn, how);
    case Api::kMessages: return render_messages(turn, how);
    case Api::kChat: break;
  }
  return render_chat(turn, how);
}

}  // namespace magi::fake
