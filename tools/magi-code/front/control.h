// `--json --control`: actions as JSON Lines on stdin, each answered by `accepted`, later `delivered`, or `refused`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tools/magi-code/front/json_sink.h"
#include "tools/magi-code/front/line_input.h"
#include "tools/magi-code/loop/run.h"

namespace magi::code {

class Control {
 public:
  // `start` begins a run with the prompt of an action.
  Control(Run& run, JsonSink& sink, std::function<void(UserPrompt)> start)
      : run_(run), sink_(sink), start_(std::move(start)) {}

  // One line of stdin.
  void on_line(const InputLine& line);

 private:
  void take(const Action& action);
  void recall(const Action& action);
  void accept(const Action& action, std::string text = {}) {
    (void)sink_.write(Accepted{action.id, action.type, std::move(text), {}, {}});
  }
  void refuse(const Action& action, std::string reason) {
    (void)sink_.write(Refused{action.id, action.type, {}, {}, std::move(reason)});
  }

  Run& run_;
  JsonSink& sink_;
  std::function<void(UserPrompt)> start_;
};

}  // namespace magi::code
