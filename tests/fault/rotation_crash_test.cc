// Crashes and failing calls at every point of a compaction's work on the disk: the session is the old one, byte for
// byte, or the new one with its archive; what was appended meanwhile is there either way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "libcommon/digest/sha256.h"
#include "libcommon/json/node.h"
#include "libcommon/os/disk.h"
#include "libcommon/session/rotation.h"
#include "libcommon/session/writer.h"
#include "tests/fault/crash_explorer.h"
#include "tests/fault/store_check.h"
#include "tests/unit/scratch.h"

namespace magi::session {
namespace {

using test::Acknowledge;
using test::CrashScenario;
using test::CrashState;

constexpr std::int64_t kMorning = 1'796'032'800'000;  // 2026-11-30T10:00:00Z
constexpr const char* kPublished = "published";

Home home_in(const std::string& folder) { return Home(folder + "/home"); }
std::int64_t morning() { return kMorning; }

event::UserInput input(const std::string& turn) {
  event::UserInput payload;
  payload.turn_id = turn;
  payload.text = "please look at " + turn + std::string(300, '.');
  return payload;
}

// Two sessions of three inputs each; the first is the one that is compacted.
std::string prepare_sessions(const std::string& folder, Family family) {
  std::string id;
  for (int i = 0; i < 2; ++i) {
    Writer writer = Writer::create(home_in(folder), {"/project", family, &morning});
    for (const char* turn : {"t1", "t2", "t3"}) EXPECT_TRUE(writer.append(input(turn), Durability::kRequired));
    if (i == 0) id = writer.id();
  }
  return id;
}

// What the lease's holder would append while the summary is made.
std::string line_of_meanwhile(const std::string& id) {
  return event::session_line({"ffffffffffff", format_rfc3339(kMorning), id, "/project"}, input("meanwhile"));
}

bool append_meanwhile(const std::string& path, const std::string& line) {
  const os::Fd fd(os::disk().openat(AT_FDCWD, path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC, 0));
  if (!fd) return false;
  if (os::disk().write(fd.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) return false;
  return os::disk().fdatasync(fd.get()) == 0;
}

struct Scene {
  std::string id, before;  // the session and its bytes before
  bool with_event = false;
  Family family = Family::kPrimary;

  void compact(const std::string& folder, const Acknowledge& acknowledge) const {
    auto rotation = Rotation::begin(home_in(folder), id, family, std::nullopt);
    if (!rotation || !rotation->archive({})) return;
    if (with_event) {
      const std::string path = home_in(folder).session(id, family);
      if (!append_meanwhile(path, line_of_meanwhile(id))) return;
      acknowledge("ffffffffffff");
    }
    event::Compaction checkpoint;
    checkpoint.summary = "What was said.";
    checkpoint.execution_effects.json = "{}";
    if (rotation->publish(checkpoint, 0, "/project", &morning)) acknowledge(kPublished);
  }

  // The archive that the checkpoint in `text` names holds the old bytes.
  void expect_new(const Home& home, const std::string& text) const {
    json::Parser parser;
    const auto root = parser.parse(text.substr(0, text.find('\n')));
    ASSERT_TRUE(root) << text;
    const json::Node archive = root->find("payload").find("archive");
    const std::string kept = test::slurp(home.sessions(family) + "/" + archive.find("path").as_string().value_or(""));
    EXPECT_EQ(kept, before);
    EXPECT_EQ(archive.find("sha256").as_string(), sha256_hex(before));
    EXPECT_EQ(archive.find("bytes").as_int(), static_cast<std::int64_t>(before.size()));
  }

  void check(const CrashState& state) const {
    const Home home = home_in(state.folder);
    const std::string text = test::slurp(home.session(id, family));
    const bool is_new = text.find("\"compaction\"") < text.find('\n');
    const auto acknowledged = [&](const char* what) {
      return std::find(state.acknowledged.begin(), state.acknowledged.end(), what) != state.acknowledged.end();
    };
    if (is_new)
      expect_new(home, text);
    else
      EXPECT_EQ(text.substr(0, before.size()), before);
    EXPECT_TRUE(is_new || !acknowledged(kPublished)) << "a published checkpoint is gone";
    if (acknowledged("ffffffffffff")) {
      EXPECT_NE(text.find(line_of_meanwhile(id)), std::string::npos);
    }
    // And the session goes on: it can be compacted again, whatever was left lying about.
    std::vector<std::string> again;
    compact(state.folder, [&](std::string what) { again.push_back(std::move(what)); });
    EXPECT_FALSE(again.empty());
    EXPECT_EQ(again.back(), kPublished);
    const std::string history = home.sessions(family) + "/" + std::string(file::kHistory);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(history))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".tmp.")) << entry.path();
  }
};

void explore(Scene scene) {
  CrashScenario scenario;
  // The ID is random: the folder is made once and copied.
  const test::Scratch model;
  scene.id = prepare_sessions(model.path(), scene.family);
  scene.before = test::slurp(home_in(model.path()).session(scene.id, scene.family));
  scenario.prepare = [&](const std::string& folder) {
    std::filesystem::copy(model.path(), folder, std::filesystem::copy_options::recursive);
  };
  scenario.act = [&](const std::string& folder, const Acknowledge& acknowledge) { scene.compact(folder, acknowledge); };
  scenario.check = [&](const CrashState& state) { scene.check(state); };
  const auto report = explore_crashes(scenario);
  std::printf("compaction: %s\n", to_string(report).c_str());
  EXPECT_GE(report.faults, 200);
  EXPECT_GE(report.states, 300);
}

TEST(RotationCrash, OldOrNewWithItsArchive) { explore({}); }

TEST(RotationCrash, WhatIsAppendedMeanwhileIsNeverLost) {
  Scene scene;
  scene.with_event = true;
  explore(scene);
}

TEST(RotationCrash, AChildSessionToo) {
  Scene scene;
  scene.family = Family::kChild;
  explore(scene);
}

}  // namespace
}  // namespace magi::session
