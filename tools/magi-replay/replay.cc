#include "tools/magi-replay/replay.h"

#include "libcommon/context/digest_writer.h"
#include "libcommon/context/file_lines.h"
#include "libcommon/context/session_scan.h"
#include "libcommon/context/stream_renderer.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
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

}  // namespace

Result<int> run(const Options& options, const tool::Invocation& invocation) {
  MAGI_TRY(const SessionInput input, open_input(options.operand, options.home, invocation.environment));
  context::ReplayIndex index;
  MAGI_TRY(const context::SessionScan scan, context::scan_session(input.fd.get(), options.until, index));
  for (const std::string& notice : scan.notices) tool::notice(invocation.name, notice);

  tool::Stdout out;
  Transcript transcript;
  const auto sink = [&](std::string_view records) -> Result<void> {
    if (!options.pretty) return out.write(records);
    MAGI_CHECK(transcript.append(records, out.buffer()));
    return out.settle();
  };
  context::DigestWriter writer(sink);
  std::string end;
  MAGI_CHECK(write_stream(index, input, scan.read, writer, end));
  MAGI_CHECK(sink(end));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::replay
