// magi-fake-edge: what stands between a client and the fake provider, as TLS or as a proxy.  See README.md.
#include <getopt.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/fake/lifetime.h"
#include "tests/fake/proxy.h"
#include "tests/fake/sockets.h"
#include "tests/fake/tls_relay.h"

namespace {

using namespace magi;

struct Options {
  std::string mode, address = "127.0.0.1";
  fake::TlsOptions tls;
  fake::ProxyOptions proxy;
  fake::ServerOptions server;
};

constexpr char kUsage[] =
    "usage: magi-fake-edge tls --to PORT --certificate FILE --key FILE [--stall] [--close-without-notice] [COMMON]\n"
    "       magi-fake-edge proxy --to PORT [--credentials USER:PASSWORD] [--refuse STATUS] [--stall] [COMMON]\n"
    "COMMON: [--address 127.0.0.1|::1] [--log FILE] [--port-file FILE] [--exit-with PID] [--max-life SECONDS]\n";

void take_option(int key, Options& options) {
  switch (key) {
    case 't':
      options.tls.server_port = options.proxy.server_port =
          static_cast<std::uint16_t>(std::strtoul(optarg, nullptr, 10));
      break;
    case 'c': options.tls.certificate_file = optarg; break;
    case 'k': options.tls.key_file = optarg; break;
    case 's': options.tls.stall_handshake = options.proxy.stall = true; break;
    case 'n': options.tls.close_without_notice = true; break;
    case 'u': options.proxy.credentials = optarg; break;
    case 'r': options.proxy.refusal_status = static_cast<int>(std::strtol(optarg, nullptr, 10)); break;
    case 'a': options.address = optarg; break;
    default: fake::take_option(key, optarg, options.server);
  }
}

bool read_options(int argc, char** argv, Options& options) {
  const option known[] = {{"to", 1, nullptr, 't'},          {"certificate", 1, nullptr, 'c'},
                          {"key", 1, nullptr, 'k'},         {"stall", 0, nullptr, 's'},
                          {"refuse", 1, nullptr, 'r'},      {"close-without-notice", 0, nullptr, 'n'},
                          {"credentials", 1, nullptr, 'u'}, {"address", 1, nullptr, 'a'},
                          MAGI_FAKE_SERVER_OPTIONS,         {}};
  for (int key; (key = ::getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    if (key == '?') return false;
    take_option(key, options);
  }
  if (optind + 1 != argc) return false;
  options.mode = argv[optind];
  return (options.mode == "tls" || options.mode == "proxy") && options.proxy.server_port != 0;
}

int fail(const Error& error) { return fake::report("magi-fake-edge", error); }

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read_options(argc, argv, options)) return std::fputs(kUsage, stderr), kExitUsage;
  ::signal(SIGPIPE, SIG_IGN);
  static fake::Log log;
  if (!options.server.log.empty())
    if (auto opened = log.open(options.server.log); !opened) return fail(opened.error());
  std::unique_ptr<fake::TlsRelay> tls;
  if (options.mode == "tls") {
    auto created = fake::TlsRelay::create(options.tls, log);
    if (!created) return fail(created.error());
    tls = *std::move(created);
  }
  const fake::Proxy proxy(options.proxy, log);
  auto listening = fake::listen_on(options.address, 0);
  if (!listening) return fail(listening.error());
  if (!options.server.port_file.empty())
    if (auto written = fake::write_port(options.server.port_file, listening->port); !written)
      return fail(written.error());
  std::printf("%u\n", listening->port);
  std::fflush(stdout);
  fake::serve(listening->fd.get(), options.server.lifetime, [&] {
    std::thread([&tls, &proxy, client = fake::accept_connection(listening->fd.get())]() mutable {
      if (!client) return;
      if (tls)
        tls->serve(std::move(client));
      else
        proxy.serve(std::move(client));
    }).detach();
  });
  ::_exit(0);  // connections may be open still; nothing of theirs is worth waiting for
}
