#include "tools/magi-code/loop/title.h"

#include "libcommon/base/utf8.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/event/stream.h"
#include "libcommon/session/mask.h"

namespace magi::code {
namespace {

constexpr std::size_t kTitleCharacters = 80, kPromptCharacters = 4000;
constexpr std::string_view kInstructions =
    "Name the task that the user describes in at most eight words. Answer with the name alone: no quotes, no full "
    "stop.";

// White space is squeezed, control characters are left out, and marks around the whole are dropped.
std::string tidied(std::string_view line) {
  std::string out;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    if (!blank && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)) continue;
    out += blank ? ' ' : c;
  }
  constexpr std::string_view kMarks = " \"'`*#";
  const std::size_t begin = out.find_first_not_of(kMarks);
  if (begin == std::string::npos) return {};
  return out.substr(begin, out.find_last_not_of(kMarks) - begin + 1);
}

// Masked before it is cut: half a secret has no shape.
std::string cleaned(std::string_view text) {
  std::string clean = utf8::sanitize(text);
  session::mask_secrets(clean);
  return clean;
}

}  // namespace

std::string title_of(std::string_view text) {
  const std::string clean = cleaned(text.substr(0, 4 * kPromptCharacters));
  for (std::string_view left = clean; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(left.size(), line.size() + 1));
    std::string title = tidied(line);
    if (title.empty()) continue;
    if (utf8::count(title) <= kTitleCharacters) return title;
    title.resize(utf8::prefix_bytes(title, kTitleCharacters - 1));
    return title + "…";
  }
  return {};
}

std::string title_request(std::string_view prompt) {
  const std::string clean = cleaned(prompt);
  event::Request request;
  request.instructions = kInstructions;
  request.parameters.json = R"({"max_output_tokens":1000})";
  event::User user;
  user.text = clean.substr(0, utf8::prefix_bytes(clean, kPromptCharacters));
  std::string stream, conversation;
  event::append_record(stream, request);
  event::append_record(conversation, event::Conversation());
  event::append_record(conversation, user);
  event::End end;
  end.items = 1;
  end.digest = "sha256:" + sha256_hex(conversation);
  event::append_record(conversation, end);
  return stream + conversation;
}

}  // namespace magi::code
