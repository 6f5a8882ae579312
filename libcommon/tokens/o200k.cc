#include "libcommon/tokens/o200k.h"

#include <algorithm>
#include <memory>

#include "libcommon/base/utf8.h"
#include "libcommon/json/valid_utf8.h"
#include "libcommon/tokens/o200k/engine.h"
#include "libcommon/tokens/o200k/tables.h"

namespace magi::o200k {
namespace {

constexpr std::uint32_t kEndOfText = 199'999, kEndOfPrompt = 200'018;

Engine& engine() {
  thread_local const std::unique_ptr<Engine> engine = make_engine(best_isa());
  return *engine;
}

// The text itself, or its replacement held by `storage`.
std::string_view valid(std::string_view text, std::string& storage, std::uint64_t* replaced_bytes = nullptr) {
  if (json::is_valid_utf8(text)) return text;
  storage = utf8::sanitize(text, replaced_bytes);
  return storage;
}

}  // namespace

std::uint64_t count(std::string_view text, std::uint64_t* replaced_bytes) {
  std::string storage;
  text = valid(text, storage, replaced_bytes);
  return engine().count(text.data(), text.size(), UINT64_MAX);
}

std::uint64_t count_until(std::string_view text, std::uint64_t limit) {
  std::string storage;
  text = valid(text, storage);
  return engine().count(text.data(), text.size(), limit);
}

std::vector<std::uint32_t> encode_ordinary(std::string_view text, std::uint64_t* replaced_bytes) {
  std::string storage;
  text = valid(text, storage, replaced_bytes);
  const auto ids = std::make_unique_for_overwrite<std::uint32_t[]>(text.size());
  const std::size_t count = engine().encode(text.data(), text.size(), ids.get());
  return {ids.get(), ids.get() + count};
}

std::optional<std::string_view> token_bytes(std::uint32_t id) {
  if (id == kEndOfText) return "<|endoftext|>";
  if (id == kEndOfPrompt) return "<|endofprompt|>";
  if (id >= kVocabulary) return std::nullopt;
  const Tables tables;
  return std::string_view(reinterpret_cast<const char*>(tables.token(id)), tables.token_size(id));
}

std::size_t last_split(std::string_view text) {
  for (std::size_t at = text.size(); at > 1; --at)
    if (is_split(text[at - 2], text[at - 1])) return at - 1;
  return 0;
}

void GrowingCount::add(std::string_view text) {
  rest_ += text;
  const std::size_t begin = std::max<std::size_t>(searched_, 1) - 1;
  searched_ = rest_.size();
  const std::size_t split = last_split(std::string_view(rest_).substr(begin));
  if (split == 0) return;
  counted_ += count(std::string_view(rest_).substr(0, begin + split));
  rest_.erase(0, begin + split);
  searched_ = rest_.size();
}

std::uint64_t GrowingCount::total() const { return counted_ + count(rest_); }

}  // namespace magi::o200k
