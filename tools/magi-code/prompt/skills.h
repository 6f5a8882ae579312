// Skills: folders with a SKILL.md that says how a kind of task is done (T5).  The model is told their names and what
// they are for; it reads the file when a task fits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/session/paths.h"

namespace magi::code {

struct Skill {
  std::string name, description;
  std::string path;         // of SKILL.md, absolute
  bool of_project = false;  // else the user's
};

struct Skills {
  std::vector<Skill> list;            // by name
  std::vector<std::string> problems;  // of what was left out: one line each, for people
};

// Of the user (skills/ in the home) and of the project (.magi-code/skills and .agents/skills in the folders from the
// repository's top to `cwd`).  A SKILL.md begins with front matter that has a `name` (lower-case letters, digits and
// dashes, at most 64) and a `description` (at most 1,024 characters).  Of two with one name the user's counts, then the
// one that is nearer to `cwd`.  At most 200 are read.  Blocks on the disk.  A project's links are refused.
Skills find_skills(const session::Home& home, const std::string& cwd);

// What the model is told: a line for each, 16 KiB at most; empty where there are none.
std::string skills_section(const Skills& skills);

// The skill whose file `path` is; null where it is none.  `cwd`: what a relative path begins at.
const Skill* skill_at(const Skills& skills, std::string_view path, const std::string& cwd);

// Front matter of a SKILL.md; an error says what is wrong with it.
struct FrontMatter {
  std::string name, description;
};
Result<FrontMatter> read_front_matter(std::string_view text);

}  // namespace magi::code
