#include "tools/magi-tool/text_form.h"

#include <gtest/gtest.h>

#include <random>

#include "tools/magi-tool/edited.h"

namespace magi::toolbox {
namespace {

using namespace std::string_literals;

const std::string kJapanese = "\x83\x65\x83\x58\x83\x67\x82\xf0\x8f\x91\x82\xad\x81\x42\n";  // テストを書く。
const std::string kChinese = "\xd6\xd0\xce\xc4\xb2\xe2\xca\xd4\xa3\xac\xc4\xe3\xba\xc3\n";   // 中文测试，你好
const std::string kKorean = "\xc7\xd1\xb1\xb9\xbe\xee \xc5\xd8\xbd\xba\xc6\xae \xb0\xa1\xb3\xaa\n";  // EUC-KR
const std::string kRussian = "\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0\n";                             // Windows-1251

TEST(TextForm, IsToldByTheBytes) {
  const auto charset = [](const std::string& bytes) { return text_form(bytes).charset; };
  EXPECT_EQ(text_form("plain\n"), (TextForm{Charset::kUtf8, false}));
  EXPECT_EQ(text_form("caf\xc3\xa9"), (TextForm{Charset::kUtf8, false}));
  EXPECT_EQ(text_form("\xef\xbb\xbfx"), (TextForm{Charset::kUtf8, true}));
  EXPECT_EQ(text_form("\xff\xfex\0"s), (TextForm{Charset::kUtf16Le, true}));
  EXPECT_EQ(text_form("\xfe\xff\0x"s), (TextForm{Charset::kUtf16Be, true}));
  EXPECT_EQ(charset("\xff\xfe\0\0x\0\0\0"s), Charset::kBinary) << "UTF-32";
  EXPECT_EQ(charset("a\0b"s), Charset::kBinary);
  EXPECT_EQ(charset("x = 1\ncaf\xe9\n"), Charset::kLatin1);
  EXPECT_EQ(charset("\xe9l\xe8ve et gar\xe7on\n"), Charset::kLatin1);
  EXPECT_EQ(charset("it\x92s \x80 5 caf\xe9\n"), Charset::kWindows1252);
  EXPECT_EQ(charset(kJapanese), Charset::kShiftJis);
  EXPECT_EQ(charset(kChinese), Charset::kGb18030);
  for (const std::string& other : {kKorean, kRussian, "\x81\x8d\x8f"s, "\xff\xff\xff\xff"s})
    EXPECT_EQ(charset(other), Charset::kUnknown) << other;
}

TEST(TextForm, ACharacterThatIsCutOffDoesNotCount) {
  EXPECT_EQ(text_form("caf\xc3", false).charset, Charset::kUtf8);
  EXPECT_NE(text_form("caf\xc3", true).charset, Charset::kUtf8);
}

TEST(TextForm, ComesBackTheSame) {
  for (const std::string& bytes : {"caf\xe9\r\n"s, "it\x92s \x80\n"s, kJapanese, kChinese,
                                   "\xff\xfe\x3d\xd8\x00\xde\r\0\n\0"s, "\xfe\xff\0x"s, "\xef\xbb\xbfx"s}) {
    const TextForm form = text_form(bytes);
    const auto text = decoded(bytes, form);
    ASSERT_TRUE(text) << text.error().what;
    const auto back = encoded(*text, form);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, bytes);
  }
  EXPECT_EQ(*decoded(kJapanese, text_form(kJapanese)), "テストを書く。\n");
  EXPECT_EQ(*decoded(kChinese, text_form(kChinese)), "中文测试，你好\n");
  EXPECT_FALSE(decoded("\xff\xfe\0\xd8x\0"s, {Charset::kUtf16Le, true})) << "half of a pair";
}

std::string edited(const std::string& bytes, const std::string& old_text, const std::string& new_text) {
  const auto done = edit_bytes(bytes, {{old_text, new_text}}, false);
  return done ? done->content : "error: " + done.error().what;
}

TEST(EditBytes, WritesInTheEncodingOfTheFile) {
  EXPECT_EQ(edited("x = 1\ncaf\xe9\n", "1", "é"), "x = \xe9\ncaf\xe9\n");
  EXPECT_EQ(edited("\xff\xfe"
                   "a\0\r\0\n\0"s,
                   "a", "é"),
            "\xff\xfe\xe9\0\r\0\n\0"s);
  EXPECT_EQ(edited(kJapanese, "テスト", "本"), "\x96\x7b\x82\xf0\x8f\x91\x82\xad\x81\x42\n");
  EXPECT_EQ(edited(kChinese, "你好", "好"), "\xd6\xd0\xce\xc4\xb2\xe2\xca\xd4\xa3\xac\xba\xc3\n");
  EXPECT_EQ(edited("\xef\xbb\xbfx\n", "x", "y"), "\xef\xbb\xbfy\n");
}

TEST(EditBytes, RefusesWhatTheEncodingDoesNotHave) {
  EXPECT_NE(edited("caf\xe9 1\n", "1", "€").find("Latin-1 has no character '€'"), std::string::npos);
  EXPECT_NE(edited(kJapanese, "テ", "é").find("Shift-JIS has no character"), std::string::npos);
  EXPECT_NE(edited(kRussian + "x", "x", "é").find("only ASCII"), std::string::npos);
  EXPECT_EQ(edited(kRussian + "x", "x", "y"), kRussian + "y") << "bytes of an unknown encoding stay";
}

TEST(EditBytes, OtherBytesStayWhateverTheyAre) {
  std::mt19937 random(20261201);
  for (int round = 0; round < 3000; ++round) {
    std::string before, after;
    const auto fill = [&](std::string& out) {
      for (std::size_t left = random() % 40; left > 0; --left)
        out += random() % 3 ? static_cast<char>("ab \n\r"[random() % 5]) : static_cast<char>(random() % 255 + 1);
    };
    fill(before), fill(after);
    const auto done = edit_bytes(before + "<MARK>" + after, {{"MARK", "new"}}, false);
    if (!done) continue;
    EXPECT_EQ(done->content, before + "<new>" + after);
  }
}

TEST(InFormOf, KeepsWhatAllOfTheOldFileHas) {
  const auto written = [](const std::string& old, const std::string& content) {
    std::string kept;
    const auto done = in_form_of(old, content, kept);
    return done ? *done + (kept.empty() ? "" : " (" + kept + ")") : "error: " + done.error().what;
  };
  EXPECT_EQ(written("a\r\nb\r\n", "x\ny\n"), "x\r\ny\r\n (CRLF line ends)");
  EXPECT_EQ(written("a\r\nb\n", "x\ny\n"), "x\ny\n");
  EXPECT_EQ(written("a\r\n", "x\r\ny\n"), "x\r\ny\n") << "says itself what it wants";
  EXPECT_EQ(written("\xef\xbb\xbf"
                    "a",
                    "x"),
            "\xef\xbb\xbfx (its byte order mark)");
  EXPECT_EQ(written("caf\xe9\n", "é\n"), "\xe9\n (Latin-1)");
  EXPECT_NE(written("caf\xe9\n", "€\n").find("error"), std::string::npos);
}

}  // namespace
}  // namespace magi::toolbox
