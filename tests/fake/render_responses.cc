// OpenAI Responses: each output item opens, carries deltas, and is repeated whole when it closes.
#include "libcommon/json/writer.h"
#include "tests/fake/render.h"

namespace magi::fake {
namespace {

using json::Writer;

class Renderer {
 public:
  Renderer(const Turn& turn, const Rendering& how) : turn_(turn), how_(how), id_(std::to_string(how.id)) {}

  Answer run() {
    emit("response.created", "\"response\":" + response("in_progress", "[]"));
    if (!turn_.thinking.empty()) reasoning();
    if (!turn_.text.empty()) message();
    for (const Call& call : turn_.calls) this->call(call);
    if (turn_.stream_error)
      emit("error", "\"error\":" + *turn_.stream_error);
    else if (turn_.terminal)
      terminal();
    answer_.json = response(status(), "[" + output_ + "]");
    return std::move(answer_);
  }

 private:
  void emit(std::string_view type, const std::string& members, bool delta = false) {
    std::string data = "{\"type\":" + quote(type) + ",\"sequence_number\":" + std::to_string(answer_.events.size());
    data.append(",").append(members).append("}");
    answer_.events.push_back(sse_event(turn_, type, data, delta));
  }

  std::string place(const std::string& item_id) const {
    return "\"item_id\":" + quote(item_id) + ",\"output_index\":" + std::to_string(index_) + ",";
  }

  void open(const std::string& item) {
    emit("response.output_item.added", "\"output_index\":" + std::to_string(index_) + ",\"item\":" + item);
  }
  void close(const std::string& item) {
    emit("response.output_item.done", "\"output_index\":" + std::to_string(index_) + ",\"item\":" + item);
    if (!output_.empty()) output_ += ",";
    output_ += item;
    ++index_;
  }

  void reasoning() {
    const std::string id = "rs_" + id_, head = "{\"id\":\"" + id + "\",\"type\":\"reasoning\",\"summary\":";
    const auto part = [](const std::string& text) {
      return "{\"type\":\"summary_text\",\"text\":" + quote(text) + "}";
    };
    const std::string at = place(id) + "\"summary_index\":0,";
    open(head + "[],\"status\":\"in_progress\"}");
    emit("response.reasoning_summary_part.added", at + "\"part\":" + part(""));
    for (const std::string& piece : pieces(turn_.thinking, turn_.chunk))
      emit("response.reasoning_summary_text.delta", at + "\"delta\":" + quote(piece), true);
    emit("response.reasoning_summary_text.done", at + "\"text\":" + quote(turn_.thinking));
    emit("response.reasoning_summary_part.done", at + "\"part\":" + part(turn_.thinking));
    close(head + "[" + part(turn_.thinking) + "],\"encrypted_content\":\"fake-" + id_ + "\",\"status\":\"completed\"}");
  }

  void message() {
    const std::string id = "msg_" + id_;
    const std::string head = "{\"id\":\"" + id + "\",\"type\":\"message\",\"role\":\"assistant\",\"content\":";
    const auto part = [](const std::string& text) {
      return "{\"type\":\"output_text\",\"text\":" + quote(text) + ",\"annotations\":[]}";
    };
    const std::string at = place(id) + "\"content_index\":0,";
    open(head + "[],\"status\":\"in_progress\"}");
    emit("response.content_part.added", at + "\"part\":" + part(""));
    for (const std::string& piece : pieces(turn_.text, turn_.chunk))
      emit("response.output_text.delta", at + "\"delta\":" + quote(piece), true);
    emit("response.output_text.done", at + "\"text\":" + quote(turn_.text));
    emit("response.content_part.done", at + "\"part\":" + part(turn_.text));
    close(head + "[" + part(turn_.text) + "],\"status\":\"completed\"}");
  }

  void call(const Call& call) {
    const std::string key = call.custom ? "input" : "arguments", id = "fc_" + id_ + "_" + call.id;
    const std::string step = call.custom ? "response.custom_tool_call_input" : "response.function_call_arguments";
    const std::string head = "{\"id\":" + quote(id) + ",\"type\":\"" +
                             (call.custom ? "custom_tool_call" : "function_call") + "\",\"call_id\":" + quote(call.id) +
                             ",\"name\":" + quote(call.name) + ",\"" + key + "\":";
    open(head + "\"\",\"status\":\"in_progress\"}");
    for (const std::string& piece : pieces(call.arguments, turn_.chunk))
      emit(step + ".delta", place(id) + "\"delta\":" + quote(piece), true);
    emit(step + ".done", place(id) + "\"" + key + "\":" + quote(call.arguments));
    close(head + quote(call.arguments) + ",\"status\":\"completed\"}");
  }

  std::string status() const {
    return turn_.finish.empty() || turn_.finish == "completed" ? "completed" : "incomplete";
  }

  std::string reason() const { return turn_.finish == "length" ? "max_output_tokens" : turn_.finish; }

  std::string response(const std::string& status, const std::string& output) const {
    std::string out;
    Writer w(out);
    w.begin_object().key("id").string("resp_" + id_).key("object").string("response").key("created_at").integer(0);
    w.key("model").string(how_.model).key("status").string(status).key("error").null().key("incomplete_details");
    if (status == "incomplete")
      w.begin_object().key("reason").string(reason()).end_object();
    else
      w.null();
    w.key("output").raw(output).key("usage");
    if (status == "in_progress" || !turn_.usage) return w.null().end_object(), out;
    w.begin_object().key("input_tokens").integer(how_.input_tokens);
    w.key("input_tokens_details").raw("{\"cached_tokens\":0}").key("output_tokens").integer(how_.output_tokens);
    w.key("output_tokens_details").raw("{\"reasoning_tokens\":0}");
    w.key("total_tokens").integer(how_.input_tokens + how_.output_tokens).end_object().end_object();
    return out;
  }

  void terminal() { emit("response." + status(), "\"response\":" + response(status(), "[" + output_ + "]")); }

  const Turn& turn_;
  const Rendering& how_;
  std::string id_, output_;
  int index_ = 0;
  Answer answer_;
};

}  // namespace

Answer render_responses(const Turn& turn, const Rendering& how) { return Renderer(turn, how).run(); }

}  // namespace magi::fake
