#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "libcommon/os/child.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "libcommon/os/signals.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/command/driver.h"
#include "libcommon/tool/prompts.h"

#include <fcntl.h>

namespace magi::code {
namespace {

constexpr std::string_view kPrompt = "The test of this project fails. Find out why, mend it, and show that it passes.";

struct DemoFile {
  std::string_view name, text;
  mode_t mode;
};
// A project small enough to read on one screen, with one bug that its own test finds.
constexpr std::array kFiles{
    DemoFile{"greet.sh",
             "#!/bin/sh\n"
             "# Greets the person named by the first argument, or the world.\n"
             "name=${1:-world}\n"
             "echo \"Hello, $nam!\"\n",
             0755},
    DemoFile{"test.sh",
             "#!/bin/sh\n"
             "# The test of greet.sh: exits 0 when both greetings are right.\n"
             "cd \"$(dirname \"$0\")\" || exit 1\n"
             "[ \"$(./greet.sh)\" = 'Hello, world!' ] && [ \"$(./greet.sh Ada)\" = 'Hello, Ada!' ] && echo 'ok: both "
             "greetings' && exit 0\n"
             "echo \"FAILED: greet.sh says: $(./greet.sh)\"\n"
             "exit 1\n",
             0755},
    DemoFile{"README.md", "A greeting, and a test of it: `sh test.sh`.\n", 0644},
};

Result<void> write_file(const std::string& path, std::string_view text, mode_t mode) {
  const os::Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file) return errno_error("cannot write " + quoted(path), errno);
  return os::write_all(file.get(), text);
}

Result<std::string> make_project(const Setting& setting) {
  std::string folder = setting.options.demo_folder;
  if (folder.empty()) {
    folder = std::string(setting.environment.get_or("TMPDIR", "/tmp")) + "/magi-code-demo-XXXXXX";
    if (!mkdtemp(folder.data()))
      return errno_error("cannot make a folder in " + quoted(setting.environment.get_or("TMPDIR", "/tmp")), errno);
  } else if (mkdir(folder.c_str(), 0777) != 0) {
    return errno_error("cannot make " + quoted(folder), errno);
  }
  for (const DemoFile& file : kFiles)
    MAGI_CHECK(write_file(folder + "/" + std::string(file.name), file.text, file.mode));
  return folder;
}

// As it must be typed: our own folder in front unless PATH finds the program there.
std::string typed(const Setting& setting, std::string_view program) {
  const auto ours = setting.tool_path().find(program);
  const auto theirs = os::find_executable(program, setting.environment.get_or("PATH", ""));
  if (!ours || (theirs && *theirs == *ours)) return std::string(program);
  return *ours;
}

std::string farewell(const Setting& setting, const std::string& folder, const std::string& id) {
  const std::string home = setting.explicit_home ? " --home " + setting.home.root() : "";
  return "\nThat was the real pipeline with a scripted model. The project is in " + folder +
         ", the session is yours:\n\n"
         "  " +
         typed(setting, "magi-replay") + home + " --pretty " + id +
         "\n"
         "  " +
         typed(setting, "magi-replay") + home + " " + id + " | " + typed(setting, "magi-tokens") + home +
         "\n"
         "  " +
         typed(setting, "magi-code") + home + " sessions list\n";
}

}  // namespace

Result<int> run_demo(const Setting& setting) {
  os::ignore_sigpipe();
  MAGI_TRY(const std::string folder, make_project(setting));
  const std::string script = folder + "/.demo-script.jsonl";
  MAGI_CHECK(write_file(script, tool::bundled_prompt("demo-script"), 0600));
  Options options = setting.options;
  options.provider = "scripted";
  options.model = "scripted";
  options.permissions = "full";
  options.base_url.clear();
  MAGI_TRY(const std::string cwd, working_folder(folder));
  Setting demo{options, setting.environment, setting.home, cwd, setting.settings, setting.explicit_home};

  PrintSink sink(print_options(setting));
  tool::Stdout out;
  MAGI_CHECK(out.write("> " + std::string(kPrompt) + "\n\n"));
  MAGI_CHECK(out.flush());
  MAGI_TRY(const std::unique_ptr<Assembly> assembly,
           Assembly::create(demo, Assembly::Purpose::kRun, &sink, {"--script", script}));
  MAGI_CHECK(assembly->load());
  Driver driver(demo, *assembly, sink, false);
  bool ended = false;
  driver.start({std::string(kPrompt), {}, "user", {}, {}}, [&](const Outcome&) { ended = true; });
  driver.loop_until([&] { return ended; });
  MAGI_TRY(const int status, driver.finish());
  if (status != kExitOk) return status;
  MAGI_CHECK(out.write(farewell(setting, folder, assembly->journal().session_id())));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::code
