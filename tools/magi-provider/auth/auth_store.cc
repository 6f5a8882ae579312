#include "tools/magi-provider/auth/auth_store.h"

#include <algorithm>

#include "libcommon/json/node.h"
#include "libcommon/json/value.h"
#include "libcommon/os/atomic_file.h"

namespace magi::provider {
namespace {

constexpr std::size_t kMaxFileBytes = 1u << 20;
constexpr std::size_t kMaxTokenBytes = 64 * 1024;

bool fits_in_a_header(std::string_view text) {
  return text.size() <= kMaxTokenBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

Error unusable(const std::string& path, std::string_view why) {
  return make_error(ErrorCode::kConfig, "cannot use ", quoted(path), ": ", why,
                    "\nmove it away and log in again: magi-provider --login openai-codex");
}

// The text of auth.json; nothing where there is no such file.
Result<std::optional<std::string>> read_text(const session::Home& home) {
  const std::optional<std::string> none;
  auto top = os::Dir::open_top(home.root(), os::IfMissing::kFail);
  if (!top && top.error().code == ErrorCode::kNotFound) return none;
  if (!top) return std::move(top.error());
  auto text = os::read_file(*top, session::file::kAuth, kMaxFileBytes);
  if (text) return std::optional<std::string>(*std::move(text));
  if (text.error().code == ErrorCode::kNotFound) return none;
  if (text.error().code == ErrorCode::kLimit) return unusable(home.auth(), "it is larger than 1 MiB");
  return std::move(text.error());
}

// The whole file as a tree, for changing one member.
Result<json::Object> read_tree(const session::Home& home) {
  MAGI_TRY(const auto text, read_text(home));
  if (!text) return json::Object();
  auto tree = json::parse_value(*text);
  if (!tree) return unusable(home.auth(), tree.error().what);
  if (!tree->is_object()) return unusable(home.auth(), "it holds no object");
  return std::move(tree->as_object());
}

Result<void> write_tree(const session::Home& home, const json::Object& tree) {
  MAGI_TRY(const os::Dir top, os::Dir::open_top(home.root(), os::IfMissing::kCreate));
  return os::replace_file(top, session::file::kAuth, json::print_indented(tree), os::Sync::kDurable);
}

}  // namespace

Result<void> check_login(const Login& login) {
  if (login.access_token.empty()) return make_error(ErrorCode::kConfig, "the login has no access token");
  for (const std::string* text : {&login.access_token, &login.refresh_token, &login.account_id})
    if (!fits_in_a_header(*text)) return make_error(ErrorCode::kConfig, "the login holds characters that no token has");
  return {};
}

Result<std::optional<Login>> AuthStore::read(std::string_view provider) const {
  MAGI_TRY(const auto text, read_text(home_));
  if (!text) return std::optional<Login>();
  json::Parser parser;
  const auto root = parser.parse(*text);
  if (!root) return unusable(path(), root.error().what);
  if (!root->is(json::Kind::kObject)) return unusable(path(), "it holds no object");
  const json::Node entry = root->find(provider);
  if (!entry || entry.is(json::Kind::kNull)) return std::optional<Login>();
  const auto word = [&](std::string_view key) { return entry.find(key).as_string().value_or(""); };
  Login login{word("access_token"), word("refresh_token"), word("id_token"), word("account_id"), word("plan"), 0,
              word("last_refresh")};
  login.expires_at_s = entry.find("expires_at").as_int().value_or(0);
  if (auto checked = check_login(login); !checked) return unusable(path(), checked.error().what);
  return std::optional<Login>(std::move(login));
}

Result<os::Lease> AuthStore::lock(int timeout_ms) const {
  MAGI_TRY(const os::Dir top, os::Dir::open_top(home_.root(), os::IfMissing::kCreate));
  MAGI_TRY(const os::Dir locks, session::open_locks(top));
  return os::Lease::acquire(locks, session::file::kAuthLock, timeout_ms);
}

Result<void> AuthStore::write(std::string_view provider, const Login& login) const {
  MAGI_CHECK(check_login(login));
  MAGI_TRY(json::Object tree, read_tree(home_));
  json::Object entry;
  entry["access_token"] = login.access_token;
  entry["refresh_token"] = login.refresh_token;
  if (!login.id_token.empty()) entry["id_token"] = login.id_token;
  entry["account_id"] = login.account_id;
  if (!login.plan.empty()) entry["plan"] = login.plan;
  if (login.expires_at_s > 0) entry["expires_at"] = login.expires_at_s;
  entry["last_refresh"] = login.last_refresh;
  tree[std::string(provider)] = std::move(entry);
  return write_tree(home_, tree);
}

Result<bool> AuthStore::remove(std::string_view provider) const {
  MAGI_TRY(json::Object tree, read_tree(home_));
  if (tree.erase(std::string(provider)) == 0) return false;
  MAGI_CHECK(write_tree(home_, tree));
  return true;
}

}  // namespace magi::provider
