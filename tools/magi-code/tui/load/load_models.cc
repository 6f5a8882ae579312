// Models of every provider: from cached catalogs, from settings, and the documented defaults.
#include <algorithm>

#include "libcommon/config/provider_choice.h"
#include "libcommon/context/model_catalog.h"
#include "tools/magi-code/tui/load/loaders.h"

namespace magi::code::tui {
namespace {

std::string first_words(const Error& error) { return error.what.substr(0, error.what.find('\n')); }

void add_provider(const Source& source, const config::Settings& settings, const std::string& id, ModelsData& data) {
  config::ProviderWish wish;
  wish.provider = id;
  const bool is_compatible = id == "openai-compatible";
  if (is_compatible) wish.base_url = source.base_url;
  const auto choice = config::choose_provider(settings, source.environment, wish, source.home.auth());
  auto models = context::catalog_models(source.home, id);
  if (!models) {
    data.notes.push_back(models.error().what);
    models = std::vector<context::CatalogModel>();
  }
  // A provider that nobody has set up and that was never asked is not worth a row.
  if (!choice && models->empty() && is_compatible) return;
  const auto add = [&](const std::string& model) {
    const bool known = std::any_of(models->begin(), models->end(), [&](const auto& each) { return each.id == model; });
    if (!model.empty() && !known) models->insert(models->begin(), {model, std::nullopt});
  };
  if (choice) add(choice->model);
  const std::string note = choice ? std::string() : first_words(choice.error());
  if (models->empty()) {
    data.notes.push_back(id +
                         (note.empty() ? ": no catalog yet (magi-code models --provider " + id + ")" : ": " + note));
    return;
  }
  for (context::CatalogModel& model : *models) data.rows.push_back({id, std::move(model.id), model.window, note});
}

}  // namespace

Result<config::Settings> settings_of(const Source& source) {
  return config::load_settings({source.home.settings(), source.cwd, {}});
}

Result<PanelData> load_models(const Source& source) {
  MAGI_TRY(const config::Settings settings, settings_of(source));
  ModelsData data;
  for (const std::string_view id : config::builtin_providers())
    if (id != "scripted") add_provider(source, settings, std::string(id), data);
  for (const auto& [id, provider] : settings.providers)
    if (!config::is_builtin_provider(id)) add_provider(source, settings, id, data);
  // What can be used comes first.
  std::stable_partition(data.rows.begin(), data.rows.end(), [](const ModelRow& row) { return row.note.empty(); });
  return PanelData(std::move(data));
}

}  // namespace magi::code::tui
