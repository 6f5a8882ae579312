#include "tools/magi-code/tui/terminal/decoder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace magi::code::tui {
namespace {

using namespace std::string_literals;

DecodedInput decoded(std::string_view bytes) {
  Decoder decoder;
  DecodedInput out;
  decoder.feed(bytes, out);
  for (int i = 0; i < 100 && decoder.waits(); ++i) decoder.expire(out);
  return out;
}

std::string describe(const InputEvent& event) {
  if (const auto* key = std::get_if<Key>(&event)) {
    std::string text = "key " + std::to_string(static_cast<int>(key->code)) + " '" + key->text + "'";
    if (key->ctrl) text += " ctrl";
    if (key->alt) text += " alt";
    if (key->shift) text += " shift";
    return text;
  }
  if (const auto* paste = std::get_if<Paste>(&event)) return "paste '" + paste->text + "'";
  if (const auto* mouse = std::get_if<Mouse>(&event)) {
    return "mouse " + std::to_string(static_cast<int>(mouse->kind)) + " " + std::to_string(mouse->column) + "," +
           std::to_string(mouse->row);
  }
  if (const auto* focus = std::get_if<Focus>(&event)) return focus->gained ? "focus" : "blur";
  return "resize";
}

// Text typed at once may come in pieces: put together, the rest one by one.
std::vector<std::string> story(const DecodedInput& out) {
  std::vector<std::string> lines;
  std::string typed;
  const auto flush = [&] {
    if (!typed.empty()) lines.push_back("typed " + typed);
    typed.clear();
  };
  for (const InputEvent& event : out.events) {
    const auto* key = std::get_if<Key>(&event);
    if (key != nullptr && key->code == KeyCode::kText && !key->ctrl && !key->alt) {
      typed += key->text;
    } else {
      flush();
      lines.push_back(describe(event));
    }
  }
  flush();
  for (const Reply& reply : out.replies) {
    lines.push_back("reply " + std::to_string(static_cast<int>(reply.kind)) + " " + std::to_string(reply.first) + " " +
                    std::to_string(reply.second) + " " + reply.text);
  }
  return lines;
}

Key only_key(std::string_view bytes) {
  const DecodedInput out = decoded(bytes);
  EXPECT_EQ(out.events.size(), 1U) << testing::PrintToString(std::string(bytes));
  if (out.events.size() != 1 || !std::holds_alternative<Key>(out.events[0])) return {KeyCode::kF12, "none"};
  return std::get<Key>(out.events[0]);
}

Key named(KeyCode code, bool ctrl = false, bool alt = false, bool shift = false) {
  return {code, {}, ctrl, alt, shift};
}
Key text(std::string_view t, bool ctrl = false, bool alt = false, bool shift = false) {
  return {KeyCode::kText, std::string(t), ctrl, alt, shift};
}

TEST(Decoder, PlainAndControlKeys) {
  EXPECT_EQ(only_key("a"), text("a"));
  EXPECT_EQ(only_key("日本"), text("日本"));
  EXPECT_EQ(only_key("\r"), named(KeyCode::kEnter));
  EXPECT_EQ(only_key("\n"), text("j", true));
  EXPECT_EQ(only_key("\t"), named(KeyCode::kTab));
  EXPECT_EQ(only_key("\x7F"), named(KeyCode::kBackspace));
  EXPECT_EQ(only_key("\x03"), text("c", true));
  EXPECT_EQ(only_key("\0"s), text(" ", true));
  EXPECT_EQ(only_key("\x1F"), text("_", true));
}

TEST(Decoder, EscapeAloneIsTheKeyOnceNothingFollows) {
  Decoder decoder;
  DecodedInput out;
  decoder.feed("\033", out);
  EXPECT_TRUE(out.events.empty());
  EXPECT_TRUE(decoder.waits());
  decoder.expire(out);
  ASSERT_EQ(out.events.size(), 1U);
  EXPECT_EQ(std::get<Key>(out.events[0]), named(KeyCode::kEscape));
  EXPECT_FALSE(decoder.waits());
}

TEST(Decoder, AltIsAnEscapeBefore) {
  EXPECT_EQ(only_key("\033b"), text("b", false, true));
  EXPECT_EQ(only_key("\033B"), text("b", false, true, true));
  EXPECT_EQ(only_key("\033\r"), named(KeyCode::kEnter, false, true));
  EXPECT_EQ(only_key("\033\x7F"), named(KeyCode::kBackspace, false, true));
  EXPECT_EQ(only_key("\033\x02"), text("b", true, true));
  EXPECT_EQ(only_key("\033é"), text("é", false, true));
  EXPECT_EQ(only_key("\033["), text("[", false, true));
  EXPECT_EQ(only_key("\033O"), text("o", false, true, true));
  EXPECT_EQ(only_key("\033]"), text("]", false, true));
  EXPECT_EQ(only_key("\033P"), text("p", false, true, true));
}

TEST(Decoder, KeysOfXtermLinuxAndRxvt) {
  EXPECT_EQ(only_key("\033[A"), named(KeyCode::kUp));
  EXPECT_EQ(only_key("\033OA"), named(KeyCode::kUp));
  EXPECT_EQ(only_key("\033[1;5C"), named(KeyCode::kRight, true));
  EXPECT_EQ(only_key("\033[1;3D"), named(KeyCode::kLeft, false, true));
  EXPECT_EQ(only_key("\033[1;2A"), named(KeyCode::kUp, false, false, true));
  EXPECT_EQ(only_key("\033\033[A"), named(KeyCode::kUp, false, true));
  EXPECT_EQ(only_key("\033[a"), named(KeyCode::kUp, false, false, true));
  EXPECT_EQ(only_key("\033Oa"), named(KeyCode::kUp, true));
  EXPECT_EQ(only_key("\033[H"), named(KeyCode::kHome));
  EXPECT_EQ(only_key("\033[1~"), named(KeyCode::kHome));
  EXPECT_EQ(only_key("\033[7~"), named(KeyCode::kHome));
  EXPECT_EQ(only_key("\033OH"), named(KeyCode::kHome));
  EXPECT_EQ(only_key("\033[4~"), named(KeyCode::kEnd));
  EXPECT_EQ(only_key("\033[8~"), named(KeyCode::kEnd));
  EXPECT_EQ(only_key("\033[2~"), named(KeyCode::kInsert));
  EXPECT_EQ(only_key("\033[3~"), named(KeyCode::kDelete));
  EXPECT_EQ(only_key("\033[3;5~"), named(KeyCode::kDelete, true));
  EXPECT_EQ(only_key("\033[3$"), named(KeyCode::kDelete, false, false, true));
  EXPECT_EQ(only_key("\033[3^"), named(KeyCode::kDelete, true));
  EXPECT_EQ(only_key("\033[5~"), named(KeyCode::kPageUp));
  EXPECT_EQ(only_key("\033[6~"), named(KeyCode::kPageDown));
  EXPECT_EQ(only_key("\033[Z"), named(KeyCode::kTab, false, false, true));
  EXPECT_EQ(only_key("\033[[A"), named(KeyCode::kF1));
  EXPECT_EQ(only_key("\033OP"), named(KeyCode::kF1));
  EXPECT_EQ(only_key("\033[15~"), named(KeyCode::kF5));
  EXPECT_EQ(only_key("\033[24;2~"), named(KeyCode::kF12, false, false, true));
  EXPECT_EQ(only_key("\033[1;5R"), named(KeyCode::kF3, true));
  EXPECT_EQ(only_key("\033OM"), named(KeyCode::kEnter));
  EXPECT_EQ(only_key("\033Op"), text("0"));
}

TEST(Decoder, KeysByTheirCodePoints) {
  EXPECT_EQ(only_key("\033[13;2u"), named(KeyCode::kEnter, false, false, true));
  EXPECT_EQ(only_key("\033[27;2;13~"), named(KeyCode::kEnter, false, false, true));
  EXPECT_EQ(only_key("\033[27;5;9~"), named(KeyCode::kTab, true));
  EXPECT_EQ(only_key("\033[27u"), named(KeyCode::kEscape));
  EXPECT_EQ(only_key("\033[99;5u"), text("c", true));
  EXPECT_EQ(only_key("\033[122;6u"), text("z", true, false, true));
  EXPECT_EQ(only_key("\033[1089::99;5u"), text("c", true)) << "Ctrl-C on a Cyrillic layout";
  EXPECT_EQ(only_key("\033[44:60;4u"), text("<", false, true, true));
  EXPECT_EQ(only_key("\033[127;5u"), named(KeyCode::kBackspace, true));
  EXPECT_EQ(only_key("\033[57400u"), text("1"));
  EXPECT_EQ(only_key("\033[57414u"), named(KeyCode::kEnter));
  EXPECT_TRUE(decoded("\033[97;1:3u").events.empty()) << "a key that is let go";
  EXPECT_TRUE(decoded("\033[57441;2u").events.empty()) << "shift alone";
  EXPECT_TRUE(decoded("\033[4294967295;5u").events.empty());
}

TEST(Decoder, MouseAndFocus) {
  EXPECT_EQ(story(decoded("\033[<0;5;3M\033[<32;6;3M\033[<0;6;3m\033[<64;1;1M\033[<65;1;1M")),
            (std::vector<std::string>{"mouse 0 4,2", "mouse 2 5,2", "mouse 1 5,2", "mouse 3 0,0", "mouse 4 0,0"}));
  EXPECT_TRUE(decoded("\033[<2;5;3M\033[<35;5;3M\033[<0;0;0M").events.empty());
  EXPECT_EQ(story(decoded("\033[I\033[O")), (std::vector<std::string>{"focus", "blur"}));
}

TEST(Decoder, AnswersAreNoKeys) {
  const DecodedInput out = decoded(
      "\033[?2026;2$y\033[?1u\033]11;rgb:ffff/ffff/ffff\033\\\033[24;80R\033P>|tmux 3.3a\033\\\033[?62;c\033[>0;1c");
  EXPECT_TRUE(out.events.empty());
  ASSERT_EQ(out.replies.size(), 7U);
  EXPECT_EQ(out.replies[0].kind, Reply::Kind::kMode);
  EXPECT_EQ(out.replies[0].first, 2026);
  EXPECT_EQ(out.replies[0].second, 2);
  EXPECT_EQ(out.replies[1].kind, Reply::Kind::kKittyFlags);
  EXPECT_EQ(out.replies[2].kind, Reply::Kind::kBackground);
  EXPECT_EQ(out.replies[2].text, "rgb:ffff/ffff/ffff");
  EXPECT_EQ(out.replies[3].kind, Reply::Kind::kCursor);
  EXPECT_EQ(out.replies[4].kind, Reply::Kind::kVersion);
  EXPECT_EQ(out.replies[4].text, "tmux 3.3a");
  EXPECT_EQ(out.replies[5].kind, Reply::Kind::kDeviceAttributes);
  EXPECT_EQ(out.replies[6].kind, Reply::Kind::kOther);
}

TEST(Decoder, Tui06APasteIsOneEventWithItsLines) {
  EXPECT_EQ(story(decoded("\033[200~a\nb\r\nc\033[201~\r")), (std::vector<std::string>{"paste 'a\nb\nc'", "key 1 ''"}));
  EXPECT_EQ(story(decoded("\033[200~a\rb\033[201~x")), (std::vector<std::string>{"paste 'a\nb'", "typed x"}));
  EXPECT_EQ(story(decoded("\033[200~\033[31m\xFF\003\033[201~")),
            (std::vector<std::string>{"paste '\033[31m\uFFFD\003'"}));
}

TEST(Decoder, Tui07ALongPasteMayComeInAnyPieces) {
  std::string pasted;
  std::mt19937 random(7);
  while (pasted.size() < 1 << 20) pasted += "line " + std::to_string(random()) + " \033[20 日本\n";
  const std::string bytes = "\033[200~" + pasted + "\033[201~";
  for (const std::size_t read : {std::size_t{4'093}, std::size_t{4'096}, std::size_t{1'000'003}}) {
    Decoder decoder;
    DecodedInput out;
    for (std::size_t at = 0; at < bytes.size(); at += read) decoder.feed(std::string_view(bytes).substr(at, read), out);
    ASSERT_EQ(out.events.size(), 1U);
    EXPECT_TRUE(std::get<Paste>(out.events[0]).text == pasted);
  }
  // The end itself, cut at each of its bytes.
  for (std::size_t cut = bytes.size() - 6; cut < bytes.size(); ++cut) {
    Decoder decoder;
    DecodedInput out;
    decoder.feed(std::string_view(bytes).substr(0, cut), out);
    EXPECT_TRUE(decoder.in_paste());
    decoder.expire(out);
    EXPECT_TRUE(out.events.empty());
    decoder.feed(std::string_view(bytes).substr(cut), out);
    ASSERT_EQ(out.events.size(), 1U);
    EXPECT_EQ(std::get<Paste>(out.events[0]).text.size(), pasted.size());
  }
}

TEST(Decoder, WhatIsCutOffInItsMidstDoesNotSwallowWhatFollows) {
  EXPECT_EQ(story(decoded("\033[12\rabc")), (std::vector<std::string>{"key 1 ''", "typed abc"}));
  EXPECT_EQ(story(decoded("\033\033")), (std::vector<std::string>{"key 3 ''", "key 3 ''"}));
  EXPECT_EQ(story(decoded("\xE6\x97")), (std::vector<std::string>{"typed \uFFFD"}));
  Decoder decoder;
  DecodedInput out;
  decoder.feed("\033]11;rgb:ff", out);
  decoder.expire(out);
  EXPECT_TRUE(decoder.waits()) << "the rest of an answer is waited for longer";
  decoder.feed("ff/00/00\033\\x", out);
  EXPECT_EQ(out.replies.size(), 1U);
  EXPECT_EQ(out.events.size(), 1U);
}

TEST(Decoder, NoSplitChangesTheStory) {
  const std::string pieces[] = {"a",
                                "日",
                                "👨\u200D👩",
                                "\r",
                                "\x7F",
                                "\x03",
                                "\033[A",
                                "\033OB",
                                "\033[1;5C",
                                "\033b",
                                "\033[<0;5;3M",
                                "\033[200~p\r\nq\033[201~",
                                "\033[?62;4c",
                                "\033]11;rgb:0/0/0\033\\",
                                "\033[13;2u",
                                "\033[3$",
                                "\033[[B",
                                "\033[I",
                                "\xFF",
                                "\xC3",
                                "\033P>|x\033\\",
                                "\033[12;",
                                "\033\033[D",
                                "\033[M !!",
                                "\033é"};
  constexpr unsigned kSeed = 41;
  std::mt19937 random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (unsigned n = 1 + random() % 8; n > 0; --n) bytes += pieces[random() % std::size(pieces)];
    const std::vector<std::string> whole = story(decoded(bytes));
    Decoder decoder;
    DecodedInput out;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = 1 + random() % 5;
      decoder.feed(std::string_view(bytes).substr(at, size), out);
      at += size;
    }
    for (int wait = 0; wait < 100 && decoder.waits(); ++wait) decoder.expire(out);
    ASSERT_EQ(story(out), whole) << "seed " << kSeed << ": " << testing::PrintToString(bytes);
  }
}

TEST(Decoder, RandomBytesNeverStayOrHang) {
  constexpr unsigned kSeed = 43;
  std::mt19937 random(kSeed);
  for (int i = 0; i < 5'000; ++i) {
    std::string bytes;
    for (unsigned n = random() % 60; n > 0; --n) {
      bytes += random() % 3 == 0 ? "\033[]OP0123456789;:?<>$~u\x9B"[random() % 24] : static_cast<char>(random() % 256);
    }
    Decoder decoder;
    DecodedInput out;
    decoder.feed(bytes, out);
    int waits = 0;
    while (decoder.waits() && waits < 100) decoder.expire(out), ++waits;
    ASSERT_LT(waits, 100) << "seed " << kSeed << ": " << testing::PrintToString(bytes);
  }
}

}  // namespace
}  // namespace magi::code::tui
