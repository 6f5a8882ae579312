#include "libcommon/context/effects.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "libcommon/base/utf8.h"
#include "libcommon/context/evidence.h"
#include "libcommon/json/writer.h"

namespace magi::context {
namespace {

// Together they stay below kMaxEffectsBytes, keys and punctuation included.
constexpr std::size_t kMaxPathBytes = 32 * 1024;
constexpr std::size_t kMaxPartialPathBytes = 8 * 1024;
constexpr std::size_t kMaxCallBytes = 8 * 1024;
static_assert(kMaxPathBytes + kMaxPartialPathBytes + kMaxCallBytes + 8 * 1024 < kMaxEffectsBytes);

constexpr std::size_t kMaxDoubts = 8;
constexpr std::size_t kMaxTextCharacters = 200;
// A sum that would pass this is not believed.
constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;

std::string clipped(std::string text) {
  if (utf8::count(text) <= kMaxTextCharacters) return text;
  text.resize(utf8::prefix_bytes(text, kMaxTextCharacters));
  return text + "...";
}

std::size_t quoted_bytes(std::string_view text) {
  std::string quoted;
  json::append_quoted(quoted, text);
  return quoted.size() + 1;  // the comma
}

std::optional<std::int64_t> count(const json::Node& object, std::string_view key) {
  const auto value = object.find(key).as_int();
  if (!value || *value < 0 || *value > kMaxCount) return std::nullopt;
  return value;
}

void write_texts(json::Writer& out, std::string_view key, const std::vector<std::string>& texts) {
  out.key(key).begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

}  // namespace

bool EffectsLedger::Sample::add(std::string text, std::size_t max_bytes) {
  if (known.contains(text)) return true;
  const std::size_t size = quoted_bytes(text);
  if (bytes + size > max_bytes) return false;
  bytes += size;
  known.insert(text);
  texts.push_back(std::move(text));
  return true;
}

void EffectsLedger::doubt(std::string_view reason) {
  std::string text = clipped(std::string(reason));
  if (doubts_.size() < kMaxDoubts && std::find(doubts_.begin(), doubts_.end(), text) == doubts_.end())
    doubts_.push_back(std::move(text));
}

// Counters that an earlier version or another program left out are unknown, not zero.
bool EffectsLedger::read_counters(const json::Node& recorded, Counters& counters) const {
  const auto mutations = count(recorded, "mutations"), shell_calls = count(recorded, "shell_calls");
  counters.mutations = mutations.value_or(0);
  counters.shell_calls = shell_calls.value_or(0);
  counters.results = count(recorded, "results").value_or(0);
  counters.partial_calls = count(recorded, "partial_calls").value_or(0);
  counters.paths_omitted = count(recorded, "paths_omitted").value_or(0);
  counters.calls_omitted = count(recorded, "calls_omitted").value_or(0);
  return mutations && shell_calls;
}

void EffectsLedger::restore(const json::Node& recorded) {
  *this = EffectsLedger();
  if (!recorded.is(json::Kind::kObject)) return doubt("an earlier summary has no readable record of effects");
  if (!read_counters(recorded, counters_)) doubt("the record of an earlier summary lacks counters");
  const auto read = [&](std::string_view key, Sample& sample, std::size_t max_bytes, std::int64_t& omitted) {
    for (const json::Node element : recorded.find(key).elements()) {
      auto text = element.as_string();
      if (!text)
        doubt("the record of an earlier summary cannot be read in full");
      else if (!sample.add(*std::move(text), max_bytes))
        ++omitted;
    }
  };
  std::int64_t ignored = 0;
  read("paths", paths_, kMaxPathBytes, counters_.paths_omitted);
  read("partial_paths", partial_paths_, kMaxPartialPathBytes, ignored);
  read("calls", calls_, kMaxCallBytes, counters_.calls_omitted);
  const json::Node complete = recorded.find("complete");
  const json::Node reasons = recorded.find("incomplete");
  for (const json::Node reason : reasons.elements()) doubt(reason.as_string().value_or("unknown"));
  if (complete && complete.as_bool() != true && doubts_.empty()) doubt("an earlier record was incomplete");
}

void EffectsLedger::add_path(const json::Node& path, bool partial) {
  auto text = path.as_string();
  if (!text || text->empty()) return doubt("a result names a changed path that cannot be read");
  if (partial) static_cast<void>(partial_paths_.add(*text, kMaxPartialPathBytes));
  if (!paths_.add(*std::move(text), kMaxPathBytes)) ++counters_.paths_omitted;
}

void EffectsLedger::add(std::string_view call_id, std::string_view status, const json::Node& effects) {
  ++counters_.results;
  if (!effects.is(json::Kind::kObject)) return doubt("a result has no readable record of its effects");
  const auto mutations = count(effects, "mutations"), shell_calls = count(effects, "shell_calls");
  if (!mutations || !shell_calls || counters_.mutations > kMaxCount - *mutations ||
      counters_.shell_calls > kMaxCount - *shell_calls)
    return doubt("a result has a record of effects without usable counters");
  counters_.mutations += *mutations;
  counters_.shell_calls += *shell_calls;
  const bool partial = effects.find("partial").as_bool().value_or(false);
  counters_.partial_calls += partial;
  std::int64_t named = 0;
  for (const json::Node path : effects.find("paths").elements()) {
    add_path(path, partial);
    ++named;
  }
  if (*mutations > named) counters_.paths_omitted += *mutations - named;
  if (*mutations == 0 && *shell_calls == 0) return;
  std::string call = std::string(call_id) + " " + effects.find("kind").as_string().value_or("?") + " ";
  call.append(partial ? "partial" : status);
  if (!calls_.add(clipped(std::move(call)), kMaxCallBytes)) ++counters_.calls_omitted;
}

std::string EffectsLedger::json() const {
  std::string text;
  json::Writer out(text);
  out.begin_object().key("complete").boolean(complete());
  if (!doubts_.empty()) write_texts(out, "incomplete", doubts_);
  out.key("mutations").integer(counters_.mutations).key("shell_calls").integer(counters_.shell_calls);
  out.key("partial_calls").integer(counters_.partial_calls);
  write_texts(out, "paths", paths_.texts);
  if (!partial_paths_.texts.empty()) write_texts(out, "partial_paths", partial_paths_.texts);
  out.key("paths_omitted").integer(counters_.paths_omitted).key("results").integer(counters_.results);
  write_texts(out, "calls", calls_.texts);
  out.key("calls_omitted").integer(counters_.calls_omitted).end_object();
  return text;
}

}  // namespace magi::context
