#include "libcommon/base/base64.h"
#include "tools/magi-code/tui/terminal/tty.h"

namespace magi::code::tui {

std::string clipboard_sequence(std::string_view text, const TerminalEnvironment& environment) {
  // xterm and hterm take no more; what is longer would be cut or shown.
  constexpr std::size_t kMostBytes = 100'000;
  const std::string encoded = base64(text);
  if (encoded.size() > kMostBytes) return {};
  std::string sequence = "\033]52;c;" + encoded + '\a';
  // screen hands on only what is wrapped in a string of its own.
  if (environment.tmux.empty() && environment.term.starts_with("screen")) sequence = "\033P" + sequence + "\033\\";
  return sequence;
}

}  // namespace magi::code::tui
