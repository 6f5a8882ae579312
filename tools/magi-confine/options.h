// What magi-confine is told on its command line (magi-confine(1)).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace magi::confine {

struct Options {
  std::vector<std::string> write;          // folders and files beneath which writing is allowed
  std::vector<std::string> hide;           // paths beneath which reading is refused; they need not exist
  std::optional<std::string> private_tmp;  // a further writable folder, named to the command as TMPDIR
  bool no_network = false;
  int landlock_limit = 0;      // use no ABI above this one
  std::string means = "auto";  // what confines: "landlock", "bubblewrap", or the first of them that can
  int status_fd = -1, host_fd = -1;
  bool probe = false;
  std::vector<std::string> command;

  bool confines_files() const { return !write.empty() || !hide.empty() || private_tmp; }
  bool confines() const { return confines_files() || no_network; }
};

// Nothing in `exit_status` where the caller should go on.
struct Parsed {
  std::optional<int> exit_status;
  Options options;
};
Parsed parse_options(int argc, char** argv);

}  // namespace magi::confine
