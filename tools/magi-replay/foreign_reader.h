// What the readers of foreign sessions share.  Private to --from.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/context/line_source.h"
#include "libcommon/json/node.h"
#include "tools/magi-replay/teller.h"

namespace magi::replay {

// One reader a format.  Lines come in file order, then finish() once.
class ForeignReader {
 public:
  virtual ~ForeignReader() = default;
  // False: no record of this program.
  virtual bool line(const json::Node& record, std::uint64_t offset, std::size_t size) = 0;
  // `lines`: the file, to read parts of it again.
  virtual Result<void> finish(context::LineSource& lines) = 0;
  // What of the session could not be told, for people; empty: nothing.
  virtual std::string left_out() const { return {}; }
};

std::unique_ptr<ForeignReader> codex_reader(Teller& teller);
std::unique_ptr<ForeignReader> claude_reader(Teller& teller);
std::unique_ptr<ForeignReader> pi_reader(Teller& teller);

// The decoded member, empty where it is no string.
std::string text_at(const json::Node& object, std::string_view key);
bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts);

struct Content {
  std::string text;
  std::vector<event::Part> images;
  bool empty() const { return text.empty() && images.empty(); }
};
// A string, or an array of blocks: texts joined with line feeds, and images in the form of each program.  Other blocks
// are passed over.
Content content_of(const json::Node& content);

}  // namespace magi::replay
