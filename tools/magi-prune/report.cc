#include "tools/magi-prune/report.h"

#include "libcommon/json/writer.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"

namespace magi::prune {
namespace {

void put_counts(json::Writer& json, std::string_view key, const session::FailureCounts& counts) {
  json.key(key);
  json.begin_object();
  for (const auto& [category, times] : counts) {
    json.key(category);
    json.integer(times);
  }
  json.end_object();
}

std::string as_json(const Options& options, const Outcome& outcome) {
  std::string text;
  json::Writer json(text);
  json.begin_object();
  json.key("days");
  json.integer(*options.days);
  json.key("dry_run");
  json.boolean(options.dry_run);
  const std::pair<std::string_view, std::int64_t> numbers[] = {{"deleted", outcome.deleted},
                                                               {"skipped_active", outcome.skipped_active},
                                                               {"failed", outcome.failed},
                                                               {"kept", outcome.kept}};
  for (const auto& [key, number] : numbers) {
    json.key(key);
    json.integer(number);
  }
  put_counts(json, "failures", outcome.failures);
  put_counts(json, "left_alone", outcome.left_alone);
  json.end_object();
  return text + '\n';
}

void put_line(std::string& text, std::string_view title, const session::FailureCounts& counts) {
  if (counts.empty()) return;
  text.append(title);
  std::string_view comma = " ";
  for (const auto& [category, times] : counts) {
    text.append(comma).append(category).append(" ").append(std::to_string(times));
    comma = ", ";
  }
  text += '\n';
}

std::string as_text(const Options& options, const Outcome& outcome) {
  std::string text = options.dry_run ? "would delete " : "deleted ";
  text += std::to_string(outcome.deleted) + ", skipped-active " + std::to_string(outcome.skipped_active) + ", failed " +
          std::to_string(outcome.failed) + '\n';
  put_line(text, "failures:", outcome.failures);
  put_line(text, "left alone:", outcome.left_alone);
  return text;
}

}  // namespace

Result<int> report(const Options& options, const Outcome& outcome) {
  if (options.json || !options.background) {
    tool::Stdout out;
    MAGI_CHECK(out.write(options.json ? as_json(options, outcome) : as_text(options, outcome)));
    MAGI_CHECK(out.flush());
  }
  if (outcome.interrupted) return kExitInterrupted;
  if (outcome.failures.empty()) return kExitOk;
  std::string line = "some of it could not be deleted:";
  for (const auto& [category, times] : outcome.failures)
    line.append(" ").append(category).append(" ").append(std::to_string(times));
  return make_error(ErrorCode::kIo, line);
}

}  // namespace magi::prune
