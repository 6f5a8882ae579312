#include "tools/magi-code/tui/terminal/capabilities.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace magi::code::tui {
namespace {

constexpr int kSynchronizedOutput = 2026;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return text.starts_with(start); });
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

ColourDepth depth_of(const TerminalEnvironment& e) {
  const std::string_view term = e.term;
  if (e.no_color || is_one_of(term, {"", "dumb"}) || starts_with_any(term, {"vt1", "vt2", "vt3", "vt4"}) ||
      term.find("-mono") != std::string_view::npos || term.ends_with("-m")) {
    return ColourDepth::kNone;
  }
  if (term == "linux") return ColourDepth::k16;
  if (is_one_of(e.colorterm, {"truecolor", "24bit"}) || term.find("-direct") != std::string_view::npos ||
      starts_with_any(term, {"xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour"}) ||
      is_one_of(e.term_program, {"iTerm.app", "WezTerm", "vscode", "ghostty"})) {
    return ColourDepth::kTrue;
  }
  return term.find("256color") != std::string_view::npos || !e.tmux.empty() ? ColourDepth::k256 : ColourDepth::k16;
}

// Terminals that read "CSI > 4 ; 1 m" as what it is; others would take it for colours or show it.
bool knows_modified_keys(const TerminalEnvironment& e) {
  if (e.term_program == "Apple_Terminal") return false;
  return !e.tmux.empty() || starts_with_any(e.term, {"xterm", "tmux", "foot", "alacritty", "wezterm", "contour"});
}

// "rgb:RRRR/GGGG/BBBB", one to four hexadecimal digits each.
std::optional<bool> is_light(std::string_view colour) {
  if (!colour.starts_with("rgb:")) return std::nullopt;
  std::string text(colour.substr(4));
  double sum = 0;
  const double weights[] = {0.299, 0.587, 0.114};  // ITU-R BT.601
  char* at = text.data();
  for (const double weight : weights) {
    char* end = nullptr;
    const long value = std::strtol(at, &end, 16);
    const long digits = end - at;
    if (digits < 1 || digits > 4 || value < 0) return std::nullopt;
    sum += weight * static_cast<double>(value) / static_cast<double>((1L << 4 * digits) - 1);
    at = *end == '/' ? end + 1 : end;
  }
  return sum > 0.5;
}

}  // namespace

Capabilities known_capabilities(const TerminalEnvironment& environment) {
  Capabilities c;
  c.colours = depth_of(environment);
  c.modify_other_keys = knows_modified_keys(environment);
  const std::string_view term = environment.term;
  if (term.empty() || is_one_of(term, {"dumb", "unknown", "emacs"})) {
    c.cursor_addressing = c.alternate_screen = c.bracketed_paste = c.focus_events = c.mouse = false;
    c.italic = c.strike = c.unicode = false;
  } else if (term == "linux") {
    c.alternate_screen = c.scroll_by_su = c.focus_events = c.mouse = c.italic = c.strike = c.unicode = false;
  } else if (starts_with_any(term, {"vt1", "vt2", "vt3", "vt4"})) {
    c.alternate_screen = c.scroll_by_su = c.focus_events = c.mouse = c.italic = c.strike = false;
  } else if (term.starts_with("screen") && environment.tmux.empty()) {
    c.italic = c.strike = false;
  }
  return c;
}

std::string probe_query(const Capabilities& known) {
  if (!known.cursor_addressing) return {};
  // The Linux console shows the rest of sequences that it does not know.
  if (!known.alternate_screen) return "\033[c";
  return "\033[?2026$p\033[?u\033]11;?\033\\\033[c";
}

bool learn(Capabilities& capabilities, const Reply& reply) {
  const Capabilities before = capabilities;
  switch (reply.kind) {
    case Reply::Kind::kMode:
      if (reply.first == kSynchronizedOutput) capabilities.synchronized_output = reply.second == 1 || reply.second == 2;
      break;
    case Reply::Kind::kKittyFlags: capabilities.kitty_keys = true; break;
    case Reply::Kind::kBackground:
      if (const std::optional<bool> light = is_light(reply.text)) capabilities.light_background = light;
      break;
    case Reply::Kind::kDeviceAttributes:
    case Reply::Kind::kCursor:
    case Reply::Kind::kVersion:
    case Reply::Kind::kOther: break;
  }
  return !(capabilities == before);
}

std::string enter_sequence(const Capabilities& c, bool mouse) {
  return (c.alternate_screen ? "\033[?1049h" : "") + modes_sequence(c, mouse);
}

std::string modes_sequence(const Capabilities& c, bool mouse) {
  std::string s = "\033[?7l";
  if (c.bracketed_paste) s += "\033[?2004h";
  if (c.focus_events) s += "\033[?1004h";
  if (c.mouse) s += mouse ? "\033[?1002h\033[?1006h" : "\033[?1006l\033[?1002l";
  // Alternate keys (4) tell the Latin letter of a key on other layouts: Ctrl-C stays Ctrl-C.
  if (c.kitty_keys) {
    s += "\033[=5u";
  } else if (c.modify_other_keys) {
    s += "\033[>4;1m";
  }
  return s;
}

std::string leave_sequence(const Capabilities& c) {
  std::string s;
  if (c.synchronized_output) s += "\033[?2026l";
  s += "\033[m\033[r";
  if (c.kitty_keys) s += "\033[=0u";
  if (c.modify_other_keys) s += "\033[>4m";
  if (c.mouse) s += "\033[?1006l\033[?1002l";
  if (c.focus_events) s += "\033[?1004l";
  if (c.bracketed_paste) s += "\033[?2004l";
  s += "\033[?7h";
  // Without a second screen the interface is left standing, and the shell goes on below it.
  s += c.alternate_screen ? "\033[?1049l" : "\033[999;1H\r\n";
  return s + "\033[?25h";
}

}  // namespace magi::code::tui
