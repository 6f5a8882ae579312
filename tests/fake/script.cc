#include "tests/fake/script.h"

#include <sys/stat.h>

#include <algorithm>

#include "tests/fake/turn_reader.h"

namespace magi::fake {

using json::Kind;
using json::Node;

namespace {

std::string replace_all(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

Error bad(const std::string& what) { return make_error(ErrorCode::kBadRecord, "script: ", what); }

}  // namespace

Result<Script> Script::load(const std::string& path) {
  MAGI_TRY(const std::string text, read_file(path));
  json::Parser parser;
  MAGI_TRY(const Node root, parser.parse(text));
  Script script;
  const std::size_t slash = path.rfind('/');
  script.folder_ = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  MAGI_CHECK(script.read(root));
  return script;
}

Result<void> Script::read(const Node& root) {
  if (!root.is(Kind::kObject)) return bad("not an object");
  for (const Node::Member member : root.members()) {
    const std::string key = member.key();
    const Node value = member.value;
    if (key == "turns")
      MAGI_CHECK(read_turns(value));
    else if (key == "after")
      after_ = value.raw();
    else if (key == "no_tools")
      no_tools_ = value.is(Kind::kNull) ? std::nullopt : std::optional(std::string(value.raw()));
    else if (key == "strict")
      strict_ = value.as_bool().value_or(false);
    else if (key == "usage")
      input_tokens_ = value.find("input").as_int(), output_tokens_ = value.find("output").as_int();
    else if (key == "models") {
      models_.clear();
      for (const Node name : value.elements()) models_.push_back(name.as_string().value_or(""));
    } else if (key == "when") {
      for (const Node entry : value.elements())
        whens_.push_back({text_of(entry, "contains"), std::string(entry.raw())});
    } else if (key == "index") {
      const std::string mode = value.as_string().value_or("");
      if (mode != "total" && mode != "since_user" && mode != "request") return bad("index is unknown: " + mode);
      index_ = mode == "total" ? Index::kTotal : mode == "since_user" ? Index::kSinceUser : Index::kRequest;
    } else if (key != "comment") {
      return bad("unknown key " + key);
    }
  }
  return {};
}

Result<void> Script::read_turns(const Node& turns) {
  for (const Node turn : turns.elements()) {
    const auto repeat = turn.find("repeat").as_int().value_or(1);
    if (!turn.is(Kind::kObject) || repeat < 1) return bad("a turn is not an object, or repeats less than once");
    for (std::int64_t i = 0; i < repeat; ++i) order_.push_back(turns_.size());
    turns_.push_back(std::string(turn.raw()));
  }
  return {};
}

Result<Turn> Script::turn_for(const Asked& asked, std::uint64_t request_number) const {
  const Report& report = asked.report;
  const std::uint32_t index = index_ == Index::kTotal       ? report.assistant_turns
                              : index_ == Index::kSinceUser ? report.since_user
                                                            : static_cast<std::uint32_t>(request_number);
  const std::string number = std::to_string(index);
  for (std::size_t i = 0; i < whens_.size(); ++i)
    if (asked.body.find(whens_[i].contains) != std::string_view::npos)
      return make_turn(whens_[i].raw, "when:" + std::to_string(i), index, asked);
  if (no_tools_ && report.tool_names.empty()) return make_turn(*no_tools_, "no_tools", index, asked);
  if (index < order_.size()) return make_turn(turns_[order_[index]], number, index, asked);
  return make_turn(after_, "after", index, asked);
}

Result<Turn> Script::make_turn(std::string_view raw, const std::string& key, std::uint32_t index,
                               const Asked& asked) const {
  const std::string text = replace_all(std::string(raw), "{{i}}", std::to_string(index));
  json::Parser parser;
  MAGI_TRY(const Node node, parser.parse(text));
  MAGI_TRY(Turn turn, read_turn(node, {asked.report.tool_names, asked.report.assistant_turns, folder_}));
  turn.key = key;
  if (!turn.input_tokens) turn.input_tokens = input_tokens_;
  if (!turn.output_tokens) turn.output_tokens = output_tokens_;
  return turn;
}

Result<Script> ScriptFile::current() {
  const std::lock_guard lock(mutex_);
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return errno_error("cannot read the script", errno);
  const std::pair<std::int64_t, std::int64_t> stamp{status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
                                                    static_cast<std::int64_t>(status.st_ino)};
  if (!script_ || stamp != stamp_) {
    MAGI_TRY(script_, Script::load(path_));
    stamp_ = stamp;
    given_.clear();
  }
  return *script_;
}

std::optional<Fault> ScriptFile::take_fault(const Turn& turn) {
  const std::lock_guard lock(mutex_);
  int& given = given_[turn.key];
  int passed = 0;
  for (const Fault& fault : turn.faults) {
    if (given < passed + fault.times) {
      ++given;
      return fault;
    }
    passed += fault.times;
  }
  return std::nullopt;
}

}  // namespace magi::fake
