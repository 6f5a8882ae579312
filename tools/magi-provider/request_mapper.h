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
  // The request's, else the conversation's; may be empty.
  const std::string& session_id() const { return request_.session_id.empty() ? session_id_ : request_.session_id; }
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
  // `joins`: the text goes on where the one before it broke off, in the middle of a word perhaps.
  virtual void on_assistant(RawText text, bool joins) = 0;
  virtual void on_call(const Call& call) = 0;
  virtual void on_result(const ToolOutput& result) = 0;
  // An item of our own family, in the order in which the server gave it.
  virtual void on_item(const json::Node& item) = 0;
  // Whether the item makes sense only in front of what it led to, and must not be sent alone.
  virtual bool is_reasoning(const json::Node& item) const = 0;
  // Whether the API takes the item back; one that lacks what it wants is left out.
  virtual bool is_sendable(const json::Node& item) const { return static_cast<void>(item), true; }
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
  // `tool_choice` as a word ("auto", "none", "required") or the name of a tool; both empty where it is not given.
  struct ToolChoice {
    std::string word, tool;
  };
  ToolChoice tool_choice() const;
  struct Tool {
    std::string name, description;
    std::string schema;  // JSON
  };
  const std::vector<Tool>& tools() const { return tools_; }
  // One stable value a conversation, for the provider's prompt cache: of its session, at most 64 characters; or empty.
  std::string cache_key() const;
  // Of OpenAI's models: those without reasoning refuse to be asked for it, the others refuse a temperature, at whatever
  // address they are.
  static bool reasons(std::string_view model);
  bool takes_temperature(std::string_view model) const;
  bool is_host(std::string_view suffix) const;
  void notice(std::string text) { notices_.push_back(std::move(text)); }

  MapperOptions options_;
  Body body_;

 private:
  struct OpenCall {
    std::string source_id, wire_id;
    bool answered = false;
    // A result that came before those of earlier calls: it waits for them.
    std::string text;
    bool failed = false;
    std::vector<Image> images;
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
  void write_results();
  void release_reasoning();
  // The text without lone surrogates; in `storage` where it must change.
  static RawText clean(const json::Node& text, std::string& storage);
  bool is_own(std::string_view provider) const;
  void put_assistant(RawText text, bool joins);

  event::Request request_;
  json::Parser parameters_parser_, arguments_parser_, item_parser_;
  json::Node parameters_;
  std::vector<Tool> tools_;
  std::vector<std::pair<std::string, std::string>> renamed_tools_;
  std::string session_id_, selected_effort_;
  std::vector<OpenCall> open_calls_;
  std::size_t results_written_ = 0;  // of the open calls, in their order
  bool results_begun_ = false;
  std::unordered_set<std::string> source_ids_, wire_ids_;
  std::vector<std::string> held_reasoning_;  // items whose successor has not come
  bool empty_ = true, ends_with_assistant_ = false;
  // The answer whose text stands last: another piece of the same turn goes on where it ends.
  std::string text_turn_;
  bool text_is_open_ = false, text_was_cut_ = false;
  std::vector<std::string> notices_;
};

}  // namespace magi::provider
