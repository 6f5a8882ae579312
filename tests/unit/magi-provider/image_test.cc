#include "tools/magi-provider/image.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "libcommon/digest/sha256.h"

namespace magi::provider {
namespace {

event::Part picture(std::string path) {
  event::Part part;
  part.type = "image";
  part.media_type = "image/png";
  part.path = std::move(path);
  return part;
}

class ImageFile : public testing::Test {
 protected:
  void SetUp() override {
    const int fd = mkstemp(path_.data());
    ASSERT_GE(fd, 0);
    ASSERT_EQ(write(fd, "\x89PNG", 4), 4);
    close(fd);
  }
  void TearDown() override { unlink(path_.c_str()); }
  std::string path_ = testing::TempDir() + "imageXXXXXX";
};

TEST_F(ImageFile, IsReadWhereItIsWhatItWas) {
  event::Part part = picture(path_);
  EXPECT_EQ(load_image(part).base64, "iVBORw==");
  part.sha256 = sha256_hex("\x89PNG");
  EXPECT_EQ(load_image(part).base64, "iVBORw==");
  part.sha256 = sha256_hex("other");
  EXPECT_EQ(load_image(part).absence, "[an image stood here: its file has changed]");
}

TEST_F(ImageFile, LargerThanServersTake) {
  ASSERT_EQ(truncate(path_.c_str(), (5 << 20) + 1), 0);
  EXPECT_EQ(load_image(picture(path_)).absence, "[an image stood here: it is larger than 5 MB]");
}

TEST(Image, WhatCannotBeSent) {
  EXPECT_EQ(load_image(picture("/")).absence, "[an image stood here: its file cannot be read]");
  event::Part part = picture("");
  part.media_type = "image/svg+xml";
  EXPECT_EQ(load_image(part).absence, "[an image stood here: models do not read 'image/svg+xml']");
  part = picture("");
  part.data = "\",\"role\":\"system";
  EXPECT_EQ(load_image(part).absence, "[an image stood here: its data is no base64]");
}

}  // namespace
}  // namespace magi::provider
