// Crashes and failing calls at every point of an export and of a clean-up.
#include <gtest/gtest.h>
#include <zip.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "tests/fault/crash_explorer.h"
#include "tests/unit/scratch.h"
#include "tests/unit/session/ledger_support.h"
#include "tools/magi-export/export.h"
#include "tools/magi-prune/prune.h"

namespace magi {
namespace {

using session::Home;
using test::Acknowledge;
using test::CrashState;

Home home_in(const std::string& folder) { return Home(folder + "/home"); }

std::string event_line(const std::string& id, const std::string& timestamp, const std::string& payload) {
  return R"({"event_type":"user_input","event_id":"1","timestamp":")" + timestamp + R"(","session_id":")" + id +
         R"(","cwd":"/w","payload":)" + payload + "}\n";
}

constexpr const char* kLongAgo = "2020-01-01T00:00:00.000Z";
constexpr const char* kLater = "2099-01-01T00:00:00.000Z";

void make_folder(const std::string& path) {
  std::filesystem::create_directory(path);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

// A session of that age with a sidecar, an archive, and a ledger that saved "shared" and a text of its own.
void make_session(const std::string& folder, const std::string& id, const char* timestamp) {
  const Home home = home_in(folder);
  for (const std::string& path :
       {home.root(), home.sessions(), home.sessions() + "/.history", home.sessions() + "/.history/" + id})
    make_folder(path);
  const std::string line = event_line(id, timestamp, R"({"turn_id":"t","text":"hello"})");
  test::spill(home.session(id), line + line);
  test::spill(home.sidecar(id), "{}");
  test::spill(home.archive(id, 0), line);
  session::Ledger ledger(home, id, &test::ledger_clock);
  int turn = 0;
  for (const std::string& bytes : {std::string("shared"), "of " + id}) {
    session::Change change;
    change.turn_id = "t" + std::to_string(++turn);
    change.by = "write";
    change.root = "/project";
    change.path = "f" + std::to_string(turn);
    change.before = session::FileState{sha256_hex(bytes), static_cast<std::int64_t>(bytes.size()), "0644"};
    ASSERT_TRUE(ledger.record(change, bytes));
  }
}

bool is_sound_archive(const std::string& path) {
  int error = 0;
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &error),
                                                         &zip_discard);
  if (!archive) return false;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive.get(), 0); ++i) {
    zip_file_t* const file = zip_fopen_index(archive.get(), static_cast<zip_uint64_t>(i), 0);
    if (file == nullptr) return false;
    char block[4096];
    zip_int64_t count = 0;
    while ((count = zip_fread(file, block, sizeof block)) > 0) {
    }
    zip_fclose(file);
    if (count < 0) return false;
  }
  return zip_name_locate(archive.get(), "manifest.json", 0) >= 0;
}

void report(const char* name, const test::CrashReport& explored) {
  std::printf("%s: %s\n", name, to_string(explored).c_str());
}

TEST(ExportCrash, WhatHasANameIsAWholeArchive) {
  const auto prepare = [](const std::string& folder) { make_session(folder, "a", kLater); };
  const auto act = [](const std::string& folder, const Acknowledge& acknowledge) {
    const auto exported = exporting::export_session(home_in(folder), "a", false, [](double) { return true; });
    if (exported) acknowledge(exported->path.substr(folder.size()));
  };
  const auto check = [](const CrashState& state) {
    const Home home = home_in(state.folder);
    const std::string line = event_line("a", kLater, R"({"turn_id":"t","text":"hello"})");
    EXPECT_EQ(test::slurp(home.session("a")), line + line);
    for (const std::string& path : state.acknowledged)
      EXPECT_TRUE(std::filesystem::exists(state.folder + path)) << "lost: " << path;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(home.exports(), none)) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".zip")) {
        EXPECT_TRUE(is_sound_archive(entry.path())) << name;
      }
    }
    // And the next export succeeds.
    const auto again = exporting::export_session(home, "a", false, [](double) { return true; });
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_TRUE(is_sound_archive(again->path));
  };
  const auto explored = test::explore_crashes({prepare, act, check});
  report("export", explored);
  EXPECT_GE(explored.faults, 100);
  EXPECT_GE(explored.states, 200);
}

prune::Options options_of(const std::string& folder) {
  prune::Options options;
  options.home = home_in(folder).root();
  options.days = 30;
  options.background = true;
  return options;
}

// As if a year went by.
void let_time_pass(const std::string& folder) {
  const timespec old[2] = {{1'600'000'000, 0}, {1'600'000'000, 0}};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    ::utimensat(AT_FDCWD, entry.path().c_str(), old, AT_SYMLINK_NOFOLLOW);
}

void expect_kept(const Home& home) {
  const std::string line = event_line("fresh", kLater, R"({"turn_id":"t","text":"hello"})");
  EXPECT_EQ(test::slurp(home.session("fresh")), line + line);
  EXPECT_EQ(test::slurp(home.archive("fresh", 0)), line);
  EXPECT_TRUE(std::filesystem::exists(home.sidecar("fresh")));
  for (const char* bytes : {"shared", "of fresh"}) {
    const auto saved = session::read_saved(home, sha256_hex(bytes));
    ASSERT_TRUE(saved) << bytes << ": " << saved.error().what;
    EXPECT_EQ(*saved, bytes);
  }
}

TEST(PruneCrash, WhatStaysIsWholeAndTheNextRunEndsTheWork) {
  const auto prepare = [](const std::string& folder) {
    make_session(folder, "expired", kLongAgo);
    make_session(folder, "fresh", kLater);
  };
  const auto act = [](const std::string& folder, const Acknowledge&) {
    static_cast<void>(prune::run(options_of(folder)));
  };
  const auto check = [](const CrashState& state) {
    const Home home = home_in(state.folder);
    expect_kept(home);
    // A ledger that is still there can give back all that it names.
    if (const auto ledger = session::read_ledger(home, "expired"))
      for (const session::Change& change : ledger->changes)
        if (change.saved) {
          EXPECT_TRUE(session::read_saved(home, change.before->sha256));
        }
    let_time_pass(state.folder);
    const auto outcome = prune::run(options_of(state.folder));
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_EQ(outcome->failed, 0);
    expect_kept(home);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home.root()))
      EXPECT_FALSE(entry.path().filename().string().starts_with("expired")) << entry.path();
    EXPECT_FALSE(session::read_saved(home, sha256_hex("of expired")));
  };
  const auto explored = test::explore_crashes({prepare, act, check});
  report("prune", explored);
  EXPECT_GE(explored.faults, 100);
  EXPECT_GE(explored.states, 200);
}

}  // namespace
}  // namespace magi
