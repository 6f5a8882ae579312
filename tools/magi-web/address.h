// Which addresses a page may be fetched from: those of the public Internet.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

namespace magi::web {

// Why nothing may be fetched from there, as "a loopback address"; empty where it may.  The ranges are those of the
// IANA special-purpose registries (RFC 6890) that are not globally reachable, addresses that wrap an IPv4 one by what
// they wrap, and the address of Azure's host services, which lies in a public range.
std::string_view refused_range(const sockaddr& address);

// The same for a host that is spelled as an address ("10.0.0.1", "[::1]"); empty for any other.
std::string_view refused_literal(std::string_view host);

// Whether a name belongs to the machine or the local network whatever it resolves to.
bool is_local_name(std::string_view host);

// As text, without port.
std::string address_text(const sockaddr& address);

// Whether no proxy is used for a host by a list as NO_PROXY holds it: "*", names with their subdomains, addresses.
bool bypasses_proxy(std::string_view host, std::string_view no_proxy);

}  // namespace magi::web
