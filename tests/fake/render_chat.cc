// Chat Completions: chunks with one choice, then usage if it was asked for, then [DONE].
#include "tests/fake/render.h"

namespace magi::fake {
namespace {

std::string finish_of(const Turn& turn) {
  if (!turn.finish.empty()) return turn.finish;
  return turn.calls.empty() ? "stop" : "tool_calls";
}

class Renderer {
 public:
  Renderer(const Turn& turn, const Rendering& how) : turn_(turn), how_(how) {}

  Answer run() {
    chunk(R"({"role":"assistant","content":""})", false);
    for (const std::string& piece : pieces(turn_.thinking, turn_.chunk))
      chunk("{\"reasoning_content\":" + quote(piece) + "}");
    for (const std::string& piece : pieces(turn_.text, turn_.chunk)) chunk("{\"content\":" + quote(piece) + "}");
    for (std::size_t i = 0; i < turn_.calls.size(); ++i) call(i);
    if (turn_.stream_error)
      emit("{\"error\":" + *turn_.stream_error + "}");
    else if (turn_.terminal)
      stop();
    answer_.json = whole();
    return std::move(answer_);
  }

 private:
  void emit(const std::string& data, bool delta = false) {
    answer_.events.push_back(sse_event(turn_, "", data, delta));
  }

  std::string head(std::string_view object) const {
    return "{\"id\":\"chatcmpl-" + std::to_string(how_.id) + "\",\"object\":\"" + std::string(object) +
           "\",\"created\":0,\"model\":" + quote(how_.model);
  }
  std::string usage() const {
    return "\"usage\":{\"prompt_tokens\":" + std::to_string(how_.input_tokens) +
           ",\"completion_tokens\":" + std::to_string(how_.output_tokens) +
           ",\"total_tokens\":" + std::to_string(how_.input_tokens + how_.output_tokens) + "}";
  }
  void chunk(const std::string& delta, bool paced = true, const std::string& finish = "null") {
    emit(head("chat.completion.chunk") + ",\"choices\":[{\"index\":0,\"delta\":" + delta +
             ",\"finish_reason\":" + finish + "}]}",
         paced);
  }

  static std::string function(const Call& call, const std::string& arguments) {
    return "\"id\":" + quote(call.id) + ",\"type\":\"function\",\"function\":{\"name\":" + quote(call.name) +
           ",\"arguments\":" + quote(arguments) + "}";
  }

  // The first piece has the id and the name, the later ones arguments alone.
  void call(std::size_t i) {
    const std::string index = "{\"tool_calls\":[{\"index\":" + std::to_string(i) + ",";
    chunk(index + function(turn_.calls[i], "") + "}]}", false);
    for (const std::string& piece : pieces(turn_.calls[i].arguments, turn_.chunk))
      chunk(index + "\"function\":{\"arguments\":" + quote(piece) + "}}]}");
  }

  void stop() {
    chunk("{}", false, quote(finish_of(turn_)));
    if (how_.include_usage && turn_.usage) emit(head("chat.completion.chunk") + ",\"choices\":[]," + usage() + "}");
    emit("[DONE]");
  }

  std::string whole() const {
    std::string calls;
    for (const Call& call : turn_.calls) calls += (calls.empty() ? "{" : ",{") + function(call, call.arguments) + "}";
    const std::string content = turn_.text.empty() ? "null" : quote(turn_.text);
    return head("chat.completion") +
           ",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":" + content +
           (calls.empty() ? "" : ",\"tool_calls\":[" + calls + "]") + "},\"finish_reason\":" + quote(finish_of(turn_)) +
           "}]," + usage() + "}";
  }

  const Turn& turn_;
  const Rendering& how_;
  Answer answer_;
};

}  // namespace

Answer render_chat(const Turn& turn, const Rendering& how) { return Renderer(turn, how).run(); }

}  // namespace magi::fake
