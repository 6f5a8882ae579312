// Where the tools work: the root, added folders, and what must not be seen.  Every path that a model names goes through
// locate() and open(), which decide by what is really there, not by how the path is spelled.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"

namespace magi::toolbox {

// A path, placed.  Valid until the workspace is refreshed.
struct Place {
  int top = -1;          // borrowed: the folder that it lies in; -1 when outside
  std::string relative;  // below `top` ("." is itself), or the absolute path when outside
  std::string shown;     // as results name it: relative to the root, else absolute
  bool outside = false;
};

class Workspace {
 public:
  // `root` and `added` must be folders.  `hidden`: absolute paths that nothing below may open, the home's own files.
  // `kept`: a folder in which nothing is written, nothing made; empty: none.
  static Result<Workspace> open(const std::string& root, const std::vector<std::string>& added,
                                std::vector<std::string> hidden, const std::string& kept = {});

  // Before each call: the root may have been deleted, or deleted and made again.  kNotFound: it is gone.
  Result<void> refresh();

  const std::string& root() const { return tops_.front().real; }
  // Root and added folders, absolute, links resolved.
  std::vector<std::string> folders() const;
  const std::vector<std::string>& hidden() const { return hidden_; }

  // kUsage: no path.  A path that leads outside only through a link is not `outside`: open() refuses it.
  Result<Place> locate(std::string_view path) const;

  // kUnsafe: leads out of its folder through a link.  Hidden files are kDenied.  Opens never block and never make a
  // terminal ours.  Errors name the place.
  Result<os::Fd> open(const Place& place, int flags, mode_t mode = 0) const;

  // For replacing what a name stands for: the folder that really holds it, and its name there.  A link to a file inside
  // is followed, so that the link stays.  `make` creates missing folders (0777 less the umask) and says which.
  struct Slot {
    os::Fd folder;
    std::string name;
  };
  Result<Slot> slot(const Place& place, bool make, std::vector<std::string>& made) const;

  // The absolute path of an open object.
  static std::string path_of(int fd);
  bool is_hidden(const std::string& absolute) const;
  bool hides_inside() const { return hides_inside_; }

 private:
  struct Top {
    std::string given, real;  // given: absolute, links as the user wrote them
    os::Fd fd;
  };
  static Result<Top> open_top(const std::string& path);

  // The place of an absolute path without "." and "..".
  Place place_of(const std::string& absolute) const;
  // What a path that the kernel would not follow leads to, when it lies in one of the folders.
  Result<Place> follow(const Place& place) const;
  Result<os::Fd> checked(os::Fd fd, const Place& place) const;
  // kDenied where the place lies in `kept`.
  Result<void> check_kept(const Place& place) const;
  Result<os::Fd> make_folders(const Place& folder, std::vector<std::string>& made) const;

  std::vector<Top> tops_;  // the root first
  std::vector<std::string> hidden_;
  std::string kept_;
  bool hides_inside_ = false;  // a hidden path lies in one of the folders
};

// "/a/b" without empty, "." and ".." components.  Requires: absolute.
std::string normalized(std::string_view absolute);

// Opens a regular file for reading; anything else is an error that says what it is.
Result<os::Fd> open_regular(const Workspace& workspace, const Place& place);

}  // namespace magi::toolbox
