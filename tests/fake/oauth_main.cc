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
  std::string script, log, port_file;
  fake::Lifetime lifetime;
};

bool read_options(int argc, char** argv, Options& options) {
  const option known[] = {{"script", 1, nullptr, 's'},    {"log", 1, nullptr, 'l'},      {"port-file", 1, nullptr, 'f'},
                          {"exit-with", 1, nullptr, 'w'}, {"max-life", 1, nullptr, 'm'}, {}};
  for (int key; (key = ::getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    switch (key) {
      case 's': options.script = optarg; break;
      case 'l': options.log = optarg; break;
      case 'f': options.port_file = optarg; break;
      case 'w': options.lifetime.parent = static_cast<pid_t>(std::strtol(optarg, nullptr, 10)); break;
      case 'm': options.lifetime.max_life_s = std::strtod(optarg, nullptr); break;
      default: return false;
    }
  }
  return optind == argc && !options.script.empty();
}

int fail(const Error& error) {
  std::fprintf(stderr, "magi-fake-oauth: %s\n", error.what.c_str());
  return exit_status(error.code);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read_options(argc, argv, options)) return std::fputs(kUsage, stderr), kExitUsage;
  ::signal(SIGPIPE, SIG_IGN);
  static fake::Log log;
  if (!options.log.empty())
    if (auto opened = log.open(options.log); !opened) return fail(opened.error());
  static fake::OAuthService service(options.script, log);
  fake::Server server;
  const auto port = server.listen(0);
  if (!port) return fail(port.error());
  if (!options.port_file.empty())
    if (auto written = fake::write_port(options.port_file, *port); !written) return fail(written.error());
  std::printf("http://127.0.0.1:%u\n", *port);
  std::fflush(stdout);
  fake::serve(server.fd(), options.lifetime, [&] { server.accept(service); });
  ::_exit(0);  // connections may be in the middle of a pause
}
