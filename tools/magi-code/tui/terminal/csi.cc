#include "tools/magi-code/tui/terminal/csi.h"

#include <algorithm>
#include <optional>

#include "libcommon/base/utf8.h"

namespace magi::code::tui {
namespace {

constexpr int kMostValue = 1'000'000'000;
constexpr std::size_t kMostParameters = 32;

// The modifiers' parameter less one, as xterm and kitty count.
struct Modifiers {
  bool shift, alt, ctrl;
};
Modifiers modifiers_of(int parameter) {
  const int bits = parameter > 0 ? parameter - 1 : 0;
  return {(bits & 1) != 0, (bits & 2) != 0 || (bits & 32) != 0, (bits & 4) != 0};
}

Key plain_key(KeyCode code, int modifier, bool alt) {
  const Modifiers m = modifiers_of(modifier);
  return {code, {}, m.ctrl, m.alt || alt, m.shift};
}

std::optional<KeyCode> letter_code(char final) {
  switch (final) {
    case 'A': return KeyCode::kUp;
    case 'B': return KeyCode::kDown;
    case 'C': return KeyCode::kRight;
    case 'D': return KeyCode::kLeft;
    case 'H': return KeyCode::kHome;
    case 'F': return KeyCode::kEnd;
    case 'P': return KeyCode::kF1;
    case 'Q': return KeyCode::kF2;
    case 'R': return KeyCode::kF3;
    case 'S': return KeyCode::kF4;
    case 'Z': return KeyCode::kTab;
    default: return std::nullopt;
  }
}

// "CSI number ~"
std::optional<KeyCode> number_code(int number) {
  static constexpr KeyCode kEditing[] = {KeyCode::kHome,   KeyCode::kInsert,   KeyCode::kDelete, KeyCode::kEnd,
                                         KeyCode::kPageUp, KeyCode::kPageDown, KeyCode::kHome,   KeyCode::kEnd};
  if (number >= 1 && number <= 8) return kEditing[number - 1];
  const auto function = [](int n) { return static_cast<KeyCode>(static_cast<int>(KeyCode::kF1) + n - 1); };
  if (number >= 11 && number <= 15) return function(number - 10);
  if (number >= 17 && number <= 21) return function(number - 11);
  if (number == 23 || number == 24) return function(number - 12);
  return std::nullopt;
}

// Keys that kitty's protocol numbers in the private use area; nothing: a key that means nothing here.
std::optional<Key> private_key(int code) {
  static constexpr std::string_view kKeypad[] = {"0", "1", "2", "3", "4", "5", "6", "7",
                                                 "8", "9", ".", "/", "*", "-", "+"};
  if (code >= 57399 && code <= 57413) return Key{KeyCode::kText, std::string(kKeypad[code - 57399])};
  switch (code) {
    case 57414: return Key{KeyCode::kEnter, {}};
    case 57415: return Key{KeyCode::kText, "="};
    case 57417: return Key{KeyCode::kLeft, {}};
    case 57418: return Key{KeyCode::kRight, {}};
    case 57419: return Key{KeyCode::kUp, {}};
    case 57420: return Key{KeyCode::kDown, {}};
    case 57421: return Key{KeyCode::kPageUp, {}};
    case 57422: return Key{KeyCode::kPageDown, {}};
    case 57423: return Key{KeyCode::kHome, {}};
    case 57424: return Key{KeyCode::kEnd, {}};
    case 57425: return Key{KeyCode::kInsert, {}};
    case 57426: return Key{KeyCode::kDelete, {}};
    default: return std::nullopt;
  }
}

bool is_code_point(int code) {
  return code >= 0x20 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF) && (code < 0x7F || code >= 0xA0);
}

// A key given by its code point: modifyOtherKeys, CSI u.  `base`: the same key on a Latin layout, 0: unknown.
void put_code_key(int code, int base, int shifted, int modifier, bool alt, DecodedInput& out) {
  const Modifiers m = modifiers_of(modifier);
  Key key;
  switch (code) {
    case 9: key.code = KeyCode::kTab; break;
    case 13: key.code = KeyCode::kEnter; break;
    case 27: key.code = KeyCode::kEscape; break;
    case 8:
    case 127: key.code = KeyCode::kBackspace; break;
    default:
      if (code >= 57344 && code <= 63743) {
        const std::optional<Key> found = private_key(code);
        if (!found) return;
        key = *found;
        break;
      }
      const bool modified = m.ctrl || m.alt || alt;
      if (modified && base > 0 && code > 127) code = base;
      if (!modified && m.shift && shifted > 0) code = shifted;
      if (modified && code >= 'A' && code <= 'Z') code += 'a' - 'A';
      // Alt with "<" is that, not Alt with shift and ",".
      if (modified && m.shift && shifted > 0x20 && shifted < 0x7F && (code < 'a' || code > 'z')) code = shifted;
      if (!is_code_point(code)) return;
      utf8::append(key.text, static_cast<char32_t>(code));
      // Shift is part of the character that was typed with nothing else.
      key.shift = m.shift && modified;
      key.ctrl = m.ctrl, key.alt = m.alt || alt;
      out.events.emplace_back(std::move(key));
      return;
  }
  key.ctrl = m.ctrl, key.alt = m.alt || alt, key.shift = m.shift;
  out.events.emplace_back(std::move(key));
}

void put_kitty_key(const Csi& csi, bool alt, DecodedInput& out) {
  constexpr int kRelease = 3;
  if (csi.at(1, 1) == kRelease) return;
  put_code_key(csi.at(0), csi.at(0, 2), csi.at(0, 1), csi.at(1), alt, out);
}

void put_mouse(int buttons, int column, int row, bool released, DecodedInput& out) {
  if (column < 1 || row < 1) return;
  Mouse mouse{Mouse::Kind::kPress, column - 1, row - 1};
  const int button = buttons & 3;
  if ((buttons & 64) != 0) {
    if (button > 1) return;  // sideways
    mouse.kind = button == 0 ? Mouse::Kind::kWheelUp : Mouse::Kind::kWheelDown;
  } else if (button != 0) {
    return;  // other buttons, and movements without one
  } else {
    mouse.kind = released ? Mouse::Kind::kRelease : (buttons & 32) != 0 ? Mouse::Kind::kDrag : Mouse::Kind::kPress;
  }
  out.events.emplace_back(mouse);
}

void put_reply(Reply::Kind kind, int first, int second, std::string_view text, DecodedInput& out) {
  out.replies.push_back({kind, first, second, std::string(text)});
}

bool dispatch_answer(const Csi& csi, DecodedInput& out) {
  using Kind = Reply::Kind;
  if (csi.prefix == '?' && csi.final == 'c') {
    put_reply(Kind::kDeviceAttributes, csi.at(0), csi.at(1), {}, out);
  } else if (csi.prefix == '?' && csi.intermediate == '$' && csi.final == 'y') {
    put_reply(Kind::kMode, csi.at(0), csi.at(1), {}, out);
  } else if (csi.prefix == '?' && csi.final == 'u') {
    put_reply(Kind::kKittyFlags, csi.at(0), 0, {}, out);
  } else if (csi.prefix == 0 && csi.final == 'R' && csi.parameters.size() == 2 && (csi.at(0) != 1 || csi.at(1) > 8)) {
    // "CSI 1 ; 5 R" is Ctrl-F3.
    put_reply(Kind::kCursor, csi.at(0), csi.at(1), {}, out);
  } else if (csi.prefix != 0 || csi.final == 'n' || csi.final == 't') {
    put_reply(Kind::kOther, csi.at(0), csi.at(1), {}, out);
  } else {
    return false;
  }
  return true;
}

}  // namespace

int Csi::at(std::size_t index, std::size_t sub) const {
  if (index >= parameters.size() || sub >= parameters[index].size()) return 0;
  return std::max(0, parameters[index][sub]);
}

Csi parse_csi(std::string_view body, char final) {
  Csi csi;
  csi.final = final;
  std::size_t at = 0;
  if (!body.empty() && body[0] >= '<' && body[0] <= '?') csi.prefix = body[0], at = 1;
  std::vector<int> group{-1};
  bool any = false;
  for (; at < body.size(); ++at) {
    const char c = body[at];
    if (c >= '0' && c <= '9') {
      int& value = group.back();
      value = std::min(kMostValue, std::max(0, value) * (value < kMostValue / 10 ? 10 : 1) + (c - '0'));
      any = true;
    } else if (c == ':' && group.size() < kMostParameters) {
      group.push_back(-1);
    } else if (c == ';' && csi.parameters.size() < kMostParameters) {
      csi.parameters.push_back(std::move(group));
      group.assign(1, -1);
      any = true;
    } else if (c >= 0x20 && c <= 0x2F) {
      csi.intermediate = c;
    }
  }
  if (any) csi.parameters.push_back(std::move(group));
  return csi;
}

void dispatch_csi(const Csi& csi, bool alt, DecodedInput& out) {
  if (csi.prefix == '<' && (csi.final == 'M' || csi.final == 'm')) {
    return put_mouse(csi.at(0), csi.at(1), csi.at(2), csi.final == 'm', out);
  }
  if (dispatch_answer(csi, out)) return;
  switch (csi.final) {
    case 'u': return put_kitty_key(csi, alt, out);
    case 'I':
    case 'O': out.events.emplace_back(Focus{csi.final == 'I'}); return;
    case '~':
    case '$':
    case '^':
    case '@':
      if (csi.at(0) == 27 && csi.final == '~') return put_code_key(csi.at(2), 0, 0, csi.at(1), alt, out);
      if (const std::optional<KeyCode> code = number_code(csi.at(0))) {
        Key key = plain_key(*code, csi.at(1), alt);
        // rxvt's ways to say shift, ctrl and both.
        key.shift |= csi.final == '$' || csi.final == '@';
        key.ctrl |= csi.final == '^' || csi.final == '@';
        out.events.emplace_back(std::move(key));
      }
      return;
    case 'a':
    case 'b':
    case 'c':
    case 'd':
      // rxvt's arrows with shift.
      out.events.emplace_back(Key{*letter_code(static_cast<char>(csi.final - 'a' + 'A')), {}, false, alt, true});
      return;
    default: break;
  }
  if (const std::optional<KeyCode> code = letter_code(csi.final)) {
    Key key = plain_key(*code, csi.at(1), alt);
    key.shift |= csi.final == 'Z';
    out.events.emplace_back(std::move(key));
  }
}

void dispatch_ss3(int modifier, char final, bool alt, DecodedInput& out) {
  if (const std::optional<KeyCode> code = letter_code(final)) {
    out.events.emplace_back(plain_key(*code, modifier, alt));
  } else if (final == 'M') {
    out.events.emplace_back(plain_key(KeyCode::kEnter, modifier, alt));
  } else if (final >= 'a' && final <= 'd') {
    // rxvt's arrows with ctrl.
    out.events.emplace_back(Key{*letter_code(static_cast<char>(final - 'a' + 'A')), {}, true, alt, false});
  } else if (final >= 'j' && final <= 'y') {
    // The keypad in its application mode: * + , - . / 0 .. 9
    out.events.emplace_back(Key{KeyCode::kText, std::string(1, static_cast<char>(final - 'j' + '*')), false, alt});
  } else if (final == 'X') {
    out.events.emplace_back(Key{KeyCode::kText, "=", false, alt});
  }
}

void dispatch_string(char kind, std::string_view body, DecodedInput& out) {
  if (kind == ']' && body.starts_with("11;")) {
    put_reply(Reply::Kind::kBackground, 11, 0, body.substr(3), out);
  } else if (kind == 'P' && body.starts_with(">|")) {
    put_reply(Reply::Kind::kVersion, 0, 0, body.substr(2), out);
  } else {
    put_reply(Reply::Kind::kOther, 0, 0, {}, out);
  }
}

Key control_key(unsigned char byte, bool alt) {
  switch (byte) {
    case '\r': return {KeyCode::kEnter, {}, false, alt};
    case '\t': return {KeyCode::kTab, {}, false, alt};
    case '\b':
    case 0x7F: return {KeyCode::kBackspace, {}, false, alt};
    case 0: return {KeyCode::kText, " ", true, alt};
    default:
      // 1 .. 26 are the letters, 28 .. 31 are \ ] ^ _
      return {KeyCode::kText, std::string(1, static_cast<char>(byte < 27 ? byte + 'a' - 1 : byte + '@')), true, alt};
  }
}

Key alt_key(std::string_view character) {
  Key key{KeyCode::kText, std::string(character), false, true};
  if (key.text.size() == 1 && key.text[0] >= 'A' && key.text[0] <= 'Z') {
    key.text[0] = static_cast<char>(key.text[0] + 'a' - 'A');
    key.shift = true;
  }
  return key;
}

}  // namespace magi::code::tui
