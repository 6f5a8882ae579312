// One session with everything in it, as text at three widths.  MAGI_WRITE_GOLDEN=1 writes the files anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/unit/tui_transcript/drawn.h"
#include "tests/unit/tui_transcript/events.h"

namespace magi::code::tui {
namespace {

constexpr const char* kAnswer = R"(# Plan

The parser in `src/parse.cc` *drops* the **last token** of a line, see [the report](https://example.org/issues/42) and
<https://example.org>. 日本語のテキストも折り返されます。

1. Read the tokens
   - one by one
   - with a [look-ahead](https://example.org/ll1)
2. Keep the last

- [x] reproduce
- [ ] fix

> A quote that is long enough to be wrapped at the narrow width and maybe even at the common one, which is eighty.
>
> > And one inside of it.

| File | Lines | What it does |
|:-----|------:|:------------:|
| `parse.cc` | 120 | reads tokens and builds the tree, with recovery |
| `lex.cc` | 80 | ~~nothing~~ |

```cpp
// Keeps what is left.
int parse(std::string_view text) { return text.empty() ? 0 : 42; }
```

---

Done &amp; tested.
)";

void play(Transcript& transcript) {
  transcript.now(1000);
  transcript.history(event::Summary{"## Goal\n\nFix the parser.", 1});
  transcript.prompt(
      "Fix the parser, please.\nIt loses tokens at the end of lines, whatever they are and however long.");
  transcript.reasoning("The lexer first.");
  transcript.text(kAnswer);
  transcript.tool_call(call("c1", "bash", R"({"command":"make -j2 test 2>&1 | tail -n 40"})"));
  transcript.now(4200);
  transcript.tool_result(answer("c1", "error", "FAIL parse_test\n1 failed\n", R"({"exit_code":2})"));
  transcript.tool_call(call(
      "c2", "edit",
      R"({"path":"src/deep/er/parse.cc","old_text":"  return tokens;\n","new_text":"  if (last) tokens.push_back(*last);\n  return tokens;\n"})"));
  transcript.tool_result(answer("c2", "success", "edited src/deep/er/parse.cc: 1 replacement at line 118"));
  transcript.tool_call(call("c3", "read", R"({"path":"src/lex.cc"})"));
  transcript.tool_result(answer("c3", "success", "1\n2\n3\n"));
  transcript.compaction(compaction("started"));
  transcript.compaction(compaction("completed", "The parser keeps the last token now; tests are left to run."));
  transcript.automatic_user_prompt({"after compaction", "continue"});
  transcript.text("Half of an ans");
  transcript.steering("s1", "also run the linter");
  transcript.turn({"t", "cancelled"});
  transcript.diagnostic({"warning", "the context is nearly full", "context"});
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Golden, ASessionAtThreeWidths) {
  for (const int columns : {20, 80, 200}) {
    Transcript transcript;
    play(transcript);
    const std::string text = whole(transcript, columns);
    const std::string path =
        std::string(MAGI_SOURCE_DIR) + "/tests/unit/tui_transcript/golden/session-" + std::to_string(columns) + ".txt";
    if (std::getenv("MAGI_WRITE_GOLDEN")) std::ofstream(path) << text;
    EXPECT_EQ(text, read_file(path)) << path;
  }
}

}  // namespace
}  // namespace magi::code::tui
