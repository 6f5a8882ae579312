#include "libcommon/net/network.h"

#include <curl/curl.h>
#include <dirent.h>

#include <initializer_list>

#include "libcommon/config/provider_choice.h"

namespace magi::net {
namespace {

constexpr char kSystemCertificates[] = "/etc/ssl/certs";

std::string_view first_of(const config::Environment& environment, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto value = environment.get(name)) return *value;
  return {};
}

// OpenSSL looks certificates up in a directory by links like "4042bcee.0": reading it costs nothing until one is
// needed, where the bundle of all of them costs 15 ms.
bool has_hash_links(const char* directory) {
  DIR* entries = opendir(directory);
  if (!entries) return false;
  bool found = false;
  while (const dirent* entry = found ? nullptr : readdir(entries)) {
    const std::string_view name = entry->d_name;
    found = name.size() == 10 && name.substr(8) == ".0" &&
            name.substr(0, 8).find_first_not_of("0123456789abcdef") == std::string_view::npos;
  }
  closedir(entries);
  return found;
}

bool is_secure(std::string_view url) { return url.starts_with("https:"); }

}  // namespace

NetworkOptions network_options(const config::Environment& environment) {
  NetworkOptions options;
  options.http_proxy = first_of(environment, {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"});
  options.https_proxy = first_of(environment, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
  options.no_proxy = first_of(environment, {"no_proxy", "NO_PROXY"});
  options.ca_file = environment.get_or("SSL_CERT_FILE", "");
  options.ca_directory = environment.get_or("SSL_CERT_DIR", "");
  return options;
}

std::string proxy_for(const NetworkOptions& options, std::string_view url) {
  if (config::is_loopback_url(url)) return {};
  return is_secure(url) ? options.https_proxy : options.http_proxy;
}

std::string origin_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return "the server";
  std::string_view authority = url.substr(scheme + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  authority.remove_prefix(authority.find('@') == std::string_view::npos ? 0 : authority.rfind('@') + 1);
  return std::string(url.substr(0, scheme + 3)) + std::string(authority);
}

void apply_network(void* easy, const NetworkOptions& options, const std::string& url) {
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy_for(options, url).c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, options.no_proxy.c_str());
  // Kerberos is not linked in (cmake/MagiCurl.cmake).
  curl_easy_setopt(easy, CURLOPT_SOCKS5_AUTH, CURLAUTH_BASIC);
  if (!is_secure(url)) return;
  const auto text_or_none = [](const std::string& text) { return text.empty() ? nullptr : text.c_str(); };
  if (!options.ca_file.empty() || !options.ca_directory.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, text_or_none(options.ca_file));
    curl_easy_setopt(easy, CURLOPT_CAPATH, text_or_none(options.ca_directory));
  } else if (has_hash_links(kSystemCertificates)) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
    curl_easy_setopt(easy, CURLOPT_CAPATH, kSystemCertificates);
  }
}

}  // namespace magi::net
