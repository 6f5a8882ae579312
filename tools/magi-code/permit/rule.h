// Allow rules: what the user never wants to be asked for (magi-settings(5), RULES).
//
//   bash(git diff *)   unconfined(git fetch)   edit(src/**)   read(/usr/share/doc/**)   web(*.example.org)
//   mcp__server__*     a tool's name alone: every use of it
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "tools/magi-code/permit/shell_words.h"

namespace magi::code::permit {

// What a call is about to do, as far as rules are concerned.
struct Subject {
  enum class Kind { kCommand, kUnconfined, kWrite, kRead, kWeb, kTool };
  Kind kind = Kind::kTool;
  std::string tool;  // name of the tool
  // The command; the absolute real path; the host.
  std::string what;
};

class Rule {
 public:
  // `root` is where relative paths begin.  kUsage: no rule, and why.
  static Result<Rule> parse(std::string_view text, std::string_view root);

  bool covers(const Subject& subject) const;
  const std::string& text() const { return text_; }

 private:
  enum class Head { kBash, kUnconfined, kEdit, kRead, kWeb, kTool };
  bool covers_command(std::string_view command) const;

  Head head_ = Head::kTool;
  bool everything_ = false;       // no parentheses
  std::vector<ShellWord> words_;  // of kBash and kUnconfined
  std::string pattern_;           // of the others; for kTool the tool's name
  std::string text_;
};

// A rule that covers this subject and what is like it; empty where none can.
std::string suggested_rule(const Subject& subject, std::string_view root);

// '*' and '?' stand for characters other than '/', "**" as a whole segment for any number of segments.
bool path_matches(std::string_view pattern, std::string_view path);

// '*' stands for any characters.
bool text_matches(std::string_view pattern, std::string_view text);

}  // namespace magi::code::permit
