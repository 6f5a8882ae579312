// The one error type, and the exit status that each kind of error becomes.
#pragma once

#include <string>
#include <string_view>

namespace magi {

// Few on purpose: a caller that needs more than the kind is reading the text.
enum class ErrorCode {
  kUsage,      // wrong command line or operand
  kConfig,     // settings, credentials or environment that cannot be used
  kIo,         // the system refused: disk, pipe, process, socket
  kNoSpace,    // the disk is full, or a quota: what was asked was not stored
  kNotFound,   // the named thing is not there
  kBadRecord,  // bytes that are not what their format says
  kUnsafe,     // owner, mode, link or replacement that must not be followed (S5)
  kBusy,       // a live writer or lock holder
  kLimit,      // a limit or budget forbids it
  kDenied,     // permissions forbid it
  kUpstream,   // a provider or another tool failed
  kCancelled,  // interrupted by the user
  kInternal,   // a bug here, or a foreign exception
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  // Lower case, no full stop, what failed first: "cannot open 'x': No such file or directory".
  std::string what;
};

// Exit statuses of every executable (contracts, section 1).
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitBusy = 3;
inline constexpr int kExitLimit = 4;
inline constexpr int kExitInterrupted = 130;
inline constexpr int kExitTerminated = 143;

int exit_status(ErrorCode code);

// Name of the code as records carry it in `error.category`: "config", "io", "busy", ...
std::string_view category_name(ErrorCode code);

// "<context>: <strerror(error_number)>" with code kIo, kNotFound for ENOENT, kNoSpace for ENOSPC and EDQUOT.
Error errno_error(std::string_view context, int error_number);

// 'text' in single quotes, control characters and quotes escaped, cut to 200 bytes: for operands inside messages.
std::string quoted(std::string_view text);

}  // namespace magi
