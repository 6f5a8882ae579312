// What reading a session has to say besides the conversation: bounded, and without any content of the session but IDs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace magi::context {

// "<what>: <first few places> and N more".
class Notice {
 public:
  explicit Notice(std::string_view what) : what_(what) {}
  void add(std::string place) {
    if (places_.size() < kNamed) places_.push_back(std::move(place));
    ++count_;
  }
  // Requires: count() > 0.
  void take_back() {
    if (places_.size() == count_--) places_.pop_back();
  }
  std::uint64_t count() const { return count_; }
  void clear() { places_.clear(), count_ = 0; }
  // One line without LF; empty where there is nothing to say.
  std::string text() const {
    if (count_ == 0) return "";
    std::string out = what_;
    for (std::size_t i = 0; i < places_.size(); ++i) out.append(i ? ", " : ": ").append(places_[i]);
    if (count_ > places_.size()) out += " and " + std::to_string(count_ - places_.size()) + " more";
    return out;
  }

 private:
  static constexpr std::size_t kNamed = 10;
  std::string what_;
  std::vector<std::string> places_;
  std::uint64_t count_ = 0;
};

// "line 7 (why)".
inline std::string line_place(std::uint64_t line_number, std::string_view why) {
  return "line " + std::to_string(line_number) + " (" + std::string(why) + ")";
}

}  // namespace magi::context
