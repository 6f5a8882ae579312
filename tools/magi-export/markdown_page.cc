#include <algorithm>

#include "libcommon/base/harmless.h"
#include "tools/magi-export/page.h"

namespace magi::exporting {
namespace {

// A fence longer than any run of backticks in the text, so that the text cannot end it.
void append_fenced(std::string& out, std::string_view text, std::string_view language) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  out.append(fence).append(language).append("\n");
  append_harmless(out, text);
  if (!text.empty() && text.back() != '\n') out += '\n';
  out.append(fence).append("\n\n");
}

// In a heading: one line, without what Markdown would read as more than text.
std::string heading_text(std::string_view text) {
  std::string safe;
  for (const char c : harmless(text.substr(0, text.find('\n')))) {
    if (std::string_view("\\`*_[]<>#|").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

class MarkdownPage : public Page {
 public:
  void begin(std::string& out, const PageHead& head) override {
    out.append("# ").append(heading_text(head.title.empty() ? head.session_id : head.title)).append("\n\n");
    out.append("- Session: ").append(heading_text(head.session_id)).append("\n");
    if (!head.cwd.empty()) out.append("- Folder: ").append(heading_text(head.cwd)).append("\n");
    if (!head.model.empty())
      out.append("- Model: ").append(heading_text(head.provider + " " + head.model)).append("\n");
    out += '\n';
  }
  void message(std::string& out, std::string_view who, std::string_view time, std::string_view markdown,
               std::string_view remark) override {
    out.append("## ").append(who);
    if (!remark.empty()) out.append(" (").append(heading_text(remark)).append(")");
    append_time(out, time);
    append_harmless(out, markdown);
    out += "\n\n";
  }
  void tool_call(std::string& out, std::string_view name, std::string_view time, std::string_view arguments) override {
    out.append("### Tool call: ").append(heading_text(name));
    append_time(out, time);
    append_fenced(out, arguments, "json");
  }
  void tool_result(std::string& out, std::string_view name, std::string_view status, std::string_view output) override {
    out.append("Result of ").append(heading_text(name));
    if (status != "success") out.append(" (").append(heading_text(status)).append(")");
    out += ":\n\n";
    append_fenced(out, output, "");
  }
  void note(std::string& out, std::string_view title, std::string_view time, std::string_view text) override {
    out.append("## ").append(heading_text(title));
    append_time(out, time);
    append_fenced(out, text, "");
  }
  void end(std::string&) override {}

 private:
  static void append_time(std::string& out, std::string_view time) {
    if (!time.empty()) out.append(", ").append(heading_text(time));
    out += "\n\n";
  }
};

}  // namespace

std::unique_ptr<Page> markdown_page() { return std::make_unique<MarkdownPage>(); }

}  // namespace magi::exporting
