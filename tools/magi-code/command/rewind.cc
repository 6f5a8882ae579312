// rewind: back to before a prompt.  The plan is shown first and lives in this process alone: one that is cancelled
// leaves nothing behind.
#include <unistd.h>

#include <optional>

#include "libcommon/os/io.h"
#include "libcommon/os/signals.h"
#include "libcommon/session/store.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/command/rewind_report.h"

namespace magi::code {
namespace {

// Where nobody can answer, the command line is the answer.
Result<bool> ask(const RewindOptions& options) {
  if (options.yes || options.json || isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1) return true;
  MAGI_CHECK(os::write_all(STDERR_FILENO, "Do it? [y/N] "));
  char answer[64];
  MAGI_TRY(const std::size_t size, os::read_some(STDIN_FILENO, answer, sizeof answer));
  return size > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

// Nobody may change files for this session, or add to it, from the plan to the record.
Result<std::optional<session::Writer>> open_writer(const Setting& setting, const RewindOptions& options) {
  MAGI_CHECK(session::check_session_id(*options.id));
  MAGI_TRY(const session::SessionInfo info, session::find_session(setting.home, *options.id));
  if (options.dry_run || options.conversation) return std::optional<session::Writer>();
  session::WriterOptions writer_options;
  writer_options.cwd = info.facts.cwd.empty() ? setting.cwd : info.facts.cwd;
  MAGI_TRY(session::Writer writer, session::Writer::open(setting.home, *options.id, std::move(writer_options)));
  return std::optional<session::Writer>(std::move(writer));
}

// 0, or the signal that ended it early.
Result<int> carry_out(RewindJob& job, session::Writer* writer) {
  MAGI_TRY(const os::StopSignals signals, os::StopSignals::catch_signals());
  MAGI_CHECK(job.carry_out(writer, [&] { return signals.received() == 0; }));
  return job.report().status == "cancelled" ? signals.received() : 0;
}

}  // namespace

Result<int> rewind_session(const Setting& setting) {
  const RewindOptions& options = setting.options.rewind;
  MAGI_TRY(std::optional<session::Writer> writer, open_writer(setting, options));
  RewindJob job(setting.home,
                {*options.id, options.to, options.files, options.conversation, options.both, options.force});
  RewindReport& report = job.report();
  report.dry_run = options.dry_run;
  MAGI_CHECK(job.plan());
  if (report.torn_ledger_bytes > 0)
    tool::notice("magi-code", "the last record of the checkpoint ledger is incomplete and left out");
  tool::Stdout out;
  if (!options.json) MAGI_CHECK(out.write(plan_text(report)));
  MAGI_CHECK(out.flush());
  int signal = 0;
  if (!options.dry_run) {
    MAGI_TRY(const bool wanted, ask(options));
    report.status = "cancelled";
    if (wanted) {
      MAGI_TRY(signal, carry_out(job, writer ? &*writer : nullptr));
    }
  }
  MAGI_CHECK(out.write(options.json ? json_text(report) : result_text(report)));
  MAGI_CHECK(out.flush());
  if (signal != 0) return 128 + signal;
  return report.status == "partial" ? kExitFailed : kExitOk;
}

}  // namespace magi::code
