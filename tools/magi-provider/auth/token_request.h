// Asking the account service for tokens: for a code that a login brought, or for fresh ones.  One answer a request; the
// caller drives the transport.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/magi-provider/auth/auth_store.h"
#include "tools/magi-provider/body.h"
#include "tools/magi-provider/transport.h"

namespace magi::provider {

struct AccountService {
  std::string issuer;     // "https://auth.openai.com"
  std::string client_id;  // of the application that the service knows
};

struct CodeGrant {
  std::string code, verifier, redirect_uri;
};

// Why there are no tokens.
struct TokenRefusal {
  std::string message;     // one line, without secrets
  bool permanent = false;  // only a new login helps
  // The service may have taken the refresh token without our hearing of it: trying again would use it twice.
  bool uncertain = false;
  FailureKind kind = FailureKind::kAuth;
};

class TokenRequest final : public TransferObserver {
 public:
  static TokenRequest for_code(const AccountService& service, const CodeGrant& grant);
  static TokenRequest for_refresh(const AccountService& service, std::string_view refresh_token);

  // Requires: *this stays where it is until the transfer is over.
  HttpRequest http() const;

  void on_head(const ResponseHead& head) override { head_ = head; }
  void on_bytes(std::string_view bytes) override;
  void on_sent() override { sent_ = true; }

  // The transfer is over; `failure` says how it broke, if it did.  `login` is filled in where the service gave tokens:
  // what it left out stays as it was.
  std::optional<TokenRefusal> finish(const std::optional<Failure>& failure, Login& login);

 private:
  TokenRequest(const AccountService& service, std::string form);
  TokenRefusal refusal() const;

  std::string url_;
  Body body_;
  ResponseHead head_;
  std::string answer_;
  bool sent_ = false;
};

}  // namespace magi::provider
