#include "tools/magi-assess/report.h"

#include "libcommon/json/writer.h"

namespace magi::assess {

event::AssessmentAnswer record_of(std::string result_id, const Assessment& assessment) {
  event::AssessmentAnswer record;
  record.result_id = std::move(result_id);
  record.verdict = name_of(assessment.verdict);
  record.coverage = assessment.complete ? "complete" : "partial";
  record.score = assessment.score;
  json::Writer spans(record.spans.json);
  spans.begin_array();
  for (const auto& [begin, end] : assessment.spans)
    spans.begin_array().integer(static_cast<std::int64_t>(begin)).integer(static_cast<std::int64_t>(end)).end_array();
  spans.end_array();
  json::Writer rules(record.rules.json);
  rules.begin_array();
  for (const std::string& rule : assessment.rules) rules.string(rule);
  rules.end_array();
  return record;
}

std::string text_of(const Assessment& assessment) {
  std::string text(name_of(assessment.verdict));
  text += ", score " + std::to_string(assessment.score);
  if (!assessment.complete) text += ", looked at in part";
  for (std::size_t i = 0; i < assessment.rules.size(); ++i) text.append(i ? ", " : ": ").append(assessment.rules[i]);
  text += '\n';
  for (const auto& [begin, end] : assessment.spans)
    text += "bytes " + std::to_string(begin) + " to " + std::to_string(end) + "\n";
  return text;
}

}  // namespace magi::assess
