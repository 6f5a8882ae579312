#include "tools/magi-assess/serve.h"

#include <unistd.h>

#include "libcommon/event/stream.h"
#include "libcommon/os/io.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-assess/report.h"

namespace magi::assess {
namespace {

// A result of 16 MiB, each byte escaped, with its call.
constexpr std::size_t kMostLineBytes = 128u << 20;
// More than is looked at, so that the rest is seen to be there.
constexpr std::size_t kMostInputBytes = 64u << 20;

Error at_line(std::uint64_t number, const Error& why) {
  return make_error(why.code, "line ", std::to_string(number), ": ", why.what);
}

Result<event::AssessmentAnswer> answer(const Assessor& assessor, Policy standard, json::Parser& parser,
                                       std::string_view line) {
  MAGI_TRY(const json::Node root, parser.parse_padded(line));
  if (event::record_type(root) != event::Assess::kType)
    return make_error(ErrorCode::kBadRecord, "not a record of type ", quoted(event::Assess::kType));
  MAGI_TRY(event::Assess request, event::parse_record<event::Assess>(root));
  Policy policy = standard;
  if (!request.policy.empty()) {
    const auto named = policy_of(request.policy);
    if (!named) return make_error(ErrorCode::kBadRecord, "no policy ", quoted(request.policy));
    policy = *named;
  }
  return record_of(std::move(request.result_id), assessor.assess(request.output, policy));
}

Result<int> serve(const Options& options) {
  const Assessor assessor;
  os::LineReader lines(STDIN_FILENO, kMostLineBytes);
  tool::Stdout out;
  json::Parser parser;
  for (std::uint64_t number = 1;; ++number) {
    auto line = lines.next();
    if (!line) return at_line(number, line.error());
    if (!*line) return kExitOk;
    auto record = answer(assessor, options.policy, parser, **line);
    if (!record) return at_line(number, record.error());
    event::append_record(out.buffer(), *record);
    // The next request may wait for this answer.
    MAGI_CHECK(out.flush());
  }
}

Result<int> assess_input(const Options& options) {
  auto text = os::read_all(STDIN_FILENO, kMostInputBytes);
  if (!text) return make_error(text.error().code, "cannot read standard input: ", text.error().what);
  const Assessment assessment = Assessor().assess(*text, options.policy);
  tool::Stdout out;
  if (options.json)
    event::append_record(out.buffer(), record_of({}, assessment));
  else
    out.buffer() += text_of(assessment);
  MAGI_CHECK(out.flush());
  return options.check && assessment.verdict != Verdict::kAllow ? kExitLimit : kExitOk;
}

}  // namespace

Result<int> run(const Options& options) { return options.serve ? serve(options) : assess_input(options); }

}  // namespace magi::assess
