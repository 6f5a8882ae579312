// What a transcript costs: user CPU of a delta, of a frame and of a resize with LINES lines above, and the memory of a
// session of MEGABYTES as magi-replay would tell it.
//   magi-bench-transcript [LINES [MEGABYTES]]
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tools/magi-code/tui/transcript/transcript.h"

namespace {

using namespace magi;             // NOLINT: a program of one file
using namespace magi::code::tui;  // NOLINT

double cpu_ms() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) * 1e3 + static_cast<double>(usage.ru_utime.tv_usec) / 1e3;
}

long memory_kib() {
  long kib = 0;
  if (std::FILE* file = std::fopen("/proc/self/status", "re")) {
    char line[256];
    while (std::fgets(line, sizeof line, file))
      if (std::strncmp(line, "VmRSS:", 6) == 0) kib = std::strtol(line + 6, nullptr, 10);
    std::fclose(file);
  }
  return kib;
}

const char* const kParagraph =
    "A paragraph of an answer with **bold words**, `code` and a [link](https://example.org/page), long enough to be "
    "wrapped once or twice at the width of a common terminal window, as answers are.\n\n";

void fill(Transcript& transcript, int lines) {
  for (int i = 0; i < lines / 20; ++i) {
    transcript.prompt("prompt " + std::to_string(i));
    for (int k = 0; k < 3; ++k) transcript.text(kParagraph);
    std::string code = "```cpp\n";
    for (int k = 0; k < 8; ++k)
      code += "  int value_" + std::to_string(k) + " = compute(\"text\", " + std::to_string(i) + ");\n";
    transcript.text(code + "```\n");
    transcript.turn({"t", "completed"});
  }
}

template <class Step>
double each_us(int count, Step step) {
  const double before = cpu_ms();
  for (int i = 0; i < count; ++i) step(i);
  return (cpu_ms() - before) * 1e3 / count;
}

void measure_stream(int lines) {
  Transcript transcript;
  Surface surface(50, 120);
  const double fill_ms = each_us(1, [&](int) { fill(transcript, lines); }) / 1e3;
  const auto frame = [&] {
    transcript.layout(120, 50);
    transcript.draw(surface, {0, 0, 50, 120});
  };
  const double first_us = each_us(1, [&](int) { frame(); });
  std::printf("lines %lld, filled in %.1f ms, first frame %.0f us\n", static_cast<long long>(transcript.count_lines()),
              fill_ms, first_us);
  const std::string source(kParagraph);
  double delta_us = 0, frame_us = 0;
  constexpr int kDeltas = 4000;
  for (int i = 0; i < kDeltas; ++i) {
    const std::string_view delta =
        std::string_view(source).substr(static_cast<std::size_t>(i) * 5 % source.size(), 5);
    delta_us += each_us(1, [&](int) { transcript.text(delta); });
    if (i % 33 == 32) frame_us += each_us(1, [&](int) { frame(); });
  }
  std::printf("a delta %.2f us, a frame after 33 deltas %.0f us\n", delta_us / kDeltas, frame_us / (kDeltas / 33.0));
  const double all = each_us(1, [&](int) {
    for (int i = 0; i < 2000; ++i) {
      transcript.text("token ");
      if (i % 33 == 32) frame();
    }
  });
  std::printf("2,000 tokens with 60 frames: %.1f ms of CPU, %.1f %% of a core\n", all / 1e3, all / 1e4);
  std::printf("resize %.0f us, page up %.0f us\n",
              each_us(50,
                      [&](int i) {
                        transcript.layout(60 + i, 50);
                        transcript.draw(surface, {0, 0, 50, 60 + i});
                      }),
              each_us(50, [&](int) {
                transcript.scroll_pages(-1);
                frame();
              }));
  std::printf("search %.1f ms\n", each_us(1, [&](int) { transcript.search("value_7"); }) / 1e3);
  std::printf("resident %ld KiB\n", memory_kib());
}

void measure_session(long megabytes) {
  const long before = memory_kib();
  Transcript transcript;
  std::string output;
  for (int i = 0; output.size() < 6000; ++i) output += "src/file_" + std::to_string(i) + ".cc:42: a line of output\n";
  std::size_t bytes = 0;
  const double cpu = cpu_ms();
  for (int i = 0; bytes < static_cast<std::size_t>(megabytes) * 1'000'000; ++i) {
    const std::string id = "call-" + std::to_string(i);
    event::ToolCall call;
    call.call_id = id;
    call.name = "bash";
    call.arguments = R"({"command":"grep -rn something src"})";
    transcript.history(call);
    event::ToolResult result;
    result.call_id = id;
    result.status = "success";
    result.output = output;
    transcript.history(result);
    event::Assistant assistant;
    assistant.text = kParagraph;
    assistant.status = "completed";
    transcript.history(assistant);
    bytes += output.size() + 200 + assistant.text.size();
  }
  transcript.history_ended();
  Surface surface(50, 120);
  transcript.layout(120, 50);
  transcript.draw(surface, {0, 0, 50, 120});
  std::printf("session of %ld MB: %.0f ms of CPU, %ld KiB more resident\n", megabytes, cpu_ms() - cpu,
              memory_kib() - before);
}

}  // namespace

int main(int argc, char** argv) {
  measure_session(argc > 2 ? std::strtol(argv[2], nullptr, 10) : 50);
  measure_stream(argc > 1 ? std::atoi(argv[1]) : 100'000);
}
