#include "tools/magi-provider/wire.h"

#include <algorithm>

#include "tools/magi-provider/chat_reader.h"
#include "tools/magi-provider/chat_request.h"
#include "tools/magi-provider/messages_reader.h"
#include "tools/magi-provider/messages_request.h"
#include "tools/magi-provider/responses_reader.h"
#include "tools/magi-provider/responses_request.h"

namespace magi::provider {
namespace {

using config::Api;

bool ends(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

std::string with_path(std::string_view base, std::string_view path) {
  const std::size_t query = std::min(base.find('?'), base.size());
  std::string_view stem = base.substr(0, query);
  while (!stem.empty() && stem.back() == '/') stem.remove_suffix(1);
  if (ends(stem, path)) path = {};
  return std::string(stem).append(path).append(base.substr(query));
}

// Anthropic's base is the host alone; one that ends with the version already is meant the same.
std::string_view messages_prefix(std::string_view base) {
  std::string_view stem = base.substr(0, base.find('?'));
  while (!stem.empty() && stem.back() == '/') stem.remove_suffix(1);
  return ends(stem, "/v1") || ends(stem, "/v1/messages") ? std::string_view() : std::string_view("/v1");
}

bool is_named(const std::string& header, std::string_view name) {
  return header.size() > name.size() && header[name.size()] == ':' &&
         contains_ignoring_case(header.substr(0, name.size()), name);
}

std::string_view host_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  std::string_view host = url.substr(scheme + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  if (host.substr(0, 1) == "[") return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

}  // namespace

std::unique_ptr<RequestMapper> make_mapper(const config::ProviderChoice& choice) {
  MapperOptions options{choice.id, choice.base_url};
  switch (choice.api) {
    case Api::kResponses: return std::make_unique<ResponsesRequest>(std::move(options));
    case Api::kMessages: return std::make_unique<MessagesRequest>(std::move(options));
    case Api::kChat:
    case Api::kClaude:
    case Api::kScripted: break;
  }
  return std::make_unique<ChatRequest>(std::move(options));
}

std::unique_ptr<StreamReader> make_reader(Api api, AnswerWriter& out, ReaderContext context) {
  switch (api) {
    case Api::kResponses: return std::make_unique<ResponsesReader>(out, std::move(context));
    case Api::kMessages: return std::make_unique<MessagesReader>(out, std::move(context));
    case Api::kChat:
    case Api::kClaude:
    case Api::kScripted: break;
  }
  return std::make_unique<ChatReader>(out, std::move(context));
}

std::string request_url(const config::ProviderChoice& choice) {
  switch (choice.api) {
    case Api::kResponses: return with_path(choice.base_url, "/responses");
    case Api::kMessages: return with_path(choice.base_url, std::string(messages_prefix(choice.base_url)) + "/messages");
    case Api::kChat:
    case Api::kClaude:
    case Api::kScripted: break;
  }
  return with_path(choice.base_url, "/chat/completions");
}

std::string models_url(const config::ProviderChoice& choice) {
  if (choice.api != Api::kMessages) return with_path(choice.base_url, "/models");
  std::string url = with_path(choice.base_url, std::string(messages_prefix(choice.base_url)) + "/models");
  // The list comes in pages of 20 unless asked otherwise.
  return url.append(url.find('?') == std::string::npos ? "?" : "&").append("limit=1000");
}

std::vector<std::string> request_headers(const config::ProviderChoice& choice, std::string_view key,
                                         std::string_view accept) {
  std::vector<std::string> headers;
  for (const auto& [name, value] : choice.headers) headers.push_back(name + ": " + value);
  const auto add = [&](std::string_view name, std::string value) {
    const auto set = [&](const std::string& header) { return is_named(header, name); };
    if (std::none_of(headers.begin(), headers.end(), set))
      headers.push_back(std::string(name) + ": " + std::move(value));
  };
  add("Content-Type", std::string(kJson));
  add("Accept", std::string(accept));
  if (choice.api == Api::kMessages) add("anthropic-version", "2023-06-01");
  if (key.empty()) return headers;
  if (choice.api == Api::kMessages)
    add("x-api-key", std::string(key));
  else
    add("Authorization", "Bearer " + std::string(key));
  return headers;
}

Result<void> check_base_url(std::string_view url) {
  const bool http = url.substr(0, 7) == "http://" || url.substr(0, 8) == "https://";
  if (!http || host_of(url).empty())
    return make_error(ErrorCode::kConfig, "base URL: ", quoted(url), " is not an http or https address");
  const std::string_view authority = url.substr(url.find("://") + 3);
  if (authority.substr(0, authority.find_first_of("/?#")).find('@') != std::string_view::npos)
    return make_error(ErrorCode::kConfig, "base URL: it must not hold a user or a password");
  const auto is_bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || c == '#'; };
  if (std::any_of(url.begin(), url.end(), is_bad))
    return make_error(ErrorCode::kConfig, "base URL: ", quoted(url), " holds a character that no address has");
  return {};
}

Result<std::string> usable_key(std::string_view value, std::string_view variable) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = value.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return std::string();
  value = value.substr(begin, value.find_last_not_of(kBlank) - begin + 1);
  const auto is_bad = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  if (std::any_of(value.begin(), value.end(), is_bad))
    return make_error(ErrorCode::kConfig, variable, ": the key holds control characters");
  return std::string(value);
}

bool is_local_url(std::string_view url) {
  if (config::is_loopback_url(url)) return true;
  const std::string_view host = host_of(url);
  const auto begins = [&](std::string_view prefix) { return host.substr(0, prefix.size()) == prefix; };
  if (host.find_first_not_of("0123456789.") != std::string_view::npos)
    return ends(host, ".local") || host.find('.') == std::string_view::npos;
  if (begins("10.") || begins("192.168.")) return true;
  if (!begins("172.")) return false;
  const std::string_view second = host.substr(4, host.find('.', 4) - 4);
  return second.size() == 2 && second >= "16" && second <= "31";
}

}  // namespace magi::provider
