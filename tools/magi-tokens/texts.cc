#include "tools/magi-tokens/texts.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "libcommon/base/utf8.h"
#include "libcommon/json/writer.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "libcommon/tokens/counter.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"

namespace magi::measure {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{1} << 36;

struct Count {
  std::string name;  // empty: stdin
  std::uint64_t tokens = 0, replaced_bytes = 0;
};

Result<std::string> read_file(const std::string& name) {
  if (name.empty() || name == "-") return os::read_all(STDIN_FILENO, kMaxTextBytes);
  const os::Fd fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return errno_error("cannot open " + quoted(name), errno);
  auto text = os::read_all(fd.get(), kMaxTextBytes);
  if (!text) text.error().what = quoted(name) + ": " + text.error().what;
  return text;
}

Result<Count> count_file(const tokens::Counter& counter, const std::string& name) {
  MAGI_TRY(std::string text, read_file(name));
  Count count{name, 0, 0};
  if (!utf8::is_valid(text)) text = utf8::sanitize(text, &count.replaced_bytes);
  count.tokens = counter.count(text);
  return count;
}

void append_text(std::string& out, const std::vector<Count>& counts, std::uint64_t total) {
  for (const Count& count : counts) {
    out += std::to_string(count.tokens);
    if (!count.name.empty()) out += " " + count.name;
    out += '\n';
  }
  if (counts.size() > 1) out += std::to_string(total) + " total\n";
}

void append_json(std::string& out, const tokens::Counter& counter, const std::vector<Count>& counts,
                 std::uint64_t total) {
  std::uint64_t replaced = 0;
  for (const Count& count : counts) replaced += count.replaced_bytes;
  json::Writer writer(out);
  writer.begin_object().key("total").integer(static_cast<std::int64_t>(total)).key("method").string(counter.method());
  writer.key("replaced_bytes").integer(static_cast<std::int64_t>(replaced)).key("files").begin_array();
  for (const Count& count : counts) {
    writer.begin_object().key("name").string(count.name);
    writer.key("tokens").integer(static_cast<std::int64_t>(count.tokens)).end_object();
  }
  writer.end_array().end_object();
  out += '\n';
}

}  // namespace

Result<int> count_texts(const Options& options, std::string_view name) {
  const tokens::Counter& counter =
      options.model.empty() ? tokens::default_counter() : tokens::counter_for(options.provider, options.model);
  std::vector<Count> counts;
  std::uint64_t total = 0;
  int status = kExitOk;
  for (const std::string& file : options.files.empty() ? std::vector<std::string>{""} : options.files) {
    auto count = count_file(counter, file);
    if (!count) {
      tool::report(name, count.error());
      status = kExitFailed;
      continue;
    }
    if (count->replaced_bytes)
      tool::notice(name, (file.empty() ? "stdin" : quoted(file)) + ": " + std::to_string(count->replaced_bytes) +
                             " bytes are not UTF-8 and were counted as U+FFFD");
    total += count->tokens;
    counts.push_back(*std::move(count));
  }
  if (!counter.is_exact() && !options.json && !counts.empty())
    tool::notice(name, "estimated by " + std::string(counter.method()) + ": no exact table in this version");
  tool::Stdout out;
  if (options.json)
    append_json(out.buffer(), counter, counts, total);
  else
    append_text(out.buffer(), counts, total);
  MAGI_CHECK(out.flush());
  return status;
}

}  // namespace magi::measure
