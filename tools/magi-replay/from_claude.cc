// Claude Code: records of a tree (uuid, parentUuid), appended; one record a content block.  A prompt whose parent
// stands before an earlier prompt begins another branch: what stood on the old one is left.
#include <unordered_map>
#include <unordered_set>

#include "tools/magi-replay/foreign_reader.h"

namespace magi::replay {
namespace {

// Texts of the user's role that the program wrote itself.
bool is_own_text(std::string_view text) {
  return starts_with_any(text, {"<command-", "<local-command-", "<system-reminder>", "Caveat: The messages below"});
}
bool is_interrupt(std::string_view text) { return text.starts_with("[Request interrupted by user"); }

class ClaudeReader : public ForeignReader {
 public:
  explicit ClaudeReader(Teller& teller) : teller_(teller) {}

  bool line(const json::Node& record, std::uint64_t, std::size_t) override {
    const std::string type = text_at(record, "type");
    if (type.empty()) return false;
    const std::string uuid = text_at(record, "uuid");
    if (!uuid.empty() && !order_.try_emplace(uuid, order_.size()).second) return true;
    if (teller_.session_id().empty()) teller_.session(text_at(record, "sessionId"), text_at(record, "cwd"));
    if (record.find("isSidechain").as_bool() == true) return ++side_records_, true;
    const json::Node message = record.find("message");
    if (type == "user")
      user(record, message, uuid);
    else if (type == "assistant" && record.find("isApiErrorMessage").as_bool() != true &&
             text_at(message, "model") != "<synthetic>")
      assistant(message.find("content"));
    return true;
  }

  Result<void> finish(context::LineSource&) override { return {}; }

  std::string left_out() const override {
    return side_records_ ? "left out records of side conversations: " + std::to_string(side_records_) : std::string();
  }

 private:
  struct Prompt {
    std::size_t order;
    Teller::Mark before;
  };

  void user(const json::Node& record, const json::Node& message, const std::string& uuid) {
    const json::Node content = message.find("content");
    if (record.find("isCompactSummary").as_bool() == true) {
      teller_.checkpoint(content_of(content).text);
      prompts_.clear();
      return;
    }
    for (const json::Node block : content.elements())
      if (text_at(block, "type") == "tool_result") result(block);
    if (record.find("isMeta").as_bool() == true) return;
    Content said = content_of(content);
    if (is_interrupt(said.text)) return teller_.end_turn("cancelled");
    if (said.empty() || is_own_text(said.text)) return;
    leave_branch(text_at(record, "parentUuid"));
    prompts_.push_back({order_[uuid], teller_.mark()});
    teller_.prompt(std::move(said.text), std::move(said.images));
  }

  // Back to before the first prompt behind the parent.
  void leave_branch(const std::string& parent) {
    const auto found = order_.find(parent);
    if (found == order_.end()) return;
    bool left = false;
    Teller::Mark to;
    while (!prompts_.empty() && prompts_.back().order > found->second) {
      to = prompts_.back().before;
      prompts_.pop_back();
      left = true;
    }
    if (left) teller_.back_to(to);
  }

  void result(const json::Node& block) {
    Content content = content_of(block.find("content"));
    const bool failed = block.find("is_error").as_bool() == true;
    teller_.result(text_at(block, "tool_use_id"), failed ? "error" : "success", std::move(content.text),
                   std::move(content.images));
  }

  void assistant(const json::Node& content) {
    if (content.is(json::Kind::kString)) return teller_.say(content_of(content).text, "completed");
    for (const json::Node block : content.elements()) {
      const std::string type = text_at(block, "type");
      if (type == "text") teller_.say(text_at(block, "text"), "completed");
      if (type != "tool_use") continue;
      const json::Node input = block.find("input");
      teller_.call(text_at(block, "id"), text_at(block, "name"), input ? std::string(input.raw()) : "{}");
    }
  }

  Teller& teller_;
  std::unordered_map<std::string, std::size_t> order_;
  std::vector<Prompt> prompts_;
  std::int64_t side_records_ = 0;
};

}  // namespace

std::unique_ptr<ForeignReader> claude_reader(Teller& teller) { return std::make_unique<ClaudeReader>(teller); }

}  // namespace magi::replay
