#include "tools/magi-export/zip_archive.h"

#include <unistd.h>
#include <zip.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "libcommon/os/disk.h"

namespace magi::exporting {
namespace {

// Session text compresses well at once; the next levels take twice the time for a tenth less.
constexpr zip_uint32_t kLevel = 1;
constexpr zip_uint32_t kRegularPrivate = 0100600u << 16;  // Unix mode in a ZIP's external attributes
constexpr double kProgressStep = 0.005;

struct Failure {
  std::optional<Error> first;  // the cause, where it is not libzip's
  void keep(Error error) {
    if (!first) first = std::move(error);
  }
};

// What libzip reads of one member.
struct Input {
  ZipMember member;
  Failure* failure;
};

zip_int64_t read_input(void* state, void* data, zip_uint64_t size, zip_source_cmd_t command) {
  Input& input = *static_cast<Input*>(state);
  switch (command) {
    case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_READABLE;
    case ZIP_SOURCE_OPEN:
      if (const auto opened = input.member.open(); !opened) {
        input.failure->keep(opened.error());
        return -1;
      }
      return 0;
    case ZIP_SOURCE_READ: {
      const auto count = input.member.read(static_cast<char*>(data), size);
      if (count) return static_cast<zip_int64_t>(*count);
      input.failure->keep(count.error());
      return -1;
    }
    case ZIP_SOURCE_STAT: {
      // No size: libzip reserves zip64 fields, and writes what it counted.
      zip_stat_t& status = *static_cast<zip_stat_t*>(data);
      zip_stat_init(&status);
      status.mtime = input.member.mtime_s;
      status.valid = ZIP_STAT_MTIME;
      return sizeof status;
    }
    case ZIP_SOURCE_ERROR: {
      const int codes[2] = {ZIP_ER_READ, EIO};
      std::copy(codes, codes + 2, static_cast<int*>(data));
      return sizeof codes;
    }
    case ZIP_SOURCE_CLOSE: return 0;
    case ZIP_SOURCE_FREE: delete &input; return 0;
    default: return -1;
  }
}

// The archive itself: a file that is only ever written here.
struct Output {
  int fd;
  off_t at = 0, end = 0;
  Failure* failure;
  zip_error_t error{};
};

zip_int64_t write_all_at(Output& output, const char* bytes, zip_uint64_t size) {
  for (zip_uint64_t done = 0; done < size;) {
    const ssize_t count = os::disk().pwrite(output.fd, bytes + done, size - done, output.at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      output.failure->keep(errno_error("cannot write the archive", errno));
      zip_error_set(&output.error, ZIP_ER_WRITE, errno);
      return -1;
    }
    done += static_cast<zip_uint64_t>(count);
    output.at += count;
  }
  output.end = std::max(output.end, output.at);
  return static_cast<zip_int64_t>(size);
}

zip_int64_t seek(Output& output, void* data, zip_uint64_t size) {
  const zip_int64_t to = zip_source_seek_compute_offset(
      static_cast<zip_uint64_t>(output.at), static_cast<zip_uint64_t>(output.end), data, size, &output.error);
  if (to < 0) return -1;
  output.at = to;
  return 0;
}

zip_int64_t write_output(void* state, void* data, zip_uint64_t size, zip_source_cmd_t command) {
  Output& output = *static_cast<Output*>(state);
  switch (command) {
    case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_STAT: {
      zip_stat_t& status = *static_cast<zip_stat_t*>(data);
      zip_stat_init(&status);
      status.size = static_cast<zip_uint64_t>(output.end);
      status.valid = ZIP_STAT_SIZE;
      return sizeof status;
    }
    case ZIP_SOURCE_OPEN:
    case ZIP_SOURCE_BEGIN_WRITE: output.at = 0; return 0;
    case ZIP_SOURCE_READ: {
      const ssize_t count = os::disk().pread(output.fd, data, size, output.at);
      if (count > 0) output.at += count;
      return count;
    }
    case ZIP_SOURCE_WRITE: return write_all_at(output, static_cast<const char*>(data), size);
    case ZIP_SOURCE_SEEK:
    case ZIP_SOURCE_SEEK_WRITE: return seek(output, data, size);
    case ZIP_SOURCE_TELL:
    case ZIP_SOURCE_TELL_WRITE: return output.at;
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&output.error, data, size);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_FREE: return 0;
    default: zip_error_set(&output.error, ZIP_ER_OPNOTSUPP, 0); return -1;
  }
}

struct Progress {
  const std::function<bool(double)>* go_on;
  bool stopped = false;
};

void report_progress(zip_t*, double share, void* state) {
  Progress& progress = *static_cast<Progress*>(state);
  progress.stopped = progress.stopped || !(*progress.go_on)(share);
}

int asked_to_stop(zip_t*, void* state) {
  Progress& progress = *static_cast<Progress*>(state);
  progress.stopped = progress.stopped || !(*progress.go_on)(-1);
  return progress.stopped ? 1 : 0;
}

Error zip_failure(std::string_view what, zip_error_t* error) {
  return make_error(zip_error_code_system(error) == ENOSPC ? ErrorCode::kNoSpace : ErrorCode::kIo, what, ": ",
                    zip_error_strerror(error));
}

Result<void> add_member(zip_t* archive, ZipMember member, Failure& failure) {
  const std::string name = member.name;
  const std::int64_t mtime_s = member.mtime_s;
  auto input = std::make_unique<Input>(Input{std::move(member), &failure});
  zip_source_t* const source = zip_source_function(archive, &read_input, input.get());
  if (source == nullptr) return zip_failure("cannot add to the archive", zip_get_error(archive));
  static_cast<void>(input.release());  // the source's, which frees it
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return zip_failure("cannot add to the archive", zip_get_error(archive));
  }
  const auto at = static_cast<zip_uint64_t>(index);
  if (zip_set_file_compression(archive, at, ZIP_CM_DEFLATE, kLevel) != 0 ||
      zip_file_set_external_attributes(archive, at, 0, ZIP_OPSYS_UNIX, kRegularPrivate) != 0 ||
      zip_file_set_mtime(archive, at, mtime_s, 0) != 0)
    return zip_failure("cannot add to the archive", zip_get_error(archive));
  return {};
}

}  // namespace

Result<void> write_zip(int fd, std::vector<ZipMember> members, const std::function<bool(double)>& go_on) {
  Failure failure;
  Output output{fd, 0, 0, &failure, {}};
  zip_error_init(&output.error);
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const target = zip_source_function_create(&write_output, &output, &error);
  if (target == nullptr) return zip_failure("cannot make an archive", &error);
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open_from_source(target, ZIP_TRUNCATE, &error), &zip_discard);
  if (!archive) {
    zip_source_free(target);
    return zip_failure("cannot make an archive", &error);
  }
  for (ZipMember& member : members) MAGI_CHECK(add_member(archive.get(), std::move(member), failure));
  Progress progress{&go_on};
  zip_register_progress_callback_with_state(archive.get(), kProgressStep, &report_progress, nullptr, &progress);
  zip_register_cancel_callback_with_state(archive.get(), &asked_to_stop, nullptr, &progress);
  if (zip_close(archive.get()) == 0) {
    static_cast<void>(archive.release());
    return {};
  }
  if (progress.stopped) return make_error(ErrorCode::kCancelled, "interrupted");
  if (failure.first) return *failure.first;
  return zip_failure("cannot write the archive", zip_get_error(archive.get()));
}

}  // namespace magi::exporting
