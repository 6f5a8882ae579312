#include "libcommon/tokens/o200k.h"

#include <gtest/gtest.h>

#include <random>

#include "libcommon/tokens/o200k/engine.h"
#include "libcommon/tokens/o200k/long_piece.h"
#include "tests/unit/tokens/reference.h"

namespace magi::o200k {
namespace {

using Ids = std::vector<std::uint32_t>;

// Texts that touch the rules: characters of every class, words, contractions, runs, tokens and parts of them.
class Texts {
 public:
  explicit Texts(std::uint32_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  std::string next(std::uint32_t parts) {
    std::string text;
    for (std::uint32_t i = below(parts) + 1; i > 0; --i) append_part(text);
    return utf8::sanitize(text);
  }

  // One piece: a word, marks, or white space, of few or of many characters.
  std::string piece(std::size_t size) {
    static constexpr std::string_view kAlphabets[] = {
        "ab", "etaoin", "=-", "#", " \t", "etaoinshrdlucmfgypwbvkxjqz", "\u6f22\u5b57\u306e"};
    std::string_view alphabet = kAlphabets[below(std::size(kAlphabets))];
    std::string text;
    while (text.size() < size) {
      const std::size_t at = utf8::floor_boundary(alphabet, below(static_cast<std::uint32_t>(alphabet.size())));
      text += alphabet.substr(at, utf8::decode(alphabet, at).length);
    }
    return text;
  }

 private:
  void append_part(std::string& text) {
    static constexpr std::string_view kParts[] = {" ",
                                                  " ",
                                                  "  ",
                                                  "\n",
                                                  "\r\n",
                                                  "\t",
                                                  "\n\n  \n",
                                                  "        ",
                                                  "'s",
                                                  "'RE",
                                                  "'ll",
                                                  "it's",
                                                  "'\u017f",
                                                  "'",
                                                  "''",
                                                  "/",
                                                  "//",
                                                  "\n/",
                                                  "}\n\n/*",
                                                  ".",
                                                  "!",
                                                  "...",
                                                  "-",
                                                  "1",
                                                  "12",
                                                  "1234567",
                                                  "a",
                                                  "B",
                                                  "Hello",
                                                  "camelCase",
                                                  "HTTPServer",
                                                  "\u00e9",
                                                  "\u00c9a",
                                                  "\u01c5",
                                                  "\u02b0",
                                                  "\u6f22\u5b57",
                                                  "\u6f22ABC",
                                                  "\u306e\u6771\u4eac",
                                                  "\u0301",
                                                  "\u0e01\u0e33",
                                                  "\u041f\u0440\u0438\u0432\u0435\u0442",
                                                  "\ud55c\uad6d",
                                                  "\U0001f600",
                                                  "\u200d",
                                                  "\ufeff",
                                                  "\u0085",
                                                  "\u00a0",
                                                  "\u3000",
                                                  "\u2028",
                                                  "\u0663",
                                                  "\u00bd",
                                                  "_",
                                                  "\"",
                                                  "\":\"",
                                                  "</",
                                                  ">",
                                                  "<|endoftext|>"};
    switch (below(8)) {
      case 0: utf8::append(text, below(0x3000)); break;
      case 1: utf8::append(text, below(0x110000)); break;
      case 2: text += *token_bytes(below(kVocabulary)); break;
      case 3: text += std::string(below(30), static_cast<char>(32 + below(95))); break;
      case 4: text += static_cast<char>(below(128)); break;
      default: text += kParts[below(std::size(kParts))];
    }
  }

  std::mt19937 random_;
};

std::vector<Isa> isas() {
  std::vector<Isa> isas{Isa::kPortable};
  if (best_isa() == Isa::kAvx2) isas.push_back(Isa::kAvx2);
  return isas;
}

Ids encode(Engine& engine, std::string_view text) {
  Ids ids(text.size() + 1);
  ids.resize(engine.encode(text.data(), text.size(), ids.data()));
  return ids;
}

TEST(O200k, AgreesWithTheReferenceOnRandomTexts) {
  const std::uint32_t seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  Texts texts(seed);
  for (const Isa isa : isas()) {
    const auto engine = make_engine(isa);
    for (int i = 0; i < 4000; ++i) {
      const std::string text = texts.next(i % 8 ? 40 : 200);
      const Ids expected = reference::encode(text);
      ASSERT_EQ(encode(*engine, text), expected) << isa_name(isa) << ", seed " << seed << ": " << text;
      ASSERT_EQ(engine->count(text.data(), text.size(), UINT64_MAX), expected.size()) << seed << ": " << text;
    }
  }
}

TEST(O200k, AgreesWithTheReferenceOnLongPieces) {
  const std::uint32_t seed = std::random_device{}();
  Texts texts(seed);
  for (int i = 0; i < 24; ++i) {
    const std::string text = texts.piece(1000 + texts.below(2500));
    Ids expected;
    reference::merge(text, expected);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const Tables tables;
    Merger merger(tables);
    // The larger window is merged with a queue.
    for (const std::size_t window : {Merger::kBytes, std::size_t{1300}}) {
      Ids ids;
      ASSERT_TRUE(
          LongPiece(tables, merger, bytes, text.size(), window).encode([&](std::uint32_t id) { ids.push_back(id); }));
      ASSERT_EQ(ids, expected) << "window " << window << ", seed " << seed << ": " << text;
    }
  }
}

TEST(O200k, CountsOfBothSidesOfASplitAddUp) {
  Texts texts(7);
  int splits = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = texts.next(40);
    const std::uint64_t whole = count(text);
    for (std::size_t at = 1; at < text.size(); ++at) {
      if (!is_split(text[at - 1], text[at])) continue;
      ++splits;
      ASSERT_EQ(count(text.substr(0, at)) + count(text.substr(at)), whole) << at << ": " << text;
    }
  }
  EXPECT_GT(splits, 1000);
}

TEST(O200k, CountsAGrowingTextLikeTheWhole) {
  Texts texts(11);
  GrowingCount growing;
  std::string whole;
  for (int i = 0; i < 200; ++i) {
    const std::string part = texts.next(20);
    growing.add(part);
    whole += part;
    ASSERT_EQ(growing.total(), count(whole)) << i;
  }
}

TEST(O200k, StopsCountingAboveTheLimit) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "word ";
  const std::uint64_t whole = count(text);
  EXPECT_EQ(count_until(text, whole), whole);
  EXPECT_GT(count_until(text, 100), 100u);
  EXPECT_LT(count_until(text, 100), 300u);
  EXPECT_EQ(count_until("", 0), 0u);
}

TEST(O200k, WhatIsNotUtf8IsItsReplacement) {
  std::uint64_t replaced = 0;
  EXPECT_EQ(count("a\xff\xfe", &replaced), count("a\xEF\xBF\xBD\xEF\xBF\xBD"));
  EXPECT_EQ(replaced, 2u);
  EXPECT_EQ(encode_ordinary("\xF0\x9F\x98"), encode_ordinary("\xEF\xBF\xBD"));
}

TEST(O200k, TokensAreTheirBytes) {
  Texts texts(13);
  for (int i = 0; i < 300; ++i) {
    const std::string text = texts.next(40);
    std::string back;
    for (const std::uint32_t id : encode_ordinary(text)) back += *token_bytes(id);
    ASSERT_EQ(back, text);
  }
  EXPECT_EQ(token_bytes(199'998), std::nullopt);
  EXPECT_EQ(token_bytes(199'999), "<|endoftext|>");
  EXPECT_EQ(token_bytes(200'018), "<|endofprompt|>");
  EXPECT_EQ(token_bytes(200'019), std::nullopt);
}

// The longest prefix by trying all.
std::string_view longest_prefix(std::string_view text, std::uint64_t limit) {
  for (std::size_t end = text.size(); end > 0; end = utf8::floor_boundary(text, end - 1))
    if (count(text.substr(0, end)) <= limit) return text.substr(0, end);
  return {};
}

TEST(Truncate, IsTheLongestPrefixOfAll) {
  const std::uint32_t seed = std::random_device{}();
  Texts texts(seed);
  for (int i = 0; i < 600; ++i) {
    const std::string text = texts.next(20);
    const std::uint64_t limit = 1 + texts.below(static_cast<std::uint32_t>(count(text)) + 1);
    ASSERT_EQ(truncate(text, limit), longest_prefix(text, limit)) << limit << ", seed " << seed << ": " << text;
  }
}

TEST(Truncate, CutsLongPiecesToo) {
  const std::uint32_t seed = std::random_device{}();
  Texts texts(seed);
  for (int i = 0; i < 12; ++i) {
    const std::string text = "a b" + texts.piece(1500 + texts.below(1500)) + " end";
    const std::uint64_t limit = 3 + texts.below(static_cast<std::uint32_t>(count(text)));
    ASSERT_EQ(truncate(text, limit), longest_prefix(text, limit)) << limit << ", seed " << seed << ": " << text;
  }
}

TEST(Truncate, GoesByStridesThroughLongTexts) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string_view cut = truncate(text, 100'000);
  EXPECT_EQ(count(cut), 100'000u);
  EXPECT_GT(count(text.substr(0, cut.size() + 1)), 100'000u);
}

}  // namespace
}  // namespace magi::o200k
