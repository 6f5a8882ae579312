#include "libcommon/context/effects.h"

#include <gtest/gtest.h>

#include "libcommon/context/evidence.h"
#include "libcommon/json/writer.h"

namespace magi::context {
namespace {

class Effects : public testing::Test {
 protected:
  void add(const std::string& call, const std::string& effects, const std::string& status = "success") {
    json::Parser parser;
    ledger.add(call, status, *parser.parse(effects));
  }
  EffectsLedger restored() const {
    json::Parser parser;
    EffectsLedger next;
    next.restore(*parser.parse(ledger.json()));
    return next;
  }
  std::string note() const {
    json::Parser parser;
    return evidence_text(*parser.parse(ledger.json()));
  }
  EffectsLedger ledger;
};

// CMP-17: three edits, one of which failed half way.
TEST_F(Effects, NamesEveryChangedPathAlsoOfAPartialEdit) {
  add("c1", R"({"kind":"edit","mutations":1,"paths":["a.c"],"shell_calls":0})");
  add("c2", R"({"kind":"write","mutations":1,"paths":["b.c"],"shell_calls":0})");
  add("c3", R"({"kind":"edit","mutations":1,"paths":["c.c"],"partial":true,"shell_calls":0})", "error");
  add("c4", R"({"kind":"shell","mutations":0,"shell_calls":1})");
  EXPECT_EQ(
      ledger.json(),
      R"({"complete":true,"mutations":3,"shell_calls":1,"partial_calls":1,"paths":["a.c","b.c","c.c"],)"
      R"("partial_paths":["c.c"],"paths_omitted":0,"results":4,)"
      R"("calls":["c1 edit success","c2 write success","c3 edit partial","c4 shell success"],"calls_omitted":0})");
  EXPECT_NE(note().find("a clean diff or status does not mean that nothing was written"), std::string::npos);
}

TEST_F(Effects, SurvivesRestoresUnchanged) {
  add("c1", R"({"kind":"edit","mutations":2,"paths":["a","b"],"shell_calls":0})");
  EXPECT_EQ(restored().json(), ledger.json());
  ledger.doubt("why");
  EXPECT_EQ(restored().json(), ledger.json());
  EXPECT_FALSE(restored().complete());
}

TEST_F(Effects, IsIncompleteWhenInDoubt) {
  for (const char* bad : {"null", "[]", "{}", R"({"mutations":-1,"shell_calls":0})", R"({"mutations":1})",
                          R"({"mutations":"1","shell_calls":0})", R"({"mutations":1,"shell_calls":0,"paths":[7]})",
                          R"({"mutations":9007199254740993,"shell_calls":0})"}) {
    ledger = EffectsLedger();
    add("c1", bad);
    EXPECT_FALSE(ledger.complete()) << bad;
    EXPECT_NE(ledger.json().find("\"complete\":false"), std::string::npos);
  }
  for (const char* bad :
       {"null", "7", "{}", R"({"mutations":1})", R"({"mutations":1,"shell_calls":0,"complete":false})",
        R"({"mutations":1,"shell_calls":0,"paths":[{}]})"}) {
    json::Parser parser;
    ledger.restore(*parser.parse(bad));
    EXPECT_FALSE(ledger.complete()) << bad;
  }
}

TEST_F(Effects, CountersAreExactWhereSamplesAreBounded) {
  for (int i = 0; i < 5000; ++i)
    add("call-" + std::to_string(i), R"({"kind":"edit","mutations":2,"paths":["folder/of/some/length/file)" +
                                         std::to_string(i) + R"("],"shell_calls":1})");
  EXPECT_EQ(ledger.mutations(), 10'000);
  EXPECT_EQ(ledger.shell_calls(), 5'000);
  EXPECT_LT(ledger.json().size(), kMaxEffectsBytes);
  EXPECT_TRUE(ledger.complete());
  json::Parser parser;
  const auto node = parser.parse(ledger.json());
  std::int64_t named = 0;
  for ([[maybe_unused]] const json::Node path : node->find("paths").elements()) ++named;
  EXPECT_EQ(named + *node->find("paths_omitted").as_int(), 10'000);
  EXPECT_EQ(restored().json(), ledger.json());
}

TEST_F(Effects, HostileTextsStayWithinTheBound) {
  const std::string control(3000, '\x01');
  std::string path;
  json::append_quoted(path, control);
  for (int i = 0; i < 30; ++i)
    add(control + std::to_string(i), R"({"kind":"x","mutations":1,"shell_calls":0,"partial":true,"paths":[)" + path +
                                         R"(,"p)" + std::to_string(i) + R"("]})");
  EXPECT_LT(ledger.json().size(), kMaxEffectsBytes);
}

}  // namespace
}  // namespace magi::context
