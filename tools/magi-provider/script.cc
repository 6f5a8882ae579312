#include "tools/magi-provider/script.h"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "libcommon/event/answers.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "tools/magi-provider/stream_reader.h"

namespace magi::provider {
namespace {

namespace name = event::name;

constexpr std::size_t kMaxScriptBytes = 64u << 20;
constexpr std::int64_t kLongestDelayMs = 3'600'000;

constexpr std::array kTypes{name::kAttempt,      name::kText,  name::kReasoning, name::kToolProgress, name::kToolCall,
                            name::kProviderItem, name::kUsage, name::kTrace,     name::kDone,         name::kError};

Result<ScriptLine> parse_line(const json::Node& root) {
  ScriptLine line;
  line.type = event::record_type(root).value_or("");
  if (std::find(kTypes.begin(), kTypes.end(), line.type) == kTypes.end())
    return make_error(ErrorCode::kConfig, "no record of an answer");
  for (const json::Node::Member member : root.members()) {
    if (member.is("type") || member.is("request_id")) continue;
    if (member.is("delay_ms") && line.type != name::kAttempt) {
      line.delay_ms = std::clamp<std::int64_t>(member.value.as_int().value_or(0), 0, kLongestDelayMs);
      continue;
    }
    line.members.append(",").append(member.key_node.raw()).append(":");
    json::append_compact(line.members, member.value.raw());
  }
  return line;
}

bool ends_answer(const ScriptLine& line) { return line.type == name::kDone || line.type == name::kError; }

ScriptLine done_for(const ScriptedAnswer& answer) {
  const bool calls =
      std::any_of(answer.begin(), answer.end(), [](const ScriptLine& line) { return line.type == name::kToolCall; });
  const std::string_view reason = calls ? stop::kToolUse : stop::kEndTurn;
  return {std::string(name::kDone), R"(,"status":"completed","stop_reason":")" + std::string(reason) + "\"", 0};
}

}  // namespace

Result<std::vector<ScriptedAnswer>> parse_script(std::string_view script, std::string_view text) {
  std::vector<ScriptedAnswer> answers;
  json::Parser parser;
  bool open = false;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view source = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (source.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto fail = [&](const Error& error) {
      return make_error(ErrorCode::kConfig, script, ": line ", std::to_string(number), ": ", error.what);
    };
    auto root = parser.parse(source);
    if (!root) return fail(root.error());
    auto line = parse_line(*root);
    if (!line) return fail(line.error());
    if (!std::exchange(open, true)) answers.emplace_back();
    open = !ends_answer(*line);
    answers.back().push_back(*std::move(line));
  }
  if (open) answers.back().push_back(done_for(answers.back()));
  if (answers.empty()) return make_error(ErrorCode::kConfig, script, ": the script holds no answer");
  return answers;
}

Result<std::vector<ScriptedAnswer>> load_script(const std::string& path) {
  const os::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto fail = [&](const Error& error) {
    return make_error(ErrorCode::kConfig, "script ", quoted(path), ": ", error.what);
  };
  if (!file) return fail(errno_error("cannot open", errno));
  auto text = os::read_all(file.get(), kMaxScriptBytes);
  if (!text) return fail(text.error());
  return parse_script("script " + quoted(path), *text);
}

}  // namespace magi::provider
