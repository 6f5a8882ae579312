// What magi-assess, or a program in its place, is asked and answers (magi-assess(1)).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/event/fields.h"
#include "libcommon/event/names.h"

namespace magi::event {

struct AssessedCall {
  std::string name, arguments;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("name", self.name);
    v.optional("arguments", self.arguments);
  }
};

struct Assess {
  static constexpr std::string_view kType = name::kAssess;
  std::string result_id, policy, output;
  AssessedCall call;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("result_id", self.result_id);
    v.optional("policy", self.policy);
    v.optional("call", self.call);
    v.required("output", self.output);
  }
};

struct AssessmentAnswer {
  static constexpr std::string_view kType = name::kAssessment;
  std::string result_id;
  std::string verdict;   // allow, redact, withhold
  std::string coverage;  // complete, partial
  std::int64_t score = 0;
  Raw spans;  // [[first, last], ...]: bytes of the output, last excluded
  Raw rules;  // names

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("result_id", self.result_id);
    v.required("verdict", self.verdict);
    v.optional("score", self.score);
    v.required("coverage", self.coverage);
    v.optional("spans", self.spans);
    v.optional("rules", self.rules);
  }
};

}  // namespace magi::event
