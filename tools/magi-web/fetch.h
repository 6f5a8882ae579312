// One page from the Web: each hop checked, every size and time bounded.  The only files that know libcurl are this
// one's source and url.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/net/network.h"

namespace magi::web {

struct FetchOptions {
  std::int64_t timeout_ms = 30'000;    // over all hops
  std::int64_t max_bytes = 2'000'000;  // of the body, decompressed
  int max_redirects = 10;
  bool allow_private = false;  // addresses that are not of the public Internet, too
  bool same_host = false;      // do not follow a redirect to another host
  net::NetworkOptions network;
};

struct Fetched {
  std::string url;  // of the last hop
  std::int64_t status = 0;
  std::string content_type;
  std::string body;
  bool cut = false;                    // the body was longer
  std::vector<std::string> redirects;  // that were followed
  std::string leads_to;                // a redirect that was not
};

// Blocks.  kUsage: no http or https URL that can be fetched.  kDenied: it leads to an address that is refused.
// kUpstream: the server cannot be reached or breaks off.  An HTTP error is no error here.
Result<Fetched> fetch(const std::string& url, const FetchOptions& options);

}  // namespace magi::web
