#include "tools/magi-tokens/texts.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <thread>
#include <utility>

#include "libcommon/base/utf8.h"
#include "libcommon/json/writer.h"
#include "libcommon/tokens/o200k.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-tokens/input.h"
#include "tools/magi-tokens/parallel_count.h"

namespace magi::measure {
namespace {

// More do not pay: one thread reads for all.
constexpr unsigned kMaxThreads = 16;
constexpr std::size_t kAllBytes = SIZE_MAX, kMaxTokenBytes = 128;

unsigned threads(const Options& options) {
  if (options.threads) return static_cast<unsigned>(*options.threads);
  return std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads);
}

std::vector<std::string> files(const Options& options) {
  return options.files.empty() ? std::vector<std::string>{""} : options.files;
}

void report_replaced(std::string_view name, const std::string& file, std::uint64_t bytes) {
  if (bytes == 0) return;
  tool::notice(name, (file.empty() ? "stdin" : quoted(file)) + ": " + std::to_string(bytes) +
                         " bytes are not UTF-8 and were counted as U+FFFD");
}

void append_text(std::string& out, const std::deque<Count>& counts, std::uint64_t total) {
  for (const Count& count : counts) {
    out += std::to_string(count.tokens);
    if (!count.name.empty()) out += " " + count.name;
    out += '\n';
  }
  if (counts.size() > 1) out += std::to_string(total) + " total\n";
}

void append_json(std::string& out, const std::deque<Count>& counts, std::uint64_t total) {
  std::uint64_t replaced = 0;
  for (const Count& count : counts) replaced += count.replaced_bytes;
  json::Writer writer(out);
  writer.begin_object().key("total").integer(static_cast<std::int64_t>(total)).key("method").string("o200k_base");
  writer.key("replaced_bytes").integer(static_cast<std::int64_t>(replaced)).key("files").begin_array();
  for (const Count& count : counts) {
    writer.begin_object().key("name").string(utf8::sanitize(count.name));
    writer.key("tokens").integer(static_cast<std::int64_t>(count.tokens)).end_object();
  }
  writer.end_array().end_object();
  out += '\n';
}

// The bytes without a character that was cut off at the end.
std::size_t whole_characters(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) break;
    if (byte >= 0xC0) return utf8::decode(text, text.size() - back).valid ? text.size() : text.size() - back;
  }
  return text.size();
}

// IDs as they stand in a text: numbers, apart by white space or as a JSON array.
class Decoder {
 public:
  explicit Decoder(tool::Stdout& out) : out_(out) {}

  Result<void> take(std::string_view text) {
    for (const char c : text) {
      const bool is_gap = c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',' || c == '[' || c == ']';
      if (!is_gap) {
        word_ += c;
        if (word_.size() > 20) return bad();
      } else if (!word_.empty()) {
        MAGI_CHECK(finish());
      }
    }
    return out_.settle();
  }

  Result<void> finish() {
    if (word_.empty()) return {};
    std::uint32_t id = 0;
    const auto [end, error] = std::from_chars(word_.data(), word_.data() + word_.size(), id);
    const auto bytes =
        error == std::errc() && end == word_.data() + word_.size() ? o200k::token_bytes(id) : std::nullopt;
    if (!bytes) return bad();
    out_.buffer() += *bytes;
    word_.clear();
    return {};
  }

 private:
  Error bad() const { return make_error(ErrorCode::kBadRecord, "not a token of o200k_base: ", quoted(word_)); }

  tool::Stdout& out_;
  std::string word_;
};

}  // namespace

Result<int> count_texts(const Options& options, std::string_view name) {
  std::deque<Count> counts;
  std::deque<Error> errors;
  {
    ParallelCount counter(threads(options));
    for (const std::string& file : files(options)) {
      Count& count = counts.emplace_back(Count{file, 0, 0});
      auto read = read_chunks(file, kAllBytes, [&](std::string& chunk) { counter.add(chunk, count); });
      if (read) continue;
      errors.push_back(std::move(read.error()));
      counter.finish();
      counts.pop_back();
    }
  }
  std::uint64_t total = 0;
  for (const Error& error : errors) tool::report(name, error);
  for (const Count& count : counts) {
    report_replaced(name, count.name, count.replaced_bytes);
    total += count.tokens;
  }
  tool::Stdout out;
  if (options.json)
    append_json(out.buffer(), counts, total);
  else
    append_text(out.buffer(), counts, total);
  MAGI_CHECK(out.flush());
  return errors.empty() ? kExitOk : kExitFailed;
}

Result<int> print_ids(const Options& options, std::string_view name) {
  tool::Stdout out;
  int status = kExitOk;
  for (const std::string& file : files(options)) {
    std::uint64_t replaced = 0;
    bool is_first = true;
    Result<void> written;
    auto read = read_chunks(file, kAllBytes, [&](std::string& chunk) {
      for (const std::uint32_t id : o200k::encode_ordinary(chunk, &replaced)) {
        char text[16] = {' '};
        const char* const end = std::to_chars(text + 1, text + sizeof text, id).ptr;
        const char* const begin = text + std::exchange(is_first, false);
        out.buffer().append(begin, end);
      }
      if (written) written = out.settle();
    });
    if (!written) return std::move(written.error());
    if (!read) {
      tool::report(name, read.error());
      status = kExitFailed;
    }
    report_replaced(name, file, replaced);
    out.buffer() += '\n';
  }
  MAGI_CHECK(out.flush());
  return status;
}

Result<int> decode_ids(const Options& options, std::string_view) {
  tool::Stdout out;
  Decoder decoder(out);
  for (const std::string& file : files(options)) {
    Result<void> decoded;
    MAGI_CHECK(read_chunks(file, kAllBytes, [&](std::string& chunk) {
      if (decoded) decoded = decoder.take(chunk);
    }));
    if (decoded) decoded = decoder.finish();
    // What came before the error is text all the same.
    if (!decoded) MAGI_CHECK(out.flush());
    MAGI_CHECK(std::move(decoded));
  }
  MAGI_CHECK(out.flush());
  return kExitOk;
}

Result<int> truncate_text(const Options& options, std::string_view name) {
  const auto limit = static_cast<std::uint64_t>(*options.truncate);
  const std::string file = files(options).front();
  // No more can be of use: what follows a prefix does not change its tokens.
  const std::size_t most = limit < (SIZE_MAX >> 16) ? limit * kMaxTokenBytes + 4 : SIZE_MAX;
  std::string text;
  MAGI_CHECK(read_chunks(file, most, [&](std::string& chunk) { text += chunk; }));
  std::uint64_t replaced = 0;
  if (text.size() == most) text.resize(whole_characters(text));
  text = utf8::sanitize(text, &replaced);
  report_replaced(name, file, replaced);
  tool::Stdout out;
  out.buffer() = o200k::truncate(text, limit);
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::measure
