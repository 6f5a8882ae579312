// Codex: a "rollout", one record a line: {timestamp, type, payload}, where a response_item's payload is an item of the
// Responses API.  Before September 2025 the items stood there bare.
#include <map>

#include "libcommon/json/writer.h"
#include "tools/magi-replay/foreign_reader.h"

namespace magi::replay {
namespace {

// Messages of the user's role that the program wrote itself.
bool is_own_message(std::string_view text) {
  return starts_with_any(text, {"<environment_context>", "<user_instructions>", "# AGENTS.md instructions",
                                "<permissions instructions>", "<turn_aborted>", "<skills_instructions>",
                                "<subagent_notification>", "<collaboration_mode>", "<model_switch>"});
}

class CodexReader : public ForeignReader {
 public:
  explicit CodexReader(Teller& teller) : teller_(teller), start_(teller.mark()) {}

  bool line(const json::Node& record, std::uint64_t, std::size_t) override {
    const std::string type = text_at(record, "type");
    const json::Node payload = record.find("payload");
    if (type == "session_meta") return begin(payload), true;
    if (type == "response_item") return item(payload), true;
    if (type == "event_msg") return event(payload), true;
    if (type == "compacted") return compacted(payload), true;
    if (type == "turn_context" || record.find("record_type")) return true;
    if (type.empty() && record.find("id") && record.find("timestamp")) return begin(record), true;
    return item(record);
  }

  Result<void> finish(context::LineSource&) override { return {}; }

  std::string left_out() const override {
    return unreadable_ ? "kept what was compacted: its summary is encrypted" : std::string();
  }

 private:
  // A fork tells the history of its source again.
  void begin(const json::Node& meta) {
    const bool is_fork = !text_at(meta, "forked_from_id").empty();
    if (is_fork) {
      teller_.back_to(start_);
      turns_.clear();
    }
    if (is_fork || teller_.session_id().empty()) teller_.session(text_at(meta, "id"), text_at(meta, "cwd"));
  }

  bool item(const json::Node& item) {
    const std::string type = text_at(item, "type");
    if (type == "message") return message(item), true;
    if (type == "function_call") return call(item, text_at(item, "name"), text_at(item, "arguments")), true;
    if (type == "custom_tool_call") {
      std::string arguments;
      json::Writer(arguments).begin_object().key("input").string(text_at(item, "input")).end_object();
      return call(item, text_at(item, "name"), std::move(arguments)), true;
    }
    if (type == "local_shell_call") {
      const json::Node action = item.find("action");
      return call(item, "local_shell", action ? std::string(action.raw()) : "{}"), true;
    }
    if (type == "function_call_output" || type == "custom_tool_call_output") return output(item), true;
    return type == "reasoning" || type == "web_search_call" || type == "compaction" || type == "ghost_snapshot";
  }

  void call(const json::Node& item, std::string name, std::string arguments) {
    if (const std::string id = text_at(item, "call_id"); !id.empty() && !name.empty())
      teller_.call(id, std::move(name), std::move(arguments));
  }

  void message(const json::Node& item) {
    const std::string role = text_at(item, "role");
    Content content = content_of(item.find("content"));
    if (role == "assistant") return teller_.say(std::move(content.text), "completed");
    if (role != "user" || content.empty() || is_own_message(content.text)) return;
    const bool steering = task_open_ && prompted_;
    if (!steering) turns_.push_back(teller_.mark());
    prompted_ = true;
    teller_.prompt(std::move(content.text), std::move(content.images), steering);
  }

  // A text, items of content, or a text that is JSON around both.
  void output(const json::Node& item) {
    const json::Node output = item.find("output");
    json::Node body = output.is(json::Kind::kObject) ? output.find("content") : output;
    std::string status = output.find("success").as_bool() == false ? "error" : "success";
    Content content = content_of(body);
    json::Parser parser;
    if (content.text.starts_with("{\"output\":")) {
      if (const auto wrapped = parser.parse(content.text); wrapped && wrapped->find("output").is(json::Kind::kString)) {
        if (wrapped->find("metadata").find("exit_code").as_int().value_or(0) != 0) status = "error";
        content.text = text_at(*wrapped, "output");
      }
    }
    teller_.result(text_at(item, "call_id"), status, std::move(content.text), std::move(content.images));
  }

  void event(const json::Node& event) {
    const std::string type = text_at(event, "type");
    if (type == "task_started" || type == "turn_started") {
      task_open_ = true;
      prompted_ = false;
    } else if (type == "task_complete" || type == "turn_complete" || type == "turn_aborted") {
      task_open_ = false;
      teller_.end_turn(type == "turn_aborted" ? "cancelled" : "completed");
    } else if (type == "thread_rolled_back") {
      for (auto left = event.find("num_turns").as_int().value_or(0); left > 0 && !turns_.empty(); --left) {
        teller_.back_to(turns_.back());
        turns_.pop_back();
      }
    }
  }

  void compacted(const json::Node& payload) {
    std::string summary = text_at(payload, "message");
    if (summary.find_first_not_of(" \t\r\n") == std::string::npos) {
      unreadable_ = true;
      return;
    }
    teller_.checkpoint(std::move(summary));
    turns_.clear();
  }

  Teller& teller_;
  Teller::Mark start_;
  std::vector<Teller::Mark> turns_;  // where each begins
  bool task_open_ = false, prompted_ = false, unreadable_ = false;
};

}  // namespace

std::unique_ptr<ForeignReader> codex_reader(Teller& teller) { return std::make_unique<CodexReader>(teller); }

}  // namespace magi::replay
