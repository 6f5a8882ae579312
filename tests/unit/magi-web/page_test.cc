#include "tools/magi-web/page.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "libcommon/base/utf8.h"
#include "tools/magi-web/charset.h"
#include "tools/magi-web/html_text.h"

namespace magi::web {
namespace {

using namespace std::string_literals;

Page page(std::string body, std::string type = "text/html; charset=utf-8") {
  Fetched fetched;
  fetched.url = "https://example.org/dir/page";
  fetched.status = 200;
  fetched.content_type = std::move(type);
  fetched.body = std::move(body);
  return read_page(fetched);
}
std::string text(std::string body) { return page(std::move(body)).text; }

TEST(HtmlText, KeepsTheFormOfADocument) {
  EXPECT_EQ(text("<h1>One <em>two</em></h1><p>a\n  b</p><h3>x</h3>"), "# One two\n\na b\n\n### x");
  EXPECT_EQ(text("<ul><li>a<li>b<ol start=4><li>c<li>d</ol></ul><p>e"), "- a\n- b\n  4. c\n  5. d\n\ne");
  EXPECT_EQ(text("<pre>int  x;\n\n  y\n</pre>z"), "```\nint  x;\n\n  y\n```\n\nz");
  EXPECT_EQ(text("<table><tr><th>k<th>v<tr><td>a<td>b <b>c</b></table>"), "k | v\n--- | ---\na | b c");
  EXPECT_EQ(text("<blockquote>q<br>r</blockquote>"), "> q\n> r");
  EXPECT_EQ(text("<p>use <code>f(x)</code>,<br>now<hr>"), "use `f(x)`,\nnow\n\n---");
  EXPECT_EQ(text("&lt;b&gt; &amp;amp; &eacute; &#x1F600; &nosuch;"), "<b> &amp; \xc3\xa9 \xf0\x9f\x98\x80 &nosuch;");
}

TEST(HtmlText, ShowsWhereLinksLead) {
  EXPECT_EQ(text("<a href='../x?a=1&amp;b#c'>go</a>."), "go <https://example.org/x?a=1&b#c>.");
  EXPECT_EQ(text("<a href='#top'>up</a> <a href='javascript:x()'>js</a> <a>none</a>"), "up js none");
  EXPECT_EQ(text("<img alt='a cat' src=x.png><img src=y.png>"), "[image: a cat]");
}

TEST(HtmlText, LeavesOutWhatABrowserDoesNotShow) {
  EXPECT_EQ(text("<title>T</title><script>evil()</script><style>x</style><!-- run rm -->a<template>b</template>"
                 "<noscript>c</noscript><span hidden>d</span><p style='DISPLAY : none'>e</p><i aria-hidden=true>f</i>"
                 "<span style='visibility:hidden'>g</span><span style='font-size:0px'>h</span><input value=i>"),
            "a");
  EXPECT_EQ(page("<title>A\n B</title>x").title, "A B");
  // What hides from people: zero-width, direction, tags.
  EXPECT_EQ(text("a\xe2\x80\x8b"
                 "b\xe2\x80\xae"
                 "c\xf3\xa0\x81\x81"
                 "d\x1b[31m\x07"),
            "abcd\xef\xbf\xbd[31m\xef\xbf\xbd");
  EXPECT_EQ(text("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb"), "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb");
}

TEST(HtmlText, PagesMadeToKeepAParserBusyAreNotParsed) {
  for (const std::string& tag : {"<div>"s, "<a href=x>"s, "<table>"s, "<svg><g>"s, "<x/>"s, "<b></i>"s}) {
    std::string html;
    while (html.size() < 100'000) html += tag;
    EXPECT_TRUE(is_abusive(html)) << tag;
    EXPECT_EQ(page(html + "end").text, "end") << tag;
  }
  std::string attributes = "<div";
  for (int i = 0; i < 5000; ++i) attributes += " a" + std::to_string(i);
  EXPECT_TRUE(is_abusive(attributes + ">"));
  // Long, but of good will.
  std::string list = "<ul>", drawing = "<svg>";
  for (int i = 0; i < 5000; ++i) list += "<li><p>x", drawing += "<path d='M 0 0'/>";
  EXPECT_FALSE(is_abusive(list));
  EXPECT_FALSE(is_abusive(drawing + "</svg>"));
}

TEST(Charset, ComesFromMarkHeaderMetaOrGuess) {
  EXPECT_EQ(page("\xef\xbb\xbf\xc3\xa9", "text/plain; charset=latin1").text, "\xc3\xa9");
  EXPECT_EQ(page("caf\xe9", "text/plain; charset=ISO-8859-1").text, "caf\xc3\xa9");
  EXPECT_EQ(page("<meta charset='shift_jis'>\x93\xfa\x96\x7b", "text/html").text, "\xe6\x97\xa5\xe6\x9c\xac");
  EXPECT_EQ(page("<meta http-equiv=content-type content='text/html; charset=koi8-r'>\xcd\xc9\xd2", "text/html").text,
            "\xd0\xbc\xd0\xb8\xd1\x80");
  EXPECT_EQ(page("\x80 5", "text/plain").text, "\xe2\x82\xac 5") << "windows-1252 where nothing tells";
  EXPECT_EQ(page("\xc3\xa9", "text/plain").text, "\xc3\xa9");
  EXPECT_EQ(page("\xff\xfeh\0i\0"s, "text/plain").text, "hi");
  EXPECT_EQ(page("x\xff", "text/plain; charset=utf-8").text, "x\xef\xbf\xbd");
  EXPECT_EQ(encoding_of("abc", "text/html; charset=UTF-7", true), "UTF-8") << "nothing outside the list is used";
  EXPECT_EQ(encoding_of("abc", "text/html; charset=\"../../x\"", true), "UTF-8");
}

TEST(Page, OtherTypesArePassedOrDescribed) {
  EXPECT_EQ(page("{\"a\":1}", "application/json").text, "{\"a\":1}");
  EXPECT_EQ(page("<a/>", "application/atom+xml").text, "<a/>");
  EXPECT_EQ(page("<html><p>x", "").text, "x");
  EXPECT_EQ(page("plain words", "").text, "plain words");
  const Page image = page("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0"s, "image/png");
  EXPECT_EQ(image.text, "");
  EXPECT_EQ(image.note, "image/png, 24 bytes, 640 x 480 pixels: not text");
  EXPECT_EQ(page("%PDF-1.7", "application/pdf").note, "application/pdf, 8 bytes: not text");
  Fetched cut;
  cut.url = "https://example.org/";
  cut.content_type = "text/plain";
  cut.body = "abc";
  cut.cut = true;
  cut.leads_to = "https://other.org/";
  EXPECT_EQ(read_page(cut).note, "cut after 3 bytes; it redirects to another host, open that: https://other.org/");
}

}  // namespace
}  // namespace magi::web
