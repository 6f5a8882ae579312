// What a compaction is at, on standard error, where that is a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace magi::compact {

class Progress {
 public:
  explicit Progress(std::string_view name);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::string_view what);
  // "what 42%"; redrawn when the number changes.
  void show_share(std::string_view what, std::uint64_t done, std::uint64_t all);
  // Takes the line away, so that others can write.
  void clear();

 private:
  void draw(std::string line);

  std::string name_, shown_;
  bool enabled_;
};

}  // namespace magi::compact
