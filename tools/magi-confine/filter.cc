#include "tools/magi-confine/filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace magi::confine {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kForeignNumbers = 0x40000000;  // x32 calls have this bit
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kForeignNumbers = 0x40000000;
#else
#error "no system call filter for this architecture"
#endif

// Younger than Debian 12's headers; the numbers are the same on every architecture.
constexpr int kFchmodat2 = 452, kSetxattrat = 463, kRemovexattrat = 466, kFileSetattr = 469;
constexpr unsigned kWaitKillable = 1U << 5;  // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, Linux 5.19

constexpr std::uint32_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t kTimeNamespace = 0x80;  // in clone() these bits are the exit signal

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kNotify = SECCOMP_RET_USER_NOTIF;
constexpr std::uint32_t fail_with(int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); }

// Assembles a program.  Each rule tests one call number and falls through to the next where it does not decide.
class Program {
 public:
  Program() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, kArchitecture, 1, 0);
    give(fail_with(ENOSYS));
    load(offsetof(seccomp_data, nr));
    jump(BPF_JGE, kForeignNumbers, 0, 1);
    give(fail_with(ENOSYS));
  }

  void rule(std::initializer_list<int> calls, std::uint32_t action) {
    for (const int call : calls) {
      jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
      give(action);
    }
  }

  struct Test {
    int argument;          // whose low half is tested
    std::uint32_t mask;    // bits that count
    std::uint32_t value;   // what they must be; kAny: any of them set
    bool differs = false;  // ... or must not be
  };
  static constexpr std::uint32_t kAny = 0xffffffff;

  // `action` when every test holds.
  void rule_if(int call, std::initializer_list<Test> tests, std::uint32_t action) {
    const std::size_t begin = code_.size();
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 0);
    std::vector<std::pair<std::size_t, bool>> to_next;  // jumps to fill in: where, and on which outcome
    to_next.emplace_back(begin, false);
    for (const Test& test : tests) {
      load(offsetof(seccomp_data, args) +
           8 * static_cast<std::size_t>(test.argument));  // little-endian: low half first
      code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, test.mask));
      jump(test.value == kAny ? BPF_JSET : BPF_JEQ, test.value == kAny ? test.mask : test.value, 0, 0);
      to_next.emplace_back(code_.size() - 1, test.differs);
    }
    give(action);
    const std::size_t reload = code_.size();
    load(offsetof(seccomp_data, nr));
    for (const auto& [at, when_true] : to_next) {
      const auto distance = static_cast<std::uint8_t>((at == begin ? reload + 1 : reload) - at - 1);
      (when_true ? code_[at].jt : code_[at].jf) = distance;
    }
  }

  std::vector<sock_filter> finish() {
    give(kAllow);
    return std::move(code_);
  }

 private:
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void give(std::uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  void jump(int test, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, if_true, if_false));
  }

  std::vector<sock_filter> code_;
};

// What goes past both filter and Landlock.
void close_ways_around(Program& program) {
  program.rule({__NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register, __NR_clone3}, fail_with(ENOSYS));
  program.rule(
      {__NR_keyctl, __NR_add_key, __NR_request_key, __NR_bpf, __NR_perf_event_open, __NR_open_by_handle_at, __NR_setns},
      fail_with(EPERM));
  program.rule_if(__NR_clone, {{0, kNamespaces, Program::kAny}}, fail_with(EPERM));
  program.rule_if(__NR_unshare, {{0, kNamespaces | kTimeNamespace, Program::kAny}}, fail_with(EPERM));
  for (const std::uint32_t request :
       {std::uint32_t{TIOCSTI}, std::uint32_t{TIOCLINUX}, static_cast<std::uint32_t>(FS_IOC_SETFLAGS),
        static_cast<std::uint32_t>(FS_IOC_FSSETXATTR)})
    program.rule_if(__NR_ioctl, {{1, 0xffffffff, request}}, fail_with(EPERM));
}

void confine_metadata(Program& program, std::uint32_t action) {
#ifdef __NR_chmod  // the old calls exist on x86-64 only
  program.rule({__NR_chmod, __NR_chown, __NR_lchown}, action);
  program.rule({__NR_utime, __NR_utimes, __NR_futimesat}, fail_with(ENOSYS));
#endif
  program.rule({__NR_fchmod, __NR_fchmodat, __NR_fchown, __NR_fchownat, __NR_utimensat}, action);
  program.rule({kFchmodat2, kFileSetattr}, fail_with(ENOSYS));
  program.rule({__NR_setxattr, __NR_lsetxattr, __NR_fsetxattr, __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr,
                kSetxattrat, kRemovexattrat},
               fail_with(EOPNOTSUPP));
}

// Local sockets lead to servers that act for their caller (a container daemon, a terminal multiplexer), so connections
// are judged by the broker and datagrams, which need no connection, are refused.
void confine_local_sockets(Program& program, std::uint32_t action) {
  program.rule({__NR_connect}, action);
  for (const int call : {__NR_socket, __NR_socketpair})
    program.rule_if(call, {{0, 0xffffffff, AF_UNIX}, {1, 0xf, SOCK_DGRAM}}, fail_with(EPERM));
}

// Before ABI 3 Landlock sees a truncation only where a file is opened for writing.
void confine_truncation(Program& program) {
  program.rule({__NR_truncate}, fail_with(EACCES));
  program.rule({__NR_openat2}, fail_with(ENOSYS));
  for (const std::uint32_t mode : {std::uint32_t{O_RDONLY}, std::uint32_t{O_ACCMODE}}) {
    program.rule_if(__NR_openat, {{2, O_TRUNC | O_ACCMODE, O_TRUNC | mode}}, fail_with(EACCES));
#ifdef __NR_open
    program.rule_if(__NR_open, {{1, O_TRUNC | O_ACCMODE, O_TRUNC | mode}}, fail_with(EACCES));
#endif
  }
}

std::vector<sock_filter> assemble(const FilterPolicy& policy, bool has_broker) {
  Program program;
  close_ways_around(program);
  if (policy.network) program.rule_if(__NR_socket, {{0, 0xffffffff, AF_UNIX, true}}, fail_with(EPERM));
  if (policy.files) {
    const std::uint32_t action = has_broker ? kNotify : fail_with(EPERM);
    confine_metadata(program, action);
    confine_local_sockets(program, action);
    if (policy.landlock_abi < 3) confine_truncation(program);
  }
  return program.finish();
}

long install(const FilterPolicy& policy, bool has_broker, unsigned flags) {
  std::vector<sock_filter> code = assemble(policy, has_broker);
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

}  // namespace

std::string wrapped_filter(bool network) {
  Program program;
  close_ways_around(program);
  if (network) program.rule_if(__NR_socket, {{0, 0xffffffff, AF_UNIX, true}}, fail_with(EPERM));
  confine_local_sockets(program, fail_with(EACCES));
  const std::vector<sock_filter> code = program.finish();
  return std::string(reinterpret_cast<const char*>(code.data()), code.size() * sizeof(sock_filter));
}

Result<os::Fd> install_filter(const FilterPolicy& policy) {
  if (policy.files) {
    for (const unsigned flags :
         {SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillable, SECCOMP_FILTER_FLAG_NEW_LISTENER + 0UL})
      if (const long listener = install(policy, true, flags); listener >= 0) return os::Fd(static_cast<int>(listener));
  }
  if (install(policy, false, 0) != 0)
    return make_error(ErrorCode::kDenied, errno_error("cannot confine: seccomp", errno).what);
  return os::Fd();
}

}  // namespace magi::confine
