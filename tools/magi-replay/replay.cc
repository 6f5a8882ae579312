#include "tools/magi-replay/replay.h"

#include "libcommon/context/digest_writer.h"
#include "libcommon/context/file_lines.h"
#include "libcommon/context/session_scan.h"
#include "libcommon/context/stream_renderer.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-replay/foreign.h"
#include "tools/magi-replay/session_input.h"
#include "tools/magi-replay/transcript.h"

namespace magi::replay {
namespace {

// The conversation through `out`, with its `end`.
Result<void> write_stream(const context::ReplayIndex& index, const SessionInput& input, const event::ReadCounts& read,
                          context::DigestWriter& out, std::string& tail) {
  context::FileLines lines(input.fd.get(), input.base);
  context::StreamRenderer renderer(index, lines);
  context::append_conversation(out.buffer(), index, input.session_id);
  for (std::size_t at = 0; at < index.items().size();) {
    MAGI_TRY(at, renderer.append(at, out.buffer()));
    MAGI_CHECK(out.settle());
  }
  event::End end;
  end.items = renderer.records();
  MAGI_TRY(end.digest, out.finish());
  end.read = read;
  event::append_record(tail, end);
  return {};
}

struct Source {
  SessionInput input;
  std::optional<event::ReadCounts> read;  // of the foreign file
};

Result<Source> open_source(const Options& options, const tool::Invocation& invocation) {
  if (options.from.empty()) {
    MAGI_TRY(SessionInput input, open_input(options.operand, options.home, invocation.environment));
    return Source{std::move(input), std::nullopt};
  }
  const auto format = options.from == "codex"    ? ForeignFormat::kCodex
                      : options.from == "claude" ? ForeignFormat::kClaude
                                                 : ForeignFormat::kPi;
  MAGI_TRY(const SessionInput file, open_file_input(options.operand, invocation.environment));
  MAGI_TRY(ForeignSession foreign, read_foreign(file, format, temporary_folder(invocation.environment)));
  for (const std::string& notice : foreign.notices) tool::notice(invocation.name, notice);
  return Source{std::move(foreign.session), foreign.read};
}

}  // namespace

Result<int> run(const Options& options, const tool::Invocation& invocation) {
  MAGI_TRY(const Source source, open_source(options, invocation));
  const SessionInput& input = source.input;
  context::ReplayIndex index;
  MAGI_TRY(const context::SessionScan scan, context::scan_session(input.fd.get(), options.until, index));
  // The numbers of lines are those of what was converted.
  const std::string where = source.read ? "in the converted session: " : "";
  for (const std::string& notice : scan.notices) tool::notice(invocation.name, where + notice);

  tool::Stdout out;
  Transcript transcript;
  const auto sink = [&](std::string_view records) -> Result<void> {
    if (!options.pretty) return out.write(records);
    MAGI_CHECK(transcript.append(records, out.buffer()));
    return out.settle();
  };
  context::DigestWriter writer(
      sink, options.no_digest || options.pretty ? context::StreamDigest::kNone : context::StreamDigest::kSha256);
  std::string end;
  MAGI_CHECK(write_stream(index, input, source.read.value_or(scan.read), writer, end));
  MAGI_CHECK(sink(end));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::replay
