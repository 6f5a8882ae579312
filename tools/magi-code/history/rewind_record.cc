#include "tools/magi-code/history/rewind_record.h"

#include <algorithm>
#include <array>

#include "libcommon/session/mask.h"

namespace magi::code {
namespace {

using session::Fate;

constexpr std::size_t kMostListed = 1000;

constexpr std::array<std::string_view, 12> kSecretParts = {".env",       "secret", "credential", "password",
                                                           "passwd",     "id_rsa", "id_ecdsa",   "id_dsa",
                                                           "id_ed25519", "token",  ".netrc",     "apikey"};
constexpr std::array<std::string_view, 9> kSecretNames = {
    ".npmrc", ".pypirc", ".pgpass", ".htpasswd", ".dockercfg", "auth.json", ".git-credentials", ".s3cfg", "kubeconfig"};
constexpr std::array<std::string_view, 10> kSecretEndings = {".pem", ".key", ".p12",  ".pfx",      ".jks",
                                                             ".gpg", ".asc", ".kdbx", ".keystore", ".ppk"};

std::int64_t& count_of(RewindCounts& counts, Fate fate) {
  switch (fate) {
    case Fate::kRestore:
    case Fate::kRestored: return counts.restored;
    case Fate::kRemove:
    case Fate::kRemoved: return counts.removed;
    case Fate::kUnchanged: return counts.unchanged;
    case Fate::kConflict: return counts.conflicts;
    case Fate::kUnavailable: return counts.unavailable;
    case Fate::kFailed: break;
  }
  return counts.failed;
}

bool is_secret_name(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  return std::any_of(kSecretParts.begin(), kSecretParts.end(), has) ||
         std::find(kSecretNames.begin(), kSecretNames.end(), name) != kSecretNames.end() ||
         std::any_of(kSecretEndings.begin(), kSecretEndings.end(), ends);
}

}  // namespace

bool looks_secret(std::string_view path) {
  std::string lower(path);
  if (session::mask_secrets(lower) > 0) return true;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  std::string_view rest = lower;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view name = rest.substr(0, end);
    if (is_secret_name(name) || name == ".ssh" || name == ".gnupg" || name == ".aws") return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

RewindCounts count_fates(const std::vector<session::RewoundFile>& files) {
  RewindCounts counts;
  for (const session::RewoundFile& file : files) ++count_of(counts, file.fate);
  return counts;
}

void list_files(const std::vector<session::RewoundFile>& files, RewindEvent& event) {
  for (const session::RewoundFile& file : files) {
    // Below no folder of the session: a tool got there with the user's word for that one call.
    if (file.root == "/" || looks_secret(file.path) || event.files.size() == kMostListed)
      ++event.unlisted;
    else
      event.files.push_back({file.path, std::string(session::fate_name(file.fate))});
  }
}

}  // namespace magi::code
