#include "libcommon/os/disk.h"

#include <cstdio>

#include <unistd.h>

#include <atomic>

namespace magi::os {
namespace {

constexpr Disk kRealDisk = {
    .openat = [](int dir, const char* path, int flags, mode_t mode) { return ::openat(dir, path, flags, mode); },
    .mkdirat = &::mkdirat,
    .fstat = [](int fd, struct stat* out) { return ::fstat(fd, out); },
    .fstatat = [](int dir, const char* path, struct stat* out, int flags) { return ::fstatat(dir, path, out, flags); },
    .pread = &::pread,
    .write = &::write,
    .pwrite = &::pwrite,
    .ftruncate = &::ftruncate,
    .fdatasync = &::fdatasync,
    .fsync = &::fsync,
    .renameat = &::renameat,
    .renameat2 = &::renameat2,
    .linkat = &::linkat,
    .unlinkat = &::unlinkat,
    .ofd_setlk = [](int fd, struct flock* lock) { return ::fcntl(fd, F_OFD_SETLK, lock); },
};

std::atomic<const Disk*> current{&kRealDisk};

}  // namespace

const Disk& real_disk() { return kRealDisk; }

const Disk& disk() { return *current.load(std::memory_order_acquire); }

ScopedDisk::ScopedDisk(const Disk& table) : previous_(current.exchange(&table)) {}

ScopedDisk::~ScopedDisk() { current = previous_; }

}  // namespace magi::os
