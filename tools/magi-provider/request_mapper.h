// From a conversation to a request body, record by record as they arrive.  What holds for every wire format is here:
// calls and results in pairs, ids legal and used once, arguments that are JSON objects, no blank texts, opaque items to
// their own family only, reasoning only in front of what it led to.  A wire format adds its syntax.  Pure, but for the
// images, which are read from the paths that the conversation names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/context/conversation_reader.h"
#include "libcommon/event/stream.h"
#include "tools/magi-provider/answer_writer.h"
#include "tools/magi-provider/body.h"
#include "tools/magi-provider/image.h"
#include "tools/magi-provider/stream_reader.h"
#include "tools/magi-provider/wire_names.h"

namespace magi::provider {

struct MapperOptions {
  std::string provider;  // whose items are its own
  std::string base_url;
};

class RequestMapper {
 public:
  explicit RequestMapper(MapperOptions options) : options_(std::move(options)) {}
  virtual ~RequestMapper() = default;

  // One record of a conversation, `request` and `conversation` included, `end` and `cancel` not.
  Result<void> add(const context::StreamRecord& record);
  // The conversation is over; `prompt`, unless empty, is its last message.  Error kUsage where nothing would be asked.
  Result<void> finish(std::string_view prompt);
  // Requires: finish() succeeded.  May be called once.
  Body take_body(std::string_view model);

  const event::Request& request() const { return request_; }
  // `parameters.model` of the request; empty where it names none.
  std::string requested_model() const { return parameter("model").as_string().value_or(""); }
  // What reading the answer needs; call after finish().
  ReaderContext reader_context() const;
  // What was left out or repaired, one line each.
  const std::vector<std::string>& notices() const { return notices_; }

 protected:
  struct Call {
    std::string id;    // legal, used by no other call
    std::string name;  // legal
    std::string json;  // arguments: a JSON object
    RawText raw;       // the same as the source of a JSON string
  };
  struct ToolOutput {
    std::string id;
    RawText text;
    bool failed = false;
    std::vector<Image> images;
  };
  // `text` is never blank where there are no images.
  virtual void on_user(RawText text, std::vector<Image> images) = 0;
  virtual void on_assistant(RawText text) = 0;
  virtual void on_call(const Call& call) = 0;
  virtual void on_result(const ToolOutput& result) = 0;
  // An item of our own family, in the order in which the server gave it.
  virtual void on_item(const json::Node& item) = 0;
  // Whether the item makes sense only in front of what it led to, and must not be sent alone.
  virtual bool is_reasoning(const json::Node& item) const = 0;
  // Whether a conversation may end with this item.
  virtual bool may_end_with(const json::Node& item) const { return static_cast<void>(item), false; }
  virtual IdRules id_rules() const = 0;
  // Closes what is open, and says what stands in front of and behind the messages.
  virtual void write_end(std::string& out) = 0;
  virtual void write_head(std::string& out, std::string_view model) = 0;

  // Of the request's `parameters`; falsy where absent.
  json::Node parameter(std::string_view key) const { return parameters_.find(key); }
  // The reasoning effort: the request's, else the last one that the user selected; empty: none.
  std::string reasoning_effort() const;
  struct Tool {
    std::string name, description;
    std::string schema;  // JSON
  };
  const std::vector<Tool>& tools() const { return tools_; }
  std::string session_id() const { return request_.session_id.empty() ? session_id_ : request_.session_id; }
  bool is_host(std::string_view suffix) const;
  void notice(std::string text) { notices_.push_back(std::move(text)); }

  MapperOptions options_;
  Body body_;

 private:
  struct OpenCall {
    std::string source_id, wire_id;
    bool answered = false;
  };
  Result<void> take_request(const json::Node& root);
  Result<void> take_tools();
  Result<void> take_text(const json::Node& root, std::string_view lead_in);
  Result<void> take_user(const json::Node& root);
  Result<void> take_assistant(const json::Node& root);
  Result<void> take_call(const json::Node& root);
  Result<void> take_result(const json::Node& root);
  Result<void> take_item(const json::Node& root);
  void settle_calls();
  void release_reasoning();
  // The text without lone surrogates; in `storage` where it must change.
  static RawText clean(const json::Node& text, std::string& storage);
  bool is_own(std::string_view provider) const;

  event::Request request_;
  json::Parser parameters_parser_, arguments_parser_, item_parser_;
  json::Node parameters_;
  std::vector<Tool> tools_;
  std::vector<std::pair<std::string, std::string>> renamed_tools_;
  std::string session_id_, selected_effort_;
  std::vector<OpenCall> open_calls_;
  bool results_begun_ = false;
  std::unordered_set<std::string> source_ids_, wire_ids_;
  std::vector<std::string> held_reasoning_;  // items whose successor has not come
  bool empty_ = true, ends_with_assistant_ = false;
  std::vector<std::string> notices_;
};

}  // namespace magi::provider
