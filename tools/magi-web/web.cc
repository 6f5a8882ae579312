#include "tools/magi-web/web.h"

#include <sys/resource.h>
#include <unistd.h>

#include "libcommon/base/utf8.h"
#include "libcommon/json/writer.h"
#include "libcommon/os/io.h"
#include "libcommon/tool/options.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-web/page.h"
#include "tools/magi-web/reader_process.h"
#include "tools/magi-web/url.h"

namespace magi::web {
namespace {

struct CommandLine {
  std::optional<std::string> url, host;
  std::int64_t timeout_s = 30;
  FetchOptions fetch;
  bool raw = false, json = false, html = false;
};

Result<std::optional<int>> parse(tool::Invocation& invocation, CommandLine& line) {
  tool::OptionParser parser(invocation.name, "Fetch a page of the Web and print it as text.");
  parser.flag("--allow-private", line.fetch.allow_private,
              "fetch from addresses of this machine and of private networks, too");
  parser.option("--host", line.host, "HOST", "fetch only where the URL names this host");
  parser.flag("--html", line.html, "fetch nothing: standard input is the HTML of the page at URL, as UTF-8")
      .conflicts_with({"--raw", "--host"});
  parser.flag("--json", line.json, "one JSON object instead of text").conflicts_with({"--raw"});
  parser.option("--max-bytes", line.fetch.max_bytes, "N", "read at most so much of the page (default: 2000000)")
      .range(1, 100'000'000);
  parser.flag("--raw", line.raw, "the body as it came, decompressed");
  parser.flag("--same-host", line.fetch.same_host, "do not follow a redirect to another host");
  parser.option("--timeout", line.timeout_s, "S", "give up after so many seconds (default: 30)").range(1, 600);
  parser.operand("URL", line.url, "http or https; https where it names neither");
  const auto status = parser.parse(invocation.argc, invocation.argv);
  if (status) return status;
  // No home is used, but one that is wrong here is wrong for every other tool.
  if (parser.home() || invocation.environment.get("MC_HOME"))
    if (const auto home = invocation.environment.state_home(parser.home()); !home) return home.error();
  if (!line.url) return make_error(ErrorCode::kUsage, "URL is missing; see --help");
  line.fetch.timeout_ms = line.timeout_s * 1000;
  line.fetch.network = net::network_options(invocation.environment);
  return status;
}

std::string as_json(const Fetched& fetched, const Page& page) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object().key("url").string(fetched.url).key("status").integer(fetched.status);
  writer.key("content_type").string(fetched.content_type).key("title").string(page.title);
  writer.key("text").string(page.text).key("note").string(page.note);
  writer.key("bytes").integer(static_cast<std::int64_t>(fetched.body.size())).key("cut").boolean(fetched.cut);
  writer.key("redirects").begin_array();
  for (const std::string& one : fetched.redirects) writer.string(one);
  writer.end_array().key("leads_to").string(fetched.leads_to).end_object();
  return out + "\n";
}

std::string as_text(const Page& page) {
  std::string out;
  if (!page.title.empty() && !page.text.starts_with("# " + page.title)) out += page.title + "\n\n";
  out += page.text;
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  return out;
}

// The HTML that stands on standard input, as text.
Result<int> read_input(const CommandLine& line) {
  constexpr std::size_t kMostBytes = 128u << 20;
  // The parser may end the process; that is expected, and no picture of it is wanted.
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  MAGI_TRY(const std::string html, os::read_all(STDIN_FILENO, kMostBytes));
  const HtmlText read = read_html(html, *line.url);
  std::string text;
  if (line.json) {
    json::Writer writer(text);
    writer.begin_object().key("title").string(seen_only(utf8::sanitize(read.title)));
    writer.key("text").string(seen_only(utf8::sanitize(read.text)));
    writer.key("plain").boolean(read.plain).end_object();
    text += '\n';
  } else {
    text = as_text({seen_only(utf8::sanitize(read.title)), seen_only(utf8::sanitize(read.text)), {}});
  }
  tool::Stdout out;
  MAGI_CHECK(out.write(text));
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace

Result<int> run(tool::Invocation& invocation) {
  CommandLine line;
  MAGI_TRY(const std::optional<int> done, parse(invocation, line));
  if (done) return *done;
  if (line.html) return read_input(line);
  if (line.host) {
    MAGI_TRY(const Url url, parse_url(*line.url));
    if (url.host != *line.host)
      return make_error(ErrorCode::kDenied, quoted(*line.url), " names the host ", quoted(url.host), ", not ",
                        quoted(*line.host));
  }
  Result<Fetched> got = fetch(*line.url, line.fetch);
  if (!got) {
    if (got.error().code == ErrorCode::kDenied) got.error().what += "\n--allow-private would allow it";
    return got.error();
  }
  tool::Stdout out;
  if (line.raw) {
    if (isatty(STDOUT_FILENO)) {
      // What may act on the terminal is for files and pipes alone.
      MAGI_CHECK(
          out.write(read_page({got->url, got->status, "text/plain; charset=utf-8", got->body, false, {}, {}}).text));
    } else {
      MAGI_CHECK(out.write(got->body));
    }
    MAGI_CHECK(out.flush());
    return got->status < 400 ? kExitOk : kExitFailed;
  }
  const Page page = read_page(*got, read_html_apart);
  MAGI_CHECK(out.write(line.json ? as_json(*got, page) : as_text(page)));
  MAGI_CHECK(out.flush());
  if (!line.json && !page.note.empty()) tool::notice(invocation.name, got->url + ": " + page.note);
  if (got->status < 400) return kExitOk;
  return make_error(ErrorCode::kUpstream, got->url, ": the server answers ", std::to_string(got->status));
}

}  // namespace magi::web
