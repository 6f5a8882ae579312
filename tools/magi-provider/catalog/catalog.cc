#include "tools/magi-provider/catalog/catalog.h"

#include <algorithm>
#include <unordered_set>

#include "libcommon/base/secret_shapes.h"
#include "libcommon/base/utf8.h"
#include "libcommon/json/writer.h"
#include "libcommon/os/atomic_file.h"

namespace magi::provider {
namespace {

constexpr std::size_t kMostModels = 2'000, kMaxIdBytes = 200, kMaxNameCharacters = 100;
// No provider counts tokens beyond this.
constexpr std::int64_t kMostTokens = 1'000'000'000;

bool is_usable_id(std::string_view id) {
  const bool visible = std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c < 0x7f; });
  return !id.empty() && id.size() <= kMaxIdBytes && visible && !find_secret(id);
}

// Control characters and what looks like a secret have no place in a name.
std::string usable_name(const std::string& name) {
  std::string clean = utf8::sanitize(name);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(clean.begin(), clean.end(), is_control) || find_secret(clean)) return {};
  clean.resize(utf8::prefix_bytes(clean, kMaxNameCharacters));
  return clean;
}

std::optional<std::int64_t> usable_count(const std::optional<std::int64_t>& tokens) {
  return tokens && *tokens > 0 && *tokens <= kMostTokens ? tokens : std::nullopt;
}

}  // namespace

std::vector<Model> sanitised(const std::vector<Model>& models) {
  std::vector<Model> kept;
  std::unordered_set<std::string> ids;
  for (const Model& model : models) {
    if (kept.size() == kMostModels) break;
    if (!is_usable_id(model.id) || !ids.insert(model.id).second) continue;
    kept.push_back({model.id, usable_name(model.display_name), usable_count(model.context_window),
                    usable_count(model.max_input_tokens), usable_count(model.max_output_tokens)});
  }
  return kept;
}

std::string catalog_json(const std::vector<Model>& models) {
  std::string text;
  json::Writer out(text);
  out.begin_object().key("models").begin_array();
  for (const Model& model : models) {
    out.begin_object().key("id").string(model.id);
    if (!model.display_name.empty()) out.key("display_name").string(model.display_name);
    if (model.context_window) out.key("context_window").integer(*model.context_window);
    if (model.max_input_tokens) out.key("max_input_tokens").integer(*model.max_input_tokens);
    if (model.max_output_tokens) out.key("max_output_tokens").integer(*model.max_output_tokens);
    out.end_object();
  }
  out.end_array().end_object();
  return text + '\n';
}

Result<void> write_catalog(const session::Home& home, std::string_view provider, const std::vector<Model>& models) {
  MAGI_TRY(const os::Dir folder, session::open_model_catalogs(home));
  return os::replace_file(folder, session::file::model_catalog(provider), catalog_json(models), os::Sync::kNone);
}

}  // namespace magi::provider
