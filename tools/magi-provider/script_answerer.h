// Answers from a script: the N-th answer for a conversation with N assistant turns, counted from none, so that retries,
// restarts and one-shot calls all get the right one.
#pragma once

#include "tools/magi-provider/answerer.h"
#include "tools/magi-provider/script.h"

namespace magi::provider {

// Counts the assistant's turns; a turn is a run of its text, calls and items.
class TurnCounter final : public RequestMapper {
 public:
  TurnCounter() : RequestMapper({"scripted", {}}) {}
  std::size_t turns() const { return turns_; }

 private:
  void on_user(RawText, std::vector<Image>) override { inside_ = false; }
  void on_assistant(RawText, bool) override { enter(); }
  void on_call(const Call&) override { enter(); }
  void on_result(const ToolOutput&) override { inside_ = false; }
  void on_item(const json::Node&) override { enter(); }
  bool is_reasoning(const json::Node&) const override { return false; }
  IdRules id_rules() const override { return {}; }
  void write_end(std::string&) override {}
  void write_head(std::string&, std::string_view) override {}
  void enter() { turns_ += !std::exchange(inside_, true); }

  std::size_t turns_ = 0;
  bool inside_ = false;
};

class ScriptAnswerer final : public Answerer {
 public:
  ScriptAnswerer(std::vector<ScriptedAnswer> answers, std::string model)
      : answers_(std::move(answers)), model_(std::move(model)) {}

  std::unique_ptr<RequestMapper> new_mapper() const override { return std::make_unique<TurnCounter>(); }
  void begin(std::unique_ptr<RequestMapper> mapper, AnswerWriter& out) override;
  void step() override;
  bool busy() const override { return playing_ != nullptr; }
  void cancel() override;
  AnswerEnd end() const override { return end_; }
  const std::string& failure_text() const override { return failure_text_; }
  void wait(std::span<const int> readable, int watched) override;

 private:
  void play(const ScriptLine& line);
  void schedule();

  std::vector<ScriptedAnswer> answers_;
  std::string model_;
  const ScriptedAnswer* playing_ = nullptr;
  std::size_t next_ = 0;
  std::int64_t due_ns_ = 0;
  AnswerWriter* out_ = nullptr;
  AnswerEnd end_ = AnswerEnd::kDone;
  std::string failure_text_;
};

}  // namespace magi::provider
