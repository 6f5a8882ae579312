// Secrets of known shapes are replaced before a text is stored (magi-session(5)).  The result is what
// the conversation, later requests, hashes and archives use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace magi::session {

// Replaces each secret that base/secret_shapes.h knows by "[masked secret: KIND]" and returns how many it replaced.
// JSON text stays valid.
std::size_t mask_secrets(std::string& text);

// Masks several texts of one event: the same secret in two of them, be it spelled as JSON in one, counts once.
class Masking {
 public:
  void mask(std::string& text);
  // Only secrets that are known by their value: what must not be changed because it looks like one.
  void mask_known(std::string& text);
  // Different secrets that were masked.
  std::size_t secrets() const { return seen_.size(); }

 private:
  void note(std::string_view secret);

  std::vector<std::size_t> seen_;  // hashes
};

// A text that was cut off may end within a secret, which then has neither its shape nor its value: masks what may be
// the beginning of one there, and returns whether there was any.
bool mask_cut_end(std::string& text);

// Masks what goes on with such a secret: the characters up to the first that no key has.
void mask_cut_start(std::string& text);

// True when the text holds a mask: an edit that would write one back must be refused.
bool holds_mask(std::string_view text);

}  // namespace magi::session
