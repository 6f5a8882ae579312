// magi-fake-provider: a scripted stand-in for the HTTP APIs of model providers.  See README.md.
#include <getopt.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fake/lifetime.h"
#include "tests/fake/server.h"

namespace {

using namespace magi;

struct Options {
  std::string script;
  std::uint16_t port = 0;
  std::size_t max_body_bytes = SIZE_MAX;
  fake::ServerOptions server;
};

constexpr char kUsage[] =
    "usage: magi-fake-provider --script FILE [--log FILE] [--port N] [--port-file FILE] [--max-body BYTES]\n"
    "                          [--exit-with PID] [--exit-on-stdin-eof] [--max-life SECONDS]\n";

bool read_options(int argc, char** argv, Options& options) {
  const option known[] = {{"script", 1, nullptr, 's'},
                          {"port", 1, nullptr, 'p'},
                          {"max-body", 1, nullptr, 'b'},
                          MAGI_FAKE_SERVER_OPTIONS,
                          {"exit-on-stdin-eof", 0, nullptr, 'e'},
                          {}};
  for (int key; (key = ::getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    switch (key) {
      case 's': options.script = optarg; break;
      case 'p': options.port = static_cast<std::uint16_t>(std::strtoul(optarg, nullptr, 10)); break;
      case 'b': options.max_body_bytes = std::strtoull(optarg, nullptr, 10); break;
      case 'e': options.server.lifetime.watch_stdin = true; break;
      default:
        if (!fake::take_option(key, optarg, options.server)) return false;
    }
  }
  return optind == argc && !options.script.empty();
}

int fail(const Error& error) { return fake::report("magi-fake-provider", error); }

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read_options(argc, argv, options)) return std::fputs(kUsage, stderr), kExitUsage;
  ::signal(SIGPIPE, SIG_IGN);
  if (auto script = fake::Script::load(options.script); !script) return fail(script.error());
  static fake::Log log;
  if (!options.server.log.empty())
    if (auto opened = log.open(options.server.log); !opened) return fail(opened.error());
  fake::ScriptFile script(options.script);
  fake::Service service(script, log, options.max_body_bytes);
  fake::Server server;
  const auto port = server.listen(options.port);
  if (!port) return fail(port.error());
  if (!options.server.port_file.empty())
    if (auto written = fake::write_port(options.server.port_file, *port); !written) return fail(written.error());
  std::printf("http://127.0.0.1:%u\n", *port);
  std::fflush(stdout);
  fake::serve(server.fd(), options.server.lifetime, [&] { server.accept(service); });
  ::_exit(0);  // connections may be in the middle of a stall; nothing of theirs is worth waiting for
}
