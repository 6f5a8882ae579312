#include "tools/magi-code/tui/app/prompt_log.h"

#include <unistd.h>

#include <algorithm>

#include "libcommon/json/node.h"
#include "libcommon/json/writer.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/os/io.h"
#include "libcommon/session/mask.h"

namespace magi::code::tui {
namespace {

constexpr std::size_t kMostPrompts = 1'000, kLongestPrompt = 16 * 1024;
// From this size on the older half is left behind.
constexpr std::size_t kMostBytes = 1024 * 1024;
constexpr std::size_t kReadBytes = 4 * kMostBytes;

std::string line_of(std::string_view text) {
  std::string line;
  json::Writer(line).string(text);
  return line += '\n';
}

std::vector<std::string> parse(std::string_view text) {
  std::vector<std::string> prompts;
  json::Parser parser;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto root = parser.parse(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!root) continue;
    if (auto prompt = root->as_string()) prompts.push_back(*std::move(prompt));
  }
  if (prompts.size() > kMostPrompts) prompts.erase(prompts.begin(), prompts.end() - kMostPrompts);
  return prompts;
}

// Another process may append meanwhile: what it adds in this moment is lost, and nothing else.
void shorten(const os::Dir& state) {
  const auto text = os::read_file(state, session::file::kPromptHistory, kReadBytes);
  std::string kept;
  if (text) {
    const std::vector<std::string> prompts = parse(*text);
    for (auto at = prompts.rbegin(); at != prompts.rend() && kept.size() < kMostBytes / 2; ++at)
      kept.insert(0, line_of(*at));
  }
  (void)os::replace_file(state, session::file::kPromptHistory, kept, os::Sync::kNone);
}

}  // namespace

std::vector<std::string> read_prompts(const session::Home& home) {
  const auto state = session::open_state(home);
  if (!state) return {};
  const auto text = os::read_file(*state, session::file::kPromptHistory, kReadBytes);
  return text ? parse(*text) : std::vector<std::string>();
}

void remember_prompt(const session::Home& home, std::string text) {
  if (text.size() > kLongestPrompt) return;
  session::mask_secrets(text);
  const auto state = session::open_state(home);
  if (!state) return;
  auto file = state->open_file(session::file::kPromptHistory, os::FileUse::kAppend);
  if (!file) file = state->open_file(session::file::kPromptHistory, os::FileUse::kAppendNew);
  if (!file) return;
  (void)os::write_all(file->get(), line_of(text));
  const auto stamp = os::stamp_of(file->get(), {});
  if (stamp && stamp->length > kMostBytes) shorten(*state);
}

}  // namespace magi::code::tui
