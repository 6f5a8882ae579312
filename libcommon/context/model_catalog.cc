#include "libcommon/context/model_catalog.h"

#include <fcntl.h>

#include <cerrno>
#include <string>

#include "libcommon/json/node.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"

namespace magi::context {
namespace {

constexpr std::size_t kMaxCatalogBytes = 16u << 20;

std::optional<std::int64_t> positive(const json::Node& model, std::string_view key) {
  const auto number = model.find(key).as_int();
  return number && *number > 0 ? number : std::nullopt;
}

}  // namespace

Result<std::optional<std::int64_t>> catalog_window(const session::Home& home, std::string_view provider,
                                                   std::string_view model) {
  const std::optional<std::int64_t> unknown;
  // The name becomes part of a path, and it may come from a stream.
  if (model.empty() || !session::is_valid_session_id(provider)) return unknown;
  const std::string path = home.model_catalog(provider);
  const os::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ENOENT) return unknown;
  if (!fd) return errno_error("cannot open " + quoted(path), errno);
  MAGI_TRY(const std::string text, os::read_all(fd.get(), kMaxCatalogBytes));
  json::Parser parser;
  const auto catalog = parser.parse(text);
  if (!catalog) return make_error(ErrorCode::kBadRecord, "model catalog ", quoted(path), ": ", catalog.error().what);
  for (const json::Node entry : catalog->find("models").elements()) {
    if (entry.find("id").as_string() != model) continue;
    const auto window = positive(entry, "context_window");
    return window ? window : positive(entry, "max_input_tokens");
  }
  return unknown;
}

}  // namespace magi::context
