#include "tools/magi-code/loop/projected_request.h"

#include <utility>

#include "libcommon/event/names.h"

namespace magi::code {
namespace {

bool is_record(std::string_view line, std::string_view type) {
  constexpr std::string_view kOpening = "{\"type\":\"";
  return line.starts_with(kOpening) && line.substr(kOpening.size()).starts_with(type) &&
         line.substr(kOpening.size() + type.size()).starts_with('"');
}

// Inside a string the quotes would be escaped: what looks like the field is the field.
void append_without_event_ids(std::string& out, std::string_view line) {
  constexpr std::string_view kField = ",\"event_id\":\"";
  while (true) {
    const std::size_t at = line.find(kField);
    out += line.substr(0, at);
    if (at == std::string_view::npos) return;
    const std::size_t end = line.find('"', at + kField.size());
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

}  // namespace

std::string comparable(std::string_view stream) {
  std::string out;
  out.reserve(stream.size());
  while (!stream.empty()) {
    const std::size_t end = stream.find('\n');
    const std::string_view line = stream.substr(0, end);
    if (!is_record(line, event::name::kConversation) && !is_record(line, event::name::kEnd)) {
      append_without_event_ids(out, line);
      out += '\n';
    }
    stream.remove_prefix(end == std::string_view::npos ? stream.size() : end + 1);
  }
  return out;
}

std::optional<Verdict> ProjectedRequest::take(std::string_view stream) {
  const auto kept = std::exchange(kept_, std::nullopt);
  if (!kept || kept->text != comparable(stream)) return std::nullopt;
  return kept->verdict;
}

}  // namespace magi::code
