#include "tests/fault/store_check.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "libcommon/context/session_scan.h"
#include "libcommon/json/node.h"
#include "libcommon/session/store.h"
#include "libcommon/session/writer.h"
#include "tests/unit/scratch.h"

namespace magi::test {
namespace {

using session::Family;

constexpr std::int64_t kNoon = 1'796'040'000'000;  // 2026-11-30T12:00:00Z

std::size_t replayed_events(const session::Home& home, const std::string& id, Family family) {
  const auto fd = session::open_session_for_reading(home, id, family);
  if (!fd) return ADD_FAILURE() << fd.error().what, 0;
  context::ReplayIndex index;
  const auto scan = context::scan_session(fd->get(), "", index);
  if (!scan) return ADD_FAILURE() << scan.error().what, 0;
  return static_cast<std::size_t>(scan->read.events);
}

void expect_session_goes_on(const session::Home& home, const std::string& id, Family family) {
  const std::size_t before = replayed_events(home, id, family);
  {
    auto writer = session::Writer::open(home, id, {"/project", family, [] { return kNoon; }});
    ASSERT_TRUE(writer) << writer.error().what;
    event::UserInput input;
    input.turn_id = "after";
    input.text = "go on";
    const auto stored = writer->append(input, session::Durability::kRequired);
    ASSERT_TRUE(stored) << stored.error().what;
    EXPECT_EQ(event_ids_in(slurp(home.session(id, family))).back(), *stored);
  }
  EXPECT_EQ(replayed_events(home, id, family), before + 1);
}

void collect_files(const session::Home& home, Family family, std::multiset<std::string>& live,
                   std::set<std::string>& kept) {
  const std::filesystem::path folder = home.sessions(family);
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (!session::file::session_id_of(entry.path().filename().string()).empty())
      for (std::string& id : event_ids_in(slurp(entry.path().string()))) live.insert(std::move(id));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / session::file::kHistory, none))
    if (entry.is_regular_file(none))
      for (std::string& id : event_ids_in(slurp(entry.path().string()))) kept.insert(std::move(id));
}

}  // namespace

std::vector<std::string> event_ids_in(std::string_view text) {
  std::vector<std::string> ids;
  json::Parser parser;
  for (const std::string& line : lines_of(std::string(text))) {
    const auto root = parser.parse(line);
    const auto event = root ? event::parse_session_event(*root) : Result<event::SessionEvent>(root.error());
    if (event) ids.push_back(event->envelope.event_id);
  }
  return ids;
}

void expect_store_is_sound(const session::Home& home, const std::vector<std::string>& acknowledged) {
  for (const Family family : {Family::kPrimary, Family::kChild}) {
    const auto list = session::list_sessions(home, family);
    ASSERT_TRUE(list) << list.error().what;
    for (const Error& error : list->unreadable) ADD_FAILURE() << "unreadable: " << error.what;
    for (const session::SessionInfo& info : list->sessions) expect_session_goes_on(home, info.id, family);
  }
  std::multiset<std::string> live;
  std::set<std::string> kept;
  collect_files(home, Family::kPrimary, live, kept);
  collect_files(home, Family::kChild, live, kept);
  for (const std::string& id : live) EXPECT_EQ(live.count(id), 1u) << "event ID " << id << " was used twice";
  for (const std::string& id : acknowledged) EXPECT_TRUE(live.contains(id) || kept.contains(id)) << "lost: " << id;
}

}  // namespace magi::test
