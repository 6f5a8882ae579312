#include "tools/magi-code/prompt/skills.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/scratch.h"
#include "tools/magi-code/loop/folder_instructions.h"

namespace magi::code {
namespace {

namespace fs = std::filesystem;

TEST(FrontMatter, TakesTheFormsThatPeopleWrite) {
  for (const char* text :
       {"---\nname: a-1\ndescription: does it\n---\nbody", "---\r\nname: a-1\r\ndescription: does it\r\n---\r\n",
        "---\nname: \"a-1\"\ndescription: 'does it'\n---\n",
        "\xEF\xBB\xBF---\nname: a-1 # x\ndescription: >\n  does\n  it\n---\n",
        "---\n# c\nlicense: x\nname: a-1\nmetadata:\n  name: other\ndescription: does\n  it\n...\n"}) {
    const auto head = read_front_matter(text);
    ASSERT_TRUE(head) << text;
    EXPECT_EQ(head->name, "a-1") << text;
    EXPECT_EQ(head->description, "does it") << text;
  }
}

TEST(FrontMatter, SaysWhatIsWrong) {
  for (const std::string& text :
       {std::string("no"), std::string("---\nname: a\ndescription: d\n"),
        std::string("---\nname: A b\ndescription: d\n---\n"), std::string("---\nname: a\n---\n"),
        "---\nname: a\ndescription: " + std::string(1025, 'x') + "\n---\n",
        "---\nname: " + std::string(65, 'a') + "\ndescription: d\n---\n"})
    EXPECT_FALSE(read_front_matter(text)) << text.substr(0, 40);
}

class SkillFolders : public testing::Test {
 protected:
  void add(const std::string& folder, const std::string& name, const std::string& description) {
    fs::create_directories(folder);
    std::ofstream(folder + "/SKILL.md") << "---\nname: " << name << "\ndescription: " << description << "\n---\n";
  }
  test::Scratch scratch_;
  std::string home_ = scratch_ / "home", repo_ = scratch_ / "repo";
};

TEST_F(SkillFolders, AProjectsLinksAreRefusedTheUsersAreFollowed) {
  add(scratch_ / "elsewhere/mine", "mine", "m");
  add(scratch_ / "elsewhere/theirs", "theirs", "t");
  fs::create_directories(home_ + "/skills");
  fs::create_directories(repo_ + "/.magi-code/skills/file");
  fs::create_directory_symlink(scratch_ / "elsewhere/mine", home_ + "/skills/mine");
  fs::create_directory_symlink(scratch_ / "elsewhere/theirs", repo_ + "/.magi-code/skills/theirs");
  fs::create_symlink(scratch_ / "elsewhere/theirs/SKILL.md", repo_ + "/.magi-code/skills/file/SKILL.md");
  const Skills skills = find_skills(session::Home(home_), repo_);
  ASSERT_EQ(skills.list.size(), 1u);
  EXPECT_EQ(skills.list[0].name, "mine");
  EXPECT_EQ(skills.problems.size(), 2u);
}

TEST_F(SkillFolders, TheListIsBoundedAndKeepsToItsLines) {
  for (int i = 0; i < 120; ++i)
    add(repo_ + "/.magi-code/skills/s" + std::to_string(i), "s" + std::to_string(i), std::string(900, 'd') + "\x01 x");
  const Skills skills = find_skills(session::Home(home_), repo_);
  EXPECT_EQ(skills.list.size(), 120u);
  const std::string section = skills_section(skills);
  EXPECT_LE(section.size(), 17u * 1024);
  EXPECT_NE(section.find("more that are not shown"), std::string::npos);
  EXPECT_EQ(section.find('\x01'), std::string::npos);
  EXPECT_EQ(skills_section(Skills()), "");
}

TEST(TouchedFolders, AreThoseOnTheWay) {
  const test::Scratch scratch;
  fs::create_directories(scratch / "a/b");
  const auto folders = [&](const std::string& arguments) {
    event::ToolCall call;
    call.name = "read";
    call.arguments = arguments;
    return touched_folders(call, scratch.path());
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(folders(R"({"path":"a/b/c.txt"})"), (Names{"a", "a/b"}));
  EXPECT_EQ(folders(R"({"path":"a/b"})"), (Names{"a", "a/b"}));
  EXPECT_EQ(folders("{\"path\":\"" + scratch.path() + "/a/x\"}"), Names{"a"});
  EXPECT_EQ(folders(R"({"paths":["a/x","a/b/y"]})"), (Names{"a", "a/b"}));
  EXPECT_EQ(folders(R"({"path":"a/../../x/y"})"), Names{});
  EXPECT_EQ(folders(R"({"path":"/etc/passwd"})"), Names{});
  EXPECT_EQ(folders(R"({"path":"top.txt"})"), Names{});
  EXPECT_EQ(folders("not json"), Names{});
}

}  // namespace
}  // namespace magi::code
