// The stream of the OpenAI Responses API and of servers that imitate it.
#pragma once

#include <map>
#include <set>

#include "tools/magi-provider/stream_reader.h"

namespace magi::provider {

class ResponsesReader final : public StreamReader {
 public:
  using StreamReader::StreamReader;

 private:
  // An output item while it streams.
  struct Slot {
    bool is_call = false, announced = false, done = false;
    bool text_seen = false;
    std::size_t text_bytes = 0;  // of the part of text under way: what has come, and its digest
    std::uint64_t text_mark = 0;
    std::string call_id, name;
    std::string arguments;  // RawText
  };

  void on_value(const json::Node& value) override;
  void on_document(const json::Node& value) override;
  void on_same_delta(RawText text) override;

  void on_item_event(std::string_view type, const json::Node& value);
  void on_text_event(std::string_view type, const json::Node& value);
  void on_reasoning_event(std::string_view type, const json::Node& value);
  void on_arguments_event(std::string_view type, const json::Node& value);
  void on_terminal(std::string_view type, const json::Node& response);

  // Keyed by `output_index`, because some servers give an item another id in each event; by arrival without one.
  Slot& slot_of(const json::Node& value, const json::Node& item);
  void finish_text(Slot& slot, RawText whole);
  void announce(Slot& slot, const json::Node& item);
  void take_item(Slot& slot, const json::Node& item);
  void take_message(Slot& slot, const json::Node& item);
  void take_call(Slot& slot, const json::Node& item);
  void take_output(const json::Node& output);
  void finish_open_calls();
  void take_usage(const json::Node& usage);

  std::map<std::int64_t, Slot> slots_;
  std::map<std::string, std::int64_t> index_of_id_;
  Slot* delta_slot_ = nullptr;  // of the last delta of text
  bool refused_ = false;
};

}  // namespace magi::provider
