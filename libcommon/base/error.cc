#include "libcommon/base/error.h"

#include <cerrno>
#include <cstring>

namespace magi {

int exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
    case ErrorCode::kConfig: return kExitUsage;
    case ErrorCode::kBusy: return kExitBusy;
    case ErrorCode::kLimit: return kExitLimit;
    case ErrorCode::kCancelled: return kExitInterrupted;
    case ErrorCode::kIo:
    case ErrorCode::kNoSpace:
    case ErrorCode::kNotFound:
    case ErrorCode::kBadRecord:
    case ErrorCode::kUnsafe:
    case ErrorCode::kDenied:
    case ErrorCode::kUpstream:
    case ErrorCode::kInternal: return kExitFailed;
  }
  return kExitFailed;
}

std::string_view category_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return "usage";
    case ErrorCode::kConfig: return "config";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kNoSpace: return "no_space";
    case ErrorCode::kNotFound: return "not_found";
    case ErrorCode::kBadRecord: return "bad_record";
    case ErrorCode::kUnsafe: return "unsafe";
    case ErrorCode::kBusy: return "busy";
    case ErrorCode::kLimit: return "limit";
    case ErrorCode::kDenied: return "denied";
    case ErrorCode::kUpstream: return "upstream";
    case ErrorCode::kCancelled: return "cancelled";
    case ErrorCode::kInternal: return "internal";
  }
  return "internal";
}

Error errno_error(std::string_view context, int error_number) {
  ErrorCode code = ErrorCode::kIo;
  if (error_number == ENOENT) code = ErrorCode::kNotFound;
  if (error_number == ENOSPC || error_number == EDQUOT) code = ErrorCode::kNoSpace;
  std::string what{context};
  what += ": ";
  what += std::strerror(error_number);
  return Error{code, std::move(what)};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMaxBytes = 200;
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "'";
  for (char c : text.substr(0, kMaxBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else if (c == '\'') {
      out += "\\'";
    } else {
      out += c;
    }
  }
  if (text.size() > kMaxBytes) out += "...";
  return out += "'";
}

}  // namespace magi
