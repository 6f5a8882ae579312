// The loop between standard input, standard output and what answers: one conversation, or requests one after another.
#pragma once

#include <deque>
#include <optional>
#include <string_view>

#include "libcommon/tool/stdout.h"
#include "tools/magi-provider/answerer.h"
#include "tools/magi-provider/intake.h"

namespace magi::provider {

struct HostOptions {
  std::string_view name;  // of the executable, for messages
  bool serve = false;
  std::string prompt;
  int input_fd = 0;  // -1: there is none
  int output_fd = 1;
  bool show_waiting = false;  // stderr is a terminal
};

class Host {
 public:
  Host(HostOptions options, Answerer& answerer, tool::Stdout& out);
  // The exit status.  Error: the input or the output failed.
  Result<int> run();

 private:
  Result<void> take_input();
  void take_arrivals();
  void cancel(const std::string& request_id);
  void answer_cancelled(const std::string& request_id);
  void start_next();
  void refuse(const Incoming& bad);
  void show_notices(const RequestMapper& mapper);
  bool finished() const;
  int status() const;

  HostOptions options_;
  Answerer& answerer_;
  tool::Stdout& out_;
  Intake intake_;
  std::deque<Incoming> waiting_;
  std::string current_id_;
  std::optional<AnswerWriter> writer_;
  bool answered_ = false;
  std::optional<Error> refusal_;  // one conversation only
};

}  // namespace magi::provider
