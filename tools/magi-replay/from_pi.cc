// pi: a header, then records of a tree (id, parentId), appended; the conversation is the path from the last record to
// the root.  The first version had no IDs and no branches.  A compaction names the first record that it keeps.
#include <algorithm>
#include <unordered_map>

#include "tools/magi-replay/foreign_reader.h"

namespace magi::replay {
namespace {

class PiReader : public ForeignReader {
 public:
  explicit PiReader(Teller& teller) : teller_(teller) {}

  bool line(const json::Node& record, std::uint64_t offset, std::size_t size) override {
    const std::string type = text_at(record, "type");
    if (type == "session") {
      teller_.session(text_at(record, "id"), text_at(record, "cwd"));
      return true;
    }
    if (type != "message" && type != "compaction" && type != "branch_summary" && type != "custom_message")
      return is_known(record, type);
    append(record, type, {offset, size});
    return true;
  }

  Result<void> finish(context::LineSource& lines) override {
    const std::vector<std::size_t> path = path_to_last();
    std::size_t first = 0;
    for (std::size_t i = path.size(); i-- > 0;) {
      if (!records_[path[i]].is_compaction) continue;
      MAGI_CHECK(tell(lines, records_[path[i]]));
      const auto kept = std::find_if(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i), [&](std::size_t at) {
        return !records_[at].id.empty() && records_[at].id == first_kept_;
      });
      first = static_cast<std::size_t>(kept - path.begin());
      break;
    }
    for (std::size_t i = first; i < path.size(); ++i)
      if (!records_[path[i]].is_compaction) MAGI_CHECK(tell(lines, records_[path[i]]));
    return {};
  }

 private:
  struct Place {
    std::uint64_t offset;
    std::size_t size;
  };
  struct Record {
    std::string id;
    std::size_t parent;  // of records_; kNoParent
    Place place;
    bool is_compaction, is_told;
  };
  static constexpr std::size_t kNoParent = static_cast<std::size_t>(-1);

  // Records that say nothing still stand on the path.
  bool is_known(const json::Node& record, std::string_view type) {
    if (text_at(record, "id").empty() && !starts_with_any(type, {"model_change", "thinking_level_change", "custom"}))
      return false;
    append(record, type, {0, 0});
    return true;
  }

  void append(const json::Node& record, std::string_view type, Place place) {
    Record entry{text_at(record, "id"), records_.empty() ? kNoParent : records_.size() - 1, place, type == "compaction",
                 place.size > 0};
    if (!entry.id.empty()) {
      const auto parent = by_id_.find(text_at(record, "parentId"));
      entry.parent = parent == by_id_.end() ? kNoParent : parent->second;
      by_id_[entry.id] = records_.size();
    }
    records_.push_back(std::move(entry));
  }

  std::vector<std::size_t> path_to_last() const {
    std::vector<std::size_t> path;
    for (std::size_t at = records_.empty() ? kNoParent : records_.size() - 1; at != kNoParent; at = records_[at].parent)
      path.push_back(at);
    std::reverse(path.begin(), path.end());
    return path;
  }

  Result<void> tell(context::LineSource& lines, const Record& record) {
    if (!record.is_told) return {};
    MAGI_TRY(const std::string_view text, lines.fetch(record.place.offset, record.place.size));
    MAGI_TRY(const json::Node root, parser_.parse(text));
    const std::string type = text_at(root, "type");
    if (type == "compaction") {
      first_kept_ = text_at(root, "firstKeptEntryId");
      teller_.checkpoint(text_at(root, "summary"));
    } else if (type == "branch_summary") {
      teller_.prompt("Summary of a branch that was left:\n" + text_at(root, "summary"), {});
    } else if (type == "custom_message") {
      Content content = content_of(root.find("content"));
      if (!content.empty()) teller_.prompt(std::move(content.text), std::move(content.images));
    } else {
      message(root.find("message"));
    }
    return {};
  }

  void message(const json::Node& message) {
    const std::string role = text_at(message, "role");
    if (role == "assistant") return assistant(message);
    Content content = content_of(message.find("content"));
    if (role == "user" && !content.empty()) {
      teller_.prompt(std::move(content.text), std::move(content.images));
    } else if (role == "toolResult") {
      const bool failed = message.find("isError").as_bool() == true;
      teller_.result(call_id(text_at(message, "toolCallId")), failed ? "error" : "success", std::move(content.text),
                     std::move(content.images));
    } else if (role == "bashExecution" && message.find("excludeFromContext").as_bool() != true) {
      teller_.prompt("$ " + text_at(message, "command") + "\n" + text_at(message, "output"), {});
    }
  }

  void assistant(const json::Node& message) {
    const std::string reason = text_at(message, "stopReason");
    const std::string_view status = reason == "aborted" ? "cancelled" : reason == "error" ? "failed" : "completed";
    for (const json::Node block : message.find("content").elements()) {
      const std::string type = text_at(block, "type");
      if (type == "text") teller_.say(text_at(block, "text"), status);
      // Calls of an answer that broke off were never run.
      if (type != "toolCall" || status != "completed") continue;
      const json::Node arguments = block.find("arguments");
      teller_.call(call_id(text_at(block, "id")), text_at(block, "name"),
                   arguments ? std::string(arguments.raw()) : "{}");
    }
    if (status != "completed") teller_.end_turn(status);
  }

  // "call_1|fc_2": the call's ID and that of its item.
  static std::string call_id(std::string id) { return id.substr(0, id.find('|')); }

  Teller& teller_;
  json::Parser parser_;
  std::vector<Record> records_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::string first_kept_;
};

}  // namespace

std::unique_ptr<ForeignReader> pi_reader(Teller& teller) { return std::make_unique<PiReader>(teller); }

}  // namespace magi::replay
