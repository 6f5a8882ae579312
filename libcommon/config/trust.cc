#include "libcommon/config/trust.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "libcommon/config/document.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"

namespace magi::config {
namespace {

constexpr std::size_t kMostFiles = 64, kMostFileBytes = 16u * 1024 * 1024;
// What may stand around the name of a file in a command or a list of arguments.
constexpr std::string_view kBetweenWords = " \t\"'\\,;&|()<>[]{}=:$`";

std::string trust_file(const std::string& global_file) {
  return global_file.substr(0, global_file.rfind('/')) + "/state/trust.json";
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

Result<json::Value> read_trusted(const std::string& global_file) {
  MAGI_TRY(auto document, read_document(trust_file(global_file), Owner::kUser));
  if (!document || document->empty) return json::Value(json::Object());
  if (!document->value.is_object())
    return make_error(ErrorCode::kConfig, document->path, ": must be an object: { \"FOLDER\": \"DIGEST\" }");
  return std::move(document->value);
}

// "WORD: sha256:...", where the word names a regular file as seen from the folder.
std::optional<std::string> file_entry(const std::string& folder, const std::string& word) {
  const std::string path = word.front() == '/' ? word : folder + '/' + word;
  const os::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  // A program of the system is not the project's, and changes with its updates.
  if (word.front() == '/' && !real_path(path).starts_with(folder + '/')) return std::nullopt;
  if (const auto bytes = os::read_all(fd.get(), kMostFileBytes)) return word + ": sha256:" + sha256_hex(*bytes);
  return word + ": " + std::to_string(status.st_size) + " bytes of " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

std::vector<std::string> file_entries(const std::string& folder, const std::vector<std::string>& entries) {
  std::vector<std::string> words, found;
  for (const std::string& entry : entries) {
    std::string_view rest = std::string_view(entry).substr(std::min(entry.find(" = "), entry.size()));
    while (!rest.empty()) {
      const std::size_t begin = rest.find_first_not_of(kBetweenWords);
      if (begin == std::string_view::npos) break;
      const std::size_t end = std::min(rest.find_first_of(kBetweenWords, begin), rest.size());
      words.emplace_back(rest.substr(begin, end - begin));
      rest.remove_prefix(end);
    }
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  for (const std::string& word : words) {
    if (found.size() == kMostFiles) break;
    if (auto entry = file_entry(folder, word)) found.push_back(*std::move(entry));
  }
  return found;
}

}  // namespace

Result<void> settle_question(const std::string& global_file, const std::string& working_directory,
                             TrustQuestion& question) {
  question.folder = real_path(working_directory);
  std::sort(question.entries.begin(), question.entries.end());
  const std::vector<std::string> files = file_entries(question.folder, question.entries);
  question.entries.insert(question.entries.end(), files.begin(), files.end());
  Sha256 digest;
  for (const std::string& entry : question.entries) {
    digest.update(entry);
    digest.update("\n");
  }
  question.digest = "sha256:" + digest.hex();
  MAGI_TRY(const json::Value trusted, read_trusted(global_file));
  const json::Value* const known = trusted.get_object().if_contains(question.folder);
  question.trusted = known && known->is_string() && std::string_view(known->get_string()) == question.digest;
  return {};
}

Result<void> trust(const std::string& global_file, const TrustQuestion& question) {
  MAGI_TRY(json::Value trusted, read_trusted(global_file));
  trusted.get_object()[question.folder] = question.digest;
  return write_document(trust_file(global_file), trusted);
}

Result<bool> revoke_trust(const std::string& global_file, const std::string& folder) {
  MAGI_TRY(json::Value trusted, read_trusted(global_file));
  if (trusted.get_object().erase(real_path(folder)) == 0) return false;
  MAGI_CHECK(write_document(trust_file(global_file), trusted));
  return true;
}

Result<std::vector<std::string>> trusted_folders(const std::string& global_file) {
  MAGI_TRY(const json::Value trusted, read_trusted(global_file));
  std::vector<std::string> folders;
  for (const auto& [folder, digest] : trusted.get_object()) folders.emplace_back(folder);
  return folders;
}

}  // namespace magi::config
