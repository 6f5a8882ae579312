// What was measured of one stream, as JSON or as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/tokens/budget.h"
#include "libcommon/tokens/record_cost.h"

namespace magi::measure {

struct Measured {
  std::string provider, model;
  bool has_request = false;  // false: instructions and tools are not in the stream
  tokens::Split split;
  std::string_view method;
  bool is_exact = false;
  tokens::Budget budget;
  tokens::Fit fit;
  std::uint64_t replaced_bytes = 0;
};

// One object with LF.
void append_json(std::string& out, const Measured& measured);
void append_text(std::string& out, const Measured& measured);

}  // namespace magi::measure
