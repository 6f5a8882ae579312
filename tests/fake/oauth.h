// A stand-in for the account service of logins: OAuth with PKCE, refresh tokens that are used once, and every failure
// that a script asks for.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "tests/fake/service.h"

namespace magi::fake {

class OAuthService final : public Handler {
 public:
  // `script_file` is read anew with each request; see README.md for its keys.
  OAuthService(std::string script_file, Log& log) : script_file_(std::move(script_file)), log_(log) {}

  bool answer(const Request& request, Peer& peer) override;

 private:
  struct Grant {
    std::string challenge, redirect_uri, client_id;
  };
  struct Reply {
    int status = 200;
    std::string body, location, content_type = "application/json";
  };
  Reply authorize(std::string_view query, const json::Node& script);
  Reply token(std::string_view form, const json::Node& script);
  Reply take_code(std::string_view form, const json::Node& script);
  Reply take_refresh(std::string_view form, const json::Node& script);
  std::string tokens(const json::Node& script);
  void log(std::string_view event, std::string_view detail, int status);

  std::string script_file_;
  Log& log_;
  std::mutex mutex_;
  std::map<std::string, Grant, std::less<>> codes_;
  std::string refresh_token_;  // the one that may be used
  int serial_ = 0, codes_given_ = 0;
};

}  // namespace magi::fake
