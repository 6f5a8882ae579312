// What can go wrong with a request, sorted by what helps: trying again, waiting, another key, a shorter conversation.
// Pure: error bodies and in-stream errors of every dialect go in, one Failure comes out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/json/node.h"

namespace magi::provider {

enum class FailureKind : std::uint8_t {
  kConnect,      // no connection, or no answer on it
  kCertificate,  // the server's certificate cannot be verified
  kCut,          // the answer ended before it was complete
  kTimeout,      // silence
  kRateLimit,
  kOverloaded,
  kServer,     // the server failed
  kRequest,    // the server refuses this request
  kAuth,       // the key is missing, wrong or not entitled
  kQuota,      // paid for or allowed no more
  kOverflow,   // the conversation is too long for the model
  kPolicy,     // the provider will not answer this
  kTruncated,  // the output limit cut the arguments of a tool call
  kScript,     // a script has no such answer
  kConfig,     // the user has to choose something first
};

// `category` of the error record.
std::string_view category(FailureKind kind);
// The same request may succeed later (classes A to D of the retry policy).
bool is_transient(FailureKind kind);

struct Failure {
  FailureKind kind = FailureKind::kServer;
  std::string message;
  std::optional<std::int64_t> http_status;
  std::string upstream_request_id;
  std::optional<double> server_delay_s;  // how long the server asks to wait
  std::optional<bool> server_says_retry;
  bool nobody_listens = false;  // on this machine: it is known at once, and hardly passes
};

// What an error value says, whatever its shape.
struct ErrorDetail {
  std::string message, type, code;
  std::optional<std::int64_t> status;            // an HTTP status in the body
  std::optional<double> delay_s;                 // a wait it asks for
  std::optional<std::int64_t> resets_at_unix_s;  // when a quota is fresh again
};

// `root` is a whole body, a chunk of a stream, or the `error` value in it.
ErrorDetail read_error(const json::Node& root);
// A body that may be JSON, a page of a proxy, plain text or empty.
ErrorDetail read_error_body(std::string_view body);

// Of a response that is no success.
Failure classify_status(std::int64_t status, const ErrorDetail& detail);
// Of an error inside a stream that began well.
Failure classify_in_stream(const ErrorDetail& detail);

// "try again in 11.054s", "in 1m30s", "in 20 ms": seconds, nothing where the text names none.
std::optional<double> delay_in_text(std::string_view text);

// At most 500 bytes, on one line.
std::string one_line(std::string_view text);

// The text with the key, and whatever has the shape of one, masked: servers quote the key that they refuse.
std::string redacted(std::string text, std::string_view key);

bool contains_ignoring_case(std::string_view text, std::string_view part);

}  // namespace magi::provider
