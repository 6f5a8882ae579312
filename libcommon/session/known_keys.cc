#include "libcommon/session/known_keys.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "libcommon/base/known_secrets.h"
#include "libcommon/config/secrets.h"
#include "libcommon/json/node.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"

namespace magi::session {
namespace {

constexpr std::size_t kMaxAuthBytes = 1u << 20;
constexpr int kMaxDepth = 8;

// A word that texts hold anyway ("secret", "changeme") is left alone, and so is the path of a file that holds a key.
bool is_worth_hiding(std::string_view value) {
  constexpr std::size_t kLongEnough = 16;
  if (value.size() < kLeastKnownSecret || value.front() == '/' || value.front() == '~') return false;
  bool digit = false, upper = false, lower = false;
  for (const char c : value) {
    digit |= c >= '0' && c <= '9';
    upper |= c >= 'A' && c <= 'Z';
    lower |= c >= 'a' && c <= 'z';
  }
  const bool only_digits = digit && !upper && !lower;
  return (digit && !only_digits) || (upper && lower) || value.size() >= kLongEnough;
}

void add(std::vector<std::string>& values, std::string_view value) {
  if (is_worth_hiding(value)) values.emplace_back(value);
}

void add_texts(std::vector<std::string>& values, const json::Node& node, int depth) {
  if (depth > kMaxDepth) return;
  for (const json::Node::Member member : node.members()) {
    const std::string name = member.key();
    if (const auto text = member.value.as_string()) {
      if (config::is_secret_name(name) || name == "access" || name == "refresh" || name == "key") add(values, *text);
    } else {
      add_texts(values, member.value, depth + 1);
    }
  }
}

// Of a file that others may read too: who stores logins refuses that, and its tokens are to be masked all the same.
void add_logins(std::vector<std::string>& values, const Home& home) {
  const os::Fd file(::open(home.auth().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  const auto text = os::read_all(file.get(), kMaxAuthBytes);
  if (!text) return;
  json::Parser parser;
  if (const auto root = parser.parse(*text)) add_texts(values, *root, 0);
}

}  // namespace

void learn_known_keys(const Home& home, const config::Environment& environment,
                      const std::vector<std::string>& key_variables) {
  std::vector<std::string> values;
  for (const std::string& entry : environment.entries()) {
    const std::size_t end = entry.find('=');
    if (end == std::string::npos) continue;
    const std::string_view name = std::string_view(entry).substr(0, end);
    if (config::is_secret_name(name) ||
        std::find(key_variables.begin(), key_variables.end(), name) != key_variables.end())
      add(values, std::string_view(entry).substr(end + 1));
  }
  add_logins(values, home);
  set_known_secrets(values);
}

}  // namespace magi::session
