#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "libcommon/base/clock.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/json/node.h"
#include "libcommon/os/child.h"
#include "libcommon/os/io.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/imported_events.h"
#include "tools/magi-code/command/sessions.h"

namespace magi::code {
namespace {

constexpr std::size_t kHeadBytes = 256 * 1024;

// Which program wrote a record of this shape; empty: none that is known, "magi-code": ours.
std::string writer_of(const json::Node& record) {
  const auto has = [&](std::string_view key) { return static_cast<bool>(record.find(key)); };
  const json::Node type = record.find("type");
  if (has("event_type") && has("event_id")) return "magi-code";
  // The first versions of codex began a file so.
  if (has("record_type") || (has("id") && has("timestamp") && has("instructions"))) return "codex";
  if (!type.is(json::Kind::kString)) return "";
  if (has("payload") && has("timestamp")) return "codex";
  if (has("sessionId") || has("parentUuid") || has("leafUuid")) return "claude";
  if ((type.as_string() == "session" && has("id")) || (has("id") && has("parentId"))) return "pi";
  return "";
}

Result<std::string> detect(std::string_view head, const std::string& path) {
  if (head.starts_with("PK\x03\x04"))
    return make_error(ErrorCode::kUsage, "cannot import ", quoted(path),
                      ": exports of magi-code are for reading and keeping, not for importing");
  json::Parser parser;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    if (const auto root = parser.parse(line)) {
      const std::string writer = writer_of(*root);
      if (writer == "magi-code")
        return make_error(ErrorCode::kUsage, "cannot import ", quoted(path),
                          ": it is a session of magi-code already; magi-replay reads it where it is");
      if (!writer.empty()) return writer;
    }
    head.remove_prefix(std::min(head.size(), line.size() + 1));
  }
  return make_error(ErrorCode::kUsage, "cannot import ", quoted(path),
                    ": not a session file of codex, claude or pi (--from names the program)");
}

struct Foreign {
  std::string path, program;
  ImportedEvents::Source source;
};

Result<Foreign> look_at(const SessionsOptions& options) {
  Foreign foreign{*options.file, options.from, {}};
  const auto fail = [&](int why) { return errno_error("cannot read " + quoted(foreign.path), why); };
  const os::Fd fd(::open(foreign.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return fail(errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return fail(errno);
  if (!S_ISREG(status.st_mode))
    return make_error(ErrorCode::kUsage, "cannot read ", quoted(foreign.path), ": not a regular file");
  std::string head, block(kHeadBytes, '\0');
  Sha256 digest;
  while (true) {
    MAGI_TRY(const std::size_t count, os::read_some(fd.get(), block.data(), block.size()));
    if (count == 0) break;
    digest.update({block.data(), count});
    if (head.size() < kHeadBytes) head.append(block, 0, count);
    foreign.source.bytes += static_cast<std::int64_t>(count);
  }
  MAGI_TRY(const std::string found, detect(head, foreign.path));
  if (foreign.program.empty()) foreign.program = found;
  foreign.source.sha256 = digest.hex();
  foreign.source.name = foreign.path.substr(foreign.path.rfind('/') + 1);
  return foreign;
}

Result<void> read_stream(int fd, ImportedEvents& events) {
  context::ConversationReader reader(context::Framing::kSingle);
  os::LineReader lines(fd, context::kMaxStreamLineBytes);
  while (true) {
    MAGI_TRY(const auto line, lines.next());
    if (!line) return reader.finish();
    MAGI_TRY(const auto record, reader.line(*line));
    if (record) MAGI_CHECK(events.add(*record));
  }
}

// Runs magi-replay --from over the file.
Result<void> convert(const Setting& setting, const Foreign& foreign, ImportedEvents& events) {
  MAGI_TRY(os::Pipe pipe, os::make_pipe());
  os::SpawnOptions replay;
  MAGI_TRY(replay.program, setting.tool_path().find("magi-replay"));
  const bool is_bare = foreign.path.find('/') == std::string::npos;
  replay.args = {"--home", setting.home.root(), "--from", foreign.program, (is_bare ? "./" : "") + foreign.path};
  replay.env = setting.environment_without_keys();
  replay.stdout_fd = pipe.write.get();
  replay.stderr_fd = STDERR_FILENO;
  MAGI_TRY(os::Child child, os::spawn(replay));
  pipe.write.reset();
  auto read = read_stream(pipe.read.get(), events);
  pipe.read.reset();
  MAGI_TRY(const int status, child.wait());
  if (read && os::exit_code_of(status) == kExitOk) return events.finish();
  if (os::exit_code_of(status) != kExitOk)
    return make_error(ErrorCode::kBadRecord, "cannot import ", quoted(foreign.path), ": magi-replay could not read it");
  return read;
}

}  // namespace

Result<int> import_session(const Setting& setting) {
  MAGI_TRY(const Foreign foreign, look_at(setting.options.sessions));
  MAGI_TRY(session::Draft draft, session::Draft::create(setting.home, session::Family::kPrimary));
  ImportedEvents events(draft, foreign.source, format_rfc3339(unix_time_ms()), setting.cwd);
  MAGI_CHECK(convert(setting, foreign, events));
  if (events.events() == 0)
    return make_error(ErrorCode::kBadRecord, "cannot import ", quoted(foreign.path), ": it holds no conversation");
  MAGI_CHECK(draft.publish());
  tool::Stdout out;
  if (setting.options.sessions.json) {
    json::Writer writer(out.buffer());
    writer.begin_object().key("session_id").string(draft.id()).key("from").string(foreign.program);
    writer.key("prompts").integer(events.prompts()).key("events").integer(events.events()).end_object();
    out.buffer() += '\n';
  } else {
    out.buffer() += draft.id() + '\n';
  }
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::code
