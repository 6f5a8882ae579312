// A session file as blocks of whole lines, each line parsed, in file order: a second thread reads and parses ahead
// while the caller works on what it was given, and the caller parses too where it would have to wait.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/json/node.h"
#include "libcommon/session/each_event.h"

namespace magi::context {

using session::kMaxSessionLineBytes;

struct ParsedLine {
  std::uint64_t offset = 0;  // from where reading began
  std::string_view text;     // without its LF; empty where it was too long to be kept
  std::uint32_t value = 0;   // on the block's tape
  bool torn = false;         // the end of the file, without LF
  std::string problem;       // why it is no JSON value; empty: it is one
};

struct LineBlock {
  std::vector<ParsedLine> lines;
  json::Tape tape;
};

// Memory: some blocks of kBlockBytes, or the longest line up to the limit and what it is parsed into.
class LineBlocks {
 public:
  static constexpr std::size_t kBlockBytes = 256 * 1024;

  // Reads from where `fd` stands, a blocking descriptor that outlives this object.
  explicit LineBlocks(int fd, std::size_t max_line_bytes = kMaxSessionLineBytes);
  ~LineBlocks();
  LineBlocks(const LineBlocks&) = delete;
  LineBlocks& operator=(const LineBlocks&) = delete;

  // The next block, valid until the next call; null at the end.  Blocks.  Errors are final.
  Result<const LineBlock*> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace magi::context
