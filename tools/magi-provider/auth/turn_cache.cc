#include "tools/magi-provider/auth/turn_cache.h"

#include <algorithm>

#include "libcommon/json/node.h"

namespace magi::provider {
namespace {

constexpr std::size_t kMaxRoutingBytes = 4096;
constexpr std::size_t kSaltBytes = 32;

// The members that no other fingerprint covers, in the order in which they are sent.
std::string configuration_of(const json::Node& root) {
  std::string text;
  for (const json::Node::Member member : root.members()) {
    if (member.is("instructions") || member.is("tools") || member.is("input")) continue;
    text.append(member.key_node.raw()).append(":").append(member.value.raw()).append(",");
  }
  return text;
}

std::string_view raw_or_nothing(const json::Node& value) { return value ? value.raw() : std::string_view(); }

}  // namespace

void Turn::take_routing(std::string_view value) {
  const bool usable = !value.empty() && value.size() <= kMaxRoutingBytes &&
                      std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (usable && routing_.empty()) routing_ = value;
}

std::string Turn::print_of(std::string_view label, std::string_view text) const {
  Hmac print(salt_);
  print.update(label);
  print.update(text);
  return print.hex();
}

std::optional<Fingerprints> Turn::observe(const Body& body) {
  json::Parser parser;
  const auto root = parser.parse(body.text());
  if (!root || !root->find("input").is(json::Kind::kArray)) return std::nullopt;
  const std::string_view input = root->find("input").raw();
  Fingerprints prints;
  prints.instructions = print_of("instructions", raw_or_nothing(root->find("instructions")));
  prints.tools = print_of("tools", raw_or_nothing(root->find("tools")));
  prints.configuration = print_of("configuration", configuration_of(*root));
  const std::string whole = prints.instructions + prints.tools + prints.configuration;

  // One pass: the fingerprint of the part that the last attempt had is one of the bytes so far.
  const std::size_t open_bytes = input.size() - 1;
  Hmac print(salt_);
  print.update("input");
  if (seen_) {
    const std::size_t common = std::min(last_prefix_bytes_, open_bytes);
    print.update(input.substr(0, common));
    const char after = input[common];
    const bool at_boundary = after == ',' || after == ']' || common == 1;
    prints.input_prefix_preserved = common == last_prefix_bytes_ && at_boundary && print.hex() == last_prefix_;
    prints.configuration_preserved = whole == last_configuration_;
    print.update(input.substr(common, open_bytes - common));
  } else {
    print.update(input.substr(0, open_bytes));
  }
  seen_ = true;
  last_prefix_bytes_ = open_bytes;
  last_prefix_ = prints.input = print.hex();
  last_configuration_ = whole;
  return prints;
}

Result<Turn*> TurnCache::enter(const TurnScope& scope) {
  const auto known =
      std::find_if(turns_.begin(), turns_.end(), [&](const Turn& turn) { return turn.scope() == scope; });
  if (known != turns_.end()) return &*known;
  // A run is in one turn at a time, and an account that was left is not come back to.
  std::erase_if(turns_, [&](const Turn& turn) { return turn.scope().run_id == scope.run_id; });
  if (turns_.size() >= kMostTurns) turns_.pop_front();
  MAGI_TRY(std::string salt, random_bytes(kSaltBytes));
  turns_.emplace_back(scope, std::move(salt));
  return &turns_.back();
}

}  // namespace magi::provider
