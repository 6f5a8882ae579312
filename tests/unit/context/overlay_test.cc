#include <gtest/gtest.h>

#include "libcommon/base/utf8.h"
#include "libcommon/context/elision.h"
#include "libcommon/context/evidence.h"
#include "libcommon/context/protection.h"
#include "libcommon/digest/sha256.h"
#include "tests/unit/context/random_session.h"
#include "tests/unit/context/replay_support.h"

namespace magi::context::test {
namespace {

TEST(Elision, KeepsBothEnds) {
  std::string out;
  EXPECT_FALSE(elide(out, std::string(24'000, 'a')));
  EXPECT_EQ(out, "");
  std::string text = std::string(6'000, 'a') + std::string(12'001, 'b') + std::string(6'000, 'c');
  EXPECT_EQ(elide(out, text), 12'001);
  EXPECT_EQ(out, std::string(6'000, 'a') + "\\n[... 12001 characters omitted ...]\\n" + std::string(6'000, 'c'));
}

// Against counting character by character, whatever the text is made of.
TEST(Elision, CountsAndCutsLikeTheObviousWay) {
  const std::vector<std::string> pieces = {
      "a",    "\\n",      "\\u00e9",      "\\ud83d\\ude00",   "\\ud800",
      "\\\\", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\xA6\x8A", "plain words and more of them "};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    std::string raw;
    const std::size_t kinds = 1 + random.below(pieces.size());
    while (raw.size() < 20'000 + random.below(200'000)) raw += pieces[random.below(kinds)];
    std::string out;
    const auto omitted = elide(out, raw);
    const std::size_t characters = json::count_characters(raw);
    ASSERT_EQ(omitted.has_value(), characters > kLongOutputCharacters);
    if (!omitted) continue;
    ASSERT_EQ(static_cast<std::size_t>(*omitted), characters - 2 * kKeptCharacters);
    const std::string expected = raw.substr(0, json::prefix_bytes(raw, kKeptCharacters)) + "\\n[... " +
                                 std::to_string(*omitted) + " characters omitted ...]\\n" +
                                 raw.substr(json::prefix_bytes(raw, characters - kKeptCharacters));
    ASSERT_TRUE(out == expected) << "seed " << seed;
  }
}

std::string evidence(std::string_view effects) {
  json::Parser parser;
  auto node = parser.parse(effects);
  return evidence_text(node ? *node : json::Node());
}

TEST(Evidence, IsBoundedAndNeverClaimsThatNothingWasWritten) {
  EXPECT_NE(evidence(R"({"mutations":2,"paths":["a.c","b.c"]})").find("mutations: 2\npaths: a.c, b.c"),
            std::string::npos);
  std::string many = "{\"paths\":[";
  for (int i = 0; i < 5'000; ++i) many += "\"" + std::string(300, 'p') + "\",";
  const std::string text = evidence(many + "\"last\"]}");
  EXPECT_LT(utf8::count(text), 4'000u);
  for (const char* broken : {"", "[]", "null", "7"}) EXPECT_NE(evidence(broken).find("incomplete"), std::string::npos);
}

std::string skill_result(const std::string& id, const std::string& text, const std::string& provenance,
                         const std::string& more = "") {
  return call("t", id) +
         line("tool_result", "9",
              R"({"turn_id":"t","call_id":")" + id + R"(","result_id":"r)" + id + R"(","status":"success","output":")" +
                  text + R"(","details":{"provenance":)" + provenance + "}" + more + "}");
}

TEST(Skills, ALaterReadOfTheSameTextRefersToTheFirst) {
  const std::string skill = R"({"kind":"skill","name":"pdf"})";
  const auto outputs = [](const std::string& session) {
    const auto r = replay(session);
    EXPECT_EQ(complaint(r.stream), "");
    std::string out;
    json::Parser parser;
    for (const std::string& record : r.records)
      if (const json::Node node = *parser.parse(record); node.find("output"))
        out += *node.find("output").as_string() + "|";
    return out;
  };
  const std::string first = skill_result("a", "how to", skill);
  const std::string reference = "[the same text of this skill stands unchanged in the result of call a]|";
  EXPECT_EQ(outputs(first + skill_result("b", "how to", skill)), "how to|" + reference);
  // Escapes are not text.
  EXPECT_EQ(outputs(first + skill_result("b", "how\\u0020to", skill)), "how to|" + reference);
  EXPECT_EQ(outputs(first + skill_result("b", "how to!", skill)), "how to|how to!|");
  EXPECT_EQ(outputs(first + skill_result("b", "how to", R"({"kind":"skill","name":"xls"})")), "how to|how to|");
  EXPECT_EQ(outputs(first + skill_result("b", "how to", R"({"kind":"file","name":"pdf"})")), "how to|how to|");
  // A provenance of another text, and one that is true.
  EXPECT_EQ(outputs(first + skill_result("b", "how to", R"({"kind":"skill","name":"pdf","sha256":"00"})")),
            "how to|how to|");
  EXPECT_EQ(outputs(first + skill_result("b", "how to",
                                         R"({"kind":"skill","name":"pdf","sha256":")" + sha256_hex("how to") + "\"}")),
            "how to|" + reference);
  // What may be shortened or withheld is not referred to, nor what a checkpoint has replaced.
  const std::string text(24'001, 'x');
  EXPECT_EQ(outputs(skill_result("a", text, skill) + skill_result("b", text, skill)), text + "|" + text + "|");
  const std::string guard = R"(,"protection":{"enforcement":"enforce"})";
  const std::string guarded = outputs(skill_result("a", "how to", skill, guard) + skill_result("b", "how to", skill));
  EXPECT_EQ(guarded.substr(guarded.find('|')), "|how to|");
  EXPECT_EQ(outputs(first + checkpoint(1, "sum") + skill_result("b", "how to", skill)), "how to|");
}

Projection project(std::string_view raw, const Assessment& assessment) { return project_protected(raw, &assessment); }

TEST(Protection, ShowsOnlyWhatWasAssessedAsStored) {
  const std::string text = "caf\xC3\xA9 secret \n end", raw = "caf\\u00e9 secret \\n end";
  Assessment good{Verdict::kAllow, true, sha256_hex(text), {}};
  EXPECT_EQ(project(raw, good).text, text);
  EXPECT_TRUE(project(raw, good).withheld.empty());
  EXPECT_FALSE(project_protected(raw, nullptr).withheld.empty());
  Assessment partial = good, other = good, forbidden = good;
  partial.complete = false;
  other.stored_sha256 = sha256_hex(raw);
  forbidden.verdict = Verdict::kWithhold;
  for (const Assessment& bad : {partial, other, forbidden}) {
    EXPECT_FALSE(project(raw, bad).withheld.empty());
    EXPECT_EQ(project(raw, bad).text.find("secret"), std::string::npos);
  }
}

TEST(Protection, RedactsByByteOffsetsOrNotAtAll) {
  const std::string text = "caf\xC3\xA9 secret end";
  Assessment cut{Verdict::kRedact, true, sha256_hex(text), {{6, 12}}};
  EXPECT_EQ(project(text, cut).text, "caf\xC3\xA9 [redacted] end");
  using Spans = decltype(cut.spans);
  for (const Spans& bad : {Spans{{4, 6}}, Spans{{6, 99}}, Spans{{8, 12}, {6, 7}}, Spans{{9, 8}}}) {
    cut.spans = bad;
    EXPECT_FALSE(project(text, cut).withheld.empty());
  }
}

std::string guarded(std::string_view result_id, std::string_view protection, std::string_view more = "") {
  return line("tool_result", "1",
              R"({"turn_id":"t","call_id":"c","result_id":")" + std::string(result_id) +
                  R"(","status":"success","output":"secret","protection":)" + std::string(protection) +
                  std::string(more) + "}");
}
constexpr std::string_view kEnforce = R"({"state":"pending","enforcement":"enforce"})";

std::string assessed(std::string_view change_from = "", std::string_view change_to = "") {
  std::string text =
      line("tool_result_assessment", "2",
           R"({"result_id":"r","call_id":"c","session_id":"s1","enforcement":"enforce","coverage":"complete",)"
           R"("verdict":"allow","stored_sha256":")" +
               sha256_hex("secret") + "\"}");
  if (!change_from.empty()) text.replace(text.find(change_from), change_from.size(), change_to);
  return text;
}

bool shows(const std::string& session) {
  const auto r = replay(call("t", "c") + session);
  EXPECT_EQ(complaint(r.stream), "");
  return r.stream.find("secret") != std::string::npos;
}

TEST(Protection, MatchesByResultCallSessionAndEnforcement) {
  EXPECT_TRUE(shows(guarded("r", kEnforce) + assessed()));
  EXPECT_TRUE(shows(guarded("r", kEnforce) + user("t", "between") + assessed() + assessed()));
  EXPECT_FALSE(shows(guarded("r", kEnforce)));
  EXPECT_FALSE(shows(assessed() + guarded("r", kEnforce)));
  EXPECT_FALSE(shows(guarded("r", kEnforce) + assessed("\"result_id\":\"r\"", "\"result_id\":\"x\"")));
  EXPECT_FALSE(shows(guarded("r", kEnforce) + assessed("\"call_id\":\"c\"", "\"call_id\":\"x\"")));
  EXPECT_FALSE(shows(guarded("r", kEnforce) + assessed("\"session_id\":\"s1\",\"enf", "\"session_id\":\"s2\",\"enf")));
  EXPECT_FALSE(shows(guarded("r", kEnforce) + assessed("\"enforce\"", "\"observe\"")));
  EXPECT_FALSE(shows(guarded("r", kEnforce) + assessed() + assessed("\"allow\"", "\"withhold\"")));
  EXPECT_FALSE(shows(guarded("r", kEnforce) + guarded("r", kEnforce) + assessed()));
}

TEST(Protection, WhatCannotBeReadIsEnforced) {
  EXPECT_TRUE(shows(guarded("r", R"({"enforcement":"observe"})")));
  EXPECT_TRUE(shows(guarded("r", "null")));
  for (const char* odd : {"{}", "[]", "true", R"({"enforcement":"watch"})"})
    EXPECT_FALSE(shows(guarded("r", odd))) << odd;
}

TEST(Protection, NoTextButTheAssessedOneIsShown) {
  EXPECT_FALSE(shows(guarded("r", kEnforce, R"(,"view":"secret view")")));
  const auto r = replay(call("t", "c") + guarded("r", kEnforce, R"(,"view":"other")") + assessed());
  EXPECT_NE(r.stream.find("\"output\":\"secret\""), std::string::npos);
  EXPECT_EQ(r.stream.find("other"), std::string::npos);
}

// R8 before R4: what counts is the length of what would be shown.
TEST(Protection, IsAppliedBeforeOutputsAreShortened) {
  const auto shown = [](std::size_t kept) {
    const std::string output = std::string(kept, 'a') + std::string(100, 'S');
    const std::string span = "[[" + std::to_string(kept) + "," + std::to_string(output.size()) + "]]";
    const auto r = replay(user("t", "go") + call("t", "c") +
                          line("tool_result", "1",
                               R"({"turn_id":"t","call_id":"c","result_id":"r","status":"success","output":")" +
                                   output + R"(","protection":{"state":"pending","enforcement":"enforce"}})") +
                          line("tool_result_assessment", "2",
                               R"({"result_id":"r","call_id":"c","session_id":"s1","enforcement":"enforce",)"
                               R"("coverage":"complete","verdict":"redact","spans":)" +
                                   span + R"(,"stored_sha256":")" + sha256_hex(output) + "\"}") +
                          turn_end("t"));
    EXPECT_EQ(complaint(r.stream), "");
    EXPECT_EQ(r.stream.find("SS"), std::string::npos);
    return r.stream;
  };
  const std::string marked = "[redacted]";
  EXPECT_EQ(shown(kLongOutputCharacters - marked.size()).find("omitted_chars"), std::string::npos);
  EXPECT_NE(shown(kLongOutputCharacters - marked.size() + 1).find("\"omitted_chars\":12001"), std::string::npos);
}

}  // namespace
}  // namespace magi::context::test
