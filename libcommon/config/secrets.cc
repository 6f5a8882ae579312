#include "libcommon/config/secrets.h"

#include <algorithm>
#include <iterator>

#include "libcommon/base/secret_shapes.h"
#include "libcommon/config/key_path.h"

namespace magi::config {
namespace {

constexpr std::string_view kSecretEndings[] = {"apikey",     "token",      "secret",      "password",   "passwd",
                                               "passphrase", "accesskey",  "secretkey",   "privatekey", "authorization",
                                               "cookie",     "credential", "credentials", "bearer"};

// "Bearer ${GITHUB_TOKEN}" keeps no secret: it says where one is.
bool names_a_variable(std::string_view text) {
  const std::size_t open = text.find("${");
  return open != std::string_view::npos && text.find('}', open) > open + 2 &&
         text.find('}', open) != std::string_view::npos;
}

std::string find_in(const json::Value& value, KeyPath& path) {
  if (const json::Object* object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      path.emplace_back(key);
      const auto* text = member.if_string();
      if (text && !text->empty() && is_secret_name(key) && !names_a_variable(*text))
        return print_key_path(path) + ": secrets are refused in settings: keep it in an environment variable";
      if (std::string found = find_in(member, path); !found.empty()) return found;
      path.pop_back();
    }
  } else if (const json::Array* array = value.if_array()) {
    for (const json::Value& element : *array)
      if (std::string found = find_in(element, path); !found.empty()) return found;
  } else if (const auto* text = value.if_string(); text && find_secret(*text)) {
    return print_key_path(path) + ": the value looks like a key or token, and secrets are refused in settings";
  }
  return {};
}

}  // namespace

bool is_secret_name(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != '_' && c != '-' && c != ' ') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return std::any_of(std::begin(kSecretEndings), std::end(kSecretEndings),
                     [&](std::string_view ending) { return plain.ends_with(ending); });
}

std::string secret_in(const json::Value& document) {
  KeyPath path;
  return find_in(document, path);
}

}  // namespace magi::config
