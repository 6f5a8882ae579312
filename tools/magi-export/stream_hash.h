// SHA-256 of a stream, taken by a thread of its own, so that it costs the one that compresses nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace magi::exporting {

class StreamHash {
 public:
  StreamHash();
  StreamHash(StreamHash&&) noexcept;
  ~StreamHash();

  // Copies the bytes.  Blocks while the thread is more than a block behind.
  void update(std::string_view bytes);
  // Of all bytes so far, in hex; waits for the thread.  A new stream begins.
  std::string finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace magi::exporting
