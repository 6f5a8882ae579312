// Anthropic Messages: numbered content blocks between message_start and message_stop.
#include "tests/fake/render.h"

namespace magi::fake {
namespace {

struct Block {
  std::string empty, full;      // JSON at its start and at its end
  std::string kind, key, text;  // of its deltas
  bool is_signed = false;
};

std::vector<Block> blocks_of(const Turn& turn) {
  std::vector<Block> blocks;
  if (!turn.thinking.empty())
    blocks.push_back({R"({"type":"thinking","thinking":"","signature":""})",
                      "{\"type\":\"thinking\",\"thinking\":" + quote(turn.thinking) + ",\"signature\":\"fake\"}",
                      "thinking_delta", "thinking", turn.thinking, true});
  if (!turn.text.empty())
    blocks.push_back({R"({"type":"text","text":""})", "{\"type\":\"text\",\"text\":" + quote(turn.text) + "}",
                      "text_delta", "text", turn.text});
  for (const Call& call : turn.calls) {
    const std::string head =
        "{\"type\":\"tool_use\",\"id\":" + quote(call.id) + ",\"name\":" + quote(call.name) + ",\"input\":";
    blocks.push_back({head + "{}}", head + call.arguments + "}", "input_json_delta", "partial_json", call.arguments});
  }
  return blocks;
}

std::string stop_of(const Turn& turn) {
  std::string reason = turn.finish == "length" ? "max_tokens" : turn.finish;
  if (reason.empty()) reason = turn.calls.empty() ? "end_turn" : "tool_use";
  return "\"stop_reason\":" + quote(reason) + ",\"stop_sequence\":null";
}

class Renderer {
 public:
  Renderer(const Turn& turn, const Rendering& how) : turn_(turn), how_(how) {}

  Answer run() {
    const std::vector<Block> blocks = blocks_of(turn_);
    emit("message_start",
         "\"message\":{" + head() + ",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null," + usage(1) + "}");
    std::string content;
    for (const Block& block : blocks) {
      this->block(block);
      content += (content.empty() ? "" : ",") + block.full;
    }
    if (turn_.stream_error)
      emit("error", "\"error\":" + *turn_.stream_error);
    else if (turn_.terminal)
      stop();
    answer_.json =
        "{" + head() + ",\"content\":[" + content + "]," + stop_of(turn_) + "," + usage(how_.output_tokens) + "}";
    return std::move(answer_);
  }

 private:
  void emit(std::string_view type, const std::string& members, bool delta = false) {
    answer_.events.push_back(
        sse_event(turn_, type, "{\"type\":" + quote(type) + (members.empty() ? "" : "," + members) + "}", delta));
  }

  std::string head() const {
    return "\"id\":\"msg_" + std::to_string(how_.id) +
           "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":" + quote(how_.model);
  }
  std::string usage(std::int64_t output) const {
    return "\"usage\":{\"input_tokens\":" + std::to_string(how_.input_tokens) +
           ",\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":" +
           std::to_string(output) + "}";
  }

  void block(const Block& block) {
    const std::string at = "\"index\":" + std::to_string(index_++);
    emit("content_block_start", at + ",\"content_block\":" + block.empty);
    const auto delta = [&](const std::string& kind, const std::string& key, const std::string& text, bool paced) {
      emit("content_block_delta", at + ",\"delta\":{\"type\":\"" + kind + "\",\"" + key + "\":" + quote(text) + "}",
           paced);
    };
    for (const std::string& piece : pieces(block.text, turn_.chunk)) delta(block.kind, block.key, piece, true);
    if (block.is_signed) delta("signature_delta", "signature", "fake", false);
    emit("content_block_stop", at);
  }

  void stop() {
    std::string members = "\"delta\":{" + stop_of(turn_) + "}";
    if (turn_.usage) members += ",\"usage\":{\"output_tokens\":" + std::to_string(how_.output_tokens) + "}";
    emit("message_delta", members);
    emit("message_stop", "");
  }

  const Turn& turn_;
  const Rendering& how_;
  int index_ = 0;
  Answer answer_;
};

}  // namespace

Answer render_messages(const Turn& turn, const Rendering& how) { return Renderer(turn, how).run(); }

}  // namespace magi::fake
