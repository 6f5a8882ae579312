// A home, a project and sessions in it, for loaders.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/session/writer.h"
#include "tests/unit/scratch.h"
#include "tools/magi-code/tui/load/carry_out.h"

namespace magi::code::tui::test {

class LoadTest : public testing::Test {
 protected:
  LoadTest() {
    std::filesystem::create_directories(project_);
    const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "/usr/bin:/bin";
    environment_ = {"PATH=" + path, "HOME=" + scratch_.path(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"};
    source_.child_environment = environment_;
    source_.environment = config::Environment(environment_);
  }

  Loaded load(std::string panel, std::string key = {}) const {
    return tui::load(source_, {std::move(panel), std::move(key)});
  }
  template <class Data>
  Data data_of(const Loaded& loaded) const {
    EXPECT_TRUE(loaded.data) << (loaded.data ? "" : loaded.data.error().what);
    if (!loaded.data) return {};
    const Data* const data = std::get_if<Data>(&*loaded.data);
    EXPECT_NE(data, nullptr);
    return data ? *data : Data();
  }
  template <class Data>
  Data get(std::string panel, std::string key = {}) const {
    return data_of<Data>(load(std::move(panel), std::move(key)));
  }

  // A session of its own, which is then the one that is open.
  session::Writer new_session() {
    session::WriterOptions options;
    options.cwd = project_;
    session::Writer made = session::Writer::create(source_.home, std::move(options));
    source_.session_id = made.id();
    return made;
  }
  session::Writer writer(const std::string& id) {
    session::WriterOptions options;
    options.cwd = project_;
    auto opened = session::Writer::open(source_.home, id, std::move(options));
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
    return *std::move(opened);
  }

  // A command of the test's own.
  int shell(const std::string& command) const {
    std::string all = "cd '" + project_ + "' && export HOME='" + scratch_.path() +
                      "' GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null && { " + command + "; } >/dev/null 2>&1";
    return std::system(all.c_str());
  }
  void make_repository() const {
    ASSERT_EQ(shell("git init -q && git config user.email a@b && git config user.name n"), 0);
  }
  std::string in_project(std::string_view name) const { return project_ + '/' + std::string(name); }

  magi::test::Scratch scratch_;
  std::string project_ = scratch_ / "project";
  std::vector<std::string> environment_;
  Source source_{session::Home(scratch_ / "home"), project_, "s1", {}, {}, {}, {}, {}};
};

}  // namespace magi::code::tui::test
