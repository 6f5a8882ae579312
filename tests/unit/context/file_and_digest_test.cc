#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcommon/context/digest_writer.h"
#include "libcommon/context/file_lines.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "tests/unit/context/random_session.h"

namespace magi::context::test {
namespace {

TEST(DigestWriter, PassesEverythingOnInOrderAndDigestsIt) {
  for (const std::size_t records : {0, 1, 5'000, 60'000}) {
    std::string passed, all;
    DigestWriter writer([&](std::string_view block) -> Result<void> {
      passed += block;
      return {};
    });
    for (std::size_t i = 0; i < records; ++i) {
      const std::string record = "record " + std::to_string(i) + std::string(i % 100, '.') + "\n";
      all += record;
      writer.buffer() += record;
      ASSERT_TRUE(writer.settle());
    }
    EXPECT_EQ(writer.finish().value_or(""), "sha256:" + sha256_hex(all));
    EXPECT_EQ(passed, all);
  }
}

TEST(DigestWriter, GivesUpWhereItsSinkFails) {
  int blocks = 0;
  DigestWriter writer([&](std::string_view) -> Result<void> {
    if (++blocks < 3) return {};
    return make_error(ErrorCode::kIo, "full");
  });
  Result<void> settled;
  for (int i = 0; i < 100 && settled; ++i) {
    writer.buffer() += std::string(100'000, 'x');
    settled = writer.settle();
  }
  EXPECT_FALSE(settled);
  EXPECT_EQ(blocks, 3);
}

TEST(FileLines, GiveTheBytesWhereverTheyStand) {
  std::string text;
  for (int i = 0; text.size() < 1'500'000; ++i) text += std::to_string(i) + ' ';
  const os::Fd fd(::memfd_create("lines", MFD_CLOEXEC));
  ASSERT_TRUE(os::write_all(fd.get(), "before" + text));
  FileLines lines(fd.get(), 6);
  Random random(1);
  for (int i = 0; i < 2'000; ++i) {
    const std::size_t offset = random.below(text.size());
    const std::size_t size = std::min(text.size() - offset, random.below(random.below(20) ? 300 : 600'000));
    const auto bytes = lines.fetch(offset, size);
    ASSERT_TRUE(bytes);
    ASSERT_EQ(*bytes, std::string_view(text).substr(offset, size));
  }
  ASSERT_EQ(::ftruncate(fd.get(), 1'000), 0);
  EXPECT_FALSE(FileLines(fd.get(), 6).fetch(990, 100));
}

}  // namespace
}  // namespace magi::context::test
