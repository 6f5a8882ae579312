#include "tools/magi-web/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace magi::web {
namespace {

using Bytes = std::array<unsigned char, 16>;

struct Range4 {
  std::uint32_t first;
  int prefix;
  std::string_view what;
};

constexpr std::uint32_t ip(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

constexpr Range4 kRanges4[] = {
    {ip(0, 0, 0, 0), 8, "an address of this network"},
    {ip(10, 0, 0, 0), 8, "a private address"},
    {ip(100, 64, 0, 0), 10, "an address behind a carrier's NAT"},
    {ip(127, 0, 0, 0), 8, "a loopback address"},
    {ip(169, 254, 0, 0), 16, "a link-local address"},
    {ip(172, 16, 0, 0), 12, "a private address"},
    {ip(192, 0, 0, 0), 24, "a reserved address"},
    {ip(192, 0, 2, 0), 24, "an address for documentation"},
    {ip(192, 88, 99, 0), 24, "a reserved address"},
    {ip(192, 168, 0, 0), 16, "a private address"},
    {ip(198, 18, 0, 0), 15, "an address for benchmarks"},
    {ip(198, 51, 100, 0), 24, "an address for documentation"},
    {ip(203, 0, 113, 0), 24, "an address for documentation"},
    {ip(224, 0, 0, 0), 4, "a multicast address"},
    {ip(240, 0, 0, 0), 4, "a reserved address"},
    {ip(168, 63, 129, 16), 32, "the address of a cloud's host services"},
};

struct Range6 {
  std::array<std::uint16_t, 4> first;  // the first half is enough for all of them
  int prefix;
  std::string_view what;
};

constexpr Range6 kRanges6[] = {
    {{0x2001, 0x0db8, 0, 0}, 32, "an address for documentation"},
    {{0x3fff, 0, 0, 0}, 20, "an address for documentation"},
    {{0x2001, 0, 0, 0}, 23, "a reserved address"},
    {{0xfc00, 0, 0, 0}, 7, "a private address"},
    {{0xfe80, 0, 0, 0}, 10, "a link-local address"},
    {{0xfec0, 0, 0, 0}, 10, "a private address"},
    {{0xff00, 0, 0, 0}, 8, "a multicast address"},
};

std::string_view range_of(std::uint32_t address) {
  for (const Range4& range : kRanges4)
    if ((address ^ range.first) >> (32 - range.prefix) == 0) return range.what;
  return {};
}

std::uint32_t four_bytes(const Bytes& bytes, std::size_t at) {
  return ip(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}

bool starts_with(const Bytes& bytes, std::initializer_list<unsigned char> start) {
  return std::equal(start.begin(), start.end(), bytes.begin());
}

bool in_range(const Bytes& bytes, const Range6& range) {
  for (int bit = 0; bit < range.prefix; ++bit) {
    const auto word = range.first[static_cast<std::size_t>(bit / 16)];
    const int wanted = word >> (15 - bit % 16) & 1;
    const int found = bytes[static_cast<std::size_t>(bit / 8)] >> (7 - bit % 8) & 1;
    if (wanted != found) return false;
  }
  return true;
}

std::string_view range_of(const Bytes& bytes) {
  const bool zeros10 = std::all_of(bytes.begin(), bytes.begin() + 10, [](unsigned char b) { return b == 0; });
  if (zeros10 && bytes[10] == 0xff && bytes[11] == 0xff) return range_of(four_bytes(bytes, 12));  // mapped
  if (zeros10 && bytes[10] == 0 && bytes[11] == 0)
    return four_bytes(bytes, 12) == 1 ? "a loopback address" : "a reserved address";
  if (starts_with(bytes, {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0}))
    return range_of(four_bytes(bytes, 12));                                     // NAT64
  if (starts_with(bytes, {0x20, 0x02})) return range_of(four_bytes(bytes, 2));  // 6to4

  for (const Range6& range : kRanges6)
    if (in_range(bytes, range)) return range.what;
  // Of the rest only 2000::/3 is in use.
  return bytes[0] >> 5 == 1 ? std::string_view() : "a reserved address";
}

bool ends_with_label(std::string_view host, std::string_view name) {
  return host == name ||
         (host.size() > name.size() && host.ends_with(name) && host[host.size() - name.size() - 1] == '.');
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string_view without_brackets(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

}  // namespace

std::string_view refused_range(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in four;
    std::memcpy(&four, &address, sizeof four);
    return range_of(ntohl(four.sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return "no address of the Internet";
  sockaddr_in6 six;
  std::memcpy(&six, &address, sizeof six);
  Bytes bytes;
  std::memcpy(bytes.data(), &six.sin6_addr, bytes.size());
  return range_of(bytes);
}

std::string_view refused_literal(std::string_view host) {
  std::string text(without_brackets(host).substr(0, host.find('%')));
  if (text.ends_with('.')) text.pop_back();
  in_addr four;
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) return range_of(ntohl(four.s_addr));
  Bytes six;
  if (inet_pton(AF_INET6, text.c_str(), six.data()) == 1) return range_of(six);
  return {};
}

bool is_local_name(std::string_view host) {
  const std::string name = lower(host);
  if (name.find(':') != std::string::npos || !refused_literal(name).empty()) return false;
  if (name.find('.') == std::string::npos) return true;
  constexpr std::string_view kLocal[] = {"localhost", "local", "internal", "lan", "home.arpa", "localdomain"};
  return std::any_of(std::begin(kLocal), std::end(kLocal),
                     [&](std::string_view one) { return ends_with_label(name, one); });
}

std::string address_text(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.sa_family == AF_INET) {
    sockaddr_in four;
    std::memcpy(&four, &address, sizeof four);
    inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
  } else if (address.sa_family == AF_INET6) {
    sockaddr_in6 six;
    std::memcpy(&six, &address, sizeof six);
    inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
  }
  return text;
}

bool bypasses_proxy(std::string_view host, std::string_view no_proxy) {
  const std::string name = lower(without_brackets(host));
  while (!no_proxy.empty()) {
    const std::size_t end = std::min(no_proxy.find_first_of(", "), no_proxy.size());
    std::string entry = lower(no_proxy.substr(0, end));
    no_proxy.remove_prefix(std::min(end + 1, no_proxy.size()));
    if (entry == "*") return true;
    if (entry.starts_with('.')) entry.erase(0, 1);
    if (!entry.empty() && ends_with_label(name, without_brackets(entry))) return true;
  }
  return false;
}

}  // namespace magi::web
