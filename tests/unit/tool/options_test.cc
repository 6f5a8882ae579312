#include "libcommon/tool/options.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace magi::tool {
namespace {

// A command line with one option of every kind, and what a parse of it printed.
class OptionsTest : public testing::Test {
 protected:
  OptionsTest() {
    parser.flag("-q,--quiet", quiet, "say nothing").conflicts_with({"--json"});
    parser.flag("--json", json, "write records");
    parser.flag("--control", control, "take actions").needs("--json");
    parser.option("-m,--model", model, "NAME", "model to ask");
    parser.option("--note", note, "TEXT", "may be empty").allow_empty();
    parser.option("--limit", limit, "N", "most records").range(1, 100);
    parser.option("--mode", mode, "MODE", "what is allowed").choices({"some", "all"});
    parser.option("--add-dir", dirs, "DIR", "one more folder");
    parser.optional_value("-r,--resume", resume, "ID", "go on");
    parser.option("--secret", secret, "X", "internal").hidden();
    parser.operand("FILE", file, "first");
    parser.operand("MORE", more, "others");
  }

  std::optional<int> parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "magi-x");
    arguments.push_back(nullptr);
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const auto status = parser.parse(static_cast<int>(arguments.size()) - 1, arguments.data());
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return status;
  }

  // Exit 2 with exactly this line, nothing on stdout.
  void expect_refused(std::vector<const char*> arguments, const std::string& line) {
    EXPECT_EQ(parse(std::move(arguments)), std::optional(2));
    EXPECT_EQ(err, "magi-x: " + line + "\n");
    EXPECT_EQ(out, "");
  }

  bool quiet = false, json = false, control = false;
  std::string model = "standard", mode = "some", note = "unset";
  std::optional<std::string> resume, file, secret;
  std::optional<std::int64_t> limit;
  std::vector<std::string> dirs, more;
  OptionParser parser{"magi-x", "Do one thing."};
  std::string out, err;
};

TEST_F(OptionsTest, NothingGivenLeavesTargetsAlone) {
  EXPECT_EQ(parse({}), std::nullopt);
  EXPECT_EQ(model, "standard");
  EXPECT_FALSE(resume || file || limit || quiet);
  EXPECT_EQ(out + err, "");
}

TEST_F(OptionsTest, EveryKindIsStored) {
  EXPECT_EQ(parse({"-q", "--model=a", "-m", "b", "--limit", "7", "--mode", "all", "--add-dir", "x", "one",
                   "--add-dir=y", "two"}),
            std::nullopt);
  EXPECT_TRUE(quiet);
  EXPECT_EQ(model, "b") << "the last one counts";
  EXPECT_EQ(limit, 7);
  EXPECT_EQ(mode, "all");
  EXPECT_EQ(dirs, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(file, "one");
  EXPECT_EQ(more, std::vector<std::string>{"two"});
  EXPECT_TRUE(parser.given("--model"));
  EXPECT_FALSE(parser.given("--json"));
}

TEST_F(OptionsTest, OptionalValueMayBeMissingAnywhere) {
  EXPECT_EQ(parse({"-qr", "--", "-x"}), std::nullopt);
  EXPECT_EQ(resume, "");
  EXPECT_EQ(file, "-x");
  EXPECT_EQ(parse({"--resume", "id", "--", "file"}), std::nullopt);
  EXPECT_EQ(resume, "id");
  EXPECT_EQ(file, "file");
  EXPECT_EQ(parse({"--resume"}), std::nullopt);
  EXPECT_EQ(resume, "");
}

TEST_F(OptionsTest, ValuesAreTakenAsTheyAre) {
  EXPECT_EQ(parse({"-m", "-5 is {}", "--add-dir", "[a,b]", "-", "[c,d]", "--note="}), std::optional(2));
  EXPECT_EQ(parse({"-m", "-5 is {}", "--add-dir", "[a,b]", "-", "[c,d]", "--note", ""}), std::nullopt);
  EXPECT_EQ(model, "-5 is {}");
  EXPECT_EQ(dirs, std::vector<std::string>{"[a,b]"});
  EXPECT_EQ(file, "-");
  EXPECT_EQ(more, std::vector<std::string>{"[c,d]"});
  EXPECT_EQ(note, "");
}

TEST_F(OptionsTest, CLI_09_EveryWrongValueNamesItsOption) {
  expect_refused({"--model"}, "--model: needs a value");
  expect_refused({"--model", ""}, "--model: needs a value");
  expect_refused({"--model="}, "--model: needs a value");
  expect_refused({"--model", "--json"}, "--model: needs a value");
  expect_refused({"-m", "-r"}, "--model: needs a value");
  expect_refused({"--resume="}, "--resume: needs a value");
  expect_refused({"--json=maybe"}, "--json: takes no value");
  expect_refused({"--limit", "0"}, "--limit: '0' is not a whole number from 1 to 100");
  expect_refused({"--limit", "7x"}, "--limit: '7x' is not a whole number from 1 to 100");
  expect_refused({"--limit", "99999999999999999999"},
                 "--limit: '99999999999999999999' is not a whole number from 1 to 100");
  expect_refused({"--mode", "none"}, "--mode: 'none' is not one of some, all");
  expect_refused({"--home", "here"}, "--home: 'here' is not an absolute path");
  expect_refused({"--quiet", "--json"}, "--quiet: cannot be used together with --json");
  expect_refused({"--control"}, "--control: needs --json");
  expect_refused({"--jsom"}, "unknown option '--jsom' (did you mean --json?)");
  expect_refused({"--zzzzzz=1"}, "unknown option '--zzzzzz'");
  expect_refused({"-z"}, "unknown option '-z'");
  expect_refused({"--limit", "\x1b[31m\n"}, "--limit: '\\x1b[31m\\x0a' is not a whole number from 1 to 100");
}

TEST_F(OptionsTest, HelpListsWhatIsNotHidden) {
  EXPECT_EQ(parse({"--help", "--limit", "5"}), std::optional(0));
  EXPECT_EQ(err, "");
  EXPECT_EQ(out.rfind("Usage: magi-x [OPTION]... [FILE] [MORE...]\nDo one thing.\n", 0), 0u) << out;
  EXPECT_NE(out.find("  -r, --resume[=ID]           go on\n"), std::string::npos) << out;
  EXPECT_NE(out.find("      --mode MODE             what is allowed: some, all\n"), std::string::npos) << out;
  EXPECT_NE(out.find("  -h, --help "), std::string::npos);
  EXPECT_EQ(out.find("secret"), std::string::npos);
}

TEST_F(OptionsTest, VersionIsNameAndNumber) {
  EXPECT_EQ(parse({"--version"}), std::optional(0));
  EXPECT_EQ(out, "magi-x " MAGI_VERSION "\n");
}

TEST_F(OptionsTest, HomeLosesItsTrailingSlash) {
  EXPECT_EQ(parse({"--home", "/a/b//"}), std::nullopt);
  EXPECT_EQ(parser.home(), "/a/b");
}

TEST_F(OptionsTest, CompletionOffersNamesChoicesAndPaths) {
  const std::string bash = *parser.completion("bash");
  EXPECT_NE(bash.find("--resume"), std::string::npos) << bash;
  EXPECT_NE(bash.find("some all"), std::string::npos) << bash;
  EXPECT_EQ(bash.find("--secret"), std::string::npos);
  EXPECT_TRUE(parser.completion("zsh") && parser.completion("fish"));
  EXPECT_FALSE(parser.completion("csh"));
}

TEST(SubcommandTest, HasItsOwnOptionsAndHelp) {
  bool all = false;
  std::optional<std::string> id;
  OptionParser parser("magi-x", "Do one thing.");
  Options& sessions = parser.subcommand("sessions", "look at sessions");
  sessions.require_subcommand();
  Options& list = sessions.subcommand("list", "print them");
  list.flag("--all", all, "everything");
  Options& show = sessions.subcommand("show", "print one");
  show.operand("ID", id, "which").required();
  const auto run = [&](std::vector<const char*> arguments, std::string& printed) {
    arguments.insert(arguments.begin(), "magi-x");
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const auto status = parser.parse(static_cast<int>(arguments.size()), arguments.data());
    printed = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
    return status;
  };
  std::string printed;
  EXPECT_EQ(run({"sessions", "list", "--all", "--home", "/h"}, printed), std::nullopt);
  EXPECT_TRUE(list.chosen() && sessions.chosen() && !show.chosen() && all);
  EXPECT_EQ(parser.home(), "/h");
  EXPECT_EQ(run({"sessions"}, printed), std::optional(2));
  EXPECT_EQ(printed, "magi-x: sessions: needs a subcommand: list, show\n");
  EXPECT_EQ(run({"sessions", "lost"}, printed), std::optional(2));
  EXPECT_EQ(printed, "magi-x: unknown subcommand 'lost' (did you mean list?)\n");
  EXPECT_EQ(run({"sessions", "show"}, printed), std::optional(2));
  EXPECT_EQ(printed, "magi-x: operand ID is missing\n");
  EXPECT_EQ(run({"sessions", "list", "x"}, printed), std::optional(2));
  EXPECT_EQ(printed, "magi-x: unexpected operand 'x'\n");
  EXPECT_EQ(run({"sessions", "show", "--help"}, printed), std::optional(0));
  EXPECT_EQ(printed.rfind("Usage: magi-x sessions show [OPTION]... ID\n", 0), 0u) << printed;
}

}  // namespace
}  // namespace magi::tool
