#include "libcommon/context/evidence.h"

#include <cstddef>

#include "libcommon/base/utf8.h"

namespace magi::context {
namespace {

constexpr std::size_t kMaxCharacters = 3'500;
constexpr std::size_t kMaxValueCharacters = 200;
constexpr std::size_t kMaxSamples = 40;

constexpr std::string_view kPreface =
    "Recorded evidence of what tools did before this point. It records dispatched calls, not the working tree: a clean "
    "diff or status does not mean that nothing was written, and what shell commands changed is not known.";
constexpr std::string_view kIncomplete =
    "The recorded evidence is incomplete: files may have been written that it does not name.";

std::string clipped(std::string text, std::size_t characters) {
  if (utf8::count(text) <= characters) return text;
  text.resize(utf8::prefix_bytes(text, characters));
  return text += " ...";
}

std::string scalar(const json::Node& node) {
  if (auto text = node.as_string()) return clipped(*std::move(text), kMaxValueCharacters);
  return clipped(std::string(node.raw()), kMaxValueCharacters);
}

std::string value_text(const json::Node& node) {
  if (!node.is(json::Kind::kArray)) return scalar(node);
  std::string text;
  std::size_t count = 0;
  for (const json::Node element : node.elements()) {
    if (count < kMaxSamples) text.append(count ? ", " : "").append(scalar(element));
    ++count;
  }
  if (count == 0) return "none recorded";
  if (count > kMaxSamples) text += " and " + std::to_string(count - kMaxSamples) + " more";
  return text;
}

}  // namespace

std::string evidence_text(const json::Node& effects) {
  std::string text(kPreface);
  if (!effects.is(json::Kind::kObject)) return text.append("\n").append(kIncomplete);
  for (const json::Node::Member member : effects.members()) {
    text += "\n" + clipped(member.key(), kMaxValueCharacters) + ": " + value_text(member.value);
    if (text.size() > kMaxCharacters) break;
  }
  return clipped(std::move(text), kMaxCharacters);
}

}  // namespace magi::context
