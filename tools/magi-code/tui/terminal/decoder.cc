#include "tools/magi-code/tui/terminal/decoder.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/utf8.h"
#include "tools/magi-code/tui/terminal/csi.h"

namespace magi::code::tui {
namespace {

constexpr char kEscape = '\033';
constexpr std::string_view kPasteEnd = "\033[201~";
constexpr int kPasteBegins = 200;
// No answer is longer; what is, is no answer.
constexpr std::size_t kMostStringBytes = 8'192;
constexpr std::size_t kMostCsiBytes = 256;
// The rest of a terminal's answer may take a second: nobody types the beginning of one.
constexpr int kStringSilences = 1'000 / kEscapeWaitMs;

bool within(char c, int low, int high) {
  const int byte = static_cast<unsigned char>(c);
  return byte >= low && byte <= high;
}

// CR LF and CR become LF, invalid UTF-8 U+FFFD.
std::string clean_paste(std::string text) {
  std::size_t to = 0;
  for (std::size_t from = 0; from < text.size(); ++from) {
    if (text[from] == '\r') {
      if (from + 1 < text.size() && text[from + 1] == '\n') ++from;
      text[to++] = '\n';
    } else {
      text[to++] = text[from];
    }
  }
  text.resize(to);
  return utf8::is_valid(text) ? text : utf8::sanitize(text);
}

// The bytes at `at` may be the beginning of a character whose rest has not come.
bool is_cut_character(std::string_view bytes, std::size_t at) {
  const auto lead = static_cast<unsigned char>(bytes[at]);
  const std::size_t wanted = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
  if (lead > 0xF4 || lead < 0xC2 || bytes.size() - at >= wanted) return false;
  // A maximal subpart that reaches to the end can still become whole.
  return utf8::decode(bytes, at).length == bytes.size() - at;
}

}  // namespace

void Decoder::feed(std::string_view bytes, DecodedInput& out) {
  silences_ = 0;
  if (kept_.empty()) return run(bytes, false, out);
  const std::string all = std::exchange(kept_, {}).append(bytes);
  run(all, false, out);
}

void Decoder::expire(DecodedInput& out) {
  if (!waits()) return;
  const bool is_string = kept_.size() > 2 && kept_[0] == kEscape && std::string_view("]P_^X").find(kept_[1]) < 5;
  if (is_string && ++silences_ < kStringSilences) return;
  silences_ = 0;
  const std::string all = std::exchange(kept_, {});
  run(all, true, out);
}

void Decoder::run(std::string_view bytes, bool last, DecodedInput& out) {
  while (!bytes.empty()) {
    const std::size_t taken = in_paste_ ? take_paste(bytes, out) : take(bytes, last, out);
    if (taken == 0) {
      kept_.assign(bytes);
      return;
    }
    bytes.remove_prefix(taken);
  }
}

std::size_t Decoder::take(std::string_view bytes, bool last, DecodedInput& out) {
  if (bytes[0] == kEscape) return take_escape(bytes, last, out);
  if (within(bytes[0], 0, 0x1F) || bytes[0] == 0x7F) {
    out.events.emplace_back(control_key(static_cast<unsigned char>(bytes[0]), false));
    return 1;
  }
  return take_text(bytes, last, out);
}

std::size_t Decoder::take_text(std::string_view bytes, bool last, DecodedInput& out) {
  std::string text;
  std::size_t at = 0;
  while (at < bytes.size() && !within(bytes[at], 0, 0x1F) && bytes[at] != 0x7F) {
    if (!last && is_cut_character(bytes, at)) break;
    const utf8::Decoded d = utf8::decode(bytes, at);
    at += d.length;
    // Control characters of C1 are nobody's typing.
    if (d.code_point >= 0x80 && d.code_point < 0xA0) continue;
    utf8::append(text, d.code_point);
  }
  if (!text.empty()) out.events.emplace_back(Key{KeyCode::kText, std::move(text)});
  return at;
}

std::size_t Decoder::take_escape(std::string_view bytes, bool last, DecodedInput& out) {
  if (bytes.size() == 1) {
    if (last) out.events.emplace_back(Key{KeyCode::kEscape, {}});
    return last ? 1 : 0;
  }
  const char next = bytes[1];
  if (next == kEscape) {
    // rxvt puts a second ESC before the sequences of keys with Alt; otherwise Escape was typed and something follows.
    if (bytes.size() == 2 && !last) return 0;
    if (bytes.size() > 2 && (bytes[2] == '[' || bytes[2] == 'O')) {
      return bytes[2] == '[' ? take_csi(bytes, 3, last, true, out) : take_ss3(bytes, 3, last, true, out);
    }
    out.events.emplace_back(Key{KeyCode::kEscape, {}});
    return 1;
  }
  if (next == '[') return take_csi(bytes, 2, last, false, out);
  if (next == 'O') return take_ss3(bytes, 2, last, false, out);
  if (next == ']' || next == 'P' || next == '_' || next == '^' || next == 'X') return take_string(bytes, last, out);
  if (within(next, 0, 0x1F) || next == 0x7F) {
    out.events.emplace_back(control_key(static_cast<unsigned char>(next), true));
    return 2;
  }
  if (!last && is_cut_character(bytes, 1)) return 0;
  const utf8::Decoded d = utf8::decode(bytes, 1);
  std::string character;
  utf8::append(character, d.code_point);
  out.events.emplace_back(alt_key(character));
  return 1 + d.length;
}

std::size_t Decoder::take_csi(std::string_view bytes, std::size_t start, bool last, bool alt, DecodedInput& out) {
  std::size_t at = start;
  while (at < bytes.size() && within(bytes[at], 0x30, 0x3F)) ++at;
  // rxvt ends keys with shift by "$", which elsewhere stands before the end of a terminal's answers.
  const bool is_answer = at > start && within(bytes[start], 0x3C, 0x3F);
  const bool is_rxvt = at < bytes.size() && bytes[at] == '$' && at > start && !is_answer;
  while (!is_rxvt && at < bytes.size() && within(bytes[at], 0x20, 0x2F)) ++at;
  if (at == bytes.size()) {
    if (!last && at < kMostCsiBytes) return 0;
    // Alone it was Alt with a bracket; what is cut off in its midst means nothing.
    if (at == start) out.events.emplace_back(alt_key("["));
    return at;
  }
  const char final = bytes[at];
  // A control character in its midst ends it, and is read for itself.
  if (!is_rxvt && !within(final, 0x40, 0x7E)) {
    if (at == start) out.events.emplace_back(alt_key("["));
    return at;
  }
  if (final == '[' && at == start) {
    // The Linux console's F1 .. F5: CSI [ A .. E
    if (at + 1 == bytes.size()) return last ? at + 1 : 0;
    if (within(bytes[at + 1], 'A', 'E')) {
      const int number = static_cast<int>(KeyCode::kF1) + bytes[at + 1] - 'A';
      out.events.emplace_back(Key{static_cast<KeyCode>(number), {}, false, alt});
    }
    return at + 2;
  }
  if (final == 'M' && at == start) {
    // A mouse report of the oldest kind, three bytes that could be anything.
    if (bytes.size() - at < 4) return last ? bytes.size() : 0;
    return at + 4;
  }
  const Csi csi = parse_csi(bytes.substr(start, at - start), final);
  if (csi.final == '~' && csi.prefix == 0 && csi.at(0) == kPasteBegins) {
    in_paste_ = true;
  } else {
    dispatch_csi(csi, alt, out);
  }
  return at + 1;
}

std::size_t Decoder::take_ss3(std::string_view bytes, std::size_t start, bool last, bool alt, DecodedInput& out) {
  std::size_t at = start;
  int modifier = 0;
  if (at < bytes.size() && within(bytes[at], '1', '9')) modifier = bytes[at++] - '0';
  if (at == bytes.size()) {
    if (!last) return 0;
    out.events.emplace_back(alt_key("O"));
    return start;
  }
  if (!within(bytes[at], 0x40, 0x7E)) {
    out.events.emplace_back(alt_key("O"));
    return start;
  }
  dispatch_ss3(modifier, bytes[at], alt, out);
  return at + 1;
}

std::size_t Decoder::take_string(std::string_view bytes, bool last, DecodedInput& out) {
  const std::size_t most = std::min(bytes.size(), kMostStringBytes);
  for (std::size_t at = 2; at < most; ++at) {
    const bool is_bell = bytes[at] == '\a';
    const bool is_terminator = bytes[at] == kEscape && at + 1 < bytes.size() && bytes[at + 1] == '\\';
    if (bytes[at] == kEscape && at + 1 == bytes.size() && !last) return 0;
    if (!is_bell && !is_terminator && bytes[at] != kEscape) continue;
    // Another sequence in its midst: the string was none.
    if (!is_bell && !is_terminator) return at;
    dispatch_string(bytes[1], bytes.substr(2, at - 2), out);
    return at + (is_bell ? 1 : 2);
  }
  if (!last && bytes.size() < kMostStringBytes) return 0;
  if (bytes.size() > 2) return most;
  out.events.emplace_back(alt_key(bytes.substr(1, 1)));
  return 2;
}

std::size_t Decoder::take_paste(std::string_view bytes, DecodedInput& out) {
  // The end may have begun in what came before.
  const std::size_t from = paste_.size() < kPasteEnd.size() ? 0 : paste_.size() - kPasteEnd.size();
  const std::size_t had = paste_.size();
  paste_.append(bytes);
  const std::size_t end = paste_.find(kPasteEnd, from);
  if (end == std::string::npos) return bytes.size();
  const std::size_t taken = end + kPasteEnd.size() - had;
  paste_.resize(end);
  in_paste_ = false;
  out.events.emplace_back(Paste{clean_paste(std::exchange(paste_, {}))});
  return taken;
}

}  // namespace magi::code::tui
