// The ways to a server: proxies and certificates, as the environment names them.  Certificates are always verified.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/config/environment.h"

namespace magi::net {

inline constexpr std::string_view kUserAgent = "magi-code/" MAGI_VERSION;

struct NetworkOptions {
  std::string http_proxy, https_proxy, no_proxy;
  std::string ca_file, ca_directory;  // SSL_CERT_FILE, SSL_CERT_DIR; empty: the system's
};
NetworkOptions network_options(const config::Environment& environment);

// The proxy for a URL; empty: none.  A proxy never reaches a server on this machine; `no_proxy` is not looked at.
std::string proxy_for(const NetworkOptions& options, std::string_view url);

// "https://host:port" of a URL, for messages: no path, no user.
std::string origin_of(std::string_view url);

// Sets proxy and certificates of a transfer.  `easy` is libcurl's handle, whose header costs much to include; it copies
// the strings.
void apply_network(void* easy, const NetworkOptions& options, const std::string& url);

}  // namespace magi::net
