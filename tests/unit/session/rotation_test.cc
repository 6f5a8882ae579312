#include "libcommon/session/rotation.h"

#include <gtest/gtest.h>

#include "libcommon/digest/sha256.h"
#include "libcommon/session/store.h"
#include "libcommon/session/writer.h"
#include "tests/unit/scratch.h"

namespace magi::session {
namespace {

class RotationTest : public testing::Test {
 protected:
  std::string make_session() {
    Writer writer = Writer::create(home, {"/project", Family::kPrimary, &unix_time_ms});
    for (const char* text : {"one", "two"}) {
      event::UserInput input;
      input.turn_id = "t";
      input.text = text;
      EXPECT_TRUE(writer.append(input, Durability::kRequired));
    }
    return writer.id();
  }
  Rotation begin(const std::string& id) { return *Rotation::begin(home, id, Family::kPrimary, std::nullopt); }
  static event::Compaction checkpoint() {
    event::Compaction made;
    made.summary = "Said one and two.";
    return made;
  }
  std::string text(const std::string& id) const { return test::slurp(home.session(id)); }
  std::string archive(const std::string& id, int generation) const { return test::slurp(home.archive(id, generation)); }
  void append_raw(const std::string& id, const std::string& bytes) {
    std::ofstream(home.session(id), std::ios::binary | std::ios::app) << bytes;
  }

  test::Scratch scratch;
  Home home{scratch / "home"};
};

TEST_F(RotationTest, ArchivesEveryByteAndBeginsAnew) {
  const std::string id = make_session(), before = text(id);
  Rotation rotation = begin(id);
  EXPECT_EQ(rotation.snapshot_bytes(), before.size());
  ASSERT_TRUE(rotation.archive({}));
  EXPECT_EQ(text(id), before) << "until it is published the old file is the session";
  event::Compaction made = checkpoint();
  const auto done = rotation.publish(made, 0, "/project");
  ASSERT_TRUE(done) << done.error().what;
  EXPECT_EQ(archive(id, 0), before);
  EXPECT_EQ(made.archive.sha256, sha256_hex(before));
  EXPECT_EQ(made.generation, 1);
  EXPECT_EQ(test::lines_of(text(id)).size(), 1u);
  EXPECT_EQ(done->length, text(id).size());
  const auto info = find_session(home, id);
  EXPECT_EQ(info->facts.generation, 1);
  EXPECT_TRUE(info->facts.eligible);
}

TEST_F(RotationTest, AnAbandonedOneLeavesNothing) {
  const std::string id = make_session(), before = text(id);
  {
    Rotation rotation = begin(id);
    ASSERT_TRUE(rotation.archive({}));
  }
  EXPECT_EQ(text(id), before);
  EXPECT_EQ(archive(id, 0), "");
  EXPECT_FALSE(begin(id).archive([](std::uint64_t) { return false; })) << "told to stop";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(home.root()))
    EXPECT_EQ(entry.path().filename().string().find(".tmp."), std::string::npos) << entry.path();
}

TEST_F(RotationTest, EventsAppendedMeanwhileFollowTheCheckpoint) {
  const std::string id = make_session(), before = text(id);
  Rotation rotation = begin(id);
  ASSERT_TRUE(rotation.archive({}));
  append_raw(id, "{\"later\":1}\n{\"torn");
  event::Compaction made = checkpoint();
  const auto done = rotation.publish(made, 0, "/project");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->carried_over_bytes, 18u);
  EXPECT_EQ(archive(id, 0), before);
  EXPECT_TRUE(text(id).ends_with("}\n{\"later\":1}\n{\"torn"));
}

// An append behind an unfinished line begins with the LF that ends it.
TEST_F(RotationTest, AnUnfinishedLineStaysInTheArchiveAlone) {
  const std::string id = make_session();
  append_raw(id, "{\"torn");
  const std::string before = text(id);
  Rotation rotation = begin(id);
  ASSERT_TRUE(rotation.archive({}));
  append_raw(id, "\n{\"later\":1}\n");
  event::Compaction made = checkpoint();
  ASSERT_TRUE(rotation.publish(made, 0, "/project"));
  EXPECT_EQ(archive(id, 0), before);
  EXPECT_EQ(test::lines_of(text(id)).size(), 2u);
  EXPECT_TRUE(text(id).ends_with("}\n{\"later\":1}\n"));
}

TEST_F(RotationTest, ALeftoverIsReplacedAndAForeignArchiveNeverIs) {
  const std::string id = make_session(), before = text(id);
  std::filesystem::create_directories(std::filesystem::path(home.archive(id, 0)).parent_path());
  for (const char* folder : {"sessions/.history", "sessions/.history/"})
    std::filesystem::permissions(home.root() + "/" + folder, std::filesystem::perms::owner_all);
  std::filesystem::permissions(std::filesystem::path(home.archive(id, 0)).parent_path(),
                               std::filesystem::perms::owner_all);
  test::spill(home.archive(id, 0), before.substr(0, before.size() / 2));
  event::Compaction made = checkpoint();
  {
    Rotation rotation = begin(id);
    ASSERT_TRUE(rotation.archive({}));
    ASSERT_TRUE(rotation.publish(made, 0, "/project"));
  }
  EXPECT_EQ(archive(id, 0), before);
  test::spill(home.archive(id, 1), "something else\n");
  const std::string second = text(id);
  Rotation rotation = begin(id);
  ASSERT_TRUE(rotation.archive({}));
  ASSERT_TRUE(rotation.publish(made, 1, "/project"));
  EXPECT_EQ(archive(id, 1), "something else\n");
  EXPECT_EQ(archive(id, 2), second);
  EXPECT_EQ(made.generation, 3);
}

TEST_F(RotationTest, SecretsInASummaryAreMasked) {
  const std::string id = make_session();
  Rotation rotation = begin(id);
  ASSERT_TRUE(rotation.archive({}));
  event::Compaction made = checkpoint();
  const std::string secret = std::string("sk-ant-") + "api03-" + std::string(80, 'a') + "AA";
  made.summary = "The key is " + secret;
  ASSERT_TRUE(rotation.publish(made, 0, "/project"));
  EXPECT_EQ(text(id).find(secret), std::string::npos);
  EXPECT_EQ(made.summary.find(secret), std::string::npos);
}

TEST_F(RotationTest, IsRefusedBesideAWriter) {
  Writer writer = Writer::create(home, {"/project", Family::kPrimary, &unix_time_ms});
  event::UserInput input;
  input.turn_id = "t";
  ASSERT_TRUE(writer.append(input, Durability::kRequired));
  const auto rotation = Rotation::begin(home, writer.id(), Family::kPrimary, std::nullopt);
  ASSERT_FALSE(rotation);
  EXPECT_EQ(rotation.error().code, ErrorCode::kBusy);
  EXPECT_EQ(Rotation::begin(home, "nosuch", Family::kPrimary, std::nullopt).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace magi::session
