// docs/budgets.md holds what the resolver says: the table there is written by this test (MAGI_WRITE_DOCS=1) and
// compared by it otherwise, so that page and code cannot differ.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "libcommon/context/budget.h"
#include "tests/unit/scratch.h"

namespace magi::context {
namespace {

struct Case {
  const char* provider;
  const char* model;
  const char* about;  // settings, as a reader would write them
  std::vector<std::string> overlay;
  std::optional<std::int64_t> window;  // of the model catalog
};

std::vector<Case> cases() {
  return {
      {"openai-compatible", "local", "", {}, {}},
      {"openai", "gpt-5", "", {}, 400'000},
      {"anthropic", "claude-sonnet-4-5", "", {}, 200'000},
      {"openai-compatible",
       "small",
       "agent.context.max_tokens 32768, reserve_tokens 4096",
       {"agent.context.max_tokens=32768", "agent.context.reserve_tokens=4096"},
       {}},
      {"anthropic",
       "claude-sonnet-4-5",
       "model_overrides: max_tokens 120000",
       {R"(agent.context.model_overrides={"anthropic/claude-sonnet-4-5":{"max_tokens":120000}})"},
       200'000},
      {"anthropic",
       "claude-sonnet-4-5",
       "model_overrides: max_tokens 1000000 (more than is known to be allowed)",
       {R"(agent.context.model_overrides={"anthropic/claude-sonnet-4-5":{"max_tokens":1000000}})"},
       200'000},
      {"openai",
       "gpt-5",
       "auto.threshold_percent 60, threshold_tokens 150000",
       {"agent.compaction.auto.threshold_percent=60", "agent.compaction.auto.threshold_tokens=150000"},
       400'000},
      {"openai", "gpt-5", "auto.enabled false", {"agent.compaction.auto.enabled=false"}, 400'000},
      {"claude-subscription", "sonnet", "", {}, {}},
      {"claude-subscription",
       "sonnet",
       "allow_compaction false, compaction by anthropic",
       {R"(agent.compaction={"provider":"anthropic","model":"claude-sonnet-4-5",)"
        R"("claude_subscription":{"allow_compaction":false}})"},
       {}},
  };
}

std::string number(std::optional<std::int64_t> value) { return value ? std::to_string(*value) : "-"; }

std::string row(const Case& entry) {
  const test::Scratch scratch;
  const session::Home home(scratch.path());
  if (entry.window) {
    std::filesystem::create_directories(scratch / "cache/model-catalog");
    test::spill(home.model_catalog(entry.provider), R"({"models":[{"id":")" + std::string(entry.model) +
                                                        R"(","context_window":)" + std::to_string(*entry.window) +
                                                        R"(,"max_output_tokens":64000}]})");
  }
  const auto settings = config::load_settings({home.settings(), "", entry.overlay});
  EXPECT_TRUE(settings) << settings.error().what;
  if (!settings) return "";
  const tokens::Budget budget = budget_of(*settings, home, entry.provider, entry.model).budget;
  const auto cell = [](std::string text) { return " " + std::move(text) + " |"; };
  std::string line = "|" + cell(std::string(entry.provider) + " " + entry.model);
  line += cell(*entry.about ? entry.about : "defaults") + cell(number(entry.window));
  line += cell(std::to_string(budget.max_tokens) + " (" + budget.max_source + ")");
  line += cell(std::to_string(budget.reserve_tokens) + " (" + budget.reserve_source + ")");
  line += cell(std::to_string(budget.usable));
  line += cell(budget.compaction_cutoff ? std::to_string(*budget.compaction_cutoff) + " (" + budget.cutoff_source + ")"
                                        : "never (" + budget.cutoff_source + ")");
  return line + cell(std::to_string(budget.summary_limit)) + "\n";
}

std::string table() {
  std::string text =
      "| model | settings | window | max_tokens | reserve_tokens | sent at most | compacted at | summary request |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const Case& entry : cases()) text += row(entry);
  return text;
}

TEST(Thresholds, TheTableInTheDocumentationIsWhatTheResolverSays) {
  const std::string path = MAGI_SOURCE_DIR "/docs/budgets.md";
  std::string page = test::slurp(path);
  const std::size_t begin = page.find("| model |");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = std::min(page.find("\n\n", begin), page.size() - 1) + 1;
  if (std::getenv("MAGI_WRITE_DOCS")) {
    page.replace(begin, end - begin, table());
    test::spill(path, page, 0644);
    return;
  }
  EXPECT_EQ(page.substr(begin, end - begin), table());
}

}  // namespace
}  // namespace magi::context
