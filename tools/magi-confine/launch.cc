#include "tools/magi-confine/launch.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "tools/magi-confine/filter.h"
#include "tools/magi-confine/landlock.h"

namespace magi::confine {
namespace {

// Of a root user's capabilities those that act on the user's own files and processes; the rest reaches the machine.
constexpr std::uint64_t kKeptCapabilities = 1ULL << CAP_CHOWN | 1ULL << CAP_DAC_OVERRIDE | 1ULL << CAP_FOWNER |
                                            1ULL << CAP_FSETID | 1ULL << CAP_KILL | 1ULL << CAP_SETGID |
                                            1ULL << CAP_SETUID;

void drop_capabilities() {
  // While they may still be dropped from the bounding set; without CAP_SETPCAP there is nothing to gain either, as
  // no_new_privs holds.
  for (int capability = 0; capability < 64; ++capability)
    if (!(kKeptCapabilities >> capability & 1) && ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) break;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return;
  for (std::size_t half = 0; half < data.size(); ++half) {
    const auto kept = static_cast<std::uint32_t>(kKeptCapabilities >> (32 * half));
    data[half].effective &= kept;
    data[half].permitted &= kept;
    data[half].inheritable = 0;
  }
  ::syscall(SYS_capset, &header, data.data());
}

// From child to parent before the command runs: a listener, or the error that ends the child.
struct Message {
  ErrorCode code;
  std::array<char, 400> what;
};

void send_listener(int channel, int listener) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &listener, sizeof listener);
  ::sendmsg(channel, &message, MSG_NOSIGNAL);
}

[[noreturn]] void fail(int channel, const Error& error) {
  Message message{error.code, {}};
  error.what.copy(message.what.data(), message.what.size() - 1);
  ::send(channel, &message, sizeof message, MSG_NOSIGNAL);
  ::_exit(kExitFailed);
}

// An error, or the listener has arrived, or the channel was closed by the command's start.
Result<void> receive(int channel, Launched& launched) {
  for (;;) {
    Message error{};
    iovec data{&error, sizeof error};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    const ssize_t got = ::recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    if (got == static_cast<ssize_t>(sizeof error)) return Error{error.code, error.what.data()};
    if (const cmsghdr* const header = CMSG_FIRSTHDR(&message); header != nullptr && header->cmsg_type == SCM_RIGHTS) {
      int listener = -1;
      std::memcpy(&listener, CMSG_DATA(header), sizeof listener);
      launched.listener.reset(listener);
    }
  }
}

Result<void> confine_self(const Options& options, const Confinement& confinement, int channel) {
  if (!options.confines() || !confinement.wrapper.argv.empty()) return {};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return make_error(ErrorCode::kDenied, errno_error("cannot confine: no_new_privs", errno).what);
  if (confinement.ruleset) {
    drop_capabilities();
    MAGI_CHECK(restrict_self(confinement.ruleset.get()));
  }
  MAGI_TRY(const os::Fd listener,
           install_filter({static_cast<bool>(confinement.ruleset), options.no_network, confinement.landlock_abi}));
  if (listener) send_listener(channel, listener.get());
  return {};
}

void set_up_process(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (::getppid() != parent) ::_exit(kExitFailed);  // it died before the line above
  ::setsid();
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int empty = ::open("/dev/null", O_RDONLY);
  if (empty > 0) ::dup2(empty, STDIN_FILENO);
}

[[noreturn]] void run_child(const Options& options, const Confinement& confinement, int channel, pid_t parent) {
  set_up_process(parent);
  if (options.private_tmp) ::setenv("TMPDIR", options.private_tmp->c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& argument : confinement.wrapper.argv) argv.push_back(const_cast<char*>(argument.c_str()));
  for (const std::string& argument : options.command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (const auto confined = confine_self(options, confinement, channel); !confined) fail(channel, confined.error());
  if (options.command.empty()) ::_exit(kExitOk);
  ::syscall(SYS_close_range, 3, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */);
  if (const int filter = confinement.wrapper.filter.get(); filter == kFilterFd)
    ::fcntl(filter, F_SETFD, 0);
  else if (filter >= 0)
    ::dup2(filter, kFilterFd);
  ::execvp(argv[0], argv.data());
  fail(channel, errno_error("cannot start " + quoted(options.command.front()), errno));
}

}  // namespace

Result<Confinement> prepare(const Options& options) {
  Confinement confinement;
  if (!options.confines_files()) return confinement;
  FilePolicy policy{options.write, options.hide};
  if (options.private_tmp) policy.write.push_back(*options.private_tmp);
  MAGI_CHECK(check_policy(policy));
  confinement.landlock_abi = landlock_abi(options.landlock_limit);
  for (const std::string& folder : policy.write) confinement.writable.push_back(resolve_existing(folder));
  if (options.means != "bubblewrap") {
    auto ruleset = make_ruleset(policy, confinement.landlock_abi);
    if (ruleset) {
      confinement.ruleset = *std::move(ruleset);
      return confinement;
    }
    if (options.means == "landlock" || confinement.landlock_abi > 0) return ruleset.error();
  }
  const char* const path = ::getenv("PATH");
  auto wrapper = make_wrapper(options, confinement.writable, path ? path : "");
  if (!wrapper && options.means == "auto")
    return make_error(ErrorCode::kDenied,
                      "cannot confine: this kernel has no Landlock, and bubblewrap is not installed");
  MAGI_TRY(confinement.wrapper, std::move(wrapper));
  return confinement;
}

Result<Launched> launch(const Options& options, const Confinement& confinement) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return errno_error("socketpair", errno);
  const os::Fd ours(ends[0]);
  os::Fd theirs(ends[1]);
  const pid_t self = ::getpid();
  Launched launched;
  // Until the command runs the child only makes system calls and allocates, which is safe in the parent's memory, and
  // copying that memory would cost more than everything the child does.
  launched.pid = ::vfork();
  if (launched.pid < 0) return errno_error("cannot start a process", errno);
  if (launched.pid == 0) run_child(options, confinement, theirs.get(), self);
  theirs.reset();
  MAGI_CHECK(receive(ours.get(), launched));
  return launched;
}

}  // namespace magi::confine
