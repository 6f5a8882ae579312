// magi-fake-oauth: a stand-in for the account service of logins.  See README.md.
#include <getopt.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fake/lifetime.h"
#include "tests/fake/oauth.h"
#include "tests/fake/server.h"

namespace {

using namespace magi;

constexpr char kUsage[] =
    "usage: magi-fake-oauth --script FILE [--log FILE] [--port-file FILE] [--exit-with PID] [--max-life SECONDS]\n";

struct Options {
  std::string script;
  fake::ServerOptions server;
};

bool read_options(int argc, char** argv, Options& options) {
  const option known[] = {{"script", 1, nullptr, 's'}, MAGI_FAKE_SERVER_OPTIONS, {}};
  for (int key; (key = ::getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    if (key == 's')
      options.script = optarg;
    else if (!fake::take_option(key, optarg, options.server))
      return false;
  }
  return optind == argc && !options.script.empty();
}

int fail(const Error& error) { return fake::report("magi-fake-oauth", error); }

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read_options(argc, argv, options)) return std::fputs(kUsage, stderr), kExitUsage;
  ::signal(SIGPIPE, SIG_IGN);
  static fake::Log log;
  if (!options.server.log.empty())
    if (auto opened = log.open(options.server.log); !opened) return fail(opened.error());
  static fake::OAuthService service(options.script, log);
  fake::Server server;
  const auto port = server.listen(0);
  if (!port) return fail(port.error());
  if (!options.server.port_file.empty())
    if (auto written = fake::write_port(options.server.port_file, *port); !written) return fail(written.error());
  std::printf("http://127.0.0.1:%u\n", *port);
  std::fflush(stdout);
  fake::serve(server.fd(), options.server.lifetime, [&] { server.accept(service); });
  ::_exit(0);  // connections may be in the middle of a pause
}
