// The wire formats by name: which request goes with which reader, where it is sent, and how it is signed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/config/provider_choice.h"
#include "tools/magi-provider/request_mapper.h"
#include "tools/magi-provider/stream_reader.h"

namespace magi::provider {

// Requires: not Api::kScripted.
std::unique_ptr<RequestMapper> make_mapper(const config::ProviderChoice& choice);
std::unique_ptr<StreamReader> make_reader(config::Api api, AnswerWriter& out, ReaderContext context);

// The base URL plus the path of the API, in front of a query that the base may have.
std::string request_url(const config::ProviderChoice& choice);
std::string models_url(const config::ProviderChoice& choice);

// "name: value"; those that settings name replace ours.  `key` may be empty, `accept` is the media type wanted.
std::vector<std::string> request_headers(const config::ProviderChoice& choice, std::string_view key,
                                         std::string_view accept);
inline constexpr std::string_view kEventStream = "text/event-stream";
inline constexpr std::string_view kJson = "application/json";

// kConfig unless the URL is http or https, has a host and no user.
Result<void> check_base_url(std::string_view url);
// kConfig, naming the variable but never its value, where the key cannot stand in a header.  Blanks around it are
// dropped: `export KEY=$(cat file)` leaves some.
Result<std::string> usable_key(std::string_view value, std::string_view variable);

// On this machine or in a private network, where a model may take minutes to read a prompt.
bool is_local_url(std::string_view url);

}  // namespace magi::provider
