#include "tools/magi-provider/model_list.h"

#include <algorithm>

#include "libcommon/json/node.h"

namespace magi::provider {
namespace {

constexpr std::size_t kMaxListBytes = 16u << 20;

std::optional<std::int64_t> positive(const json::Node& number) {
  const auto tokens = number.as_int();
  return tokens && *tokens > 0 ? tokens : std::nullopt;
}

std::optional<std::int64_t> window_of(const json::Node& model) {
  for (const std::string_view key :
       {"context_window", "context_length", "max_context_length", "max_model_len", "max_input_tokens"})
    if (const auto tokens = positive(model.find(key))) return tokens;
  return positive(model.find("meta").find("n_ctx_train"));
}

// Servers call it differently.
std::optional<std::string> id_of(const json::Node& model) {
  for (const std::string_view key : {"id", "slug", "name"})
    if (auto id = model.find(key).as_string(); id && !id->empty()) return id;
  return std::nullopt;
}

}  // namespace

Result<std::vector<Model>> read_models(std::string_view body) {
  json::Parser parser;
  MAGI_TRY(const json::Node root, parser.parse(body));
  const json::Node list = root.find("data") ? root.find("data") : root.find("models") ? root.find("models") : root;
  if (!list.is(json::Kind::kArray)) return make_error(ErrorCode::kUpstream, "not a list of models");
  std::vector<Model> models;
  for (const json::Node entry : list.elements()) {
    auto id = id_of(entry);
    if (!id) continue;
    Model& model = models.emplace_back();
    model.id = *std::move(id);
    model.display_name = entry.find("display_name").as_string().value_or("");
    model.context_window = window_of(entry);
    model.max_input_tokens = positive(entry.find("max_input_tokens"));
    model.max_output_tokens = positive(entry.find("max_output_tokens"));
  }
  return models;
}

void ModelListing::on_bytes(std::string_view bytes) {
  body_.append(bytes.substr(0, kMaxListBytes - std::min(kMaxListBytes, body_.size())));
}

std::optional<Failure> ModelListing::finish(const std::optional<Failure>& failure) {
  std::optional<Failure> why = failure;
  if (!why && head_.status != 200) why = classify_status(head_.status, read_error_body(body_));
  if (!why) {
    if (auto models = read_models(body_))
      models_ = *std::move(models);
    else
      why = Failure{FailureKind::kRequest, models.error().what, {}, {}, {}, {}};
  }
  if (why) why->message = "cannot list the models: " + why->message;
  return why;
}

}  // namespace magi::provider
