#include "tests/unit/context/random_session.h"

#include "libcommon/digest/sha256.h"
#include "tests/unit/context/replay_support.h"

namespace magi::context::test {
namespace {

std::string pick(Random& random, const std::vector<std::string>& from) { return from[random.below(from.size())]; }

std::string output_of(Random& random) {
  if (random.below(6) == 0) return std::string(24'000 + random.below(3), 'o');
  return pick(random, {"", "out", "two\nlines", "\xC3\xA9t\xC3\xA9", std::string(30'000, 'q')});
}

std::string protected_result(Random& random, const std::string& turn, const std::string& id) {
  const std::string enforcement = pick(random, {"observe", "enforce"});
  return line("tool_result", "b1",
              R"({"turn_id":")" + turn + R"(","call_id":")" + id + R"(","result_id":"r)" + id +
                  R"(","status":"success","output":"guarded text","protection":{"state":"pending","enforcement":")" +
                  enforcement + R"("}})");
}

std::string assessment(Random& random, const std::string& id) {
  const std::string verdict = pick(random, {"allow", "withhold", R"(redact","spans":[[0,7]],"x":")"});
  return line("tool_result_assessment", "b2",
              R"({"result_id":"r)" + id + R"(","call_id":")" + id +
                  R"(","session_id":"s1","enforcement":"enforce","coverage":"complete","verdict":")" + verdict +
                  R"(","stored_sha256":")" + sha256_hex("guarded text") + "\"}");
}

}  // namespace

std::vector<std::string> random_session(Random& random, std::size_t events) {
  std::vector<std::string> lines;
  int generation = 0;
  for (std::size_t i = 0; i < events; ++i) {
    const std::string turn = pick(random, {"t1", "t2", "t3"}), id = pick(random, {"c1", "c2", "c3", "c4"});
    switch (random.below(16)) {
      case 0: lines.push_back(user(turn, "hello " + id)); break;
      case 1:
        lines.push_back(line("user_input", "b3", R"({"text":"nobody's","reasoning_selection":{"effort":"low"}})"));
        break;
      case 2: lines.push_back(assistant(turn, "text " + id)); break;
      case 3:
      case 4:
      case 5: lines.push_back(call(turn, id)); break;
      case 6:
      case 7:
      case 8: lines.push_back(result(turn, id, output_of(random))); break;
      case 9: lines.push_back(turn_end(turn, pick(random, {"completed", "failed", "running"}))); break;
      case 10:
        lines.push_back(line("turn_status", "b4",
                             R"({"turn_id":")" + turn + R"(","status":"failed","partial_text":"text )" + id + "\"}"));
        break;
      case 11: lines.push_back(protected_result(random, turn, id)); break;
      case 12: lines.push_back(assessment(random, id)); break;
      case 13: lines.push_back(line("hook_context_injection", "b5", R"({"text":"hook"})")); break;
      case 14:
        lines.push_back(line("provider_response_item", "b6", R"({"turn_id":"t1","provider":"p","item":{"a":1}})"));
        break;
      default:
        if (random.below(8) == 0)
          lines.push_back(checkpoint(static_cast<int>(random.below(3)) + generation++, "sum"));
        else
          lines.push_back(line("diagnostic", "b7", R"({"level":"info","message":"m"})"));
    }
  }
  return lines;
}

}  // namespace magi::context::test
