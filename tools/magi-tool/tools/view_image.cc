// view_image: an image of the workspace, for a model that can see.
#include <cerrno>

#include "libcommon/base/image_header.h"
#include "libcommon/os/disk.h"
#include "tools/magi-tool/image.h"
#include "tools/magi-tool/session.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {{"path", Type::kString, true, ""}};

Result<ImageHeader> header_of(int fd, const Place& place) {
  std::string start(kImageHeaderBytes, '\0');
  const ssize_t got = os::disk().pread(fd, start.data(), start.size(), 0);
  if (got < 0) return errno_error(quoted(place.shown), errno);
  const ImageHeader header = read_image_header(std::string_view(start).substr(0, static_cast<std::size_t>(got)));
  if (header.media_type.empty())
    return make_error(ErrorCode::kUsage, quoted(place.shown), " is no PNG, JPEG, GIF or WebP image");
  return header;
}

Result<Outcome> run(Call& call) {
  Session& session = call.session;
  MAGI_TRY(const Place place, session.workspace.locate(*call.arguments.text("path")));
  MAGI_CHECK(allow_read(call, place));
  call.effects.kind = "read";
  call.details.provenance = place.outside ? provenance::kOutside : provenance::kWorkspace;
  MAGI_TRY(const os::Fd file, open_regular(session.workspace, place));
  MAGI_TRY(const ImageHeader header, header_of(file.get(), place));
  MAGI_TRY(event::Part part, image_part(file.get(), header.media_type, place.shown));
  Outcome outcome;
  outcome.output = "[image " + std::string(header.media_type);
  if (header.width > 0)
    outcome.output += ", " + std::to_string(header.width) + " x " + std::to_string(header.height) + " pixels";
  outcome.output += ", " + std::to_string(part.bytes.value_or(0)) + " bytes]\n";
  outcome.parts.push_back(std::move(part));
  return outcome;
}

}  // namespace

const Tool kViewImage{"view_image", "Look at an image file: PNG, JPEG, GIF or WebP.", kParameters, "path", run};

}  // namespace magi::toolbox
