#include "tools/magi-code/tui/transcript/markdown/entity.h"

#include <charconv>
#include <utility>

#include "libcommon/base/utf8.h"

namespace magi::code::tui {
namespace {

constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"amp", "&"},   {"apos", "'"},   {"bull", "•"},   {"cent", "¢"},  {"check", "✓"}, {"copy", "©"},
    {"deg", "°"},   {"divide", "÷"}, {"euro", "€"},   {"ge", "≥"},    {"gt", ">"},    {"hellip", "…"},
    {"laquo", "«"}, {"larr", "←"},   {"ldquo", "“"},  {"le", "≤"},    {"lsquo", "‘"}, {"lt", "<"},
    {"mdash", "—"}, {"micro", "µ"},  {"middot", "·"}, {"nbsp", " "},  {"ndash", "–"}, {"ne", "≠"},
    {"para", "¶"},  {"plusmn", "±"}, {"pound", "£"},  {"quot", "\""}, {"raquo", "»"}, {"rarr", "→"},
    {"rdquo", "”"}, {"reg", "®"},    {"rsquo", "’"},  {"sect", "§"},  {"times", "×"}, {"trade", "™"},
};

}  // namespace

std::string decode_entity(std::string_view entity) {
  if (entity.size() < 3 || entity.front() != '&' || entity.back() != ';') return std::string(entity);
  std::string_view name = entity.substr(1, entity.size() - 2);
  if (name.front() != '#') {
    for (const auto& [known, text] : kNames)
      if (known == name) return std::string(text);
    return std::string(entity);
  }
  name.remove_prefix(1);
  const bool hex = name.starts_with('x') || name.starts_with('X');
  if (hex) name.remove_prefix(1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
  if (error != std::errc{} || end != name.data() + name.size() || name.empty()) return std::string(entity);
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  std::string out;
  utf8::append(out, static_cast<char32_t>(code));
  return out;
}

}  // namespace magi::code::tui
