// The answer of the model: whether it may take the place of what it summarises.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/context/session_ledger.h"
#include "libcommon/json/node.h"

namespace magi::compact {

class Answer {
 public:
  // A line of magi-provider's output.  Error kUpstream: the provider failed, or wrote what is no record.
  Result<void> take(std::string_view line);

  // The summary.  Error kUpstream, saying why: the answer is not whole, calls tools, is blank, was cut by the output
  // limit, or is a refusal.
  Result<std::string> summary() const;
  const context::CarriedUsage& usage() const { return usage_; }
  // The error was one that another attempt may not have.
  bool may_retry() const { return may_retry_; }

 private:
  json::Parser parser_;
  std::string text_, stop_reason_, status_;
  bool is_done_ = false, calls_tools_ = false, may_retry_ = false;
  context::CarriedUsage usage_;
};

// True for a short text that begins as models do when they decline.
bool is_refusal(std::string_view text);

}  // namespace magi::compact
