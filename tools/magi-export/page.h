// A conversation as one readable page (magi-export(1), --format).  A page is told what happened, in order, and appends
// what it makes of it; it keeps no text.  All texts may be hostile: a page lets none of them act.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace magi::exporting {

struct PageHead {
  std::string session_id, title, cwd, provider, model;
};

class Page {
 public:
  virtual ~Page() = default;
  virtual void begin(std::string& out, const PageHead& head) = 0;
  // `who`: "You", "You (automatic)", "Assistant".  `remark`: "cancelled", empty for what went well.
  virtual void message(std::string& out, std::string_view who, std::string_view time, std::string_view markdown,
                       std::string_view remark) = 0;
  virtual void tool_call(std::string& out, std::string_view name, std::string_view time,
                         std::string_view arguments) = 0;
  virtual void tool_result(std::string& out, std::string_view name, std::string_view status,
                           std::string_view output) = 0;
  // Something that is neither: a summary that took the place of what was before, how a turn ended.
  virtual void note(std::string& out, std::string_view title, std::string_view time, std::string_view text) = 0;
  virtual void end(std::string& out) = 0;
};

std::unique_ptr<Page> markdown_page();
// One file without scripts, pictures or links to other files.
std::unique_ptr<Page> html_page();

}  // namespace magi::exporting
