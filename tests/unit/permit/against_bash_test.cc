// What is read as one simple command is held against bash itself: the same words, and nothing run besides.
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

#include "tools/magi-code/permit/shell_words.h"

namespace magi::code::permit {
namespace {

constexpr int kLines = 20'000;

std::string random_line(std::mt19937& random) {
  constexpr std::array<std::string_view, 48> kPieces{
      "a", "b c", "git", " ", " ", " ", "\t", "'", "'", "\"",    "\"", "\\", "\\\\", "$",        "$x", "`",
      ";", "&",   "|",   "<", ">", "(", ")",  "{", "}", "{a,b}", "#",  " #", "~",    "!",        "=",  "x=1",
      "-", "--",  ":",   "^", "%", "@", "+",  ",", ".", "/",     "\n", "\r", "\x01", "\xc3\xa9", "$'", "''"};
  std::string line;
  for (std::size_t pieces = 1 + random() % 8; pieces > 0; --pieces) line += kPieces[random() % kPieces.size()];
  return line;
}

std::string run_bash(const std::string& script) {
  char path[] = "/tmp/magi-permit-XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0) return {};
  std::ofstream(path) << script;
  std::string output;
  if (FILE* const bash =
          popen((std::string("cd / && HOME=/nowhere bash --norc --noprofile ") + path + " 2>&1").c_str(), "r")) {
    std::array<char, 4096> bytes;
    for (std::size_t got; (got = fread(bytes.data(), 1, bytes.size(), bash)) > 0;) output.append(bytes.data(), got);
    pclose(bash);
  }
  close(fd);
  std::remove(path);
  return output;
}

TEST(AgainstBashTest, SEC_07_WordsAreThoseOfBash) {
  std::mt19937 random(20'261'201);
  std::string script = "f() { printf '[%s]' \"$@\"; echo; }\n", wanted;
  int read = 0;
  for (int i = 0; i < kLines; ++i) {
    const std::string line = random_line(random);
    const auto words = simple_command(line);
    if (!words) continue;
    ++read;
    script += "f " + line + "\n";
    for (const ShellWord& word : *words) {
      ASSERT_FALSE(word.has_glob());
      wanted += '[' + word.text + ']';
    }
    wanted += '\n';
  }
  EXPECT_GT(read, kLines / 20);
  if (std::system("bash -c true >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no bash";
  EXPECT_EQ(run_bash(script), wanted);
}

}  // namespace
}  // namespace magi::code::permit
