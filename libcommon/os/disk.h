// The system calls that touch the disk, as a table that a test can replace to make any of them fail.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>

namespace magi::os {

// Each behaves as the call of its name: -1 and errno on failure.
struct Disk {
  int (*openat)(int dir, const char* path, int flags, mode_t mode);
  int (*mkdirat)(int dir, const char* path, mode_t mode);
  int (*fstat)(int fd, struct stat* out);
  int (*fstatat)(int dir, const char* path, struct stat* out, int flags);
  ssize_t (*pread)(int fd, void* out, std::size_t size, off_t offset);
  ssize_t (*write)(int fd, const void* bytes, std::size_t size);
  ssize_t (*pwrite)(int fd, const void* bytes, std::size_t size, off_t offset);
  int (*ftruncate)(int fd, off_t length);
  int (*fdatasync)(int fd);
  int (*fsync)(int fd);
  int (*renameat)(int from_dir, const char* from, int to_dir, const char* to);
  int (*renameat2)(int from_dir, const char* from, int to_dir, const char* to, unsigned flags);
  int (*linkat)(int from_dir, const char* from, int to_dir, const char* to, int flags);
  int (*unlinkat)(int dir, const char* path, int flags);
  int (*ofd_setlk)(int fd, struct flock* lock);  // fcntl(fd, F_OFD_SETLK, lock): never waits for a holder
};

const Disk& real_disk();

// The table in use: the real one unless a test holds a ScopedDisk.
const Disk& disk();

// Replaces the table while it lives.  For tests: not for several threads at once.
class ScopedDisk {
 public:
  explicit ScopedDisk(const Disk& table);
  ~ScopedDisk();
  ScopedDisk(const ScopedDisk&) = delete;
  ScopedDisk& operator=(const ScopedDisk&) = delete;

 private:
  const Disk* previous_;
};

}  // namespace magi::os
