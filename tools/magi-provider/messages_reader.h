// The stream of the Anthropic Messages API.
#pragma once

#include <map>

#include "tools/magi-provider/stream_reader.h"

namespace magi::provider {

class MessagesReader final : public StreamReader {
 public:
  using StreamReader::StreamReader;

 private:
  enum class BlockKind { kText, kThinking, kToolUse, kOpaque };
  struct Block {
    BlockKind kind = BlockKind::kText;
    std::string start;            // JSON of the block as it began
    std::string call_id, name;    // kToolUse
    std::string body, signature;  // RawText: input JSON, thinking or compaction text
    bool body_is_input = false;
  };

  void on_value(const json::Node& value) override;
  void on_document(const json::Node& value) override;
  void on_end() override;

  void on_message_start(const json::Node& message);
  void on_block_start(std::int64_t index, const json::Node& block);
  void on_block_delta(std::int64_t index, const json::Node& delta);
  void finish_block(Block& block);
  void finish_opaque(const Block& block);
  void on_message_delta(const json::Node& value);
  void finish_message();
  void refuse();
  void take_usage(const json::Node& usage);

  std::map<std::int64_t, Block> blocks_;
  std::string message_id_, stop_reason_, refusal_;
  std::int64_t fresh_input_ = 0;
};

}  // namespace magi::provider
