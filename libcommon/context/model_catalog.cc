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

std::optional<std::int64_t> window_of(const json::Node& model) {
  const auto window = positive(model, "context_window");
  return window ? window : positive(model, "max_input_tokens");
}

// The catalog's text; nothing where there is none.
Result<std::optional<std::string>> read_catalog(const session::Home& home, std::string_view provider) {
  const std::optional<std::string> none;
  // The name becomes part of a path, and it may come from a stream.
  if (!session::is_valid_session_id(provider)) return none;
  const std::string path = home.model_catalog(provider);
  const os::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ENOENT) return none;
  if (!fd) return errno_error("cannot open " + quoted(path), errno);
  MAGI_TRY(std::string text, os::read_all(fd.get(), kMaxCatalogBytes));
  return std::optional<std::string>(std::move(text));
}

// Calls `visit` with each entry until it says false.
template <class Visit>
Result<void> each_model(const session::Home& home, std::string_view provider, const Visit& visit) {
  MAGI_TRY(const std::optional<std::string> text, read_catalog(home, provider));
  if (!text) return {};
  json::Parser parser;
  const auto catalog = parser.parse(*text);
  if (!catalog)
    return make_error(ErrorCode::kBadRecord, "model catalog ", quoted(home.model_catalog(provider)), ": ",
                      catalog.error().what);
  for (const json::Node entry : catalog->find("models").elements())
    if (!visit(entry)) break;
  return {};
}

}  // namespace

Result<std::optional<std::int64_t>> catalog_window(const session::Home& home, std::string_view provider,
                                                   std::string_view model) {
  std::optional<std::int64_t> window;
  if (model.empty()) return window;
  MAGI_CHECK(each_model(home, provider, [&](const json::Node& entry) {
    if (entry.find("id").as_string() != model) return true;
    window = window_of(entry);
    return false;
  }));
  return window;
}

Result<std::vector<CatalogModel>> catalog_models(const session::Home& home, std::string_view provider) {
  std::vector<CatalogModel> models;
  MAGI_CHECK(each_model(home, provider, [&](const json::Node& entry) {
    if (auto id = entry.find("id").as_string(); id && !id->empty())
      models.push_back({*std::move(id), window_of(entry)});
    return true;
  }));
  return models;
}

}  // namespace magi::context
