#include "tools/magi-web/page.h"

#include <algorithm>

#include "libcommon/base/image_header.h"
#include "libcommon/base/utf8.h"
#include "tools/magi-web/charset.h"
#include "tools/magi-web/html_text.h"
#include "tools/magi-web/url.h"

namespace magi::web {
namespace {

// Letters joined or not (U+200C, U+200D) and variation selectors belong to words and emoji; tag characters and the rest
// hide text from people, not from models.
bool is_unseen(char32_t c) {
  if (c == '\n' || c == '\t') return false;
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x61C || c == 0x180E || c == 0x200B || c == 0x200E ||
         c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF);
}

bool looks_like_html(std::string_view bytes) {
  std::string start(bytes.substr(0, 512));
  std::transform(start.begin(), start.end(), start.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return start.find("<!doctype html") != std::string::npos || start.find("<html") != std::string::npos;
}

bool is_text(std::string_view type) {
  if (type.starts_with("text/") || type.ends_with("+json") || type.ends_with("+xml")) return true;
  for (const std::string_view known :
       {"application/json", "application/ld+json", "application/xml", "application/javascript",
        "application/ecmascript", "application/x-javascript", "application/x-ndjson", "application/yaml",
        "application/x-yaml", "application/toml", "application/sql", "application/graphql", "application/x-sh",
        "application/x-www-form-urlencoded"})
    if (type == known) return true;
  return false;
}

std::string described(const Fetched& fetched, const std::string& type) {
  const ImageHeader image = read_image_header(fetched.body);
  std::string note = image.media_type.empty() ? (type.empty() ? "data" : type) : std::string(image.media_type);
  note += ", " + std::string(fetched.cut ? "more than " : "") + std::to_string(fetched.body.size()) + " bytes";
  if (image.width > 0) note += ", " + std::to_string(image.width) + " x " + std::to_string(image.height) + " pixels";
  return note + ": not text";
}

void add_note(std::string& note, const std::string& more) { note += (note.empty() ? "" : "; ") + more; }

}  // namespace

std::string seen_only(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Decoded d = utf8::decode(text, at);
    if (!is_unseen(d.code_point)) out.append(text.substr(at, d.length));
    at += d.length;
  }
  return out;
}

HtmlText read_html(const std::string& html, const std::string& url) {
  const Result<Url> base = parse_url(url);
  return html_to_text(html, [&](std::string_view href) {
    if (!base || href.starts_with("javascript:") || href.starts_with("data:")) return std::string();
    return link_target(*base, href);
  });
}

Page read_page(const Fetched& fetched, const HtmlReader& read) {
  Page page;
  const std::string type = media_type(fetched.content_type);
  const bool untold = type.empty() || type == "application/octet-stream";
  const bool is_html =
      type == "text/html" || type == "application/xhtml+xml" || (untold && looks_like_html(fetched.body));
  const bool has_nul = fetched.body.find('\0') != std::string::npos;
  if (is_html) {
    const HtmlText text =
        read(to_utf8(fetched.body, encoding_of(fetched.body, fetched.content_type, true)), fetched.url);
    page.title = seen_only(text.title);
    page.text = seen_only(text.text);
    if (text.plain) add_note(page.note, "its HTML cannot be read in good order; only the tags were dropped");
  } else if (is_text(type) || (untold && !has_nul && utf8::is_valid(fetched.body))) {
    page.text = seen_only(to_utf8(fetched.body, encoding_of(fetched.body, fetched.content_type, false)));
  } else {
    add_note(page.note, described(fetched, type));
  }
  if (fetched.cut && page.note.find("not text") == std::string::npos)
    add_note(page.note, "cut after " + std::to_string(fetched.body.size()) + " bytes");
  if (!fetched.leads_to.empty()) add_note(page.note, "it redirects to another host, open that: " + fetched.leads_to);
  return page;
}

}  // namespace magi::web
