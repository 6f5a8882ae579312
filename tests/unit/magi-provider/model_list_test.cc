#include "tools/magi-provider/model_list.h"

#include <gtest/gtest.h>

namespace magi::provider {
namespace {

std::string ids(std::string_view body) {
  const auto models = read_models(body);
  if (!models) return "none";
  std::string text;
  for (const Model& model : *models)
    text += model.id + (model.context_window ? "/" + std::to_string(*model.context_window) : "") + " ";
  return text;
}

TEST(ModelList, ListsOfEveryShape) {
  EXPECT_EQ(ids(R"({"object":"list","data":[{"id":"a"},{"id":"b","context_length":4096}]})"), "a b/4096 ");
  EXPECT_EQ(ids(R"({"models":[{"name":"x","meta":{"n_ctx_train":8}}]})"), "x/8 ");
  EXPECT_EQ(ids(R"([{"id":"z","max_model_len":0}])"), "z ");
  EXPECT_EQ(ids(R"({"data":[{"id":""},{"x":1}]})"), "");
  EXPECT_EQ(ids(R"({"error":{"message":"no"}})"), "none");
  EXPECT_EQ(ids("<html>"), "none");
}

TEST(ModelList, FailuresSayWhatWasTried) {
  ModelListing listing;
  ResponseHead head;
  head.status = 401;
  listing.on_head(head);
  listing.on_bytes(R"({"error":{"message":"bad key"}})");
  const auto failure = listing.finish(std::nullopt);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "cannot list the models: HTTP 401: bad key");
  EXPECT_EQ(failure->kind, FailureKind::kAuth);
}

}  // namespace
}  // namespace magi::provider
