#include "tools/magi-export/markdown_html.h"
#include "tools/magi-export/page.h"

namespace magi::exporting {
namespace {

// The policy forbids whatever the page itself has no use for, should a text ever get past the escaping.
constexpr std::string_view kBeforeTitle =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
constexpr std::string_view kAfterTitle = R"(</title>
<style>
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}
section{margin:1.5rem 0}
section.user{border-left:4px solid #4a90d9;padding-left:1rem}
section.note{border-left:4px solid #b58900;padding-left:1rem}
h2{font-size:1rem;margin:.2rem 0}
h2 small,summary small{font-weight:normal;opacity:.7}
pre{overflow-x:auto;background:#8881;padding:.6rem;border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere}
code{font-family:ui-monospace,monospace;font-size:.9em}
table{border-collapse:collapse}th,td{border:1px solid #8886;padding:.2rem .5rem}
.l{text-align:left}.c{text-align:center}.r{text-align:right}
details{margin:.6rem 0}
</style>
</head>
<body>
<h1>)";

class HtmlPage : public Page {
 public:
  void begin(std::string& out, const PageHead& head) override {
    const std::string& title = head.title.empty() ? head.session_id : head.title;
    out += kBeforeTitle;
    append_escaped(out, title);
    out += kAfterTitle;
    append_escaped(out, title);
    out += "</h1>\n<p>Session <code>";
    append_escaped(out, head.session_id);
    out += "</code>";
    if (!head.cwd.empty()) {
      out += " in <code>";
      append_escaped(out, head.cwd);
      out += "</code>";
    }
    if (!head.model.empty()) {
      out += " with ";
      append_escaped(out, head.provider + " " + head.model);
    }
    out += "</p>\n";
  }
  void message(std::string& out, std::string_view who, std::string_view time, std::string_view markdown,
               std::string_view remark) override {
    out += who == "Assistant" ? "<section class=assistant>" : "<section class=user>";
    append_title(out, who, time, remark);
    append_html(out, markdown);
    out += "</section>\n";
  }
  void tool_call(std::string& out, std::string_view name, std::string_view time, std::string_view arguments) override {
    out += "<details><summary>Tool call: <code>";
    append_escaped(out, name);
    out += "</code> <small>";
    append_escaped(out, time);
    out += "</small></summary>";
    append_pre(out, arguments);
    out += "</details>\n";
  }
  void tool_result(std::string& out, std::string_view name, std::string_view status, std::string_view output) override {
    out += status == "success" ? "<details><summary>Result of <code>" : "<details open><summary>Result of <code>";
    append_escaped(out, name);
    out += "</code>";
    if (status != "success") {
      out += " (";
      append_escaped(out, status);
      out += ")";
    }
    out += "</summary>";
    append_pre(out, output);
    out += "</details>\n";
  }
  void note(std::string& out, std::string_view title, std::string_view time, std::string_view text) override {
    out += "<section class=note>";
    append_title(out, title, time, "");
    append_pre(out, text);
    out += "</section>\n";
  }
  void end(std::string& out) override { out += "</body>\n</html>\n"; }

 private:
  static void append_title(std::string& out, std::string_view title, std::string_view time, std::string_view remark) {
    out += "<h2>";
    append_escaped(out, title);
    if (!remark.empty()) {
      out += " (";
      append_escaped(out, remark);
      out += ")";
    }
    out += " <small>";
    append_escaped(out, time);
    out += "</small></h2>\n";
  }
  static void append_pre(std::string& out, std::string_view text) {
    out += "<pre>";
    append_escaped(out, text);
    out += "</pre>";
  }
};

}  // namespace

std::unique_ptr<Page> html_page() { return std::make_unique<HtmlPage>(); }

}  // namespace magi::exporting
