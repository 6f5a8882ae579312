#include "libcommon/base/image_header.h"

#include <gtest/gtest.h>

#include <string>

#include "libcommon/base/base64.h"

namespace magi {
namespace {

using namespace std::string_literals;

void expect(const std::string& bytes, std::string_view type, std::uint32_t width, std::uint32_t height) {
  const ImageHeader header = read_image_header(bytes);
  EXPECT_EQ(header.media_type, type);
  EXPECT_EQ(header.width, width);
  EXPECT_EQ(header.height, height);
}

TEST(ImageHeader, KnowsFourKindsAndTheirSizes) {
  expect("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0"s, "image/png", 640, 480);
  expect("GIF89a\x40\x01\xc8\x00"s, "image/gif", 320, 200);
  expect("\xff\xd8\xff\xe0\x00\x04xx\xff\xc2\x00\x11\x08\x01\x02\x03\x04"s, "image/jpeg", 0x304, 0x102);
  expect("RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x10\x00\x20\x00"s, "image/webp", 16, 32);
  expect("RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x0f\0\0\x1f\0\0"s, "image/webp", 16, 32);
  expect("RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x0f\xc0\x07\x00\0\0\0\0\0"s, "image/webp", 16, 32);
}

TEST(ImageHeader, IsNotFooledByLessOrOther) {
  expect("", "", 0, 0);
  expect("<svg>", "", 0, 0);
  expect("\x89PNG\r\n\x1a\n", "image/png", 0, 0);
  expect("\xff\xd8\xff", "image/jpeg", 0, 0);
  expect("GIF89a", "image/gif", 0, 0);
  expect("RIFF\0\0\0\0WEBP"s, "image/webp", 0, 0);
  // A segment that claims to be longer than what is there, and one without a length.
  expect("\xff\xd8\xff\xe0\xff\xff" + std::string(100, 'x'), "image/jpeg", 0, 0);
  expect("\xff\xd8\xff\xe0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s, "image/jpeg", 0, 0);
}

TEST(Base64, GoesBothWays) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(base64_decoded(base64(bytes), 1000), bytes);
    bytes += static_cast<char>(i * 7);
  }
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("\xff\xfe\xfd\xfc"), "//79/A==");
  EXPECT_EQ(base64_decoded("Zm9vYmFy", 4), "foob");
  EXPECT_FALSE(base64_decoded("Zm9vYmF", 9));
  EXPECT_FALSE(base64_decoded("Zm9v\nYmFy", 9));
  EXPECT_FALSE(base64_decoded("Zm9=YmFy", 9));
}

}  // namespace
}  // namespace magi
