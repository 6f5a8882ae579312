#include "tests/unit/magi-replay/foreign_support.h"

#include <sys/mman.h>
#include <unistd.h>

#include "libcommon/os/io.h"

namespace magi::replay::test {
namespace {

Result<context::test::Replayed> try_convert(std::string_view text, ForeignFormat format) {
  SessionInput file;
  file.fd = os::Fd(::memfd_create("foreign", MFD_CLOEXEC));
  MAGI_CHECK(os::write_all(file.fd.get(), text));
  ::lseek(file.fd.get(), 0, SEEK_SET);
  MAGI_TRY(ForeignSession foreign, read_foreign(file, format, "/tmp"));
  MAGI_TRY(const std::string session, os::read_all(foreign.session.fd.get(), 1u << 30));
  context::test::Replayed replayed = context::test::replay(session);
  replayed.end.read = foreign.read;
  replayed.notices.insert(replayed.notices.begin(), foreign.notices.begin(), foreign.notices.end());
  return replayed;
}

}  // namespace

context::test::Replayed convert(std::string_view file, ForeignFormat format) {
  auto converted = try_convert(file, format);
  if (converted) return *std::move(converted);
  context::test::Replayed failed;
  failed.error = converted.error().what;
  return failed;
}

}  // namespace magi::replay::test
