#include <algorithm>
#include <optional>

#include "libcommon/base/utf8.h"
#include "libcommon/session/report.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/sessions.h"
#include "tools/magi-code/front/display.h"

namespace magi::code {
namespace {

constexpr std::size_t kAround = 40, kExcerptCharacters = 100;

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Capitals of ASCII do not matter; other letters are as they are.
std::size_t find_folded(std::string_view text, std::string_view wanted) {
  const auto at = std::search(text.begin(), text.end(), wanted.begin(), wanted.end(),
                              [](char a, char b) { return folded(a) == folded(b); });
  return at == text.end() && !wanted.empty() ? std::string_view::npos : static_cast<std::size_t>(at - text.begin());
}

// What stands around the match, on one line.
std::string excerpt(std::string_view text, std::size_t at) {
  std::size_t from = at > kAround ? at - kAround : 0;
  while (from > 0 && (text[from] & 0xC0) == 0x80) --from;
  std::string around(text.substr(from, 4 * kExcerptCharacters));
  std::replace(around.begin(), around.end(), '\n', ' ');
  const bool goes_on =
      from + around.size() < text.size() || utf8::prefix_bytes(around, kExcerptCharacters) < around.size();
  around.resize(utf8::prefix_bytes(around, kExcerptCharacters));
  return (from > 0 ? "..." : "") + around + (goes_on ? "..." : "");
}

// Where the text was found, or nothing.
std::optional<std::string> match_in(const session::Home& home, const session::SessionInfo& info,
                                    std::string_view wanted) {
  for (const std::string& text : {info.facts.title, info.facts.first_prompt})
    if (const std::size_t at = find_folded(text, wanted); at != std::string_view::npos) return excerpt(text, at);
  std::optional<std::string> match;
  const auto read = session::each_prompt(home, info.id, [&](const session::SessionReport::Prompt& prompt) {
    if (const std::size_t at = find_folded(prompt.text, wanted); at != std::string_view::npos)
      match = excerpt(prompt.text, at);
    return !match;
  });
  if (!read) tool::notice("magi-code", read.error().what);
  return match;
}

}  // namespace

Result<int> search_sessions(const Setting& setting) {
  const SessionsOptions& options = setting.options.sessions;
  MAGI_TRY(const session::SessionList list, session::list_sessions(setting.home));
  tool::Stdout out;
  for (const session::SessionInfo& info : list.sessions) {
    const auto match = match_in(setting.home, info, *options.text);
    if (!match) continue;
    if (options.json) {
      json::Writer writer(out.buffer());
      writer.begin_object();
      write_members(writer, info);
      writer.key("match").string(*match).end_object();
      out.buffer() += '\n';
    } else {
      append_row(out.buffer(), info);
      out.buffer() += "    " + display_safe(*match) + '\n';
    }
    MAGI_CHECK(out.flush());
  }
  for (const Error& error : list.unreadable) tool::notice("magi-code", error.what);
  return kExitOk;
}

}  // namespace magi::code
