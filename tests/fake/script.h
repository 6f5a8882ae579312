// The script that the server plays (README.md describes its keys).  Which turn answers a request is read off the
// request, so the server keeps no sessions; the one thing it remembers is how often each fault was given.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/base/result.h"
#include "tests/fake/report.h"

namespace magi::fake {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Call {
  std::string id, name;
  std::string arguments;  // text as sent, normally JSON
  bool custom = false;    // a free-form tool of the Responses API
};

// What goes wrong instead of, or within, an answer.  Offsets are bytes of the body.
struct Fault {
  std::optional<int> status;
  std::string body;
  std::string content_type;
  Headers headers;
  std::optional<std::size_t> cut_at;
  bool reset = false;  // the cut is a TCP reset
  double stall_ms = 0;
  std::size_t stall_at = 0;
  std::optional<std::string> inject;
  std::size_t inject_at = 0;
  std::optional<std::string> raw;  // these bytes in place of an HTTP response, then the connection is closed
  int times = 1;
};

enum class Framing { kChunked, kLength, kClose };
enum class LineEnd { kLf, kCrLf, kCr };

struct Turn {
  std::string key;  // names the turn in the log and in the count of its faults
  std::string text, thinking;
  std::vector<Call> calls;
  std::optional<std::int64_t> input_tokens, output_tokens;
  std::size_t chunk = 20;  // characters a delta
  double delay_ms = 0;     // before each delta
  std::size_t split = 0;   // bytes a packet; 0: one packet an event
  std::vector<std::size_t> split_at;
  double split_delay_ms = 0;
  LineEnd line_end = LineEnd::kLf;
  Framing framing = Framing::kChunked;
  std::string content_type = "text/event-stream; charset=utf-8";
  Headers headers;
  std::string finish;                       // in place of the stop reason that the calls imply
  std::optional<std::string> stream_error;  // JSON of an error that the stream ends with
  std::optional<std::string> sse;           // this body, verbatim
  bool event_lines = true, terminal = true, usage = true;
  std::vector<Fault> faults;
};

struct Asked {
  const Report& report;
  std::string_view body;
};

class Script {
 public:
  // Error: kNotFound, or kBadRecord that names the key.
  static Result<Script> load(const std::string& path);

  Result<Turn> turn_for(const Asked& asked, std::uint64_t request_number) const;
  const std::vector<std::string>& models() const { return models_; }
  bool strict() const { return strict_; }

 private:
  enum class Index { kTotal, kSinceUser, kRequest };
  struct When {
    std::string contains, raw;
  };
  Result<void> read(const json::Node& root);
  Result<void> read_turns(const json::Node& turns);
  Result<Turn> make_turn(std::string_view raw, const std::string& key, std::uint32_t index, const Asked& asked) const;

  std::string folder_;              // that `sse_file` is relative to
  std::vector<std::string> turns_;  // JSON text, repeats expanded by index
  std::vector<std::size_t> order_;
  std::vector<When> whens_;
  std::string after_ = R"({"text":"done"})";
  std::optional<std::string> no_tools_ = R"({"text":"a title"})";
  Index index_ = Index::kTotal;
  std::optional<std::int64_t> input_tokens_, output_tokens_;
  std::vector<std::string> models_ = {"mock-model"};
  bool strict_ = false;
};

// Reads the script again whenever its file has changed, and counts the faults.  Safe from several threads.
class ScriptFile {
 public:
  explicit ScriptFile(std::string path) : path_(std::move(path)) {}

  // A copy of the script as it is now.
  Result<Script> current();
  // The fault that is due for this turn; nothing once all were given.
  std::optional<Fault> take_fault(const Turn& turn);

 private:
  std::string path_;
  std::mutex mutex_;
  std::optional<Script> script_;
  std::pair<std::int64_t, std::int64_t> stamp_{-1, -1};  // mtime in ns, inode
  std::map<std::string, int> given_;
};

}  // namespace magi::fake
