// A folder for temporary files that belongs to one process and goes with it.
#pragma once

#include <string>
#include <vector>

#include "libcommon/os/fd.h"

namespace magi::toolbox {

class PrivateTmp {
 public:
  // In the first of `parents` that takes it; one that holds nothing (path() empty) where none does: a full disk must
  // not keep commands from running.  Removes what processes that were killed have left there.
  static PrivateTmp create(const std::vector<std::string>& parents);

  PrivateTmp() = default;
  PrivateTmp(PrivateTmp&& other) noexcept : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  PrivateTmp& operator=(PrivateTmp&& other) noexcept;
  // Removes the folder with all that it holds.
  ~PrivateTmp() { remove(); }

  const std::string& path() const { return path_; }

 private:
  void remove();

  std::string path_;
  os::Fd lock_;  // held as long as the process lives: how others tell that the folder is in use
};

// Removes a folder and what is in it, following no link; what cannot be removed stays.
void remove_tree(int parent, const std::string& name);

}  // namespace magi::toolbox
