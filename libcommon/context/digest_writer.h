// A stream on its way out: gathered in blocks, each digested on a thread of its own while the next one is made.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::context {

// What `end` says of the stream: its digest costs four milliseconds a megabyte where the processor has no instructions
// for it, and only caches want it.
enum class StreamDigest { kNone, kSha256 };

class DigestWriter {
 public:
  // Called with each block in order, on the caller's thread; the bytes are valid during the call only.
  using Sink = std::function<Result<void>(std::string_view)>;

  explicit DigestWriter(Sink sink, StreamDigest with = StreamDigest::kSha256);
  ~DigestWriter();
  DigestWriter(const DigestWriter&) = delete;
  DigestWriter& operator=(const DigestWriter&) = delete;

  // To append to; call settle() after each record.
  std::string& buffer() { return buffer_; }
  Result<void> settle() { return buffer_.size() < kBlockBytes ? Result<void>() : pass_on(); }

  // Passes the rest on and returns "sha256:" with the digest of every byte, or nothing where none is wanted.  Nothing
  // may be appended afterwards.
  Result<std::string> finish();

 private:
  static constexpr std::size_t kBlockBytes = 256 * 1024;
  struct Worker;

  Result<void> pass_on();

  Sink sink_;
  std::string buffer_;
  std::unique_ptr<Worker> worker_;  // null: no digest
};

}  // namespace magi::context
