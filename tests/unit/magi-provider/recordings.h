// Recorded answers of real servers: the folder that $MAGI_STREAM_RECORDINGS names, else streams/ below $MAGI_SHARED or
// below the folder "shared" beside the repository.  It holds responses/, chat/, anthropic/ (*.sse: bodies;
// *.chunks.jsonl: one data line a line; *.req.json: what was asked) and errors/ (bodies of refusals), and INDEX.tsv.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace magi::provider {

// The test lies in build/tests of the repository.
inline std::filesystem::path repository_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path().parent_path();
}

inline std::optional<std::filesystem::path> recordings_folder() {
  namespace fs = std::filesystem;
  if (const char* named = std::getenv("MAGI_STREAM_RECORDINGS")) return fs::path(named);
  const char* shared = std::getenv("MAGI_SHARED");
  for (const fs::path& base : {fs::path(shared ? shared : ""), repository_folder().parent_path() / "shared"})
    if (!base.empty() && fs::exists(base / "fixtures/streams/INDEX.tsv")) return base / "fixtures/streams";
  return std::nullopt;
}

inline std::string file_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Recording {
  std::string name, body;
  std::filesystem::path request;  // may not exist
};

// All of one kind, by name.
inline std::vector<Recording> recordings_of(const std::filesystem::path& folder) {
  std::vector<Recording> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const bool chunks = name.ends_with(".chunks.jsonl");
    if (!chunks && !name.ends_with(".sse")) continue;
    const std::string text = file_text(entry.path());
    Recording recording{name, chunks ? std::string() : text, {}};
    for (std::size_t at = 0; chunks && at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      recording.body.append("data: ").append(text, at, end - at).append("\n\n");
      at = end + 1;
    }
    recording.request = folder / (name.substr(0, name.find(chunks ? ".chunks.jsonl" : ".sse")) + ".req.json");
    all.push_back(std::move(recording));
  }
  std::sort(all.begin(), all.end(), [](const Recording& a, const Recording& b) { return a.name < b.name; });
  return all;
}

}  // namespace magi::provider
