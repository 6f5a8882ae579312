// What a search found, in the order of paths, as much of it as fits a view: memory does not depend on how much that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace magi::toolbox {

// Paths by their components, so that a folder stands just before what it holds.
struct PathOrder {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

// For several threads.
class Findings {
 public:
  explicit Findings(std::size_t characters) : limit_(characters) {}

  // Whether lines of this path could still be among those that are shown.
  bool wants(std::string_view path);
  // `lines`: whole lines, of at most the limit; `count`: those of the path altogether.
  void add(std::string_view path, std::string lines, std::int64_t count);

  // Once no thread adds any more: the first lines that fit, and how many they are.
  std::string text(std::int64_t& shown) const;
  std::int64_t lines() const { return lines_; }
  std::int64_t paths() const { return paths_; }

 private:
  std::size_t limit_;
  std::mutex mutex_;
  std::map<std::string, std::string, PathOrder> kept_;
  std::size_t kept_bytes_ = 0;
  std::int64_t lines_ = 0, paths_ = 0;
};

}  // namespace magi::toolbox
